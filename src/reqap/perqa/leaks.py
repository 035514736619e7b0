"""Wordings that are too much alike: twice in one split, or in two splits, which would leak."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from reqap.perqa.templates import Template

_SLOT = re.compile(r"\{\w+?\d?(?:!v)?\}")
_WORD = re.compile(r"[\w']+")
_ALIKE = 0.75


@dataclass(frozen=True)
class Alike:
    one: str  # template and wording
    other: str


def skeleton(wording: str) -> tuple[str, ...]:
    """The words of a wording; every slot counts as the same word."""
    return tuple(_WORD.findall(_SLOT.sub(" slot ", wording).casefold()))


def alike(templates: Iterable[tuple[str, Template]]) -> Iterator[Alike]:
    """Pairs of wordings of different templates, given with their split, that are alike."""
    said: dict[tuple[str, ...], str] = {}
    by_piece: dict[tuple[str, ...], list[tuple[str, str, frozenset[tuple[str, ...]]]]]
    by_piece = defaultdict(list)
    for split, template in templates:
        name = f"{split}/{template.id}"
        for wording in template.wordings:
            words = skeleton(wording)
            told = f"{name}: {wording}"
            if words in said and not said[words].startswith(f"{name}:"):
                yield Alike(said[words], told)
                continue
            said[words] = told
            pieces = _pieces(words)
            near = {
                other
                for piece in pieces
                for owner, other, theirs in by_piece[piece]
                if owner != name and len(pieces & theirs) > _ALIKE * len(pieces | theirs)
            }
            for other in sorted(near):
                yield Alike(other, told)
            for piece in pieces:
                by_piece[piece].append((name, told, pieces))


def _pieces(words: tuple[str, ...]) -> frozenset[tuple[str, ...]]:
    """Runs of three words, with what stands before the first and after the last."""
    framed = ("", "", *words, "", "")
    return frozenset(zip(framed, framed[1:], framed[2:], strict=False))
