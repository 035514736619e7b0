"""The same text about another place, dish or pastime.

A reader that sees a text twice should not know its values by heart: it should learn where values
stand, not which there are. What is exchanged is only what the text says word for word; what hangs
on it (the cuisine on the dish) is not taught of the changed text.
"""

import random
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from reqap.evaluate.told import Told, spellings
from reqap.gazetteer.phrases import lines
from reqap.train.extract_lesson import words_at
from reqap.train.retrieve_lesson import written
from reqap.train.things import lexicon

# What is exchanged, and what may hang on it.
_HANGING = {
    "activity": ("place_type", "occasion"),
    "place": ("place_type", "country", "city", "cuisine"),
    "dish": ("cuisine",),
    "destination": ("country", "place"),
    "city": ("country",),
}
_OFTEN = 0.7  # so many of the values that can be exchanged are
_LEAST = 3  # letters


@dataclass(frozen=True)
class Exchange:
    """Other words for some words of a text."""

    others: Mapping[str, str]  # by the words, without capitals

    def text(self, text: str) -> str:
        return _finder(tuple(self.others)).sub(self._put, text) if self.others else text

    def fields(self, data: Mapping[str, Any]) -> dict[str, Any]:
        return {key: self.text(value) if isinstance(value, str) else value
                for key, value in data.items()}  # fmt: skip

    def told(self, properties: Mapping[str, Told]) -> dict[str, Told]:
        """What the changed text tells."""
        changed = {name: self.text(value) if isinstance(value, str) else value
                   for name, value in properties.items()}  # fmt: skip
        hanging = {other for name in changed if changed[name] != properties[name]
                   for other in _HANGING.get(name, ())}  # fmt: skip
        gone = {name for name in hanging & changed.keys() if changed[name] == properties[name]}
        return {name: value for name, value in changed.items() if name not in gone}

    def written(self, thing: Mapping[str, Any]) -> dict[str, Any]:
        """What a record that was written one by one tells of a thing; not what only hangs on it."""
        values = []
        for it in thing["values"]:
            said = [self.text(piece) for piece in it["said"]]
            value = self.text(it["value"]) if isinstance(it["value"], str) else it["value"]
            if said == it["said"] or value != it["value"]:
                values.append({**it, "said": said, "value": value})
        return {**thing, "values": values}

    def _put(self, found: re.Match[str]) -> str:
        other = self.others.get(found[0].casefold(), found[0])
        return other[0].upper() + other[1:] if found[0][0].isupper() else other


def exchange(
    text: str, told: Collection[tuple[str, Told]], chance: random.Random, keep: Iterable[str] = ()
) -> Exchange:
    """For what a text tells, by name, other values; `keep` are words that must stay."""
    every = [value.casefold() for _, value in told if isinstance(value, str)]
    every += [word.casefold() for word in keep]
    others: dict[str, str] = {}
    for name, value in told:
        if name not in _HANGING or not isinstance(value, str) or len(value) < _LEAST:
            continue
        plain = value.casefold()
        overlaps = any(plain != other and (plain in other or other in plain) for other in every)
        if not overlaps and words_at(text, value) and chance.random() < _OFTEN:
            others[plain] = chance.choice(pool(name))
    return Exchange(others)


def named(keys: Sequence[str]) -> str:
    """Which of the exchanged properties a key asks for; none, as a rule."""
    return next((name for name in _HANGING if not _asking(name).isdisjoint(keys)), "")


@cache
def _asking(name: str) -> frozenset[str]:
    return frozenset(spellings()[name])


@cache
def pool(name: str) -> list[str]:
    """Values of a property that people wrote, and those that lists know."""
    found = {value["value"] for it in written("readings") for thing in it["things"]
             for value in thing["values"]
             if value["type"] == "str" and value["said"] == [value["value"]]
             and value["value"] not in it.get("people", {}) and named(value["keys"]) == name
             }  # fmt: skip
    if name == "activity":
        found |= {way for thing in lexicon() for way in thing["ing"] if "{" not in way}
    if name == "dish":
        found |= {phrase for phrase, *_ in lines("food.tsv")}
    if name in ("city", "destination"):
        found |= {place for place, *_ in lines("places.tsv") if place[0].isalpha()}
    return sorted(found)


@cache
def _finder(words: tuple[str, ...]) -> re.Pattern[str]:
    longest_first = sorted(words, key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)", re.IGNORECASE)
