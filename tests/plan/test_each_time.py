"""What "after" and "before" mean where something happened again and again."""

import pytest

from reqap.plan import Operator, format_plan, parse
from reqap.plan.each_time import each_time

MEALS, GAMES = 'RETRIEVE(query="I ate Thai food")', 'RETRIEVE(query="I played badminton")'
ASKED = "How often did I eat Thai food after playing badminton?"


def _since(operator: str, extreme: str = "MIN", more: str = "") -> str:
    other = f'{extreme}(l={GAMES}, attr_name="start_datetime").result'
    return f'FILTER(l={MEALS}, filter=lambda e: {more}e["start_datetime"] {operator} {other})'


def _each(told: str, name: str = "start_datetime", more: str = "") -> str:
    times = f'APPLY(l={GAMES}, fct=lambda l: set(x["{name}"] for x in l)).result'
    return f"FILTER(l={MEALS}, filter=lambda e: {more}{told.format(times)})"


def _joined(condition: str) -> str:
    return f'JOIN(l1={MEALS}, l2={GAMES}, condition="{condition}")'


def often(_: Operator) -> bool:
    return True


AFTER = (
    'any(t.date() == e["start_date"] and (t <= e["start_datetime"]'
    ' or e["start_time"] is None) for t in {})'
)
LATER = _each(AFTER)
EARLIER = _each(
    'any(t.date() == e["start_date"] and (t >= e["start_datetime"]'
    ' or e["start_time"] is None or t.time() == time(0)) for t in {})'
)
READ = f'EXTRACT(l={GAMES}, attr_names=["start_date"], attr_types=[date.fromisoformat])'


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
            _each(AFTER, more='e["start_date"].year == 2023 and '),
        ),
        (
            ASKED,
            _joined("i1.start_datetime > i2.end_datetime"),
            _joined(
                "i1.start_date == i2.start_date and (i1.start_datetime >= i2.start_datetime"
                " or i1.start_time is None)"
            ),
        ),
        (
            ASKED,
            _joined("i1.start_date < i2.start_date"),
            _joined(
                "i2.start_date == i1.start_date and (i2.start_datetime >= i1.start_datetime"
                " or i2.start_time is None)"
            ),
        ),
        ("After badminton, where did we get Thai food?", _since(">"), LATER),
        # Where days are read from texts, no hours are known.
        (
            ASKED,
            _since(">").replace(GAMES, READ),
            _each('e["start_date"] in {}', "start_date").replace(GAMES, READ),
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
        ("What did I do after the badminton?", _since(">")),
        ("What did I eat the day after badminton?", _since(">")),
        ("How often did I eat Thai food after breaking up with Ann?", _since(">")),
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


def test_a_join_is_measured_by_the_side_that_the_question_names() -> None:
    def recurs(plan: Operator) -> bool:
        return plan == parse(GAMES)

    later = parse(_joined("i1.start_datetime > i2.end_datetime"))
    assert each_time(later, ASKED, recurs) != later
    assert each_time(later, ASKED.replace("after", "before"), recurs) == later


def test_what_happened_once_stays() -> None:
    assert each_time(parse(_since(">")), ASKED, lambda _: False) == parse(_since(">"))


def test_the_step_says_how_it_was_understood() -> None:
    plan = parse(f'QUD("meals after badminton", {_since(">")})')
    changed = each_time(plan, ASKED, often)
    assert changed.question == "meals after badminton, on the same day"
