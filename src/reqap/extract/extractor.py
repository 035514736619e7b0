"""`PatternExtractor`: the values of one key for many events, a kind at a time.

The first events of a kind are read one by one: by the best data key, the event's own times, or a
pattern in its texts. Where no rule knows a key of a record, `column` may know. Where most of them
agree, that way is frozen and the rest is read in bulk.
Not the job of this module: what keys mean (`concepts`), what values say (`reading`, `texts`).
"""

import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple, Protocol

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc

from reqap.errors import ValueProblem
from reqap.extract.columns import DURATION
from reqap.extract.concepts import (
    LATE,
    MAX_KEY,
    NUMBERS,
    Asked,
    may_tell,
    rank,
    split_key,
    understand,
)
from reqap.extract.kinds import Kinds
from reqap.extract.reading import (
    ARROW,
    Found,
    Reading,
    countries,
    is_in_place,
    possible,
    read,
    towns,
    unit_keys,
    venues,
)
from reqap.extract.spelling import one_spelling
from reqap.extract.texts import FIELDS, Texts
from reqap.extract.times import Own, is_span, own_by
from reqap.profile import Profile
from reqap.store import Store
from reqap.store.indexed import RECORD
from reqap.verbalize import TELLINGS, moment

SAMPLE = 50
AGREE = 0.7
_OWN = "\0"  # the way to the event's own times; all other ways are data keys
MAX_ABOUT = 500  # of what a key is asked
Tick = Callable[[], object]
Column = Callable[[Asked, str, Mapping[str, object]], tuple[str, float] | None]
_MATCHED = 2.9  # the rank of a column of which no rule knows
_LEAST_OF_TELLINGS = 0.9  # how sure a column must be where words may tell better
_AT_ONCE = 16  # records that are read together
_MOST_COLUMNS = 60  # of a record that are matched; a hostile one has many
# Ways that are read in bulk, and kinds whose columns are read; a life has a few, a hostile one any
# number.
_MOST_WAYS = 32


class Finder(Protocol):
    """Looks for one key in the texts of events."""

    @property
    def reads(self) -> bool:
        """Whether there is anything to look for."""

    @property
    def reads_records(self) -> bool:
        """Whether records that tell nothing in sentences are looked at, too."""

    def find(
        self, record: int, kind: str, data: Mapping[str, object], start: datetime, at: str = ""
    ) -> Found | None:
        """`record` is what the event says, as a number; `at` the part of the day (`moment`)."""

    def read_ahead(self, records: Iterable[tuple[int, str, Mapping[str, object], str]]) -> None:
        """These are going to be looked at: together, that takes less time."""

    def remember(self, found: Mapping[str, Found | None], stamp: object) -> None:
        """What was found by event, until the stamp of all events is another one."""

    def remembered(self, stamp: object) -> pa.Table | None:
        """The same again: id, and value, unit, where and chance, null where nothing is told."""

    def is_user(self, reading: Reading) -> bool: ...


class PatternExtractor:
    """EXTRACT without a model: what keys, units and regular patterns can tell."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._kinds = Kinds()

    def texts(self, asked: Asked, profile: Profile, about: str) -> Finder:
        """What finds values in texts; `about` says of what a key is asked."""
        return Texts(asked, profile)

    def column(
        self, asked: Asked, kind: str, data: Mapping[str, object]
    ) -> tuple[str, float] | None:
        """The column of a kind that answers a key where no rule knows, or an own time; how likely
        that is."""
        return None

    def extract(
        self, ids: pa.Array, key: str, type_name: str, about: str = "", tick: Tick = bool
    ) -> pa.Table:
        """One row (value, unit, where, chance) per id, in order; null where the event does not
        tell. `tick` is called for every event that is read by itself, and may raise."""
        if type_name not in ARROW:
            raise ValueProblem(f"{type_name!r} is not a type; known are {', '.join(ARROW)}")
        sound = _sound(key[:MAX_KEY])
        asked = understand(sound, type_name)
        profile = Profile.saved(self._store.load_profile())
        texts = self.texts(asked, profile, _sound(about[:MAX_ABOUT]))
        work = _Work(self._store, ids, asked, texts, self._kinds, self.column, tick)
        if len(key) <= MAX_KEY:
            work.run()
        return work.table()


def _sound(text: str) -> str:
    return text.encode("utf-8", "replace").decode().replace("\0", "")


class _Work:
    """One call of `extract`."""

    def __init__(
        self,
        store: Store,
        ids: pa.Array,
        asked: Asked,
        texts: Finder,
        kinds: Kinds,
        column: Column,
        tick: Tick,
    ) -> None:
        self.asked, self.texts, self.column, self.tick = asked, texts, column, tick
        self.db = store.connection.cursor()
        self.kinds, self.keys = kinds, kinds.keys(self.db)
        self.stamp = kinds.stamp
        self.read_now: dict[str, Found | None] = {}  # by event, in texts
        self.wanted = pa.table({"id": ids, "position": np.arange(len(ids))})
        types = (pa.int64(), ARROW[asked.type_name], pa.string(), pa.string(), pa.float32())
        names = ("position", "value", "unit", "where", "chance")
        self.schema = pa.schema(list(zip(names, types, strict=True)))
        self.parts = [self.schema.empty_table()]
        self.own = pa.nulls(len(ids), ARROW[asked.type_name])  # by position
        self.owns: dict[str, Own] = {}  # by kind, where they are not what is usually meant
        self.sure: dict[str, float] = {}  # of columns that were matched
        # Records are looked into only at first, unless those of a kind turn out to tell in words.
        self.is_sample, self.wordy = True, set[str](TELLINGS)
        self.ranks: dict[str, dict[str, float]] = defaultdict(dict)  # by kind and data key
        self.written = np.zeros(len(ids), np.bool_)  # by position: what people wrote

    def run(self) -> None:
        rows = self.recall(self.survey())
        ways = self.read_each(rows.filter(pc.less_equal(rows["nth"], SAMPLE)))
        self.is_sample = False
        frozen = {kind: way for (kind, way), count in ways.items()
                  if count >= SAMPLE * AGREE and not self.is_vague(kind)}  # fmt: skip
        rest = rows.filter(pc.greater(rows["nth"], SAMPLE))
        kinds = rest["kind"].combine_chunks().dictionary_encode()
        chosen = [frozen.get(kind) for kind in kinds.dictionary.to_pylist()]
        column = pa.array(chosen, pa.string()).take(kinds.indices)
        for way in list(dict.fromkeys(way for way in chosen if way))[:_MOST_WAYS]:
            part = rest.filter(pc.equal(column, way))
            if way != _OWN:
                self.read_bulk(part, way)
                continue
            for kind in pc.unique(part["kind"]).to_pylist():
                self.read_own(part.filter(pc.equal(part["kind"], kind))["position"], kind)
        done = pa.concat_tables(self.parts)["position"]
        self.read_each(rest.filter(pc.invert(pc.is_in(rest["position"], value_set=done))))
        self.texts.remember(self.read_now, self.stamp)

    def survey(self) -> pa.Table:
        """The events there are, with their own times and numbers within their kinds."""
        own = self.asked.own.sql if self.asked.own else "NULL"
        rows = self.fetch(self.wanted, f"w.position, w.id, e.kind, {own} AS own").read_all()
        if np.any(np.diff(rows["position"].to_numpy()) < 0):
            rows = rows.sort_by("position")
        if self.asked.own:
            self.own = rows["own"].cast(self.schema.types[1]).combine_chunks()
        rows = rows.filter(pc.is_valid(rows["kind"]))
        told = rows.filter(pc.is_in(rows["kind"], value_set=pa.array(TELLINGS)))
        self.written[told["position"].to_numpy()] = True
        kinds = rows["kind"].combine_chunks().dictionary_encode()
        codes, nth = kinds.indices.to_numpy(zero_copy_only=False), np.zeros(len(rows), np.int64)
        for code, kind in enumerate(kinds.dictionary.to_pylist()):
            where = np.flatnonzero(codes == code)
            nth[where] = np.arange(1, len(where) + 1)
            for key in self.keys.get(kind, ()):
                if (place := rank(self.asked, kind, key)) is not None:
                    self.ranks[kind][key] = place
            if code < _MOST_WAYS and self.is_open(kind):
                self.match(kind, rows.filter(pa.array(codes == code)))
        return rows.append_column("nth", pa.array(nth))

    def is_open(self, kind: str) -> bool:
        """Whether no rule knows what in a record answers."""
        own = self.asked.own
        known = own is not None and not (own.is_last or own.is_loose)
        return not known and not any(place < LATE for place in self.ranks[kind].values())

    def match(self, kind: str, rows: pa.Table) -> None:
        """Takes the column or own time of a kind that is likeliest meant."""
        self.tick()
        asked, data = self.asked, self.kinds.columns(self.db, kind)
        columns = possible(asked, dict(list(data.items())[:_MOST_COLUMNS]))
        if kind in TELLINGS:  # what people write is read
            columns = {key: value for key, value in columns.items()
                        if key not in FIELDS and may_tell(asked, key)}  # fmt: skip
        matched = self.column(asked, kind, columns)
        if matched is None or (kind in TELLINGS and matched[1] < _LEAST_OF_TELLINGS):
            if asked.measure != "time" or not is_span(asked.words, split_key(kind)[0]):
                return
            matched = DURATION, 1.0
        found, chance = matched
        if found in data:
            self.ranks[kind][found] = _MATCHED
            self.sure[found] = min(chance, self.sure.get(found, 1.0))
            return
        if kind in TELLINGS[1:]:  # when it was written is not when it was
            return
        if own := own_by(found, asked.words, asked.type_name, asked.unit):
            self.owns[kind] = own
            told = self.fetch(rows, f"w.position, {own.sql} AS own").read_all()
            at = np.full(len(self.wanted), -1)
            at[told["position"].to_numpy()] = np.arange(len(told))
            values = told["own"].cast(self.own.type).take(pa.array(at, mask=at < 0))
            self.own = pc.if_else(pa.array(at >= 0), values.combine_chunks(), self.own)

    def recall(self, rows: pa.Table) -> pa.Table:
        """Takes what was found before, where nothing but words can tell; the rows that are left."""
        kinds = [kind for kind in TELLINGS if not self.ranks[kind]]
        known = self.texts.remembered(self.stamp) if kinds and not self.asked.own else None
        if known is None:
            return rows
        at = pc.index_in(rows["id"], value_set=known["id"])
        asked = pc.is_in(rows["kind"], value_set=pa.array(kinds))
        is_known = pc.and_(asked, pc.is_valid(at))
        found = known.drop_columns("id").take(at.filter(is_known))
        self.add(rows["position"].filter(is_known), *found.columns)
        return rows.filter(pc.invert(is_known))

    def fetch(
        self, rows: pa.Table, columns: str, *values: str | list[str], where: str = "true"
    ) -> pa.RecordBatchReader:
        self.db.register("wanted", rows.select(["id", "position"]))
        sql = f"SELECT {columns} FROM wanted w LEFT JOIN events e ON e.id = w.id WHERE {where}"
        return self.db.sql(sql, params=list(values)).to_arrow_reader(10_000)

    def read_own(self, places: pa.ChunkedArray, kind: str) -> None:
        if own := self.owns.get(kind, self.asked.own):
            told = (pa.scalar(own.unit, pa.string()), own.where, pa.scalar(1.0, pa.float32()))
            self.add(places, self.own.take(places), *(pa.repeat(it, len(places)) for it in told))

    def read_bulk(self, rows: pa.Table, way: str) -> None:
        """Reads one data key of many events, each distinct value once.

        Events that have the very key that was asked for are left to `read_each`.
        """
        there = {key for keys in self.keys.values() for key in keys}
        keys = [way, *(key for key in unit_keys(way) if key in there)]
        has_own = self.asked.key != way and self.asked.key in there
        keys += [self.asked.key] if has_own else []
        paths = ["/" + key.replace("~", "~0").replace("/", "~1") for key in keys]
        said = [f"e.data -> ${number}" for number in range(1, len(paths) + 1)]
        where = f"({said.pop()}) IS NULL" if has_own else "true"
        units = ", ".join((*said[1:], "'null'"))
        pair = f"'[' || ({said[0]}) || ',' || coalesce({units}) || ']' AS pair"
        rows = self.fetch(rows, f"w.position, {pair}", *paths, where=where).read_all()
        pairs = rows["pair"].combine_chunks().dictionary_encode()
        known = [self.read(way, *orjson.loads(text)) for text in pairs.dictionary.to_pylist()]
        told = [(*k, f"data key {way}", self.sure.get(way, 1.0)) if k else (None,) * 4
                for k in known]  # fmt: skip
        if told:
            columns = map(pa.array, zip(*told, strict=True), self.schema.types[1:])
            self.add(rows["position"], *(column.take(pairs.indices) for column in columns))

    def read_each(self, rows: pa.Table) -> Counter[tuple[str, str]]:
        """Reads events one by one; how often each kind was read by each way."""
        ways: Counter[tuple[str, str]] = Counter()
        found: list[tuple[object, ...]] = []
        if not len(rows):
            return ways
        # Events without any key that may tell something need not be looked at: often most of them.
        keys = {key for ranks in self.ranks.values() for key in ranks}
        keys |= {*FIELDS} if self.texts.reads else set()
        everything = bool(self.asked.own or self.owns)
        everything = everything or (self.is_sample and self.texts.reads_records)
        where = f"list_has_any(json_keys(e.data), $1) OR {everything}"
        columns = f"w.position, w.id, {RECORD}, e.kind, e.start_at, e.end_at, e.data"
        for batch in self.fetch(rows, columns, ["", *keys], where=where):
            raw = zip(*(column.to_pylist() for column in batch), strict=True)
            while portion := list(itertools.islice(raw, _AT_ONCE)):
                events = [
                    _Event(place, event, record, kind, start, orjson.loads(data),
                           moment(kind, start, end))
                    for place, event, record, kind, start, end, data in portion
                ]  # fmt: skip
                self.tick()
                only_words = filter(self.has_only_words, events)
                self.texts.read_ahead((it.record, it.kind, it.data, it.at) for it in only_words)
                for event in events:
                    self.tick()
                    for known, way in self.readings(event):
                        found.append((event.place, *known.reading, known.where, known.chance))
                        ways[event.kind, way] += 1
                        break
        self.add_rows(found)
        return ways

    def has_only_words(self, event: "_Event") -> bool:
        """Whether an event will be read for what no column of it tells."""
        ranks, vague = self.ranks[event.kind], self.is_vague(event.kind)
        telling = (value for key, value in event.data.items()
                   if ranks.get(key, LATE) < LATE and value is not None)  # fmt: skip
        if any(not (vague and is_in_place(value)) for value in telling):
            return False
        if event.kind in TELLINGS[1:]:
            return True
        is_sample = self.is_sample and self.texts.reads_records
        return (event.kind in self.wordy or is_sample) and not self.own[event.place].is_valid

    def readings(self, event: "_Event") -> Iterator[tuple[Found, str]]:
        """What an event tells, the best first, and the way ("" where none can freeze)."""
        ranks, data = self.ranks[event.kind], event.data
        ranked = sorted((ranks[key], key) for key in data if key in ranks)
        vague: list[Found] = []
        for order, key in ranked:
            if order < LATE and (known := self.read_key(key, data)):
                found = Found(known, f"data key {key}", self.sure.get(key, 1.0))
                if self.is_vague(event.kind) and is_in_place(known.value):
                    vague.append(found)
                else:
                    yield found, key
        own = list(self.by_own_times(event))
        # A mail is of the day after; a calendar knows when; a record may have a column of its own.
        told = (
            event.kind not in self.owns
            and self.asked.own
            and (self.asked.own.is_last or (self.asked.own.is_loose and event.kind not in TELLINGS))
        )
        if told or event.kind in TELLINGS[1:]:
            yield from self.in_texts(event)
            yield from own
        else:
            yield from own
            yield from self.in_texts(event)
        yield from ((found, "") for found in vague)
        for order, key in ranked:
            known = self.read_key(key, data) if order >= LATE else None
            if known and not self.texts.is_user(known) and self.may_be(known, event.kind):
                yield Found(known, f"data key {key}"), ""

    def may_be(self, known: Reading, kind: str) -> bool:
        """Where an appointment is may be a restaurant, which is no destination."""
        return is_in_place(known.value) or not (self.asked.is_town and kind in TELLINGS)

    def is_vague(self, kind: str) -> bool:
        """Whether words may tell better where something was: the town stands in the calendar, and
        the restaurant in what it says."""
        return self.asked.is_venue and kind in TELLINGS

    def by_own_times(self, event: "_Event") -> Iterator[tuple[Found, str]]:
        own = self.owns.get(event.kind, self.asked.own)
        if own and (value := self.own[event.place].as_py()) is not None:
            yield Found(Reading(value, own.unit), own.where), _OWN

    def in_texts(self, event: "_Event") -> Iterator[tuple[Found, str]]:
        """What words tell; in a record, as a rule, the value of some key."""
        if self.texts.reads_records and not self.is_sample and event.kind not in self.wordy:
            return
        seen = self.texts.find(event.record, event.kind, event.data, event.start, event.at)
        if event.kind in TELLINGS:
            self.read_now[event.id] = seen
        if seen is None:
            return
        if seen.key is None:
            self.wordy.add(event.kind)
            yield seen, ""
        elif seen.key in possible(self.asked, event.data) and (
            known := self.read_key(seen.key, event.data)
        ):
            yield seen._replace(reading=known, where=f"data key {seen.key}"), seen.key

    def read_key(self, key: str, data: Mapping[str, object]) -> Reading | None:
        return self.read(key, data[key], next((data[k] for k in unit_keys(key) if k in data), None))

    def read(self, key: str, raw: object, unit: object) -> Reading | None:
        words, own = split_key(key)
        found = read(self.asked, raw, own or (unit if isinstance(unit, str) else None))
        if found and self.in_cents(words) and isinstance(found.value, int | float):
            amount = found.value / 100
            found = found._replace(
                value=amount if self.asked.type_name == "float" else round(amount)
            )
        asked = self.asked
        if found is None or "country" in words or not (asked.is_country or asked.is_inexact):
            return found
        # Where a country is asked for, a city is told, as a rule.
        meant = countries if asked.is_country else towns if asked.names_town else venues
        value = found.value
        known = meant(value if isinstance(value, list) else [str(value)])
        return Reading(known if isinstance(value, list) else known[0])

    def in_cents(self, words: tuple[str, ...]) -> bool:
        """Whether a column counts in hundredths of what is asked for."""
        is_amount = self.asked.type_name in NUMBERS and "cent" not in self.asked.words
        return words[-1:] == ("cent",) and words[-2:-1] != ("per",) and is_amount

    def add(self, *columns: pa.Array) -> None:
        part = pa.table(list(columns), schema=self.schema)
        self.parts.append(part.filter(pc.is_valid(part["value"])))

    def add_rows(self, found: Sequence[tuple[object, ...]]) -> None:
        if found:
            self.add(*map(pa.array, zip(*found, strict=True), self.schema.types))

    def table(self) -> pa.Table:
        """What was found, in the order asked; positions without a finding are null."""
        found = pa.concat_tables(self.parts).combine_chunks()
        at = np.full(len(self.wanted), -1)
        places = found["position"].to_numpy()
        # Reversed: of what was found twice, the first counts.
        at[places[::-1]] = np.arange(len(found))[::-1]
        made = found.take(pa.array(at, mask=at < 0)).drop_columns("position").combine_chunks()
        if self.asked.type_name not in ("str", "list"):
            return made
        values = made["value"].combine_chunks()
        return made.set_column(0, "value", one_spelling(values, self.written))


class _Event(NamedTuple):
    place: int
    id: str
    record: int
    kind: str
    start: datetime
    data: Mapping[str, object]
    at: str
