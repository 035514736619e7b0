"""The trained networks of RETRIEVE, as the rest of it sees them.

A folder holds the encoder, its judge (small enough for numpy), the cross-encoder, the vocabulary,
and a card with the checksums. Not the job of this module: which texts to ask about (`cascade`).
"""

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
from reqap.verbalize import LONGEST, VERSION

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

    def encode(self, text: str) -> Encoded:
        ids = self._words.of(text)
        dense, own, meant = self._encoder.run(ids)
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
        product = vectors * asked.vector
        apart = np.abs(vectors - asked.vector)
        given = np.concatenate((product, apart, sparse[:, None], share[:, None]), 1)
        inner = np.maximum(given @ self._first.T + self._shift, 0)
        return _chance(inner @ self._last + self._base)

    def read(self, query: str, text: str) -> Floats:
        """Irrelevant, partial, relevant: what the cross-encoder says, as chances."""
        if self._cross is None:
            self._cross = OnnxModel(self._folder / self._name, self._known[self._name])
        (logits,) = self._cross.run(*self._words.of_both(query, text))
        raised: Floats = np.exp(logits - logits.max())
        chances: Floats = raised / raised.sum()
        return chances


def _chance(score: Floats) -> Floats:
    return (1 / (1 + np.exp(-np.clip(score, -30, 30)))).astype(np.float32)
