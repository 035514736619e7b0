"""JSON arrays of any length, a stretch at a time, and what can be saved of broken ones.

The parser is orjson; this module only finds places where an array can be cut. A cut is right
exactly when the piece before it parses, so nothing here has to understand strings or nesting.
Not the job of this module: what the records mean.
"""

import json
import re
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

import orjson

from reqap.errors import ExportProblem
from reqap.events import ImportIssue
from reqap.sources.base import ExportFile
from reqap.sources.textio import decode, open_utf8

Json = dict[str, "Json"] | list["Json"] | str | int | float | bool | None
Record = dict[str, Json]

_STRETCH = 1 << 20
_LONGEST = 16 << 20  # an element that is longer is taken for broken
_MAX_FILE = 64 << 20
_TRIED_BYTES = 32 << 20
_CUT = re.compile(rb"[}\]]\s*,\s*(?=[{\[])")
_END = re.compile(rb"[}\]]\s*([,\]])")
_NEXT = re.compile(rb"\}\s*,\s*(?=\{)")
_GAP = b" \t\r\n,"
_GAPS = tuple(_GAP[n : n + 1] for n in range(len(_GAP)))


def read_records(
    file: ExportFile, key: str | None = None
) -> Iterator[tuple[int, Record] | ImportIssue]:
    """Index and content of every object in an array: the file itself, or the one under `key`.

    Broken or foreign elements are issues, and so is an end that comes too soon; the records around
    them are given all the same.
    """
    number = 0
    noted = False
    with open_utf8(file) as stream:
        array = _Array(stream, file, key)
        while (elements := array.next_elements()) is not None:
            if array.lenient and not noted:
                noted = True
                detail = "bytes that are not UTF-8, or control characters"
                yield ImportIssue("stray bytes in a text", file.origin(number), detail, False)
            for element in elements:
                if isinstance(element, dict):
                    yield number, element
                elif isinstance(element, _Broken):
                    origin = file.origin(number)
                    yield ImportIssue(element.reason, origin, element.detail, grave=True)
                else:
                    yield ImportIssue("not a record", file.origin(number), repr(element)[:80])
                number += 1


class _Broken(NamedTuple):
    """An element that cannot be parsed, and how it begins."""

    reason: str
    piece: bytes

    @property
    def detail(self) -> str:
        return decode(self.piece[:60])[0].replace("\n", " ").replace("\x00", "␀")


class _Parsed(NamedTuple):
    element: Record | list[Json] | None
    unfinished: bool = False  # nothing yet, but a longer piece might hold an element
    lenient: bool = False


class _Array:
    """A JSON array under way: the bytes at hand, and whether more can come."""

    def __init__(self, stream: BinaryIO, file: ExportFile, key: str | None) -> None:
        self._stream = stream
        self._buffer = b""
        self._file_over = False
        self._array_over = False
        self._torn = False
        self.lenient = False  # whether something was let through that JSON does not allow
        pattern = rb"\A\s*\[" if key is None else b'"%s"\\s*:\\s*\\[' % re.escape(key.encode())
        while not (found := re.search(pattern, self._buffer)):
            if self._file_over or len(self._buffer) > _MAX_FILE:
                where = "an array" if key is None else f'an array "{key}"'
                raise ExportProblem(f"{file.name}: {where} was expected and is not there")
            self._fill(len(self._buffer) + _STRETCH)
        self._buffer = self._buffer[found.end() :]

    def next_elements(self) -> list[Json | _Broken] | None:
        """The elements of the next stretch; None behind the last."""
        self._fill(_STRETCH)
        self._buffer = self._buffer.lstrip(_GAP)
        if self._array_over or (self._buffer[:1] == b"]" and self._is_last(1)):
            return None
        if not self._buffer:
            self._array_over = True
            return [_Broken("file ends too soon", b"the array is not closed")]
        return self._many() or self._one_by_one()

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

    def _one_by_one(self) -> list[Json | _Broken]:
        """The elements at hand, sound and broken, in one pass: there may be very many of both."""
        elements: list[Json | _Broken] = []
        at = 0
        while not self._array_over:
            parsed, end = self._element(at)
            if parsed.element is not None:
                elements.append(parsed.element)
            elif not parsed.unfinished and (cut := _NEXT.search(self._buffer, at)):
                elements.append(_Broken("broken JSON record", self._buffer[at : at + 60]))
                self._torn = True
                end = cut.end()
            else:
                break
            at = end
        self._buffer = self._buffer[at:].lstrip(_GAP)
        return elements or [self._last_or_broken()]

    def _element(self, at: int) -> tuple[_Parsed, int]:
        """The sound element that begins at `at`, if there is one, and where the next may begin."""
        while self._buffer[at : at + 1] in _GAPS:
            at += 1
        for end, guessed in self._ends(at):
            parsed = _parse_one(self._buffer[at : end.start() + 1])
            if parsed.element is not None:
                self.lenient |= parsed.lenient
                self._array_over = end[1] == b"]" and self._is_last(end.end())
            elif parsed.unfinished or guessed:
                continue
            return parsed, end.end()
        return _Parsed(None, unfinished=True), at

    def _ends(self, at: int) -> Iterator[tuple[re.Match[bytes], bool]]:
        """Where the element that begins at `at` may end: first a guess, where its brackets are
        even, which is nearly always right; then, as strings may hold brackets too, anywhere."""
        depth, counted = 0, at
        for end in _END.finditer(self._buffer, at):
            piece = self._buffer[counted : end.start() + 1]
            counted += len(piece)
            depth += piece.count(b"{") + piece.count(b"[") - piece.count(b"}") - piece.count(b"]")
            if depth <= 0:
                yield end, True
                break
        budget = _TRIED_BYTES
        for end in _END.finditer(self._buffer, at):
            budget -= end.start() - at
            if budget < 0:
                break
            yield end, False

    def _is_last(self, at: int) -> bool:
        """Whether a bracket before `at` closes the array. Behind a broken element it may belong to
        that one; then only the end of the file tells."""
        return not self._torn or (self._file_over and not self._buffer[at:].strip())

    def _last_or_broken(self) -> Json | _Broken:
        """What has no visible end: an element longer than the buffer, the last, or a broken one."""
        while not self._file_over and len(self._buffer) < _LONGEST:
            self._fill(2 * len(self._buffer) + _STRETCH)
            parsed, end = self._element(0)
            if parsed.element is not None:
                self._buffer = self._buffer[end:]
                return parsed.element
            if not parsed.unfinished:
                break
        if self._file_over and (element := _parse_one(self._buffer).element) is not None:
            self._buffer = b""
            return element
        return self._give_up()

    def _give_up(self) -> _Broken:
        """Passes over an element that does not parse, to the next seam, however far that is."""
        self._torn = True
        broken = self._buffer[:60]
        while not (cut := _NEXT.search(self._buffer)) and not self._file_over:
            self._buffer = self._buffer[-64:]
            self._fill(_STRETCH)
        self._buffer = self._buffer[cut.end() :] if cut else b""
        self._array_over = not cut
        reason = "broken JSON record" if cut else "file ends in the middle of a record"
        return _Broken(reason, broken)


def _parse_all(piece: bytes) -> list[Json | _Broken] | None:
    try:
        parsed: list[Json | _Broken] = orjson.loads(b"[" + piece + b"]")
    except orjson.JSONDecodeError:
        return None
    return parsed


def _parse_one(piece: bytes) -> _Parsed:
    """One element. Stray bytes and control characters inside strings are let through."""
    try:
        return _Parsed(orjson.loads(piece))
    except orjson.JSONDecodeError as error:
        if error.msg.startswith("unexpected end"):
            return _Parsed(None, unfinished=True)
        if "UTF-8" not in error.msg and "control character" not in error.msg:
            return _Parsed(None)
    text = decode(piece)[0].replace("\x00", "")
    try:
        return _Parsed(json.loads(text, strict=False), lenient=True)
    except json.JSONDecodeError as error:
        unfinished = error.pos >= len(text) or error.msg.startswith("Unterminated")
        return _Parsed(None, unfinished)
    except (ValueError, RecursionError):
        return _Parsed(None)


def load(file: ExportFile, limit: int = _MAX_FILE) -> Json:
    """A whole (small) JSON file."""
    with open_utf8(file) as stream:
        raw = stream.read(limit + 1)
    if len(raw) > limit:
        raise ExportProblem(f"{file.name}: larger than {limit >> 20} MB, which no such file is")
    value = _parse_one(raw).element
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
