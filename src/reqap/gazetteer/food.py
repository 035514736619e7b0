"""Which cuisines a dish belongs to: `food.tsv` has one phrase a line, with those that claim it.

`cuisines.tsv` has the countries that are theirs.
"""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cache

from reqap.gazetteer.phrases import MOST, Phrases, bare, key_of, lines, words_of


@dataclass(frozen=True)
class Hint:
    """Words of a text, and the values that they imply."""

    begin: int
    end: int
    values: tuple[str, ...]


def hints(text: str) -> list[Hint]:
    """The phrases that are known, longest first where they overlap, in the order of the text."""
    text = text[:MOST]
    words = words_of(text, _plain)
    found: list[Hint] = []
    for (first, after), values in _food().found(words):
        begin, end = words[first].begin, words[after - 1].end
        if after - first > 1 or not _is_name(text, begin, end):
            found.append(Hint(begin, end, values))
    return found


def local(cuisine: str, text: str, countries: Collection[str]) -> str:
    """Of the cuisines that claim all dishes of a text that this one claims, that of these
    countries; where several or none of theirs do, it stays."""
    claimed = [set(one.values) for one in hints(text) if cuisine in one.values]
    claiming = set.intersection(*claimed) if claimed else set[str]()
    here = [value for value in sorted(claiming) if _countries().get(value) in countries]
    return here[0] if len(here) == 1 else cuisine


def is_cuisine(name: str) -> bool:
    """Whether somebody's cuisine is called so."""
    return name in _cuisines()


def _is_name(text: str, begin: int, end: int) -> bool:
    """A capital in the middle of a sentence: "with Nacho" is nobody's snack."""
    if not text[begin].isupper() or text[begin:end].isupper():
        return False
    before = text[max(0, begin - 10) : begin].rstrip()
    return bool(before) and (before[-1].isalnum() or before[-1] in ",+&")


def _plain(word: str) -> str:
    """A word without capitals, accents and the -s of a plural."""
    small = bare(word)
    plural = len(small) > 3 and small.endswith("s") and not small.endswith("ss")
    return small[:-1] if plural else small


@cache
def _food() -> Phrases[tuple[str, ...]]:
    return Phrases({key_of(phrase, _plain): tuple(values.split(", "))
                    for phrase, values in lines("food.tsv")})  # fmt: skip


@cache
def _cuisines() -> frozenset[str]:
    return frozenset(value for values in _food().values() for value in values)


@cache
def _countries() -> dict[str, str]:
    return dict(lines("cuisines.tsv"))
