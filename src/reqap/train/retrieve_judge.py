"""Trains the judge alone, on what an encoder that stays as it is makes of texts.

Whether a query and a text match is judged by their vectors and words (`Judge`). Texts are encoded
once, by the very file that is shipped, so that minutes on a processor are enough, and an index
stays what it was. Not the job of this module: the encoder (`retrieve_encoder`).
"""

import argparse
import json
import random
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch.nn import functional

from reqap.retrieve.encoding import Encoded, unpacked_words
from reqap.retrieve.networks import Networks
from reqap.train.retrieve import Climb, Example, in_parts, read_examples, scores
from reqap.train.retrieve_lesson import UNKNOWN
from reqap.train.retrieve_models import Judge
from reqap.verbalize import RELEVANT

_GOOD, _BAD = 4, 8  # texts of each query, drawn anew every time
_AT_ONCE = 200  # queries
_PORTION = 512
_JUDGE = "judge.npz"


class Pairs(NamedTuple):
    """Examples as numbers: the places of query and text, their words in common, the label."""

    examples: Sequence[Example]
    asked: Any
    told: Any
    shared: Any  # the sparse score, and the share of the query's weight that the text has


def train_judge(given: argparse.Namespace) -> None:
    torch.manual_seed(1)
    networks = Networks(given.models)
    learn, dev = (
        [one for one in read_examples(given.lessons / f"{name}.jsonl")
         if not one.is_pattern and one.label != UNKNOWN]
        for name in ("train", "dev")
    )  # fmt: skip
    vectors, pairs, held = _laid(networks, learn, dev)
    parts = np.load(given.models / _JUDGE, allow_pickle=False)
    judge = Judge(vectors.shape[1], len(parts["words"]))
    judge.load_state_dict({name: torch.tensor(parts[name]) for name in judge.state_dict()})
    print("before", _scores(judge, vectors, held), flush=True)
    _fit(judge, vectors, pairs, given)
    found = _scores(judge, vectors, held)
    print("after", found, flush=True)
    given.out.mkdir(parents=True, exist_ok=True)
    (given.out / "scores.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    state = {name: value.detach().numpy() for name, value in judge.state_dict().items()}
    np.savez(given.out / _JUDGE, head=parts["head"], **state)


def _laid(
    networks: Networks, learn: Sequence[Example], dev: Sequence[Example]
) -> tuple[Any, Pairs, Pairs]:
    """All vectors, those of queries first, and the pairs of both."""
    asked = {text: n for n, text in enumerate(dict.fromkeys(it.asked for it in (*learn, *dev)))}
    told = {text: n for n, text in enumerate(dict.fromkeys(it.text for it in (*learn, *dev)))}
    queries = [networks.asked(query) for query in asked]
    made = _encoded(networks, list(told))
    vectors = np.concatenate((
        np.stack([one.vector for one in queries]),
        np.stack([one.vector for one in made]).astype(np.float32) / np.float32(127),
    ))  # fmt: skip
    words = [_words(one) for one in made]

    def pairs(examples: Sequence[Example]) -> Pairs:
        shared = np.zeros((len(examples), 2), np.float32)
        for n, one in enumerate(examples):
            query, text = queries[asked[one.asked]].words, words[told[one.text]]
            both = [(weight, text[word]) for word, weight in query.items() if word in text]
            shared[n] = (
                sum(weight * known for weight, known in both),
                sum(weight * min(known, 1) for weight, known in both)
                / max(sum(query.values()), 1e-6),
            )
        queries_at = torch.tensor([asked[one.asked] for one in examples])
        texts_at = torch.tensor([len(asked) + told[one.text] for one in examples])
        return Pairs(examples, queries_at, texts_at, torch.from_numpy(shared))

    return torch.from_numpy(vectors), pairs(learn), pairs(dev)


def _encoded(networks: Networks, texts: list[str]) -> list[Encoded]:
    made: list[Encoded] = []
    for begin in range(0, len(texts), _PORTION):
        made += networks.encode(texts[begin : begin + _PORTION])
        if begin // _PORTION % 10 == 0:
            print(f"{len(made):,} of {len(texts):,} texts", flush=True)
    return made


def _words(one: Encoded) -> dict[int, float]:
    words, weights, _ = unpacked_words([one.packed_words()])
    return dict(zip(words.tolist(), weights.tolist(), strict=True))


def _said(judge: Any, vectors: Any, pairs: Pairs, numbers: Iterable[int]) -> Any:
    chosen = torch.tensor(list(numbers))
    query, text = vectors[pairs.asked[chosen]], vectors[pairs.told[chosen]]
    return judge(query, text, pairs.shared[chosen, 0], pairs.shared[chosen, 1])


def _scores(judge: Any, vectors: Any, pairs: Pairs) -> dict[str, float]:
    chances: list[float] = []
    with torch.no_grad():
        for part in in_parts(range(len(pairs.examples)), 4096):
            chances += torch.sigmoid(_said(judge, vectors, pairs, part)).tolist()
    found = scores(pairs.examples, chances)
    return {name: round(value, 4) for name, value in found.items()}


def _fit(judge: Any, vectors: Any, pairs: Pairs, given: argparse.Namespace) -> None:
    by_query: dict[str, tuple[list[int], list[int]]] = {}
    for n, one in enumerate(pairs.examples):
        by_query.setdefault(one.unit + one.asked, ([], []))[one.label != RELEVANT].append(n)
    queries = list(by_query.values())
    label = torch.tensor([float(one.label == RELEVANT) for one in pairs.examples])
    total = int(given.epochs * len(queries) / _AT_ONCE) + 1
    judge.words.requires_grad_(False)  # the sparse scores rest on them
    climb = Climb([judge.first, judge.last], given.rate, total, "cpu", given.seconds)
    chance = random.Random(1)
    while True:
        chance.shuffle(queries)
        for part in in_parts(range(len(queries)), _AT_ONCE):
            drawn = [n for at in part for side, most in zip(queries[at], (_GOOD, _BAD), strict=True)
                     for n in chance.sample(side, min(most, len(side)))]  # fmt: skip
            said = _said(judge, vectors, pairs, drawn)
            if climb.step(functional.binary_cross_entropy_with_logits(said, label[drawn])):
                return
