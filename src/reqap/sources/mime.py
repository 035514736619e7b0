"""A mail message out of its bytes: headers, text and the names of attachments.

Written for millions of messages and for what real mailboxes hold: wrong charsets, damaged
encodings, missing boundaries. Nothing in a message raises. The standard library's parser is not
used: it is slow, and some real headers make it fail. Not the job of this module: where messages
begin (`mbox`), what the headers mean to a person (`mail`).
"""

import re
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from reqap.sources.charsets import decode_bytes, decode_stray, decode_transfer, decode_words
from reqap.sources.markup import html_to_text
from reqap.sources.replies import without_cited_html

Headers = dict[str, str]  # lower-case name → the first such header, unfolded

MAX_TEXT = 2 << 20

_MAX_HEADERS = 1 << 20
_MAX_DEPTH = 8
_MAX_PARTS = 500
_MAX_BOUNDARY = 200

_PARAMETER = re.compile(r';\s*+([^\s=;"]++)\s*+=\s*+("(?:[^"\\]|\\.)*+"?|[^;"]*+)', re.DOTALL)
_META_CHARSET = re.compile(rb"<meta[^>]{0,200}charset=[\"']?([\w-]{1,40})", re.IGNORECASE)


class Part:
    """One node of a message: a text, an attachment, or a container of parts."""

    __slots__ = (
        "attached",
        "charset",
        "children",
        "encoding",
        "end",
        "name",
        "shown",
        "start",
        "type",
    )

    def __init__(self, headers: Headers, start: int, end: int) -> None:
        self.type, parameters = content_type(headers.get("content-type", ""))
        self.charset = parameters.get("charset", "")
        self.encoding = headers.get("content-transfer-encoding", "").strip().lower()
        self.start = start
        self.end = end
        self.children: list[Part] = []
        disposition = headers.get("content-disposition", "")
        way, details = content_type(disposition) if disposition else ("", _NOTHING)
        self.name = decode_words(details.get("filename") or parameters.get("name", ""))
        self.attached = way == "attachment"
        # Shown: a part of the letter itself, not something sent along with it.
        self.shown = not self.attached and not details.get("filename")


class Message(NamedTuple):
    """A message that was taken apart; `content` is what the parts' places refer to."""

    content: bytes
    headers: Headers
    root: Part
    gaps: tuple[int, ...] = ()


_NOTHING: dict[str, str] = {}


def parse(content: bytes, gaps: tuple[int, ...] = ()) -> Message:
    headers, start = read_headers(content, 0, len(content))
    root = Part(headers, start, len(content))
    _take_apart(content, root, headers, [_MAX_PARTS], 0)
    return Message(content, headers, root, gaps)


def read_headers(content: bytes, start: int, end: int) -> tuple[Headers, int]:
    """The headers that begin at `start`, and where the body behind them begins."""
    if content.startswith((b"\n", b"\r\n"), start, end):
        return {}, content.index(b"\n", start) + 1
    stop = _blank_line(content, start, min(end, start + _MAX_HEADERS))
    block = content[start:stop]
    if b"\r" in block:
        block = block.replace(b"\r\n", b"\n")
    text = block.decode("ascii") if block.isascii() else decode_stray(block)
    text = text.replace("\n ", " ").replace("\n\t", " ")
    headers: Headers = {}
    for line in text.split("\n"):
        name, colon, value = line.partition(":")
        if colon:
            headers.setdefault(name.rstrip().lower(), value.strip())
    return headers, min(end, content.find(b"\n", stop + 1, end) + 1 or end)


def _blank_line(content: bytes, start: int, end: int) -> int:
    """Where the line end before the first blank line lies."""
    unix, windows = content.find(b"\n\n", start, end), content.find(b"\n\r\n", start, end)
    if unix < 0 or 0 <= windows < unix:
        unix = windows
    return unix if unix >= 0 else end


def _take_apart(content: bytes, part: Part, headers: Headers, room: list[int], depth: int) -> None:
    """Finds the children of a container, and theirs."""
    if not part.type.startswith("multipart/"):
        return
    boundary = (
        content_type(headers["content-type"])[1].get("boundary", "").encode("utf-8", "replace")
    )
    if not 0 < len(boundary) <= _MAX_BOUNDARY or depth >= _MAX_DEPTH:
        return
    for start, end in _sections(content, part.start, part.end, b"--" + boundary):
        room[0] -= 1
        if room[0] < 0:
            return
        inner, body = read_headers(content, start, end)
        child = Part(inner, body, end)
        part.children.append(child)
        _take_apart(content, child, inner, room, depth + 1)


def _sections(content: bytes, start: int, end: int, mark: bytes) -> list[tuple[int, int]]:
    """The stretches between boundary lines; the last may lack its closing boundary."""
    sections: list[tuple[int, int]] = []
    opened = -1
    at = content.find(mark, start, end)
    while at >= 0:
        behind = at + len(mark)
        closes = content.startswith(b"--", behind, end)
        line_end = content.find(b"\n", behind, end)
        rest = content[behind : line_end if line_end >= 0 else end][:100]
        # A longer boundary may begin like this one.
        if (at == start or content[at - 1] == 10) and (closes or not rest.strip()):
            if opened >= 0:
                stop = at - 2 if content[at - 2 : at] == b"\r\n" else at - 1
                sections.append((opened, max(opened, stop)))
            opened = line_end + 1 if line_end >= 0 and not closes else -1
            if opened < 0:
                return sections
        at = content.find(mark, behind, end)
    if opened >= 0:
        sections.append((opened, end))
    return sections


@lru_cache(maxsize=4096)
def content_type(value: str) -> tuple[str, dict[str, str]]:
    """A header such as `text/plain; charset="utf-8"`: the type in lower case, and its parameters.

    Long or non-ASCII parameters may come in numbered and percent-encoded pieces (RFC 2231).
    """
    value = value[:8192]
    kind = value.partition(";")[0].strip().lower()
    if ";" not in value:
        return kind or "text/plain", {}
    found: dict[str, str] = {}
    pieces: dict[str, list[tuple[int, str, bool]]] = {}
    for name, quoted in _PARAMETER.findall(value):
        text = quoted.strip()
        if text.startswith('"'):
            text = text[1:].removesuffix('"').replace('\\"', '"').replace("\\\\", "\\")
        name = name.lower()
        if "*" in name:
            base, _, order = name.partition("*")
            number = order.rstrip("*")
            place = int(number) if number.isdecimal() and len(number) < 4 else 0
            pieces.setdefault(base, []).append((place, text, order.endswith("*") or not order))
        else:
            found.setdefault(name, text)
    for name, parts in pieces.items():
        found[name] = _joined(sorted(parts))
    return kind or "text/plain", found


def _joined(pieces: list[tuple[int, str, bool]]) -> str:
    """A parameter out of its pieces; the first percent-encoded one may name the charset."""
    charset = ""
    result = b""
    for number, (_, text, encoded) in enumerate(pieces):
        if encoded:
            if number == 0 and text.count("'") >= 2:
                charset, _, text = text.split("'", 2)
            result += unquote_to_bytes(text)
        else:
            result += text.encode("utf-8", "replace")
    return decode_bytes(result, charset)


def text_of(message: Message) -> tuple[str, bool]:
    """What a message says, as plain text, and whether something of it was cut off."""
    pieces: list[str] = []
    cut = _collect(message, message.root, pieces)
    text = "\n\n".join(pieces)
    return text[:MAX_TEXT], cut or len(text) > MAX_TEXT


def _collect(message: Message, part: Part, pieces: list[str]) -> bool:
    """Adds the texts of a part; True if one of them was cut."""
    if not part.type.startswith("multipart/") or not part.children:
        return _leaf(message, part, pieces)
    if part.type == "multipart/alternative":
        return _collect_best(message, part, pieces)
    cut, before = False, len(pieces)
    for child in part.children:
        cut |= _collect(message, child, pieces)
        # Of related parts one is the text, mostly the first; the others belong to it.
        if part.type == "multipart/related" and len(pieces) > before:
            break
    return cut


def _collect_best(message: Message, part: Part, pieces: list[str]) -> bool:
    """Of several ways to say the same, the plain one; else the last that says anything."""
    plain = [child for child in part.children if child.type == "text/plain"]
    others = [child for child in reversed(part.children) if child.type != "text/plain"]
    before = len(pieces)
    for child in plain + others:
        cut = _collect(message, child, pieces)
        if len(pieces) > before:
            return cut
    return False


def _leaf(message: Message, part: Part, pieces: list[str]) -> bool:
    is_html = part.type == "text/html"
    # A container without parts is shown as it stands: a broken boundary must not hide a letter.
    if not part.shown or not (
        is_html or part.type in ("text/plain", "text/enriched", "text") or "multipart/" in part.type
    ):
        return False
    end = min(part.end, part.start + 2 * MAX_TEXT)
    cut = end < part.end or any(part.start < gap <= part.end for gap in message.gaps)
    raw = decode_transfer(message.content[part.start : end], part.encoding)
    charset = part.charset
    if is_html and not charset and (meta := _META_CHARSET.search(raw, 0, 4096)):
        charset = meta[1].decode("ascii", "replace")
    text = decode_bytes(raw.replace(b"\r\n", b"\n") if b"\r" in raw else raw, charset)
    if is_html:
        text = html_to_text(without_cited_html(text))
    text = text.strip()
    if text:
        pieces.append(text)
    return cut and bool(text)


def attachments_of(message: Message) -> list[Part]:
    """What was sent along with the letter; pictures that belong to its layout are not."""
    found: list[Part] = []
    waiting = [(message.root, False)]
    while waiting:
        part, related = waiting.pop()
        if part.children:
            inside = related or part.type == "multipart/related"
            waiting.extend((child, inside) for child in reversed(part.children))
        elif part.attached or (not related and _is_along(part)):
            found.append(part)
    return found


def _is_along(part: Part) -> bool:
    if part.type == "message/rfc822":
        return True
    return bool(part.name) and not (part.shown and part.type.startswith("text/"))
