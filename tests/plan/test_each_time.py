"""What "after" and "before" mean where something happened again and again."""

import pytest

from reqap.plan import Operator, format_plan, parse
from reqap.plan.each_time import each_time

MEALS, GAMES = 'RETRIEVE(query="I ate Thai food")', 'RETRIEVE(query="I played badminton")'
ASKED = "How often did I eat Thai food after playing badminton?"


def _since(operator: str, extreme: str = "MIN", more: str = "") -> str:
    other = f'{extreme}(l={GAMES}, attr_name="start_datetime").result'
    return f'FILTER(l={MEALS}, filter=lambda e: {more}e["start_datetime"] {operator} {other})'


def _each(mine: str, operator: str, theirs: str, more: str = "") -> str:
    times = f'APPLY(l={GAMES}, fct=lambda l: set(x["{theirs}"] for x in l)).result'
    told = f't.date() == e["start_date"] and t {operator} e["{mine}"] for t in {times}'
    return f"FILTER(l={MEALS}, filter=lambda e: {more}any({told}))"


def _joined(condition: str) -> str:
    return f'JOIN(l1={MEALS}, l2={GAMES}, condition="{condition}")'


def often(_: Operator) -> bool:
    return True


LATER = _each("start_datetime", "<=", "end_datetime")
EARLIER = _each("end_datetime", ">=", "start_datetime")


@pytest.mark.parametrize(
    ("asked", "plan", "expected"),
    [
        (ASKED, _since(">"), LATER),
        (ASKED, _since(">=", "MAX"), LATER),
        ("How often do I eat Thai food after the gym?", _since(">"), LATER),
        (ASKED.replace("after", "before"), _since("<"), EARLIER),
        (ASKED, f"APPLY(l={_since('>')}, fct=len)", f"APPLY(l={LATER}, fct=len)"),
        (
            "How often did I eat Thai food after badminton last summer?",
            _since(">", more='e["start_date"].year == 2023 and '),
            _each("start_datetime", "<=", "end_datetime", 'e["start_date"].year == 2023 and '),
        ),
        (
            ASKED,
            _joined("i1.start_datetime > i2.end_datetime"),
            _joined("i1.start_date == i2.start_date and i1.start_datetime > i2.end_datetime"),
        ),
    ],
)
def test_it_is_the_day_of_each_time(asked: str, plan: str, expected: str) -> None:
    assert format_plan(each_time(parse(plan), asked, often)) == format_plan(parse(expected))


@pytest.mark.parametrize(
    ("asked", "plan"),
    [
        ("How often did I eat Thai food since I played badminton?", _since(">")),
        ("How often did I eat Thai food after I first played badminton?", _since(">")),
        ("How often did I eat Thai food while I played badminton?", _since(">")),
        ("Did I eat Thai food after the badminton?", _since(">")),
        ("Did I eat more Thai food before or after badminton?", _since(">")),
        ("How often did I eat Thai food after I quit badminton?", _since(">")),
        (ASKED, _since("==")),
        (ASKED, _since(">").replace("played badminton", "moved to Lima")),
        (ASKED, _since(">").replace("ate Thai food", "played badminton")),
        (ASKED, _since(">").replace('RETRIEVE(query="I played', 'RETRIEVE(query="I started')),
        (ASKED, _joined("i1.start_datetime > i2.start_datetime and i1.place == i2.place")),
        (ASKED, _joined("i2.end_datetime <= i1.start_datetime <= i2.end_datetime")),
        (ASKED, _joined("i1.start_date > i2.start_date and i1.start_date < i2.end_date")),
    ],
)
def test_what_means_a_certain_time_stays(asked: str, plan: str) -> None:
    assert each_time(parse(plan), asked, often) == parse(plan)


def test_what_happened_once_stays() -> None:
    assert each_time(parse(_since(">")), ASKED, lambda _: False) == parse(_since(">"))


def test_the_step_says_how_it_was_understood() -> None:
    plan = parse(f'QUD("meals after badminton", {_since(">")})')
    changed = each_time(plan, ASKED, often)
    assert changed.question == "meals after badminton, on the same day"
