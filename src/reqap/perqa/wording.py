"""What goes into the gaps of phrases: names as somebody calls people, times as seen from a moment.

Each gap tells of canonical properties (`TELLS`), which is how we know what a text gives away.
"""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from reqap.perqa import facts
from reqap.perqa.canonical import Event
from reqap.perqa.persona import Person, Persona
from reqap.perqa.slots import feast

# What a gap tells; most tell the property of their name.
_TELLS: dict[str, tuple[str, ...]] = {
    "people": ("participants",), "people_full": ("participants",), "dish": ("dish", "cuisine"),
    "weekday": ("start_date",), "date": ("start_date",), "time": ("start_time",),
    "km": ("distance_km",), "minutes": ("duration_minutes",),
    "heart_rate": ("maximum_heart_rate",), "movie": ("movie_title",), "year": ("release_year",),
    "series": ("series_title",), "song": ("song_name",), "artist": ("artists",),
    "when": (), "When": (), "me": (), "to": (), "age": (), "paragraphs": (),
}  # fmt: skip
_RELATIONS = {"mother": ("Mum", "Mum", "my mum"), "father": ("Dad", "Dad", "my dad")}


def told_by(slots: frozenset[str]) -> set[str]:
    """The canonical properties that gaps tell."""
    return {name for slot in slots for name in _TELLS.get(slot, (slot,))}


@dataclass(frozen=True)
class When:
    """A time as it is said; `exact` if the day can be worked out."""

    text: str
    exact: bool


def relative(chance: random.Random, moment: datetime, written: datetime) -> When:
    """When something was or will be, as seen from the time of writing."""
    days = (written.date() - moment.date()).days
    evening = moment.hour >= 18
    weekday = f"{moment:%A}"
    day = f"{moment.day} {moment:%B}"
    if days == 0:
        return When(_today(chance, moment, written), True)
    if days == 1:
        return When(chance.choice(("last night", "yesterday evening", "last night")) if evening
                    else "yesterday", True)  # fmt: skip
    if 2 <= days <= 6:
        return When(chance.choice((f"on {weekday}", f"last {weekday}", f"this past {weekday}")),
                    True)  # fmt: skip
    if days > 6:
        last = (_monday(written) - _monday(moment)).days == 7
        vague = "last week" if last else {2: "two weeks ago", 3: "three weeks ago"}.get(
            round(days / 7), "a while ago")  # fmt: skip
        exact = chance.random() < 0.7
        return When(chance.choice((f"on {day}", f"on {weekday}, {day}")) if exact else vague, exact)
    if days == -1:
        return When("tomorrow night" if evening else "tomorrow", True)
    if days >= -6:
        return When(chance.choice((f"on {weekday}", f"this {weekday}")), True)
    return When(f"on {day}", True)


def _monday(moment: datetime) -> date:
    return moment.date() - timedelta(days=moment.weekday())


def _today(chance: random.Random, moment: datetime, written: datetime) -> str:
    if moment.hour < 12:
        return "this morning"
    if moment.hour < 17:
        return "this afternoon" if moment <= written else "later today"
    return chance.choice(("tonight", "this evening", "tonight"))


def called(chance: random.Random, person: Person) -> str:
    """A person as the persona would write of them."""
    if person.nicknames and chance.random() < 0.6:
        return chance.choice(person.nicknames)
    if person.relation in _RELATIONS:
        return chance.choice(_RELATIONS[person.relation])
    if person.relation in ("sister", "brother") and chance.random() < 0.25:
        return f"my {person.relation}"
    return person.name if chance.random() < 0.08 else person.first_name


def listed(names: list[str], chance: random.Random) -> str:
    if len(names) < 2:
        return "".join(names)
    mark = chance.choice((" and ", " and ", " & ", " + ")) if len(names) == 2 else " and "
    return ", ".join(names[:-1]) + mark + names[-1]


def clock(chance: random.Random, moment: datetime) -> str:
    """A time of day in one of the ways people write it."""
    hour = moment.hour % 12 or 12
    half = "am" if moment.hour < 12 else "pm"
    if moment.minute == 0:
        return chance.choice((f"{hour}{half}", f"{hour} {half}", f"{moment:%H:%M}"))
    return chance.choice((f"{hour}:{moment:%M}{half}", f"{moment:%H:%M}", f"{hour}.{moment:%M}"))


def gaps(
    persona: Persona, event: Event, written: datetime, chance: random.Random
) -> tuple[dict[str, str], bool]:
    """What the gaps of a phrase about an event can take, and whether {when} tells the day."""
    when = relative(chance, event.start, written)
    known = {
        "when": when.text, "When": when.text[0].upper() + when.text[1:],
        "weekday": f"{event.start:%A}", "date": f"{event.start.day} {event.start:%B}",
        "me": persona.name.split()[0],
    }  # fmt: skip
    if event.table not in ("milestones", "trips"):
        known["time"] = clock(chance, event.start)
    people = [persona.person(name) for name in event.participants]
    if people:
        known["people"] = listed([called(chance, person) for person in people], chance)
        known["people_full"] = listed([person.name for person in people], chance)
    for name in event.properties:
        if text := event.text(name):
            known[name] = text
    if known.get("place") == "home":
        del known["place"]
    if known.get("country") == persona.home_on(event.start.date()).role:
        del known["country"]  # nobody names the country they live in
    for slot, make in _MADE.items():
        if text := make(persona, event, chance):
            known[slot] = text
    if occasion := event.text("occasion"):
        known |= _day_of(persona, occasion, event.text("honoree"), known.get("honoree", ""))
    return known, when.exact


def _day_of(persona: Persona, occasion: str, honoree: str, called_: str) -> dict[str, str]:
    """A day one celebrates, with whose it is ("my birthday") and without ("birthday")."""
    plain = {"child's birthday": "birthday", "partner anniversary": "anniversary",
             "pet anniversary": "adoption day"}.get(occasion, occasion)  # fmt: skip
    if not honoree:
        return {"occasion": feast(plain), "occasion_plain": feast(plain)}
    owner = "my" if honoree == persona.name else f"{called_}'s"
    owner = "our" if occasion == "partner anniversary" else owner
    return {"occasion": f"{owner} {plain}", "occasion_plain": plain}


def _named(persona: Persona, name: str, chance: random.Random) -> str:
    known = {person.name: person for person in persona.people}
    return called(chance, known[name]) if name in known else name


def _honoree(persona: Persona, event: Event, chance: random.Random) -> str:
    return _named(persona, event.text("honoree"), chance)


def _patient(persona: Persona, event: Event, chance: random.Random) -> str:
    if event.text("patient_relation") == "self":
        return ""
    return _named(persona, event.text("patient"), chance)


def _age(persona: Persona, event: Event, _chance: random.Random) -> str:
    found = [p for p in persona.people if p.name == event.text("honoree") and p.birth_date]
    born = found[0].birth_date if found else None
    return str(event.start.year - born.year) if born else ""


def _amount(name: str, form: str) -> Callable[[Persona, Event, random.Random], str]:
    def made(_persona: Persona, event: Event, _chance: random.Random) -> str:
        value = event.properties.get(name)
        return form.format(value) if isinstance(value, int | float) else ""

    return made


def _price(_persona: Persona, event: Event, _chance: random.Random) -> str:
    price = event.properties.get("price")
    if not isinstance(price, int | float):
        return ""
    return f"{price:.{facts.decimals(event.text('currency'))}f} {event.text('currency')}"


def _artists(_persona: Persona, event: Event, _chance: random.Random) -> str:
    artists = event.properties.get("artists")
    return " feat. ".join(artists[:2]) if isinstance(artists, tuple) else ""


def _copy(name: str) -> Callable[[Persona, Event, random.Random], str]:
    return lambda _persona, event, _chance: event.text(name)


_MADE: Mapping[str, Callable[[Persona, Event, random.Random], str]] = {
    "honoree": _honoree, "patient": _patient, "age": _age, "price": _price, "artist": _artists,
    "km": _amount("distance_km", "{:.1f}"), "minutes": _amount("duration_minutes", "{:.0f}"),
    "heart_rate": _amount("maximum_heart_rate", "{}"), "movie": _copy("movie_title"),
    "year": _copy("release_year"), "series": _copy("series_title"), "song": _copy("song_name"),
}  # fmt: skip


def written_at(chance: random.Random, event: Event, time: str) -> datetime:
    """When a text about an event is written."""
    if event.table == "milestones" and time in ("now", "evening"):
        return _awake(chance, event.start)
    if time == "before":
        day = event.start - timedelta(days=chance.randint(1, 7))
        return _awake(chance, day)
    if time == "now":
        return event.start + (event.end - event.start) * chance.uniform(0.1, 0.9)
    if time == "next":
        return _awake(chance, event.end + timedelta(days=1))
    if time == "later":
        return _awake(chance, event.end + timedelta(days=chance.randint(4, 20)))
    late = event.end + timedelta(minutes=chance.randint(10, 150))
    last = event.end.replace(hour=23, minute=chance.randint(30, 58), second=0)
    return min(late, max(last, event.end + timedelta(minutes=2)))


def _awake(chance: random.Random, day: datetime) -> datetime:
    hour = chance.choice((7, 8, 9, 11, 12, 13, 16, 17, 18, 19, 20, 21, 22))
    return day.replace(hour=hour, minute=chance.randrange(60), second=chance.randrange(60))
