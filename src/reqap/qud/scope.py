"""Is this a question about the asker's own past, in English?

The shipped model takes anything apart, "what is the capital of France" too, and would give an
answer that has nothing to do with it. A small classifier reads what was typed first: words, pairs
of words and pieces of words, each with a weight. It is trained by `reqap.train.scope`.
"""

import re
import unicodedata
import zlib
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

BUCKETS = 1 << 16
# Below this, it is turned away; of proper questions of dev and of writers not seen, few are.
CUT = 0.25
_TOKEN = re.compile(r"[^\W\d_]+|\d+|[^\w\s]")
_PIECES = (3, 4)
_LONGEST = 400
_MOST_STRANGE = 0.05  # of what was typed: control characters and the like


def features(text: str) -> list[int]:
    """What is seen of a text: buckets, some more than once."""
    text = text[:_LONGEST].casefold()
    words = ["<", *_TOKEN.findall(text), ">"]
    found = [f"w {word}" for word in words]
    found += [f"b {one} {two}" for one, two in pairwise(words)]
    found += [f"s {one} {two}" for one, two in zip(words, words[2:], strict=False)]
    padded = f" {' '.join(words[1:-1])} "
    for size in _PIECES:
        found += [f"c {padded[n : n + size]}" for n in range(len(padded) - size + 1)]
    found += [f"script {script}" for script in {_script(char) for char in text if char.isalpha()}]
    found.append(f"length {min(len(words), 12)}")
    return [zlib.crc32(one.encode("utf-8", "replace")) % BUCKETS for one in found]


def _is_latin(text: str) -> bool:
    """Whether most letters are such as English is written in: names may be in others."""
    letters = [_script(char) == "LATIN" for char in text[:_LONGEST] if char.isalpha()]
    return sum(letters) * 2 > len(letters)


def _is_text(text: str) -> bool:
    """Whether it is made of characters at all, and not of the bytes of something else."""
    kinds = [unicodedata.category(char) for char in text[:_LONGEST] if not char.isspace()]
    return sum(kind in ("Cc", "Cn", "Co", "Cs") for kind in kinds) <= _MOST_STRANGE * len(kinds)


def _script(char: str) -> str:
    return unicodedata.name(char, "?").partition(" ")[0]


@dataclass(frozen=True)
class Scope:
    """Weights of what is seen."""

    weights: Any
    bias: float

    @classmethod
    def load(cls, path: Path) -> "Scope":
        with np.load(path, allow_pickle=False) as held:
            return cls(held["weights"].astype(np.float32), float(held["bias"]))

    def score(self, text: str) -> float:
        """Above nought: rather a question that can be answered here."""
        seen = features(text)
        return float(self.weights[seen].sum() / np.sqrt(len(seen))) + self.bias

    def covers(self, text: str) -> bool:
        return _is_text(text) and _is_latin(text) and self.score(text) >= CUT
