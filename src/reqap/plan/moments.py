"""Making dates, times, durations and stretches of the calendar."""

from datetime import date, datetime, time, timedelta

from reqap.errors import PlanError
from reqap.plan import expressions as ex
from reqap.plan.conversions import (
    as_datetime,
    as_float,
    only_one,
)
from reqap.plan.core import Const, Core, Op, Span
from reqap.plan.scope import Scope, Typing, only_argument
from reqap.plan.types import (
    DATE,
    DATETIME,
    DURATION,
    FLOAT,
    INT,
    SPAN,
    STR,
    TIME,
    TIMED_SPAN,
    Kind,
    Type,
    tuple_of,
)

_MICROSECONDS = {
    "weeks": 604_800_000_000, "days": 86_400_000_000, "hours": 3_600_000_000,
    "minutes": 60_000_000, "seconds": 1_000_000, "milliseconds": 1_000, "microseconds": 1,
}  # fmt: skip
# As far as the calendar reaches, and a bit.
_FAR = {"years": 10_000, "months": 120_000, "weeks": 530_000, "days": 3_700_000}
DATE_FIELDS, TIME_FIELDS = ("year", "month", "day"), ("hour", "minute", "second", "microsecond")


def fields(
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


def make_date(typer: Typing, node: ex.Call, scope: Scope) -> Core:
    return moment(fields(typer, node, DATE_FIELDS, scope), DATE)


def make_time(typer: Typing, node: ex.Call, scope: Scope) -> Core:
    return moment(fields(typer, node, TIME_FIELDS, scope), TIME)


def make_datetime(typer: Typing, node: ex.Call, scope: Scope) -> Core:
    return moment(fields(typer, node, DATE_FIELDS + TIME_FIELDS, scope), DATETIME)


MAKERS: dict[Kind, tuple[type[date] | type[time], tuple[str, ...], tuple[str, ...]]] = {
    Kind.DATE: (date, DATE_FIELDS, DATE_FIELDS),
    Kind.TIME: (time, (), TIME_FIELDS),
    Kind.DATETIME: (datetime, DATE_FIELDS, DATE_FIELDS + TIME_FIELDS),
}


def moment(values: dict[str, Core], kind: Type) -> Core:
    maker, needed, names = MAKERS[kind.kind]
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


def make_timedelta(typer: Typing, node: ex.Call, scope: Scope) -> Core:
    order = ("days", "seconds", "microseconds", "milliseconds", "minutes", "hours", "weeks")
    values = fields(typer, node, order, scope)
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


def make_relativedelta(typer: Typing, node: ex.Call, scope: Scope) -> Core:
    relative = ("years", "months", "weeks", "days", "hours", "minutes", "seconds", "microseconds")
    if node.arguments:
        return _calendar_between(typer, node, scope)
    values = fields(typer, node, relative + DATE_FIELDS + TIME_FIELDS, scope)
    known = _constants(values)
    if known is None or not all(isinstance(value, int) for value in known.values()):
        raise PlanError("relativedelta takes whole numbers", expected="relativedelta(months=6)")
    whole = {name: int(value) for name, value in known.items()}
    for name, value in whole.items():
        if abs(value) > _FAR.get(name, 10**12):
            raise PlanError(f"{value:,} {name} is longer than the calendar")
    fixed = tuple((n, v) for n, v in whole.items() if n in DATE_FIELDS + TIME_FIELDS)
    _check_fixed(dict(fixed))
    span = Span(
        whole.get("years", 0) * 12 + whole.get("months", 0),
        whole.get("weeks", 0) * 7 + whole.get("days", 0),
        sum(whole.get(n, 0) * _MICROSECONDS[n]
            for n in ("hours", "minutes", "seconds", "microseconds")),
        fixed,
    )  # fmt: skip
    timed = span.microseconds or any(name in TIME_FIELDS for name, _ in fixed)
    return Const(TIMED_SPAN if timed else SPAN, span)


def _calendar_between(typer: Typing, node: ex.Call, scope: Scope) -> Core:
    """`relativedelta(later, earlier).years`: full years, months and days between two dates."""
    ends = [only_one(typer.value(argument, scope)) for argument in node.arguments]
    moments = all(end.type.kind in (Kind.DATE, Kind.DATETIME) for end in ends)
    if len(ends) != 2 or node.options or not moments:
        raise PlanError(
            "relativedelta takes names, or two dates",
            expected="relativedelta(months=6), relativedelta(later, earlier).years",
        )
    return Op(tuple_of(INT, INT, INT), "calendar_between", tuple(map(as_datetime, ends)))


def _check_fixed(fixed: dict[str, int]) -> None:
    limits = {"year": (1, 9999), "month": (1, 12), "day": (1, 31), "hour": (0, 23),
              "minute": (0, 59), "second": (0, 59), "microsecond": (0, 999_999)}  # fmt: skip
    for name, value in fixed.items():
        low, high = limits[name]
        if not low <= value <= high:
            raise PlanError(f"{name}={value}", expected=f"{low} to {high}")


def today(_typer: Typing, node: ex.Call, _scope: Scope) -> Core:
    if node.arguments or node.options:
        raise PlanError(f"{node.function} takes no arguments", expected=f"{node.function}()")
    if node.function == "date.today":
        return Op(DATE, "today", ())
    return Op(DATETIME, "now", ())


def from_text(typer: Typing, node: ex.Call, scope: Scope) -> Core:
    kind = {"date": DATE, "time": TIME, "datetime": DATETIME}[node.function.split(".")[0]]
    value = only_one(typer.value(only_argument(node), scope))
    if value.type == kind:
        return value
    if value.type != STR:
        raise PlanError(f"{value.type} is no text", expected="a text such as 2024-03-01")
    return Op(kind, f"read_{kind.kind}", (value,))


def combine(typer: Typing, node: ex.Call, scope: Scope) -> Core:
    if len(node.arguments) != 2 or node.options:
        raise PlanError("combine takes a date and a time", expected="datetime.combine(day, time)")
    day, clock = (only_one(typer.value(argument, scope)) for argument in node.arguments)
    if day.type.kind not in (Kind.DATE, Kind.DATETIME) or clock.type != TIME:
        raise PlanError("combine takes a date and a time", expected="datetime.combine(day, time)")
    return Op(DATETIME, "combine", (Op(DATE, "to_date", (as_datetime(day),)), clock))
