"""Dates, times of day, datetimes, epochs and parts of the calendar ("March 2024").

Its job is one text at a time, in a dozen languages. Which order a whole file writes day and month
in is decided by `datevotes`; moving between time zones is nobody's job here: an aware result has
the offset of its text, a naive one had none.

Two-digit years pivot at 70: 70-99 are 1970-1999, 00-69 are 2000-2069.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import StrEnum
from functools import lru_cache
from typing import Literal

from reqap.errors import ValueProblem
from reqap.values._text import fold, is_missing, problem, scalar_text, shorten, simplify
from reqap.values.clocks import Clock, cut_clock
from reqap.values.datewords import FILLERS, MONTHS, WEEKDAYS

_PIVOT = 70
_DATE = "a date"
_DATETIME = "a date and time"


class DateOrder(StrEnum):
    """The order in which an all-numeric date is written."""

    DMY = "DMY"
    MDY = "MDY"
    YMD = "YMD"


class AmbiguousDate(ValueProblem):
    """An all-numeric date whose day and month cannot be told apart without a `DateOrder`."""


@dataclass(frozen=True, slots=True)
class PartialDate:
    """A stretch of whole days, both ends included: a day, a week, a month, a quarter, a year."""

    first: date
    last: date


_TOKEN = re.compile(r"[0-9]+|[^\W\d_]+|\S")
_WORD = re.compile(r"[^\W\d_]+\.?")
_NUMERIC = re.compile(r"([0-9]{1,4})(?: ?[./-] ?| )([0-9]{1,2})(?: ?[./-] ?| )([0-9]{1,4})")
_COMPACT = re.compile(r"[0-9]{8}|[0-9]{4}-?w[0-9]{2}-?[0-9]")
_COMPACT_TIME = re.compile(
    r"([0-9]{8}|[0-9]{4}-?w[0-9]{2}-?[0-9])t[0-9]{2}(?:[0-9]{2}){0,2}(?:[.,][0-9]+)?"
    r"(?:z|[+-][0-9]{2}(?::?[0-9]{2})?)?"
)
_PUNCTUATION = frozenset(".,/-'·•|~")
_IDEOGRAPHS = str.maketrans({"年": "-", "月": "-", "日": " ", "년": "-", "월": "-", "일": " "})


def parse_date(value: object, order: DateOrder | None = None) -> date | None:
    """The calendar day in *value*, as written: an offset in the text does not move it.

    An all-numeric date with the year last (or of two digits) follows *order*; without one it is
    taken if only one of day-month and month-day is possible, else `AmbiguousDate` is raised. Dates
    that start with a four-digit year are always year-month-day; a two-digit year first is assumed
    only with order YMD or when no other reading is possible.
    """
    if isinstance(value, str) and len(value) == 10 and value[4] == "-" and value[7] == "-":
        try:
            return date.fromisoformat(value)
        except ValueError:
            pass  # Other digits, spaces, an impossible day: the general reader knows.
    if isinstance(value, date) and not isinstance(value, datetime):
        return value
    moment = _read_moment(value, order, _DATE)
    return None if moment is None else moment.date()


def parse_datetime(value: object, order: DateOrder | None = None) -> datetime | None:
    """The moment in *value*: aware when the text carries an offset or zone, naive otherwise.

    A date alone is its midnight. Epoch numbers are not accepted here, see `parse_epoch`. Zone
    abbreviations that several places share read as the most populous one (CST is North American,
    BST British, IST Indian). Digits beyond the microsecond are cut off.
    """
    return _read_moment(value, order, _DATETIME)


def _read_moment(value: object, order: DateOrder | None, expected: str) -> datetime | None:
    if isinstance(value, str):
        if (fast := _iso_moment(value)) is not None:
            return fast
    elif isinstance(value, datetime):
        return value
    elif isinstance(value, date):
        return datetime(value.year, value.month, value.day)
    text = scalar_text(value, expected)
    if text is None:
        return None
    try:
        return _general_moment(folded(text), order)
    except AmbiguousDate:
        raise AmbiguousDate(
            f"{shorten(value)} is ambiguous: without a date order its day and month "
            "cannot be told apart"
        ) from None
    except (ValueError, OverflowError):
        hint = f" in {order} order" if order else ""
        raise problem(value, expected + hint) from None


def _iso_moment(value: str) -> datetime | None:
    """The common case at full speed; None leaves the text to the general reader."""
    size = len(value)
    if not 13 <= size <= 40 or value[4] != "-" or value[7] != "-" or value[10] not in "T ":
        return None
    if size > 20 and value[-6] == " " and value[-5] in "+-":
        value = value[:-6] + value[-5:]  # Apple Health: a space before "+0200".
    elif value.endswith(" UTC"):
        value = value[:-4] + "Z"  # Google and Reddit.
    if value[-2:] >= "60" and (value[-5] in "+-" or value[-6] in "+-"):
        return None  # The standard library takes "+01:75" for an offset.
    try:
        return datetime.fromisoformat(value)
    except ValueError:
        return None


def folded(text: str) -> str:
    return " ".join(fold(text.translate(_IDEOGRAPHS)).split())


def _general_moment(text: str, order: DateOrder | None) -> datetime:
    if _COMPACT_TIME.fullmatch(text):
        return datetime.fromisoformat(text.upper())
    clock, rest = cut_clock(text)
    day = _read_day(rest, order)
    midnight = datetime(day.year, day.month, day.day)
    if clock is None:
        return midnight
    return (midnight + clock.since_midnight).replace(tzinfo=clock.zone)


# Dates repeat within a file far more often than datetimes do.
@lru_cache(maxsize=4096)
def _read_day(text: str, order: DateOrder | None) -> date:
    """The date in *text*, which is folded and has no clock; ValueError when there is none."""
    if _COMPACT.fullmatch(text):
        return date.fromisoformat(text.upper())
    fields = numeric_fields(text)
    if fields is not None:
        return _choose(fields, order)
    return _named_day(text)


def numeric_fields(text: str) -> tuple[str, str, str] | None:
    """The three numbers of an all-numeric date, None when *text* is not one."""
    if _WORD.search(text):
        if not all(_is_skipped(word) for word in _WORD.findall(text)):
            return None
        text = " ".join(_WORD.sub(" ", text).split())
    found = _NUMERIC.fullmatch(text.strip(" ,·|").rstrip("."))
    return None if found is None else (found[1], found[2], found[3])


def _is_skipped(word: str) -> bool:
    word = word.rstrip(".")
    return word in FILLERS or word in WEEKDAYS


def numeric_readings(fields: tuple[str, str, str]) -> dict[DateOrder, date]:
    """Every order in which *fields* is a date that exists."""
    first, middle, last = fields
    if len(first) == 4:
        candidates = {DateOrder.YMD: (first, middle, last)}
    else:
        candidates = {DateOrder.DMY: (last, middle, first), DateOrder.MDY: (last, first, middle)}
        if len(last) <= 2:
            candidates[DateOrder.YMD] = (first, middle, last)
    readings = {}
    for order, (year, month, day) in candidates.items():
        if len(day) <= 2 and (found := _make_date(year, int(month), int(day))) is not None:
            readings[order] = found
    return readings


def _choose(fields: tuple[str, str, str], order: DateOrder | None) -> date:
    readings = numeric_readings(fields)
    if len(fields[0]) == 4:
        order = DateOrder.YMD
    elif order == DateOrder.YMD and len(fields[2]) == 4:
        order = None  # The year is visibly last, so the order says nothing about this text.
    if order is not None:
        if order not in readings:
            raise ValueError("no such date in this order")
        return readings[order]
    likely = {readings[o] for o in (DateOrder.DMY, DateOrder.MDY) if o in readings}
    if len(likely) > 1:
        raise AmbiguousDate("day and month")
    if not likely and DateOrder.YMD not in readings:
        raise ValueError("no such date")
    return likely.pop() if likely else readings[DateOrder.YMD]


def _make_date(year: str, month: int, day: int) -> date | None:
    number = int(year)
    if len(year) == 2:
        number += 1900 if number >= _PIVOT else 2000
    elif len(year) != 4:
        return None
    try:
        return date(number, month, day)
    except ValueError:
        return None


def _split_words(text: str) -> tuple[int, list[str], int]:
    """The month named in *text*, its numbers, and how many numbers stand before the name."""
    numbers: list[str] = []
    months: list[tuple[str, int]] = []
    for token in _TOKEN.findall(text):
        if token.isdigit():
            numbers.append(token)
        elif token in MONTHS:
            months.append((token, len(numbers)))
        elif token not in WEEKDAYS and token not in FILLERS and token not in _PUNCTUATION:
            raise ValueError("not part of a date")
    # "mar. 5 nov." is a French Tuesday: of two names, one that is also a weekday is the weekday.
    while len(months) > 1:
        doubtful = next((entry for entry in months if entry[0] in WEEKDAYS), None)
        if doubtful is None:
            raise ValueError("two months")
        months.remove(doubtful)
    if not months:
        raise ValueError("no month")
    name, before = months[0]
    return MONTHS[name], numbers, before


def _named_day(text: str) -> date:
    month, numbers, before = _split_words(text)
    if len(numbers) != 2:
        raise ValueError("a date has a day and a year")
    first, second = numbers
    # The year comes last unless the first number can only be a year ("2024 March 5").
    year, day = (first, second) if len(first) == 4 and before else (second, first)
    found = _make_date(year, month, int(day)) if len(day) <= 2 else None
    if found is None:
        raise ValueError("no such date")
    return found


def parse_time(value: object) -> time | None:
    """The time of day in *value*: "15:02", "3:02 p.m.", "15h30", "kl. 15.02"; aware with a zone.

    24:00 is midnight. The time of a full datetime is taken too.
    """
    expected = "a time of day"
    if isinstance(value, datetime):
        return value.timetz()
    if isinstance(value, time):
        return value
    text = scalar_text(value, expected)
    if text is None:
        return None
    try:
        clock, rest = cut_clock(folded(text).removeprefix("t"))
    except ValueError:
        raise problem(value, expected) from None
    if clock is None:
        raise problem(value, expected)
    if all(_is_skipped(word) for word in rest.split()):
        return _time_of(clock)
    moment = _read_moment(value, None, expected)
    return None if moment is None else moment.timetz()


def _time_of(clock: Clock) -> time:
    moment = datetime(2000, 1, 1) + clock.since_midnight
    return moment.time().replace(tzinfo=clock.zone)


EpochUnit = Literal["s", "ms", "us", "ns"]
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_EPOCH_END = int((datetime(2101, 1, 1, tzinfo=UTC) - _EPOCH).total_seconds())
_PER_SECOND: dict[str, int] = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_EPOCH_TEXT = re.compile(r"[0-9]{1,25}(?:\.[0-9]{1,30})?")


def parse_epoch(value: object, unit: EpochUnit | None = None) -> datetime | None:
    """The UTC moment that counts *unit* since 1970; from 1970 to 2100, refused outside.

    With *unit* None the magnitude decides: the coarsest of s, ms, us, ns that stays before 2101.
    (The first weeks of 1970 in milliseconds would so be read as seconds.)
    """
    expected = "a Unix time between 1970 and 2100"
    number = _epoch_number(value, expected)
    if number is None:
        return None
    if unit is not None and unit not in _PER_SECOND:
        raise problem(unit, "a unit of Unix time")
    if number < 0:
        raise problem(value, expected)
    for name, per_second in _PER_SECOND.items():
        if unit in (None, name) and number < _EPOCH_END * per_second:
            # Decimal arithmetic, because a float cannot hold a moment to the microsecond.
            return _EPOCH + timedelta(microseconds=int(number * 10**6 / per_second))
    raise problem(value, expected)


def _epoch_number(value: object, expected: str) -> Decimal | None:
    if is_missing(value):
        return None
    if isinstance(value, str):
        text = simplify(value) if len(value) < 60 else ""
        if _EPOCH_TEXT.fullmatch(text):
            return Decimal(text)
    elif isinstance(value, int) and not isinstance(value, bool):
        if value.bit_length() < 80:
            return Decimal(value)
    elif isinstance(value, float) and abs(value) < 1e20:
        return Decimal(repr(value))
    raise problem(value, expected)


_YEAR = re.compile(r"[0-9]{4}")
_YEAR_MONTH = re.compile(r"([0-9]{4}) ?[-/. ] ?([0-9]{1,2})[-.]?")
_MONTH_YEAR = re.compile(r"([0-9]{1,2}) ?[-/. ] ?([0-9]{4})")
_QUARTER = re.compile(r"([0-9]{4}) ?-? ?q([1-4])|q([1-4]) ?[-/,]? ?([0-9]{4})")
_WEEK = re.compile(r"([0-9]{4}) ?-? ?w([0-9]{2})")


def parse_partial_date(value: object, order: DateOrder | None = None) -> PartialDate | None:
    """The days that *value* covers: "2024", "March 2024", "2024-03", "03/2024", "2024-Q1",
    "2024-W10", or a full date, which covers itself. An int is a year."""
    expected = "a date, month, quarter or year"
    if isinstance(value, int) and 1000 <= value <= 9999:
        value = str(value)
    if isinstance(value, str):
        text = scalar_text(value, expected)
        if text is None:
            return None
        try:
            if (stretch := _stretch(folded(text))) is not None:
                return stretch
        except (ValueError, OverflowError):
            raise problem(value, expected) from None
    moment = _read_moment(value, order, expected)
    return None if moment is None else PartialDate(moment.date(), moment.date())


def _stretch(text: str) -> PartialDate | None:
    if _YEAR.fullmatch(text):
        return _months(int(text), 1, 12)
    if found := _YEAR_MONTH.fullmatch(text):
        return _months(int(found[1]), int(found[2]), 1)
    if found := _MONTH_YEAR.fullmatch(text):
        return _months(int(found[2]), int(found[1]), 1)
    if found := _QUARTER.fullmatch(text):
        return _months(int(found[1] or found[4]), 3 * int(found[2] or found[3]) - 2, 3)
    if found := _WEEK.fullmatch(text):
        monday = date.fromisocalendar(int(found[1]), int(found[2]), 1)
        return PartialDate(monday, monday + timedelta(days=6))
    try:
        month, numbers, _ = _split_words(text)
    except ValueError:
        return None
    if len(numbers) == 1 and len(numbers[0]) == 4:
        return _months(int(numbers[0]), month, 1)
    return None


def _months(year: int, month: int, count: int) -> PartialDate:
    first = date(year, month, 1)
    last_month = month + count - 1
    if last_month == 12:
        return PartialDate(first, date(year, 12, 31))
    return PartialDate(first, date(year, last_month + 1, 1) - timedelta(days=1))
