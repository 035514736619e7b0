"""The tables of the store, as numbered steps that are only ever appended.

A store written by an older version is brought up to date when it is opened for writing, in one
transaction; a store written by a newer version is refused.
"""

import duckdb

from reqap.errors import StoreProblem

MIGRATIONS: tuple[str, ...] = (
    # 1: events belong to files, files to imports (to several, when an unchanged file comes again).
    # Another file that tells an event in the same words is a sighting; one that tells it otherwise
    # and gave way is kept whole in `superseded`. So forgetting a file can bring back what remains.
    """
    CREATE TABLE imports (
        id INTEGER NOT NULL, started TIMESTAMP NOT NULL, paths VARCHAR[] NOT NULL
    );
    CREATE TABLE files (
        id INTEGER NOT NULL, source VARCHAR NOT NULL, name VARCHAR NOT NULL, size BIGINT NOT NULL,
        stamp VARCHAR NOT NULL, fingerprint VARCHAR NOT NULL, complete BOOLEAN NOT NULL,
        events BIGINT NOT NULL
    );
    CREATE TABLE import_files (import_id INTEGER NOT NULL, file_id INTEGER NOT NULL);
    CREATE TABLE events (
        id VARCHAR NOT NULL, source VARCHAR NOT NULL, kind VARCHAR NOT NULL,
        start_at TIMESTAMP NOT NULL, end_at TIMESTAMP NOT NULL, utc_offset SMALLINT,
        user_zone BOOLEAN NOT NULL, data JSON NOT NULL, revision BIGINT NOT NULL,
        twin VARCHAR NOT NULL, coarse BOOLEAN NOT NULL,
        series VARCHAR NOT NULL, series_revision BIGINT NOT NULL,
        file_id INTEGER NOT NULL, position BIGINT NOT NULL
    );
    CREATE TABLE superseded AS FROM events LIMIT 0;
    CREATE TABLE sightings (
        event_id VARCHAR NOT NULL, file_id INTEGER NOT NULL, position BIGINT NOT NULL
    );
    CREATE TABLE series_tellings (
        series VARCHAR NOT NULL, revision BIGINT NOT NULL, file_id INTEGER NOT NULL
    );
    CREATE TABLE issues (
        file_name VARCHAR NOT NULL, source VARCHAR NOT NULL, import_id INTEGER NOT NULL,
        position BIGINT NOT NULL, reason VARCHAR NOT NULL, detail VARCHAR NOT NULL,
        skipped BOOLEAN NOT NULL
    );
    CREATE TABLE kept_files (
        file_id INTEGER NOT NULL, part INTEGER NOT NULL, content BLOB NOT NULL
    );
    CREATE TABLE settings (name VARCHAR NOT NULL, value VARCHAR NOT NULL);
    CREATE TABLE profile (content JSON NOT NULL, saved TIMESTAMP NOT NULL);
    """,
    # 2: a sighting knows its own revision. Without it, the words of an old file counted as new once
    # a newer file in the same words was forgotten.
    """
    ALTER TABLE sightings ADD COLUMN revision BIGINT;
    ALTER TABLE sightings ADD COLUMN series VARCHAR;
    ALTER TABLE sightings ADD COLUMN series_revision BIGINT;
    UPDATE sightings SET revision = e.revision, series = e.series,
        series_revision = e.series_revision
    FROM events e WHERE e.id = sightings.event_id;
    """,
    # 3: the index of RETRIEVE. A record (kind and data) has a text, many records have the same one;
    # a text has what the model made of it. `indexed_by` has one row: the model, and for whom the
    # texts were written ("me").
    """
    CREATE TABLE indexed_by (model VARCHAR NOT NULL, me VARCHAR NOT NULL);
    CREATE TABLE indexed_texts (
        text_id INTEGER NOT NULL, digest UBIGINT NOT NULL, kind VARCHAR NOT NULL,
        text VARCHAR NOT NULL, vector BLOB NOT NULL, words BLOB NOT NULL
    );
    CREATE TABLE indexed_events (
        event_id VARCHAR NOT NULL, record UBIGINT NOT NULL, text_id INTEGER NOT NULL
    );
    """,
    # 4: what the model of EXTRACT has read: where a record tells a key, or what it implies.
    """
    CREATE TABLE readings (
        record UBIGINT NOT NULL, asked VARCHAR NOT NULL, model VARCHAR NOT NULL,
        sort TINYINT NOT NULL, chance FLOAT NOT NULL, spans INTEGER[] NOT NULL,
        implied VARCHAR NOT NULL, sure FLOAT[] NOT NULL
    );
    """,
    # 5: what the user did with answers. `events` are those that an answer rests on.
    """
    CREATE TABLE asked (
        id INTEGER NOT NULL, asked TIMESTAMP NOT NULL, today TIMESTAMP NOT NULL,
        question VARCHAR NOT NULL, status VARCHAR NOT NULL, text VARCHAR NOT NULL,
        plan VARCHAR NOT NULL, answer JSON NOT NULL, milliseconds DOUBLE NOT NULL,
        judgement VARCHAR, events VARCHAR[] NOT NULL
    );
    CREATE TABLE corrections (
        id INTEGER NOT NULL, made TIMESTAMP NOT NULL, sort VARCHAR NOT NULL,
        about VARCHAR NOT NULL, event VARCHAR, type_name VARCHAR, value VARCHAR
    );
    """,
)


def version_of(connection: duckdb.DuckDBPyConnection) -> int:
    """The number of the last step this store has taken; 0 for an empty file."""
    found = connection.execute(
        "SELECT 1 FROM duckdb_tables() WHERE table_name = 'migrations'"
    ).fetchall()
    if not found:
        return 0
    ((number,),) = connection.execute("SELECT max(number) FROM migrations").fetchall()
    return int(number or 0)


def migrate(connection: duckdb.DuckDBPyConnection) -> None:
    """Takes the steps that are missing; all of them or none."""
    present = check_version(connection)
    if present == len(MIGRATIONS):
        return
    connection.execute("BEGIN")
    try:
        connection.execute(
            "CREATE TABLE IF NOT EXISTS migrations"
            " (number INTEGER NOT NULL, taken TIMESTAMP NOT NULL)"
        )
        for number, statements in enumerate(MIGRATIONS[present:], present + 1):
            connection.execute(statements)
            connection.execute("INSERT INTO migrations VALUES (?, now()::TIMESTAMP)", [number])
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def check_version(connection: duckdb.DuckDBPyConnection) -> int:
    """The store's version, which must not be one this program has never heard of."""
    present = version_of(connection)
    if present > len(MIGRATIONS):
        raise StoreProblem(
            f"This store was written by a newer version of reqap (its format is {present}, this "
            f"version knows {len(MIGRATIONS)}). Update reqap to open it."
        )
    return present
