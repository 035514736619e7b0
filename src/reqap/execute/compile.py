"""Typed expressions → SQL, as `sqlglot` nodes.

Texts of plans never become part of SQL: they are bound as parameters. What each operation is in
SQL stands in `operations`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from itertools import islice

from sqlglot import exp

from reqap.errors import ExecutionProblem, TooExpensive
from reqap.execute.moments import in_calendar
from reqap.execute.numbers import FLOAT_OPERATIONS, WHOLE_OPERATIONS
from reqap.execute.operations import OPERATIONS, sql_type
from reqap.execute.sql import call, cast, column, number, paren, text
from reqap.execute.texts import ALIKE, whole
from reqap.execute.units import UnitFinder
from reqap.plan.core import (
    Agg,
    Attr,
    Const,
    Core,
    Given,
    ListFilter,
    ListMap,
    Op,
    PlugIn,
    Span,
    SubResult,
    Var,
)
from reqap.plan.types import FLOAT, INT, STR, Kind, Type

# A value as Python has it: what sub-plans give, and what results hold.
Value = (
    str
    | int
    | float
    | bool
    | date
    | time
    | datetime
    | timedelta
    | list["Value"]
    | tuple["Value", ...]
    | None
)
Find = Callable[[Attr], exp.Expr]
# The most that an expression may come to in SQL.
MAX_SUB_ROWS = 50_000
MAX_NODES = 20_000
_LARGE, _SMALL = 60, 8


@dataclass
class Parameters:
    """The texts that a statement is run with."""

    values: dict[str, str] = field(default_factory=dict)

    def bind(self, value: str) -> exp.Expr:
        name = f"p{len(self.values) + 1}"
        self.values[name] = value
        return exp.Parameter(this=exp.Var(this=name))


class Several(list[Value]):
    """The values of a sub-plan, each once; `times` tells how often each came."""

    def __init__(self, values: list[Value], times: list[int]) -> None:
        super().__init__(values)
        self.times = times

    def each(self) -> list[Value]:
        """As often as they came."""
        if sum(self.times) > MAX_SUB_ROWS:
            raise TooExpensive(f"a sub-plan gives more than {MAX_SUB_ROWS:,} values")
        return [value for value, times in zip(self, self.times, strict=True) for _ in range(times)]


@dataclass
class Compiler:
    """Compiles the expressions of one statement."""

    today: datetime
    parameters: Parameters
    attribute: Find
    aggregates: Mapping[Agg, exp.Expr] = field(default_factory=dict)
    results: tuple[Value, ...] = ()
    given: exp.Expr | None = None
    units: Callable[[Core], exp.Expr] | None = None
    finder: UnitFinder | None = None
    plug_in_name: Callable[[str], str] = str
    _named: int = 0

    def compile(self, core: Core) -> exp.Expr:
        match core:
            case Const():
                return self.constant(core.value, core.type)
            case Attr():
                return self.attribute(core)
            case Agg():
                return self.aggregates[core].copy()
            case Var():
                return column(_variable(core.name), None)
            case Given() if self.given is not None:
                return self.given.copy()
            case SubResult():
                value = self.results[core.number]
                told = value.each() if isinstance(value, Several) else value
                return self.constant(told, core.type)
            case ListMap():
                return self._over_list("list_transform", core.variable, core.over, core.body)
            case ListFilter():
                return self._over_list("list_filter", core.variable, core.over, core.condition)
            case PlugIn():
                return call(self.plug_in_name(core.name), *map(self.compile, core.arguments))
            case Op():
                return self._operation(core)
        raise TypeError(f"{type(core).__name__} has no SQL")

    def _over_list(self, function: str, name: str, over: Core, body: Core) -> exp.Expr:
        variable = exp.to_identifier(_variable(name), quoted=True)
        inner = exp.Lambda(this=self.compile(body), expressions=[variable])
        return call(function, self.compile(over), inner)

    def _operation(self, core: Op) -> exp.Expr:
        match core.name:
            case "today":
                return self.constant(self.today.date(), core.type)
            case "now":
                return self.constant(self.today, core.type)
            case "missing":
                return cast(exp.null(), sql_type(core.type))
            case "shift":
                return self._shifted(core)
            case "only_one":
                return self._only_one(core)
            case "whole":
                kind = core.type
                return self._built(lambda a: whole(a, kind), [self.compile(core.arguments[0])])
            case "tuple_item":
                return self._tuple_item(core)
            case "unit" if self.units is not None:
                return self.units(core.arguments[0])
            case "list":
                items = [self.compile(argument) for argument in core.arguments]
                return cast(call("list_value", *items), sql_type(core.type))
        if self.finder is not None:
            core = self.finder.alike(core)
        build = _builder(core)
        if core.name == "in_list" and isinstance(core.arguments[1], SubResult):
            # Whether a value is among others does not depend on how often these came.
            one, many = core.arguments[0], core.arguments[1]
            return build(self.compile(one), self.constant(self.results[many.number], many.type))
        return self._built(build, [self.compile(argument) for argument in core.arguments])

    def _built(self, build: Callable[..., exp.Expr], operands: list[exp.Expr]) -> exp.Expr:
        """An operation on operands. Some repeat what they are given, and repetitions of
        repetitions would grow without end: then large operands are worked out once, under a
        name, which SQL can do with a list of one."""
        sizes = [_size(operand) for operand in operands]
        made = build(*(operand.copy() for operand in operands))
        if sum(sizes) <= _LARGE or _size(made) <= sum(sizes) + _LARGE:
            return made
        names: dict[str, exp.Expr] = {}
        given: list[exp.Expr] = []
        for operand, size in zip(operands, sizes, strict=True):
            if size <= _SMALL:
                given.append(operand)
                continue
            self._named += 1
            name = _variable(f"let{self._named}")
            names[name] = operand
            given.append(column(name, None))
        made = build(*given)
        for name, operand in names.items():
            variable = exp.to_identifier(name, quoted=True)
            inner = exp.Lambda(this=made, expressions=[variable])
            made = call("list_extract", call("list_transform", call("list_value", operand), inner),
                        number(1))  # fmt: skip
        if _size(made) > MAX_NODES:
            raise TooExpensive("an expression is too large; take several steps")
        return made

    def _tuple_item(self, core: Op) -> exp.Expr:
        of, at = core.arguments
        assert isinstance(at, Const)
        return call("struct_extract", self.compile(of), text(f"f{at.value}"))

    def _only_one(self, core: Op) -> exp.Expr:
        (of,) = core.arguments
        values = self.results[of.number] if isinstance(of, SubResult) else None
        if not isinstance(values, list):
            raise TypeError("only results of plans have several values")
        if len(values) > 1:
            raise ExecutionProblem(
                f"the sub-plan gives {len(values)} values where one is needed; use `in`, or"
                " MIN or MAX"
            )
        return self.constant(values[0] if values else None, core.type)

    def _shifted(self, core: Op) -> exp.Expr:
        """A date moved along the calendar, as dateutil does it: set, then months, then the rest."""
        moment, by = core.arguments
        assert isinstance(by, Const)
        span = by.value
        assert isinstance(span, Span)
        return self._built(
            lambda start: _moved(start, span, moment.type, core.type), [self.compile(moment)]
        )

    def constant(self, value: object, kind: Type) -> exp.Expr:
        """A value of Python. Texts are bound; what else it can be has only harmless characters."""
        if value is None:
            return cast(exp.null(), sql_type(kind))
        if isinstance(value, list):
            items = [self.constant(item, kind.item) for item in value]
            return cast(call("list_value", *items), sql_type(kind))
        if isinstance(value, tuple):
            parts = zip(value, kind.items, strict=True)
            return OPERATIONS["tuple"](*(self.constant(item, k) for item, k in parts))
        if isinstance(value, bool):
            return exp.true() if value else exp.false()
        if isinstance(value, int):
            return cast(number(value), sql_type(kind))
        if isinstance(value, float):
            return cast(text(repr(value)), "DOUBLE")
        if isinstance(value, timedelta):
            return cast(number(value // timedelta(microseconds=1)), "BIGINT")
        if isinstance(value, date | time):
            return cast(text(str(value)), sql_type(kind))
        if isinstance(value, str):
            return cast(self.parameters.bind(value), "TEXT")
        raise TypeError(f"{type(value).__name__} cannot be a constant")


def _builder(core: Op) -> Callable[..., exp.Expr]:
    """What makes SQL of an operation: some are done otherwise on numbers and on texts."""
    special = {FLOAT: FLOAT_OPERATIONS, INT: WHOLE_OPERATIONS}.get(core.type, OPERATIONS)
    if core.arguments and core.arguments[0].type == STR:
        special = ALIKE if core.name in ALIKE else special
    return special.get(core.name) or OPERATIONS[core.name]


def _size(value: exp.Expr) -> int:
    """How many nodes an expression has, as far as it matters."""
    return sum(1 for _ in islice(value.walk(), MAX_NODES + 1))


def _variable(name: str) -> str:
    return f"#{name}"


def _moved(start: exp.Expr, span: Span, kind: Type, result: Type) -> exp.Expr:
    months = call("to_months", cast(number(span.months), "INTEGER"))
    moved: exp.Expr = exp.Add(this=start, expression=months)
    if span.fixed:
        moved = _with_fields(start, dict(span.fixed), months, kind)
    if span.days:
        days = call("to_days", cast(number(span.days), "INTEGER"))
        moved = exp.Add(this=moved, expression=days)
    if span.microseconds:
        rest = call("to_microseconds", number(span.microseconds))
        moved = exp.Add(this=moved, expression=rest)
    return in_calendar(call("try", cast(paren(moved), sql_type(result))))


def _with_fields(moment: exp.Expr, fixed: dict[str, int], months: exp.Expr, kind: Type) -> exp.Expr:
    """A date with some fields set and moved by months; a day beyond the month becomes its last."""
    part = {name: OPERATIONS[name](moment.copy()) for name in ("year", "month", "day")}
    year = number(fixed["year"]) if "year" in fixed else part["year"]
    month = number(fixed["month"]) if "month" in fixed else part["month"]
    day = number(fixed["day"]) if "day" in fixed else part["day"]
    first = cast(paren(exp.Add(this=call("make_date", year, month, number(1)), expression=months)),
                 "DATE")  # fmt: skip
    last = call("date_part", text("day"), call("last_day", first.copy()))
    shift = cast(paren(exp.Sub(this=call("least", day, last), expression=number(1))), "INTEGER")
    date_ = paren(exp.Add(this=first, expression=shift))
    if kind.kind is Kind.DATE:
        return date_
    clock = [
        number(fixed[name]) if name in fixed else OPERATIONS[name](moment.copy())
        for name in ("hour", "minute", "second", "microsecond")
    ]
    return paren(exp.Add(this=date_, expression=OPERATIONS["make_time"](*clock)))
