"""What the user did with answers: questions asked, judgements, corrections.

All of it lies in the store, beside the events, and goes with them: what rests on events that were
forgotten is forgotten as well. Not the job of this module: what a correction changes
(`reqap.corrections`).
"""

from collections.abc import Sequence
from datetime import datetime
from threading import Lock
from typing import NamedTuple

import duckdb

from reqap.errors import NotFound
from reqap.store.ingest import transaction
from reqap.store.store import Store

_LOCK = Lock()  # several threads may keep something at once
JUDGEMENTS = ("correct", "almost", "wrong")
# What a correction is about: an event that does not match a query, the value of a key, the plan of
# a question.
NOT_MEANT, VALUE, PLAN = "not meant", "value", "plan"


class Remembered(NamedTuple):
    """A question that was asked, and what came of it. `answer` is JSON."""

    id: int
    asked: datetime
    today: datetime
    question: str
    status: str
    text: str
    plan: str
    answer: str
    milliseconds: float
    judgement: str | None = None


class Correction(NamedTuple):
    """`about` is the query, the key or the question; `value` what is right instead."""

    id: int
    made: datetime
    sort: str
    about: str
    event: str | None
    type_name: str | None
    value: str | None


def remember(store: Store, one: Remembered, events: Sequence[str]) -> int:
    """Keeps a question; `events` are those that its answer rests on."""
    with _LOCK, store.connection.cursor() as cursor, transaction(cursor):
        number = _number(cursor)
        cursor.execute(
            "INSERT INTO asked VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, ?)",
            [number, *one[1:9], list(events)],
        )
    return number


def history(store: Store, limit: int = 100, before: int | None = None) -> list[Remembered]:
    """Questions, the newest first."""
    with store.connection.cursor() as cursor:
        rows = cursor.execute(
            f"{_ASKED} WHERE $1 IS NULL OR id < $1 ORDER BY id DESC LIMIT $2", [before, limit]
        ).fetchall()
    return [Remembered(*row) for row in rows]


def remembered(store: Store, number: int) -> Remembered:
    with store.connection.cursor() as cursor:
        rows = cursor.execute(f"{_ASKED} WHERE id = ?", [number]).fetchall()
    if not rows:
        raise NotFound(f"There is no question {number} in the history")
    return Remembered(*rows[0])


_ASKED = (
    "SELECT id, asked, today, question, status, text, plan, answer, milliseconds, judgement"
    " FROM asked"
)


def judge(store: Store, number: int, judgement: str | None) -> None:
    """Correct, almost, wrong; None takes a judgement back."""
    if judgement is not None and judgement not in JUDGEMENTS:
        raise NotFound(f"{judgement[:40]!r} is no judgement; there are {', '.join(JUDGEMENTS)}")
    remembered(store, number)
    with store.connection.cursor() as cursor:
        cursor.execute("UPDATE asked SET judgement = ? WHERE id = ?", [judgement, number])


def forget_asked(store: Store, number: int) -> None:
    remembered(store, number)
    with store.connection.cursor() as cursor:
        cursor.execute("DELETE FROM asked WHERE id = ?", [number])


def correct(
    store: Store,
    sort: str,
    about: str,
    *,
    event: str | None = None,
    type_name: str | None = None,
    value: str | None = None,
) -> int:
    """Keeps a correction; an earlier one of the same thing gives way."""
    with _LOCK, store.connection.cursor() as cursor, transaction(cursor):
        cursor.execute(
            "DELETE FROM corrections WHERE sort = ? AND about = ? AND event IS NOT DISTINCT FROM ?"
            " AND type_name IS NOT DISTINCT FROM ?",
            [sort, about, event, type_name],
        )
        number = _number(cursor)
        cursor.execute(
            "INSERT INTO corrections VALUES (?, now()::TIMESTAMP, ?, ?, ?, ?, ?)",
            [number, sort, about, event, type_name, value],
        )
    return number


def _number(db: duckdb.DuckDBPyConnection) -> int:
    """One that nothing here ever had: whoever still looks at a thing that is gone must not meet
    another one."""
    rows = db.execute("SELECT value FROM settings WHERE name = 'numbers'").fetchall()
    number = int(rows[0][0]) + 1 if rows else 1
    db.execute("DELETE FROM settings WHERE name = 'numbers'")
    db.execute("INSERT INTO settings VALUES ('numbers', ?)", [str(number)])
    return number


def corrections(store: Store, sort: str | None = None) -> list[Correction]:
    """All of them, the newest first."""
    with store.connection.cursor() as cursor:
        rows = cursor.execute(
            "SELECT id, made, sort, about, event, type_name, value FROM corrections"
            " WHERE $1 IS NULL OR sort = $1 ORDER BY id DESC",
            [sort],
        ).fetchall()
    return [Correction(*row) for row in rows]


def undo(store: Store, number: int) -> None:
    """Takes a correction back."""
    with store.connection.cursor() as cursor:
        rows = cursor.execute(
            "DELETE FROM corrections WHERE id = ? RETURNING id", [number]
        ).fetchall()
    if not rows:
        raise NotFound(f"There is no correction {number}")
