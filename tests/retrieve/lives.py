"""Small lives for the tests: events in a few words, and a store in memory that holds them."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from reqap.columns import to_arrow
from reqap.events import Event, Origin, Value, event_id
from reqap.profile import Profile
from reqap.store import Store

DAY = datetime(2024, 5, 1, 18, 0)
TODAY = datetime(2024, 12, 31)


def an_event(
    name: str,
    kind: str,
    *,
    hours: float = 0,
    length: float = 1,
    source: str = "diary",
    **data: Value,
) -> Event:
    """An event named `name`, so many hours after DAY and that long (0: a moment)."""
    start = DAY + timedelta(hours=hours)
    end = start + timedelta(hours=length)
    return Event(name, source, kind, start, end, None, data, Origin("f", 0))


def fill(store: Store, events: Sequence[Event]) -> None:
    with store.importing(["somewhere"]) as ingest:
        file_id = ingest.add_file("diary", event_id(*events), 10, "v1", event_id(*events))
        ingest.add(file_id, to_arrow(events))
        ingest.merge()


def know(store: Store, profile: Profile) -> None:
    store.save_profile(profile.to_json(), profile.facts(TODAY.date()), "Europe/Berlin")
