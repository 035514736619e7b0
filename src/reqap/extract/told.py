"""What the network says of a record and a key. Not the job of this module: reading (`reader`)."""

from typing import NamedTuple

Span = tuple[int, int]
NOTHING, SAID, IMPLIED = range(3)


class Told(NamedTuple):
    """What a record tells of a key; how sure the network is of that, and of each piece.

    Where pieces tell it, `implied` is the side on which a day lies.
    """

    sort: int
    chance: float
    spans: tuple[Span, ...] = ()
    implied: str = ""
    sure: tuple[float, ...] = ()
