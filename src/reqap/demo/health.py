"""Writes `export.xml` as Apple Health does: steps from two devices, sleep, workouts.

The offsets in the file are those of the phone at export time (Hamburg), wherever the
training took place; where it took place is only in the HKTimeZone entries.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from xml.sax.saxutils import quoteattr
from zoneinfo import ZoneInfo

from reqap.demo import bank, pack
from reqap.demo.body import Body, Sample, Segment
from reqap.demo.life import HOME_ZONE, Life, Workout, utc

PHONE, WATCH = "Inês’ iPhone", "Apple Watch von Inês"
WATCH_DEVICE = (
    "<<HKDevice: 0x301f5c2d0>, name:Apple Watch, manufacturer:Apple Inc., model:Watch, "
    "hardware:Watch6,14, software:10.4>"
)
PHONE_DEVICE = (
    "<<HKDevice: 0x301f5a1c0>, name:iPhone, manufacturer:Apple Inc., model:iPhone, "
    "hardware:iPhone15,2, software:17.4>"
)
ACTIVITY = {
    "running": "HKWorkoutActivityTypeRunning",
    "football": "HKWorkoutActivityTypeSoccer",
    "cycling": "HKWorkoutActivityTypeCycling",
    "yoga": "HKWorkoutActivityTypeYoga",
    "swimming": "HKWorkoutActivityTypeSwimming",
    "hiking": "HKWorkoutActivityTypeHiking",
}
DISTANCE = {
    "running": "HKQuantityTypeIdentifierDistanceWalkingRunning",
    "football": "HKQuantityTypeIdentifierDistanceWalkingRunning",
    "hiking": "HKQuantityTypeIdentifierDistanceWalkingRunning",
    "cycling": "HKQuantityTypeIdentifierDistanceCycling",
    "swimming": "HKQuantityTypeIdentifierDistanceSwimming",
}
UNITS = {
    "HKQuantityTypeIdentifierStepCount": "count",
    "HKQuantityTypeIdentifierDistanceWalkingRunning": "km",
    "HKQuantityTypeIdentifierActiveEnergyBurned": "kcal",
    "HKQuantityTypeIdentifierBodyMass": "kg",
    "HKQuantityTypeIdentifierRestingHeartRate": "count/min",
}


def write_health(life: Life, folder: Path) -> None:
    """`apple_health_export.zip` with one `export.xml`."""
    body = Body(life)
    lines = [bank.raw("health_dtd.txt").rstrip(), '<HealthData locale="de_DE">']
    lines.append(' <ExportDate value="2026-01-02 09:41:07 +0100"/>')
    lines.append(
        ' <Me HKCharacteristicTypeIdentifierDateOfBirth="1991-03-14"'
        ' HKCharacteristicTypeIdentifierBiologicalSex="HKBiologicalSexFemale"'
        ' HKCharacteristicTypeIdentifierBloodType="HKBloodTypeNotSet"'
        ' HKCharacteristicTypeIdentifierFitzpatrickSkinType="HKFitzpatrickSkinTypeNotSet"'
        ' HKCharacteristicTypeIdentifierCardioFitnessMedicationsUse="None"/>'
    )
    samples = [sample for day in life.days() for sample in body.samples(day)]
    samples.sort(key=lambda sample: list(UNITS).index(sample.kind))
    lines += [_record(sample) for sample in samples]
    lines += [_sleep(part) for day in life.days() for part in body.night(day)]
    lines += [_workout(workout, body) for workout in life.workouts]
    lines.append("</HealthData>\n")
    content = "\n".join(lines).encode("utf-8")
    pack.write_zip(folder / "apple_health_export.zip", {"apple_health_export/export.xml": content})


def _when(local: datetime, zone: str) -> str:
    return _here(utc(local, zone))


def _here(instant: datetime) -> str:
    return instant.astimezone(ZoneInfo(HOME_ZONE)).strftime("%Y-%m-%d %H:%M:%S %z")


def _attributes(**values: str) -> str:
    return "".join(f" {name}={quoteattr(value)}" for name, value in values.items())


def _record(sample: Sample) -> str:
    device = {"device": WATCH_DEVICE if sample.watch else PHONE_DEVICE}
    if sample.kind.endswith("BodyMass"):
        device = {}
    attributes = _attributes(
        type=sample.kind,
        sourceName=WATCH if sample.watch else PHONE,
        sourceVersion="10.4" if sample.watch else "17.4.1",
        **device,
        unit=UNITS[sample.kind],
        creationDate=_when(sample.end + timedelta(minutes=4), sample.zone),
        startDate=_when(sample.start, sample.zone),
        endDate=_when(sample.end, sample.zone),
        value=f"{sample.value:g}",
    )
    return f" <Record{attributes}/>"


def _sleep(part: Segment) -> str:
    attributes = _attributes(
        type="HKCategoryTypeIdentifierSleepAnalysis",
        sourceName=WATCH,
        sourceVersion="10.4",
        device=WATCH_DEVICE,
        creationDate=_here(part.created),
        startDate=_here(part.start),
        endDate=_here(part.end),
        value=f"HKCategoryValueSleepAnalysis{part.stage}",
    )
    zone = _attributes(key="HKTimeZone", value=part.zone)
    return f" <Record{attributes}>\n  <MetadataEntry{zone}/>\n </Record>"


def _workout(workout: Workout, body: Body) -> str:
    effort = body.effort(workout)
    span = {
        "startDate": _when(workout.start, workout.zone),
        "endDate": _when(workout.end, workout.zone),
    }
    head = _attributes(
        workoutActivityType=ACTIVITY[workout.kind],
        duration=f"{workout.minutes + effort.jitter:.10f}",
        durationUnit="min",
        sourceName=WATCH,
        sourceVersion="10.4",
        device=WATCH_DEVICE,
        creationDate=_when(workout.end + timedelta(seconds=40), workout.zone),
        **span,
    )
    indoor = "1" if workout.kind == "yoga" or (workout.kind == "swimming" and effort.pool) else "0"
    inner = [
        _attributes(key="HKIndoorWorkout", value=indoor),
        _attributes(key="HKTimeZone", value=workout.zone),
        _attributes(key="HKAverageMETs", value=f"{effort.mets:.4f} kcal/hr·kg"),
    ]
    if indoor == "0":
        inner.append(_attributes(key="HKWeatherTemperature", value=f"{effort.fahrenheit:.2f} degF"))
    children = [f"  <MetadataEntry{entry}/>" for entry in inner]
    children += [f"  <WorkoutStatistics{stat}/>" for stat in _statistics(workout, body, span)]
    return "\n".join([f" <Workout{head}>", *children, " </Workout>"])


def _statistics(workout: Workout, body: Body, span: dict[str, str]) -> list[str]:
    effort = body.effort(workout)
    found = [
        _attributes(
            type="HKQuantityTypeIdentifierActiveEnergyBurned",
            **span,
            sum=f"{effort.kcal:.3f}",
            unit="kcal",
        ),
        _attributes(
            type="HKQuantityTypeIdentifierHeartRate",
            **span,
            average=f"{effort.average:.4f}",
            minimum=str(effort.lowest),
            maximum=str(effort.highest),
            unit="count/min",
        ),
    ]
    if workout.km:
        water = workout.kind == "swimming"
        total = f"{workout.km * 1000:.0f}" if water else f"{workout.km + effort.jitter / 60:.5f}"
        found.append(
            _attributes(type=DISTANCE[workout.kind], **span, sum=total, unit="m" if water else "km")
        )
    return found
