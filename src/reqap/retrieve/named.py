"""Records of services that a query names by the words of one of their values.

"Multimeters I bought", "songs by Queen" and "my microSD cards" are said plainly, and are looked up:
what networks have learnt ends with the names of things. Not the job of this module: what people
tell (`cascade`), and words that stand for others.
"""

from collections.abc import Iterable
from typing import NamedTuple

from reqap.profile import Profile
from reqap.retrieve.kinds import kind_words
from reqap.retrieve.query import Term, read_query
from reqap.retrieve.words import OWN, fold, folded_sql, says_nothing, stem, whole_words
from reqap.store import Store
from reqap.verbalize import TELLINGS

_OWNED = "online_purchase"  # what one has: a query that is nothing but the name means these
_FACT = "profile"
_MOST_TERMS = 8  # a longer query names more than a thing
_MOST = 5_000  # texts that say all words: of more, the words are no name
_LITTLE = OWN | {"the", "a", "an"}


class Saying(NamedTuple):
    """What a query names, and the texts of records that say all of it."""

    terms: tuple[Term, ...] = ()
    texts: tuple[int, ...] = ()

    def value_in(self, patterns: Iterable[str]) -> str:
        """The pattern whose value says what is named and nothing else, if one does."""
        return next((one for one in patterns if _is_just(self.terms, one.partition(": ")[2])), "")


class Names:
    """Looks in the index of a store."""

    def __init__(self, store: Store, profile: Profile) -> None:
        self._store, self._profile = store, profile
        with store.connection.cursor() as cursor:
            rows = cursor.execute("SELECT DISTINCT kind FROM indexed_texts").fetchall()
        self._kinds = {kind for (kind,) in rows} - {*TELLINGS, _FACT}
        self._table = kind_words(self._kinds)

    def find(self, query: str) -> Saying:
        asked = read_query(query, self._profile, self._table)
        kinds = self._kinds & {target.kind for target in asked.targets}
        if not asked.targets and _is_bare(query, asked.terms):
            kinds = self._kinds & {_OWNED}
        if not kinds or not 0 < len(asked.terms) <= _MOST_TERMS:
            return Saying()
        each = [whole_words(term.phrases) for term in asked.terms]
        says = " AND ".join(f"regexp_matches(words, ${n + 2})" for n in range(len(each)))
        with self._store.connection.cursor() as cursor:
            found = cursor.execute(
                f"WITH held AS (SELECT text_id, {folded_sql('text')} AS words"
                " FROM indexed_texts WHERE list_contains($1, kind))"
                f" SELECT text_id FROM held WHERE {says} ORDER BY text_id LIMIT {_MOST + 1}",
                [sorted(kinds), *each],
            ).fetchall()
        texts = tuple(number for (number,) in found)
        return Saying(asked.terms, texts) if len(texts) <= _MOST else Saying()


def _is_bare(query: str, terms: Iterable[Term]) -> bool:
    """Whether a query is a name and nothing more: "my microSD cards"."""
    named = {word for term in terms for word in term.label.split()}
    return all(word in named or word in _LITTLE for word in fold(query))


def _is_just(terms: Iterable[Term], value: str) -> bool:
    """Whether a value says every term, and nothing else."""
    words = fold(value)
    line, said = f" {' '.join(words)} ", set[str]()
    for term in terms:
        here = [phrase for phrase in term.phrases if f" {phrase} " in line]
        if not here:
            return False
        said.update(stem(word) for phrase in here for word in phrase.split())
    return all(stem(word) in said or says_nothing(word) for word in words)
