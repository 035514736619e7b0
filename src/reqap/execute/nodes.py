"""The operators, one function each: tables in, a table out.

FILTER, MAP and APPLY are in `functional`, EXTRACT in `extracting`.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

import pyarrow as pa
from sqlglot import exp

from reqap.execute.compile import Compiler, Parameters
from reqap.execute.doors import Extractor, Retriever
from reqap.execute.extracting import extract
from reqap.execute.functional import Functional
from reqap.execute.lineage import OBSERVED, Lineage
from reqap.execute.members import lineage_of
from reqap.execute.needs import Needs, read_by
from reqap.execute.operations import call, number, paren
from reqap.execute.results import SubValue
from reqap.execute.session import Session
from reqap.execute.tables import ALIAS, EVENTS, SIZE, Column, Table, free_name
from reqap.execute.units import mixed
from reqap.plan import Checked
from reqap.plan import operators as op
from reqap.plan.check import joined_names
from reqap.plan.core import Attr, Core, Op

# From this many pairs on, the alternatives of an `or` are joined one by one.
_MANY_PAIRS = 5_000_000
_LEFT, _RIGHT = "a", "b"
# The attributes every event has, and where they are.
_TIMES = {
    "start_datetime": Column("#s1"), "end_datetime": Column("#t1"),
    "start_date": Column("#s1", "DATE"), "end_date": Column("#t1", "DATE"),
    "start_time": Column("#s1", "TIME"), "end_time": Column("#t1", "TIME"),
}  # fmt: skip

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
        self._functional = Functional(session, today)

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
        return self._functional.run(checked, inputs[0], results, needed), []

    # -- RETRIEVE ---------------------------------------------------------------------------------

    def _retrieve(self, plan: op.Retrieve, checked: Checked, inputs: list[Table]) -> Outcome:
        within = None
        if inputs:
            within = pa.array(self._lineage.events_of(inputs[0], shared=False), pa.string())
        found = self._retriever.retrieve(plan.query, self._today, within)
        self._session.check_time()
        first = self._lineage.add(found)
        self._session.cursor.register("#found", found)
        happening = exp.column("happening", table=ALIAS, quoted=True)
        start, end = (exp.column(name, table=ALIAS, quoted=True) for name in ("start", "end"))
        single = not found.num_rows or found.column("happening")[-1].as_py() + 1 == found.num_rows
        numbered = paren(exp.Add(this=happening, expression=number(first)))
        query = exp.select(
            numbered.as_("#e1", quoted=True),
            (start if single else call("min", start)).as_("#s1", quoted=True),
            (end if single else call("max", end)).as_("#t1", quoted=True),
        ).from_(exp.to_table("#found", quoted=True).as_(ALIAS))
        if not single:
            query = query.group_by(happening.copy())
        name, rows = self._session.create(query)
        self._session.cursor.unregister("#found")
        table = Table(name, checked.schema, dict(_TIMES), ("#e1",), (), ("#s1", "#e1"), rows)
        if self._with_kind:
            table = self._kinds(table)
        merged = found.num_rows - rows
        notes = [f"{found.num_rows:,} events tell of {rows:,} happenings"] if merged else []
        return table, notes

    def _kinds(self, table: Table) -> Table:
        """With the columns `kind` and `source`, which few plans ask for."""
        first = (
            exp.select(
                exp.column("happening", quoted=True),
                call("arg_min", exp.column("id", quoted=True), exp.column("nth", quoted=True)).as_(
                    "id"
                ),
            )
            .from_(OBSERVED)
            .group_by(exp.column("happening", quoted=True))
        )
        query = (
            exp.select(
                *table.projection(),
                exp.column("kind", table="e", quoted=True),
                exp.column("source", table="e", quoted=True),
            )
            .from_(table.source())
            .join(first.subquery("o"), on='o.happening = t."#e1"', dialect="duckdb")
            .join("events AS e", on="e.id = o.id", dialect="duckdb")
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
        renamed: dict[str, str] = {}
        for physical in right.physical:
            renamed[physical] = free_name(physical, [*left.physical, *renamed.values()])
        projection = left.projection(_LEFT) + [
            exp.column(old, table=_RIGHT, quoted=True).as_(new, quoted=True)
            for old, new in renamed.items()
        ]
        parameters = Parameters()
        name, rows = self._session.create(
            self._pairs(checked.core, *whole, projection, parameters), parameters
        )
        moved = {
            names[attr]: replace(
                column,
                physical=renamed[column.physical],
                unit_column=renamed[column.unit_column] if column.unit_column else None,
            )
            for attr, column in right.columns.items()
        }
        return Table(
            name,
            checked.schema,
            {**left.columns, **moved},
            (*left.lineage, *(renamed[n] for n in right.lineage)),
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
            return table.columns[attr.name].sql(alias)

        compiler = Compiler(self._today, parameters, find)
        sides = exp.select(*projection).from_(left.source(_LEFT))
        alternatives = isinstance(condition, Op) and condition.name == "or"
        if not alternatives or left.rows * right.rows < _MANY_PAIRS:
            return sides.join(right.source(_RIGHT), on=compiler.compile(condition))
        assert isinstance(condition, Op)
        # One `or` would make DuckDB look at every pair; each alternative alone can be fast.
        found = [
            exp.select(_row_number(_LEFT), _row_number(_RIGHT))
            .from_(left.source(_LEFT))
            .join(right.source(_RIGHT), on=compiler.compile(alternative))
            for alternative in condition.arguments
        ]
        pairs = exp.union(*found, distinct=True)
        return (
            sides.join(pairs.subquery("p"), on=f"p.{_LEFT} = {_LEFT}.rowid", dialect="duckdb")
            .join(right.source(_RIGHT), on=f"p.{_RIGHT} = {_RIGHT}.rowid", dialect="duckdb")
        )  # fmt: skip

    # -- GROUP_BY, UNNEST, ARGMIN, ARGMAX ---------------------------------------------------------

    def _group_by(self, plan: op.GroupBy, checked: Checked, table: Table) -> Outcome:
        keys = {name: table.columns[name] for name in plan.attr_names}
        for column in keys.values():
            self._need_one_unit(table, column)
        columns: dict[str, Column] = {}
        for name, column in keys.items():
            taken = [c.physical for c in columns.values()]
            columns[name] = replace(column, physical=free_name(name, taken), cast="",
                                    unit_column=None)  # fmt: skip
        there = [
            paren(exp.Not(this=exp.Is(this=column.sql(), expression=exp.null())))
            for column in keys.values()
        ]
        query = (
            exp.select(
                *(keys[n].sql().as_(columns[n].physical, quoted=True) for n in plan.attr_names),
                lineage_of(table).as_(EVENTS, quoted=True),
                exp.Count(this=exp.Star()).as_(SIZE, quoted=True),
            )
            .from_(table.source())
            .where(*there)
            .group_by(*(column.sql() for column in keys.values()))
        )
        name, rows = self._session.create(query)
        order = tuple(column.physical for column in columns.values())
        grouped = Table(
            name, checked.schema, columns, (EVENTS,), (SIZE,), order, rows, members=table
        )
        return grouped, self._left_out(grouped, table, plan.attr_names)

    def _left_out(self, grouped: Table, table: Table, keys: tuple[str, ...]) -> list[str]:
        size = exp.column(SIZE, table=ALIAS, quoted=True)
        row = self._session.fetch(exp.select(call("sum", size)).from_(grouped.source()))[0]
        missing = table.rows - int(row[0] or 0)
        return [f"{missing:,} rows without {' or '.join(keys)} are in no group"] if missing else []

    def _unnest(self, plan: op.Unnest, checked: Checked, table: Table) -> Table:
        nested = table.columns[plan.nested_attr_name]
        base = table.keeping(self._needs[plan].rows - {plan.unnested_attr_name})
        physical = free_name(plan.unnested_attr_name, base.physical)
        inner = exp.select(
            *base.projection(), call("unnest", nested.sql()).as_(physical, quoted=True)
        ).from_(table.source())
        item = exp.column(physical, table=ALIAS, quoted=True)
        query = (
            exp.select("*")
            .from_(inner.subquery(ALIAS))
            .where(paren(exp.Not(this=exp.Is(this=item, expression=exp.null()))))
        )
        name, rows = self._session.create(query)
        made = Column(physical, unit=nested.unit)
        return replace(
            base.having(plan.unnested_attr_name, made, checked.schema),
            name=name, rows=rows, order=(*base.order, physical),
        )  # fmt: skip

    def _extreme(self, plan: op.Extreme, checked: Checked, table: Table) -> Table:
        column = table.columns[plan.arg_attr_name]
        self._need_one_unit(table, column)
        function = "min" if isinstance(plan, op.ArgMin) else "max"
        best = exp.select(call(function, column.sql("o"))).from_(table.source("o"))
        base = table.keeping(self._needs[plan].rows | {plan.arg_attr_name})
        query = (
            exp.select(*base.projection())
            .from_(table.source())
            .where(exp.EQ(this=column.sql(), expression=best.subquery()))
        )
        name, rows = self._session.create(query)
        return replace(base, name=name, rows=rows, schema=checked.schema)

    def _need_one_unit(self, table: Table, column: Column) -> None:
        if column.unit_column is None:
            return
        unit = exp.column(column.unit_column, table=ALIAS, quoted=True)
        there = exp.Not(this=exp.Is(this=column.sql(), expression=exp.null()))
        query = exp.select(unit).distinct().from_(table.source()).where(there)
        names = sorted(str(row[0]) for row in self._session.fetch(query))
        if len(names) > 1:
            raise mixed(names)


def _row_number(alias: str) -> exp.Expr:
    return exp.column("rowid", table=alias).as_(alias)
