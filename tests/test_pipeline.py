"""From a question to an answer, where the data decide what was meant."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta

import pytest

from reqap.execute import Engine, Limits
from reqap.pipeline import ask
from reqap.plan import Functions
from reqap.qud.decompose import Asking, Heard
from tests.execute.fakes import TODAY, FakeLife, FakeLives, empty_store

STEPS = {
    "How often did I eat out after badminton?": 'APPLY(l=QUD("meals after badminton"), fct=len)',
    "meals after badminton": 'FILTER(l=QUD("I ate out"), filter=lambda e: e["start_datetime"] >'
    ' QUD("when did I play badminton?").result)',
    "I ate out": 'RETRIEVE(query="I ate out")',
    "when did I play badminton?": 'MIN(l=QUD("I played badminton"), attr_name="start_datetime")',
    "When did I have lunch?": 'MIN(l=QUD("I had lunch"), attr_name="start_date")',
    "I had lunch": 'RETRIEVE(query="I had lunch")',
    "I played badminton": 'RETRIEVE(query="I played badminton")',
}


class Written:
    """Knows the steps by heart."""

    def step(self, asking: Asking, heard: Heard) -> str:
        return STEPS[asking.question]


def _at(days: Sequence[int], hour: int) -> FakeLife:
    starts = [datetime(2023, 1, 1, hour) + timedelta(days=day) for day in days]
    return FakeLife([{}] * len(days), [(at, at + timedelta(hours=1)) for at in starts])


@pytest.mark.parametrize(
    ("games", "expected", "own"),
    [
        (range(0, 100, 10), 2, 2),  # again and again: on the same day
        ((0,), 3, 3),  # once: ever after
        ((0, 1, 2, 3, 4, 5), 3, 3),  # told of for a week
        ((0, 1, 40, 41), 3, 3),  # not often
    ],
)
def test_after_what_happens_often_is_the_same_day(
    games: Sequence[int], expected: int, own: int
) -> None:
    lives = FakeLives({"I ate out": _at((10, 15, 20), 19), "I played badminton": _at(games, 17)})
    engine = Engine(empty_store(), lives, lives, Functions(), Limits())
    asked = ask("How often did I eat out after badminton?", Written(), engine, TODAY)
    assert asked.answer
    assert asked.answer.rows[0][0].value == expected
    assert f"{expected} in all, from {own} events" in asked.text


@pytest.mark.parametrize(
    ("days", "timed", "expected"),
    [
        ((0, 40, 80), True, 3),  # again and again
        ((0, 1, 2), True, 1),  # one thing, told for days
        ((0, 40, 80), False, 1),  # only told
    ],
)
def test_who_asks_when_gets_all_days_of_what_happened_again(
    days: Sequence[int], timed: bool, expected: int
) -> None:
    life = _at(days, 12)
    if not timed:
        life = replace(life, spans=[(start, None) for start, _ in life.spans or ()])
    engine = Engine(empty_store(), FakeLives({"I had lunch": life}), life, Functions(), Limits())
    asked = ask("When did I have lunch?", Written(), engine, TODAY)
    assert asked.answer
    value = asked.answer.rows[0][0].value
    told = value if isinstance(value, list) else [value]
    assert (len(told), told[0]) == (expected, date(2023, 1, 1))
