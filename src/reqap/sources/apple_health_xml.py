"""The elements of an Apple Health export.xml of any size, and what can be saved of a broken one.

The parser is expat, fed with stretches of the file. It never sees what stands before the first
element: the DTD of iOS 16 is malformed, and a DTD is also the only place where entities could be
declared, so none ever are. Behind a place that is not XML a fresh parser takes over at the next
record. Not the job of this module: what the elements mean.
"""

import re
from collections.abc import Iterator
from typing import BinaryIO, Protocol
from xml.parsers import expat

from reqap.errors import ExportProblem
from reqap.events import ImportIssue, Origin
from reqap.sources.base import ExportFile
from reqap.sources.textio import open_utf8

Attributes = dict[str, str]

_STRETCH = 1 << 20
_MAX_TAG = 8 << 20
_MAX_BREAKS = 1000
_ROOT = b"<HealthData>"
_STARTS = re.compile(rb"<(?:HealthData|ExportDate|Record|Workout|ActivitySummary)(?=[\s>/])")
_LONGEST_START = len(b"<ActivitySummary ")
# No XML may hold these, yet some apps put them into the names of their sources.
_CONTROLS = bytes(code for code in range(32) if code not in b"\t\n\r")
_CONTROL_BYTES = tuple(bytes([code]) for code in _CONTROLS)
_TO_SPACES = bytes.maketrans(_CONTROLS, b" " * len(_CONTROLS))


class TooDeep(Exception):
    """Raised by a handler: elements are nested deeper than anything Apple writes."""


class Handler(Protocol):
    """Who hears of the elements. `restart` says that those still open will not be ended."""

    def start(self, name: str, attributes: Attributes) -> None: ...

    def end(self, name: str) -> None: ...

    def restart(self) -> None: ...


class ElementReader:
    """One pass through a file. `position` is the byte offset of the element being told."""

    def __init__(self, file: ExportFile, handler: Handler) -> None:
        self._file = file
        self._handler = handler
        self._parser: expat.XMLParserType | None = None
        self._base = 0  # the offset of the byte that the parser counts as its first
        self._read = 0  # how much of the file the parser, or the search for a start, has seen
        self._tail = b""  # the end of what was searched: a start may be cut in two
        self._search_from = 0
        self._breaks = 0
        self._found_any = False
        self.is_whole = True  # False once something was lost

    @property
    def position(self) -> int:
        return self._absolute(self._parser.CurrentByteIndex) if self._parser else self._read

    def _absolute(self, index: int) -> int:
        """Where the parser is, or failed. On some systems its counter is only 32 bits wide."""
        return self._read - ((self._read - self._base - index) & 0xFFFFFFFF)

    def stretches(self) -> Iterator[list[ImportIssue]]:
        """Reads on, a stretch at a time; what was wrong with each."""
        noted = False
        with open_utf8(self._file) as stream:
            while piece := stream.read(_STRETCH):
                issues = []
                control = _first_control(piece)
                if control >= 0:
                    piece = piece.translate(_TO_SPACES)
                    if not noted:
                        where = self._read + control
                        issues.append(self._note("control characters, read as spaces", where))
                    noted = True
                issues += self._take(piece)
                yield issues
                if self._breaks > _MAX_BREAKS:
                    return
        yield self._finish()

    def _take(self, piece: bytes) -> list[ImportIssue]:
        issues: list[ImportIssue] = []
        while piece and self._breaks <= _MAX_BREAKS:
            if self._parser is None:
                piece = self._find_start(piece, issues)
                continue
            self._read += len(piece)
            problem = self._parse(self._parser, piece)
            if not problem:
                break
            begin = self._read - len(piece)
            issues.append(self._break(self.position, problem))
            # The bad byte itself may begin the next record, unless this parser began with it.
            resume = max(self._search_from, self.position, begin)
            piece = piece[resume - begin :]
            self._read = resume
            self._tail = b""
            self._parser = None
        return issues

    def _find_start(self, piece: bytes, issues: list[ImportIssue]) -> bytes:
        """Sets a parser to work at the next element it can begin with; what is left for it."""
        text = self._tail + piece
        found = _STARTS.search(text)
        if found is None:
            self._read += len(piece)
            self._tail = text[-_LONGEST_START:]
            return b""
        begin = self._read - len(self._tail) + found.start()
        whole = found[0] == b"<HealthData"
        if not whole and not self._found_any:
            issues.append(self._note("no <HealthData> before the first record", begin))
        self._read = begin
        self._tail = b""
        self._search_from = begin + 1
        self._found_any = True
        self._handler.restart()
        self._parser = self._new_parser()
        self._base = begin
        if not whole:
            self._base -= len(_ROOT)
            self._parser.Parse(_ROOT, False)
        return text[found.start() :]

    def _new_parser(self) -> expat.XMLParserType:
        parser = expat.ParserCreate("UTF-8")
        parser.StartElementHandler = self._handler.start
        parser.EndElementHandler = self._handler.end
        return parser

    def _parse(self, parser: expat.XMLParserType, piece: bytes) -> str:
        """What is wrong with the piece; empty when nothing is."""
        try:
            parser.Parse(piece, False)
        except expat.ExpatError as error:
            return expat.ErrorString(error.code) or "not well-formed"
        except TooDeep:
            return "elements nested too deep"
        if self._read - self.position > _MAX_TAG:
            return "a tag without an end"
        return ""

    def _break(self, position: int, problem: str) -> ImportIssue:
        self._breaks += 1
        self.is_whole = False
        if self._breaks > _MAX_BREAKS:
            reason = "broken in too many places; the rest was not read"
            return ImportIssue(reason, self._origin(position), problem, grave=True)
        return ImportIssue("not well-formed XML", self._origin(position), problem, grave=True)

    def _finish(self) -> list[ImportIssue]:
        if not self._found_any:
            raise ExportProblem(f"{self._file.name}: there are no health records in it")
        if self._parser is None:
            return []
        try:
            self._parser.Parse(b"", True)
        except expat.ExpatError as error:
            self.is_whole = False
            detail = expat.ErrorString(error.code) or ""
            origin = self._origin(self._read)
            return [ImportIssue("the file ends in the middle", origin, detail, grave=True)]
        return []

    def _note(self, reason: str, position: int) -> ImportIssue:
        return ImportIssue(reason, self._origin(position), skipped=False)

    def _origin(self, position: int) -> Origin:
        return self._file.origin(position)


def _first_control(piece: bytes) -> int:
    """Where the first control character stands, or -1. Much cheaper than one regex."""
    places = [piece.find(control) for control in _CONTROL_BYTES if control in piece]
    return min(places, default=-1)


def open_at(file: ExportFile, position: int) -> BinaryIO:
    """The file as `ElementReader` saw it, from a position on."""
    stream = file.open()
    head = stream.read(4)
    if stream.seekable() and head[:2] not in (b"\xff\xfe", b"\xfe\xff", b"\xef\xbb"):
        stream.seek(position)
        return stream
    stream.close()
    stream = open_utf8(file)
    while position > 0 and (passed := stream.read(min(position, _STRETCH))):
        position -= len(passed)
    return stream
