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

from reqap.plan.expressions import Compare, Expression, Key, Lambda, Logic, Name, SubPlan, walk
from reqap.plan.operators import (
    Apply,
    Extract,
    Filter,
    Join,
    Max,
    Min,
    Operator,
    Retrieve,
    walk_plan,
)
from reqap.plan.parse import parse_expression
from reqap.plan.rewrite import conditions_of, rebuilt, with_plans

IsOften = Callable[[Operator], bool]
_Node = TypeVar("_Node", Filter, Join)
_TIMES = ("start_datetime", "start_date", "end_datetime", "end_date")
_LATER, _EARLIER = (">", ">="), ("<", "<=")
# Who says one of these means a certain time, or all that came since.
_CERTAIN = re.compile(
    r"\b(?:first|second|third|last|latest|earliest|newest|oldest|recent(?:ly)?|since|until|till"
    r"|start(?:ed|ing|s)?|beg[aiu]n(?:ning|s)?|previous|next|once|any ?time|eventually"
    r"|(?:day|night|evening|week|month|year|hour|minute)s? (?:after|before))\b",
    re.IGNORECASE,
)
_ORDER = re.compile(
    r"\b(?:after(?:wards?)?|before(?:hand)?|following|followed|prior|then|later)\b", re.IGNORECASE
)
_BEFORE = ("before", "beforehand", "prior")
# What follows a clause that stands in front: "after badminton, where did we eat?"
_CLAUSE = re.compile(r",|\b(?:did|do|does|have|has|was|were|what|where|who|how|which)\b", re.I)
# "after the hike" is one hike, unless a habit is asked for.
_DEFINITE = re.compile(r"\s*(?:the|that|this|these|those|our|his|her|their|its?)\b", re.IGNORECASE)
_HABIT = re.compile(
    r"\b(?:how often|how many times|usually|typically|normally|generally|tend|always"
    r"|do(?:es)? (?:i|we|you|they|he|she|my))\b",
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
    r"|los(?:e|t|ing)|g[eo]t(?:ting)?|adopt\w*|buy\w*|bought|marr\w+|wedding|divorc\w+|graduat\w+|retir\w+"
    r"|born|birth of|di(?:ed|e)|death|bec[ao]m\w+|br(?:eak(?:ing)?|oken?)[- ]?up|turn(?:ed|ing)"
    r"|hir(?:ed|ing)|promot\w+|switch\w*|chang\w*|finish\w*|operation|surgery)\b",
    re.IGNORECASE,
)


def each_time(plan: Operator, question: str, is_often: IsOften) -> Operator:
    """The plan with "after" and "before" on the day of each time, where what they are measured by
    happened often and the question means no certain time."""
    plain = _SPAN.sub("", question)
    orders = {order[0].casefold() for order in _ORDER.finditer(plain)}
    if len(orders) != 1 or _CERTAIN.search(plain):  # "before or after" turns on one time
        return plan
    measure = _CLAUSE.split(_ORDER.split(plain)[-1])[0]
    is_one = _DEFINITE.match(measure) and not _HABIT.search(plain)
    if is_one or _TURNING.search(measure):
        return plan
    return _changed(plan, orders.pop() in _BEFORE, is_often)


def _changed(plan: Operator, before: bool, is_often: IsOften) -> Operator:
    if isinstance(plan, Filter):
        plan = _filtered(plan, is_often)
    elif isinstance(plan, Join):
        plan = _joined(plan, before, is_often)
    return with_plans(plan, lambda inner: _changed(inner, before, is_often))


def _said(plan: _Node) -> _Node:
    """The node, which says how it was understood."""
    return replace(plan, question=f"{plan.question}, on the same day") if plan.question else plan


def _recurs(plan: Operator, is_often: IsOften) -> bool:
    """Whether what a plan finds may have happened often, and did."""
    queries = [node.query for node in walk_plan(plan) if isinstance(node, Retrieve)]
    return bool(queries) and not any(map(_TURNING.search, queries)) and is_often(plan)


def _is_read(*plans: Operator) -> bool:
    """Whether days are read from texts: then no hours are known."""
    return any(
        isinstance(node, Extract) and not set(_TIMES).isdisjoint(node.attr_names)
        for plan in plans
        for node in walk_plan(plan)
    )


# -- FILTER(A, lambda e: e["start_date"] > MIN(B, "start_date").result) ----------------------------

# What has no time of day counts on that day: films are kept by their dates, and of what is told in
# a mail the hour is not known.
_AFTER = (
    'any(t.date() == e["start_date"] and'
    ' (t <= e["start_datetime"] or e["start_time"] is None) for t in x)'
)
_BEFORE_IT = (
    'any(t.date() == e["start_date"] and'
    ' (t >= e["start_datetime"] or e["start_time"] is None or t.time() == time(0)) for t in x)'
)
_THAT_DAY = 'e["start_date"] in x'


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
    is_read = _is_read(plan.l, extreme.l)
    told = [one if is_later is None else _same_day(event, extreme.l, is_later, is_read)
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


def _same_day(event: Name, other: Operator, is_later: bool, is_read: bool) -> Expression:
    """The condition that there was another one on the event's day, before or after it."""
    name = "start_date" if is_read else "start_datetime"
    every = parse_expression(f'lambda l: set(x["{name}"] for x in l)', ())
    assert isinstance(every, Lambda)
    times = SubPlan(Apply(other, every))
    text = _THAT_DAY if is_read else _AFTER if is_later else _BEFORE_IT
    put = {Name("e"): event, Name("x"): times}
    return rebuilt(parse_expression(text, ("e", "x")),
                   lambda inner: put.get(inner) if isinstance(inner, Name) else None)  # fmt: skip


# -- JOIN(A, B, "i1.start_datetime > i2.start_datetime") -------------------------------------------

_JOINED = (
    "i1.start_date == i2.start_date and"
    " (i1.start_datetime >= i2.start_datetime or i1.start_time is None)"
)


def _joined(plan: Join, before: bool, is_often: IsOften) -> Join:
    """Of a join that asks only which came later: then it may be years."""
    orders = {_order(one) for one in conditions_of(plan.condition)}
    if plan.l1 == plan.l2 or len(orders) != 1 or None in orders:
        return plan
    is_later = orders.pop()
    # "A before B": B is what A is measured by, and comes later.
    measure = plan.l1 if is_later == before else plan.l2
    if not _recurs(measure, is_often):
        return plan
    text = "i1.start_date == i2.start_date" if _is_read(plan.l1, plan.l2) else _JOINED
    condition = parse_expression(text, ("i1", "i2"))
    return replace(_said(plan), condition=condition if is_later else _turned(condition))


def _turned(condition: Expression) -> Expression:
    other = {Name("i1"): Name("i2"), Name("i2"): Name("i1")}
    return rebuilt(condition, lambda inner: other.get(inner) if isinstance(inner, Name) else None)


def _order(condition: Expression) -> bool | None:
    """Whether the left side is later than the right one; None where something else is said."""
    match condition:
        case Compare(Key(Name(one), a), (operator,), (Key(Name(other), b),)):
            if {one, other} == {"i1", "i2"} and a in _TIMES and b in _TIMES:
                is_order = operator in (*_LATER, *_EARLIER)
                return (operator in _LATER) == (one == "i1") if is_order else None
    return None
