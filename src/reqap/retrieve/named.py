"""Records of services that a query names by the words of their values.

"Multimeters I bought", "Yesterday by the Beatles" and "my microSD cards" are said plainly, and are
looked up: what networks have learnt ends with the names of things. Not the job of this module: what
people tell (`cascade`), and words that stand for others.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from reqap.profile import Profile
from reqap.retrieve import company
from reqap.retrieve.kinds import kind_words
from reqap.retrieve.query import Term, read_query
from reqap.retrieve.words import OWN, WEAK, fold, folded_sql, says_nothing, stem, whole_words
from reqap.store import Store
from reqap.verbalize import TELLINGS, is_consumed

OWNED = "online_purchase"  # what one has: a query that is nothing but the name means these
_FACT = "profile"
_MOST_TERMS = 8  # a longer query names more than a thing
_MOST = 5_000  # texts that say all words: of more, the words are no name
_SEVERAL = 2  # words that are a name, where a query is nothing else
# Verbs for what is played, by the kinds that they may mean; they mean much else.
_VERBS = (
    *((stem(verb), ("movie_stream", "series_stream", "video_stream"))
      for verb in ("see", "stream")),
    *((stem(verb), ("music_stream", "podcast_stream")) for verb in ("hear", "play", "stream")),
)  # fmt: skip
# Behind these stands when and where something was played, and not what: "songs I heard at home".
_AROUND = frozenset(
    [
        "at",
        "in",
        "on",
        "while",
        "during",
        "when",
        "after",
        "before",
        "with",
        "for",
        "without",
        "near",
    ]
)
_LITTLE = OWN | {"the", "a", "an"}


class Saying(NamedTuple):
    """What a query names, and the texts of records that say all of it."""

    terms: tuple[Term, ...] = ()
    texts: tuple[int, ...] = ()
    stems: frozenset[str] = frozenset()  # of all words of the query
    kinds: frozenset[str] = frozenset()  # that it may mean; records of others must be called so
    is_said: bool = False  # it names a kind
    is_bare: bool = False

    def named(self, described: Sequence[tuple[str, Sequence[str]]]) -> list[str]:
        """For each of the texts, with its kind and values, those that say together what is named
        and nothing else, a title and its artist maybe; empty where it says more. A "running watch"
        is a watch, and a "watch strap" is none."""
        found = [self._values(kind, values) for kind, values in described]
        if self.is_bare and len(self.terms) >= _SEVERAL and not any(found):
            return [" ".join(term.label for term in self.terms)] * len(found)
        if self.is_said and not any(found):
            return [self._sort_of(kind, values) for kind, values in described]
        return found

    def _sort_of(self, kind: str, values: Sequence[str]) -> str:
        """What is bought and ends in what is named."""
        last = self.terms[-1].phrases
        for one in values if kind == OWNED and kind in self.kinds else ():
            line = f" {' '.join(fold(one.partition(': ')[2]))} "
            ends = any(line.endswith(f" {phrase} ") for phrase in last)
            if ends and all(any(f" {p} " in line for p in term.phrases) for term in self.terms):
                return one
        return ""

    def _values(self, kind: str, values: Sequence[str]) -> str:
        words = {one: fold(one.partition(": ")[2]) for one in values}
        whole = {one: said for one, said in words.items() if self._is_said(said)}
        lines = [f" {' '.join(said)} " for said in whole.values()]
        all_told = all(any(f" {phrase} " in line for line in lines for phrase in term.phrases)
                       for term in self.terms)  # fmt: skip
        called = {stem(word) for said in whole.values() for word in said} & self._others
        # Whoever came along on a ride: to have met somebody is more than that.
        tells = self.is_said or not all(company.is_of_people(one) for one in whole)
        return "; ".join(whole) if all_told and tells and (kind in self.kinds or called) else ""

    def _is_said(self, words: Iterable[str]) -> bool:
        """Whether the query has all words of a value that say something."""
        telling = {stem(word) for word in words if not says_nothing(word)}
        return bool(telling) and telling <= self.stems | self._terms

    @property
    def _terms(self) -> frozenset[str]:
        return frozenset(stem(word) for term in self.terms for phrase in term.phrases
                         for word in phrase.split())  # fmt: skip

    @property
    def _others(self) -> frozenset[str]:
        """Words that name a kind, or are part of what is named: "the running watch"."""
        return self.stems - self._terms - WEAK


class Names:
    """Looks in the index of a store."""

    def __init__(self, store: Store, profile: Profile) -> None:
        self._store, self._profile = store, profile
        with store.connection.cursor() as cursor:
            rows = cursor.execute("SELECT DISTINCT kind FROM indexed_texts").fetchall()
        self._kinds = {kind for (kind,) in rows} - {*TELLINGS, _FACT}
        self._table = kind_words(self._kinds)

    def kinds(self, query: str) -> frozenset[str]:
        """The kinds that a query names, of whatever sort."""
        asked = read_query(query, self._profile, self._table)
        return frozenset(target.kind for target in asked.targets)

    def find(self, query: str) -> Saying:
        asked = read_query(query, self._profile, self._table)
        stems = frozenset(stem(word) for word in fold(query) if not says_nothing(word))
        kinds = self._kinds & {target.kind for target in asked.targets}
        is_bare = not asked.targets and _is_bare(query, asked.terms)
        if not asked.targets:
            kinds = {
                kind
                for kind in self._kinds
                if not is_consumed(kind)
                or any(word in stems and kind.endswith(ends) for word, ends in _VERBS)
            }
            kinds |= self._kinds & {OWNED} if is_bare else set()
        if _is_around(query, asked.terms):
            kinds = {kind for kind in kinds if kind == OWNED or not is_consumed(kind)}
        if not kinds or not 0 < len(asked.terms) <= _MOST_TERMS:
            return Saying()
        texts = self._saying({*kinds, OWNED}, asked.terms)
        is_said = bool(asked.targets)
        return Saying(asked.terms, texts, stems, frozenset(kinds), is_said, is_bare)

    def _saying(self, kinds: Iterable[str], terms: Sequence[Term]) -> tuple[int, ...]:
        """The texts of these kinds that say every word, in any form."""
        each = [whole_words(term.phrases) for term in terms]
        says = " AND ".join(f"regexp_matches(words, ${n + 2})" for n in range(len(each)))
        with self._store.connection.cursor() as cursor:
            found = cursor.execute(
                f"WITH held AS (SELECT text_id, {folded_sql('text')} AS words"
                " FROM indexed_texts WHERE list_contains($1, kind))"
                f" SELECT text_id FROM held WHERE {says} ORDER BY text_id LIMIT {_MOST + 1}",
                [sorted(kinds), *each],
            ).fetchall()
        return tuple(number for (number,) in found) if len(found) <= _MOST else ()


def _is_bare(query: str, terms: Iterable[Term]) -> bool:
    """Whether a query is a name and nothing more: "my microSD cards"."""
    named = {word for term in terms for word in term.label.split()}
    return all(word in named or word in _LITTLE for word in fold(query))


def _is_around(query: str, terms: Iterable[Term]) -> bool:
    """Whether a query says when, where or with whom."""
    labels = {term.label.split()[0] for term in terms}
    words = [word for word in fold(query) if word not in _LITTLE]
    return any(before in _AROUND and word in labels for before, word in pairwise(words))
