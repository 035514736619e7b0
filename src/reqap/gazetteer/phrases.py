"""Phrases of a list, found in a text: word by word, the longest first, in one pass.

Not the job of this module: what phrases mean, and whether they are meant (`food`, `countries`).
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import resources
from typing import Generic, NamedTuple, TypeVar

MOST = 12_000  # characters of a text
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
T = TypeVar("T")


class Word(NamedTuple):
    plain: str
    begin: int
    end: int


class Phrase(NamedTuple):
    """Words `first` up to `after`, as numbers."""

    first: int
    after: int


def bare(word: str) -> str:
    """A word without capitals and accents."""
    small = word.casefold()
    if not small.isascii():
        small = unicodedata.normalize("NFKD", small)
    return small if small.isalnum() else "".join(c for c in small if c.isalnum())


def words_of(text: str, plain: Callable[[str], str]) -> list[Word]:
    return [Word(plain(m[0]), m.start(), m.end()) for m in _WORD.finditer(text[:MOST])]


def key_of(phrase: str, plain: Callable[[str], str]) -> str:
    """How a phrase is looked up."""
    return " ".join(word.plain for word in words_of(phrase, plain))


class Phrases(Generic[T]):
    """A list of phrases, each with what is known of it."""

    def __init__(self, table: Mapping[str, T]) -> None:
        self._table = table
        self._longest: dict[str, int] = {}  # by first words: most words of a phrase
        for phrase in table:
            first, size = phrase.partition(" ")[0], phrase.count(" ") + 1
            self._longest[first] = max(size, self._longest.get(first, 0))

    def get(self, key: str) -> T | None:
        return self._table.get(key)

    def values(self) -> Iterable[T]:
        return self._table.values()

    def found(self, words: Sequence[Word]) -> Iterator[tuple[Phrase, T]]:
        """What is known in a text; none overlaps another."""
        at = 0
        while at < len(words):
            longest = self._longest.get(words[at].plain, 0)
            for size in range(min(longest, len(words) - at), 0, -1):
                known = self.get(" ".join(word.plain for word in words[at : at + size]))
                if known is not None:
                    yield Phrase(at, at + size), known
                    at += size
                    break
            else:
                at += 1


def word_set(words: str) -> frozenset[str]:
    return frozenset(words.split())


def lines(name: str) -> Iterator[list[str]]:
    """The lines of a list of this package, as their columns."""
    file = resources.files("reqap.gazetteer") / name
    for line in file.read_text(encoding="utf-8").splitlines():
        yield line.split("\t")
