"""Texts, or pairs of them, as the numbers of their words, one after the other.

Not the job of this module: batches of them, where they are learnt from (`rows`).
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

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
