"""A step of an answer, looked into: why events were taken, and where values come from.

What the command line and the page show of it, as plain data.
"""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import pyarrow as pa

from reqap.errors import NotFound
from reqap.events import Event, Scalar, Value
from reqap.life import Life
from reqap.plan import Operator
from reqap.plan import operators as op
from reqap.verbalize import gist
from reqap.wording import say

Plain = dict[str, Any]
_SHOWN, _MISSES = 200, 30
MOST_VALUES = 200  # events of which the values are shown
_WORDS = re.compile(r"'([^']+)'")  # of a text, in the words for where a value comes from


def operator_at(plan: Operator, path: str) -> Operator:
    """The step at a path of the trace."""
    for number in places(path):
        inner = (*plan.inputs(), *plan.sub_plans())
        if not 1 <= number <= len(inner):
            raise NotFound(f"There is no step {path[:40]!r}")
        plan = inner[number - 1]
    return plan


def places(path: str) -> list[int]:
    """The way from the root to a step: 1.2.1 is the first of the second."""
    parts = path.split(".")
    if parts[0] != "1" or not all(part.isdecimal() for part in parts):
        raise NotFound(f"There is no step {path[:40]!r}")
    return [int(part) for part in parts[1:]]


def found_by(life: Life, query: str, today: datetime) -> Plain:
    """What RETRIEVE took, and what nearly, with its reasons."""
    kept = life.retrieve(query, today)
    missed = life.near_misses(query, today)
    rows = _with_events(life, kept.slice(0, _SHOWN))
    misses = [] if missed is None else _with_events(life, missed.slice(0, _MISSES))
    happenings = len(set(kept["happening"].to_pylist()))
    return {"query": query, "events": len(kept), "happenings": happenings, "rows": rows,
            "misses": misses}  # fmt: skip


def _with_events(life: Life, table: pa.Table) -> list[Plain]:
    events = {one.id: one for one in life.events(table["id"].to_pylist())}
    return [
        {"happening": row["happening"], "why": row["why"], **listed(events[row["id"]])}
        for row in table.to_pylist() if row["id"] in events
    ]  # fmt: skip


def read_by(life: Life, operator: op.Extract, today: datetime, first: Sequence[str]) -> list[str]:
    """The events in which EXTRACT reads, those first that are named."""
    found = dict.fromkeys(
        event for inner in op.walk_plan(operator) if isinstance(inner, op.Retrieve)
        for event in life.retrieve(inner.query, today)["id"].to_pylist()
    )  # fmt: skip
    return list(dict.fromkeys([*(event for event in first if event in found), *found]))


def values_of(life: Life, operator: op.Extract, ids: Sequence[str]) -> list[Plain]:
    """What EXTRACT gives for some events, and where that stands."""
    about = next((inner.query for inner in op.walk_plan(operator)
                  if isinstance(inner, op.Retrieve)), "")  # fmt: skip
    wanted = list(dict.fromkeys(ids))[:MOST_VALUES]
    known = {one.id: one for one in life.events(wanted)}
    events = {name: known[name] for name in wanted if name in known}
    rows = []
    for key, type_name in zip(operator.attr_names, operator.attr_types, strict=True):
        simple = "list" if type_name.startswith("list") else type_name
        read = life.extract(list(events), key, simple, about).to_pylist()
        for event, value in zip(events.values(), read, strict=True):
            shown = "" if value["value"] is None else say(value["value"])
            words = _WORDS.search(value["where"] or "")
            rows.append({"key": key, "type": simple, "value": shown, "where": value["where"],
                         "chance": value["chance"],
                         **listed(event, words[1] if words else "")})  # fmt: skip
    return rows


def listed(event: Event, around: str = "") -> Plain:
    """An event on one line; of a long one, what stands around some words."""
    return {"id": event.id, "kind": event.kind, "source": event.source,
            "start": f"{event.start:%a %Y-%m-%d %H:%M}",
            "gist": gist(event.data, around)}  # fmt: skip


def told_value(value: Value) -> str:
    return say(value) if isinstance(value, Scalar) else ", ".join(say(item) for item in value)
