"""No plan grows while it is read and checked, and what is read can be written and read again."""

from contextlib import suppress

import orjson
import pytest

from reqap.errors import PlanError
from reqap.plan import Checked, check, format_plan, from_json, open_questions, parse, to_json
from tests.plan.limits import limited
from tests.plan.rows import EVENTS, over_groups, over_rows


def parsed_and_checked(text: str) -> Checked | PlanError:
    """Either a checked plan or a PlanError, and soon."""
    with limited(10):
        try:
            return check(parse(text))
        except PlanError as error:
            return error


def test_nested_comprehensions_are_typed_once() -> None:
    inner = 'a["names"]'
    for _ in range(40):
        inner = f"[x for x in {inner}]"
    parsed_and_checked(over_rows(inner))


def test_a_chain_of_get_with_defaults_stays_within_the_limit_of_nodes() -> None:
    chain = "a" + '.get("x", 1)' * 40
    parsed_and_checked(f'FILTER(l=RETRIEVE(query="x"), filter=lambda a: {chain})')


def test_a_chain_of_get_in_a_join_condition_stays_within_the_limit_of_nodes() -> None:
    chain = "i1" + ".get('x', 1)" * 40
    parsed_and_checked(f'JOIN(l1=QUD("a"), l2=QUD("b"), condition="{chain}")')


def test_nested_or_over_values_does_not_double_with_each_level() -> None:
    inner = 'e["n"]'
    for number in range(40):
        inner = f"({inner} or {number})"
    parsed_and_checked(over_groups(f"sum({inner} for e in g)"))


def test_a_chain_of_replace_does_not_multiply_with_each_link() -> None:
    parsed_and_checked(over_groups('max(e["moment"]' + ".replace(day=1)" * 40 + " for e in g)"))


def test_nested_chains_of_comparisons_do_not_double_with_each_level() -> None:
    inner = 'e["flag"]'
    for _ in range(40):
        inner = f'(e["flag"] == {inner} == e["flag"])'
    parsed_and_checked(over_groups(f"any({inner} for e in g)"))


def test_a_long_or_over_values_is_no_deep_recursion() -> None:
    parsed_and_checked(over_groups('sum(e["n"]' + " or 1" * 1500 + " for e in g)"))


def nested_sub_plans(plans: int, depth: int) -> str:
    text = 'QUD("q").result'
    for _ in range(plans):
        text = f'FILTER(l=QUD("z"), filter=lambda a: {"not " * depth}{text})'
    return text


@pytest.mark.parametrize(("plans", "depth"), [(10, 45), (49, 5), (49, 45)])
def test_plans_inside_expressions_inside_plans_do_not_overflow(plans: int, depth: int) -> None:
    """The levels of all of them together count."""
    parsed_and_checked(nested_sub_plans(plans, depth))


@pytest.mark.parametrize(("plans", "depth"), [(5, 45), (10, 18), (20, 8), (25, 8)])
def test_every_plan_that_parses_goes_through_json(plans: int, depth: int) -> None:
    try:
        plan = parse(nested_sub_plans(plans, depth))
    except PlanError:
        return
    assert from_json(orjson.loads(orjson.dumps(to_json(plan)))) == plan


def true() -> dict[str, object]:
    return {"node": "Literal", "value": True}


def filtered(body: object) -> dict[str, object]:
    function = {"node": "Lambda", "parameters": ["a"], "body": body}
    return {"node": "FILTER", "l": {"node": "RETRIEVE", "query": "x"}, "filter": function}


@pytest.mark.parametrize(
    "body",
    [
        {"node": "Formatted", "of": true(), "spec": ""},
        {"node": "Option", "name": "x", "value": true()},
        {"node": "For", "variable": "x", "over": true(), "conditions": []},
    ],
)
def test_pieces_of_expressions_are_no_expressions_of_their_own(body: object) -> None:
    with pytest.raises(PlanError):
        check(from_json(filtered(body)))  # type: ignore[arg-type]


def test_deep_json_is_refused_before_it_is_checked() -> None:
    body: object = true()
    for _ in range(190):
        body = {"node": "Unary", "operator": "not", "of": body}
    with suppress(PlanError):
        check(from_json(filtered(body)))  # type: ignore[arg-type]


def test_a_deep_list_where_the_name_of_a_node_should_be() -> None:
    data = orjson.loads('{"node":' + "[" * 1000 + "]" * 1000 + "}")
    with pytest.raises(PlanError):
        from_json(data)


@pytest.mark.parametrize("body", ["() < ()", "() == () < ()"])
def test_empty_tuples_have_no_parts_to_look_at(body: str) -> None:
    parsed_and_checked(over_rows(body))


@pytest.mark.parametrize("body", ["sorted(l, key=lambda e: ())", "max(l, key=lambda e: ())"])
def test_an_empty_tuple_is_no_key(body: str) -> None:
    parsed_and_checked(f"APPLY(l={EVENTS}, fct=lambda l: {body})")


def test_nodes_of_join_conditions_count() -> None:
    pair = 'QUD("x")'
    for _ in range(10):
        pair = f'JOIN(l1={pair}, l2={pair}, condition="i1.a == i2.a")'
    try:
        plan = parse(pair)
    except PlanError:
        return
    assert from_json(to_json(plan)) == plan


@pytest.mark.parametrize("name", ["from", "class", "import", "in", "is", "None"])
def test_attributes_named_like_keywords_of_python_print_so_that_they_are_read_back(
    name: str,
) -> None:
    """A mail has "from", and i1.from is not Python."""
    text = f'JOIN(l1=QUD("a"), l2=QUD("b"), condition="i1[\'{name}\'] == i2[\'{name}\']")'
    plan = parse(text)
    assert parse(format_plan(plan)) == plan


def test_qud_takes_its_argument_by_the_name_the_paper_gives_it() -> None:
    """The paper's instruction: `QUD (question: str)`."""
    plan = parse('FILTER(l=QUD(question="my runs"), filter=lambda attr: True)')
    assert open_questions(plan) == ["my runs"]


@pytest.mark.parametrize(
    "data",
    [
        filtered({"node": "Name", "name": "nobody"}),
        filtered({"node": "Call", "function": "eval"}),
        filtered({"node": "FunctionName", "name": "len"}),
        {
            "node": "FILTER",
            "l": {"node": "RETRIEVE", "query": "x"},
            "filter": {"node": "Lambda", "parameters": ["a", "b"], "body": true()},
        },
        {
            "node": "FILTER",
            "l": {"node": "RETRIEVE", "query": "x"},
            "filter": {"node": "Lambda", "parameters": ["ﬁ"], "body": true()},
        },
        {
            "node": "FILTER",
            "l": {"node": "RETRIEVE", "query": "x"},
            "filter": {
                "node": "Lambda",
                "parameters": ["date"],
                "body": {"node": "Call", "function": "date.today"},
            },
        },
    ],
    ids=["variable", "function", "name of a function", "two parameters", "NFKC", "shadowed"],
)
def test_from_json_is_as_strict_as_parse(data: dict[str, object]) -> None:
    """What from_json takes must print so that parse takes it, and gives the same plan."""
    try:
        plan = from_json(data)  # type: ignore[arg-type]
    except PlanError:
        return
    assert parse(format_plan(plan)) == plan


def test_from_json_bounds_operators_as_parse_does() -> None:
    data: dict[str, object] = {"node": "RETRIEVE", "query": "x"}
    for _ in range(60):
        function = {"node": "Lambda", "parameters": ["a"], "body": true()}
        data = {"node": "FILTER", "l": data, "filter": function}
    with pytest.raises(PlanError):
        from_json(data)  # type: ignore[arg-type]


def test_what_a_plan_prints_is_not_longer_than_what_parse_reads() -> None:
    """Zero-width characters print six times as long as they are."""
    wide = "\u200b" * 1900 + "x"
    inner = f'RETRIEVE(query="{wide}")'
    for _ in range(20):
        inner = f'RETRIEVE(query="{wide}", l={inner})'
    plan = parse(inner)
    assert parse(format_plan(plan)) == plan


@pytest.mark.parametrize("field", ["operator", "type"])
def test_messages_about_json_are_of_bounded_length(field: str) -> None:
    data = filtered({"node": "Unary", "operator": "x" * 10**6, "of": true()})
    if field == "type":
        data = {
            "node": "EXTRACT",
            "l": {"node": "RETRIEVE", "query": "x"},
            "attr_names": ["a"],
            "attr_types": ["x" * 10**6],
        }
    with pytest.raises(PlanError) as caught:
        from_json(data)  # type: ignore[arg-type]
    assert len(str(caught.value)) < 5_000


def test_errors_of_check_are_of_bounded_length() -> None:
    listed = ", ".join(f'"name number {n}"' for n in range(900))
    with pytest.raises(PlanError) as caught:
        check(parse(f'FILTER(l=RETRIEVE(query="x"), filter=lambda a: a["b"] in [{listed}])'))
    assert len(str(caught.value)) < 5_000
