"""Which observations tell of the same happening: a workout, the calendar entry, the post about it.

Each record of a device or service is a thing of its own (two songs, a run and the song heard on it
are never one), and so is each telling of one kind (two meetings, two mails). What may merge is one
record and its tellings, at most one of each kind. Not the job of this module: finding events.
"""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

_HOUR = 3_600_000_000  # in microseconds, as the columns count
# Two spans are about the same thing when they begin and end at most this far apart: a holiday does
# not swallow the dinners in it.
_APART = 3 * _HOUR
# A moment (a mail, a post) may belong to a span in which it lies, if that is shorter than this.
_SHORT = 12 * _HOUR
# Happenings that may be going on at once; of a larger crowd, the latest are looked at.
_OPEN = 64
_STAMP = pa.timestamp("us")
_ENTRY = "calendar"
_LIES = 2  # how sure it is when something was: it lies there; 1: a day is told; 0: when it was told
SCHEMA = pa.schema(
    {"happening": pa.int64(), "id": pa.string(), "start": _STAMP, "end": _STAMP, "why": pa.string()}
)


class Observation(NamedTuple):
    kind: str
    told: int  # 0: a record; else a telling
    start: int
    end: int

    def fits(self, other: "Observation") -> bool:
        """Whether both may be about the same happening."""
        if self.kind == other.kind or self.told == other.told == 0:
            return False
        if self.start > other.end or other.start > self.end:
            return False
        lengths = (self.end - self.start, other.end - other.start)
        if 0 in lengths:
            return 0 < max(lengths) < _SHORT
        return abs(self.start - other.start) <= _APART and abs(self.end - other.end) <= _APART


def merged(found: pa.Table, *, is_writing: bool = False) -> pa.Table:
    """The table RETRIEVE returns, out of events ordered by start, the longest first."""
    kinds, told = (found.column(name).to_pylist() for name in ("kind", "told"))
    if len(set(kinds)) < 2 or not any(told):  # nothing to merge: a million songs are done at once
        return in_happenings(found, list(range(len(kinds))), is_writing=is_writing)
    moments = (found.column(name).cast(pa.int64()).to_pylist() for name in ("start_at", "end_at"))
    places = sweep(map(Observation, kinds, told, *moments))
    return in_happenings(found, places, is_writing=is_writing)


def in_happenings(
    found: pa.Table,
    places: Sequence[int],
    days: Mapping[int, int] = MappingProxyType({}),
    *,
    is_writing: bool = False,
) -> pa.Table:
    """The table RETRIEVE returns, for events and the number of each one's happening.

    A happening lasts as long as what lies in time (records, entries of a calendar); where there is
    none, it is on the day of which a telling speaks (`days`, by row), else when it was first told
    of, and its end is null: nobody knows the hour. Unless what was written is itself what is
    looked for (`is_writing`). Happenings are numbered anew, by their start.
    """
    ids, starts, ends, why = (found.column(name) for name in ("id", "start_at", "end_at", "why"))
    told, kinds = (found.column(name).to_pylist() for name in ("told", "kind"))
    lies = [is_writing or not rank or kind == _ENTRY
            for rank, kind in zip(told, kinds, strict=True)]  # fmt: skip
    if len(set(places)) == len(places) and not days:
        numbers = pa.array(range(len(places)), pa.int64())
        ends = pc.if_else(pa.array(lies, pa.bool_()), ends, None)
        return pa.table([numbers, ids, starts, ends, why], schema=SCHEMA)
    spans: dict[int, tuple[int, int, int]] = {}  # how sure that is, start, end
    moments = [column.cast(pa.int64()).to_pylist() for column in (starts, ends)]
    for n, (place, start, end) in enumerate(zip(places, *moments, strict=True)):
        sure = _LIES if lies[n] else int(n in days)
        if sure == 1:
            start = end = days[n]
        old = spans.get(place)
        if old is None or sure > old[0]:
            spans[place] = (sure, start, end)
        elif sure == old[0] == _LIES:
            spans[place] = (sure, min(start, old[1]), max(end, old[2]))
        elif sure == old[0]:
            spans[place] = min(old, (sure, start, end))
    order = sorted(spans, key=lambda place: (spans[place][1], place))
    number = {place: n for n, place in enumerate(order)}
    first = pa.array([spans[place][1] for place in places], pa.int64()).cast(_STAMP)
    lasts = [spans[place][2] if spans[place][0] == _LIES else None for place in places]
    last = pa.array(lasts, pa.int64()).cast(_STAMP)
    numbers = pa.array([number[place] for place in places], pa.int64())
    columns = [numbers, ids, first, last, why, found.column("told")]
    by = [("happening", "ascending"), ("told", "ascending"), ("id", "ascending")]
    made = pa.table(columns, names=[*SCHEMA.names, "told"]).sort_by(by)
    return made.drop_columns("told").cast(SCHEMA)


def sweep(observations: Iterable[Observation]) -> list[int]:
    """The number of each observation's happening.

    An observation joins the nearest happening all of whose parts it fits, so that nothing chains.
    A moment never opens a happening for others: what comes later begins behind it.
    """
    places: list[int] = []
    happenings: list[list[Observation]] = []
    # What is going on. Records only look at what has none yet: of a million, most are done at once.
    recorded: list[int] = []
    unrecorded: list[int] = []
    for seen in observations:
        if seen.told or len(recorded) > 2 * _OPEN:
            recorded = [n for n in recorded if happenings[n][0].end >= seen.start][-_OPEN:]
        unrecorded = [n for n in unrecorded if happenings[n][0].end >= seen.start][-_OPEN:]
        looked_at = recorded + unrecorded if seen.told else unrecorded
        fitting = [n for n in looked_at if all(part.fits(seen) for part in happenings[n])]
        if fitting:
            place = min(fitting, key=lambda n: (_distance(happenings[n][0], seen), n))
            happenings[place].append(seen)
            if not seen.told:
                unrecorded.remove(place)
                recorded.append(place)
        else:
            place = len(happenings)
            happenings.append([seen])
            if seen.end > seen.start:
                (unrecorded if seen.told else recorded).append(place)
        places.append(place)
    return places


def _distance(one: Observation, other: Observation) -> int:
    return abs(one.start - other.start) + abs(one.end - other.end)
