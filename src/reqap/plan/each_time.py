"""What "after" and "before" mean where something happened again and again: on the same day.

"Where did we eat after bouldering?" A plan that compares with the first time ever (`> MIN(…)`), or
a JOIN with whatever came later, is right where a thing happened once ("after moving to Berlin") or
where the question says so ("since I first …"). How often it happened, only the data know. Not the
job of this module: looking that up (`pipeline`).
"""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from reqap.plan.expressions import (
    Call,
    Compare,
    Comprehension,
    Expression,
    For,
    Key,
    Lambda,
    Logic,
    Method,
    Name,
    SubPlan,
    walk,
)
from reqap.plan.operators import Apply, Filter, Join, Max, Min, Operator, Retrieve, walk_plan
from reqap.plan.parse import parse_expression
from reqap.plan.rewrite import conditions_of, with_plans

IsOften = Callable[[Operator], bool]
_Node = TypeVar("_Node", Filter, Join)
_TIMES = ("start_datetime", "start_date", "end_datetime", "end_date")
_LATER, _EARLIER = (">", ">="), ("<", "<=")
# Who says one of these means a certain time, or all that came since.
_CERTAIN = re.compile(
    r"\b(?:first|second|third|last|latest|earliest|newest|oldest|recent(?:ly)?|since|until|till|ever"
    r"|start(?:ed|ing|s)?|beg[aiu]n(?:ning|s)?|previous|next|once|any ?time|eventually)\b",
    re.IGNORECASE,
)
_ORDER = re.compile(
    r"\b(?:after(?:wards?)?|before(?:hand)?|following|followed|prior|then|later)\b", re.IGNORECASE
)
# "after the hike" is one hike, unless a habit is asked for.
_DEFINITE = re.compile(r"\s*(?:the|that|this|these|those|our|his|her|their|its?)\b", re.IGNORECASE)
_HABIT = re.compile(
    r"\b(?:how often|how many times|usually|typically|normally|generally|tend|always"
    r"|do(?:es)? \w+)\b",
    re.IGNORECASE,
)
# "last summer" is no last time.
_SPAN = re.compile(
    r"\b(?:last|next|past|previous) (?:\w+ )?(?:days?|nights?|evenings?|weeks?|weekends?|months?"
    r"|years?|springs?|summers?|autumns?|falls?|winters?|(?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|january|february|march|april|may|june|july|august|september|october|november|december)\b",
    re.IGNORECASE,
)
# What changes a life happens once, however often it is told of.
_TURNING = re.compile(
    r"\b(?:mov(?:ed?|ing)|start\w*|beg[aiu]n\w*|stop\w*|quit\w*|join\w*|left|leav\w+"
    r"|g[eo]t(?:ting)?|adopt\w*|buy\w*|bought|marr\w+|wedding|divorc\w+|graduat\w+|retir\w+"
    r"|born|birth of|di(?:ed|e)|death|bec[ao]m\w+|br[oe]ke?\w* up|turn(?:ed|ing)|hir(?:ed|ing)"
    r"|promot\w+|switch\w*|chang\w*|finish\w*|operation|surgery)\b",
    re.IGNORECASE,
)


def each_time(plan: Operator, question: str, is_often: IsOften) -> Operator:
    """The plan with "after" and "before" on the day of each time, where what they are measured by
    happened often and the question means no certain time."""
    return plan if _is_certain(question) else _changed(plan, is_often)


def _is_certain(question: str) -> bool:
    """Whether a question says that it means a certain time, or is not about an order at all."""
    plain = _SPAN.sub("", question)
    orders = {order[0].casefold() for order in _ORDER.finditer(plain)}
    if len(orders) != 1 or _CERTAIN.search(plain):  # "before or after" turns on one time
        return True
    measure = _ORDER.split(plain)[-1]
    is_one = _DEFINITE.match(measure) and not _HABIT.search(plain)
    return bool(is_one or _TURNING.search(measure))


def _changed(plan: Operator, is_often: IsOften) -> Operator:
    if isinstance(plan, Filter):
        plan = _filtered(plan, is_often)
    elif isinstance(plan, Join) and _is_open(plan) and _recurs(plan.l2, is_often):
        same_day = Compare(Key(Name("i1"), "start_date"), ("==",), (Key(Name("i2"), "start_date"),))
        both = (same_day, *conditions_of(plan.condition))
        plan = replace(_said(plan), condition=Logic("and", both))
    return with_plans(plan, lambda inner: _changed(inner, is_often))


def _said(plan: _Node) -> _Node:
    """The node, which says how it was understood."""
    return replace(plan, question=f"{plan.question}, on the same day") if plan.question else plan


def _recurs(plan: Operator, is_often: IsOften) -> bool:
    """Whether what a plan finds may have happened often, and did."""
    queries = [node.query for node in walk_plan(plan) if isinstance(node, Retrieve)]
    return bool(queries) and not any(map(_TURNING.search, queries)) and is_often(plan)


# -- FILTER(A, lambda e: e["start_date"] > MIN(B, "start_date").result) ----------------------------


def _filtered(plan: Filter, is_often: IsOften) -> Filter:
    found = conditions_of(plan.filter.body)
    extremes = [inner.plan for inner in walk(plan.filter.body) if isinstance(inner, SubPlan)]
    if len(extremes) != 1 or not isinstance(extremes[0], Min | Max):
        return plan  # two bounds are a span
    extreme, event = extremes[0], Name(plan.filter.parameters[0])
    later = [_is_later(one, event) for one in found]
    if later.count(None) != len(found) - 1 or extreme.attr_name not in _TIMES:
        return plan
    if extreme.l == plan.l or not _recurs(extreme.l, is_often):
        return plan
    told = [one if is_later is None else _same_day(event, extreme.l, is_later)
            for one, is_later in zip(found, later, strict=True)]  # fmt: skip
    body = told[0] if len(told) == 1 else Logic("and", tuple(told))
    return replace(_said(plan), filter=replace(plan.filter, body=body))


def _is_later(condition: Expression, event: Name) -> bool | None:
    """Whether a condition says that an event is later, or earlier, than another plan's result;
    None if it says something else."""
    match condition:
        case Compare(Key(of, name), (operator,), (SubPlan(),)) if of == event and name in _TIMES:
            pass
        case Compare(SubPlan(), (turned,), (Key(of, name),)) if of == event and name in _TIMES:
            operator = {">": "<", ">=": "<=", "<": ">", "<=": ">="}.get(turned, "")
        case _:
            return None
    return None if operator not in (*_LATER, *_EARLIER) else operator in _LATER


def _same_day(event: Name, other: Operator, is_later: bool) -> Expression:
    """`any(t.date() == e["start_date"] and t <= e["start_datetime"] for t in …)`."""
    mine, theirs = ("start_datetime", "end_datetime")[:: 1 if is_later else -1]
    every = parse_expression(f'lambda l: set(x["{theirs}"] for x in l)', ())
    assert isinstance(every, Lambda)
    time = Name("t" if event.name != "t" else "u")
    same = Compare(Method(time, "date"), ("==",), (Key(event, "start_date"),))
    order = Compare(time, ("<=" if is_later else ">=",), (Key(event, mine),))
    times = (For(time.name, SubPlan(Apply(other, every)), ()),)
    return Call("any", (Comprehension("generator", Logic("and", (same, order)), times),))


# -- JOIN(A, B, "i1.start_datetime > i2.start_datetime") -------------------------------------------


def _is_open(plan: Join) -> bool:
    """Whether a join asks only which came later: then it may be years."""
    orders = [_order(one) for one in conditions_of(plan.condition)]
    return plan.l1 != plan.l2 and None not in orders and len(set(orders)) == 1


def _order(condition: Expression) -> bool | None:
    """Whether the left side is later than the right one; None where something else is said."""
    match condition:
        case Compare(Key(Name(one), a), (operator,), (Key(Name(other), b),)):
            if {one, other} == {"i1", "i2"} and a in _TIMES and b in _TIMES:
                is_order = operator in (*_LATER, *_EARLIER)
                return (operator in _LATER) == (one == "i1") if is_order else None
    return None
