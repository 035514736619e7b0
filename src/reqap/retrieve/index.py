"""The index of RETRIEVE, in the store: each distinct text of an event, encoded once.

Brought up to date after an import, in portions: what is interrupted goes on where it stopped. An
index of another model, or for somebody of another name, is made anew.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, time
from typing import NamedTuple

import duckdb
import numpy as np
import numpy.typing as npt
import orjson
import pyarrow as pa

from reqap.events import Data
from reqap.gazetteer import country_of
from reqap.profile import Profile, When
from reqap.profile.naming import Naming
from reqap.retrieve.encoding import Encoder, unpacked_words
from reqap.store import Store
from reqap.store.indexed import TOLD, forget_unsaid
from reqap.store.ingest import transaction
from reqap.values.feasts import feast_on
from reqap.verbalize import explained, told, when

Floats = npt.NDArray[np.float32]
_PORTION, _PAGE = 256, 20_480
_WORDS = 1 << 16
_ENTRY, _MORNING_ENDS = "calendar", time(11)


class State(NamedTuple):
    """How much of the events is in the index."""

    events: int
    indexed: int

    @property
    def complete(self) -> bool:
        return self.events == self.indexed


def state(store: Store, encoder: Encoder) -> State:
    """What there is of the index that belongs to this model, and to whoever the store is of."""
    row = store.connection.execute(
        "SELECT (SELECT count(*) FROM events),"
        " (SELECT count(*) FROM events e JOIN indexed_events i ON i.event_id = e.id"
        f"  WHERE i.record = {TOLD}"
        "  AND EXISTS (FROM indexed_by WHERE model = ? AND me = ?))",
        [encoder.version, str(owner_of(store))],
    ).fetchone()
    return State(*row) if row else State(0, 0)


class Owner(NamedTuple):
    """Whose life it is, as far as texts are told by it: names, countries called home, and birthdays
    (month and day), the owner's own and those of other people."""

    names: Sequence[str]
    home: frozenset[str]
    born: tuple[int, int] | None
    others: Sequence[tuple[str, tuple[int, int]]]
    naming: Naming
    known: str  # by what people are named

    @classmethod
    def of(cls, profile: Profile) -> "Owner":
        found = {country_of(home.city) for home in profile.homes if home.city}
        # Where one home is unknown, nobody knows what is abroad.
        home = frozenset(one for one in found if one and None not in found)
        born = [(one.name, day) for one in profile.people if (day := _birthday(one.birth_date))]
        known = [f"{one.name}, {one.relation}, {', '.join(one.nicknames)}, {one.birth_date}"
                 for one in profile.people]  # fmt: skip
        return cls(profile.who, home, _birthday(profile.birth_date), born, Naming(profile),
                   "\n".join(sorted(known)))  # fmt: skip

    def __str__(self) -> str:
        return "\n".join((*self.names, *sorted(self.home), str(self.born), self.known))

    def day_of(self, kind: str, start: datetime, text: str) -> str:
        """What day it is on which an entry of a calendar lies: a feast, the owner's birthday, or
        that of somebody whom its text names. In the morning, birthdays are days like others; at
        midnight lies what has no time of day."""
        if kind != _ENTRY or time() < start.time() < _MORNING_ENDS:
            return ""
        day = (start.month, start.day)
        found = [feast] if (feast := feast_on(start.date())) else []
        found += ["my birthday"] if self.born == day else []
        if others := {name for name, born in self.others if born == day}:
            there = {person.name for person in self.naming.people(text)}
            found += [f"{name}'s birthday" for name in sorted(others & there)]
        return ", ".join(found)


def _birthday(born: When | None) -> tuple[int, int] | None:
    """Month and day, where both are known."""
    return (born.first.month, born.first.day) if born and born.first == born.last else None


def owner_of(store: Store) -> Owner:
    return Owner.of(Profile.saved(store.load_profile()))


def update(
    store: Store, encoder: Encoder, done: Callable[[int, int], None] = lambda done, total: None
) -> int:
    """Brings the index up to date; how many texts were encoded.

    `done` hears, after each portion, how many new records are done, and of how many.
    """
    owner = owner_of(store)
    connection = store.connection
    _begin(connection, encoder.version, str(owner))
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE missing_records AS"
        f" SELECT {TOLD} AS record, any_value(kind) AS kind, any_value(data) AS data,"
        " list(id) AS ids, any_value(start_at) AS start_at, any_value(end_at) AS end_at"
        " FROM events e"
        f" WHERE NOT EXISTS (SELECT 1 FROM indexed_events i WHERE i.event_id = e.id"
        f" AND i.record = {TOLD}) GROUP BY record"
    )
    total = _count(connection, "missing_records")
    known = dict(connection.execute("SELECT digest, text_id FROM indexed_texts").fetchall())
    encoded_texts, finished = 0, 0
    for portion in _portions(connection):
        texts = [in_words(row.kind, orjson.loads(row.data), row.start, row.end, owner)
                 for row in portion]  # fmt: skip
        encoded_texts += _add(connection, encoder, texts, portion, known)
        finished += len(portion)
        done(finished, total)
    connection.execute("DROP TABLE missing_records")
    return encoded_texts


class Row(NamedTuple):
    """Events that say the same."""

    record: int
    kind: str
    data: str
    ids: list[str]
    start: datetime
    end: datetime


def in_words(kind: str, data: Data, start: datetime, end: datetime, owner: Owner) -> str:
    """An event as it is put to the networks."""
    text = told(kind, data, owner.names, when(kind, start, end))
    if day := owner.day_of(kind, start, text):
        name, _, rest = text.partition("; ")
        text = f"{name}; on: {day}; {rest}"
    return explained(text, owner.home)


def _begin(connection: duckdb.DuckDBPyConnection, model: str, me: str) -> None:
    """Clears what is of another model, and what belongs to no event any more."""
    with transaction(connection):
        found = connection.execute("SELECT model, me FROM indexed_by").fetchall()
        if found != [(model, me)]:
            for table in ("indexed_by", "indexed_texts", "indexed_events"):
                connection.execute(f"DELETE FROM {table}")
            connection.execute("INSERT INTO indexed_by VALUES (?, ?)", [model, me])
        forget_unsaid(connection)


def _count(connection: duckdb.DuckDBPyConnection, table: str) -> int:
    row = connection.execute(f"SELECT count(*) FROM {table}").fetchone()
    return int(row[0]) if row else 0


def _portions(connection: duckdb.DuckDBPyConnection) -> Iterator[list[Row]]:
    """The missing records, page by page, in portions."""
    last = -1
    while True:
        rows = connection.execute(
            "SELECT record, kind, data, ids, start_at, end_at FROM missing_records"
            f" WHERE record > ? ORDER BY record LIMIT {_PAGE}",
            [last],
        ).fetchall()
        page = [Row(*row) for row in rows]
        if not page:
            return
        for begin in range(0, len(page), _PORTION):
            yield page[begin : begin + _PORTION]
        last = page[-1].record


def _add(
    connection: duckdb.DuckDBPyConnection,
    encoder: Encoder,
    texts: list[str],
    portion: list[Row],
    known: dict[int, int],
) -> int:
    """Encodes what is new of a portion, and keeps it; `known` learns it."""
    digests = [_digest(text) for text in texts]
    fresh = {digest: (row.kind, text) for digest, text, row in zip(digests, texts, portion,
             strict=True) if digest not in known}  # fmt: skip
    first = max(known.values(), default=-1) + 1
    made = encoder.encode([text for _, text in fresh.values()])
    numbers = range(first, first + len(fresh))
    known.update(zip(fresh, numbers, strict=True))
    new_texts = pa.table({
        "text_id": pa.array(numbers, pa.int32()),
        "digest": pa.array(fresh, pa.uint64()),
        "kind": pa.array([kind for kind, _ in fresh.values()], pa.string()),
        "text": pa.array([text for _, text in fresh.values()], pa.string()),
        "vector": pa.array([one.vector.tobytes() for one in made], pa.binary()),
        "words": pa.array([one.packed_words() for one in made], pa.binary()),
    })  # fmt: skip
    told_by = [(event, row.record, known[digest])
               for digest, row in zip(digests, portion, strict=True)
               for event in row.ids]  # fmt: skip
    new_events = pa.table(
        [pa.array(column, kind) for column, kind in zip(
            zip(*told_by, strict=True), (pa.string(), pa.uint64(), pa.int32()), strict=True)],
        names=["event_id", "record", "text_id"],
    )  # fmt: skip
    with transaction(connection):
        for name, table in (("indexed_texts", new_texts), ("indexed_events", new_events)):
            connection.register("added", table)
            connection.execute(f"INSERT INTO {name} BY NAME SELECT * FROM added")
            connection.unregister("added")
    return len(fresh)


def _digest(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")


# -- reading ---------------------------------------------------------------------------------------


class Texts:
    """All encoded texts, in memory, to be scored at once."""

    def __init__(self, store: Store) -> None:
        rows = store.connection.execute(
            "SELECT text_id, vector, words, kind FROM indexed_texts ORDER BY text_id"
        ).fetchall()
        self.ids: npt.NDArray[np.int32] = np.array([row[0] for row in rows], np.int32)
        self.kinds = [str(row[3]) for row in rows]
        vectors = np.frombuffer(b"".join(row[1] for row in rows), np.int8)
        self._vectors = vectors.reshape(len(rows), -1) if rows else vectors.reshape(0, 0)
        words, weights, places = unpacked_words([row[2] for row in rows])
        # By word: a query has few of them.
        order = np.argsort(words, kind="stable")
        self._weights, self._places = weights[order], places[order]
        self._first = np.searchsorted(words[order], np.arange(_WORDS + 1))

    def __len__(self) -> int:
        return len(self.ids)

    def sparse(self, query: dict[int, float]) -> tuple[Floats, Floats]:
        """What a query's words weigh in each text, and which share of the query a text has."""
        found, share = np.zeros((2, len(self)), np.float32)
        for word, weight in query.items():
            part = slice(self._first[word], self._first[word + 1])
            places, weights = self._places[part], self._weights[part]
            found[places] += np.float32(weight) * weights
            share[places] += np.float32(weight) * np.minimum(weights, 1)
        return found, share / np.float32(max(sum(query.values()), 1e-6))

    def said(self, query: dict[int, float]) -> Floats:
        """Which share of a query's words each text has, the rare ones counting more."""
        rare = self.rarity()
        found = np.zeros(len(self), np.float32)
        for word in query:
            part = slice(self._first[word], self._first[word + 1])
            found[self._places[part]] += rare[word]
        return found / np.float32(max(sum(float(rare[word]) for word in query), 1e-6))

    def rarity(self) -> Floats:
        """What each word says about a text that has it: the rarer, the more."""
        common = np.diff(self._first).astype(np.float32)
        found: Floats = np.log((len(self) + 1) / (common + np.float32(0.5)))
        return np.maximum(found, 0)

    def vectors(self, rows: npt.NDArray[np.int64]) -> Floats:
        return self._vectors[rows].astype(np.float32) / np.float32(127)
