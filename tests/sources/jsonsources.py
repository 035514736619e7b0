"""What the tests of the JSON sources share: files in memory, who claims what, hostile content."""

import io
import json
from copy import deepcopy
from datetime import datetime
from pathlib import Path

import orjson
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from reqap.errors import ExportProblem
from reqap.events import Event, ImportIssue
from reqap.sources.base import ExportFile, Source
from reqap.sources.records import sample_of
from tests.sources.reading import DATA, context, files

# Reading a few kilobytes takes milliseconds; seconds mean that something grew out of hand.
QUICK = settings(
    max_examples=60, deadline=3000, suppress_health_check=[HealthCheck.too_slow]
)  # fmt: skip

JUNK: list[object] = [
    None,
    True,
    0,
    -1,
    10**30,
    1.5e300,
    "",
    "0",
    "\x00\x1b",
    "\ud800",
    "x" * 5000,
    "9" * 500,
    "0001-01-01T00:00:00+14:00",
    "9999-12-31T23:59:59-14:00",
    "https://[",
    "https://www.google.com/search?q=" + "&" * 500,
    [],
    {},
    [None, 1, "a", {"name": 7}],
    json.loads("[" * 50 + "]" * 50),
    {"name": ["a"], "url": {}, "uri": 3, "title": [1], "comment": {"comment": []}},
]


def in_memory(content: bytes, name: str) -> ExportFile:
    return ExportFile(name, len(content), lambda: io.BytesIO(content), lambda: "memory")


def read_all(source: Source, content: bytes, name: str = "x.json") -> list[Event | ImportIssue]:
    return list(source.read(in_memory(content, name), context()))


def claimed(source: Source, folder: str) -> list[str]:
    """The sample files under `folder` that the source takes for its own, by name."""
    root = DATA / folder
    found = (file for file in files(root) if source.sniff(sample_of(file)))
    return [str(Path(file.name).relative_to(root)) for file in found]


def claimed_of_others(source: Source, own: str) -> list[str]:
    """The samples of all other sources that the source would take; there should be none."""
    others = sorted(path for path in DATA.iterdir() if path.is_dir() and path.name != own)
    return [f"{path.name}/{name}" for path in others for name in claimed(source, path.name)]


@st.composite
def damaged(draw: st.DrawFn, path: Path) -> bytes:
    """The content of a file with a few bytes flipped, cut out, put in or doubled."""
    content = path.read_bytes()
    for _ in range(draw(st.integers(1, 5))):
        at = draw(st.integers(0, max(0, len(content) - 1)))
        size = draw(st.integers(1, 40))
        how = draw(st.sampled_from(("flip", "cut", "insert", "double")))
        piece = content[at : at + size]
        middle = {
            "flip": bytes(byte ^ draw(st.integers(1, 255)) for byte in piece[:1]) + piece[1:],
            "cut": b"",
            "insert": draw(st.binary(max_size=8)) + piece,
            "double": piece * 2,
        }[how]
        content = content[:at] + middle + content[at + size :]
    return content


@st.composite
def confused(draw: st.DrawFn, path: Path) -> bytes:
    """The content of a file with a few of its JSON values replaced by values of other types."""
    written = path.read_text()
    start = min(at for at in (written.find("["), written.find("{")) if at >= 0)
    document = json.loads(written[start:])
    for _ in range(draw(st.integers(1, 4))):
        places = _places(document)
        if not places:
            break
        holder, key = draw(st.sampled_from(places))
        holder[key] = deepcopy(draw(st.sampled_from(JUNK)))  # type: ignore[index]
    return (written[:start] + json.dumps(document)).encode()


def _places(value: object) -> list[tuple[object, object]]:
    """Every value inside `value`, as what holds it and under which key."""
    found: list[tuple[object, object]] = []
    keys: list[object] = []
    if isinstance(value, dict):
        keys = list(value)
    elif isinstance(value, list):
        keys = list(range(len(value)))
    for key in keys:
        found.append((value, key))
        found.extend(_places(value[key]))  # type: ignore[index]
    return found


def survives(source: Source, content: bytes, name: str = "x.json") -> None:
    """Whatever is in the file: sound events that a store can take, issues, or ExportProblem."""
    file = in_memory(content, name)
    source.sniff(sample_of(file))
    try:
        items = list(source.read(file, context()))
    except ExportProblem:
        return
    for item in items:
        assert item.origin.file == name
        if isinstance(item, Event):
            assert isinstance(item.start, datetime)
            assert item.start.tzinfo is None
            assert item.start <= item.end
            assert -(2**63) <= item.revision < 2**63
            orjson.dumps(item.data)
            item.id.encode("ascii")
            assert all(value not in ("", [], None) for value in item.data.values())
        else:
            assert len(item.detail) <= 200
            item.detail.encode()
    events = [item for item in items if isinstance(item, Event)]
    if events:
        assert source.raw(file, events[-1].origin.position)
