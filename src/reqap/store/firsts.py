"""The first events of a kind, which show what its columns are.

Not the job of this module: what a column means (`extract`), which records a query means
(`retrieve`).
"""

from typing import Any

import duckdb
import orjson

_LOOKED_AT = 8


def first_of_kind(db: duckdb.DuckDBPyConnection, kind: str) -> list[dict[str, Any]]:
    """The data of the first events of a kind."""
    sql = "SELECT data FROM events WHERE kind = ? ORDER BY rowid LIMIT ?"
    return [orjson.loads(data) for (data,) in db.execute(sql, [kind, _LOOKED_AT]).fetchall()]
