"""Broken files for tests: the bytes of a sample flipped, cut, repeated, and others put in."""

import io
from pathlib import Path

import orjson
from hypothesis import strategies as st

from reqap.errors import ExportProblem
from reqap.events import Event, ImportIssue
from reqap.sources.base import Context, ExportFile, Source
from tests.sources.reading import context

_FOREIGN = st.sampled_from(
    [b'"', b"\x00", b"\xff", b"\n", b"\r", b"{", b"[", b"]", b",", b";", b"\\u0000", b"1e999", b"#"]
)
_step = st.tuples(
    st.sampled_from(["flip", "cut", "repeat", "insert"]), st.integers(0, 1 << 16), _FOREIGN
)


@st.composite
def mangled(draw: st.DrawFn, path: Path) -> bytes:
    """The content of a file after a few accidents."""
    content = path.read_bytes()
    for what, place, foreign in draw(st.lists(_step, min_size=1, max_size=5)):
        at = place % (len(content) + 1)
        if what == "flip" and at < len(content):
            content = content[:at] + bytes([content[at] ^ (1 << place % 8)]) + content[at + 1 :]
        elif what == "cut":
            content = content[:at] + content[at + place % 97 :]
        elif what == "repeat":
            content = content[:at] + content[max(0, at - 61) : at] + content[at:]
        else:
            content = content[:at] + foreign + content[at:]
    return content


def in_memory(name: str, content: bytes) -> ExportFile:
    return ExportFile(name, len(content), lambda: io.BytesIO(content), lambda: str(hash(content)))


def read_bytes(
    source: Source, name: str, content: bytes, ctx: Context | None = None
) -> list[Event | ImportIssue]:
    """What a source makes of a content; the only error it may raise is ExportProblem."""
    file = in_memory(name, content)
    items: list[Event | ImportIssue] = []
    try:
        for item in source.read(file, ctx or context()):
            items.append(item)
            assert len(item.origin.file) > 0
            if isinstance(item, ImportIssue):
                assert len(item.detail) <= 200
            else:
                assert item.start <= item.end
                orjson.dumps(item.data)  # as the store does
                source.raw(file, item.origin.position)
    except ExportProblem:
        pass
    return items
