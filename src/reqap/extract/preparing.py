"""Reads ahead what has been asked for often, in events that have come since.

What was read says which keys are asked of what ("people of: I had dinner"). The events that such a
query finds now and that were not read yet are read, so that the next question finds it done.
"""

import itertools
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

import orjson
import pyarrow as pa

from reqap.extract.kept import Readings, load_readings
from reqap.extract.reader import OF, Reader
from reqap.store import Store
from reqap.store.indexed import RECORD
from reqap.verbalize import TELLINGS, moment, spelled

MOST = 20  # keys
_AT_ONCE = 16  # texts that are read together
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
    at: str


def unread(store: Store, model: str, find: Find, seconds: float) -> list[Unread]:
    """What there is to read; the search for it takes no longer than so many seconds."""
    until = time.monotonic() + seconds
    found: dict[tuple[str, int], Unread] = {}
    for asked in asked_often(store):
        if time.monotonic() > until:
            break
        known = load_readings(store, asked, model)
        for record, kind, data, *span in _tellings(store, find(asked.partition(OF)[2])):
            if record not in known:
                found[asked, record] = Unread(asked, record, kind, data, moment(kind, *span))
    return list(found.values())


def read_ahead(reader: Reader, wanted: Sequence[Unread], seconds: float) -> dict[str, Readings]:
    """What was read, by key; as much as can be in so many seconds. Needs no store."""
    until = time.monotonic() + seconds
    found: dict[str, Readings] = {}
    for asked, group in itertools.groupby(wanted, lambda one: one.asked):
        for portion in _portions(group):
            if time.monotonic() > until:
                return found
            texts = [spelled(it.kind, orjson.loads(it.data), it.at) for it in portion]
            told = reader.read(asked, texts)
            read = zip((it.record for it in portion), told, strict=True)
            found.setdefault(asked, {}).update(read)
    return found


def _portions(wanted: Iterable[Unread]) -> Iterator[list[Unread]]:
    rest = iter(wanted)
    while portion := list(itertools.islice(rest, _AT_ONCE)):
        yield portion


def _tellings(store: Store, ids: Sequence[str]) -> list[tuple[int, str, str, datetime, datetime]]:
    with store.connection.cursor() as cursor:
        cursor.register("wanted", pa.table({"id": pa.array(ids, pa.string())}))
        return cursor.execute(
            f"SELECT {RECORD}, kind, data, start_at, end_at FROM events SEMI JOIN wanted USING (id)"
            " WHERE list_contains($1, kind)",
            [list(TELLINGS)],
        ).fetchall()
