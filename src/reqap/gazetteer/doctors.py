"""What kind of doctor words mean: `doctors.tsv` has one phrase a line, with the speciality."""

from functools import cache

from reqap.gazetteer.food import Hint
from reqap.gazetteer.phrases import MOST, bare, key_of, lines, phrases, words_of

_LONGEST = 4  # words


def doctors(text: str) -> list[Hint]:
    """The doctors that are named by what they do, in the order of the text."""
    text = text[:MOST]
    words = words_of(text, bare)
    return [Hint(words[first].begin, words[after - 1].end, (kind,))
            for (first, after), kind in phrases(words, _doctors(), _LONGEST)]  # fmt: skip


def is_doctor(kind: str) -> bool:
    return kind in _kinds()


@cache
def _kinds() -> frozenset[str]:
    return frozenset(_doctors().values())


@cache
def _doctors() -> dict[str, str]:
    return {key_of(phrase, bare): kind for phrase, kind in lines("doctors.tsv")}
