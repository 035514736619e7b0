"""Questions put together from parts, with the plan that each means.

A lexicon says how people speak of things they record (`lexicon/*.json`, written by hand); `times`
says when. What is asked of them is here: one function per kind of question, each giving a question
and its plan, so that the two cannot disagree. The model learns from these how conditions, times
and operators combine; how people really talk it learns from questions that people wrote.
"""

import json
import random
import re
from collections.abc import Callable, Iterator, Sequence
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
_TYPES = {"number": "float", "text": "str", "people": "list", "date": "date.fromisoformat"}


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
    extracted: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return f"my {self.noun}{self.tail}"

    def asked(self) -> str:
        """The plan as an answer to a question of its own."""
        return f"QUD({quoted(self.name)}, {self.plan})"


@cache
def _lexicon() -> tuple[dict[str, Any], ...]:
    folder = resources.files("reqap.train") / "lexicon"
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".json")),
                   key=lambda file: file.name)  # fmt: skip
    return tuple(thing for file in files for thing in json.loads(file.read_text(encoding="utf-8")))


class Composer:
    """Makes questions; the same seed and names give the same ones."""

    def __init__(self, seed: str, people: Sequence[str]) -> None:
        self.chance = random.Random(seed)
        self.people = people

    def questions(self, count: int) -> Iterator[Made]:
        import reqap.train.kinds  # noqa: F401 (fills KINDS)

        kinds, weights = zip(*KINDS, strict=True)
        while count:
            made = self.chance.choices(kinds, weights)[0](self)
            if made is not None:
                yield made
                count -= 1

    # -- parts ------------------------------------------------------------------------------------

    def pick(self, *options: str) -> str:
        return self.chance.choice(options)

    def person(self) -> str:
        if self.chance.random() < 0.35:
            return self.chance.choice(_RELATIONS)
        name = self.chance.choice(self.people)
        return name if self.chance.random() < 0.5 else name.split()[0]

    def thing(self, wanted: str = "") -> Thing:
        """Any thing; with `wanted`, one that has such an attribute."""
        while True:
            raw = self.chance.choice(_lexicon())
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

    def every(self, thing: Thing, noun: str = "") -> Rows:
        """All events of a thing."""
        noun = noun or self.chance.choice(thing.nouns)
        # What is looked for is mostly called what it was called before.
        told = self.chance.random() < 0.8
        query = f"my {noun}" if told else self.chance.choice(thing.queries)
        return Rows(thing, noun, "", f"RETRIEVE({quoted(query)})")

    def rows(self, thing: Thing, most: int = 2, noun: str = "") -> Rows:
        """Events of a thing, narrowed down by nothing, a person or value, times, a number."""
        found = self.every(thing, noun)
        if self.chance.random() < 0.15:
            found = self.named(found)
        if most and self.chance.random() < 0.72:
            found = self.timed(found, self.when(most))
        if self.chance.random() < 0.12:
            found = self.over(found)
        return found

    def named(self, rows: Rows) -> Rows:
        """Only those with a person or a value, which is for RETRIEVE to find."""
        attrs = [attr for attr in rows.thing.attrs if attr.get("is")]
        if not attrs or rows.tail:
            return rows
        told = self.told_value(self.chance.choice(attrs))
        plan = rows.plan[: -len('")')] + f' {told}")'
        return replace(rows, tail=f" {told}", plan=plan)

    def told_value(self, attr: dict[str, Any]) -> str:
        value = (
            self.person() if attr["kind"] == "people" else str(self.chance.choice(attr["values"]))
        )
        return str(self.chance.choice(attr["is"])).replace("{v}", value)

    def when(self, most: int = 2) -> tuple[When, ...]:
        case = self.chance.random()
        if case < 0.62 or most < 2:
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
        wide = self.extracted(rows, [(key, "float")], f" with their {attr['noun']}")
        condition = f"e[{quoted(key)}] {_SIDES[side]} {number}"
        # The number stands by the noun, before the time: "runs over 10 km in 2022".
        tail = f" {told}{rows.tail}" if self.chance.random() < 0.7 else f"{rows.tail} {told}"
        plan = f"FILTER({wide.asked()}, lambda e: {condition})"
        return replace(rows, tail=tail, plan=plan, extracted=(key,))

    def extracted(self, rows: Rows, keys: Sequence[tuple[str, str]], told: str) -> Rows:
        """The events with values; what is there already is not asked for twice."""
        missing = [(key, kind) for key, kind in keys if key not in rows.extracted]
        if not missing:
            return rows
        names = ", ".join(quoted(key) for key, _ in missing)
        types = ", ".join(kind for _, kind in missing)
        plan = f"EXTRACT({rows.asked()}, [{names}], [{types}])"
        known = (*rows.extracted, *(key for key, _ in missing))
        return replace(rows, tail=rows.tail + told, plan=plan, extracted=known)

    def with_attr(self, rows: Rows, attr: dict[str, Any]) -> tuple[Rows, str]:
        key = self.chance.choice(attr["keys"])
        if key in rows.extracted:
            return rows, key
        # After "my runs with Tom", "with their distance" would be the second "with".
        told = self.pick(f" with their {attr['noun']}", f", with their {attr['noun']}",
                         f" and their {attr['noun']}")  # fmt: skip
        return self.extracted(rows, [(key, _TYPES[attr["kind"]])], told), key

    def attr(self, thing: Thing, kind: str, having: str = "") -> dict[str, Any]:
        fitting = [a for a in thing.attrs if a["kind"] == kind and (not having or a.get(having))]
        if not fitting:
            raise Odd
        return self.chance.choice(fitting)

    def unnested(self, rows: Rows, attr: dict[str, Any], key: str) -> tuple[Rows, str]:
        """One row per value, where a value is a list."""
        if attr["kind"] != "people":
            return rows, key
        item = snake(attr["item"])
        base = rows.tail.split(", with their")[0].split(" with their")[0].split(" and their")[0]
        plan = f"UNNEST({rows.asked()}, {quoted(key)}, {quoted(item)})"
        return replace(rows, tail=f"{base}, one row per {item.replace('_', ' ')}", plan=plan), item


def snake(name: str) -> str:
    """A name as attributes have it."""
    return re.sub(r"\W+", "_", name).strip("_").lower()


class Odd(Exception):
    """A combination that makes no question."""


_SIDES = {"over": ">", "under": "<", "at_least": ">="}
Kind = Callable[[Composer], Made | None]
KINDS: list[tuple[Kind, float]] = []


def kind(weight: float) -> Callable[[Callable[[Composer], Made]], Kind]:
    """A kind of question, and how often it is made."""

    def kept(make: Callable[[Composer], Made]) -> Kind:
        def tried(composer: Composer) -> Made | None:
            try:
                question, plan = make(composer)
            except Odd:
                return None
            return question[0].upper() + question[1:], plan

        KINDS.append((tried, weight))
        return tried

    return kept
