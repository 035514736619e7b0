"""What the watch and the phone measure: steps, distance, energy, weight, pulse, sleep.

Steps come from both devices over overlapping intervals, as in a real export; adding
them up counts every walk twice, and an importer has to know better.
"""

from __future__ import annotations

import random
from collections import defaultdict
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from reqap.demo.life import LAST, Life, Workout, moment, utc

STEPS = "HKQuantityTypeIdentifierStepCount"
WALK = "HKQuantityTypeIdentifierDistanceWalkingRunning"
ENERGY = "HKQuantityTypeIdentifierActiveEnergyBurned"
MASS = "HKQuantityTypeIdentifierBodyMass"
RESTING = "HKQuantityTypeIdentifierRestingHeartRate"

# average pulse, spread, kcal per minute, MET
PULSE = {
    "running": (156, 9, 10.4, 9.6),
    "football": (149, 8, 8.6, 8.4),
    "cycling": (128, 8, 6.9, 6.7),
    "yoga": (92, 6, 2.9, 2.7),
    "swimming": (137, 7, 8.0, 7.8),
    "hiking": (121, 7, 6.3, 6.0),
}
STEPS_PER_KM = {"running": 1050, "football": 1180, "hiking": 1420}
MILDER = {"PT": 13, "IT": 9}  # degrees Fahrenheit above Hamburg
TEMPERATURE = (36, 38, 44, 51, 59, 66, 70, 70, 63, 54, 45, 39)
# stage and its share of the night
STAGES = (
    ("AsleepCore", 0.2),
    ("AsleepDeep", 0.13),
    ("AsleepCore", 0.2),
    ("AsleepREM", 0.1),
    ("Awake", 0.03),
    ("AsleepCore", 0.2),
    ("AsleepREM", 0.14),
)


@dataclass(frozen=True)
class Sample:
    """One measurement, local wall time."""

    kind: str
    start: datetime
    end: datetime
    value: float
    zone: str
    watch: bool


@dataclass(frozen=True)
class Segment:
    """One stage of a night, in UTC; `created` is the morning the watch wrote it down."""

    stage: str
    start: datetime
    end: datetime
    created: datetime
    zone: str


@dataclass(frozen=True)
class Effort:
    """What one workout cost her."""

    average: float
    lowest: int
    highest: int
    kcal: float
    mets: float
    fahrenheit: float
    jitter: float
    pool: bool


class Body:
    """Draws measurements for the days of a life."""

    def __init__(self, life: Life) -> None:
        self.life = life
        self.rng = life.rng("body")
        self.workouts: dict[date, list[Workout]] = defaultdict(list)
        for workout in life.workouts:
            self.workouts[workout.start.date()].append(workout)

    def samples(self, day: date) -> list[Sample]:
        """Everything but sleep, for one day."""
        rng, zone = self.rng, self.life.zone_on(day)
        found = self._steps(day)
        wake = moment(day, 7, rng.randint(0, 40))
        rest = 57 - 4 * _fitness(day) + (9 if self.life.is_ill(day) else 0) + rng.randint(-2, 2)
        found.append(Sample(RESTING, wake, moment(day, 22, 10), round(rest), zone, True))
        at_home = self.life.trip_on(day) is None
        if day.weekday() == 6 and at_home:
            weighed = wake + timedelta(minutes=10)
            found.append(Sample(MASS, weighed, weighed, self._weight(day), zone, False))
        active = sum(self.effort(workout).kcal for workout in self.workouts[day])
        noon = moment(day, 13, 0)
        for start, end, share in ((wake, noon, 0.45), (noon, moment(day, 22, 30), 0.55)):
            kcal = (rng.uniform(290, 420) + active) * share
            found.append(Sample(ENERGY, start, end, round(kcal, 1), zone, True))
        return found

    def _steps(self, day: date) -> list[Sample]:
        """Four walks a day; the phone misses some of each, and all of a football practice."""
        rng = self.rng
        base = 1700 if self.life.is_ill(day) else rng.uniform(5200, 9800)
        if self.life.break_on(day) == "ankle":
            base *= 0.45
        elif self.life.trip_on(day):
            base *= 1.35
        found = []
        first = 7 if self.life.is_workday(day) else 9
        for hour, share in ((first, 0.24), (12, 0.21), (16, 0.3), (20, 0.25)):
            zone = self.life.zone_at(day, hour)
            start = moment(day, hour, rng.randint(20, 50), rng.randint(0, 59))
            end = start + timedelta(minutes=rng.randint(18, 50))
            steps = base * share * rng.uniform(0.85, 1.15)
            found.append(Sample(STEPS, start, end, round(steps), zone, True))
            late = timedelta(minutes=rng.randint(1, 6))
            if rng.random() < 0.85:
                seen = round(steps * rng.uniform(0.72, 0.98))
                found.append(Sample(STEPS, start + late, end + late, seen, zone, False))
            found.append(Sample(WALK, start, end, round(steps * 0.00071, 4), zone, True))
        for workout in self.workouts[day]:
            steps = STEPS_PER_KM.get(workout.kind, 0) * workout.km
            if steps:
                span = (workout.start, workout.end)
                found.append(Sample(STEPS, *span, round(steps), workout.zone, True))
                found.append(Sample(WALK, *span, workout.km, workout.zone, True))
        return found

    def _weight(self, day: date) -> float:
        """62 kg, less in the half marathon spring, three kilos less after the flu."""
        after_flu = 3.0 if date(2024, 2, 8) < day < date(2024, 3, 1) else 0.0
        christmas = 0.9 if day.month == 1 else 0.0
        return round(
            62.4 - 1.1 * _fitness(day) - after_flu + christmas + self.rng.gauss(0, 0.25), 1
        )

    def effort(self, workout: Workout) -> Effort:
        """The same workout always cost the same."""
        rng = random.Random(f"{self.life.seed}:{workout.start.isoformat()}")
        pulse, spread, kcal, mets = PULSE[workout.kind]
        average = rng.gauss(pulse, spread / 2)
        warm = TEMPERATURE[workout.start.month - 1] + rng.uniform(-7, 7)
        warm += MILDER.get(self.life.country_on(workout.start.date()), 0)
        return Effort(
            average=average,
            lowest=round(average - rng.uniform(28, 48)),
            highest=round(average + rng.uniform(14, 27)),
            kcal=workout.minutes * kcal * rng.uniform(0.92, 1.08),
            mets=mets * rng.uniform(0.93, 1.07),
            fahrenheit=warm,
            jitter=rng.uniform(0, 0.02),
            pool=self.life.trip_on(workout.start.date()) is None,
        )

    def night(self, day: date) -> list[Segment]:
        """The sleep that begins in the evening of a day, stage by stage."""
        if day == LAST:
            return []
        rng, zone = self.rng, self.life.zone_on(day)
        over = self.life.last_activity(day) + timedelta(minutes=25)
        now = max(moment(day, 22, 45) + timedelta(minutes=rng.randint(0, 45)), over)
        up = moment(day + timedelta(days=1), 6, rng.randint(25, 55))
        if now > up - timedelta(hours=3):
            return []  # a night on a plane
        if not self.life.is_workday(day + timedelta(days=1)):
            up += timedelta(minutes=rng.randint(20, 75))
        up = min(up, self._first_thing(day + timedelta(days=1)) - timedelta(minutes=25))
        return self._stages(utc(now, zone), utc(up, zone), zone)

    def _stages(self, asleep: datetime, up: datetime, zone: str) -> list[Segment]:
        """Cut a night into stages (in UTC: one night a year has an hour too few)."""
        weights = [share * self.rng.uniform(0.6, 1.4) for _, share in STAGES]
        total, done, start, found = sum(weights), 0.0, asleep, []
        for (stage, _), weight in zip(STAGES, weights, strict=True):
            done += weight
            end = (asleep + (up - asleep) * (done / total)).replace(microsecond=0)
            found.append(Segment(stage, start, end, up, zone))
            start = end
        return found

    def _first_thing(self, day: date) -> datetime:
        """When she has to be up: nothing before it but breakfast."""
        starts = [start for start, _ in self.life.busy[day] if start.date() == day]
        return min(starts, default=moment(day, 12))


def _fitness(day: date) -> float:
    """0 at the beginning, 1 at the half marathon, a little less after the ankle."""
    race = date(2025, 6, 29)
    if day <= race:
        return max(0.0, (day - date(2024, 1, 1)).days / (race - date(2024, 1, 1)).days)
    return 0.75 if day > date(2025, 8, 19) else 1.0
