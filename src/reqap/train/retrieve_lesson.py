"""A lesson of RETRIEVE: a query with labelled texts and patterns, and how lessons are kept."""

import json
import random
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any, TypeVar

from reqap.verbalize import RELEVANT

T = TypeVar("T")
# The label of a text of which nobody has said whether it matches: a teacher will.
UNKNOWN = -1
_WORD = re.compile(r"[^\W_]{3,}")


@dataclass(frozen=True)
class Lesson:
    """A query, and labels for texts and for patterns."""

    query: str
    source: str
    texts: tuple[tuple[str, int], ...]
    patterns: tuple[tuple[str, int], ...] = field(default=())
    # Lessons of one unit go together: queries that were written for the same text.
    unit: str = ""


@dataclass(frozen=True)
class Amount:
    """How many texts of each sort a query gets."""

    wordings: int = 1  # other words for a query, beside its own
    positives: int = 8
    alike: int = 10  # share words with the query
    neighbours: int = 14  # tell of another trip, another meal
    same_kind: int = 4  # are of the kinds that match
    others: int = 4
    patterns: int = 12
    again: int = 2  # times for whatever was written one by one: few, and worth the most
    queries: int = 10_000  # of plans, of which nothing else is known
    unknown: int = 6  # texts without a label, where nothing else is known of a query


def words(text: str) -> list[str]:
    """The beginnings of the words of a text."""
    return [word[:6] for word in _WORD.findall(text.casefold())]


def some(items: Sequence[T], most: int, chance: random.Random) -> list[T]:
    return list(items) if len(items) <= most else chance.sample(list(items), most)


def written(name: str) -> list[dict[str, Any]]:
    file = resources.files("reqap.train") / f"{name}.jsonl"
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def write_lessons(found: Iterable[Lesson], path: Path) -> Counter[str]:
    """One JSON line each; how many labels there are."""
    count: Counter[str] = Counter()
    with path.open("w", encoding="utf-8") as file:
        for one in found:
            record = {
                "query": one.query, "source": one.source, "texts": one.texts,
                "patterns": one.patterns, "unit": one.unit,
            }  # fmt: skip
            file.write(json.dumps(record, ensure_ascii=False) + "\n")
            count["queries"] += 1
            count["texts"] += len(one.texts)
            count["matching"] += sum(label == RELEVANT for _, label in one.texts)
            count["unknown"] += sum(label == UNKNOWN for _, label in one.texts)
            count["patterns"] += len(one.patterns)
    return count
