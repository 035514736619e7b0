"""Records of services that a query names by the words of their values.

"Multimeters I bought", "Yesterday by the Beatles" and "my microSD cards" are said plainly, and are
looked up: what networks have learnt ends with the names of things. Not the job of this module: what
people tell (`cascade`), and words that stand for others.
"""

from collections.abc import Collection, Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from reqap.profile import Profile
from reqap.profile.relations import word_set
from reqap.retrieve import company
from reqap.retrieve.kinds import kind_words
from reqap.retrieve.query import Term, read_query
from reqap.retrieve.words import OWN, WEAK, fold, folded_sql, says_nothing, sieve, stem, whole_words
from reqap.store import Store
from reqap.verbalize import TELLINGS, is_consumed

OWNED = "online_purchase"  # what one has: a query that is nothing but the name means these
_FACT = "profile"
_MOST_TERMS = 8  # a longer query names more than a thing
_MOST = 5_000  # texts that say all words: of more, the words are no name
_PLAIN = 8  # texts that say all of a query
_SEVERAL = 2  # words that are a name, where a query is nothing else
# Verbs for what is played, by the kinds that they may mean; they mean much else.
_VERBS = (
    *((stem(verb), ("movie_stream", "series_stream", "video_stream"))
      for verb in ("see", "stream")),
    *((stem(verb), ("music_stream", "podcast_stream")) for verb in ("hear", "play", "stream")),
)  # fmt: skip
# Behind these stands when and where something was played, and not what: "songs I heard at home".
_AROUND = word_set("at in on while during when after before with for without near")
_JOINING = ("and", "or")
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
        self._kinds = frozenset(kind for (kind,) in rows) - {*TELLINGS, _FACT}
        self._table = kind_words(self._kinds)

    def kinds(self, query: str) -> frozenset[str]:
        """The kinds that a query names, of whatever sort."""
        asked = read_query(query, self._profile, self._table)
        return frozenset(target.kind for target in asked.targets)

    def find(self, query: str) -> tuple[Saying, list[Saying]]:
        """What a query names; and, where that may be several things, each of them."""
        asked = read_query(query, self._profile, self._table)
        stems = frozenset(stem(word) for word in fold(query) if not says_nothing(word))
        kinds = self._kinds & {target.kind for target in asked.targets}
        is_bare = not asked.targets and _is_bare(query, asked.terms)
        if not asked.targets:
            kinds = frozenset(kind for kind in self._kinds if _may_be_meant(kind, stems, is_bare))
        if _is_around(query, asked.terms):
            kinds = frozenset(one for one in kinds if one == OWNED or not is_consumed(one))
        if not kinds or not 0 < len(asked.terms) <= _MOST_TERMS:
            return Saying(), []
        whole = Saying(asked.terms, (), stems, kinds, bool(asked.targets), is_bare)
        searched = [whole, *(whole._replace(terms=some) for some in _listed(query, asked.terms))]
        whole, *others = (one._replace(texts=self._saying({*kinds, OWNED}, one.terms))
                          for one in searched)  # fmt: skip
        return whole, others

    def plainly(self, query: str) -> tuple[int, ...]:
        """The shortest texts that people wrote which say all words of a query, in any form."""
        asked = read_query(query, self._profile, self._table)
        said = [term.phrases for term in asked.terms[:_MOST_TERMS]]
        said += [asked.senses] if asked.senses else []
        if not said:
            return ()
        each = [whole_words(phrases) for phrases in said]
        count = " + ".join(f"regexp_matches(words, ${n + 3})::INT" for n in range(len(each)))
        with self._store.connection.cursor() as cursor:
            found = cursor.execute(
                f"WITH held AS (SELECT text_id, {folded_sql('text')} AS words FROM indexed_texts"
                " WHERE list_contains($1, kind) AND regexp_matches(text, $2))"
                f" SELECT text_id, {count} AS n FROM held WHERE n = {len(each)}"
                f" ORDER BY n DESC, length(words), text_id LIMIT {_PLAIN}",
                [list(TELLINGS), sieve(frozenset[str]().union(*said)), *each],
            ).fetchall()
        return tuple(number for number, _ in found)

    def _saying(self, kinds: Iterable[str], terms: Sequence[Term]) -> tuple[int, ...]:
        """The texts of these kinds that say every word, in any form."""
        each = [whole_words(term.phrases) for term in terms]
        says = " AND ".join(f"regexp_matches(words, ${n + 3})" for n in range(len(each)))
        # Most texts say nothing of it, which is cheaper to see before they are folded.
        with self._store.connection.cursor() as cursor:
            found = cursor.execute(
                f"WITH held AS (SELECT text_id, {folded_sql('text')} AS words FROM indexed_texts"
                " WHERE list_contains($1, kind) AND regexp_matches(text, $2))"
                f" SELECT text_id FROM held WHERE {says} ORDER BY text_id LIMIT {_MOST + 1}",
                [sorted(kinds), sieve(terms[-1].phrases), *each],
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


def _may_be_meant(kind: str, stems: Collection[str], is_bare: bool) -> bool:
    """Of a query that names no kind: a sport, what is played or seen, or what one has."""
    if kind == OWNED:
        return is_bare
    verbs = [ends for verb, ends in _VERBS if verb in stems]
    return not is_consumed(kind) or any(kind.endswith(ends) for ends in verbs)


def _listed(query: str, terms: Sequence[Term]) -> list[tuple[Term, ...]]:
    """The things of a list: "songs by Queen or the Police"; none where it is no list."""
    first = {term.label.split()[0]: term for term in reversed(terms)}
    groups: list[list[Term]] = [[]]
    for word in fold(query.replace("&", " and ").replace(",", " and ")):
        if word in _JOINING and groups[-1]:
            groups.append([])
        elif word in first:
            groups[-1].append(first[word])
    found = [tuple(group) for group in groups if group]
    return found if len(found) > 1 else []
