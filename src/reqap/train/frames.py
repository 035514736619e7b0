"""Questions with gaps, and their plans: how people ask, whatever it is about.

`frames.jsonl` has one frame a line, written by hand: several ways to ask (`asks`) and the plan that
they all mean, with the same gaps. A gap is filled from the lexicon and from `times`, so that one
frame gives questions about runs, rent payments and vet visits alike.

    {A}                           the events of a thing, with all their conditions, as a plan
    {A.did} {A.past} {A.ing}      "go running", "went running", "running"
    {A.nouns}{A.tail}             "runs", and the conditions: " with Tom in 2022", or nothing
    {A.number.…} {A.text.…} {A.people.…}    an attribute of A: key, noun, and as the lexicon has it
    {when} {when.if}              " last summer" without the blank, and the condition over `e`
    {n} {year} {month} {weekday} {hour} {person}, with .n for what a plan needs

A second one of a kind has a digit: {n2}, {when2}; {year2} is the later one. {B} and {C} are other
things.
"""

import json
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from reqap.plan.format import quoted
from reqap.train.things import Composer, Made, Odd, Thing, snake
from reqap.train.times import MONTHS, NUMBERS, WEEKDAYS, period, recurring

_GAP = re.compile(r"\{([A-Z]|[a-z]+\d?)((?:\.\w+)*)\}")
_ATTRIBUTES = ("number", "text", "people")


@dataclass(frozen=True)
class Frame:
    """Ways to ask, and what they mean."""

    asks: tuple[str, ...]
    plan: str


@cache
def frames() -> tuple[Frame, ...]:
    file = resources.files("reqap.train") / "frames.jsonl"
    return tuple(map(read_frame, file.read_text(encoding="utf-8").splitlines()))


def read_frame(line: str) -> Frame:
    told = json.loads(line)
    return Frame(tuple(told["asks"]), told["plan"])


def fills(composer: Composer, each: int) -> Iterator[Made]:
    """So many questions of every frame; its ways to ask take turns."""
    for frame in frames():
        for number in range(each):
            made = filled(frame, frame.asks[number % len(frame.asks)], composer)
            if made is not None:
                yield made


def filled(frame: Frame, ask: str, composer: Composer) -> Made | None:
    """One question; None where the lexicon has nothing that fits."""
    for _ in range(20):
        try:
            gaps = _Gaps(composer, ask, frame.plan)
            question = gaps.put(ask, _as_asked(composer.chance))
            plan = _SUB_QUESTION.sub(_spaced, gaps.put(frame.plan, _as_planned))
            return question[0].upper() + question[1:], plan
        except Odd:
            continue
    return None


_SUB_QUESTION = re.compile(r'QUD\("(?:[^"\\]|\\.)*"')
Put = Callable[[str, str, Any], str]


def _spaced(told: re.Match[str]) -> str:
    """Names of attributes are words again."""
    return told[0].replace("_", " ")


def _as_planned(_name: str, path: str, value: Any) -> str:
    """Texts stand between quotation marks in a plan."""
    return str(value) if path == "plan" else quoted(str(value))[1:-1]


def _as_asked(chance: random.Random) -> Put:
    in_words = chance.random() < 0.4

    def put(name: str, path: str, value: Any) -> str:
        small = name.startswith("n") and not path and 2 <= value <= 12
        return NUMBERS[value - 2] if in_words and small else str(value)

    return put


class _Gaps:
    """What the gaps of one question are filled with."""

    def __init__(self, composer: Composer, ask: str, plan: str) -> None:
        self._composer, self._chance = composer, composer.chance
        self._used = _GAP.findall(ask + plan)
        self._tails = {name for name, path in _GAP.findall(ask) if path == ".tail"}
        # Ratings and paces have no sum: what is summed is what one can ask the total of.
        self._summed = {"total"} if re.search(r"\bsum\(", plan, re.IGNORECASE) else set()
        self._things: set[tuple[str, ...]] = set()
        self._known: dict[tuple[str, str], Any] = {}
        for name in sorted({name for name, _ in self._used}):
            if name.isupper():
                self._add_thing(name)
            else:
                self._add_value(name)

    def put(self, text: str, how: Put) -> str:
        def value(match: re.Match[str]) -> str:
            name, path = match[1], match[2][1:]
            try:
                known = self._known[name, path]
            except KeyError:
                raise Odd(f"nothing is known of {match[0]}") from None
            is_plan = (name.isupper() and not path) or path.endswith("if")
            return how(name, "plan" if is_plan else path, known)

        return _GAP.sub(value, text)

    # -- things -----------------------------------------------------------------------------------

    def _add_thing(self, letter: str) -> None:
        wanted = {path.split(".")[1] for name, path in self._used if name == letter and path}
        thing = self._thing([kind for kind in _ATTRIBUTES if kind in wanted])
        make = self._composer.rows if letter in self._tails else self._composer.every
        rows = make(thing)
        known: dict[str, Any] = {"": rows.asked(), "nouns": rows.noun, "tail": rows.tail}
        for key in ("did", "past", "ing"):
            known[key] = self._chance.choice(getattr(thing, key))
        for kind in _ATTRIBUTES:
            if kind in wanted:
                needed = {path.split(".")[2] for name, path in self._used
                          if name == letter and path.startswith(f".{kind}.")}  # fmt: skip
                known |= self._attribute(thing, kind, needed | self._summed)
        self._known |= {(letter, path): value for path, value in known.items()}

    def _thing(self, kinds: list[str]) -> Thing:
        for _ in range(100):
            thing = self._composer.thing(kinds[0] if kinds else "")
            has_all = all(any(attr["kind"] == kind for attr in thing.attrs) for kind in kinds)
            if has_all and thing.nouns not in self._things:
                self._things.add(thing.nouns)
                return thing
        raise Odd

    def _attribute(self, thing: Thing, kind: str, needed: set[str]) -> dict[str, Any]:
        having = [attr for attr in thing.attrs if attr["kind"] == kind
                  and all(attr.get(name, True) for name in needed)]  # fmt: skip
        if not having:
            raise Odd
        attr = self._chance.choice(having)
        number = self._chance.choice(attr["numbers"]) if kind == "number" else ""
        value = self._composer.person() if kind == "people" else ""
        if kind == "text":
            value = str(self._chance.choice(attr["values"]))
        known: dict[str, Any] = {
            "key": self._chance.choice(attr["keys"]),
            "n": number,
            "value": value,
        }
        known["nouns"] = attr.get("nouns", attr["noun"])
        for name, given in attr.items():
            if isinstance(given, list) and given and name not in ("keys", "values", "numbers"):
                told = str(self._chance.choice(given))
                known[name] = told.replace("{n}", str(number)).replace("{v}", value)
            elif isinstance(given, str):
                known[name] = snake(given) if name == "item" else given
        return {f"{kind}.{name}": value for name, value in known.items()}

    # -- times, numbers, people -------------------------------------------------------------------

    def _add_value(self, name: str) -> None:
        kind = name.rstrip("0123456789")
        for _ in range(20):
            value = self._value(kind)
            others = [self._known.get((other, "")) for other in (kind, f"{kind}2", f"{kind}3")]
            later = kind != "year" or all(other is None or value[""] > other for other in others)
            if later and not any(_alike(value[""], other) for other in others):
                self._known |= {(name, path): told for path, told in value.items()}
                return
        raise Odd

    def _value(self, kind: str) -> dict[str, Any]:
        chance = self._chance
        if kind in ("when", "period", "again"):
            make = {"period": period, "again": recurring}.get(kind) or chance.choice(
                (period, recurring)
            )
            when = make(chance)
            return {"": when.phrase, "if": when.condition}
        if kind == "n":
            return {"": chance.choice((2, 3, 3, 4, 5, 6, 7, 8, 10, 12, 14, 15, 20, 30))}
        if kind == "year":
            return {"": chance.randint(2009, 2025)}
        if kind in ("month", "weekday"):
            names = MONTHS if kind == "month" else WEEKDAYS
            number = chance.randrange(len(names))
            return {"": names[number], "n": number + 1}
        if kind == "hour":
            hour = chance.choice((5, 6, 7, 8, 9, 10, 11, 12, 14, 16, 17, 18, 19, 20, 21, 22, 23))
            half = "noon" if hour == 12 else f"{hour} am" if hour < 12 else f"{hour - 12} pm"
            return {"": chance.choice((half, half.replace(" ", ""), f"{hour}:00")), "n": hour}
        if kind == "person":
            return {"": self._composer.person()}
        raise ValueError(f"there is no gap {{{kind}}}")


def _alike(one: Any, other: Any) -> bool:
    """Lars and Lars Holm may be the same."""
    both_told = isinstance(one, str) and isinstance(other, str)
    return one == other or (both_told and (one.startswith(other) or other.startswith(one)))
