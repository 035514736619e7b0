"""The words of a question that say when: where they stand, and what takes the place of what.

"In May 2023", "on Sundays", "after 6 pm". Not the job of this module: which days are meant
(`days`), and single values (`dates`, `clocks`).
"""

import re
from typing import NamedTuple

from reqap.values.datewords import COUNTS, ENGLISH_MONTHS, SHORT_WEEKDAYS, WEEKDAY_NAMES

PERIOD, WEEKDAY, CLOCK = "period", "weekday", "clock"


class When(NamedTuple):
    """Words of a text: `lead` is the preposition, or nothing, and `core` the rest."""

    sort: str
    begin: int
    end: int
    lead: str
    core: str


_MONTHS = "|".join(rf"{name}\b\.?" for name in sorted(ENGLISH_MONTHS, key=len, reverse=True))
_DAYS = "|".join(f"{name}s?" for name in WEEKDAY_NAMES)
_SHORT_DAYS = "|".join(SHORT_WEEKDAYS)
_YEAR = r"(?:19|20)\d\d"
_SEASON = "spring|summer|autumn|fall|winter"
_UNIT = f"day|night|week|weekend|month|quarter|year|decade|{_SEASON}"
_PART = "mornings?|afternoons?|evenings?|nights?|noon|midnight|lunchtime"
_COUNT = rf"\d+|{COUNTS}"
_WHICH = "last|past|next|previous|coming|this|following|same"
_NTH = r"\d{1,2}(?:st|nd|rd|th)?"
_DATE = (
    rf"\d{{4}}-\d\d-\d\d|(?:the )?{_NTH}(?: of)? (?:{_MONTHS})(?:,? {_YEAR})?"
    rf"|(?:early |late |mid[- ]|the (?:beginning|end|start|middle) of )?(?:{_MONTHS})"
    rf"(?: {_NTH}\b(?!\d))?(?:,? (?:of )?{_YEAR})?"
    rf"|(?:the )?(?:{_SEASON})s?(?: of)? {_YEAR}|(?:the )?(?:19|20)\d0s|{_YEAR}|'\d\d"
    rf"|(?:the )?Q[1-4](?:,? (?:of )?{_YEAR})?"
    rf"|the day before yesterday|yesterday|today|tonight|last night"
    rf"|(?:the )?(?:{_WHICH}) (?:(?:{_COUNT}) )?(?:(?:{_UNIT})s?|{_MONTHS}|{_DAYS}|{_SHORT_DAYS})"
    rf"(?: {_YEAR})?|(?:{_COUNT}) (?:{_UNIT})s? ago|(?:the )?(?:{_SEASON})"
)
_HOUR = r"\d{1,2}(?:[:.]\d\d)? ?(?:am|pm|a\.m\.|p\.m\.|o'clock)|\d{1,2}:\d\d"
_LEADS = "in|on|at|since|before|after|until|till|by|during|over|within|from|of|for|around"

_SORTS = (
    (PERIOD, rf"between (?:{_DATE}) and (?:{_DATE})"),
    (PERIOD, rf"from (?:{_DATE}) (?:to|until|till) (?:{_DATE})"),
    (CLOCK, rf"(?:between|from) (?:{_HOUR}|\d{{1,2}}) (?:and|to|until) (?:{_HOUR})"),
    (PERIOD, rf"(?:{_DATE})"),
    (WEEKDAY, rf"(?:the |a )?(?:weekends?|weekdays|workdays|week(?! before| after)|{_DAYS})"
     rf"|{_SHORT_DAYS}"),
    (CLOCK, rf"(?:the )?(?:{_HOUR}|{_PART})"),
)  # fmt: skip
_RULES = tuple(
    (sort, re.compile(rf"\b(?:(?P<lead>{_LEADS}) )?(?P<core>{core})(?!['\w-])", re.IGNORECASE))
    for sort, core in _SORTS
)
# Words that are months or days only where something says so.
_EVERYDAY = {"may", "march", "mar", "sun", "sat", "wed", "fall", "spring", "dec", "jan", "mon"}


def whens(text: str) -> list[When]:
    """All words of a text that say when, none upon another."""
    found: list[When] = []
    for sort, rule in _RULES:
        for match in rule.finditer(text):
            one = When(sort, *match.span(), match["lead"] or "", match["core"])
            alone = one.core == text.strip(" ?.!")
            if one.core in _EVERYDAY and not one.lead and not alone:
                continue
            is_week = sort == WEEKDAY and one.core.lower().endswith("week")
            if is_week and one.lead.lower() != "during":
                continue
            if all(one.end <= other.begin or other.end <= one.begin for other in found):
                found.append(one)
    return found


_WITHOUT_LEAD = re.compile(
    r"(?:the )?(?:last|past|next|previous|this|coming|day before)\b|yesterday|today|tonight"
    r"|.* ago$|between\b|from\b",
    re.IGNORECASE,
)
_IS_DAY = re.compile(r"(?:the )?\d{1,2}\D|\d{4}-|[^\d]+ \d{1,2}\b(?!\d)")


def preposition(sort: str, core: str) -> str:
    """That which words for a time need where they have none: "in" May, "on" Sundays."""
    if _WITHOUT_LEAD.match(core):
        return ""
    if sort == CLOCK:
        return "in" if core.lower().startswith("the ") else "at"
    return "on" if sort == WEEKDAY or _IS_DAY.match(core) else "in"


_DATED = re.compile(rf"(?P<head>.*?)(?P<year>\b{_YEAR})$", re.IGNORECASE)
_NAMED = re.compile(
    rf"(?:the )?(?:{_NTH}(?: of)? )?(?:{_MONTHS}|{_SEASON}|Q[1-4])(?: {_NTH})?", re.IGNORECASE
)


def merged_period(old: str, new: str) -> str:
    """A month or a season goes with the year that was spoken of, a year with the month."""
    before = _DATED.fullmatch(old)
    head = before["head"].rstrip(" ,").removesuffix(" of") if before else old
    if before and _NAMED.fullmatch(new):
        return f"{new} {before['year']}"
    if re.fullmatch(_YEAR, new) and _NAMED.fullmatch(head):
        return f"{head} {new}"
    return new
