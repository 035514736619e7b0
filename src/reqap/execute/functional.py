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
from reqap.execute.operations import call, cast, number, sql_type
from reqap.execute.results import SubValue
from reqap.execute.session import Session
from reqap.execute.tables import ALIAS, EVENTS, POSITION, VALUE, Column, Table, free_name
from reqap.execute.units import NONE, Unit, UnitFinder, mixed
from reqap.plan import Checked
from reqap.plan import operators as op
from reqap.plan.check import APPLY_RESULT
from reqap.plan.core import (
    SIZE,
    Agg,
    Attr,
    Core,
    Members,
    Order,
    PlugIn,
    Step,
    walk_core,
)
from reqap.plan.types import Shape

_SUMMED = ("sum", "avg", "min", "max")


@dataclass
class _Work:
    """What one statement needs while it is put together."""

    table: Table
    results: Sequence[SubValue]
    needed: Collection[str]
    parameters: Parameters = field(default_factory=Parameters)
    joins: list[tuple[exp.Expr, exp.Expr | None]] = field(default_factory=list)
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
        query = self._from(work, exp.select(*kept.projection())).where(condition)
        name, rows = self._session.create(query, work.parameters)
        return replace(kept, name=name, rows=rows)

    def _map(self, checked: Checked, res_name: str, core: Core, work: _Work) -> Table:
        base = work.table.keeping(set(work.needed) - {res_name})
        compiler = self._row_compiler(core, work)
        physical = free_name(res_name, base.physical)
        made = [compiler.compile(core).as_(physical, quoted=True)]
        column = Column(physical)
        unit = self._finder(work).of(core)
        if unit.column is not None:
            unit_name = free_name(f"{res_name}#unit", [*base.physical, physical])
            made.append(unit.column.copy().as_(unit_name, quoted=True))
            column = replace(column, unit_column=unit_name)
        column = replace(column, unit=unit.name)
        query = self._from(work, exp.select(*base.projection(), *made))
        name, rows = self._session.create(query, work.parameters)
        return replace(base.having(res_name, column, checked.schema), name=name, rows=rows)

    def _from(self, work: _Work, query: exp.Select) -> exp.Select:
        """The table, and beside it what the runs over members gave."""
        query = query.from_(work.table.source())
        for source, condition in work.joins:
            query = query.join(source, on=condition, join_type="left")
        return query

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
        given = exp.column(VALUE, table=ALIAS, quoted=True)
        return Compiler(
            self._today,
            work.parameters,
            lambda attr: _column_of(table, attr),
            work.values,
            tuple(result.value for result in work.results),
            given,
            self._unit_column(work, table),
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
        run = run_over(members, steps, compiler.compile, keys)
        made = [key.copy().as_(f"k{n}") for n, key in enumerate(keys)]
        for n, agg in enumerate(aggs):
            body = compiler.compile(agg.body) if agg.body else None
            made.append(aggregate(agg, body, run.order).as_(f"g{n}"))
            value: exp.Expr = exp.column(f"g{n}", table=alias)
            work.values[agg] = _of_none(agg, value)
            unit = self._unit_of_run(work, members, run, agg, keys)
            if unit.column is not None:
                made.append(call("any_value", unit.column.copy()).as_(f"u{n}"))
                unit = Unit(column=exp.column(f"u{n}", table=alias))
            work.units[agg] = unit
        source = exp.select(*made).from_(run.query.subquery(ALIAS))
        source = source.group_by(*(key.copy() for key in keys))
        on = exp.and_(
            *(
                exp.EQ(this=key.copy(), expression=exp.column(f"k{n}", table=alias))
                for n, key in enumerate(own)
            )
        )
        work.joins.append((source.subquery(alias), on))

    # -- all rows together ------------------------------------------------------------------------

    def _value(self, checked: Checked, core: Core, work: _Work) -> Table:
        """One value from all rows."""
        table = work.table
        if not table.rows:
            return self._nothing(checked)
        for at, (steps, aggs) in enumerate(aggregates_in(core).items()):
            self._run_over_all(work, steps, aggs, f"r{at}")
        compiler = self._compiler(work, table)
        events = [call("coalesce", item, _no_events()) for item in work.lineages]
        together = events[0] if events else _no_events()
        if len(events) > 1:
            together = call("flatten", call("list_value", *events))
        query = exp.select(
            compiler.compile(core).as_(VALUE, quoted=True), together.as_(EVENTS, quoted=True)
        )
        for at, (source, _) in enumerate(work.joins):
            query = query.join(source, join_type="cross") if at else query.from_(source)
        return self._made_value(checked, query, self._finder(work).of(core), work)

    def _run_over_all(
        self, work: _Work, steps: tuple[Step, ...], aggs: list[Agg], alias: str
    ) -> None:
        table = work.table
        compiler = self._compiler(work, table)
        self._check_orders(work, table, steps)
        run = run_over(table, steps, compiler.compile)
        made = []
        for n, agg in enumerate(aggs):
            body = compiler.compile(agg.body) if agg.body else None
            made.append(aggregate(agg, body, run.order).as_(f"g{n}"))
            work.values[agg] = _of_none(agg, exp.column(f"g{n}", table=alias))
            work.units[agg] = self._unit_of_run(work, table, run, agg, [])
        rest = contributing(aggs, compiler.compile)
        made.append(filtered(lineage_of(table), rest).as_("events"))
        source = exp.select(*made).from_(run.query.subquery(ALIAS))
        work.joins.append((source.subquery(alias), None))
        work.lineages.append(exp.column("events", table=alias))

    def _rows(
        self, checked: Checked, steps: tuple[Step, ...], body: Core | None, work: _Work
    ) -> Table:
        """Rows that an APPLY chose, in the order it gave them."""
        table = work.table
        compiler = self._compiler(work, table)
        self._check_orders(work, table, steps)
        run = run_over(table, steps, compiler.compile)
        base = table.keeping(set(work.needed) - ({APPLY_RESULT} if body else set()))
        base = replace(base, order=())
        kept = base.columns
        position = exp.Window(
            this=exp.RowNumber(),
            order=exp.Order(expressions=[item.copy() for item in run.order]),
        )
        made = [position.as_(POSITION, quoted=True)]
        if body is not None:
            physical = free_name(APPLY_RESULT, base.physical)
            made.append(compiler.compile(body).as_(physical, quoted=True))
            unit = self._finder(work, table).of(body).name
            base = base.having(APPLY_RESULT, Column(physical, unit=unit), checked.schema)
        query = exp.select(*replace(base, columns=kept).projection(), *made)
        query = query.from_(run.query.subquery(ALIAS))
        name, rows = self._session.create(query, work.parameters)
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
        best = exp.select(call(core.function, body.copy())).from_(table.source())
        query = (
            exp.select(
                call("any_value", body.copy()).as_(VALUE, quoted=True),
                lineage_of(table).as_(EVENTS, quoted=True),
            )
            .from_(table.source())
            .where(exp.EQ(this=body, expression=best.subquery()))
        )
        return self._made_value(checked, query, unit, work)

    def _over_value(self, checked: Checked, core: Core, work: _Work) -> Table:
        compiler = self._compiler(work, work.table)
        query = exp.select(
            compiler.compile(core).as_(VALUE, quoted=True),
            exp.column(EVENTS, table=ALIAS, quoted=True),
        ).from_(work.table.source())
        return self._made_value(checked, query, self._finder(work).of(core), work)

    def _made_value(self, checked: Checked, query: exp.Select, unit: Unit, work: _Work) -> Table:
        name, rows = self._session.create(query, work.parameters)
        column = Column(VALUE, unit=unit.name)
        return Table(name, checked.schema, {VALUE: column}, (EVENTS,), (), (), rows)

    def _nothing(self, checked: Checked) -> Table:
        """An aggregate over nothing is no data."""
        assert checked.schema.value is not None
        compiler = Compiler(self._today, Parameters(), lambda attr: exp.null())
        query = exp.select(
            compiler.constant(None, checked.schema.value).as_(VALUE, quoted=True),
            _no_events().as_(EVENTS, quoted=True),
        ).where(exp.false())
        name, rows = self._session.create(query)
        return Table(name, checked.schema, {VALUE: Column(VALUE)}, (EVENTS,), (), (), rows)

    # -- units ------------------------------------------------------------------------------------

    def _finder(self, work: _Work, table: Table | None = None) -> UnitFinder:
        source = table or work.table
        given = Unit(source.columns[VALUE].unit) if VALUE in source.columns else NONE
        return UnitFinder(
            lambda attr: _unit_of(source, attr),
            work.units,
            tuple(result.unit for result in work.results),
            given,
        )

    def _unit_of_run(
        self, work: _Work, members: Table, run: Run, agg: Agg, keys: list[exp.Expr]
    ) -> Unit:
        """The unit of an aggregate. Amounts of several currencies cannot be put together."""
        if agg.body is None or agg.function not in (*_SUMMED, "first", "list"):
            return NONE
        unit = self._finder(work, members).of(agg.body)
        if unit.column is None or agg.function not in _SUMMED:
            return unit
        body = self._compiler(work, members).compile(agg.body)
        there = exp.Not(this=exp.Is(this=body, expression=exp.null()))
        distinct = exp.Distinct(expressions=[unit.column.copy()])
        query = exp.select(call("list", distinct)).from_(run.query.subquery(ALIAS)).where(there)
        if keys:
            query = query.group_by(*(key.copy() for key in keys))
        found = [
            sorted(map(str, row[0] or ())) for row in self._session.fetch(query, work.parameters)
        ]
        for names in found:
            if len(names) > 1:
                raise mixed(names)
        together = {name for names in found for name in names}
        return Unit(next(iter(together), None)) if len(together) <= 1 else unit

    def _check_orders(self, work: _Work, table: Table, steps: tuple[Step, ...]) -> None:
        """Amounts of several currencies cannot be put in order either."""
        for step in steps:
            if isinstance(step, Order):
                key = Agg(step.key.type, "max", (), step.key)
                run = run_over(table, (), self._compiler(work, table).compile)
                self._unit_of_run(work, table, run, key, [])

    def _unit_column(self, work: _Work, table: Table) -> Callable[[Core], exp.Expr]:
        def unit(core: Core) -> exp.Expr:
            found = self._finder(work, table).of(core)
            if found.column is not None:
                return found.column.copy()
            if found.name is None:
                return cast(exp.null(), "TEXT")
            return cast(work.parameters.bind(found.name), "TEXT")

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
        return exp.column(SIZE, table=ALIAS, quoted=True)
    return table.columns[attr.name].sql()


def _unit_of(table: Table, attr: Attr) -> Unit:
    column = table.columns.get(attr.name)
    if column is None:
        return NONE
    if column.unit_column is not None:
        return Unit(column=exp.column(column.unit_column, table=ALIAS, quoted=True))
    return Unit(column.unit)


def _no_events() -> exp.Expr:
    return cast(call("list_value"), "BIGINT[]")
