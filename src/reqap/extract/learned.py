"""EXTRACT with the trained reader: what no data key tells is read from the texts of events.

Comes in by the same door as the patterns (`extractor`), which stand in where no model is installed.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import cast

import pyarrow as pa

from reqap.events import Data
from reqap.extract.concepts import AMOUNTS, NUMBERS, Asked
from reqap.extract.extractor import PatternExtractor
from reqap.extract.kept import Readings, load_readings, save_readings
from reqap.extract.reader import Reader, put
from reqap.extract.reading import ARROW, Found, Reading
from reqap.extract.telling import Teller
from reqap.extract.texts import FIELDS, Texts
from reqap.extract.told import NOTHING, Span, Told
from reqap.profile import Profile
from reqap.store import Store
from reqap.verbalize import TELLINGS, spelled_out

_LEAST_OF_RECORDS = 0.7  # how sure the network must be: records have keys to go by
_REMEMBERED = ["id", "value", "unit", "where", "chance"]
_WORDS = (*FIELDS, "location")  # what people write; not who wrote to whom
_BY_UNIT = 0.6  # how sure an amount is that only its unit tells
_MOST_OF = 0.3  # of what a key says, for it to be that key's value


class LearnedExtractor(PatternExtractor):
    """EXTRACT over a store; what was read anew can be saved when the store may be written."""

    def __init__(self, store: Store, reader: Reader) -> None:
        super().__init__(store)
        self._reader = reader
        self._read: dict[str, Readings] = {}  # all that is known, by the key as it was put
        self._fresh: dict[str, Readings] = {}
        self._finders: dict[tuple[str, str, str], ReadTexts] = {}
        self._columns: dict[tuple[str, ...], tuple[str, float] | None] = {}

    def texts(self, asked: Asked, profile: Profile, about: str) -> "ReadTexts":
        which = (asked.key, asked.type_name, about)
        finder = self._finders.get(which)
        if finder is None or finder.profile != profile:
            as_put = put(asked.key, about)
            if as_put not in self._read:
                self._read[as_put] = load_readings(self._store, as_put, self._reader.version)
            known, fresh = self._read[as_put], self._fresh.setdefault(as_put, {})
            finder = ReadTexts(asked, profile, self._reader, as_put, known, fresh)
            self._finders[which] = finder
        return finder

    def column(
        self, asked: Asked, kind: str, data: Mapping[str, object]
    ) -> tuple[str, float] | None:
        which = (asked.key, asked.type_name, kind, *data)
        if which not in self._columns:
            self._columns[which] = self._reader.column(asked.key, asked.type_name, kind, data)
        return self._columns[which]

    @property
    def has_news(self) -> bool:
        return any(self._fresh.values())

    def save(self, store: Store) -> None:
        """Keeps what was read since."""
        news = {as_put: dict(readings) for as_put, readings in list(self._fresh.items())}
        save_readings(store, news, self._reader.version)
        for as_put, saved in news.items():  # somebody may be reading on meanwhile
            for record in saved:
                self._fresh[as_put].pop(record, None)


class ReadTexts:
    """Reads one key in the texts of events."""

    def __init__(
        self,
        asked: Asked,
        profile: Profile,
        reader: Reader,
        as_put: str,
        known: Readings,
        fresh: Readings,
    ) -> None:
        self.profile = profile
        self._found: dict[str, Found | None] = {}  # by event
        self._stamp: object = None
        self._table: pa.Table | None = None  # the same
        self._type_name = asked.type_name
        self._teller = Teller(asked, profile)
        is_amount = asked.nature in AMOUNTS and asked.type_name in (*NUMBERS, "timedelta")
        self._amounts = Texts(asked, profile) if is_amount else None
        self._who = frozenset(profile.who)
        self._reader, self._as_put, self._known, self._fresh = reader, as_put, known, fresh

    reads = reads_records = True

    def remember(self, found: Mapping[str, Found | None], stamp: object) -> None:
        if found:
            self._found = {**(self._found if stamp == self._stamp else {}), **found}
            self._stamp, self._table = stamp, None

    def remembered(self, stamp: object) -> pa.Table | None:
        if stamp != self._stamp:
            return None
        if self._table is None and self._found:
            known = [(event, *_row(one)) for event, one in self._found.items()]
            types = (pa.string(), ARROW[self._type_name], pa.string(), pa.string(), pa.float32())
            columns = map(pa.array, zip(*known, strict=True), types)
            self._table = pa.table(list(columns), _REMEMBERED)
        return self._table

    def read_ahead(self, records: Iterable[tuple[int, str, Mapping[str, object], str]]) -> None:
        texts = {record: _spelled(kind, data, at)[0] for record, kind, data, at in records
                 if record not in self._known}  # fmt: skip
        if texts:
            told = self._reader.read(self._as_put, list(texts.values()))
            read = dict(zip(texts, told, strict=True))
            self._known.update(read)
            self._fresh.update(read)

    def find(
        self, record: int, kind: str, data: Mapping[str, object], start: datetime, at: str = ""
    ) -> Found | None:
        self.read_ahead([(record, kind, data, at)])
        told = self._known[record]
        if told.sort == NOTHING and not (self._amounts or self._teller.looks_further):
            return None
        text, places = _spelled(kind, data, at)
        if kind not in TELLINGS:
            return self._in_record(told, places, self._teller.value(told, text, start))
        said = [places[key] for key in _WORDS if key in places]
        if told.sort == NOTHING:
            told = self._teller.by_places(told, text, said)
            told = self._teller.by_venue(text, places.get("location", (0, 0)), said) or told
        reading = self._teller.value(told, text, start)
        if reading is None:
            if self._amounts:
                return self._by_unit(data, start)
            addressed = text[slice(*places.get("recipient", (0, 0)))]
            return self._teller.by_people("; ".join(text[slice(*span)] for span in said), addressed)
        pieces = ", ".join(f"'{text[slice(*span)]}'" for span in told.spans)
        where = f"text: {pieces}" if pieces else "text, between the lines"
        return Found(reading, where, told.chance)

    def _by_unit(self, data: Mapping[str, object], start: datetime) -> Found | None:
        """The only amount that a text has, which the network did not see; its unit tells it."""
        there = [{field: data[field]} for field in FIELDS if field in data]
        found = [one for field in there if self._amounts
                 and (one := self._amounts.find(0, "", field, start))]  # fmt: skip
        is_one = len({one.reading for one in found}) == 1
        return found[0]._replace(chance=_BY_UNIT) if is_one else None

    def _in_record(
        self, told: Told, places: Mapping[str, Span], reading: Reading | None
    ) -> Found | None:
        """Of a record, the key of whose value the network points at most."""
        if told.chance < _LEAST_OF_RECORDS:
            return None
        shares: dict[str, float] = {}
        for begin, end in told.spans:
            for key, (start, stop) in places.items():
                if start <= begin and end <= stop:
                    shares[key] = shares.get(key, 0.0) + (end - begin) / (stop - start)
        if not shares:
            return None
        key = max(shares, key=shares.__getitem__)
        if shares[key] >= _MOST_OF:
            return Found(reading or Reading(""), "", told.chance, key)
        return Found(reading, f"text of {key}", told.chance) if reading else None

    def is_user(self, reading: Reading) -> bool:
        names = reading.value if isinstance(reading.value, list) else [str(reading.value)]
        return self._who.issuperset(names)


def _row(found: Found | None) -> tuple[object, ...]:
    return (*found.reading, found.where, found.chance) if found else (None,) * 4


def _spelled(kind: str, data: Mapping[str, object], at: str) -> tuple[str, dict[str, Span]]:
    there = {key: value for key, value in data.items() if value is not None}
    return spelled_out(kind, cast(Data, there), at)
