"""Rules of repetition (RFC 5545, RRULE) and the times they give, with bounded work.

A rule may be open-ended, may never match ("every 30 February"), may match every second, and comes
from a file anybody can write; general libraries search such rules to the year 9999. Here every
search ends: at the asked last time, after so many periods, after so many times, and when one file
has caused enough work. Times are naive, in the event's own zone, so that nine o'clock stays nine
o'clock when the clocks change. Not the job of this module: zones, exceptions, single dates
(`calendars`).
"""

import calendar
import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time
from typing import NamedTuple

from reqap.errors import ValueProblem
from reqap.sources.ics import Stamp, parse_stamp

MOST_TIMES = 5000
_MOST_PERIODS = 60_000
_MOST_COUNTED = 100_000
_MOST_WORK = 500_000
_MOST_WORK_OF_A_FILE = 4_000_000
_MOST_INTERVAL = 100_000
_MOST_A_DAY = 1440

_FREQUENCIES = ("YEARLY", "MONTHLY", "WEEKLY", "DAILY", "HOURLY")
_TOO_OFTEN = ("MINUTELY", "SECONDLY")
_WEEKDAYS = {name: number for number, name in enumerate(("MO", "TU", "WE", "TH", "FR", "SA", "SU"))}
_BY_DAY = re.compile(r"([+-]?\d{1,3})?(MO|TU|WE|TH|FR|SA|SU)")


@dataclass(frozen=True)
class Rule:
    """An RRULE."""

    frequency: str
    interval: int = 1
    count: int | None = None
    until: Stamp | None = None
    months: frozenset[int] = frozenset()
    month_days: frozenset[int] = frozenset()
    year_days: frozenset[int] = frozenset()
    weeks: frozenset[int] = frozenset()
    weekdays: frozenset[int] = frozenset()
    nth_weekdays: frozenset[tuple[int, int]] = frozenset()  # (which, weekday)
    hours: frozenset[int] = frozenset()
    minutes: frozenset[int] = frozenset()
    seconds: frozenset[int] = frozenset()
    positions: frozenset[int] = frozenset()
    week_start: int = 0


@dataclass
class Work:
    """What the rules of one file may still cost: the periods, days and times that are looked at.

    A rule that never applies is not dear; thousands of them are. A million weekly dates fit in.
    """

    left: int = _MOST_WORK_OF_A_FILE


class Expansion(NamedTuple):
    """The times of a rule, and whether there would have been more but for the bounds on work."""

    found: list[datetime]
    cut: bool


def parse_rule(text: str) -> Rule:
    """The rule in "FREQ=WEEKLY;BYDAY=MO,WE"; a `ValueProblem` where it does not make sense."""
    parts: dict[str, str] = {}
    for piece in text.strip()[:2000].split(";"):
        name, equals, value = piece.partition("=")
        if equals:
            parts[name.strip().upper()] = value.strip().upper()
    frequency = parts.get("FREQ", "")
    if frequency in _TOO_OFTEN:
        raise ValueProblem(f"repeats too often: {text[:80]}")
    if frequency not in _FREQUENCIES:
        raise ValueProblem(f"no known frequency: {text[:80]}")
    until = parse_stamp(parts["UNTIL"]) if "UNTIL" in parts else None
    if "UNTIL" in parts and until is None:
        raise ValueProblem(f"no readable end: {text[:80]}")
    plain, nth = _by_day(parts.get("BYDAY", ""), frequency)
    return Rule(
        frequency=frequency,
        interval=_number(parts.get("INTERVAL", "1"), _MOST_INTERVAL),
        count=_number(parts["COUNT"], None) if "COUNT" in parts else None,
        until=until,
        months=_numbers(parts, "BYMONTH", 1, 12),
        month_days=_numbers(parts, "BYMONTHDAY", -31, 31),
        year_days=_numbers(parts, "BYYEARDAY", -366, 366),
        weeks=_numbers(parts, "BYWEEKNO", -53, 53) if frequency == "YEARLY" else frozenset(),
        weekdays=plain,
        nth_weekdays=nth,
        hours=_numbers(parts, "BYHOUR", 0, 23),
        minutes=_numbers(parts, "BYMINUTE", 0, 59),
        seconds=_numbers(parts, "BYSECOND", 0, 59),
        positions=_numbers(parts, "BYSETPOS", -366, 366),
        week_start=_WEEKDAYS.get(parts.get("WKST", "MO"), 0),
    )


def _number(text: str, most: int | None) -> int:
    if not (text.isascii() and text.isdecimal()) or len(text) > 18 or int(text) < 1:
        raise ValueProblem(f"{text[:40]!r} is no number of repetitions")
    return min(int(text), most) if most else int(text)


def _numbers(parts: dict[str, str], name: str, low: int, high: int) -> frozenset[int]:
    found = set()
    for text in filter(None, (piece.strip() for piece in parts.get(name, "").split(","))):
        if not re.fullmatch(r"[+-]?[0-9]{1,4}", text) or not low <= int(text) <= high:
            raise ValueProblem(f"{name} cannot be {text[:40]!r}")
        if low < 0 and int(text) == 0:
            raise ValueProblem(f"{name} cannot be 0")
        found.add(int(text))
    return frozenset(found)


def _by_day(text: str, frequency: str) -> tuple[frozenset[int], frozenset[tuple[int, int]]]:
    plain: set[int] = set()
    nth: set[tuple[int, int]] = set()
    for piece in filter(None, (piece.strip() for piece in text.split(","))):
        found = _BY_DAY.fullmatch(piece)
        if not found:
            raise ValueProblem(f"BYDAY cannot be {piece[:40]!r}")
        if found[1] and int(found[1]) and frequency in ("YEARLY", "MONTHLY"):
            nth.add((int(found[1]), _WEEKDAYS[found[2]]))
        else:
            plain.add(_WEEKDAYS[found[2]])
    return frozenset(plain), frozenset(nth)


def expand(
    rule: Rule,
    start: datetime,
    last: datetime,
    since: datetime | None = None,
    work: Work | None = None,
) -> Expansion:
    """The times of a rule that begins at `start`, up to and including `last`, in order.

    Of too many, the latest are kept. `since` leaves out what lies before it; in a rule without
    COUNT it is not even looked at. `rule.until` is not applied: what it means depends on the zone,
    which the caller knows. What it costs is taken from `work`.
    """
    work = work or Work()
    least = max(0, work.left - _MOST_WORK)
    rule = _completed(rule, start)
    first = start if since is None or rule.count is not None else max(start, since)
    found: deque[datetime] = deque(maxlen=MOST_TIMES)
    counted = passed = periods = 0
    for times in _periods(rule, start, first, last, work):
        periods += 1
        if periods > _MOST_PERIODS or counted > _MOST_COUNTED or work.left <= least:
            return Expansion(list(found), True)
        for moment in times:
            if moment < start:
                continue
            if moment > last or counted == rule.count:
                return Expansion(list(found), passed > MOST_TIMES)
            counted += 1
            if since is None or moment >= since:
                found.append(moment)
                passed += 1
    return Expansion(list(found), passed > MOST_TIMES)


def _completed(rule: Rule, start: datetime) -> Rule:
    """The rule with what it leaves to its beginning: the day, the time of day."""
    if not (rule.weeks or rule.year_days or rule.month_days or rule.weekdays or rule.nth_weekdays):
        if rule.frequency == "YEARLY":
            months = rule.months or frozenset({start.month})
            rule = replace(rule, months=months, month_days=frozenset({start.day}))
        elif rule.frequency == "MONTHLY":
            rule = replace(rule, month_days=frozenset({start.day}))
        elif rule.frequency == "WEEKLY":
            rule = replace(rule, weekdays=frozenset({start.weekday()}))
    hourly = rule.frequency == "HOURLY"
    return replace(
        rule,
        hours=rule.hours or frozenset(() if hourly else {start.hour}),
        minutes=rule.minutes or frozenset({start.minute}),
        seconds=rule.seconds or frozenset({start.second}),
    )


def _periods(
    rule: Rule, start: datetime, first: datetime, last: datetime, work: Work
) -> Iterator[list[datetime]]:
    """The times in each year, month, week, day or hour the rule looks at, from that of `first`."""
    step = rule.interval
    if rule.frequency == "YEARLY":
        for year in range(_aligned(start.year, first.year, step), last.year + 1, step):
            days = [day for month in _months(rule) for day in _month(rule, year, month, work)]
            yield _times(rule, days, rule.hours, work)
    elif rule.frequency == "MONTHLY":
        begin, reach, end = (at.year * 12 + at.month - 1 for at in (start, first, last))
        for index in range(_aligned(begin, reach, step), end + 1, step):
            year, month = index // 12, index % 12 + 1
            fits = not rule.months or month in rule.months
            work.left -= 1
            days = _month(rule, year, month, work) if fits else []
            yield _times(rule, days, rule.hours, work)
    elif rule.frequency == "HOURLY":
        begin, reach, end = (at.toordinal() * 24 + at.hour for at in (start, first, last))
        for index in range(_aligned(begin, reach, step), end + 1, step):
            work.left -= 1
            day, hour = date.fromordinal(index // 24), index % 24
            fits = (not rule.hours or hour in rule.hours) and _fits(rule, day)
            yield _times(rule, [day] if fits else [], frozenset({hour}), work)
    else:
        weekly = rule.frequency == "WEEKLY"
        length = 7 if weekly else 1
        begin = start.toordinal() - ((start.weekday() - rule.week_start) % 7 if weekly else 0)
        step *= length
        numbers: Sequence[int] = range(length)
        if weekly and rule.weekdays:  # mostly one of the seven: the others need no look
            numbers = sorted((weekday - rule.week_start) % 7 for weekday in rule.weekdays)
        for ordinal in range(_aligned(begin, first.toordinal(), step), last.toordinal() + 1, step):
            week = [date.fromordinal(ordinal + number) for number in numbers]
            work.left -= len(week)
            yield _times(rule, [day for day in week if _fits(rule, day)], rule.hours, work)


def _aligned(begin: int, reach: int, step: int) -> int:
    """The last of begin, begin + step, … that does not lie behind `reach`."""
    return begin + max(0, (reach - begin) // step) * step


def _months(rule: Rule) -> list[int]:
    return sorted(rule.months) or list(range(1, 13))


def _month(rule: Rule, year: int, month: int, work: Work) -> list[date]:
    """The days of a month that fit."""
    length = calendar.monthrange(year, month)[1]
    numbers = range(1, length + 1)
    work.left -= len(rule.month_days) or length
    if rule.month_days:
        wanted = {day if day > 0 else length + 1 + day for day in rule.month_days}
        return [
            day for n in sorted(wanted) if n in numbers and _fits(rule, day := date(year, month, n))
        ]
    return [day for n in numbers if _fits(rule, day := date(year, month, n))]


def _fits(rule: Rule, day: date) -> bool:
    """Whether a day passes the rule's filters."""
    if rule.months and day.month not in rule.months:
        return False
    if rule.month_days:
        length = calendar.monthrange(day.year, day.month)[1]
        if rule.month_days.isdisjoint((day.day, day.day - length - 1)):
            return False
    if rule.year_days and rule.year_days.isdisjoint(_places_in_year(day)):
        return False
    if rule.weeks and rule.weeks.isdisjoint(_week_numbers(day, rule.week_start)):
        return False
    if rule.weekdays or rule.nth_weekdays:
        return day.weekday() in rule.weekdays or _is_nth(rule, day)
    return True


def _places_in_year(day: date) -> tuple[int, int]:
    """A day's number in its year, from the front and from the back."""
    place = day.toordinal() - date(day.year, 1, 1).toordinal() + 1
    return place, place - (366 if calendar.isleap(day.year) else 365) - 1


def _week_numbers(day: date, week_start: int) -> tuple[int, int]:
    """The number of a day's week, from the front and from the back of the year it belongs to.

    A week belongs to the year that holds its fourth day.
    """
    middle = day.toordinal() - (day.weekday() - week_start) % 7 + 3
    fourth = date.fromordinal(middle)
    place, from_back = _places_in_year(fourth)
    return (place - 1) // 7 + 1, -((-from_back - 1) // 7 + 1)


def _is_nth(rule: Rule, day: date) -> bool:
    """Whether a day is, say, the last Friday of its month, or of its year."""
    weekday = day.weekday()
    if not any(wanted == weekday for _, wanted in rule.nth_weekdays):
        return False
    if rule.frequency == "YEARLY" and not rule.months:
        front, back = _places_in_year(day)
    else:
        front, back = day.day, day.day - calendar.monthrange(day.year, day.month)[1] - 1
    places = ((front - 1) // 7 + 1, -((-back - 1) // 7 + 1))
    return any((place, weekday) in rule.nth_weekdays for place in places)


def _times(rule: Rule, days: list[date], hours: frozenset[int], work: Work) -> list[datetime]:
    """The times on those days of a period; with BYSETPOS only some of them."""
    if not days:
        return []
    clock = [
        time(hour, minute, second)
        for hour in sorted(hours)
        for minute in sorted(rule.minutes)
        for second in sorted(rule.seconds)
    ]
    times = [datetime.combine(day, at) for day in days for at in clock[:_MOST_A_DAY]]
    work.left -= len(times)
    if not rule.positions:
        return times
    count = len(times)
    places = {place - 1 if place > 0 else count + place for place in rule.positions}
    return [times[place] for place in sorted(places) if 0 <= place < count]
