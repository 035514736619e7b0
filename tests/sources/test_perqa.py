"""PerQA's observable events: as they stand, without what belongs to the gold answers."""

from datetime import datetime
from pathlib import Path

from reqap.events import Event
from reqap.sources.perqa import SOURCE
from tests.sources.reading import (
    DATA,
    claimed,
    claimed_of_others,
    context,
    files,
    read_path,
    reasons,
    write,
)

FOLDER = DATA / "perqa"
OBSERVED = FOLDER / "dev" / "dev_persona_9" / "dev_persona_9_obs.csv"


def _events() -> list[Event]:
    return read_path(SOURCE, FOLDER)[0]


def test_events_as_they_stand() -> None:
    found = [(e.kind, e.start, e.end, e.data) for e in _events()]
    assert found == [
        (
            "calendar",
            datetime(2024, 3, 5, 18, 30),
            datetime(2024, 3, 5, 20),
            {"summary": "Dinner w/ Iga", "location": "Bistro Fala"},
        ),
        (
            "social_media",
            datetime(2024, 3, 5, 21, 2),
            datetime(2024, 3, 5, 21, 2),
            {"text": 'Best pierogi, "ever" 🥟'},
        ),
        (
            "movie_stream",
            datetime(2024, 3, 6, 23, 40),
            datetime(2024, 3, 7, 0, 55),
            {
                "event": "movie stream",
                "duration": 75,
                "duration_unit": "minutes",
                "movie_title": "Fala",
                "watching_continuation": False,
            },
        ),
        (
            "music_stream",
            datetime(2024, 3, 7, 7, 10, 5),
            datetime(2024, 3, 7, 7, 13, 41),
            {"event": "music stream", "song_name": "Morze", "song_artist": ["Leon", "Iga"]},
        ),
        (
            "calendar",
            datetime(2024, 3, 8),
            datetime(2024, 3, 10, 23, 59, 59),
            {"summary": "Hel weekend"},
        ),
        (
            "mail",
            datetime(2024, 3, 9),
            datetime(2024, 3, 9, 23, 59, 59),
            {
                "subject": "Re: Hel",
                "sender": "iga@fala.example",
                "recipient": "marta@fala.example",
                "text": "See you\nthere",
            },
        ),
        (
            "workout",
            datetime(2024, 3, 10, 9),
            datetime(2024, 3, 10, 9),
            {
                "event": "workout",
                "workout_type": "running",
                "distance": 5.2,
                "distance_unit": "km",
                "splits_first": 26.5,
            },
        ),
    ]
    assert all(e.offset is None and e.source == "perqa" and not e.user_zone for e in _events())
    assert [e.origin.position for e in _events()] == [2, 3, 4, 5, 6, 7, 9]


def test_broken_rows_are_issues() -> None:
    issues = read_path(SOURCE, FOLDER)[1]
    assert [(i.reason, i.origin.position, i.skipped) for i in issues] == [
        ("ends before it starts", 9, False),
        ("broken record", 10, True),
        ("broken record", 11, True),
        ("no event type", 12, True),
        ("broken record", 13, True),
        ("broken CSV row", 14, True),
    ]
    assert issues[1].detail == "there is no start date"
    assert "not JSON" in issues[2].detail
    assert "9 in the morning" in issues[4].detail


def test_the_canonical_twin_and_others_are_not_claimed() -> None:
    assert claimed(SOURCE, "perqa") == [str(OBSERVED.relative_to(FOLDER))]
    assert claimed_of_others(SOURCE, "perqa") == []


def test_ids_do_not_depend_on_the_file(tmp_path: Path) -> None:
    renamed = write(tmp_path / "renamed.txt", b"\xef\xbb\xbf" + OBSERVED.read_bytes())
    again, issues = read_path(SOURCE, renamed, context(zone="Asia/Tokyo"))
    assert [e.id for e in again] == [e.id for e in _events()]
    assert [e.start for e in again] == [e.start for e in _events()]
    assert len(set(reasons(issues))) == 4
    assert len({e.id for e in again}) == 7


def test_raw_finds_the_row() -> None:
    (file,) = [file for file in files(FOLDER) if file.name == str(OBSERVED)]
    text = SOURCE.raw(file, 7)
    assert text.startswith("id: 5\nstructured_event_id: 17\n")
    assert "See you\nthere" in text
    assert SOURCE.raw(file, 999) == ""
