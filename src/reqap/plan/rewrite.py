"""Plans changed in places: sub-plans put in, taken out, and variables renamed."""

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from typing import Any

from reqap.plan.expressions import Comprehension, Expression, For, Lambda, Name, SubPlan
from reqap.plan.operators import Operator, Qud


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
