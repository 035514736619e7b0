"""The messages of an mbox file, one after the other, in bounded memory.

An mbox is messages strung together, each behind a line "From sender date". Lines of a body that
begin so are written ">From ", or, by careless writers, as they are. Hence a message begins where
such a line carries a date or is followed by header lines, not wherever a line says "From ".
Attachments may be larger than memory: of a long message only the beginning is kept, and of what
follows the beginning of each part. Not the job of this module: what a message says (`mime`).
"""

import re
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

CHUNK = 1 << 20

# A separator is judged by its own line and the two behind it.
_LOOK_AHEAD = 4096
_BEGINNING = b"From "
_AT_LINE = b"\n" + _BEGINNING
_DATED = re.compile(
    rb"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? +[A-Z][a-z]{2} +\d{1,2} +\d{1,2}:\d\d"
    rb"(?::\d\d)?(?: +[+-]\d{4}| +[A-Z]{2,5})? +\d{4}"
    rb"|\d{1,2} [A-Z][a-z]{2} \d{4} \d\d:\d\d"
)
_HEADER = rb"[A-Za-z][A-Za-z0-9_-]{0,99}:"
_HEADED = re.compile(rb"[^\n]{0,2000}\n%b[^\n]*\n(?:%b|[ \t]+\S)" % (_HEADER, _HEADER))
_QUOTED_FROM = re.compile(rb"^>(>*From )", re.MULTILINE)

# What is kept of a message: this much from its beginning, this much from the beginning of each
# part that follows, and this much in all.
_KEPT_HEAD = 4 << 20
_KEPT_PART = 256 << 10
_KEPT_ALL = 8 << 20


class Mail(NamedTuple):
    """One message of a file."""

    offset: int  # of the separator line, in bytes
    separator: bytes  # that line; empty where bytes precede the first separator
    content: bytes  # what follows it
    gaps: tuple[int, ...] = ()  # the places in `content` at which bytes were passed over


class _Kept:
    """The part of a message that is kept."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._size = 0
        self._wanted = 0
        self._gaps: list[int] = []

    def add(self, piece: bytes) -> None:
        """Takes the next stretch of the message, which begins at a line's beginning."""
        if self._size < _KEPT_HEAD:
            self._take(piece)
            return
        # Every line that begins with "--" may begin a part; base64 has no such lines.
        at = 0
        while at < len(piece):
            following = piece.find(b"\n--", at)
            end = following + 1 if following >= 0 else len(piece)
            if piece.startswith(b"--", at):
                self._wanted = _KEPT_PART
            room = min(self._wanted, max(0, _KEPT_ALL - self._size))
            self._take(piece[at : min(end, at + room)])
            self._wanted = max(0, self._wanted - (end - at))
            if end - at > room and self._size not in self._gaps[-1:]:
                self._gaps.append(self._size)
            at = end

    def _take(self, piece: bytes) -> None:
        if piece:
            self._pieces.append(piece)
            self._size += len(piece)

    def mail(self, offset: int) -> Mail:
        kept = b"".join(self._pieces)
        if not kept.startswith(_BEGINNING):
            return Mail(offset, b"", kept, tuple(self._gaps))
        line_end = kept.find(b"\n") + 1 or len(kept)
        gaps = tuple(gap - line_end for gap in self._gaps)
        content = kept[line_end:]
        if b">From " in content and not gaps:  # with gaps, their places would no longer fit
            content = _QUOTED_FROM.sub(rb"\1", content)
        return Mail(offset, kept[:line_end].rstrip(b"\r\n"), content, gaps)


def split(stream: BinaryIO) -> Iterator[Mail]:
    """The messages of an mbox, in order. Reads in pieces and never holds more than a few MB."""
    buffer = stream.read(CHUNK)
    over = not buffer
    base = 0  # where the buffer lies in the file
    begin = 0  # where the present message begins in the file
    done = 0  # how much of the buffer has been given to messages
    search = 0
    kept = _Kept()
    while True:
        limit = len(buffer) if over else _line_start(buffer, done, len(buffer) - _LOOK_AHEAD)
        at = _next_separator(buffer, search, limit)
        if at >= 0:
            kept.add(buffer[done:at])
            yield kept.mail(begin)
            kept, begin, done, search = _Kept(), base + at, at, at
            continue
        kept.add(buffer[done:limit])
        if over:
            break
        # Three bytes stay in sight, to see whether the next line follows a blank one.
        behind = max(0, limit - 3)
        piece = stream.read(CHUNK)
        over = not piece
        buffer = buffer[behind:] + piece
        base += behind
        done = limit - behind
        search = max(0, done - 1)
    if base + limit > begin:
        yield kept.mail(begin)


def whole(stream: BinaryIO) -> Mail:
    """A file that is one message (.eml), with the same bounds."""
    kept = _Kept()
    buffer = b""
    while piece := stream.read(CHUNK):
        buffer += piece
        cut = _line_start(buffer, 0, len(buffer))
        kept.add(buffer[:cut])
        buffer = buffer[cut:]
    kept.add(buffer)
    return kept.mail(0)


def _line_start(buffer: bytes, low: int, high: int) -> int:
    """The last beginning of a line in that stretch; in the middle of a very long line, its end."""
    if high <= low:
        return low
    return buffer.rfind(b"\n", low, high) + 1 or high


def _next_separator(buffer: bytes, start: int, limit: int) -> int:
    """Where the next message begins whose line begins before `limit`; -1 if there is none."""
    while 0 <= (at := buffer.find(_AT_LINE, start, limit + len(_BEGINNING))) < limit - 1:
        if is_separator(buffer, at + 1, after_blank=_ends_blank(buffer, at)):
            return at + 1
        start = at + 1
    return -1


def _ends_blank(buffer: bytes, at: int) -> bool:
    """Whether the line end at `at` ends a blank line."""
    return buffer[max(0, at - 1) : at] == b"\n" or buffer[max(0, at - 2) : at] == b"\n\r"


def is_separator(buffer: bytes, at: int, *, after_blank: bool = True) -> bool:
    """Whether the line "From …" at `at` begins a message.

    Behind a blank line a date or header lines are enough; some writers leave the blank line out,
    and then it takes both.
    """
    line_end = buffer.find(b"\n", at, at + 1000)
    dated = _DATED.search(buffer, at, line_end if line_end >= 0 else at + 1000) is not None
    if after_blank and dated:
        return True
    return (after_blank or dated) and _HEADED.match(buffer, at, at + _LOOK_AHEAD) is not None
