"""Small stores for the tests of EXTRACT."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta

import pyarrow as pa

from reqap.columns import to_arrow
from reqap.events import Event, Origin, Value, event_id
from reqap.extract import PatternExtractor
from reqap.profile import Person, Profile
from reqap.store import Store

DAY = datetime(2024, 5, 1, 12, 30)
PROFILE = Profile(
    name="Nora Lind",
    people=(
        Person("Ada Lind", "mother"),
        Person("Ole Lind", "father"),
        Person("Robert Moss", "friend", ("Bob",)),
    ),
)

Told = tuple[object, str | None, str | None]  # value, unit, where


def an_event(
    data: Mapping[str, Value],
    *,
    kind: str = "thing",
    number: int = 0,
    start: datetime = DAY,
    minutes: float = 0,
) -> Event:
    end = start + timedelta(minutes=minutes)
    identity = event_id("diary", kind, number)
    return Event(identity, "diary", kind, start, end, None, dict(data), Origin("f", number))


def events_of(kind: str, *data: Mapping[str, Value]) -> list[Event]:
    return [an_event(one, kind=kind, number=n) for n, one in enumerate(data)]


@contextmanager
def life(events: Sequence[Event], profile: Profile = PROFILE) -> Iterator[Store]:
    with Store.open(None) as store:
        store.save_profile(profile.to_json(), [], "Europe/Oslo")
        with store.importing(["somewhere"]) as ingest:
            file_id = ingest.add_file("diary", "f", 10, "v1", "print")
            if events:
                ingest.add(file_id, to_arrow(events))
            ingest.merge()
        yield store


def extract(events: Sequence[Event], key: str, type_name: str) -> list[Told]:
    """What is told of each event, in order."""
    with life(events) as store:
        ids = pa.array([event.id for event in events], pa.string())
        table = PatternExtractor(store).extract(ids, key, type_name)
    assert table.num_rows == len(events)
    told = table.select(["value", "unit", "where"])
    return list(zip(*(column.to_pylist() for column in told.columns), strict=True))


def told(data: Mapping[str, Value], key: str, type_name: str, **how: object) -> Told:
    """What is told of one event."""
    return extract([an_event(data, **how)], key, type_name)[0]  # type: ignore[arg-type]


def value(data: Mapping[str, Value], key: str, type_name: str, **how: object) -> object:
    return told(data, key, type_name, **how)[0]
