"""What answers amount to: how many are right, of which sort, how long they took, and whether one
way is better than another.

Works on the lines that `answering` wrote, and nothing else.
"""

import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from reqap.errors import ReqapError
from reqap.evaluate.metrics import mcnemar
from reqap.evaluate.shapes import TYPES

Line = dict[str, Any]
STAGES = ("qud", "retrieve", "extract", "rest", "total")


@dataclass(frozen=True)
class Share:
    """How many of some questions were answered rightly."""

    questions: int
    hit: float
    relaxed: float

    @property
    def told(self) -> str:
        return f"{self.hit:.3f} ({self.relaxed:.2f})" if self.questions else "–"


def share(lines: Sequence[Line]) -> Share:
    count = max(1, len(lines))
    return Share(
        len(lines),
        sum(line["hit"] for line in lines) / count,
        sum(line["relaxed"] for line in lines) / count,
    )


def by_persona(lines: Sequence[Line]) -> dict[str, Share]:
    names = sorted({line["persona"] for line in lines})
    return {name: share([line for line in lines if line["persona"] == name]) for name in names}


def by_type(lines: Sequence[Line]) -> dict[str, Share]:
    """By what makes questions complex; one question may be of several types."""
    return {name: share([line for line in lines if name in line["types"]]) for name in TYPES}


def statuses(lines: Sequence[Line]) -> dict[str, int]:
    found = [line["status"] for line in lines]
    return {name: found.count(name) for name in sorted(set(found))}


@dataclass(frozen=True)
class Spent:
    """Milliseconds per question."""

    mean: float
    median: float
    most: float  # 95th percentile


def spent(values: Iterable[float]) -> Spent:
    found = sorted(values)
    if not found:
        return Spent(0.0, 0.0, 0.0)
    last = min(len(found) - 1, int(0.95 * len(found)))
    return Spent(statistics.mean(found), statistics.median(found), found[last])


def times(lines: Sequence[Line], which: str = "ms") -> dict[str, Spent]:
    """By stage; `which` is `ms`, or `warm_ms` where questions were asked twice."""
    told = [line[which] for line in lines if line.get(which)]
    return {stage: spent(one.get(stage, 0.0) for one in told) for stage in STAGES}


def operator_times(lines: Sequence[Line]) -> dict[str, tuple[int, float]]:
    """By operator: how often it ran, and milliseconds each time."""
    counts: dict[str, int] = {}
    sums: dict[str, float] = {}
    for line in lines:
        for name, (count, ms) in line["operators"].items():
            counts[name] = counts.get(name, 0) + count
            sums[name] = sums.get(name, 0.0) + ms
    return {name: (counts[name], sums[name] / counts[name]) for name in sorted(counts)}


@dataclass(frozen=True)
class Compared:
    """Two ways, on the questions that both were asked."""

    questions: int
    ours: Share
    theirs: Share
    only_ours: int  # right in one way only
    only_theirs: int
    chance: float  # that they are equally often right (McNemar, exact, two-sided)
    relaxed_chance: float


def compared(ours: Sequence[Line], theirs: Sequence[Line]) -> Compared:
    others = {_which(line): line for line in theirs}
    pairs = [(line, others[_which(line)]) for line in ours if _which(line) in others]
    if not pairs:
        raise ReqapError("the two were asked nothing in common")
    left, right = [one for one, _ in pairs], [other for _, other in pairs]
    return Compared(
        len(pairs),
        share(left),
        share(right),
        sum(one["hit"] and not other["hit"] for one, other in pairs),
        sum(other["hit"] and not one["hit"] for one, other in pairs),
        mcnemar(*_both(pairs, lambda line: bool(line["hit"]))),
        mcnemar(*_both(pairs, lambda line: bool(line["relaxed"]))),
    )


def _which(line: Line) -> tuple[str, str]:
    return line["persona"], line["question"]


def _both(
    pairs: Sequence[tuple[Line, Line]], is_right: Callable[[Line], bool]
) -> tuple[list[bool], list[bool]]:
    return [is_right(one) for one, _ in pairs], [is_right(other) for _, other in pairs]
