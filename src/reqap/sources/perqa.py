"""PerQA: the observable events of a benchmark persona.

How to get it: PerQA is the benchmark of the ReQAP paper; every persona's folder holds a file
`<persona>_obs.csv`. Only what a user could have exported is read. The links to the canonical events
and the list of properties that a text mentions belong to the gold answers, so they are left alone,
and so is the canonical twin of the file.
"""

import json
import math
from datetime import date, datetime, time, timedelta
from typing import NamedTuple

from reqap.errors import ValueProblem
from reqap.events import Event, ImportIssue, Scalar, Value, event_id
from reqap.sources.base import Context, ExportFile, Items, Sample, Source
from reqap.sources.tables import Row, raw_row, read_rows
from reqap.values import is_missing, parse_date, parse_time

NAME = "perqa"

_COLUMNS = {"id", "start_date", "end_date", "event_type", "event_data", "properties_mentioned"}
_MAX_DEPTH = 8
_LAST_SECOND = time(23, 59, 59)
_LARGEST_INT = 1 << 63


class _Span(NamedTuple):
    start: datetime
    end: datetime
    note: str = ""  # what had to be put right


def sniff(sample: Sample) -> bool:
    # The canonical twin has all of these columns but the last.
    return set(sample.header) >= _COLUMNS


def read(file: ExportFile, context: Context) -> Items:
    """One event per row; `context` is not needed, for the times are local as they stand."""
    for item in read_rows(file):
        if isinstance(item, ImportIssue):
            yield item
            continue
        position, row = item
        origin = file.origin(position)
        try:
            span = _span(row)
            data = _data(row["event_data"])
            kind = row["event_type"].strip()
            number = row["id"].strip()
        except (ValueProblem, KeyError) as error:
            yield ImportIssue("broken record", origin, str(error)[:200])
            continue
        if not kind:
            yield ImportIssue("no event type", origin)
            continue
        if span.note:
            yield ImportIssue(span.note, origin, _times(row), skipped=False)
        yield Event(
            # The ids count from 0 in every persona's file; with the content they are unique.
            id=event_id(NAME, number, kind, _times(row), row["event_data"].strip()),
            source=NAME,
            kind=kind,
            start=span.start,
            end=span.end,
            offset=None,
            data=data,
            origin=origin,
        )


def _times(row: Row) -> str:
    names = ("start_date", "start_time", "end_date", "end_time")
    return " ".join(row.get(name, "").strip() for name in names)


def _span(row: Row) -> _Span:
    """Start and end as they stand; days without times go to their last second."""
    day = parse_date(row["start_date"])
    if day is None:
        raise ValueProblem("there is no start date")
    last_day = parse_date(row["end_date"]) or day
    first, last = _time(row.get("start_time", "")), _time(row.get("end_time", ""))
    start = datetime.combine(day, first or time())
    if last is not None:
        end = datetime.combine(last_day, last)
    elif first is not None and last_day == day:
        end = start
    else:
        end = datetime.combine(last_day, _LAST_SECOND)
    if end >= start:
        return _Span(start, end)
    if last_day == day and day < date.max:  # from 23:30 to 00:30: past midnight
        return _Span(start, end + timedelta(days=1))
    return _Span(start, start, "ends before it starts")


def _time(text: str) -> time | None:
    found = parse_time(text)
    return found.replace(tzinfo=None) if found else None


def _data(text: str) -> dict[str, Value]:
    if is_missing(text):
        return {}
    try:
        parsed = json.loads(text, strict=False)  # texts hold bare line breaks
    except (ValueError, RecursionError) as error:
        raise ValueProblem(f"event_data is not JSON: {error}") from None
    if not isinstance(parsed, dict):
        raise ValueProblem(f"event_data is not an object: {text[:80]}")
    data: dict[str, Value] = {}
    _flatten(parsed, "", data, 0)
    return data


def _flatten(record: dict[str, object], prefix: str, data: dict[str, Value], depth: int) -> None:
    """Objects inside objects become keys with an underscore; nothing missing is taken over."""
    for key, value in record.items():
        name = _storable(f"{prefix}{key}")
        if isinstance(value, dict) and depth < _MAX_DEPTH:
            _flatten(value, f"{name}_", data, depth + 1)
        elif isinstance(value, list):
            if values := [scalar for entry in value for scalar in _scalars(entry)]:
                data[name] = values
        elif values := _scalars(value):
            data[name] = values[0]


def _scalars(value: object) -> list[Scalar]:
    """A scalar as a list of one; of an object or list inside a list, its JSON; else nothing."""
    if isinstance(value, dict | list):
        return [_storable(json.dumps(value, ensure_ascii=False))] if value else []
    if isinstance(value, str):
        return [_storable(value)] if value else []
    if isinstance(value, float) and not math.isfinite(value):
        return []
    if isinstance(value, int) and abs(value) >= _LARGEST_INT:
        return [float(value)] if value.bit_length() < 1000 else []
    return [value] if isinstance(value, int | float | bool) else []


def _storable(text: str) -> str:
    """The text without halves of characters, which no file can hold."""
    return text.encode("utf-8", "replace").decode()


SOURCE = Source(NAME, "PerQA benchmark", 1, sniff, read, raw_row)
