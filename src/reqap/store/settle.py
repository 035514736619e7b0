"""Which telling of an event counts, when several files tell it.

Three tables hold the tellings, and every change keeps these promises:
- `events`: per id the telling that counts; never a coarse one beside its fine twin, never one of a
  series of which a newer whole was told.
- `sightings`: further files that tell an event in the same words as the telling that counts.
- `superseded`: all other tellings, whole. When the one that counts is forgotten, they come back.
"""

from collections import Counter

import duckdb

COLUMNS = (
    "id, source, kind, start_at, end_at, utc_offset, user_zone, data, revision, twin, coarse,"
    " series, series_revision, file_id, position"
)
# The better of two tellings of one id: the newer whole, the later revision, then the fuller text.
_RANK = "series_revision DESC, revision DESC, strlen(data) DESC, file_id, position"
_NEWEST = "(SELECT series, max(revision) AS newest FROM series_tellings GROUP BY series)"
# Superseded tellings `s` that may count: of their series, no newer whole is told.
_MAY_COUNT = (
    f"superseded s LEFT JOIN {_NEWEST} t ON s.series = t.series AND s.series <> ''",
    "s.series_revision >= coalesce(t.newest, s.series_revision)",
)
_SAME = "l.data = w.data AND l.start_at = w.start_at AND l.end_at = w.end_at"


def _seen(alias: str) -> str:
    """What is kept of a telling in the same words as the one that counts."""
    names = ("id", "file_id", "position", "revision", "series", "series_revision")
    return ", ".join(f"{alias}.{name}" for name in names)


def _columns(alias: str, **replaced: str) -> str:
    names = [name.strip() for name in COLUMNS.split(",")]
    return ", ".join(replaced.get(name, f"{alias}.{name}") for name in names)


def per_source(db: duckdb.DuckDBPyConnection, rows: str) -> Counter[str]:
    found = db.execute(f"SELECT source, count(*) FROM {rows} GROUP BY source").fetchall()
    return Counter(dict(found))


def settle_repeats(db: duckdb.DuckDBPyConnection) -> None:
    """Of several tellings of one id within `staged`, the best stays there."""
    row = db.execute("SELECT count(*) > count(DISTINCT id) FROM staged").fetchone()
    if not row or not row[0]:
        return
    db.execute(
        f"""
        CREATE TEMP TABLE repeated AS
        SELECT rowid AS row, id, file_id, row_number() OVER (PARTITION BY id ORDER BY {_RANK}) place
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


def settle_known(db: duckdb.DuckDBPyConnection) -> None:
    """Of a staged event that the store has already, the better telling stays where it is."""
    db.execute(
        f"""
        CREATE TEMP TABLE met AS
        SELECT s.rowid AS new, e.rowid AS old,
               (s.series_revision, s.revision, strlen(s.data))
                   > (e.series_revision, e.revision, strlen(e.data)) AS better,
               {_SAME.replace("l.", "s.").replace("w.", "e.")} AS same
        FROM staged s JOIN events e ON s.id = e.id
        """
    )
    db.execute(
        "CREATE TEMP TABLE kept AS SELECT new AS losing, old AS winning FROM met WHERE NOT better"
    )
    _remember(db, "staged", "events", "kept")
    db.execute("DELETE FROM staged WHERE rowid IN (SELECT losing FROM kept)")
    db.execute("CREATE TEMP TABLE gone AS SELECT old AS row FROM met WHERE better AND NOT same")
    _leave(db)
    # A newer telling in the same words: the old one is a sighting of the new one, as are its own.
    db.execute(
        f"INSERT INTO sightings SELECT {_seen('e')} FROM events e"
        " JOIN met ON e.rowid = met.old WHERE better AND same"
    )
    db.execute("DELETE FROM events WHERE rowid IN (SELECT old FROM met WHERE better AND same)")
    for table in ("met", "kept"):
        db.execute(f"DROP TABLE {table}")


def settle_twins(db: duckdb.DuckDBPyConnection) -> None:
    """Coarse tellings give way to fine ones, whichever came first.

    By now, what is staged stands in `events` too.
    """
    row = db.execute("SELECT bool_or(coarse) FROM events").fetchone()
    if not row or not row[0]:
        return
    db.execute(
        """
        CREATE TEMP TABLE gone AS SELECT rowid AS row FROM events
        WHERE coarse AND twin IN (SELECT twin FROM staged WHERE twin <> '')
          AND twin IN (SELECT twin FROM events WHERE NOT coarse AND twin <> '')
        """
    )
    _leave(db)


def settle_series(db: duckdb.DuckDBPyConnection) -> None:
    """Events of a series of which a newer whole was told, and which that whole lacks, go."""
    row = db.execute("SELECT count(*) FROM series_tellings").fetchone()
    if not row or not row[0]:
        return
    db.execute(
        f"CREATE TEMP TABLE gone AS SELECT e.rowid AS row FROM events e JOIN {_NEWEST} t"
        " ON e.series = t.series WHERE e.series_revision < t.newest"
    )
    if _leave(db):
        _restore(db)  # another file may tell such an event on its own


def _remember(db: duckdb.DuckDBPyConnection, losing: str, winning: str, pairs: str) -> None:
    """Files away staged tellings that lose: as a sighting if they say the same, else whole."""
    joined = (
        f"FROM {losing} l JOIN {pairs} ON l.rowid = {pairs}.losing"
        f" JOIN {winning} w ON w.rowid = {pairs}.winning"
    )
    db.execute(f"INSERT INTO sightings SELECT {_seen('l')} {joined} WHERE {_SAME}")
    db.execute(f"INSERT INTO superseded SELECT {_columns('l')} {joined} WHERE NOT ({_SAME})")


def _leave(db: duckdb.DuckDBPyConnection) -> bool:
    """Moves the rows named in `gone` out of `events`, with the files that told the same."""
    row = db.execute("SELECT count(*) FROM gone").fetchone()
    some = bool(row and row[0])
    if some:
        _make_whole(db, "rowid IN (SELECT row FROM gone)")
        leaving = "events WHERE rowid IN (SELECT row FROM gone)"
        db.execute(f"INSERT INTO superseded SELECT {COLUMNS} FROM {leaving}")
        db.execute(f"DELETE FROM {leaving}")
    db.execute("DROP TABLE gone")
    return some


def _make_whole(db: duckdb.DuckDBPyConnection, which: str) -> None:
    """Sightings of some events become tellings of their own, superseded ones."""
    own = {
        name: f"s.{name}"
        for name in ("file_id", "position", "revision", "series", "series_revision")
    }
    db.execute(
        f"INSERT INTO superseded SELECT {_columns('e', **own)} FROM events e"
        f" JOIN sightings s ON s.event_id = e.id WHERE e.{which}"
    )
    db.execute(f"DELETE FROM sightings WHERE event_id IN (SELECT id FROM events WHERE {which})")


def forget_files(db: duckdb.DuckDBPyConnection) -> int:
    """Removes the files listed in the temporary table `going`; how many events went.

    An event that another file tells too stays, as that file tells it.
    """
    before = _count(db)
    for table in ("sightings", "superseded", "kept_files", "import_files", "series_tellings"):
        db.execute(f"DELETE FROM {table} WHERE file_id IN (SELECT id FROM going)")
    db.execute("DELETE FROM files WHERE id IN (SELECT id FROM going)")
    _make_whole(db, "file_id IN (SELECT id FROM going)")
    db.execute("DELETE FROM events WHERE file_id IN (SELECT id FROM going)")
    _give_way(db)
    _restore(db)
    return before - _count(db)


def _give_way(db: duckdb.DuckDBPyConnection) -> None:
    """Events leave of which a better telling may count again, now that a newer whole is gone."""
    tellings, may_count = _MAY_COUNT
    better = " > ".join(
        f"({a}.series_revision, {a}.revision, strlen({a}.data), -{a}.file_id, -{a}.position)"
        for a in "se"
    )
    db.execute(
        f"CREATE TEMP TABLE gone AS SELECT DISTINCT e.rowid AS row FROM {tellings}"
        f" JOIN events e ON e.id = s.id WHERE {may_count} AND {better}"
    )
    _leave(db)


def _restore(db: duckdb.DuckDBPyConnection) -> None:
    """What is no longer told, but was told in other ways too, comes back in the best of them."""
    # Fine tellings first: where one comes back, its coarse twin does not.
    _bring_back(db, "NOT coarse")
    fine = "SELECT twin FROM events WHERE NOT coarse AND twin <> ''"
    _bring_back(db, f"coarse AND twin NOT IN ({fine})")
    _see_again(db)


def _count(db: duckdb.DuckDBPyConnection) -> int:
    row = db.execute("SELECT count(*) FROM events").fetchone()
    return int(row[0]) if row else 0


def _see_again(db: duckdb.DuckDBPyConnection) -> None:
    """Superseded tellings in the words of the one that counts now are sightings of it."""
    same = f"superseded l JOIN events w ON w.id = l.id WHERE {_SAME}"
    db.execute(f"CREATE TEMP TABLE heard AS SELECT l.rowid AS row FROM {same}")
    db.execute(
        f"INSERT INTO sightings SELECT {_seen('l')} FROM superseded l"
        " WHERE l.rowid IN (SELECT row FROM heard)"
    )
    db.execute("DELETE FROM superseded WHERE rowid IN (SELECT row FROM heard)")
    db.execute("DROP TABLE heard")


def _bring_back(db: duckdb.DuckDBPyConnection, which: str) -> None:
    """Of superseded tellings of what is no longer told, the best come back."""
    tellings, may_count = _MAY_COUNT
    db.execute(
        f"""
        CREATE TEMP TABLE back AS
        SELECT s.rowid AS row, row_number() OVER (PARTITION BY id ORDER BY {_RANK}) AS place
        FROM {tellings} WHERE {may_count} AND id NOT IN (SELECT id FROM events) AND {which}
        """
    )
    chosen = "superseded WHERE rowid IN (SELECT row FROM back WHERE place = 1)"
    db.execute(f"INSERT INTO events SELECT {COLUMNS} FROM {chosen}")
    db.execute(f"DELETE FROM {chosen}")
    db.execute("DROP TABLE back")
