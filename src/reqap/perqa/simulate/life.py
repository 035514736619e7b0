"""The days of one life while it is being made: what is taken, where the person is, chance."""

import random
from bisect import bisect_right, insort
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta
from itertools import accumulate
from math import exp
from typing import Generic, TypeVar

from reqap.perqa.canonical import Event, Property
from reqap.perqa.persona import Person, Persona

Chosen = TypeVar("Chosen")
DAY = timedelta(days=1)


@dataclass
class Life:
    persona: Persona
    seed: int
    events: list[Event] = field(default_factory=list)
    # Stretches of days away from home (whole days), and of illness.
    away: list[Event] = field(default_factory=list)
    ill: set[date] = field(default_factory=set)
    _busy: dict[date, list[tuple[datetime, datetime]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    _away_on: dict[date, Event] = field(default_factory=dict)

    def chance(self, area: str) -> random.Random:
        """An own stream of chance per area, so that one area never shifts another."""
        return random.Random(f"{self.seed}:{self.persona.id}:{area}")

    def days(self) -> Iterator[date]:
        day = self.persona.first
        while day <= self.persona.today:
            yield day
            day += DAY

    def add(
        self,
        table: str,
        start: datetime,
        end: datetime,
        properties: dict[str, Property],
        takes_time: bool = True,
    ) -> Event:
        event = Event(len(self.events), table, start, end, properties)
        self.events.append(event)
        if table == "trips":
            self.away.append(event)
            day = start.date()
            while day <= end.date():
                self._away_on[day] = event
                day += DAY
        elif takes_time:
            self.occupy(start, end)
        return event

    def in_order(self) -> list[Event]:
        """The events by time; their ids follow that order."""
        ordered = sorted(self.events, key=lambda event: (event.start, event.table, event.id))
        new = {event.id: number for number, event in enumerate(ordered)}
        made = []
        for event in ordered:
            properties = dict(event.properties)
            if isinstance(trip := properties.get("trip_id"), int):
                properties["trip_id"] = new[trip]
            made.append(replace(event, id=new[event.id], properties=properties))
        return made

    # -- time and place -----------------------------------------------------------------------

    def in_data(self, day: date) -> bool:
        return self.persona.first <= day <= self.persona.today

    def trip_on(self, day: date) -> Event | None:
        return self._away_on.get(day)

    def at_home(self, day: date) -> bool:
        return day not in self._away_on

    def occupy(self, start: datetime, end: datetime) -> None:
        day = start.date()
        while day <= end.date():
            insort(self._busy[day], (start, end))
            day += DAY

    def is_free(self, start: datetime, end: datetime) -> bool:
        taken = self._busy[start.date()] + self._busy[end.date()]
        return all(last <= start or end <= first for first, last in taken)

    def is_workday(self, day: date) -> bool:
        return day.weekday() < 5 and self.at_home(day) and day not in self.ill

    def locked_down(self, day: date) -> bool:
        """The months of the pandemic in which people hardly went out."""
        return date(2020, 3, 16) <= day <= date(2020, 5, 31) or (
            date(2020, 12, 1) <= day <= date(2021, 3, 15)
        )

    def city_on(self, day: date) -> str:
        trip = self.trip_on(day)
        return trip.text("destination") if trip else self.persona.home_on(day).city

    def living(self, day: date, people: Sequence[Person]) -> list[Person]:
        return [person for person in people if person.known_on(day)]


def at(day: date, hour: float) -> datetime:
    """A moment of a day; hours beyond 24 are of the next day."""
    return datetime.combine(day, time(0)) + timedelta(minutes=round(hour * 60))


def poisson(chance: random.Random, mean: float) -> int:
    """How often something happens that happens `mean` times on average."""
    limit, product, count = exp(-mean), chance.random(), 0
    while product > limit:
        product *= chance.random()
        count += 1
    return count


def about(chance: random.Random, typical: float, spread: float = 0.2) -> float:
    """A value around what is typical, never below a third of it."""
    return max(chance.gauss(typical, typical * spread), typical / 3)


@dataclass(frozen=True)
class Weighted(Generic[Chosen]):
    """Things to draw from, some more often than others."""

    items: Sequence[Chosen]
    totals: Sequence[float]  # of the weights so far

    def draw(self, chance: random.Random) -> Chosen:
        at_weight = chance.random() * self.totals[-1]
        return self.items[min(bisect_right(self.totals, at_weight), len(self.items) - 1)]


def weighted(items: Sequence[Chosen], weights: Sequence[float]) -> Weighted[Chosen]:
    return Weighted(items, list(accumulate(weights)))
