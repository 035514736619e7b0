"""What the events of a life tell, key by key: what EXTRACT should give for them.

PerQA's lives know what happened and which of it a text tells; in the lives that were written text
by text, the author says it. Not the job of this module: asking EXTRACT (`reqap.evaluate.extract`).
"""

import json
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from reqap.errors import ValueProblem
from reqap.evaluate.finding import Searched, free_lives, lives_in, personas, strangers
from reqap.perqa.canonical import TABLES
from reqap.perqa.files import read_events, read_observations
from reqap.perqa.lives import FreeLife, load_lives
from reqap.values import parse_money
from reqap.verbalize import TELLINGS

Told = str | int | float | bool | date | time | timedelta | tuple[str, ...]
TIMES = ("start_date", "end_date", "start_time", "end_time")
_NO_KEYS = frozenset({"event", "type"})
_MINUTES = ("duration_min", "duration_minutes")
_MONEY = frozenset({"price"})
# Whoever tells one of these tells the other with it: a place its country, a dish its cuisine.
_TELLING = {
    "country": frozenset({"destination", "place", "city", "location"}),
    "cuisine": frozenset({"dish", "food"}),
    "place_type": frozenset({"place", "activity"}),
    "doctor_type": frozenset({"reason"}),
    "activity": frozenset({"workout_type", "dish", "movie_title"}),
}
_NEVER_MISSING = frozenset({"title", "subject", "name"})  # a data key tells them
_MISSING = 2  # keys asked of a text that it does not tell


@dataclass
class Asking:
    """A key, of what it is asked, and by event what it may give; nothing where nothing is told.

    A mail that tells of two meetings gives that of either where it is asked of a meeting.
    """

    name: str
    key: str
    type_name: str
    about: str
    gold: dict[str, list[Told]] = field(default_factory=dict)


@cache
def spellings() -> dict[str, list[str]]:
    """How people ask for a property."""
    file = resources.files("reqap.train") / "spellings.json"
    found: dict[str, list[str]] = json.loads(file.read_text(encoding="utf-8"))
    return found


def properties_of(about: Mapping[str, Any]) -> dict[str, Told]:
    """What the author of a text says that it tells of a thing."""
    found = {name: value_of(name, value) for name, value in about.items() if name not in _NO_KEYS}
    return {name: value for name, value in found.items() if value is not None}


def value_of(name: str, value: Any) -> Told | None:
    """A property as it is told; nothing where it is empty."""
    if value in (None, "", [], ()):
        return None
    if name in _MINUTES and isinstance(value, int | float):
        return timedelta(minutes=value)
    if isinstance(value, str) and name.endswith("_date"):
        return date.fromisoformat(value)
    if isinstance(value, str) and name.endswith("_time"):
        return time.fromisoformat(value)
    if isinstance(value, str) and name in _MONEY and (found := _number(value)) is not None:
        return found
    return tuple(map(str, value)) if isinstance(value, list | tuple) else value


def _number(text: str) -> float | None:
    try:
        money = parse_money(text)
    except ValueProblem:
        return None
    return float(money.amount) if money else None


def own_times(start: datetime, end: datetime) -> dict[str, date | time]:
    return {"start_date": start.date(), "end_date": end.date(),
            "start_time": start.time(), "end_time": end.time()}  # fmt: skip


def perqa_told(build: Path, split: str) -> Iterator[tuple[Searched, list[Asking]]]:
    """The lives of a split, and what their texts tell."""
    for life in personas(build, split):
        folder = build / split / life.name
        events = {event.id: event for event in read_events(folder)}
        asked = _Askings(random.Random(life.name))
        for one in read_observations(folder):
            if one.kind not in TELLINGS:
                continue
            mentioned = {name for telling in one.tells for name in telling.properties}
            for telling in one.tells:
                event = events[telling.event]
                known = {**event.properties, **own_times(event.start, event.end)}
                told = {name: value for name in telling.properties
                        if (value := value_of(name, known.get(name))) is not None}  # fmt: skip
                about = event.table.rstrip("s") if len(one.tells) > 1 else ""
                asked.add(str(one.id), about, told, untold(TABLES[event.table], mentioned))
        yield life, asked.all()


def free_told(split: str) -> Iterator[tuple[Searched, list[Asking]]]:
    yield from _written(free_lives(split), load_lives(split))


def strangers_told(folder: Path) -> Iterator[tuple[Searched, list[Asking]]]:
    yield from _written(strangers(folder), lives_in(folder))


def _written(
    lives: Iterator[Searched], written: Iterator[FreeLife] | Sequence[FreeLife]
) -> Iterator[tuple[Searched, list[Asking]]]:
    for life, free in zip(lives, written, strict=True):
        asked = _Askings(random.Random(life.name))
        for one in free.texts:
            everything = {name for about in one.about for name in about}
            missing = untold(spellings(), everything) - set(TIMES)
            for about in one.about:
                thing = str(about["type"]) if len(one.about) > 1 else ""
                asked.add(one.id, thing, properties_of(about), missing)
            if not one.about:
                asked.add(one.id, "", {}, missing, distracting=True)
        yield life, asked.all()


def untold(names: Iterable[str], told: Set[str]) -> set[str]:
    """What is neither told nor implied by what is told."""
    implied = {name for name, telling in _TELLING.items() if telling & told}
    return set(names) - told - implied


class _Askings:
    """Collects what is asked; every key in one of its spellings, another one in every life."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._found: dict[tuple[str, str, str, bool], Asking] = {}

    def add(
        self,
        event: str,
        about: str,
        told: Mapping[str, Told],
        missing: Any,
        distracting: bool = False,
    ) -> None:
        for name, value in told.items():
            self._one(name, _type_of(value), about, False).gold.setdefault(event, []).append(value)
        asked = sorted(set(missing) - _NEVER_MISSING)
        for name in self._chance.sample(asked, min(_MISSING, len(asked))):
            type_name = "list" if name in _LISTS else "str"
            self._one(name, type_name, about, distracting).gold.setdefault(event, [])

    def _one(self, name: str, type_name: str, about: str, distracting: bool) -> Asking:
        place = (name, type_name, about, distracting)
        if place not in self._found:
            label = "distractor" if distracting else name
            key = self._chance.choice(spellings().get(name, [name]))
            self._found[place] = Asking(label, key, type_name, about)
        return self._found[place]

    def all(self) -> list[Asking]:
        return list(self._found.values())


_LISTS = frozenset({"participants", "artists"})


def _type_of(value: Told) -> str:
    types = {bool: "bool", str: "str", tuple: "list", date: "date", time: "time",
             timedelta: "timedelta"}  # fmt: skip
    return types.get(type(value), "float")
