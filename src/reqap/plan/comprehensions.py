"""Comprehensions, and the keys of `sorted`, `min` and `max`: over events, and over lists."""

from dataclasses import fields, replace

from reqap.errors import PlanError
from reqap.plan import expressions as ex
from reqap.plan.conversions import as_list, check_ordered, is_there, only_one, whole
from reqap.plan.core import (
    MEMBER_SIDE,
    ROW_SIDE,
    SIZE,
    Agg,
    Attr,
    Core,
    Keep,
    ListFilter,
    ListMap,
    Members,
    Op,
    Order,
    Step,
    Var,
    walk_core,
)
from reqap.plan.scope import Binding, Row, Rows, Scope, Typing
from reqap.plan.types import ROWS, Schema, Type, list_of


def comprehension(typer: Typing, node: ex.Comprehension, scope: Scope) -> Core:
    first = node.clauses[0]
    over = typer.typed(first.over, scope)
    if isinstance(over, Members) and over.type == ROWS:
        made = _over_rows(typer, node, over, scope)
    else:
        made = _over_list(typer, node.body, node.clauses, as_list(over), scope)
    if node.kind == "set" and not isinstance(made, Members):
        return Op(made.type, "distinct", (made,))
    return made


def _over_rows(typer: Typing, node: ex.Comprehension, over: Members, scope: Scope) -> Core:
    first, *more = node.clauses
    schema = _schema_of(first.over, scope)
    inner: dict[str, Binding] = {**scope, first.variable: Row(schema, MEMBER_SIDE)}
    conditions = [_member_value(typer.condition(c, inner), scope) for c in first.conditions]
    steps = (*over.steps, *(Keep(condition) for condition in conditions))
    if not more and node.body == ex.Name(first.variable):
        return Members(ROWS, steps)
    if more:
        nested = as_list(typer.value(more[0].over, inner))
        body = _over_list(typer, node.body, tuple(more), nested, inner)
        collected = Agg(list_of(body.type), "list", steps, _member_value(body, scope))
        return Op(body.type, "flatten", (collected,))
    body = _member_value(typer.value(node.body, inner), scope)
    return Agg(list_of(body.type), "list", steps, body)


def _schema_of(node: ex.Expression, scope: Scope) -> Schema:
    """What the rows that a comprehension goes through look like."""
    bound = scope.get(node.name) if isinstance(node, ex.Name) else None
    if isinstance(bound, Rows):
        return bound.schema
    if isinstance(bound, Row) and bound.members is not None:
        return bound.members
    return members_schema(scope)


def ordered(
    typer: Typing, of: Members, function: ex.Lambda, descending: bool, scope: Scope
) -> tuple[Step, ...]:
    """The steps that put events in order by a key; those without it have no place."""
    if len(function.parameters) != 1:
        raise PlanError("a key takes one parameter", expected="key=lambda e: …")
    schema = members_schema(scope)
    inner = {**scope, function.parameters[0]: Row(schema, MEMBER_SIDE)}
    key = _member_value(typer.value(function.body, inner), scope)
    check_ordered(key.type, "the key")
    return (*of.steps, Keep(is_there(key)), Order(whole(key), descending))


def sort_key(typer: Typing, function: ex.Lambda, item: Type, scope: Scope) -> tuple[str, Core]:
    """The `key` of sorted, min or max over a list: its variable, and what it gives."""
    if len(function.parameters) != 1:
        raise PlanError("a key takes one parameter", expected="key=lambda x: …")
    variable = typer.new_variable(item)
    key = only_one(typer.value(function.body, {**scope, function.parameters[0]: variable}))
    check_ordered(key.type, "the key")
    _check_alone(key, variable)
    return variable.name, key


def _check_alone(core: Core, variable: Var) -> None:
    """Nothing about all events can be worked out for each item of a list."""
    for inner in walk_core(core):
        if isinstance(inner, Agg | Members) and variable in walk_core(inner):
            raise PlanError(
                "something about all events, worked out for each item of a list",
                expected="groups: GROUP_BY, then MAP(l=…, fct=len, res_name=…), then ARGMAX",
            )


def _member_value(core: Core, scope: Scope) -> Core:
    """Checks that what is computed per member needs the member only."""
    keys = {
        name
        for bound in scope.values()
        if isinstance(bound, Row) and bound.members is not None
        for name in bound.schema.keys
    }
    for inner in walk_core(core):
        if isinstance(inner, Agg | Members):
            raise PlanError(
                "something about all events, worked out inside a comprehension over them",
                expected="a MAP or another operator before this one",
            )
        if isinstance(inner, Attr) and inner.side == ROW_SIDE and inner.name not in keys:
            name = "size" if inner.name == SIZE else f'"{inner.name}"'
            raise PlanError(
                f"the group's {name} inside a comprehension over its events",
                expected="the keys of the GROUP_BY only",
            )
    return _seen_from_members(core)


def _over_list(
    typer: Typing, body: ex.Expression, clauses: tuple[ex.For, ...], over: Core, scope: Scope
) -> Core:
    clause, *more = clauses
    variable = typer.new_variable(over.type.item)
    inner: dict[str, Binding] = {**scope, clause.variable: variable}
    kept = list_of(over.type.item)
    for condition in clause.conditions:
        holds = typer.condition(condition, inner)
        _check_alone(holds, variable)
        over = ListFilter(kept, variable.name, over, holds)
    if more:
        nested = as_list(typer.value(more[0].over, inner))
        made = _over_list(typer, body, tuple(more), nested, inner)
        return Op(made.type, "flatten", (ListMap(list_of(made.type), variable.name, over, made),))
    made = only_one(typer.value(body, inner))
    _check_alone(made, variable)
    if made == variable:
        return over if over.type == kept else Op(kept, "same", (over,))
    return ListMap(list_of(made.type), variable.name, over, made)


def _seen_from_members(core: Core) -> Core:
    """Keys of the group as the members know them: there they have the same value."""
    if isinstance(core, Attr):
        return Attr(core.type, core.name, MEMBER_SIDE)
    changed: dict[str, object] = {}
    for member in fields(core):
        value = getattr(core, member.name)
        if isinstance(value, Core):
            changed[member.name] = _seen_from_members(value)
        elif isinstance(value, tuple) and value and isinstance(value[0], Core):
            changed[member.name] = tuple(_seen_from_members(item) for item in value)
    return replace(core, **changed) if changed else core  # type: ignore[arg-type]


def members_schema(scope: Scope) -> Schema:
    """The events that there are to choose from, of all rows or of a group."""
    for bound in scope.values():
        if isinstance(bound, Rows):
            return bound.schema
        if isinstance(bound, Row) and bound.members is not None:
            return bound.members
    raise PlanError("there are no events to choose from here")
