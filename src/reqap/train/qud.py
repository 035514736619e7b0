"""Trains the model that takes questions apart: a small language model, all of its weights.

    python -m reqap.train.qud data  --build perqa-lives --out lessons      (here)
    python -m reqap.train.qud train --lessons lessons --base base.gguf --out trained   (accelerator)

`train` needs torch, transformers and gguf, and nothing else of this package than the transcript.
"""

import argparse
import itertools
import json
import math
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reqap.qud.transcript import asked, taken
from reqap.train.batching import batches
from reqap.train.gguf_export import write_gguf
from reqap.train.rounding import Rounding

_SPREAD = 24
_PORTION = 8_000  # transcripts that become tokens at a time
Example = tuple[list[int], list[int]]  # tokens, and the same with -100 where nothing is learnt


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    data = commands.add_parser("data", help="derive decompositions from the templates")
    data.add_argument("--build", type=Path, required=True, help="what `reqap perqa build` wrote")
    data.add_argument("--out", type=Path, required=True)
    data.add_argument("--fills", type=int, default=1, help="values per wording")
    data.add_argument("--framed", type=int, default=30, help="questions per frame")
    data.add_argument("--rounds", type=int, default=3, help="how often to draw all of it anew")
    train = commands.add_parser("train", help="fine-tune on them")
    train.add_argument("--lessons", type=Path, required=True, help="the folder of `data`")
    train.add_argument("--base", type=Path, required=True, help="the base model, a GGUF file")
    train.add_argument("--tokenizer", type=Path, help="a folder, where the base's cannot be read")
    train.add_argument("--out", type=Path, required=True, help="the GGUF file to write")
    train.add_argument("--kind", default="Q4_0", help="how the weights are quantized")
    train.add_argument("--full", type=Path, help="with --rounded: the weights behind the rounded")
    train.add_argument("--words", default="Q8_0", help="how the embeddings are quantized")
    train.add_argument(
        "--rounded", action="store_true", help="learn with weights as rounded to Q4_0"
    )
    train.add_argument("--lora", type=int, help="learn only a change of this rank per matrix")
    train.add_argument("--epochs", type=float, default=1, help="each with the next round of data")
    train.add_argument("--dropout", type=float, default=0.1)
    train.add_argument("--seconds", type=float, help="stop after so many; the rate knows it")
    train.add_argument("--batch", type=int, default=24_000, help="tokens at a time")
    train.add_argument("--rate", type=float, default=4e-4)
    train.add_argument("--whole", action="store_true", help="learn whole plans, not steps")
    train.add_argument("--longest", type=int, default=1024, help="tokens of a lesson at most")
    train.add_argument("--look", type=int, default=200, help="look at dev every so many steps")
    train.add_argument(
        "--patience", type=int, default=5, help="stop when so many looks were no better"
    )
    train.add_argument("--steps", type=int, help="stop after so many: for trying it out")
    given = parser.parse_args()
    if given.command == "data":
        _data(given)
    else:
        _train(given)


def _data(given: argparse.Namespace) -> None:
    from reqap.train.qud_data import lessons, write_lessons, write_words

    given.out.mkdir(parents=True, exist_ok=True)
    drawn = [(f"train-{n}", "train", n, given.fills) for n in range(1, given.rounds + 1)]
    for name, split, seed, fills in (*drawn, ("dev", "dev", 1, 1)):
        found = lessons(split, given.build, fills, given.framed, seed)
        print(name, write_lessons(found, given.out / f"{name}.jsonl"), flush=True)
    write_words(given.out / "train-1.jsonl", given.out / "words.txt")


# -- training --------------------------------------------------------------------------------------


def _train(given: argparse.Namespace) -> None:
    import torch

    from reqap.train.fast import made_fast

    device = "cuda" if torch.cuda.is_available() else "cpu"
    tokenizer, model = load_base(given.base, given.tokenizer)
    model.to(device)
    files = sorted(given.lessons.glob("train-*.jsonl"))[: math.ceil(given.epochs)]
    rounds = [read_examples(file, tokenizer, given.whole, given.longest) for file in files]
    dev = read_examples(given.lessons / "dev.jsonl", tokenizer, given.whole, given.longest)
    for learn in rounds:
        print(f"{len(learn):,} lessons, {sum(len(x) for x, _ in learn):,} tokens", flush=True)
    with made_fast(model.model.layers, device):
        rounding = fit(model, rounds, dev, given, device)
    if given.lora:
        from reqap.train.low_rank import merge_low_rank

        merge_low_rank(model)
    given.out.parent.mkdir(parents=True, exist_ok=True)
    write_gguf(given.base, _weights(model), given.out, given.kind, given.words)
    if given.full and rounding:
        rounding.show_full()
        write_gguf(given.base, _weights(model), given.full, "Q8_0", "Q8_0")


def _weights(model: Any) -> dict[str, Any]:
    return {name: value.float().cpu().numpy() for name, value in model.state_dict().items()}


def load_base(path: Path, own: Path | None = None) -> tuple[Any, Any]:
    """Tokenizer and weights of a GGUF file; or another tokenizer, of the same words."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    folder, name = str(path.parent), path.name
    of_file = {} if own else {"gguf_file": name}
    tokenizer = AutoTokenizer.from_pretrained(str(own or folder), **of_file)
    model = AutoModelForCausalLM.from_pretrained(folder, gguf_file=name, dtype=torch.float32)
    return tokenizer, model


def read_examples(
    path: Path, tokenizer: Any, whole: bool = False, longest: int = 1024
) -> list[Example]:
    """Transcripts in tokens; only steps are learnt, not the questions that were given."""
    found = []
    with path.open(encoding="utf-8") as file:
        while lessons := [json.loads(line) for line in itertools.islice(file, _PORTION)]:
            taught = [[(it["turns"][0][0], it["plan"])] if whole else it["turns"] for it in lessons]
            texts = [text for turns in taught for q, step in turns
                     for text in (asked(q), taken(step))]  # fmt: skip
            encoded = iter(tokenizer.backend_tokenizer.encode_batch_fast(
                texts, add_special_tokens=False
            ))  # fmt: skip
            for turns in taught:
                tokens: list[int] = []
                wanted: list[int] = []
                for _ in turns:
                    given, answer = next(encoded).ids, next(encoded).ids
                    tokens += given + answer
                    wanted += [-100] * len(given) + answer
                if len(tokens) <= longest:
                    found.append((tokens, wanted))
    return found


@dataclass(frozen=True)
class Batch:
    """Transcripts side by side, and where in them, row after row, which token is to be said."""

    tokens: Any
    places: Any
    wanted: Any


def padded(batch: list[Example], device: str) -> Batch:
    """Nobody looks at what follows, so what is padded at the end needs no mask."""
    import numpy as np
    import torch

    width = max(len(tokens) for tokens, _ in batch)
    rows: Any = np.zeros((len(batch), width), np.int64)
    next_ones: Any = np.full((len(batch), width), -100, np.int64)
    for n, (tokens, wanted) in enumerate(batch):
        rows[n, : len(tokens)] = tokens
        next_ones[n, : len(tokens) - 1] = wanted[1:]
    flat = next_ones.reshape(-1)
    places = np.flatnonzero(flat != -100)
    return Batch(*(torch.from_numpy(it).to(device) for it in (rows, places, flat[places])))


def learnt_logits(model: Any, batch: Batch) -> Any:
    """What the model says where something is learnt."""
    hidden = model.model(input_ids=batch.tokens, use_cache=False).last_hidden_state
    return model.lm_head(hidden.flatten(0, 1)[batch.places])


def add_dropout(model: Any, share: float) -> None:
    """While it learns, each block leaves out some of what it adds."""
    import torch

    def dropped(module: Any, _: Any, out: Any) -> Any:
        return torch.nn.functional.dropout(out, share, module.training)

    for layer in model.model.layers:
        layer.self_attn.o_proj.register_forward_hook(dropped)
        layer.mlp.down_proj.register_forward_hook(dropped)


def fit(
    model: Any,
    rounds: list[list[Example]],
    dev: list[Example],
    given: argparse.Namespace,
    device: str,
) -> Rounding | None:
    """AdamW with warm-up and a cosine. What stays is what did best on dev, which is looked at now
    and then; when it has not got better for long, that was it."""
    import torch

    chance = random.Random(1)
    torch.manual_seed(1)
    rounding, parameters = _what_learns(model, given)
    if given.dropout:
        add_dropout(model, given.dropout)
    lengths = [[len(tokens) for tokens, _ in learn] for learn in rounds]
    per_epoch = len(batches(lengths[0], given.batch, chance, _SPREAD))
    optimizer = torch.optim.AdamW(
        parameters, lr=given.rate, betas=(0.9, 0.95), weight_decay=0.05,
        fused=device == "cuda",
    )  # fmt: skip
    pace = Pace(given.steps or int(given.epochs * per_epoch), given.seconds)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, pace.rate)
    best = Best(given.patience)
    model.train()
    for learn, part in _parts(rounds, lengths, given.batch, chance):
        batch = padded([learn[n] for n in part], device)
        with torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda"):
            logits = learnt_logits(model, batch)
            loss = torch.nn.functional.cross_entropy(logits.float(), batch.wanted)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        schedule.step()
        if rounding:
            rounding.forget_gradients()
            rounding.round()
        else:
            optimizer.zero_grad(set_to_none=True)
        is_last = pace.step(loss)
        if pace.done % given.look == 0 or is_last:
            told = told_scores(model, dev, device)
            print(f"epoch {pace.done / per_epoch:.2f}: {told}", flush=True)
            if best.is_enough(model, told.steps, rounding) or is_last:
                break
    best.put_back(model, rounding)
    return rounding


def _parts(
    rounds: list[list[Example]], lengths: list[list[int]], size: int, chance: random.Random
) -> Iterator[tuple[list[Example], list[int]]]:
    """Batches without end: the numbers of some examples of a round, one round after the other."""
    for learn, long in itertools.cycle(zip(rounds, lengths, strict=True)):
        for part in batches(long, size, chance, _SPREAD):
            yield learn, part


class Pace:
    """How far it is, by steps or by the clock, and how fast to learn there; tells how it goes."""

    def __init__(self, total: int, seconds: float | None) -> None:
        self._total, self._seconds = total, seconds
        self._began, self.done, self._losses = time.time(), 0, 0.0

    @property
    def part(self) -> float:
        """How much is done, of 1."""
        by_time = (time.time() - self._began) / self._seconds if self._seconds else 0.0
        return min(1.0, max(self.done / self._total, by_time))

    def rate(self, _: int) -> float:
        """Warm-up, then a cosine."""
        warm = min(1.0, 20 * self.part + 1e-3)
        return warm * (0.02 + 0.98 * (1 + math.cos(math.pi * self.part)) / 2)

    def step(self, loss: Any) -> bool:
        """One more is done; whether it was the last."""
        self._losses += float(loss.detach()) if self.done % 20 == 0 else 0.0
        self.done += 1
        if self.done % 100 == 0:
            spent, seen = time.time() - self._began, self._losses / 5
            print(f"step {self.done}/{self._total} loss {seen:.4f} {spent:.0f} s", flush=True)
            self._losses = 0.0
        return self.part >= 1


def _what_learns(model: Any, given: argparse.Namespace) -> tuple[Rounding | None, list[Any]]:
    """The parameters to learn, and what rounds them after a step."""
    if given.lora:
        from reqap.train.low_rank import add_low_rank

        return None, add_low_rank(model, given.lora, given.rounded)
    rounding = Rounding(model) if given.rounded else None
    return rounding, rounding.parameters if rounding else list(model.parameters())


class Best:
    """The weights that did best on dev so far, and those behind them."""

    def __init__(self, patience: int) -> None:
        self._patience = patience
        self._score = -1.0
        self._weights: dict[str, Any] = {}
        self._full: Any = None
        self.since = 0

    def is_enough(self, model: Any, score: float, rounding: Rounding | None = None) -> bool:
        """Keeps the weights if they are the best; whether the best is long ago."""
        self.since += 1
        if score > self._score:
            self._score, self.since = score, 0
            self._weights = {name: value.clone() for name, value in model.state_dict().items()}
            self._full = rounding.full.detach().clone() if rounding else None
        return self.since >= self._patience

    def put_back(self, model: Any, rounding: Rounding | None = None) -> None:
        if self._weights:
            model.load_state_dict(self._weights)
        if rounding and self._full is not None:
            rounding.full.data.copy_(self._full)


@dataclass(frozen=True)
class Told:
    """On dev, each step told the right ones before it: loss, tokens right, whole steps right."""

    loss: float
    tokens: float
    steps: float

    def __str__(self) -> str:
        return f"dev loss {self.loss:.4f}, tokens {self.tokens:.3f}, steps {self.steps:.3f}"


def told_scores(model: Any, dev: list[Example], device: str) -> Told:
    import torch

    model.eval()
    loss, tokens, right, steps, whole = 0.0, 0, 0, 0, 0
    with torch.no_grad():
        for begin in range(0, len(dev), 64):
            batch = padded(dev[begin : begin + 64], device)
            with torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda"):
                logits = learnt_logits(model, batch)
            loss += float(
                torch.nn.functional.cross_entropy(logits.float(), batch.wanted, reduction="sum")
            )
            learnt, hit = torch.zeros((2, *batch.tokens.shape), dtype=torch.bool, device=device)
            learnt.view(-1)[batch.places] = True
            hit.view(-1)[batch.places] = logits.argmax(-1) == batch.wanted
            tokens += len(batch.wanted)
            right += int(hit.sum())
            for hits, marks in zip(hit.tolist(), learnt.tolist(), strict=True):
                good, inside = True, False
                for ok, mark in zip([*hits, True], [*marks, False], strict=True):
                    if mark:
                        good, inside = good and ok if inside else ok, True
                    elif inside:
                        steps, whole, inside = steps + 1, whole + good, False
    model.train()
    return Told(loss / tokens, right / tokens, whole / steps)


if __name__ == "__main__":
    main()
