"""Events as columns: the form in which they travel between processes and into the store.

Not the job of this module: DuckDB. Processes that only read exports do without it.
"""

from array import array
from collections.abc import Iterable, Sequence
from itertools import accumulate

import orjson
import pyarrow as pa

from reqap.events import Data, Event


def to_arrow(events: Sequence[Event]) -> pa.Table:
    """A batch of events as columns."""
    (
        ids, sources, kinds, starts, ends, offsets, data, origins, zoned, twins, coarse, revisions,
        series, series_revisions,
    ) = zip(*events, strict=True)  # fmt: skip
    stamp = pa.timestamp("us")
    return pa.table(
        {
            "id": pa.array(ids, pa.string()),
            "source": pa.array(sources, pa.string()),
            "kind": pa.array(kinds, pa.string()),
            "start_at": pa.array(starts, stamp),
            "end_at": pa.array(ends, stamp),
            "utc_offset": pa.array(offsets, pa.int16()),
            "user_zone": pa.array(zoned, pa.bool_()),
            "data": _json_column(data),
            "revision": pa.array(revisions, pa.int64()),
            "twin": pa.array(twins, pa.string()),
            "coarse": pa.array(coarse, pa.bool_()),
            "series": pa.array(series, pa.string()),
            "series_revision": pa.array(series_revisions, pa.int64()),
            "position": pa.array([origin.position for origin in origins], pa.int64()),
        }
    )


def _json_column(values: Iterable[Data]) -> pa.Array:
    """A text column of JSON. orjson gives valid UTF-8, so the bytes need no second look."""
    packed = [_packed(value) for value in values]
    ends = array("q", accumulate(map(len, packed), initial=0))
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(b"".join(packed))]
    return pa.Array.from_buffers(pa.large_string(), len(packed), buffers)


def _packed(data: Data) -> bytes:
    try:
        packed = orjson.dumps(data)
    except TypeError:
        packed = b"\\u0000"
    if b"\\u0000" not in packed:
        return packed
    return orjson.dumps({_sound(key): _sound(value) for key, value in data.items()})


def _sound(value: object) -> object:
    """A value in a form that the store takes: without NUL characters, halves of characters and
    numbers beyond 64 bits."""
    if isinstance(value, str):
        return value.replace("\x00", "").encode("utf-8", "replace").decode()
    if isinstance(value, int) and not -(1 << 63) <= value < 1 << 63:
        return str(value)
    if isinstance(value, Sequence):
        return [_sound(item) for item in value]
    return value
