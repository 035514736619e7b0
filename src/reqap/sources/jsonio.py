"""JSON arrays of any length, a stretch at a time, and what can be saved of broken ones.

The parser is orjson; this module only finds places where an array can be cut. A cut is right
exactly when the piece before it parses, so nothing here has to understand strings or nesting.
Not the job of this module: what the records mean.
"""

import json
import re
from collections.abc import Iterator
from typing import BinaryIO

import orjson

from reqap.errors import ExportProblem
from reqap.events import ImportIssue
from reqap.sources.base import ExportFile
from reqap.sources.textio import decode, open_utf8

Json = dict[str, "Json"] | list["Json"] | str | int | float | bool | None
Record = dict[str, Json]

_STRETCH = 1 << 20
_MAX_RECORD = 64 << 20
_TRIES = 200
_CUT = re.compile(rb"[}\]]\s*,\s*(?=[{\[])")
_END = re.compile(rb"[}\]]\s*([,\]])")
_NEXT = re.compile(rb"\}\s*,\s*(?=\{)")
_GAP = b" \t\r\n,"


def read_records(
    file: ExportFile, key: str | None = None
) -> Iterator[tuple[int, Record] | ImportIssue]:
    """Index and content of every object in an array: the file itself, or the one under `key`.

    Broken or foreign elements are issues, and so is an end that comes too soon; the records around
    them are given all the same.
    """
    number = 0
    with open_utf8(file) as stream:
        array = _Array(stream, file, key)
        while (elements := array.next_elements()) is not None:
            for element in elements:
                if isinstance(element, dict):
                    yield number, element
                elif isinstance(element, _Broken):
                    yield ImportIssue(element.reason, file.origin(number), element.detail)
                else:
                    yield ImportIssue("not a record", file.origin(number), repr(element)[:80])
                number += 1


class _Broken(Exception):
    """An element that cannot be parsed. Handed on as a value, never raised."""

    def __init__(self, reason: str, piece: bytes) -> None:
        self.reason = reason
        self.detail = decode(piece[:60])[0].replace("\n", " ").replace("\x00", "␀")
        super().__init__(reason)


class _Array:
    """A JSON array under way: the bytes at hand, and whether more can come."""

    def __init__(self, stream: BinaryIO, file: ExportFile, key: str | None) -> None:
        self._stream = stream
        self._buffer = b""
        self._file_over = False
        self._array_over = False
        pattern = rb"\A\s*\[" if key is None else b'"%s"\\s*:\\s*\\[' % re.escape(key.encode())
        while not (found := re.search(pattern, self._buffer)):
            if self._file_over or len(self._buffer) > _MAX_RECORD:
                where = "an array" if key is None else f'an array "{key}"'
                raise ExportProblem(f"{file.name}: {where} was expected and is not there")
            self._fill(len(self._buffer) + _STRETCH)
        self._buffer = self._buffer[found.end() :]

    def next_elements(self) -> list[Json | _Broken] | None:
        """The elements of the next stretch; None behind the last."""
        self._fill(_STRETCH)
        self._buffer = self._buffer.lstrip(_GAP)
        if self._array_over or self._buffer[:1] == b"]":
            return None
        if not self._buffer:
            self._array_over = True
            return [_Broken("file ends too soon", b"the array is not closed")]
        return self._many() or self._one()

    def _fill(self, size: int) -> None:
        while len(self._buffer) < size and not self._file_over:
            piece = self._stream.read(size - len(self._buffer))
            self._file_over = not piece
            self._buffer += piece

    def _many(self) -> list[Json | _Broken] | None:
        """All elements up to a late cut, if all of them are sound."""
        if self._file_over:
            end = self._buffer.rfind(b"]")
            if end >= 0 and (elements := _parse_all(self._buffer[:end])) is not None:
                self._array_over = True
                return elements
        window = max(0, len(self._buffer) - (1 << 18))
        cuts = list(_CUT.finditer(self._buffer, window))[-8:]
        for cut in reversed(cuts):
            if (elements := _parse_all(self._buffer[: cut.start() + 1])) is not None:
                self._buffer = self._buffer[cut.end() :]
                return elements
        return None

    def _one(self) -> list[Json | _Broken] | None:
        """The next element alone, sound or broken."""
        while True:
            for tries, end in enumerate(_END.finditer(self._buffer)):
                if tries > _TRIES:
                    break
                if (element := _parse_one(self._buffer[: end.start() + 1])) is not None:
                    self._array_over = end[1] == b"]"
                    self._buffer = self._buffer[end.end() :]
                    return [element]
            if self._file_over and (element := _parse_one(self._buffer)) is not None:
                self._buffer = b""
                return [element]
            if self._file_over or len(self._buffer) >= 16 * _STRETCH:
                return [self._give_up()]
            self._fill(2 * len(self._buffer) + _STRETCH)

    def _give_up(self) -> _Broken:
        """Passes over an element that does not parse."""
        broken = self._buffer
        if cut := _NEXT.search(self._buffer):
            self._buffer = self._buffer[cut.end() :]
            return _Broken("broken JSON record", broken)
        while not self._file_over and not (cut := _NEXT.search(self._buffer)):
            self._buffer = self._buffer[-64:]
            self._fill(_STRETCH)
        self._buffer = self._buffer[cut.end() :] if cut else b""
        self._array_over = not cut
        if cut:
            return _Broken("broken JSON record", broken)
        return _Broken("file ends in the middle of a record", broken)


def _parse_all(piece: bytes) -> list[Json | _Broken] | None:
    try:
        parsed: list[Json | _Broken] = orjson.loads(b"[" + piece + b"]")
    except orjson.JSONDecodeError:
        return None
    return parsed


def _parse_one(piece: bytes) -> Record | list[Json] | None:
    """One element, leniently: stray bytes and control characters inside strings are let through."""
    try:
        parsed: Record = orjson.loads(piece)
        return parsed
    except orjson.JSONDecodeError:
        pass
    text, clean = decode(piece)
    if clean and "\x00" not in text and not re.search(r"[\x01-\x1f]", text):
        return None
    try:
        parsed = json.loads(text.replace("\x00", ""), strict=False)
    except (ValueError, RecursionError):
        return None
    return parsed


def load(file: ExportFile, limit: int = _MAX_RECORD) -> Json:
    """A whole (small) JSON file."""
    with open_utf8(file) as stream:
        raw = stream.read(limit + 1)
    if len(raw) > limit:
        raise ExportProblem(f"{file.name}: larger than {limit >> 20} MB, which no such file is")
    value = _parse_one(raw)
    if value is None and raw.strip() != b"null":
        raise ExportProblem(f"{file.name}: not valid JSON")
    return value


def shown(value: Json) -> str:
    """The value as indented JSON; without indents where orjson cannot write it."""
    try:
        return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()
    except TypeError:  # nested deeply, a huge number, or half of a character
        return json.dumps(value)


def raw_record(file: ExportFile, position: int, key: str | None = None) -> str:
    """The record at an index, indented."""
    for item in read_records(file, key):
        if not isinstance(item, ImportIssue) and item[0] == position:
            return shown(item[1])
    return ""
