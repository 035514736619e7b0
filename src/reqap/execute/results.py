"""Reading tables: the rows of a result, samples for the trace, the values of sub-plans."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlglot import exp

from reqap.errors import TooExpensive
from reqap.execute.compile import Several, Value
from reqap.execute.lineage import Lineage
from reqap.execute.session import Session, all_to_python
from reqap.execute.sql import column, named, select
from reqap.execute.sql import ordered as ordered_by
from reqap.execute.tables import EVENTS, VALUE, Column, Table
from reqap.execute.trace import Row, TraceNode
from reqap.plan.types import Kind, Schema, Shape

MAX_SUB_VALUES = 10_000
MAX_ROWS = 10_000
_SAMPLES = 5
_SAMPLE_EVENTS = 20
_ROWS_TOLD = 1_000


@dataclass(frozen=True)
class SubValue:
    """What a sub-plan gave."""

    value: Value
    unit: str | None


@dataclass(frozen=True)
class Result:
    """What a plan gave: the rows (at most `MAX_ROWS`), the events they rest on, and the trace.

    Of the events, the first `own` are what the rows tell of; the others, what that was held
    against (the games, where meals after games were asked for).
    """

    schema: Schema
    rows: tuple[Row, ...]
    row_count: int
    events: tuple[str, ...]
    trace: TraceNode
    today: datetime
    own: int


def read_result(
    session: Session, lineage: Lineage, table: Table, trace: TraceNode, today: datetime
) -> Result:
    rows = read_rows(session, table, MAX_ROWS) if table.rows else []
    rows[:_ROWS_TOLD] = [
        replace(row, events=events)
        for row, events in zip(rows, _events(lineage, rows[:_ROWS_TOLD]), strict=False)
    ]
    own: list[str] = lineage.events_of(table, shared=False).to_pylist() if rows else []
    every: list[str] = lineage.events_of(table).to_pylist() if rows else []
    events = tuple(dict.fromkeys((*own, *every)))
    told = with_events(trace, lineage)
    return Result(table.schema, tuple(rows), table.rows, events, told, today, len(own))


def _events(lineage: Lineage, rows: list[Row], most: int = _ROWS_TOLD) -> list[tuple[str, ...]]:
    """The events of each row, `most` at most, found together."""
    asked = [list(dict.fromkeys(row.happenings))[:most] for row in rows]
    told = lineage.told_by(number for numbers in asked for number in numbers)
    return [
        tuple(dict.fromkeys(event for number in numbers for event in told.get(number, ())))[:most]
        for numbers in asked
    ]


def read_rows(session: Session, table: Table, limit: int, ordered: bool = True) -> list[Row]:
    """The first rows of a table, in their order."""
    shown = _shown(table)
    columns: list[exp.Expr] = [named(c.sql(), f"c{n}") for n, (_, c) in enumerate(shown)]
    columns += [
        named(column(c.unit_column), f"u{n}") for n, (_, c) in enumerate(shown) if c.unit_column
    ]
    columns += [column(name) for name in table.lineage]
    order = [ordered_by(column(name)) for name in table.order] if ordered else []
    rows = session.fetch(select(columns, table.source(), order=order, limit=limit))
    return _rows(table, shown, list(zip(*rows, strict=True))) if rows else []


def _shown(table: Table) -> list[tuple[str, Column]]:
    """The attributes that the plan gave; and, of events, when they began."""
    if table.schema.shape is Shape.VALUE:
        return [(VALUE, table.columns[VALUE])]
    wanted = {*table.schema.derived, *table.schema.focus}
    if table.schema.shape is Shape.EVENTS:
        wanted.add("start_datetime")
    return [(name, column) for name, column in table.columns.items() if name in wanted]


def _rows(
    table: Table, shown: list[tuple[str, Column]], columns: list[tuple[Any, ...]]
) -> list[Row]:
    """Rows from what was fetched, column by column: values, units of their own, happenings."""
    values, units = {}, {}
    more = iter(columns[len(shown) :])
    for (name, _), given in zip(shown, columns, strict=False):
        kind = table.schema.value if name == VALUE else table.schema.attributes[name]
        assert kind is not None
        values[name] = all_to_python(given, kind)
    for name, found in shown:
        if found.unit_column:
            units[name] = next(more)
        elif found.unit is not None:
            units[name] = (found.unit,) * len(columns[0])
    told = list(more)
    return [
        Row(
            {name: each[n] for name, each in values.items()},
            {name: each[n] for name, each in units.items() if each[n] is not None},
            tuple(told[0][n] or ()) if table.lineage == (EVENTS,) else tuple(c[n] for c in told),
        )
        for n in range(len(columns[0]))
    ]


def sample_rows(session: Session, table: Table) -> tuple[Row, ...]:
    """A few rows of a node's result; of a long one, any."""
    if not table.rows:
        return ()
    return tuple(read_rows(session, table, _SAMPLES, ordered=table.rows <= 100_000))


def with_events(trace: TraceNode, lineage: Lineage) -> TraceNode:
    """The trace, with the events of all sample rows looked up together."""
    rows = [row for node in trace.walk() for row in node.samples]
    told = iter(_events(lineage, rows, _SAMPLE_EVENTS))
    found = {id(row): replace(row, events=next(told)) for row in rows}

    def filled(node: TraceNode) -> TraceNode:
        return replace(
            node,
            samples=tuple(found[id(row)] for row in node.samples),
            inputs=tuple(map(filled, node.inputs)),
            sub_plans=tuple(map(filled, node.sub_plans)),
        )

    return filled(trace)


def has_value(session: Session, table: Table) -> bool:
    """Whether a value came out."""
    return any(row.values[VALUE] is not None for row in read_rows(session, table, 1))


def _none(table: Table, counts: bool) -> Value:
    """Among other things, what is not there counts as 0, and its list is empty."""
    kind = table.schema.value
    listed = kind is not None and kind.kind is Kind.LIST
    return 0 if counts else [] if listed else None


def sub_result(session: Session, table: Table, counts: bool) -> SubValue:
    """The value of a sub-plan: one value, or the values of the attribute it is about."""
    if table.schema.shape is Shape.VALUE:
        rows = read_rows(session, table, 1)
        unit = table.columns[VALUE].unit
        if not rows:
            return SubValue(_none(table, counts), unit)
        return SubValue(rows[0].values[VALUE], unit)
    (focus,) = table.schema.focus
    asked = table.columns[focus]
    value = asked.sql()
    found = select(
        [value, exp.Count(this=exp.Star())],
        table.source(),
        group=[value.copy()],
        limit=MAX_SUB_VALUES + 1,
    )
    told = [row for row in session.fetch(found) if row[0] is not None]
    if len(told) > MAX_SUB_VALUES:
        raise TooExpensive(f"a sub-plan gives more than {MAX_SUB_VALUES:,} different values")
    kind = table.schema.attributes[focus]
    values = all_to_python([row[0] for row in told], kind)
    return SubValue(Several(values, [row[1] for row in told]), asked.unit)
