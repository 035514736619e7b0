"""What an encoder makes of a text: a vector, and weights of words, small enough for millions.

Not the job of this module: the encoder itself (`reqap.models`).
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.int8]
_STEP = 40.0  # weights are kept in steps of a fortieth, up to 6.4


class Encoded(NamedTuple):
    """A text. The vector has length one, times 127; `weights` belong to the tokens of `words`."""

    vector: Vector
    words: npt.NDArray[np.uint16]
    weights: npt.NDArray[np.uint8]

    def packed_words(self) -> bytes:
        return self.words.tobytes() + self.weights.tobytes()


class Encoder(Protocol):
    """Encodes texts; what two versions give cannot be compared."""

    @property
    def version(self) -> str: ...

    def encode(self, texts: Sequence[str]) -> list[Encoded]: ...


def encoded(vector: npt.NDArray[np.float32], weights: dict[int, float]) -> Encoded:
    """Rounds what a network gave; words that weigh next to nothing are left out."""
    length = float(np.linalg.norm(vector)) or 1.0
    rounded = np.clip(np.rint(vector / length * 127), -127, 127).astype(np.int8)
    steps = {word: min(255, round(weight * _STEP)) for word, weight in weights.items()}
    kept = sorted(word for word, step in steps.items() if step > 0)
    return Encoded(
        rounded,
        np.array(kept, np.uint16),
        np.array([steps[word] for word in kept], np.uint8),
    )


def unpacked_words(
    packed: list[bytes],
) -> tuple[npt.NDArray[np.uint16], npt.NDArray[np.float32], npt.NDArray[np.int32]]:
    """All words of many texts one behind the other, their weights, and the row of each."""
    sizes = np.array([len(one) // 3 for one in packed], np.int64)
    words = b"".join(one[: 2 * (len(one) // 3)] for one in packed)
    weights = b"".join(one[2 * (len(one) // 3) :] for one in packed)
    rows = np.repeat(np.arange(len(packed), dtype=np.int32), sizes)
    heavy = np.frombuffer(weights, np.uint8).astype(np.float32) / np.float32(_STEP)
    return np.frombuffer(words, np.uint16), heavy, rows
