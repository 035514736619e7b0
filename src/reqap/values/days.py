"""The days that a text speaks of, as seen from the day it was written.

"Yesterday", "on Saturday", "the 11th", "12 October", "three days ago": each mention gives the days
that it may mean, the likeliest first. Not the job of this module: single values (`dates`).
"""

import re
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from functools import lru_cache

from reqap.values._text import fold
from reqap.values.datewords import (
    COUNTS,
    ENGLISH_MONTHS,
    MONTHS,
    SHORT_WEEKDAYS,
    WEEKDAY_NAMES,
)
from reqap.values.numbers import parse_number_words

Days = tuple[date, ...]
_UNITS = {"day": 1, "night": 1, "week": 7, "fortnight": 14}
# Texts are hostile: this much of one is read, and so many mentions are kept.
_MOST_TEXT, _MOST = 8_000, 40

_NEAR = {
    "day before yesterday": -2, "yesterday": -1, "last night": -1, "last evening": -1, "today": 0,
    "tonight": 0, "this morning": 0, "this afternoon": 0, "this evening": 0, "this noon": 0,
    "just now": 0, "day after tomorrow": 2, "tomorrow": 1,
}  # fmt: skip
# Names of months; short ones of other languages are everyday words here ("set", "out", "ara").
_MONTHS = {name: number for name, number in MONTHS.items()
           if len(name) > 4 or name in ENGLISH_MONTHS}  # fmt: skip
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_WHICH = "(?:this )?(?:last|past|next|coming)|this|on"
_WEEKDAY, _SHORT_WEEKDAY = "|".join(WEEKDAY_NAMES), "|".join(SHORT_WEEKDAYS)
# A weekday in front of a date says nothing more.
_LED = rf"(?:(?:{_WEEKDAY}|{_SHORT_WEEKDAY})\.?,? (?:the )?)?"
_UNIT, _COUNT = "|".join(_UNITS), rf"\d{{1,4}}|{COUNTS}"
_DAY = r"(?P<day>[0-3]?\d)"
_LEADS_UP = re.compile(
    r"\b(?:on|am|vom|bis|le|du|au|il|dal|al|el|del|op|den|since|until|till|from|by) $"
)
_YEAR = r"(?:,? ?(?:of )?(?P<year>(?:19|20)\d\d|'\d\d))?"


def days_meant(text: str, written: date) -> tuple[Days, ...]:
    """For each mention of a day, the days that it may mean; in the order of the text."""
    return (_remembered if len(text) <= _SHORT else _meant)(text, written)


def _meant(text: str, written: date) -> tuple[Days, ...]:
    plain = fold(text[:_MOST_TEXT]).replace("’", "'")
    found: list[tuple[int, Days]] = []
    taken: list[tuple[int, int]] = []
    for pattern, read in _RULES:
        for match in pattern.finditer(plain):
            begin, end = match.span()
            if any(begin < other_end and start < end for start, other_end in taken):
                continue
            days = tuple(dict.fromkeys(read(match, written)))
            if days:
                found.append((begin, days))
                taken.append((begin, end))
    return tuple(days for _, days in sorted(found, key=lambda one: one[0])[:_MOST])


_SHORT = 1_000  # of longer texts, nothing is remembered
_remembered = lru_cache(1 << 12)(_meant)


def _moved(day: date, days: int) -> Iterator[date]:
    try:
        yield day + timedelta(days=days)
    except OverflowError:
        return


def _made(year: int, month: int, day: int) -> Iterator[date]:
    try:
        yield date(year, month, day)
    except ValueError:
        return


def _nearest(month: int, day: int, written: date) -> Iterator[date]:
    """A day without its year: the nearest one."""
    years = (written.year - 1, written.year, written.year + 1)
    days = [made for year in years for made in _made(year, month, day)]
    yield from sorted(days, key=lambda one: abs((one - written).days))[:1]


def _near(match: re.Match[str], written: date) -> Iterator[date]:
    return _moved(written, _NEAR[match["near"]])


def _iso(match: re.Match[str], written: date) -> Iterator[date]:
    return _made(int(match["year"]), int(match["month"]), int(match["day"]))


def _named(match: re.Match[str], written: date) -> Iterator[date]:
    month, day, year = _MONTHS[match["month"]], int(match["day"]), match["year"]
    if not year:
        return _nearest(month, day, written)
    return _made(2000 + int(year[1:]) if year[0] == "'" else int(year), month, day)


def _numeric(match: re.Match[str], written: date) -> Iterator[date]:
    """12.10. is the twelfth of October; 12/10 may be the tenth of December, too; 5.4 is a number,
    unless something leads up to a day."""
    first, second, year = int(match["first"]), int(match["second"]), match["year"]
    whole = match["mark"] == "/" or year or match[0].endswith(".") or match[0][0].isalpha()
    if not whole and not _LEADS_UP.search(match.string, 0, match.start()):
        return
    orders = [(second, first)] if match["mark"] == "." else [(first, second), (second, first)]
    for month, day in orders:
        if year:
            yield from _made(int(year) if len(year) == 4 else 2000 + int(year), month, day)
        elif 1 <= month <= 12:
            yield from _nearest(month, day, written)


def _counted(told: str) -> int:
    vague = {"a": 1, "an": 1, "couple of": 2, "few": 3}.get(told)
    return vague or int(told if told.isdigit() else parse_number_words(told) or 0)


def _ago(match: re.Match[str], written: date) -> Iterator[date]:
    step = _UNITS[match["unit"]] * min(_counted(match["count"]), 400)
    sign = -1 if match["back"] else 1
    yield from _moved(written, sign * step)
    if _UNITS[match["unit"]] > 1 or match["count"] == "few":  # so much is a guess
        for off in (-1, 1, -2, 2):
            yield from _moved(written, sign * step + off)


def _weekday(match: re.Match[str], written: date) -> Iterator[date]:
    name = match["weekday"]
    number = SHORT_WEEKDAYS[name] if name in SHORT_WEEKDAYS else WEEKDAY_NAMES.index(name)
    before = (written.weekday() - number) % 7
    past, coming = -(before or 7), (7 - before)
    which = (match["which"] or "").split()[-1:]
    if which in (["last"], ["past"]):
        return _all(written, past, past - 7)
    if which in (["next"], ["coming"]):
        return _all(written, coming, coming + 7)
    own = [0] if not before else []
    near = (coming, past) if which == ["this"] else (past, coming)
    return _all(written, *own, *near)


def _weekday_back(match: re.Match[str], written: date) -> Iterator[date]:
    """Two Sundays ago, and the Sunday before last."""
    before = (written.weekday() - WEEKDAY_NAMES.index(match["weekday"])) % 7 or 7
    return _moved(written, -before - 7 * (min(_counted(match["count"] or "two"), 60) - 1))


def _weekday_of_month(match: re.Match[str], written: date) -> Iterator[date]:
    """Thursday the 14th: of the nearest month in which the 14th is a Thursday."""
    number = SHORT_WEEKDAYS[match["weekday"][:3]]
    months = range(written.year * 12 + written.month - 7, written.year * 12 + written.month + 6)
    days = [made for at in months for made in _made(at // 12, at % 12 + 1, int(match["day"]))]
    fitting = (one for one in days if one.weekday() == number)
    yield from sorted(fitting, key=lambda one: abs((one - written).days))[:1]


def _weekend(match: re.Match[str], written: date) -> Iterator[date]:
    since = (written.weekday() - 5) % 7  # days since Saturday
    last, this = -since, 7 - since
    if match["which"] == "last" and since < 2:
        last -= 7
    begin = [this] if match["which"] == "next" else [last]
    begin += [this] if match["which"] in ("this", "", None) else []
    return _all(written, *(day + more for day in begin for more in (0, 1)))


def _of_month(match: re.Match[str], written: date) -> Iterator[date]:
    """The 11th: of this month, or of the one before or after, whichever is nearest."""
    months = [(written.year * 12 + written.month - 1 + step) for step in (-1, 0, 1)]
    days = [made for at in months for made in _made(at // 12, at % 12 + 1, int(match["day"]))]
    yield from sorted(days, key=lambda one: abs((one - written).days))[:2]


def _all(written: date, *steps: int) -> Iterator[date]:
    for step in steps:
        yield from _moved(written, step)


Rule = tuple[re.Pattern[str], Callable[[re.Match[str], date], Iterator[date]]]


def _rule(pattern: str, read: Callable[[re.Match[str], date], Iterator[date]]) -> Rule:
    return re.compile(rf"(?<![\w.])(?:{pattern})(?!\w)"), read


# What is longer or surer comes first: a place in the text is read once.
_RULES: tuple[Rule, ...] = (
    _rule(rf"{_LED}(?P<year>(?:19|20)\d\d)-(?P<month>[01]\d)-(?P<day>[0-3]\d)", _iso),
    _rule(
        rf"{_LED}{_DAY}(?:st|nd|rd|th|\.)? ?(?:of |de |di )?(?P<month>{_MONTH})\.?{_YEAR}", _named
    ),
    _rule(
        rf"{_LED}(?P<month>{_MONTH})\.? (?:the )?{_DAY}(?:st|nd|rd|th)?(?![:.]?\d){_YEAR}", _named
    ),
    _rule(
        rf"{_LED}(?P<first>[0-3]?\d)(?P<mark>[./])(?P<second>[01]?\d|[0-3]?\d)(?:(?P=mark)"
        r"(?P<year>(?:19|20)\d\d|\d\d)|\.(?!\d)|(?![\d.:/]))",
        _numeric,
    ),
    _rule(f"(?P<near>{'|'.join(_NEAR)})", _near),
    _rule(rf"(?P<count>{_COUNT}) (?P<unit>{_UNIT})s? (?P<back>ago|earlier|back)", _ago),
    _rule(rf"in (?P<count>{_COUNT}) (?P<unit>{_UNIT})s?(?P<back>)", _ago),
    _rule(rf"(?P<count>{_COUNT}) (?P<weekday>{_WEEKDAY})s ago", _weekday_back),
    _rule(rf"(?P<weekday>{_WEEKDAY}) before last(?P<count>)", _weekday_back),
    _rule(
        rf"(?:(?P<which>{_WHICH}) )?"
        rf"(?P<weekday>{_WEEKDAY}|(?(which)(?:{_SHORT_WEEKDAY})|(?!)))\.?,?"
        rf" (?:the )?{_DAY}(?:st|nd|rd|th)",
        _weekday_of_month,
    ),
    _rule(rf"(?:(?P<which>{_WHICH}) )?(?P<weekday>{_WEEKDAY})", _weekday),
    # Short ones are words of their own ("sat", "sun") where nothing leads up to them.
    _rule(rf"(?P<which>{_WHICH}) (?P<weekday>{_SHORT_WEEKDAY})", _weekday),
    _rule(r"(?:(?P<which>last|this|next) |the |at the |over the )weekend", _weekend),
    _rule(rf"(?:on |by |since |until |till )?the {_DAY}(?:st|nd|rd|th)", _of_month),
)
