"""RETRIEVE and EXTRACT that know, for plans nobody wrote before.

A plan of a model words its queries and attributes in its own way. What they mean is looked up in
all annotations of PerQA's train and dev templates, and in those that were written by hand for
queries models came up with (`annotations.json`): "songs by {artist}" says what "songs by Adele"
should find, and "track", for an event of music, is `song_name`. A query that nobody annotated is
an error that names it; nothing is guessed from likeness, except which of a table's columns an
attribute's name means.
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib import resources
from typing import Any

import duckdb
import pyarrow as pa
import sqlglot
from sqlglot import exp

from reqap.errors import ReqapError
from reqap.evaluate.oracle import SQL_TYPES, events_of, read_as, with_durations
from reqap.perqa.slots import DOMAINS, SlotValue
from reqap.perqa.templates import load_templates, replaced

_SLOT = re.compile(r"\{(\w+?)(\d?)(!v)?\}")


class Unannotated(ReqapError):
    """A query or an attribute of which nobody said what it means."""


@dataclass(frozen=True)
class Annotation:
    """A query with slots, and the SQL that says what it should find."""

    query: str
    sql: str
    pattern: re.Pattern[str]
    slots: tuple[str, ...]


@cache
def _by_hand() -> dict[str, Any]:
    file = resources.files("reqap.evaluate") / "annotations.json"
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found


@cache
def annotations() -> tuple[Annotation, ...]:
    """All that is known; the hand-written ones first, then those without slots."""
    found: dict[str, str] = dict(_by_hand()["queries"])
    for split in ("dev", "train"):
        for template in load_templates(split):
            for query, sql in template.retrieve.items():
                found.setdefault(query, sql)
    made = [_annotation(query, sql) for query, sql in found.items()]
    return tuple(sorted(made, key=lambda one: len(one.slots)))


def _annotation(query: str, sql: str) -> Annotation:
    pieces, slots, end = [], [], 0
    for match in _SLOT.finditer(query):
        pieces.append(re.escape(_plain(query[end : match.start()])))
        slots.append(match[1] + match[2])
        pieces.append("(.+)")
        end = match.end()
    pieces.append(re.escape(_plain(query[end:])))
    written = "".join(pieces).replace(r"\ a\ (.+)", r"\ an?\ (.+)")
    return Annotation(query, sql, re.compile(written), tuple(slots))


def _plain(text: str) -> str:
    """Without case, and without what stands at the ends."""
    return re.sub(r"[?.!]+$", "", text.casefold().replace("’", "'"))


class Bank:
    """Both doors of the engine, over the canonical tables of one life."""

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, own: Mapping[str, str] | None = None
    ) -> None:
        """`own` are the annotations of the question that is asked; they come first."""
        self._connection = connection
        self._own = {_plain(query): sql for query, sql in (own or {}).items()}
        self._values = _Values(connection)

    def retrieve(self, query: str, today: datetime, within: pa.Array | None = None) -> pa.Table:
        return events_of(self._connection, f"SELECT id FROM ({self.sql_of(query)})", within)

    def sql_of(self, query: str) -> str:
        """What a query should find."""
        plain = _plain(query).strip()
        if plain in self._own:
            return self._own[plain]
        for one in annotations():
            match = one.pattern.fullmatch(plain)
            if match is None:
                continue
            filled = self._filled(one, match.groups())
            if filled is not None:
                return replaced(one.sql, filled, "sql")
        raise Unannotated(f"the query {query!r} is not annotated")

    def _filled(self, one: Annotation, texts: tuple[str, ...]) -> dict[str, SlotValue] | None:
        chosen: dict[str, SlotValue] = {}
        for slot, text in zip(one.slots, texts, strict=True):
            value = self._values.named(slot.rstrip("0123456789"), text)
            if value is None:
                return None
            chosen[slot] = value
        asked = {match[1] + match[2] for match in _SLOT.finditer(one.sql)}
        return chosen if asked <= chosen.keys() else None

    def extract(
        self, ids: pa.Array, key: str, type_name: str, *_: object, **__: object
    ) -> pa.Table:
        self._connection.register("asked", pa.table({"id": ids, "nth": pa.array(range(len(ids)))}))
        tables = [
            name for name in _tables()
            if self._connection.sql(f"SELECT 1 FROM {name} JOIN asked ON asked.id::BIGINT ="
                                    f" {name}.id LIMIT 1").fetchall()
        ]  # fmt: skip
        values, problems = [], []
        for name in tables:
            try:
                values.append(self._value(name, key, type_name))
            except Unannotated as error:
                problems.append(error)
        if problems and not values:
            raise problems[0]
        joins = " ".join(f"LEFT JOIN {name} ON {name}.id = asked.id::BIGINT" for name in tables)
        value = (
            f"coalesce({', '.join(values)}, NULL)" if values else f"NULL::{SQL_TYPES[type_name]}"
        )
        found = self._connection.sql(
            f"SELECT {value} AS value, NULL::VARCHAR AS unit, 'annotation' AS \"where\""
            f" FROM asked {joins} ORDER BY nth"
        ).to_arrow_table()
        return with_durations(found, type_name)

    def _value(self, table: str, key: str, type_name: str) -> str:
        """An attribute of a table's events, as SQL in the type that was asked for."""
        own = {row[0] for row in self._connection.execute(f"DESCRIBE {table}").fetchall()}
        written = key if key in own else column_of(table, key)
        told = self._connection.execute(f"DESCRIBE SELECT {written} AS v FROM {table}").fetchall()
        kind = told[0][1]
        if type_name == "timedelta" and kind != "INTERVAL":
            seconds = _SECONDS.get(written)
            if seconds is None:
                raise Unannotated(f"{key!r} of {table} is no duration")
            written, kind = (
                f"to_microseconds(({written} * {seconds * 1000000})::BIGINT)",
                "INTERVAL",
            )
        elif type_name != "timedelta" and kind == "INTERVAL":
            written, kind = f"epoch({written}) / {_unit(key, 60)}", "DOUBLE"
        elif written in _SECONDS and type_name in ("float", "int"):
            # "hours" of what is kept in minutes
            own_unit = _SECONDS[written]
            written = f"{written} * {own_unit} / {_unit(key, own_unit)}"
        if type_name == "str" and kind.endswith("[]"):
            written, kind = f"({written})[1]", "VARCHAR"
        if type_name == "bool" and kind.endswith("[]"):  # "with others?"
            written, kind = f"len({written}) > 0", "BOOLEAN"
        names = {
            column.name for column in sqlglot.parse_one(written, read="duckdb").find_all(exp.Column)
        }
        for name in names:
            written = re.sub(rf'(?<![\w."]){name}(?![\w("])', f'{table}."{name}"', written)
        return read_as(written, kind, type_name)


# How long an event took, by its own times, where its table has no column for it.
_DURATION = re.compile(r"(hours?|minutes?|mins?|days|duration|length|how_long|time_spent)")
_TOOK = "end_datetime - start_datetime"
_LASTED = {
    **dict.fromkeys(("hour", "hours"), f"epoch({_TOOK}) / 3600"),
    **dict.fromkeys(("minute", "minutes", "min", "mins"), f"epoch({_TOOK}) / 60"),
    **dict.fromkeys(("duration", "length", "how_long", "time_spent"), _TOOK),
    "days": f"epoch({_TOOK}) / 86400",
}
_SECONDS = {"duration_minutes": 60, "duration_seconds": 1, "nights": 86400}


def _unit(key: str, otherwise: int) -> int:
    """How many seconds the unit has that an attribute's name speaks of."""
    units = {"second": 1, "minute": 60, "_min": 60, "hour": 3600, "day": 86400, "night": 86400}
    return next((seconds for word, seconds in units.items() if word in key), otherwise)


class _Values:
    """What can be named in a life, by how it is written."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection
        self._found: dict[str, dict[str, SlotValue]] = {}

    def named(self, domain: str, text: str) -> SlotValue | None:
        if domain not in self._found:
            values = DOMAINS[domain].values(self._connection)
            self._found[domain] = {_plain(value.text): value for value in values}
        return self._found[domain].get(text)


# -- attributes ------------------------------------------------------------------------------------


@cache
def _aliases() -> dict[str, dict[str, Counter[str]]]:
    """For each table, what each column was called, by words of the names."""
    found: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    told = [one.sql for one in annotations()]
    told += [
        sql
        for split in ("dev", "train")
        for template in load_templates(split)
        for sql in template.retrieve.values()
    ]
    for sql in dict.fromkeys(told):
        tree = sqlglot.parse_one(_SLOT.sub("'x'", sql), read="duckdb")
        for select in tree.find_all(exp.Select):
            source = select.args.get("from_") or select.args.get("from")
            if source is None or not isinstance(source.this, exp.Table) or select.args.get("joins"):
                continue
            for given in select.expressions:
                written = given.this if isinstance(given, exp.Alias) else given
                if not list(written.find_all(exp.Subquery)) and given.alias_or_name != "id":
                    found[source.this.name][given.alias_or_name][written.sql("duckdb")] += 1
    return found


@cache
def _tables() -> tuple[str, ...]:
    """The tables that hold each event once."""
    views = {"gatherings", "outings", "shared_outings", "all_events"}
    facts = {"people", "homes", "jobs", "schools", "pets"}
    return tuple(sorted(_aliases().keys() - views - facts))


_PARTS_OF_VIEWS = {
    "meetings": ("gatherings", "outings", "shared_outings"),
    "celebrations": ("gatherings", "outings", "shared_outings"),
    "trip_events": ("outings", "shared_outings"),
}


@cache
def column_of(table: str, key: str) -> str:
    """What an attribute's name means for the events of a table."""
    names: dict[str, Counter[str]] = defaultdict(Counter)
    for source in (table, *_PARTS_OF_VIEWS.get(table, ())):
        for name, written in _aliases().get(source, {}).items():
            names[name] += written
    by_hand = _by_hand()["attributes"].get(table, {})
    if key in by_hand:
        return str(by_hand[key])
    for spelling in (key, key.replace(" ", ""), key.removeprefix("my_")):
        if spelling in names:
            return _in_table(table, names[spelling].most_common(1)[0][0])
    asked = _words(key)
    scored = [(len(asked & _words(name)) / len(asked | _words(name)), sum(uses.values()), name)
              for name, uses in names.items()]  # fmt: skip
    best = max(scored, default=(0.0, 0, ""))
    lasted = _DURATION.search(key)
    if lasted:
        kept = [written for uses in names.values() for written in uses if "duration" in written]
        if not kept:
            return _LASTED[lasted[1]]
        if best[0] <= 0.3:
            return min(kept, key=len)
    if best[0] <= 0.3:
        raise Unannotated(f"the attribute {key!r} of {table} is not annotated")
    return _in_table(table, names[best[2]].most_common(1)[0][0])


def _in_table(table: str, written: str) -> str:
    """Views name some columns of their own."""
    own = {("celebrations", "activity"): "occasion", ("trip_events", "city"): "destination"}
    return own.get((table, written), written)


def _words(name: str) -> frozenset[str]:
    return frozenset(word.rstrip("s") for word in re.split(r"[_\W]+", name.lower())
                     if word and word not in ("of", "the", "name", "my", "i"))  # fmt: skip
