"""Reads ahead what has been asked for often, in events that have come since.

What was read says which keys are asked of what ("people of: I had dinner"). The events that such a
query finds now and that were not read yet are read, so that the next question finds it done.
"""

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

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


class Unread(NamedTuple):
    """A key as it is put, and a record that it was not read in."""

    asked: str
    record: int
    kind: str
    data: str


def unread(store: Store, model: str, find: Find, seconds: float) -> list[Unread]:
    """What there is to read; the search for it takes no longer than so many seconds."""
    until = time.monotonic() + seconds
    found: dict[tuple[str, int], Unread] = {}
    for asked in asked_often(store):
        if time.monotonic() > until:
            break
        known = load_readings(store, asked, model)
        for record, kind, data in _tellings(store, find(asked.partition(OF)[2])):
            if record not in known:
                found[asked, record] = Unread(asked, record, kind, data)
    return list(found.values())


def read_ahead(reader: Reader, wanted: Sequence[Unread], seconds: float) -> dict[str, Readings]:
    """What was read, by key; as much as can be in so many seconds. Needs no store."""
    until = time.monotonic() + seconds
    found: dict[str, Readings] = {}
    for one in wanted:
        if time.monotonic() > until:
            break
        text = spelled(one.kind, orjson.loads(one.data))
        found.setdefault(one.asked, {})[one.record] = reader.read(one.asked, text)
    return found


def _tellings(store: Store, ids: Sequence[str]) -> list[tuple[int, str, str]]:
    with store.connection.cursor() as cursor:
        cursor.register("wanted", pa.table({"id": pa.array(ids, pa.string())}))
        return cursor.execute(
            f"SELECT {RECORD}, kind, data FROM events SEMI JOIN wanted USING (id)"
            " WHERE list_contains($1, kind)",
            [list(TELLINGS)],
        ).fetchall()
