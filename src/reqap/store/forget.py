"""Taking files out of the store again, with everything only they told."""

import duckdb

from reqap.store.ingest import COLUMNS


def forget_files(db: duckdb.DuckDBPyConnection) -> int:
    """Removes the files listed in the temporary table `going`; how many events went.

    An event that another file tells too stays, as that file tells it.
    """
    before = _count(db)
    for table in ("sightings", "superseded", "kept_files", "import_files"):
        db.execute(f"DELETE FROM {table} WHERE file_id IN (SELECT id FROM going)")
    db.execute("DELETE FROM files WHERE id IN (SELECT id FROM going)")
    _hand_over(db)
    db.execute("DELETE FROM events WHERE file_id IN (SELECT id FROM going)")
    _bring_back(db)
    db.execute("DELETE FROM imports WHERE id NOT IN (SELECT import_id FROM import_files)")
    db.execute("DELETE FROM issues WHERE import_id NOT IN (SELECT id FROM imports)")
    return before - _count(db)


def _count(db: duckdb.DuckDBPyConnection) -> int:
    row = db.execute("SELECT count(*) FROM events").fetchone()
    return int(row[0]) if row else 0


def _hand_over(db: duckdb.DuckDBPyConnection) -> None:
    """Events that another file tells in the same words now belong to that file."""
    db.execute(
        """
        CREATE TEMP TABLE heirs AS
        SELECT event_id, min_by(file_id, file_id) AS file_id, min_by(position, file_id) AS position
        FROM sightings
        WHERE event_id IN (SELECT id FROM events WHERE file_id IN (SELECT id FROM going))
        GROUP BY event_id
        """
    )
    db.execute(
        "UPDATE events SET file_id = heirs.file_id, position = heirs.position"
        " FROM heirs WHERE events.id = heirs.event_id"
    )
    db.execute(
        "DELETE FROM sightings USING heirs"
        " WHERE sightings.event_id = heirs.event_id AND sightings.file_id = heirs.file_id"
    )
    db.execute("DROP TABLE heirs")


def _bring_back(db: duckdb.DuckDBPyConnection) -> None:
    """Tellings that once gave way to something that is no longer there."""
    db.execute(
        """
        CREATE TEMP TABLE back AS
        SELECT rowid AS row,
               row_number() OVER (PARTITION BY id ORDER BY revision DESC, strlen(data) DESC, rowid)
                   AS place
        FROM superseded
        WHERE id NOT IN (SELECT id FROM events)
          AND NOT (coarse AND twin IN (SELECT twin FROM events WHERE NOT coarse))
        """
    )
    db.execute(
        f"INSERT INTO events SELECT {COLUMNS} FROM superseded"
        " WHERE rowid IN (SELECT row FROM back WHERE place = 1)"
    )
    db.execute("DELETE FROM superseded WHERE rowid IN (SELECT row FROM back WHERE place = 1)")
    db.execute("DROP TABLE back")
