"""The canonical life: trips, illnesses, football, appointments, and who she is where.

Everything here is fixed by the hand-written tables; only what fills the days in
between (`sport`, `watching`, `listening`, `shopping`) is drawn from the seed. Writers
read a `Life` and never invent a happening of their own.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from reqap.demo import bank

FIRST, LAST = date(2024, 1, 1), date(2025, 12, 31)
HOME_ZONE = "Europe/Berlin"
HOLIDAYS = frozenset(date.fromisoformat(row[0]) for row in bank.table("holidays.txt", 2))


@dataclass(frozen=True)
class Trip:
    """Days away from Hamburg; `end` is the day she comes home."""

    start: date
    end: date
    city: str
    country: str
    zone: str
    title: str
    kind: str
    address: str


@dataclass(frozen=True)
class Break:
    """Days without sport, and why."""

    start: date
    end: date
    kind: str


@dataclass(frozen=True)
class Occasion:
    """Something that happened at a time and a place (local wall time of `zone`)."""

    start: datetime
    end: datetime | None
    zone: str
    summary: str
    location: str
    description: str
    tags: tuple[str, ...]

    @property
    def kind(self) -> str:
        return self.tags[0]

    def has(self, tag: str) -> bool:
        return tag in self.tags

    def tagged(self, prefix: str) -> str | None:
        """What follows `prefix:` in a tag, such as the artist of a concert."""
        for tag in self.tags:
            if tag.startswith(prefix + ":"):
                return tag.removeprefix(prefix + ":").replace("_", " ")
        return None


@dataclass(frozen=True)
class Workout:
    """One training, in local wall time of `zone`."""

    kind: str
    start: datetime
    minutes: float
    km: float
    zone: str

    @property
    def end(self) -> datetime:
        return self.start + timedelta(minutes=self.minutes)


@dataclass(frozen=True)
class Football:
    """The weekly practice as the team planned it, and what became of it."""

    seasons: list[tuple[date, date]]
    skipped: list[date]
    moved: dict[date, date]

    def practices(self) -> list[date]:
        """The days on which she really trained."""
        days = []
        for first, last in self.seasons:
            day = first
            while day <= last:
                if day not in self.skipped:
                    days.append(self.moved.get(day, day))
                day += timedelta(days=7)
        return days


@dataclass
class Life:
    """Two years of one person."""

    seed: int
    trips: list[Trip]
    breaks: list[Break]
    occasions: list[Occasion]
    football: Football
    workouts: list[Workout] = field(default_factory=list)
    busy: dict[date, list[tuple[datetime, datetime]]] = field(
        default_factory=lambda: defaultdict(list)
    )

    def rng(self, area: str) -> random.Random:
        """An own stream of chance per area, so that one area never shifts another."""
        return random.Random(f"{self.seed}:{area}")

    def days(self) -> Iterator[date]:
        day = FIRST
        while day <= LAST:
            yield day
            day += timedelta(days=1)

    def trip_on(self, day: date) -> Trip | None:
        """The trip a day belongs to, travel days included."""
        return next((trip for trip in self.trips if trip.start <= day <= trip.end), None)

    def zone_on(self, day: date) -> str:
        """Where her clock is in the evening of a day."""
        trip = self.trip_on(day)
        return trip.zone if trip and day < trip.end else HOME_ZONE

    def zone_at(self, day: date, hour: int) -> str:
        """Where her clock is at an hour: travel days change it around noon."""
        trip = self.trip_on(day)
        if trip and trip.start == day and hour < 12:
            return HOME_ZONE
        return trip.zone if trip and trip.end == day and hour < 12 else self.zone_on(day)

    def country_on(self, day: date) -> str:
        trip = self.trip_on(day)
        return trip.country if trip and day < trip.end else "DE"

    def break_on(self, day: date) -> str | None:
        return next((gap.kind for gap in self.breaks if gap.start <= day <= gap.end), None)

    def is_ill(self, day: date) -> bool:
        return self.break_on(day) == "ill"

    def is_workday(self, day: date) -> bool:
        """A day in the Hamburg office (or at her desk): not away, not ill, not off."""
        off = day in HOLIDAYS or day.weekday() > 4 or self.is_ill(day)
        return not off and self.trip_on(day) is None

    def occupy(self, start: datetime, end: datetime) -> None:
        """Mark a stretch of her time as taken (a stretch past midnight fills both days)."""
        day = start.date()
        while day <= end.date():
            self.busy[day].append((start, end))
            day += timedelta(days=1)

    def is_free(self, start: datetime, end: datetime) -> bool:
        taken = self.busy[start.date()] + self.busy[end.date()]
        return all(end <= other or last <= start for other, last in taken)

    def last_activity(self, day: date) -> datetime:
        """When the day was over: the end of the last thing that began on it."""
        ends = [end for start, end in self.busy[day] if start.date() == day]
        return max(ends, default=datetime.combine(day, time(21, 0)))


def utc(local: datetime, zone: str) -> datetime:
    """Local wall time as an aware UTC moment."""
    return local.replace(tzinfo=ZoneInfo(zone)).astimezone(ZoneInfo("UTC"))


def moment(day: date, hour: int, minute: int = 0, second: int = 0) -> datetime:
    return datetime.combine(day, time(hour, minute, second))


def load_life(seed: int) -> Life:
    """The fixed part of the life, before chance fills the days."""
    trips = [
        Trip(date.fromisoformat(row[0]), date.fromisoformat(row[1]), *row[2:8])
        for row in bank.table("trips.txt", 8)
    ]
    breaks = [
        Break(date.fromisoformat(row[0]), date.fromisoformat(row[1]), row[2])
        for row in bank.table("breaks.txt", 3)
    ]
    life = Life(seed, trips, breaks, [], _football())
    life.occasions = sorted(
        (_occasion(row, life) for row in bank.table("occasions.txt", 5)), key=lambda it: it.start
    )
    for occasion in life.occasions:
        if not occasion.has("cancelled"):
            life.occupy(occasion.start, occasion.end or occasion.start + timedelta(hours=2))
    return life


def _football() -> Football:
    seasons, skipped, moved = [], [], {}
    for kind, days, *_ in bank.table("football.txt", 2):
        dates = [date.fromisoformat(day) for day in days.split()]
        if kind == "season":
            seasons.append((dates[0], dates[1]))
        elif kind == "moved":
            moved[dates[0]] = dates[1]
        else:
            skipped.extend(dates)
    return Football(seasons, skipped, moved)


def _occasion(row: list[str], life: Life) -> Occasion:
    when, summary, location, description, tags = row[:5]
    day_text, _, hours = when.partition(" ")
    day = date.fromisoformat(day_text)
    begin, _, finish = hours.partition("-")
    start = datetime.combine(day, time.fromisoformat(begin))
    end = datetime.combine(day, time.fromisoformat(finish)) if finish else None
    if end is not None and end <= start:
        end += timedelta(days=1)
    return Occasion(start, end, _zone(day, tags, life), summary, location, description, _tags(tags))


def _tags(text: str) -> tuple[str, ...]:
    """Split the tags; the artist of a concert may hold blanks, so it comes last."""
    plain, colon, artist = text.partition("concert:")
    return (*plain.split(), *([f"concert:{artist}"] if colon else []))


def _zone(day: date, tags: str, life: Life) -> str:
    """She leaves by Hamburg time and comes home by the clock of the place she leaves."""
    trip = life.trip_on(day)
    if trip is None:
        return HOME_ZONE
    if tags.startswith("travel"):
        return HOME_ZONE if day == trip.start else trip.zone
    return life.zone_on(day)
