"""Lives as real exports: what the importers read is what was observed, and nothing else."""

import io
import zipfile
from collections import Counter
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from reqap.events import Event
from reqap.perqa.exports import DEMO, write_demo, write_exports
from reqap.perqa.exports.apple_health import activity
from reqap.perqa.persona import load_persona, persona_ids
from reqap.perqa.texts import Observation
from reqap.perqa.world import make_world
from reqap.store import Store

MEGABYTE = 1024 * 1024
MEASURED = {"daily_activity", "sleep", "body_measurement", "profile"}


def contents(folder: Path) -> dict[str, bytes]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo")
    write_demo(folder)
    return folder


def test_the_same_bytes_every_time_and_small(demo: Path, tmp_path: Path) -> None:
    write_demo(tmp_path)
    written = contents(demo)
    assert contents(tmp_path) == written
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in written.items():
            archive.writestr(name, content)
    assert len(packed.getvalue()) <= 3 * MEGABYTE


def test_imported_events_are_the_observations(demo_db: Path) -> None:
    with Store.open(demo_db, read_only=True) as store:
        events = [event for event in store.scan() if event.kind not in MEASURED]
    first = min(event.start for event in events).date()
    observed = [one for one in make_world(DEMO).observations if one.start.date() >= first]
    assert len(events) > 8_000
    assert Counter(map(_told, events)) == Counter(map(_told, observed))


def _told(one: Event | Observation) -> tuple[object, ...]:
    """What is told, as far as an export has room for it; some tell times to the minute only."""
    minutes = [moment.replace(second=0, microsecond=0) for moment in (one.start, one.end)]
    return (one.kind, *minutes, *(" ".join(str(part).split()) for part in _parts(one)))


def _parts(one: Event | Observation) -> list[object]:
    data: dict[str, Any] = dict(one.data)
    match one.kind:
        case "music_stream":
            return [data["song_name"], data["song_artist"][0]]
        case "movie_stream":
            return [data["movie_title"]]
        case "tvseries_stream":
            return [data["tvseries_title"], data["tvseries_season"], data["episode_name"]]
        case "online_purchase":
            return [data["product"], data["product_quantity"], data["order"]]
        case "workout":
            kind = data["workout_type"].replace("traditional strength", "weight")
            return [kind, round(data["average_heart_rate"]), round(data.get("distance") or 0, 1)]
        case "mail":
            # What is quoted from an earlier mail is taken off at the import.
            lines = [line for line in data["text"].splitlines() if not line.startswith(">")]
            return [data["subject"], data["sender"], "\n".join(lines)]
        case "calendar":
            return [data["summary"], data.get("location"), data.get("description")]
    return [data.get("title") or None, data["text"]]


def test_every_kind_of_workout_has_apples_name() -> None:
    kinds = {sport.kind for one in persona_ids() for sport in load_persona(one).sports}
    assert not [kind for kind in kinds if activity(kind).endswith("Other")]


def test_only_what_is_since_a_day(tmp_path: Path) -> None:
    told = write_exports("dev_persona_0", tmp_path, since=date(2100, 1, 1))
    assert not told
