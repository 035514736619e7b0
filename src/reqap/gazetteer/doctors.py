"""What kind of doctor words mean: `doctors.tsv` has one phrase a line, with the speciality."""

from functools import cache

from reqap.gazetteer.food import Hint
from reqap.gazetteer.phrases import MOST, Phrases, bare, key_of, lines, words_of


def doctors(text: str) -> list[Hint]:
    """The doctors that are named by what they do, in the order of the text."""
    text = text[:MOST]
    words = words_of(text, _plain)
    return [Hint(words[first].begin, words[after - 1].end, (kind,))
            for (first, after), kind in _doctors().found(words)]  # fmt: skip


def is_doctor(kind: str) -> bool:
    return kind in _kinds()


@cache
def _kinds() -> frozenset[str]:
    return frozenset(_doctors().values())


@cache
def _doctors() -> Phrases[str]:
    return Phrases({key_of(phrase, _plain): kind for phrase, kind in lines("doctors.tsv")})


def _plain(word: str) -> str:
    """ "dentist's" and "dentists" are the dentist."""
    small = bare(word)
    return small[:-1] if len(small) > 3 and small.endswith("s") else small
