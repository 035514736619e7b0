"""EXTRACT: the values that the door gives, brought to the rows.

A row may rest on several events (merged tellings, sides of a join): they are read in order, and
the first that tells a value gives it. Numbers with units that can be converted are brought to one
unit; amounts of several currencies keep theirs.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pyarrow as pa
import pyarrow.compute as pc
from sqlglot import exp

from reqap.errors import ValueProblem
from reqap.execute.doors import Extractor
from reqap.execute.lineage import OBSERVED, Lineage
from reqap.execute.members import filtered
from reqap.execute.session import Session
from reqap.execute.sql import call, column, equal, is_there, join, named, select, within
from reqap.execute.sql import table as table_of
from reqap.execute.tables import Column, Table, free_name
from reqap.plan.operators import Extract, Operator, Retrieve
from reqap.plan.types import ATTRIBUTE_TYPES, DURATION, Schema
from reqap.values import convert, parse_number

NOTHING = "nothing found"  # how a note says that no event tells an attribute


def extract(
    session: Session,
    lineage: Lineage,
    extractor: Extractor,
    plan: Extract,
    schema: Schema,
    table: Table,
) -> tuple[Table, list[str]]:
    """The table with the attributes added."""
    wanted = {
        name: kind
        for name, kind in zip(plan.attr_names, plan.attr_types, strict=True)
        if not _known(table.schema, name, kind)
    }
    if not wanted:
        return replace(table, schema=schema), []
    ids = lineage.events_of(table, shared=False)
    ask = partial(extractor.extract, about=_query_of(plan), tick=session.check_time)
    base = replace(table, columns={n: c for n, c in table.columns.items() if n not in wanted})
    told: dict[str, pa.Array] = {"id": ids}
    found: dict[str, Column] = {}
    notes = []
    for number, (name, kind) in enumerate(wanted.items()):
        values = _asked(ask, ids, name, kind)
        session.check_time()
        notes.append(_note(name, values))
        unit, unit_each, values = _one_unit(values, kind)
        taken = [*base.physical, *replace(base, columns=found).physical]
        made = Column(free_name(name, taken), unit=unit)
        if unit_each:
            made = replace(made, unit_column=free_name(f"{name}#unit", taken))
            told[f"u{number}"] = values.column("unit").combine_chunks().cast(pa.string())
        told[f"v{number}"] = _physical(values.column("value").combine_chunks(), kind)
        found[name] = made
    with session.lending("#told", pa.table(told)):
        created, rows = session.create(_query(base, list(found.values()), list(told)[1:]))
    columns = {**base.columns, **found}
    return replace(base, name=created, rows=rows, columns=columns, schema=schema), notes


def _asked(ask: Callable[..., pa.Table], ids: pa.Array, name: str, kind: str) -> pa.Table:
    """What the door gives; it knows lists of texts, of which numbers are read here."""
    if not kind.startswith("list["):
        return ask(ids, name, kind)
    values = ask(ids, name, "list")
    read = int if kind == "list[int]" else float
    numbers = [
        items and [number for item in items if (number := _number(item, read)) is not None]
        for items in values.column("value").to_pylist()
    ]
    column = pa.array(numbers, pa.list_(pa.int64() if read is int else pa.float64()))
    return values.set_column(values.schema.get_field_index("value"), "value", column)


def _query_of(plan: Operator) -> str:
    """The query that found what a plan gives, where it is one."""
    while not isinstance(plan, Retrieve):
        below = plan.inputs()
        if len(below) != 1:
            return ""
        plan = below[0]
    return plan.query


def _number(item: str, read: type[int] | type[float]) -> int | float | None:
    try:
        number = parse_number(item)
    except ValueProblem:
        return None
    return None if number is None or (read is int and number != int(number)) else read(number)


def _known(schema: Schema, name: str, kind: str) -> bool:
    """Whether the plan derived the attribute before, in this type."""
    return name in schema.derived and schema.attributes.get(name) == ATTRIBUTE_TYPES[kind]


def _physical(values: pa.Array, kind: str) -> pa.Array:
    """Durations are kept as microseconds."""
    return values.cast(pa.int64()) if ATTRIBUTE_TYPES[kind] == DURATION else values


def _query(base: Table, found: list[Column], names: list[str]) -> exp.Select:
    """The rows with what is told of their happenings; every side of a row is asked in turn."""
    aliases = [f"s{side}" for side in range(len(base.lineage))]
    made: list[exp.Expr] = []
    for number, found_column in enumerate(found):
        made.append(named(_first(f"v{number}", aliases), found_column.physical))
        if found_column.unit_column:
            made.append(named(_first(f"u{number}", aliases), found_column.unit_column))
    joins = [
        join(
            within(_per_happening(names), alias),
            equal(column("happening", alias), column(physical)),
            left=True,
        )
        for alias, physical in zip(aliases, base.lineage, strict=True)
    ]
    return select([*base.projection(), *made], base.source(), joins=joins)


def _per_happening(names: list[str]) -> exp.Select:
    """For each happening, the value that the first of its events tells."""
    made: list[exp.Expr] = [column("happening", "o")]
    for name in names:
        first = call("arg_min", column(name, "v"), column("nth", "o"))
        made.append(named(filtered(first, is_there(column(f"v{name[1:]}", "v"))), name))
    told = join(table_of("#told", "v"), equal(column("id", "v"), column("id", "o")))
    return select(made, table_of(OBSERVED, "o"), joins=[told], group=[column("happening", "o")])


def _first(name: str, aliases: list[str]) -> exp.Expr:
    columns = [column(name, alias) for alias in aliases]
    return columns[0] if len(columns) == 1 else call("coalesce", *columns)


def _one_unit(values: pa.Table, kind: str) -> tuple[str | None, bool, pa.Table]:
    """Brings numbers to one unit where that can be: the unit, or whether each keeps its own."""
    if kind not in ("int", "float"):
        return None, False, values
    units = values.column("unit").combine_chunks()
    counted = Counter({row["values"]: row["counts"] for row in pc.value_counts(units).to_pylist()
                       if row["values"] is not None})  # fmt: skip
    if len(counted) <= 1:
        return next(iter(counted), None), False, values
    target = counted.most_common(1)[0][0]
    numbers = values.column("value").to_pylist()
    told = units.to_pylist()
    try:
        converted = [
            value if value is None or unit in (None, target) else convert(value, unit, target)
            for value, unit in zip(numbers, told, strict=True)
        ]
    except ValueProblem:
        return None, True, values
    if kind == "int":
        converted = [None if value is None else round(value) for value in converted]
    numbers = pa.array(converted, values.column("value").type)
    at = values.schema.get_field_index("value")
    return target, False, values.set_column(at, "value", numbers)


def _note(name: str, values: pa.Table) -> str:
    """Where the values of an attribute came from, in short."""
    missing = values.column("value").null_count
    places: Counter[str] = Counter()
    for row in pc.value_counts(values.column("where").combine_chunks()).to_pylist():
        if row["values"]:
            places[row["values"].split(":")[0]] += row["counts"]
    told = ", ".join(f"{place} ({count:,})" for place, count in places.most_common(3))
    if missing == len(values):
        told = NOTHING
    return f"{name}: {told}" + (f"; {missing:,} missing" if missing else "")
