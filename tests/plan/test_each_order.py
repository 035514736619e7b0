"""Orders, which are counted once each."""

import pytest

from reqap.plan.check import check
from reqap.plan.each_order import each_order
from reqap.plan.format import format_plan
from reqap.plan.parse import parse
from tests.execute.fakes import FakeLife, Plain, run, values

ORDERS = (
    'FILTER(l=RETRIEVE(query="my online orders"), filter=lambda e: e["start_date"].year == 2023)'
)
COUNT = f"APPLY(l={ORDERS}, fct=len)"


@pytest.mark.parametrize(
    ("question", "changes"),
    [
        ("How many orders did I place in 2023?", True),
        ("how many online orders in 2023", True),
        ("How often did I order something in 2023?", True),
        ("How many things did I order in 2023?", False),
        ("What did I order in 2023?", False),
        ("How many books were in my orders?", False),
        ("How many returned items from orders?", False),
        ("How many walks did I take in order to relax?", False),
    ],
)
def test_who_counts_orders(question: str, changes: bool) -> None:
    plan = parse(COUNT)
    found = each_order(plan, question)
    check(found)
    assert (found != plan) == changes
    assert ("order_id" in format_plan(found)) == changes


def test_only_what_was_ordered_is_counted_so() -> None:
    plan = parse('APPLY(l=RETRIEVE(query="my walks"), fct=len)')
    assert each_order(plan, "How many orders did I place?") == plan


def test_groups_are_counted_so_too() -> None:
    plan = parse(
        'MAP(l=GROUP_BY(l=MAP(l=RETRIEVE(query="my orders"), fct=lambda e: e["start_date"].month,'
        ' res_name="month"), attr_names=["month"]), fct=len, res_name="orders")'
    )
    found = each_order(plan, "Orders per month")
    check(found)
    assert found != plan


def _average(name: str, *things: tuple[str | None, float]) -> object:
    """What AVG over things, meant per order, comes to; each is of another day."""
    plan = parse(
        f'AVG(l=EXTRACT(l=RETRIEVE(query="my orders"), attr_names=["{name}"], attr_types=[float]),'
        f' attr_name="{name}")'
    )
    rows: list[dict[str, Plain]] = [{name: value} | ({"order_id": order} if order else {})
                                    for order, value in things]  # fmt: skip
    meant = format_plan(each_order(plan, "What is it per order?"))
    (row,) = values(run(meant, {"my orders": FakeLife(rows)}))
    return row["#value"]


def test_what_an_order_costs_is_all_that_was_in_it() -> None:
    assert _average("price", ("A", 10), ("A", 20), (None, 30), (None, 50), ("B", 40)) == 37.5
    assert _average("price", (None, 10), (None, 20)) == 15
    # What does not add up is left as it is.
    assert _average("days_to_arrive", ("A", 3), ("A", 3), ("B", 1)) == pytest.approx(7 / 3)
    plan = parse(
        'AVG(l=EXTRACT(l=RETRIEVE(query="my orders"), attr_names=["price"], attr_types=[float]),'
        ' attr_name="price")'
    )
    assert each_order(plan, "What does a book cost on average?") == plan
