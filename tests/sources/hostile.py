"""Files as no service writes them, and what every source owes a person who has one."""

import json
import re
import time
from contextlib import suppress
from copy import deepcopy
from datetime import datetime
from pathlib import Path
from typing import Any

import orjson
from hypothesis import strategies as st

from reqap.errors import ExportProblem
from reqap.events import Event, ImportIssue, Retraction
from reqap.sources.base import Context, Source
from reqap.sources.records import sample_of
from reqap.sources.registry import all_sources, recognise
from tests.sources.reading import context, in_memory

# A few kilobytes are read in milliseconds; seconds of work mean that something got out of hand.
_MAX_SECONDS = 10
_INT64 = range(-(2**63), 2**63)

_ODD_PIECES = [
    *(b'"', b"'", b"\\", b"\x00", b"\xff", b"\xff\xfe", b"\xef\xbb\xbf", b"\xf0\x9f"),
    *(b"\n", b"\r", b"\r\n\r\n", b"\n ", b"\t", b" ", b"---\n", b"From ", b"\nFrom "),
    *(b",", b";", b":", b": ", b"=", b"#", b"/", b"-", b"+", b"(", b"@"),
    *(b"{", b"}", b"[", b"]", b"<", b">", b"&x;", b"&#55296;", b"<!--", b"<!DOCTYPE a ["),
    *(b"\\u0000", b"\\ud800", b"null", b"1e999", b"-1", b"9" * 30, b"9" * 5000),
]
_PIECES = st.sampled_from(_ODD_PIECES) | st.binary(max_size=20)
_ACCIDENTS = st.sampled_from(["flip", "cut", "insert", "double", "move", "truncate"])

_JUNK: list[object] = [
    *(None, True, 0, -1, 2.5, 10**12, 10**18, 10**30, 1e308),
    *("", "0", "x", "1,2", "\x00\x1b", "\ud800", "x" * 5000, "9" * 500),
    *("2023-13-45", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"),
    *("https://[", "https://www.google.com/search?q=" + "&" * 500),
    *([], {}, [[1]], {"a": {}}, [None, 1, "a", {"name": 7}], json.loads("[" * 50 + "]" * 50)),
    {"name": ["a"], "url": {}, "uri": 3, "title": [1], "comment": {"comment": []}},
]


@st.composite
def damaged(draw: st.DrawFn, content: bytes) -> bytes:
    """The bytes of a file after a few accidents."""
    for _ in range(draw(st.integers(1, 5))):
        start = draw(st.integers(0, len(content)))
        end = min(len(content), start + draw(st.integers(1, 400)))
        before, piece, after = content[:start], content[start:end], content[end:]
        match draw(_ACCIDENTS):
            case "flip" if piece:
                content = before + bytes([piece[0] ^ draw(st.integers(1, 255))]) + piece[1:] + after
            case "cut":
                content = before + after
            case "insert":
                content = before + draw(_PIECES) + piece + after
            case "double":
                content = before + piece * 2 + after
            case "move":
                rest = before + after
                place = draw(st.integers(0, len(rest)))
                content = rest[:place] + piece + rest[place:]
            case "truncate":
                content = before
    return content


@st.composite
def confused(draw: st.DrawFn, path: Path) -> bytes:
    """The content of a JSON file (or of a script that is one array) with values of other types."""
    written = path.read_text("utf-8")
    begin = re.search(r"[\[{]", written)
    assert begin, f"there is no JSON in {path}"
    document = json.loads(written[begin.start() :])
    for _ in range(draw(st.integers(1, 4))):
        if places := _places(document):
            holder, key = places[draw(st.integers(0, len(places) - 1))]
            holder[key] = deepcopy(draw(st.sampled_from(_JUNK)))
    return (written[: begin.start()] + json.dumps(document)).encode()


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Every value inside `value`, as what holds it and under which key."""
    keys: list[Any] = []
    if isinstance(value, dict):
        keys = list(value)
    elif isinstance(value, list):
        keys = list(range(len(value)))
    found = []
    for key in keys:
        found.append((value, key))
        found.extend(_places(value[key]))
    return found


def survives(source: Source, content: bytes, name: str, ctx: Context | None = None) -> list[Event]:
    """Whatever is in the file: sound events that a store can take, issues, or ExportProblem.

    Returns the events. The time is that of the processor: other work on the machine does not count.
    """
    began = time.process_time()
    file = in_memory(content, name)
    source.sniff(sample_of(file))
    recognise(file, all_sources())
    items: list[Event | ImportIssue | Retraction] = []
    with suppress(ExportProblem):
        for item in source.read(file, ctx or context()):
            items.append(item)  # one by one: what came before a problem counts
    for item in items:
        assert item.origin.file == name
        assert item.origin.position in _INT64
        if isinstance(item, Event):
            _sound(item)
            assert item.source == source.name
        elif isinstance(item, Retraction):
            assert item.revision in _INT64
        else:
            assert item.reason
            assert len(item.detail) <= 200
            f"{item.reason}{item.detail}".encode()
    events = [item for item in items if isinstance(item, Event)]
    for event in events[-1:]:
        assert source.raw(file, event.origin.position)
    for item in items[-1:]:
        with suppress(ExportProblem):  # an issue may be that there are no records at all
            source.raw(file, item.origin.position)
    assert time.process_time() - began < _MAX_SECONDS
    return events


def _sound(event: Event) -> None:
    assert isinstance(event.start, datetime)
    assert isinstance(event.end, datetime)
    assert event.start.tzinfo is event.end.tzinfo is None
    assert event.start <= event.end
    assert event.offset is None or abs(event.offset) < 24 * 60
    assert event.revision in _INT64
    assert event.id.encode("ascii")
    assert event.kind
    orjson.dumps(event.data)  # as the store does
