"""Small mistakes of a plan, put right where there is one sensible way to do it.

A model that forgets to extract what it uses, groups by a list, or joins with a moment instead of
the event meant something that can be seen from the plan. Whatever is mended is checked again; what
cannot be mended is for the model to do better.
"""

import re
from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

from reqap.errors import PlanError
from reqap.plan import Functions, Operator, check
from reqap.plan import expressions as ex
from reqap.plan import operators as op
from reqap.plan.rewrite import rebuilt, with_plans

_MISSING = re.compile(r'there is no attribute "([^"]+)" here')
_LIST = re.compile(r'"([^"]+)" is a list')
_NO_LIST = re.compile(r'"([^"]+)" is .+, not a list')
_MOST = 5


def mended(plan: Operator, functions: Functions) -> Operator:
    """The plan, mended where that makes it pass the check; else the first `PlanError`."""
    first: PlanError | None = None
    for _ in range(_MOST):
        try:
            check(plan, functions)
        except PlanError as error:
            first = first or error
            node = error.node
            new = _better(node, error) if isinstance(node, Operator) else None
            if new is None or not isinstance(node, Operator):
                break
            plan = _put(plan, node, new)
        else:
            return plan
    assert first is not None
    raise first


def _put(plan: Operator, old: Operator, new: Operator) -> Operator:
    if plan is old:
        return new
    return with_plans(plan, lambda inner: _put(inner, old, new))


def _better(node: Operator, error: PlanError) -> Operator | None:
    if found := _MISSING.search(error.what):
        return _extracting(node, found[1])
    if (found := _LIST.search(error.what)) and isinstance(node, op.GroupBy):
        below = op.Unnest(node.l, found[1], found[1], question=node.l.question)
        return replace(node, l=below)
    if (found := _NO_LIST.search(error.what)) and isinstance(node, op.Unnest):
        return _with_type(node, found[1], "list")
    if isinstance(node, op.Join) and "the input is one value" in error.what:
        return replace(node, l1=_event_of(node.l1), l2=_event_of(node.l2))
    if isinstance(node, op.Filter) and "cannot be compared" in error.what:
        return _with_parts(node)
    return None


# -- attributes that nobody extracted --------------------------------------------------------------


def _extracting(node: Operator, name: str) -> Operator | None:
    """The node over events of which the attribute is extracted."""
    kind = _type_of(node, name)
    if isinstance(node, op.Join):
        sides = {key.of.name for key in _keys(node, name) if isinstance(key.of, ex.Name)}
        given = {"i1": "l1", "i2": "l2"}
        for side in sides & given.keys():
            below = _with_extract(getattr(node, given[side]), name, kind)
            if below is None:
                return None
            node = _replaced(node, given[side], below)
        return node
    inputs = node.named_inputs()
    if len(inputs) != 1:
        return None
    argument, below = inputs[0]
    wide = _with_extract(below, name, kind)
    return _replaced(node, argument, wide) if wide is not None else None


def _replaced(node: Operator, argument: str, below: Operator) -> Operator:
    changed: dict[str, Any] = {argument: below}
    return replace(node, **changed)


def _with_extract(plan: Operator, name: str, kind: str) -> Operator | None:
    """A plan whose events have the attribute; groups get it inside."""
    match plan:
        case op.GroupBy() | op.Map() | op.Filter() | op.Extreme() if _is_grouped(plan):
            below = _with_extract(plan.inputs()[0], name, kind)
            return replace(plan, l=below) if below is not None else None
        case op.Aggregate() | op.Apply() | op.Qud():
            return None
        case op.Extract() if name not in plan.attr_names:
            return replace(
                plan, attr_names=(*plan.attr_names, name), attr_types=(*plan.attr_types, kind)
            )
    return op.Extract(plan, (name,), (kind,), question=plan.question)


def _is_grouped(plan: Operator) -> bool:
    while isinstance(plan, op.Map | op.Filter | op.Extreme):
        plan = plan.l
    return isinstance(plan, op.GroupBy)


def _keys(node: Operator, name: str) -> Iterator[ex.Key]:
    for expression in _expressions(node):
        for inner in ex.walk(expression):
            if isinstance(inner, ex.Key) and inner.name == name:
                yield inner


def _expressions(node: Operator) -> Iterator[ex.Expression]:
    for member in fields(node):
        value = getattr(node, member.name)
        if isinstance(value, ex.Expression):
            yield value


_NUMERIC = ("sum", "avg", "max", "min", "round", "abs")


def _type_of(node: Operator, name: str) -> str:
    """What an attribute must be, by how it is used."""
    match node:
        case op.Aggregate():
            return "float"
        case op.Extreme():
            return "float" if node.arg_attr_name == name else "str"
        case op.Unnest():
            return "list"
    for expression in _expressions(node):
        for outer in ex.walk(expression):
            kind = _used_as(outer, name)
            if kind:
                return kind
    return "str"


def _used_as(outer: ex.Expression, name: str) -> str:
    def is_it(inner: ex.Expression) -> bool:
        return isinstance(inner, ex.Key) and inner.name == name

    match outer:
        case ex.For() if is_it(outer.over):
            return "list"
        case ex.Part() | ex.Method() if is_it(outer.of):
            texts = ("lower", "upper", "strip", "startswith", "endswith", "split", "replace")
            return "str" if outer.name in texts else "date"
        case ex.Binary() if is_it(outer.left) or is_it(outer.right):
            return "float"
        case ex.Compare():
            return _compared_as(outer, is_it(outer.left), [is_it(one) for one in outer.rights])
        case ex.Comprehension() if is_it(outer.body) and outer.kind == "generator":
            return ""
        case ex.Call() if outer.function in _NUMERIC:
            bodies = [a.body for a in outer.arguments if isinstance(a, ex.Comprehension)]
            return "float" if any(map(is_it, (*outer.arguments, *bodies))) else ""
    return ""


def _compared_as(compare: ex.Compare, left: bool, rights: list[bool]) -> str:
    if any(rights) and compare.operators[rights.index(True)] in ("in", "not in"):
        return "list"
    if not left and not any(rights):
        return ""
    for value in (compare.left, *compare.rights):
        if isinstance(value, ex.Literal) and value.value is not None:
            kinds: dict[type, str] = {bool: "bool", int: "float", float: "float", str: "str"}
            return kinds[type(value.value)]
    return ""


# -- types that do not fit -------------------------------------------------------------------------


def _with_type(plan: Operator, name: str, kind: str) -> Operator | None:
    """The plan with an attribute extracted as another type."""
    if isinstance(plan, op.Extract) and name in plan.attr_names:
        at = plan.attr_names.index(name)
        return replace(plan, attr_types=(*plan.attr_types[:at], kind, *plan.attr_types[at + 1 :]))
    inputs = plan.named_inputs()
    if len(inputs) != 1:
        return None
    below = _with_type(inputs[0][1], name, kind)
    return _replaced(plan, inputs[0][0], below) if below is not None else None


def _event_of(plan: Operator) -> Operator:
    """The event instead of its moment: where it is joined with others, the event is meant."""
    if isinstance(plan, op.Min | op.Max) and plan.attr_name.startswith(("start_", "end_")):
        kind = op.ArgMin if isinstance(plan, op.Min) else op.ArgMax
        return kind(plan.l, plan.attr_name, question=plan.question)
    return plan


def _with_parts(node: op.Filter) -> op.Filter | None:
    """`date.year == ….result` where the result is a moment: its year is meant."""

    def changed(inner: ex.Expression) -> ex.Expression | None:
        if not isinstance(inner, ex.Compare):
            return None
        sides = (inner.left, *inner.rights)
        parts = {one.name for one in sides if isinstance(one, ex.Part)}
        if len(parts) != 1 or not any(isinstance(one, ex.SubPlan) for one in sides):
            return None
        (part,) = parts
        left, *rights = (
            ex.Part(one, part) if isinstance(one, ex.SubPlan) else one for one in sides
        )
        return replace(inner, left=left, rights=tuple(rights))

    body = rebuilt(node.filter.body, changed)
    return (
        replace(node, filter=replace(node.filter, body=body)) if body != node.filter.body else None
    )
