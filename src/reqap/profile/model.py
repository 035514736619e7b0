"""What a profile is made of: frozen, validated when built, and written as JSON.

Dates are kept as the user wrote them ("2019", "August 2019") and know the days they cover. Fields
that nobody here understands live on in `other`. Not the job of this module: understanding profiles
others wrote (`reading`), changing one (`editing`).
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import date
from difflib import get_close_matches
from functools import cache, lru_cache
from typing import TYPE_CHECKING, ClassVar, TypeVar
from zoneinfo import ZoneInfo, available_timezones

from reqap.errors import ProfileProblem, ValueProblem
from reqap.values import parse_partial_date

if TYPE_CHECKING:
    from reqap.events import Event

Json = dict[str, "Json"] | list["Json"] | str | int | float | bool | None
Other = Mapping[str, Json]

MAX_TEXT = 2000
_YEARS = range(1800, 2101)
_DATES = ("birth_date", "since", "until")
_LISTS = ("nicknames", "emails")
_NOTHING = ("", "-", "--", "n/a", "none", "null", "#n/a")
ONGOING = ("present", "now", "today", "ongoing", "current", "currently", "still", "until now")


@dataclass(frozen=True)
class When:
    """A date as the user wrote it, and the days it covers, both ends included."""

    text: str
    first: date
    last: date

    @classmethod
    def of(cls, value: object) -> "When | None":
        """The date in `value`; None when there is none; ValueProblem when it is something else."""
        if isinstance(value, str) and value.strip().casefold() in ONGOING:
            return None
        days = parse_partial_date(value)
        if days is None:
            return None
        if days.first.year not in _YEARS:
            raise ValueProblem(f"{value!r} lies outside {_YEARS.start}–{_YEARS.stop - 1}")
        return cls(" ".join(str(value).split()), days.first, days.last)


class _Item:
    """What all parts share: one check of all fields, and the way they are written."""

    label: ClassVar[str]
    needs: ClassVar[tuple[str, ...]]  # of these fields, at least one must be there
    other: Other

    def __post_init__(self) -> None:
        _check_fields(self)
        if not any(getattr(self, name) for name in self.needs):
            raise ProfileProblem(f"{self.label}: {' or '.join(self.needs)} is missing")

    @property
    def title(self) -> str:
        """What the item is called in lists and on the command line."""
        return next(text for name in self.needs if (text := str(getattr(self, name))))

    def record(self) -> dict[str, Json]:
        """The item as JSON: its fields, less the empty ones, and `other` behind them."""
        known = {
            f.name: _plain(getattr(self, f.name))
            for f in fields(self)  # type: ignore[arg-type]
            if f.name != "other" and getattr(self, f.name)
        }
        return {**known, **{key: value for key, value in self.other.items() if key not in known}}


def _plain(value: object) -> Json:
    if isinstance(value, When):
        return value.text
    return list(value) if isinstance(value, tuple) else str(value)


def _check_fields(item: "_Item | Profile") -> None:
    for f in fields(item):  # type: ignore[arg-type]
        value = getattr(item, f.name)
        where = f"{item.label}: {f.name}"
        if f.name in _DATES:
            if value is not None and not isinstance(value, When):
                raise ProfileProblem(f"{where} must be a date, not {type(value).__name__}")
        elif f.name in _LISTS:
            if not isinstance(value, tuple):
                raise ProfileProblem(f"{where} must be a tuple of texts")
            for text in value:
                _check_text(where, text, empty=False)
                if f.name == "emails" and "@" not in text:
                    raise ProfileProblem(f"{where}: {text[:80]!r} is no e-mail address")
        elif isinstance(f.default, str) or f.name in ("name", "company", "event"):
            _check_text(where, value, empty=True)
    since, until = getattr(item, "since", None), getattr(item, "until", None)
    if since and until and until.last < since.first:
        raise ProfileProblem(
            f"{item.label}: until ({until.text}) comes before since ({since.text})"
        )


def _check_text(where: str, value: object, *, empty: bool) -> None:
    if not isinstance(value, str):
        raise ProfileProblem(f"{where} must be a text, not {type(value).__name__}")
    if is_blank(value) and not (empty and not value):
        raise ProfileProblem(f"{where} must not be empty")
    if len(value) > MAX_TEXT:
        raise ProfileProblem(f"{where} is longer than {MAX_TEXT} characters")
    if value != clean(value):
        raise ProfileProblem(f"{where} holds control characters or stray spaces")


def is_blank(value: object) -> bool:
    """Whether a value says nothing: None, an empty text or list, "n/a" and the like.

    Not `values.is_missing`, which takes "Nan" for nothing: here it may be a grandmother.
    """
    if not isinstance(value, str):
        return value is None or value in ([], {})
    if value.strip().casefold() in _NOTHING:
        return True
    return not any(c.isprintable() and not c.isspace() for c in value)


def clean(text: str) -> str:
    """A text as a profile keeps it: one line, single spaces, nothing that is not a character."""
    return " ".join(text.encode("utf-8", "replace").decode().replace("\x00", " ").split())


@dataclass(frozen=True)
class Person(_Item):
    """Somebody the user knows; `relation` in free words: mother, twin brother, boss, …"""

    label: ClassVar[str] = "person"
    needs: ClassVar[tuple[str, ...]] = ("name",)
    name: str
    relation: str = ""
    nicknames: tuple[str, ...] = ()
    birth_date: When | None = None
    emails: tuple[str, ...] = ()
    note: str = ""
    other: Other = field(default_factory=dict)


@dataclass(frozen=True)
class Pet(_Item):
    label: ClassVar[str] = "pet"
    needs: ClassVar[tuple[str, ...]] = ("name",)
    name: str
    type: str = ""
    since: When | None = None
    until: When | None = None
    other: Other = field(default_factory=dict)


@dataclass(frozen=True)
class Job(_Item):
    label: ClassVar[str] = "job"
    needs: ClassVar[tuple[str, ...]] = ("company", "role")
    company: str
    role: str = ""
    city: str = ""
    since: When | None = None
    until: When | None = None
    other: Other = field(default_factory=dict)


@dataclass(frozen=True)
class School(_Item):
    label: ClassVar[str] = "school"
    needs: ClassVar[tuple[str, ...]] = ("name", "degree")
    name: str
    degree: str = ""
    city: str = ""
    since: When | None = None
    until: When | None = None
    other: Other = field(default_factory=dict)


@dataclass(frozen=True)
class Home(_Item):
    label: ClassVar[str] = "home"
    needs: ClassVar[tuple[str, ...]] = ("address", "city")
    city: str = ""
    address: str = ""
    since: When | None = None
    until: When | None = None
    other: Other = field(default_factory=dict)


@dataclass(frozen=True)
class Milestone(_Item):
    """Any other dated fact: a marriage, a separation, a death, a naturalization."""

    label: ClassVar[str] = "milestone"
    needs: ClassVar[tuple[str, ...]] = ("event",)
    event: str
    person: str = ""
    city: str = ""
    since: When | None = None
    until: When | None = None
    note: str = ""
    other: Other = field(default_factory=dict)


Item = Person | Pet | Job | School | Home | Milestone
# The lists of a profile, in the order they are written.
LISTS: dict[str, type[Item]] = {
    "people": Person,
    "pets": Pet,
    "jobs": Job,
    "schools": School,
    "homes": Home,
    "milestones": Milestone,
}


@dataclass(frozen=True)
class Profile:
    """Who the user is. Everything is optional: a profile grows."""

    label: ClassVar[str] = "profile"
    name: str = ""
    nicknames: tuple[str, ...] = ()
    gender: str = ""
    birth_date: When | None = None
    birth_place: str = ""
    time_zone: str = ""
    emails: tuple[str, ...] = ()
    people: tuple[Person, ...] = ()
    pets: tuple[Pet, ...] = ()
    jobs: tuple[Job, ...] = ()
    schools: tuple[School, ...] = ()
    homes: tuple[Home, ...] = ()
    milestones: tuple[Milestone, ...] = ()
    other: Other = field(default_factory=dict)

    def __post_init__(self) -> None:
        _check_fields(self)
        _check_zone(self.time_zone)
        for name, kind in LISTS.items():
            items = getattr(self, name)
            if not isinstance(items, tuple) or not all(isinstance(item, kind) for item in items):
                raise ProfileProblem(f"{name} must be a tuple of {kind.__name__}")

    @property
    def who(self) -> tuple[str, ...]:
        """The names the user goes by: the full one, the first one, nicknames, mail addresses."""
        names = (self.name, *self.name.split()[:1], *self.nicknames, *self.emails)
        return tuple(dict.fromkeys(name for name in names if name))

    def people_named(self, text: str) -> list[Person]:
        """The people that `text` speaks of: by name, nickname or relation ("my parents")."""
        from reqap.profile.naming import people_named

        return people_named(self, text)

    def facts(self, today: date) -> "list[Event]":
        """The dated facts as events; what is still going on ends with `today`."""
        from reqap.profile.dated import facts

        return facts(self, today)

    @classmethod
    def from_json(cls, text: str) -> "Profile":
        """The profile in a JSON text, read liberally; `read_profile` also says what was odd."""
        from reqap.profile.reading import read_profile

        return read_profile(text).profile

    @classmethod
    def saved(cls, text: str | None) -> "Profile":
        """What a store keeps; an empty profile where it keeps none."""
        return _from_json(text) if text else cls()

    def to_json(self) -> str:
        """The profile as JSON, which `from_json` reads back as an equal profile."""
        known = self.record()
        for key, value in self.other.items():
            present = known.get(key)
            if present is None:
                known[key] = value
            elif isinstance(present, list) and isinstance(value, list):
                known[key] = present + value
        return json.dumps(known, ensure_ascii=False, indent=2)

    def record(self) -> dict[str, Json]:
        """The known fields as JSON, less the empty ones."""
        known: dict[str, Json] = {}
        for f in fields(self):
            value = getattr(self, f.name)
            if f.name in LISTS and value:
                known[f.name] = [item.record() for item in value]
            elif f.name != "other" and value:
                known[f.name] = _plain(value)
        return known


Part = TypeVar("Part", Profile, Person, Pet, Job, School, Home, Milestone)


def changed(part: Part, **changes: object) -> Part:
    """A copy with some fields changed; the constructor checks them."""
    return replace(part, **changes)  # type: ignore[arg-type]


@cache
def _zones() -> dict[str, str]:
    """All names of time zones, and their cities where only one zone has that city, folded."""
    names = sorted(
        name
        for name in available_timezones()
        if not name.startswith(("posix", "right", "Factory", "localtime"))
    )
    cities: dict[str, list[str]] = {}
    for name in names:
        if "/" in name and not name.startswith("Etc/"):
            cities.setdefault(name.rsplit("/", 1)[1].lower(), []).append(name)
    known = {city: found[0] for city, found in cities.items() if len(found) == 1}
    known.update((name.lower(), name) for name in names)
    return known


def _check_zone(text: str) -> None:
    try:
        name = zone_name(text) if text else ""
    except ProfileProblem as error:
        raise ProfileProblem(f"time_zone: {error}") from None
    if name != text:
        raise ProfileProblem(f"time_zone: {text!r} is written {name!r}")


def zone_name(text: str) -> str:
    """The name of the time zone that `text` means; ProfileProblem with near names if none."""
    key = "_".join(clean(text).lower().split())
    zones = _zones()
    if key in zones:
        return zones[key]
    try:
        if len(text) < 100 and ZoneInfo(text).key == text:
            return text
    except (ValueError, OSError, LookupError):
        pass
    near = list(dict.fromkeys(zones[name] for name in get_close_matches(key[:60], zones, 5, 0.7)))
    hint = f"Did you mean {' or '.join(near[:3])}?" if near else "Names look like Europe/Berlin."
    raise ProfileProblem(f"there is no time zone {text[:60]!r}. {hint}")


@lru_cache(maxsize=4)
def _from_json(text: str) -> Profile:
    return Profile.from_json(text)
