"""Trains a cross-encoder: query and text together, to irrelevant, partial or relevant."""

import argparse
import json
import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from reqap.train.batching import batches
from reqap.train.laid import lay
from reqap.train.onnx_export import keep_weights, take_weights, write_onnx
from reqap.train.retrieve import Climb, Example, doubts, read_examples, scores, steps_of
from reqap.train.retrieve_lesson import UNKNOWN
from reqap.train.retrieve_models import Cross, load_start
from reqap.train.rows import Rows
from reqap.verbalize import IRRELEVANT, LONGEST, RELEVANT

_SPREAD = 12
_DOUBT = 2.0  # the temperature at which a teacher's doubts are learnt


def train_cross(given: argparse.Namespace) -> None:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(1)
    tokenizer, encoder = load_start(given.start, tuple(given.layers))
    tokenizer.no_padding()
    tokenizer.enable_truncation(LONGEST, strategy="only_second")
    model = Cross(encoder)
    if given.onward:
        take_weights(model, given.onward)
    model.to(device)
    learn = read_examples(given.lessons / ("columns.jsonl" if given.columns else "train.jsonl"))
    dev = read_examples(given.lessons / ("columns-dev.jsonl" if given.columns else "dev.jsonl"))
    rows, dev_rows = (rows_of(tokenizer, it, device) for it in (learn, dev))
    taught = doubts(given.teacher)
    print(f"{len(learn):,} examples, {sum(rows.lengths):,} tokens", flush=True)
    fit(model, learn, rows, taught, given, device)
    given.out.mkdir(parents=True, exist_ok=True)
    half = device == "cuda" or given.half
    told = logits(model, dev_rows, device, half)
    found = {"columns": column_score(dev, told)} if given.columns else {
        **scores(dev, chances(told)), "patterns": pattern_score(dev, told),
    }  # fmt: skip
    print({name: round(value, 4) for name, value in found.items()}, flush=True)
    (given.out / "scores.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    if given.tell:
        told = logits(model, rows, device, half)
        np.save(given.out / "told.npy", told.astype(np.float16))
    keep_weights(model, given.out / "cross.npz")
    write_onnx(
        model.cpu().eval(), given.out / "cross.onnx",
        ("input_ids", "attention_mask", "token_type_ids"), ("logits",),
    )  # fmt: skip


def rows_of(tokenizer: Any, examples: Sequence[Example], device: str) -> Rows:
    return Rows(lay(tokenizer, [(one.asked, one.text) for one in examples]), device)


def fit(
    model: Any,
    learn: Sequence[Example],
    rows: Rows,
    taught: Any,
    given: argparse.Namespace,
    device: str,
) -> None:
    chance = random.Random(1)
    labels = torch.tensor([one.label for one in learn], device=device)
    doubted = None if taught is None else torch.tensor(taught, device=device) / _DOUBT
    # Of what nobody has labelled, there is nothing to learn without a teacher.
    used = [n for n, one in enumerate(learn) if taught is not None or one.label != UNKNOWN]
    lengths = [rows.lengths[n] for n in used]
    per_epoch = len(batches(lengths, given.batch, chance, _SPREAD))
    climb = Climb([model], given.rate, steps_of(given, per_epoch), device, given.seconds)
    model.train()
    while True:
        for places in batches(lengths, given.batch, chance, _SPREAD):
            batch = [used[place] for place in places]
            half = device == "cuda" or given.half
            with torch.autocast(device, dtype=torch.bfloat16, enabled=half):
                said = model(*rows.inputs(batch)).float()
            loss = functional.cross_entropy(
                said, labels[batch], label_smoothing=0.02, ignore_index=UNKNOWN, reduction="sum"
            ) / len(batch)
            if doubted is not None:
                apart = functional.kl_div(
                    functional.log_softmax(said / _DOUBT, -1),
                    functional.log_softmax(doubted[batch], -1),
                    reduction="batchmean", log_target=True,
                )  # fmt: skip
                loss = 0.3 * loss + 0.7 * _DOUBT**2 * apart
            if climb.step(loss):
                return


def logits(model: Any, rows: Rows, device: str, half: bool) -> Any:
    """What the model says of everything, in order."""
    model.eval()
    found: Any = np.zeros((len(rows.lengths), 3), np.float32)
    with torch.no_grad():
        for batch in batches(rows.lengths, 64_000, random.Random(1), _SPREAD):
            with torch.autocast(device, dtype=torch.bfloat16, enabled=half):
                said = model(*rows.inputs(batch))
            found[batch] = said.float().cpu().numpy()
    model.train()
    return found


def chances(told: Any) -> list[float]:
    """That a text is relevant; of texts, none is partial."""
    return [float(one) for one in 1 / (1 + np.exp(told[:, IRRELEVANT] - told[:, RELEVANT]))]


def pattern_score(examples: Sequence[Example], told: Any) -> float:
    """The share of patterns that get the right class of three."""
    right = [int(told[n].argmax()) == one.label for n, one in enumerate(examples) if one.is_pattern]
    return sum(right) / max(1, len(right))


def column_score(examples: Sequence[Example], told: Any) -> float:
    """For which share of keys the likeliest column is the right one, or none is likely."""
    likely = chances(told)
    by_key: dict[int, list[int]] = {}
    for n, one in enumerate(examples):
        by_key.setdefault(one.query, []).append(n)
    right = 0
    for numbers in by_key.values():
        best = max(numbers, key=likely.__getitem__)
        answered = likely[best] >= 0.5
        wanted = any(examples[n].label == RELEVANT for n in numbers)
        right += examples[best].label == RELEVANT if answered else not wanted
    return right / max(1, len(by_key))
