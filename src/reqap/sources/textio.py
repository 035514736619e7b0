"""Text out of bytes that may be anything: line by line, bounded, and never with an exception.

Exports are UTF-8, with or without a byte-order mark; some are UTF-16; old ones hold stray bytes of
Windows-1252. Not the job of this module: what the lines mean.
"""

import codecs
import io
from collections.abc import Iterator
from functools import partial
from itertools import chain
from typing import BinaryIO

from reqap.events import ImportIssue
from reqap.sources.base import ExportFile

MAX_LINE = 1 << 20
STRAY_NUL = "NUL characters, which no text means, were left out"

_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def decode(raw: bytes) -> tuple[str, bool]:
    """The text, and whether it was clean UTF-8. Bytes that are not read as Windows-1252."""
    try:
        return raw.decode("utf-8"), True
    except UnicodeDecodeError:
        return raw.decode("utf-8", "reqap-cp1252"), False


def _as_cp1252(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    wrong = error.object[error.start : error.end]
    return wrong.decode("cp1252", "replace"), error.end


codecs.register_error("reqap-cp1252", _as_cp1252)


def open_utf8(file: ExportFile) -> BinaryIO:
    """The file as UTF-8 bytes without a byte-order mark, whatever it was written in."""
    stream = file.open()
    head = stream.read(4)
    rest: BinaryIO
    if head[:2] in _UTF16:
        stream.close()
        raw = io.BufferedReader(_Recoded(file.open()))
        rest = raw
        head = b""
    else:
        head = head.removeprefix(codecs.BOM_UTF8)
        rest = stream
    return io.BufferedReader(_Prefixed(head, rest), 1 << 18)


class _Prefixed(io.RawIOBase):
    """A stream whose first bytes were taken already."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        self._head = head
        self._rest = rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        piece = self._head[: len(buffer)] or self._rest.read(len(buffer))
        self._head = self._head[len(buffer) :]
        buffer[: len(piece)] = piece
        return len(piece)

    def close(self) -> None:
        self._rest.close()
        super().close()


class _Recoded(io.RawIOBase):
    """A UTF-16 stream, as UTF-8."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder("utf-16")("replace")
        self._ready = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        while not self._ready:
            piece = self._stream.read(1 << 16)
            text = self._decoder.decode(piece, final=not piece)
            self._ready = text.encode("utf-8", "replace")
            if not piece:
                break
        taken = self._ready[: len(buffer)]
        self._ready = self._ready[len(taken) :]
        buffer[: len(taken)] = taken
        return len(taken)

    def close(self) -> None:
        self._stream.close()
        super().close()


class _WithNewlines(io.RawIOBase):
    """A stream of lines that end with carriage returns only, with newlines in their place."""

    def __init__(self, stream: io.RawIOBase) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        piece = (self._stream.read(len(buffer)) or b"").replace(b"\r", b"\n")
        buffer[: len(piece)] = piece
        return len(piece)


def read_lines(file: ExportFile) -> Iterator[tuple[int, str] | ImportIssue]:
    """Number (from 1) and text of every line, with its line end.

    Where carriage returns alone end the lines, as old Macs wrote them, they become newlines. A line
    over `MAX_LINE` bytes is an issue and passed over. A file that is not UTF-8, or holds NUL
    characters, is an issue once.
    """
    odd = nul = False
    with open_utf8(file) as opened:
        first, stream = _first_line(opened)
        following = iter(partial(stream.readline, MAX_LINE), b"")
        for number, raw in enumerate(chain([first] if first else [], following), 1):
            if len(raw) == MAX_LINE and raw[-1:] != b"\n":
                skipped = _to_line_end(stream)
                detail = f"{(MAX_LINE + skipped) / 1e6:.1f} MB"
                yield ImportIssue("line too long", file.origin(number), detail)
                continue
            text, clean = decode(raw)
            if not clean and not odd:
                odd = True
                detail = "read as Windows-1252 where it is not UTF-8"
                yield ImportIssue("unexpected encoding", file.origin(number), detail, skipped=False)
            if "\x00" in text:
                text = text.replace("\x00", "")
                if not nul:
                    nul = True
                    yield ImportIssue(STRAY_NUL, file.origin(number), skipped=False)
            yield number, text


def _first_line(stream: BinaryIO) -> tuple[bytes, BinaryIO]:
    """The first line, and the stream that has the others, all of which end with a newline."""
    first = stream.readline(MAX_LINE)
    if b"\r" not in first or first.endswith(b"\n"):
        return first, stream
    renewed = io.BufferedReader(_WithNewlines(_Prefixed(first, stream)), 1 << 18)
    return renewed.readline(MAX_LINE), renewed


def _to_line_end(stream: BinaryIO) -> int:
    skipped = 0
    while raw := stream.readline(MAX_LINE):
        skipped += len(raw)
        if raw.endswith(b"\n"):
            break
    return skipped
