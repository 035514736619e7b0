"""What a larger network says of every lesson, asked once, and how far a smaller one is from it.

Not the job of this module: training either (`extract`).
"""

import random
from collections.abc import Sequence
from typing import Any

import torch
from torch.nn import functional

from reqap.extract.told import NOTHING
from reqap.train.batching import batches
from reqap.train.rows import Rows

_SPREAD = 12
_MOST_VALUES = 64  # of a lesson that are remembered: the likeliest


class Heard:
    """Remembered as logarithms of chances, where the lessons are."""

    def __init__(self, teacher: Any, rows: Rows, size: int, device: str) -> None:
        count, values = len(rows.lengths), min(_MOST_VALUES, teacher.values.out_features)
        half = {"device": device, "dtype": torch.float16}
        self._sorts = torch.zeros(count, 3, **half)
        self._words = torch.zeros(sum(rows.lengths), 3, **half)
        self._values = torch.zeros(count, values, **half)
        self._which = torch.zeros(count, values, device=device, dtype=torch.int32)
        self._rows = rows
        teacher.to(device).eval()
        for batch in batches(rows.lengths, size, random.Random(1), _SPREAD):
            self._hear(teacher, batch, device)

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def _hear(self, teacher: Any, batch: Sequence[int], device: str) -> None:
        with torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda"):
            said = [one.float().log_softmax(-1) for one in teacher(*self._rows.inputs(batch))]
        self._sorts[batch] = said[0].half()
        mask, where = self._rows.places(batch)
        self._words[where[mask]] = said[1][mask].half()
        values, which = said[2].topk(self._values.shape[1])
        self._values[batch], self._which[batch] = values.half(), which.int()

    def something(self, batch: Sequence[int]) -> Any:
        """Whether it finds that anything is told."""
        return self._sorts[batch].argmax(-1) != NOTHING

    def distance(self, said: Sequence[Any], batch: Sequence[int]) -> tuple[Any, Any, Any]:
        """How far what is said lies from what it says: of sorts, of every word, of values."""
        sort, words, named = said
        _, where = self._rows.places(batch)
        values, which = self._values[batch].float(), self._which[batch].long()
        likeliest = named.log_softmax(-1).gather(1, which)
        return (
            _apart(sort.log_softmax(-1), self._sorts[batch].float()),
            _apart(words.log_softmax(-1), self._words[where].float()),
            (values.exp() * (values - likeliest)).sum(-1),
        )


def _apart(said: Any, told: Any) -> Any:
    return functional.kl_div(said, told, log_target=True, reduction="none").sum(-1)
