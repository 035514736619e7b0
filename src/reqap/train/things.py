"""Things that people record, and how they speak of them: what questions are put together from.

A lexicon says how people speak (`lexicon/*.json`, written by hand); `times` says when. Here a thing
gets its names, persons and conditions, with the plan that finds it; what is asked of it is in
`frames`.
"""

import json
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import Any

from reqap.plan.format import quoted
from reqap.train.times import When, period, recurring

Made = tuple[str, str]  # a question and its plan
_RELATIONS = (
    "my mum", "my dad", "my sister", "my brother", "my boss", "my wife", "my husband", "my partner",
    "my best friend", "my daughter", "my son", "my grandma", "my flatmate", "my neighbour",
    "my parents", "my cousin", "my uncle", "my girlfriend", "my in-laws", "my kids",
)  # fmt: skip
_TEXTS = ("queries", "nouns", "did", "past", "ing")


@dataclass(frozen=True)
class Thing:
    """Events of one kind, and how they are spoken of; names are filled in."""

    queries: tuple[str, ...]
    nouns: tuple[str, ...]
    did: tuple[str, ...]
    past: tuple[str, ...]
    ing: tuple[str, ...]
    attrs: tuple[dict[str, Any], ...]


@dataclass(frozen=True)
class Rows:
    """A set of events: what it is called, and the plan that gives it."""

    thing: Thing
    noun: str  # plural, without "my"
    tail: str  # what follows the noun or the verb: times and conditions
    plan: str

    @property
    def name(self) -> str:
        return f"my {self.noun}{self.tail}"

    def asked(self) -> str:
        """The plan as an answer to a question of its own."""
        return f"QUD({quoted(self.name)}, {self.plan})"


@cache
def lexicon() -> tuple[dict[str, Any], ...]:
    folder = resources.files("reqap.train") / "lexicon"
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".json")),
                   key=lambda file: file.name)  # fmt: skip
    return tuple(thing for file in files for thing in json.loads(file.read_text(encoding="utf-8")))


class Composer:
    """Makes up what questions are about; the same seed and names give the same."""

    def __init__(self, seed: str, people: Sequence[str]) -> None:
        self.chance = random.Random(seed)
        self.people = people

    def person(self) -> str:
        if self.chance.random() < 0.35:
            return self.chance.choice(_RELATIONS)
        name = self.chance.choice(self.people)
        return name if self.chance.random() < 0.5 else name.split()[0]

    def thing(self, wanted: str = "") -> Thing:
        """Any thing; with `wanted`, one that has such an attribute."""
        while True:
            raw = self.chance.choice(lexicon())
            if not wanted or any(attr["kind"] == wanted for attr in raw["attrs"]):
                return self._filled(raw)

    def _filled(self, raw: dict[str, Any]) -> Thing:
        values = {
            slot: self.chance.choice(given) if given else self.person()
            for slot, given in raw["slots"].items()
        }

        def put(text: str) -> str:
            for slot, value in values.items():
                text = text.replace("{" + slot + "}", value)
            return text

        def through(value: Any) -> Any:
            if isinstance(value, str):
                return put(value)
            if isinstance(value, list):
                return [through(item) for item in value]
            return {k: through(v) for k, v in value.items()} if isinstance(value, dict) else value

        texts = {key: tuple(map(put, raw[key])) for key in _TEXTS}
        return Thing(**texts, attrs=tuple(through(attr) for attr in raw["attrs"]))

    def every(self, thing: Thing) -> Rows:
        """All events of a thing."""
        noun = self.chance.choice(thing.nouns)
        # What is looked for is mostly called what it was called before.
        told = self.chance.random() < 0.8
        query = f"my {noun}" if told else self.chance.choice(thing.queries)
        return Rows(thing, noun, "", f"RETRIEVE({quoted(query)})")

    def rows(self, thing: Thing) -> Rows:
        """Events of a thing, narrowed down by nothing, a person or value, times, a number."""
        found = self.every(thing)
        if self.chance.random() < 0.15:
            found = self.named(found)
        if self.chance.random() < 0.72:
            found = self.timed(found, self.when())
        if self.chance.random() < 0.12:
            found = self.over(found)
        return found

    def named(self, rows: Rows) -> Rows:
        """Only those with a person or a value, which is for RETRIEVE to find."""
        attrs = [attr for attr in rows.thing.attrs if attr.get("is")]
        if not attrs:
            return rows
        told = self.told_value(self.chance.choice(attrs))
        plan = rows.plan[: -len('")')] + f' {told}")'
        return replace(rows, tail=f" {told}", plan=plan)

    def told_value(self, attr: dict[str, Any]) -> str:
        value = (
            self.person() if attr["kind"] == "people" else str(self.chance.choice(attr["values"]))
        )
        return str(self.chance.choice(attr["is"])).replace("{v}", value)

    def when(self) -> tuple[When, ...]:
        case = self.chance.random()
        if case < 0.62:
            return (period(self.chance),)
        if case < 0.8:
            return (recurring(self.chance),)
        both = (recurring(self.chance), period(self.chance))
        return both if self.chance.random() < 0.75 else (both[1], both[0])

    def timed(self, rows: Rows, whens: Sequence[When]) -> Rows:
        condition = " and ".join(when.condition for when in whens)
        tail = "".join(f" {when.phrase}" for when in whens)
        plan = f"FILTER({rows.asked()}, lambda e: {condition})"
        return replace(rows, tail=rows.tail + tail, plan=plan)

    def over(self, rows: Rows) -> Rows:
        """Only those above or below a number."""
        attrs = [attr for attr in rows.thing.attrs if attr["kind"] == "number"]
        sides = [(attr, side) for attr in attrs for side in _SIDES if attr.get(side)]
        if not sides:
            return rows
        attr, side = self.chance.choice(sides)
        number = self.chance.choice(attr["numbers"])
        told = str(self.chance.choice(attr[side])).replace("{n}", str(number))
        key = self.chance.choice(attr["keys"])
        known = f"{rows.name} with their {attr['noun']}"
        wide = f"QUD({quoted(known)}, EXTRACT({rows.asked()}, [{quoted(key)}], [float]))"
        condition = f"e[{quoted(key)}] {_SIDES[side]} {number}"
        # The number stands by the noun, before the time: "runs over 10 km in 2022".
        tail = f" {told}{rows.tail}" if self.chance.random() < 0.7 else f"{rows.tail} {told}"
        return replace(rows, tail=tail, plan=f"FILTER({wide}, lambda e: {condition})")


def snake(name: str) -> str:
    """A name as attributes have it."""
    return re.sub(r"\W+", "_", name).strip("_").lower()


class Odd(Exception):
    """A combination that makes no question."""


_SIDES = {"over": ">", "under": "<", "at_least": ">="}
