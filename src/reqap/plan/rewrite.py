"""Plans changed in places: sub-plans put in, taken out, steps put in order, variables renamed."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import fields, replace
from typing import Any

from reqap.plan.expressions import (
    Comprehension,
    Expression,
    For,
    Key,
    Lambda,
    Logic,
    Name,
    SubPlan,
    walk,
)
from reqap.plan.operators import Extract, Filter, Operator, Qud


def with_plans(plan: Operator, change: Callable[[Operator], Operator]) -> Operator:
    """The node, with each plan it reads or whose result it uses changed."""
    found: dict[str, Any] = {}
    for member in fields(plan):
        value = getattr(plan, member.name)
        if isinstance(value, Operator):
            found[member.name] = change(value)
        elif isinstance(value, Expression):
            found[member.name] = _in_expression(value, change)
    return replace(plan, **found) if found else plan


def _in_expression(node: Expression, change: Callable[[Operator], Operator]) -> Expression:
    def changed(inner: Expression) -> Expression | None:
        return SubPlan(change(inner.plan)) if isinstance(inner, SubPlan) else None

    return rebuilt(node, changed)


def rebuilt(node: Expression, change: Callable[[Expression], Expression | None]) -> Expression:
    """The expression, with those inner ones for which `change` gives another put in their place."""
    other = change(node)
    if other is not None:
        return other
    found = {member.name: _value(getattr(node, member.name), change) for member in fields(node)}
    return replace(node, **found)


def _value(value: Any, change: Callable[[Expression], Expression | None]) -> Any:
    if isinstance(value, Expression):
        return rebuilt(value, change)
    if isinstance(value, tuple):
        return tuple(_value(item, change) for item in value)
    return value


def step_of(plan: Operator) -> Operator:
    """The node alone: the plans below it are questions again."""

    def asked(inner: Operator) -> Operator:
        if isinstance(inner, Qud):
            return inner
        if inner.question is None:
            raise ValueError(f"{inner.name} does not know the question it answers")
        return Qud(inner.question)

    return with_plans(plan, asked)


def answered(plan: Operator, question: str, step: Operator) -> Operator:
    """The plan with a question, wherever it is open, taken one step further."""
    if isinstance(plan, Qud):
        return replace(step, question=question) if plan.text == question else plan
    return with_plans(plan, lambda inner: answered(inner, question, step))


def filters_first(plan: Operator) -> Operator:
    """The same plan, in which what is filtered out is not read: a condition that needs nothing of
    what EXTRACT gives is looked at before."""
    plan = with_plans(plan, filters_first)
    if not (isinstance(plan, Filter) and isinstance(plan.l, Extract)):
        return plan
    conditions = conditions_of(plan.filter.body)
    early = [one for one in conditions if not _reads(one, plan.l.attr_names)]
    if not early:
        return plan
    late = [one for one in conditions if one not in early]
    below = filters_first(_filtered(plan, plan.l.l, early))
    read = replace(plan.l, l=below, question=plan.question)
    return _filtered(plan, read, late) if late else read


def _filtered(plan: Filter, below: Operator, conditions: list[Expression]) -> Filter:
    body = conditions[0] if len(conditions) == 1 else Logic("and", tuple(conditions))
    return replace(plan, l=below, filter=replace(plan.filter, body=body))


def conditions_of(node: Expression) -> list[Expression]:
    """What must all be true."""
    if isinstance(node, Logic) and node.operator == "and":
        return [one for item in node.items for one in conditions_of(item)]
    return [node]


def _reads(node: Expression, names: Collection[str]) -> bool:
    """Whether an expression reads one of the attributes; one that reads none, by its names, may
    read all."""
    keys = {inner.name for inner in walk(node) if isinstance(inner, Key)}
    return not keys or not keys.isdisjoint(names)


_VARIABLES = ("e", "x", "y", "z", "w")


def with_names(function: Lambda, name: str) -> Lambda:
    """The same function with its one parameter called `name`, and what is bound inside it by names
    that are always the same."""
    if len(function.parameters) != 1:
        return function
    return replace(
        function,
        parameters=(name,),
        body=_named(function.body, {function.parameters[0]: name}),
    )


def _named(node: Expression, names: Mapping[str, str]) -> Expression:
    """An expression in which some variables have other names."""

    def change(inner: Expression) -> Expression | None:
        match inner:
            case SubPlan():
                return inner
            case Name(old):
                return Name(names.get(old, old))
            case Lambda(parameters, body):
                within = dict(names)
                for old in parameters:
                    within[old] = _free(within)
                new = tuple(within[old] for old in parameters)
                return Lambda(new, _named(body, within))
            case Comprehension(kind, body, clauses):
                within, found = dict(names), []
                for clause in clauses:
                    over = _named(clause.over, within)
                    within[clause.variable] = _free(within)
                    conditions = tuple(_named(one, within) for one in clause.conditions)
                    found.append(For(within[clause.variable], over, conditions))
                return Comprehension(kind, _named(body, within), tuple(found))
        return None

    return rebuilt(node, change)


def _free(names: Mapping[str, str]) -> str:
    taken = set(names.values())
    return next((name for name in _VARIABLES if name not in taken), f"v{len(taken)}")
