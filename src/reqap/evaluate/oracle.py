"""RETRIEVE and EXTRACT that know: they follow the annotations of a question.

Each RETRIEVE query of a gold plan is annotated with SQL that gives the `id` of what it should find
and, by the names that the plan extracts, the values. Plans run on these show whether plan and gold
SQL mean the same, and how far a system gets when only its planning can fail.
"""

from collections.abc import Mapping
from datetime import datetime

import duckdb
import pyarrow as pa

from reqap.errors import ReqapError

_TIMES = ("start_datetime", "end_datetime", "start_date", "start_time", "end_date", "end_time")
SQL_TYPES = {
    "str": "VARCHAR", "int": "BIGINT", "float": "DOUBLE", "bool": "BOOLEAN", "date": "DATE",
    "time": "TIME", "datetime": "TIMESTAMP", "list": "VARCHAR[]", "timedelta": "BIGINT",
}  # fmt: skip


class Oracle:
    """Both doors of the engine, for one question over the canonical tables."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, retrieve: Mapping[str, str]) -> None:
        self._connection = connection
        self._retrieve = retrieve
        # What was found: the table of each query, and its columns with their types.
        self._found: dict[str, dict[str, str]] = {}

    def retrieve(self, query: str, today: datetime, within: pa.Array | None = None) -> pa.Table:
        sql = self._retrieve.get(query)
        if sql is None:
            raise ReqapError(f"the query {query!r} is not annotated")
        name = f"found_{list(self._retrieve).index(query)}"
        told = self._connection.execute(f"DESCRIBE {sql}").fetchall()
        columns = {row[0]: row[1] for row in told}
        times = [time for time in _TIMES if time not in columns]
        own = ", ".join(f"e.{column}" for column in (*times, 'id AS "#event"'))
        self._connection.execute(
            f"CREATE OR REPLACE TEMP TABLE {name} AS SELECT DISTINCT ON (a.id) a.*,"
            f" {own} FROM ({sql}) a JOIN all_events e USING (id) ORDER BY a.id"
        )
        types = self._connection.execute(f"DESCRIBE {name}").fetchall()
        self._found[name] = {row[0]: row[1] for row in types}
        return events_of(self._connection, f'SELECT "#event" AS id FROM {name}', within)

    def extract(
        self, ids: pa.Array, key: str, type_name: str, *_: object, **__: object
    ) -> pa.Table:
        tables = {name: columns for name, columns in self._found.items() if key in columns}
        if not tables:
            told = sorted({name for columns in self._found.values() for name in columns})
            raise ReqapError(f"no annotation gives {key!r}; there are {', '.join(told)}")
        self._connection.register("asked", pa.table({"id": ids, "nth": pa.array(range(len(ids)))}))
        values = [read_as(f'{name}."{key}"', columns[key], type_name)
                  for name, columns in tables.items()]  # fmt: skip
        joins = " ".join(
            f'LEFT JOIN {name} ON {name}."#event" = asked.id::BIGINT' for name in tables
        )
        found = self._connection.sql(
            f"SELECT coalesce({', '.join(values)}, NULL) AS value, NULL::VARCHAR AS unit,"
            f" 'annotation' AS \"where\" FROM asked {joins} ORDER BY nth"
        ).to_arrow_table()
        return with_durations(found, type_name)


def read_as(value: str, kind: str, type_name: str) -> str:
    """A column in the type that the plan asks for."""
    if type_name == "timedelta":
        if kind != "INTERVAL":
            raise ReqapError(f"{value} is {kind}, not a duration; to_minutes(…) makes one")
        return f"(epoch({value}) * 1000000)::BIGINT"
    if type_name == "list":
        return f"{value}::VARCHAR[]" if kind.endswith("[]") else f"[{value}::VARCHAR]"
    if kind.endswith("[]"):
        raise ReqapError(f"{value} is a list; the plan asks for {type_name}")
    return f"TRY_CAST({value} AS {SQL_TYPES[type_name]})"


def with_durations(found: pa.Table, type_name: str) -> pa.Table:
    """What EXTRACT gives: durations come from DuckDB as microseconds."""
    if type_name != "timedelta":
        return found
    column = found.column("value").cast(pa.int64()).cast(pa.duration("us"))
    return found.set_column(0, "value", column)


def events_of(
    connection: duckdb.DuckDBPyConnection, sql: str, within: pa.Array | None = None
) -> pa.Table:
    """What RETRIEVE gives for the events that a query names by `id`."""
    kept = ""
    if within is not None:
        connection.register("within_ids", pa.table({"id": within}))
        kept = "WHERE e.id::VARCHAR IN (SELECT id FROM within_ids)"
    return connection.sql(
        "SELECT row_number() OVER (ORDER BY e.start_datetime, e.id) - 1 AS happening,"
        ' e.id::VARCHAR AS id, e.start_datetime AS start, e.end_datetime AS "end",'
        f" 'annotated' AS why FROM (SELECT DISTINCT id FROM ({sql})) JOIN all_events e USING (id)"
        f" {kept} ORDER BY happening"
    ).to_arrow_table()
