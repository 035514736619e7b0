"""The Apple Health source: both styles of workouts, days, nights, raw records, ids."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reqap.importing import import_paths
from reqap.sources.apple_health import SOURCE
from reqap.sources.apple_health_workouts import activity_name
from reqap.sources.base import ExportFile, Sample
from reqap.sources.walk import find_files
from reqap.store import Store
from tests.sources.healthexports import (
    EXPORT,
    IOS15,
    IOS17,
    MADE,
    at,
    health,
    of_kind,
    only_file,
    read_text,
    record,
    sleep,
)
from tests.sources.reading import DATA, claims, context, read_path, reasons, write


def test_a_workout_in_the_style_of_ios_16() -> None:
    run = of_kind(read_path(SOURCE, IOS17)[0], "workout")[0]
    # The legs inside <WorkoutActivity> and the route's metadata say other things: not taken.
    assert run.data == {
        "workout_type": "running",
        "duration": 30.5,
        "duration_unit": "minutes",
        "distance": 5.0,
        "distance_unit": "km",
        "energy_burned": 300.0,
        "energy_unit": "kcal",
        "average_heart_rate": 151.3,
        "minimum_heart_rate": 98.0,
        "maximum_heart_rate": 176.0,
        "average_speed": 9.84,
        "speed_unit": "km/h",
        "steps": 4880,
        "elevation_ascended": 45.5,
        "elevation_unit": "m",
        "temperature": 18.3,
        "temperature_unit": "degC",
        "humidity": 94,
        "humidity_unit": "%",
        "indoor": False,
        "device": "Apple Watch",
        "source_name": "Ada’s Apple Watch",
    }
    # HKTimeZone is where the run was; the written offset is only where the export was made.
    assert (run.start, run.end) == (at("2025-03-29 13:00"), at("2025-03-29 13:31"))
    assert (run.offset, run.user_zone) == (-240, False)


def test_workouts_in_the_users_zone_and_over_the_change_of_clocks() -> None:
    _, football, triathlon = of_kind(read_path(SOURCE, IOS17)[0], "workout")
    assert (football.start, football.end) == (at("2025-03-30 01:30"), at("2025-03-30 03:30"))
    assert (football.offset, football.user_zone) == (60, True)
    assert football.data == {
        "workout_type": "football",
        "duration": 90.0,
        "duration_unit": "minutes",
        "average_speed": 7.2,
        "maximum_speed": 18.0,
        "speed_unit": "km/h",
        "source_name": "Ada’s Apple Watch",
    }
    assert triathlon.data["workout_type"] == "triathlon"
    assert triathlon.data["distance"] == 25.75  # the sum of its parts
    assert triathlon.data["duration"] == 120.0  # not told: from start to end


def test_workouts_in_the_style_of_ios_15() -> None:
    ride, strength = of_kind(read_path(SOURCE, IOS15)[0], "workout")
    assert (ride.start, ride.end) == (at("2021-07-04 10:00"), at("2021-07-04 11:30"))
    assert (ride.offset, ride.user_zone) == (120, True)
    assert ride.data == {
        "workout_type": "cycling",
        "duration": 90.0,
        "duration_unit": "minutes",
        "distance": 29.773,
        "distance_unit": "km",
        "energy_burned": 512.4,
        "energy_unit": "kcal",
        "average_speed": 19.85,
        "speed_unit": "km/h",
        "temperature": 18.0,
        "temperature_unit": "degC",
        "indoor": False,
        "source_name": "Uhr",
    }
    # Zeros mean that nothing was measured.
    assert strength.data == {
        "workout_type": "traditional strength training",
        "duration": 20.0,
        "duration_unit": "minutes",
        "indoor": True,
        "source_name": "Uhr",
    }


@pytest.mark.parametrize(
    ("apple", "ours"),
    [
        ("Running", "running"),
        ("Soccer", "football"),
        ("AmericanFootball", "american football"),
        ("HighIntensityIntervalTraining", "high-intensity interval training"),
        ("TrackAndField", "track and field"),
        ("UnderwaterBasketWeaving", "underwater basket weaving"),
        ("3000", "3000"),
        ("", "other"),
    ],
)
def test_names_of_activities(apple: str, ours: str) -> None:
    assert activity_name(apple) == ours


def test_a_day_counts_overlapping_sources_once() -> None:
    days = of_kind(read_path(SOURCE, IOS17)[0], "daily_activity")
    day = days[0]
    # 9 h: phone 600, watch 550; 10 h: phone 250, watch 300; 11 h: phone 50.
    assert day.data == {
        "steps": 950,
        "walking_distance": 1.7,
        "swimming_distance": 0.75,
        "distance_unit": "km",
        "active_energy": 140.2,
        "energy_unit": "kcal",
        "average_heart_rate": 75.5,
        "minimum_heart_rate": 60.0,
        "maximum_heart_rate": 91.0,
        "resting_heart_rate": 52.0,
        "heart_rate_variability": 41.3,
        "exercise_minutes": 31,
        "stand_hours": 11,
        "active_energy_goal": 500.0,
        "exercise_minutes_goal": 30,
        "stand_hours_goal": 12,
    }
    assert (day.start, day.end) == (at("2025-03-29 00:00"), at("2025-03-29 23:59:59"))
    assert (day.offset, day.user_zone, day.revision) == (None, False, MADE)
    # The days are the user's: 23:30 UTC is half past midnight, before and after the clocks change;
    # a whole day told at once (10000) stands against the hours of the phone (8000).
    told = [(event.start.day, event.data["steps"]) for event in days[1:]]
    assert told == [(30, 70), (31, 80), (1, 10000)]


def test_the_last_weighing_of_a_day_counts() -> None:
    (body,) = of_kind(read_path(SOURCE, IOS17)[0], "body_measurement")
    assert body.data == {
        "weight": 69.85,
        "weight_unit": "kg",
        "body_fat": 18.2,
        "systolic_blood_pressure": 121,  # the 199 inside the <Correlation> is told twice
        "diastolic_blood_pressure": 79,
    }
    (food,) = of_kind(read_path(SOURCE, IOS17)[0], "nutrition")
    assert food.data == {"water": 250, "water_unit": "ml"}


def test_nights() -> None:
    night, nap, in_bed = of_kind(read_path(SOURCE, IOS17)[0], "sleep")
    # The watch knows stages, so it is believed, although SleepApp saw more. The clocks went ahead.
    assert night.data == {
        "duration": 410.0,
        "duration_unit": "minutes",
        "deep_sleep": 60.0,
        "rem_sleep": 260.0,
        "core_sleep": 90.0,
        "awake_time": 10.0,
        "time_in_bed": 460.0,
        "source_name": "Ada’s Apple Watch",
    }
    assert (night.start, night.end) == (at("2025-03-29 23:00"), at("2025-03-30 07:00"))
    assert (night.offset, night.user_zone, night.revision) == (60, True, MADE)
    assert nap.data["duration"] == 30.0
    assert (nap.start, nap.offset, nap.user_zone) == (at("2025-03-30 13:00"), 60, False)
    assert in_bed.data == {"time_in_bed": 420.0, "source_name": "Ada’s iPhone"}
    (autumn,) = of_kind(read_path(SOURCE, IOS15)[0], "sleep")
    assert (autumn.start, autumn.end) == (at("2021-10-30 23:00"), at("2021-10-31 06:00"))
    assert (autumn.data["duration"], autumn.offset) == (480.0, 120)


def test_gaps_make_nights(tmp_path: Path) -> None:
    text = health(
        sleep("Asleep", "2025-01-01 23:00:00 +0100", "2025-01-02 02:00:00 +0100"),
        sleep("Asleep", "2025-01-02 05:00:00 +0100", "2025-01-02 06:00:00 +0100"),
        sleep("Asleep", "2025-01-02 01:00:00 +0100", "2025-01-02 01:30:00 +0100"),
        sleep("Asleep", "2025-01-02 09:00:01 +0100", "2025-01-02 10:00:01 +0100"),
        sleep("Dreaming", "2025-01-02 09:00:01 +0100", "2025-01-02 10:00:01 +0100"),
    )
    events, issues = read_text(tmp_path, text)
    assert [(event.start.hour, event.data["duration"]) for event in events] == [(23, 240), (9, 60)]
    assert reasons(issues) == ["broken record"]
    assert "Dreaming is no stage of sleep" in issues[0].detail


def test_issues_have_reasons_and_positions() -> None:
    _, issues = read_path(SOURCE, IOS17)
    content = EXPORT.read_bytes()
    told = [(issue.reason, issue.detail, issue.skipped) for issue in issues]
    kind = "HKQuantityTypeIdentifierStepCount"
    times = "2025-03-31 12:00:00 +0200 – 2025-03-31 11:00:00 +0200"
    headphones = "HKQuantityTypeIdentifierHeadphoneAudioExposure: 2 records"
    assert told == [
        ("control characters, read as spaces", "", False),
        ("broken record", f"{kind}: could not convert string to float: 'many'", True),
        ("part of a workout not understood", "energy: 'lots' is not a number", False),
        ("broken record", f"Workout: {times}", True),
        ("broken record", "Workout: no 'startDate'", True),
        ("a night without sleep", "", True),
        ("a type of record that is not imported", headphones, True),
    ]
    places = [content[issue.origin.position :] for issue in issues]
    assert places[0].startswith(b"\x0bApp")
    assert places[1].split(b"/>")[0].endswith(b'value="many"')
    assert places[2].startswith(b'<Workout workoutActivityType="HKWorkoutActivityTypeSoccer"')
    assert places[5].split(b"/>")[0].endswith(b'Awake"')


def test_raw_finds_what_an_event_was_made_of() -> None:
    file = only_file(EXPORT)
    events = read_path(SOURCE, IOS17)[0]
    workout = SOURCE.raw(file, of_kind(events, "workout")[0].origin.position)
    assert workout.startswith('<Workout workoutActivityType="HKWorkoutActivityTypeRunning"')
    assert workout.endswith("</WorkoutRoute>\n </Workout>")
    day = SOURCE.raw(file, of_kind(events, "daily_activity")[0].origin.position)
    assert day.count("\n") == 6  # the record of 23:30 UTC has this date, as written
    assert all('StepCount"' in line and "2025-03-29" in line for line in day.split("\n"))
    night = SOURCE.raw(file, of_kind(events, "sleep")[0].origin.position)
    assert night.count("SleepAnalysis") == 2 * 7  # the nap began within the sixteen hours
    assert SOURCE.raw(file, 3) == ""
    assert SOURCE.raw(file, 10**9) == ""


def test_raw_is_bounded(tmp_path: Path) -> None:
    many = [record("StepCount", "1", f"2025-01-01 10:{minute:02}:00 +0100") for minute in range(50)]
    path = write(tmp_path / "export.xml", health(*many))
    (day,) = read_path(SOURCE, path)[0]
    lines = SOURCE.raw(only_file(path), day.origin.position).split("\n")
    assert len(lines) == 21
    assert lines[-1] == "… and 30 more nearby"


def test_a_rings_only_day_and_its_raw(tmp_path: Path) -> None:
    rings = '<ActivitySummary dateComponents="2025-01-02" activeEnergyBurned="100"'
    rings += ' activeEnergyBurnedUnit="kJ" appleStandHours="9"/>'
    path = write(tmp_path / "export.xml", health(rings))
    (day,) = read_path(SOURCE, path)[0]
    assert day.data == {"active_energy": 23.9, "energy_unit": "kcal", "stand_hours": 9}
    assert SOURCE.raw(only_file(path), day.origin.position) == rings


def test_sniff() -> None:
    def mine(head: bytes, name: str = "Gesundheit.txt") -> bool:
        return claims(SOURCE, head, name)

    content = EXPORT.read_bytes()
    assert mine(content)
    assert mine(content.decode().encode("utf-16"))
    assert mine(b"\xef\xbb\xbf" + content)
    assert mine(health().encode())
    # A DTD may be longer than the head.
    assert mine(b'<?xml version="1.0"?>\n<!DOCTYPE HealthData [\n' + b"<!-- -->" * 8000)
    assert not mine((EXPORT.parent / "export_cda.xml").read_bytes(), "export.xml")
    assert not mine(next(EXPORT.parent.glob("workout-routes/*")).read_bytes(), "export.xml")
    assert not mine(b"In the file it says <HealthData> and then <Record>", "export.xml")
    assert not mine(b"<?xml?><HealthDataX>", "export.xml")


def test_samples_of_other_sources_are_refused() -> None:
    for path in DATA.iterdir():
        for file in find_files(path):
            if path.name != "apple_health" and isinstance(file, ExportFile):
                with file.open() as stream:
                    assert not SOURCE.sniff(Sample("export.xml", file.size, stream.read(65536)))


def test_reading_again_gives_the_same_and_zones_do_not_change_ids() -> None:
    first, second = (read_path(SOURCE, IOS17)[0] for _ in range(2))
    assert first == second
    tokyo = read_path(SOURCE, IOS17, context("Asia/Tokyo"))[0]
    ids = [event.id for event in of_kind(first, "workout")]
    assert [event.id for event in of_kind(tokyo, "workout")] == ids
    assert len(set(ids)) == len(ids)
    # The days of nights are the user's; only naps leave theirs when the user moves.
    nights = [(event.data.get("duration"), event.id) for event in of_kind(first, "sleep")]
    moved = [(event.data.get("duration"), event.id) for event in of_kind(tokyo, "sleep")]
    assert len({id for _, id in nights}) == 3
    assert (nights[0], nights[2]) == (moved[0], moved[2])


WATCH = (
    sleep("AsleepCore", "2025-01-01 23:20:00 +0100", "2025-01-02 04:00:00 +0100"),
    sleep("AsleepREM", "2025-01-02 04:00:00 +0100", "2025-01-02 06:50:00 +0100"),
)
IN_BED = sleep("InBed", "2025-01-01 23:00:00 +0100", "2025-01-02 07:00:00 +0100", "iPhone")
NAP = sleep("Asleep", "2025-01-02 14:00:00 +0100", "2025-01-02 14:30:00 +0100")


@pytest.mark.parametrize(
    ("earlier", "later", "told"),
    [
        # The watch joins in.
        ([IN_BED], [IN_BED, *WATCH], ["01 23:20"]),
        ([IN_BED], [IN_BED, *WATCH, NAP], ["01 23:20", "02 14:00"]),
        # The first half of the night comes later, or what joins its halves.
        ([WATCH[1]], [*WATCH], ["01 23:20"]),
        (
            [
                sleep("Asleep", "2025-01-01 22:00:00 +0100", "2025-01-01 23:00:00 +0100"),
                sleep("Asleep", "2025-01-02 05:00:00 +0100", "2025-01-02 06:00:00 +0100"),
            ],
            [
                sleep("Asleep", "2025-01-01 22:00:00 +0100", "2025-01-01 23:00:00 +0100"),
                sleep("InBed", "2025-01-01 23:00:00 +0100", "2025-01-02 05:00:00 +0100"),
                sleep("Asleep", "2025-01-02 05:00:00 +0100", "2025-01-02 06:00:00 +0100"),
            ],
            ["01 22:00"],
        ),
        # A nap that the phone had not yet heard of, before the one it had.
        (
            [NAP],
            [sleep("Asleep", "2025-01-02 10:00:00 +0100", "2025-01-02 10:30:00 +0100"), NAP],
            ["02 10:00", "02 14:00"],
        ),
    ],
)
@pytest.mark.parametrize("newest_first", [False, True])
def test_a_later_export_that_knows_more_of_a_night_makes_no_second_one(
    tmp_path: Path, earlier: list[str], later: list[str], told: list[str], newest_first: bool
) -> None:
    paths = [
        write(tmp_path / "1" / "export.xml", health(*earlier, made="2025-01-03 12:00:00 +0100")),
        write(tmp_path / "2" / "export.xml", health(*later, made="2025-01-04 12:00:00 +0100")),
    ]
    with Store.open(None) as store:
        for path in reversed(paths) if newest_first else paths:
            import_paths([path], store, context(), sources=[SOURCE])
        found = store.connection.execute("SELECT start_at FROM events ORDER BY 1").fetchall()
    assert [f"{start:%d %H:%M}" for (start,) in found] == told


def test_a_night_belongs_to_the_day_of_waking_and_naps_come_after(tmp_path: Path) -> None:
    before, after = (read_text(tmp_path, health(*told))[0] for told in ([IN_BED], [NAP, *WATCH]))
    assert before[0].id == after[0].id
    assert before[0].series == after[1].series
    assert len({before[0].id, after[1].id}) == 2
    # Of two nights that follow each other, each has its own.
    night = sleep("Asleep", "2025-01-02 23:00:00 +0100", "2025-01-03 07:00:00 +0100")
    first, second = read_text(tmp_path, health(night, *WATCH))[0]
    assert (first.id == before[0].id, first.series == second.series) == (True, False)


def test_a_larger_export_tells_the_same_days_with_a_later_revision(tmp_path: Path) -> None:
    morning = record("StepCount", "100", "2025-01-01 08:00:00 +0100")
    # The phone has moved to another zone since: the same instant is written differently.
    again = record("StepCount", "100", "2025-01-01 16:00:00 +0900")
    evening = record("StepCount", "50", "2025-01-02 04:00:00 +0900")
    (small,), _ = read_text(tmp_path, health(morning, made="2025-01-01 12:00:00 +0100"))
    (large,), _ = read_text(tmp_path, health(evening, again, made="2025-01-09 12:00:00 +0100"))
    assert small.id == large.id
    assert (small.data["steps"], large.data["steps"]) == (100, 150)
    assert large.revision - small.revision == 8 * 86400


def test_zones_with_half_hours(tmp_path: Path) -> None:
    text = health(
        record("StepCount", "1", "2025-01-01 18:15:00 +0000"),
        record("StepCount", "2", "2025-01-01 18:45:00 +0000"),
        record("HeartRate", "60", "2025-01-01 18:29:59 +0000"),
        record("HeartRate", "80", "2025-01-01 18:30:00 +0000"),
        record("StepCount", "4", "2025-01-01 23:15:00 +0530"),
    )
    first, second = read_text(tmp_path, text, context("Asia/Kolkata"))[0]
    assert (first.start.day, first.data["steps"], first.data["average_heart_rate"]) == (1, 5, 60)
    assert (second.start.day, second.data["steps"], second.data["average_heart_rate"]) == (2, 2, 80)


@given(
    st.lists(
        st.tuples(st.integers(0, 2), st.integers(0, 23), st.integers(0, 59), st.integers(0, 999)),
        max_size=30,
    )
)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_of_each_hour_the_largest_source_counts(
    tmp_path: Path, told: list[tuple[int, int, int, int]]
) -> None:
    sums: dict[tuple[int, int], int] = {}
    for source, hour, _, steps in told:
        sums[hour, source] = sums.get((hour, source), 0) + steps
    expected = sum(max(sums.get((h, s), 0) for s in range(3)) for h in range(24))
    lines = [
        record("StepCount", str(steps), f"2025-01-01 {h:02}:{m:02}:00 +0100", source=f"source {s}")
        for s, h, m, steps in told
    ]
    events, _ = read_text(tmp_path, health(*lines))
    assert [event.data["steps"] for event in events] == ([expected] if told else [])
