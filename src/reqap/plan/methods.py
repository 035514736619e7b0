"""What methods and parts do to types: one entry per name in `vocabulary`."""

from reqap.errors import PlanError
from reqap.plan import expressions as ex
from reqap.plan.conversions import only_one, tuple_item
from reqap.plan.core import Const, Core, Op
from reqap.plan.moments import DATE_FIELDS, MAKERS, TIME_FIELDS, fields, moment
from reqap.plan.scope import Row, Rows, Scope, Typing
from reqap.plan.types import (
    BOOL,
    DATE,
    DATETIME,
    DURATION,
    FLOAT,
    INT,
    STR,
    TIME,
    Kind,
    Type,
    list_of,
    tuple_of,
)
from reqap.plan.writing import strftime

_TEXT_METHODS: dict[str, tuple[str, tuple[Type, ...], int, Type]] = {
    # name: operation, arguments, how many are needed, result
    "lower": ("lower", (), 0, STR), "casefold": ("casefold", (), 0, STR),
    "upper": ("upper", (), 0, STR),
    "strip": ("strip", (STR,), 0, STR), "lstrip": ("lstrip", (STR,), 0, STR),
    "rstrip": ("rstrip", (STR,), 0, STR),
    "startswith": ("starts", (STR,), 1, BOOL), "endswith": ("ends", (STR,), 1, BOOL),
    "split": ("split", (STR,), 0, list_of(STR)), "replace": ("replace", (STR, STR), 2, STR),
    "count": ("occurrences", (STR,), 1, INT), "join": ("join", (list_of(STR),), 1, STR),
}  # fmt: skip
_DATE_METHODS: dict[str, tuple[str, Type]] = {
    "weekday": ("weekday", INT), "isoweekday": ("isoweekday", INT),
    "isocalendar": ("isocalendar", tuple_of(INT, INT, INT)),
}  # fmt: skip
# Tuples whose parts have names.
_NAMED_PARTS = {
    "isocalendar": {"year": 0, "week": 1, "weekday": 2},
    "calendar_between": {"years": 0, "months": 1, "days": 2},
}


def method(typer: Typing, node: ex.Method, scope: Scope) -> Core:
    of = only_one(typer.value(node.of, scope))
    kind = of.type.kind
    if kind is Kind.STR and node.name in _TEXT_METHODS:
        return _text_method(typer, of, node, scope)
    if node.name == "replace" and kind in MAKERS:
        return _replaced(typer, of, node, scope)
    if node.name == "strftime" and kind in MAKERS:
        match [typer.value(argument, scope) for argument in node.arguments]:
            case [Const(value=str(spec))]:
                return strftime(of, spec)
        raise PlanError("strftime takes a format", expected='strftime("%Y-%m")')
    found = _moment_method(of, node.name)
    if found is None or node.arguments or node.options:
        raise PlanError(f"{of.type} has no method {node.name}() of this form",
                        expected=_methods_of(of.type))  # fmt: skip
    return found


def _moment_method(of: Core, name: str) -> Core | None:
    kind = of.type.kind
    if name in _DATE_METHODS and kind in (Kind.DATE, Kind.DATETIME):
        operation, result = _DATE_METHODS[name]
        return Op(result, operation, (of,))
    if name == "date" and kind in (Kind.DATETIME, Kind.DATE):
        return of if of.type == DATE else Op(DATE, "to_date", (of,))
    if name == "time" and kind in (Kind.DATETIME, Kind.TIME):
        return of if of.type == TIME else Op(TIME, "to_time", (of,))
    if name == "isoformat" and kind in MAKERS:
        return Op(STR, "iso_text" if of.type == DATETIME else "to_text", (of,))
    if name == "total_seconds" and kind is Kind.DURATION:
        return Op(FLOAT, "total_seconds", (of,))
    return None


def _methods_of(kind: Type) -> str:
    if kind == STR:
        return ", ".join(_TEXT_METHODS)
    if kind.kind in (Kind.DATE, Kind.DATETIME):
        shared = "weekday, isoweekday, isocalendar, replace, strftime, isoformat"
        return f"{shared}, date, time" if kind == DATETIME else shared
    if kind == TIME:
        return "replace, strftime, isoformat"
    if kind == DURATION:
        return "total_seconds"
    return f"no method: {kind} has none; texts and dates have some"


def _text_method(typer: Typing, of: Core, node: ex.Method, scope: Scope) -> Core:
    operation, wanted, needed, result = _TEXT_METHODS[node.name]
    arguments = [typer.value(argument, scope) for argument in node.arguments]
    first = arguments[0] if arguments else None
    if first is not None and first.type.kind is Kind.TUPLE and operation in ("starts", "ends"):
        options = [tuple_item(first, at) for at in range(len(first.type.items))]
        if all(option.type == STR for option in options):
            return Op(BOOL, "or", tuple(Op(BOOL, operation, (of, option)) for option in options))
    if node.options or not needed <= len(arguments) <= len(wanted):
        raise PlanError(f"the arguments of {node.name} do not fit",
                        expected=f"{needed} to {len(wanted)}")  # fmt: skip
    for argument, kind in zip(arguments, wanted, strict=False):
        if Type(argument.type.kind, argument.type.items) != kind:
            raise PlanError(f"{node.name} takes {kind}, not {argument.type}", expected=str(kind))
    if operation == "join" and not isinstance(of, Const):
        raise PlanError("a separator that is computed", expected='", ".join(items)')
    return Op(result, operation, (of, *arguments))


def _replaced(typer: Typing, of: Core, node: ex.Method, scope: Scope) -> Core:
    """`day.replace(day=1)`: the other fields stay."""
    names = MAKERS[of.type.kind][2]
    given = fields(typer, node, names, scope)
    values = {name: given.get(name) or Op(INT, name, (of,)) for name in names}
    return moment(values, of.type)


def part(typer: Typing, node: ex.Part, scope: Scope) -> Core:
    if isinstance(node.of, ex.Name) and isinstance(scope.get(node.of.name), Row | Rows):
        return typer.typed(ex.Key(node.of, node.name), scope)
    of = only_one(typer.value(node.of, scope))
    kind = of.type.kind
    if node.name in DATE_FIELDS and kind in (Kind.DATE, Kind.DATETIME):
        return Op(INT, node.name, (of,))
    if node.name in TIME_FIELDS and kind in (Kind.TIME, Kind.DATETIME):
        return Op(INT, node.name, (of,))
    if node.name in ("days", "seconds") and kind is Kind.DURATION:
        return Op(INT, f"duration_{node.name}", (of,))
    parts = _NAMED_PARTS.get(of.name, {}) if isinstance(of, Op) else {}
    if node.name in parts:
        return Op(INT, "tuple_item", (of, Const(INT, parts[node.name])))
    if node.name == "currency" and kind in (Kind.INT, Kind.FLOAT):
        return Op(STR, "unit", (of,))
    raise PlanError(f"{of.type} has no .{node.name}", expected=_parts_of(of.type))


def _parts_of(kind: Type) -> str:
    parts = {
        Kind.DATE: ".year, .month, .day", Kind.TIME: ".hour, .minute, .second",
        Kind.DATETIME: ".year, .month, .day, .hour, .minute, .second",
        Kind.DURATION: ".days, .seconds, .total_seconds()",
    }  # fmt: skip
    return parts.get(kind.kind, "no parts; a date has .year, .month, .day")
