"""What users have as plain tables, one per kind of event: what SQL is written on.

They are written to a database of their own. Not the job of this module: writing SQL (`codegen`),
and running what somebody wrote (`sandbox`).
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any

import duckdb
import orjson
import pyarrow as pa

from reqap.profile import Profile
from reqap.profile.model import Home, Job, Pet, School, When
from reqap.store import Store

_TIMES = (
    "id VARCHAR", "start_datetime TIMESTAMP", "end_datetime TIMESTAMP", "start_date DATE",
    "end_date DATE", "start_time TIME", "end_time TIME",
)  # fmt: skip
_BOOL, _INT, _FLOAT, _TEXT, _LIST = "BOOLEAN", "BIGINT", "DOUBLE", "VARCHAR", "VARCHAR[]"
_ARROW = {
    _BOOL: pa.bool_(), _INT: pa.int64(), _FLOAT: pa.float64(), _TEXT: pa.string(),
    _LIST: pa.list_(pa.string()),
}  # fmt: skip
_KINDS, _COLUMNS = 40, 60  # tables, and columns of one, at most: data is hostile, too
_PLAIN_NAME = re.compile(r"[a-z_][a-z0-9_]*")
_RESERVED = frozenset({"order", "group", "select", "from", "where", "table", "end", "user"})
# What the fields of an appointment say, so that a condition need not name each.
_PROFILE = "profile"
_ENTRY, _SAID = "calendar", ("summary", "description", "location")


class Tables:
    """Writes the tables of one life to a file."""

    def __init__(self, store: Store, today: datetime, path: Path) -> None:
        self._schema: dict[str, tuple[str, ...]] = {}
        with duckdb.connect(str(path)) as self._connection:
            self._add_profile(Profile.saved(store.load_profile()))
            found = store.connection.execute(
                "SELECT kind, count(*) FROM events GROUP BY 1 ORDER BY 2"
            )
            for kind, _ in found.fetchall()[-_KINDS:]:
                if kind not in self._schema and kind != _PROFILE:
                    self._add_kind(store, kind)
            day = today.date().isoformat()
            self._connection.execute(f"CREATE MACRO ref_date() AS DATE '{day}'")

    @property
    def schema(self) -> str:
        """All tables with their columns, as one would declare them."""
        return "\n".join(f"{quoted(name)}({', '.join(columns)})"
                         for name, columns in sorted(self._schema.items()))  # fmt: skip

    def _add_kind(self, store: Store, kind: str) -> None:
        cursor = store.connection.execute(
            "SELECT id, start_at, end_at, data FROM events WHERE kind = ? ORDER BY start_at, id",
            [kind],
        )
        rows = cursor.fetchall()
        records = [orjson.loads(row[3]) for row in rows]
        if kind == _ENTRY:
            records = [{**one, "text": " ".join(str(one[k]) for k in _SAID if one.get(k))}
                       for one in records]  # fmt: skip
        counted = Counter(key for record in records for key in record)
        taken = {column.partition(" ")[0] for column in _TIMES}
        keys = [key for key, _ in counted.most_common(_COLUMNS) if key.casefold() not in taken]
        columns = {key: [record.get(key) for record in records] for key in sorted(keys)}
        types = {key: _type_of(values) for key, values in columns.items()}
        made = {"#id": [row[0] for row in rows], "#start": [row[1] for row in rows],
                "#end": [row[2] for row in rows]}  # fmt: skip
        for key, values in columns.items():
            made[f"={key}"] = pa.array([_cast(it, types[key]) for it in values], _ARROW[types[key]])
        own = ", ".join(f"{_quote(f'={key}')} AS {_quote(key)}" for key in columns)
        self._create(kind, pa.table(made), (
            '"#id" AS id, "#start" AS start_datetime, "#end" AS end_datetime, "#start"::DATE AS'
            ' start_date, "#end"::DATE AS end_date, "#start"::TIME AS start_time, "#end"::TIME AS'
            f' end_time{", " if own else ""}{own}'
        ), (*_TIMES, *(f"{quoted(key)} {types[key]}" for key in columns)))  # fmt: skip

    def _add_profile(self, profile: Profile) -> None:
        """Who the user is, and whom they know."""
        self._add("me", [(profile.name,)], ("name VARCHAR",))
        people = [(p.name, p.relation, next(iter(p.nicknames), None), _day(p.birth_date))
                  for p in profile.people]  # fmt: skip
        self._add("people", people, ("name VARCHAR", "relation VARCHAR", "nickname VARCHAR",
                                     "birth_date DATE"))  # fmt: skip
        times = ("start_date DATE", "end_date DATE")
        jobs = [(j.company, j.role, j.city, *_span(j)) for j in profile.jobs]
        self._add("jobs", jobs, ("company VARCHAR", "role VARCHAR", "city VARCHAR", *times))
        schools = [(s.name, s.degree, s.city, *_span(s)) for s in profile.schools]
        self._add("schools", schools, ("school VARCHAR", "subject VARCHAR", "city VARCHAR", *times))
        homes = [(h.address, h.city, *_span(h)) for h in profile.homes]
        self._add("homes", homes, ("street VARCHAR", "city VARCHAR", *times))
        pets = [(p.name, p.type, *_span(p)) for p in profile.pets]
        self._add("pets", pets, ("name VARCHAR", "type VARCHAR", *times))

    def _add(self, name: str, rows: Sequence[Sequence[object]], columns: tuple[str, ...]) -> None:
        self._schema[name] = columns
        self._connection.execute(f"CREATE TABLE {_quote(name)} ({', '.join(columns)})")
        for row in rows:
            marks = ", ".join("?" for _ in columns)
            self._connection.execute(f"INSERT INTO {_quote(name)} VALUES ({marks})", list(row))

    def _create(self, name: str, rows: pa.Table, what: str, columns: tuple[str, ...]) -> None:
        self._schema[name] = columns
        self._connection.register("#rows", rows)
        self._connection.execute(f'CREATE TABLE {_quote(name)} AS SELECT {what} FROM "#rows"')
        self._connection.unregister("#rows")


def _day(when: When | None) -> date | None:
    return when.first if when else None


def _span(item: Job | School | Home | Pet) -> tuple[date | None, date | None]:
    return _day(item.since), item.until.last if item.until else None


def quoted(name: str) -> str:
    """A name as one writes it: quoted only where it must be."""
    is_plain = _PLAIN_NAME.fullmatch(name) and name not in _RESERVED
    return name if is_plain else _quote(name)


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _type_of(values: Sequence[object]) -> str:
    kinds = {type(value) for value in values if value is not None}
    if list in kinds:
        return _LIST
    if kinds == {bool}:
        return _BOOL
    if kinds == {int}:
        return _INT
    return _FLOAT if kinds and kinds <= {int, float} else _TEXT


def _cast(value: Any, kind: str) -> object:
    if kind == _LIST:
        items = value if isinstance(value, list) else [] if value is None else [value]
        return [str(item) for item in items]
    if value is None or kind in (_BOOL, _INT):
        return value
    if kind == _FLOAT:
        return float(value)
    return orjson.dumps(value).decode() if isinstance(value, Mapping) else str(value)
