"""Units of numbers on their way through expressions: sums of euros are euros.

A column has one unit for all its values, or (amounts in several currencies) one per value. Not the
job of this module: converting units (`reqap.values`).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from sqlglot import exp

from reqap.errors import ExecutionProblem, ValueProblem
from reqap.execute.sql import ALIAS, column
from reqap.execute.tables import Table
from reqap.plan.core import Agg, Attr, Const, Core, Given, Op, SubResult
from reqap.plan.types import FLOAT, INT
from reqap.values import convert, is_currency


@dataclass(frozen=True)
class Unit:
    """One unit for all values (`name`), one per value (`column`), or none."""

    name: str | None = None
    column: exp.Expr | None = None

    def __bool__(self) -> bool:
        return self.name is not None or self.column is not None


NONE = Unit()
# Operations whose result is of the kind of their first operand.
_KEEP = frozenset(
    {
        "negative", "abs", "round", "round_to", "to_float", "truncate", "same", "only_one",
        "item", "list_sum", "list_avg", "list_min", "list_max", "sort_up", "sort_down", "distinct",
        "slice_list", "mod", "whole",
    }
)  # fmt: skip
_TOGETHER = frozenset({"add", "sub", "least", "greatest", "otherwise", "list"})
# Operations on things that must be of one kind, and in one unit.
_ALIKE = frozenset({"eq", "lt", "le", "gt", "ge", "add", "sub", "least", "greatest", "otherwise"})


@dataclass
class UnitFinder:
    """Finds the unit of an expression."""

    attribute: Callable[[Attr], Unit]
    aggregates: Mapping[Agg, Unit] = field(default_factory=dict)
    results: tuple[str | None, ...] = ()
    given: Unit = NONE

    def of(self, core: Core) -> Unit:
        match core:
            case Attr():
                return self.attribute(core)
            case Agg():
                return self.aggregates.get(core, NONE)
            case Given():
                return self.given
            case SubResult():
                return Unit(self.results[core.number])
            case Op():
                return self._operation(core)
        return NONE

    def alike(self, core: Op) -> Op:
        """The operation with all operands in the unit of the first, where they have units."""
        if core.name not in _ALIKE:
            return core
        units = [self.of(argument) for argument in core.arguments]
        wanted = _together(units).name
        if wanted is None or {unit.name for unit in units if unit} == {wanted}:
            return core
        converted = tuple(
            argument if not unit else _converted(argument, unit.name, wanted)
            for argument, unit in zip(core.arguments, units, strict=True)
        )
        return replace(core, arguments=converted)

    def _operation(self, core: Op) -> Unit:
        if core.name in _KEEP:
            return self.of(core.arguments[0])
        units = [self.of(argument) for argument in core.arguments]
        if core.name in _TOGETHER:
            return _together(units)
        if core.name == "if":
            return _together(units[1:])
        if core.name == "mul":
            return NONE if all(units) else next((unit for unit in units if unit), NONE)
        if core.name == "div":
            return NONE if units[1] else units[0]
        return NONE


def _together(units: list[Unit]) -> Unit:
    """The unit of what is added or chosen; numbers without a unit take that of the others."""
    told = [unit for unit in units if unit]
    names = {unit.column.sql() if unit.column is not None else unit.name for unit in told}
    if len(names) > 1 and not all(_factor(unit.name, told[0].name) for unit in told):
        raise mixed(sorted({unit.name or "several currencies" for unit in told}))
    return told[0] if told else NONE


def _factor(unit: str | None, wanted: str | None) -> float | None:
    """How many of the one are one of the other; None where that cannot be said."""
    if unit is None or wanted is None:
        return None
    try:
        zero, one = convert(0.0, unit, wanted), convert(1.0, unit, wanted)
    except ValueProblem:
        return None
    return one if zero == 0 else None


def _converted(core: Core, unit: str | None, wanted: str) -> Core:
    factor = _factor(unit, wanted)
    if unit == wanted or factor is None:
        return core
    whole = Op(FLOAT, "to_float", (core,)) if core.type == INT else core
    return Op(FLOAT, "mul", (whole, Const(FLOAT, factor)))


def unit_of(table: Table, attr: Attr, alias: str = ALIAS) -> Unit:
    """The unit of an attribute in a table."""
    found = table.columns.get(attr.name)
    if found is None:
        return NONE
    if found.unit_column is not None:
        return Unit(column=column(found.unit_column, alias))
    return Unit(found.unit)


def mixed(names: list[str]) -> ExecutionProblem:
    advice = ""
    if names and is_currency(names[0]):
        advice = f'; FILTER one of them first, for example with attr["…"].currency == "{names[0]}"'
    return ExecutionProblem(f"amounts in {', '.join(names)} cannot be put together{advice}")
