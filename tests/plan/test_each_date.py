"""All days of what happened several times, where somebody asks when."""

import pytest

from reqap.plan.check import check
from reqap.plan.each_date import each_date
from reqap.plan.parse import parse

FIRST = 'MIN(l=RETRIEVE(query="I moved house"), attr_name="start_date")'


@pytest.mark.parametrize(
    ("question", "are_several", "changes"),
    [
        ("When did I move house?", True, True),
        ("on which day did I move", True, True),
        ("When did I move house?", False, False),
        ("When did I first move house?", True, False),
        ("When did I start to live here?", True, False),
        ("How old was I when I moved?", True, False),
    ],
)
def test_who_asks_when(question: str, are_several: bool, changes: bool) -> None:
    plan = parse(FIRST)
    found = each_date(plan, question, lambda _: are_several)
    check(found)
    assert (found != plan) == changes


def test_other_plans_stay() -> None:
    for text in (FIRST.replace("MIN", "MAX"), FIRST.replace("start_date", "end_date")):
        plan = parse(text)
        assert each_date(plan, "When did I move house?", lambda _: True) == plan
