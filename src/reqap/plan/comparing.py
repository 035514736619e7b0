"""Comparisons: equality, order, membership, and what is missing."""

from reqap.errors import PlanError
from reqap.plan import expressions as ex
from reqap.plan.conversions import check_ordered, list_of_values, meet, only_one
from reqap.plan.core import Core, ListMap, Op, Var
from reqap.plan.types import BOOL, NOTHING, STR, Kind, list_of

_ORDERINGS = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge"}


def comparison(operator: str, left: Core, right: Core, written: ex.Expression) -> Core:
    if operator in ("in", "not in"):
        inside = _contained(left, right, written)
        return inside if operator == "in" else Op(BOOL, "not", (inside,))
    if NOTHING in (left.type, right.type):
        if operator not in ("==", "!=", "is", "is not"):
            raise PlanError("nothing cannot be put in order", expected="is None, is not None")
        told = right if left.type == NOTHING else left
        return Op(BOOL, "is_missing" if operator in ("==", "is") else "is_there", (told,))
    operator = {"is": "==", "is not": "!="}.get(operator, operator)
    if operator in ("==", "!=") and (left.type.several or right.type.several):
        one, many = (left, right) if right.type.several else (right, left)
        # Of no result at all nothing can be said.
        there = Op(BOOL, "is_not_empty", (many,))
        inside = Op(BOOL, "if", (there, _in_list(one, many), Op(BOOL, "missing", ())))
        return inside if operator == "==" else Op(BOOL, "not", (inside,))
    left, right = meet(only_one(left), only_one(right))
    if operator in ("==", "!="):
        same = Op(BOOL, "same_list" if left.type.kind is Kind.LIST else "eq", (left, right))
        return same if operator == "==" else Op(BOOL, "not", (same,))
    check_ordered(left.type, "this")
    return Op(BOOL, _ORDERINGS[operator], (left, right))


def _contained(left: Core, right: Core, written: ex.Expression) -> Core:
    if isinstance(written, ex.Items) and isinstance(right, Op):
        items = right.arguments if right.name != "distinct" else _items_of(right.arguments[0])
        if right.name in ("tuple", "list", "distinct"):
            right = list_of_values(list(items), only_one(left).type)
    left = only_one(left)
    if right.type.kind is Kind.LIST:
        return _in_list(left, right)
    if right.type == STR and left.type == STR:
        return Op(BOOL, "contains", (right, left))
    raise PlanError(
        f"{left.type} in {right.type} is not defined", expected="text in text, value in list"
    )


def _items_of(core: Core) -> tuple[Core, ...]:
    return core.arguments if isinstance(core, Op) else ()


def _in_list(one: Core, many: Core) -> Core:
    """Membership; the sample item stands for all items when types are brought together."""
    item = Var(many.type.item, "item")
    left, right = meet(one, item)
    if right != item:
        many = ListMap(list_of(right.type), item.name, many, right)
    return Op(BOOL, "in_list", (left, many))
