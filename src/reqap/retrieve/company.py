"""Queries for what was done with others, whoever they were, or alone.

A watch records the walk and not who came along: its record alone is no answer to the one, and is an
answer to the other, unless an entry of the same happening, or the record itself, names somebody.
Not the job of this module: people with names (`people`).
"""

import re
from collections.abc import Collection, Iterable, Sequence

_WITH_SOMEBODY = re.compile(
    r"\b(?:with (?:(?:some|any)(?:one|body)|others|(?:other )?people|company)"
    r"|in company(?! of))\b",
    re.IGNORECASE,
)
# With a capital, it is a name: "Home Alone", "Han Solo".
_ALONE = re.compile(
    r",?\s*(?<![\w-])(?:(?:all|completely|entirely|totally|just) )?(?:alone|(?:on my|of my) own"
    r"|by myself|solo|with (?:nobody|no ?one)(?: else)?"
    r"|without (?:company|any(?:one|body)(?: else)?))\b"
)
_OF_PEOPLE = re.compile(
    r".*(?:participant|attendee|guest|companion|people|person|player|partner|friend|with)s?\b.*"
)


def is_asked(query: str) -> bool:
    return _WITH_SOMEBODY.search(query) is not None or bool(without_alone(query))


def without_alone(query: str) -> str:
    """What was done, of a query for what was done alone; empty if it asks for nothing like that."""
    rest = " ".join(_ALONE.sub(" ", query).split())
    return rest if rest != query else ""


def beside(
    query: str, places: Sequence[int], told: Sequence[int], named: Sequence[bool],
    sure: Collection[int] = (),
) -> set[int]:  # fmt: skip
    """The rows that do not match for their company; `named` says which of them name somebody,
    `sure` which tell by themselves that nobody was there."""
    telling = {place for place, rank in zip(places, told, strict=True) if rank}
    naming = {place for place, is_named in zip(places, named, strict=True) if is_named}
    settled = {places[n] for n in sure}
    if without_alone(query):
        return {n for n, place in enumerate(places) if place in naming - settled}
    if _WITH_SOMEBODY.search(query):
        return {n for n, place in enumerate(places) if place not in telling | naming}
    return set()


def names_people(patterns: Iterable[str]) -> bool:
    """Whether a pattern ("padel match; players: Rui") is about somebody."""
    return any(is_of_people(pattern.partition("; ")[2]) for pattern in patterns)


def is_of_people(value: str) -> bool:
    """Whether a value with its key ("players: Rui") is somebody."""
    return _OF_PEOPLE.fullmatch(value.partition(": ")[0]) is not None
