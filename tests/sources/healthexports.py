"""Small Apple Health exports for tests, and reading them."""

from datetime import datetime
from pathlib import Path

from reqap.events import Event, ImportIssue
from reqap.sources.apple_health import SOURCE
from reqap.sources.base import Context, ExportFile
from tests.sources.reading import DATA, files, read_path, write

IOS17 = DATA / "apple_health" / "ios17"
IOS15 = DATA / "apple_health" / "ios15"
EXPORT = IOS17 / "apple_health_export" / "export.xml"
MADE = 1743609600  # 2025-04-02 18:00:00 +0200

Read = tuple[list[Event], list[ImportIssue]]


def read_text(tmp_path: Path, content: str | bytes, ctx: Context | None = None) -> Read:
    return read_path(SOURCE, write(tmp_path / "export.xml", content), ctx)


def health(*elements: str, made: str = "2025-04-02 18:00:00 +0200") -> str:
    body = "\n".join(elements)
    return f'<HealthData locale="en"><ExportDate value="{made}"/>\n{body}\n</HealthData>'


def record(kind: str, value: str, start: str, end: str = "", source: str = "iPhone") -> str:
    unit = {"HeartRate": "count/min", "BodyMass": "kg"}.get(kind, "count")
    return (
        f'<Record type="HKQuantityTypeIdentifier{kind}" sourceName="{source}" unit="{unit}"'
        f' startDate="{start}" endDate="{end or start}" value="{value}"/>'
    )


def sleep(stage: str, start: str, end: str, source: str = "Watch") -> str:
    return (
        f'<Record type="HKCategoryTypeIdentifierSleepAnalysis" sourceName="{source}"'
        f' startDate="{start}" endDate="{end}" value="HKCategoryValueSleepAnalysis{stage}"/>'
    )


def yoga(day: int, inner: str = "") -> str:
    return (
        '<Workout workoutActivityType="HKWorkoutActivityTypeYoga" sourceName="Watch"'
        f' startDate="2025-03-{day} 10:00:00 +0100" endDate="2025-03-{day} 11:00:00 +0100">'
        f"{inner}</Workout>"
    )


def of_kind(events: list[Event], kind: str) -> list[Event]:
    return [event for event in events if event.kind == kind]


def only_file(path: Path) -> ExportFile:
    (file,) = files(path)
    return file


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)
