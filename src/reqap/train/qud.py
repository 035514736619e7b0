"""Trains the model that takes questions apart: a small language model, all of its weights.

    python -m reqap.train.qud data  --build perqa-lives --out lessons      (here)
    python -m reqap.train.qud train --lessons lessons --base base.gguf --out trained   (accelerator)

`train` needs torch, transformers and gguf, and nothing else of this package than the transcript.
"""

import argparse
import json
import math
import random
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reqap.qud.transcript import asked, taken
from reqap.train.batching import batches
from reqap.train.gguf_export import write_gguf
from reqap.train.rounding import Rounding

_SPREAD = 24
Example = tuple[list[int], list[int]]  # tokens, and the same with -100 where nothing is learnt


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    data = commands.add_parser("data", help="derive decompositions from the templates")
    data.add_argument("--build", type=Path, required=True, help="what `reqap perqa build` wrote")
    data.add_argument("--out", type=Path, required=True)
    data.add_argument("--fills", type=int, default=1, help="values per wording")
    data.add_argument("--framed", type=int, default=30, help="questions per frame")
    train = commands.add_parser("train", help="fine-tune on them")
    train.add_argument("--lessons", type=Path, required=True, help="the folder of `data`")
    train.add_argument("--base", type=Path, required=True, help="the base model, a GGUF file")
    train.add_argument("--out", type=Path, required=True, help="the GGUF file to write")
    train.add_argument("--kind", default="Q4_0", help="how the weights are quantized")
    train.add_argument("--words", default="Q8_0", help="how the embeddings are quantized")
    train.add_argument(
        "--rounded", action="store_true", help="learn with weights as rounded to Q4_0"
    )
    train.add_argument("--lora", type=int, help="learn only a change of this rank per matrix")
    train.add_argument("--epochs", type=float, default=1)
    train.add_argument("--batch", type=int, default=24_000, help="tokens at a time")
    train.add_argument("--rate", type=float, default=4e-4)
    train.add_argument("--whole", action="store_true", help="learn whole plans, not steps")
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
    for split, fills in (("train", given.fills), ("dev", 1)):
        found = lessons(split, given.build, fills, given.framed)
        print(split, write_lessons(found, given.out / f"{split}.jsonl"))
    write_words(given.out / "train.jsonl", given.out / "words.txt")


# -- training --------------------------------------------------------------------------------------


def _train(given: argparse.Namespace) -> None:
    import torch

    device = "cuda" if torch.cuda.is_available() else "cpu"
    tokenizer, model = load_base(given.base)
    model.to(device)
    learn = read_examples(given.lessons / "train.jsonl", tokenizer, given.whole)
    dev = read_examples(given.lessons / "dev.jsonl", tokenizer, given.whole)
    print(f"{len(learn):,} lessons, {sum(len(x) for x, _ in learn):,} tokens", flush=True)
    fit(model, learn, dev, given, device)
    if given.lora:
        from reqap.train.low_rank import merge_low_rank

        merge_low_rank(model)
    given.out.parent.mkdir(parents=True, exist_ok=True)
    weights = {name: value.float().cpu().numpy() for name, value in model.state_dict().items()}
    write_gguf(given.base, weights, given.out, given.kind, given.words)


def load_base(path: Path) -> tuple[Any, Any]:
    """Tokenizer and weights of a GGUF file."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    folder, name = str(path.parent), path.name
    tokenizer = AutoTokenizer.from_pretrained(folder, gguf_file=name)
    model = AutoModelForCausalLM.from_pretrained(folder, gguf_file=name, dtype=torch.float32)
    return tokenizer, model


def read_examples(
    path: Path, tokenizer: Any, whole: bool = False, longest: int = 1024
) -> list[Example]:
    """Transcripts in tokens; only steps are learnt, not the questions that were given."""
    with path.open(encoding="utf-8") as file:
        lessons = [json.loads(line) for line in file]
    taught = [
        [(it["turns"][0][0], it["plan"])] if whole else [tuple(turn) for turn in it["turns"]]
        for it in lessons
    ]
    texts = [text for turns in taught for q, step in turns for text in (asked(q), taken(step))]
    encoded = iter(tokenizer(texts, add_special_tokens=False)["input_ids"])
    found = []
    for turns in taught:
        tokens: list[int] = []
        wanted: list[int] = []
        for _ in turns:
            given, answer = next(encoded), next(encoded)
            tokens += given + answer
            wanted += [-100] * len(given) + answer
        if len(tokens) <= longest:
            found.append((tokens, wanted))
    return found


def padded(batch: list[Example], device: str) -> dict[str, Any]:
    import torch

    width = max(len(tokens) for tokens, _ in batch)
    rows: dict[str, list[list[int]]] = {"input_ids": [], "labels": [], "attention_mask": []}
    for tokens, wanted in batch:
        rest = width - len(tokens)
        rows["input_ids"].append(tokens + [0] * rest)
        rows["labels"].append(wanted + [-100] * rest)
        rows["attention_mask"].append([1] * len(tokens) + [0] * rest)
    return {name: torch.tensor(values, device=device) for name, values in rows.items()}


def learnt_logits(model: Any, rows: dict[str, Any]) -> tuple[Any, Any]:
    """What the model says, and should say, where something is learnt."""
    hidden = model.model(
        input_ids=rows["input_ids"], attention_mask=rows["attention_mask"]
    ).last_hidden_state
    wanted = rows["labels"][:, 1:]
    learnt = wanted != -100
    return model.lm_head(hidden[:, :-1][learnt]), wanted[learnt]


def fit(
    model: Any, learn: list[Example], dev: list[Example], given: argparse.Namespace, device: str
) -> None:
    """AdamW with warm-up and a cosine. What stays is what did best on dev, which is looked at now
    and then; when it has not got better for long, that was it."""
    import torch

    chance = random.Random(1)
    torch.manual_seed(1)
    if device == "cuda":
        torch.set_float32_matmul_precision("high")
        # cuDNN's attention prepares itself anew for every shape of a batch.
        torch.backends.cuda.enable_cudnn_sdp(False)
    lengths = [len(tokens) for tokens, _ in learn]
    per_epoch = len(batches(lengths, given.batch, chance, _SPREAD))
    total = given.steps or int(given.epochs * per_epoch)
    rounding, parameters = _what_learns(model, given)
    optimizer = torch.optim.AdamW(
        parameters, lr=given.rate, betas=(0.9, 0.95), weight_decay=0.05,
        fused=device == "cuda",
    )  # fmt: skip
    warm = max(1, total // 20)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer,
        lambda step: (
            min(1.0, (step + 1) / warm)
            * (0.05 + 0.95 * (1 + math.cos(math.pi * min(1.0, step / total))) / 2)
        ),
    )
    began, done, losses, best = time.time(), 0, 0.0, Best(given.patience)
    model.train()
    while done < total:
        for part in batches(lengths, given.batch, chance, _SPREAD):
            batch = [learn[number] for number in part]
            with torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda"):
                logits, wanted = learnt_logits(model, padded(batch, device))
                loss = torch.nn.functional.cross_entropy(logits.float(), wanted)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(parameters, 1.0)
            optimizer.step()
            schedule.step()
            if rounding:
                rounding.forget_gradients()
                rounding.round()
            else:
                optimizer.zero_grad(set_to_none=True)
            losses += float(loss.detach()) if done % 20 == 0 else 0.0
            done += 1
            if done % 100 == 0:
                spent = time.time() - began
                print(f"step {done}/{total} loss {losses / 5:.4f} {spent:.0f} s", flush=True)
                losses = 0.0
            if done % given.look == 0 or done == total:
                told = told_scores(model, dev, device)
                print(f"epoch {done / per_epoch:.2f}: {told}", flush=True)
                if best.is_enough(model, told.steps):
                    print(f"dev was best {best.since} looks ago; stopped", flush=True)
                    done = total
            if done >= total:
                break
    best.put_back(model)


def _what_learns(model: Any, given: argparse.Namespace) -> tuple[Rounding | None, list[Any]]:
    """The parameters to learn, and what rounds them after a step."""
    if given.lora:
        from reqap.train.low_rank import add_low_rank

        return None, add_low_rank(model, given.lora, given.rounded)
    rounding = Rounding(model) if given.rounded else None
    return rounding, rounding.parameters if rounding else list(model.parameters())


class Best:
    """The weights that did best on dev so far."""

    def __init__(self, patience: int) -> None:
        self._patience = patience
        self._score = -1.0
        self._weights: dict[str, Any] = {}
        self.since = 0

    def is_enough(self, model: Any, score: float) -> bool:
        """Keeps the weights if they are the best; whether the best is long ago."""
        self.since += 1
        if score > self._score:
            self._score, self.since = score, 0
            self._weights = {name: value.clone() for name, value in model.state_dict().items()}
        return self.since >= self._patience

    def put_back(self, model: Any) -> None:
        if self._weights:
            model.load_state_dict(self._weights)


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
            rows = padded(dev[begin : begin + 64], device)
            with torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda"):
                logits, wanted = learnt_logits(model, rows)
            loss += float(
                torch.nn.functional.cross_entropy(logits.float(), wanted, reduction="sum")
            )
            learnt = rows["labels"][:, 1:] != -100
            hit = torch.zeros_like(learnt)
            hit[learnt] = logits.argmax(-1) == wanted
            tokens += len(wanted)
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
