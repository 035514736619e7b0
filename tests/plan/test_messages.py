"""Errors say where, and what to write instead: for a person, or a model that repairs its step."""

import pytest

from reqap.errors import PlanError
from reqap.plan import check, from_json, parse
from tests.plan.rows import over_groups, over_rows


def true() -> dict[str, object]:
    return {"node": "Literal", "value": True}


def filtered(body: object) -> dict[str, object]:
    function = {"node": "Lambda", "parameters": ["a"], "body": body}
    return {"node": "FILTER", "l": {"node": "RETRIEVE", "query": "x"}, "filter": function}


@pytest.mark.parametrize(
    ("text", "piece"),
    [
        ('RETRIEVE(query="x") RETRIEVE(query="y")', 'RETRIEVE(query="y")'),
        ('x = RETRIEVE(query="x")', "= RETRIEVE"),
        ('RETRIEVE(query="x")\n\nThis finds x.', "This finds x."),
        ('FILTER(l=RETRIEVE(query="x"), filter=lambda a: a["b"] = 3)', "= 3"),
    ],
)
def test_syntax_errors_show_the_piece(text: str, piece: str) -> None:
    with pytest.raises(PlanError) as caught:
        parse(text)
    assert piece in caught.value.where


@pytest.mark.parametrize("text", ["", "   ", "x" * 60_000], ids=["empty", "blank", "long"])
def test_every_error_says_where(text: str) -> None:
    with pytest.raises(PlanError) as caught:
        parse(text)
    assert caught.value.where


LONG = "b" * 101


@pytest.mark.parametrize(
    "body",
    [
        "a['b'][1.5]",
        "a['b'][None]",
        "len(a, _x=1)",
        f"len(a, {LONG}=1)",
        f"[{LONG} for {LONG} in a['c']]",
    ],
)
def test_every_error_in_an_expression_says_where(body: str) -> None:
    with pytest.raises(PlanError) as caught:
        parse(f'FILTER(l=RETRIEVE(query="x"), filter=lambda a: {body})')
    assert caught.value.where


def test_errors_in_json_say_where() -> None:
    with pytest.raises(PlanError) as caught:
        from_json(filtered({"node": "Unary", "operator": "~", "of": true()}))  # type: ignore[arg-type]
    assert "filter" in caught.value.where


@pytest.mark.parametrize("condition", ["", "i1.a = i2.a"])
def test_errors_in_a_join_condition_do_not_ask_for_operators(condition: str) -> None:
    with pytest.raises(PlanError) as caught:
        parse(f'JOIN(l1=QUD("a"), l2=QUD("b"), condition="{condition}")')
    assert "RETRIEVE" not in caught.value.expected
    assert "i1" in caught.value.expected


def test_an_error_points_at_the_right_line_whatever_the_texts_hold() -> None:
    """U+2028 ends a line for str.splitlines, but not for Python's parser."""
    with pytest.raises(PlanError) as caught:
        parse('FILTER(l=RETRIEVE(query="a\u2028b"),\nfilter=lambda a: foo(1))')
    assert "foo(1)" in caught.value.where


def test_an_unknown_argument_is_shown_with_its_name() -> None:
    with pytest.raises(PlanError) as caught:
        parse('FILTER(l=RETRIEVE(query="x"), condition=lambda a: True)')
    assert "condition" in caught.value.where


def test_the_advice_for_min_over_groups_does_not_sum_dates() -> None:
    groups = 'GROUP_BY(l=RETRIEVE(query="x"), attr_names=["kind"])'
    with pytest.raises(PlanError) as caught:
        check(parse(f'MIN(l={groups}, attr_name="start_date")'))
    assert "sum(" not in caught.value.expected


def test_the_advice_for_a_time_beside_a_number_is_its_hour() -> None:
    with pytest.raises(PlanError) as caught:
        check(parse('FILTER(l=RETRIEVE(query="x"), filter=lambda a: a["start_time"] > 18)'))
    assert ".hour" in caught.value.expected or "time(18" in caught.value.expected


def test_the_size_of_a_group_is_not_called_by_its_inner_name() -> None:
    with pytest.raises(PlanError) as caught:
        check(parse(over_groups('sum(e["n"] / len(g) for e in g)')))
    assert "#size" not in str(caught.value)


@pytest.mark.parametrize("body", ['a["names"].lower()', 'a["n"].lower()'])
def test_no_message_says_that_none_is_accepted(body: str) -> None:
    with pytest.raises(PlanError) as caught:
        check(parse(over_rows(body)))
    assert caught.value.expected != "none"


def test_double_braces_are_for_operators_only() -> None:
    with pytest.raises(PlanError):
        parse('FILTER(l=QUD("x"), filter=lambda a: {{1}})')
