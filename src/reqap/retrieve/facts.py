"""Facts of a life that the profile lists with their dates: homes, jobs, schools, pets, births.

Who asks for just that ("our moves", "we got Rex") means those facts, all of them, and not whatever
text speaks of a flat. Not the job of this module: what else happened (`cascade`).
"""

import re
from typing import NamedTuple

from reqap.retrieve.words import fold, says_nothing, stem


class _Sort(NamedTuple):
    """Facts whose names end alike; words that ask for them, and words that may stand beside."""

    ends: str
    asks: frozenset[str]
    beside: frozenset[str]


def stems(text: str) -> frozenset[str]:
    """The words that say something, in whatever form."""
    words = fold(text.replace("_", " "))
    return frozenset(stem(word) for word in words if not says_nothing(word))


_SORTS = tuple(
    _Sort(ends, stems(asks), stems(beside))
    for ends, asks, beside in (
        (" home", "move home house flat apartment relocate", "live address city town"),
        (" a job", "job employer", "work company role firm employ career position"),
        (" an education", "school university college education degree", "study student"),
        (" a pet", "pet", "animal live"),
        ("born", "born birth", "child baby kid son daughter grandchild"),
    )
)
# How such a thing begins or ends: beside a name that is enough ("we got Rex").
_TURNS = stems("start begin join get adopt come arrive leave quit finish change switch")
_WHICH = stems("new old newest oldest youngest current former present different list")
_ELSEWHERE = re.compile(r"\b(?:at|from|near) (?:home|school|university|college)\b", re.IGNORECASE)


def is_meant(query: str, text: str) -> bool:
    """Whether a query asks for a fact, as the index has it: "profile; event: got a pet; …"."""
    said = stems(query)
    if not said or _ELSEWHERE.search(query):  # "I was at home" is no move
        return False
    label, *rest = [part.partition(": ")[2] for part in text.split("; ")[1:]]
    sort = next((one for one in _SORTS if label.endswith(one.ends)), None)
    if sort is None:
        return False
    names = frozenset[str]().union(*map(stems, rest))
    known = sort.asks | sort.beside | _TURNS | _WHICH | names
    return said <= known and bool(said & sort.asks or (said & names and said & _TURNS))
