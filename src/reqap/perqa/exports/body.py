"""What the phone and the watch measure: steps, distance, energy, weight, pulse, sleep.

Steps come from both devices over overlapping intervals, as in a real export; adding them up counts
every walk twice, and an importer has to know better.
"""

import random
from collections import defaultdict
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from reqap.perqa.exports.traces import Traces
from reqap.perqa.texts import Observation

STEPS = "HKQuantityTypeIdentifierStepCount"
WALK = "HKQuantityTypeIdentifierDistanceWalkingRunning"
ENERGY = "HKQuantityTypeIdentifierActiveEnergyBurned"
MASS = "HKQuantityTypeIdentifierBodyMass"
RESTING = "HKQuantityTypeIdentifierRestingHeartRate"
_STEPS_PER_KM = {"running": 1050, "football": 1180, "hiking": 1420, "walking": 1350}
# Stages and their shares of a night.
_STAGES = (("AsleepCore", 0.2), ("AsleepDeep", 0.13), ("AsleepCore", 0.2), ("AsleepREM", 0.1),
           ("Awake", 0.03), ("AsleepCore", 0.2), ("AsleepREM", 0.14))  # fmt: skip


@dataclass(frozen=True)
class Sample:
    """One measurement, in wall time."""

    kind: str
    start: datetime
    end: datetime
    value: float
    watch: bool


@dataclass(frozen=True)
class Segment:
    """One stage of a night, in UTC; `created` is the morning the watch wrote it down."""

    stage: str
    start: datetime
    end: datetime
    created: datetime


class Body:
    """Draws measurements for the days of a life."""

    def __init__(self, traces: Traces) -> None:
        self._traces = traces
        self._chance = traces.chance("body")
        self._usual = self._chance.uniform(4200, 9000)
        self._weight = self._chance.uniform(55, 95)
        self._rest = self._chance.uniform(52, 68)
        self._workouts: dict[date, list[Observation]] = defaultdict(list)
        for workout in traces.of("workout"):
            self._workouts[workout.start.date()].append(workout)
        self._active: dict[date, list[datetime]] = defaultdict(list)
        for one in traces.of("music_stream", "movie_stream", "tvseries_stream", "workout"):
            self._active[one.start.date()] += [one.start, one.end]

    def samples(self, day: date) -> list[Sample]:
        """Everything but sleep, for one day."""
        chance = self._chance
        found = self._steps(day)
        wake = _at(day, 7, chance.randint(0, 40))
        rest = round(self._rest + chance.randint(-3, 3))
        found.append(Sample(RESTING, wake, _at(day, 22, 10), rest, True))
        if day.weekday() == 6:
            self._weight += chance.gauss(0, 0.2)
            weighed = wake + timedelta(minutes=10)
            found.append(Sample(MASS, weighed, weighed, round(self._weight, 1), False))
        active = sum(float(str(one.data["energy_burned"])) for one in self._workouts[day])
        for start, end, share in (
            (wake, _at(day, 13), 0.45),
            (_at(day, 13), _at(day, 22, 30), 0.55),
        ):
            kcal = (chance.uniform(290, 420) + active) * share
            found.append(Sample(ENERGY, start, end, round(kcal, 1), True))
        return found

    def _steps(self, day: date) -> list[Sample]:
        """Four walks a day; the phone misses some of each, and lies in a locker during sport."""
        chance = self._chance
        found = []
        base = self._usual * chance.uniform(0.6, 1.4)
        for hour, share in (
            (7 if day.weekday() < 5 else 9, 0.24),
            (12, 0.21),
            (16, 0.3),
            (20, 0.25),
        ):
            start = _at(day, hour, chance.randint(20, 50), chance.randint(0, 59))
            end = start + timedelta(minutes=chance.randint(18, 50))
            steps = base * share * chance.uniform(0.85, 1.15)
            found.append(Sample(STEPS, start, end, round(steps), True))
            late = timedelta(minutes=chance.randint(1, 6))
            if chance.random() < 0.85:
                seen = round(steps * chance.uniform(0.72, 0.98))
                found.append(Sample(STEPS, start + late, end + late, seen, False))
            found.append(Sample(WALK, start, end, round(steps * 0.00071, 4), True))
        for workout in self._workouts[day]:
            per_km = _STEPS_PER_KM.get(str(workout.data["workout_type"]))
            if per_km and workout.data["distance"]:
                km = float(str(workout.data["distance"]))
                found.append(Sample(STEPS, workout.start, workout.end, round(per_km * km), True))
                found.append(Sample(WALK, workout.start, workout.end, km, True))
        return found

    def night(self, day: date) -> list[Segment]:
        """The sleep that begins in the evening of a day, stage by stage."""
        chance = self._chance
        tomorrow = day + timedelta(days=1)
        awake = max(self._active[day], default=_at(day, 22)) + timedelta(minutes=25)
        asleep = max(_at(day, 22, 45) + timedelta(minutes=chance.randint(0, 60)), awake)
        up = _at(tomorrow, 6, chance.randint(25, 55))
        up += timedelta(minutes=chance.randint(20, 90) if tomorrow.weekday() > 4 else 0)
        up = min(up, min(self._active[tomorrow], default=up) - timedelta(minutes=15))
        if asleep > up - timedelta(hours=3):
            return []
        return _stages(self._traces.utc(asleep), self._traces.utc(up), chance)


def _stages(asleep: datetime, up: datetime, chance: random.Random) -> list[Segment]:
    """Cut a night into stages (in UTC: one night a year has an hour too few)."""
    weights = [share * chance.uniform(0.6, 1.4) for _, share in _STAGES]
    total, done, start, found = sum(weights), 0.0, asleep, []
    for (stage, _), weight in zip(_STAGES, weights, strict=True):
        done += weight
        end = (asleep + (up - asleep) * (done / total)).replace(microsecond=0)
        found.append(Segment(stage, start, end, up))
        start = end
    return found


def _at(day: date, hour: int, minute: int = 0, second: int = 0) -> datetime:
    return datetime.combine(day, time(hour, minute, second))
