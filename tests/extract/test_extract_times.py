"""EXTRACT by an event's own times."""

from datetime import date, datetime, time, timedelta

import pytest

from reqap.events import Value
from tests.extract.lives import an_event, extract, told, value

START = datetime(2024, 5, 1, 19, 30, 15)  # a Wednesday


@pytest.mark.parametrize(
    ("asked", "type_name", "expected"),
    [
        ("start_datetime", "datetime", START),
        ("start", "datetime", START),
        ("start_date", "date", date(2024, 5, 1)),
        ("date", "date", date(2024, 5, 1)),
        ("purchase_date", "date", date(2024, 5, 1)),
        ("visit_date", "str", "2024-05-01"),
        ("day", "date", date(2024, 5, 1)),
        ("day", "int", 1),
        ("start_time", "time", time(19, 30, 15)),
        ("time", "str", "19:30:15"),
        ("date_time", "str", "2024-05-01 19:30:15"),
        ("date", "datetime", START),
        ("end_datetime", "datetime", START + timedelta(hours=6)),
        ("end_date", "date", date(2024, 5, 2)),
        ("end_time", "time", time(1, 30, 15)),
        ("weekday", "str", "Wednesday"),
        ("day_of_week", "str", "Wednesday"),
        ("weekday", "int", 2),
        ("day_name", "str", "Wednesday"),
        ("is_weekend", "bool", False),
        ("week_number", "int", 18),
        ("month_number", "int", 5),
        ("year_month", "str", "2024-05"),
        ("month_of_year", "str", "May"),
        ("quarter", "str", "Q2"),
        ("quarter", "int", 2),
        ("part_of_day", "str", "evening"),
        ("month", "str", "May"),
        ("month", "int", 5),
        ("year", "int", 2024),
        ("year", "str", "2024"),
        ("hour", "int", 19),
        ("start_hour", "float", 19.0),
        ("weekday_sent", "str", "Wednesday"),
        ("hour_of_visit", "int", 19),
        ("year_written", "int", 2024),
        ("year_founded", "int", None),
        ("months_held", "int", None),
        ("years_used", "int", None),
        ("year_month", "date", date(2024, 5, 1)),
        ("week", "int", 18),
        ("date", "bool", None),
        ("date", "list", None),
        ("date", "int", None),
    ],
)
def test_parts_of_the_start_and_the_end(asked: str, type_name: str, expected: object) -> None:
    assert value({}, asked, type_name, start=START, minutes=360) == expected


@pytest.mark.parametrize(("days", "nights"), [(3, 3), (1, 1), (0, None)])
def test_nights_are_those_between_the_days(days: int, nights: int | None) -> None:
    minutes = days * 24 * 60 + 120
    for asked in ("nights", "number_of_nights", "nights_away"):
        assert value({}, asked, "int", start=START, minutes=minutes) == nights
    assert value({}, "night_shift", "int", start=START, minutes=minutes) is None


def test_where_says_which_end() -> None:
    assert told({}, "date", "date")[2] == "start of the event"
    assert told({}, "end_date", "date")[2] == "end of the event"


def test_a_data_key_of_that_name_comes_first() -> None:
    found = told({"end_date": "2024-06-30"}, "end_date", "date")
    assert found == (date(2024, 6, 30), None, "data key end_date")


def test_a_day_without_a_time_has_no_part_of_it() -> None:
    assert value({}, "part_of_day", "str", start=datetime(2024, 5, 1), minutes=0) is None


def test_the_parts_of_a_night_last_as_it_does() -> None:
    night: dict[str, Value] = {"duration": 413, "duration_unit": "minutes", "deep_sleep": 70.5}
    assert value(night, "deep_sleep", "timedelta", minutes=413) == timedelta(minutes=70.5)
    assert value(night, "deep_sleep_hours", "float", minutes=413) == pytest.approx(1.175)


@pytest.mark.parametrize("asked", ["birth_date", "due_date", "release_year", "ship_date"])
def test_the_date_of_something_else_is_not_the_date_of_the_event(asked: str) -> None:
    assert value({"text": "hello"}, asked, "str") is None
    assert value({"birth_date": "1960-10-05"}, "birth_date", "date") == date(1960, 10, 5)
    assert value({"since": "1960-10-05"}, "birthday", "date") == date(1960, 10, 5)


@pytest.mark.parametrize("minutes", [0, 24 * 60, 72 * 60 - 1 / 60])
def test_days_without_a_time_have_no_time(minutes: float) -> None:
    midnight = datetime(2024, 5, 1)
    assert value({}, "start_time", "time", start=midnight, minutes=minutes) is None
    assert value({}, "hour", "int", start=midnight, minutes=minutes) is None
    assert value({}, "start_date", "date", start=midnight, minutes=minutes) == midnight.date()
    assert value({}, "start_time", "time", start=midnight, minutes=60) == time()


@pytest.mark.parametrize(
    ("asked", "type_name", "expected", "unit"),
    [
        ("duration", "timedelta", timedelta(minutes=90), None),
        ("duration", "float", 90.0, "min"),
        ("how_long", "int", 90, "min"),
        ("hours", "float", 1.5, "h"),
        ("duration_seconds", "int", 5400, "s"),
        ("listening_time", "float", 90.0, "min"),
        ("hours_slept", "float", 1.5, "h"),
        ("outing_hours", "float", 1.5, "h"),
    ],
)
def test_a_duration_is_end_less_start(
    asked: str, type_name: str, expected: object, unit: str | None
) -> None:
    assert told({}, asked, type_name, minutes=90) == (expected, unit, "start and end of the event")
    assert told({}, asked, type_name, minutes=0) == (None, None, None)


def test_a_duration_in_the_data_comes_before_the_span() -> None:
    data: dict[str, Value] = {"duration": 20, "duration_unit": "minutes"}
    assert told(data, "duration", "float", minutes=90) == (20.0, "min", "data key duration")


def test_a_duration_without_a_unit_gives_way_to_the_span() -> None:
    assert told({"duration": 20}, "duration_minutes", "float", minutes=90)[0] == 90.0


def test_whole_days_count_as_whole() -> None:
    midnight = datetime(2024, 5, 1)
    assert value({}, "days", "float", start=midnight, minutes=2 * 1440 - 1 / 60) == 2.0


def test_own_times_keep_the_order_asked() -> None:
    days = [datetime(2024, 1, 1 + n % 28) for n in range(120)]
    events = [an_event({}, number=n, start=day) for n, day in enumerate(days)]
    assert [row[0] for row in extract(events, "date", "date")] == [day.date() for day in days]
