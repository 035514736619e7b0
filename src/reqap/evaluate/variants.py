"""RETRIEVE and EXTRACT with parts taken out or exchanged, to see what each part is good for."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import bm25s
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from reqap.execute import Retriever
from reqap.extract.reader import Reader
from reqap.extract.told import Told
from reqap.retrieve import LearnedRetriever, WordRetriever
from reqap.retrieve.cascade import USUAL, Decision
from reqap.retrieve.learned import Dates
from reqap.retrieve.likeness import Side
from reqap.retrieve.networks import Asked, Networks
from reqap.store import Store

Floats = npt.NDArray[np.float32]
Make = Callable[[Store], Retriever]
SHIPPED = "as shipped"
SPARSE = "sparse weights only"
UNMERGED = "no merging"
UNCUT = "no cascade: all candidates are read"
NEVER = 2.0  # no chance is as high
# What is kept, as a share of the best that is possible; not tuned.
_SPARSE, _BM25 = 0.5, 0.5


class SparseOnly:
    """The models, of which only the weights of words are used."""

    def __init__(self, models: Networks) -> None:
        self._models = models
        self.likeness = models.likeness
        self.asked, self.read = models.asked, models.read

    def judged(self, asked: Asked, vectors: Floats, sparse: Floats, share: Floats) -> Floats:
        return share


class Unmerged(LearnedRetriever):
    """Every event is a happening of its own."""

    def _places(
        self, found: pa.Table, compared: Mapping[int, Side], days: Mapping[int, int]
    ) -> list[int]:
        return list(range(len(found)))


class Unnamed(LearnedRetriever):
    """Looks up nothing that a query names."""

    def named(self, query: str) -> dict[int, str]:
        return {}

    def plainly(self, query: str) -> list[int]:
        return []

    def facts(self, query: str) -> list[int]:
        return []

    def measuring(self, query: str) -> frozenset[str]:
        return frozenset()

    silent = measuring


class Unkept(Reader):
    """A reader for which the store has kept nothing."""

    def __init__(self, known: Reader) -> None:
        self._inner = known

    def read(self, asked: str, texts: Sequence[str]) -> list[Told]:
        return self._inner.read(asked, texts)

    def column(self, *asked: Any) -> tuple[str, float] | None:
        return self._inner.column(*asked)

    @property
    def version(self) -> str:
        return "unkept"


class Bm25Retriever(LearnedRetriever):
    """Texts by BM25 alone."""

    def __init__(self, store: Store, models: Networks) -> None:
        super().__init__(store, models)
        rows = store.connection.execute("SELECT text FROM indexed_texts ORDER BY text_id")
        self._index = bm25s.BM25()
        self._index.index(_tokens([row[0] for row in rows.fetchall()]), show_progress=False)

    def decide(self, query: str) -> dict[int, Decision]:
        (words,) = _tokens([query])
        scores = self._index.get_scores(words) if words else np.zeros(0)
        best = float(scores.max(initial=0.0))
        return {int(row): Decision(True, float(scores[row]), "BM25")
                for row in np.flatnonzero(scores >= _BM25 * best) if best > 0}  # fmt: skip


def _tokens(texts: list[str]) -> list[list[str]]:
    found: list[list[str]] = bm25s.tokenize(
        texts, stopwords="en", return_ids=False, show_progress=False
    )
    return found


def variants(
    models: Networks, smaller: Networks | None, dates: Dates | None = None
) -> dict[str, Make]:
    """By name; what is shipped comes first."""
    learned = partial(LearnedRetriever, dates=dates)
    unpatterned = replace(USUAL, whole=NEVER, pattern=NEVER)
    everything = replace(unpatterned, sure=float("inf"), reads=1 << 30)
    cheap = replace(unpatterned, reads=0)
    found: dict[str, Make] = {
        SHIPPED: lambda store: learned(store, models),
        UNMERGED: lambda store: Unmerged(store, models, dates=dates),
        "no patterns": lambda store: learned(store, models, unpatterned),
        UNCUT: lambda store: learned(store, models, everything),
        "no reading: cheap scores only": lambda store: learned(store, models, cheap),
        SPARSE: lambda store: Unnamed(
            store, SparseOnly(models), replace(cheap, keep=_SPARSE), dates
        ),
        "BM25 only": lambda store: Bm25Retriever(store, models),
        "by words, without models": WordRetriever,
    }
    if smaller is not None:
        found["S (two layers) reads instead of M"] = lambda store: learned(store, smaller)
    return found
