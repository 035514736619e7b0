"""Items and slices: `titles[0]`, `sorted(…)[:3]`, `day.isocalendar()[:2]`."""

from reqap.errors import PlanError
from reqap.plan import expressions as ex
from reqap.plan.conversions import tuple_item
from reqap.plan.core import Core, Cut, Members, Op
from reqap.plan.scope import Scope, Typing
from reqap.plan.types import INT, ROW, ROWS, STR, Kind, list_of, tuple_of


def one_of(typer: Typing, node: ex.Index, scope: Scope) -> Core:
    of = typer.typed(node.of, scope)
    if isinstance(of, Members) and of.type == ROWS:
        at = _whole_number(node.index)
        return Members(ROW, (*of.steps, Cut(at, at + 1 if at != -1 else None)))
    if of.type.kind is Kind.TUPLE:
        at = _whole_number(node.index)
        if not -len(of.type.items) <= at < len(of.type.items):
            raise PlanError(f"the tuple has {len(of.type.items)} items")
        return tuple_item(of, at % len(of.type.items))
    place = typer.value(node.index, scope)
    if place.type != INT:
        raise PlanError(f"an index that is {place.type}", expected="a whole number")
    if of.type == STR:
        return Op(STR, "character", (of, place))
    if of.type.kind is Kind.LIST:
        return Op(of.type.item, "item", (of, place))
    raise PlanError(f"{of.type} has no items", expected="a list, a text or a tuple")


def piece(typer: Typing, node: ex.Slice, scope: Scope) -> Core:
    of = typer.typed(node.of, scope)
    if isinstance(of, Members) and of.type == ROWS:
        bounds = [_whole_number(b) if b is not None else None for b in (node.lower, node.upper)]
        return Members(ROWS, (*of.steps, Cut(bounds[0], bounds[1])))
    if of.type.kind is Kind.TUPLE:
        return _part_of_tuple(of, node)
    if of.type != STR and of.type.kind is not Kind.LIST:
        raise PlanError(f"{of.type} cannot be sliced", expected="a list or a text")
    given = [node.lower or ex.Literal(0), node.upper]
    ends = [typer.value(end, scope) for end in given if end is not None]
    if any(end.type != INT for end in ends):
        raise PlanError("a slice with bounds that are no whole numbers", expected="items[:3]")
    kept = STR if of.type == STR else list_of(of.type.item)
    return Op(kept, "slice_text" if of.type == STR else "slice_list", (of, *ends))


def _part_of_tuple(of: Core, node: ex.Slice) -> Core:
    """A part of a tuple: `day.isocalendar()[:2]`."""
    ends = [None if end is None else _whole_number(end) for end in (node.lower, node.upper)]
    places = range(len(of.type.items))[ends[0] : ends[1]]
    if not places:
        raise PlanError("nothing is left of the tuple", expected="[:2]")
    items = [tuple_item(of, at) for at in places]
    return Op(tuple_of(*(item.type for item in items)), "tuple", tuple(items))


def _whole_number(node: ex.Expression) -> int:
    if isinstance(node, ex.Literal) and type(node.value) is int:
        return node.value
    raise PlanError("a position that is computed", expected="a number, such as [:3]")
