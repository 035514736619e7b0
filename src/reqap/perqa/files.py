"""PerQA's own files: what a persona's folder holds, as the paper's release has it.

Beside them lies `canonical.duckdb`, the tables that the gold queries were run on.
"""

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from pathlib import Path

from reqap.perqa.canonical import Event, Property
from reqap.perqa.persona import Persona
from reqap.perqa.templates import Question
from reqap.perqa.texts import Observation, Telling

_TIMES = ("start_date", "start_time", "end_date", "end_time")


def write_persona(
    persona: Persona, events: list[Event], observations: list[Observation], folder: Path
) -> None:
    """Observations, canonical events and the persona; questions come with `write_questions`."""
    name = persona.id
    told = json.dumps(persona.raw, ensure_ascii=False, indent=1)
    (folder / f"{name}.json").write_text(told + "\n", encoding="utf-8")
    _write_table(
        folder / f"{name}_obs.csv",
        ("id", "structured_event_id", *_TIMES, "event_type", "event_data", "properties_mentioned"),
        [_observed(one) for one in observations],
    )
    _write_table(
        folder / f"{name}_canonical.csv",
        ("id", "structured_event_id", *_TIMES, "event_type", "event_data"),
        [_happened(event) for event in events],
    )


def write_questions(questions: Sequence[Question], today: date, path: Path) -> None:
    found = [
        {
            "question": question.wordings[0],
            "wordings": list(question.wordings),
            "answers": [_told(row) for row in question.answers],
            "reference_date": today.isoformat(),
            "sql_query": question.sql,
            "plan": question.plan,
            "retrieve": dict(question.retrieve),
            "template": question.template,
        }
        for question in questions
    ]
    path.write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def _told(row: Sequence[object]) -> object:
    items = [_plain(item) for item in row]
    return items[0] if len(items) == 1 else items


def _plain(item: object) -> object:
    if isinstance(item, date | time | datetime):
        return item.isoformat()
    if isinstance(item, timedelta):
        return item.total_seconds()
    if isinstance(item, list | tuple):
        return [_plain(inner) for inner in item]
    return item if isinstance(item, str | int | float | bool | None) else str(item)


def _observed(one: Observation) -> list[str]:
    events = [telling.event for telling in one.tells]
    mentioned = {str(telling.event): list(telling.properties) for telling in one.tells}
    first = str(events[0]) if events else ""
    return [str(one.id), first, *_times(one.start, one.end), one.kind, _json(one.data),
            json.dumps(mentioned)]  # fmt: skip


def _happened(event: Event) -> list[str]:
    return [str(event.id), str(event.id), *_times(event.start, event.end), event.table,
            _json(event.properties)]  # fmt: skip


def _times(start: datetime, end: datetime) -> list[str]:
    return [f"{start:%Y-%m-%d}", f"{start:%H:%M:%S}", f"{end:%Y-%m-%d}", f"{end:%H:%M:%S}"]


def _json(data: Mapping[str, Property]) -> str:
    kept = {name: value for name, value in data.items() if value is not None}
    return json.dumps(kept, ensure_ascii=False)


def _write_table(path: Path, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def read_observations(folder: Path) -> list[Observation]:
    """The observations that `write_persona` wrote."""
    return [
        Observation(
            int(row["id"]),
            row["event_type"],
            *_moments(row),
            json.loads(row["event_data"]),
            tuple(
                Telling(int(event), tuple(properties))
                for event, properties in json.loads(row["properties_mentioned"]).items()
            ),
        )
        for row in _rows(folder, "obs")
    ]


def read_events(folder: Path) -> list[Event]:
    """The canonical events that it wrote."""
    return [
        Event(int(row["id"]), row["event_type"], *_moments(row), json.loads(row["event_data"]))
        for row in _rows(folder, "canonical")
    ]


def _rows(folder: Path, name: str) -> Iterator[dict[str, str]]:
    (path,) = folder.glob(f"*_{name}.csv")
    with path.open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def _moments(row: Mapping[str, str]) -> tuple[datetime, datetime]:
    start, end = (f"{row[f'{side}_date']} {row[f'{side}_time']}" for side in ("start", "end"))
    return datetime.fromisoformat(start), datetime.fromisoformat(end)
