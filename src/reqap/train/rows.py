"""Texts, or pairs of them, as the numbers of their words, ready for training."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch

_PORTION = 20_000
Numbers = npt.NDArray[np.integer[Any]]


class Laid(NamedTuple):
    """The words of many texts or pairs, one after the other, and what is said of every word.

    `starts` is where the second text of each begins.
    """

    ids: Numbers
    lengths: Numbers
    starts: Numbers
    marks: Numbers


def lay(
    tokenizer: Any,
    pairs: Sequence[tuple[str, str]] | Sequence[str],
    mark: Callable[[int, Any], list[int]] | None = None,
) -> Laid:
    """`mark` may say something of every word of a pair, by its number."""
    ids, starts, marks = [], [], [np.zeros(0, np.uint8)]
    for begin in range(0, len(pairs), _PORTION):
        found = tokenizer.encode_batch(pairs[begin : begin + _PORTION])
        ids += [np.array(one.ids, np.int32) for one in found]
        starts += [one.type_ids.index(1) if 1 in one.type_ids else 0 for one in found]
        if mark:
            marks += [np.array(mark(begin + n, one), np.uint8) for n, one in enumerate(found)]
    lengths = np.array([len(one) for one in ids])
    return Laid(np.concatenate(ids), lengths, np.array(starts), np.concatenate(marks))


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
        mask, places, chosen = self._places(batch)
        ids = self._laid(self._ids, mask, places, chosen)
        types = mask & (places >= self._starts[chosen].unsqueeze(1))
        return ids.long(), mask.long(), types.long()

    def marks(self, batch: Sequence[int]) -> Any:
        """What was said of every word, in its place."""
        return self._laid(self._marks, *self._places(batch)).long()

    def _places(self, batch: Sequence[int]) -> tuple[Any, Any, Any]:
        chosen = torch.tensor(batch, device=self._ids.device)
        places = torch.arange(max(self.lengths[n] for n in batch), device=self._ids.device)
        return places < self._lengths[chosen].unsqueeze(1), places, chosen

    def _laid(self, flat: Any, mask: Any, places: Any, chosen: Any) -> Any:
        return flat[(self._begins[chosen].unsqueeze(1) + places) * mask] * mask
