"""What a query says beside what it looks for: what is left out, on which service or device it was,
and who wrote to whom.

Models read such words as more of the same: "purchases except books" gives the books. They are taken
off, and looked up. Not the job of this module: finding the rest (`cascade`).
"""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple

from reqap.profile.naming import Naming
from reqap.retrieve.words import fold
from reqap.store import Store

_EXCEPT = re.compile(
    r",?\s+(?:except(?: for)?|excluding|other than|apart from|aside from|but not"
    r"|(?:that|which|who) (?:(?:are|were|is|was) not|(?:are|were|is|was)n['’]t)"
    r"|(?<!did )(?<!do )(?<!does )(?<!have )(?<!had )(?<!has )(?<!could )(?<!can )(?<!was )"
    r"(?<!is )(?<!were )(?<!are )not(?! only\b| yet\b| just\b))\s+",
    re.IGNORECASE,
)
_ON = re.compile(
    r"\s+(?:on|via|using|through) (?:(?:my|our|the) )?([^\W_]+(?:[ .-][^\W_]+){0,2}?)"
    r"(?=$|\s+(?:in|at|by|with|during|since|from|before|after)\b|[?,.!])",
    re.IGNORECASE,
)
_WROTE = re.compile(
    r"\b(from|to) ((?:(?!about|regarding|on|in|since|during|and|from|to\b)[^\s,?!]+ ?){1,5})",
    re.IGNORECASE,
)
# Where a record says with what, or on which service, it was made.
_KEYS = ("device", "platform", "website", "source_name", "app")
_MOST_VALUES = 500
_SENT_BY, _SENT_TO = ("sender", "from"), ("recipient", "to", "cc")


def left_out(query: str) -> tuple[str, str] | None:
    """A query for all of something but a part of it: the whole, and that part."""
    found = _EXCEPT.search(query)
    if found is None or not query[: found.start()].strip() or not query[found.end() :].strip():
        return None
    whole = query[: found.start()]
    return whole, f"{whole} {query[found.end() :]}"


class Origin(NamedTuple):
    """A query without what it says of a service or device, and the events that it is said of."""

    rest: str
    ids: frozenset[str]


class Origins:
    """The services and devices of a store's records."""

    def __init__(self, store: Store) -> None:
        self._store = store
        values = ", ".join(f"json_extract_string(data, '$.{key}')" for key in _KEYS)
        with store.connection.cursor() as cursor:
            rows = cursor.execute(
                f"SELECT DISTINCT kind, unnest([source, {values}]) AS said FROM events"
                f" WHERE kind <> 'profile' LIMIT {_MOST_VALUES}"
            ).fetchall()
        self._known = [(kind, said, frozenset(_words(said))) for kind, said in rows if said]

    def find(self, query: str, kinds_of: Callable[[str], Collection[str]]) -> Origin | None:
        """`kinds_of` tells the kinds that words name: a watch that was bought made no record, and
        "everything on my calendar" is no calendar's."""
        found = _ON.search(query)
        if found is None:
            return None
        rest = query[: found.start()] + query[found.end() :]
        asked, kinds = frozenset(_words(found[1])), kinds_of(rest)
        meant = [(kind, said) for kind, said, words in self._known
                 if asked and asked <= words and kind in kinds]  # fmt: skip
        if not meant:
            return None
        values = ", ".join(f"json_extract_string(data, '$.{key}')" for key in _KEYS)
        with self._store.connection.cursor() as cursor:
            rows = cursor.execute(
                f"SELECT id FROM events WHERE list_contains($1, kind)"
                f" AND list_has_any([source, {values}], $2)",
                [sorted({kind for kind, _ in meant}), sorted({said for _, said in meant})],
            ).fetchall()
        return Origin(rest, frozenset(name for (name,) in rows))


def _words(text: str) -> list[str]:
    return fold(text.replace("_", " "))


class Correspondents(NamedTuple):
    """Who must have written, or got, a mail."""

    keys: tuple[str, ...]
    names: tuple[frozenset[str], ...]  # the words of each
    known: bool  # whether the profile knows them

    def fit(self, patterns: Iterable[str]) -> bool:
        """Whether the values of a mail name one of them there."""
        for one in patterns:
            key, _, value = one.partition("; ")[2].partition(": ")
            if key.startswith(self.keys):
                words = frozenset(_words(value))
                if any(name <= words for name in self.names):
                    return True
        return False


def correspondents(query: str, naming: Naming) -> Correspondents | None:
    """Of a query for mails "from Tom" or "to Tom"."""
    found = _WROTE.search(query)
    if found is None:
        return None
    people = naming.people(found[2])
    names = [name for person in people for name in (person.name, *person.nicknames, *person.emails)]
    names += [] if people else [found[2]]
    words: Sequence[frozenset[str]] = [frozenset(_words(name)) for name in names]
    keys = _SENT_BY if found[1].casefold() == "from" else _SENT_TO
    return Correspondents(keys, tuple(filter(None, words)), bool(people))
