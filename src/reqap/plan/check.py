"""Does a plan make sense? Types, attributes and shapes, before anything runs.

`check` gives the checked plan: the same tree, with the schema of each node's result and the typed
form of its function. Plans with open questions are checked as far as they are known.
"""

import re
from dataclasses import dataclass, replace

from reqap.errors import PlanError
from reqap.plan import expressions as ex
from reqap.plan import operators as op
from reqap.plan.calls import average, total
from reqap.plan.conversions import check_ordered, only_one, whole
from reqap.plan.core import MEMBER_SIDE, Agg, Attr, Core, Given
from reqap.plan.format import format_step
from reqap.plan.functions import Functions
from reqap.plan.scope import Row, Rows, Scope
from reqap.plan.types import (
    ATTRIBUTE_TYPES,
    BUILT_IN,
    ROW,
    ROWS,
    Kind,
    Schema,
    Shape,
    Type,
    list_of,
)
from reqap.plan.typing import Typer, Unknown, attribute

APPLY_RESULT = "apply_result"


@dataclass(frozen=True)
class Checked:
    """A node that makes sense."""

    operator: op.Operator
    schema: Schema
    inputs: "tuple[Checked, ...]" = ()
    sub_plans: "tuple[Checked, ...]" = ()
    # What the node computes: FILTER's and JOIN's condition, the value of MAP, APPLY, MIN, ….
    core: Core | None = None


def check(plan: op.Operator, functions: Functions | None = None) -> Checked:
    """The checked plan, or a `PlanError` that says which node cannot work and why."""
    return _Checker(functions or Functions()).node(plan)


def require_complete(plan: op.Operator) -> None:
    """Only plans without open questions can run."""
    questions = op.open_questions(plan)
    if questions:
        raise PlanError(
            f"the plan has open questions: {'; '.join(q[:80] for q in questions[:3])}",
            expected="a plan in which every QUD is replaced by operators",
        )


_OPEN = Schema(Shape.OPEN, open=True)


class _Checker:
    def __init__(self, functions: Functions) -> None:
        self._functions = functions

    def node(self, plan: op.Operator) -> Checked:
        inputs = tuple(self.node(inner) for inner in plan.inputs())
        sub_plans = tuple(self.node(inner) for inner in plan.sub_plans())
        typer = Typer(
            self._functions,
            [(node.operator, node.schema) for node in sub_plans],
        )
        try:
            schema, core = self._result(plan, [node.schema for node in inputs], typer)
        except PlanError as error:
            where = f"in {format_step(plan)}"
            where += f", {error.where}" if error.where else ""
            told = PlanError(error.what, where, error.expected)
            told.node = plan
            raise told from None
        return Checked(plan, schema, inputs, sub_plans, core)

    def _result(
        self, plan: op.Operator, inputs: list[Schema], typer: Typer
    ) -> tuple[Schema, Core | None]:
        match plan:
            case op.Qud():
                return _OPEN, None
            case op.Retrieve():
                if inputs:
                    _need_rows(inputs[0], events=True)
                return Schema(Shape.EVENTS, dict(BUILT_IN)), None
            case op.Extract():
                return _extract(plan, inputs[0]), None
            case op.Join():
                return self._join(plan, inputs, typer)
            case op.GroupBy():
                return _group_by(plan, inputs[0]), None
            case op.Unnest():
                return _unnest(plan, inputs[0]), None
            case op.Extreme():
                return _extreme(plan, inputs[0]), None
            case op.Aggregate():
                return _aggregate(plan, inputs[0])
        return self._functional(plan, inputs[0], typer)

    def _functional(
        self, plan: op.Operator, schema: Schema, typer: Typer
    ) -> tuple[Schema, Core | None]:
        match plan:
            case op.Filter():
                return self._filter(plan, schema, typer)
            case op.Map():
                return self._map(plan, schema, typer)
            case op.Apply():
                return self._apply(plan, schema, typer)
        raise TypeError(f"{type(plan).__name__} has no meaning")

    # -- operators with functions -----------------------------------------------------------------

    def _filter(self, plan: op.Filter, schema: Schema, typer: Typer) -> tuple[Schema, Core | None]:
        if schema.shape is Shape.OPEN:
            return _OPEN, None
        try:
            core = typer.condition(plan.filter.body, _row_scope(plan.filter, schema))
        except Unknown:
            return schema, None
        return schema, core

    def _map(self, plan: op.Map, schema: Schema, typer: Typer) -> tuple[Schema, Core | None]:
        if schema.shape is Shape.OPEN:
            return replace(_OPEN, attributes={}), None
        if schema.shape is Shape.VALUE:
            return self._over_value(plan.fct, schema, typer)
        if plan.res_name in schema.keys:
            raise PlanError(
                f'"{plan.res_name}" is what the groups are grouped by', expected="another res_name"
            )
        function = _as_lambda(plan.fct)
        try:
            core = typer.value(function.body, _row_scope(function, schema))
        except Unknown:
            known = {n: k for n, k in schema.attributes.items() if n != plan.res_name}
            return replace(schema, attributes=known, open=True, focus=()), None
        _check_kept(core.type)
        core = only_one(core)
        # What pairs of groups are about stays with them, as the keys of groups do.
        paired = schema.shape is Shape.GROUPS and not schema.keys
        about = schema.focus if paired else schema.keys
        focus = (*(name for name in about if name != plan.res_name), plan.res_name)
        return schema.having(plan.res_name, core.type, focus), core

    def _apply(self, plan: op.Apply, schema: Schema, typer: Typer) -> tuple[Schema, Core | None]:
        if schema.shape is Shape.OPEN:
            return _OPEN, None
        if schema.shape is Shape.VALUE:
            return self._over_value(plan.fct, schema, typer)
        function = _as_lambda(plan.fct)
        scope: Scope = {function.parameters[0]: Rows(schema)}
        try:
            core = typer.typed(function.body, scope)
        except Unknown:
            return _OPEN, None
        if core.type in (ROW, ROWS):
            return schema, core
        if isinstance(core, Agg) and core.function in ("list", "first"):
            assert core.body is not None
            kind = core.body.type
            _check_kept(kind)
            return schema.having(APPLY_RESULT, kind, (APPLY_RESULT,)), core
        core = only_one(core)
        _check_kept(core.type)
        return Schema(Shape.VALUE, value=core.type), core

    def _over_value(
        self, fct: ex.Lambda | ex.FunctionName, schema: Schema, typer: Typer
    ) -> tuple[Schema, Core | None]:
        if schema.value is None:
            return schema, None
        function = _as_lambda(fct)
        try:
            core = typer.value(function.body, {function.parameters[0]: Given(schema.value)})
        except Unknown:
            return replace(_OPEN, shape=Shape.VALUE), None
        core = only_one(core)
        _check_kept(core.type)
        return Schema(Shape.VALUE, value=core.type), core

    def _join(
        self, plan: op.Join, inputs: list[Schema], typer: Typer
    ) -> tuple[Schema, Core | None]:
        for schema in inputs:
            _need_rows(schema)
        left, right = inputs
        joined = _joined(left, right)
        try:
            scope: Scope = {"i1": Row(left, "i1"), "i2": Row(right, "i2")}
            core = typer.condition(plan.condition, scope)
        except Unknown:
            return joined, None
        return joined, core


def _as_lambda(fct: ex.Lambda | ex.FunctionName) -> ex.Lambda:
    """`len` is `lambda x: len(x)`."""
    if isinstance(fct, ex.Lambda):
        return fct
    return ex.Lambda(("x",), ex.Call(fct.name, (ex.Name("x"),)))


def _row_scope(function: ex.Lambda, schema: Schema) -> Scope:
    name = function.parameters[0]
    if schema.shape is Shape.VALUE:
        if schema.value is None:
            raise Unknown
        return {name: Given(schema.value)}
    return {name: Row(schema, members=schema.members)}


def _need_rows(schema: Schema, events: bool = False) -> None:
    if schema.shape is Shape.OPEN or schema.shape is Shape.EVENTS:
        return
    if schema.shape is Shape.GROUPS and not events:
        return
    what = "one value" if schema.shape is Shape.VALUE else "groups"
    raise PlanError(f"the input is {what}", expected="events" if events else "events or groups")


def _check_kept(kind: Type) -> None:
    """Whether values of a type can be kept in a result."""
    if kind.kind in (Kind.SPAN, Kind.TIMED_SPAN, Kind.NOTHING, Kind.ROW, Kind.ROWS):
        raise PlanError(f"the function gives {kind}", expected="a value, such as a number or text")


def _extract(plan: op.Extract, schema: Schema) -> Schema:
    _need_rows(schema, events=True)
    result = schema if schema.shape is Shape.EVENTS else replace(_OPEN, shape=Shape.EVENTS)
    for name, kind in zip(plan.attr_names, plan.attr_types, strict=True):
        result = result.having(name, ATTRIBUTE_TYPES[kind], plan.attr_names)
    return result


def _group_by(plan: op.GroupBy, schema: Schema) -> Schema:
    _need_rows(schema)
    if schema.shape is Shape.OPEN:
        return replace(_OPEN, shape=Shape.GROUPS, members=_OPEN)
    keys: dict[str, Type] = {}
    for name in plan.attr_names:
        try:
            kind = attribute(schema, name, "row").type
        except Unknown:
            return replace(_OPEN, shape=Shape.GROUPS, members=schema)
        if kind.kind is Kind.LIST:
            raise PlanError(
                f'"{name}" is a list',
                expected="a single value; UNNEST gives one row per item of a list",
            )
        keys[name] = kind
    return Schema(
        Shape.GROUPS, keys, plan.attr_names, members=replace(schema, members=None),
        keys=plan.attr_names, derived=frozenset(keys), open=schema.open,
    )  # fmt: skip


def _unnest(plan: op.Unnest, schema: Schema) -> Schema:
    _need_rows(schema)
    name = plan.unnested_attr_name
    if name in schema.keys:
        raise PlanError(
            f'"{name}" is what the groups are grouped by', expected="another unnested_attr_name"
        )
    if schema.shape is Shape.OPEN:
        return replace(_OPEN, shape=Shape.EVENTS)
    try:
        kind = attribute(schema, plan.nested_attr_name, "row").type
    except Unknown:
        return schema
    if kind.kind is not Kind.LIST:
        raise PlanError(
            f'"{plan.nested_attr_name}" is {kind}, not a list',
            expected=f'attr_types=[list] where "{plan.nested_attr_name}" is extracted',
        )
    return schema.having(name, kind.item, (name,))


def _extreme(plan: op.Extreme, schema: Schema) -> Schema:
    _need_rows(schema)
    if schema.shape is Shape.OPEN:
        return _OPEN
    try:
        check_ordered(_own(schema, plan.arg_attr_name).type, f'"{plan.arg_attr_name}"')
        told = {plan.arg_attr_name}
        focus = schema.focus
        if plan.val_attr_name is not None:
            _own(schema, plan.val_attr_name)
            told, focus = told | {plan.val_attr_name}, (plan.val_attr_name,)
    except Unknown:
        return schema
    return replace(schema, focus=focus, derived=schema.derived | told)


def _own(schema: Schema, name: str) -> Attr:
    """An attribute of the rows; groups are told apart from what is in them."""
    inside = schema.members if not schema.open else None
    if name not in schema.attributes and inside is not None and name in inside.attributes:
        summed = inside.attributes[name].kind in (Kind.INT, Kind.FLOAT, Kind.DURATION)
        function = "sum" if summed else "min"
        raise PlanError(
            f'"{name}" belongs to the events inside each group',
            expected=f'MAP(l=…, fct=lambda g: {function}(e["{name}"] for e in g), res_name="…")'
            " first",
        )
    return attribute(schema, name, "row")


def _aggregate(plan: op.Aggregate, schema: Schema) -> tuple[Schema, Core | None]:
    if schema.shape is Shape.OPEN or (schema.shape is Shape.VALUE and schema.value is None):
        return replace(_OPEN, shape=Shape.VALUE), None
    _need_rows(schema)
    try:
        body = whole(replace(_own(schema, plan.attr_name), side=MEMBER_SIDE))
    except Unknown:
        return replace(_OPEN, shape=Shape.VALUE), None
    kind = body.type
    values = Agg(list_of(kind), "list", (), body)
    core: Core
    if kind.kind is Kind.LIST:
        raise PlanError(f'"{plan.attr_name}" is a list', expected="a single value; UNNEST first")
    if plan.name == "SUM":
        core = total(values)
    elif plan.name == "AVG":
        core = average(values)
    else:
        check_ordered(kind, f'"{plan.attr_name}"')
        core = Agg(kind, plan.name.lower(), (), body)
    return Schema(Shape.VALUE, value=core.type), core


_JOINED = re.compile(r"i\d+\.")


def joined_names(left: Schema, right: Schema) -> dict[str, str]:
    """What the right side's attributes are called in a join: by their names, and `i2.name` where
    the left side has one of that name (`i3.name` where it has both). No value is lost."""
    taken = set(left.attributes)
    names = {}
    for name in right.attributes:
        kept, number = name, 2
        while kept in taken:
            kept, number = f"i{number}.{_JOINED.sub('', name)}", number + 1
        names[name] = kept
        taken.add(kept)
    return names


def _joined(left: Schema, right: Schema) -> Schema:
    names = joined_names(left, right)
    attributes = {**left.attributes, **{names[n]: kind for n, kind in right.attributes.items()}}
    derived = left.derived | {names.get(name, name) for name in right.derived}
    open_ = left.open or right.open or Shape.OPEN in (left.shape, right.shape)
    # Rows are about what both sides are about. Those that rest on groups are no events.
    focus = (*left.focus, *(name for name in right.focus if names[name] == name))
    grouped = Shape.GROUPS in (left.shape, right.shape)
    shape = Shape.GROUPS if grouped else Shape.EVENTS
    return Schema(shape, attributes, focus, derived=derived, open=open_)
