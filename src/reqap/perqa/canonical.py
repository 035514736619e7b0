"""The canonical events of a life: what really happened, as tables that SQL can ask.

`TABLES` is the schema that gold queries are written against. Not the job of this module: what
people wrote about it (`texts`), and how it came about (`simulate`).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cached_property
from pathlib import Path

import duckdb
import pyarrow as pa

from reqap.perqa.persona import FAMILY, Persona

Scalar = str | int | float | bool | None
Property = Scalar | tuple[str, ...]

_T, _TS, _I, _F, _B = "VARCHAR", "VARCHAR[]", "BIGINT", "DOUBLE", "BOOLEAN"
TABLES: dict[str, dict[str, str]] = {
    "meetings": {
        "participants": _TS, "activity": _T, "title": _T, "place": _T, "place_type": _T,
        "city": _T, "cuisine": _T, "dish": _T,
    },
    "celebrations": {
        "occasion": _T, "honoree": _T, "participants": _TS, "place": _T, "place_type": _T,
        "city": _T, "cuisine": _T, "dish": _T,
    },
    "doctor_appointments": {
        "doctor_type": _T, "doctor": _T, "patient": _T, "patient_relation": _T, "reason": _T,
        "city": _T,
    },
    "milestones": {
        "milestone": _T, "name": _T, "company": _T, "role": _T, "school": _T, "subject": _T,
        "city": _T,
    },
    "trips": {
        "destination": _T, "country": _T, "purpose": _T, "transport": _T, "participants": _TS,
        "nights": _I,
    },
    "trip_events": {
        "trip_id": _I, "destination": _T, "country": _T, "activity": _T, "place": _T,
        "place_type": _T, "cuisine": _T, "dish": _T, "participants": _TS,
    },
    "movies": {
        "movie_title": _T, "genre": _T, "release_year": _I, "director": _T, "duration_minutes": _F,
    },
    "series": {
        "series_title": _T, "season": _I, "episode": _I, "episode_name": _T, "genre": _T,
        "duration_minutes": _F,
    },
    "music": {"song_name": _T, "artists": _TS, "genre": _T, "duration_seconds": _I},
    "purchases": {
        "product": _T, "category": _T, "price": _F, "currency": _T, "quantity": _I, "order_id": _T,
    },
    "workouts": {
        "workout_type": _T, "duration_minutes": _F, "distance_km": _F, "average_heart_rate": _I,
        "maximum_heart_rate": _I, "minimum_heart_rate": _I, "average_speed": _F,
        "maximum_speed": _F, "calories": _I, "participants": _TS,
    },
}  # fmt: skip
# What people wrote, as it can be counted and looked up.
WRITTEN: dict[str, dict[str, str]] = {
    "mails": {"sender": _T, "recipient": _T, "subject": _T, "text": _T, "sent": _B},
    "posts": {"text": _T},
    "calendar_entries": {"summary": _T, "location": _T, "description": _T},
    "notes": {"title": _T, "text": _T},
}
_ARROW = {
    _T: pa.string(), _TS: pa.list_(pa.string()), _I: pa.int64(), _F: pa.float64(), _B: pa.bool_(),
}  # fmt: skip


@dataclass(frozen=True)
class Event:
    """One thing that happened; `end` is when it was over."""

    id: int
    table: str
    start: datetime
    end: datetime
    properties: Mapping[str, Property] = field(hash=False)

    @cached_property
    def participants(self) -> tuple[str, ...]:
        found = self.properties.get("participants")
        return found if isinstance(found, tuple) else ()

    def text(self, name: str) -> str:
        """A property as text; empty where there is none."""
        found = self.properties.get(name)
        return "" if found is None or isinstance(found, tuple) else str(found)


# One thread: rows come out in the same order every time.
_LOCKED: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": False,
    "threads": 1,
}


def opened(path: Path) -> duckdb.DuckDBPyConnection:
    """The tables of a life that was built before, for reading."""
    return duckdb.connect(str(path), read_only=True, config=_LOCKED)


def database(
    persona: Persona, events: Iterable[Event], path: Path | None = None
) -> duckdb.DuckDBPyConnection:
    """The tables of one life, in a file or in memory. What was written, `add_table` adds."""
    connection = duckdb.connect(str(path) if path else ":memory:", config=_LOCKED)
    by_table: dict[str, list[Event]] = {name: [] for name in TABLES}
    for event in events:
        by_table[event.table].append(event)
    for name, columns in TABLES.items():
        add_table(connection, name, columns, by_table[name])
    _add_people(connection, persona)
    _add_reference(connection, persona.today)
    return connection


_TIMES = "id, start_datetime, end_datetime, start_date, start_time, end_date, end_time"
_WHERE = "place, place_type"
_FOOD = "cuisine, dish"
# To meet somebody is also to celebrate with them; to eat out one may be away.
_VIEWS = {
    "gatherings": f"SELECT {_TIMES}, participants, activity, {_WHERE}, city, {_FOOD} FROM meetings"
    f" UNION ALL SELECT {_TIMES}, participants, occasion, {_WHERE}, city, {_FOOD}"
    " FROM celebrations WHERE len(participants) > 0",
    "outings": f"SELECT {_TIMES}, participants, activity, {_WHERE}, city, {_FOOD} FROM meetings"
    f" UNION ALL SELECT {_TIMES}, participants, occasion, {_WHERE}, city, {_FOOD} FROM celebrations"
    f" UNION ALL SELECT {_TIMES}, participants, activity, {_WHERE}, destination, {_FOOD}"
    " FROM trip_events",
    "shared_outings": "SELECT * FROM outings WHERE len(participants) > 0",
}


def complete(connection: duckdb.DuckDBPyConnection) -> None:
    """Views: what people mean by meeting somebody and by going out; and `all_events`, the times of
    everything that has an id, happened or written."""
    for name, query in _VIEWS.items():
        connection.execute(f"CREATE VIEW {name} AS {query}")
    names = [
        row[0] for row in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()
    ]
    parts = [f"SELECT {_TIMES} FROM {name}" for name in names if name in {*TABLES, *WRITTEN}]
    connection.execute(f"CREATE VIEW all_events AS {' UNION ALL '.join(parts)}")


def add_table(
    connection: duckdb.DuckDBPyConnection,
    name: str,
    columns: Mapping[str, str],
    events: list[Event],
) -> None:
    """A table of events, with the times that every one has."""
    made = {
        "id": pa.array([event.id for event in events], pa.int64()),
        "start_datetime": pa.array([event.start for event in events], pa.timestamp("us")),
        "end_datetime": pa.array([event.end for event in events], pa.timestamp("us")),
    }
    for column, kind in columns.items():
        values = [event.properties.get(column) for event in events]
        made[column] = pa.array(values, _ARROW[kind])
    rest = ", ".join(columns)
    connection.register("made", pa.table(made))
    connection.execute(
        f"CREATE TABLE {name} AS SELECT id, start_datetime, end_datetime,"
        " start_datetime::DATE AS start_date, start_datetime::TIME AS start_time,"
        f" end_datetime::DATE AS end_date, end_datetime::TIME AS end_time, {rest}"
        " FROM made ORDER BY start_datetime, id"
    )
    connection.unregister("made")


def _add_people(connection: duckdb.DuckDBPyConnection, persona: Persona) -> None:
    connection.execute(
        "CREATE TABLE people (name VARCHAR, relation VARCHAR, nickname VARCHAR, birth_date DATE,"
        " city VARCHAR, is_family BOOLEAN)"
    )
    for person in persona.people:
        nickname = person.nicknames[0] if person.nicknames else None
        family = person.relation in FAMILY
        row = [person.name, person.relation, nickname, person.birth_date, person.city, family]
        connection.execute("INSERT INTO people VALUES (?, ?, ?, ?, ?, ?)", row)
    tables = {
        "jobs": ("company", "role", persona.jobs),
        "schools": ("school", "subject", persona.schools),
        "homes": ("street", "country", persona.homes),
    }
    for name, (what, role, stays) in tables.items():
        connection.execute(
            f"CREATE TABLE {name} ({what} VARCHAR, {role} VARCHAR, city VARCHAR,"
            " start_date DATE, end_date DATE)"
        )
        for stay in stays:
            row = [stay.what, stay.role, stay.city, stay.start, stay.end]
            connection.execute(f"INSERT INTO {name} VALUES (?, ?, ?, ?, ?)", row)
    connection.execute(
        "CREATE TABLE pets (name VARCHAR, type VARCHAR, start_date DATE, end_date DATE)"
    )
    for pet in persona.pets:
        row = [pet.name, pet.kind, pet.start, pet.end]
        connection.execute("INSERT INTO pets VALUES (?, ?, ?, ?)", row)


def _add_reference(connection: duckdb.DuckDBPyConnection, today: date) -> None:
    """`ref_date()` is the day on which the questions are asked."""
    connection.execute(f"CREATE MACRO ref_date() AS DATE '{today.isoformat()}'")
