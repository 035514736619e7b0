"""A made-up life as RETRIEVE and EXTRACT would serve it: music, and workouts in between.

The same seed gives the same events. A longer life has more days, not fuller ones, so that whatever
is computed per day grows with the number of events. Not the job of this module: files of any
export (`make_spotify`, `make_health`).
"""

from datetime import datetime
from time import perf_counter

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

TODAY = datetime(2022, 11, 1, 12)
_FIRST = np.datetime64("2022-01-01T06:00:00", "us")
_APART = 630  # seconds from stream to stream: a million in twenty years
PER_WORKOUT = 200  # streams
# The paper's questions look for two places and for Robert.
_PLACES = ["Italian", "in the park", *(f"place {n}" for n in range(2, 40))]
_ARTISTS = ["Robert", *(f"artist {n}" for n in range(1, 500))]
_SECOND = np.timedelta64(1_000_000, "us")


class Life:
    """All events in one table: the streams, then the workouts; a column per type of attribute."""

    def __init__(self, streams: int, seed: int = 20260101) -> None:
        self.streams = streams
        self.workouts = streams // PER_WORKOUT
        self._random = np.random.default_rng(seed)
        start, length = self._times()
        end = start + length * _SECOND
        count = len(start)
        number = pa.array(np.arange(count))
        self.ids = pc.binary_join_element_wise("e", number.cast(pa.string()), "")
        self.start = pa.array(start, pa.timestamp("us"))
        self.end = pa.array(end, pa.timestamp("us"))
        price = np.round(self._random.lognormal(2.5, 0.8, count), 2)
        self.values = {
            "float": pa.array(price, mask=self._random.random(count) < 0.1),
            "int": pa.array(self._random.integers(1, 6, count)),
            "bool": pa.array(self._random.random(count) < 0.5),
            "str": pa.array(_PLACES).take(pa.array(self._random.integers(0, len(_PLACES), count))),
            "list": self._lists(count),
            "timedelta": pa.array(length * _SECOND, pa.duration("us")),
        }

    def _times(self) -> tuple[np.ndarray, np.ndarray]:
        """Starts, and lengths in seconds."""
        made = []
        for count, apart, short, long in (
            (self.streams, _APART, 120, 300),
            (self.workouts, _APART * PER_WORKOUT, 1800, 5400),
        ):
            shift = self._random.integers(0, apart // 2, count)
            start = _FIRST + (np.arange(count) * apart + shift) * _SECOND
            made.append((start, self._random.integers(short, long, count)))
        starts, lengths = zip(*made, strict=True)
        return np.concatenate(starts), np.concatenate(lengths)

    def _lists(self, count: int) -> pa.ListArray:
        """One to three names; a few of them stand in many lists."""
        sizes = self._random.integers(1, 4, count)
        offsets = np.concatenate([[0], np.cumsum(sizes)])
        chosen = (self._random.random(offsets[-1]) ** 2 * len(_ARTISTS)).astype(np.int64)
        names = pa.array(_ARTISTS).take(pa.array(chosen))
        return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), names)

    def moments(self, key: str, type_name: str) -> pa.Array:
        """What the event's own times give for a key."""
        moment = self.end if "end" in key else self.start
        kinds = {"date": pa.date32(), "time": pa.time64("us"), "datetime": pa.timestamp("us")}
        return moment.cast(kinds[type_name])


class Served:
    """Stands in for RETRIEVE and EXTRACT, and keeps the seconds it takes, which count for nobody.

    The first query that a run asks gives all streams, every other one the workouts.
    """

    def __init__(self, life: Life) -> None:
        self._life = life
        self._asked: list[str] = []
        self.seconds = 0.0

    def retrieve(self, query: str, today: datetime, within: pa.Array | None = None) -> pa.Table:
        began = perf_counter()
        if query not in self._asked:
            self._asked.append(query)
        life = self._life
        first = self._asked[0] == query
        offset, count = (0, life.streams) if first else (life.streams, life.workouts)
        found = pa.table(
            {
                "happening": pa.array(np.arange(count)),
                "id": life.ids.slice(offset, count),
                "start": life.start.slice(offset, count),
                "end": life.end.slice(offset, count),
                "why": pa.repeat("music" if first else "workout", count),
            }
        )
        self.seconds += perf_counter() - began
        return found

    def extract(
        self, ids: pa.Array, key: str, type_name: str, *_: object, **__: object
    ) -> pa.Table:
        began = perf_counter()
        numbers = pc.utf8_slice_codeunits(ids, 1).cast(pa.int64())
        whole = self._life.values.get(type_name)
        values = (self._life.moments(key, type_name) if whole is None else whole).take(numbers)
        unit = pa.scalar("EUR" if type_name == "float" else None, pa.string())
        told = pa.table(
            {
                "value": values,
                "unit": pa.repeat(unit, len(ids)),
                "where": pa.repeat(f"data key {key}", len(ids)),
            }
        )
        self.seconds += perf_counter() - began
        return told
