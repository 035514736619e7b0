"""Feasts by which people date things."""

from datetime import date, timedelta

import pytest

from reqap.values.feasts import easter, feast_days, feast_on

WRITTEN = date(2022, 10, 12)


@pytest.mark.parametrize(
    ("piece", "days"),
    [
        ("on Boxing Day", [date(2021, 12, 26), date(2022, 12, 26)]),
        ("Christmas Eve 2019", [date(2019, 12, 24)]),
        ("Halloween night", [date(2021, 10, 31), date(2022, 10, 31)]),
        ("the Fourth of July", [date(2022, 7, 4), date(2023, 7, 4)]),
        ("St. Patrick’s Day", [date(2022, 3, 17), date(2023, 3, 17)]),
        ("Easter Monday", [date(2022, 4, 18), date(2023, 4, 10)]),
        ("Good Friday, 2021", [date(2021, 4, 2)]),
        ("Thanksgiving", [date(2021, 11, 25), date(2022, 11, 24)]),
        ("Canadian Thanksgiving", [date(2022, 10, 10), date(2023, 10, 9)]),
        ("Memorial Day", [date(2022, 5, 30), date(2023, 5, 29)]),
        ("the 4th of July", [date(2022, 7, 4), date(2023, 7, 4)]),
        ("last Christmas", [date(2021, 12, 25)]),
        ("last New Year's Eve", [date(2021, 12, 31)]),
        ("last Easter", [date(2022, 4, 17)]),
        ("next Easter", [date(2023, 4, 9)]),
        ("Christmas '21", [date(2021, 12, 25)]),
        ("the Christmas party", []),
        ("Saturday", []),
        ("", []),
    ],
)
def test_feasts_are_days(piece: str, days: list[date]) -> None:
    found = feast_days(piece, WRITTEN)
    assert sorted(found) == days


def test_the_nearest_comes_first() -> None:
    assert feast_days("Christmas", date(2022, 1, 3))[0] == date(2021, 12, 25)
    assert feast_days("Christmas", date(2022, 12, 3))[0] == date(2022, 12, 25)


def test_feasts_at_the_ends_of_time() -> None:
    assert feast_days("Christmas", date.min)
    assert feast_days("Easter", date.max)


@pytest.mark.parametrize(
    "day", ["1981-04-19", "2008-03-23", "2024-03-31", "2025-04-20", "2038-04-25", "2076-04-19"]
)
def test_easter(day: str) -> None:
    assert easter(int(day[:4])) == date.fromisoformat(day)


def test_what_feast_a_day_is() -> None:
    assert feast_on(date(2023, 12, 31)) == "New Year's Eve"
    assert feast_on(date(2024, 3, 31)) == feast_on(easter(2025)) == "Easter"
    assert feast_on(date(2023, 12, 30)) == ""
    assert sum(feast_on(date(2023, 1, 1) + timedelta(days=n)) != "" for n in range(365)) == 6
