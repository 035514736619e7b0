"""Units of numbers on their way through expressions: sums of euros are euros.

A column has one unit for all its values, or (amounts in several currencies) one per value. Not the
job of this module: converting units (`reqap.values`).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from reqap.errors import ExecutionProblem
from reqap.plan.core import Agg, Attr, Core, Given, Op, SubResult


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
        "item", "list_sum", "list_min", "list_max", "sort_up", "sort_down", "distinct",
        "slice_list", "mod", "whole",
    }
)  # fmt: skip
_TOGETHER = frozenset({"add", "sub", "least", "greatest", "otherwise", "list"})


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
    if len(names) > 1:
        raise mixed(sorted({unit.name or "several currencies" for unit in told}))
    return told[0] if told else NONE


def mixed(names: list[str]) -> ExecutionProblem:
    return ExecutionProblem(
        f"amounts in {', '.join(names)} cannot be put together; FILTER one of them first, for"
        f' example with attr["…"].currency == "{names[0]}"'
    )
