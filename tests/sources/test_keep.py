"""Google Keep's notes."""

import json
from datetime import datetime
from pathlib import Path

import pytest

from reqap.errors import ExportProblem
from reqap.events import Event, ImportIssue, Retraction
from reqap.importing import import_paths
from reqap.sources.keep import SOURCE
from reqap.store import Store
from tests.sources.reading import (
    DATA,
    claimed,
    claimed_of_others,
    context,
    files,
    read_all,
    read_path,
    write,
)

ROOT = DATA / "keep" / "Takeout" / "Keep"
LIST = ROOT / "Packing list.json"
TEXT = ROOT / "Gift ideas_.json"


def test_a_list() -> None:
    (event,), issues = read_path(SOURCE, LIST)
    assert not issues
    assert event.kind == "note"
    assert event.start == event.end == datetime(2024, 6, 2, 14, 0, 0, 123_456)
    assert (event.offset, event.user_zone, event.revision) == (120, True, 1717336800)
    assert event.data == {
        "title": "Packing list",
        "text": "[x] Tent\n[ ] Stove\n[x] Café filters",
        "labels": ["Camping", "Sommer ☀"],
        "checked_items": ["Tent", "Café filters"],
        "open_items": ["Stove"],
        "shared_with": ["ben@mail.example"],
        "pinned": True,
        "edited": "2024-06-02T16:00:00+02:00",
    }


def test_an_older_note_without_a_time_of_creation() -> None:
    (event,), _ = read_path(SOURCE, TEXT)
    assert event.start == datetime(2019, 12, 20, 12, 6, 40)
    assert event.data == {
        "title": "Gift ideas?",
        "text": "Ben: headphones\nMara: a kite",
        "links": ["https://kites.example/"],
        "media_count": 1,
        "archived": True,
        "edited": "2019-12-20T12:06:40+01:00",
    }


def test_a_note_in_the_hour_that_was_skipped() -> None:
    """01:30 UTC on the night of the change is half past three: half past two did not happen."""
    (event,), _ = read_path(SOURCE, ROOT / "2023-03-26T02_30_00.000+01_00.json")
    assert event.start == datetime(2023, 3, 26, 3, 30)
    assert event.data == {"text": "Clock change tonight", "edited": "2023-03-26T03:30:00+02:00"}


def test_trash_and_empty_notes_are_told() -> None:
    events, issues = read_path(SOURCE, ROOT)
    assert len(events) == 3
    issues = [issue for issue in issues if isinstance(issue, ImportIssue)]
    assert [(issue.reason, issue.detail, Path(issue.origin.file).name) for issue in issues] == [
        ("in the trash", "Old plans", "Old plans.json"),
        ("an empty note", "", "Untitled.json"),
    ]


def changed(path: Path, **values: object) -> Event:
    content = json.dumps(json.loads(path.read_text()) | values).encode()
    (event,) = read_all(SOURCE, content)
    assert isinstance(event, Event)
    return event


def test_an_edited_note_is_the_same_note_with_a_later_revision() -> None:
    before = changed(LIST)
    after = changed(LIST, title="Packing", userEditedTimestampUsec=1717340000000000)
    assert after.id == before.id
    assert after.revision > before.revision
    assert after.start == before.start


def test_notes_without_a_time_of_creation_go_by_title_and_edit() -> None:
    assert changed(TEXT).id == changed(TEXT, textContent="rewritten").id
    assert changed(TEXT).id != changed(TEXT, title="Other").id
    assert changed(TEXT, createdTimestampUsec=0).id == changed(TEXT).id


@pytest.mark.parametrize("path", [LIST, TEXT])
def test_a_note_thrown_away_later_is_retracted(path: Path) -> None:
    note = changed(path)
    thrown = json.dumps(json.loads(path.read_text()) | {"isTrashed": True}).encode()
    issue, retraction = read_all(SOURCE, thrown)
    assert isinstance(issue, ImportIssue)
    assert isinstance(retraction, Retraction)
    # Throwing it away is no edit: the time is the same, and the trash has the last word.
    assert retraction[:2] == (note.series, note.series_revision + 1)
    assert note.series_revision == note.revision
    timeless = {"createdTimestampUsec": None, "userEditedTimestampUsec": None, "isTrashed": True}
    (issue,) = read_all(SOURCE, json.dumps(timeless).encode())
    assert issue[0] == "in the trash"


@pytest.mark.parametrize("trash_first", [False, True])
def test_a_note_in_the_trash_leaves_and_comes_back_when_edited(
    tmp_path: Path, trash_first: bool
) -> None:
    note = json.loads(LIST.read_text())
    later = {"userEditedTimestampUsec": note["userEditedTimestampUsec"] + 60_000_000}
    paths = [
        write(tmp_path / name, json.dumps(note | change))
        for name, change in (("a", {}), ("b", {"isTrashed": True}), ("c", later))
    ]
    order = (1, 0, 2) if trash_first else (0, 1, 2)
    counts = []
    with Store.open(None) as store:
        for number in order:
            import_paths([paths[number]], store, context(), sources=[SOURCE])
            counts.append(store.connection.execute("SELECT count(*) FROM events").fetchall()[0][0])
    assert counts == ([0, 0, 1] if trash_first else [1, 0, 1])


def test_times_may_be_written_as_text() -> None:
    written = changed(LIST, createdTimestampUsec="1717329600123456")
    assert written.id == changed(LIST).id


def test_ids_do_not_depend_on_the_users_zone() -> None:
    (here,), _ = read_path(SOURCE, LIST)
    (there,), _ = read_path(SOURCE, LIST, context("America/New_York"))
    assert here.id == there.id
    assert there.start == datetime(2024, 6, 2, 8, 0, 0, 123_456)


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"userEditedTimestampUsec": None}, "no time"),
        ({"userEditedTimestampUsec": "soon"}, "broken record"),
    ],
)
def test_notes_without_a_usable_time(values: dict[str, object], reason: str) -> None:
    content = json.dumps(json.loads(TEXT.read_text()) | values).encode()
    (issue,) = read_all(SOURCE, content)
    assert isinstance(issue, ImportIssue)
    assert issue.reason == reason


def test_a_broken_file_says_so() -> None:
    for content in (b'{"isTrashed": false, ', b"[]"):
        with pytest.raises(ExportProblem):
            read_all(SOURCE, content)


def test_who_claims_what() -> None:
    """The notes' HTML twins and the list of labels are left alone; names do not matter."""
    assert all(name.endswith(".json") for name in claimed(SOURCE, "keep"))
    assert len(claimed(SOURCE, "keep")) == 5
    assert claimed_of_others(SOURCE, "keep") == []


def test_the_raw_record_is_found_again() -> None:
    (file,) = files(LIST)
    assert json.loads(SOURCE.raw(file, 0)) == json.loads(LIST.read_text())
