"""The workouts of an Apple Health export, as iOS up to 15 and as iOS from 16 on writes them.

Totals used to be attributes of the <Workout>; now they are <WorkoutStatistics> inside it. Both are
read. Not the job of this module: XML, routes (GPX files of their own), and the single laps.
"""

import re
from collections.abc import Callable
from datetime import datetime

from reqap.errors import ValueProblem
from reqap.events import Clock, Event, ImportIssue, Origin, Value, event_id
from reqap.sources.apple_health_measures import QUANTITY, amount_of, instant_of, zone_of
from reqap.sources.apple_health_xml import Attributes
from reqap.values import parse_bool

_ACTIVITY = "HKWorkoutActivityType"
_MAX_TEXT = 200
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
# Where Apple's word is not the one people use; all others are taken apart at their capitals.
_NAMES = {
    "Soccer": "football",
    "CrossCountrySkiing": "cross-country skiing",
    "Dance": "dancing",
    "DiscSports": "frisbee",
    "EquestrianSports": "horse riding",
    "HighIntensityIntervalTraining": "high-intensity interval training",
    "MixedMetabolicCardioTraining": "mixed cardio",
    "PaddleSports": "paddling",
    "SkatingSports": "skating",
    "SocialDance": "social dancing",
    "SurfingSports": "surfing",
    "SwimBikeRun": "triathlon",
    "UnderwaterDiving": "diving",
    "WheelchairRunPace": "wheelchair running pace",
    "WheelchairWalkPace": "wheelchair walking pace",
}
_DISTANCES = frozenset(
    f"{QUANTITY}Distance{way}"
    for way in (
        "WalkingRunning",
        "Cycling",
        "Swimming",
        "Wheelchair",
        "DownhillSnowSports",
        "CrossCountrySkiing",
        "PaddleSports",
        "Rowing",
        "SkatingSports",
    )
)
_SPEEDS = tuple(f"{QUANTITY}{sport}Speed" for sport in ("Running", "Cycling", "Walking"))
_STATISTICS = frozenset(
    (
        *_SPEEDS,
        *(QUANTITY + name for name in ("ActiveEnergyBurned", "HeartRate", "StepCount")),
    )
)
_METADATA = frozenset(
    (
        "HKIndoorWorkout",
        "HKTimeZone",
        "HKWeatherTemperature",
        "HKWeatherHumidity",
        "HKElevationAscended",
        "HKAverageSpeed",
        "HKMaximumSpeed",
        "HKWorkoutBrandName",
    )
)
_READINGS = ("average", "minimum", "maximum")


class Workout:
    """One <Workout>, from its start tag to its end tag."""

    def __init__(self, attributes: Attributes, origin: Origin) -> None:
        self._attributes = attributes
        self.origin = origin
        self._statistics: dict[str, Attributes] = {}
        self._distances: dict[str, Attributes] = {}
        self._metadata: Attributes = {}
        self._data: dict[str, Value] = {}
        self._problems: list[str] = []

    def take_child(self, name: str, attributes: Attributes) -> None:
        """An element right inside. What lies deeper tells single legs of the workout."""
        kind = attributes.get("type", "")
        if name == "MetadataEntry" and (key := attributes.get("key", "")) in _METADATA:
            self._metadata[key] = attributes.get("value", "")
        elif name == "WorkoutStatistics" and kind in _STATISTICS:
            self._statistics[kind] = attributes
        elif name == "WorkoutStatistics" and kind in _DISTANCES:
            self._distances[kind] = attributes

    def finish(self, source: str, clock: Clock) -> list[Event | ImportIssue]:
        """The event, and an issue where a part of it was not understood."""
        told = self._attributes
        start = instant_of(told["startDate"], clock)
        end = instant_of(told["endDate"], clock)
        if end < start:
            raise ValueProblem(f"{told['startDate'][:40]} – {told['endDate'][:40]}")
        zone = zone_of(self._metadata.get("HKTimeZone", ""))
        first, last, offset = clock.span(start, end, zone)
        activity = told["workoutActivityType"].removeprefix(_ACTIVITY)
        self._data["workout_type"] = activity_name(activity)
        self._fill(start, end, activity)
        event = Event(
            id=event_id(
                source,
                "workout",
                int(start.timestamp()),
                int(end.timestamp()),
                activity,
                told.get("sourceName", ""),
            ),
            source=source,
            kind="workout",
            start=first,
            end=last,
            offset=offset,
            data=self._data,
            origin=self.origin,
            user_zone=zone is None,
        )
        if not self._problems:
            return [event]
        detail = "; ".join(self._problems)[:_MAX_TEXT]
        issue = ImportIssue("part of a workout not understood", self.origin, detail, skipped=False)
        return [event, issue]

    def _fill(self, start: datetime, end: datetime, activity: str) -> None:
        seconds = (end - start).total_seconds()
        self._try("duration", lambda: self._fill_duration(seconds))
        self._try("distance", lambda: self._fill_distance(activity))
        self._try("energy", self._fill_energy)
        self._try("heart rate", self._fill_heart_rate)
        self._try("speed", self._fill_speed)
        self._try("steps", self._fill_steps)
        self._try("elevation", self._fill_elevation)
        self._try("weather", self._fill_weather)
        self._try("indoor", self._fill_indoor)
        self._fill_names()

    def _try(self, what: str, fill: Callable[[], None]) -> None:
        """One garbled value must not cost the workout."""
        try:
            fill()
        except (KeyError, ValueError) as error:
            self._problems.append(f"{what}: {error}"[:80])

    def _put(self, key: str, amount: float, digits: int, **unit: str) -> None:
        self._data[key] = round(amount, digits) if digits else round(amount)
        self._data.update(unit)

    def _fill_duration(self, seconds: float) -> None:
        minutes = seconds / 60
        if told := self._attributes.get("duration"):
            minutes = amount_of(told, self._attributes.get("durationUnit", "min"), "min")
        self._put("duration", minutes, 2, duration_unit="minutes")

    def _fill_distance(self, activity: str) -> None:
        parts = self._distances.values()
        distances = [amount_of(part["sum"], part["unit"], "km") for part in parts]
        if not distances and (told := self._attributes.get("totalDistance")):
            distances.append(amount_of(told, self._attributes["totalDistanceUnit"], "km"))
        # A ride also counts the steps to the bike; only a triathlon is the sum of its parts.
        distance = (sum if activity == "SwimBikeRun" else max)(distances or [0.0])
        if distance > 0:
            self._put("distance", distance, 3, distance_unit="km")

    def _fill_energy(self) -> None:
        told, unit = self._attributes.get("totalEnergyBurned"), "totalEnergyBurnedUnit"
        energy = amount_of(told, self._attributes[unit], "kcal") if told else 0.0
        if found := self._statistics.get(QUANTITY + "ActiveEnergyBurned"):
            energy = amount_of(found["sum"], found["unit"], "kcal")
        if energy > 0:
            self._put("energy_burned", energy, 1, energy_unit="kcal")

    def _fill_heart_rate(self) -> None:
        if found := self._statistics.get(QUANTITY + "HeartRate"):
            for which in _READINGS:
                if told := found.get(which):
                    beats = amount_of(told, found["unit"], "count/min")
                    self._put(f"{which}_heart_rate", beats, 1)

    def _fill_speed(self) -> None:
        for key, which in (("HKAverageSpeed", "average"), ("HKMaximumSpeed", "maximum")):
            if told := self._metadata.get(key):
                self._put_speed(which, _quantity(told, "km/h"))
        for found in (self._statistics[name] for name in _SPEEDS if name in self._statistics):
            for which in _READINGS:
                if told := found.get(which):
                    self._put_speed(which, amount_of(told, found["unit"], "km/h"))
        distance, minutes = self._data.get("distance"), self._data.get("duration")
        if isinstance(distance, float) and isinstance(minutes, float) and minutes > 0:
            self._data.setdefault("average_speed", round(distance / minutes * 60, 2))
            self._data["speed_unit"] = "km/h"

    def _put_speed(self, which: str, speed: float) -> None:
        if speed > 0:
            self._put(f"{which}_speed", speed, 2, speed_unit="km/h")

    def _fill_steps(self) -> None:
        if found := self._statistics.get(QUANTITY + "StepCount"):
            self._put("steps", amount_of(found["sum"], found["unit"], "count"), 0)

    def _fill_elevation(self) -> None:
        if told := self._metadata.get("HKElevationAscended"):
            self._put("elevation_ascended", _quantity(told, "m"), 1, elevation_unit="m")

    def _fill_weather(self) -> None:
        if told := self._metadata.get("HKWeatherTemperature"):
            self._put("temperature", _quantity(told, "degC"), 1, temperature_unit="degC")
        if told := self._metadata.get("HKWeatherHumidity"):
            # "9400 %" is what Apple writes for 94 per cent.
            self._put("humidity", _quantity(told, "%") / 10_000, 0, humidity_unit="%")

    def _fill_indoor(self) -> None:
        if (indoor := parse_bool(self._metadata.get("HKIndoorWorkout"))) is not None:
            self._data["indoor"] = indoor

    def _fill_names(self) -> None:
        told = self._attributes
        names = {
            "workout_name": self._metadata.get("HKWorkoutBrandName", ""),
            "device": _device(told.get("device", "")),
            "source_name": told.get("sourceName", ""),
        }
        for key, name in names.items():
            if tidy := " ".join(name[:_MAX_TEXT].split()):
                self._data[key] = tidy


def activity_name(activity: str) -> str:
    """ "TraditionalStrengthTraining" as people write it."""
    words = " ".join(_CAMEL.findall(activity[:_MAX_TEXT])).lower()
    return _NAMES.get(activity) or words or "other"


def _quantity(text: str, target: str) -> float:
    """A number and its unit in one text, as metadata has them: "18 degC"."""
    number, _, unit = text.partition(" ")
    return amount_of(number, unit, target)


def _device(text: str) -> str:
    """The name in "<<HKDevice: 0x28…>, name:Apple Watch, manufacturer:Apple Inc., …>"."""
    return text[:2000].partition("name:")[2].partition(",")[0].rstrip(">")
