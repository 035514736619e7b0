"""What the JSON sources share: typed access to records of unknown make, and the way through a file.

A record may hold anything anywhere, so nothing is used before its type is known. Text is cleaned of
what no text means and no store takes: control characters and halves of characters.
Not the job of this module: what any field means.
"""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime

from reqap.errors import ValueProblem
from reqap.events import Clock, Event, ImportIssue, Origin, Value, event_id
from reqap.sources.base import HEAD_BYTES, ExportFile, Items, Sample
from reqap.sources.jsonio import Json, Record, read_records
from reqap.values import parse_number

_UNFIT = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
_NO_RECORD: Record = {}


class Skip(Exception):
    """A sound record that is not taken over; `reason` and `detail` are those of the issue."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.detail = detail


def text(value: Json) -> str:
    """The text, cleaned and stripped; empty for anything that is not text."""
    return _UNFIT.sub("", value).strip() if isinstance(value, str) else ""


def record(value: Json) -> Record:
    """The object; an empty one for anything else."""
    return value if isinstance(value, dict) else _NO_RECORD


def records(value: Json) -> list[Record]:
    """The objects in a list; of anything else, none."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def texts(value: Json, key: str) -> list[str]:
    """What the objects in a list say under `key`, each once, in order."""
    found = (text(item.get(key)) for item in records(value))
    return list(dict.fromkeys(said for said in found if said))


def count(value: Json) -> int | None:
    """A whole number that may be written as text; None for anything else."""
    try:
        number = parse_number(value) if isinstance(value, str | int) else None
    except ValueProblem:
        return None
    return int(number) if number is not None and 0 <= number < 1e15 else None


def filled(**values: Value | None) -> dict[str, Value]:
    """The values that say something: no empty text or list, no False, no None. Zero is a number."""
    return {
        key: value
        for key, value in values.items()
        if value or (value is not None and type(value) in (int, float))
    }  # fmt: skip


def event_at(
    instant: datetime,
    clock: Clock,
    source: str,
    kind: str,
    identity: tuple[object, ...],
    data: Mapping[str, Value],
    origin: Origin,
    revision: int = 0,
) -> Event:
    """An event without a duration, at an instant that the export tells in UTC."""
    start, offset = clock.wall(instant)
    return Event(
        id=event_id(source, *identity),
        source=source,
        kind=kind,
        start=start,
        end=start,
        offset=offset,
        data=data,
        origin=origin,
        user_zone=True,
        revision=revision,
    )


def seconds(instant: datetime) -> int:
    """The instant as whole seconds since 1970, for identities and revisions."""
    aware = instant if instant.tzinfo else instant.replace(tzinfo=UTC)
    return int(aware.timestamp())


def sample_of(file: ExportFile) -> Sample:
    """The beginning of a file, as `sniff` was shown it."""
    with file.open() as stream:
        return Sample(file.name, file.size, stream.read(HEAD_BYTES))


def read_each(
    file: ExportFile, tell: Callable[[int, Record], Event], key: str | None = None
) -> Items:
    """What `tell` makes of every record; where it raises Skip or ValueProblem, an issue."""
    for item in read_records(file, key):
        if isinstance(item, ImportIssue):
            yield item
            continue
        position, found = item
        try:
            yield tell(position, found)
        except Skip as skip:
            yield ImportIssue(skip.reason, file.origin(position), skip.detail[:200])
        except ValueProblem as problem:
            yield ImportIssue("broken record", file.origin(position), text(str(problem))[:200])
