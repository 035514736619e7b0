"""Plans with open questions: checked as far as they are known, and no further."""

import pytest

from reqap.errors import PlanError
from reqap.plan import check, open_questions, parse, require_complete
from reqap.plan.types import Schema, Shape

X = 'RETRIEVE(query="x")'
Q = 'QUD("q")'


def schema_of(text: str) -> Schema:
    return check(parse(text)).schema


def refused(text: str) -> PlanError:
    plan = parse(text)
    with pytest.raises(PlanError) as caught:
        check(plan)
    return caught.value


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        (Q, Shape.OPEN),
        (f'RETRIEVE("x", {Q})', Shape.EVENTS),
        (f'EXTRACT({Q}, ["a"], [str])', Shape.EVENTS),
        (f'FILTER({Q}, lambda a: a["b"].year > 3)', Shape.OPEN),
        (f'MAP({Q}, lambda a: a["b"] * 2, "c")', Shape.OPEN),
        (f"MAP({Q}, len)", Shape.OPEN),
        (f"APPLY({Q}, len)", Shape.OPEN),
        (f'GROUP_BY({Q}, ["a"])', Shape.GROUPS),
        (f'MAP(GROUP_BY({Q}, ["a"]), len, "n")', Shape.GROUPS),
        (f'MAP(GROUP_BY({Q}, ["a"]), lambda g: sum(e["b"] for e in g), "n")', Shape.GROUPS),
        (f'ARGMAX(MAP(GROUP_BY({Q}, ["a"]), len, "n"), "n", "a")', Shape.GROUPS),
        (f'MAP(GROUP_BY(EXTRACT({Q}, ["a"], [str]), ["a"]), lambda g: g["b"], "n")', Shape.GROUPS),
        (f'ARGMAX(GROUP_BY(EXTRACT({Q}, ["a"], [str]), ["a"]), "b")', Shape.GROUPS),
        (f'ARGMAX({Q}, "a", "b")', Shape.OPEN),
        (f'UNNEST({Q}, "as", "a")', Shape.EVENTS),
        (f'UNNEST(EXTRACT({Q}, ["b"], [str]), "as", "a")', Shape.EVENTS),
        (f'SUM({Q}, "a")', Shape.VALUE),
        (f'SUM(EXTRACT({Q}, ["b"], [str]), "a")', Shape.VALUE),
        (f'APPLY(SUM({Q}, "a"), lambda x: x / 60)', Shape.VALUE),
        (f'JOIN({Q}, {X}, "i1.a == i2.start_date")', Shape.EVENTS),
        (f'JOIN({X}, {Q}, "i1.start_date == i2.a")', Shape.EVENTS),
        (f'GROUP_BY(JOIN({X}, {Q}, "True"), ["artist"])', Shape.GROUPS),
        (f'FILTER({X}, lambda a: a["start_date"] > {Q}.result)', Shape.EVENTS),
        (f'FILTER({X}, lambda a: a["start_date"] > SUM({Q}, "a").result)', Shape.EVENTS),
        (f'MAP({X}, lambda a: (a["start_date"] - {Q}.result).days, "d")', Shape.EVENTS),
        (f'FILTER({X}, lambda a: any(n in a["kind"] for n in {Q}.result))', Shape.EVENTS),
        (f"APPLY({X}, lambda l: len(l) / APPLY({Q}, len).result)", Shape.OPEN),
    ],
)
def test_partial_plans_check_as_far_as_they_are_known(text: str, shape: Shape) -> None:
    schema = schema_of(text)
    assert schema.shape is shape


def test_what_is_known_of_a_partial_plan_has_its_type() -> None:
    schema = schema_of(f'EXTRACT({Q}, ["a"], [date])')
    assert schema.open
    assert str(schema.attributes["a"]) == "date"
    counted = schema_of(f'MAP(GROUP_BY({Q}, ["a"]), len, "n")')
    assert str(counted.attributes["n"]) == "int"
    assert str(schema_of(f'SUM(EXTRACT({Q}, ["a"], [int]), "a")').value) == "int"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        # What is known of a partial plan is checked, whatever its questions turn out to be.
        ('SUM(EXTRACT(QUD("q"), ["a"], [str]), "a")', "str cannot be summed"),
        ('FILTER(EXTRACT(QUD("q"), ["a"], [date]), lambda r: r["a"] > 3)', "date and int"),
        ('UNNEST(EXTRACT(QUD("q"), ["a"], [str]), "a", "b")', "not a list"),
        ('EXTRACT(SUM(QUD("q"), "a"), ["b"], [str])', "one value"),
        (f'FILTER({X}, lambda a: a["b"] > 1 and a["kind"] > QUD("q").result)', '"b"'),
        (f'FILTER({X}, lambda a: a["kind"] > SUM(EXTRACT(QUD("q"), ["a"], [int]), "a").result)',
         "str and int"),
    ],
)  # fmt: skip
def test_partial_plans_that_cannot_work(text: str, what: str) -> None:
    assert what in refused(text).what


def test_open_questions_are_listed_from_left_to_right() -> None:
    text = 'JOIN(FILTER(QUD("a"), lambda r: r["x"] > QUD("b").result), QUD("c"), "True")'
    plan = parse(text)
    assert open_questions(plan) == ["a", "b", "c"]
    with pytest.raises(PlanError, match="a; b; c"):
        require_complete(plan)


def test_a_plan_without_questions_is_complete() -> None:
    require_complete(parse(X))
    assert open_questions(parse(X)) == []
