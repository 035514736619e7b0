"""One VEVENT understood: when it begins, how long it takes, when it comes again.

Not the job of this module: finding the components (`ics`), what becomes an event (`calendars`).
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import NamedTuple

from reqap.errors import ValueProblem
from reqap.sources.ics import Component, Property, Stamp, parse_stamp
from reqap.sources.zones import named_zone

_DURATION = re.compile(
    r"([+-])?P(?:(\d{1,5})W)?(?:(\d{1,6})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,7})M)?(?:(\d{1,8})S)?)?",
    re.IGNORECASE,
)
_YEARS = range(1600, 2200)
_BACKWARDS = "the end lies before the start"
_DAY = timedelta(days=1)
_LAST_SECOND = timedelta(seconds=1)


class Moment(NamedTuple):
    """A point in time as a calendar tells it."""

    wall: datetime
    zone: tzinfo | None  # None: a floating time, or a date
    is_date: bool = False

    @property
    def instant(self) -> datetime:
        """The instant, of a moment with a zone.

        A wall time that the clocks skip counts as if they had not changed yet; of one that comes
        twice the first is meant (RFC 5545, 3.3.5).
        """
        return self.wall.replace(tzinfo=self.zone).astimezone(UTC)

    @property
    def key(self) -> str:
        """The moment in the calendar's own terms: a date, a floating time, or UTC."""
        if self.is_date:
            return f"{self.wall:%Y%m%d}"
        if self.zone is None:
            return f"{self.wall:%Y%m%dT%H%M%S}"
        return f"{self.instant:%Y%m%dT%H%M%SZ}"

    @property
    def day_key(self) -> str:
        """The day of a moment, which only series of whole days look at."""
        return f"{self.wall:%Y-%m-%d}"

    @property
    def keys(self) -> tuple[str, ...]:
        """The ways a RECURRENCE-ID may name a date of a series: by its date, or by a time on it."""
        if self.is_date:
            return self.key, self.day_key
        return self.key, f"{self.wall:%Y%m%dT%H%M%S}", f"{self.wall:%Y%m%d}"

    def at(self, wall: datetime) -> "Moment":
        """The same kind of moment at another wall time."""
        return Moment(wall, self.zone, self.is_date)

    def same_kind(self, other: "Moment") -> datetime:
        """`other` as a wall time that can be compared with this moment's."""
        if other.zone is not None and self.zone is not None:
            return other.instant.astimezone(self.zone).replace(tzinfo=None)
        return other.wall


class Span(NamedTuple):
    """How long an appointment takes: whole days, then exact time."""

    days: int
    exact: timedelta

    def after(self, start: Moment) -> Moment:
        """Where the span ends. Days keep the time of day when the clocks change; hours do not."""
        moved = start.at(start.wall + timedelta(days=self.days))
        if not self.exact:
            return moved
        if moved.zone is None:
            return moved.at(moved.wall + self.exact)
        ends = (moved.instant + self.exact).astimezone(moved.zone)
        return moved.at(ends.replace(tzinfo=None))


@dataclass
class Zones:
    """The zones of one file: its own definitions, and what names it uses that nobody knows."""

    own: dict[str, tzinfo]
    unknown: set[str]

    def find(self, name: str) -> tzinfo | None:
        """The zone of that name; the file's own definition says more than a mere offset."""
        known, own = named_zone(name), self.own.get(name)
        return own if own and (known is None or isinstance(known, timezone)) else known


def moment_of(item: Property, zones: Zones, default: tzinfo | None) -> Moment | None:
    """The first moment a property names; None where it names none."""
    found = moments_of(item, zones, default)
    return found[0] if found else None


def moments_of(
    item: Property, zones: Zones, default: tzinfo | None, most: int = 5000
) -> list[Moment]:
    """The moments of a property such as DTSTART or EXDATE; of a period its beginning."""
    zone = default
    name = item.parameters.get("TZID", "")
    if name:
        found = zones.find(name)
        if found is None:
            zones.unknown.add(name[:100])
        zone = found or default
    is_date = item.parameters.get("VALUE", "").upper() == "DATE"
    moments = []
    for text in item.value.split(",")[:most]:
        stamp = parse_stamp(text.partition("/")[0])
        if stamp is not None and stamp.wall.year in _YEARS:
            moments.append(_moment(stamp, zone, is_date))
    return moments


def _moment(stamp: Stamp, zone: tzinfo | None, is_date: bool) -> Moment:
    if is_date or stamp.is_date:
        return Moment(stamp.wall.replace(hour=0, minute=0, second=0), None, True)
    return Moment(stamp.wall, stamp.zone or zone)


def parse_span(text: str) -> Span | None:
    """A duration such as P1D or PT1H30M; negative ones make no sense here."""
    found = _DURATION.fullmatch(text.strip()[:60])
    if not found or found[1] == "-" or not any(found.groups()[1:]):
        return None
    weeks, days, hours, minutes, seconds = (int(found[n] or 0) for n in range(2, 7))
    span = Span(weeks * 7 + days, timedelta(hours=hours, minutes=minutes, seconds=seconds))
    return span if span.days <= 36_600 and span.exact <= timedelta(days=36_600) else None


def start_of(component: Component, zones: Zones, default: tzinfo | None) -> Moment:
    """When an appointment begins; a `ValueProblem` where that cannot be read."""
    item = component.first("DTSTART")
    if item is None:
        raise ValueProblem("no start")
    start = moment_of(item, zones, default)
    if start is None:
        raise ValueProblem(f"no readable start: {item.value[:80]}")
    if not start.is_date and component.text("X-MICROSOFT-CDO-ALLDAYEVENT").upper() == "TRUE":
        return Moment(start.wall.replace(hour=0, minute=0, second=0), None, True)
    return start


def span_of(
    component: Component, start: Moment, zones: Zones, default: tzinfo | None
) -> tuple[Span, str]:
    """How long an appointment takes, and what is odd about its end.

    By RFC 5545, a written end gives an exact duration and DURATION a nominal one; without either,
    a date takes the day and a time no time.
    """
    nothing = Span(1 if start.is_date else 0, timedelta(0))
    item = component.first("DTEND")
    if item is None:
        duration = component.first("DURATION")
        if duration is None:
            return nothing, ""
        span = parse_span(duration.value)
        if span is None:
            return nothing, "no readable duration"
        return (Span(max(1, span.days), timedelta(0)) if start.is_date else span), ""
    end = moment_of(item, zones, default)
    if end is None:
        return nothing, "no readable end"
    if start.is_date:
        days = (end.wall - start.wall) / _DAY
        whole = int(days) + (days > int(days))
        return Span(max(1, whole), timedelta(0)), "" if days >= 0 else _BACKWARDS
    if end.is_date or end.zone is None or start.zone is None:
        exact = start.same_kind(end) - start.wall
    else:
        exact = end.instant - start.instant
    if exact < timedelta(0):
        return nothing, _BACKWARDS
    return Span(0, exact), ""


def last_second(start: Moment, span: Span) -> datetime:
    """The end of an appointment that takes whole days, told as people tell it."""
    return start.wall + timedelta(days=max(1, span.days)) - _LAST_SECOND


def revision_of(component: Component) -> int:
    """When the appointment was last changed, in epoch seconds.

    LAST-MODIFIED, else DTSTAMP, which says the same in a file that is no invitation. SEQUENCE is
    not used: it counts only changes the organizer finds important.
    """
    for name in ("LAST-MODIFIED", "DTSTAMP", "CREATED"):
        item = component.first(name)
        stamp = parse_stamp(item.value) if item else None
        if stamp is not None and stamp.wall.year in _YEARS:
            return max(0, int(stamp.wall.replace(tzinfo=stamp.zone or UTC).timestamp()))
    return 0
