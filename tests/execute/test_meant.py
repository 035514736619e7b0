"""What plans mean where their words alone would give nothing: nights, missing rows, spellings."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

import pytest

from reqap.profile import Person, Profile
from reqap.profile.naming import Naming
from tests.execute.fakes import FakeLife, Plain, run, values


def life(*rows: Mapping[str, Plain]) -> FakeLife:
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


# -- spellings -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ('e["x"] == "BEYONCE"', [0]),
        ('e["x"] != "BEYONCE"', [1, 2]),
        ('e["x"] in ("beyonce", "sia")', [0, 1]),
        ('"beyonce" in e["l"]', [2]),
        ('"NORMA" in e["x"]', [2]),
        ('" norma" in e["x"]', [2]),
        ('" cafe" in e["x"]', []),
    ],
)
def test_texts_are_compared_without_capitals_and_accents(
    condition: str, expected: list[int]
) -> None:
    rows: list[dict[str, Plain]] = [
        {"x": "Beyoncé", "l": []}, {"x": "Sia"}, {"x": "Café Norma", "l": ["Beyoncé"]}, {},
    ]  # fmt: skip
    assert kept(condition, rows) == expected


def test_joins_compare_texts_alike() -> None:
    plan = f"JOIN(l1={read('x')}, l2={read('x').replace('q', 'r')}, condition='i1.x == i2.x')"
    lives = {"q": life({"x": "Café Norma"}), "r": life({"x": "cafe norma"}, {"x": "Norma"})}
    assert len(values(run(plan, lives))) == 1


# -- people --------------------------------------------------------------------------------------

PROFILE = Profile(
    name="Ada Obi",
    people=(
        Person("Javiera Montecinos", "partner"),
        Person("Francisco Barrientos", "friend", ("Pancho",)),
        Person("Luz Obi", "daughter"),
        Person("Sol Obi", "son"),
        Person("Freddie Bulsara", "neighbour", ("Queen",)),
    ),
)


def kept(condition: str, rows: Sequence[Mapping[str, Plain]]) -> list[int]:
    both = 'EXTRACT(l=RETRIEVE("q"), attr_names=["x", "l"], attr_types=[str, list])'
    plan = f"FILTER(l={both}, filter=lambda e: {condition})"
    found = run(plan, {"q": FakeLife(rows)}, whom=Naming(PROFILE).names)
    return [row.happenings[0] for row in found.rows]


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ('"my partner" in e["l"]', [0]),
        ('"my partner" not in e["l"]', [1, 2]),
        ('"Pancho" in e["l"]', [0, 1]),
        ('"my kids" in e["l"]', [2]),
        ('"my kids" not in e["l"]', [0, 1]),
        ('e["x"] == "partner"', [0]),
        ('"Javiera" == e["x"]', [0]),
        ('e["x"] != "my partner"', [1, 2, 3]),
        ('e["x"] in ["pancho", "my partner"]', [0, 1]),
        ('e["x"] not in ("Pancho", "my partner")', [2, 3]),
        ('"my partner" in e["x"]', [0]),
        ('any(p == "Luz" for p in e["l"])', [2]),
        ('e["x"] == "Queen"', [2]),
        ('e["x"] == "lunch with Pancho"', [3]),
    ],
)
def test_relations_and_nicknames_mean_people(condition: str, expected: list[int]) -> None:
    pancho = "Francisco Barrientos"
    rows: list[dict[str, Plain]] = [
        {"x": "Javiera Montecinos", "l": ["Javiera Montecinos", pancho]},
        {"x": pancho, "l": [pancho]},
        {"x": "Queen", "l": ["Luz Obi"]},
        {"x": "Lunch with Pancho"},
        {},
    ]
    assert kept(condition, rows) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mark", []), ("Mark", ["Mark Lee"]), ("my boss", ["Mark Lee"]), ("boss", ["Mark Lee"]),
        ("my sister", []), ("Mark and Ann", []), ("", []),
    ],
)  # fmt: skip
def test_a_text_means_people_if_it_says_nothing_else(text: str, expected: list[str]) -> None:
    assert Naming(Profile(people=(Person("Mark Lee", "boss"),))).names(text) == expected
