"""The event: the one shape every export is turned into, and its parts.

Events are frozen and carry local wall time, because questions do ("after 6 PM"). Not the job of
this module: reading exports (`sources`), keeping events (`store`), coercing values (`values`).
"""

from binascii import b2a_base64
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from hashlib import blake2b
from typing import NamedTuple
from zoneinfo import ZoneInfo

from reqap.errors import ValueProblem

Scalar = str | int | float | bool
Value = Scalar | Sequence[Scalar]
Data = Mapping[str, Value]


class Origin(NamedTuple):
    """Where an event was read: the file inside the export, and the position in that file.

    What the position counts (record, line, byte) is the business of the source that wrote it.
    """

    file: str
    position: int


class Event(NamedTuple):
    """One thing that happened, as one record of one export tells it.

    A NamedTuple and not a dataclass: exports hold millions of records, and a tuple is built in a
    third of the time.
    """

    id: str
    source: str
    kind: str
    start: datetime  # naive: the user's local wall time
    end: datetime  # naive; equal to start when the export knows no duration
    offset: int | None  # minutes east of UTC at `start`; None when the export gives no instant
    data: Data
    origin: Origin
    # True: the wall time was worked out with the user's own zone, so a new zone moves it.
    # False: the export knows the place's own time.
    user_zone: bool = False
    # Two packages of one service may tell the same event with different precision. They share the
    # `twin` key, and the coarse one gives way. Empty: no such twin exists.
    twin: str = ""
    coarse: bool = False
    # Later tellings of what may change (a note, an appointment) carry a higher number.
    revision: int = 0
    # Events that a file tells as one whole (the dates of a repeating appointment), and how new that
    # whole is: a newer whole takes the place of an older one, also where it lacks events.
    series: str = ""
    series_revision: int = 0


class ImportIssue(NamedTuple):
    """One record that was not imported, or not as it stands; never silence, never a crash.

    `reason` is short and the same for like problems, so that reports can count them; `detail` is
    the particular.
    """

    reason: str
    origin: Origin
    detail: str = ""
    skipped: bool = True  # False: the event was kept, but something about it is worth telling
    grave: bool = False  # more than a record: the file is damaged, or could not be used as it is


class Retraction(NamedTuple):
    """A series that is no more (cancelled, declined, thrown away): older tellings of it go."""

    series: str
    revision: int
    origin: Origin


# Base64's two odd characters are folded into letters: ids stay alphanumeric, twelve long (DuckDB
# keeps strings of up to twelve bytes inline) and still carry over 71 bits.
_LETTERS = bytes.maketrans(b"+/", b"Zz")


def event_id(*identity: object) -> str:
    """The stable id of what `identity` names: the same parts give the same id, on any machine."""
    joined = "\x1f".join(map(str, identity)).encode("utf-8", "surrogatepass")
    digest = blake2b(joined, digest_size=9).digest()
    return b2a_base64(digest, newline=False).translate(_LETTERS).decode()


class Clock:
    """Turns the instants of exports into the wall time of a zone.

    `today` bounds what an open-ended rule may produce and what counts as lying in the future; it
    is a parameter, so that tests and questions do not depend on the machine's clock.
    """

    def __init__(self, zone: ZoneInfo, today: datetime | None = None) -> None:
        self.zone = zone
        self.today = today or datetime.now(zone).replace(tzinfo=None)
        # A stretch of UTC over which the zone's offset is known: exports are mostly in order.
        self._since = self._until = datetime.min
        self._shift = timedelta(0)
        self._minutes = 0

    def wall(self, instant: datetime, zone: tzinfo | None = None) -> tuple[datetime, int]:
        """The wall time in `zone` (default: the user's) and its offset in minutes.

        A naive `instant` is read as UTC.
        """
        if zone is not None:
            return _convert(instant, zone)
        moment = instant
        if instant.tzinfo is not None:
            if instant.tzinfo is not UTC:
                return _convert(instant, self.zone)
            moment = instant.replace(tzinfo=None)
        if not self._since <= moment < self._until:
            self._look_up(moment)
        return moment + self._shift, self._minutes

    def _look_up(self, moment: datetime) -> None:
        """Finds the offset at `moment`, and keeps it for as much of the day as it surely holds."""
        day = moment.replace(hour=0, minute=0, second=0, microsecond=0)
        wall, self._minutes = _convert(moment, self.zone)
        self._shift = wall - moment
        self._since, self._until = moment, moment + timedelta(microseconds=1)
        if datetime.min < day < datetime.max - timedelta(days=2):
            ends = {_convert(day + timedelta(days=n), self.zone)[1] for n in (0, 1)}
            if ends == {self._minutes}:
                self._since, self._until = day, day + timedelta(days=1)

    def span(
        self, start: datetime, end: datetime, zone: tzinfo | None = None
    ) -> tuple[datetime, datetime, int]:
        """Two instants as wall times, each with its own offset; the offset is that of the start.

        Both are converted: across a change of the clocks, wall times differ by more or less than
        the time that passed.
        """
        in_utc = zone is None and start.tzinfo is end.tzinfo is None
        if in_utc and self._since <= start <= end < self._until:
            return start + self._shift, end + self._shift, self._minutes
        first, offset = self.wall(start, zone)
        last = self.wall(end, zone)[0]
        if last < first:
            # The clocks went back in between: rather a wall time that never was than an end
            # before the start.
            last = first + (end - start)
        return first, last, offset

    def offset_of(self, wall: datetime, zone: tzinfo | None = None) -> int:
        """The offset in minutes at a wall time. Of a time that happens twice, the first counts."""
        shift = wall.replace(tzinfo=zone or self.zone).utcoffset() or _NO_SHIFT
        return shift.days * 1440 + shift.seconds // 60


_NO_SHIFT = timedelta(0)


def _convert(instant: datetime, zone: tzinfo) -> tuple[datetime, int]:
    if instant.tzinfo is None:
        instant = instant.replace(tzinfo=UTC)
    try:
        local = instant.astimezone(zone)
    except OverflowError:
        raise ValueProblem(f"{instant} lies outside the calendar") from None
    shift = local.utcoffset() or _NO_SHIFT
    return local.replace(tzinfo=None), shift.days * 1440 + shift.seconds // 60
