"""RETRIEVE with the trained networks: all events whose texts match a query, one row each.

Comes in by the same door as the search by words (`search`), which stands in where no networks are
installed.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date, datetime
from sys import intern
from typing import Protocol

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc

from reqap.profile import Profile
from reqap.profile.naming import Naming
from reqap.retrieve import besides, company
from reqap.retrieve.cascade import USUAL, Care, Decision, Reader, decide
from reqap.retrieve.encoding import unpacked_words
from reqap.retrieve.facts import is_meant, stems
from reqap.retrieve.happenings import Lying, Weighs, brief, told_again, with_long_ones
from reqap.retrieve.happenings import places as joined_places
from reqap.retrieve.index import Texts
from reqap.retrieve.kinds import asks_for_journeys, asks_for_writing
from reqap.retrieve.likeness import DAY, EPOCH, Side, numbers_in, side
from reqap.retrieve.merge import SCHEMA, in_happenings
from reqap.retrieve.named import Names, Saying
from reqap.retrieve.people import with_names
from reqap.retrieve.words import FUTURE, WEAK, fold
from reqap.store import Store
from reqap.store.firsts import first_of_kind
from reqap.verbalize import TELLINGS, patterns_of, spelled

# Queries are hostile: this much of one is read.
_MAX_TEXT = 500
# Of more tellings than this, none are compared: it would take too long.
_MOST_TELLINGS = 4_000
_MOST_READ = 8  # the latest of those that speak of several days; the others stay as they are
_NAMES = re.compile(r" \([^()]*\)")  # of those who are meant: `with_names`
_DAYS = frozenset(("day", "days", "daily"))
_MAIL = "mail"
_FACT = "profile"  # lasts for years, and is no happening in which others lie


class Models(Reader, Protocol):
    """What `Networks` offers."""

    @property
    def likeness(self) -> Weighs: ...


# By event, the day on which that happened of which a query speaks, where the text tells it.
Dates = Callable[[Sequence[str], str], Mapping[str, date]]


class LearnedRetriever:
    """RETRIEVE over a store whose index is up to date."""

    def __init__(
        self, store: Store, models: Models, care: Care = USUAL, dates: Dates | None = None
    ) -> None:
        """`dates` reads of which days texts tell, where they speak of several."""
        self._store, self._models, self._care, self._dates = store, models, care, dates
        self._profile = Profile.saved(store.load_profile())
        self._naming = Naming(self._profile)
        self._texts = Texts(store)
        self._rarity = self._texts.rarity()
        self._described: dict[int, tuple[str, list[str]]] = {}
        self._measures = _measures(store)
        self._bare = _bare(store)
        self._names = Names(store, self._profile)
        self._origins = besides.Origins(store)

    def retrieve(self, query: str, today: datetime, within: pa.Array | None = None) -> pa.Table:
        """All events that match: happening, id, start, end, why.

        `within` limits the events by id. What begins after `today` counts only if the query speaks
        of the future.
        """
        asked = _plain(query)
        if not self._says_something(asked):
            return SCHEMA.empty_table()
        origin = self._origins.find(asked, self._names.kinds)
        asked = origin.rest if origin else asked
        sure = self._matching(asked)
        kept = dict(sure)
        rest = company.without_alone(asked)
        is_title = bool(rest) and any(self.named(asked).values())  # the song is called "Alone"
        if rest and not is_title:
            kept = self._matching(rest) | sure
        until = _until(asked, today)
        found = self._events(kept, until, within)
        if origin:
            found = found.filter(pc.is_in(found["id"], pa.array(origin.ids, pa.string())))
        found = self._by_correspondents(asked, found)
        compared = self._compared(found, asked)
        days = {n: one.told_day * DAY for n, one in compared.items() if one.told_day is not None}
        places = self._places(found, compared, days)
        days |= self._read_days(asked, found, compared, places, until)
        told = found["told"].to_pylist()
        left_out = told_again(places, told, found["kind"].to_pylist()) if compared else set()
        left_out |= set() if is_title else self._beside(asked, found, places, sure)
        if compared and asks_for_journeys(asked):
            left_out |= brief(places, _lying(found, days))
        if left_out:
            rows = [n for n in range(len(found)) if n not in left_out]
            days = {at: days[n] for at, n in enumerate(rows) if n in days}
            places = [places[n] for n in rows]
            found = found.take(pa.array(rows, pa.int64()))
        return in_happenings(found, places, days, is_writing=asks_for_writing(asked))

    def _matching(self, asked: str) -> dict[int, Decision]:
        """What matches a query, but for what it leaves out."""
        parts = besides.left_out(asked)
        kept = {row: one for row, one in self.decide(parts[0] if parts else asked).items()
                if one.kept}  # fmt: skip
        for row, one in self.decide(parts[1]).items() if parts else ():
            if one.kept:
                kept.pop(row, None)
        return kept

    def _by_correspondents(self, asked: str, found: pa.Table) -> pa.Table:
        """Of mails, those that were from or to whom a query names."""
        meant = besides.correspondents(asked, self._naming) if asks_for_writing(asked) else None
        if meant is None:
            return found
        rows = np.searchsorted(self._texts.ids, found["text_id"].to_numpy()).tolist()
        kinds = found["kind"].to_pylist()
        patterns = [known for _, known in self.describe(rows)]
        fits = [kind != _MAIL or meant.fit(known)
                for kind, known in zip(kinds, patterns, strict=True)]  # fmt: skip
        some = any(fit for fit, kind in zip(fits, kinds, strict=True) if kind == _MAIL)
        # "Mails from last week" are from nobody of that name.
        return found.filter(pa.array(fits, pa.bool_())) if meant.known or some else found

    def _beside(
        self, asked: str, found: pa.Table, places: Sequence[int], sure: Collection[int]
    ) -> set[int]:
        """The rows that do not match for who was there, or was not."""
        if not company.is_asked(asked):
            return set()
        rows = np.searchsorted(self._texts.ids, found["text_id"].to_numpy()).tolist()
        named = [bool(self._naming.people(text)) or company.names_people(patterns)
                 for text, patterns in self.describe(rows)]  # fmt: skip
        alone = [n for n, row in enumerate(rows) if row in sure]
        return company.beside(asked, places, found["told"].to_pylist(), named, alone)

    def near_misses(self, query: str, today: datetime, most: int = 50) -> pa.Table:
        """What came into question and was left out, the nearest first; one event per text."""
        asked = _plain(query)
        if not self._says_something(asked):
            return SCHEMA.empty_table()
        missed = [(row, one) for row, one in self.decide(asked).items() if not one.kept]
        missed.sort(key=lambda pair: (-pair[1].chance, pair[0]))
        found = self._events(dict(missed[:most]), _until(asked, today))
        first = {text: n for n, text in reversed(list(enumerate(found["text_id"].to_pylist())))}
        texts = (int(self._texts.ids[row]) for row, _ in missed[:most])
        order = [first[text] for text in texts if text in first]
        found = found.take(pa.array(order, pa.int64()))
        return in_happenings(found, list(range(len(found))))

    def decide(self, query: str) -> dict[int, Decision]:
        """What was decided about every text that came into question, by row."""
        named = with_names(query, self._profile)
        return decide(named, self._models, self._texts, self, self._care)

    def _says_something(self, asked: str) -> bool:
        return bool(fold(asked)) and len(self._texts) > 0

    def describe(self, rows: Sequence[int]) -> list[tuple[str, list[str]]]:
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
                found_in = patterns_of(kind, orjson.loads(data), self._profile.who)
                patterns = list(map(intern, found_in))  # many have the same
                self._described[row] = (text, patterns)
        # A text whose events were forgotten meanwhile says nothing.
        return [self._described.get(row, ("", [""])) for row in rows]

    def having(self, pattern: str) -> list[int]:
        """The rows of all texts that say a value of a pattern, as the whole of a key's."""
        kind, _, value = pattern.partition("; ")
        with self._store.connection.cursor() as cursor:
            found = cursor.execute(
                "SELECT text_id FROM indexed_texts WHERE contains(text || ';', $1)"
                " AND replace(kind, '_', ' ') = $2",
                [f"; {value};", kind],
            ).fetchall()
        said = np.array([text for (text,) in found], self._texts.ids.dtype)
        rows = np.flatnonzero(np.isin(self._texts.ids, said)).tolist()
        # A text may say the same words elsewhere.
        described = zip(rows, self.describe(rows), strict=True)
        return [row for row, (_, patterns) in described if pattern in patterns]

    def facts(self, query: str) -> list[int]:
        asked = _NAMES.sub("", query)
        rows = [row for row, kind in enumerate(self._texts.kinds) if kind == _FACT]
        told = zip(rows, self.describe(rows), strict=True)
        return [row for row, (text, _) in told if is_meant(asked, text)]

    def measuring(self, query: str) -> frozenset[str]:
        said = stems(query)
        return frozenset(
            kind for kind, names in self._measures.items()
            if any(name <= said and said - name <= WEAK for name in names)
        )  # fmt: skip

    def silent(self, query: str) -> frozenset[str]:
        """A walk is a part of what the day's record counts, and is not that record."""
        said = stems(query)
        if not _DAYS.isdisjoint(fold(query)):
            return frozenset()
        return frozenset(
            kind for kind, names in self._measures.items()
            if kind in self._bare and not any(name <= said for name in (*names, stems(kind)))
            and any(name & said for name in names)
        )  # fmt: skip

    def named(self, query: str) -> dict[int, str]:
        whole, parts = self._names.find(_NAMES.sub("", query))
        found = self._named_by(whole)
        each = [] if any(found.values()) else [self._named_by(one) for one in parts]
        if each and all(any(one.values()) for one in each):
            return {row: value for one in each for row, value in one.items() if value}
        return found

    def plainly(self, query: str) -> list[int]:
        texts = np.array(self._names.plainly(_NAMES.sub("", query)), self._texts.ids.dtype)
        rows: list[int] = np.searchsorted(self._texts.ids, texts).tolist()
        return rows

    def _named_by(self, saying: Saying) -> dict[int, str]:
        rows = np.flatnonzero(np.isin(self._texts.ids, saying.texts)).tolist()
        kinds = [self._texts.kinds[row] for row in rows]
        values = [[one.partition("; ")[2] for one in patterns[1:]]
                  for _, patterns in self.describe(rows)]  # fmt: skip
        named = saying.named(list(zip(kinds, values, strict=True)))
        return {row: f"{kind.replace('_', ' ')}; {one}" if one else ""
                for row, kind, one in zip(rows, kinds, named, strict=True)}  # fmt: skip

    def events(self, ids: Sequence[str]) -> pa.Table:
        """These events, in the form in which they are found."""
        everything = dict.fromkeys(range(len(self._texts)), Decision(True, 1, "given"))
        return self._events(everything, None, pa.array(ids, pa.string()))

    def _events(
        self, chosen: dict[int, Decision], until: datetime | None, within: pa.Array | None = None
    ) -> pa.Table:
        """The events of texts, by start, the longest first."""
        table = pa.table({
            "text_id": pa.array([int(self._texts.ids[row]) for row in chosen], pa.int32()),
            "why": pa.array(map(_why, chosen.values()), pa.string()),
        })  # fmt: skip
        limit = ""
        with self._store.connection.cursor() as cursor:
            cursor.register("chosen", table)
            if within is not None:
                cursor.register("within", pa.table({"id": within.cast(pa.string())}))
                limit = "SEMI JOIN within w ON w.id = e.id"
            return cursor.sql(
                "SELECT e.id, e.kind, e.start_at, e.end_at, c.why, c.text_id,"
                " coalesce(list_position($tellings, e.kind), 0) AS told"
                " FROM chosen c JOIN indexed_events i USING (text_id)"
                f" JOIN events e ON e.id = i.event_id {limit}"
                " WHERE $until IS NULL OR e.start_at <= $until"
                " ORDER BY e.start_at, e.end_at DESC, told, e.id",
                params={"tellings": list(TELLINGS), "until": until},
            ).to_arrow_table()

    # -- which of them are one happening -----------------------------------------------------------

    def _compared(self, found: pa.Table, asked: str) -> dict[int, Side]:
        """What may tell of one happening, by row; nothing where each is a thing of its own."""
        tellings = pc.sum(pc.greater(found["told"], 0)).as_py() or 0
        if not 0 < tellings <= _MOST_TELLINGS or asks_for_writing(asked):
            return {}
        return self.sides(found)

    def _read_days(
        self, asked: str, found: pa.Table, compared: Mapping[int, Side], places: Sequence[int],
        until: datetime | None,
    ) -> dict[int, int]:  # fmt: skip
        """The days of what is only told, where that speaks of several days."""
        lying = {places[n] for n, one in compared.items() if one.days}
        unsure = [n for n, one in compared.items()
                  if len(one.likely) > 1 and places[n] not in lying]  # fmt: skip
        if self._dates is None or not unsure:
            return {}
        ids = found["id"].to_pylist()
        read = self._dates([ids[n] for n in unsure[-_MOST_READ:]], asked)
        last = until.toordinal() - EPOCH if until else date.max.toordinal()
        days = {n: read[ids[n]].toordinal() - EPOCH for n in unsure if ids[n] in read}
        return {n: day * DAY for n, day in days.items()
                if day in compared[n].meant and day <= last}  # fmt: skip

    def _places(
        self, found: pa.Table, compared: Mapping[int, Side], days: Mapping[int, int]
    ) -> list[int]:
        """The number of each event's happening; `days` are those of which tellings speak."""
        if not compared:
            return list(range(len(found)))
        joined = joined_places(list(compared.values()), self._models.likeness)
        # What is compared with nothing is a happening of its own, behind the others.
        place = dict(zip(compared, joined, strict=True))
        first = max(joined, default=-1) + 1
        rest = (n for n in range(len(found)) if n not in place)
        place.update((n, first + more) for more, n in enumerate(rest))
        return with_long_ones([place[n] for n in range(len(found))], _lying(found, days))

    def sides(self, found: pa.Table) -> dict[int, Side]:
        """Tellings, and records of the days that they may be about, by row of the table."""
        told, texts = found["told"].to_pylist(), found["text_id"].to_pylist()
        spans = list(zip(*(found[name].cast(pa.int64()).to_pylist()
                           for name in ("start_at", "end_at")), strict=True))  # fmt: skip
        kinds, ids = found["kind"].to_pylist(), found["id"].to_pylist()
        kept = self._kept({text for text, is_told in zip(texts, told, strict=True) if is_told})
        made = {n: self._side(kinds[n], told[n], spans[n], numbers_in(kept[texts[n]][0]),
                              kept[texts[n]])
                for n in range(len(told)) if told[n]}  # fmt: skip
        days = frozenset(day for one in made.values() for day in one.about)
        near = [n for n, (start, end) in enumerate(spans) if not told[n]
                and (start // DAY in days or end // DAY in days)]  # fmt: skip
        kept = self._kept({texts[n] for n in near})
        measured = self._measured([ids[n] for n in near])
        made.update((n, self._side(kinds[n], 0, spans[n], measured[ids[n]], kept[texts[n]]))
                    for n in near)  # fmt: skip
        return dict(sorted(made.items()))

    def _measured(self, ids: Sequence[str]) -> dict[str, frozenset[str]]:
        """The numbers of records, by event."""
        if not ids:
            return {}
        with self._store.connection.cursor() as cursor:
            cursor.register("wanted", pa.table({"id": pa.array(ids, pa.string())}))
            rows = cursor.execute("SELECT id, data FROM events SEMI JOIN wanted USING (id)")
            return {name: numbers_in(spelled("", orjson.loads(data)))
                    for name, data in rows.fetchall()}  # fmt: skip

    def _side(
        self, kind: str, told: int, span: tuple[int, int], numbers: frozenset[str],
        kept: tuple[str, bytes, bytes],
    ) -> Side:  # fmt: skip
        text, packed, vector = kept
        words, weights, _ = unpacked_words([packed])
        heavy = dict(zip(words.tolist(), (weights * self._rarity[words]).tolist(), strict=True))
        dense = np.frombuffer(vector, np.int8).astype(np.float32) / np.float32(127)
        return side(kind, told, span, text, self._naming, numbers, heavy, dense)

    def _kept(self, texts: set[int]) -> dict[int, tuple[str, bytes, bytes]]:
        """What the index keeps of texts, by their number."""
        if not texts:
            return {}
        with self._store.connection.cursor() as cursor:
            cursor.register("wanted", pa.table({"text_id": pa.array(sorted(texts), pa.int32())}))
            rows = cursor.execute(
                "SELECT text_id, text, words, vector FROM indexed_texts SEMI JOIN wanted"
                " USING (text_id)"
            ).fetchall()
        return {number: (text, words, vector) for number, text, words, vector in rows}


def _lying(found: pa.Table, days: Mapping[int, int]) -> list[Lying]:
    columns = (found["told"], found["kind"], found["start_at"].cast(pa.int64()),
               found["end_at"].cast(pa.int64()))  # fmt: skip
    made = []
    for n, (told, kind, *span) in enumerate(zip(*(it.to_pylist() for it in columns), strict=True)):
        start, end = (days[n], days[n]) if n in days else span
        made.append(Lying(not told or kind == TELLINGS[0], start, end if kind != _FACT else start))
    return made


def _measures(store: Store) -> dict[str, set[frozenset[str]]]:
    """By kind of records, what their columns of numbers are called, as their first events show."""
    found: dict[str, set[frozenset[str]]] = {}
    with store.connection.cursor() as cursor:
        kinds = [kind for (kind,) in cursor.execute("SELECT DISTINCT kind FROM events").fetchall()]
        for kind in set(kinds).difference(TELLINGS):
            for data in first_of_kind(cursor, kind):
                for key, value in data.items():
                    if type(value) in (int, float) and (words := stems(key)):
                        found.setdefault(kind, set()).add(words)
    return found


def _bare(store: Store) -> frozenset[str]:
    """The kinds of records that are nothing but numbers: of those, the index has names alone."""
    with store.connection.cursor() as cursor:
        rows = cursor.execute(
            "SELECT kind FROM indexed_texts GROUP BY kind HAVING NOT bool_or(contains(text, ': '))"
        ).fetchall()
    return frozenset(kind for (kind,) in rows)


def _plain(query: str) -> str:
    return " ".join(query[:_MAX_TEXT].split())


def _until(asked: str, today: datetime) -> datetime | None:
    """When what is asked for has begun at the latest; any time if it speaks of the future."""
    return today.replace(tzinfo=None) if FUTURE.isdisjoint(fold(asked)) else None


def _why(one: Decision) -> str:
    return f"{one.why} ({one.chance:.2f})"
