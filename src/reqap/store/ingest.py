"""One import on its way into the store: everything is staged, then merged in one transaction.

Not the job of this module: which telling of an event counts (`settle`), reading exports, or
reporting to a person.
"""

import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from typing import Any, BinaryIO, NamedTuple

import duckdb
import pyarrow as pa

from reqap.errors import StoreProblem
from reqap.events import ImportIssue
from reqap.store.settle import (
    COLUMNS,
    forget_files,
    per_source,
    settle_known,
    settle_repeats,
    settle_series,
    settle_twins,
)

_PART = 4 << 20


class Outcome(NamedTuple):
    """What an import did to one source."""

    source: str
    new: int
    updated: int
    known: int
    first: datetime | None
    last: datetime | None


class KnownFile(NamedTuple):
    """A file that was imported before, how many events it told, and from when to when."""

    id: int
    events: int
    first: datetime | None
    last: datetime | None


class Ingest:
    """Handed out by `Store.importing`; its work is lost unless the block ends well."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, paths: Sequence[str]) -> None:
        self._db = connection
        self.import_id = self._next("imports")
        self._first_file = self._next_file = self._next("files")
        self._db.execute(
            "INSERT INTO imports VALUES (?, now()::TIMESTAMP, ?)", [self.import_id, list(paths)]
        )
        self._db.execute("DROP TABLE IF EXISTS staged")
        self._db.execute("CREATE TEMP TABLE staged AS FROM events LIMIT 0")

    def pin_zone(self, zone: str) -> None:
        """Remembers the zone of the first import: later ones must not mix another one in."""
        self._db.execute(
            "INSERT INTO settings SELECT 'zone', $1 WHERE NOT EXISTS"
            " (FROM settings WHERE name = 'zone')",
            [zone],
        )

    def _next(self, table: str) -> int:
        row = self._db.execute(f"SELECT coalesce(max(id), 0) + 1 FROM {table}").fetchone()
        assert row is not None
        return int(row[0])

    def known_file(self, source: str, stamp: str, fingerprint: str, name: str) -> KnownFile | None:
        """This very file, if it was read before in the same way. It may have moved since."""
        row = self._db.execute(
            "SELECT id, events FROM files"
            " WHERE source = ? AND stamp = ? AND fingerprint = ? AND complete",
            [source, stamp, fingerprint],
        ).fetchone()
        if row is None:
            return None
        self._db.execute("UPDATE files SET name = ? WHERE id = ?", [name, row[0]])
        self._link(int(row[0]))
        span = self._db.execute(
            "SELECT min(start_at), max(start_at) FROM events WHERE file_id = ?", [row[0]]
        ).fetchone()
        return KnownFile(*row, *(span or (None, None)))

    def _link(self, file_id: int) -> None:
        self._db.execute(
            "INSERT INTO import_files SELECT $1, $2 WHERE NOT EXISTS"
            " (FROM import_files WHERE import_id = $1 AND file_id = $2)",
            [self.import_id, file_id],
        )

    def add_file(self, source: str, name: str, size: int, stamp: str, fingerprint: str) -> int:
        file_id = self._next_file
        self._next_file += 1
        self._db.execute(
            "INSERT INTO files VALUES (?, ?, ?, ?, ?, ?, true, 0)",
            [file_id, source, name, size, stamp, fingerprint],
        )
        self._link(file_id)
        return file_id

    def keep_copy(self, file_id: int, stream: BinaryIO) -> None:
        """Keeps the file's content, so that raw records can be shown when the export is gone."""
        kept = self._db.execute("SELECT 1 FROM kept_files WHERE file_id = ? LIMIT 1", [file_id])
        if kept.fetchone():
            return
        part = 0
        while piece := stream.read(_PART):
            packed = zlib.compress(piece, 6)
            self._db.execute("INSERT INTO kept_files VALUES (?, ?, ?)", [file_id, part, packed])
            part += 1

    def add(self, file_id: int, rows: pa.Table) -> None:
        """Stages a batch of `to_arrow`: columns, never row by row."""
        columns = COLUMNS.replace("file_id", f"{file_id:d} AS file_id")
        try:
            # DuckDB finds `rows` by its name here. A registered view would do as well, but within a
            # transaction every view, and so every batch, would be held until the end.
            self._db.execute(f"INSERT INTO staged SELECT {columns} FROM rows")
        except duckdb.Error as error:
            raise StoreProblem(f"The store could not be written: {error}") from error

    def drop_file(self, file_id: int) -> None:
        """Takes back a file whose reader failed: nothing of it is imported, and it is not known."""
        for table in ("staged", "import_files", "kept_files", "series_tellings"):
            self._db.execute(f"DELETE FROM {table} WHERE file_id = ?", [file_id])
        self._db.execute("DELETE FROM files WHERE id = ?", [file_id])

    def mark_cut_short(self, file_id: int) -> None:
        """A file that could not be read to its end: the next import reads it again."""
        self._db.execute("UPDATE files SET complete = false WHERE id = ?", [file_id])

    def retract(self, file_id: int, series: str, revision: int) -> None:
        """Notes that as of `revision`, a file tells no event of a series."""
        self._db.execute(
            "INSERT INTO series_tellings VALUES (?, ?, ?)", [series, revision, file_id]
        )

    def add_issues(self, source: str, issues: Iterable[ImportIssue]) -> None:
        rows = [
            (
                i.origin.file,
                source,
                self.import_id,
                i.origin.position,
                i.reason,
                i.detail,
                i.skipped,
            )
            for i in issues
        ]
        if rows:
            self._db.executemany("INSERT INTO issues VALUES (?, ?, ?, ?, ?, ?, ?)", rows)

    def merge(self) -> list[Outcome]:
        """Moves what was staged into the store; what each source gained."""
        return _merge(self._db, self._first_file)


def _merge(db: duckdb.DuckDBPyConnection, first_file: int) -> list[Outcome]:
    spans = {
        row[0]: row[1:]
        for row in db.execute(
            "SELECT source, count(*), min(start_at), max(start_at) FROM staged GROUP BY source"
        ).fetchall()
    }
    db.execute(
        "UPDATE files SET events = counted.n FROM"
        " (SELECT file_id, count(*) AS n FROM staged GROUP BY file_id) AS counted"
        " WHERE files.id = counted.file_id"
    )
    _note_prior(db)
    _retire_rereadings(db, first_file)
    db.execute(
        "INSERT INTO series_tellings SELECT series, max(series_revision), file_id FROM staged"
        " WHERE series <> '' GROUP BY series, file_id"
    )
    settle_repeats(db)
    settle_known(db)
    db.execute(f"INSERT INTO events SELECT {COLUMNS} FROM staged")
    settle_twins(db)
    settle_series(db)
    outcomes = _outcomes(db, spans, first_file)
    for table in ("staged", "prior", "prior_twins"):
        db.execute(f"DROP TABLE {table}")
    return outcomes


def _note_prior(db: duckdb.DuckDBPyConnection) -> None:
    """What the store said before of the events that are coming."""
    db.execute(
        "CREATE TEMP TABLE prior AS SELECT id, hash(data, start_at, end_at) AS told FROM events"
        " WHERE id IN (SELECT id FROM staged)"
    )
    db.execute(
        "CREATE TEMP TABLE prior_twins AS SELECT DISTINCT twin FROM events"
        " WHERE coarse AND twin IN (SELECT twin FROM staged WHERE NOT coarse AND twin <> '')"
    )


def _retire_rereadings(db: duckdb.DuckDBPyConnection, first_file: int) -> None:
    """A file that was read before in another way (other names, another version) is read anew.

    The new reading takes the place of the old one, and of its part in earlier imports.
    """
    db.execute(
        """
        CREATE TEMP TABLE again AS
        SELECT old.id AS old, max(new.id) AS new
        FROM files old JOIN files new USING (source, fingerprint)
        WHERE old.id < $1 AND new.id >= $1 AND (old.stamp <> new.stamp OR NOT old.complete)
        GROUP BY old.id
        """,
        [first_file],
    )
    db.execute("UPDATE import_files SET file_id = again.new FROM again WHERE file_id = again.old")
    db.execute(
        "UPDATE kept_files SET file_id = again.new FROM again WHERE file_id = again.old"
        " AND again.new NOT IN (SELECT file_id FROM kept_files)"
    )
    db.execute("CREATE TEMP TABLE going AS SELECT old AS id FROM again")
    forget_files(db)
    for table in ("going", "again"):
        db.execute(f"DROP TABLE {table}")


def _outcomes(
    db: duckdb.DuckDBPyConnection, spans: dict[str, tuple[Any, ...]], first_file: int
) -> list[Outcome]:
    """What changed, by what `events` says now of the files of this import and said before."""
    told = f"events e LEFT JOIN prior p ON p.id = e.id WHERE e.file_id >= {first_file:d}"
    twin = "e.twin IN (SELECT twin FROM prior_twins)"
    new = per_source(db, f"{told} AND p.id IS NULL AND NOT {twin}")
    refined = per_source(db, f"{told} AND p.id IS NULL AND {twin}")
    changed = per_source(db, f"{told} AND p.told <> hash(e.data, e.start_at, e.end_at)")
    outcomes = []
    for source, (count, first, last) in sorted(spans.items()):
        updated = refined[source] + changed[source]
        known = max(0, count - new[source] - updated)
        outcomes.append(Outcome(source, new[source], updated, known, first, last))
    return outcomes


_NO_ROOM = (duckdb.IOException, duckdb.OutOfMemoryException, duckdb.FatalException)


@contextmanager
def transaction(connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """All of the block or none of it, also when it is interrupted or the disk is full."""
    connection.execute("BEGIN")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException as error:
        with suppress(duckdb.Error):  # the failure itself may have ended the transaction
            connection.execute("ROLLBACK")
        if isinstance(error, RuntimeError) and "interrupted" in str(error).lower():
            raise KeyboardInterrupt from None  # Ctrl-C in the middle of a query
        if isinstance(error, _NO_ROOM):
            raise StoreProblem(
                f"The store could not be written: {error}. Nothing was changed."
            ) from error
        raise
