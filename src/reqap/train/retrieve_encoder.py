"""Trains the encoder that reads queries and texts apart, and the judge of what it gives.

The sparse half is inference-free for queries: the weight of a query's word is looked up. Texts get
weights for words that they never say ("gutter ball" → "bowling"), and few of them: what a text
weighs all in all costs.
"""

import argparse
import json
import random
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from reqap.train.fast import made_fast
from reqap.train.laid import lay
from reqap.train.onnx_export import keep_weights, take_weights, write_onnx
from reqap.train.retrieve import (
    Climb,
    Example,
    doubts,
    in_parts,
    read_examples,
    scores,
    steps_of,
)
from reqap.train.retrieve_lesson import UNKNOWN
from reqap.train.retrieve_models import Encoder, Judge, common_words, load_start
from reqap.train.rows import Rows
from reqap.verbalize import IRRELEVANT, LONGEST, RELEVANT

_GOOD, _BAD = 4, 8  # texts of each
_SHARP = 20.0
_TURNS = 8  # in which the texts of a step are read
_SPARSE = 3e-3  # what weights cost, once learning is under way


def train_encoder(given: argparse.Namespace) -> None:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(1)
    tokenizer, bert = load_start(given.start, tuple(given.layers))
    tokenizer.no_padding()
    tokenizer.enable_truncation(LONGEST)
    learn, dev = (
        [one for one in read_examples(given.lessons / f"{name}.jsonl") if not one.is_pattern]
        for name in ("train", "dev")
    )
    head = common_words(tokenizer)
    encoder = Encoder(bert, head)
    if given.onward:
        take_weights(encoder, given.onward)
    net = Net(encoder.to(device), head, tokenizer, device, given.half)
    if given.onward:
        net.take_judge(np.load(given.onward.with_name("judge.npz"), allow_pickle=False))
    with made_fast(bert.encoder.layer, device):
        fit(net, learn, given)
    given.out.mkdir(parents=True, exist_ok=True)
    found = scores(dev, net.chances(dev)) | {"words per text": net.density(dev)}
    print({name: round(value, 4) for name, value in found.items()}, flush=True)
    (given.out / "scores.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    parts = {name: value.detach().cpu().float().numpy()
             for name, value in net.judge.state_dict().items()}  # fmt: skip
    np.savez(given.out / "judge.npz", head=np.array(head, np.int32), **parts)
    keep_weights(net.encoder, given.out / "encoder.npz")
    write_onnx(
        net.encoder.cpu().eval(), given.out / "encoder.onnx",
        ("input_ids", "attention_mask"), ("dense", "own", "words"),
    )  # fmt: skip


class Net:
    """Encoder and judge, over texts."""

    def __init__(
        self, encoder: Any, head: list[int], tokenizer: Any, device: str, half: bool
    ) -> None:
        self.encoder = encoder
        self._head = torch.tensor(head, device=device)
        config = encoder.encoder.config
        self._size = config.vocab_size
        self.judge = Judge(config.hidden_size, self._size).to(device)
        self._tokenizer = tokenizer
        self.device = device
        self._half = device == "cuda" or half

    def take_judge(self, parts: Any) -> None:
        """The judge that belongs to the weights to go on from."""
        told = {name: torch.tensor(parts[name]) for name in self.judge.state_dict()}
        self.judge.load_state_dict(told)

    def rows(self, texts: Iterable[str]) -> "Numbered":
        return Numbered(texts, self._tokenizer, self.device)

    def encode(self, rows: "Numbered", texts: Sequence[str]) -> tuple[Any, Any]:
        """Vectors and weights of words; texts of like lengths go together, for less padding."""
        order = sorted(range(len(texts)), key=lambda n: rows.length(texts[n]))
        size = -(-len(texts) // _TURNS)
        parts = [self._encode(rows, [texts[n] for n in part]) for part in in_parts(order, size)]
        dense, words = zip(*parts, strict=True)
        back = torch.tensor(order, device=self.device).argsort()
        return torch.cat(dense)[back], torch.cat(words)[back]

    def _encode(self, rows: "Numbered", texts: Sequence[str]) -> tuple[Any, Any]:
        ids, mask, _ = rows.inputs(texts)
        with torch.autocast(self.device, dtype=torch.bfloat16, enabled=self._half):
            dense, own, words = self.encoder(ids, mask)
        said = torch.zeros(len(texts), self._size, device=self.device)
        said = said.scatter_reduce(1, ids, own.float(), "amax")
        meant = torch.zeros_like(said).index_copy(1, self._head, words.float())
        return dense.float(), torch.maximum(said, meant)

    def queries(self, rows: "Numbered", asked: Sequence[str]) -> tuple[Any, Any]:
        """Vectors, and weights of words from the table."""
        ids, mask, _ = rows.inputs(asked)
        # Without the marks at both ends.
        inner = torch.cat((mask[:, 1:], torch.zeros_like(mask[:, :1])), 1)
        inner[:, 0] = 0
        with torch.autocast(self.device, dtype=torch.bfloat16, enabled=self._half):
            dense, *_ = self.encoder.vectors(ids, mask)
        return dense.float(), self.judge.query_words(ids * inner, inner, self._size)

    def matched(self, query: tuple[Any, Any], text: tuple[Any, Any]) -> tuple[Any, Any]:
        """For pairs, row by row: what the judge says, and the sparse score."""
        sparse = (query[1] * text[1]).sum(-1)
        share = (query[1] * text[1].clamp(max=1)).sum(-1) / query[1].sum(-1).clamp(min=1e-6)
        return self.judge(query[0], text[0], sparse, share), sparse

    def chances(self, examples: Sequence[Example]) -> list[float]:
        self.encoder.eval()
        found: list[float] = []
        rows = self.rows(text for one in examples for text in (one.asked, one.text))
        with torch.no_grad():
            for part in in_parts(range(len(examples)), 256):
                some = [examples[n] for n in part]
                asked = self.queries(rows, [one.asked for one in some])
                said, _ = self.matched(asked, self.encode(rows, [one.text for one in some]))
                found += torch.sigmoid(said).tolist()
        self.encoder.train()
        return found

    def density(self, examples: Sequence[Example]) -> float:
        """How many words a text has a weight for, on average."""
        self.encoder.eval()
        texts = [one.text for one in examples[:512]]
        with torch.no_grad():
            _, words = self.encode(self.rows(texts), texts)
        self.encoder.train()
        return float((words > 0.05).sum(1).float().mean())


class Numbered:
    """Distinct texts, each in words once."""

    def __init__(self, texts: Iterable[str], tokenizer: Any, device: str) -> None:
        self._place = {text: n for n, text in enumerate(dict.fromkeys(texts))}
        self._rows = Rows(lay(tokenizer, list(self._place)), device)

    def length(self, text: str) -> int:
        return self._rows.lengths[self._place[text]]

    def inputs(self, texts: Sequence[str]) -> tuple[Any, Any, Any]:
        return self._rows.inputs([self._place[text] for text in texts])


def fit(net: Net, learn: Sequence[Example], given: argparse.Namespace) -> None:
    rows = net.rows(text for one in learn for text in (one.asked, one.text))
    taught = doubts(given.teacher)
    by_unit: dict[str, list[Example]] = {}
    for one in learn:
        if one.label != UNKNOWN or taught is not None:
            by_unit.setdefault(one.unit, []).append(one)
    units = list(by_unit.values())
    # The examples of a unit are drawn anew every time; an epoch sees each about once.
    rounds = max(1, round(len(learn) / len(units) / (_GOOD + _BAD)))
    total = steps_of(given, rounds * len(units) // given.queries + 1)
    climb = Climb([net.encoder, net.judge], given.rate, total, net.device, given.seconds)
    chance = random.Random(1)
    net.encoder.train()
    while True:
        for batch in _drawn(units, given.queries, chance):
            cost = _SPARSE * min(1.0, (climb.part / 0.4) ** 2)
            if climb.step(_loss(net, rows, batch, taught, cost)):
                return


def _drawn(units: list[list[Example]], size: int, chance: random.Random) -> Iterator[list[Example]]:
    order = list(range(len(units)))
    chance.shuffle(order)
    for part in in_parts(order, size):
        batch = []
        for number in part:
            good = [one for one in units[number] if one.label == RELEVANT]
            rest = [one for one in units[number] if one.label != RELEVANT]
            batch += chance.sample(good, min(_GOOD, len(good)))
            batch += chance.sample(rest, min(_BAD, len(rest)))
        yield batch


def _loss(net: Net, rows: Numbered, batch: list[Example], taught: Any, cost: float) -> Any:
    asked = {query: n for n, query in enumerate(dict.fromkeys(one.asked for one in batch))}
    said_once = {text: n for n, text in enumerate(dict.fromkeys(one.text for one in batch))}
    owner = torch.tensor([asked[one.asked] for one in batch], device=net.device)
    place = torch.tensor([said_once[one.text] for one in batch], device=net.device)
    dense, table = net.queries(rows, list(asked))
    every = net.encode(rows, list(said_once))
    query, text = (dense[owner], table[owner]), (every[0][place], every[1][place])
    said, sparse = net.matched(query, text)
    label = torch.tensor([float(one.label == RELEVANT) for one in batch], device=net.device)
    known = torch.tensor([one.label != UNKNOWN for one in batch], device=net.device)
    target = label
    if taught is not None:
        told = taught[[one.number for one in batch]]
        sure = torch.tensor(
            1 / (1 + np.exp(told[:, IRRELEVANT] - told[:, RELEVANT])), device=net.device
        )
        target = torch.where(known, 0.4 * label + 0.6 * sure, sure)
    loss = functional.binary_cross_entropy_with_logits(said, target)
    near = (query[0] * text[0]).sum(-1) * _SHARP
    loss = loss + 0.3 * (_ranked(sparse, label, known, owner) + _ranked(near, label, known, owner))
    return loss + cost * (every[1].mean(0) ** 2).sum()


def _ranked(score: Any, label: Any, known: Any, owner: Any) -> Any:
    """Each matching text of a query should be above all of its others."""
    same = owner.unsqueeze(0) == owner.unsqueeze(1)
    rivals = same & ((label == 0) & known).unsqueeze(0)
    above = torch.where(rivals, score.unsqueeze(0), torch.full_like(score, -1e4).unsqueeze(0))
    everything = torch.logsumexp(torch.cat((score.unsqueeze(1), above), 1), 1)
    return ((everything - score) * label).sum() / label.sum().clamp(min=1)
