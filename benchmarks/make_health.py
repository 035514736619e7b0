"""Writes an Apple Health export.xml of a wished size, for measuring.

    python benchmarks/make_health.py /tmp/export.xml --megabytes 1000

The mix is that of a person with watch and phone: records type by type, each over all days, heart
rate and energy most of all; sleep, weight, workouts at the end. The same seed gives the same bytes.
Not the job of this script: odd or broken content, which the tests have.
"""

import argparse
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import NamedTuple, TextIO

_LAST_DAY = date(2025, 12, 31)
_WORKOUTS = 2000
_WATCH_NAME = "Ada’s Apple\u00a0Watch"
_WATCH = (
    f'sourceName="{_WATCH_NAME}" sourceVersion="11.1" device="&lt;&lt;HKDevice: 0x302f1c8c0&gt;,'
    " name:Apple Watch, manufacturer:Apple Inc., model:Watch, hardware:Watch6,2, software:11.1,"
    ' creation date:2024-12-13 12:48:57 +0000&gt;"'
)
_PHONE = (
    'sourceName="Ada’s iPhone" sourceVersion="18.1" device="&lt;&lt;HKDevice: 0x302f1d000&gt;,'
    ' name:iPhone, manufacturer:Apple Inc., model:iPhone, hardware:iPhone14,2, software:18.1&gt;"'
)


class _Series(NamedTuple):
    """One type of record from one device: how often, how long, and what it says."""

    type: str
    device: str
    unit: str
    a_day: int
    seconds: int
    low: float
    high: float
    digits: int
    metadata: str = ""


_MOTION = '  <MetadataEntry key="HKMetadataKeyHeartRateMotionContext" value="{}"/>\n'
_SERIES = (
    _Series("StepCount", _PHONE, "count", 60, 400, 5, 700, 0),
    _Series("StepCount", _WATCH, "count", 110, 300, 5, 500, 0),
    _Series("DistanceWalkingRunning", _PHONE, "km", 60, 400, 0.003, 0.5, 5),
    _Series("DistanceWalkingRunning", _WATCH, "km", 160, 60, 0.003, 0.1, 6),
    _Series("HeartRate", _WATCH, "count/min", 420, 0, 48, 160, 0, _MOTION),
    _Series("BasalEnergyBurned", _WATCH, "kcal", 320, 120, 0.5, 3, 3),
    _Series("ActiveEnergyBurned", _WATCH, "kcal", 480, 60, 0.05, 9, 3),
    _Series("FlightsClimbed", _PHONE, "count", 8, 60, 1, 4, 0),
    _Series("AppleExerciseTime", _WATCH, "min", 35, 60, 1, 1, 0),
    _Series("RestingHeartRate", _WATCH, "count/min", 1, 40000, 48, 62, 0),
    _Series("WalkingSpeed", _PHONE, "km/hr", 20, 15, 3, 6, 3),
    _Series("EnvironmentalAudioExposure", _WATCH, "dBASPL", 24, 1800, 35, 80, 4),
    _Series("BodyMass", _PHONE, "kg", 1, 0, 68, 74, 1),
)
_NIGHT = ("AsleepCore", "AsleepDeep", "AsleepCore", "AsleepREM", "Awake", "AsleepCore", "AsleepREM")
_SPORTS = ("Running", "Walking", "Cycling", "TraditionalStrengthTraining", "Yoga", "Swimming")


def _stamp(day: date, second: int) -> str:
    offset = "+0200" if 4 <= day.month <= 10 else "+0100"
    if second >= 86400:
        day, second = day + timedelta(days=second // 86400), second % 86400
    clock = f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"
    return f"{day} {clock} {offset}"


def _records(series: _Series, day: date, random: Random) -> Iterator[str]:
    head = f' <Record type="HKQuantityTypeIdentifier{series.type}" {series.device}'
    head += f' unit="{series.unit}"'
    step = 57600 // series.a_day
    for number in range(series.a_day):
        begin = 25200 + number * step + random.randrange(max(step - series.seconds, 1))
        start, end = _stamp(day, begin), _stamp(day, begin + series.seconds)
        value = series.low + random.random() * (series.high - series.low)
        told = f"{value:.{series.digits}f}"
        line = f'{head} creationDate="{end}" startDate="{start}" endDate="{end}" value="{told}"'
        if series.metadata:
            yield f"{line}>\n{series.metadata.format(number % 3)} </Record>\n"
        else:
            yield f"{line}/>\n"


def _night(day: date, random: Random) -> Iterator[str]:
    head = f' <Record type="HKCategoryTypeIdentifierSleepAnalysis" {_WATCH}'
    second = 82000 + random.randrange(7200)
    for number in range(28):
        begin, second = second, second + 300 + random.randrange(1500)
        start, end = _stamp(day, begin), _stamp(day, second)
        yield (
            f'{head} creationDate="{end}" startDate="{start}" endDate="{end}"'
            f' value="HKCategoryValueSleepAnalysis{_NIGHT[number % len(_NIGHT)]}">\n'
            '  <MetadataEntry key="HKTimeZone" value="Europe/Berlin"/>\n </Record>\n'
        )


def _workout(day: date, random: Random) -> str:
    sport = random.choice(_SPORTS)
    minutes = 20 + random.random() * 60
    begin = 61200 + random.randrange(7200)
    start, end = _stamp(day, begin), _stamp(day, begin + int(minutes * 60))
    span = f'startDate="{start}" endDate="{end}"'
    kind = "HKQuantityTypeIdentifier"
    events = "".join(
        f'  <WorkoutEvent type="HKWorkoutEventTypeSegment" date="{_stamp(day, begin + 300 * lap)}"'
        f' duration="{5 + random.random()}" durationUnit="min"/>\n'
        for lap in range(6)
    )
    statistics = (
        f'  <WorkoutStatistics type="{kind}ActiveEnergyBurned" {span} sum="{minutes * 8:.3f}"'
        ' unit="kcal"/>\n'
        f'  <WorkoutStatistics type="{kind}HeartRate" {span} average="131.2" minimum="82"'
        ' maximum="171" unit="count/min"/>\n'
        f'  <WorkoutStatistics type="{kind}DistanceWalkingRunning" {span}'
        f' sum="{minutes / 6:.5f}" unit="km"/>\n'
    )
    return (
        f' <Workout workoutActivityType="HKWorkoutActivityType{sport}" duration="{minutes}"'
        f' durationUnit="min" {_WATCH} creationDate="{end}" {span}>\n'
        '  <MetadataEntry key="HKIndoorWorkout" value="0"/>\n'
        '  <MetadataEntry key="HKTimeZone" value="Europe/Berlin"/>\n'
        f'  <MetadataEntry key="HKWeatherTemperature" value="{random.uniform(40, 80):.4f} degF"/>\n'
        f"{events}"
        f'  <WorkoutActivity uuid="{random.getrandbits(64):X}" {span} duration="{minutes}"'
        f' durationUnit="min">\n{statistics}  </WorkoutActivity>\n{statistics}'
        f'  <WorkoutRoute {_WATCH} creationDate="{end}" {span}>\n'
        '   <MetadataEntry key="HKMetadataKeySyncVersion" value="2"/>\n'
        f'   <FileReference path="/workout-routes/route_{day}_{begin}.gpx"/>\n'
        "  </WorkoutRoute>\n </Workout>\n"
    )


def _write(stream: TextIO, days: list[date], seed: int) -> None:
    random = Random(seed)
    stream.write('<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE HealthData [\n')
    stream.write("<!-- HealthKit Export Version: 14 -->\n<!ELEMENT HealthData ANY>\n]>\n")
    stream.write('<HealthData locale="en_DE">\n')
    stream.write(f' <ExportDate value="{_stamp(_LAST_DAY, 80000)}"/>\n')
    stream.write(' <Me HKCharacteristicTypeIdentifierDateOfBirth="1990-02-03"/>\n')
    for series in _SERIES:
        for day in days:
            stream.writelines(_records(series, day, random))
    for day in days:
        stream.writelines(_night(day, random))
    for number in range(_WORKOUTS):
        stream.write(_workout(days[number * len(days) // _WORKOUTS], random))
    stream.write("</HealthData>\n")


def make(path: Path, megabytes: int, seed: int = 1) -> None:
    """Writes about `megabytes` of export to `path`."""
    sample = Random(seed)
    a_day = sum(len(text.encode()) for s in _SERIES for text in _records(s, _LAST_DAY, sample))
    a_day += sum(len(text.encode()) for text in _night(_LAST_DAY, sample))
    workouts = _WORKOUTS * len(_workout(_LAST_DAY, sample).encode())
    count = max(1, (megabytes * 1_000_000 - workouts) // a_day)
    days = [_LAST_DAY - timedelta(days=back) for back in range(count - 1, -1, -1)]
    with path.open("w", encoding="utf-8", buffering=1 << 20) as stream:
        _write(stream, days, seed)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("path", type=Path)
    parser.add_argument("--megabytes", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    make(asked.path, asked.megabytes, asked.seed)


if __name__ == "__main__":
    main()
