"""Lessons of world knowledge: which words imply a value that they do not say.

`hints.jsonl` has sentences for values of many attributes ("two double faults in the last set":
tennis) and the dishes of many cuisines, `dishes.jsonl` texts in which a dish can stand; both were
written one by one. EXTRACT learns the value from the hint, RETRIEVE finds the hint when the value
is asked for. `attributes.json` says how keys and queries for an attribute read.
"""

import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from reqap.evaluate.told import spellings
from reqap.train import extract_lesson, retrieve_lesson
from reqap.train.extract_lesson import words_at
from reqap.train.retrieve_lesson import some, words, written
from reqap.verbalize import IRRELEVANT, RELEVANT, spelled, told

_DISH = "{dish}"
_TEXTS = 3  # in which a dish is put
_TOGETHER = 0.4  # of the hints stand beside one of another attribute
_WORDINGS, _GOOD, _RIVALS, _OTHERS = 2, 12, 16, 4
# A short sentence may be the title of an appointment.
_TITLE = 8
# What each attribute's hints cannot tell: nobody's weather says what was eaten.
_SILENT: Mapping[str, Sequence[str]] = {
    "cuisine": ("sport", "doctor_type", "transport", "weather", "instrument", "genre"),
    "doctor_type": ("sport", "transport", "weather", "season", "genre", "music_genre", "meal"),
    "instrument": ("sport", "doctor_type", "weather", "meal", "book_genre"),
    "book_genre": ("sport", "doctor_type", "weather", "meal", "transport"),
}
# Too wide, or too near to others, to say of another value that it is not meant.
_WIDE = frozenset((
    "Mediterranean", "Middle Eastern", "Scandinavian", "Caribbean", "Jewish", "vegan", "vegetarian",
    "seafood", "barbecue", "steakhouse", "fast food", "bakery", "brunch",
))  # fmt: skip
_EXERCISE = re.compile(
    r"yoga|pilates|judo|karate|gymnastics|archery|athletics|aerobics|taekwondo|aikido|crossfit"
    r"|capoeira|parkour|calisthenics|triathlon|jiu.jitsu|tai.chi"
)


@dataclass(frozen=True)
class Implied:
    """A value, and sentences, or names of dishes, that imply it."""

    attribute: str
    value: str
    hints: tuple[str, ...]


@cache
def known() -> tuple[Implied, ...]:
    return tuple(
        Implied(it["attribute"], it["value"], tuple(it["hints"])) for it in written("hints")
    )


@cache
def attributes() -> dict[str, dict[str, list[str]]]:
    file = resources.files("reqap.train") / "attributes.json"
    found: dict[str, dict[str, list[str]]] = json.loads(file.read_text(encoding="utf-8"))
    return found


# -- EXTRACT ---------------------------------------------------------------------------------------


def extract_lessons(chance: random.Random) -> Iterator[extract_lesson.Lesson]:
    """Of every hint, alone or beside another one, and of every dish in some texts."""
    keys = {name: it["keys"] for name, it in attributes().items()}
    sentences = [one for one in known() if one.attribute != "cuisine"]
    for one in sentences:
        for hint in one.hints:
            told_here = [(one.attribute, one.value, hint)]
            if chance.random() < _TOGETHER:
                other = chance.choice(sentences)
                if other.attribute != one.attribute:
                    told_here.append((other.attribute, other.value, chance.choice(other.hints)))
            chance.shuffle(told_here)
            text = spelled(*_record(" ".join(said for _, _, said in told_here), chance))
            for attribute, value, _ in told_here:
                yield extract_lesson.Lesson(chance.choice(keys[attribute]), "", text, implied=value)
            untold = [name for name, silent in _SILENT.items()
                      if all(attribute in silent for attribute, _, _ in told_here)]  # fmt: skip
            if untold:
                yield extract_lesson.Lesson(chance.choice(keys[chance.choice(untold)]), "", text)
    for one in known():
        if one.attribute == "cuisine":
            for dish in one.hints:
                for frame in some(written_dishes(), _TEXTS, chance):
                    yield from _eaten(one.value, dish, frame, keys["cuisine"], chance)


def _eaten(
    cuisine: str, dish: str, it: Mapping[str, Any], keys: Sequence[str], chance: random.Random
) -> Iterator[extract_lesson.Lesson]:
    text = spelled(it["kind"], _with_dish(it, dish))
    yield extract_lesson.Lesson(chance.choice(keys), "", text, implied=cuisine)
    values = {"dish": [dish], "participants": it["people"], "place": [it["place"]],
              "city": [it["city"]]}  # fmt: skip
    name = chance.choice(sorted(values))
    said = [value for value in values[name] if value]
    spans = tuple(sorted({span for value in said for span in words_at(text, value)}))
    if spans or not said:
        yield extract_lesson.Lesson(chance.choice(spellings()[name]), "", text, spans)


# -- RETRIEVE --------------------------------------------------------------------------------------


def retrieve_lessons(chance: random.Random) -> Iterator[retrieve_lesson.Lesson]:
    """For every value, what implies it, and what implies another one of its attribute."""
    texts = {one: _found_texts(one, chance) for one in known()}
    everything = [text for found in texts.values() for text in found]
    for one, found in texts.items():
        if one.value in _WIDE:
            continue
        rivals = [text for other, others in texts.items() if _are_apart(one, other)
                  for text in others]  # fmt: skip
        ways = [asked_for(way, one.value) for way in attributes()[one.attribute]["queries"]]
        for query in some(ways, _WORDINGS, chance):
            labels = [(text, RELEVANT) for text in some(found, _GOOD, chance)]
            labels += [(text, IRRELEVANT) for text in some(rivals, _RIVALS, chance)]
            if one.attribute not in ("mood", "weather", "season", "meal"):
                elsewhere = some(everything, _OTHERS, chance)
                labels += [(text, IRRELEVANT) for text in elsewhere if text not in set(found)]
            yield retrieve_lesson.Lesson(query, "hints", tuple(dict.fromkeys(labels)))


def _are_apart(one: Implied, other: Implied) -> bool:
    """Whether no hint of the other can be one of this, as far as the words of both tell."""
    return (
        one.attribute == other.attribute
        and other.value not in _WIDE
        and not set(words(one.value)) & set(words(other.value))
    )


def _found_texts(one: Implied, chance: random.Random) -> list[str]:
    if one.attribute != "cuisine":
        return [told(*_record(hint, chance)) for hint in one.hints]
    found = []
    for dish in one.hints:
        it = chance.choice(written_dishes())
        found.append(told(it["kind"], _with_dish(it, dish)))
    return found


def asked_for(way: str, value: str) -> str:
    did = "went" if value.endswith("ing") else "did" if _EXERCISE.search(value) else "played"
    return way.format(value=value, did=did)


# -- both ------------------------------------------------------------------------------------------


@cache
def written_dishes() -> list[dict[str, Any]]:
    return written("dishes")


def _with_dish(it: Mapping[str, Any], dish: str) -> dict[str, Any]:
    return {name: value.replace(_DISH, dish) for name, value in it["fields"].items()}


def _record(sentence: str, chance: random.Random) -> tuple[str, dict[str, str]]:
    """A sentence as somebody's appointment, post, note or message."""
    if len(sentence.split()) <= _TITLE and chance.random() < 0.3:
        return "calendar", {"summary": sentence}
    return chance.choice(("social_media", "note", "chat", "journal")), {"text": sentence}
