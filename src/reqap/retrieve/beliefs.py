"""What a few readings say about many texts.

Reading is dear, and cheap scores are off by as much for all texts of a query, or for all that are
alike. So what a reading finds beside the cheap score is expected of the others too: of each as far
as it is like the one that was read (a Gaussian process over the texts' vectors, with the cheap
score as its mean). The next to be read is the one whose side is the least certain.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Spread:
    """How far odds are off (as logarithms): for all alike, and from text to text."""

    shift: float = 1.0
    own: float = 2.0
    reach: float = 0.4  # over how much of a cosine an error spreads
    noise: float = 1.0  # the variance of a reading


EXPECTED = Spread()


class Beliefs:
    """The odds of texts, which readings change."""

    def __init__(self, odds: Floats, vectors: Floats, spread: Spread) -> None:
        self.odds = odds.astype(np.float32)
        self._before = self.odds.copy()
        self._vectors, self._spread = _of_length_one(vectors), spread
        self._variance = np.full(len(odds), spread.shift**2 + spread.own**2, np.float32)
        self._chosen: list[int] = []
        self._known: list[tuple[Floats, float]] = []  # what each makes certain, and its deviation
        self._said: list[float] = []

    def least_certain(self) -> tuple[int, float]:
        """A text that is not chosen yet, and by how many deviations it is on its side."""
        sure = np.abs(self.odds) / np.sqrt(self._variance)
        sure[self._chosen] = np.inf
        one = int(sure.argmin())
        return one, float(sure[one])

    def choose(self, one: int) -> None:
        """A text will be read: what is like it is more certain, whatever the reading says."""
        common = self._common(self._vectors, self._vectors[one])
        for known, _ in self._known:
            common -= known * known[one]
        deviation = (float(common[one]) + self._spread.noise) ** 0.5
        common /= np.float32(deviation)
        self._variance = np.maximum(self._variance - common**2, 1e-3)
        self._known.append((common, deviation))
        self._chosen.append(one)

    def learn(self, said: Sequence[float]) -> None:
        """What readings say of the texts that were chosen since the last ones, as odds."""
        for odds in said:
            one = self._chosen[len(self._said)]
            common, deviation = self._known[len(self._said)]
            self.odds += common * np.float32((odds - float(self.odds[one])) / deviation)
            self._said.append(odds)

    def expected(self, odds: Floats, vectors: Floats) -> Floats:
        """The odds of further texts, after all that was read."""
        if not self._said:
            return odds
        places = self._chosen[: len(self._said)]
        read = self._vectors[places]
        off = np.array(self._said, np.float32) - self._before[places]
        noisy = self._common(read, read.T) + np.float32(self._spread.noise) * np.eye(len(read))
        weights = np.linalg.solve(noisy, off).astype(np.float32)
        found: Floats = odds + self._common(_of_length_one(vectors), read.T) @ weights
        return found

    def _common(self, some: Floats, others: Floats) -> Floats:
        """By how much errors of texts go together."""
        spread = self._spread
        alike = (some @ others - 1) / np.float32(spread.reach)
        found: Floats = np.float32(spread.shift**2) + np.float32(spread.own**2) * np.exp(alike)
        return found


def _of_length_one(vectors: Floats) -> Floats:
    found: Floats = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-6)
    return found
