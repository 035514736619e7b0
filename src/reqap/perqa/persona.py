"""A persona: who somebody is and what they like, as written by hand in `personas/`.

Not the job of this module: what happens to them (`simulate`).
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from importlib import resources
from typing import Any

from reqap.errors import ReqapError
from reqap.perqa import facts

SPLITS = {"train": 12, "dev": 2, "test": 6}
_FAMILY = (
    "mother father sister brother partner daughter son child grandmother grandfather granddaughter"
    " grandson aunt uncle cousin niece nephew mother-in-law father-in-law sister-in-law"
    " brother-in-law"
)
FAMILY = frozenset(_FAMILY.split())


@dataclass(frozen=True)
class Person:
    """Somebody around the persona."""

    name: str
    relation: str  # as seen from the persona: mother, friend, colleague, …
    city: str = ""
    birth_date: date | None = None
    nicknames: tuple[str, ...] = ()
    since: date | None = None
    until: date | None = None  # a death, or a partnership that ended

    @property
    def first_name(self) -> str:
        return self.name.split()[0]

    def known_on(self, day: date) -> bool:
        born = self.birth_date is None or self.birth_date <= day
        begun = self.since is None or self.since <= day
        return born and begun and (self.until is None or day < self.until)

    def age_on(self, day: date) -> int:
        if self.birth_date is None:
            return 40
        return (day - self.birth_date).days // 365


@dataclass(frozen=True)
class Stay:
    """A time somewhere: a home, a job, a school."""

    what: str  # street, company, school
    role: str  # country, role, subject
    city: str
    start: date
    end: date | None
    timezone: str = ""

    def holds_on(self, day: date) -> bool:
        return self.start <= day and (self.end is None or day <= self.end)


@dataclass(frozen=True)
class Pet:
    name: str
    kind: str
    start: date
    end: date | None


@dataclass(frozen=True)
class Place:
    """Somewhere to meet."""

    name: str
    kind: str
    city: str
    cuisine: str | None
    company: tuple[str, ...]


@dataclass(frozen=True)
class Doctor:
    kind: str
    name: str
    city: str
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class Meal:
    """A restaurant on a trip, and what was eaten there."""

    name: str
    cuisine: str | None
    dish: str


@dataclass(frozen=True)
class Destination:
    city: str
    country: str
    timezone: str
    kind: str
    company: tuple[str, ...]
    month: int | None
    transport: str
    sights: tuple[str, ...]
    restaurants: tuple[Meal, ...]


@dataclass(frozen=True)
class Sport:
    """A kind of workout, and how it is done usually."""

    kind: str
    per_week: float
    minutes: float
    km: float | None
    heart_rate: float
    season: str
    start: date | None
    company: tuple[str, ...]


@dataclass(frozen=True)
class Taste:
    """What somebody watches, hears or buys, and how much of it."""

    genres: tuple[str, ...]
    favourites: tuple[str, ...]
    frequency: float


@dataclass(frozen=True)
class Persona:
    id: str
    name: str
    gender: str
    birth_date: date
    birth_city: str
    biography: str
    first: date
    today: date
    married: date | None
    people: tuple[Person, ...]
    pets: tuple[Pet, ...]
    schools: tuple[Stay, ...]
    jobs: tuple[Stay, ...]
    homes: tuple[Stay, ...]
    places: tuple[Place, ...]
    doctors: tuple[Doctor, ...]
    destinations: tuple[Destination, ...]
    cuisines: tuple[str, ...]
    dishes: tuple[str, ...]
    hobbies: tuple[str, ...]
    activities: tuple[str, ...]
    celebrations: tuple[str, ...]
    music: Taste
    movies: Taste
    series: Taste
    shopping: Taste
    currency: str
    sports: tuple[Sport, ...]
    raw: Mapping[str, Any] = field(repr=False, compare=False)

    @property
    def split(self) -> str:
        return self.id.partition("_")[0]

    def related(self, *relations: str) -> list[Person]:
        return [person for person in self.people if person.relation in relations]

    def person(self, name: str) -> Person:
        return next(person for person in self.people if person.name == name)

    def lives_with(self, person: Person, day: date) -> bool:
        """Partner and children; parents and siblings until one is grown."""
        grown = (day - self.birth_date).days >= 20 * 365
        near = {"partner", "daughter", "son", "child"}
        return person.relation in (
            near if grown else near | {"mother", "father", "sister", "brother"}
        )

    def home_on(self, day: date) -> Stay:
        """Where they live; between two homes, the one before."""
        begun = [home for home in self.homes if home.start <= day]
        return max(begun, key=lambda home: home.start) if begun else self.homes[0]

    def job_on(self, day: date) -> Stay | None:
        held = [job for job in self.jobs if job.holds_on(day)]
        return max(held, key=lambda job: job.start) if held else None


def persona_ids() -> list[str]:
    """All personas, train first."""
    return [f"{split}_persona_{n}" for split, count in SPLITS.items() for n in range(count)]


@cache
def load_persona(persona: str) -> Persona:
    """One persona of the benchmark."""
    file = resources.files("reqap.perqa") / "personas" / f"{persona}.json"
    if not file.is_file():
        raise ReqapError(f"there is no persona {persona}; there are {', '.join(persona_ids())}")
    return read_persona(persona, json.loads(file.read_text(encoding="utf-8")))


def read_persona(persona: str, raw: Mapping[str, Any]) -> Persona:
    """A persona from what is written in its file."""
    partner = raw["partner"] or {}
    return Persona(
        id=persona,
        name=raw["name"],
        gender=raw["gender"],
        birth_date=_day(raw["birth_date"]),
        birth_city=raw["birth_city"],
        biography=raw["biography"],
        first=_day(raw["from"]),
        today=_day(raw["to"]),
        married=_maybe_day(partner.get("married")),
        people=tuple(_people(raw)),
        pets=tuple(
            Pet(p["name"], p["type"], _day(p["start"]), _maybe_day(p["end"])) for p in raw["pets"]
        ),
        schools=tuple(_stay(it, "school", "subject") for it in raw["education"]),
        jobs=tuple(_stay(it, "company", "role") for it in raw["career"]),
        homes=tuple(_stay(it, "street", "country") for it in raw["residences"]),
        places=tuple(
            Place(
                p["name"],
                p["type"],
                p["city"],
                _cuisine(p.get("cuisine")),
                tuple(p.get("with", ())),
            )
            for p in raw["places"]
        ),
        doctors=tuple(
            Doctor(d["type"], d["name"], d["city"], tuple(d["reasons"])) for d in raw["doctors"]
        ),
        destinations=tuple(map(_destination, raw["destinations"])),
        cuisines=tuple(filter(None, map(_cuisine, raw["cuisines"]))),
        dishes=tuple(raw["dishes_at_home"]),
        hobbies=tuple(raw["hobbies"]),
        activities=tuple(raw["meeting_activities"]),
        celebrations=tuple(raw["celebrations"]),
        music=_taste(raw["music"], "artists", "per_day"),
        movies=_taste(raw["movies"], "favourites", "per_week"),
        series=_taste(raw["series"], "favourites", "episodes_per_week"),
        shopping=Taste(tuple(raw["shopping"]["categories"]), (), raw["shopping"]["per_month"]),
        currency=raw["shopping"]["currency"],
        sports=tuple(map(_sport, raw["workouts"])),
        raw=raw,
    )


def _people(raw: Mapping[str, Any]) -> Iterator[Person]:
    for relation in ("mother", "father"):
        yield _person(raw, raw[relation], relation)
    for it in (*raw["siblings"], *raw["relatives"], *raw["colleagues"]):
        yield _person(raw, it, it["relation"])
    if raw["partner"]:
        yield _person(raw, raw["partner"], "partner")
    for it in raw["kids"]:
        relation = {"female": "daughter", "male": "son"}.get(it["gender"], "child")
        yield _person(raw, it, relation)
    for it in raw["friends"]:
        yield _person(raw, it, "friend")


def _known_since(raw: Mapping[str, Any], it: Mapping[str, Any]) -> str | None:
    """Colleagues are known since the job, fellow students since the second school, other friends in
    a city one moved to since the move."""
    if "company" in it:
        starts = [job["start"] for job in raw["career"] if job["company"] == it["company"]]
    elif it.get("from") in ("university", "preparatory classes", "nursing school"):
        starts = [school["start"] for school in raw["education"][1:]]
    elif "from" in it and it["from"] not in ("school", "childhood"):
        homes = raw["residences"]
        starts = [home["start"] for home in homes if home["city"] == it["city"]]
    else:
        starts = []
    return min(starts, default=None)


def _person(raw: Mapping[str, Any], it: Mapping[str, Any], relation: str) -> Person:
    return Person(
        name=it["name"],
        relation=relation,
        city=it.get("city", ""),
        birth_date=_maybe_day(it.get("birth_date")),
        nicknames=tuple(raw["nicknames"].get(it["name"], ())),
        since=_maybe_day(it.get("since") or _known_since(raw, it)),
        until=_maybe_day(it.get("died") or it.get("ended")),
    )


def _stay(it: Mapping[str, Any], what: str, role: str) -> Stay:
    zone = it.get("timezone", "")
    return Stay(it[what], it[role], it["city"], _day(it["start"]), _maybe_day(it["end"]), zone)


def _destination(it: Mapping[str, Any]) -> Destination:
    meals = tuple(Meal(r["name"], _cuisine(r["cuisine"]), r["dish"]) for r in it["restaurants"])
    return Destination(
        it["city"], it["country"], it["timezone"], it["kind"], tuple(it["with"]), it["month"],
        it["transport"], tuple(it["sights"]), meals,
    )  # fmt: skip


def _cuisine(name: str | None) -> str | None:
    return facts.cuisines().get(name, name) if name else None


def _sport(it: Mapping[str, Any]) -> Sport:
    return Sport(
        it["type"], it["per_week"], it["minutes"], it["km"], it["heart_rate"], it["season"],
        _maybe_day(it["from"]), tuple(it["with"]),
    )  # fmt: skip


def _taste(it: Mapping[str, Any], favourites: str, frequency: str) -> Taste:
    return Taste(tuple(it["genres"]), tuple(it[favourites]), it[frequency])


def _day(text: str) -> date:
    return date.fromisoformat(text)


def _maybe_day(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None
