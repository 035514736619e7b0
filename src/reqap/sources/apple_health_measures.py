"""How the records of an Apple Health export are counted: one counter per type of record.

Amounts (steps, energy) are summed per hour and source, and of each hour the largest source counts,
because phone and watch count the same steps. Readings are averaged over the day (heart rate), or
the last one stands (weight). Not the job of this module: XML, and making events.
"""

from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import lru_cache
from typing import NamedTuple
from zoneinfo import ZoneInfo

from reqap.errors import ValueProblem
from reqap.events import Clock, Value
from reqap.sources.apple_health_xml import Attributes
from reqap.values import convert, parse_datetime, parse_number

QUANTITY = "HKQuantityTypeIdentifier"
ACTIVITY, BODY, FOOD = "daily_activity", "body_measurement", "nutrition"

_YEARS = range(1900, 2101)
_BIGGEST = 1e9
_HOURS_KEPT = 20_000
_MAX_SOURCES = 1000
_MAX_NAME = 300
_SOURCE_BITS = 10  # enough for _MAX_SOURCES
_HOUR = timedelta(hours=1)
_DAY = timedelta(days=1)
_NOTHING = timedelta(0)
_FINE = timedelta(hours=3)
_LONGEST = timedelta(days=31)
_WHOLE_DAY = 24  # the slot behind the 24 hours: amounts that are told for many hours at once


class Measure(NamedTuple):
    """Where a type of record goes: the kind of event, its key, and the unit it is told in."""

    kind: str
    key: str
    unit: str
    digits: int = 0
    unit_key: str = ""  # the key that names the unit; empty where the meaning is clear


SUMMED = {
    "StepCount": Measure(ACTIVITY, "steps", "count"),
    "DistanceWalkingRunning": Measure(ACTIVITY, "walking_distance", "km", 3, "distance_unit"),
    "DistanceCycling": Measure(ACTIVITY, "cycling_distance", "km", 3, "distance_unit"),
    "DistanceSwimming": Measure(ACTIVITY, "swimming_distance", "km", 3, "distance_unit"),
    "DistanceWheelchair": Measure(ACTIVITY, "wheelchair_distance", "km", 3, "distance_unit"),
    "FlightsClimbed": Measure(ACTIVITY, "flights_climbed", "count"),
    "ActiveEnergyBurned": Measure(ACTIVITY, "active_energy", "kcal", 1, "energy_unit"),
    "BasalEnergyBurned": Measure(ACTIVITY, "resting_energy", "kcal", 1, "energy_unit"),
    "AppleExerciseTime": Measure(ACTIVITY, "exercise_minutes", "min"),
    "TimeInDaylight": Measure(ACTIVITY, "daylight_minutes", "min"),
    "DietaryEnergyConsumed": Measure(FOOD, "energy_eaten", "kcal", 1, "energy_unit"),
    "DietaryWater": Measure(FOOD, "water", "ml", 0, "water_unit"),
    "DietaryCaffeine": Measure(FOOD, "caffeine", "mg", 1, "caffeine_unit"),
    "DietaryProtein": Measure(FOOD, "protein", "g", 1, "nutrient_unit"),
    "DietaryCarbohydrates": Measure(FOOD, "carbohydrates", "g", 1, "nutrient_unit"),
    "DietaryFatTotal": Measure(FOOD, "fat", "g", 1, "nutrient_unit"),
    "DietarySugar": Measure(FOOD, "sugar", "g", 1, "nutrient_unit"),
}
AVERAGED = {
    "HeartRate": Measure(ACTIVITY, "average_heart_rate", "count/min", 1),
    "RestingHeartRate": Measure(ACTIVITY, "resting_heart_rate", "count/min", 1),
    "WalkingHeartRateAverage": Measure(ACTIVITY, "walking_heart_rate", "count/min", 1),
    "HeartRateVariabilitySDNN": Measure(ACTIVITY, "heart_rate_variability", "ms", 1),
    "RespiratoryRate": Measure(ACTIVITY, "respiratory_rate", "count/min", 1),
    "OxygenSaturation": Measure(ACTIVITY, "oxygen_saturation", "%", 1),
}
LAST = {
    "BodyMass": Measure(BODY, "weight", "kg", 2, "weight_unit"),
    "LeanBodyMass": Measure(BODY, "lean_body_mass", "kg", 2, "weight_unit"),
    "BodyFatPercentage": Measure(BODY, "body_fat", "%", 1),
    "BodyMassIndex": Measure(BODY, "bmi", "count", 1),
    "Height": Measure(BODY, "height", "cm", 1, "height_unit"),
    "WaistCircumference": Measure(BODY, "waist_circumference", "cm", 1, "waist_unit"),
    "BodyTemperature": Measure(BODY, "body_temperature", "degC", 1, "temperature_unit"),
    "BloodPressureSystolic": Measure(BODY, "systolic_blood_pressure", "mmHg"),
    "BloodPressureDiastolic": Measure(BODY, "diastolic_blood_pressure", "mmHg"),
    "VO2Max": Measure(ACTIVITY, "vo2_max", "mL/min·kg", 1),
}


def instant_of(text: str, clock: Clock) -> datetime:
    """The instant Apple wrote; a time without an offset is the user's own."""
    moment = parse_datetime(text)
    if moment is None or moment.year not in _YEARS:
        raise ValueProblem(f"{text[:40]!r} is no time of a health record")
    return moment if moment.tzinfo else moment.replace(tzinfo=clock.zone)


@lru_cache(maxsize=256)
def zone_of(name: str) -> ZoneInfo | None:
    """The zone of that name, None if there is none."""
    try:
        return ZoneInfo(name) if 0 < len(name) < 60 else None
    except (KeyError, ValueError, OSError):
        return None


def amount_of(text: str, unit: str, target: str) -> float:
    """A number in another unit. Apple's per cent are fractions."""
    number = parse_number(text, ".")
    if number is None:
        raise ValueProblem("no value")
    if unit != target:
        amount = convert(number, unit, target)
    else:
        amount = number * 100.0 if unit == "%" else float(number)
    if not abs(amount) < _BIGGEST:
        raise ValueProblem(f"{text[:40]} {unit[:40]} is out of all proportion")
    return amount


def rounded(amount: float, digits: int) -> int | float:
    return round(amount, digits) if digits else round(amount)


class LocalHours(dict[str, tuple[int, int] | None]):
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

    def wall(self, text: str) -> datetime:
        return self._clock.wall(instant_of(text, self._clock))[0]

    def exact(self, text: str) -> tuple[int, int]:
        wall = self.wall(text)
        return wall.toordinal(), wall.hour


class Sources(dict[str, int]):
    """Small numbers for the names of sources; 0 for all that come when there are too many."""

    def __missing__(self, name: str) -> int:
        if len(self) >= _MAX_SOURCES or len(name) > _MAX_NAME:
            return 0
        self[name] = number = len(self) + 1
        return number

    def names(self) -> list[str]:
        """The name of each number."""
        return ["", *self]


class _Factors(dict[str, float]):
    """From a written unit to what its amounts are multiplied with."""

    def __init__(self, target: str) -> None:
        super().__init__()
        self._target = target

    def __missing__(self, unit: str) -> float:
        self[unit] = factor = amount_of("1", unit, self._target)
        return factor


class Counter(ABC):
    """One type of record on its way to one key of the days' events.

    `begin` hears of the kind of event and the day (its ordinal) that get their first record.
    """

    def __init__(
        self, measure: Measure, hours: LocalHours, begin: Callable[[str, int], None]
    ) -> None:
        self.measure = measure
        self._hours = hours
        self._begin = begin
        self._factors = _Factors(measure.unit)

    @abstractmethod
    def take(self, attributes: Attributes) -> None:
        """Counts a record; KeyError and ValueError say what is wrong with it."""

    @abstractmethod
    def tell(self, day: int, data: dict[str, Value]) -> None:
        """Adds what was counted on a day to the data of its event."""

    def _amount(self, attributes: Attributes) -> float:
        amount = float(attributes["value"]) * self._factors[attributes["unit"]]
        if not 0 <= amount < _BIGGEST:
            raise ValueProblem(f"{attributes['value'][:40]} is out of all proportion")
        return amount

    def _say(self, data: dict[str, Value], amount: float) -> None:
        data[self.measure.key] = rounded(amount, self.measure.digits)
        if self.measure.unit_key:
            data[self.measure.unit_key] = self.measure.unit


class HourSums(Counter):
    """Amounts by day, source and hour."""

    def __init__(
        self,
        measure: Measure,
        hours: LocalHours,
        begin: Callable[[str, int], None],
        sources: Sources,
    ) -> None:
        super().__init__(measure, hours, begin)
        self._sources = sources
        self._cells: dict[int, array[float]] = {}  # by day and source, packed into one number
        self._by_day: dict[int, list[array[float]]] = {}

    def take(self, attributes: Attributes) -> None:
        # The most frequent call of an import: no helper where a line does.
        start = attributes["startDate"]
        amount = float(attributes["value"]) * self._factors[attributes["unit"]]
        spot = self._hours[start[:13] + start[19:]]
        source = self._sources[attributes["sourceName"]]
        if spot is None or start[:13] != attributes["endDate"][:13] or not 0 <= amount < _BIGGEST:
            self._spread(attributes, source)
            return
        key = spot[0] << _SOURCE_BITS | source
        cell = self._cells.get(key)
        if cell is None:
            cell = self._new_cell(key)
        cell[spot[1]] += amount

    def _new_cell(self, key: int) -> "array[float]":
        self._begin(self.measure.kind, key >> _SOURCE_BITS)
        self._cells[key] = cell = array("d", bytes(8 * (_WHOLE_DAY + 1)))
        return cell

    def _spread(self, attributes: Attributes, source: int) -> None:
        """Shares an amount out over the hours that it covers; over days, if those are many."""
        amount = self._amount(attributes)
        start, end = (self._hours.wall(attributes[key]) for key in ("startDate", "endDate"))
        span = end - start
        if not -_HOUR <= span <= _LONGEST:  # an hour back: the clocks were changed
            raise ValueProblem(f"{attributes['startDate'][:40]} – {attributes['endDate'][:40]}")
        if span <= _NOTHING:
            self._add(start, start.hour, source, amount)
            return
        at = start
        while at < end:
            if span <= _FINE:
                slot, edge = at.hour, at.replace(minute=0, second=0, microsecond=0) + _HOUR
            else:
                slot, edge = _WHOLE_DAY, datetime(at.year, at.month, at.day) + _DAY
            edge = min(edge, end)
            self._add(at, slot, source, amount * ((edge - at) / span))
            at = edge

    def _add(self, at: datetime, slot: int, source: int, amount: float) -> None:
        key = at.toordinal() << _SOURCE_BITS | source
        cell = self._cells.get(key)
        if cell is None:
            cell = self._new_cell(key)
        cell[slot] += amount

    def tell(self, day: int, data: dict[str, Value]) -> None:
        if not self._by_day:
            for key, cell in self._cells.items():
                self._by_day.setdefault(key >> _SOURCE_BITS, []).append(cell)
        if cells := self._by_day.get(day):
            by_hour = sum(max(cell[hour] for cell in cells) for hour in range(_WHOLE_DAY))
            self._say(data, max(by_hour, *(sum(cell) for cell in cells)))


class Means(Counter):
    """The average of a day's readings; of some also the lowest and the highest."""

    def __init__(
        self, measure: Measure, hours: LocalHours, begin: Callable[[str, int], None]
    ) -> None:
        super().__init__(measure, hours, begin)
        self._cells: dict[int, list[float]] = {}  # by day: count, sum, lowest, highest

    def take(self, attributes: Attributes) -> None:
        start = attributes["startDate"]
        amount = float(attributes["value"]) * self._factors[attributes["unit"]]
        spot = self._hours[start[:13] + start[19:]] or self._hours.exact(start)
        if not 0 <= amount < _BIGGEST:
            raise ValueProblem(f"{attributes['value'][:40]} is out of all proportion")
        cell = self._cells.get(spot[0])
        if cell is None:
            self._begin(self.measure.kind, spot[0])
            self._cells[spot[0]] = cell = [0, 0.0, amount, amount]
        cell[0] += 1
        cell[1] += amount
        if amount < cell[2]:
            cell[2] = amount
        elif amount > cell[3]:
            cell[3] = amount

    def tell(self, day: int, data: dict[str, Value]) -> None:
        if cell := self._cells.get(day):
            count, total, lowest, highest = cell
            self._say(data, total / count)
            of_what = self.measure.key.removeprefix("average_")
            if of_what != self.measure.key:
                data[f"minimum_{of_what}"] = rounded(lowest, self.measure.digits)
                data[f"maximum_{of_what}"] = rounded(highest, self.measure.digits)


class Lasts(Counter):
    """The last reading of a day."""

    def __init__(
        self, measure: Measure, hours: LocalHours, begin: Callable[[str, int], None]
    ) -> None:
        super().__init__(measure, hours, begin)
        self._cells: dict[int, tuple[datetime, float]] = {}

    def take(self, attributes: Attributes) -> None:
        amount = amount_of(attributes["value"], attributes["unit"], self.measure.unit)
        wall = self._hours.wall(attributes["startDate"])
        day = wall.toordinal()
        if day not in self._cells:
            self._begin(self.measure.kind, day)
        # Of two readings at the same time the larger counts, in whichever order they come.
        self._cells[day] = max(self._cells.get(day, (wall, amount)), (wall, amount))

    def tell(self, day: int, data: dict[str, Value]) -> None:
        if cell := self._cells.get(day):
            self._say(data, cell[1])
