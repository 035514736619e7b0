"""Queries with texts that match them and texts that do not: what the models of RETRIEVE learn from.

The sources: the lives of PerQA's train personas (the gold predicates of all RETRIEVE calls) here,
texts that were written one by one (`retrieve_written`), what implies what (`hints`), and what says
it plainly (`named`). Hard negatives share words, people or kind with the query; texts that may or
may not match are left out, and so are all queries on which the search is measured.
"""

import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache, cached_property
from pathlib import Path

from reqap.evaluate.finding import lives_in, plain
from reqap.evaluate.report import kept_lines
from reqap.events import Value
from reqap.perqa.exports.profile import profile as exported_profile
from reqap.perqa.lives import load_lives
from reqap.perqa.persona import load_persona
from reqap.perqa.relevance import Relevance, judged_queries, queries_of
from reqap.perqa.templates import load_templates
from reqap.perqa.texts import Observation
from reqap.profile import Profile
from reqap.retrieve.index import Owner, in_words
from reqap.retrieve.people import with_names
from reqap.train.hints import retrieve_lessons
from reqap.train.named import named_lessons
from reqap.train.retrieve_lesson import Amount, Lesson, some, words, written
from reqap.train.retrieve_written import asked, halves, nothing, of_life, tellings, whole_kinds
from reqap.verbalize import IRRELEVANT, PARTIAL, RELEVANT, explained, patterns_of

_SHARED = 5  # observations that a value must have in common to be a pattern


def lessons(
    split: str, build: Path, amount: Amount, left_out: frozenset[str] = frozenset(), seed: int = 1
) -> Iterator[Lesson]:
    """All of a split, less the queries that are left out."""
    for one in _all(split, build, amount, seed):
        if plain(one.query) not in left_out:
            yield one


def _all(split: str, build: Path, amount: Amount, seed: int) -> Iterator[Lesson]:
    for folder in sorted((build / split).iterdir()):
        yield from of_persona(folder, amount, random.Random(f"{seed}:{folder.name}"))
    for turn in range(amount.again if split == "train" else 1):
        for life in load_lives(split):
            yield from of_life(life, amount, random.Random(f"{seed}:{turn}:{life.name}"))
        if split == "train":
            yield from map(in_known_words, tellings(random.Random(f"{seed}:{turn}")))
            yield from map(in_known_words, asked())
    if split == "train":
        chance = random.Random(seed)
        yield from nothing(chance)
        for found in (whole_kinds(chance), halves(chance), retrieve_lessons(chance),
                      named_lessons(chance)):  # fmt: skip
            yield from map(in_known_words, found)


def in_known_words(lesson: Lesson) -> Lesson:
    """Texts of nobody in particular, as they are put to the networks."""
    return replace(lesson, texts=tuple((_explained(text), label) for text, label in lesson.texts))


_explained = cache(explained)  # a text stands in many lessons


def measured_queries(build: Path, strangers: Path | None) -> frozenset[str]:
    """The queries on which the search is measured, however they are typed: never to be learnt."""
    found = [query for split in ("dev", "test") for folder in (build / split).iterdir()
             for query in queries_of(folder)]  # fmt: skip
    lives = [*load_lives("dev"), *(lives_in(strangers) if strangers else ())]
    found += [query.text for life in lives for query in life.queries]
    for name, key in (("paraphrased", "paraphrase"), ("whole_kinds", "query")):
        found += [line[key] for line in kept_lines(name)]
    found += [query for line in kept_lines("sentences") for query in line["queries"]]
    return frozenset(map(plain, found))


# -- PerQA -----------------------------------------------------------------------------------------


def of_persona(folder: Path, amount: Amount, chance: random.Random) -> Iterator[Lesson]:
    """The RETRIEVE queries of a persona's questions, each once and in other words; also those that
    nothing matches."""
    observations, queries = judged_queries(folder, also_without=True)
    profile = Profile.from_json(exported_profile(load_persona(folder.name)).decode())
    texts = Texts(observations, profile)
    known = paraphrases()
    for query, found in queries.items():
        for said in (query, *some(in_other_words(query, known), amount.wordings, chance)):
            asked_for = with_names(said, profile)
            labels = texts.labels(asked_for, found, amount, chance)
            patterns = texts.patterns(found.wanted, found.allowed, amount.patterns, chance)
            yield Lesson(asked_for, folder.name, labels, patterns)


Wordings = list[tuple[re.Pattern[str], list[str]]]
# What fills a gap is a name or a word for something, no sentence.
_GAP, _FILLING = (
    re.compile(r"\\{(\w+)\\}"),
    r"(?P<\1>(?!(?:I|my|we|our|a|an|the) )\\S+(?: \\S+){0,4}?)",
)


@cache
def paraphrases() -> Wordings:
    """Patterns of queries, the most exact first, and other words for each.

    "My first day at {school}" and "… at {company}" look alike once they are filled: left out.
    """
    meant = {query: sql for one in load_templates("train") for query, sql in one.retrieve.items()}
    meanings: dict[str, set[str]] = {}
    for query, sql in meant.items():
        meanings.setdefault(_outside(query), set()).add(re.sub(r"\{[^{}]*\}", "", sql))
    found = sorted(written("paraphrases"), key=lambda one: -len(_outside(one["query"])))
    return [
        (
            re.compile(_GAP.sub(_FILLING, re.escape(one["query"]))),
            one["also"] if len(meanings.get(_outside(one["query"]), ())) == 1 else [],
        )
        for one in found
        if _outside(one["query"])
    ]


def _outside(query: str) -> str:
    """What a query says beside its gaps."""
    return re.sub(r"\{\w+\}", "", query).strip()


def in_other_words(query: str, known: Wordings) -> list[str]:
    """The same query in other words, if it is one of those that somebody paraphrased."""
    for pattern, also in known:
        if match := pattern.fullmatch(query):
            return [wording.format(**match.groupdict()) for wording in also]
    return []


class Texts:
    """The distinct texts of a life, with the observations that say each."""

    def __init__(self, observations: Sequence[Observation], profile: Profile) -> None:
        owner = Owner.of(profile)
        self._text = {one.id: in_words(one.kind, _data(one), one.start, one.end, owner)
                      for one in observations}  # fmt: skip
        self._me = profile.who
        self._kind = {one.id: one.kind for one in observations}
        self._observations = observations
        self._of: dict[str, list[int]] = {}
        self._by_kind: dict[str, list[str]] = {}
        self._by_word: dict[str, list[str]] = {}
        for one in observations:
            text = self._text[one.id]
            if text not in self._of:
                self._by_kind.setdefault(one.kind, []).append(text)
                for word in set(words(text)):
                    self._by_word.setdefault(word, []).append(text)
            self._of.setdefault(text, []).append(one.id)

    def labels(
        self,
        query: str,
        found: Relevance,
        amount: Amount,
        chance: random.Random,
    ) -> tuple[tuple[str, int], ...]:
        good = sorted({self._text[one] for one in found.wanted})
        unsure = {self._text[one] for one in found.allowed} | set(good)
        kinds = {self._kind[one] for one in found.wanted}
        neighbours = sorted({self._text[one] for one in found.neighbours} - unsure)
        picked = some(good, amount.positives, chance)
        alike = Counter(
            text for word in set(words(query)) for text in self._by_word.get(word, ())
            if len(self._by_word[word]) < len(self._of) / 4
        )  # fmt: skip
        near = [text for text, _ in alike.most_common(6 * amount.alike) if text not in unsure]
        same = [text for kind in sorted(kinds) for text in self._by_kind[kind]]
        bad = dict.fromkeys(
            some(near, amount.alike, chance)
            + some(neighbours, amount.neighbours, chance)
            + some([text for text in same if text not in unsure], amount.same_kind, chance)
            + some([text for text in self._of if text not in unsure], amount.others, chance)
        )
        return (*((text, RELEVANT) for text in picked), *((text, IRRELEVANT) for text in bad))

    def patterns(
        self, wanted: frozenset[int], allowed: frozenset[int], most: int, chance: random.Random
    ) -> tuple[tuple[str, int], ...]:
        """Kinds, and key-values that are frequent; each with how much of it is wanted."""
        found = []
        for pattern, members in self._patterns.items():
            sure = [one for one in members if one not in allowed]
            share = sum(one in wanted for one in sure) / max(1, len(sure))
            if sure:
                label = RELEVANT if share == 1 else PARTIAL if share else IRRELEVANT
                found.append((pattern, label))
        kinds = [one for one in found if ":" not in one[0]]
        rest = [one for one in found if ":" in one[0]]
        telling = [one for one in rest if one[1] != IRRELEVANT]
        other = [one for one in rest if one[1] == IRRELEVANT]
        return (*kinds, *some(telling, most // 2, chance), *some(other, most // 2, chance))

    @cached_property
    def _patterns(self) -> dict[str, list[int]]:
        """All kinds, and the key-values that several observations have."""
        found: dict[str, list[int]] = {}
        for one in self._observations:
            for pattern in patterns_of(one.kind, _data(one), self._me):
                found.setdefault(pattern, []).append(one.id)
        return {
            pattern: ids for pattern, ids in found.items()
            if ":" not in pattern or len(ids) >= _SHARED
        }  # fmt: skip


def _data(one: Observation) -> dict[str, Value]:
    return {key: value for key, value in one.data.items() if value is not None}
