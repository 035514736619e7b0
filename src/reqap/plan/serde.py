"""Plan ↔ JSON: every node an object with its name, every field by its name.

Reading is as strict as `parse`: fields must hold what they are declared to hold, and the plan must
be one that can be written and read as text.
"""

from collections.abc import Collection
from dataclasses import MISSING, fields
from types import UnionType
from typing import Union, get_args, get_origin, get_type_hints

from reqap.errors import PlanError
from reqap.plan import expressions as ex
from reqap.plan import operators as op
from reqap.plan.format import format_plan
from reqap.plan.parse import parse
from reqap.plan.reading_expressions import MAX_DEPTH, MAX_NODES

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]
Node = op.Operator | ex.Expression
# An operator, a lambda and its body, and two levels (a list, an object) per expression.
_DEEPEST = 5 * MAX_DEPTH


def _leaves(root: type[Node]) -> list[type[Node]]:
    below = root.__subclasses__()
    return [leaf for kind in below for leaf in _leaves(kind)] if below else [root]


_KINDS: dict[str, type[Node]] = {
    **{kind.__name__: kind for kind in _leaves(ex.Expression)},
    **op.OPERATORS,
}
_NAMES = {kind: name for name, kind in _KINDS.items()}
_HINTS = {
    kind: get_type_hints(kind, {"Operator": op.Operator} | vars(ex)) for kind in _KINDS.values()
}


def to_json(plan: Node) -> dict[str, Json]:
    """A node as plain data."""
    data: dict[str, Json] = {"node": _NAMES[type(plan)]}
    for member in fields(plan):
        value = getattr(plan, member.name)
        if value is not None or member.name != "question":
            data[member.name] = _plain(value)
    return data


def _plain(value: object) -> Json:
    if isinstance(value, op.Operator | ex.Expression):
        return to_json(value)
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(f"{type(value).__name__} has no JSON form")


def from_json(data: Json, functions: Collection[str] = ()) -> op.Operator:
    """The plan that `to_json` gave."""
    plan = _Builder().value(data, 0, "")
    if not isinstance(plan, op.Operator):
        raise PlanError("this JSON is no plan", "$", 'an object with "node": "RETRIEVE", …')
    try:
        if parse(format_plan(plan), functions) == plan:
            return plan
    except (TypeError, RecursionError):
        pass
    raise PlanError("this JSON is no plan that could be written as text", "$", "see to_json")


class _Builder:
    """Builds nodes, and counts them."""

    def __init__(self) -> None:
        self._nodes = 0

    def value(self, data: Json, depth: int, path: str) -> object:
        if depth > _DEEPEST:
            raise PlanError("the JSON is nested too deeply", path[:100])
        if isinstance(data, list):
            return tuple(self.value(item, depth + 1, f"{path}[{n}]") for n, item in enumerate(data))
        if not isinstance(data, dict):
            return data
        self._nodes += 1
        if self._nodes > MAX_NODES:
            raise PlanError("the plan is too large", path[:100], f"at most {MAX_NODES:,} nodes")
        try:
            return self._node(data, depth, path)
        except PlanError as error:
            raise PlanError(error.what, error.where or f"${path}", error.expected) from None

    def _node(self, data: dict[str, Json], depth: int, path: str) -> Node:
        name = data.get("node")
        kind = _KINDS.get(name) if isinstance(name, str) else None
        if kind is None:
            told = repr(name[:40]) if isinstance(name, str) else "of this name"
            raise PlanError(f"there is no node {told}", expected=", ".join(_KINDS))
        known = {member.name: member for member in fields(kind)}
        if wrong := data.keys() - known.keys() - {"node"}:
            raise PlanError(f"{name} has no {sorted(wrong)[0][:40]!r}", expected=", ".join(known))
        values = {
            key: self.value(data[key], depth + 1, f"{path}.{key}") for key in data.keys() - {"node"}
        }
        for key, member in known.items():
            if key not in values and member.default is MISSING:
                raise PlanError(f"{name} needs {key}", expected=", ".join(known))
            if key in values and not _fits(values[key], _HINTS[kind][key]):
                raise PlanError(f"the {key} of {name} is not what it should be")
        return kind(**values)  # type: ignore[arg-type]


def _fits(value: object, hint: object) -> bool:
    """Whether a value is what a field is declared to hold."""
    origin = get_origin(hint)
    if origin in (Union, UnionType):
        return any(_fits(value, option) for option in get_args(hint))
    if origin is tuple:
        return isinstance(value, tuple) and all(_fits(item, get_args(hint)[0]) for item in value)
    if hint is float or hint is int:
        return type(value) is hint
    return isinstance(value, hint) if isinstance(hint, type) else False
