"""The dates of a repeating appointment: its rules, its extra dates, less its exceptions.

Not the job of this module: dates that were moved or changed one by one (`calendars`).
"""

from dataclasses import dataclass, field
from datetime import datetime, timedelta, tzinfo

from reqap.errors import ValueProblem
from reqap.sources.appointments import Moment, Span, Zones, moments_of, parse_span
from reqap.sources.ics import Component, Property, parse_stamp
from reqap.sources.recurrence import MOST_TIMES, Rule, expand, parse_rule

_FIRST_YEAR = 1970
_END_OF_DAY = timedelta(hours=23, minutes=59, seconds=59)


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
    ancient_since: datetime  # from when on a rule without end that began before 1970 is told


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
        if start.wall.year < _FIRST_YEAR and rule.count is None and rule.until is None:
            series.cut_front = True
            found.pop(start.wall, None)
        for wall in _walls(rule, start, frame, series):
            found[wall] = span
    for item in component.all("RDATE"):
        found.update(_extra(item, start, span, frame))
    for item in component.all("EXRULE")[:10]:
        rule = _parsed(item, series)
        for wall in _walls(rule, start, frame, Series()) if rule else ():
            found.pop(wall, None)
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


def _walls(rule: Rule, start: Moment, frame: Frame, series: Series) -> list[datetime]:
    last = min(frame.last, _until(rule, start, frame))
    ancient = start.wall.year < _FIRST_YEAR and rule.count is None and rule.until is None
    expansion = expand(rule, start.wall, last, frame.ancient_since if ancient else None)
    if expansion.cut:
        reason = "a repetition that was cut short"
        series.problems.append((reason, f"{len(expansion.found)} dates were taken"))
    elif not expansion.found and start.wall <= last:
        series.problems.append(("a rule of repetition that never applies", ""))
    return expansion.found


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
