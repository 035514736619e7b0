"""Where lessons of EXTRACT come from.

Four sources: `readings.jsonl`, records that people wrote one by one with what they tell for many
keys; `records.jsonl`, rows of many services and how programs ask for their columns; the free lives,
whose texts say what they are about; and PerQA's lives, where what is told is known from what
happened. A key is asked for in many spellings (`spellings.json`), and for each record some keys are
asked that it does not tell.
"""

import json
import math
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from itertools import repeat
from pathlib import Path
from typing import Any

from reqap.evaluate.told import (
    TIMES,
    Told,
    own_times,
    properties_of,
    spellings,
    untold,
    value_of,
)
from reqap.extract.telling import SAME_DAY
from reqap.perqa.canonical import TABLES, Event
from reqap.perqa.exports.profile import profile as exported_profile
from reqap.perqa.files import read_events
from reqap.perqa.lives import Text, load_lives
from reqap.perqa.persona import load_persona
from reqap.perqa.relevance import judged_queries
from reqap.profile import Profile
from reqap.profile.naming import Naming
from reqap.train.extract_lesson import (
    Lesson,
    Record,
    implied,
    located,
    reads_as,
    side_of,
    words_at,
)
from reqap.train.extract_swaps import exchange, named
from reqap.train.retrieve_lesson import some, written
from reqap.train.retrieve_written import record
from reqap.verbalize import TELLINGS, moment, spelled, spelled_out

_SPELLINGS, _MISSING = 2, 3
_UNKNOWN = 4  # keys asked of a text of which nobody has said what it tells
_TRAIN = "train"
_AT_HOME = " at home"
_EXCHANGED = 0.4  # of PerQA's texts are told of other places, dishes and pastimes
_ALONE = 0.4  # so many are asked without saying of what


def written_lessons(chance: random.Random, *, again: bool = False) -> Iterator[Lesson]:
    """Of records that were written one by one; every spelling counts, and some more.

    Where they are told again, it is of other places, dishes and pastimes.
    """
    for it in (
        map(_exchanged, written("readings"), repeat(chance)) if again else written("readings")
    ):
        start, end = _span(it["written"], it["end"])
        text = spelled(it["kind"], it["fields"], moment(it["kind"], start, end))
        record = Record(text, start.date())
        for thing in it["things"]:
            abouts = _Abouts(thing["about"], len(it["things"]) == 1, chance)
            for value in thing["values"]:
                told = _typed(value)
                pieces = [piece for piece in value["said"] if words_at(text, piece)]
                spans = tuple(sorted({span for piece in pieces for span in words_at(text, piece)}))
                is_said = bool(pieces) and _is_said(told, pieces, it.get("people", {}), record)
                other = "" if is_said else implied(told, record)
                side = side_of(told, record.written) if is_said else ""
                keys = _more_spellings(value["keys"], chance) if is_said or other else ()
                for key in keys:
                    yield Lesson(key, abouts.one(), text, spans, other, side, is_written=True)
            for key in (key for keys in thing["missing"] for key in keys):
                yield Lesson(key, abouts.one(), text, is_written=True)


def _exchanged(it: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    values = [value for thing in it["things"] for value in thing["values"]]
    said = [(named(value["keys"]), value["value"]) for value in values
            if isinstance(value["value"], str) and value["value"] in value["said"]]  # fmt: skip
    others = [piece for value in values for piece in value["said"]]
    text = spelled(it["kind"], it["fields"])
    other = exchange(text, said, chance, (*others, *it.get("people", {})))
    return {**it, "fields": other.fields(it["fields"]),
            "things": [other.written(thing) for thing in it["things"]]}  # fmt: skip


def _span(start: str, end: str | None) -> tuple[datetime, datetime]:
    times = datetime.fromisoformat(start), datetime.fromisoformat(end or start)
    return times[0], max(times)


def _more_spellings(keys: Sequence[str], chance: random.Random) -> list[str]:
    groups = [group for group in spellings().values() if group[0] in keys]
    others = sorted({key for group in groups for key in group} - set(keys))
    return [*keys, *some(others, _SPELLINGS, chance)]


def record_lessons() -> Iterator[Lesson]:
    """Of records with keys, of many services: the value of which key is asked for."""
    for it in written("records"):
        data = {key: value for key, value in it["data"].items() if value is not None}
        at = moment(it["kind"], *_span(it["start"], it["end"]))
        text, places = spelled_out(it["kind"], data, at)
        for asked in it["asks"]:
            answer = asked["answer"]
            spans = (places[answer],) if answer in places else ()
            dated = answer == "@start" and asked["type"] in ("date", "datetime")
            if spans and spans[0][0] == spans[0][1]:
                continue
            for key in asked["keys"]:
                yield Lesson(key, "", text, spans, SAME_DAY[0] if dated else "")


def unknown_lessons(chance: random.Random) -> Iterator[Lesson]:
    """Texts that were written for other lessons, asked for what is told elsewhere: half of it for
    what is asked often, half for what some other record tells. A teacher may say what they tell."""
    readings = written("readings")
    things = [thing for it in readings for thing in it["things"]]
    common = list(spellings().values())
    texts = [(record({"kind": it["kind"], **it["fields"]}), thing["about"])
             for it in readings for thing in it["things"][:1]]  # fmt: skip
    for it in written("tellings"):
        texts += [(record(text), it["queries"]) for text in (*it["yes"], *it["no"])]
    texts += [(record(it["text"]), it["yes"]) for it in written("asked")]
    for text, ways in texts:
        abouts = _Abouts(ways, True, chance)
        for n in range(_UNKNOWN):
            group = chance.choice(common)
            if n % 2 and (values := chance.choice(things)["values"]):
                group = chance.choice(values)["keys"]
            key = chance.choice(group)
            yield Lesson(key, abouts.one(), text, is_unknown=True)


def life_lessons(split: str, chance: random.Random) -> Iterator[Lesson]:
    """Of the free lives."""
    for life in load_lives(split):
        profile = Profile.from_json(json.dumps(life.profile))
        naming = Naming(profile)
        queries: dict[str, list[str]] = {}
        for query in life.queries:
            for number in query.relevant:
                queries.setdefault(number, []).append(query.text)
        for one, told, said in _told_twice(life.texts, split == _TRAIN, chance):
            text = spelled(one.kind, said, moment(one.kind, *one.span))
            record = Record(text, one.timestamp.date(), naming, profile.name)
            is_alone = len(one.about) == 1
            # Of a text that tells of one thing, whatever finds it asks for that.
            asked = queries.get(one.id, []) if is_alone else []
            for about, properties in zip(one.about, told, strict=True):
                activity = properties.pop("activity", None)
                if activity is not None:  # what it is asked of must not say it
                    of_type = _Abouts([about["type"]], is_alone, chance)
                    yield from _lessons(record, {"activity": activity}, of_type, chance)
                abouts = _Abouts([str(activity or about["type"]), *asked], is_alone, chance)
                yield from _lessons(record, properties, abouts, chance)
            everything = {name for about in one.about for name in about}
            missing = sorted(untold(spellings(), everything) - set(TIMES))
            abouts = _Abouts([one.about[0]["type"], *asked] if one.about else [], True, chance)
            yield from _untold(record, some(missing, _MISSING, chance), abouts, chance)


def _told_twice(
    texts: Iterable[Text], is_train: bool, chance: random.Random
) -> Iterator[tuple[Text, list[dict[str, Told]], Mapping[str, str]]]:
    """Texts with what they tell; to learn from, once more about other places, dishes, pastimes."""
    for one in texts:
        told = [properties_of(about) for about in one.about]
        yield one, [dict(properties) for properties in told], one.said
        text = spelled(one.kind, one.said)
        other = exchange(text, [it for properties in told for it in properties.items()], chance)
        if is_train and other.others:
            yield one, [other.told(properties) for properties in told], other.fields(one.said)


def perqa_lessons(folder: Path, chance: random.Random) -> Iterator[Lesson]:
    """Of one life of PerQA that was built: its texts, and what each tells of what happened."""
    profile = Profile.from_json(exported_profile(load_persona(folder.name)).decode())
    naming, balance = Naming(profile), Balance()
    events = {event.id: event for event in read_events(folder)}
    observations, relevance = judged_queries(folder)
    queries: dict[int, list[str]] = {}
    for query, found in relevance.items():
        for number in found.wanted:
            queries.setdefault(number, []).append(query)
    for one in observations:
        if one.kind not in TELLINGS:
            continue
        data = {key: value for key, value in one.data.items() if value is not None}
        told = [_properties(events[telling.event], telling.properties) for telling in one.tells]
        mentioned = {name for telling in one.tells for name in telling.properties}
        is_alone = len(one.tells) == 1
        asked = queries.get(one.id, []) if is_alone else []
        if folder.parent.name == _TRAIN and chance.random() < _EXCHANGED:
            text = spelled(one.kind, data)
            other = exchange(text, [it for known in told for it in known.items()], chance)
            data, told = other.fields(data), [other.told(properties) for properties in told]
            asked = [] if other.others else asked
        text = spelled(one.kind, data, moment(one.kind, one.start, one.end))
        record = Record(text, one.start.date(), naming, profile.name)
        for telling, properties in zip(one.tells, told, strict=True):
            table = events[telling.event].table
            abouts = _Abouts([table.rstrip("s"), *asked], is_alone, chance)
            balance.told.update(properties.keys())
            yield from _lessons(record, properties, abouts, chance)
            missing = balance.some(sorted(untold(TABLES[table], mentioned)), _MISSING, chance)
            yield from _untold(record, missing, abouts, chance)


def _properties(event: Event, names: Iterable[str]) -> dict[str, Told]:
    """What a text tells of an event; who eats at home is at home."""
    known = {**event.properties, **own_times(event.start, event.end)}
    told = {name: value for name in names
            if (value := value_of(name, known.get(name))) is not None}  # fmt: skip
    if str(told.get("activity", "")).endswith(_AT_HOME):
        told.setdefault("place_type", "home")
    return told


class Balance:
    """Asks for what is not told about as often as it is told elsewhere: what is hardly ever told
    when it is asked for (whether somebody was at home) would be taken for never told."""

    def __init__(self) -> None:
        self.told: Counter[str] = Counter()
        self._untold: Counter[str] = Counter()

    def some(self, names: Sequence[str], most: int, chance: random.Random) -> list[str]:
        rarely = {name: (self._untold[name] + 1) / (self.told[name] + 1) for name in names}
        by_chance = {name: math.log(chance.random()) * rarely[name] for name in names}
        found = sorted(names, key=by_chance.__getitem__, reverse=True)[:most]
        self._untold.update(found)
        return found


class _Abouts:
    """Ways to say what a key is asked of; where a record tells of one thing only, often none."""

    def __init__(self, ways: Sequence[str], is_alone: bool, chance: random.Random) -> None:
        self._ways = [way for way in ways if way]
        self._silent = _ALONE if is_alone else 0.0
        self._chance = chance

    def one(self) -> str:
        if not self._ways or self._chance.random() < self._silent:
            return ""
        return self._chance.choice(self._ways)


def _lessons(
    record: Record, properties: Mapping[str, Told], abouts: _Abouts, chance: random.Random
) -> Iterator[Lesson]:
    for name, value in properties.items():
        spans = located(value, record)
        other = "" if spans else implied(value, record)
        side = side_of(value, record.written) if spans else ""
        if spans or other:
            for key in some(spellings().get(name, [name]), _SPELLINGS, chance):
                yield Lesson(key, abouts.one(), record.text, spans, other, side)


def _untold(
    record: Record, names: Iterable[str], abouts: _Abouts, chance: random.Random
) -> Iterator[Lesson]:
    for name in names:
        key = chance.choice(spellings().get(name, [name]))
        yield Lesson(key, abouts.one(), record.text)


def _typed(value: Mapping[str, Any]) -> Told:
    told: Any = value["value"]
    match value["type"]:
        case "date":
            return date.fromisoformat(told)
        case "time":
            return time.fromisoformat(told)
        case "timedelta":
            return timedelta(minutes=told)
    return tuple(told) if isinstance(told, list) else told


def _is_said(told: Told, pieces: list[str], people: Mapping[str, str], record: Record) -> bool:
    """Whether the pieces are the value, and not only a hint at it."""
    if isinstance(told, str | tuple):
        said = {name.casefold() for piece in pieces for name in (piece, people.get(piece, piece))}
        return {item.casefold() for item in ([told] if isinstance(told, str) else told)} <= said
    return any(reads_as(piece, told, record.written) for piece in pieces)
