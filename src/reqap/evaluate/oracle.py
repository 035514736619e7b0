"""RETRIEVE and EXTRACT that know: they follow the annotations of a question.

Each RETRIEVE query of a gold plan is annotated with SQL that gives the `id` of what it should find
and, by the names that the plan extracts, the values. Plans run on these show whether plan and gold
SQL mean the same, and how far a system gets when only its planning can fail.
"""

from collections.abc import Mapping
from datetime import date, datetime, time, timedelta

import duckdb
import pyarrow as pa

from reqap.errors import ReqapError

_ARROW = {
    "str": pa.string(), "int": pa.int64(), "float": pa.float64(), "bool": pa.bool_(),
    "list": pa.list_(pa.string()), "date": pa.date32(), "time": pa.time64("us"),
    "datetime": pa.timestamp("us"), "timedelta": pa.duration("us"),
}  # fmt: skip
_TIMES = (
    "id", "start_datetime", "end_datetime", "start_date", "start_time", "end_date", "end_time",
)  # fmt: skip


class Oracle:
    """Both doors of the engine, for one question over the canonical tables."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, retrieve: Mapping[str, str]) -> None:
        self._connection = connection
        self._retrieve = retrieve
        # Of each event: what the annotations and its own times say.
        self._known: dict[str, dict[str, object]] = {}

    def retrieve(self, query: str, today: datetime, within: pa.Array | None = None) -> pa.Table:
        sql = self._retrieve.get(query)
        if sql is None:
            raise ReqapError(f"the query {query!r} is not annotated")
        found = self._connection.execute(
            f"SELECT DISTINCT ON (e.id) e.*, a.* EXCLUDE (id) FROM ({sql}) a"
            " JOIN all_events e USING (id) ORDER BY e.id"
        )
        names = [column[0] for column in found.description or ()]
        rows = [dict(zip(names, row, strict=True)) for row in found.fetchall()]
        if within is not None:
            kept = set(within.to_pylist())
            rows = [row for row in rows if str(row["id"]) in kept]
        rows.sort(key=lambda row: (row["start_datetime"], row["id"]))
        for row in rows:
            self._known.setdefault(str(row["id"]), {}).update(row)
        return pa.table(
            {
                "happening": pa.array(range(len(rows)), pa.int64()),
                "id": pa.array([str(row["id"]) for row in rows], pa.string()),
                "start": pa.array([row["start_datetime"] for row in rows], pa.timestamp("us")),
                "end": pa.array([row["end_datetime"] for row in rows], pa.timestamp("us")),
                "why": pa.array(["annotated"] * len(rows), pa.string()),
            }
        )

    def extract(self, ids: pa.Array, key: str, type_name: str) -> pa.Table:
        rows = [self._known[one] for one in ids.to_pylist()]
        if rows and not any(key in row for row in rows):
            told = sorted({name for row in rows[:50] for name in row} - set(_TIMES))
            raise ReqapError(f"no annotation gives {key!r}; there are {', '.join(told)}")
        values = [_fitted(row.get(key), type_name) for row in rows]
        size = len(rows)
        return pa.table(
            {
                "value": pa.array(values, _ARROW[type_name]),
                "unit": pa.array([None] * size, pa.string()),
                "where": pa.array(["annotation"] * size, pa.string()),
            }
        )


def _fitted(value: object, type_name: str) -> object:
    """A value of DuckDB in the type that the plan asks for."""
    if value is None:
        return None
    match type_name:
        case "str":
            return value if isinstance(value, str) else str(value)
        case "int":
            return int(value) if isinstance(value, int | float) else None
        case "float":
            return float(value) if isinstance(value, int | float) else None
        case "list":
            return [str(item) for item in value] if isinstance(value, list) else [str(value)]
        case "date":
            return value.date() if isinstance(value, datetime) else _only(value, date)
        case "time":
            return value.time() if isinstance(value, datetime) else _only(value, time)
        case "datetime":
            if isinstance(value, date) and not isinstance(value, datetime):
                return datetime.combine(value, time(0))
            return _only(value, datetime)
        case "timedelta":
            return _only(value, timedelta)
    return value


def _only(value: object, kind: type) -> object:
    return value if isinstance(value, kind) else None
