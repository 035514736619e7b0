"""What a query says beside what it looks for: what is left out, on which service or device it was,
and who wrote to whom.

Models read such words as more of the same: "purchases except books" gives the books. They are taken
off, and looked up. Not the job of this module: finding the rest (`cascade`).
"""

import re
from collections.abc import Callable, Collection, Iterable
from typing import NamedTuple

from reqap.profile.naming import Naming
from reqap.retrieve.words import fold
from reqap.store import Store

# "Not" with a capital is part of a name, and "did not like" leaves nothing out.
_EXCEPT = re.compile(
    r"(?:,?\s+(?:(?i:except(?: for)?|excluding|other than|apart from|aside from|but not"
    r"|(?:that|which|who) (?:(?:are|were|is|was) not|(?:are|were|is|was)n['’]t))"
    r"|not(?= (?:by|at|in|on|from|with|for|about|to)\b))|,\s+not)\s+"
)
_ON = re.compile(
    r"\s+(?:on|via|using|through) (?:(?:my|our|the) )?([^\W_]+(?:[ .-][^\W_]+){0,2}?)"
    r"(?=$|\s+(?:in|at|by|with|during|since|from|before|after)\b|[?,.!])",
    re.IGNORECASE,
)
_WROTE = re.compile(
    r"\b(from|to) ((?:(?!(?:about|regarding|on|in|since|during|from|to)\b)[^\s?!]+ ?){1,8})",
    re.IGNORECASE,
)
_ABOUT = re.compile(r"\b(?:about|regarding|concerning|on)\b", re.IGNORECASE)
# Where a record says with what, or on which service, it was made.
_KEYS = ("device", "platform", "website", "source_name", "app")
_SAID = "[source, " + ", ".join(f"json_extract_string(data, '$.{key}')" for key in _KEYS) + "]"
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
        with store.connection.cursor() as cursor:
            rows = cursor.execute(
                f"SELECT kind, said FROM (SELECT kind, unnest({_SAID}) AS said FROM events"
                " WHERE kind <> 'profile') GROUP BY ALL ORDER BY count(*) DESC, kind, said"
                f" LIMIT {_MOST_VALUES}"
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
        with self._store.connection.cursor() as cursor:
            rows = cursor.execute(
                f"SELECT id FROM events WHERE list_contains($1, kind)"
                f" AND list_has_any({_SAID}, $2)",
                [sorted({kind for kind, _ in meant}), sorted({said for _, said in meant})],
            ).fetchall()
        return Origin(rest, frozenset(name for (name,) in rows))


def _words(text: str) -> list[str]:
    return fold(text.replace("_", " "))


class Correspondents(NamedTuple):
    """Who must have written, or got, a mail."""

    keys: tuple[str, ...]
    names: tuple[frozenset[str], ...]  # the words of each
    calls: tuple[frozenset[str], ...]  # first names: they fit where nothing else stands there
    known: bool  # whether the profile knows them

    def fit(self, patterns: Iterable[str]) -> bool:
        """Whether the values of a mail name one of them there."""
        for one in patterns:
            key, _, value = one.partition("; ")[2].partition(": ")
            if key.partition(" ")[0] in self.keys:
                words = frozenset(_words(value))
                called = frozenset(_words(value.partition("<")[0]))
                if called in self.calls or any(name <= words for name in self.names):
                    return True
        return False


def correspondents(query: str, naming: Naming) -> Correspondents | None:
    """Of a query for mails "from Tom" or "to Tom and Ana"; "about our visit to Tom" is no such."""
    found = _WROTE.search(query)
    if found is None or _ABOUT.search(query[: found.start()]):
        return None
    people = naming.people(found[2])
    names = [name for person in people for name in (person.name, *person.nicknames, *person.emails)]
    names += [] if people else [found[2]]
    first = [person.name.partition(" ")[0] for person in people]
    calls = [one for one, person in zip(first, people, strict=True)
             if naming.people(one) == [person]]  # fmt: skip
    keys = _SENT_BY if found[1].casefold() == "from" else _SENT_TO
    each = [[frozenset(_words(one)) for one in some] for some in (names, calls)]
    whole, short = (tuple(filter(None, some)) for some in each)
    return Correspondents(keys, whole, short, bool(people))
