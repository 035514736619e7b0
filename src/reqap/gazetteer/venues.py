"""What kind of place words mean: `venues.tsv` has one phrase a line, with the kind."""

import re
from functools import cache

from reqap.gazetteer.food import Hint
from reqap.gazetteer.phrases import MOST, Phrases, bare, key_of, lines, words_of

# What stands before a place in a text.
_AT = re.compile(r"(?:\b(?:at|in|to|from|the|an?|our|my|this|that)|@) $", re.IGNORECASE)
_LONGEST = 6
_STREET = re.compile(
    r" (?:street|st|road|rd|lane|ln|avenue|ave|square|sq|way|close|drive|dr|row|court|place|terrace"
    r"|crescent|boulevard|blvd|alley|gate|hill|yard|quay|wharf|path|parade)\b",
    re.IGNORECASE,
)
# Where one eats or buys something may lie in, or be called after, another kind of place.
_WITHIN = frozenset(("cafe", "restaurant", "bar", "pub", "shop"))


def kinds_of_places(text: str) -> list[Hint]:
    """The kinds of places that a text tells of, in its order: "shop for food" is no shop."""
    return [one for one in _found(text)
            if " " in text[one.begin : one.end]
            or _AT.search(text, max(0, one.begin - _LONGEST), one.begin)]  # fmt: skip


def kind_of_place(name: str) -> Hint | None:
    """The kind of one place, by its name: a "Park Café" is a café, "Church Street" no church."""
    found = [one for one in _found(name) if not _STREET.match(name, one.end)]
    within = [one for one in found if one.values[0] in _WITHIN] or found
    return within[-1] if within else None


def _found(text: str) -> list[Hint]:
    words = words_of(text[:MOST], bare)
    return [Hint(words[first].begin, words[after - 1].end, (kind,))
            for (first, after), kind in _venues().found(words)]  # fmt: skip


@cache
def _venues() -> Phrases[str]:
    return Phrases({key_of(phrase, bare): kind for phrase, kind in lines("venues.tsv")})
