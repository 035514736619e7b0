"""Plans as JSON: what is written, and how JSON that is no plan is refused."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import fields

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reqap.errors import PlanError
from reqap.plan import OPERATORS, Operator, check, format_plan, from_json, parse, to_json
from reqap.plan.serde import Json
from tests.plan.paper_plans import COMPLETE
from tests.plan.strategies import plans

Object = dict[str, Json]
RETRIEVE: Object = {"node": "RETRIEVE", "query": "x"}
TRUE: Object = {"node": "Literal", "value": True}


def filtered(body: Json) -> Object:
    function: Object = {"node": "Lambda", "parameters": ["a"], "body": body}
    return {"node": "FILTER", "l": RETRIEVE, "filter": function}


def refused(data: Json) -> PlanError:
    with pytest.raises(PlanError) as caught:
        from_json(data)
    return caught.value


def test_what_is_written() -> None:
    plan = parse('FILTER(RETRIEVE("x"), lambda a: a["n"] > -1.5)')
    key: Object = {"node": "Key", "of": {"node": "Name", "name": "a"}, "name": "n"}
    number: Object = {"node": "Literal", "value": -1.5}
    body: Object = {"node": "Compare", "left": key, "operators": [">"], "rights": [number]}
    function: Object = {"node": "Lambda", "parameters": ["a"], "body": body}
    retrieve: Object = {"node": "RETRIEVE", "query": "x", "l": None}
    assert to_json(plan) == {"node": "FILTER", "l": retrieve, "filter": function}


def test_what_may_be_left_out_is_left_out() -> None:
    assert from_json(RETRIEVE) == parse('RETRIEVE("x")')
    found = from_json(
        {"node": "MAP", "l": RETRIEVE, "fct": {"node": "FunctionName", "name": "len"}}
    )
    assert found == parse('MAP(RETRIEVE("x"), len)')
    assert from_json({"node": "ARGMAX", "l": RETRIEVE, "arg_attr_name": "a"}) == parse(
        'ARGMAX(RETRIEVE("x"), "a")'
    )


@pytest.mark.parametrize(
    "data",
    [None, True, 1, 1.5, "RETRIEVE", [], [RETRIEVE], {}, {"node": None}, {"node": 5}, TRUE,
     {"node": ["QUD"]}, {"node": {}}, {"node": ""}, {"node": "retrieve"}, {"node": "Operator"},
     {"node": "Extreme"}, {"node": "Aggregate"}, {"node": "Expression"}, {"node": "__class__"},
     {"query": "x"}, {"Node": "RETRIEVE", "query": "x"}],
)  # fmt: skip
def test_json_that_is_no_plan(data: Json) -> None:
    assert refused(data).expected


@pytest.mark.parametrize(
    ("data", "what"),
    [
        ({"node": "QUD"}, "QUD needs text"),
        ({"node": "QUD", "text": 1}, "the text of QUD"),
        ({"node": "QUD", "text": None}, "the text of QUD"),
        ({"node": "QUD", "text": ["q"]}, "the text of QUD"),
        ({"node": "QUD", "text": ""}, "empty"),
        ({"node": "QUD", "text": "\x00"}, "characters"),
        ({"node": "QUD", "text": "\ud800"}, "characters"),
        ({"node": "QUD", "text": "x" * 2001}, "2,001"),
        ({"node": "QUD", "text": "q", "name": "SUM"}, "QUD has no 'name'"),
        ({"node": "QUD", "text": "q", "__class__": "x"}, "QUD has no '__class__'"),
        ({"node": "QUD", "text": "q", "question": 5}, "the question of QUD"),
        ({**RETRIEVE, "l": TRUE}, "the l of RETRIEVE"),
        ({**RETRIEVE, "l": "x"}, "the l of RETRIEVE"),
        ({"node": "FILTER", "l": RETRIEVE, "filter": "len"}, "the filter of FILTER"),
        ({"node": "FILTER", "l": RETRIEVE, "filter": TRUE}, "the filter of FILTER"),
        ({"node": "FILTER", "l": None, "filter": TRUE}, "the l of FILTER"),
        ({"node": "SUM", "l": RETRIEVE, "attr_name": ["a"]}, "the attr_name of SUM"),
        ({"node": "SUM", "l": RETRIEVE, "attr_name": "a;b"}, "cannot be the name"),
        ({"node": "GROUP_BY", "l": RETRIEVE, "attr_names": "a"}, "the attr_names"),
        ({"node": "GROUP_BY", "l": RETRIEVE, "attr_names": [1]}, "the attr_names"),
        ({"node": "GROUP_BY", "l": RETRIEVE, "attr_names": [["a"]]}, "the attr_names"),
        ({"node": "GROUP_BY", "l": RETRIEVE, "attr_names": []}, "0 attribute names"),
        ({"node": "EXTRACT", "l": RETRIEVE, "attr_names": ["a"], "attr_types": ["x"]}, "no type"),
        ({"node": "EXTRACT", "l": RETRIEVE, "attr_names": ["a"], "attr_types": []}, "0 attr_types"),
        ({"node": "JOIN", "l1": RETRIEVE, "l2": RETRIEVE, "condition": "i1.a"}, "the condition"),
        ({"node": "APPLY", "l": RETRIEVE, "fct": TRUE}, "the fct of APPLY"),
        ({"node": "MAP", "l": RETRIEVE, "fct": TRUE, "res_name": 5}, "of MAP"),
        (filtered(None), "the body of Lambda"),
        (filtered(RETRIEVE), "the body of Lambda"),
        (filtered([TRUE]), "the body of Lambda"),
        (filtered({"node": "Literal"}), "needs value"),
        (filtered({"node": "Literal", "value": {}}), "there is no node"),
        (filtered({"node": "Literal", "value": [1]}), "the value of Literal"),
        (filtered({"node": "Literal", "value": float("nan")}), "number"),
        (filtered({"node": "Literal", "value": float("-inf")}), "number"),
        (filtered({"node": "Literal", "value": 10**5000}), "number"),
        (filtered({"node": "Name", "name": "not a name"}), "plain name"),
        (filtered({"node": "Name", "name": "__import__"}), "plain name"),
        (filtered({"node": "Name", "name": "lambda"}), "plain name"),
        (filtered({"node": "Name", "name": ""}), "plain name"),
        (filtered({"node": "Call", "function": "os.system"}), "plain name"),
        (filtered({"node": "Call", "function": "__import__"}), "plain name"),
        (filtered({"node": "Method", "of": TRUE, "name": "format"}), "the method"),
        (filtered({"node": "Method", "of": TRUE, "name": "__class__"}), "the method"),
        (filtered({"node": "Part", "of": TRUE, "name": "__class__"}), "the part"),
        (filtered({"node": "Unary", "operator": "~", "of": TRUE}), "the operator"),
        (filtered({"node": "Binary", "operator": "@", "left": TRUE, "right": TRUE}), "operator"),
        (filtered({"node": "Logic", "operator": "and", "items": [TRUE]}), "the operator"),
        (filtered({"node": "Logic", "operator": "xor", "items": [TRUE, TRUE]}), "the operator"),
        (filtered({"node": "Compare", "left": TRUE, "operators": [], "rights": []}), "missing"),
        (filtered({"node": "Compare", "left": TRUE, "operators": ["=="], "rights": []}), "missing"),
        (filtered({"node": "Compare", "left": TRUE, "operators": ["<>"], "rights": [TRUE]}), "<>"),
        (filtered({"node": "Items", "kind": "dict", "items": []}), "a dict"),
        (filtered({"node": "Items", "kind": "set", "items": []}), "an empty set"),
        (filtered({"node": "Items", "kind": "list", "items": [TRUE] * 1001}), "1,001"),
        (filtered({"node": "FString", "items": [{"node": "Literal", "value": 5}]}), "f-string"),
        (filtered({"node": "FString", "items": [{"node": "Literal", "value": ""}]}), "f-string"),
        (filtered({"node": "FString", "items": [TRUE, TRUE]}), "side by side"),
        (filtered({"node": "FString", "items": [{"node": "Name", "name": "a"}]}), "the items"),
        (filtered({"node": "Comprehension", "kind": "dict", "body": TRUE, "clauses": []}), "dict"),
        (filtered({"node": "Comprehension", "kind": "list", "body": TRUE, "clauses": []}), "`for`"),
        (filtered({"node": "Lambda", "parameters": [], "body": TRUE}), "parameters"),
        (filtered({"node": "Lambda", "parameters": ["a", "a"], "body": TRUE}), "parameters"),
        (filtered({"node": "Lambda", "parameters": ["a", "b", "c"], "body": TRUE}), "parameters"),
        (filtered({"node": "Lambda", "parameters": "ab", "body": TRUE}), "the parameters"),
        (filtered({"node": "SubPlan", "plan": TRUE}), "the plan of SubPlan"),
        (filtered({"node": "Index", "of": TRUE, "index": {**TRUE, "value": "a"}}), "index"),
    ],
)  # fmt: skip
def test_fields_hold_what_they_should(data: Object, what: str) -> None:
    assert what in refused(data).what


# -- every field of every node, spoiled ----------------------------------------------------------

_WRONG: tuple[Json, ...] = (
    None,
    True,
    0,
    1.5,
    "",
    "x",
    "__class__",
    [],
    [[]],
    [None],
    {},
    [{}],
    RETRIEVE,
)


def places(data: Json, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The ways to everything inside JSON."""
    if path:
        yield path
    inside = (
        data.items()
        if isinstance(data, dict)
        else enumerate(data if isinstance(data, list) else [])
    )
    for key, value in inside:
        yield from places(value, (*path, key))


def spoiled(data: Json, path: tuple[str | int, ...], value: Json) -> Json:
    """A copy with another value at one place."""
    if not path:
        return value
    first, *rest = path
    if isinstance(data, dict):
        return {k: spoiled(v, tuple(rest), value) if k == first else v for k, v in data.items()}
    assert isinstance(data, list)
    return [spoiled(v, tuple(rest), value) if n == first else v for n, v in enumerate(data)]


def settled(data: Json) -> None:
    """JSON is refused, or it is a plan that can be checked and printed."""
    with suppress(PlanError):
        plan = from_json(data)
        format_plan(plan)
        check(plan)


@pytest.mark.parametrize("name", COMPLETE)
def test_any_field_may_be_spoiled(name: str) -> None:
    data = to_json(parse(COMPLETE[name]))
    for path in places(data):
        for wrong in _WRONG:
            settled(spoiled(data, path, wrong))


@given(plans(2), st.data())
def test_any_field_of_any_plan_may_be_spoiled(plan: Operator, data: st.DataObject) -> None:
    whole = to_json(plan)
    path = data.draw(st.sampled_from(list(places(whole))))
    wrong = data.draw(st.sampled_from(_WRONG))
    settled(spoiled(whole, path, wrong))


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
        | st.sampled_from(["QUD", "RETRIEVE", "FILTER", "Lambda", "Literal"]),
        lambda inner: st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["node", "l", "query", "filter", "body", "parameters", "value"])
            | st.text(max_size=3),
            inner,
            max_size=4,
        ),
        max_leaves=12,
    )
)  # fmt: skip
def test_any_json_is_a_plan_or_refused(data: Json) -> None:
    settled(data)


# -- size ----------------------------------------------------------------------------------------


def test_deep_json_is_refused() -> None:
    text = '{"node":"MIN","attr_name":"a","l":' * 1000 + "1" + "}" * 1000
    assert "deep" in refused(orjson.loads(text)).what
    assert "deep" in refused({"node": "QUD", "text": orjson.loads("[" * 900 + "]" * 900)}).what


def test_json_that_holds_itself_is_refused() -> None:
    data: Object = {"node": "SUM", "attr_name": "a"}
    data["l"] = data
    assert "deep" in refused(data).what
    twice: Object = {"node": "JOIN", "condition": TRUE}
    twice["l1"] = twice["l2"] = twice
    assert refused(twice)


def test_large_json_is_refused() -> None:
    pair: Object = RETRIEVE
    for _ in range(13):
        pair = {"node": "JOIN", "l1": pair, "l2": pair, "condition": TRUE}
    assert "too large" in refused(pair).what


def test_every_operator_has_a_json_form() -> None:
    for name, kind in OPERATORS.items():
        text = f"{name} is read"
        data: Object = {"node": name}
        for member in fields(kind):
            if member.name in ("l", "l1", "l2"):
                data[member.name] = RETRIEVE
            elif member.name in ("attr_names", "attr_types"):
                data[member.name] = ["str"]
            elif member.name in ("filter", "fct"):
                data[member.name] = {"node": "Lambda", "parameters": ["a"], "body": TRUE}
            else:
                data[member.name] = TRUE if member.name == "condition" else text
        plan = from_json(data)
        assert plan.name == name
        assert plan.question == text
        again = from_json(orjson.loads(orjson.dumps(to_json(plan))))
        assert again == plan
        assert again.question == text
