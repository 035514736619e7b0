"""Trains the models of RETRIEVE.

    python -m reqap.train.retrieve data    --build perqa-lives --out lessons         (here)
    python -m reqap.train.retrieve cross   --lessons lessons --start gte --out L --tell
    python -m reqap.train.retrieve cross   --lessons lessons --start mpnet --out XL --tell
    python -m reqap.train.retrieve cross   --lessons lessons --start minilm --out M --teacher L XL
    python -m reqap.train.retrieve encoder --lessons lessons --start minilm --out E --teacher L XL
    python -m reqap.train.retrieve judge   --lessons lessons --models model --out J  (here)
    python -m reqap.train.retrieve mean    --start minilm --of A B --out M           (here)
    python -m reqap.train.retrieve merge   --build perqa-lives --models model        (here)

`cross` is the model that reads query and text together; the largest ones teach the others: they
learn their doubts beside the labels, also about pairs that nobody has labelled. `encoder` reads
them apart. Each folder gets the ONNX file with 8-bit weights, the weights as they were before
(`cross.npz`), the scores on dev, and, with `--tell`, what a student needs
(`told.npy`). `mean` averages weights.
"""

import argparse
import itertools
import json
import math
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reqap.verbalize import ALL_OF, RELEVANT


@dataclass(frozen=True)
class Example:
    """A query and a text or pattern; `query` counts the queries, `unit` what belongs together."""

    number: int
    query: int
    unit: str
    asked: str
    text: str
    label: int

    @property
    def is_pattern(self) -> bool:
        return self.text.startswith(ALL_OF)


def main() -> None:
    given = _parser().parse_args()
    if given.command == "data":
        _data(given)
    elif given.command == "merge":
        from reqap.train.retrieve_merge import train_merge

        train_merge(given)
    elif given.command == "judge":
        from reqap.train.retrieve_judge import train_judge

        train_judge(given)
    elif given.command == "mean":
        from reqap.train.means import write_search_mean

        write_search_mean(given.of, given.shares, given.start, given.out)
    elif given.command == "cross":
        from reqap.train.retrieve_cross import train_cross

        train_cross(given)
    else:
        from reqap.train.retrieve_encoder import train_encoder

        train_encoder(given)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    data = commands.add_parser("data", help="derive queries with labelled texts")
    data.add_argument("--build", type=Path, required=True, help="what `reqap perqa build` wrote")
    data.add_argument("--out", type=Path, required=True)
    data.add_argument("--strangers", type=Path, help="lives whose queries must not be learnt")
    data.add_argument("--models", type=Path, help="an encoder, to find texts for further queries")
    data.add_argument("--columns", action="store_true", help="only those about columns")
    merge = commands.add_parser("merge", help="train what tells happenings apart")
    merge.add_argument("--build", type=Path, required=True, help="what `reqap perqa build` wrote")
    merge.add_argument("--models", type=Path, required=True, help="the folder with the encoder")
    judge = commands.add_parser("judge", help="train what judges an encoder's vectors, alone")
    judge.add_argument("--lessons", type=Path, required=True, help="the folder of `data`")
    judge.add_argument("--models", type=Path, required=True, help="the folder with the encoder")
    judge.add_argument("--out", type=Path, required=True)
    judge.add_argument("--epochs", type=float, default=8)
    judge.add_argument("--rate", type=float, default=5e-4)
    judge.add_argument("--seconds", type=float, help="stop after so many; the rate knows it")
    mean = commands.add_parser("mean", help="write the mean of the weights of trained networks")
    mean.add_argument("--of", type=Path, nargs="+", required=True, help="their folders")
    mean.add_argument("--shares", type=float, nargs="+", help="of each in it; else all the same")
    mean.add_argument("--start", type=Path, required=True, help="the encoder they started from")
    mean.add_argument("--out", type=Path, required=True)
    for name in ("cross", "encoder"):
        train = commands.add_parser(name, help=f"train the {name}")
        train.add_argument("--lessons", type=Path, required=True, help="the folder of `data`")
        train.add_argument("--start", type=Path, required=True, help="a BERT encoder to start from")
        train.add_argument("--layers", type=int, nargs="*", default=[], help="keep only these")
        train.add_argument("--out", type=Path, required=True)
        train.add_argument(
            "--teacher", type=Path, nargs="*", default=[], help="folders of larger ones"
        )
        train.add_argument("--epochs", type=float, default=2)
        train.add_argument("--rate", type=float, default=1e-4)
        train.add_argument("--batch", type=int, default=32_000, help="tokens at a time")
        train.add_argument("--queries", type=int, default=48, help="at a time, for the encoder")
        train.add_argument("--steps", type=int, help="stop after so many: for trying it out")
        train.add_argument("--seconds", type=float, help="stop after so many; the rate knows it")
        train.add_argument("--onward", type=Path, help="go on from the weights of this file")
        train.add_argument("--half", action="store_true", help="16 bits without accelerator")
        if name == "cross":
            train.add_argument("--columns", action="store_true", help="learn only about columns")
            train.add_argument("--tell", action="store_true", help="what it thinks, for students")
    return parser


def _data(given: argparse.Namespace) -> None:
    from reqap.train.columns import column_lessons
    from reqap.train.retrieve_data import lessons, measured_queries
    from reqap.train.retrieve_lesson import Amount, write_lessons

    given.out.mkdir(parents=True, exist_ok=True)
    amount = Amount()
    chance = random.Random(1)
    files = {
        "columns": column_lessons(chance, is_dev=False),
        "columns-dev": column_lessons(chance, is_dev=True),
    }
    if not given.columns:
        left_out = measured_queries(given.build, given.strangers)
        learn = lessons("train", given.build, amount, left_out)
        if given.models:
            from reqap.retrieve.networks import Networks
            from reqap.train.retrieve_written import unknown

            more = unknown(Networks(given.models), amount, left_out, random.Random(1))
            learn = itertools.chain(learn, more)
        files |= {"train": learn, "dev": lessons("dev", given.build, amount)}
    for name, found in files.items():
        print(name, dict(write_lessons(found, given.out / f"{name}.jsonl")), flush=True)


# -- shared by both --------------------------------------------------------------------------------


def read_examples(*paths: Path) -> list[Example]:
    """All labels of files, texts and patterns, in their order."""
    found: list[Example] = []
    for path in paths:
        first = found[-1].query + 1 if found else 0
        for query, line in enumerate(path.read_text(encoding="utf-8").splitlines(), first):
            lesson = json.loads(line)
            patterns = [(ALL_OF + text, label) for text, label in lesson["patterns"]]
            unit = lesson.get("unit") or str(query)
            for text, label in (*lesson["texts"], *patterns):
                found.append(Example(len(found), query, unit, lesson["query"], text, label))
    return found


def doubts(teachers: Sequence[Path]) -> Any:
    """What teachers say of every example, as logits, on average; none without teachers."""
    import numpy as np

    told = [np.load(folder / "told.npy").astype(np.float32) for folder in teachers]
    return sum(told) / len(told) if told else None


class Climb:
    """AdamW, warm-up, then down in a straight line; tells how it goes.

    It ends after `total` steps, or after `seconds`, whatever comes first.
    """

    def __init__(
        self,
        modules: Sequence[Any],
        rate: float,
        total: int,
        device: str,
        seconds: float | None = None,
    ) -> None:
        import torch

        self._began, self._total, self._seconds, self.done = time.time(), total, seconds, 0
        self.parameters = [p for module in modules for p in module.parameters()]
        self._optimizer = torch.optim.AdamW(
            self.parameters, lr=rate, weight_decay=0.01, fused=device == "cuda"
        )
        self._schedule = torch.optim.lr_scheduler.LambdaLR(
            self._optimizer, lambda step: min((self.part + 1e-3) * 15, max(0.02, 1 - self.part))
        )
        self._seen = 0.0

    @property
    def part(self) -> float:
        """How much is done, of 1."""
        by_time = (time.time() - self._began) / self._seconds if self._seconds else 0.0
        return max(self.done / self._total, by_time)

    def step(self, loss: Any) -> bool:
        """One step; whether it was the last."""
        import torch

        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.parameters, 1.0)
        self._optimizer.step()
        self._schedule.step()
        self._optimizer.zero_grad(set_to_none=True)
        if self.done % 10 == 0:
            now = float(loss.detach())
            self._seen = 0.9 * self._seen + 0.1 * now if self.done else now
        self.done += 1
        is_last = self.part >= 1
        if self.done % 100 == 0 or is_last:
            spent = time.time() - self._began
            print(f"step {self.done}/{self._total} loss {self._seen:.4f} {spent:.0f} s", flush=True)
        return is_last


def scores(examples: Sequence[Example], chances: Sequence[float]) -> dict[str, float]:
    """How well texts are told apart: macro over queries, at a half, and average precision."""
    by_query: dict[int, list[tuple[float, bool]]] = {}
    for one, chance in zip(examples, chances, strict=True):
        if not one.is_pattern:
            by_query.setdefault(one.query, []).append((chance, one.label == RELEVANT))
    rows = [_query_scores(found) for found in by_query.values() if any(good for _, good in found)]
    names = ("recall", "precision", "average precision")
    return {name: sum(row[n] for row in rows) / max(1, len(rows)) for n, name in enumerate(names)}


def _query_scores(found: list[tuple[float, bool]]) -> tuple[float, float, float]:
    good = sum(label for _, label in found)
    kept = [label for chance, label in found if chance >= 0.5]
    ranked = sorted(found, key=lambda one: -one[0])
    hits, precisions = 0, 0.0
    for place, (_, label) in enumerate(ranked, 1):
        if label:
            hits += 1
            precisions += hits / place
    return sum(kept) / good, sum(kept) / len(kept) if kept else 0.0, precisions / good


def in_parts(numbers: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    for begin in range(0, len(numbers), size):
        yield numbers[begin : begin + size]


def steps_of(given: argparse.Namespace, per_epoch: int) -> int:
    steps: int = given.steps or math.ceil(given.epochs * per_epoch)
    return steps


if __name__ == "__main__":
    main()
