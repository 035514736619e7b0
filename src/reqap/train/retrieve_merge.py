"""Learns which observations tell of the same happening, from lives in which that is known.

Takes what queries ask for together: two dinners are to be told apart, a dinner and a song never
meet.
"""

import argparse
import random
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from reqap.evaluate.finding import Searched, free_lives, personas
from reqap.retrieve.happenings import candidates
from reqap.retrieve.index import update
from reqap.retrieve.kinds import asks_for_writing
from reqap.retrieve.learned import LearnedRetriever
from reqap.retrieve.likeness import Likeness, features
from reqap.retrieve.networks import Networks

_INNER, _STEPS, _RATE = 32, 3_000, 3e-3
_MOST_QUERIES = 150  # of one life

Floats = Any


def train_merge(given: argparse.Namespace) -> None:
    """Writes `merge.npz` into the folder of the models."""
    models = Networks(given.models)
    parts = [_gathered(lives, models) for lives in (free_lives("train"),
             personas(given.build, "train"))]  # fmt: skip
    # Both count alike, whatever their number.
    weight = np.concatenate([np.full(len(y), 1e4 / len(y)) for _, y in parts])
    x, y = (np.concatenate([part[n] for part in parts]) for n in range(2))
    np.savez(given.models / "merge.npz", **fitted(x, y, weight))
    likeness = Likeness(given.models / "merge.npz")
    for name, lives in (("free lives, dev", free_lives("dev")),
                        ("PerQA, dev", personas(given.build, "dev"))):  # fmt: skip
        dev, truth = _gathered(lives, models)
        print(name, pair_scores(likeness.of_features(dev) > 0, truth > 0), flush=True)


def pair_scores(kept: Floats, truth: Floats) -> dict[str, float]:
    both = float((kept & truth).sum())
    precision, recall = both / max(1.0, kept.sum()), both / max(1.0, truth.sum())
    f1 = 2 * both / max(1.0, kept.sum() + truth.sum())
    return {"precision": round(precision, 3), "recall": round(recall, 3), "f1": round(f1, 3)}


def _gathered(lives: Iterable[Searched], models: Networks) -> tuple[Floats, Floats]:
    rows: list[list[float]] = []
    same: list[bool] = []
    for life in lives:
        for feature, truth in of_life(life, models):
            rows.append(feature)
            same.append(truth)
        life.store.close()
        print(f"{life.name}: {len(rows):,} pairs, {sum(same):,} the same", flush=True)
    return np.array(rows, np.float32), np.array(same, np.float32)


def of_life(life: Searched, models: Networks) -> Iterator[tuple[list[float], bool]]:
    """The pairs of a life that would be compared, and whether they are one."""
    update(life.store, models)
    retriever = LearnedRetriever(life.store, models)
    queries = [one for one in life.queries if not asks_for_writing(one.query)]
    random.Random(life.name).shuffle(queries)
    seen: set[tuple[str, str]] = set()
    for asked in queries[:_MOST_QUERIES]:
        # Also what tells again of a recorded run: it is not wanted beside the record, but found.
        found = retriever.events(sorted(asked.wanted | asked.allowed))
        ids = found["id"].to_pylist()
        sides = retriever.sides(found)
        names = [ids[n] for n in sides]
        listed = list(sides.values())
        for a, b in candidates(listed):
            pair = (names[a], names[b])
            if pair not in seen:
                seen.add(pair)
                yield (
                    features(listed[a], listed[b]),
                    bool(life.tells[pair[0]] & life.tells[pair[1]]),
                )


def fitted(x: Floats, y: Floats, weight: Floats) -> dict[str, Floats]:
    """A network with one inner layer, by all examples at once."""
    import torch

    torch.manual_seed(1)
    mean, spread = x.mean(0), np.maximum(x.std(0), 1e-3)
    given = torch.tensor((x - mean) / spread)
    truth, heavy = torch.tensor(y), torch.tensor(weight / weight.mean()).float()
    first, last = torch.nn.Linear(x.shape[1], _INNER), torch.nn.Linear(_INNER, 1)
    parameters = [*first.parameters(), *last.parameters()]
    optimizer = torch.optim.AdamW(parameters, lr=_RATE, weight_decay=0.05)
    for step in range(_STEPS):
        for group in optimizer.param_groups:
            group["lr"] = _RATE * (1 - step / _STEPS)
        said = last(torch.relu(first(given))).squeeze(-1)
        loss = torch.nn.functional.binary_cross_entropy_with_logits(said, truth, heavy)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    names = ("weight0", "bias0", "weight1", "bias1")
    found = dict(zip(names, (one.detach().numpy() for one in parameters), strict=True))
    return {"mean": mean, "spread": spread, **found}
