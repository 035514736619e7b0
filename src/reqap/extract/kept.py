"""What the network has read is kept in the store, so that nothing is read twice.

Kept is what it pointed at, by what the record says, the key as it was put, and the model; not the
value, which also hangs on the profile. Not the job of this module: reading (`reader`).
"""

from collections.abc import Mapping

import pyarrow as pa

from reqap.extract.told import Told
from reqap.store import Store
from reqap.store.indexed import RECORD
from reqap.store.ingest import transaction

_SCHEMA = pa.schema([
    ("record", pa.uint64()), ("asked", pa.string()), ("model", pa.string()), ("sort", pa.int8()),
    ("chance", pa.float32()), ("spans", pa.list_(pa.int32())), ("implied", pa.string()),
    ("sure", pa.list_(pa.float32())),
])  # fmt: skip
Readings = dict[int, Told]  # by record


def load_readings(store: Store, asked: str, model: str) -> Readings:
    """What is known of a key, for all records."""
    with store.connection.cursor() as cursor:
        rows = cursor.execute(
            "SELECT record, sort, chance, spans, implied, sure FROM readings"
            " WHERE asked = ? AND model = ?",
            [asked, model],
        ).fetchall()
    return {record: Told(sort, chance, tuple(zip(spans[::2], spans[1::2], strict=True)), implied,
                         tuple(sure))
            for record, sort, chance, spans, implied, sure in rows}  # fmt: skip


def save_readings(store: Store, found: Mapping[str, Readings], model: str) -> None:
    """`found` by the key as it was put; what other models have read is of no use any more."""
    rows = [
        {"record": record, "asked": asked, "model": model, "sort": told.sort,
         "chance": told.chance, "spans": [at for span in told.spans for at in span],
         "implied": told.implied, "sure": list(told.sure)}
        for asked, readings in found.items() for record, told in readings.items()
    ]  # fmt: skip
    with store.connection.cursor() as cursor, transaction(cursor):
        cursor.execute("DELETE FROM readings WHERE model <> ?", [model])
        cursor.register("found", pa.Table.from_pylist(rows, _SCHEMA))
        # What was forgotten meanwhile must not come back.
        cursor.execute(
            "INSERT INTO readings SELECT * FROM found f WHERE NOT EXISTS (SELECT 1 FROM readings r"
            " WHERE r.record = f.record AND r.asked = f.asked)"
            f" AND f.record IN (SELECT {RECORD} FROM events)"
        )
