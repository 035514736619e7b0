"""Opening the store, and everything that is read from it.

One process at a time may write; others are told so. No extension is ever fetched: everything the
store needs is inside the DuckDB package. Not the job of this module: writing an import (`ingest`).
"""

import io
import os
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, NamedTuple

import duckdb
import orjson
from platformdirs import user_data_path

from reqap.columns import to_arrow
from reqap.errors import NotFound, StoreBusy, StoreProblem
from reqap.events import Event, Origin
from reqap.store.indexed import forget_rested, forget_unsaid
from reqap.store.ingest import Ingest, transaction
from reqap.store.schema import MIGRATIONS, check_version, migrate
from reqap.store.settle import forget_files

_EVENT = (
    "SELECT e.id, e.source, e.kind, e.start_at, e.end_at, e.utc_offset, e.data,"
    " coalesce(f.name, e.source), e.position, e.user_zone, e.twin, e.coarse, e.revision,"
    " e.series, e.series_revision, e.file_id"
    " FROM events e LEFT JOIN files f ON f.id = e.file_id"
)
# Events of the profile belong to no file; they are replaced whenever the profile is saved.
PROFILE_FILE = 0
_MEMORY = "256MB"


class StoredEvent(NamedTuple):
    """An event and where it stands in the store."""

    event: Event
    file_id: int


class Summary(NamedTuple):
    """What the store holds of one source, one kind and one month."""

    source: str
    kind: str
    month: datetime
    events: int
    first: datetime
    last: datetime


class ImportedFile(NamedTuple):
    id: int
    source: str
    name: str
    size: int
    fingerprint: str
    events: int
    kept: bool


class PastImport(NamedTuple):
    id: int
    started: datetime
    paths: tuple[str, ...]
    files: int
    sources: tuple[str, ...]


class KnownIssue(NamedTuple):
    file: str
    source: str
    position: int
    reason: str
    detail: str
    skipped: bool


class Store:
    """An open store. Use it as a context manager."""

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, path: Path | None, memory: str = _MEMORY
    ) -> None:
        self.connection = connection
        self.path = path
        self._memory = memory

    @classmethod
    def open(cls, path: Path | None, *, read_only: bool = False, memory: str = _MEMORY) -> "Store":
        """Opens the store at `path` (None: in memory), and makes it when it is to be written."""
        if path is not None and read_only and not path.exists():
            raise NotFound(f"There is no data at {path} yet. Begin with: reqap import PATH…")
        if path is not None and not read_only:
            path.parent.mkdir(parents=True, exist_ok=True)
        connection = _connect(path, read_only, memory)
        try:
            check_version(connection) if read_only else migrate(connection)
        except BaseException:
            connection.close()
            raise
        return cls(connection, path, memory)

    def _fetched(self, sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """All rows of a statement, on a cursor of its own: others may be reading or importing."""
        with self.connection.cursor() as cursor:
            return cursor.execute(sql, list(values)).fetchall()

    @property
    def is_current(self) -> bool:
        """Whether it has every table of this version; one that is only read may be older."""
        with self.connection.cursor() as cursor:
            return check_version(cursor) == len(MIGRATIONS)

    def close(self) -> None:
        self.connection.close()

    def __enter__(self) -> "Store":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # -- events -----------------------------------------------------------------------------

    def scan(
        self,
        *,
        kinds: Sequence[str] = (),
        sources: Sequence[str] = (),
        ids: Sequence[str] | None = None,
        start: datetime | None = None,
        end: datetime | None = None,
        limit: int | None = None,
        newest_first: bool = False,
    ) -> Iterator[Event]:
        """Events in order of time. `start` and `end` bound those that touch [start, end).

        Without kinds or sources, those of all; without `ids`, all.
        """
        wanted: list[str] = []
        values: list[object] = []
        for column, chosen in (("kind", kinds or None), ("source", sources or None), ("id", ids)):
            if chosen is not None:
                wanted.append(f"e.{column} IN (SELECT unnest(?::VARCHAR[]))")
                values.append(list(chosen))
        if start is not None:
            wanted.append("e.end_at >= ?")
            values.append(start)
        if end is not None:
            wanted.append("e.start_at < ?")
            values.append(end)
        where = f" WHERE {' AND '.join(wanted)}" if wanted else ""
        order = f" ORDER BY e.start_at {'DESC' if newest_first else 'ASC'}, e.id"
        count = f" LIMIT {int(limit)}" if limit is not None else ""
        cursor = self.connection.cursor().execute(f"{_EVENT}{where}{order}{count}", values)
        while rows := cursor.fetchmany(2048):
            for row in rows:
                yield _event(row).event

    def find(self, prefix: str) -> StoredEvent:
        """The one event whose id begins with `prefix`."""
        rows = self._fetched(f"{_EVENT} WHERE starts_with(e.id, ?) ORDER BY e.id LIMIT 6", [prefix])
        if not rows or not prefix:
            raise NotFound(f"There is no event {prefix!r}")
        if len(rows) > 1:
            listed = ", ".join(row[0] for row in rows[:5])
            raise NotFound(f"Several events begin with {prefix!r}: {listed}, …")
        return _event(rows[0])

    def summary(self) -> list[Summary]:
        rows = self._fetched(
            "SELECT source, kind, date_trunc('month', start_at)::TIMESTAMP AS month, count(*),"
            " min(start_at), max(start_at) FROM events GROUP BY ALL ORDER BY source, kind, month"
        )
        return [Summary(*row) for row in rows]

    # -- where events came from ---------------------------------------------------------------

    def imports(self) -> list[PastImport]:
        rows = self._fetched(
            "SELECT i.id, i.started, i.paths, count(f.id),"
            " coalesce(list_sort(list(DISTINCT f.source) FILTER (f.source IS NOT NULL)), [])"
            " FROM imports i LEFT JOIN import_files l ON l.import_id = i.id"
            " LEFT JOIN files f ON f.id = l.file_id GROUP BY ALL ORDER BY i.id"
        )
        return [PastImport(r[0], r[1], tuple(r[2]), r[3], tuple(r[4])) for r in rows]

    def file(self, file_id: int) -> ImportedFile:
        rows = self._fetched(
            "SELECT id, source, name, size, fingerprint, events,"
            " EXISTS (FROM kept_files k WHERE k.file_id = files.id) FROM files WHERE id = ?",
            [file_id],
        )
        if not rows:
            raise NotFound(f"There is no imported file {file_id}")
        return ImportedFile(*rows[0])

    def tellings(self, stored: StoredEvent) -> list[tuple[int, int]]:
        """File and position of every record that tells an event in these words."""
        rows = self._fetched(
            "SELECT file_id, position FROM sightings WHERE event_id = ? ORDER BY file_id DESC",
            [stored.event.id],
        )
        return [(stored.file_id, stored.event.origin.position), *rows]

    def kept_copy(self, file_id: int) -> BinaryIO:
        """The kept content of a file."""
        content = io.BytesIO()
        with self.connection.cursor() as cursor:
            rows = cursor.execute(
                "SELECT content FROM kept_files WHERE file_id = ? ORDER BY part", [file_id]
            )
            while row := rows.fetchone():
                content.write(zlib.decompress(row[0]))
        content.seek(0)
        return content

    def issues(self, source: str | None = None, limit: int = 100) -> list[KnownIssue]:
        where = "WHERE source = $1" if source else ""
        rows = self._fetched(
            "SELECT file_name, source, position, reason, detail, skipped FROM issues"
            f" {where} ORDER BY import_id, file_name, position LIMIT {int(limit)}",
            [source] if source else [],
        )
        return [KnownIssue(*row) for row in rows]

    # -- writing --------------------------------------------------------------------------------

    @contextmanager
    def importing(self, paths: Sequence[str], *, dry_run: bool = False) -> Iterator[Ingest]:
        """One import: the block runs in one transaction. With `dry_run` it is undone at its end."""
        try:
            with transaction(self.connection):
                yield Ingest(self.connection, paths)
                if dry_run:
                    raise _Undo
        except _Undo:
            pass

    def forget_source(self, source: str) -> int:
        """Removes all files of a source; how many events went."""
        with transaction(self.connection):
            self.connection.execute("CREATE TEMP TABLE going (id INTEGER)")
            self.connection.execute(
                "INSERT INTO going SELECT id FROM files WHERE source = ?", [source]
            )
            return self._forget_going()

    def forget_import(self, import_id: int) -> int:
        """Removes the files that only this import brought."""
        with transaction(self.connection):
            self.connection.execute("CREATE TEMP TABLE going (id INTEGER)")
            self.connection.execute(
                "INSERT INTO going SELECT file_id FROM import_files GROUP BY file_id"
                " HAVING count(*) = 1 AND min(import_id) = ?",
                [import_id],
            )
            self.connection.execute("DELETE FROM import_files WHERE import_id = ?", [import_id])
            return self._forget_going()

    def compact(self) -> None:
        """Writes the store anew, so that what was forgotten can no longer be read in the file."""
        if self.path is None:
            return
        fresh = self.path.with_name(self.path.name + ".compact")
        fresh.unlink(missing_ok=True)
        name = str(fresh).replace("'", "''")
        row = self.connection.execute("SELECT current_database()").fetchone()
        present = str(row[0] if row else "").replace('"', '""')
        self.connection.execute(f"ATTACH '{name}' AS compact")
        self.connection.execute(f'COPY FROM DATABASE "{present}" TO compact')
        self.connection.execute("DETACH compact")
        self.connection.close()
        try:
            fresh.replace(self.path)
        finally:
            self.connection = _connect(self.path, read_only=False, memory=self._memory)

    def _forget_going(self) -> int:
        gone = forget_files(self.connection)
        for statement in (
            "DROP TABLE going",
            "DELETE FROM imports WHERE id NOT IN (SELECT import_id FROM import_files)",
            "DELETE FROM issues WHERE import_id NOT IN (SELECT id FROM imports)",
        ):
            self.connection.execute(statement)
        forget_unsaid(self.connection)
        forget_rested(self.connection)
        return gone

    # -- the profile ----------------------------------------------------------------------------

    def load_profile(self) -> str | None:
        """The profile as it was saved, in JSON."""
        rows = self._fetched("SELECT content FROM profile")
        return str(rows[0][0]) if rows else None

    def zone(self) -> str | None:
        """The zone in which wall times were worked out; None before the first import."""
        rows = self._fetched("SELECT value FROM settings WHERE name = 'zone'")
        return str(rows[0][0]) if rows else None

    def save_profile(self, content: str, facts: Sequence[Event], zone: str) -> int:
        """Saves the profile and its dated facts, and moves wall times that depend on its zone.

        How many events were moved.
        """
        with transaction(self.connection):
            moved = _move_to_zone(self.connection, zone)
            self.connection.execute("DELETE FROM profile")
            self.connection.execute("INSERT INTO profile VALUES (?, now()::TIMESTAMP)", [content])
            self.connection.execute("DELETE FROM events WHERE file_id = ?", [PROFILE_FILE])
            if facts:
                self.connection.register("facts", to_arrow(facts))
                self.connection.execute(
                    f"INSERT INTO events BY NAME SELECT *, {PROFILE_FILE} AS file_id FROM facts"
                )
                self.connection.unregister("facts")
        return moved


def default_db() -> Path:
    """Where a life lies if nobody says otherwise: $REQAP_DB, else the platform's data folder."""
    named = os.environ.get("REQAP_DB")
    return Path(named) if named else user_data_path("reqap", appauthor=False) / "life.duckdb"


class _Undo(Exception):
    """Ends a dry run."""


def _connect(path: Path | None, read_only: bool, memory: str) -> duckdb.DuckDBPyConnection:
    config: dict[str, str | bool | int | float | list[str]] = {
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "allow_community_extensions": "false",
        "memory_limit": memory,
        "preserve_insertion_order": "false",
    }
    if path is None:
        # Or what does not fit would be written to whatever folder the person stands in.
        config["temp_directory"] = ""
    try:
        return duckdb.connect(str(path) if path else ":memory:", read_only=read_only, config=config)
    except duckdb.IOException as error:
        text = str(error)
        if "lock" in text.lower():
            holder = text.split("PID ", 1)[1].split(")", 1)[0] if "PID " in text else ""
            by = f" (process {holder})" if holder else ""
            raise StoreBusy(
                f"The store {path} is in use by another program{by}. Wait until it is done, or"
                " stop it, and try again."
            ) from None
        raise StoreProblem(f"{path} cannot be opened as a store: {text}") from None
    except duckdb.Error as error:
        raise StoreProblem(f"{path} cannot be opened as a store: {error}") from None


def _event(row: tuple[Any, ...]) -> StoredEvent:
    *told, data, file, position, user_zone, twin, coarse, revision, series, newest, file_id = row
    origin = Origin(file, position)
    event = Event._make(
        (*told, orjson.loads(data), origin, user_zone, twin, coarse, revision, series, newest)
    )
    return StoredEvent(event, file_id)


def _move_to_zone(db: duckdb.DuckDBPyConnection, zone: str) -> int:
    """Works out anew the wall time of events that were placed by the user's zone.

    The start's own offset gives its instant exactly; the end may lie beyond a change of the clocks,
    so it is read in the old zone.
    """
    row = db.execute("SELECT value FROM settings WHERE name = 'zone'").fetchone()
    old = row[0] if row else None
    db.execute("DELETE FROM settings WHERE name = 'zone'")
    db.execute("INSERT INTO settings VALUES ('zone', ?)", [zone])
    if old is None or old == zone:
        return 0
    moved = 0
    start = "timezone($new, timezone('UTC', start_at - to_minutes(utc_offset)))"
    end = "timezone($new, timezone($old, end_at))"
    for table in ("events", "superseded"):
        rows = db.execute(
            f"""
            UPDATE {table} SET start_at = {start}, end_at = greatest({start}, {end}), utc_offset =
                date_diff('minute', start_at - to_minutes(utc_offset), {start})
            WHERE user_zone AND utc_offset IS NOT NULL
            """,
            {"new": zone, "old": old},
        ).fetchone()
        moved += int(rows[0]) if rows else 0
    return moved
