"""What plans mean where their words alone would give nothing: nights, and rows that tell nothing."""

from datetime import datetime, timedelta

import pytest

from tests.execute.fakes import FakeLife, Plain, run, values


def life(*rows: dict[str, Plain]) -> FakeLife:
    return FakeLife(rows)


def read(attr: str, kind: str = "str") -> str:
    return f'EXTRACT(l=RETRIEVE("q"), attr_names=["{attr}"], attr_types=[{kind}])'


# -- nights --------------------------------------------------------------------------------------

HOURS = (1, 5, 6, 12, 21, 22, 23)


def begun_when(condition: str) -> list[int]:
    starts = [datetime(2024, 1, 1, hour) for hour in HOURS]
    spans = [(start, start + timedelta(minutes=30)) for start in starts]
    told = FakeLife([{"t": hour} for hour in HOURS], spans)
    plan = f"FILTER(l={read('t', 'int')}, filter=lambda e: {condition})"
    return [row["t"] for row in values(run(plan, {"q": told}))]  # type: ignore[misc]


@pytest.mark.parametrize(
    "condition",
    [
        'time(22) <= e["start_time"] < time(6)',
        'time(6) > e["start_time"] >= time(22)',
        'e["start_time"] >= time(22) and e["start_time"] < time(6)',
        'e["start_time"] < time(6) and e["t"] > 0 and time(22) <= e["start_time"]',
        '"22:00" <= e["start_time"] < "06:00"',
        'e["start_time"].hour >= 22 and e["start_time"].hour < 6',
        '22 <= e["start_datetime"].hour < 6',
    ],
)
def test_times_of_day_go_over_midnight(condition: str) -> None:
    assert begun_when(condition) == [1, 5, 22, 23]


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ('time(6) <= e["start_time"] < time(22)', [6, 12, 21]),
        ('not (time(22) <= e["start_time"] < time(6))', [6, 12, 21]),
        ('time(22) <= e["start_time"] < time(6) and e["t"] > 4', [5, 22, 23]),
        ('e["start_time"] >= time(22) and e["end_time"] < time(6)', []),
        ('e["start_time"] >= time(22) or e["start_time"] < time(2)', [1, 22, 23]),
        ('22 <= e["t"] < 6', []),
    ],
)
def test_other_bounds_mean_what_they_say(condition: str, expected: list[int]) -> None:
    assert begun_when(condition) == expected


# -- ARGMIN and ARGMAX ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("plan", "expected"),
    [
        (f'ARGMIN({read("who")}, "start_datetime", "who")', ["Ann"]),
        (f'ARGMAX({read("who")}, "start_datetime", "who")', ["Bo"]),
        (f'ARGMIN({read("who")}, "start_datetime")', [None]),
        (f'ARGMIN({read("people", "list")}, "start_datetime", "people")', [["Cy"]]),
        (f'ARGMIN({read("nothing")}, "start_datetime", "nothing")', []),
    ],
)
def test_rows_that_do_not_tell_what_is_asked_take_no_part(plan: str, expected: object) -> None:
    told = life(
        {"people": []}, {"who": "Ann"}, {"people": ["Cy"]}, {"who": "Bo"}, {"people": ["Di"]}, {}
    )
    found = values(run(plan, {"q": told}))
    assert [list(row.values())[-1] for row in found] == expected
