"""A made-up life as RETRIEVE and EXTRACT would serve it, and the paper's questions to it.

Streams of music, and workouts in between. The same seed gives the same events. A longer life has
more days, not fuller ones, so that whatever is computed per day grows with the number of events.
Not the job of this module: files of any export (`make_spotify`, `make_health`).
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
_PLACES, _ARTISTS = 40, 500
_SECOND = np.timedelta64(1_000_000, "us")

# Operator trees of the paper.
PAPER = {
    "How much money did I spend on online purchases in March 2022?": """
SUM(l=EXTRACT(l=FILTER(l=EXTRACT(l=RETRIEVE(query="my online purchases"),
    attr_names=["purchase_date"], attr_types=[date.fromisoformat]),
    filter=lambda attr: attr["purchase_date"].year == 2022 and attr["purchase_date"].month == 3),
    attr_names=["amount_spent"], attr_types=[float]), attr_name="amount_spent")""",
    "First football training after I started as Engineer: when was it?": """
MIN(l=FILTER(l=EXTRACT(l=RETRIEVE(query="I played football"), attr_names=["start_datetime"],
    attr_types=[datetime.fromtimestamp]), filter=lambda attr: attr["start_datetime"] >=
    MIN(l=EXTRACT(l=RETRIEVE(query="I started as Engineer"), attr_names=["start_datetime"],
    attr_types=[datetime.fromtimestamp]), attr_name="start_datetime").result),
    attr_name="start_datetime")""",
    "Which restaurants did we visit when in Bali, Indonesia?": """
EXTRACT(l=JOIN(l1=EXTRACT(l=RETRIEVE(query="restaurants I visited"),
    attr_names=["visit_date", "restaurant_name"], attr_types=[date.fromisoformat, str]),
    l2=EXTRACT(l=RETRIEVE(query="I was in Bali, Indonesia"), attr_names=["start_date", "end_date"],
    attr_types=[date.fromisoformat, date.fromisoformat]),
    condition="i1.visit_date >= i2.start_date and i1.visit_date <= i2.end_date"),
    attr_names=["restaurant_name"], attr_types=[str])""",
    "Which doctor's appointment was the earliest in the day?": """
ARGMIN(l=EXTRACT(l=RETRIEVE(query="my doctor's appointments"),
    attr_names=["start_time", "appointment_details"], attr_types=[time.fromisoformat, str]),
    arg_attr_name="start_time", val_attr_name="appointment_details")""",
    "How many products did I buy online in the last 6 months?": """
SUM(l=FILTER(l=EXTRACT(l=RETRIEVE(query="I bought a product online"),
    attr_names=["purchase_date", "quantity"], attr_types=[date.fromisoformat, int]),
    filter=lambda attr: attr["purchase_date"] >= (date.today() - relativedelta(months=6))),
    attr_name="quantity")""",
    "On which day did I listen to music the most?": """
ARGMAX(l=MAP(l=GROUP_BY(l=EXTRACT(l=RETRIEVE(query="I listened to music"),
    attr_names=["start_date"], attr_types=[date.fromisoformat]), attr_names=["start_date"]),
    fct=len, res_name="num_songs"), arg_attr_name="num_songs", val_attr_name="start_date")""",
    "How often did I meet with both my parents in the evening?": """
APPLY(l=FILTER(l=JOIN(l1=RETRIEVE(query="I met with my mum"),
    l2=RETRIEVE(query="I met with my dad"),
    condition="i1.start_datetime <= i2.end_datetime and i2.start_datetime <= i1.end_datetime"),
    filter=lambda attr: attr["start_time"].hour >= 18 and attr["start_time"].hour < 24),
    fct=len)""",
    "Which artist did I listen to most when running?": """
ARGMAX(l=MAP(l=GROUP_BY(l=UNNEST(l=EXTRACT(l=JOIN(
    l1=EXTRACT(l=RETRIEVE(query="I listened to a song"), attr_names=["start_datetime",
    "end_datetime"], attr_types=[datetime.fromtimestamp, datetime.fromtimestamp]),
    l2=EXTRACT(l=RETRIEVE(query="I went running"), attr_names=["start_datetime",
    "end_datetime"], attr_types=[datetime.fromtimestamp, datetime.fromtimestamp]),
    condition="i1.start_datetime >= i2.start_datetime and i1.end_datetime <= i2.end_datetime"),
    attr_names=["artist_names"], attr_types=[list]), nested_attr_name="artist_names",
    unnested_attr_name="artist"), attr_names=["artist"]), fct=len, res_name="count"),
    arg_attr_name="count", val_attr_name="artist")""",
}


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
        places = pa.array([f"place {n}" for n in range(_PLACES)])
        self.values = {
            "float": pa.array(price, mask=self._random.random(count) < 0.1),
            "int": pa.array(self._random.integers(1, 6, count)),
            "bool": pa.array(self._random.random(count) < 0.5),
            "str": places.take(pa.array(self._random.integers(0, _PLACES, count))),
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
        chosen = (self._random.random(offsets[-1]) ** 2 * _ARTISTS).astype(np.int64)
        names = pa.array([f"artist {n}" for n in range(_ARTISTS)]).take(pa.array(chosen))
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

    def extract(self, ids: pa.Array, key: str, type_name: str) -> pa.Table:
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
