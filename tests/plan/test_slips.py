"""Slips that were found by looking closely, and stay fixed."""

from time import perf_counter

import pytest

from reqap.errors import PlanError, ReqapError
from reqap.plan import check, format_plan, parse
from tests.execute.fakes import FakeLife, run, values
from tests.plan.limits import limited
from tests.plan.rows import EVENTS, over_groups, over_rows


def nested_or(depth: int, links: int, item: str) -> str:
    inner = item
    for _ in range(depth):
        inner = "(" + " or ".join([item] * (links - 1) + [inner]) + ")"
    return inner


def executed(text: str) -> list[dict[str, object]] | ReqapError:
    life = FakeLife([{"n": 2, "flag": True, "title": "a", "names": []}, {}])
    try:
        return values(run(text, {"x": life}))
    except ReqapError as error:
        return error


@pytest.mark.parametrize(("depth", "links"), [(10, 50), (20, 55), (45, 30)])
def test_long_or_inside_long_or_is_no_deep_recursion(depth: int, links: int) -> None:
    """RecursionError in _seen_from_members: 60 links times 50 levels is 3,000 levels."""
    text = over_groups(f"sum({nested_or(depth, links, '1')} for e in g)")
    try:
        check(parse(text))
    except PlanError:
        return


def test_what_checks_can_be_compiled() -> None:
    """RecursionError in the engine."""
    executed(over_rows(nested_or(10, 50, 'a["n"]')))


def test_a_comment_in_a_join_condition_hides_nothing() -> None:
    """Lines are joined by spaces: what follows a comment is silently left out."""
    written = "i1.a == i2.a  # the same a\\n and i1.b == i2.b"
    try:
        plan = parse(f'JOIN(l1=QUD("x"), l2=QUD("y"), condition="{written}")')
    except PlanError:
        return
    assert "i1.b == i2.b" in format_plan(plan)


def test_a_text_in_a_join_condition_stays_what_it_is() -> None:
    """The line break becomes a space."""
    written = "i1.a == '''x\\ny'''"
    try:
        plan = parse(f'JOIN(l1=QUD("x"), l2=QUD("y"), condition="{written}")')
    except PlanError:
        return
    assert "x y" not in format_plan(plan)


def test_double_braces_around_a_result() -> None:
    """Was understood before c2ba915."""
    plain = parse('FILTER(l=QUD("x"), filter=lambda a: a["b"] == QUD("y").result)')
    braced = parse('FILTER(l=QUD("x"), filter=lambda a: a["b"] == {{ QUD("y").result }})')
    assert braced == plain
    assert parse('APPLY(l={{ QUD("x") }}.result, fct=len)') == parse('APPLY(l=QUD("x"), fct=len)')


def test_the_sum_from_a_start_has_the_type_of_both() -> None:
    """Typed int, and the value is 3.5."""
    schema = check(parse(over_rows("sum([1, 2], 0.5)"))).schema
    assert str(schema.attributes["r"]) == "float"


@pytest.mark.parametrize(
    "body",
    [
        'a["day"]' + " + relativedelta(day=31, months=1)" * 4,
    ],
)
def test_a_chain_of_operations_does_not_grow_in_the_engine(body: str) -> None:
    """Over 100 seconds, though a run is limited to 30."""
    begun = perf_counter()
    with limited(100):
        executed(over_rows(body))
    assert perf_counter() - begun < 10


@pytest.mark.parametrize(
    "body",
    [
        'sorted([(e["title"], e["n"]) for e in l], key=lambda x: x[1], reverse=True)[:3]',
        'max([(e["title"], e["n"]) for e in l], key=lambda x: x[1])[0]',
        'len(sum((e["names"] for e in l), []))',
    ],
)
def test_functions_over_all_rows_with_a_plain_meaning_are_accepted(body: str) -> None:
    check(parse(f"APPLY(l={EVENTS}, fct=lambda l: {body})"))
