"""Notes: text files in Markdown or plain text, one by one or as a folder (Obsidian, a diary, …).

How to get it: point `reqap import` at the folder. The date of a note is the one in its front matter
(`date`, `created`), else in its name (2024-03-05, 20240305), else in its heading, else the day the
file was last changed. A file with several dates as headings is a diary: every day is a note.
"""

import os
import re
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import NamedTuple

from reqap.errors import ValueProblem
from reqap.events import Event, ImportIssue, Value, event_id
from reqap.sources.base import UNCLEAR_ORDER, Context, ExportFile, Items, Sample, Source
from reqap.sources.front_matter import Front, read_front
from reqap.sources.textio import read_lines
from reqap.sources.walk import path_on_disk
from reqap.values import AmbiguousDate, DateOrder, parse_datetime, vote_date_order

NAME = "notes"

_SUFFIXES = (".md", ".markdown", ".txt")
_MAX_TEXT = 200_000
_MAX_TAGS = 100
_MAX_KEY_VALUE = 500
_DATE_KEYS = ("date", "created", "created_at", "date_created", "creation_date")
_CHANGE_KEYS = ("updated", "modified", "updated_at", "date_modified", "last_modified", "lastmod")
_OWN_KEYS = ("title", "text", "tags", "tag", "keywords", "id", "uid", *_DATE_KEYS, *_CHANGE_KEYS)

_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(\S.*)")
_HEADING_DATE = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})\b")
_NAME_DATE = re.compile(r"(?<![0-9])((?:19|20)[0-9]{2})([-_.]?)([01][0-9])\2([0-3][0-9])(?![0-9])")
_HASHTAG = re.compile(r"(?:^|(?<=[\s(,;]))#([^\W\d_][\w/-]{0,60})")
_ODD_CHARACTERS = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f\ufffd]")
_FENCES = ("```", "~~~")  # code, in which "#" begins a comment
_VAULT_MARKS = (".obsidian", "logseq/config.edn")  # they lie in the topmost folder of a collection
_NESTED = re.compile(r"\.zip!", re.IGNORECASE)
_NO_DATA = "no-data.txt"  # what Facebook and Instagram put into empty folders
_OLDEST_FILE = 1990  # archives that know no time write 1970 or 1980

# A line of a chat as WhatsApp exports it: "[05.03.24, 18:03:11] Ana: Hi", "3/5/24, 6:03 PM - Ana:".
_CHAT_TIME = (
    r"[0-9]{1,4}[./-][0-9]{1,2}[./-][0-9]{1,4},?\s[0-9]{1,2}[:.][0-9]{2}(?:[:.][0-9]{2})?"
    r"(?:\s?[AaPp]\.?\s?[Mm]\.?)?"
)
_CHAT_LINE = re.compile(
    rf"[\u200e\u200f]?(?:\[{_CHAT_TIME}\]|{_CHAT_TIME}\s[-\u2013])\s(?P<name>[^:\n]{{1,80}}:\s)?"
)


class _Moment(NamedTuple):
    start: datetime
    offset: int | None = None
    user_zone: bool = False


class _Outline(NamedTuple):
    """What one look at the whole file tells."""

    front: Front
    heading: str  # the first one
    days: dict[int, str]  # line → heading that is a date
    order: DateOrder | None  # how those dates are written
    blank: bool
    is_text: bool


class _Section(NamedTuple):
    line: int
    day: str  # the heading with the date; empty for a whole note and for what precedes the days
    text: str
    cut: bool


def sniff(sample: Sample) -> bool:
    """Plain text has no signature of its own; the ending of the name is all there is."""
    if sample.suffix not in _SUFFIXES or re.split(r"[/\\!]", sample.name)[-1] == _NO_DATA:
        return False
    return not _is_chat(sample.text)


def _is_chat(text: str) -> bool:
    """Whether this is a chat of WhatsApp's: many messages, which must not become one note."""
    lines = [_CHAT_LINE.match(line) for line in text.splitlines() if line.strip()]
    messages = [line for line in lines if line]
    by_somebody = [line for line in messages if line["name"]]
    return len(by_somebody) >= 2 and lines[0] is not None and len(by_somebody) * 2 >= len(messages)


def read(file: ExportFile, context: Context) -> Items:
    issues: list[ImportIssue] = []
    outline = _outline(file, context.date_order, issues)
    yield from issues
    if outline.blank or not outline.is_text:
        reason = "an empty file" if outline.blank else "not text, whatever its name says"
        yield ImportIssue(reason, file.origin(1))
        return
    seen: dict[str, int] = {}
    for section in _sections(file, outline):
        if section.cut:
            detail = f"only the first {_MAX_TEXT:,} characters are kept"
            yield ImportIssue("a very long note", file.origin(section.line), detail, skipped=False)
        if section.day:
            yield _day_note(file, outline, section, seen, context)
        elif section.text.strip() and not (outline.days and _only_headings(section.text)):
            yield _whole_note(file, outline, section, context)


def raw(file: ExportFile, position: int) -> str:
    """The note that begins at a line."""
    outline = _outline(file, None, [])
    for section in _sections(file, outline):
        if section.line == position:
            return section.text
    return ""


# -- the events ------------------------------------------------------------------------------------


def _whole_note(
    file: ExportFile, outline: _Outline, section: _Section, context: Context
) -> Event | ImportIssue:
    """A note that is a whole file, or what stands before the first day of a diary."""
    heading = next(iter(outline.days.values()), "") if len(outline.days) == 1 else ""
    moment = (
        _front_moment(outline.front, context)
        or _name_moment(file.name)
        or (_heading_moment(heading, outline.order) if heading else None)
        or _file_moment(file, context)
    )
    if moment is None:
        detail = "neither in the file nor in its name, and an archive does not tell"
        return ImportIssue("a note without a date", file.origin(section.line), detail)
    title = outline.front.first("title") or outline.heading or _stem(file.name)
    return _event(file, outline, section, moment, title, ())


def _day_note(
    file: ExportFile,
    outline: _Outline,
    section: _Section,
    seen: dict[str, int],
    context: Context,
) -> Event | ImportIssue:
    """One day of a diary."""
    origin = file.origin(section.line)
    moment = _heading_moment(section.day, outline.order)
    if moment is None:
        detail = f"{section.day[:80]}: import with --date-order dmy or mdy"
        return ImportIssue(UNCLEAR_ORDER, origin, detail)
    body = section.text.split("\n", 1)[1] if "\n" in section.text else ""
    if not body.strip():
        return ImportIssue("an empty day", origin, section.day[:80])
    day = moment.start.isoformat()
    seen[day] = seen.get(day, 0) + 1
    return _event(file, outline, section._replace(text=body), moment, section.day, (day, seen[day]))


def _event(
    file: ExportFile,
    outline: _Outline,
    section: _Section,
    moment: _Moment,
    title: str,
    part: tuple[object, ...],
) -> Event:
    data: dict[str, Value] = {"title": title[:_MAX_KEY_VALUE], "text": section.text.strip()}
    given = outline.front.texts("tags", "tag", "keywords")
    tags = dict.fromkeys(tag.lstrip("#") for tag in (*given, *_hashtags(section.text)))
    if found := [tag for tag in tags if tag][:_MAX_TAGS]:
        data["tags"] = found
    for key, values in outline.front.fields.items():
        texts = [value for value in values if value and len(value) <= _MAX_KEY_VALUE]
        if key not in _OWN_KEYS and texts:
            data[key] = texts[0] if len(texts) == 1 else texts
    return Event(
        id=event_id(NAME, outline.front.first("id", "uid") or _place(file.name), *part),
        source=NAME,
        kind="note",
        start=moment.start,
        end=moment.start,
        offset=moment.offset,
        data=data,
        origin=file.origin(section.line),
        user_zone=moment.user_zone,
        revision=_revision(file, outline.front),
    )


def _place(name: str) -> str:
    """Where a note lies, told so that it keeps its id when the whole collection moves.

    In an archive, that is its path there. On disk it is the path from the folder that holds the
    collection on, where a program marked it; else its file and the two folders it lies in, not
    counting those for years and months: every collection may have a Journal/2024/03/05.md.
    """
    if path_on_disk(name) != name:
        return _inner(name)
    *folders, file = _inner(name).split("/")
    for depth in range(len(folders), 0, -1):
        if any(os.path.exists("/".join((*folders[:depth], mark))) for mark in _VAULT_MARKS):
            return "/".join((*folders[depth - 1 :], file))
    taken: list[str] = []
    counted = 0
    while folders and counted < 2:
        taken.insert(0, folders.pop())
        counted += not taken[0][:1].isdigit()
    return "/".join((*taken, file))


def _inner(name: str) -> str:
    """The path of a file on disk, or else in the archive, or the archive in that, it lies in."""
    path = path_on_disk(name)
    inner = name if path == name else _NESTED.split(name[len(path) + 1 :])[-1]
    return inner.replace("\\", "/")


def _stem(name: str) -> str:
    base = _inner(name).rsplit("/", 1)[-1]
    return base.rsplit(".", 1)[0] or base


def _hashtags(text: str) -> Iterator[str]:
    fenced = False
    for line in text.split("\n"):
        if line.lstrip().startswith(_FENCES):
            fenced = not fenced
        elif "#" in line and not fenced and not _HEADING.match(line):
            yield from _HASHTAG.findall(line)


def _only_headings(text: str) -> bool:
    return all(not line.strip() or _HEADING.match(line) for line in text.split("\n"))


# -- when ------------------------------------------------------------------------------------------


def _front_moment(front: Front, context: Context) -> _Moment | None:
    """The date in the front matter; a time in UTC becomes the user's, any other offset stands."""
    for text in front.texts(*_DATE_KEYS):
        try:
            found = parse_datetime(text, context.date_order)
        except ValueProblem:
            continue
        if found is None:
            continue
        shift = found.utcoffset()
        if shift is None:
            return _Moment(found)
        if shift:
            return _Moment(found.replace(tzinfo=None), int(shift.total_seconds() // 60))
        try:
            return _Moment(*context.clock.wall(found), user_zone=True)
        except ValueProblem:
            continue
    return None


def _name_moment(name: str) -> _Moment | None:
    for found in _NAME_DATE.finditer(_stem(name)[:300]):
        try:
            return _Moment(datetime(int(found[1]), int(found[3]), int(found[4])))
        except ValueError:
            continue
    return None


def _heading_moment(heading: str, order: DateOrder | None) -> _Moment | None:
    """The date that a heading is, or begins with; None where it stays ambiguous."""
    if found := _HEADING_DATE.match(heading):
        try:
            return _Moment(datetime.combine(date.fromisoformat(found[1]), datetime.min.time()))
        except ValueError:
            return None
    try:
        moment = parse_datetime(heading, order)
    except ValueProblem:
        return None
    return _Moment(moment.replace(tzinfo=None)) if moment else None


def _changed(file: ExportFile) -> datetime | None:
    """When the file on disk was last changed; None inside archives."""
    try:
        changed = datetime.fromtimestamp(Path(file.name).stat().st_mtime, UTC)
    except (OSError, ValueError, OverflowError):
        return None
    return changed.replace(microsecond=0) if changed.year >= _OLDEST_FILE else None


def _file_moment(file: ExportFile, context: Context) -> _Moment | None:
    changed = _changed(file)
    return _Moment(*context.clock.wall(changed), user_zone=True) if changed else None


def _revision(file: ExportFile, front: Front) -> int:
    for text in front.texts(*_CHANGE_KEYS):
        try:
            found = parse_datetime(text)
        except ValueProblem:
            continue
        if found and found.year >= _OLDEST_FILE:
            return int((found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp())
    changed = _changed(file)
    return int(changed.timestamp()) if changed else 0


# -- the text --------------------------------------------------------------------------------------


def _outline(file: ExportFile, order: DateOrder | None, issues: list[ImportIssue]) -> _Outline:
    lines = _lines(file, issues.append)
    front, ahead = read_front(lines)
    heading = ""
    days: dict[int, str] = {}
    ambiguous: list[str] = []
    filled = odd = size = 0
    fenced = False
    for number, line in _chained(ahead, lines):
        filled += not line.isspace()
        odd += len(_ODD_CHARACTERS.findall(line))
        size += len(line)
        if line.lstrip().startswith(_FENCES):
            fenced = not fenced
        found = None if fenced else _HEADING.match(line)
        if found:
            text = found[2].strip().rstrip("#").strip()
            heading = heading or text
            if _is_date(text):
                days[number] = text
                ambiguous.append(text)
    vote = vote_date_order(ambiguous)
    return _Outline(front, heading, days, vote.order or order, not filled, odd * 20 <= size)


def _is_date(heading: str) -> bool:
    if len(heading) > 200:
        return False
    try:
        return _heading_moment(heading, None) is not None or _is_ambiguous(heading)
    except ValueProblem:
        return False


def _is_ambiguous(heading: str) -> bool:
    try:
        parse_datetime(heading)
    except AmbiguousDate:
        return True
    except ValueProblem:
        return False
    return False


def _sections(file: ExportFile, outline: _Outline) -> Iterator[_Section]:
    """The note, or the days of a diary; the front matter is no part of it."""
    starts = outline.days if len(outline.days) > 1 else {}
    line, day = outline.front.lines + 1, ""
    parts: list[str] = []
    room = _MAX_TEXT
    for number, text in _lines(file, _unheard):
        if number <= outline.front.lines:
            continue
        if number in starts:
            if parts or day:
                yield _Section(line, day, "".join(parts), room < 0)
            line, day, parts, room = number, starts[number], [], _MAX_TEXT
        if room > 0:
            parts.append(text[:room])
        room -= len(text)
    if parts or day:
        yield _Section(line, day, "".join(parts), room < 0)


def _lines(
    file: ExportFile, on_issue: Callable[[ImportIssue], object]
) -> Iterator[tuple[int, str]]:
    for item in read_lines(file):
        if isinstance(item, ImportIssue):
            on_issue(item)
        else:
            yield item


def _unheard(_: ImportIssue) -> None:
    """Issues were told on the first look."""


def _chained(
    first: list[tuple[int, str]], then: Iterator[tuple[int, str]]
) -> Iterator[tuple[int, str]]:
    yield from first
    yield from then


SOURCE = Source(
    NAME, "Notes", 1, sniff, read, raw, stamp=lambda context: context.date_order or "", weak=True
)
