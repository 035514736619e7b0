"""Functions of one's own in plans: registering, types, missing arguments, failures."""

from collections.abc import Callable
from datetime import date, datetime, time, timedelta

import pytest

from reqap.errors import ExecutionProblem, PlanError
from reqap.plan import Functions
from tests.execute.fakes import FakeLife, Plain, run, values

E = """EXTRACT(
    RETRIEVE("q"),
    ["flag", "count", "km", "title", "day", "clock", "moment", "length", "tags"],
    [bool, int, float, str, date, time, datetime, timedelta, list],
)"""
FULL: dict[str, Plain] = {
    "flag": True,
    "count": 7,
    "km": 2.5,
    "title": "Grüße",
    "day": date(2024, 2, 29),
    "clock": time(23, 30),
    "moment": datetime(2024, 2, 29, 23, 30, 0, 5),
    "length": timedelta(days=1, microseconds=3),
    "tags": ["a", "b"],
}
LIFE = FakeLife([FULL, {}])


def registered(*functions: Callable[..., object]) -> Functions:
    known = Functions()
    for function in functions:
        known.register(function)
    return known


def mapped(text: str, *functions: Callable[..., object]) -> list[object]:
    plan = f'MAP({E}, lambda a: {text}, "r")'
    return [row["r"] for row in values(run(plan, {"q": LIFE}, functions=registered(*functions)))]


# -- types ---------------------------------------------------------------------------------------


def neither(flag: bool) -> bool:
    return not flag


def successor(count: int) -> int:
    return count + 1


def pace(minutes: float, km: float) -> float:
    return minutes / km


def shout(text: str) -> str:
    return text.upper() + "!"


def next_day(day: date) -> date:
    return day + timedelta(days=1)


def an_hour_earlier(clock: time) -> time:
    return clock.replace(hour=(clock.hour - 1) % 24)


def new_year(moment: datetime) -> datetime:
    return moment.replace(month=1, day=1)


def doubled(length: timedelta) -> timedelta:
    return length * 2


def backwards(words: list[str]) -> list[str]:
    return words[::-1]


def total(numbers: list[int]) -> int:
    return sum(numbers)


def days_around(day: date) -> list[date]:
    return [day - timedelta(days=1), day + timedelta(days=1)]


@pytest.mark.parametrize(
    ("text", "function", "expected"),
    [
        ('neither(a["flag"])', neither, False),
        ('successor(a["count"])', successor, 8),
        ('pace(a["km"], 5.0)', pace, 0.5),
        ('pace(a["count"], 2)', pace, 3.5),
        ('shout(a["title"])', shout, "GRÜSSE!"),
        ('next_day(a["day"])', next_day, date(2024, 3, 1)),
        ('an_hour_earlier(a["clock"])', an_hour_earlier, time(22, 30)),
        ('new_year(a["moment"])', new_year, datetime(2024, 1, 1, 23, 30, 0, 5)),
        ('doubled(a["length"])', doubled, timedelta(days=2, microseconds=6)),
        ('doubled(-a["length"])', doubled, timedelta(days=-2, microseconds=-6)),
        ('backwards(a["tags"])', backwards, ["b", "a"]),
        ('total([a["count"], 3])', total, 10),
        ('days_around(a["day"])[1]', days_around, date(2024, 3, 1)),
        ('len(days_around(a["day"]))', days_around, 2),
        ('next_day(next_day(a["day"])).day', next_day, 2),
        ('shout(a["title"].lower()) + "?"', shout, "GRÜSSE!?"),
    ],
)
def test_values_of_every_type_go_in_and_out(
    text: str, function: Callable[..., object], expected: Plain
) -> None:
    got = mapped(text, function)[0]
    assert got == expected
    assert type(got) is type(expected)


def test_where_an_argument_is_missing_the_function_is_not_called() -> None:
    seen: list[float] = []

    def noted(minutes: float, km: float) -> float:
        seen.append(km)
        return minutes

    assert mapped('noted(a["km"], 1.0)', noted) == [2.5, None]
    assert mapped('noted(1.0, a["km"])', noted) == [1.0, None]
    assert set(seen) == {1.0, 2.5}


def test_a_result_of_none_is_missing() -> None:
    def perhaps(text: str) -> str | None:
        return None if text.startswith("G") else text

    assert mapped('perhaps(a["title"])', perhaps) == [None, None]
    assert mapped('perhaps("x") if a["title"] else "y"', perhaps) == ["x", "y"]


def test_missing_items_of_a_list_are_left_out() -> None:
    assert mapped('total([a["count"], 3])', total) == [10, 3]


# -- where they stand ----------------------------------------------------------------------------

PRICES = FakeLife([{"km": 1.0, "title": "a"}, {"km": 4.0, "title": "b"}, {"title": "b"}])
KM = 'EXTRACT(RETRIEVE("q"), ["km", "title"], [float, str])'


def far(km: float) -> bool:
    return km > 2


def spread(numbers: list[float]) -> float:
    return max(numbers) - min(numbers)


@pytest.mark.parametrize(
    ("plan", "expected"),
    [
        (f'APPLY(FILTER({KM}, lambda a: far(a["km"])), len)', 1),
        (f'APPLY(FILTER({KM}, lambda a: not far(a["km"])), len)', 1),
        (f'APPLY({KM}, lambda l: sum(far(e["km"]) for e in l))', 1),
        (f'APPLY({KM}, lambda l: len([e for e in l if far(e["km"])]))', 1),
        (f'APPLY({KM}, lambda l: spread([e["km"] for e in l if e["km"] is not None]))', 3.0),
        (f'APPLY(SUM({KM}, "km"), lambda total: pace(total, 2.0))', 2.5),
        (f'SUM(MAP({KM}, lambda a: pace(a["km"], 0.5), "r"), "r")', 10.0),
        (f'MAX(MAP(GROUP_BY({KM}, ["title"]), lambda g: successor(len(g)), "n"), "n")', 3),
        (f'APPLY({KM}, lambda l: max(l, key=lambda e: pace(1.0, e["km"]))["km"])', 1.0),
        (f'APPLY(FILTER({KM}, lambda a: any(shout(x) == "A!" for x in [a["title"]])), len)', 1),
    ],
)
def test_functions_stand_wherever_expressions_do(plan: str, expected: Plain) -> None:
    known = registered(far, spread, pace, successor, shout)
    (row,) = values(run(plan, {"q": PRICES}, functions=known))
    assert (row["#value"] if "#value" in row else row["apply_result"]) == expected


def test_a_function_may_be_given_by_name() -> None:
    plan = f'APPLY(SUM({KM}, "km"), doubled_number)'

    def doubled_number(number: float) -> float:
        return number * 2

    (row,) = values(run(plan, {"q": PRICES}, functions=registered(doubled_number)))
    assert row == {"#value": 10.0}


def test_functions_in_join_conditions() -> None:
    def near(one: float, other: float) -> bool:
        return abs(one - other) < 1

    plan = f'JOIN({KM}, {KM}, "near(i1.km, i2.km)")'
    assert len(values(run(plan, {"q": PRICES}, functions=registered(near)))) == 2


# -- failures ------------------------------------------------------------------------------------


def test_an_exception_inside_says_which_function_and_step() -> None:
    with pytest.raises(ExecutionProblem) as caught:
        mapped('pace(a["km"], 0.0)', pace)
    assert "MAP (step 1)" in str(caught.value)
    assert "pace" in str(caught.value)
    assert "division by zero" in str(caught.value)


@pytest.mark.parametrize(
    "problem", [ValueError("no such day"), KeyError("x"), RecursionError("deep"), OSError("disk")]
)
def test_any_exception_is_a_problem_of_the_plan(problem: Exception) -> None:
    def failing(text: str) -> str:
        raise problem

    with pytest.raises(ExecutionProblem, match="failing"):
        mapped('failing(a["title"])', failing)


def test_a_result_of_another_type_than_promised_is_an_error() -> None:
    def lying(text: str) -> int:
        return text  # type: ignore[return-value]

    with pytest.raises(ExecutionProblem, match="lying"):
        mapped('lying(a["title"])', lying)


def test_the_engine_works_after_a_failure() -> None:
    with pytest.raises(ExecutionProblem):
        mapped('pace(a["km"], 0.0)', pace)
    assert mapped('pace(a["km"], 1.0)', pace) == [2.5, None]


# -- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        'pace(a["km"])',
        'pace(a["km"], 1.0, 2.0)',
        'pace(minutes=a["km"], km=1.0)',
        'pace(a["title"], 1.0)',
        'successor(a["km"])',
        'next_day(a["moment"])',
        'backwards(a["title"])',
        'total(a["tags"])',
    ],
)
def test_arguments_that_do_not_fit_are_refused_before_running(text: str) -> None:
    with pytest.raises(PlanError, match=r"pace\(|successor\(|next_day\(|backwards\(|total\("):
        mapped(text, pace, successor, next_day, backwards, total)


def test_unknown_functions_are_refused() -> None:
    with pytest.raises(PlanError, match="no function speed"):
        mapped('speed(a["km"])', pace)


@pytest.mark.parametrize(
    "name", ["len", "date", "sorted", "SUM", "RETRIEVE", "_hidden", "lambda", "pace", "", "a b"]
)
def test_names_that_are_taken_or_no_names_are_refused(name: str) -> None:
    def function(text: str) -> str:
        return text

    function.__name__ = name
    with pytest.raises(PlanError):
        registered(pace, function)


def test_signatures_that_plans_cannot_know_are_refused() -> None:
    def untyped(text):  # type: ignore[no-untyped-def]
        return text

    def nothing_back(text: str) -> None:
        return None

    def strange(text: dict[str, int]) -> int:
        return len(text)

    def nested(text: list[list[str]]) -> int:
        return len(text)

    def several(*texts: str) -> str:
        return "".join(texts)

    def options(text: str, *, loud: bool) -> str:
        return text.upper() if loud else text

    for function in (untyped, nothing_back, strange, nested, several, options):
        with pytest.raises(PlanError):
            registered(function)


def test_a_function_can_be_registered_as_a_decorator_and_stays_a_function() -> None:
    known = Functions()

    @known.register
    def twice(number: float) -> float:
        return 2 * number

    assert twice(2.0) == 4.0
    assert list(known) == ["twice"]
