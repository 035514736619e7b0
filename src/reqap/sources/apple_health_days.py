"""The days of an Apple Health export: one event per day and kind, out of millions of records.

Memory is bounded by days and sources, not by records. Not the job of this module: how each type
of record is counted (`apple_health_measures`), XML, sleep, workouts.
"""

from collections.abc import Callable, Iterator
from datetime import date, datetime, time

from reqap.errors import ValueProblem
from reqap.events import Event, Value, event_id
from reqap.sources.apple_health_measures import (
    ACTIVITY,
    AVERAGED,
    LAST,
    QUANTITY,
    SUMMED,
    Counter,
    HourSums,
    Lasts,
    LocalHours,
    Means,
    Sources,
    amount_of,
    rounded,
)
from reqap.sources.apple_health_xml import Attributes
from reqap.sources.base import ExportFile
from reqap.values import parse_date

_MAX_CELLS = 400_000

# What the rings of a day add: attribute, our key, and whether the records are the better witness.
_RINGS = (
    ("activeEnergyBurned", "active_energy", True),
    ("appleExerciseTime", "exercise_minutes", True),
    ("appleStandHours", "stand_hours", False),
    ("activeEnergyBurnedGoal", "active_energy_goal", False),
    ("appleExerciseTimeGoal", "exercise_minutes_goal", False),
    ("appleStandHoursGoal", "stand_hours_goal", False),
)
_REACHED = frozenset(key for _, key, _ in _RINGS[:3])


class Days:
    """All that is counted per day. `position` says where the current record stands."""

    def __init__(self, hours: LocalHours, sources: Sources, position: Callable[[], int]) -> None:
        self._position = position
        self._cells = 0
        self._first: dict[tuple[str, int], int] = {}  # the first record of each event
        self._rings: dict[int, dict[str, Value]] = {}
        self._counters: dict[str, Counter] = {}
        for name, measure in SUMMED.items():
            self._counters[QUANTITY + name] = HourSums(measure, hours, self._begin, sources)
        for name, measure in AVERAGED.items():
            self._counters[QUANTITY + name] = Means(measure, hours, self._begin)
        for name, measure in LAST.items():
            self._counters[QUANTITY + name] = Lasts(measure, hours, self._begin)

    def takers(self) -> dict[str, Callable[[Attributes], None]]:
        """Who takes which type of record."""
        return {name: counter.take for name, counter in self._counters.items()}

    def _begin(self, kind: str, day: int) -> None:
        if self._cells >= _MAX_CELLS:
            raise ValueProblem("too many days and sources to keep apart")
        self._cells += 1
        self._first.setdefault((kind, day), self._position())

    def take_rings(self, attributes: Attributes) -> None:
        """An <ActivitySummary>: the rings that the watch shows for a day."""
        day = parse_date(attributes["dateComponents"])
        if day is None:
            raise ValueProblem("no date")
        unit = attributes.get("activeEnergyBurnedUnit", "kcal")
        rings: dict[str, Value] = {}
        for attribute, key, _ in _RINGS:
            is_energy = attribute.startswith("activeEnergy")
            told = attributes.get(attribute) or "0"
            amount = amount_of(told, unit, "kcal") if is_energy else amount_of(told, "", "")
            if amount > 0:
                rings[key] = rounded(amount, 1 if is_energy else 0)
        if not _REACHED.isdisjoint(rings):
            self._begin(ACTIVITY, day.toordinal())
            self._rings[day.toordinal()] = rings

    def events(self, source: str, file: ExportFile, revision: int) -> Iterator[Event]:
        """Every day of every kind, in order."""
        for (kind, day), position in sorted(self._first.items()):
            data: dict[str, Value] = {}
            for counter in self._counters.values():
                if counter.measure.kind == kind:
                    counter.tell(day, data)
            if kind == ACTIVITY:
                self._tell_rings(day, data)
            start = datetime.combine(date.fromordinal(day), time())
            yield Event(
                id=event_id(source, kind, start.date().isoformat()),
                source=source,
                kind=kind,
                start=start,
                end=start.replace(hour=23, minute=59, second=59),
                offset=None,
                data=data,
                origin=file.origin(position),
                revision=revision,
            )

    def _tell_rings(self, day: int, data: dict[str, Value]) -> None:
        rings = self._rings.get(day, {})
        for _, key, is_second_best in _RINGS:
            if key in rings and not (is_second_best and key in data):
                data[key] = rings[key]
                if key.startswith("active_energy"):
                    data["energy_unit"] = "kcal"
