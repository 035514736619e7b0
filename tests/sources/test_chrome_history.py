"""Chrome's browser history."""

import json
from datetime import datetime

from reqap.sources.chrome_history import SOURCE
from tests.sources.reading import DATA, claimed, claimed_of_others, context, files, read_path

ROOT = DATA / "chrome_history"
OLD = ROOT / "Takeout" / "Chrome" / "BrowserHistory.json"
NEW = ROOT / "Takeout-new" / "Chrome" / "History.json"


def test_visits() -> None:
    events, issues = read_path(SOURCE, OLD)
    assert [(event.kind, event.start, event.offset, event.data) for event in events] == [
        (
            "web_visit",
            datetime(2024, 3, 31, 1, 59, 59, 123_456),
            60,
            {
                "title": "Timetable",
                "url": "https://www.rail.example/basel?day=1",
                "host": "rail.example",
                "transition": "link",
            },
        ),
        (
            "web_visit",
            datetime(2024, 3, 31, 3, 0),
            120,
            {"url": "http://bücher.example/", "host": "bücher.example", "transition": "typed"},
        ),
        (
            "web_visit",
            datetime(2024, 3, 31, 3, 0, 2),
            120,
            {"title": "No host", "url": "https://[broken/", "transition": "reload"},
        ),
    ]
    assert [(issue.reason, issue.origin.position) for issue in issues] == [
        ("not a page of the web", 2),
        ("no time", 3),
        ("broken record", 4),
    ]


def test_the_newer_layout_tells_the_same_visit() -> None:
    (event,), issues = read_path(SOURCE, NEW, context("Asia/Tokyo"))
    assert not issues
    assert event.id == read_path(SOURCE, OLD)[0][0].id


def test_who_claims_what() -> None:
    assert len(claimed(SOURCE, "chrome_history")) == len(files(ROOT)) == 2
    assert claimed_of_others(SOURCE, "chrome_history") == []


def test_the_raw_record_is_found_again() -> None:
    (file,) = files(NEW)
    assert json.loads(SOURCE.raw(file, 0))["title"] == "Timetable"
