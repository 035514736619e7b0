"""What an Apple Health export adds up to per day: steps, energy, heart rate, weight, …

Millions of records become a few thousand events. Phone and watch count the same steps, so amounts
are summed per hour and source, and of each hour the largest source counts. Readings are averaged,
or the last one of the day is kept. Not the job of this module: XML, sleep, workouts.
"""

import math
from array import array
from collections.abc import Callable, Iterator
from datetime import date, datetime, time, timedelta
from typing import NamedTuple

from reqap.errors import ValueProblem
from reqap.events import Clock, Event, Value, event_id
from reqap.sources.apple_health_xml import Attributes
from reqap.sources.base import ExportFile
from reqap.values import convert, parse_datetime, parse_number

_QUANTITY = "HKQuantityTypeIdentifier"
_YEARS = range(1900, 2101)
_HOURS_KEPT = 20_000
_MAX_CELLS = 400_000
_MAX_SOURCES = 1000
_MAX_SOURCE_CHARS = 300
_SOURCE_BITS = 10  # enough for _MAX_SOURCES
_WHOLE_DAY = 24  # the slot behind the 24 hours, for amounts that are told for many hours at once
_FINE = timedelta(hours=3)
_LONGEST = timedelta(days=31)
_BIGGEST = 1e9
_HOUR = timedelta(hours=1)


class Measure(NamedTuple):
    """Where a type of record goes: the kind of event, its key, and the unit it is told in."""

    kind: str
    key: str
    unit: str
    digits: int = 0
    unit_key: str = ""  # the key that names the unit; empty where the key itself says it


_ACTIVITY, _BODY, _FOOD = "daily_activity", "body_measurement", "nutrition"
_SUMMED = {
    "StepCount": Measure(_ACTIVITY, "steps", "count"),
    "DistanceWalkingRunning": Measure(_ACTIVITY, "walking_distance", "km", 3, "distance_unit"),
    "DistanceCycling": Measure(_ACTIVITY, "cycling_distance", "km", 3, "distance_unit"),
    "DistanceSwimming": Measure(_ACTIVITY, "swimming_distance", "km", 3, "distance_unit"),
    "DistanceWheelchair": Measure(_ACTIVITY, "wheelchair_distance", "km", 3, "distance_unit"),
    "FlightsClimbed": Measure(_ACTIVITY, "flights_climbed", "count"),
    "ActiveEnergyBurned": Measure(_ACTIVITY, "active_energy", "kcal", 1, "energy_unit"),
    "BasalEnergyBurned": Measure(_ACTIVITY, "resting_energy", "kcal", 1, "energy_unit"),
    "AppleExerciseTime": Measure(_ACTIVITY, "exercise_minutes", "min"),
    "TimeInDaylight": Measure(_ACTIVITY, "daylight_minutes", "min"),
    "DietaryEnergyConsumed": Measure(_FOOD, "energy_eaten", "kcal", 1, "energy_unit"),
    "DietaryWater": Measure(_FOOD, "water", "ml", 0, "water_unit"),
    "DietaryCaffeine": Measure(_FOOD, "caffeine", "mg", 1, "caffeine_unit"),
    "DietaryProtein": Measure(_FOOD, "protein", "g", 1, "nutrient_unit"),
    "DietaryCarbohydrates": Measure(_FOOD, "carbohydrates", "g", 1, "nutrient_unit"),
    "DietaryFatTotal": Measure(_FOOD, "fat", "g", 1, "nutrient_unit"),
    "DietarySugar": Measure(_FOOD, "sugar", "g", 1, "nutrient_unit"),
}
_AVERAGED = {
    "HeartRate": Measure(_ACTIVITY, "average_heart_rate", "count/min", 1),
    "RestingHeartRate": Measure(_ACTIVITY, "resting_heart_rate", "count/min", 1),
    "WalkingHeartRateAverage": Measure(_ACTIVITY, "walking_heart_rate", "count/min", 1),
    "HeartRateVariabilitySDNN": Measure(_ACTIVITY, "heart_rate_variability", "ms", 1),
    "RespiratoryRate": Measure(_ACTIVITY, "respiratory_rate", "count/min", 1),
    "OxygenSaturation": Measure(_ACTIVITY, "oxygen_saturation", "%", 1),
}
_LAST = {
    "BodyMass": Measure(_BODY, "weight", "kg", 2, "weight_unit"),
    "LeanBodyMass": Measure(_BODY, "lean_body_mass", "kg", 2, "weight_unit"),
    "BodyFatPercentage": Measure(_BODY, "body_fat", "%", 1),
    "BodyMassIndex": Measure(_BODY, "bmi", "count", 1),
    "Height": Measure(_BODY, "height", "cm", 1, "height_unit"),
    "WaistCircumference": Measure(_BODY, "waist_circumference", "cm", 1, "waist_unit"),
    "BodyTemperature": Measure(_BODY, "body_temperature", "degC", 1, "temperature_unit"),
    "BloodPressureSystolic": Measure(_BODY, "systolic_blood_pressure", "mmHg"),
    "BloodPressureDiastolic": Measure(_BODY, "diastolic_blood_pressure", "mmHg"),
    "VO2Max": Measure(_ACTIVITY, "vo2_max", "mL/min·kg", 1),
}
# What the rings of a day add to its event: attribute, key, whether records are the better witness.
_RINGS = (
    ("activeEnergyBurned", "active_energy", True),
    ("appleExerciseTime", "exercise_minutes", True),
    ("appleStandHours", "stand_hours", False),
    ("activeEnergyBurnedGoal", "active_energy_goal", False),
    ("appleExerciseTimeGoal", "exercise_minutes_goal", False),
    ("appleStandHoursGoal", "stand_hours_goal", False),
)


def instant_of(text: str, clock: Clock) -> datetime:
    """The instant Apple wrote; a time without an offset is the user's own."""
    moment = parse_datetime(text)
    if moment is None or moment.year not in _YEARS:
        raise ValueProblem(f"{text[:40]!r} is no time of a health record")
    return moment if moment.tzinfo else moment.replace(tzinfo=clock.zone)


def amount_of(text: str, unit: str, target: str) -> float:
    """A number in another unit. Apple's per cent are fractions."""
    number = parse_number(text, ".")
    if number is None:
        raise ValueProblem("no value")
    if unit == target:
        amount = number * 100.0 if unit == "%" else float(number)
    else:
        amount = convert(number, unit, target)
    if not abs(amount) < _BIGGEST:
        raise ValueProblem(f"{text[:40]} {unit[:40]} is out of all proportion")
    return amount


def rounded(amount: float, digits: int) -> int | float:
    return round(amount, digits) if digits else round(amount)


class _Hours(dict[str, tuple[int, int] | None]):
    """From the written hour ("2025-01-31 23" + " +0100") to the local day and hour.

    None where the written hour is not one local hour: then the minutes decide (`exact`). Records
    come by type and in order of time, so that few are worked out and most are looked up.
    """

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self._clock = clock

    def __missing__(self, key: str) -> tuple[int, int] | None:
        spot = None
        if key[4:5] == "-" and key[7:8] == "-" and len(key) > 13:
            first = self.exact(f"{key[:13]}:00:00{key[13:]}")
            spot = first if first == self.exact(f"{key[:13]}:59:59{key[13:]}") else None
        if len(self) >= _HOURS_KEPT:
            self.clear()
        self[key] = spot
        return spot

    def exact(self, text: str) -> tuple[int, int]:
        wall = self._clock.wall(instant_of(text, self._clock))[0]
        return wall.toordinal(), wall.hour


class _Sources(dict[str, int]):
    """Small numbers for the names of sources; 0 for all that come when there are too many."""

    def __missing__(self, name: str) -> int:
        if len(self) >= _MAX_SOURCES or len(name) > _MAX_SOURCE_CHARS:
            return 0
        self[name] = number = len(self) + 1
        return number


class _Factors(dict[str, float]):
    """From a written unit to what its amounts are multiplied with."""

    def __init__(self, target: str) -> None:
        super().__init__()
        self._target = target

    def __missing__(self, unit: str) -> float:
        self[unit] = factor = amount_of("1", unit, self._target)
        return factor


class Days:
    """All that is told per day, under way. `position` says where the current record stands."""

    def __init__(self, clock: Clock, position: Callable[[], int]) -> None:
        self.clock = clock
        self.hours = _Hours(clock)
        self.sources = _Sources()
        self._position = position
        self._cells = 0
        self._first: dict[tuple[str, int], int] = {}
        self._rings: dict[int, dict[str, Value]] = {}
        self._sums = [_HourSums(self, measure, name) for name, measure in _SUMMED.items()]
        self._means = [_Means(self, measure, name) for name, measure in _AVERAGED.items()]
        self._lasts = [_Lasts(self, measure, name) for name, measure in _LAST.items()]

    def takers(self) -> dict[str, Callable[[Attributes], None]]:
        """Who takes which type of record."""
        return {part.type: part.take for part in (*self._sums, *self._means, *self._lasts)}

    def begin(self, kind: str, day: int) -> None:
        """A new cell for a day: where the day's first record stands, and whether there is room."""
        if self._cells >= _MAX_CELLS:
            raise ValueProblem("too many days and sources to keep apart")
        self._cells += 1
        self._first.setdefault((kind, day), self._position())

    def take_rings(self, attributes: Attributes) -> None:
        """An <ActivitySummary>: the rings the watch shows for a day."""
        day = datetime.strptime(attributes["dateComponents"], "%Y-%m-%d").toordinal()
        rings: dict[str, Value] = {}
        unit = attributes.get("activeEnergyBurnedUnit", "kcal")
        for attribute, key, _ in _RINGS:
            told = attributes.get(attribute, "")
            is_energy = attribute.startswith("activeEnergy")
            amount = amount_of(told, unit if is_energy else "", "kcal" if is_energy else "") if told else 0
            if amount > 0:
                rings[key] = rounded(amount, 1 if is_energy else 0)
        if any(key in rings for _, key, _ in _RINGS[:3]):
            self.begin(_ACTIVITY, day)
            self._rings[day] = rings

    def events(self, source: str, file: ExportFile, revision: int) -> Iterator[Event]:
        parts = [*self._sums, *self._means, *self._lasts]
        for (kind, day), position in sorted(self._first.items(), key=lambda item: item[0]):
            data: dict[str, Value] = {}
            for part in parts:
                if part.measure.kind == kind:
                    part.tell(day, data)
            if kind == _ACTIVITY:
                self._tell_rings(day, data)
            start = datetime.combine(date.fromordinal(day), time())
            yield Event(
                id=event_id(source, kind, start.date().isoformat()),
                source=source,
                kind=kind,
                start=start,
                end=start.replace(hour=23, minute=59, second=59),
                offset=None,
                data=data,
                origin=file.origin(position),
                revision=revision,
            )

    def _tell_rings(self, day: int, data: dict[str, Value]) -> None:
        rings = self._rings.get(day, {})
        for _, key, is_second_best in _RINGS:
            if key in rings and not (is_second_best and key in data):
                data[key] = rings[key]
                if key.startswith("active_energy"):
                    data["energy_unit"] = "kcal"


class _Part:
    """One type of record on its way to one key of the days' events."""

    def __init__(self, days: Days, measure: Measure, name: str) -> None:
        self.type = _QUANTITY + name
        self.measure = measure
        self._days = days
        self._hours = days.hours
        self._factors = _Factors(measure.unit)

    def take(self, attributes: Attributes) -> None:
        raise NotImplementedError

    def tell(self, day: int, data: dict[str, Value]) -> None:
        raise NotImplementedError

    def _say(self, data: dict[str, Value], amount: float) -> None:
        measure = self.measure
        data[measure.key] = rounded(amount, measure.digits)
        if measure.unit_key:
            data[measure.unit_key] = measure.unit
