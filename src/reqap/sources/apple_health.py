"""Apple Health: workouts, nights, and what each day and each weighing brought.

How to get it: Health app on the iPhone → your picture at the top → "Export All Health Data". It
makes a zip file; import that, or the export.xml inside. Later exports hold everything again and may
be imported over earlier ones. Single heartbeats and steps are not kept: they become one event per
day. Not taken over: the date of birth and blood type, electrocardiograms, clinical records, routes;
what else is left out is listed after the import.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

from reqap.errors import ValueProblem
from reqap.events import Event, ImportIssue, Origin
from reqap.sources.apple_health_days import Days
from reqap.sources.apple_health_measures import LocalHours, Sources, instant_of
from reqap.sources.apple_health_raw import raw
from reqap.sources.apple_health_sleep import SLEEP_TYPE, Nights
from reqap.sources.apple_health_workouts import Workout
from reqap.sources.apple_health_xml import Attributes, ElementReader, TooDeep
from reqap.sources.base import Context, ExportFile, Items, Sample, Source

NAME = "apple_health"

_BEGINS = re.compile(r"\s*<(?:\?xml|!DOCTYPE\s+HealthData|HealthData)[\s>\[]")
_SIGNATURE = re.compile(r"<(?:!DOCTYPE\s+)?HealthData[\s>\[]")
_DEEPEST = 100
_MAX_TYPES = 300
# Records inside a <Correlation> (a meal, a blood pressure) stand in the file once more by
# themselves; <Me> is no event.
_PASSED_OVER = frozenset({"Me", "Correlation"})


class _Left(NamedTuple):
    """Records of a type that is not imported."""

    records: int
    position: int


def sniff(sample: Sample) -> bool:
    """The root element, or the DTD that names it: that may be longer than what a sample holds."""
    text = sample.text
    return bool(_BEGINS.match(text) and _SIGNATURE.search(text))


def read(file: ExportFile, context: Context) -> Items:
    export = _Export(file, context)
    for issues in export.reader.stretches():
        yield from issues
        yield from export.take_found()
    yield from export.days.events(NAME, file, export.revision)
    yield from export.nights.events(NAME, file, export.revision)
    yield from export.left_out()


class _Export:
    """What the elements of one export add up to. It hears of each as the file is read."""

    def __init__(self, file: ExportFile, context: Context) -> None:
        self.reader = ElementReader(file, self)
        self._made = 0  # when the export was made, in seconds since 1970
        self._file = file
        self._clock = context.clock
        sources = Sources()
        self.days = Days(LocalHours(context.clock), sources, lambda: self.reader.position)
        self.nights = Nights(context.clock, sources)
        self._takers = self.days.takers()
        self._takers[SLEEP_TYPE] = self._take_sleep
        self._depth = 0
        self._workout: Workout | None = None
        self._inner: Callable[[str, Attributes], None] | None = None
        self._found: list[Event | ImportIssue] = []
        self._left: dict[str, _Left] = {}

    @property
    def revision(self) -> int:
        """Of two exports the later one tells a day more fully, and a whole one than a torn one."""
        return self._made if self.reader.is_whole else self._made - 1

    def take_found(self) -> list[Event | ImportIssue]:
        found, self._found = self._found, []
        return found

    def start(self, name: str, attributes: Attributes) -> None:
        self._depth = depth = self._depth + 1
        if depth == 2:
            taker = self._takers.get(attributes.get("type", "")) if name == "Record" else None
            try:
                if taker is not None:
                    taker(attributes)
                else:
                    self._take_other(name, attributes)
            except (KeyError, ValueError, OverflowError) as error:
                self._broken(attributes.get("type", name), error, self._origin())
        elif depth == 3:
            if self._inner is not None:
                self._inner(name, attributes)
        elif depth > _DEEPEST:
            raise TooDeep

    def end(self, name: str) -> None:
        self._depth = depth = self._depth - 1
        if depth == 1 and self._inner is not None:
            self._inner = None
            if self._workout is not None:
                self._finish(self._workout)
                self._workout = None

    def restart(self) -> None:
        if self._workout is not None:
            self._broken("Workout", ValueProblem("its end was not found"), self._workout.origin)
        self._depth = 0
        self._inner = self._workout = None

    def _take_other(self, name: str, attributes: Attributes) -> None:
        if name == "Workout":
            self._workout = Workout(attributes, self._origin())
            self._inner = self._workout.take_child
        elif name == "ActivitySummary":
            self.days.take_rings(attributes)
        elif name == "ExportDate":
            self._made = int(instant_of(attributes["value"], self._clock).timestamp())
        elif name not in _PASSED_OVER:
            kind = attributes.get("type", "")[:100] if name == "Record" else name[:100]
            if kind not in self._left and len(self._left) >= _MAX_TYPES:
                kind = "others"
            before = self._left.get(kind) or _Left(0, self.reader.position)
            self._left[kind] = before._replace(records=before.records + 1)

    def _take_sleep(self, attributes: Attributes) -> None:
        self.nights.take(attributes, self.reader.position)
        self._inner = self.nights.take_child

    def _finish(self, workout: Workout) -> None:
        try:
            self._found += workout.finish(NAME, self._clock)
        except (KeyError, ValueError, OverflowError) as error:
            self._broken("Workout", error, workout.origin)

    def _origin(self) -> Origin:
        return self._file.origin(self.reader.position)

    def _broken(self, what: str, error: Exception, origin: Origin) -> None:
        told = f"no {error}" if isinstance(error, KeyError) else str(error)
        detail = f"{what[:80]}: {told}"[:200]
        self._found.append(ImportIssue("broken record", origin, detail))

    def left_out(self) -> list[ImportIssue]:
        """One issue for each type of record that is not imported."""
        return [
            ImportIssue(
                "a type of record that is not imported",
                self._file.origin(left.position),
                f"{kind or 'no type'}: {left.records} records",
            )
            for kind, left in self._left.items()
        ]


SOURCE = Source(NAME, "Apple Health", 1, sniff, read, raw)
