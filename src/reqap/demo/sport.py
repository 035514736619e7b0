"""Every training of the two years: the pinned ones, football, and what chance adds.

Pinned trainings are those that a text somewhere mentions; chance only adds trainings
nobody wrote about, and never on trips, in illness, or on top of something else.
"""

from __future__ import annotations

import random
from datetime import date, datetime, timedelta

from reqap.demo import bank
from reqap.demo.life import HOME_ZONE, Life, Workout, moment

# minutes per kilometre, or None where the watch gives no distance
PACE = {"running": 6.0, "cycling": 3.4, "swimming": 30.0, "hiking": 20.0}


def add_workouts(life: Life) -> None:
    """Fill `life.workouts`, sorted by time."""
    rng = life.rng("sport")
    workouts = _pinned(life, rng)
    workouts += [_practice(day, rng) for day in life.football.practices()]
    for workout in workouts:
        life.occupy(workout.start, workout.end)
    taken = {workout.start.date() for workout in workouts}
    for day in life.days():
        if day in taken or life.trip_on(day):
            continue
        extra = _extra(day, life, rng)
        if extra and life.is_free(extra.start, extra.end):
            life.occupy(extra.start, extra.end)
            workouts.append(extra)
    life.workouts = sorted(workouts, key=lambda workout: workout.start)


def _pinned(life: Life, rng: random.Random) -> list[Workout]:
    found = []
    for when, kind, minutes, km, *_ in bank.table("workouts.txt", 4):
        start = datetime.fromisoformat(when) + timedelta(seconds=rng.randint(0, 59))
        found.append(Workout(kind, start, float(minutes), float(km), life.zone_on(start.date())))
    return found


def _practice(day: date, rng: random.Random) -> Workout:
    start = moment(day, 19, rng.randint(2, 8), rng.randint(0, 59))
    minutes = round(rng.uniform(78, 88), 1)
    return Workout(
        "football", start, minutes, round(minutes * rng.uniform(0.068, 0.082), 2), HOME_ZONE
    )


def _extra(day: date, life: Life, rng: random.Random) -> Workout | None:
    """What she does on an ordinary day when nothing is written down about it."""
    draw = rng.random()
    gap = life.break_on(day)
    if gap is not None:
        return None
    weekday = day.weekday()
    if weekday == 0 and draw < 0.62:
        return _make("yoga", moment(day, 18, rng.randint(15, 40)), rng.uniform(28, 47), 0, rng)
    if weekday == 3 and draw < _run_chance(day):
        km = rng.uniform(4.2, 7.8)
        return _make("running", moment(day, 18, rng.randint(0, 35)), km * 6.05, km, rng)
    if weekday == 2 and draw < (0.5 if day.month in (1, 2, 3, 10, 11, 12) else 0.15):
        minutes = rng.uniform(30, 45)
        return _make("swimming", moment(day, 6, rng.randint(40, 55)), minutes, minutes / 32, rng)
    if weekday == 5 and draw < (0.3 if 4 <= day.month <= 10 else 0.06):
        km = rng.uniform(14, 38)
        return _make("cycling", moment(day, 10, rng.randint(0, 50)), km * 3.4, km, rng)
    return None


def _run_chance(day: date) -> float:
    """She runs on Thursdays as well, above all in the half marathon year."""
    if date(2025, 1, 9) <= day <= date(2025, 6, 26):
        return 0.8
    return 0.45 if 3 <= day.month <= 10 else 0.25


def _make(kind: str, start: datetime, minutes: float, km: float, rng: random.Random) -> Workout:
    start += timedelta(seconds=rng.randint(0, 59))
    return Workout(
        kind, start, round(minutes * rng.uniform(0.97, 1.04), 1), round(km, 2), HOME_ZONE
    )
