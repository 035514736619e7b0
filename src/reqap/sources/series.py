"""The dates of a repeating appointment: its rules, its extra dates, less its exceptions.

And what was changed from one date on. Not the job of this module: dates that were moved or changed
one by one (`calendars`).
"""

from dataclasses import dataclass, field
from datetime import datetime, timedelta, tzinfo
from typing import NamedTuple

from reqap.errors import ValueProblem
from reqap.events import Value
from reqap.sources.appointments import (
    Moment,
    Span,
    Zones,
    moment_of,
    moments_of,
    parse_span,
    span_of,
    start_of,
)
from reqap.sources.ics import Component, Property, parse_stamp
from reqap.sources.recurrence import MOST_TIMES, Expansion, Rule, Work, expand, parse_rule

_FIRST_YEAR = 1970
# When a file has used up what its rules may cost.
TOO_MUCH = "more repetitions than one file may have"
_END_OF_DAY = timedelta(hours=23, minutes=59, seconds=59)


_NOTHING = Expansion([], False)


@dataclass
class Series:
    """The dates of a series in order, each with its length; and what was odd about its rules."""

    dates: list[tuple[datetime, Span]] = field(default_factory=list)
    problems: list[tuple[str, str]] = field(default_factory=list)  # reason, detail
    cut_front: bool = False  # it begins long ago, and its first dates were left out


@dataclass(frozen=True)
class Frame:
    """What dates are read with and bounded by."""

    zones: Zones
    default: tzinfo | None  # the calendar's zone
    user: tzinfo
    last: datetime
    ancient_since: datetime  # from when on birthdays and the like are told
    work: Work  # what the rules of the file may still cost


def series_of(component: Component, start: Moment, span: Span, frame: Frame) -> Series:
    """The dates of a VEVENT with RRULE or RDATE.

    The first date is always one of them, whether or not the rule gives it.
    """
    series = Series()
    found = {start.wall: span}
    for item in component.all("RRULE")[:10]:
        rule = _parsed(item, series)
        if rule is None:
            continue
        expansion = _expanded(rule, start, frame)
        _note(expansion, rule, start, frame, series)
        if expansion.found and _is_ancient(rule, start, frame):
            series.cut_front = True
            found.pop(start.wall, None)
        found.update(dict.fromkeys(expansion.found, span))
    for item in component.all("RDATE"):
        found.update(_extra(item, start, span, frame))
    for item in component.all("EXRULE")[:10]:
        rule = _parsed(item, series)
        expansion = _expanded(rule, start, frame) if rule else _NOTHING
        for wall in expansion.found:
            found.pop(wall, None)
        if expansion.cut:
            series.problems.append(("exceptions that were cut short", item.value[:80]))
    _take_out(component, start, frame, found)
    series.dates = sorted(found.items())
    return series


def _parsed(item: Property, series: Series) -> Rule | None:
    try:
        return parse_rule(item.value)
    except ValueProblem as problem:
        reason = "a rule of repetition that makes no sense"
        series.problems.append((reason, f"{problem}; only the first date was taken"))
        return None


def _is_ancient(rule: Rule, start: Moment, frame: Frame) -> bool:
    """Whether a rule tells dates that nobody kept a calendar for: birthdays, mostly."""
    endless = rule.count is None and rule.until is None
    old = start.wall.year < _FIRST_YEAR or rule.frequency == "YEARLY"
    return endless and old and start.wall < frame.ancient_since


def _expanded(rule: Rule, start: Moment, frame: Frame) -> Expansion:
    if frame.work.left <= 0:
        return Expansion([], True)
    since = frame.ancient_since if _is_ancient(rule, start, frame) else None
    return expand(rule, start.wall, _last(rule, start, frame), since, frame.work)


def _note(expansion: Expansion, rule: Rule, start: Moment, frame: Frame, series: Series) -> None:
    """Says what was odd about the dates of a rule."""
    if expansion.cut and not expansion.found and frame.work.left <= 0:
        series.problems.append((TOO_MUCH, "only the first date was taken"))
    elif expansion.cut:
        reason = "a repetition that was cut short"
        series.problems.append((reason, f"{len(expansion.found)} dates were taken"))
    elif not expansion.found and start.wall <= _last(rule, start, frame):
        series.problems.append(("a rule of repetition that never applies", ""))


def _last(rule: Rule, start: Moment, frame: Frame) -> datetime:
    return min(frame.last, _until(rule, start, frame))


def _until(rule: Rule, start: Moment, frame: Frame) -> datetime:
    """The last time a rule allows, as the wall time of its series.

    A date as the end includes the whole day, of which many writers make use.
    """
    until = rule.until
    if until is None:
        return frame.last
    if until.is_date:
        return until.wall + _END_OF_DAY
    if until.zone is None:
        return until.wall
    zone = start.zone or frame.default or frame.user
    return until.wall.replace(tzinfo=until.zone).astimezone(zone).replace(tzinfo=None)


def _extra(item: Property, start: Moment, span: Span, frame: Frame) -> dict[datetime, Span]:
    """The dates of an RDATE; a period ("begin/end" or "begin/duration") has its own length."""
    found: dict[datetime, Span] = {}
    moments = moments_of(item, frame.zones, frame.default, MOST_TIMES)
    if item.parameters.get("VALUE", "").upper() != "PERIOD":
        for moment in moments:
            wall = start.same_kind(moment)
            # A date alone, for a series that has a time of day: at that time.
            if moment.is_date and not start.is_date:
                wall = datetime.combine(wall, start.wall.time())
            found[wall] = span
        return found
    for text in item.value.split(",")[:MOST_TIMES]:
        single = item._replace(value=text.partition("/")[0])
        ends = text.partition("/")[2]
        for moment in moments_of(single, frame.zones, frame.default):
            found[start.same_kind(moment)] = _period(moment, ends, single, frame) or span
    return found


def _period(begin: Moment, ends: str, item: Property, frame: Frame) -> Span | None:
    if span := parse_span(ends):
        return span
    if parse_stamp(ends) is None:
        return None
    for end in moments_of(item._replace(value=ends), frame.zones, frame.default):
        length = begin.same_kind(end) - begin.wall
        return Span(0, length) if length >= timedelta(0) else None
    return None


def _take_out(
    component: Component, start: Moment, frame: Frame, found: dict[datetime, Span]
) -> None:
    """Drops the dates an EXDATE names. A date alone takes out all of that day."""
    days = set()
    for item in component.all("EXDATE"):
        for moment in moments_of(item, frame.zones, frame.default, MOST_TIMES):
            if moment.is_date and not start.is_date:
                days.add(moment.wall.date())
            elif start.is_date:
                found.pop(datetime.combine(moment.wall, datetime.min.time()), None)
            else:
                found.pop(start.same_kind(moment), None)
    if days:
        for wall in [wall for wall in found if wall.date() in days]:
            del found[wall]


class Change(NamedTuple):
    """A change "to this and all following dates" of a series."""

    component: Component
    since: Moment
    start: Moment
    span: Span
    data: dict[str, Value] | None  # None: the dates are cancelled or declined


class Onward(NamedTuple):
    """A change in the terms of its series: from which wall time on, and by how much it moves."""

    since: datetime
    shift: timedelta
    change: Change


def change_of(
    component: Component, data: dict[str, Value] | None, zones: Zones, default: tzinfo | None
) -> Change | None:
    """The change a VEVENT tells; None where it is broken, which is told where the change stands."""
    recurrence = component.first("RECURRENCE-ID")
    since = moment_of(recurrence, zones, default) if recurrence else None
    if since is None:
        return None
    try:
        start = start_of(component, zones, default)
    except ValueProblem:
        return None
    span, _ = span_of(component, start, zones, default)
    return Change(component, since, start, span, data)


def onward_of(changes: list[Change], start: Moment) -> list[Onward]:
    """The changes of a series that begins at `start`, in the order of its dates."""
    found = []
    for change in changes:
        since = start.same_kind(change.since)
        found.append(Onward(since, start.same_kind(change.start) - since, change))
    return sorted(found, key=lambda onward: onward.since)
