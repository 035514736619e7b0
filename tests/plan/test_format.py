"""What is printed is read back, and JSON gives the same plan: for all plans there are."""

import json
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import product

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reqap.errors import PlanError
from reqap.plan import (
    Operator,
    check,
    format_expression,
    format_plan,
    format_step,
    from_json,
    open_questions,
    parse,
    parse_expression,
    to_json,
    walk_plan,
)
from reqap.plan import expressions as ex
from tests.plan.strategies import PLUG_INS, characters, expressions, plans

SCOPE = ("attr", "i1")


@given(plans())
@settings(max_examples=400)
def test_what_is_printed_is_read_back(plan: Operator) -> None:
    text = format_plan(plan)
    assert "\n" not in text
    assert parse(text, PLUG_INS) == plan
    assert format_plan(parse(text, PLUG_INS)) == text


@given(expressions(SCOPE))
@settings(max_examples=500)
def test_expressions_are_read_back(expression: ex.Expression) -> None:
    text = format_expression(expression)
    assert parse_expression(text, SCOPE, PLUG_INS) == expression


@given(plans())
def test_json_gives_the_same_plan(plan: Operator) -> None:
    assert from_json(to_json(plan), PLUG_INS) == plan
    assert from_json(orjson.loads(orjson.dumps(to_json(plan))), PLUG_INS) == plan
    assert from_json(json.loads(json.dumps(to_json(plan))), PLUG_INS) == plan


@given(plans(2))
def test_equal_plans_hash_alike(plan: Operator) -> None:
    again = parse(format_plan(plan), PLUG_INS)
    assert hash(again) == hash(plan)
    assert {plan: 1}[again] == 1


@given(plans())
def test_random_plans_check_or_say_why_not(plan: Operator) -> None:
    with suppress(PlanError):
        assert check(plan).operator is plan


@given(plans(2))
def test_a_step_shows_nothing_of_the_plans_it_reads(plan: Operator) -> None:
    step = format_step(plan)
    assert step.startswith(f"{plan.name}(")
    assert step.count("…") >= len(plan.inputs())


@given(plans())
def test_all_nodes_and_questions_of_a_plan_are_found(plan: Operator) -> None:
    nodes = list(walk_plan(plan))
    assert nodes[0] is plan
    asked = [node for node in nodes if node.name == "QUD"]
    assert len(open_questions(plan)) == len(asked)
    for node in nodes:
        for inner in (*node.inputs(), *node.sub_plans()):
            assert any(inner is other for other in nodes)


# -- operators, two by two -----------------------------------------------------------------------

_A, _B, _C = ex.Name("attr"), ex.Literal(-2), ex.Literal(3.5)
Around = Callable[[ex.Expression], ex.Expression]


def _operators() -> dict[str, Around]:
    """A hole beside each operator there is."""
    shapes: dict[str, Around] = {}
    for sign in ex.UNARY:
        shapes[f"{sign} _"] = partial(ex.Unary, sign)
    for sign in ex.BINARY:
        shapes[f"_ {sign} b"] = partial(lambda sign, x: ex.Binary(sign, x, _B), sign)
        shapes[f"b {sign} _"] = partial(lambda sign, x: ex.Binary(sign, _B, x), sign)
    for sign in ("and", "or"):
        shapes[f"_ {sign} a"] = partial(lambda sign, x: ex.Logic(sign, (x, _A)), sign)
        shapes[f"a {sign} _"] = partial(lambda sign, x: ex.Logic(sign, (_A, x)), sign)
    for sign in ex.COMPARISONS:
        shapes[f"_ {sign} a"] = partial(lambda sign, x: ex.Compare(x, (sign,), (_A,)), sign)
        shapes[f"a {sign} _"] = partial(lambda sign, x: ex.Compare(_A, (sign,), (x,)), sign)
    return shapes


def _generator(x: ex.Expression) -> ex.Expression:
    return ex.Comprehension("generator", x, (ex.For("e", x, ()),))


_SHAPES: dict[str, Around] = {
    **_operators(),
    "chain": lambda x: ex.Compare(_A, ("<", "<="), (x, _C)),
    "test": lambda x: ex.Conditional(x, _A, _B),
    "then": lambda x: ex.Conditional(_A, x, _B),
    "otherwise": lambda x: ex.Conditional(_A, _B, x),
    "part": lambda x: ex.Part(x, "year"),
    "key": lambda x: ex.Key(x, "a b"),
    "index": lambda x: ex.Index(x, ex.Literal(-1)),
    "indexed by": lambda x: ex.Index(_A, ex.Unary("+", x)),
    "slice from": lambda x: ex.Slice(_A, x, None),
    "slice to": lambda x: ex.Slice(x, None, x),
    "method": lambda x: ex.Method(x, "replace", (x,), (ex.Option("day", x),)),
    "call": lambda x: ex.Call("len", (x,)),
    "list": lambda x: ex.Items("list", (x,)),
    "tuple": lambda x: ex.Items("tuple", (x,)),
    "set": lambda x: ex.Items("set", (ex.Items("tuple", (x, x)), x, ex.Unary("+", x))),
    "body": lambda x: ex.Comprehension("list", x, (ex.For("e", _A, ()),)),
    "over": lambda x: ex.Comprehension("set", _A, (ex.For("e", x, (x,)), ex.For("f", x, (x, x)))),
    "generator": lambda x: ex.Call("sum", (_generator(x),)),
    "generators": lambda x: ex.Call("max", (_generator(x), _generator(x))),
    "lambda": lambda x: ex.Lambda(("e",), x),
    "key function": lambda x: ex.Call("max", (x,), (ex.Option("key", ex.Lambda(("e",), x)),)),
    "f-string": lambda x: ex.FString((ex.Literal("{a} "), ex.Formatted(x, ".2f"), ex.Literal("}"))),
}
_LEAVES = (_A, _B, _C, ex.Literal("it"), ex.Literal(True), ex.Literal(None))


@pytest.mark.parametrize("outer", _SHAPES)
def test_every_construct_inside_every_other(outer: str) -> None:
    """Parentheses are where they must be."""
    for inner, leaf in product(_SHAPES.values(), _LEAVES):
        try:
            expression = _SHAPES[outer](inner(leaf))
        except PlanError:  # what can never stand there
            continue
        text = format_expression(expression)
        assert parse_expression(text, ("attr",)) == expression, text


# -- texts that people write ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ("-5 ** 2", "-5 ** 2"),
        ("(-5) ** 2", "(-5) ** 2"),
        ("2 ** -1", "2 ** -1"),
        ("2 ** 3 ** 2", "2 ** 3 ** 2"),
        ("(2 ** 3) ** 2", "(2 ** 3) ** 2"),
        ("1 - (2 - 3)", "1 - (2 - 3)"),
        ("(1 - 2) - 3", "1 - 2 - 3"),
        ("--5", "5"),
        ("not (not attr)", "not not attr"),
        ("not (attr == 1)", "not attr == 1"),
        ("(not attr) == 1", "(not attr) == 1"),
        ("(attr and 1) and 2", "(attr and 1) and 2"),
        ("attr and 1 and 2", "attr and 1 and 2"),
        ("(1 < 2) < 3", "(1 < 2) < 3"),
        ("(1).year", "(1).year"),
        ("attr.get('x')", 'attr["x"]'),
        ("attr.get('x', 0)", 'attr["x"] if attr["x"] is not None else 0'),
        ("attr.title", 'attr["title"]'),
        ("attr['year']", 'attr["year"]'),
        ("attr.year", "attr.year"),
        ("i1.year", "i1.year"),
        ("i1['a b']", 'i1["a b"]'),
        ("'it''s'", '"its"'),
        ('"say \\"hi\\""', '"say \\"hi\\""'),
        ("'a' f'{attr[\"b\"]:.2f}' 'c'", 'f"""a{attr["b"]:.2f}c"""'),
        ("datetime.datetime.now()", "datetime.now()"),
        ("datetime.date.today()", "date.today()"),
        ("datetime.today()", "datetime.now()"),
        ("tuple(attr['x'])", 'list(attr["x"])'),
        ("(1,)", "(1,)"),
        ("()", "()"),
        ("{1}", "{1}"),
        ("sum((x for x in attr['a']))", 'sum(x for x in attr["a"])'),
        ("max((x for x in attr['a']), default=1)", 'max((x for x in attr["a"]), default=1)'),
        ("1_000", "1000"),
        ("0x10", "16"),
        ("1e3", "1000.0"),
        ("-0.0", "-0.0"),
    ],
)
def test_the_spelling_of_expressions(written: str, printed: str) -> None:
    expression = parse_expression(written, SCOPE)
    assert format_expression(expression) == printed
    assert parse_expression(printed, SCOPE) == expression


@given(st.text(characters, max_size=60))
def test_any_text_survives_as_a_query(text: str) -> None:
    if not text.strip():
        return
    plan = from_json({"node": "RETRIEVE", "query": text})
    assert parse(format_plan(plan)) == plan


def test_true_is_not_one_and_one_is_not_a_float() -> None:
    different = [parse_expression(text, ()) for text in ("1", "1.0", "True", '"1"', "0.0", "-0.0")]
    assert len(set(different)) == len(different)


def test_the_question_is_not_part_of_what_a_plan_says() -> None:
    plain = from_json({"node": "RETRIEVE", "query": "x"})
    asked = from_json({"node": "RETRIEVE", "query": "x", "question": "what is x?"})
    assert plain == asked
    assert hash(plain) == hash(asked)
    assert asked.question == "what is x?"
    assert from_json(to_json(asked)).question == "what is x?"
    assert "question" not in to_json(plain)
