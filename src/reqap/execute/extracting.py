"""EXTRACT: the values that the door gives, brought to the rows.

A row may rest on several events (merged tellings, sides of a join): they are read in order, and
the first that tells a value gives it. Numbers with units that can be converted are brought to one
unit; amounts of several currencies keep theirs.
"""

from collections import Counter
from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc
from sqlglot import exp

from reqap.errors import ValueProblem
from reqap.execute.doors import Extractor
from reqap.execute.lineage import OBSERVED, Lineage
from reqap.execute.operations import call, sql_type
from reqap.execute.session import Session
from reqap.execute.tables import ALIAS, Column, Table, free_name
from reqap.plan.operators import Extract
from reqap.plan.types import ATTRIBUTE_TYPES, DURATION, Schema
from reqap.values import convert


def extract(
    session: Session,
    lineage: Lineage,
    extractor: Extractor,
    plan: Extract,
    schema: Schema,
    table: Table,
) -> tuple[Table, list[str]]:
    """The table with the attributes added."""
    wanted = [
        (name, kind)
        for name, kind in zip(plan.attr_names, plan.attr_types, strict=True)
        if not _known(table.schema, name, kind)
    ]
    ids = pa.array(lineage.events_of(table, shared=False), pa.string())
    notes = []
    found: list[tuple[str, str, Column]] = []
    base = replace(table, columns={n: c for n, c in table.columns.items()
                                   if n not in [name for name, _ in wanted]})  # fmt: skip
    for name, kind in wanted:
        values = extractor.extract(ids, name, kind)
        session.check_time()
        notes.append(_note(name, values))
        unit, unit_each, values = _one_unit(values, kind)
        taken = [*base.physical, *(c.physical for _, _, c in found)]
        taken += [c.unit_column for _, _, c in found if c.unit_column]
        column = Column(free_name(name, taken), unit=unit)
        if unit_each:
            column = replace(column, unit_column=free_name(f"{name}#unit", taken))
        found.append((name, _per_happening(session, ids, values, kind), column))
    if not found:
        return replace(table, schema=schema), notes
    query = _joined(base, found)
    made, rows = session.create(query)
    for _, temporary, _ in found:
        session.drop(temporary)
    columns = {**base.columns, **{name: column for name, _, column in found}}
    return replace(base, name=made, rows=rows, columns=columns, schema=schema), notes


def _known(schema: Schema, name: str, kind: str) -> bool:
    """Whether the plan derived the attribute before, in this type."""
    return name in schema.derived and schema.attributes.get(name) == ATTRIBUTE_TYPES[kind]


def _per_happening(session: Session, ids: pa.Array, values: pa.Table, kind: str) -> str:
    """A table of happenings and the value the first of their events tells."""
    value = values.column("value").combine_chunks()
    if ATTRIBUTE_TYPES[kind] == DURATION:
        value = value.cast(pa.int64())
    unit = values.column("unit").combine_chunks().cast(pa.string())
    told = pa.table({"id": ids, "value": value, "unit": unit})
    session.cursor.register("#told", told)
    type_ = sql_type(ATTRIBUTE_TYPES[kind])
    name = session.name()
    session.run(
        f'CREATE TEMP TABLE "{name}" AS'
        f" SELECT o.happening, CAST(arg_min(v.value, o.nth) AS {type_}) AS value,"
        f' arg_min(v.unit, o.nth) AS unit FROM {OBSERVED} AS o JOIN "#told" AS v ON v.id = o.id'
        " WHERE NOT v.value IS NULL GROUP BY o.happening"
    )
    session.cursor.unregister("#told")
    return name


def _joined(base: Table, found: list[tuple[str, str, Column]]) -> exp.Select:
    """Every side of a row is asked in turn."""
    made = []
    joins = []
    for n, (_, temporary, column) in enumerate(found):
        aliases = []
        for side, physical in enumerate(base.lineage):
            alias = f"v{n}_{side}"
            aliases.append(alias)
            on = exp.EQ(
                this=exp.column("happening", table=alias),
                expression=exp.column(physical, table=ALIAS, quoted=True),
            )
            joins.append((exp.to_table(temporary).as_(alias), on))
        made.append(_first("value", aliases).as_(column.physical, quoted=True))
        if column.unit_column:
            made.append(_first("unit", aliases).as_(column.unit_column, quoted=True))
    query = exp.select(*base.projection(), *made).from_(base.source())
    for source, on in joins:
        query = query.join(source, on=on, join_type="left")
    return query


def _first(name: str, aliases: list[str]) -> exp.Expr:
    columns = [exp.column(name, table=alias) for alias in aliases]
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
    column = pa.array(converted, values.column("value").type)
    at = values.schema.get_field_index("value")
    return target, False, values.set_column(at, "value", column)


def _note(name: str, values: pa.Table) -> str:
    """Where the values of an attribute came from, in short."""
    missing = values.column("value").null_count
    places = Counter(
        str(where).split(":")[0] for where in values.column("where").to_pylist() if where
    )
    told = ", ".join(f"{place} ({count:,})" for place, count in places.most_common(3))
    return f"{name}: {told or 'nothing found'}" + (f"; {missing:,} missing" if missing else "")
