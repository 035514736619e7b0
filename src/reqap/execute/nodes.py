"""The operators, one function each: tables in, a table out.

FILTER, MAP and APPLY are in `functional`, EXTRACT in `extracting`.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from sqlglot import exp

from reqap.execute.compile import Compiler, Parameters
from reqap.execute.doors import Extractor, Retriever
from reqap.execute.extracting import extract
from reqap.execute.functional import Functional
from reqap.execute.lineage import OBSERVED, Lineage
from reqap.execute.members import lineage_of
from reqap.execute.moments import is_whole_day
from reqap.execute.needs import Needs, read_by
from reqap.execute.operations import OPERATIONS
from reqap.execute.results import SubValue
from reqap.execute.session import Session
from reqap.execute.sql import (
    ALIAS,
    call,
    cast,
    column,
    equal,
    is_there,
    join,
    named,
    number,
    paren,
    scalar,
    select,
    when,
    within,
)
from reqap.execute.sql import table as table_of
from reqap.execute.tables import EVENTS, SIZE, Column, Table, free_name
from reqap.execute.texts import whole
from reqap.execute.units import Unit, UnitFinder, mixed, unit_of
from reqap.plan import Checked
from reqap.plan import operators as op
from reqap.plan.check import joined_names
from reqap.plan.core import Attr, Core, Op, PlugIn, walk_core
from reqap.plan.types import Kind, Type

# From this many pairs on, the alternatives of an `or` are joined one by one.
_MANY_PAIRS = 5_000_000
_LEFT, _RIGHT = "a", "b"
# The attributes every event has, and where they are.
_TIMES = {
    "start_datetime": Column("#s1"), "end_datetime": Column("#t1"),
    "start_date": Column("#s1", "DATE"), "end_date": Column("#t1", "DATE"),
    "start_time": Column("#c1"), "end_time": Column("#d1"),
}  # fmt: skip
# What lasts all day has no time of day.
_CLOCKS = {"start_time": ("#s1", "#c1"), "end_time": ("#t1", "#d1")}

Outcome = tuple[Table, list[str]]


class Nodes:
    """Runs single nodes."""

    def __init__(
        self,
        session: Session,
        lineage: Lineage,
        retriever: Retriever,
        extractor: Extractor,
        today: datetime,
        needs: Mapping[op.Operator, Needs],
        with_kind: bool,
    ) -> None:
        self._session = session
        self._lineage = lineage
        self._retriever = retriever
        self._extractor = extractor
        self._today = today
        self._needs = needs
        self._with_kind = with_kind
        self.functional = Functional(session, today)

    def run(self, checked: Checked, inputs: list[Table], results: list[SubValue]) -> Outcome:
        """The node's table, and what is worth telling about it."""
        plan = checked.operator
        match plan:
            case op.Retrieve():
                return self._retrieve(plan, checked, inputs)
            case op.Extract():
                kept = inputs[0].keeping(self._needs[plan].rows)
                return extract(
                    self._session, self._lineage, self._extractor, plan, checked.schema, kept
                )
            case op.Join():
                return self._join(checked, inputs), []
            case op.GroupBy():
                return self._group_by(plan, checked, inputs[0])
            case op.Unnest():
                return self._unnest(plan, checked, inputs[0]), []
            case op.Extreme():
                return self._extreme(plan, checked, inputs[0]), []
        needed = self._needs[plan].rows | read_by(checked.core).rows
        return self.functional.run(checked, inputs[0], results, needed), []

    # -- RETRIEVE ---------------------------------------------------------------------------------

    def _retrieve(self, plan: op.Retrieve, checked: Checked, inputs: list[Table]) -> Outcome:
        among = None
        if inputs:
            among = self._lineage.events_of(inputs[0], shared=False)
        found = self._retriever.retrieve(plan.query, self._today, among)
        self._session.check_time()
        first = self._lineage.add(found)
        single = not found.num_rows or found.column("happening")[-1].as_py() + 1 == found.num_rows
        start: exp.Expr = column("start")
        end: exp.Expr = column("end")
        if not single:
            start, end = call("min", start), call("max", end)
        columns = [
            named(paren(exp.Add(this=column("happening"), expression=number(first))), "#e1"),
            named(start, "#s1"),
            named(call("coalesce", end, start.copy()), "#t1"),
        ]
        unread = _CLOCKS.keys() - self._needs[plan].rows
        known = {name: where for name, where in _TIMES.items() if name not in unread}
        clocks = [_clock(*_CLOCKS[name]) for name in _CLOCKS if name in known]
        if clocks:
            columns.append(named(is_there(end.copy()), "#h1"))
        query = select(columns, table_of("#found"), group=[] if single else [column("happening")])
        if clocks:
            query = select([exp.Star(), *clocks], within(query))
        with self._session.lending("#found", found):
            made, rows = self._session.create(query)
        table = Table(made, checked.schema, known, ("#e1",), (), ("#s1", "#e1"), rows)
        if self._with_kind:
            table = self._kinds(table)
        merged = found.num_rows - rows
        notes = [f"{found.num_rows:,} events tell of {rows:,} happenings"] if merged else []
        return table, notes

    def _kinds(self, table: Table) -> Table:
        """With the columns `kind` and `source`, which few plans ask for."""
        earliest = named(call("arg_min", column("id", "o"), column("nth", "o")), "id")
        happening = column("happening", "o")
        first = select([happening, earliest], table_of(OBSERVED, "o"), group=[happening.copy()])
        query = select(
            [*table.projection(), column("kind", "e"), column("source", "e")],
            table.source(),
            joins=[
                join(within(first, "f"), equal(column("happening", "f"), column("#e1"))),
                join(table_of("events", "e"), equal(column("id", "e"), column("id", "f"))),
            ],
        )
        name, rows = self._session.create(query)
        columns = {**table.columns, "kind": Column("kind"), "source": Column("source")}
        return replace(table, name=name, rows=rows, columns=columns)

    # -- JOIN -------------------------------------------------------------------------------------

    def _join(self, checked: Checked, inputs: list[Table]) -> Table:
        left, right = inputs
        assert checked.core is not None
        names = joined_names(left.schema, right.schema)
        needed = self._needs[checked.operator].rows
        whole = left, right
        left = left.keeping(needed)
        right = right.keeping({name for name, kept in names.items() if kept in needed})
        together: list[exp.Expr] = []
        if EVENTS in (*left.lineage, *right.lineage):
            both = call("list_concat", _happenings(left, _LEFT), _happenings(right, _RIGHT))
            together = [named(both, EVENTS)]
            left, right = (replace(side, lineage=(), others=()) for side in (left, right))
        renamed: dict[str, str] = {}
        for physical in right.physical:
            renamed[physical] = free_name(physical, [*left.physical, *renamed.values()])
        projection = left.projection(_LEFT)
        projection += [named(column(old, _RIGHT), new) for old, new in renamed.items()]
        projection += together
        self._session.use([c.name for c in walk_core(checked.core) if isinstance(c, PlugIn)])
        parameters = Parameters()
        name, rows = self._session.create(
            self._pairs(checked.core, *whole, projection, parameters), parameters
        )
        moved = {
            names[attr]: replace(
                found,
                physical=renamed[found.physical],
                unit_column=renamed[found.unit_column] if found.unit_column else None,
            )
            for attr, found in right.columns.items()
        }
        return Table(
            name,
            checked.schema,
            {**left.columns, **moved},
            (EVENTS,) if together else (*left.lineage, *(renamed[n] for n in right.lineage)),
            (*left.others, *(renamed[n] for n in right.others)),
            (*left.order, *(renamed[n] for n in right.order)),
            rows,
        )

    def _pairs(
        self,
        condition: Core,
        left: Table,
        right: Table,
        projection: list[exp.Expr],
        parameters: Parameters,
    ) -> exp.Expr:
        def find(attr: Attr) -> exp.Expr:
            table, alias = (left, _LEFT) if attr.side == "i1" else (right, _RIGHT)
            if attr.name == SIZE:
                return column(SIZE, alias)
            return table.columns[attr.name].sql(alias)

        def unit(attr: Attr) -> Unit:
            table, alias = (left, _LEFT) if attr.side == "i1" else (right, _RIGHT)
            return unit_of(table, attr, alias)

        compiler = Compiler(
            self._today,
            parameters,
            find,
            finder=UnitFinder(unit),
            plug_in_name=self._session.plug_in_name,
        )
        alternatives = isinstance(condition, Op) and condition.name == "or"
        if not alternatives or left.rows * right.rows < _MANY_PAIRS:
            matching = join(right.source(_RIGHT), compiler.compile(condition))
            return select(projection, left.source(_LEFT), joins=[matching])
        assert isinstance(condition, Op)
        # One `or` would make DuckDB look at every pair; each alternative alone can be fast.
        found = [
            select(
                [named(column("rowid", _LEFT), _LEFT), named(column("rowid", _RIGHT), _RIGHT)],
                left.source(_LEFT),
                joins=[join(right.source(_RIGHT), compiler.compile(alternative))],
            )
            for alternative in condition.arguments
        ]
        pairs = exp.Subquery(
            this=exp.union(*found, distinct=True, copy=False),
            alias=exp.TableAlias(this=exp.Identifier(this="p", quoted=True)),
        )
        return select(
            projection,
            left.source(_LEFT),
            joins=[
                join(pairs, equal(column(_LEFT, "p"), column("rowid", _LEFT))),
                join(right.source(_RIGHT), equal(column(_RIGHT, "p"), column("rowid", _RIGHT))),
            ],
        )

    # -- GROUP_BY, UNNEST, ARGMIN, ARGMAX ---------------------------------------------------------

    def _group_by(self, plan: op.GroupBy, checked: Checked, table: Table) -> Outcome:
        keys = {name: table.columns[name] for name in plan.attr_names}
        columns: dict[str, Column] = {}
        for name, key in keys.items():
            self._need_one_unit(table, key)
            physical = free_name(name, [c.physical for c in columns.values()])
            columns[name] = Column(physical, unit=key.unit)
        made: list[exp.Expr] = [named(keys[n].sql(), columns[n].physical) for n in keys]
        made.append(named(lineage_of(table), EVENTS))
        made.append(named(exp.Count(this=exp.Star()), SIZE))
        kinds = checked.schema.attributes
        query = select(
            made,
            table.source(),
            where=[is_there(whole(key.sql(), kinds[name])) for name, key in keys.items()],
            group=[key.sql() for key in keys.values()],
        )
        name, rows = self._session.create(query)
        order = tuple(c.physical for c in columns.values())
        grouped = Table(
            name, checked.schema, columns, (EVENTS,), (SIZE,), order, rows, members=table
        )
        return grouped, self._left_out(grouped, table, plan.attr_names)

    def _left_out(self, grouped: Table, table: Table, keys: tuple[str, ...]) -> list[str]:
        """What is worth telling: rows without a key. Of what every event has, none is missing."""
        if not table.schema.derived & set(keys):
            return []
        row = self._session.run(f'SELECT sum("{SIZE}") FROM "{grouped.name}"')[0]
        missing = table.rows - int(row[0] or 0)
        return [f"{missing:,} rows without {' or '.join(keys)} are in no group"] if missing else []

    def _unnest(self, plan: op.Unnest, checked: Checked, table: Table) -> Table:
        nested = table.columns[plan.nested_attr_name]
        base = table.keeping(self._needs[plan].rows - {plan.unnested_attr_name})
        physical = free_name(plan.unnested_attr_name, base.physical)
        items = named(call("unnest", nested.sql()), physical)
        inner = select([*base.projection(), items], table.source())
        query = select([exp.Star()], within(inner), where=[is_there(column(physical))])
        name, rows = self._session.create(query)
        made = Column(physical, unit=nested.unit)
        return replace(
            base.having(plan.unnested_attr_name, made, checked.schema),
            name=name, rows=rows, order=(*base.order, physical),
        )  # fmt: skip

    def _extreme(self, plan: op.Extreme, checked: Checked, table: Table) -> Table:
        ranked = table.columns[plan.arg_attr_name]
        self._need_one_unit(table, ranked)
        function = "min" if isinstance(plan, op.ArgMin) else "max"
        kinds = checked.schema.attributes
        told, told_too = _told(plan, table, kinds, "o"), _told(plan, table, kinds)
        extreme = call(function, whole(ranked.sql("o"), kinds[plan.arg_attr_name]))
        best = select([extreme], table.source("o"), where=told)
        base = table.keeping(self._needs[plan].rows | {plan.arg_attr_name})
        winning = equal(ranked.sql(), scalar(best))
        query = select(base.projection(), table.source(), where=[winning, *told_too])
        name, rows = self._session.create(query)
        return replace(base, name=name, rows=rows, schema=checked.schema)

    def _need_one_unit(self, table: Table, told: Column) -> None:
        if told.unit_column is None:
            return
        query = select(
            [column(told.unit_column)], table.source(), where=[is_there(told.sql())], distinct=True
        )
        names = sorted(row[0] for row in self._session.fetch(query) if row[0] is not None)
        if len(names) > 1:
            raise mixed(names)


def _told(
    plan: op.Extreme, table: Table, kinds: Mapping[str, Type], alias: str = ALIAS
) -> list[exp.Expr]:
    """Of the rows, only those take part that tell what is asked of them."""
    if plan.val_attr_name is None:
        return []
    asked, kind = table.columns[plan.val_attr_name].sql(alias), kinds[plan.val_attr_name]
    if kind.kind is Kind.LIST:
        return [OPERATIONS["is_not_empty"](asked)]
    return [is_there(whole(asked, kind))]


def _clock(moment: str, made: str) -> exp.Expr:
    """A time of day, where the hours are known (`#h1`)."""
    is_day = is_whole_day(column("#s1"), column("#t1"))
    timed = exp.And(this=column("#h1"), expression=exp.Not(this=is_day))
    return named(when(timed, cast(column(moment), "TIME")), made)


def _happenings(table: Table, alias: str) -> exp.Expr:
    """The happenings of one row as a list."""
    columns = [column(name, alias) for name in table.lineage]
    return columns[0] if table.lineage == (EVENTS,) else call("list_value", *columns)
