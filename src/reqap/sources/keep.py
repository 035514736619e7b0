"""Google Keep: notes and lists.

How to get it: takeout.google.com → "Deselect all" → tick "Keep" → create the export, and import the
zip as it is. Each note is there twice, as .json and as .html; the .json is read. Notes in the trash
are left out, and leave if an older export had them.
"""

from collections.abc import Iterator
from datetime import datetime

from reqap.errors import ExportProblem, ValueProblem
from reqap.events import Event, ImportIssue, Retraction, event_id
from reqap.sources.base import Context, ExportFile, Items, Sample, Source
from reqap.sources.jsonio import Record, load, shown
from reqap.sources.records import Skip, event_at, filled, records, seconds, text, texts
from reqap.values import parse_epoch

NAME = "keep"

_EDITED, _CREATED = "userEditedTimestampUsec", "createdTimestampUsec"
_MARKS = {"isTrashed", "isPinned", "isArchived"}


def sniff(sample: Sample) -> bool:
    keys = sample.json_keys
    return not sample.is_json_array and _EDITED in keys and bool(keys & _MARKS)


def read(file: ExportFile, context: Context) -> Items:
    content = _content(file)
    try:
        if content.get("isTrashed") is True:
            yield ImportIssue("in the trash", file.origin(), text(content.get("title"))[:200])
            yield from _retraction(content, file)
        else:
            yield _note(content, file, context)
    except Skip as skip:
        yield ImportIssue(skip.reason, file.origin(), skip.detail[:200])
    except ValueProblem as problem:
        yield ImportIssue("broken record", file.origin(), str(problem)[:200])


def _content(file: ExportFile) -> Record:
    content = load(file)
    if not isinstance(content, dict):
        raise ExportProblem(f"{file.name}: a note was expected and is not there")
    return content


def _note(note: Record, file: ExportFile, context: Context) -> Event:
    title = text(note.get("title"))
    edited = _moment(note, _EDITED)
    start = _moment(note, _CREATED) or edited
    if start is None:
        raise Skip("no time", title)
    items = records(note.get("listContent"))
    words = text(note.get("textContent")) or "\n".join(map(_line, items))
    links = records(note.get("annotations"))
    data = filled(
        title=title,
        text=words,
        labels=texts(note.get("labels"), "name"),
        checked_items=[said for item in items if _is_checked(item) and (said := _words(item))],
        open_items=[said for item in items if not _is_checked(item) and (said := _words(item))],
        links=texts(list(links), "url"),
        media_count=len(records(note.get("attachments"))) or None,
        shared_with=_others(note),
        pinned=note.get("isPinned") is True,
        archived=note.get("isArchived") is True,
    )
    if not data:
        raise Skip("an empty note")
    if edited is not None:
        data["edited"] = _written(edited, context)
    identity, revision = _identity(note), seconds(edited or start)
    event = event_at(start, context.clock, NAME, "note", identity, data, file.origin(), revision)
    return event._replace(series=event.id, series_revision=revision)


def _identity(note: Record) -> tuple[object, ...]:
    """What tells a note from others.

    Keep gives notes no id. When a note was created is told to the microsecond and never changes;
    where older exports leave it out, the title and the last edit have to do. Such a note counts as
    a new one once it is edited: better twice than one of two notes lost.
    """
    if created := _moment(note, _CREATED):
        return (_usec(created),)
    edited = _moment(note, _EDITED)
    return ("edited", _usec(edited) if edited else "", text(note.get("title")))


def _retraction(note: Record, file: ExportFile) -> Iterator[Retraction]:
    """That a note is in the trash, where it is known which one.

    Throwing a note away is no edit, so the time stays that of the last one; the trash comes later.
    """
    if edited := _moment(note, _EDITED) or _moment(note, _CREATED):
        series = event_id(NAME, *_identity(note))
        yield Retraction(series, seconds(edited) + 1, file.origin())


def _moment(note: Record, key: str) -> datetime | None:
    """The instant under `key`; a zero is as good as nothing."""
    value = note.get(key)
    return parse_epoch(value, "us") if value not in (0, "0") else None


def _usec(instant: datetime) -> str:
    return instant.isoformat(timespec="microseconds")


def _written(instant: datetime, context: Context) -> str:
    """The local time with its offset, so that it stays right when the user's zone changes."""
    return instant.astimezone(context.clock.zone).isoformat(timespec="seconds")


def _is_checked(item: Record) -> bool:
    return item.get("isChecked") is True


def _words(item: Record) -> str:
    return text(item.get("text"))


def _line(item: Record) -> str:
    return f"[{'x' if _is_checked(item) else ' '}] {_words(item)}"


def _others(note: Record) -> list[str]:
    """Whom the note is shared with: everybody but its owner."""
    sharees = records(note.get("sharees"))
    return texts([who for who in sharees if who.get("isOwner") is not True], "email")


def raw(file: ExportFile, position: int) -> str:
    return shown(_content(file))


SOURCE = Source(NAME, "Google Keep", 1, sniff, read, raw)
