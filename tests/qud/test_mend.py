"""What can be put right in a plan, and what cannot."""

import pytest

from reqap.errors import PlanError
from reqap.plan import Functions, format_short, parse
from reqap.qud.mend import mended

RUNS = 'RETRIEVE("my runs")'


@pytest.mark.parametrize(
    ("plan", "wanted"),
    [
        (f'SUM({RUNS}, "km")', f'SUM(EXTRACT({RUNS}, ["km"], [float]), "km")'),
        (
            f'APPLY({RUNS}, lambda l: set(e["route"] for e in l))',
            f'APPLY(EXTRACT({RUNS}, ["route"], [str]), lambda l: set(e["route"] for e in l))',
        ),
        (
            f'MAP(GROUP_BY({RUNS}, ["start_date"]), lambda e: sum(x["km"] for x in e), "all")',
            f'MAP(GROUP_BY(EXTRACT({RUNS}, ["km"], [float]), ["start_date"]),'
            ' lambda e: sum(x["km"] for x in e), "all")',
        ),
        (
            f'JOIN({RUNS}, RETRIEVE("trips"), "i1.city == i2.city")',
            f'JOIN(EXTRACT({RUNS}, ["city"], [str]), EXTRACT(RETRIEVE("trips"), ["city"], [str]),'
            ' "i1.city == i2.city")',
        ),
        (
            f'GROUP_BY(EXTRACT({RUNS}, ["people"], [list]), ["people"])',
            f'GROUP_BY(UNNEST(EXTRACT({RUNS}, ["people"], [list]), "people", "people"),'
            ' ["people"])',
        ),
        (
            f'UNNEST(EXTRACT({RUNS}, ["who"], [str]), "who", "person")',
            f'UNNEST(EXTRACT({RUNS}, ["who"], [list]), "who", "person")',
        ),
        (
            f'JOIN({RUNS}, MAX(RETRIEVE("trips"), "start_date"), "i1.start_date > i2.start_date")',
            f'JOIN({RUNS}, ARGMAX(RETRIEVE("trips"), "start_date"),'
            ' "i1.start_date > i2.start_date")',
        ),
        (
            f'FILTER({RUNS}, lambda e: e["start_date"].year == MAX(RETRIEVE("moves"),'
            ' "start_date").result)',
            f'FILTER({RUNS}, lambda e: e["start_date"].year =='
            ' MAX(l=RETRIEVE(query="moves"), attr_name="start_date").result.year)',
        ),
    ],
)
def test_a_plan_is_mended(plan: str, wanted: str) -> None:
    assert format_short(mended(parse(plan), Functions())) == wanted


def test_open_questions_are_left_alone() -> None:
    plan = parse('SUM(QUD("my runs with their distance"), "km")')
    assert mended(plan, Functions()) == plan


def test_what_makes_no_sense_is_told() -> None:
    with pytest.raises(PlanError, match="one value"):
        mended(parse(f'GROUP_BY(APPLY({RUNS}, len), ["start_date"])'), Functions())
