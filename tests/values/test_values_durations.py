"""Durations: clock forms, ISO 8601 and words by example, the printed text by round trip."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reqap.errors import ValueProblem
from reqap.values import format_duration, parse_duration

HOUR, MINUTE, SECOND = timedelta(hours=1), timedelta(minutes=1), timedelta(seconds=1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1:02:03", HOUR + 2 * MINUTE + 3 * SECOND),
        ("02:03", 2 * MINUTE + 3 * SECOND),
        ("90:00", 90 * MINUTE),
        ("0:45:00", 45 * MINUTE),
        ("100:00:00", 100 * HOUR),
        ("1:02:03.456", HOUR + 2 * MINUTE + 3.456 * SECOND),
        ("-1:00:00", -HOUR),
        ("PT1H30M", 90 * MINUTE),
        ("P1DT2H", 26 * HOUR),
        ("P2W", timedelta(weeks=2)),
        ("PT45.5S", 45.5 * SECOND),
        ("PT0,5H", 30 * MINUTE),
        ("-PT1H", -HOUR),
        ("pt1h30m", 90 * MINUTE),
        ("90 min", 90 * MINUTE),
        ("90min", 90 * MINUTE),
        ("1h 30m", 90 * MINUTE),
        ("1h30", 90 * MINUTE),
        ("1h30m15s", 90 * MINUTE + 15 * SECOND),
        ("1 h 30 min", 90 * MINUTE),
        ("1 hr, 30 mins.", 90 * MINUTE),
        ("1.5 hours", 90 * MINUTE),
        ("1,5 Stunden", 90 * MINUTE),
        ("1,500 ms", 1.5 * SECOND),
        ("2 hours and 5 minutes", 125 * MINUTE),
        ("2 horas y 5 minutos", 125 * MINUTE),
        ("2 heures et 5 minutes", 125 * MINUTE),
        ("45 Minuten", 45 * MINUTE),
        ("3 days", 72 * HOUR),
        ("500 ms", 0.5 * SECOND),
        ("7 µs", timedelta(microseconds=7)),
        ("1 day, 2:03:04", 26 * HOUR + 3 * MINUTE + 4 * SECOND),
        ("two and a half hours", 150 * MINUTE),
        ("half an hour", 30 * MINUTE),
        ("an hour and a half", 90 * MINUTE),
        ("twenty-one minutes", 21 * MINUTE),
        ("- 5 min", -5 * MINUTE),
        ("108'", 108 * MINUTE),
        ("1h05’", 65 * MINUTE),
        ("45'30\"", 45 * MINUTE + 30 * SECOND),
        ("40-minute", 40 * MINUTE),
        ("three quarters of an hour", 45 * MINUTE),
        ("an hour and a quarter of an hour", 75 * MINUTE),
    ],
)
def test_duration_spellings(text: str, expected: timedelta) -> None:
    assert parse_duration(text) == expected


@pytest.mark.parametrize(
    ("value", "unit", "expected"),
    [
        ("02:03", "h:m", 2 * HOUR + 3 * MINUTE),
        ("1:02:03", "h:m", HOUR + 2 * MINUTE + 3 * SECOND),
        (1500, "ms", 1.5 * SECOND),
        ("1500", "milliseconds", 1.5 * SECOND),
        ("1e3", "ms", SECOND),
        (90, "sec", 90 * SECOND),
        (90, "min", 90 * MINUTE),
        (1.5, "h", 90 * MINUTE),
        (2, "days", 48 * HOUR),
        (5, "m", 5 * MINUTE),
        ("5 h", "min", 5 * HOUR),
        ("-5", "s", -5 * SECOND),
        (timedelta(1), "ms", timedelta(1)),
    ],
)
def test_durations_with_a_unit(value: object, unit: str, expected: timedelta) -> None:
    assert parse_duration(value, unit) == expected


def test_missing_durations() -> None:
    for value in (None, "", "N/A", float("nan")):
        assert parse_duration(value, "ms") is None


@pytest.mark.parametrize(
    ("value", "unit"),
    [
        ("5", None),
        (5, None),
        ("abc", None),
        ("min", None),
        ("hours 5", None),
        ("1:75", None),
        ("1 h -30 min", None),
        ("--5 min", None),
        ("P", None),
        ("PT", None),
        ("P1Y", None),
        ("P1M", None),
        ("3 months", None),
        ("5 km", None),
        ("999999999999 d", None),
        ("P99999999999999D", None),
        ("5 h 5 foo", None),
        ("9" * 1000 + " s", None),
        (1e308, "d"),
        (float("inf"), "s"),
        (10**40, "s"),
        (5, "parsecs"),
        (5, "months"),
        ("5", "h:m"),
        (True, "s"),
        (b"5", "s"),
    ],
)
def test_what_is_not_a_duration(value: object, unit: str | None) -> None:
    with pytest.raises(ValueProblem):
        parse_duration(value, unit)


@pytest.mark.parametrize(
    ("duration", "text"),
    [
        (timedelta(0), "0 s"),
        (90 * MINUTE, "1 h 30 min"),
        (timedelta(days=2, seconds=5), "2 d 5 s"),
        (1.25 * SECOND, "1.25 s"),
        (-HOUR, "-1 h"),
    ],
)
def test_format_duration(duration: timedelta, text: str) -> None:
    assert format_duration(duration) == text


@given(st.timedeltas())
@settings(deadline=None)
def test_durations_round_trip(duration: timedelta) -> None:
    assert parse_duration(format_duration(duration)) == duration
    if abs(duration.days) < 10**8:
        assert parse_duration(str(duration)) == duration


@given(st.integers(0, 10**6), st.integers(0, 59), st.integers(0, 59))
@settings(deadline=None)
def test_clock_and_iso_round_trip(hours: int, minutes: int, seconds: int) -> None:
    expected = timedelta(hours=hours, minutes=minutes, seconds=seconds)
    for text in (
        f"{hours}:{minutes:02}:{seconds:02}",
        f"PT{hours}H{minutes}M{seconds}S",
        f"{hours} h {minutes} min {seconds} s",
        f"{hours} hours, {minutes} minutes and {seconds} seconds",
        f"{hours} Std. {minutes} Min. {seconds} Sek.",
    ):
        assert parse_duration(text) == expected
    assert parse_duration(f"{hours}:{minutes:02}", "h:m") == expected - seconds * SECOND
    assert parse_duration(f"{hours}:{minutes:02}") == timedelta(minutes=hours, seconds=minutes)
