"""The nights of an Apple Health export: one event for each stretch of sleep.

Watch, phone and sleep apps tell the same night in many overlapping pieces. Pieces that are less
than three hours apart are one night; a nap is a short night of its own. What was slept is what the
best source tells. Not the job of this module: XML.

A later export may know more of a night: the watch's telling, an earlier beginning, a piece that
joins two nights. So a night is known by its day, from six in the evening to six in the evening of
the user's time, into which its middle falls, and by its place among the nights of that day: hardly
any sleep, by night or by day, has its middle near six in the evening. The nights of a day are told
as one whole, of which the latest export counts.
"""

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from reqap.errors import ValueProblem
from reqap.events import Clock, Event, ImportIssue, Value, event_id
from reqap.sources.apple_health_measures import Sources, instant_of, zone_of
from reqap.sources.apple_health_xml import Attributes
from reqap.sources.base import ExportFile, Items

SLEEP_TYPE = "HKCategoryTypeIdentifierSleepAnalysis"

_VALUE = "HKCategoryValueSleepAnalysis"
_GAP = 3 * 3600
_LONGEST = 24 * 3600
_EVENING_TO_MIDNIGHT = timedelta(hours=6)
_MAX_PIECES = 600_000
_MAX_ZONES = 500
_IN_BED, _AWAKE, _ASLEEP, _CORE, _DEEP, _REM = range(6)
_STAGES = {
    _VALUE + "InBed": _IN_BED,
    _VALUE + "Awake": _AWAKE,
    _VALUE + "Asleep": _ASLEEP,
    _VALUE + "AsleepUnspecified": _ASLEEP,
    _VALUE + "AsleepCore": _CORE,
    _VALUE + "AsleepDeep": _DEEP,
    _VALUE + "AsleepREM": _REM,
    # The first exports wrote the bare numbers.
    "0": _IN_BED,
    "1": _ASLEEP,
    "2": _AWAKE,
    "3": _CORE,
    "4": _DEEP,
    "5": _REM,
}
_PARTS = (("deep_sleep", _DEEP), ("rem_sleep", _REM), ("core_sleep", _CORE), ("awake_time", _AWAKE))


class _Piece(NamedTuple):
    start: int  # seconds since 1970
    end: int
    stage: int
    source: int
    zone: int
    position: int


class Nights:
    """All pieces of sleep, kept in columns: ten years of them are a few megabytes."""

    def __init__(self, clock: Clock, sources: Sources) -> None:
        self._clock = clock
        self._sources = sources
        self._zones: dict[str, int] = {"": 0}
        self._columns = tuple(array("q") for _ in _Piece._fields)

    def take(self, attributes: Attributes, position: int) -> None:
        """Keeps a record; KeyError and ValueError say what is wrong with it."""
        stage = _STAGES.get(attributes["value"])
        if stage is None:
            raise ValueProblem(f"{attributes['value'][:60]} is no stage of sleep")
        start = int(instant_of(attributes["startDate"], self._clock).timestamp())
        end = int(instant_of(attributes["endDate"], self._clock).timestamp())
        if not 0 <= end - start <= _LONGEST:
            raise ValueProblem(f"{attributes['startDate'][:40]} – {attributes['endDate'][:40]}")
        if len(self._columns[0]) >= _MAX_PIECES:
            raise ValueProblem("too many pieces of sleep")
        source = self._sources[attributes["sourceName"]]
        piece = _Piece(start, end, stage, source, 0, position)
        for column, value in zip(self._columns, piece, strict=True):
            column.append(value)

    def take_child(self, name: str, attributes: Attributes) -> None:
        """The metadata of the last record: the zone in which the person slept."""
        zone = attributes.get("value", "")
        if name != "MetadataEntry" or attributes.get("key") != "HKTimeZone" or not zone_of(zone):
            return
        if zone in self._zones or len(self._zones) < _MAX_ZONES:
            self._columns[4][-1] = self._zones.setdefault(zone, len(self._zones))

    def events(self, source: str, file: ExportFile, revision: int) -> Items:
        """Every night, in order."""
        zones = list(self._zones)
        names = self._sources.names()
        told: Counter[str] = Counter()
        for pieces in self._nights():
            slept = _best(pieces, names) or pieces
            origin = file.origin(min(piece.position for piece in pieces))
            data = _tell(pieces, slept, names)
            if "duration" not in data and "time_in_bed" not in data:
                yield ImportIssue("a night without sleep", origin)
                continue
            span = [piece for piece in slept if piece.stage >= _ASLEEP] or slept
            begin, end = span[0].start, max(piece.end for piece in span)
            named = next((zones[piece.zone] for piece in slept if piece.zone), "")
            zone = zone_of(named)
            first, last, offset = self._clock.span(_instant(begin), _instant(end), zone)
            day = self._day(pieces)
            told[day] += 1
            yield Event(
                id=event_id(source, "sleep", day, told[day]),
                source=source,
                kind="sleep",
                start=first,
                end=last,
                offset=offset,
                data=data,
                origin=origin,
                user_zone=zone is None,
                revision=revision,
                series=event_id(source, "sleep", day),
                series_revision=revision,
            )

    def _day(self, pieces: list[_Piece]) -> str:
        """The day a night belongs to: mostly that of waking up."""
        middle = (pieces[0].start + max(piece.end for piece in pieces)) // 2
        wall, _ = self._clock.wall(_instant(middle))
        return (wall + _EVENING_TO_MIDNIGHT).date().isoformat()

    def _nights(self) -> Iterator[list[_Piece]]:
        """The pieces in order of time, cut where nothing is told for three hours."""
        starts = self._columns[0]
        night: list[_Piece] = []
        end = 0
        for number in sorted(range(len(starts)), key=starts.__getitem__):
            piece = _Piece(*(column[number] for column in self._columns))
            if night and piece.start - end > _GAP:
                yield night
                night = []
            end = max(end, piece.end) if night else piece.end
            night.append(piece)
        if night:
            yield night


def _instant(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def _best(pieces: list[_Piece], names: list[str]) -> list[_Piece]:
    """The pieces of the source to believe: one that knows stages, then the one that saw most."""
    by_source: dict[int, list[_Piece]] = defaultdict(list)
    for piece in pieces:
        by_source[piece.source].append(piece)

    def worth(source: int) -> tuple[bool, int, str]:
        mine = by_source[source]
        staged = any(piece.stage > _ASLEEP for piece in mine)
        return staged, _seconds(mine, _ASLEEP, _CORE, _DEEP, _REM), names[source]

    best = max(by_source, key=worth)
    return by_source[best] if worth(best)[1] else []


def _seconds(pieces: list[_Piece], *stages: int) -> int:
    """How long at least one piece of these stages lasted. The pieces are in order of time."""
    total = 0
    until = pieces[0].start
    for piece in pieces:
        if piece.stage in stages and piece.end > until:
            total += piece.end - max(piece.start, until)
            until = piece.end
    return total


def _tell(pieces: list[_Piece], slept: list[_Piece], names: list[str]) -> dict[str, Value]:
    data: dict[str, Value] = {}
    if asleep := _seconds(slept, _ASLEEP, _CORE, _DEEP, _REM):
        data["duration"], data["duration_unit"] = round(asleep / 60, 2), "minutes"
        for key, stage in _PARTS:
            if lasted := _seconds(slept, stage):
                data[key] = round(lasted / 60, 2)
    if in_bed := _seconds(pieces, _IN_BED):
        data["time_in_bed"] = round(in_bed / 60, 2)
    if name := " ".join(names[slept[0].source].split()):
        data["source_name"] = name
    return data
