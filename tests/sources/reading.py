"""Reading a sample export in a test, the way an import does it."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from reqap.events import Clock, Event, ImportIssue
from reqap.sources.base import Context, ExportFile, Source
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
    events: list[Event] = []
    issues: list[ImportIssue] = []
    for file in files(path):
        if recognise(file, [source]) is source:
            for item in source.read(file, ctx or context()):
                (events if isinstance(item, Event) else issues).append(item)  # type: ignore[arg-type]
    return events, issues


def write(path: Path, content: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def reasons(issues: Sequence[ImportIssue]) -> list[str]:
    return [issue.reason for issue in issues]
