"""Reading a sample export in a test, the way an import does it."""

import io
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from reqap.events import Clock, Event, ImportIssue, Retraction
from reqap.sources.base import Context, ExportFile, Source
from reqap.sources.records import sample_of
from reqap.sources.registry import recognise
from reqap.sources.walk import find_files
from reqap.values import DateOrder

DATA = Path(__file__).parent.parent / "data"
TODAY = datetime(2026, 1, 15, 12, 0)


def context(
    zone: str = "Europe/Berlin",
    who: tuple[str, ...] = (),
    date_order: DateOrder | None = None,
    today: datetime = TODAY,
) -> Context:
    return Context(Clock(ZoneInfo(zone), today), who, date_order)


def files(path: Path) -> list[ExportFile]:
    found = list(find_files(path))
    assert not [item for item in found if isinstance(item, ImportIssue)]
    return [item for item in found if isinstance(item, ExportFile)]


def read_path(
    source: Source, path: Path, ctx: Context | None = None
) -> tuple[list[Event], list[ImportIssue]]:
    """All events and issues of the files under `path` that `source` recognises."""
    own = [file for file in files(path) if recognise(file, [source]) is source]
    return apart(item for file in own for item in source.read(file, ctx or context()))


def in_memory(content: bytes, name: str = "x") -> ExportFile:
    return ExportFile(name, len(content), lambda: io.BytesIO(content), lambda: str(hash(content)))


def read_all(
    source: Source, content: bytes, name: str = "x.json", ctx: Context | None = None
) -> list[Event | ImportIssue | Retraction]:
    """What a source makes of a content, in its order."""
    return list(source.read(in_memory(content, name), ctx or context()))


def apart(
    items: Iterable[Event | ImportIssue | Retraction],
) -> tuple[list[Event], list[ImportIssue]]:
    """Events and issues, each in their order."""
    found = list(items)
    events = [item for item in found if isinstance(item, Event)]
    return events, [item for item in found if isinstance(item, ImportIssue)]


def at(events: Iterable[Event], position: int) -> Event:
    return next(event for event in events if event.origin.position == position)


def claims(source: Source, content: bytes, name: str = "x") -> bool:
    """Whether the source takes a file with this content and name for its own."""
    return source.sniff(sample_of(in_memory(content, name)))


def claimed(source: Source, folder: str) -> list[str]:
    """The sample files under `folder` that the source takes for its own, by name."""
    root = DATA / folder
    found = (file for file in files(root) if source.sniff(sample_of(file)))
    return [str(Path(file.name).relative_to(root)) for file in found]


def claimed_of_others(source: Source, own: str) -> list[str]:
    """The samples of all other sources that the source would take; there should be none."""
    others = sorted(path for path in DATA.iterdir() if path.is_dir() and path.name != own)
    return [f"{path.name}/{name}" for path in others for name in claimed(source, path.name)]


def write(path: Path, content: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def reasons(issues: Sequence[ImportIssue]) -> list[str]:
    return [issue.reason for issue in issues]
