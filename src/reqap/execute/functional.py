"""FILTER, MAP, APPLY, and the aggregates MIN, MAX, SUM, AVG: operators that compute.

An expression over a group or over all rows may hold aggregates. Each run over members that it
needs becomes a sub-query; the expression itself is computed over what the sub-queries give.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from sqlglot import exp

from reqap.execute.compile import Compiler, Parameters
from reqap.execute.members import (
    Run,
    aggregate,
    aggregates_in,
    contributing,
    filtered,
    lineage_of,
    run_over,
)
from reqap.execute.operations import sql_type
from reqap.execute.results import SubValue
from reqap.execute.session import Session
from reqap.execute.sql import (
    both,
    call,
    cast,
    column,
    equal,
    is_there,
    join,
    named,
    number,
    scalar,
    select,
    when,
    within,
)
from reqap.execute.tables import EVENTS, POSITION, VALUE, Column, Table, free_name
from reqap.execute.units import NONE, Unit, UnitFinder, mixed, unit_of
from reqap.plan import Checked
from reqap.plan import operators as op
from reqap.plan.check import APPLY_RESULT
from reqap.plan.core import (
    SIZE,
    Agg,
    Attr,
    Core,
    Members,
    Op,
    Order,
    PlugIn,
    Step,
    walk_core,
)
from reqap.plan.types import BOOL, Shape

_SAME = Column("")
_TOGETHER = ("sum", "avg", "min", "max", "list")


@dataclass
class _Work:
    """What one statement needs while it is put together."""

    table: Table
    results: Sequence[SubValue]
    needed: Collection[str]
    parameters: Parameters = field(default_factory=Parameters)
    joins: list[exp.Join] = field(default_factory=list)
    values: dict[Agg, exp.Expr] = field(default_factory=dict)
    units: dict[Agg, Unit] = field(default_factory=dict)
    lineages: list[exp.Expr] = field(default_factory=list)


class Functional:
    def __init__(self, session: Session, today: datetime) -> None:
        self._session = session
        self._today = today

    def run(
        self, checked: Checked, table: Table, results: list[SubValue], needed: Collection[str]
    ) -> Table:
        """`needed` names the attributes that are read further up."""
        core = checked.core
        assert core is not None
        self._session.use([c.name for c in walk_core(core) if isinstance(c, PlugIn)])
        work = _Work(table, results, needed)
        match checked.operator:
            case op.Filter():
                return self._filter(checked, core, work)
            case op.Min() | op.Max():
                assert isinstance(core, Agg)
                return self._extreme_value(checked, core, work)
        if table.schema.shape is Shape.VALUE:
            return self._over_value(checked, core, work)
        if isinstance(checked.operator, op.Map):
            return self._map(checked, checked.operator.res_name, core, work)
        if isinstance(core, Members):
            return self._rows(checked, core.steps, None, work)
        if isinstance(core, Agg) and core.function in ("list", "first"):
            return self._rows(checked, core.steps, core.body, work)
        return self._value(checked, core, work)

    # -- rows and groups --------------------------------------------------------------------------

    def _filter(self, checked: Checked, core: Core, work: _Work) -> Table:
        condition = self._row_compiler(core, work).compile(core)
        kept = work.table
        if kept.schema.shape is not Shape.VALUE:
            kept = kept.keeping(work.needed)
        query = select(kept.projection(), work.table.source(), joins=work.joins, where=[condition])
        name, rows = self._session.create(query, work.parameters)
        return replace(kept, name=name, rows=rows)

    def _map(self, checked: Checked, res_name: str, core: Core, work: _Work) -> Table:
        base = work.table.keeping(set(work.needed) - {res_name})
        if isinstance(core, Attr) and not work.table.columns.get(core.name, _SAME).unit_column:
            # Another name for what is there already: nothing is computed.
            known = work.table.columns.get(core.name) or Column(core.name)
            return base.having(res_name, known, checked.schema)
        compiler = self._row_compiler(core, work)
        physical = free_name(res_name, base.physical)
        columns = [*base.projection(), named(compiler.compile(core), physical)]
        unit = self._finder(work).of(core)
        made = Column(physical, unit=unit.name)
        if unit.column is not None:
            unit_name = free_name(f"{res_name}#unit", [*base.physical, physical])
            columns.append(named(unit.column.copy(), unit_name))
            made = replace(made, unit_column=unit_name)
        query = select(columns, work.table.source(), joins=work.joins)
        name, rows = self._session.create(query, work.parameters)
        return replace(base.having(res_name, made, checked.schema), name=name, rows=rows)

    def _row_compiler(self, core: Core, work: _Work) -> Compiler:
        """For expressions over one row at a time; aggregates run over a group's members."""
        members = work.table.members
        if members is not None:
            keys = [members.columns[name].sql() for name in work.table.schema.keys]
            own = [work.table.columns[name].sql() for name in work.table.schema.keys]
            for at, (steps, aggs) in enumerate(aggregates_in(core).items()):
                self._run_per_group(work, members, steps, aggs, keys, own, f"r{at}")
        return self._compiler(work, work.table)

    def _compiler(self, work: _Work, table: Table) -> Compiler:
        return Compiler(
            self._today,
            work.parameters,
            lambda attr: _column_of(table, attr),
            work.values,
            tuple(result.value for result in work.results),
            column(VALUE),
            self._unit_column(work, table),
            self._finder(work, table),
            self._session.plug_in_name,
        )

    def _run_per_group(
        self,
        work: _Work,
        members: Table,
        steps: tuple[Step, ...],
        aggs: list[Agg],
        keys: list[exp.Expr],
        own: list[exp.Expr],
        alias: str,
    ) -> None:
        compiler = self._compiler(work, members)
        self._check_orders(work, members, steps, keys)
        run = run_over(members, steps, compiler.compile, keys)
        made: list[exp.Expr] = [named(key.copy(), f"k{n}") for n, key in enumerate(keys)]
        for n, agg in enumerate(aggs):
            body = compiler.compile(agg.body) if agg.body else None
            made.append(named(aggregate(agg, body, run.order), f"g{n}"))
            work.values[agg] = _of_none(agg, column(f"g{n}", alias))
            unit = self._unit_of_run(work, members, run, agg, keys)
            if unit.column is not None:
                made.append(named(call("any_value", unit.column.copy()), f"u{n}"))
                unit = Unit(column=column(f"u{n}", alias))
            work.units[agg] = unit
        source = within(run.select(made, group=[key.copy() for key in keys]), alias)
        on = both([equal(key.copy(), column(f"k{n}", alias)) for n, key in enumerate(own)])
        work.joins.append(join(source, on, left=True))

    # -- all rows together ------------------------------------------------------------------------

    def _value(self, checked: Checked, core: Core, work: _Work) -> Table:
        """One value from all rows."""
        table = work.table
        # "Did I ever …?" has an answer where nothing is found; how many, and how much, have none.
        if not table.rows and checked.schema.value != BOOL:
            return self._nothing(checked)
        runs = aggregates_in(core)
        if len(runs) == 1:
            ((steps, aggs),) = runs.items()
            return self._one_run(checked, core, work, steps, aggs)
        for at, (steps, aggs) in enumerate(runs.items()):
            self._run_over_all(work, steps, aggs, f"r{at}")
        compiler = self._compiler(work, table)
        events = [call("coalesce", item, _no_events()) for item in work.lineages]
        together = events[0] if events else _no_events()
        if len(events) > 1:
            together = call("flatten", call("list_value", *events))
        first = work.joins[0].this if work.joins else None
        query = select(
            [named(compiler.compile(core), VALUE), named(together, EVENTS)],
            first,
            joins=work.joins[1:],
        )
        return self._made_value(checked, query, self._finder(work).of(core), work)

    def _one_run(
        self, checked: Checked, core: Core, work: _Work, steps: tuple[Step, ...], aggs: list[Agg]
    ) -> Table:
        """The common case, such as a sum: one run over the rows, and no statement inside."""
        compiler = self._compiler(work, work.table)
        self._check_orders(work, work.table, steps, [])
        run = run_over(work.table, steps, compiler.compile)
        for agg in aggs:
            body = compiler.compile(agg.body) if agg.body else None
            work.values[agg] = _of_none(agg, aggregate(agg, body, run.order))
            work.units[agg] = self._unit_of_run(work, work.table, run, agg, [])
        events = filtered(lineage_of(work.table), contributing(aggs, compiler.compile))
        query = run.select([named(compiler.compile(core), VALUE), named(events, EVENTS)])
        return self._made_value(checked, query, self._finder(work).of(core), work)

    def _run_over_all(
        self, work: _Work, steps: tuple[Step, ...], aggs: list[Agg], alias: str
    ) -> None:
        table = work.table
        compiler = self._compiler(work, table)
        self._check_orders(work, table, steps, [])
        run = run_over(table, steps, compiler.compile)
        made: list[exp.Expr] = []
        for n, agg in enumerate(aggs):
            body = compiler.compile(agg.body) if agg.body else None
            made.append(named(aggregate(agg, body, run.order), f"g{n}"))
            work.values[agg] = _of_none(agg, column(f"g{n}", alias))
            work.units[agg] = self._unit_of_run(work, table, run, agg, [])
        rest = contributing(aggs, compiler.compile)
        made.append(named(filtered(lineage_of(table), rest), "events"))
        work.joins.append(join(within(run.select(made), alias)))
        work.lineages.append(column("events", alias))

    def _rows(
        self, checked: Checked, steps: tuple[Step, ...], body: Core | None, work: _Work
    ) -> Table:
        """Rows that an APPLY chose, in the order it gave them."""
        table = work.table
        compiler = self._compiler(work, table)
        self._check_orders(work, table, steps, [])
        run = run_over(table, steps, compiler.compile)
        base = table.keeping(set(work.needed) - ({APPLY_RESULT} if body else set()))
        base = replace(base, order=())
        position = exp.Window(
            this=exp.RowNumber(),
            order=exp.Order(expressions=[item.copy() for item in run.order]),
        )
        columns = [*base.projection(), named(position, POSITION)]
        if body is not None:
            physical = free_name(APPLY_RESULT, base.physical)
            columns.append(named(compiler.compile(body), physical))
            unit = self._finder(work, table).of(body)
            made = Column(physical, unit=unit.name)
            if unit.column is not None:
                unit_name = free_name(f"{APPLY_RESULT}#unit", [*base.physical, physical])
                columns.append(named(unit.column.copy(), unit_name))
                made = replace(made, unit_column=unit_name)
            base = base.having(APPLY_RESULT, made, checked.schema)
        name, rows = self._session.create(run.select(columns), work.parameters)
        return replace(base, name=name, rows=rows, schema=checked.schema, order=(POSITION,))

    def _extreme_value(self, checked: Checked, core: Agg, work: _Work) -> Table:
        """MIN and MAX rest on the rows that have the value."""
        table = work.table
        if not table.rows:
            return self._nothing(checked)
        compiler = self._compiler(work, table)
        assert core.body is not None
        body = compiler.compile(core.body)
        unit = self._unit_of_run(work, table, run_over(table, (), compiler.compile), core, [])
        best = select([call(core.function, body.copy())], table.source())
        query = select(
            [named(call("any_value", body.copy()), VALUE), named(lineage_of(table), EVENTS)],
            table.source(),
            where=[equal(body, scalar(best))],
        )
        return self._made_value(checked, query, unit, work)

    def _over_value(self, checked: Checked, core: Core, work: _Work) -> Table:
        compiler = self._compiler(work, work.table)
        query = select([named(compiler.compile(core), VALUE), column(EVENTS)], work.table.source())
        return self._made_value(checked, query, self._finder(work).of(core), work)

    def _made_value(self, checked: Checked, query: exp.Select, unit: Unit, work: _Work) -> Table:
        name, rows = self._session.create(query, work.parameters)
        made = Column(VALUE, unit=unit.name)
        return Table(name, checked.schema, {VALUE: made}, (EVENTS,), (), (), rows)

    def _nothing(self, checked: Checked) -> Table:
        """An aggregate over nothing is no data."""
        assert checked.schema.value is not None
        compiler = Compiler(self._today, Parameters(), lambda attr: exp.null())
        nothing = compiler.constant(None, checked.schema.value)
        query = select([named(nothing, VALUE), named(_no_events(), EVENTS)], where=[exp.false()])
        name, rows = self._session.create(query)
        return Table(name, checked.schema, {VALUE: Column(VALUE)}, (EVENTS,), (), (), rows)

    def zero(self, counted: Table) -> Table:
        """A count of nothing, where it counts."""
        nothing = [named(cast(number(0), "BIGINT"), VALUE), named(_no_events(), EVENTS)]
        name, rows = self._session.create(select(nothing))
        return replace(counted, name=name, rows=rows)

    # -- units ------------------------------------------------------------------------------------

    def _finder(self, work: _Work, table: Table | None = None) -> UnitFinder:
        source = table or work.table
        given = Unit(source.columns[VALUE].unit) if VALUE in source.columns else NONE
        return UnitFinder(
            lambda attr: unit_of(source, attr),
            work.units,
            tuple(result.unit for result in work.results),
            given,
        )

    def _unit_of_run(
        self, work: _Work, members: Table, run: Run, agg: Agg, keys: list[exp.Expr]
    ) -> Unit:
        """The unit of an aggregate. Amounts of several currencies cannot be put together."""
        if agg.body is None or agg.function not in (*_TOGETHER, "first"):
            return NONE
        unit = self._finder(work, members).of(agg.body)
        if unit.column is None or agg.function not in _TOGETHER:
            return unit
        body = self._compiler(work, members).compile(agg.body)
        distinct = exp.Distinct(expressions=[unit.column.copy()])
        told = replace(run, where=(*run.where, is_there(body), *self._kept(work, keys)))
        query = told.select([call("list", distinct)], group=[key.copy() for key in keys])
        found = [
            sorted(name for name in row[0] or () if name)
            for row in self._session.fetch(query, work.parameters)
        ]
        for names in found:
            if len(names) > 1:
                raise mixed(names)
        together = {name for names in found for name in names}
        return Unit(next(iter(together), None)) if len(together) <= 1 else unit

    def _kept(self, work: _Work, keys: list[exp.Expr]) -> list[exp.Expr]:
        """Members of groups that are left: those of others say nothing any more."""
        groups = work.table
        own = [groups.columns[name].sql("o") for name in groups.schema.keys]
        if not keys:
            return []
        same = [equal(mine, key.copy()) for mine, key in zip(own, keys, strict=True)]
        return [exp.Exists(this=select([number(1)], groups.source("o"), where=same))]

    def _check_orders(
        self, work: _Work, table: Table, steps: tuple[Step, ...], keys: list[exp.Expr]
    ) -> None:
        """Amounts of several currencies cannot be put in order either."""
        for at, step in enumerate(steps):
            if isinstance(step, Order):
                run = run_over(table, steps[:at], self._compiler(work, table).compile, keys)
                for part in _parts(step.key):
                    self._unit_of_run(work, table, run, Agg(part.type, "max", (), part), keys)

    def _unit_column(self, work: _Work, table: Table) -> Callable[[Core], exp.Expr]:
        def unit(core: Core) -> exp.Expr:
            found = self._finder(work, table).of(core)
            if found.column is not None:
                return found.column.copy()
            if found.name is None:
                return cast(exp.null(), "TEXT")
            name = cast(work.parameters.bind(found.name), "TEXT")
            return when(is_there(self._compiler(work, table).compile(core)), name)

        return unit


def _of_none(agg: Agg, value: exp.Expr) -> exp.Expr:
    """What an aggregate gives when no member is left; others are then missing."""
    match agg.function:
        case "count" | "distinct":
            return call("coalesce", value, number(0))
        case "list":
            return call("coalesce", value, cast(call("list_value"), sql_type(agg.type)))
        case "any" | "all":
            none = exp.false() if agg.function == "any" else exp.true()
            return call("coalesce", value, none)
    return value


def _column_of(table: Table, attr: Attr) -> exp.Expr:
    if attr.name == SIZE:
        return column(SIZE)
    return table.columns[attr.name].sql()


def _parts(key: Core) -> Sequence[Core]:
    """What a key is made of: the items of a tuple, else itself."""
    while isinstance(key, Op) and key.name == "whole":
        key = key.arguments[0]
    return key.arguments if isinstance(key, Op) and key.name == "tuple" else (key,)


def _no_events() -> exp.Expr:
    return cast(call("list_value"), "BIGINT[]")
