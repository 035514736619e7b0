"""The trained networks of RETRIEVE, as the rest of it sees them.

A folder holds the encoder, its judge (small enough for numpy), the cross-encoder, the vocabulary,
and a card with the checksums. Not the job of this module: which texts to ask about (`cascade`).
"""

from collections.abc import Sequence
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from reqap.models.base import checksums, verified
from reqap.models.onnx import OnnxModel, Words
from reqap.retrieve.encoding import Encoded, encoded
from reqap.retrieve.likeness import Likeness
from reqap.verbalize import LONGEST, RELEVANT, VERSION

Floats = npt.NDArray[np.float32]
USUAL, SMALLER = "cross.onnx", "cross_s.onnx"  # cross-encoders, M (shipped) and S
_LEAST = 0.05  # a weight below counts for nothing


class Asked(NamedTuple):
    """A query: its vector, and what each of its words weighs."""

    vector: Floats
    words: dict[int, float]


class Networks:
    """Loaded once; the cross-encoder when it is first needed."""

    def __init__(self, folder: Path, cross: str = USUAL) -> None:
        known = checksums(folder, "models of the search")
        self._folder, self._known, self._name = folder, known, cross
        verified(folder / "tokenizer.json", known.get("tokenizer.json", ""))
        self._words = Words(folder / "tokenizer.json", LONGEST)
        self._encoder = OnnxModel(folder / "encoder.onnx", known["encoder.onnx"])
        parts = np.load(self._read("judge.npz"), allow_pickle=False)
        self._head = parts["head"]
        self._table = np.log1p(np.exp(parts["words"].astype(np.float32)))
        self._first, self._shift = parts["first.weight"], parts["first.bias"]
        self._last, self._base = parts["last.weight"][0], parts["last.bias"][0]
        self._cross: OnnxModel | None = None

    @cached_property
    def likeness(self) -> Likeness:
        return Likeness(self._read("merge.npz"))

    def _read(self, name: str) -> BytesIO:
        verified(self._folder / name, self._known.get(name, ""))
        return BytesIO((self._folder / name).read_bytes())

    @property
    def version(self) -> str:
        """Of the encoder, and of the words that it is given: an index of others is of no use."""
        return f"{self._encoder.sha256[:16]}.{VERSION}"

    def encode(self, texts: Sequence[str]) -> list[Encoded]:
        ids = [self._words.of(text) for text in texts]
        told = self._encoder.run_all((one, None) for one in ids)
        return [self._encoded(one, *outputs) for one, outputs in zip(ids, told, strict=True)]

    def _encoded(self, ids: list[int], dense: Floats, own: Floats, meant: Floats) -> Encoded:
        weights: dict[int, float] = {}
        for place in np.flatnonzero(meant > _LEAST):
            weights[int(self._head[place])] = float(meant[place])
        for word, weight in zip(ids[1:-1], own[1:-1], strict=True):
            weights[word] = max(weights.get(word, 0.0), float(weight))
        return encoded(dense, weights)

    def asked(self, query: str) -> Asked:
        """Words by the table alone; the vector costs one pass."""
        words = {word: float(self._table[word]) for word in self._words.of(query)[1:-1]}
        return Asked(self.vector(query), words)

    def vector(self, text: str) -> Floats:
        dense, *_ = self._encoder.run(self._words.of(text))
        return dense

    def judged(self, asked: Asked, vectors: Floats, sparse: Floats, share: Floats) -> Floats:
        """How likely each text matches, by vectors and words alone."""
        size = len(asked.vector)
        # The weights for how vectors go together, how far they are apart, and for words.
        product, apart, words = np.split(self._first, (size, 2 * size), 1)
        inner = vectors @ (product * asked.vector).T
        inner += np.abs(vectors - asked.vector) @ apart.T
        inner += np.stack((sparse, share), 1) @ words.T + self._shift
        return _chance(np.maximum(inner, 0) @ self._last + self._base)

    def read(self, query: str, texts: Sequence[str]) -> Floats:
        """Irrelevant, partial, relevant: what the cross-encoder says of each, as chances."""
        if self._cross is None:
            self._cross = OnnxModel(self._folder / self._name, self._known[self._name])
        told = self._cross.run_all(self._words.of_both(query, text) for text in texts)
        logits = np.array([one[0] for one in told], np.float32).reshape(-1, RELEVANT + 1)
        raised: Floats = np.exp(logits - logits.max(-1, keepdims=True))
        chances: Floats = raised / raised.sum(-1, keepdims=True)
        return chances


def _chance(score: Floats) -> Floats:
    return (1 / (1 + np.exp(-np.clip(score, -30, 30)))).astype(np.float32)
