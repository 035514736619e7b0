"""Which observations a query should find: the gold of RETRIEVE.

A query is annotated with SQL over the canonical tables. An observation is *wanted* if it tells of
an event that the SQL gives, and says itself what the query asks for: a mail about a dinner that
does not say with whom is not wanted by "dinners with Ana". It is *allowed*, neither asked for nor a
mistake, where that cannot be said for sure: it only hints at it (a restaurant by its name), it
tells again what a service has recorded, or it lacks only what is to be read next (where a meeting
was, for a query "I met Ana" whose annotation asks for meetings with a place).
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import duckdb
import sqlglot
from sqlglot import exp

from reqap.perqa.canonical import opened
from reqap.perqa.files import read_observations
from reqap.perqa.structured import STRUCTURED
from reqap.perqa.texts import WRITTEN_FROM, Observation
from reqap.perqa.world import DATABASE


class Relevance(NamedTuple):
    """Ids of observations, and of how many happenings the wanted ones tell.

    `neighbours` tell of the same sort of thing, but of others: another trip, another meal.
    """

    wanted: frozenset[int]
    allowed: frozenset[int]
    happenings: int
    neighbours: frozenset[int] = frozenset()


def judged_queries(
    folder: Path, also_without: bool = False
) -> tuple[list[Observation], dict[str, Relevance]]:
    """The observations of a persona that was built, and what the queries of its questions should
    find; queries for which nothing is wanted only if they are asked for."""
    observations = read_observations(folder)
    connection = opened(folder / DATABASE)
    gold = Gold(connection, observations)
    found = {query: gold.of(sql) for query, sql in queries_of(folder).items()}
    connection.close()
    kept = {query: one for query, one in found.items() if one.wanted or also_without}
    return observations, kept


def queries_of(folder: Path) -> dict[str, str]:
    """The RETRIEVE queries of a persona's questions, each with the SQL that says what it means."""
    queries: dict[str, str] = {}
    for question in json.loads((folder / "questions.json").read_text(encoding="utf-8")):
        queries.update(question["retrieve"])
    return queries


class _Said(NamedTuple):
    """Properties of which one is enough to say a thing, and those that hint at it."""

    enough: frozenset[str]
    hint: frozenset[str] = frozenset()


def _said(enough: str, hint: str = "") -> _Said:
    return _Said(frozenset(enough.split()), frozenset(hint.split()))


# What says the columns of a condition, where it is not the property of the same name alone.
_COLUMNS = {
    "activity": _said("activity occasion title"),
    "place_type": _said("place_type cuisine dish", "place activity"),
    "city": _said("city destination", "place"),
    "cuisine": _said("cuisine", "dish"),
    "country": _said("country destination"),
    "doctor_type": _said("doctor_type", "doctor reason"),
    "occasion": _said("occasion", "honoree"),
    "genre": _said("genre", "movie_title series_title song_name artists"),
    "category": _said("category", "product"),
}
# What says that an event is of a table, where a query asks for that table and no wider one.
_TABLES = {
    "celebrations": _said("occasion honoree", "participants place start_date"),
    "doctor_appointments": _said("doctor doctor_type reason", "patient start_date"),
    "trips": _said("destination purpose transport nights", "participants start_date"),
    "trip_events": _said("destination country", "place activity start_date"),
    "milestones": _said("milestone", "name company school city subject role start_date"),
}
_FACTS = frozenset({"people", "homes", "jobs", "schools", "pets"})
# Columns that nothing needs to say: times are not asked of RETRIEVE, and one's own appointment is
# the usual one.
_UNSAID = frozenset({"start_date", "id", "sent", "sender", "recipient", "trip_id"})


class Gold:
    """The observations of one life, by what they tell."""

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, observations: Iterable[Observation]
    ) -> None:
        self._connection = connection
        self._telling: dict[int, list[tuple[Observation, frozenset[str]]]] = {}
        for one in observations:
            for telling in one.tells:
                told = (one, frozenset(telling.properties))
                self._telling.setdefault(telling.event, []).append(told)
        found = connection.execute("SELECT trip_id, id FROM trip_events").fetchall()
        self._on_trip: dict[int, list[int]] = {}
        self._of_table: dict[str, frozenset[int]] = {}
        for trip, event in found:
            self._on_trip.setdefault(trip, []).append(event)
        self._tables = {
            row[0]: name
            for name in ("celebrations", "doctor_appointments", "trips", "trip_events",
                         "milestones")
            for row in connection.execute(f"SELECT id FROM {name}").fetchall()
        }  # fmt: skip

    def of(self, sql: str) -> Relevance:
        """What a query with this annotation should find."""
        ids = [row[0] for row in self._connection.execute(f"SELECT id FROM ({sql})").fetchall()]
        needed, tables = _conditions(sql)
        wanted: set[int] = set()
        allowed: set[int] = set()
        happenings = 0
        for event in dict.fromkeys(ids):
            if event >= WRITTEN_FROM:  # a mail is itself
                wanted.add(event - WRITTEN_FROM)
                happenings += 1
                continue
            full, hinted = self._telling_enough(event, self._needed(event, needed, tables))
            wanted |= full
            allowed |= hinted
            happenings += bool(full)
            allowed |= {
                one.id for inner in self._on_trip.get(event, ())
                for one, _ in self._telling.get(inner, ())
            }  # fmt: skip
        relaxed = _without_presence(sql)
        if relaxed != sql:
            allowed |= self._telling_at_all(relaxed)
        near = frozenset[int]().union(*map(self._telling_of, tables)) - wanted - allowed
        return Relevance(frozenset(wanted), frozenset(allowed - wanted), happenings, near)

    def _telling_at_all(self, sql: str) -> set[int]:
        """What says, or hints at, any event that an annotation gives."""
        return {one for found in self.tellings(sql).values() for one in found}

    def tellings(self, sql: str) -> dict[int, set[int]]:
        """For each event that an annotation gives, the observations that say, or hint at, what is
        asked for."""
        ids = [row[0] for row in self._connection.execute(f"SELECT id FROM ({sql})").fetchall()]
        needed, tables = _conditions(sql)
        return {
            event: {event - WRITTEN_FROM} if event >= WRITTEN_FROM
            else self._telling_enough(event, self._needed(event, needed, tables))[1]
            for event in dict.fromkeys(ids)
        }  # fmt: skip

    def _needed(self, event: int, needed: list[_Said], tables: frozenset[str]) -> list[_Said]:
        own = self._tables.get(event, "")
        return [*needed, _TABLES[own]] if own in tables and own in _TABLES else needed

    def _telling_of(self, table: str) -> frozenset[int]:
        """All observations that tell of an event of a table."""
        if table not in self._of_table:
            try:
                rows = self._connection.execute(f"SELECT id FROM {table}").fetchall()
            except duckdb.BinderException:  # a table without events: facts
                rows = []
            self._of_table[table] = frozenset(
                one.id for (event,) in rows for one, _ in self._telling.get(event, ())
            )
        return self._of_table[table]

    def _telling_enough(self, event: int, needed: list[_Said]) -> tuple[set[int], set[int]]:
        """The observations of an event that are wanted, and those that are allowed."""
        telling = self._telling.get(event, [])
        full = [one for one, told in telling if all(told & said.enough for said in needed)]
        records = {one.id for one in full if one.kind in _RECORDS}
        hinted = {
            one.id for one, told in telling
            if all(told & (said.enough | said.hint) for said in needed)
        }  # fmt: skip
        return records or {one.id for one in full}, hinted


_RECORDS = frozenset(STRUCTURED.values())


def _without_presence(sql: str) -> str:
    """An annotation that does not mind whether something is told: `place IS NOT NULL`."""
    tree = sqlglot.parse_one(sql, read="duckdb")
    changed = False
    for where in list(tree.find_all(exp.Where)):
        parts = list(where.this.flatten()) if isinstance(where.this, exp.And) else [where.this]
        kept = [part for part in parts if not _asks_for_presence(part)]
        changed |= len(kept) < len(parts)
        where.set("this", exp.and_(*kept)) if kept else where.pop()
    return tree.sql(dialect="duckdb") if changed else sql


def _asks_for_presence(condition: exp.Expr) -> bool:
    """`x IS NOT NULL` or `x <> ''`."""
    match condition:
        case exp.Not(this=exp.Is(expression=exp.Null())):
            return True
        case exp.NEQ(this=exp.Column(), expression=exp.Literal(this="")):
            return True
    return False


def _conditions(sql: str) -> tuple[list[_Said], frozenset[str]]:
    """What an observation must say to be known as one of these, and the tables that are asked."""
    tree = sqlglot.parse_one(sql, read="duckdb")
    tables = frozenset(table.name for table in tree.find_all(exp.Table)) - _FACTS
    names = {
        column.name for where in tree.find_all(exp.Where) for column in where.find_all(exp.Column)
    }
    if "milestones" not in tables:
        names.discard("name")
    names -= _UNSAID | {"relation", "is_family"}
    if "patient_relation" in names:
        names.discard("patient_relation")
        own = "'self'" in sql and "!= 'self'" not in sql and "<> 'self'" not in sql
        names |= set() if own else {"patient"}
    said = [_COLUMNS.get(name, _said(name)) for name in sorted(names)]
    return said, tables
