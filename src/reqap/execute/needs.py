"""Which attributes of each node's result are needed further up.

What nobody reads any more is left behind, so that a million rows do not drag a list of artists
along that UNNEST has taken apart.
"""

from dataclasses import dataclass

from reqap.plan import Checked, Operator
from reqap.plan import operators as op
from reqap.plan.check import joined_names
from reqap.plan.core import MEMBER_SIDE, SIZE, Attr, Core, Members, walk_core
from reqap.plan.types import ROW, ROWS

Names = frozenset[str]
_NONE: Names = frozenset()


@dataclass(frozen=True)
class Needs:
    """Attributes of rows, and of the members where the rows are groups."""

    rows: Names
    members: Names = _NONE

    def __or__(self, other: "Needs") -> "Needs":
        return Needs(self.rows | other.rows, self.members | other.members)


def needs_of(plan: Checked) -> dict[Operator, Needs]:
    """For each step, what anything above it reads.

    Of the whole plan's result, what is shown is kept.
    """
    found: dict[Operator, Needs] = {}
    shown = {*plan.schema.derived, *plan.schema.focus, "start_datetime"}
    _collect(plan, Needs(frozenset(shown)), found)
    return found


def _collect(node: Checked, wanted: Needs, found: dict[Operator, Needs]) -> None:
    known = found.get(node.operator)
    found[node.operator] = wanted if known is None else known | wanted
    for inner, needs in zip(node.inputs, _of_inputs(node, wanted), strict=True):
        _collect(inner, needs, found)
    for sub_plan in node.sub_plans:
        _collect(sub_plan, Needs(frozenset(sub_plan.schema.focus)), found)


def _of_inputs(node: Checked, wanted: Needs) -> list[Needs]:
    plan = node.operator
    match plan:
        case op.Join():
            return _of_sides(node, wanted)
        case op.GroupBy():
            return [Needs(wanted.members | set(plan.attr_names))]
        case op.Extract():
            return [Needs(wanted.rows)]
        case op.Unnest():
            rest = (wanted.rows - {plan.unnested_attr_name}) | {plan.nested_attr_name}
            return [Needs(rest, wanted.members)]
        case op.Extreme():
            named = (plan.arg_attr_name, plan.val_attr_name)
            return [wanted | Needs(frozenset(name for name in named if name is not None))]
        case op.Aggregate():
            return [Needs(frozenset({plan.attr_name}))]
        case op.Filter():
            return [wanted | read_by(node.core)]
        case op.Map():
            return [Needs(wanted.rows - {plan.res_name}, wanted.members) | read_by(node.core)]
        case op.Apply():
            return [_of_apply(node, wanted)]
    return [Needs(_NONE) for _ in node.inputs]


def read_by(core: Core | None) -> Needs:
    """What an expression reads of rows and of members."""
    rows: set[str] = set()
    members: set[str] = set()
    for inner in walk_core(core) if core is not None else ():
        if isinstance(inner, Attr) and inner.name != SIZE:
            (members if inner.side == MEMBER_SIDE else rows).add(inner.name)
    return Needs(frozenset(rows), frozenset(members))


def _of_apply(node: Checked, wanted: Needs) -> Needs:
    """The members of an APPLY are the rows themselves."""
    read = Needs(read_by(node.core).members)
    gives_rows = isinstance(node.core, Members) and node.core.type in (ROW, ROWS)
    return read | wanted if gives_rows or node.schema.value is None else read


def _of_sides(node: Checked, wanted: Needs) -> list[Needs]:
    left, right = (inner.schema for inner in node.inputs)
    names = joined_names(left, right)
    read: dict[str, set[str]] = {"i1": set(), "i2": set()}
    for inner in walk_core(node.core) if node.core is not None else ():
        if isinstance(inner, Attr):
            read[inner.side].add(inner.name)
    return [
        Needs(frozenset(read["i1"] | (wanted.rows & set(left.attributes)))),
        Needs(frozenset(read["i2"] | {n for n, kept in names.items() if kept in wanted.rows})),
    ]
