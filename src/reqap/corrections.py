"""What a person corrected, put between the plan and what it runs on.

An event that was dropped from a query is not found by it again; a value that was corrected wins
over what data or texts tell; a question whose plan was edited keeps that plan. Not the job of this
module: keeping corrections (`reqap.store.remembered`).
"""

from collections.abc import Callable
from datetime import datetime

import pyarrow as pa
import pyarrow.compute as pc

from reqap.errors import ValueProblem
from reqap.execute import Extractor, Retriever
from reqap.store import Store
from reqap.store.remembered import NOT_MEANT, PLAN, VALUE, correct, corrections
from reqap.values import coerce

_BY_YOU = "corrected by you"


def plain(text: str) -> str:
    """A query, a key or a question, however it is typed."""
    return " ".join(text.split()).casefold().rstrip(" ?.!")


def drop_event(store: Store, query: str, event: str) -> int:
    """This event does not match this query."""
    return correct(store, NOT_MEANT, plain(query), event=event)


def set_value(store: Store, event: str, key: str, type_name: str, value: str) -> int:
    """The value of a key; empty if the event does not tell it. ValueProblem if it is no such."""
    _typed(value, type_name)
    return correct(store, VALUE, plain(key), event=event, type_name=type_name, value=value.strip())


def set_plan(store: Store, question: str, plan: str) -> int:
    """The plan of a question."""
    return correct(store, PLAN, plain(question), value=plan)


def plan_of(store: Store, question: str) -> str | None:
    """The plan that the user gave a question, if any."""
    asked = plain(question)
    return next((one.value for one in corrections(store, PLAN) if one.about == asked), None)


class CorrectedRetriever:
    """RETRIEVE without the events that were dropped."""

    def __init__(self, inner: Retriever, store: Store) -> None:
        self._inner = inner
        self._dropped: dict[str, set[str | None]] = {}
        for one in corrections(store, NOT_MEANT):
            self._dropped.setdefault(one.about, set()).add(one.event)

    def retrieve(self, query: str, today: datetime, within: pa.Array | None = None) -> pa.Table:
        found = self._inner.retrieve(query, today, within)
        dropped = self._dropped.get(plain(query))
        if not dropped:
            return found
        gone = pc.is_in(found["id"], value_set=pa.array(sorted(filter(None, dropped))))
        return found.filter(pc.invert(gone))


class CorrectedExtractor:
    """EXTRACT with the values that were corrected."""

    def __init__(self, inner: Extractor, store: Store) -> None:
        self._inner = inner
        self._values: dict[tuple[str, str | None], dict[str | None, str]] = {}
        for one in corrections(store, VALUE):
            key = (one.about, one.type_name)
            self._values.setdefault(key, {})[one.event] = one.value or ""

    def extract(
        self,
        ids: pa.Array,
        key: str,
        type_name: str,
        about: str = "",
        tick: Callable[[], object] = bool,
    ) -> pa.Table:
        found = self._inner.extract(ids, key, type_name, about, tick)
        known = self._values.get((plain(key), type_name))
        if not known:
            return found
        rows = found.to_pylist()
        for place, event in enumerate(ids.to_pylist()):
            if event in known:
                value = _typed(known[event], type_name)
                where = None if value is None else _BY_YOU
                rows[place] = {"value": value, "unit": rows[place]["unit"], "where": where,
                               "chance": None if value is None else 1.0}  # fmt: skip
        return pa.Table.from_pylist(rows, found.schema)


def _typed(text: str, type_name: str) -> object:
    """A value as the user typed it; None if there is none."""
    if not text.strip():
        return None
    value = coerce(text.strip(), type_name)
    if value is None:
        raise ValueProblem(f"{text.strip()[:80]!r} is no {type_name}")
    found = list(value) if isinstance(value, tuple) else value
    try:
        pa.array([found])
    except (pa.ArrowInvalid, OverflowError):
        raise ValueProblem(f"{text.strip()[:80]!r} is too large") from None
    return found
