"""Trains the classifier that tells questions about one's own past from all else.

    python -m reqap.train.scope --out src/reqap/qud/model

Learns from `scope.jsonl`, lines by several writers, each told what it is about: "mine" is a proper
question; "chat", "world", "command", "advice", "noise" and "language" are not. Beside them, the
questions that decomposition is learnt from, as people type them, those that the people of the free
lives ask, and the things that questions are about, as bare words. Each writer is left out once, and
the others are measured on what that one wrote; the weights that are kept have seen all. Takes
minutes.
"""

import argparse
import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from reqap.perqa.lives import load_lives
from reqap.qud.scope import BUCKETS, Scope, features
from reqap.train.retrieve_lesson import written
from reqap.train.things import lexicon
from reqap.train.typing import typed

_MINE = "mine"
_OF_PAIR, _OF_THING, _OF_LIFE, _OF_MINE = 0.2, 0.2, 0.5, 1.5
_STEPS, _RATE, _DECAY = 250, 0.1, 2e-6


@dataclass(frozen=True)
class Line:
    """What someone may type; how much it counts."""

    text: str
    about: str
    writer: int = 0
    weight: float = 1.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, required=True, help="the folder of the model")
    given = parser.parse_args()
    lines = read_lines()
    for about, share in left_out(lines).items():
        print(f"{about}: {share:.3f} {'turned away by mistake' if about == _MINE else 'caught'}")
    learnt = fit(lines)
    np.savez_compressed(
        given.out / "scope.npz", weights=learnt.weights.astype(np.float16), bias=learnt.bias
    )


def read_lines() -> list[Line]:
    """What the writers wrote, and questions of which all are proper ones."""
    found = [
        Line(it["text"], it["about"], it["writer"], _OF_MINE if it["about"] == _MINE else 1.0)
        for it in written("scope")
    ]
    chance = random.Random(1)
    typings = (typed(it["question"], chance) for it in written("pairs"))
    found += [Line(question, _MINE, weight=_OF_PAIR) for question in typings]
    asked = dict.fromkeys(question for life in load_lives("train") for question in life.questions)
    found += [Line(question, _MINE, weight=_OF_LIFE) for question in asked]
    names = dict.fromkeys(name for it in lexicon() for name in (it["thing"], *it["nouns"]))
    return found + [Line(name, _MINE, weight=_OF_THING) for name in names if "{" not in name]


def left_out(lines: Sequence[Line]) -> dict[str, float]:
    """The share that is turned away, by what lines are about, of writers that were not seen."""
    turned: dict[str, list[bool]] = defaultdict(list)
    for writer in sorted({line.writer for line in lines} - {0}):
        learnt = fit([line for line in lines if line.writer != writer])
        for line in lines:
            if line.writer == writer:
                turned[line.about].append(not learnt.covers(line.text))
    return {about: sum(found) / len(found) for about, found in turned.items()}


def fit(lines: Sequence[Line]) -> Scope:
    """Logistic regression on all at once, with Adam."""
    seen = [features(line.text) for line in lines]
    owner = np.repeat(np.arange(len(seen)), [len(one) for one in seen])
    flat = np.concatenate([np.array(one) for one in seen])
    scale = np.array([len(one) for one in seen])[owner] ** -0.5
    label = np.array([line.about == _MINE for line in lines], float)
    weight = np.array([line.weight for line in lines])
    value: Any = np.zeros(BUCKETS + 1)  # the last one is the bias
    first, second = np.zeros_like(value), np.zeros_like(value)
    for step in range(1, _STEPS + 1):
        score = np.bincount(owner, value[flat] * scale) + value[-1]
        off = (1 / (1 + np.exp(-score)) - label) * weight / weight.sum()
        slope = np.bincount(flat, off[owner] * scale, BUCKETS + 1) + _DECAY * value
        slope[-1] = off.sum()
        first = 0.9 * first + 0.1 * slope
        second = 0.999 * second + 0.001 * slope**2
        rise = (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-9)
        value = value - _RATE * (1 - step / (_STEPS + 1)) * rise
    return Scope(value[:-1].astype(np.float32), float(value[-1]))


if __name__ == "__main__":
    main()
