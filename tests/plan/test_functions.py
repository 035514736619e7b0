"""Plug-in functions: how they are registered, and what plans make of them."""

from collections.abc import Callable
from datetime import date, datetime

import pytest

from reqap.errors import PlanError
from reqap.plan import Checked, Functions, check, parse
from tests.plan.strategies import TYPED_EVENTS as EVENTS


def checked(text: str, functions: Functions) -> Checked:
    return check(parse(text, functions), functions)


def plug_ins() -> Functions:
    functions = Functions()

    @functions.register
    def workdays(start: date, end: date) -> int:
        return 0

    @functions.register
    def pace(minutes: float, km: float | None) -> float:
        return 0.0

    @functions.register
    def holidays(country: str, around: datetime) -> list[date]:
        return []

    return functions


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("workdays(a['day'], date.today())", "int"),
        ("pace(a['price'], 3)", "float"),
        ("pace(a['count'], a['count'])", "float"),
        ("holidays('de', a['moment'])", "list[date]"),
        ("a['day'] in holidays('de', a['moment'])", "bool"),
        ("workdays(a['day'], MIN(EXTRACT(RETRIEVE('x'), ['d'], [date]), 'd').result)", "int"),
    ],
)
def test_plug_in_functions_give_what_they_are_declared_to_give(body: str, kind: str) -> None:
    found = checked(f'MAP({EVENTS}, lambda a: {body}, "f")', plug_ins())
    assert str(found.schema.attributes["f"]) == kind


def test_a_plug_in_function_by_its_name() -> None:
    functions = Functions()

    @functions.register
    def rounded(x: float) -> int:
        return round(x)

    schema = checked(f'APPLY(SUM({EVENTS}, "price"), fct=rounded)', functions).schema
    assert str(schema.value) == "int"
    assert list(functions) == ["rounded"]
    assert len(functions) == 1
    assert "rounded" in functions
    assert functions.get("other") is None


def one_function() -> Functions:
    functions = Functions()

    @functions.register
    def pace(minutes: float, km: float) -> float:
        return minutes / km

    return functions


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("pace(1.0)", "the arguments do not fit"),
        ("pace(1.0, 2.0, 3.0)", "the arguments do not fit"),
        ("pace(1.0, km=2.0)", "the arguments do not fit"),
        ("pace('a', 2.0)", "str where float is needed"),
        ("pace(a['names'], 2.0)", "list[str] where float is needed"),
        ("pace(a, 2.0)", "not a value"),
    ],
)
def test_arguments_of_plug_in_functions_are_checked(body: str, what: str) -> None:
    with pytest.raises(PlanError) as caught:
        checked(f'MAP({EVENTS}, lambda a: {body}, "b")', one_function())
    assert what in caught.value.what
    if "value" not in what:
        assert caught.value.expected == "pace(float, float) -> float"


def test_a_function_that_is_not_registered_is_unknown_when_checked() -> None:
    plan = parse(f'MAP({EVENTS}, lambda a: pace(1, 2), "b")', {"pace"})
    with pytest.raises(PlanError, match="there is no function pace"):
        check(plan)


def _untyped(x, y):  # type: ignore[no-untyped-def]
    return x


def _no_result(x: int):  # type: ignore[no-untyped-def]
    return x


def _odd_type(x: dict[str, int]) -> int:
    return 0


def _odd_result(x: int) -> object:
    return x


def _two_types(x: int | str) -> int:
    return 0


@pytest.mark.parametrize("function", [_untyped, _no_result, _odd_type, _odd_result, _two_types])
def test_functions_need_types_that_plans_know(function: Callable[..., object]) -> None:
    function.__name__ = "plain"
    with pytest.raises(PlanError):
        Functions().register(function)


@pytest.mark.parametrize("name", ["len", "RETRIEVE", "_hidden", "<lambda>", "", "lambda", "a b"])
def test_functions_need_a_name_of_their_own(name: str) -> None:
    def function(x: int) -> int:
        return x

    function.__name__ = name
    with pytest.raises(PlanError):
        Functions().register(function)


def test_a_name_is_taken_once() -> None:
    functions = one_function()

    def pace(x: int) -> int:
        return x

    with pytest.raises(PlanError, match="taken"):
        functions.register(pace)
