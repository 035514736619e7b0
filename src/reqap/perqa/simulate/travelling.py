"""Trips, and the two to five things about each that are worth telling."""

import random
from datetime import date, timedelta

from reqap.perqa.canonical import Event, Property
from reqap.perqa.persona import Destination, Person
from reqap.perqa.simulate.life import Life, at

_NIGHTS = {
    "holiday": (6, 15), "city break": (2, 4), "family visit": (2, 6), "business": (1, 4),
    "hiking trip": (3, 8), "ski trip": (4, 7), "festival": (2, 4), "wedding": (1, 3),
    "pilgrimage": (5, 12),
}  # fmt: skip
# How often a year somebody goes to a place of a kind, if they know one.
_PER_YEAR = {
    "holiday": 1.3, "city break": 1.0, "family visit": 1.6, "business": 1.2, "hiking trip": 0.6,
    "ski trip": 0.5, "festival": 0.4, "wedding": 0.25, "pilgrimage": 0.2,
}  # fmt: skip


def add_trips(life: Life) -> None:
    chance = life.chance("trips")
    persona = life.persona
    for year in range(persona.first.year, persona.today.year + 1):
        for kind in sorted({place.kind for place in persona.destinations}):
            _trips_of_kind(life, chance, year, kind)
    life.away.sort(key=lambda trip: trip.start)


def _trips_of_kind(life: Life, chance: random.Random, year: int, kind: str) -> None:
    known = [place for place in life.persona.destinations if place.kind == kind]
    mean = min(_PER_YEAR[kind], len(known) * 0.9)
    times = int(mean) + (chance.random() < mean % 1)
    for place in chance.sample(known, min(times, len(known))):
        for _ in range(8):
            if _add_trip(life, chance, year, place):
                break


def _add_trip(life: Life, chance: random.Random, year: int, place: Destination) -> bool:
    nights = chance.randint(*_NIGHTS[place.kind])
    month = place.month or chance.choice((2, 4, 5, 6, 7, 8, 9, 10, 11))
    start = date(year, month, chance.randint(1, 27))
    if place.kind == "business":
        start += timedelta(days=(7 - start.weekday()) % 7 + chance.randint(0, 2))
    elif place.kind != "holiday":
        start += timedelta(days=(3 - start.weekday()) % 7 + chance.randint(0, 2))
    end = start + timedelta(days=nights)
    if not (life.in_data(start) and life.in_data(end)) or life.locked_down(start):
        return False
    spare = timedelta(days=3)
    if any(t.start.date() - spare <= end and start <= t.end.date() + spare for t in life.away):
        return False
    home = life.persona.home_on(start).city
    if home == place.city or (place.kind == "business" and not life.persona.job_on(start)):
        return False
    company = tuple(person.name for person in _company(life, chance, place, start))
    leaving = at(start, chance.choice((6.5, 7.25, 8, 9.5, 11, 13.25)))
    back = at(end, chance.choice((15.5, 17, 18.75, 20, 21.5)))
    trip = life.add(
        "trips",
        leaving,
        back,
        {
            "destination": place.city, "country": place.country, "purpose": place.kind,
            "transport": place.transport, "participants": company, "nights": nights,
        },
    )  # fmt: skip
    _add_moments(life, chance, place, trip)
    return True


def _company(life: Life, chance: random.Random, place: Destination, day: date) -> list[Person]:
    persona = life.persona
    found: dict[str, Person] = {}
    for word in place.company:
        match word:
            case "partner":
                people = persona.related("partner")
            case "kids":
                kids = persona.related("daughter", "son", "child")
                people = [kid for kid in kids if kid.birth_date and kid.age_on(day) < 20]
            case "parents":
                people = persona.related("mother", "father")
            case "friends":
                people = chance.sample(persona.related("friend"), 2)
            case "colleagues":
                people = persona.related("colleague", "boss", "mentor")[:2]
            case "alone":
                people = []
            case name:
                people = [persona.person(name)]
        found |= {person.name: person for person in life.living(day, people)}
    return list(found.values())


def _add_moments(life: Life, chance: random.Random, place: Destination, trip: Event) -> None:
    """Sights by day, meals in the evening; no more than the days allow."""
    nights = trip.properties["nights"]
    assert isinstance(nights, int)
    days = [trip.start.date() + timedelta(days=n) for n in range(nights + 1)]
    inner = days[1:-1] or days[:1]
    wanted = chance.randint(2, 5)
    meals = chance.sample(place.restaurants, min(chance.randint(1, 2), len(place.restaurants)))
    sights = chance.sample(place.sights, min(max(wanted - len(meals), 1), len(place.sights)))
    shared: dict[str, Property] = {
        "trip_id": trip.id, "destination": place.city, "country": place.country,
        "participants": trip.participants,
    }  # fmt: skip
    for meal in meals:
        start = at(chance.choice(days[:-1] or days), chance.choice((18.5, 19, 19.5, 20, 20.5)))
        end = start + timedelta(minutes=chance.choice((75, 90, 105, 120)))
        if life.is_free(start, end):
            told: dict[str, Property] = {
                "activity": "dinner", "place": meal.name, "place_type": "restaurant",
                "cuisine": meal.cuisine, "dish": meal.dish,
            }  # fmt: skip
            life.add("trip_events", start, end, {**shared, **told})
    for sight in sights:
        start = at(chance.choice(inner), chance.choice((10, 10.5, 11, 13.5, 14, 15)))
        end = start + timedelta(minutes=chance.choice((60, 90, 120, 150, 180)))
        if trip.start <= start and end <= trip.end and life.is_free(start, end):
            life.add("trip_events", start, end, {**shared, "activity": "sightseeing",
                                                 "place": sight})  # fmt: skip
