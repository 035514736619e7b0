"""Examples of like length together, so that little is padded."""

import random
from collections.abc import Sequence


def batches(
    lengths: Sequence[int], size: int, chance: random.Random, spread: int
) -> list[list[int]]:
    """Numbers of examples, at most `size` tokens a batch, in a new order every time.

    `spread` is by how much lengths may be off, so that companies change.
    """
    order = sorted(range(len(lengths)), key=lambda n: lengths[n] + chance.randint(0, spread))
    parts: list[list[int]] = [[]]
    for number in order:
        if (lengths[number] + spread) * (len(parts[-1]) + 1) > size and parts[-1]:
            parts.append([])
        parts[-1].append(number)
    chance.shuffle(parts)
    return parts
