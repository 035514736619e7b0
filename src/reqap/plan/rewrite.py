"""Plans changed in places: sub-plans put in, taken out, and variables renamed."""

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

from reqap.plan.expressions import Expression, For, Lambda, Name, SubPlan, walk
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


def with_parameter(expression: Lambda, name: str) -> Lambda:
    """A function whose one parameter has another name; as it is where that would clash."""
    if len(expression.parameters) != 1:
        return expression
    old = expression.parameters[0]
    inner = list(walk(expression.body))
    taken = {one.name for one in inner if isinstance(one, Name)}
    bound = {one.variable for one in inner if isinstance(one, For)}
    bound |= {name for one in inner if isinstance(one, Lambda) for name in one.parameters}
    if old == name or name in taken | bound or old in bound:
        return expression
    body = rebuilt(
        expression.body,
        lambda one: Name(name) if isinstance(one, Name) and one.name == old else None,
    )
    return replace(expression, parameters=(name,), body=body)
