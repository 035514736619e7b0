"""What is read of a text at once, and what the portions of a text tell together.

A letter tells of several things, one after the other: a long one is read in portions of whole
sentences, each with what stands at its head (who wrote to whom, and when). Not the job of this
module: reading (`reader`).
"""

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

from reqap.extract.told import NOTHING, Told

# In characters: texts that are read in portions, and a portion. So much of a text is read at most.
_LONG, _PORTION, _MOST = 800, 450, 12
# Where the head ends, which may be long (a mail to fifty people): so much of it goes with portions.
_BODY = re.compile(r"; (?:text|description): ")
_MOST_OF_HEAD, _LONGEST_HEAD = 300, 4_000
# Where a portion may end, the best first: a list has no sentences.
_ENDS = tuple(map(re.compile, (r"[.!?…][\"'”’)]* ", "; ", ", ", " ")))


class Portion(NamedTuple):
    """The head of a text, which has `size` characters, and what stands from `begin`."""

    text: str
    size: int = 0
    begin: int = 0

    def placed(self, told: Told) -> Told:
        """What it tells, with the places that the pieces have in the whole text."""
        spans = ((self._place(begin), self._place(end)) for begin, end in told.spans)
        return told._replace(spans=tuple(spans))

    def _place(self, at: int) -> int:
        return at if at < self.size else at + self.begin - self.size


def portions_of(text: str) -> list[Portion]:
    """The whole of a short text; of a long one, portions of about the same length."""
    body = _BODY.search(text, 0, _LONGEST_HEAD)
    begin = body.end() if body else 0
    length = len(text) - begin
    if length <= _LONG:
        return [Portion(text)]
    head, wide = text[: min(begin, _MOST_OF_HEAD)], math.ceil(length / math.ceil(length / _PORTION))
    found: list[Portion] = []
    while begin < len(text) and len(found) < _MOST:
        end = _end(text, begin, wide)
        found.append(Portion(head + text[begin:end], len(head), begin))
        begin = end
    return found


def _end(text: str, begin: int, wide: int) -> int:
    """Where a portion ends: near the width, and not within a sentence if that can be."""
    if len(text) - begin - wide < wide // 3:
        return len(text)
    for pattern in _ENDS:
        ends = [one.end() for one in pattern.finditer(text, begin + wide // 2, begin + 2 * wide)]
        if ends:
            return min(ends, key=lambda at: abs(at - begin - wide))
    return begin + wide


def surest(portions: Sequence[Told]) -> Told:
    """Of what the portions of a text tell, what is surest to be told."""
    telling = [one for one in portions if one.sort != NOTHING]
    return max(telling or portions[:1], key=lambda one: one.chance * max(one.sure, default=1.0))
