"""What the benchmark is like, beside the paper's: sizes, shapes, and how varied it is.

Reads what `reqap perqa build` wrote. Not the job of this module: whether it is right (`gates`).
"""

import csv
import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import duckdb

from reqap.evaluate.shapes import TYPES, complexity, shape
from reqap.perqa.canonical import opened
from reqap.perqa.world import DATABASE
from reqap.plan import parse

# The statistics of the paper, per split: train, dev, test; events are means per persona.
PAPER: dict[str, tuple[float, float, float]] = {
    "personas": (12, 2, 6), "question templates": (1200, 170, 600),
    "unique questions": (2571, 170, 826), "movie_stream": (1257, 424, 1245),
    "tvseries_stream": (238, 148, 230), "music_stream": (33754, 31616, 38257),
    "workout": (635, 622, 822), "online_purchase": (531, 1074, 850),
    "calendar": (1552, 1367, 2106), "mail": (506, 490, 636), "social_media": (670, 579, 819),
    "all events": (39142, 36322, 44965),
}  # fmt: skip
PAPER_TYPES = {
    "ordering": 0.41, "grouping": 0.31, "temporal": 0.64, "aggregation": 0.59, "join": 0.12,
    "multi-source": 0.56,
}  # fmt: skip
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_SENTENCE = re.compile(r"[.!?\n]+")
_TEXTS = ("calendar", "mail", "social_media", "note")
_LOOKED_AT = 300


@dataclass
class Split:
    """One split, counted."""

    personas: int = 0
    templates: set[str] = field(default_factory=set)
    questions: list[str] = field(default_factory=list)
    shapes: Counter[str] = field(default_factory=Counter)
    types: Counter[str] = field(default_factory=Counter)
    events: Counter[str] = field(default_factory=Counter)
    mails: list[str] = field(default_factory=list)
    sentences: set[str] = field(default_factory=set)

    def numbers(self) -> dict[str, float]:
        each = max(self.personas, 1)
        found: dict[str, float] = {
            "personas": self.personas,
            "question templates": len(self.templates),
            "unique questions": len(set(self.questions)),
        }
        found |= {kind: self.events[kind] / each for kind in PAPER if kind in self.events}
        found["all events"] = self.events.total() / each
        return found


def census(folder: Path) -> dict[str, Split]:
    """Counts a build, persona by persona."""
    found: dict[str, Split] = {}
    for split in ("train", "dev", "test"):
        counted = found.setdefault(split, Split())
        for persona in sorted((folder / split).glob("*_persona_*")):
            _count(counted, persona)
    return found


def _count(split: Split, folder: Path) -> None:
    split.personas += 1
    kinds: dict[int, set[str]] = defaultdict(set)
    names = _names(json.loads((folder / f"{folder.name}.json").read_text(encoding="utf-8")))
    with (folder / f"{folder.name}_obs.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            kind = row["event_type"]
            split.events[kind] += 1
            for event in json.loads(row["properties_mentioned"]):
                kinds[int(event)].add(kind)
            if kind in _TEXTS:
                text = " . ".join(_told(json.loads(row["event_data"])))
                split.sentences |= set(skeletons(text, names))
                if kind == "mail":
                    split.mails.append(text)
    questions = json.loads((folder / "questions.json").read_text(encoding="utf-8"))
    connection = opened(folder / DATABASE)
    for question in questions:
        plan = parse(question["plan"])
        split.templates.add(question["template"])
        split.questions.append(question["question"])
        split.shapes[shape(plan)] += 1
        sources = sources_of(connection, question["retrieve"].values(), kinds)
        split.types.update(complexity(plan, sources))
    connection.close()


def _told(data: Mapping[str, object]) -> list[str]:
    return [str(data[name]) for name in ("subject", "summary", "title", "text", "description")
            if data.get(name)]  # fmt: skip


def _names(persona: Mapping[str, object]) -> frozenset[str]:
    """The words of names: they differ from life to life, and say nothing about how one writes."""
    capitals = re.findall(r"\b[^\W\d_a-z]\w+", json.dumps(persona, ensure_ascii=False))
    return frozenset(word.casefold() for word in capitals)


def sources_of(
    connection: duckdb.DuckDBPyConnection, queries: Iterable[str], kinds: Mapping[int, set[str]]
) -> int:
    """In how many kinds of sources the events of a question are told."""
    found: set[str] = set()
    for sql in queries:
        rows = connection.execute(f"SELECT id FROM ({sql}) LIMIT {_LOOKED_AT}").fetchall()
        for (event,) in rows:
            found |= kinds.get(event, set())
    return len(found)


def skeletons(text: str, names: frozenset[str]) -> list[str]:
    """Sentences as bare words, without names: those of four words and more."""
    found = []
    for sentence in _SENTENCE.split(text):
        words = [w.casefold() for w in _WORD.findall(sentence) if w.casefold() not in names]
        if len(words) >= 4:
            found.append(" ".join(words))
    return found


def four_grams(texts: Sequence[str], size: int = 1000) -> float:
    """Distinct sequences of four words per 1,000 texts, of a sample of that many."""
    sample = random.Random(1).sample(list(texts), min(size, len(texts)))
    found = set()
    for text in sample:
        words = [word.casefold() for word in _WORD.findall(text)]
        found |= set(zip(words, words[1:], words[2:], words[3:], strict=False))
    return len(found) * 1000 / max(len(sample), 1)


def shared_sentences(split: Split, train: Split) -> float:
    """The share of sentences whose bare words are also in train."""
    return len(split.sentences & train.sentences) / max(len(split.sentences), 1)


def type_shares(split: Split) -> dict[str, float]:
    asked = max(len(split.questions), 1)
    return {name: split.types[name] / asked for name in TYPES}
