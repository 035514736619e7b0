"""Orders are counted once each, however many things were in them.

Shops export one record per thing; "how many orders" and "how much per order" ask for what was
ordered at once. The question says so, and the data know which order a thing belongs to. Not the job
of this module: how many things were bought ("how many books did I order").
"""

import re
from dataclasses import replace

from reqap.plan.expressions import FunctionName, Lambda
from reqap.plan.operators import (
    Apply,
    Avg,
    Extract,
    Filter,
    GroupBy,
    Map,
    Operator,
    Retrieve,
    walk_plan,
)
from reqap.plan.parse import parse_expression
from reqap.plan.rewrite import with_plans

_COUNTED = re.compile(
    r"\b(?:how many|number of|count of) (?:(?!(?:in|from|of|with|on|were|are)\b)\w+ ){0,3}?orders\b"
    r"|\bhow (?:often|many times)\b.*\b(?:orders?|ordered)\b|\borders (?:per|each|by)\b",
    re.IGNORECASE,
)
_EACH = re.compile(r"\b(?:per|each|every|average|typical) (?:\w+ )?order\b", re.IGNORECASE)
_ORDERS = re.compile(r"\border(?:s|ed)?\b", re.IGNORECASE)
_KEY, _ORDER = "order_id", "order"
# What things of one order cost is summed up; of all else, nothing is known.
_AMOUNTS = frozenset(
    ("price", "cost", "total", "amount", "spent", "paid", "payment", "value", "quantity", "fee")
)
# A thing without the number of its order was ordered when it was.
_NUMBER = "str({0}['start_datetime']) if {0}['order_id'] is None else {0}['order_id']"
_ONCE = f"lambda l: len(set({_NUMBER.format('x')} for x in l))"
_OWN = f"lambda e: {_NUMBER.format('e')}"


def each_order(plan: Operator, question: str) -> Operator:
    if _EACH.search(question):
        return _averaged(plan)
    return _counted(plan) if _COUNTED.search(question) else plan


def _counted(plan: Operator) -> Operator:
    match plan:
        case Apply(l=below, fct=FunctionName("len")) if _is_of_orders(below):
            return replace(plan, l=_with_order(below), fct=_function(_ONCE))
        case Map(l=GroupBy(l=below) as groups, fct=FunctionName("len")) if _is_of_orders(below):
            return replace(plan, l=replace(groups, l=_with_order(below)), fct=_function(_ONCE))
    return with_plans(plan, _counted)


def _averaged(plan: Operator) -> Operator:
    """AVG over things, as one over orders: of each, the sum."""
    match plan:
        case Avg(l=below, attr_name=name) if _is_amount(name) and _is_of_orders(below):
            total = _function(f"lambda l: sum(x['{name}'] for x in l)")
            things = Map(_with_order(below), _function(_OWN), _ORDER)
            return replace(plan, l=Map(GroupBy(things, (_ORDER,)), total, name))
    return with_plans(plan, _averaged)


def _is_amount(name: str) -> bool:
    return not _AMOUNTS.isdisjoint(name.split("_"))


def _function(text: str) -> Lambda:
    made = parse_expression(text, ())
    assert isinstance(made, Lambda)
    return made


def _with_order(plan: Operator) -> Operator:
    return Extract(plan, (_KEY,), ("str",))


def _is_of_orders(plan: Operator) -> bool:
    """Whether the rows are things that were ordered, and nothing else is done with them."""
    if isinstance(plan, Map | Filter | Extract):
        is_plain = not any(isinstance(one, GroupBy) for one in walk_plan(plan))
        return is_plain and _is_of_orders(plan.l)
    return isinstance(plan, Retrieve) and bool(_ORDERS.search(plan.query))
