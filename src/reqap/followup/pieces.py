"""The pieces of a question that can be exchanged: times, people, places, groups, amounts.

Each has a sort; a piece of a later line takes the place of one of the same sort. What is told by
the preposition alone ("with …", "from …") has the sort of its preposition.
"""

import re
from calendar import day_abbr, day_name, month_abbr, month_name
from typing import NamedTuple


class Piece(NamedTuple):
    """Words of a text: `lead` is the preposition, or nothing, and `core` the rest."""

    sort: str
    begin: int
    end: int
    lead: str
    core: str


PERIOD, WEEKDAY, CLOCK, GROUP, AMOUNT = "period", "weekday", "clock", "group", "amount"
# Prepositions that stand for one another; others are a sort of their own.
_FAMILIES = {
    "with": "company", "without": "company", "together with": "company", "in": "place",
    "at": "place", "near": "place", "around": "place", "outside": "place", "inside": "place",
    "after": "order", "before": "order", "while": "order", "during": "order",
}  # fmt: skip

_MONTHS = "|".join([*filter(None, month_name), r"Sept\.?", *(f"{a}\\.?" for a in month_abbr if a)])
_WEEKDAYS = "|".join([*(f"{name}s?" for name in day_name), *(f"{name}s?" for name in day_abbr)])
_YEAR = r"(?:19|20)\d\d"
_SEASON = "spring|summer|autumn|fall|winter"
_UNIT = f"day|night|week|weekend|month|quarter|year|decade|{_SEASON}"
_PART = "mornings?|afternoons?|evenings?|nights?|noon|midnight|lunchtime"
_COUNT = r"\d+|a|one|two|three|four|five|six|seven|eight|nine|ten|twelve|few|couple of"
_WHICH = "last|past|next|previous|coming|this|following|same"
_NTH = r"\d{1,2}(?:st|nd|rd|th)?"
_DATE = (
    rf"\d{{4}}-\d\d-\d\d|(?:the )?{_NTH}(?: of)? (?:{_MONTHS})(?:,? {_YEAR})?"
    rf"|(?:early |late |mid[- ]|the (?:beginning|end|start|middle) of )?(?:{_MONTHS})"
    rf"(?: {_NTH}\b(?!\d))?(?:,? (?:of )?{_YEAR})?"
    rf"|(?:the )?(?:{_SEASON})s?(?: of)? {_YEAR}|(?:the )?(?:19|20)\d0s|{_YEAR}|'\d\d"
    rf"|(?:the )?Q[1-4](?:,? (?:of )?{_YEAR})?"
    rf"|the day before yesterday|yesterday|today|tonight|last night"
    rf"|(?:the )?(?:{_WHICH}) (?:(?:{_COUNT}) )?(?:(?:{_UNIT})s?|{_MONTHS}|{_WEEKDAYS})"
    rf"(?: {_YEAR})?|(?:{_COUNT}) (?:{_UNIT})s? ago|(?:the )?(?:{_SEASON})"
)
_HOUR = r"\d{1,2}(?:[:.]\d\d)? ?(?:am|pm|a\.m\.|p\.m\.|o'clock)|\d{1,2}:\d\d"
_TIME_LEADS = "in|on|at|since|before|after|until|till|by|during|over|within|from|of|for|around"

_TIMES = (
    (PERIOD, rf"between (?:{_DATE}) and (?:{_DATE})"),
    (PERIOD, rf"from (?:{_DATE}) (?:to|until|till) (?:{_DATE})"),
    (CLOCK, rf"(?:between|from) (?:{_HOUR}|\d{{1,2}}) (?:and|to|until) (?:{_HOUR})"),
    (PERIOD, rf"(?:{_DATE})"),
    (WEEKDAY, rf"(?:the |a )?(?:weekends?|weekdays|workdays|week(?! before| after)|{_WEEKDAYS})"),
    (CLOCK, rf"(?:the )?(?:{_HOUR}|{_PART})"),
)  # fmt: skip
_TIME_RULES = tuple(
    (sort, re.compile(rf"\b(?:(?P<lead>{_TIME_LEADS}) )?(?P<core>{core})(?!['\w-])", re.IGNORECASE))
    for sort, core in _TIMES
)
_GROUP = re.compile(
    r"\b(?P<lead>per|(?:for|in|on|of|by) (?:each|every)|each|every|by) (?P<core>[a-z]+)(?!['\w-])"
)
_AMOUNT = re.compile(
    r"\b(?P<lead>(?:more|less|longer|shorter|fewer|farther|further|faster|slower|higher|lower) than"
    r"|at least|at most|over|under|above|below|up to|exactly)"
    r" (?P<core>(?:\d[\d.,]*|an?|one|two|three|four|five|ten|half an)(?: ?[^\W\d]+)?(?: an hour)?)",
    re.IGNORECASE,
)
_LEADS = (
    r"together with|with|without|at|in|near|around|outside|inside|from|by|to|for|about|on|after"
    r"|before|while|during|instead of|of|than|using|via"
)
_END = rf"(?:{_LEADS}|when|where|while|then|that|who|which|did|do|was|were|is|most|least)\b"
_PHRASE = re.compile(
    rf"\b(?P<lead>{_LEADS}) (?P<core>(?!(?:{_LEADS}|which|what|whom|how|me|I)\b)[^\s,?.!;]+"
    rf"(?: (?!{_END})[^\s,?.!;]+)*)",
    re.IGNORECASE,
)
# Words that are months or days only where something says so.
_EVERYDAY = {"may", "march", "mar", "sun", "sat", "wed", "fall", "spring", "dec", "jan", "mon", "a"}


def pieces(text: str) -> list[Piece]:
    """All pieces of a text, in its order; none upon another, times before all else."""
    found: list[Piece] = []
    for sort, rule in _TIME_RULES:
        _take(found, text, sort, rule)
    _take(found, text, AMOUNT, _AMOUNT)
    _take(found, text, GROUP, _GROUP)
    # What is found is blotted out, so that a phrase ends where it begins.
    rest = text
    for one in found:
        rest = rest[: one.begin] + "," * (one.end - one.begin) + rest[one.end :]
    for match in _PHRASE.finditer(rest):
        lead = match["lead"].lower()
        core = match["core"]
        found.append(Piece(_FAMILIES.get(lead, lead), *match.span(), match["lead"], core))
    return sorted(found, key=lambda one: one.begin)


def _take(found: list[Piece], text: str, sort: str, rule: re.Pattern[str]) -> None:
    for match in rule.finditer(text):
        begin, end = match.span()
        lead, core = match["lead"] or "", match["core"]
        alone = core == text.strip(" ?.!")
        if core in _EVERYDAY and not lead and not alone:
            continue
        if sort == WEEKDAY and core.lower().endswith("week") and lead.lower() != "during":
            continue
        if sort == GROUP and lead == "by" and core in ("my", "the", "a"):
            continue
        if all(end <= one.begin or one.end <= begin for one in found):
            found.append(Piece(sort, begin, end, lead, core))


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
