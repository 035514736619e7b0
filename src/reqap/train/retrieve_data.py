"""Queries with texts that match them and texts that do not: what the models of RETRIEVE learn from.

The sources: the lives of PerQA's train personas (the gold predicates of all RETRIEVE calls), the
free lives (each text judged by its writer), near misses written for one query each
(`tellings.jsonl`), and ways to ask for all that a service has recorded (`whole_kinds.jsonl`). Hard
negatives share words, people or kind with the query; texts that may or may not match are left out.
"""

import json
import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import resources
from pathlib import Path
from typing import Any, TypeVar

from reqap.events import Value
from reqap.perqa.exports.profile import profile as exported_profile
from reqap.perqa.lives import FreeLife, load_lives
from reqap.perqa.persona import load_persona
from reqap.perqa.relevance import judged_queries
from reqap.perqa.structured import STRUCTURED
from reqap.perqa.templates import load_templates
from reqap.perqa.texts import Observation
from reqap.profile import Profile
from reqap.retrieve.kinds import TELLINGS
from reqap.retrieve.people import with_names
from reqap.verbalize import IRRELEVANT, PARTIAL, RELEVANT, patterns_of, told

T = TypeVar("T")
_SHARED = 5  # observations that a value must have in common to be a pattern
_SERVICES = frozenset(STRUCTURED.values())
_WORD = re.compile(r"[^\W_]{3,}")


@dataclass(frozen=True)
class Lesson:
    """A query, and labels for texts and for patterns."""

    query: str
    source: str
    texts: tuple[tuple[str, int], ...]
    patterns: tuple[tuple[str, int], ...] = field(default=())


@dataclass(frozen=True)
class Amount:
    """How many texts of each sort a query gets."""

    wordings: int = 2  # other words for a query, beside its own
    positives: int = 16
    alike: int = 30  # share words with the query
    same_kind: int = 20  # are of the kinds that match
    others: int = 14
    patterns: int = 24


def lessons(split: str, build: Path, amount: Amount, seed: int = 1) -> Iterator[Lesson]:
    for folder in sorted((build / split).iterdir()):
        yield from of_persona(folder, amount, random.Random(f"{seed}:{folder.name}"))
    for life in load_lives(split):
        yield from of_life(life, amount, random.Random(f"{seed}:{life.name}"))
    if split == "train":
        yield from tellings(random.Random(seed))
        yield from whole_kinds(random.Random(seed))


# -- PerQA -----------------------------------------------------------------------------------------


def of_persona(folder: Path, amount: Amount, chance: random.Random) -> Iterator[Lesson]:
    """The RETRIEVE queries of a persona's questions, each once."""
    observations, queries = judged_queries(folder)
    profile = Profile.from_json(exported_profile(load_persona(folder.name)).decode())
    texts = Texts(observations, profile)
    known = paraphrases()
    for query, found in queries.items():
        for said in (query, *_some(in_other_words(query, known), amount.wordings, chance)):
            asked = with_names(said, profile)
            labels = texts.labels(asked, found.wanted, found.allowed, amount, chance)
            patterns = texts.patterns(found.wanted, found.allowed, amount.patterns, chance)
            yield Lesson(asked, folder.name, labels, patterns)


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
    found = sorted(_written("paraphrases"), key=lambda one: -len(_outside(one["query"])))
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
        self._text = {one.id: told(one.kind, _data(one), profile.who) for one in observations}
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
                for word in set(_words(text)):
                    self._by_word.setdefault(word, []).append(text)
            self._of.setdefault(text, []).append(one.id)

    def labels(
        self,
        query: str,
        wanted: frozenset[int],
        allowed: frozenset[int],
        amount: Amount,
        chance: random.Random,
    ) -> tuple[tuple[str, int], ...]:
        good = sorted({self._text[one] for one in wanted})
        unsure = {self._text[one] for one in allowed} | set(good)
        kinds = {self._kind[one] for one in wanted}
        picked = _some(good, amount.positives, chance)
        alike = Counter(
            text for word in set(_words(query)) for text in self._by_word.get(word, ())
            if len(self._by_word[word]) < len(self._of) / 4
        )  # fmt: skip
        near = [text for text, _ in alike.most_common(6 * amount.alike) if text not in unsure]
        same = [text for kind in sorted(kinds) for text in self._by_kind[kind]]
        bad = dict.fromkeys(
            _some(near, amount.alike, chance)
            + _some([text for text in same if text not in unsure], amount.same_kind, chance)
            + _some([text for text in self._of if text not in unsure], amount.others, chance)
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
        return (*kinds, *_some(telling, most // 2, chance), *_some(other, most // 2, chance))

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


def _words(text: str) -> list[str]:
    return [word[:6] for word in _WORD.findall(text.casefold())]


def _some(items: Sequence[T], most: int, chance: random.Random) -> list[T]:
    return list(items) if len(items) <= most else chance.sample(list(items), most)


# -- texts written one by one ----------------------------------------------------------------------


def of_life(life: FreeLife, amount: Amount, chance: random.Random) -> Iterator[Lesson]:
    """The queries of a free life; whatever its writer did not name does not match."""
    profile = Profile.from_json(json.dumps(life.profile))
    texts = {one.id: told(one.kind, one.said, profile.who) for one in life.texts}
    words = {name: set(_words(text)) for name, text in texts.items()}
    for query in life.queries:
        good = [texts[name] for name in query.relevant]
        asked = set(_words(with_names(query.text, profile)))
        bad = [name for name in texts if name not in query.relevant]
        bad.sort(key=lambda name: -len(words[name] & asked))
        near = bad[: amount.alike]
        rest = _some(bad[amount.alike :], amount.same_kind + amount.others, chance)
        labels = [(text, RELEVANT) for text in _some(good, 2 * amount.positives, chance)]
        labels += [(texts[name], IRRELEVANT) for name in (*near, *rest)]
        kinds = [(one.kind, one.id in query.relevant) for one in life.texts]
        yield Lesson(
            with_names(query.text, profile), life.name, tuple(dict.fromkeys(labels)),
            _kinds(kinds, chance),
        )  # fmt: skip


def tellings(chance: random.Random) -> Iterator[Lesson]:
    """Queries with texts that were written for them: what matches, and what nearly does."""
    records = _written("tellings")
    strangers = [_record(it) for one in records for it in one["no"]]
    for one in records:
        texts = [(_record(it), RELEVANT) for it in one["yes"]]
        texts += [(_record(it), IRRELEVANT) for it in one["no"]]
        texts += [(text, IRRELEVANT) for text in chance.sample(strangers, 3)]
        for query in one["queries"]:
            named = [
                ", ".join(names) for phrase, names in one["people"].items()
                if phrase.casefold() in query.casefold()
            ]  # fmt: skip
            asked = f"{query} ({'; '.join(named)})" if named else query
            kinds = [(it["kind"], side == "yes") for side in ("yes", "no") for it in one[side]]
            yield Lesson(asked, "tellings", tuple(dict.fromkeys(texts)), _kinds(kinds, chance))


def whole_kinds(chance: random.Random) -> Iterator[Lesson]:
    """Queries that ask for everything of a kind, and nothing else."""
    by_kind: dict[str, list[str]] = {}
    for one in _written("tellings"):
        for it in (*one["yes"], *one["no"]):
            by_kind.setdefault(it["kind"], []).append(_record(it))
    groups = _written("whole_kinds")
    usual = sorted({kind for one in groups for kind in one["kinds"]})
    rare = sorted(by_kind.keys() - set(usual))
    for one in groups:
        kinds = frozenset(one["kinds"])
        # Whoever asks for songs or workouts may also mean what a mail tells of them.
        others = [kind for kind in usual if kind not in kinds and kind not in TELLINGS]
        for query in one["queries"]:
            some = _some(others, 7, chance) + _some(rare, 1, chance)
            patterns = [(told(kind, {}), RELEVANT) for kind in sorted(kinds)]
            patterns += [(told(kind, {}), IRRELEVANT) for kind in some]
            good = [text for kind in sorted(kinds) for text in by_kind.get(kind, ())]
            bad = [text for kind in some for text in _some(by_kind.get(kind, ()), 3, chance)]
            texts = [(text, RELEVANT) for text in _some(good, 8, chance)]
            texts += [(text, IRRELEVANT) for text in bad]
            yield Lesson(query, "whole kinds", tuple(dict.fromkeys(texts)), tuple(patterns))


def _written(name: str) -> list[dict[str, Any]]:
    file = resources.files("reqap.train") / f"{name}.jsonl"
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def _kinds(texts: Sequence[tuple[str, bool]], chance: random.Random) -> tuple[tuple[str, int], ...]:
    """How much of a kind matches, from texts and whether they do.

    Few texts cannot show that nothing of a kind would match, or everything: what is known is that
    a kind matches in part, and that records of services which nobody thought of do not.
    """
    some = sorted({kind for kind, good in texts if good})
    none = sorted(_SERVICES - {kind for kind, _ in texts})
    found = [(kind, PARTIAL) for kind in some] + [
        (kind, IRRELEVANT) for kind in _some(none, 2, chance)
    ]
    return tuple((told(kind, {}), label) for kind, label in found)


def _record(it: Mapping[str, Any]) -> str:
    return told(str(it["kind"]), {name: value for name, value in it.items() if name != "kind"})


def write_lessons(found: Iterator[Lesson], path: Path) -> Counter[str]:
    """One JSON line each; how many labels there are."""
    count: Counter[str] = Counter()
    with path.open("w", encoding="utf-8") as file:
        for one in found:
            record = {
                "query": one.query, "source": one.source, "texts": one.texts,
                "patterns": one.patterns,
            }  # fmt: skip
            file.write(json.dumps(record, ensure_ascii=False) + "\n")
            count["queries"] += 1
            count["texts"] += len(one.texts)
            count["matching"] += sum(label == RELEVANT for _, label in one.texts)
            count["patterns"] += len(one.patterns)
    return count
