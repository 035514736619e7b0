"""Plain meanings that are easily missed: single results, unknown attributes, missing parts."""

from contextlib import suppress
from datetime import date

import pytest

from reqap.errors import PlanError, ReqapError
from reqap.plan import Functions, check, parse
from reqap.plan.core import Op, SubResult, walk_core
from reqap.plan.operators import attributes_used
from tests.execute.fakes import FakeLife, run, values
from tests.plan.rows import EVENTS, over_groups, over_rows


def result_type(body: str) -> str:
    return str(check(parse(over_rows(body))).schema.attributes["r"])


def test_a_map_over_unknown_attributes_replaces_what_was_known_of_the_name() -> None:
    """ "amount" was a text; what the MAP makes of it is not known yet."""
    extracted = 'EXTRACT(l=QUD("q"), attr_names=["amount"], attr_types=[str])'
    mapped = f'MAP(l={extracted}, fct=lambda a: a["value"] * 2, res_name="amount")'
    check(parse(f'SUM(l={mapped}, attr_name="amount")'))


def test_a_map_over_groups_with_unknown_members_gives_its_name_to_the_group() -> None:
    extracted = 'EXTRACT(l=QUD("q"), attr_names=["artist", "amount"], attr_types=[str, float])'
    grouped = f'GROUP_BY(l={extracted}, attr_names=["artist"])'
    mapped = f'MAP(l={grouped}, fct=lambda g: sum(e["price"] for e in g), res_name="amount")'
    check(parse(f'ARGMAX(l={mapped}, arg_attr_name="amount", val_attr_name="artist")'))


def test_an_apply_over_unknown_attributes_may_give_rows() -> None:
    extracted = 'EXTRACT(l=QUD("q"), attr_names=["day"], attr_types=[date])'
    top = f'APPLY(l={extracted}, fct=lambda l: sorted(l, key=lambda e: e["amount"])[:3])'
    check(parse(f'EXTRACT(l={top}, attr_names=["title"], attr_types=[str])'))


LATEST = f'ARGMAX(l={EVENTS}, arg_attr_name="day", val_attr_name="day").result'
NUMBERS = 'EXTRACT(l=RETRIEVE(query="x"), attr_names=["n"], attr_types=[int]).result'


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (f'({LATEST} - a["day"]).days', "int"),
        (f'a["day"] - {LATEST}', "timedelta"),
        (f"{LATEST} + timedelta(days=1)", "date"),
        (f'a["n"] * {NUMBERS}', "int"),
        (f"-{NUMBERS}", "int"),
        (f'{LATEST} if a["flag"] else a["day"]', "date"),
    ],
)
def test_the_single_result_of_a_plan_can_be_computed_with(body: str, expected: str) -> None:
    assert result_type(body) == expected


@pytest.mark.parametrize(
    "body",
    [
        f'a["n"] > sorted({NUMBERS})',
        f'a["n"] > set({NUMBERS})',
        f'a["n"] > [q for q in {NUMBERS} if q > 1]',
        f'a["n"] > ({NUMBERS} or {NUMBERS})',
    ],
)
def test_only_results_of_plans_can_be_the_only_one(body: str) -> None:
    """What is made from a result is a list like any other."""
    try:
        core = check(parse(over_rows(body))).core
    except PlanError:
        return
    assert core is not None
    for inner in walk_core(core):
        if isinstance(inner, Op) and inner.name == "only_one":
            assert isinstance(inner.arguments[0], SubResult)


@pytest.mark.parametrize(
    "body",
    [
        'max(a["n"], 3, key=lambda x: -x)',
        'min(a["n"], 3, default=9)',
        "min([3, 1], default=9, default=8)",
        "sorted([1, 2], reverse=True, reverse=False)",
        'max(a["n"], 3, nonsense=1)',
    ],
)
def test_options_are_not_silently_left_out(body: str) -> None:
    with pytest.raises(PlanError):
        check(parse(over_rows(body)))


@pytest.mark.parametrize(
    "body",
    [
        "l[0][0]",
        'max(l[0], key=lambda e: e["day"])',
        'sorted(l[0], key=lambda e: e["day"])',
        "list(l[0])",
    ],
)
def test_one_event_is_not_a_list_of_events(body: str) -> None:
    with pytest.raises(PlanError):
        check(parse(f"APPLY(l={EVENTS}, fct=lambda l: {body})"))


def test_unnest_does_not_overwrite_what_the_groups_are_grouped_by() -> None:
    """MAP refuses this."""
    listed = over_groups('[e["n"] for e in g]')
    with pytest.raises(PlanError):
        check(parse(f'UNNEST(l={listed}, nested_attr_name="r", unnested_attr_name="title")'))


def test_attributes_used_knows_what_unnest_reads_and_no_attribute_that_is_none() -> None:
    plan = parse(
        f'ARGMAX(l=UNNEST(l={EVENTS}, nested_attr_name="names", unnested_attr_name="name"), '
        'arg_attr_name="day")'
    )
    assert attributes_used(plan) == {"names", "day"}


def test_attributes_used_knows_the_right_side_of_a_join() -> None:
    """The engine leaves `kind` out unless it is used."""
    joined = 'JOIN(l1=RETRIEVE(query="x"), l2=RETRIEVE(query="y"), condition="True")'
    plan = parse(f'FILTER(l={joined}, filter=lambda attr: attr["i2.kind"] == "mail")')
    assert "kind" in attributes_used(plan)


def test_lists_of_numbers_can_be_summed() -> None:
    extracted = 'EXTRACT(l=RETRIEVE(query="x"), attr_names=["scores"], attr_types=[list[float]])'
    check(parse(f'MAP(l={extracted}, fct=lambda a: sum(a["scores"]), res_name="total")'))


@pytest.mark.parametrize(
    "body",
    [
        'any(word in a["title"].lower() for word in ("run", "jog"))',
        "len((1, 2)) == 2",
        'max(a["day"], "2024-01-01") > a["day"]',
        'a["n"] in []',
        'a["title"].startswith(("a", "b"))',
        'relativedelta(date.today(), a["day"]).years > 30',
        'date.today() - relativedelta(months=2 * 3) < a["day"]',
    ],
)
def test_conditions_with_a_plain_meaning_are_accepted(body: str) -> None:
    check(parse(f"FILTER(l={EVENTS}, filter=lambda a: {body})"))


@pytest.mark.parametrize(
    "body",
    [
        'sum(e["n"] for e in l) / len(l) if l else 0',
        "not l",
        "bool(l)",
        'sum((e["moment"] - e["moment"] for e in l), timedelta())',
        "l[0].title",
    ],
)
def test_functions_over_all_rows_with_a_plain_meaning_are_accepted(body: str) -> None:
    check(parse(f"APPLY(l={EVENTS}, fct=lambda l: {body})"))


@pytest.mark.parametrize("condition", ["i1.a ==\\n i2.a", "i1.a == i2.a\\n and i1.b == i2.b"])
def test_a_join_condition_may_go_over_several_lines(condition: str) -> None:
    parse(f'JOIN(l1=QUD("x"), l2=QUD("y"), condition="{condition}")')


@pytest.mark.parametrize("name", ["tuple", "frozenset"])
def test_a_plug_in_function_cannot_have_a_name_that_means_another(name: str) -> None:
    """`tuple(…)` is read as `list(…)`: such a function would never be called."""

    def function(x: int) -> int:
        return x

    function.__name__ = name
    with pytest.raises(PlanError):
        Functions().register(function)


def test_a_plug_in_function_takes_its_arguments_by_position() -> None:

    def only_by_name(*, x: int) -> int:
        return x

    def many(*x: int) -> int:
        return 0

    for function in (only_by_name, many):
        with pytest.raises(PlanError):
            Functions().register(function)


def test_the_result_of_a_question_is_understood_where_a_plan_is_read() -> None:
    parse('APPLY(l=QUD("x").result, fct=len)')


def rows_of(text: str) -> list[dict[str, object]]:
    life = FakeLife([{"n": 2, "day": date(2024, 5, 6), "title": "a", "names": []}, {}])
    return values(run(text, {"x": life, "y": life}))


def test_the_kind_of_the_right_side_of_a_join_can_be_used() -> None:
    joined = 'JOIN(l1=RETRIEVE(query="x"), l2=RETRIEVE(query="y"), condition="True")'
    rows_of(f'FILTER(l={joined}, filter=lambda attr: attr["i2.kind"] == "mail")')


@pytest.mark.parametrize(
    "made", ["sorted({})", "set({})", "[q for q in {} if q > 1]", "({} or {})"]
)
def test_what_is_made_of_a_result_is_no_crash(made: str) -> None:
    with suppress(ReqapError):
        rows_of(over_rows(f'a["n"] > {made}'.replace("{}", NUMBERS)))


def test_a_tuple_of_missing_parts_is_in_no_group() -> None:
    """`A row in which one of them is missing is in no group.`"""
    month = over_rows('(a["day"].year, a["day"].month)')
    found = rows_of(f'MAP(l=GROUP_BY(l={month}, attr_names=["r"]), fct=len, res_name="n2")')
    assert [row["r"] for row in found] == [(2024, 5)]


def test_max_leaves_out_tuples_of_missing_parts() -> None:
    found = rows_of(f'APPLY(l={EVENTS}, fct=lambda l: max((e["day"], e["title"]) for e in l)[1])')
    assert list(found[0].values()) == ["a"]


def test_the_sum_over_an_empty_list_of_a_row_is_zero() -> None:
    """`len` of it is 0; "how many of the participants are …" must not be missing."""
    found = rows_of(over_rows('sum(1 for n in a["names"])'))
    assert found[0]["r"] == 0
