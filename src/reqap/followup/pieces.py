"""The pieces of a question that can be exchanged: times, people, places, groups, amounts.

Each has a sort; a piece of a later line takes the place of one of the same sort. What is told by
the preposition alone ("with …", "from …") has the sort of its preposition. Not the job of this
module: which words say when (`values`).
"""

import re
from typing import NamedTuple

from reqap.values import whens


class Piece(NamedTuple):
    """Words of a text: `lead` is the preposition, or nothing, and `core` the rest."""

    sort: str
    begin: int
    end: int
    lead: str
    core: str


GROUP, AMOUNT = "group", "amount"  # beside the sorts of times
# Prepositions that stand for one another; others are a sort of their own.
_FAMILIES = {
    "with": "company", "without": "company", "together with": "company", "in": "place",
    "at": "place", "near": "place", "around": "place", "outside": "place", "inside": "place",
    "after": "order", "before": "order", "while": "order", "during": "order",
}  # fmt: skip

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


def pieces(text: str) -> list[Piece]:
    """All pieces of a text, in its order; none upon another, times before all else."""
    found = [Piece(*one) for one in whens(text)]
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
        lead, core = match["lead"], match["core"]
        if sort == GROUP and lead == "by" and core in ("my", "the", "a"):
            continue
        if all(end <= one.begin or one.end <= begin for one in found):
            found.append(Piece(sort, begin, end, lead, core))
