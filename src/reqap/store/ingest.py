"""One import on its way into the store: everything is staged, then merged in one transaction.

What counts as the same event:
- the same id: known. If the new telling has a later revision, or the same and says more, it
  replaces the old one; the outcome does not depend on the order of imports.
- the same twin key, one coarse and one fine: the coarse one gives way.
Tellings that gave way are not lost: `forget` brings them back when the better one is forgotten.
Not the job of this module: reading exports, or reporting to a person.
"""

import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from typing import BinaryIO, NamedTuple

import duckdb
import pyarrow as pa

from reqap.errors import StoreProblem
from reqap.events import ImportIssue

COLUMNS = (
    "id, source, kind, start_at, end_at, utc_offset, user_zone, data, revision, twin, coarse,"
    " file_id, position"
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


class Ingest:
    """Handed out by `Store.importing`; its work is lost unless the block ends well."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, paths: Sequence[str]) -> None:
        self._db = connection
        self.import_id = self._next("imports")
        self._next_file = self._next("files")
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

    def known_file(self, source: str, fingerprint: str) -> int | None:
        """The number of events in this very file, if it was imported before."""
        row = self._db.execute(
            "SELECT id, events FROM files WHERE source = ? AND fingerprint = ?",
            [source, fingerprint],
        ).fetchone()
        if row is None:
            return None
        self._link(int(row[0]))
        return int(row[1])

    def _link(self, file_id: int) -> None:
        self._db.execute(
            "INSERT INTO import_files SELECT $1, $2 WHERE NOT EXISTS"
            " (FROM import_files WHERE import_id = $1 AND file_id = $2)",
            [self.import_id, file_id],
        )

    def add_file(self, source: str, name: str, size: int, fingerprint: str) -> int:
        file_id = self._next_file
        self._next_file += 1
        self._db.execute(
            "INSERT INTO files VALUES (?, ?, ?, ?, ?, 0)",
            [file_id, source, name, size, fingerprint],
        )
        self._link(file_id)
        return file_id

    def keep_copy(self, file_id: int, stream: BinaryIO) -> None:
        """Keeps the file's content, so that raw records can be shown when the export is gone."""
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
        for table in ("staged", "import_files", "kept_files"):
            self._db.execute(f"DELETE FROM {table} WHERE file_id = ?", [file_id])
        self._db.execute("DELETE FROM files WHERE id = ?", [file_id])

    def forget_fingerprint(self, file_id: int) -> None:
        """Marks a file that could not be read to its end: the next import reads it again."""
        self._db.execute("UPDATE files SET fingerprint = '' WHERE id = ?", [file_id])

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
        return _merge(self._db)


def _merge(db: duckdb.DuckDBPyConnection) -> list[Outcome]:
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
    _settle_repeats(db)
    replaced, changed = _settle_known(db)
    refined = _settle_twins(db)
    inserted = _per_source(db, "staged")
    db.execute(f"INSERT INTO events SELECT {COLUMNS} FROM staged")
    db.execute("DROP TABLE staged")
    outcomes = []
    for source, (count, first, last) in sorted(spans.items()):
        new = inserted[source] - replaced[source] - refined[source]
        updated = changed[source] + refined[source]
        outcomes.append(Outcome(source, new, updated, count - new - updated, first, last))
    return outcomes


def _per_source(db: duckdb.DuckDBPyConnection, rows: str) -> Counter[str]:
    found = db.execute(f"SELECT source, count(*) FROM {rows} GROUP BY source").fetchall()
    return Counter(dict(found))


def _settle_repeats(db: duckdb.DuckDBPyConnection) -> None:
    """Of several tellings of one id within this import, the latest and fullest stays staged."""
    row = db.execute("SELECT count(*) > count(DISTINCT id) FROM staged").fetchone()
    if not row or not row[0]:
        return
    db.execute(
        """
        CREATE TEMP TABLE repeated AS
        SELECT rowid AS row, id, file_id,
               row_number() OVER (PARTITION BY id ORDER BY revision DESC, strlen(data) DESC,
                   file_id, position)
                   AS place
        FROM staged
        WHERE id IN (SELECT id FROM staged GROUP BY id HAVING count(*) > 1)
        """
    )
    db.execute(
        """
        CREATE TEMP TABLE pairs AS
        SELECT r.row AS losing, best.row AS winning
        FROM repeated r JOIN repeated best ON best.id = r.id AND best.place = 1
        WHERE r.place > 1 AND r.file_id <> best.file_id
        """
    )
    _remember(db, "staged", "staged", "pairs")
    db.execute("DELETE FROM staged WHERE rowid IN (SELECT row FROM repeated WHERE place > 1)")
    db.execute("DROP TABLE repeated")
    db.execute("DROP TABLE pairs")


def _settle_known(db: duckdb.DuckDBPyConnection) -> tuple[Counter[str], Counter[str]]:
    """Of a staged event the store has already, the better telling stays.

    Per source: how many in the store were replaced, and for how many that changed anything.
    """
    db.execute(
        """
        CREATE TEMP TABLE met AS
        SELECT s.rowid AS new, e.rowid AS old, s.source,
               (s.revision > e.revision
                OR (s.revision = e.revision AND strlen(s.data) > strlen(e.data))) AS better,
               (s.data <> e.data OR s.start_at <> e.start_at OR s.end_at <> e.end_at) AS changed
        FROM staged s JOIN events e ON s.id = e.id
        """
    )
    for view, losing, winning, which in (
        ("kept", "new", "old", "NOT better"),
        ("lost", "old", "new", "better"),
    ):
        db.execute(
            f"CREATE TEMP VIEW {view} AS"
            f" SELECT {losing} AS losing, {winning} AS winning FROM met WHERE {which}"
        )
    _remember(db, "staged", "events", "kept")
    _remember(db, "events", "staged", "lost")
    replaced = _per_source(db, "met WHERE better")
    changed = _per_source(db, "met WHERE better AND changed")
    db.execute("DELETE FROM staged WHERE rowid IN (SELECT losing FROM kept)")
    db.execute("DELETE FROM events WHERE rowid IN (SELECT losing FROM lost)")
    for view in ("kept", "lost"):
        db.execute(f"DROP VIEW {view}")
    db.execute("DROP TABLE met")
    return replaced, changed


def _remember(db: duckdb.DuckDBPyConnection, losing: str, winning: str, pairs: str) -> None:
    """Files away the tellings that lose: as a sighting if they say the same, else whole."""
    joined = (
        f"FROM {losing} l JOIN {pairs} ON l.rowid = {pairs}.losing"
        f" JOIN {winning} w ON w.rowid = {pairs}.winning"
    )
    same = "l.data = w.data AND l.start_at = w.start_at AND l.end_at = w.end_at"
    db.execute(f"INSERT INTO sightings SELECT l.id, l.file_id, l.position {joined} WHERE {same}")
    columns = ", ".join(f"l.{name.strip()}" for name in COLUMNS.split(","))
    db.execute(f"INSERT INTO superseded SELECT {columns} {joined} WHERE NOT ({same})")


def _settle_twins(db: duckdb.DuckDBPyConnection) -> Counter[str]:
    """Coarse tellings give way to fine ones; how many were in the store already, per source."""
    row = db.execute("SELECT bool_or(coarse), bool_or(twin <> '' AND NOT coarse) FROM staged")
    coarse, fine = row.fetchone() or (False, False)
    gone: Counter[str] = Counter()
    if fine:
        there = "coarse AND twin IN (SELECT twin FROM staged WHERE NOT coarse AND twin <> '')"
        gone = _per_source(db, f"events WHERE {there}")
        if gone:
            db.execute(f"INSERT INTO superseded SELECT {COLUMNS} FROM events WHERE {there}")
            db.execute(f"DELETE FROM events WHERE {there}")
    if coarse:
        here = (
            "coarse AND twin IN (SELECT twin FROM staged WHERE NOT coarse"
            " UNION ALL SELECT twin FROM events WHERE NOT coarse)"
        )
        db.execute(f"INSERT INTO superseded SELECT {COLUMNS} FROM staged WHERE {here}")
        db.execute(f"DELETE FROM staged WHERE {here}")
    return gone


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
