"""Showing what stands in an Apple Health export at a position: a workout, or a day's records.

A day or a night was added up out of many records: those of the first one's type are shown, up to a
bound. Not the job of this module: reading the export.
"""

import re
from datetime import timedelta

from reqap.errors import ValueProblem
from reqap.sources.apple_health_sleep import SLEEP_TYPE
from reqap.sources.apple_health_xml import open_at
from reqap.sources.base import ExportFile
from reqap.sources.textio import decode
from reqap.values import parse_datetime

_WINDOW = 4 << 20
_MAX_SHOWN = 64 * 1024
_RECORDS_SHOWN = 20
_NIGHT = timedelta(hours=16)
_TAG = re.compile(rb'<[A-Za-z]+(?=[\s/>])(?:[^"<>]|"[^"<]*")*+>')
_RECORD = re.compile(rb'<Record\s(?:[^"<>]|"[^"<]*")*+>')
_ATTRIBUTE = re.compile(rb'\s(type|startDate)="([^"]*)"')


def raw(file: ExportFile, position: int) -> str:
    """The element at a position; of a day's records the first few, and how many follow."""
    with open_at(file, position) as stream:
        window = stream.read(_WINDOW)
    first = _TAG.match(window)
    if first is None:
        return ""
    if window.startswith(b"<Record"):
        return _records(window)
    if first[0].endswith(b"/>"):
        return _text(first[0])
    name = first[0][1:].split(None, 1)[0].rstrip(b">")
    end = window.find(b"</%s>" % name)
    return _text(window[: end + len(name) + 3] if end >= 0 else window)


def _records(window: bytes) -> str:
    shown: list[str] = []
    more = 0
    wanted: tuple[str, str] | None = None
    for found in _RECORD.finditer(window):
        told = {key: decode(value)[0] for key, value in _ATTRIBUTE.findall(found[0])}
        kind, start = told.get(b"type", ""), told.get(b"startDate", "")
        wanted = wanted or (kind, start)
        if kind != wanted[0] or not _is_same(kind, start, wanted[1]):
            continue
        if len(shown) < _RECORDS_SHOWN:
            shown.append(_text(found[0]))
        else:
            more += 1
    if more:
        shown.append(f"… and {more} more nearby")
    return "\n".join(shown)


def _is_same(kind: str, start: str, first: str) -> bool:
    """Whether two records make one day, by the date as written; or one night."""
    if kind != SLEEP_TYPE:
        return start[:10] == first[:10]
    try:
        begin, moment = parse_datetime(first), parse_datetime(start)
        return begin is not None and moment is not None and moment - begin < _NIGHT
    except (ValueProblem, TypeError):
        return False


def _text(raw_bytes: bytes) -> str:
    text = decode(raw_bytes[:_MAX_SHOWN])[0]
    return "".join(char if char.isprintable() or char == "\n" else " " for char in text)
