"""Meetings with friends and family, and the days one celebrates."""

import random
from collections.abc import Iterator
from datetime import date, timedelta

from reqap.perqa import facts
from reqap.perqa.canonical import Property
from reqap.perqa.persona import FAMILY, Person, Place
from reqap.perqa.simulate.life import Life, at, poisson

_WITH_PARTNER = frozenset({"partner anniversary", "valentine's day"})
_WITH_FRIENDS = frozenset({"halloween", "new year's eve", "carnival", "st. patrick's day"})

# What one does at a kind of place: the activity, the hours it begins, the minutes it takes.
_DOINGS: dict[str, tuple[tuple[str, tuple[float, ...], int], ...]] = {
    "restaurant": (("dinner", (18.5, 19, 19.5, 20), 110), ("lunch", (12, 12.5, 13), 75)),
    "cafe": (("coffee", (10, 11, 15, 15.5, 16.5), 70), ("breakfast", (9, 9.5, 10), 80)),
    "bar": (("drinks", (18.5, 20, 21), 130),),
    "pub": (("drinks", (18, 19.5, 20.5), 140), ("pub quiz", (19.5, 20), 150)),
    "park": (("walk", (10, 11, 14, 16, 17.5), 80), ("picnic", (12, 13, 17), 150)),
    "museum": (("exhibition", (11, 13, 14.5), 110),),
    "cinema": (("cinema", (17.5, 19, 20, 20.5), 135),),
    "theatre": (("theatre", (19, 19.5, 20), 150),),
    "concert hall": (("concert", (19.5, 20, 20.5), 150),),
    "stadium": (("football match", (15, 15.5, 18.5), 130),),
    "gym": (("training together", (9, 17.5, 18.5), 75),),
    "pool": (("swimming", (9, 11, 16), 90),),
    "market": (("strolling over the market", (9.5, 10, 11), 80),),
    "library": (("reading", (10, 14, 17), 75),),
    "playground": (("playground", (10, 15, 16), 85),),
    "beach": (("day at the beach", (10, 11, 14), 200),),
    "garden": (("gardening", (10, 14), 130),),
    "zoo": (("zoo", (10, 11, 13), 180),),
    "church": (("service", (10, 11), 75),),
    "mosque": (("prayer", (12.75, 13.25), 60),),
    "temple": (("temple visit", (9, 10, 17), 75),),
    "community centre": (("community evening", (18, 19), 120),),
    "climbing hall": (("climbing", (17.5, 18.5, 19), 120),),
    "club": (("dancing", (22, 22.5, 23), 210),),
    "bowling alley": (("bowling", (18, 19, 20), 110),),
    "ice rink": (("ice skating", (14, 16, 18), 90),),
}  # fmt: skip
# Where one does a sport, it is a workout, not a meeting.
_SPORTS = {"climbing hall": "climbing", "pool": "swimming", "gym": "weight training",
           "ice rink": "skating", "club": "dance"}  # fmt: skip
_OFTEN = {"restaurant": 3.2, "cafe": 2.4, "park": 1.6, "bar": 1.5, "pub": 1.6, "cinema": 0.8}
# On workdays people meet after work, or in a break; else on the next Saturday.
_AFTER_WORK = 17.0
_AT_WORK = frozenset({"colleague", "boss", "mentor"})
_BREAKS = frozenset({"lunch", "coffee", "breakfast"})


# -- meetings --------------------------------------------------------------------------------------


def add_meetings(life: Life) -> None:
    chance = life.chance("meetings")
    closeness = {
        person.name: chance.paretovariate(1.3) * (0.5 if person.relation in _AT_WORK else 1.0)
        for person in life.persona.people
    }
    week = life.persona.first
    while week <= life.persona.today:
        mean = 2.6 * (0.35 if life.locked_down(week) else 1.0)
        for _ in range(poisson(chance, mean)):
            day = week + timedelta(days=chance.choice((0, 1, 2, 3, 4, 4, 5, 5, 5, 6, 6)))
            _add_meeting(life, chance, closeness, day)
        week += timedelta(days=7)


def _add_meeting(life: Life, chance: random.Random, closeness: dict[str, float], day: date) -> None:
    if not life.in_data(day) or not life.at_home(day) or day in life.ill:
        return
    home = life.persona.home_on(day).city
    people = [
        person
        for person in life.living(day, life.persona.people)
        if not person.city or person.city == home
    ]
    if not people:
        return
    # One goes out with those one lives with, but does not meet them at home.
    nearness = [
        closeness[p.name] * (0.2 if life.persona.lives_with(p, day) else 1.0) for p in people
    ]
    first = chance.choices(people, nearness)[0]
    company = {first.name: first}
    for other in _others(life, chance, first, people):
        company[other.name] = other
    properties, hours, minutes = _setting(life, chance, day, home, list(company.values()))
    if properties.get("place") == "home":
        company = {n: p for n, p in company.items() if not life.persona.lives_with(p, day)}
    hour = chance.choice(hours)
    habit = facts.habits().get(str(properties["activity"]))
    if habit and habit.weekday:
        day += timedelta(days=(habit.weekday - day.isoweekday()) % 7)
    elif day.weekday() < 5 and hour < _AFTER_WORK and properties["activity"] not in _BREAKS:
        day += timedelta(days=5 - day.weekday())
    start = at(day, hour)
    end = start + timedelta(minutes=round(minutes * chance.uniform(0.75, 1.3) / 5) * 5)
    if life.in_data(day) and life.at_home(day) and life.is_free(start, end):
        life.add("meetings", start, end, {"participants": tuple(company), **properties})


def _others(
    life: Life, chance: random.Random, first: Person, people: list[Person]
) -> Iterator[Person]:
    """Who else comes along: parents come as two, families and circles of friends in parts."""
    pairs = {"mother": "father", "father": "mother"}
    if first.relation in pairs and chance.random() < 0.6:
        yield from (p for p in people if p.relation == pairs[first.relation])
    family = first.relation in FAMILY
    alike = [p for p in people if (p.relation in FAMILY) == family and p.relation != "partner"]
    for _ in range(chance.choice((0, 0, 0, 1, 1, 2, 3))):
        yield chance.choice(alike or people)
    if chance.random() < 0.2:
        yield from (p for p in people if p.relation == "partner")


def _setting(
    life: Life, chance: random.Random, day: date, home: str, company: list[Person]
) -> tuple[dict[str, Property], tuple[float, ...], int]:
    """Where, what, when and how long."""
    persona = life.persona
    places = [place for place in persona.places if place.city == home]
    if life.locked_down(day):
        places = [place for place in places if place.kind in ("park", "garden", "beach")]
    sports = {sport.kind for sport in persona.sports}
    places = [place for place in places if _SPORTS.get(place.kind, "") not in sports]
    guests = [person for person in company if not persona.lives_with(person, day)]
    if not places or (guests and chance.random() < 0.24):
        return _at_home(life, chance, home, day)
    names = {person.name for person in company}
    weights = [
        _OFTEN.get(place.kind, 0.7) * (4.0 if names & set(place.company) else 1.0)
        for place in places
    ]
    place = chance.choices(places, weights)[0]
    activity, hours, minutes = chance.choice(_DOINGS[place.kind])
    properties: dict[str, Property] = {
        "activity": activity, "place": place.name, "place_type": place.kind, "city": home,
        "cuisine": place.cuisine, "title": _title(life, chance, place),
        "dish": _dish(chance, place.cuisine) if place.kind == "restaurant" else None,
    }  # fmt: skip
    return properties, hours, minutes


def _title(life: Life, chance: random.Random, place: Place) -> str | None:
    """The film one sees, the artist one hears."""
    if place.kind == "cinema":
        return chance.choice([m.title for m in facts.movies() if m.year >= 1995])
    if place.kind == "concert hall":
        return chance.choice(_on_tour(life.persona.music.favourites))
    return None


def _on_tour(artists: tuple[str, ...]) -> tuple[str, ...]:
    """Composers do not give concerts any more."""
    old = {song.artists[0] for song in facts.songs() if song.genre in ("classical", "opera")}
    return tuple(artist for artist in artists if artist not in old) or artists


def _dish(chance: random.Random, cuisine: str | None) -> str | None:
    dishes = facts.dishes().get(cuisine or "")
    return chance.choice(dishes) if dishes else None


def _at_home(
    life: Life, chance: random.Random, home: str, day: date
) -> tuple[dict[str, Property], tuple[float, ...], int]:
    """Dinner, or what these people like to do together; some of that is done elsewhere."""
    persona = life.persona
    told: dict[str, Property] = {"place": "home", "place_type": "home", "city": home}
    if chance.random() < 0.4:
        dish = chance.choice(persona.dishes)
        return {**told, "activity": "dinner at home", "dish": dish}, (18, 18.5, 19, 19.5), 140
    usual = facts.Habit(True, (14, 15, 18, 19), None, ())
    habits = {name: facts.habits().get(name, usual) for name in persona.activities}
    fitting = [
        name
        for name, habit in habits.items()
        if habit.suits(day) and (habit.at_home or not life.locked_down(day))
    ]
    activity = chance.choice(fitting)
    habit = habits[activity]
    if not habit.at_home:
        told = {"city": home}
    return {**told, "activity": activity}, habit.hours, 130


# -- celebrations ----------------------------------------------------------------------------------


def add_celebrations(life: Life) -> None:
    chance = life.chance("celebrations")
    for year in range(life.persona.first.year, life.persona.today.year + 1):
        for occasion, day, honoree in _occasions(life, chance, year):
            if life.in_data(day):
                _add_celebration(life, chance, occasion, day, honoree)


def _occasions(
    life: Life, chance: random.Random, year: int
) -> Iterator[tuple[str, date, Person | None]]:
    persona = life.persona
    for occasion in persona.celebrations:
        if occasion in facts.feasts():
            yield from ((occasion, day, None) for day in facts.feasts()[occasion]
                        if day.year == year)  # fmt: skip
    if "birthday" in persona.celebrations:
        yield "birthday", _same_day(persona.birth_date, year), None
    for partner in persona.related("partner"):
        wed = persona.married if persona.married and persona.married.year < year else None
        day = _same_day(wed or partner.since or persona.first, year)
        if "partner anniversary" in persona.celebrations and partner.known_on(day):
            yield "partner anniversary", day, partner
    yield from _birthdays(life, chance, year)
    for pet in persona.pets:
        day = _same_day(pet.start, year)
        kept = pet.start.year < year and (pet.end is None or day <= pet.end)
        if kept and chance.random() < 0.5:
            yield "pet anniversary", day, Person(pet.name, "pet")


def _birthdays(
    life: Life, chance: random.Random, year: int
) -> Iterator[tuple[str, date, Person | None]]:
    persona = life.persona
    for kid in persona.related("daughter", "son", "child"):
        if kid.birth_date and kid.birth_date.year < year and kid.age_on(date(year, 12, 31)) < 18:
            yield "child's birthday", _same_day(kid.birth_date, year), kid
    for person in persona.people:
        close = 0.35 if person.relation == "friend" else 0.6
        adult = person.relation not in ("daughter", "son", "child")
        if person.birth_date and adult and chance.random() < close:
            yield "birthday", _same_day(person.birth_date, year), person


def _same_day(day: date, year: int) -> date:
    return date(year, day.month, min(day.day, 28) if day.month == 2 else day.day)


def _add_celebration(
    life: Life, chance: random.Random, occasion: str, day: date, honoree: Person | None
) -> None:
    persona = life.persona
    home = persona.home_on(day).city
    if not life.at_home(day) or day in life.ill:
        return
    if honoree and honoree.relation != "pet" and not honoree.known_on(day):
        return
    if honoree and honoree.city and honoree.city != home:
        return
    company = _guests(life, chance, occasion, day, honoree)
    if not company and occasion not in ("birthday", "new year's eve"):
        return
    late = occasion in _WITH_FRIENDS
    start = at(day, chance.choice((19, 19.5, 20) if late else (12.5, 15, 16, 18, 18.5, 19)))
    end = start + timedelta(minutes=chance.choice((120, 150, 180, 240)) + 90 * late)
    if life.is_free(start, end):
        life.add(
            "celebrations",
            start,
            end,
            {
                "occasion": occasion,
                "honoree": honoree.name if honoree else _own_name(life, occasion),
                "participants": tuple(person.name for person in company),
                **_where(life, chance, occasion, day, home),
            },
        )


def _own_name(life: Life, occasion: str) -> str | None:
    return life.persona.name if occasion == "birthday" else None


def _guests(
    life: Life, chance: random.Random, occasion: str, day: date, honoree: Person | None
) -> list[Person]:
    persona = life.persona
    partner = persona.related("partner")
    if occasion in _WITH_PARTNER:
        return life.living(day, partner)
    home = persona.home_on(day).city
    near = [p for p in persona.people if not p.city or p.city == home]
    kids = persona.related("daughter", "son", "child")
    family = [p for p in near if p.relation in FAMILY and p not in kids and p not in partner]
    friends = [p for p in near if p.relation == "friend"]
    asked = friends if occasion in _WITH_FRIENDS or (honoree in friends) else [*family, *friends]
    guests = [*partner, *kids, *chance.sample(asked, min(len(asked), chance.randint(1, 5)))]
    if honoree and honoree.relation != "pet":
        guests = [honoree, *guests]
    return list(dict.fromkeys(life.living(day, guests)))


def _where(
    life: Life, chance: random.Random, occasion: str, day: date, home: str
) -> dict[str, Property]:
    persona = life.persona
    restaurants = [p for p in persona.places if p.city == home and p.kind == "restaurant"]
    out = 0.7 if occasion in _WITH_PARTNER else 0.25
    if restaurants and not life.locked_down(day) and chance.random() < out:
        place = chance.choice(restaurants)
        return {
            "place": place.name, "place_type": "restaurant", "city": home,
            "cuisine": place.cuisine, "dish": _dish(chance, place.cuisine),
        }  # fmt: skip
    return {
        "place": "home", "place_type": "home", "city": home, "dish": chance.choice(persona.dishes),
    }  # fmt: skip
