"""Texts, or pairs of them, as the numbers of their words, ready for training."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from reqap.train.laid import Laid


class Rows:
    """They lie where the model is, so that laying out a batch keeps no accelerator waiting."""

    def __init__(self, laid: Laid, device: str) -> None:
        self.lengths: list[int] = laid.lengths.tolist()
        lengths = laid.lengths.astype(np.int64)
        self._ids, self._lengths, self._begins, self._starts, self._marks = (
            torch.from_numpy(one).to(device)
            for one in (laid.ids.astype(np.int32), lengths, np.cumsum(lengths) - lengths,
                        laid.starts.astype(np.int64), laid.marks)
        )  # fmt: skip

    def inputs(self, batch: Sequence[int]) -> tuple[Any, Any, Any]:
        """Ids, mask, and 1 where the second text is."""
        chosen = torch.tensor(batch, device=self._ids.device)
        mask, where = self.places(batch)
        starts = self._begins[chosen] + self._starts[chosen]
        types = mask & (where >= starts.unsqueeze(1))
        return (self._ids[where] * mask).long(), mask.long(), types.long()

    def marks(self, batch: Sequence[int]) -> Any:
        """What was said of every word, in its place."""
        mask, where = self.places(batch)
        return (self._marks[where] * mask).long()

    def places(self, batch: Sequence[int]) -> tuple[Any, Any]:
        """Where there are words, and the number of each among all words of all texts."""
        chosen = torch.tensor(batch, device=self._ids.device)
        places = torch.arange(max(self.lengths[n] for n in batch), device=self._ids.device)
        mask = places < self._lengths[chosen].unsqueeze(1)
        return mask, (self._begins[chosen].unsqueeze(1) + places) * mask
