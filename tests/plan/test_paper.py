"""Every plan that the paper prints is understood, step by step and as a whole."""

import orjson
import pytest

from reqap.errors import PlanError
from reqap.plan import (
    check,
    format_plan,
    from_json,
    open_questions,
    parse,
    require_complete,
    to_json,
    walk_plan,
)
from reqap.plan.types import DATETIME, FLOAT, INT, Shape, Type
from tests.plan.paper_plans import COMPLETE, DECOMPOSITIONS, braced

STEPS = [
    pytest.param(step, id=f"{name}: {question}"[:70])
    for name, steps in DECOMPOSITIONS.items()
    for question, step in steps.items()
]


@pytest.mark.parametrize("step", STEPS)
def test_a_step_is_understood_in_both_spellings(step: str) -> None:
    plan = parse(step)
    assert parse(braced(step)) == plan
    assert parse(format_plan(plan)) == plan
    assert from_json(orjson.loads(orjson.dumps(to_json(plan)))) == plan


@pytest.mark.parametrize("step", STEPS)
def test_a_step_checks_as_a_partial_plan(step: str) -> None:
    plan = parse(step)
    assert check(plan).operator is plan
    if open_questions(plan):
        with pytest.raises(PlanError, match="open questions"):
            require_complete(plan)


@pytest.mark.parametrize("name", DECOMPOSITIONS)
def test_every_question_of_an_example_is_asked_once(name: str) -> None:
    steps = DECOMPOSITIONS[name]
    asked = [question for step in steps.values() for question in open_questions(parse(step))]
    assert sorted(asked) == sorted(list(steps)[1:])


@pytest.mark.parametrize("name", COMPLETE)
def test_a_complete_plan_checks(name: str) -> None:
    plan = parse(COMPLETE[name])
    require_complete(plan)
    assert check(plan).schema.open is False
    assert len(list(walk_plan(plan))) == len(DECOMPOSITIONS[name])
    assert parse(format_plan(plan)) == plan
    assert from_json(orjson.loads(orjson.dumps(to_json(plan)))) == plan


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("running example", INT),
        ("anecdote 1", FLOAT),
        ("anecdote 2", DATETIME),
        ("anecdote 5", INT),
        ("in-context example 2", INT),
        ("in-context example 3", FLOAT),
        ("in-context example 5", INT),
    ],
)
def test_the_answer_is_one_value(name: str, kind: Type) -> None:
    schema = check(parse(COMPLETE[name])).schema
    assert schema.shape is Shape.VALUE
    assert schema.value == kind


@pytest.mark.parametrize(
    ("name", "shape", "focus"),
    [
        ("anecdote 3", Shape.EVENTS, "restaurant_name"),
        ("anecdote 4", Shape.EVENTS, "appointment_details"),
        ("in-context example 1", Shape.GROUPS, "start_date"),
        ("in-context example 4", Shape.GROUPS, "artist"),
    ],
)
def test_the_answer_is_an_attribute_of_rows(name: str, shape: Shape, focus: str) -> None:
    schema = check(parse(COMPLETE[name])).schema
    assert schema.shape is shape
    assert schema.focus == (focus,)


@pytest.mark.parametrize("name", DECOMPOSITIONS)
def test_a_plan_checks_at_every_stage_of_its_decomposition(name: str) -> None:
    """Questions are replaced one by one, from the outside in, as QUD does it."""
    steps = DECOMPOSITIONS[name]
    text = next(iter(steps.values()))
    while questions := open_questions(parse(text)):
        check(parse(text))
        text = text.replace(f'QUD("{questions[0]}")', steps[questions[0]])
    assert parse(text) == parse(COMPLETE[name])
