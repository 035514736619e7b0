"""What functions do to types: one entry per function in `vocabulary`."""

from collections.abc import Callable

from reqap.errors import PlanError
from reqap.plan import expressions as ex
from reqap.plan.comprehensions import ordered, sort_key
from reqap.plan.conversions import (
    arithmetic,
    as_float,
    as_list,
    as_number,
    as_type,
    check_ordered,
    is_there,
    joined_type,
    only_one,
    truth,
    whole,
    written_out,
)
from reqap.plan.core import (
    Agg,
    Const,
    Core,
    Cut,
    Keep,
    ListFilter,
    ListMap,
    Members,
    Op,
    PlugIn,
    Var,
)
from reqap.plan.moments import (
    combine,
    from_text,
    make_date,
    make_datetime,
    make_relativedelta,
    make_time,
    make_timedelta,
    today,
)
from reqap.plan.scope import Scope, Typing, only_argument
from reqap.plan.types import (
    BOOL,
    DURATION,
    FLOAT,
    INT,
    NUMERIC,
    ROW,
    ROWS,
    STR,
    Kind,
    Type,
    list_of,
    tuple_of,
)
from reqap.plan.writing import formatted

_AVERAGED = {Kind.DATE, Kind.TIME, Kind.DATETIME}


def call(typer: Typing, node: ex.Call, scope: Scope) -> Core:
    plug_in = typer.functions.get(node.function)
    if plug_in is not None:
        return _plug_in(typer, node, scope)
    reader = _FUNCTIONS.get(node.function)
    if reader is None:
        raise PlanError(f"there is no function {node.function}", expected=", ".join(_FUNCTIONS))
    return reader(typer, node, scope)


def _plug_in(typer: Typing, node: ex.Call, scope: Scope) -> Core:
    function = typer.functions.get(node.function)
    assert function is not None
    if node.options or len(node.arguments) != len(function.parameters):
        raise PlanError("the arguments do not fit", expected=function.signature)
    arguments = [typer.value(argument, scope) for argument in node.arguments]
    fitted = []
    for argument, wanted in zip(map(_plainly, arguments), function.parameters, strict=True):
        if argument.type == INT and wanted == FLOAT:
            argument = as_float(argument)
        if Type(argument.type.kind, argument.type.items) != wanted:
            raise PlanError(
                f"{argument.type} where {wanted} is needed", expected=function.signature
            )
        fitted.append(argument)
    return PlugIn(function.returns, function.name, tuple(fitted))


def _plainly(core: Core) -> Core:
    return core if core.type.kind is not Kind.LIST else Op(list_of(core.type.item), "same", (core,))


# -- collections ---------------------------------------------------------------------------------


def _option(node: ex.Call, name: str) -> ex.Expression | None:
    return next((option.value for option in node.options if option.name == name), None)


def _len(typer: Typing, node: ex.Call, scope: Scope) -> Core:
    argument = only_argument(node)
    size = typer.size(argument, scope)
    if size is not None:
        return size
    of = typer.typed(argument, scope)
    if isinstance(of, Members) and of.type == ROWS:
        return Agg(INT, "count", of.steps, None)
    if of.type.kind is Kind.TUPLE:
        return Const(INT, len(of.type.items))
    if isinstance(of, Agg) and of.function == "list":
        return Agg(INT, "count", of.steps, None)
    inner = of.arguments[0] if isinstance(of, Op) and of.name == "distinct" else None
    if isinstance(inner, Agg) and inner.function == "list":
        return Agg(INT, "distinct", inner.steps, inner.body)
    if of.type == STR or of.type.kind is Kind.LIST:
        return Op(INT, "length", (of,))
    raise PlanError(f"{of.type} has no length", expected="a list, a text, events or a group")


def _sum(typer: Typing, node: ex.Call, scope: Scope) -> Core:
    if len(node.arguments) == 2 and not node.options:
        start = only_one(typer.value(node.arguments[1], scope))
        found = total(_values(typer, node.arguments[0], scope))
        if found.type.kind is Kind.LIST:  # sum(lists, [])
            return found
        both = arithmetic("+", found, start)
        return Op(both.type, "otherwise", (both, as_type(start, both.type)))
    return total(_values(typer, only_argument(node), scope))


def _avg(typer: Typing, node: ex.Call, scope: Scope) -> Core:
    return average(_values(typer, only_argument(node), scope))


def average(of: Core) -> Core:
    """The mean of a list, of what is there of it."""
    kind = of.type.item
    if kind.kind not in NUMERIC | _AVERAGED and kind != DURATION:
        raise PlanError(f"{kind} has no average", expected="numbers, durations, dates or times")
    wanted = FLOAT if kind.kind in NUMERIC else kind
    if isinstance(of, Agg) and of.function == "list":
        return _aggregated(of, "avg", wanted)
    if kind.kind not in (Kind.INT, Kind.FLOAT):
        raise PlanError(f"the average of a list of {kind} is not defined", expected="numbers")
    return _aggregated(of, "avg", wanted)


def total(of: Core) -> Core:
    """The sum of a list. Sums of conditions and of ones are ways to count."""
    if isinstance(of, Agg) and of.body is not None:
        if of.body == Const(INT, 1):
            return Agg(INT, "count", of.steps, None)
        if of.body.type == BOOL:
            return Agg(INT, "count", (*of.steps, Keep(of.body)), None)
    if isinstance(of, ListMap) and of.body == Const(INT, 1):
        return Op(INT, "length", (of.over,))
    if isinstance(of, ListMap) and of.body.type == BOOL:
        return Op(INT, "length", (ListFilter(of.over.type, of.variable, of.over, of.body),))
    kind = of.type.item
    if kind.kind is Kind.LIST:
        return Op(list_of(kind.item), "flatten", (of,))
    if kind.kind not in NUMERIC and kind != DURATION:
        raise PlanError(f"{kind} cannot be summed up", expected="numbers or durations")
    wanted = INT if kind == BOOL else kind
    return _aggregated(of, "sum", wanted)


def _aggregated(of: Core, function: str, kind: Type) -> Core:
    """An aggregate over members where the list came from them, else over the list itself."""
    if isinstance(of, Agg) and of.function == "list":
        return Agg(kind, function, of.steps, of.body and whole(of.body))
    return Op(kind, f"list_{function}", (of,))


def _values(typer: Typing, node: ex.Expression, scope: Scope) -> Core:
    of = typer.typed(node, scope)
    if isinstance(of, Members):
        raise PlanError("events are not values", expected='(e["price"] for e in events)')
    return as_list(of)


def _extreme(typer: Typing, node: ex.Call, scope: Scope) -> Core:
    """min and max: of several values, of a list, or of events by a key."""
    if len(node.arguments) > 1:
        if node.options:
            raise PlanError(f"{node.function} of several values takes no options", expected="none")
        values = [only_one(typer.value(argument, scope)) for argument in node.arguments]
        kinds = [value.type for value in values if value.type != STR]
        values = [written_out(value, kinds[0]) if kinds else value for value in values]
        wanted = joined_type([value.type for value in values])
        check_ordered(wanted, "this")
        name = "least" if node.function == "min" else "greatest"
        return Op(wanted, name, tuple(as_type(value, wanted) for value in values))
    argument = only_argument(node, ("key", "default"))
    of = typer.typed(argument, scope)
    key = _option(node, "key")
    if isinstance(of, Members) and of.type == ROWS:
        if not isinstance(key, ex.Lambda):
            raise PlanError("events have no order of their own", expected="key=lambda e: …")
        steps = ordered(typer, of, key, node.function == "max", scope)
        return Members(ROW, (*steps, Cut(0, 1)))
    of = as_list(of)
    if isinstance(key, ex.Lambda):
        best = _sorted_by(typer, of, key, node.function == "max", scope)
        return Op(of.type.item, "item", (best, Const(INT, 0)))
    check_ordered(of.type.item, "this")
    found = _aggregated(of, node.function, of.type.item)
    default = _option(node, "default")
    if default is None:
        return found
    instead = typer.value(default, scope)
    wanted = joined_type([found.type, instead.type])
    return Op(wanted, "otherwise", (as_type(found, wanted), as_type(instead, wanted)))


def _quantified(typer: Typing, node: ex.Call, scope: Scope) -> Core:
    """any and all."""
    of = _values(typer, only_argument(node), scope)
    if isinstance(of, Agg) and of.body is not None:
        return Agg(BOOL, node.function, of.steps, truth(of.body))
    if of.type.item != BOOL:
        raise PlanError("any and all are about conditions", expected="any(x > 3 for x in items)")
    return Op(BOOL, f"list_{node.function}", (of,))


def _sorted(typer: Typing, node: ex.Call, scope: Scope) -> Core:
    of = typer.typed(only_argument(node, ("key", "reverse")), scope)
    key, reverse = _option(node, "key"), _option(node, "reverse") or ex.Literal(False)
    if not isinstance(reverse, ex.Literal) or not isinstance(reverse.value, bool):
        raise PlanError("reverse is True or False")
    if isinstance(of, Members) and of.type == ROWS:
        if not isinstance(key, ex.Lambda):
            raise PlanError("events have no order of their own", expected="key=lambda e: …")
        return Members(ROWS, ordered(typer, of, key, reverse.value, scope))
    of = as_list(of)
    if isinstance(key, ex.Lambda):
        return _sorted_by(typer, of, key, reverse.value, scope)
    check_ordered(of.type.item, "this")
    name = "sort_down" if reverse.value else "sort_up"
    return Op(list_of(of.type.item), name, (of,))


def _sorted_by(typer: Typing, of: Core, key: ex.Lambda, down: bool, scope: Scope) -> Core:
    """A list in the order of a key: as pairs of key and item, which are sorted."""
    item = of.type.item
    variable, value = sort_key(typer, key, item, scope)
    pair = tuple_of(value.type, item)
    there = ListFilter(of.type, variable, of, is_there(value))
    pairs = ListMap(list_of(pair), variable, there, Op(pair, "tuple", (value, Var(item, variable))))
    ordered = Op(list_of(pair), "sort_down" if down else "sort_up", (pairs,))
    second = Op(item, "tuple_item", (Var(pair, variable), Const(INT, 1)))
    return ListMap(list_of(item), variable, ordered, second)


def _set(typer: Typing, node: ex.Call, scope: Scope) -> Core:
    of = _values(typer, only_argument(node), scope)
    return Op(list_of(of.type.item), "distinct", (of,))


def _list(typer: Typing, node: ex.Call, scope: Scope) -> Core:
    of = typer.typed(only_argument(node), scope)
    return of if isinstance(of, Members) and of.type == ROWS else as_list(of)


# -- scalars -------------------------------------------------------------------------------------


def _round(typer: Typing, node: ex.Call, scope: Scope) -> Core:
    if not 1 <= len(node.arguments) <= 2 or node.options:
        raise PlanError("round takes a number, and how many digits", expected="round(x, 2)")
    value, *digits = [only_one(typer.value(argument, scope)) for argument in node.arguments]
    if value.type.kind not in NUMERIC:
        raise PlanError(f"{value.type} cannot be rounded", expected="a number")
    if not digits:
        return Op(INT, "round", (as_float(value),))
    if not isinstance(digits[0], Const) or not isinstance(digits[0].value, int):
        raise PlanError("the digits must be a number", expected="round(x, 2)")
    if not -15 <= digits[0].value <= 15:
        raise PlanError("so many digits make no sense", expected="round(x, 2)")
    rounded = Op(FLOAT, "round_to", (as_float(value), digits[0]))
    return rounded if value.type == FLOAT else Op(INT, "truncate", (rounded,))


def _abs(typer: Typing, node: ex.Call, scope: Scope) -> Core:
    value = only_one(typer.value(only_argument(node), scope))
    if value.type.kind not in NUMERIC and value.type != DURATION:
        raise PlanError(f"abs of {value.type} is not defined", expected="a number or a duration")
    value = as_number(value)
    return Op(value.type, "abs", (value,))


def _to_number(typer: Typing, node: ex.Call, scope: Scope) -> Core:
    value = only_one(typer.value(only_argument(node), scope))
    wanted = INT if node.function == "int" else FLOAT
    if value.type == STR:
        return Op(wanted, f"read_{node.function}", (value,))
    if value.type.kind not in NUMERIC:
        raise PlanError(f"{value.type} is no number", expected="a number or a text")
    if wanted == FLOAT:
        return as_float(value)
    return Op(INT, "truncate", (value,)) if value.type == FLOAT else as_number(value)


def _to_text(typer: Typing, node: ex.Call, scope: Scope) -> Core:
    return formatted(only_one(typer.value(only_argument(node), scope)), "")


def _to_bool(typer: Typing, node: ex.Call, scope: Scope) -> Core:
    return typer.condition(only_argument(node), scope)


_FUNCTIONS: dict[str, Callable[[Typing, ex.Call, Scope], Core]] = {
    "len": _len, "sum": _sum, "avg": _avg, "min": _extreme, "max": _extreme, "any": _quantified,
    "all": _quantified, "sorted": _sorted, "set": _set, "list": _list, "round": _round,
    "abs": _abs, "int": _to_number, "float": _to_number, "str": _to_text, "bool": _to_bool,
    "date": make_date, "time": make_time, "datetime": make_datetime, "timedelta": make_timedelta,
    "relativedelta": make_relativedelta, "date.today": today, "datetime.now": today,
    "date.fromisoformat": from_text, "time.fromisoformat": from_text,
    "datetime.fromisoformat": from_text, "datetime.combine": combine,
}  # fmt: skip
