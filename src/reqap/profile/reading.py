"""Profiles as others wrote them: many spellings, strings where objects could be, missing parts.

What is understood becomes the profile; what is not is kept in `other` and told in the notes; only a
text that is no JSON object at all is refused. Not the job of this module: how a person is written
(`persons`), which spellings exist (`spelling`).
"""

import json
import math
import re
from typing import NamedTuple

from reqap.errors import ProfileProblem
from reqap.profile import persons
from reqap.profile.model import (
    LISTS,
    MAX_TEXT,
    Home,
    Item,
    Json,
    Milestone,
    Person,
    Pet,
    Profile,
    changed,
    clean,
    is_blank,
)
from reqap.profile.naming import people_named
from reqap.profile.records import Notes, free_key, read_field, read_record
from reqap.profile.relations import canonical, tokens, written
from reqap.profile.spelling import FAMILY, HOME_CITY, ITEM_FIELDS, PROFILE_FIELDS, WEDDING, normal

_MAX_CHARS = 1 << 20
_MAX_NICKNAMES = 500
_MAX_DEPTH = 40
_IN_BRACKETS = re.compile(r"\([^()]*\)")
_SELF = frozenset(("me", "self", "myself", "i"))
_BIRTH_PARTS = {"date": "birth_date", "day": "birth_date", "city": "birth_place",
                "place": "birth_place"}  # fmt: skip


class Reading(NamedTuple):
    """A profile, and what was odd about the text it was read from."""

    profile: Profile
    notes: tuple[str, ...]


def read_profile(text: str) -> Reading:
    """The profile in a JSON text. ProfileProblem if it holds no profile at all."""
    document = _load(text)
    reader = _Reader()
    inner = document.get("profile", document.get("persona"))
    if isinstance(inner, dict) and "name" not in document:
        if len(document) > 1:
            reader.notes.add('only the part "profile" was read')
        document = inner
    for key, value in document.items():
        reader.take(key, value)
    return reader.finish()


def _load(text: str) -> dict[str, Json]:
    if len(text) > _MAX_CHARS:
        raise ProfileProblem(f"{len(text):,} characters are too many for a profile")
    try:
        document = json.loads(text.removeprefix("\ufeff"), parse_constant=lambda _: None)
    except (ValueError, RecursionError) as error:
        raise ProfileProblem(f"The profile is not valid JSON: {str(error)[:200]}") from None
    if not isinstance(document, dict):
        raise ProfileProblem('A profile is a JSON object, such as {"name": "Ada Example"}')
    tidied = _tidy(document, 0)
    assert isinstance(tidied, dict)
    return tidied


def _tidy(value: Json, depth: int) -> Json:
    """The same without what cannot be stored: half characters, NULs, endless numbers."""
    if depth > _MAX_DEPTH:
        raise ProfileProblem("The profile is nested too deeply")
    if isinstance(value, dict):
        return {str(_tidy(k, depth)): _tidy(v, depth + 1) for k, v in value.items()}
    if isinstance(value, list):
        return [_tidy(v, depth + 1) for v in value]
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode().replace("\x00", "")
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, int) and value.bit_length() > 63:
        return str(value) if value.bit_length() < 4000 else None
    return value


class _Reader:
    """A profile under way."""

    def __init__(self) -> None:
        self.notes = Notes()
        self._fields: dict[str, object] = {}
        self._lists: dict[str, list[Item]] = {name: [] for name in LISTS}
        self._other: dict[str, Json] = {}
        self._nicknames: dict[str, Json] = {}
        self._cities: list[str] = []
        self._late: list[tuple[str, Json]] = []
        self._places: dict[tuple[str, ...], list[int]] = {}  # of people, by name

    def take(self, key: str, value: Json) -> None:
        """One field of the document."""
        name = normal(key)
        field = PROFILE_FIELDS.get(name)
        if field == "nicknames" and isinstance(value, dict):
            self._nicknames.update(value)
        elif field == "people" or name in FAMILY:
            self._people(key, value, "relative" if name in FAMILY else "")
        elif field in LISTS:
            self._items(key, value, field)
        elif field is not None:
            self._field(key, value, field)
        elif name == "birth" and isinstance(value, dict):
            self._birth(key, value)
        elif name in HOME_CITY and _is_city(value):
            self._cities.append(clean(str(value)))
        elif relation := canonical(name.replace("_", " ")):
            self._people(key, value, written(relation), plural=relation != name.replace("_", " "))
        else:
            self._late.append((key, value))

    def _birth(self, key: str, value: dict[str, Json]) -> None:
        """{"birth": {"date": …, "city": …}}"""
        rest: dict[str, Json] = {}
        for part, inner in value.items():
            field = _BIRTH_PARTS.get(normal(part), "")
            found, left, _ = read_field(field, inner) if field else (None, inner, "")
            if found and field not in self._fields:
                self._fields[field] = found
            elif found or left is not None:
                rest[part] = inner
        if rest:
            self._keep(key, rest, "is not understood in full")

    def _flat(self, key: str, value: Json) -> bool:
        """A key such as mother_birth_date: a field of a person who is named elsewhere."""
        who, _, part = normal(key).partition("_")
        relation = canonical(who)
        if not relation or part not in persons.PARTS:
            return False
        if part in ("name", "full_name"):
            self._people(key, value, written(relation))
            return True
        people = self._lists["people"]
        places = [
            at
            for at, person in enumerate(people)
            if isinstance(person, Person) and canonical(person.relation) == relation
        ]
        found = persons.with_part(people[places[0]], part, value) if len(places) == 1 else None
        if found is None:
            return False
        people[places[0]] = found[0]
        self._lists["milestones"] += found[1]
        return True

    def _keep(self, key: str, value: Json, why: str) -> None:
        """Keeps what is not understood, under a key that is not taken."""
        kept = self._other.get(key)
        if isinstance(kept, list) and isinstance(value, list):
            kept.extend(value)
        else:
            self._other[free_key(key, self._other)] = value
        if value is not None:
            self.notes.add(f"{key!r} {why}; it is kept as it is", key)

    def _field(self, key: str, value: Json, field: str) -> None:
        if not field or field in self._fields:
            self._keep(key, value, "is not a field I know" if not field else "is there twice")
            return
        found, left, why = read_field(field, value)
        if found:
            self._fields[field] = found
        if left is not None:
            self._keep(key, left, why)

    def _items(self, key: str, value: Json, field: str) -> None:
        kind = LISTS[field]
        for entry in value if isinstance(value, list) else [value]:
            if is_blank(entry):
                continue
            record = _as_record(kind, entry, key)
            item = read_record(kind, record, self.notes, key) if record is not None else None
            if item is None:
                self._keep(key, [entry], f"holds no {kind.label}")
            else:
                self._lists[field].append(item)

    def _people(self, key: str, value: Json, relation: str, plural: bool = True) -> None:
        own = normal(key) == "people"
        for entry in persons.entries(value, relation, plural):
            found = persons.read_person(entry.value, entry.relation, self.notes, key)
            if found is None:
                if not is_blank(entry.value):
                    self._keep(key, [entry.raw], "does not name a person")
                continue
            person, stones = found
            people = self._lists["people"]
            places = self._places.setdefault(tokens(person.name), [])
            same = [at for at in places if not own and persons.is_same(people[at], person)]
            if same:
                people[same[0]] = persons.merged(people[same[0]], person)
            else:
                places.append(len(people))
                people.append(person)
            self._lists["milestones"] += stones

    def finish(self) -> Reading:
        """The profile, once all fields are in."""
        for key, value in self._late:
            if not self._flat(key, value):
                self._keep(key, value, "is not a field I know")
        unclear: dict[str, Json] = {}
        for number, (key, value) in enumerate(self._nicknames.items()):
            if number >= _MAX_NICKNAMES or not self._nickname(key, value):
                unclear[key] = value
                self.notes.add(f"whose nickname {key!r} is, is not clear; it is kept as it is", key)
        if unclear:
            self._other[free_key("nicknames_of_others", self._other)] = unclear
        known = {tokens(h.city) for h in self._lists["homes"] if isinstance(h, Home)}
        for city in dict.fromkeys(self._cities):
            if tokens(city) not in known:
                self._lists["homes"].append(Home(city))
        lists = {name: tuple(items) for name, items in self._lists.items()}
        profile = Profile(**self._fields, **lists)  # type: ignore[arg-type]
        profile = _with_other(profile, self._other)
        return Reading(profile, self.notes.told())

    def _nickname(self, key: str, value: Json) -> bool:
        """One entry of {"mum": "Mutti"}; False if it is not clear whose nickname it is."""
        names = persons.nicknames_in(value)
        if not names:
            return is_blank(value)
        own = str(self._fields.get("name", ""))
        if normal(key) in _SELF or (own and tokens(key) == tokens(own)):
            mine = self._fields.get("nicknames", ())
            assert isinstance(mine, tuple)
            self._fields["nicknames"] = tuple(dict.fromkeys((*mine, *names)))
            return True
        people = self._lists["people"]
        meant = self._meant(key)
        if not meant and len(names) == 1:  # {"Mutti": "Jane Doe"}: the other way round
            meant = self._places.get(tokens(names[0]), [])
            names = [clean(key)] if meant else names
        if len(meant) == 1:
            people[meant[0]] = persons.with_nicknames(people[meant[0]], names)
            return True
        newcomer = None if meant else persons.from_nickname(key, names)
        if newcomer is not None:
            self._places.setdefault(tokens(newcomer.name), []).append(len(people))
            people.append(newcomer)
        return newcomer is not None

    def _meant(self, key: str) -> list[int]:
        """Where the people stand whom a key means: by their name, or as in any text."""
        people = self._lists["people"]
        if exact := self._places.get(tokens(key)):
            return exact
        if len(people) > _MAX_NICKNAMES:  # every key would mean a look at everybody
            return []
        present = Profile(people=tuple(people))  # type: ignore[arg-type]
        found = people_named(present, _IN_BRACKETS.sub(" ", key))
        return [at for at, person in enumerate(people) if any(person is one for one in found)]


def _is_city(value: Json) -> bool:
    return isinstance(value, str) and not is_blank(value) and len(value) <= MAX_TEXT


def _with_other(profile: Profile, other: dict[str, Json]) -> Profile:
    """The profile with what was kept, under names that its own fields do not take."""
    taken = profile.record()
    kept: dict[str, Json] = {}
    for key, value in other.items():
        joins = isinstance(value, list) and isinstance(taken.get(key), list)
        kept[key if key not in taken or joins else free_key(f"other {key}", {**taken, **other})] = (
            value
        )
    return changed(profile, other=kept)


def _as_record(kind: type[Item], entry: Json, key: str) -> dict[str, Json] | None:
    """An entry as an object: a plain text is the name of what is listed."""
    if isinstance(entry, dict):
        names = {ITEM_FIELDS[kind].get(normal(name)) for name in entry}
        if kind is Milestone and "event" not in names and normal(key) in WEDDING:
            return {"event": "married", **entry}  # "marriages": [{"date": …}]
        return entry
    if not isinstance(entry, str):
        return None
    main = next(iter(ITEM_FIELDS[kind].values()))
    if kind is Pet and (found := re.fullmatch(r"([^()]+)\(([^()]+)\)\s*", entry)):
        return {"name": found[1], "type": found[2]}
    return {main: entry}
