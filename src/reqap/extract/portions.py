"""What is read of a text at once, and what the portions of a text tell together.

A letter tells of several things, one after the other: a long one is read in portions of whole
sentences, each with what stands at its head (who wrote to whom, and when). Not the job of this
module: reading (`reader`).
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from reqap.extract.told import NOTHING, Told

# In characters: texts that are read in portions, and a portion. So much of a text is read at most.
_LONG, _PORTION, _MOST = 800, 450, 12
_HEAD = re.compile(r".{0,300}?; (?:text|description): ")
_SENTENCE = re.compile(r"[.!?…][\"'”’)]* ")


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
    head = _HEAD.match(text)
    size = head.end() if head else 0
    if len(text) - size <= _LONG:
        return [Portion(text)]
    wide = -(-(len(text) - size) // -(-(len(text) - size) // _PORTION))
    found: list[Portion] = []
    begin = size
    while begin < len(text) and len(found) < _MOST:
        ends = (one.end() for one in _SENTENCE.finditer(text, begin + wide // 2, begin + 2 * wide))
        end = min(ends, key=lambda at: abs(at - begin - wide), default=begin + wide)
        end = len(text) if len(text) - end < wide // 3 else end
        found.append(Portion(text[:size] + text[begin:end], size, begin))
        begin = end
    return found


def surest(portions: Sequence[Told]) -> Told:
    """Of what the portions of a text tell, what is surest to be told."""
    telling = [one for one in portions if one.sort != NOTHING]
    return max(telling or portions[:1], key=lambda one: one.chance * max(one.sure, default=1.0))
