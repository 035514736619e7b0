"""Reads ahead what has been asked for often, in events that have come since.

What was read says which keys are asked of what ("people of: I had dinner"). The events that such a
query finds now and that were not read yet are read, so that the next question finds it done.
"""

import time
from collections.abc import Callable, Sequence

import orjson
import pyarrow as pa

from reqap.extract.kept import Readings, load_readings
from reqap.extract.reader import OF, Reader
from reqap.store import Store
from reqap.store.indexed import RECORD
from reqap.verbalize import TELLINGS, spelled

MOST = 20  # keys
Find = Callable[[str], Sequence[str]]  # the ids of the events that match a query


def asked_often(store: Store) -> list[str]:
    """Keys as they were put, those of the most events first; only with what they are asked of."""
    with store.connection.cursor() as cursor:
        rows = cursor.execute(
            "SELECT asked FROM readings WHERE contains(asked, ?) GROUP BY asked"
            " ORDER BY count(*) DESC, asked LIMIT ?",
            [OF, MOST],
        ).fetchall()
    return [asked for (asked,) in rows]


def read_ahead(store: Store, reader: Reader, find: Find, seconds: float) -> dict[str, Readings]:
    """What is new, by key; no more than can be read in so many seconds."""
    until = time.monotonic() + seconds
    found: dict[str, Readings] = {}
    for asked in asked_often(store):
        known = load_readings(store, asked, reader.version)
        fresh: Readings = {}
        for record, kind, data in _tellings(store, find(asked.partition(OF)[2])):
            if time.monotonic() > until:
                break
            if record not in known and record not in fresh:
                fresh[record] = reader.read(asked, spelled(kind, orjson.loads(data)))
        if fresh:
            found[asked] = fresh
    return found


def _tellings(store: Store, ids: Sequence[str]) -> list[tuple[int, str, str]]:
    with store.connection.cursor() as cursor:
        cursor.register("wanted", pa.table({"id": pa.array(ids, pa.string())}))
        return cursor.execute(
            f"SELECT {RECORD}, kind, data FROM events SEMI JOIN wanted USING (id)"
            " WHERE list_contains($1, kind)",
            [list(TELLINGS)],
        ).fetchall()
