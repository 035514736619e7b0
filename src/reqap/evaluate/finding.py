"""Lives to search in, with what each query should find: PerQA's, and those of texts written one by
one."""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa

from reqap.columns import to_arrow
from reqap.events import Event, Origin
from reqap.perqa.exports.profile import profile as exported_profile
from reqap.perqa.lives import FreeLife, load_lives, read_life
from reqap.perqa.persona import load_persona
from reqap.perqa.relevance import judged_queries
from reqap.profile import Profile
from reqap.store import Store

_SOURCE = "observed"
_ANY_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class Asked:
    """A query; `happenings` is how many things the wanted events tell of."""

    query: str
    wanted: frozenset[str]
    allowed: frozenset[str] = frozenset()
    happenings: int = 0


@dataclass(frozen=True)
class Searched:
    """A life in a store, its queries, and which events tell of the same happening."""

    name: str
    store: Store
    today: datetime
    queries: tuple[Asked, ...]
    tells: Mapping[str, frozenset[str]]


@dataclass(frozen=True)
class Measured:
    """What became of a query."""

    asked: Asked
    found: frozenset[str]
    happenings: int
    # Pairs of wanted events: told as one and rightly so, told as one, one in truth.
    both: int
    merged: int
    same: int
    seconds: float

    @property
    def recall(self) -> float:
        return len(self.found & self.asked.wanted) / len(self.asked.wanted)

    @property
    def precision(self) -> float:
        counted = self.found - self.asked.allowed
        return len(counted & self.asked.wanted) / len(counted) if counted else 0.0

    @property
    def counts(self) -> bool:
        """Whether the number of happenings is right within five per cent."""
        return abs(self.happenings - self.asked.happenings) <= 0.05 * self.asked.happenings


def plain(query: str) -> str:
    """A query without capitals, punctuation, and the names that were put behind it."""
    return " ".join(_ANY_WORD.findall(query.partition(" (")[0].casefold()))


def digest(query: str) -> str:
    return hashlib.sha256(plain(query).encode()).hexdigest()[:12]


def personas(build: Path, split: str) -> Iterator[Searched]:
    """The lives of a split of PerQA, as they are observed."""
    for folder in sorted((build / split).iterdir()):
        persona = load_persona(folder.name)
        observations, judged = judged_queries(folder)
        queries = []
        for query, found in judged.items():
            wanted, allowed = (frozenset(map(str, ids)) for ids in found[:2])
            queries.append(Asked(query, wanted, allowed, found.happenings))
        events = (event_of(str(one.id), one.kind, one.start, one.end, one.data)
                  for one in observations)  # fmt: skip
        profile = Profile.from_json(exported_profile(persona).decode())
        today = datetime.combine(persona.today, datetime.max.time())
        tells = {str(one.id): frozenset(str(telling.event) for telling in one.tells)
                 for one in observations}  # fmt: skip
        yield Searched(folder.name, filled(events, profile), today, tuple(queries), tells)


def free_lives(split: str) -> Iterator[Searched]:
    yield from map(_searched, load_lives(split))


def strangers(folder: Path) -> Iterator[Searched]:
    yield from map(_searched, lives_in(folder))


def lives_in(folder: Path) -> Iterator[FreeLife]:
    """Lives of a folder, in the form of the free lives."""
    for file in sorted(folder.glob("*.json")):
        yield read_life(file.stem, json.loads(file.read_text(encoding="utf-8")))


def _searched(life: FreeLife) -> Searched:
    tells = {one.id: frozenset(about["event"] for about in one.about) for one in life.texts}
    queries = tuple(
        Asked(one.text, frozenset(one.relevant),
              happenings=len(frozenset[str]().union(*(tells[name] for name in one.relevant))))
        for one in life.queries
    )  # fmt: skip
    events = [event_of(text.id, text.kind, *text.span, text.said) for text in life.texts]
    today = max(text.timestamp for text in life.texts) + timedelta(days=1)
    store = filled(events, Profile.from_json(json.dumps(life.profile)))
    return Searched(life.name, store, today, queries, tells)


def event_of(
    name: str, kind: str, start: datetime, end: datetime, data: Mapping[str, Any]
) -> Event:
    kept = {key: value for key, value in data.items() if value is not None}
    return Event(name, _SOURCE, kind, start, end, None, kept, Origin("observations", 0))


def filled(events: Iterable[Event], profile: Profile) -> Store:
    """A store in memory with these events."""
    store = Store.open(None)
    store.save_profile(profile.to_json(), (), profile.time_zone or "UTC")
    with store.importing(["observations"]) as ingest:
        file = ingest.add_file(_SOURCE, "observations", 1, "", "observations")
        if rows := list(events):
            ingest.add(file, to_arrow(rows))
        ingest.merge()
    return store


def measured(life: Searched, asked: Asked, table: pa.Table, seconds: float) -> Measured:
    """Compares what RETRIEVE gave with what it should give."""
    rows = list(zip(table.column("happening").to_pylist(), table.column("id").to_pylist(),
                    strict=True))  # fmt: skip
    place = {name: happening for happening, name in rows}
    both = merged = same = 0
    # A thousand plays are a thousand things: only what is told in words can be one.
    names = sorted(asked.wanted & place.keys())[:400]
    for n, one in enumerate(names):
        for other in names[n + 1 :]:
            together = place[one] == place[other]
            really = bool(life.tells[one] & life.tells[other])
            both += together and really
            merged += together
            same += really
    found = frozenset(place)
    # What is only allowed is neither asked for nor a mistake: it counts for nothing.
    told = {happening for name, happening in place.items() if name not in asked.allowed}
    return Measured(asked, found, len(told), both, merged, same, seconds)
