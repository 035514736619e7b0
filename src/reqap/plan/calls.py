"""What functions, methods and parts do to types: one entry per name in `vocabulary`."""

import re
from collections.abc import Callable
from datetime import date, datetime, time, timedelta

from reqap.errors import PlanError
from reqap.plan import expressions as ex
from reqap.plan.conversions import (
    as_datetime,
    as_float,
    as_number,
    as_type,
    check_ordered,
    joined_type,
    only_list,
    only_one,
    truth,
)
from reqap.plan.core import Agg, Const, Core, Cut, Keep, Members, Op, PlugIn, Span
from reqap.plan.scope import Row, Rows, Scope, Typing
from reqap.plan.types import (
    BOOL,
    DATE,
    DATETIME,
    DURATION,
    FLOAT,
    INT,
    NUMERIC,
    ROW,
    ROWS,
    SPAN,
    STR,
    TIME,
    TIMED_SPAN,
    Kind,
    Type,
    list_of,
    tuple_of,
)

_MICROSECONDS = {
    "weeks": 604_800_000_000, "days": 86_400_000_000, "hours": 3_600_000_000,
    "minutes": 60_000_000, "seconds": 1_000_000, "milliseconds": 1_000, "microseconds": 1,
}  # fmt: skip
# As far as the calendar reaches, and a bit.
_FAR = {"years": 10_000, "months": 120_000, "weeks": 530_000, "days": 3_700_000}
_DATE_FIELDS, _TIME_FIELDS = ("year", "month", "day"), ("hour", "minute", "second", "microsecond")


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


def _only_argument(node: ex.Call, options: tuple[str, ...] = ()) -> ex.Expression:
    if len(node.arguments) != 1:
        raise PlanError(f"{node.function} takes one argument", expected=f"{node.function}(items)")
    for option in node.options:
        if option.name not in options:
            raise PlanError(f"{node.function} has no option {option.name}",
                            expected=", ".join(options) or "none")  # fmt: skip
    return node.arguments[0]


def _option(node: ex.Call, name: str) -> ex.Expression | None:
    return next((option.value for option in node.options if option.name == name), None)


def _len(typer: Typing, node: ex.Call, scope: Scope) -> Core:
    argument = _only_argument(node)
    size = typer.size(argument, scope)
    if size is not None:
        return size
    of = typer.typed(argument, scope)
    if isinstance(of, Members) and of.type == ROWS:
        return Agg(INT, "count", of.steps, None)
    if isinstance(of, Agg) and of.function == "list":
        return Agg(INT, "count", of.steps, None)
    inner = of.arguments[0] if isinstance(of, Op) and of.name == "distinct" else None
    if isinstance(inner, Agg) and inner.function == "list":
        return Agg(INT, "distinct", inner.steps, inner.body)
    if of.type == STR or of.type.kind is Kind.LIST:
        return Op(INT, "length", (of,))
    raise PlanError(f"{of.type} has no length", expected="a list, a text, events or a group")


def _sum(typer: Typing, node: ex.Call, scope: Scope) -> Core:
    of = _values(typer, _only_argument(node), scope)
    return total(of)


def total(of: Core) -> Core:
    """The sum of a list. Sums of conditions and of ones are ways to count."""
    if isinstance(of, Agg) and of.body is not None:
        if of.body == Const(INT, 1):
            return Agg(INT, "count", of.steps, None)
        if of.body.type == BOOL:
            return Agg(INT, "count", (*of.steps, Keep(of.body)), None)
    kind = of.type.item
    if kind.kind not in NUMERIC and kind != DURATION:
        raise PlanError(f"{kind} cannot be summed up", expected="numbers or durations")
    wanted = INT if kind == BOOL else kind
    return _aggregated(of, "sum", wanted)


def _aggregated(of: Core, function: str, kind: Type) -> Core:
    """An aggregate over members where the list came from them, else over the list itself."""
    if isinstance(of, Agg) and of.function == "list":
        return Agg(kind, function, of.steps, of.body)
    return Op(kind, f"list_{function}", (of,))


def _values(typer: Typing, node: ex.Expression, scope: Scope) -> Core:
    of = typer.typed(node, scope)
    if isinstance(of, Members):
        raise PlanError("events are not values", expected='(e["price"] for e in events)')
    return only_list(of)


def _extreme(typer: Typing, node: ex.Call, scope: Scope) -> Core:
    """min and max: of several values, of a list, or of events by a key."""
    if len(node.arguments) > 1:
        values = [only_one(typer.value(argument, scope)) for argument in node.arguments]
        wanted = joined_type([value.type for value in values])
        check_ordered(wanted, "this")
        name = "least" if node.function == "min" else "greatest"
        return Op(wanted, name, tuple(as_type(value, wanted) for value in values))
    argument = _only_argument(node, ("key", "default"))
    of = typer.typed(argument, scope)
    key = _option(node, "key")
    if isinstance(of, Members):
        if not isinstance(key, ex.Lambda):
            raise PlanError("events have no order of their own", expected="key=lambda e: …")
        steps = typer.ordered(of, key, node.function == "max", scope)
        return Members(ROW, (*steps, Cut(0, 1)))
    if key is not None:
        raise PlanError("a key for values that have an order", expected="no key")
    only_list(of)
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
    of = _values(typer, _only_argument(node), scope)
    if isinstance(of, Agg) and of.body is not None:
        return Agg(BOOL, node.function, of.steps, truth(of.body))
    if of.type.item != BOOL:
        raise PlanError("any and all are about conditions", expected="any(x > 3 for x in items)")
    return Op(BOOL, f"list_{node.function}", (of,))


def _sorted(typer: Typing, node: ex.Call, scope: Scope) -> Core:
    of = typer.typed(_only_argument(node, ("key", "reverse")), scope)
    key, reverse = _option(node, "key"), _option(node, "reverse") or ex.Literal(False)
    if not isinstance(reverse, ex.Literal) or not isinstance(reverse.value, bool):
        raise PlanError("reverse is True or False")
    if isinstance(of, Members):
        if not isinstance(key, ex.Lambda):
            raise PlanError("events have no order of their own", expected="key=lambda e: …")
        return Members(ROWS, typer.ordered(of, key, reverse.value, scope))
    if key is not None:
        raise PlanError("a key for values that have an order", expected="no key")
    check_ordered(only_list(of).type.item, "this")
    return Op(of.type, "sort_down" if reverse.value else "sort_up", (of,))


def _set(typer: Typing, node: ex.Call, scope: Scope) -> Core:
    of = _values(typer, _only_argument(node), scope)
    return Op(of.type, "distinct", (of,))


def _list(typer: Typing, node: ex.Call, scope: Scope) -> Core:
    of = typer.typed(_only_argument(node), scope)
    return of if isinstance(of, Members) else only_list(of)


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
    return Op(FLOAT, "round_to", (as_float(value), digits[0]))


def _abs(typer: Typing, node: ex.Call, scope: Scope) -> Core:
    value = only_one(typer.value(_only_argument(node), scope))
    if value.type.kind not in NUMERIC and value.type != DURATION:
        raise PlanError(f"abs of {value.type} is not defined", expected="a number or a duration")
    value = as_number(value)
    return Op(value.type, "abs", (value,))


def _to_number(typer: Typing, node: ex.Call, scope: Scope) -> Core:
    value = only_one(typer.value(_only_argument(node), scope))
    wanted = INT if node.function == "int" else FLOAT
    if value.type == STR:
        return Op(wanted, f"read_{node.function}", (value,))
    if value.type.kind not in NUMERIC:
        raise PlanError(f"{value.type} is no number", expected="a number or a text")
    if wanted == FLOAT:
        return as_float(value)
    return Op(INT, "truncate", (value,)) if value.type == FLOAT else as_number(value)


def _to_text(typer: Typing, node: ex.Call, scope: Scope) -> Core:
    return formatted(only_one(typer.value(_only_argument(node), scope)), "")


def _to_bool(typer: Typing, node: ex.Call, scope: Scope) -> Core:
    return truth(typer.value(_only_argument(node), scope))


_NUMBER_FORMAT = re.compile(r"(,)?(0?\d{1,2})?(?:\.(\d{1,2})([f%])|([df]))?")
_PLAIN_TEXT = {
    Kind.STR: "same", Kind.INT: "to_text", Kind.FLOAT: "to_text", Kind.DATE: "to_text",
    Kind.TIME: "to_text", Kind.DATETIME: "to_text", Kind.BOOL: "bool_to_text",
    Kind.DURATION: "duration_to_text",
}  # fmt: skip


def formatted(value: Core, spec: str) -> Core:
    """A value as text, the way f-strings write it."""
    kind = value.type.kind
    if not spec:
        name = _PLAIN_TEXT.get(kind)
        if name is None:
            raise PlanError(f"{value.type} has no text", expected="a single value")
        return Op(STR, name, (value,))
    if "%" in spec and kind in (Kind.DATE, Kind.DATETIME, Kind.TIME):
        return _strftime(value, spec)
    found = _NUMBER_FORMAT.fullmatch(spec)
    if found and value.type == INT and spec.endswith("d") | spec.isdigit():
        return Op(STR, "format", (value, Const(STR, f"{{:{spec}}}")))
    if found and found[3] and kind in NUMERIC:
        if found[4] == "%":
            scaled = Op(FLOAT, "mul", (as_float(value), Const(FLOAT, 100.0)))
            written = Op(STR, "format", (scaled, Const(STR, f"{{:{spec[:-1]}f}}")))
            return Op(STR, "concat", (written, Const(STR, "%")))
        return Op(STR, "format", (as_float(value), Const(STR, f"{{:{spec}}}")))
    raise PlanError(f"the format {spec!r} for {value.type}", expected=":.2f, :02d or :%Y-%m-%d")


_DIRECTIVES = frozenset("YymdHIMSpjUWVGuAaBbfw%")


def _strftime(value: Core, spec: str) -> Core:
    for directive in re.findall(r"%-?(.?)", spec):
        if directive not in _DIRECTIVES:
            raise PlanError(f"%{directive} in a date format",
                            expected=", ".join(f"%{d}" for d in sorted(_DIRECTIVES)))  # fmt: skip
    name = "time_to_format" if value.type == TIME else "date_to_format"
    return Op(STR, name, (value, Const(STR, spec)))


# -- dates ---------------------------------------------------------------------------------------


def _fields(
    typer: Typing, node: ex.Call | ex.Method, names: tuple[str, ...], scope: Scope
) -> dict[str, Core]:
    """Whole numbers for date fields, by position or by name."""
    if len(node.arguments) > len(names):
        raise PlanError("too many arguments", expected=", ".join(names))
    given = dict(zip(names, node.arguments, strict=False))
    for option in node.options:
        if option.name not in names or option.name in given:
            raise PlanError(f"the argument {option.name}", expected=", ".join(names))
        given[option.name] = option.value
    values = {name: only_one(typer.value(value, scope)) for name, value in given.items()}
    for name, value in values.items():
        if value.type not in (INT, FLOAT):
            raise PlanError(f"{name} is {value.type}", expected="a number")
    return values


def _constants(values: dict[str, Core]) -> dict[str, int | float] | None:
    """The values, when all of them are known now."""
    if not all(isinstance(value, Const) for value in values.values()):
        return None
    return {n: v.value for n, v in values.items() if isinstance(v, Const)}  # type: ignore[misc]


_ZERO = Const(INT, 0)


def _make_date(typer: Typing, node: ex.Call, scope: Scope) -> Core:
    return _moment(_fields(typer, node, _DATE_FIELDS, scope), DATE)


def _make_time(typer: Typing, node: ex.Call, scope: Scope) -> Core:
    return _moment(_fields(typer, node, _TIME_FIELDS, scope), TIME)


def _make_datetime(typer: Typing, node: ex.Call, scope: Scope) -> Core:
    return _moment(_fields(typer, node, _DATE_FIELDS + _TIME_FIELDS, scope), DATETIME)


_MAKERS: dict[Kind, tuple[type[date] | type[time], tuple[str, ...], tuple[str, ...]]] = {
    Kind.DATE: (date, _DATE_FIELDS, _DATE_FIELDS),
    Kind.TIME: (time, (), _TIME_FIELDS),
    Kind.DATETIME: (datetime, _DATE_FIELDS, _DATE_FIELDS + _TIME_FIELDS),
}


def _moment(values: dict[str, Core], kind: Type) -> Core:
    maker, needed, names = _MAKERS[kind.kind]
    if any(name not in values for name in needed):
        raise PlanError(f"{kind} needs {', '.join(needed)}", expected=f"{kind}(2024, 3, 1)")
    for name, value in values.items():
        if value.type != INT:
            raise PlanError(f"{name} is {value.type}", expected="a whole number")
    known = _constants(values)
    if known is not None:
        try:
            return Const(kind, maker(**known))  # type: ignore[arg-type]
        except (ValueError, OverflowError):
            raise PlanError(f"there is no such {kind}", expected=f"a {kind} that exists") from None
    return Op(kind, f"make_{kind.kind}", tuple(values.get(name, _ZERO) for name in names))


def _timedelta(typer: Typing, node: ex.Call, scope: Scope) -> Core:
    order = ("days", "seconds", "microseconds", "milliseconds", "minutes", "hours", "weeks")
    values = _fields(typer, node, order, scope)
    known = _constants(values)
    if known is not None:
        try:
            length = timedelta(**known)
        except (OverflowError, ValueError):
            raise PlanError("this is longer than the calendar", expected="a shorter time") from None
        if abs(length) > timedelta(days=_FAR["days"]):
            raise PlanError("this is longer than the calendar", expected="a shorter time")
        return Const(DURATION, length)
    parts: list[Core] = [
        Op(DURATION, "scaled", (Const(DURATION, timedelta(microseconds=_MICROSECONDS[name])),
                                as_float(value)))
        for name, value in values.items()
    ]  # fmt: skip
    result = parts[0]
    for part_ in parts[1:]:
        result = Op(DURATION, "add", (result, part_))
    return result


def _relativedelta(typer: Typing, node: ex.Call, scope: Scope) -> Core:
    relative = ("years", "months", "weeks", "days", "hours", "minutes", "seconds", "microseconds")
    if node.arguments:
        raise PlanError("relativedelta takes names", expected="relativedelta(months=6)")
    values = _fields(typer, node, relative + _DATE_FIELDS + _TIME_FIELDS, scope)
    known = _constants(values)
    if known is None or not all(isinstance(value, int) for value in known.values()):
        raise PlanError("relativedelta takes whole numbers", expected="relativedelta(months=6)")
    whole = {name: int(value) for name, value in known.items()}
    for name, value in whole.items():
        if abs(value) > _FAR.get(name, 10**12):
            raise PlanError(f"{value:,} {name} is longer than the calendar")
    fixed = tuple((n, v) for n, v in whole.items() if n in _DATE_FIELDS + _TIME_FIELDS)
    _check_fixed(dict(fixed))
    span = Span(
        whole.get("years", 0) * 12 + whole.get("months", 0),
        whole.get("weeks", 0) * 7 + whole.get("days", 0),
        sum(whole.get(n, 0) * _MICROSECONDS[n]
            for n in ("hours", "minutes", "seconds", "microseconds")),
        fixed,
    )  # fmt: skip
    timed = span.microseconds or any(name in _TIME_FIELDS for name, _ in fixed)
    return Const(TIMED_SPAN if timed else SPAN, span)


def _check_fixed(fixed: dict[str, int]) -> None:
    limits = {"year": (1, 9999), "month": (1, 12), "day": (1, 31), "hour": (0, 23),
              "minute": (0, 59), "second": (0, 59), "microsecond": (0, 999_999)}  # fmt: skip
    for name, value in fixed.items():
        low, high = limits[name]
        if not low <= value <= high:
            raise PlanError(f"{name}={value}", expected=f"{low} to {high}")


def _today(_typer: Typing, node: ex.Call, _scope: Scope) -> Core:
    if node.arguments or node.options:
        raise PlanError(f"{node.function} takes no arguments", expected=f"{node.function}()")
    if node.function == "date.today":
        return Op(DATE, "today", ())
    return Op(DATETIME, "now", ())


def _from_text(typer: Typing, node: ex.Call, scope: Scope) -> Core:
    kind = {"date": DATE, "time": TIME, "datetime": DATETIME}[node.function.split(".")[0]]
    value = only_one(typer.value(_only_argument(node), scope))
    if value.type == kind:
        return value
    if value.type != STR:
        raise PlanError(f"{value.type} is no text", expected="a text such as 2024-03-01")
    return Op(kind, f"read_{kind.kind}", (value,))


def _combine(typer: Typing, node: ex.Call, scope: Scope) -> Core:
    if len(node.arguments) != 2 or node.options:
        raise PlanError("combine takes a date and a time", expected="datetime.combine(day, time)")
    day, clock = (only_one(typer.value(argument, scope)) for argument in node.arguments)
    if day.type.kind not in (Kind.DATE, Kind.DATETIME) or clock.type != TIME:
        raise PlanError("combine takes a date and a time", expected="datetime.combine(day, time)")
    return Op(DATETIME, "combine", (Op(DATE, "to_date", (as_datetime(day),)), clock))


_FUNCTIONS: dict[str, Callable[[Typing, ex.Call, Scope], Core]] = {
    "len": _len, "sum": _sum, "min": _extreme, "max": _extreme, "any": _quantified,
    "all": _quantified, "sorted": _sorted, "set": _set, "list": _list, "round": _round,
    "abs": _abs, "int": _to_number, "float": _to_number, "str": _to_text, "bool": _to_bool,
    "date": _make_date, "time": _make_time, "datetime": _make_datetime, "timedelta": _timedelta,
    "relativedelta": _relativedelta, "date.today": _today, "datetime.now": _today,
    "date.fromisoformat": _from_text, "time.fromisoformat": _from_text,
    "datetime.fromisoformat": _from_text, "datetime.combine": _combine,
}  # fmt: skip


# -- methods and parts ---------------------------------------------------------------------------

_TEXT_METHODS: dict[str, tuple[str, tuple[Type, ...], int, Type]] = {
    # name: operation, arguments, how many are needed, result
    "lower": ("lower", (), 0, STR), "casefold": ("lower", (), 0, STR),
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
_ISO_PARTS = {"year": 0, "week": 1, "weekday": 2}


def method(typer: Typing, node: ex.Method, scope: Scope) -> Core:
    of = only_one(typer.value(node.of, scope))
    kind = of.type.kind
    if kind is Kind.STR and node.name in _TEXT_METHODS:
        return _text_method(typer, of, node, scope)
    if node.name == "replace" and kind in _MAKERS:
        return _replaced(typer, of, node, scope)
    if node.name == "strftime" and kind in _MAKERS:
        match [typer.value(argument, scope) for argument in node.arguments]:
            case [Const(value=str(spec))]:
                return _strftime(of, spec)
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
    if name == "isoformat" and kind in _MAKERS:
        return Op(STR, "iso_text" if of.type == DATETIME else "to_text", (of,))
    if name == "total_seconds" and kind is Kind.DURATION:
        return Op(FLOAT, "total_seconds", (of,))
    return None


def _methods_of(kind: Type) -> str:
    if kind == STR:
        return ", ".join(_TEXT_METHODS)
    if kind.kind in (Kind.DATE, Kind.DATETIME):
        return "weekday, isoweekday, isocalendar, replace, strftime, isoformat, date, time"
    if kind == TIME:
        return "replace, strftime, isoformat"
    return "total_seconds" if kind == DURATION else "none"


def _text_method(typer: Typing, of: Core, node: ex.Method, scope: Scope) -> Core:
    operation, wanted, needed, result = _TEXT_METHODS[node.name]
    arguments = [typer.value(argument, scope) for argument in node.arguments]
    if node.options or not needed <= len(arguments) <= len(wanted):
        raise PlanError(f"the arguments of {node.name} do not fit",
                        expected=f"{needed} to {len(wanted)}")  # fmt: skip
    for argument, kind in zip(arguments, wanted, strict=False):
        if Type(argument.type.kind, argument.type.items) != kind:
            raise PlanError(f"{node.name} takes {kind}, not {argument.type}", expected=str(kind))
    return Op(result, operation, (of, *arguments))


def _replaced(typer: Typing, of: Core, node: ex.Method, scope: Scope) -> Core:
    """`day.replace(day=1)`: the other fields stay."""
    names = _MAKERS[of.type.kind][2]
    given = _fields(typer, node, names, scope)
    values = {name: given.get(name) or Op(INT, name, (of,)) for name in names}
    return _moment(values, of.type)


def part(typer: Typing, node: ex.Part, scope: Scope) -> Core:
    if isinstance(node.of, ex.Name) and isinstance(scope.get(node.of.name), Row | Rows):
        return typer.typed(ex.Key(node.of, node.name), scope)
    of = only_one(typer.value(node.of, scope))
    kind = of.type.kind
    if node.name in _DATE_FIELDS and kind in (Kind.DATE, Kind.DATETIME):
        return Op(INT, node.name, (of,))
    if node.name in _TIME_FIELDS and kind in (Kind.TIME, Kind.DATETIME):
        return Op(INT, node.name, (of,))
    if node.name in ("days", "seconds") and kind is Kind.DURATION:
        return Op(INT, f"duration_{node.name}", (of,))
    if node.name in _ISO_PARTS and isinstance(of, Op) and of.name == "isocalendar":
        return Op(INT, "tuple_item", (of, Const(INT, _ISO_PARTS[node.name])))
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
