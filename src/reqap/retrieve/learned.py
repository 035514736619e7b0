"""RETRIEVE with the trained networks: all events whose texts match a query, one row each.

Comes in by the same door as the search by words (`search`), which stands in where no networks are
installed.
"""

from collections.abc import Sequence
from datetime import datetime

import orjson
import pyarrow as pa

from reqap.profile import Profile
from reqap.retrieve.cascade import USUAL, Care, Decision, Reader, decide
from reqap.retrieve.index import Texts
from reqap.retrieve.kinds import TELLINGS
from reqap.retrieve.merge import SCHEMA, merged
from reqap.retrieve.people import with_names
from reqap.retrieve.words import FUTURE, fold
from reqap.store import Store
from reqap.verbalize import patterns_of

# Queries are hostile: this much of one is read.
_MAX_TEXT = 500


class LearnedRetriever:
    """RETRIEVE over a store whose index is up to date."""

    def __init__(self, store: Store, reader: Reader, care: Care = USUAL) -> None:
        self._store, self._reader, self._care = store, reader, care
        saved = store.load_profile()
        self._profile = Profile.from_json(saved) if saved else Profile()
        self._texts = Texts(store)
        self._described: dict[int, tuple[str, list[str]]] = {}

    def retrieve(self, query: str, today: datetime, within: pa.Array | None = None) -> pa.Table:
        """All events that match: happening, id, start, end, why.

        `within` limits the events by id. What begins after `today` counts only if the query speaks
        of the future.
        """
        asked = " ".join(query[:_MAX_TEXT].split())
        if not fold(asked) or not len(self._texts):
            return SCHEMA.empty_table()
        decisions = self.decide(asked)
        kept = [(row, one) for row, one in decisions.items() if one.kept]
        return merged(self._events(kept, today, not FUTURE.isdisjoint(fold(asked)), within))

    def decide(self, query: str) -> dict[int, Decision]:
        """What was decided about every text that came into question, by row."""
        named = with_names(query, self._profile)
        return decide(named, self._reader, self._texts, self._describe, self._care)

    def _describe(self, rows: Sequence[int]) -> list[tuple[str, list[str]]]:
        """Texts and patterns, from any event that has the text."""
        missing = [row for row in rows if row not in self._described]
        if missing:
            wanted = pa.table({
                "row": pa.array(missing, pa.int64()),
                "text_id": pa.array(self._texts.ids[missing], pa.int32()),
            })  # fmt: skip
            with self._store.connection.cursor() as cursor:
                cursor.register("wanted", wanted)
                found = cursor.execute(
                    "SELECT w.row, any_value(t.text), any_value(e.kind), any_value(e.data)"
                    " FROM wanted w JOIN indexed_texts t USING (text_id)"
                    " JOIN indexed_events i USING (text_id) JOIN events e ON e.id = i.event_id"
                    " GROUP BY w.row"
                ).fetchall()
            for row, text, kind, data in found:
                patterns = list(patterns_of(kind, orjson.loads(data), self._profile.who))
                self._described[row] = (text, patterns)
        # A text whose events were forgotten meanwhile says nothing.
        return [self._described.get(row, ("", [""])) for row in rows]

    def _events(
        self,
        kept: Sequence[tuple[int, Decision]],
        today: datetime,
        anytime: bool,
        within: pa.Array | None,
    ) -> pa.Table:
        chosen = pa.table({
            "text_id": pa.array([int(self._texts.ids[row]) for row, _ in kept], pa.int32()),
            "why": pa.array([f"{one.why} ({one.chance:.2f})" for _, one in kept], pa.string()),
        })  # fmt: skip
        limit = ""
        with self._store.connection.cursor() as cursor:
            cursor.register("chosen", chosen)
            if within is not None:
                cursor.register("within", pa.table({"id": within.cast(pa.string())}))
                limit = "SEMI JOIN within w ON w.id = e.id"
            return cursor.sql(
                "SELECT e.id, e.kind, e.start_at, e.end_at, c.why,"
                " coalesce(list_position($tellings, e.kind), 0) AS told"
                " FROM chosen c JOIN indexed_events i USING (text_id)"
                f" JOIN events e ON e.id = i.event_id {limit}"
                " WHERE $anytime OR e.start_at <= $today"
                " ORDER BY e.start_at, e.end_at DESC, told, e.id",
                params={
                    "tellings": list(TELLINGS),
                    "anytime": anytime,
                    "today": today.replace(tzinfo=None),
                },
            ).to_arrow_table()
