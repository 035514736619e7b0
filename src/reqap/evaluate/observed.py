"""RETRIEVE and EXTRACT that know, over the events that users have.

The texts of an invented life say which happenings they tell of. So a query that is annotated, with
its question or in the bank, finds all that tells of what it means, with the times of what really
happened; what nothing tells of is not found. A value is that of the happening, also where no text
says it. What nobody annotated is left to the real operators.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path

import duckdb
import pyarrow as pa

from reqap.errors import ReqapError
from reqap.evaluate.bank import Bank, Unannotated
from reqap.evaluate.oracle import Oracle
from reqap.evaluate.subjects import Question
from reqap.execute import Extractor, Retriever
from reqap.perqa.canonical import opened
from reqap.perqa.files import read_observations
from reqap.perqa.relevance import Gold
from reqap.perqa.texts import WRITTEN_FROM
from reqap.perqa.world import DATABASE
from reqap.retrieve.merge import SCHEMA
from reqap.store import Store
from reqap.verbalize import TELLINGS


class Observed:
    """A life whose observable events are linked with what really happened."""

    def __init__(self, store: Store, folder: Path) -> None:
        self.connection = opened(folder / DATABASE)
        observations = read_observations(folder)
        self.gold = Gold(self.connection, observations)
        # The import knows in which row of the file each event stood.
        rows = store.connection.execute("SELECT position, id, kind FROM events WHERE file_id <> 0")
        at = {observation.id: n for n, observation in enumerate(observations)}
        by_row = {position: (name, kind) for position, name, kind in rows.fetchall()}
        first = min(by_row, default=0)
        self.names = {number: by_row[first + n] for number, n in at.items() if first + n in by_row}
        self.told: dict[str, list[int]] = defaultdict(list)  # by event of the store
        for one in observations:
            if one.id in self.names:
                name = self.names[one.id][0]
                self.told[name] += [telling.event for telling in one.tells]
                self.told[name].append(one.id + WRITTEN_FROM)

    def doors(
        self,
        question: Question,
        oracles: Sequence[str],
        retriever: Retriever,
        extractor: Extractor,
    ) -> tuple[Retriever, Extractor]:
        """Both operators for a question, those exchanged that are named."""
        bank = Bank(self.connection, question.retrieve)
        if "retrieve" in oracles:
            retriever = KnowingRetriever(self, bank, retriever)
        if "extract" in oracles:
            extractor = KnowingExtractor(self, bank, question, extractor)
        return retriever, extractor


class KnowingRetriever:
    """All observable events that tell of what a query means."""

    def __init__(self, observed: Observed, bank: Bank, otherwise: Retriever) -> None:
        self._observed, self._bank, self._otherwise = observed, bank, otherwise

    def retrieve(self, query: str, today: datetime, within: pa.Array | None = None) -> pa.Table:
        try:
            sql = self._bank.sql_of(query)
        except Unannotated:
            return self._otherwise.retrieve(query, today, within)
        spans = {
            event: (start, end) for event, start, end in self._observed.connection.execute(
                f"SELECT id, start_datetime, end_datetime FROM all_events SEMI JOIN ({sql}) USING"
                " (id) ORDER BY start_datetime, id"
            ).fetchall()
        }  # fmt: skip
        kept = None if within is None else frozenset(within.to_pylist())
        told = self._observed.gold.tellings(sql)
        rows = []
        for happening, event in enumerate(one for one in spans if told.get(one)):
            names = [self._observed.names[number] for number in told[event]
                     if number in self._observed.names]  # fmt: skip
            for name, _ in sorted(names, key=_first_read):
                if kept is None or name in kept:
                    rows.append((happening, name, *spans[event], "annotated"))
        columns = zip(*rows, strict=True) if rows else [[] for _ in SCHEMA]
        return pa.table([pa.array(column, field.type) for column, field in
                         zip(columns, SCHEMA, strict=True)], schema=SCHEMA)  # fmt: skip


def _first_read(named: tuple[str, str]) -> tuple[int, str]:
    """Records before what people tell, and that in the order in which it is read."""
    name, kind = named
    return (TELLINGS.index(kind) + 1 if kind in TELLINGS else 0, name)


class KnowingExtractor:
    """The values of what events tell of."""

    def __init__(
        self, observed: Observed, bank: Bank, question: Question, otherwise: Extractor
    ) -> None:
        self._observed, self._bank, self._otherwise = observed, bank, otherwise
        self._oracle = Oracle(observed.connection, question.retrieve)
        self._queries = tuple(question.retrieve)
        self._asked: dict[str, frozenset[int]] = {}

    def extract(
        self,
        ids: pa.Array,
        key: str,
        type_name: str,
        about: str = "",
        tick: Callable[[], object] = bool,
    ) -> pa.Table:
        meant = self._meant(about)
        events = [self._event(name, meant) for name in ids.to_pylist()]
        known = pa.array([str(event) for event in events], pa.string())
        try:
            return self._values(known, key, type_name)
        except (ReqapError, duckdb.Error):
            return self._otherwise.extract(ids, key, type_name, about, tick)

    def _values(self, ids: pa.Array, key: str, type_name: str) -> pa.Table:
        for query in self._queries:
            self._oracle.retrieve(query, datetime.max)
        try:
            found = self._oracle.extract(ids, key, type_name)
        except (ReqapError, duckdb.Error):  # not among what the question's queries give
            found = self._bank.extract(ids, key, type_name)
        return found.append_column("chance", pa.array([1.0] * len(found), pa.float32()))

    def _meant(self, about: str) -> frozenset[int]:
        """What a query means, by the events it should find."""
        if about not in self._asked:
            try:
                sql = self._bank.sql_of(about)
            except Unannotated:
                return frozenset()
            rows = self._observed.connection.execute(f"SELECT id FROM ({sql})").fetchall()
            self._asked[about] = frozenset(row[0] for row in rows)
        return self._asked[about]

    def _event(self, name: str, meant: frozenset[int]) -> int:
        """Which of the things that an event tells of is asked about; -1 where it tells nothing."""
        told = self._observed.told.get(name, ())
        return next((one for one in told if one in meant), next(iter(told), -1))
