"""Writes `export.xml` as Apple Health does: steps from two devices, sleep, workouts.

The offsets in the file are those of the phone on the day of the export, wherever its owner lived
before; where something took place is only in the HKTimeZone entries.
"""

from datetime import datetime, timedelta
from importlib import resources
from pathlib import Path
from xml.sax.saxutils import quoteattr

from reqap.perqa.exports import pack
from reqap.perqa.exports.body import ENERGY, MASS, RESTING, STEPS, WALK, Body, Sample, Segment
from reqap.perqa.exports.traces import Traces, minutes
from reqap.perqa.texts import Observation

_WATCH_DEVICE = (
    "<<HKDevice: 0x301f5c2d0>, name:Apple Watch, manufacturer:Apple Inc., model:Watch, "
    "hardware:Watch6,14, software:10.4>"
)
_PHONE_DEVICE = (
    "<<HKDevice: 0x301f5a1c0>, name:iPhone, manufacturer:Apple Inc., model:iPhone, "
    "hardware:iPhone15,2, software:17.4>"
)
# Apple's own names, where they are not ours with a capital letter.
_ACTIVITY = {
    "football": "Soccer", "dance": "CardioDance", "weight training": "TraditionalStrengthTraining",
    "skating": "SkatingSports", "skiing": "DownhillSkiing", "gym": "FunctionalStrengthTraining",
    "boxing": "Boxing", "table tennis": "TableTennis", "martial arts": "MartialArts",
    "cross-country skiing": "CrossCountrySkiing", "tai chi": "TaiChi",
}  # fmt: skip
_SAME = (
    "badminton basketball boxing climbing cricket cycling fencing golf gymnastics handball hiking"
    " hockey pilates rowing rugby running sailing squash surfing swimming tennis volleyball walking"
    " yoga"
)
_DISTANCE = {
    "cycling": "HKQuantityTypeIdentifierDistanceCycling",
    "swimming": "HKQuantityTypeIdentifierDistanceSwimming",
}
_UNITS = {STEPS: "count", WALK: "km", ENERGY: "kcal", MASS: "kg", RESTING: "count/min"}


def activity(workout_type: str) -> str:
    """What Apple calls a kind of workout."""
    known = workout_type.capitalize() if workout_type in _SAME.split() else "Other"
    return f"HKWorkoutActivityType{_ACTIVITY.get(workout_type, known)}"


def write(traces: Traces, folder: Path) -> None:
    """`apple_health_export.zip` with one `export.xml`."""
    writer = _Writer(traces)
    head = (resources.files(__package__) / "health_dtd.txt").read_text(encoding="utf-8").rstrip()
    born = _attributes(HKCharacteristicTypeIdentifierDateOfBirth=str(traces.persona.birth_date))
    lines = [head, '<HealthData locale="en_GB">', writer.export_date(), f" <Me{born}/>"]
    body = Body(traces)
    samples = [sample for day in traces.days() for sample in body.samples(day)]
    samples.sort(key=lambda sample: list(_UNITS).index(sample.kind))
    lines += map(writer.record, samples)
    nights = [part for day in traces.days()[:-1] for part in body.night(day)]
    lines += map(writer.sleep, nights)
    lines += map(writer.workout, traces.of("workout"))
    lines.append("</HealthData>\n")
    content = "\n".join(lines).encode("utf-8")
    members = {"apple_health_export/export.xml": content}
    pack.write_zip(folder / "apple_health_export.zip", members, traces.exported)


def _attributes(**values: str) -> str:
    return "".join(f" {name}={quoteattr(value)}" for name, value in values.items())


class _Writer:
    def __init__(self, traces: Traces) -> None:
        first = traces.persona.name.split()[0]
        self._traces = traces
        self._here = traces.zone(traces.persona.today)
        self._phone = {"sourceName": f"{first}’s iPhone", "sourceVersion": "17.4.1"}
        self._watch = {"sourceName": f"{first}’s Apple Watch", "sourceVersion": "10.4"}

    def export_date(self) -> str:
        return f' <ExportDate value="{self._when(self._traces.exported)}"/>'

    def _when(self, local: datetime) -> str:
        return self._moment(self._traces.utc(local))

    def _moment(self, instant: datetime) -> str:
        return instant.astimezone(self._here).strftime("%Y-%m-%d %H:%M:%S %z")

    def _zone(self, local: datetime) -> str:
        return _attributes(key="HKTimeZone", value=self._traces.zone(local).key)

    def record(self, sample: Sample) -> str:
        device = {"device": _WATCH_DEVICE if sample.watch else _PHONE_DEVICE}
        attributes = _attributes(
            type=sample.kind,
            **(self._watch if sample.watch else self._phone),
            **({} if sample.kind == MASS else device),
            unit=_UNITS[sample.kind],
            creationDate=self._when(sample.end + timedelta(minutes=4)),
            startDate=self._when(sample.start),
            endDate=self._when(sample.end),
            value=f"{sample.value:g}",
        )
        return f" <Record{attributes}/>"

    def sleep(self, part: Segment) -> str:
        attributes = _attributes(
            type="HKCategoryTypeIdentifierSleepAnalysis",
            **self._watch,
            device=_WATCH_DEVICE,
            creationDate=self._moment(part.created),
            startDate=self._moment(part.start),
            endDate=self._moment(part.end),
            value=f"HKCategoryValueSleepAnalysis{part.stage}",
        )
        zone = self._zone(part.start.replace(tzinfo=None))
        return f" <Record{attributes}>\n  <MetadataEntry{zone}/>\n </Record>"

    def workout(self, one: Observation) -> str:
        told = one.data
        kind = str(told["workout_type"])
        span = {"startDate": self._when(one.start), "endDate": self._when(one.end)}
        head = _attributes(
            workoutActivityType=activity(kind),
            duration=f"{minutes(one):.10f}",
            durationUnit="min",
            **self._watch,
            device=_WATCH_DEVICE,
            creationDate=self._when(one.end + timedelta(seconds=40)),
            **span,
        )
        statistics = [
            _attributes(type=ENERGY, **span, sum=str(told["energy_burned"]), unit="kcal"),
            _attributes(
                type="HKQuantityTypeIdentifierHeartRate",
                **span,
                average=str(told["average_heart_rate"]),
                minimum=str(told["minimum_heart_rate"]),
                maximum=str(told["maximum_heart_rate"]),
                unit="count/min",
            ),
        ]
        if told["distance"]:
            km = float(str(told["distance"]))
            water = kind == "swimming"
            statistics.append(
                _attributes(
                    type=_DISTANCE.get(kind, WALK),
                    **span,
                    sum=f"{km * 1000:.0f}" if water else f"{km:.5f}",
                    unit="m" if water else "km",
                )
            )
        inner = [f"  <MetadataEntry{self._zone(one.start)}/>"]
        inner += [f"  <WorkoutStatistics{statistic}/>" for statistic in statistics]
        return "\n".join([f" <Workout{head}>", *inner, " </Workout>"])
