"""iCalendar (RFC 5545) as text: content lines, their parameters, and the components they make.

Reads a component at a time, so that one broken appointment costs no other and the size of a file
does not matter. Not the job of this module: what the properties mean (`calendars`).
"""

import quopri
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import BinaryIO, NamedTuple

from reqap.events import ImportIssue
from reqap.sources.base import ExportFile
from reqap.sources.textio import STRAY_NUL, decode, open_utf8

# A line beyond this is cut: only inline attachments, which nobody reads here, are that long.
_MAX_LINE = 1 << 20
_MAX_PROPERTIES = 20_000
_MAX_COMPONENT = 8 << 20
_MAX_NESTING = 8
_RAW_CHARACTERS = 64 << 10

_NAME = re.compile(r"[A-Za-z0-9-]{1,100}(?=[;:])")
# An offset as the name of a zone (TZID=GMT+01:00) holds a colon that ends nothing.
_PARAMETER = re.compile(r';([^=:;,"\s]{1,100})=((?:"[^"]*+"|[+-]\d\d:\d\d(?=[:;])|[^";:])*+)')
_FRAME = ("BEGIN", "END")
_ATTACHMENT = ("ATTACH", "attach", "PHOTO", "X-ALT-DESC")
_STAMP = re.compile(
    r"(\d{4})-?(\d\d)-?(\d\d)(?:[Tt ](\d\d):?(\d\d):?(\d\d)?(?:[.,]\d{1,9})?"
    r"([Zz]|[+-]\d\d:?\d\d)?)?"
)
_ESCAPE = re.compile(r"\\([\\;,nN:\"])")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]+")


class Stamp(NamedTuple):
    """A date or a date with time, as written."""

    wall: datetime
    is_date: bool
    zone: tzinfo | None  # only where the text itself says it ("Z")


def parse_stamp(text: str) -> Stamp | None:
    """A value such as 20220307, 20220307T180000 or 20220307T170000Z; None where it is none."""
    found = _STAMP.fullmatch(text.strip()[:40])
    if not found:
        return None
    year, month, day, hour, minute, second = (int(found[n] or 0) for n in range(1, 7))
    try:
        wall = datetime(year, month, day, 0, minute, min(second, 59)) + timedelta(hours=hour)
    except (ValueError, OverflowError):
        return None
    zone: tzinfo | None = None
    if found[7] in ("Z", "z"):
        zone = UTC
    elif found[7]:
        shift = timedelta(hours=int(found[7][1:3]), minutes=int(found[7][-2:]))
        if hour > 24 or shift >= timedelta(days=1):
            return None
        zone = timezone(-shift if found[7][0] == "-" else shift)
    return Stamp(wall, found[4] is None, zone) if hour <= 24 else None


class Property(NamedTuple):
    """One content line."""

    name: str  # upper case
    parameters: dict[str, str]  # upper-case name → value without quotes
    value: str  # as it is written

    @property
    def text(self) -> str:
        """The value as text, its escapes undone."""
        text = self.value
        if "\\" in text:
            text = _ESCAPE.sub(lambda found: "\n" if found[1] in "nN" else found[1], text)
        return _CONTROLS.sub("", text).strip()


class Component:
    """Everything between a BEGIN and its END."""

    def __init__(self, name: str, line: int, calendar: int) -> None:
        self.name = name
        self.line = line  # of its BEGIN
        self.calendar = calendar  # which VCALENDAR of the file it belongs to, from 0
        self.properties: dict[str, list[Property]] = {}
        self.children: list[Component] = []
        self.cut = False  # there was more of it than any real component has
        self._count = 0
        self._size = 0

    def add(self, item: Property) -> None:
        """Takes a property, up to a number no real component reaches."""
        self._count += 1
        self._size += len(item.value)
        if self._count <= _MAX_PROPERTIES and self._size <= _MAX_COMPONENT:
            self.properties.setdefault(item.name, []).append(item)
        else:
            self.cut = True

    def first(self, name: str) -> Property | None:
        found = self.properties.get(name)
        return found[0] if found else None

    def all(self, name: str) -> list[Property]:
        return self.properties.get(name, [])

    def text(self, name: str) -> str:
        """The text of the first such property; empty where there is none."""
        found = self.first(name)
        return found.text if found else ""


def read_components(
    file: ExportFile, only: frozenset[str] | None = None
) -> Iterator[Component | ImportIssue]:
    """The components of a file: VEVENT, VTIMEZONE, … as they end, and each VCALENDAR.

    A VCALENDAR comes when the first component in it begins, and again at its end if properties
    stood behind; its children are not kept. With `only`, other properties of events are passed
    over, which is faster.
    """
    reader = _Reader(file, only)
    nul = False
    with open_utf8(file) as stream:
        for number, line, cut in _content_lines(stream):
            if "\x00" in line:
                line = line.replace("\x00", "")
                if not nul:
                    nul = True
                    yield ImportIssue(STRAY_NUL, file.origin(number), skipped=False)
            yield from reader.take(number, line)
            if cut and not line.startswith(_ATTACHMENT):
                yield ImportIssue("line too long", file.origin(number), line[:60], skipped=False)
    yield from reader.end()


class _Reader:
    """The components that are open at a place of a file."""

    def __init__(self, file: ExportFile, only: frozenset[str] | None) -> None:
        self._file = file
        self._only = only
        self._open: list[Component] = []
        self._calendars = -1
        self._told = 0  # how many properties of the present VCALENDAR were given already

    def take(self, number: int, line: str) -> Iterator[Component | ImportIssue]:
        if self._only is not None and self._open and self._open[-1].name == "VEVENT":
            name = _NAME.match(line)
            if name and name[0].upper() not in self._only and name[0].upper() not in _FRAME:
                return
        item = parse_line(line)
        if item is None:
            if line.strip() and self._open:
                detail = line.strip()[:80]
                origin = self._file.origin(number)
                yield ImportIssue("not a line of a calendar", origin, detail, skipped=False)
        elif item.name == "BEGIN":
            yield from self._begin(item.value.strip().upper()[:100], number)
        elif item.name == "END":
            yield from self._end(item.value.strip().upper()[:100])
        elif self._open:
            self._open[-1].add(item)

    def _begin(self, name: str, number: int) -> Iterator[Component | ImportIssue]:
        if name == "VCALENDAR":
            yield from self._abandon("a component that is not closed")
            self._calendars += 1
            self._told = 0
        elif len(self._open) == 1 and self._open[0].name == "VCALENDAR":
            yield from self._tell_calendar()
        elif name in ("VEVENT", "VTODO", "VJOURNAL", "VTIMEZONE"):
            # These do not stand in one another: an END is missing.
            yield from self._abandon("a component that is not closed", keep_calendar=True)
        if len(self._open) < _MAX_NESTING:
            component = Component(name, number, max(0, self._calendars))
            if self._open and self._open[-1].name != "VCALENDAR":
                self._open[-1].children.append(component)
            self._open.append(component)

    def _end(self, name: str) -> Iterator[Component | ImportIssue]:
        names = [component.name for component in self._open]
        if name not in names:
            return
        while self._open:
            component = self._open.pop()
            if component.name == name:
                break
        if name == "VCALENDAR":
            self._open = [component]
            yield from self._tell_calendar()
            self._open = []
        elif not self._open or self._open[-1].name == "VCALENDAR":
            yield component

    def _tell_calendar(self) -> Iterator[Component]:
        calendar = self._open[0]
        if len(calendar.properties) > self._told:
            self._told = len(calendar.properties)
            yield calendar

    def _abandon(self, reason: str, keep_calendar: bool = False) -> Iterator[ImportIssue]:
        kept = self._open[:1] if keep_calendar and self._open[:1] else []
        if kept and kept[0].name != "VCALENDAR":
            kept = []
        for component in self._open[len(kept) : len(kept) + 1]:
            if component.name != "VCALENDAR":
                origin = self._file.origin(component.line)
                yield ImportIssue(reason, origin, component.text("SUMMARY")[:80], grave=True)
        self._open = kept

    def end(self) -> Iterator[ImportIssue]:
        yield from self._abandon("file ends in the middle of a component", keep_calendar=True)
        if self._open:
            detail = "END:VCALENDAR is missing"
            origin = self._file.origin(self._open[0].line)
            yield ImportIssue("file ends too soon", origin, detail, skipped=False, grave=True)


def parse_line(line: str) -> Property | None:
    """A content line `NAME;PARAMETER=value;…:value`; None where it is none."""
    name = _NAME.match(line)
    if not name:
        return None
    at = name.end()
    parameters: dict[str, str] = {}
    while line[at : at + 1] == ";":
        found = _PARAMETER.match(line, at)
        if not found:
            break
        value = found[2]
        parameters[found[1].upper()] = (
            _parameter_text(value) if value[:1] == '"' or "^" in value else value
        )
        at = found.end()
    if line[at : at + 1] != ":":
        at = line.find(":", at)
        if at < 0:
            return None
    value = line[at + 1 :]
    if parameters.get("ENCODING", "").upper() == "QUOTED-PRINTABLE":
        value = decode(quopri.decodestring(value.encode()))[0].replace("\r\n", "\n")
    return Property(name[0].upper(), parameters, value)


def _parameter_text(value: str) -> str:
    """A parameter's value without quotes, and with the escapes of RFC 6868 undone."""
    value = value.replace('"', "")
    return value.replace("^n", "\n").replace("^'", '"').replace("^^", "^")


def _content_lines(stream: BinaryIO) -> Iterator[tuple[int, str, bool]]:
    """Number of the first and text of every content line, and whether it was too long to keep.

    Lines are unfolded as bytes, because writers fold in the middle of characters.
    """
    held, at, cut = bytearray(), 0, False
    for number, raw in _physical_lines(stream):
        line = raw.rstrip(b"\r\n")
        if raw[:1] in b" \t" and at:
            cut = cut or len(held) + len(line) > _MAX_LINE
            held += b"" if cut else line[1:]
        elif held.endswith(b"=") and b"QUOTED-PRINTABLE" in held[:200].upper() and not cut:
            held[-1:] = line  # the soft line break of vCalendar 1.0
            cut = len(held) > _MAX_LINE
        else:
            if held:
                yield at, decode(bytes(held))[0], cut
            held, at, cut = bytearray(line), number, len(line) >= _MAX_LINE
    if held:
        yield at, decode(bytes(held))[0], cut


def _physical_lines(stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Number and bytes of every line; of an overlong one only the beginning."""
    number = 0
    while raw := stream.readline(_MAX_LINE):
        number += 1
        rest = raw
        while len(rest) == _MAX_LINE and rest[-1:] != b"\n":
            rest = stream.readline(_MAX_LINE)
        yield number, raw


def raw_component(file: ExportFile, position: int) -> str:
    """The component whose BEGIN stands at that line, as it is written."""
    lines: list[str] = []
    length = 0
    ends = b""
    with open_utf8(file) as stream:
        for number, raw in _physical_lines(stream):
            if number < position:
                continue
            if number == position:
                name = raw.strip().partition(b":")[2]
                ends = b"END:" + name.upper()
            lines.append(decode(raw)[0].rstrip("\r\n"))
            length += len(raw)
            if raw.strip().upper() == ends or length > _RAW_CHARACTERS:
                break
    return "\n".join(lines)[:_RAW_CHARACTERS]
