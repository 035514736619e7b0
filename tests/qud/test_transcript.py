"""Decompositions as text: what is written can be read, and grows into the plan it came from."""

import json
import re
from importlib import resources

import pytest

from reqap.perqa.templates import load_templates
from reqap.plan import (
    OPERATORS,
    Operator,
    check,
    format_expression,
    format_plan,
    open_questions,
    parse,
    walk_plan,
)
from reqap.plan.expressions import Lambda
from reqap.plan.operators import Apply
from reqap.plan.rewrite import answered, step_of, with_names
from reqap.qud.transcript import Turn, prompt, told, turns_of

PLAN = """ARGMAX(
  l=QUD("plays per song", MAP(
    l=QUD("songs by name", GROUP_BY(
      l=QUD("songs since the move", FILTER(
        l=QUD("songs I heard", RETRIEVE(query="I heard a song")),
        filter=lambda s: s["start_date"] >= QUD("when did I move?", MIN(
          l=QUD("moving house", RETRIEVE(query="I moved")), attr_name="start_date")).result)),
      attr_names=["song"])),
    fct=lambda group: len(group), res_name="plays")),
  arg_attr_name="plays", val_attr_name="song")"""


def test_turns_come_in_the_order_in_which_questions_are_open() -> None:
    turns = turns_of("Which song most since I moved?", parse(PLAN))
    assert [turn.question for turn in turns] == [
        "Which song most since I moved?", "plays per song", "songs by name",
        "songs since the move", "songs I heard", "when did I move?", "moving house",
    ]  # fmt: skip
    assert turns[0].step == 'ARGMAX(QUD("plays per song"), "plays", "song")'
    assert turns[1].step == 'MAP(QUD("songs by name"), lambda e: len(e), "plays")'
    assert turns[3].step == (
        'FILTER(QUD("songs I heard"), lambda e: e["start_date"] >= QUD("when did I move?").result)'
    )
    assert turns[4].step == 'RETRIEVE("I heard a song")'


def test_a_prompt_is_the_beginning_of_what_is_told() -> None:
    turns = turns_of("Which song\nmost  since I moved?", parse(PLAN))
    whole = "".join(map(told, turns))
    for number, turn in enumerate(turns):
        assert whole.startswith(prompt(turns[:number], turn.question) + " " + turn.step)
    assert "\n\n" not in whole


def _grown(turns: list[Turn]) -> Operator:
    plan = parse(turns[0].step)
    steps = {turn.question: turn.step for turn in turns[1:]}
    assert len(steps) == len(turns) - 1, "a question is asked once"
    while open_ := open_questions(plan):
        plan = answered(plan, open_[0], parse(steps[open_[0]]))
    return plan


@pytest.mark.parametrize("split", ["train", "dev", "test"])
def test_every_template_grows_back_from_its_steps(split: str) -> None:
    for template in load_templates(split):
        plan = parse(re.sub(r"\{\w+!v\}", "1", template.plan))
        turns = turns_of("the question", plan)
        again = turns_of("the question", _grown(turns))
        assert again == turns, template.id


def test_a_step_without_a_question_has_no_place_in_a_transcript() -> None:
    with pytest.raises(ValueError, match="RETRIEVE"):
        step_of(parse('APPLY(l=RETRIEVE(query="x"), fct=len)'))


def test_the_same_question_is_answered_everywhere() -> None:
    plan = parse('APPLY(l=QUD("a"), fct=lambda l: len(l) / QUD("a").result)')
    grown = answered(plan, "a", parse('RETRIEVE(query="x")'))
    assert format_plan(grown).count('RETRIEVE(query="x")') == 2


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("lambda x: x[\"a\"] > 1", "lambda l: l[\"a\"] > 1"),
        ("lambda g: [e for e in g]", "lambda l: [e for e in l]"),
        ("lambda x: [x for x in x]", "lambda l: [e for e in l]"),
        ("lambda l: max(l, key=lambda y: y[\"b\"])", "lambda l: max(l, key=lambda e: e[\"b\"])"),
        (
            "lambda x: set(p for m in x if m[\"a\"] for p in m[\"b\"] if p != m[\"c\"])",
            "lambda l: set(x for e in l if e[\"a\"] for x in e[\"b\"] if x != e[\"c\"])",
        ),
        (
            "lambda e: sum(l for l in e) + QUD(\"e\").result",
            "lambda l: sum(e for e in l) + QUD(\"e\").result",
        ),
    ],
)  # fmt: skip
def test_variables_have_the_same_names(before: str, after: str) -> None:
    plan = parse(f'APPLY(l=QUD("a"), fct={before})')
    assert isinstance(plan, Apply)
    assert isinstance(plan.fct, Lambda)
    assert format_expression(with_names(plan.fct, "l")) == after


def test_the_examples_cover_the_language() -> None:
    file = resources.files("reqap.qud") / "examples.json"
    examples = json.loads(file.read_text(encoding="utf-8"))
    assert len(examples) >= 40
    used: set[str] = set()
    for example in examples:
        plan = parse(example["plan"])
        check(plan)
        turns_of(example["question"], plan)
        used |= {node.name for node in walk_plan(plan)}
    assert used >= set(OPERATORS) - {"QUD"}
