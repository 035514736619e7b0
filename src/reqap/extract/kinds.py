"""What the events of each kind look like.

Not the job of this module: what keys mean (`concepts`).
"""

import duckdb

from reqap.store.firsts import first_of_kind


class Kinds:
    """The data keys of all kinds, and what columns look like, looked up again when events have come
    or gone."""

    def __init__(self) -> None:
        self.stamp: object = None
        self._keys: dict[str, list[str]] = {}
        self._columns: dict[str, dict[str, object]] = {}

    def keys(self, db: duckdb.DuckDBPyConnection) -> dict[str, list[str]]:
        stamp = db.execute("SELECT count(*), max(rowid), sum(revision) FROM events").fetchall()
        if stamp != self.stamp:
            found = db.execute("SELECT DISTINCT kind, unnest(json_keys(data)) FROM events")
            by_kind: dict[str, list[str]] = {}
            for kind, key in found.fetchall():
                by_kind.setdefault(kind, []).append(key)
            self.stamp, self._keys, self._columns = stamp, by_kind, {}
        return self._keys

    def columns(self, db: duckdb.DuckDBPyConnection, kind: str) -> dict[str, object]:
        """The columns of a kind, each with one of its values, as its first events have them."""
        if kind not in self._columns:
            self._columns[kind] = {
                key: value for data in reversed(first_of_kind(db, kind))
                for key, value in data.items() if value is not None
            }  # fmt: skip
        return self._columns[kind]
