"""Workouts, as a watch records them."""

import random
from datetime import date, timedelta

from reqap.perqa.persona import Sport
from reqap.perqa.simulate.life import DAY, Life, about, at, poisson

_SUMMER, _WINTER = (4, 5, 6, 7, 8, 9), (11, 12, 1, 2, 3)


def add_workouts(life: Life) -> None:
    for number, sport in enumerate(life.persona.sports):
        chance = life.chance(f"sport {number}")
        # Favourite days and hours, and good and bad years.
        days = chance.sample(range(7), 7)
        hour = chance.choice((6.5, 7, 12.25, 17.5, 18, 18.5, 19))
        form = {year: chance.uniform(0.6, 1.4) for year in range(2010, 2030)}
        week = life.persona.first
        while week <= life.persona.today:
            mean = sport.per_week * form[week.year] * _share(sport, week)
            for nth in range(min(poisson(chance, mean), 5)):
                _add_workout(life, chance, sport, week + days[nth] * DAY, hour)
            week += 7 * DAY


def _share(sport: Sport, week: date) -> float:
    """Of the usual number of workouts, how many there are at a time of the year."""
    if sport.start is not None and week < sport.start:
        return 0.0
    if sport.season == "summer":
        return 1.7 if week.month in _SUMMER else 0.1
    if sport.season == "winter":
        return 2.0 if week.month in _WINTER else 0.0
    return 0.7 if week.month in (12, 1) else 1.0


def _add_workout(life: Life, chance: random.Random, sport: Sport, day: date, hour: float) -> None:
    outdoors_away = sport.kind in ("running", "hiking", "swimming", "skiing", "walking", "yoga")
    away = not life.at_home(day)
    if not life.in_data(day) or day in life.ill or (away and not outdoors_away):
        return
    if away and chance.random() < 0.6:
        return
    later = chance.choice((-0.5, -0.25, 0, 0, 0.25, 0.5, 1)) + chance.randint(0, 14) / 60
    weekend = day.weekday() > 4 and hour > 12
    start = at(day, (hour - 7 if weekend else hour) + later)
    minutes = round(about(chance, sport.minutes, 0.22), 1)
    end = start + timedelta(minutes=minutes)
    if not life.is_free(start, end):
        return
    rate = int(about(chance, sport.heart_rate, 0.06))
    km = round(about(chance, sport.km * minutes / sport.minutes, 0.08), 2) if sport.km else None
    speed = round(km / minutes * 60, 2) if km else None
    company = [life.persona.person(name) for name in sport.company]
    near = [p for p in life.living(day, company) if p.city in ("", life.city_on(day))]
    joined = [person.name for person in near if chance.random() < 0.4]
    life.add(
        "workouts",
        start,
        end,
        {
            "workout_type": sport.kind, "duration_minutes": minutes, "distance_km": km,
            "average_heart_rate": rate, "maximum_heart_rate": rate + chance.randint(14, 42),
            "minimum_heart_rate": rate - chance.randint(25, 55), "average_speed": speed,
            "maximum_speed": round(speed * chance.uniform(1.15, 1.7), 2) if speed else None,
            "calories": int(minutes * chance.uniform(6, 12)), "participants": tuple(joined),
        },
    )  # fmt: skip
