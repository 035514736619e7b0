"""What the world knows and texts leave out: which cuisine a dish belongs to.

Small models know a few dishes; a list knows thousands. `food.tsv` has one phrase a line, with the
cuisines that claim it. Not the job of this module: deciding what was asked for (`extract`), or what
is found (`retrieve`); both take what is implied here as a hint and decide themselves.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources

# Changes with the lists, and with how phrases are found.
VERSION = 1
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_LONGEST = 5  # words
_MOST = 12_000  # characters of a text


@dataclass(frozen=True)
class Hint:
    """Words of a text, and the values that they imply."""

    begin: int
    end: int
    values: tuple[str, ...]


def hints(text: str) -> list[Hint]:
    """The phrases that are known, longest first where they overlap, in the order of the text."""
    text = text[:_MOST]
    found: list[Hint] = []
    words = [(_plain(m[0]), m.start(), m.end()) for m in _WORD.finditer(text)]
    at = 0
    while at < len(words):
        for size in range(min(_LONGEST, len(words) - at), 0, -1):
            chosen = words[at : at + size]
            begin, end = chosen[0][1], chosen[-1][2]
            values = _food().get(" ".join(word for word, _, _ in chosen))
            if values and not (size == 1 and _is_name(text, begin, end)):
                found.append(Hint(begin, end, values))
                at += size
                break
        else:
            at += 1
    return found


def _is_name(text: str, begin: int, end: int) -> bool:
    """A capital in the middle of a sentence: "with Nacho" is nobody's snack."""
    if not text[begin].isupper() or text[begin:end].isupper():
        return False
    before = text[max(0, begin - 10) : begin].rstrip()
    return bool(before) and (before[-1].isalnum() or before[-1] in ",+&")


def _plain(word: str) -> str:
    """A word without capitals, accents and the -s of a plural."""
    bare = "".join(c for c in unicodedata.normalize("NFKD", word.casefold()) if c.isalnum())
    return bare[:-1] if len(bare) > 3 and bare.endswith("s") and not bare.endswith("ss") else bare


@cache
def _food() -> dict[str, tuple[str, ...]]:
    file = resources.files("reqap.gazetteer") / "food.tsv"
    return {_key(phrase): values for phrase, values in _lines(file.read_text(encoding="utf-8"))}


def _lines(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    for line in text.splitlines():
        phrase, _, values = line.partition("\t")
        yield phrase, tuple(values.split(", "))


def _key(phrase: str) -> str:
    return " ".join(_plain(word) for word in _WORD.findall(phrase))
