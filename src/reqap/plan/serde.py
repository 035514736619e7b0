"""Plan ↔ JSON: every node an object with its name, every field by its name.

Reading is as strict as `parse`: nodes check themselves, fields must hold what they are declared to
hold, and size and depth are bounded.
"""

from dataclasses import MISSING, fields
from types import UnionType
from typing import Union, get_args, get_origin, get_type_hints

from reqap.errors import PlanError
from reqap.plan import expressions as ex
from reqap.plan import operators as op
from reqap.plan.reading_expressions import MAX_DEPTH, MAX_NODES

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]
Node = op.Operator | ex.Expression


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


def from_json(data: Json) -> op.Operator:
    """The plan that `to_json` gave."""
    plan = _Builder().value(data, 0)
    if not isinstance(plan, op.Operator):
        raise PlanError(
            "this JSON is no plan", expected='an object such as {"node": "RETRIEVE", …}'
        )
    return plan


class _Builder:
    """Builds nodes, and counts them."""

    def __init__(self) -> None:
        self._nodes = 0

    def value(self, data: Json, depth: int) -> object:
        if depth > 4 * MAX_DEPTH:
            raise PlanError("the JSON is nested too deeply")
        if isinstance(data, list):
            return tuple(self.value(item, depth + 1) for item in data)
        if not isinstance(data, dict):
            return data
        self._nodes += 1
        if self._nodes > MAX_NODES:
            raise PlanError("the plan is too large", expected=f"at most {MAX_NODES:,} nodes")
        return self._node(data, depth)

    def _node(self, data: dict[str, Json], depth: int) -> Node:
        name = data.get("node")
        kind = _KINDS.get(name) if isinstance(name, str) else None
        if kind is None:
            raise PlanError(f"there is no node {str(name)[:40]!r}", expected=", ".join(_KINDS))
        known = {member.name: member for member in fields(kind)}
        if wrong := data.keys() - known.keys() - {"node"}:
            raise PlanError(f"{name} has no {sorted(wrong)[0][:40]!r}", expected=", ".join(known))
        values = {key: self.value(data[key], depth + 1) for key in data.keys() - {"node"}}
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
