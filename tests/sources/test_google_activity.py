"""YouTube's watch history and the other products of Google's "My Activity"."""

import json
from datetime import datetime
from pathlib import Path

import pytest

from reqap.events import Event
from reqap.sources.base import Sample
from reqap.sources.google_activity import SOURCE, YOUTUBE
from tests.sources.reading import (
    DATA,
    claimed,
    claimed_of_others,
    context,
    files,
    in_memory,
    read_all,
    read_path,
    reasons,
)

ROOT = DATA / "google_activity"
HISTORY = ROOT / "Takeout" / "YouTube and YouTube Music" / "history" / "watch-history.json"
SEARCH = ROOT / "Takeout" / "My Activity" / "Search" / "MyActivity.json"
WATCH = "https://www.youtube.com/watch?v="


def test_watch_history() -> None:
    events, issues = read_path(YOUTUBE, HISTORY)
    assert [(event.origin.position, event.kind, event.start, event.data) for event in events] == [
        (
            0,
            "video_stream",
            datetime(2023, 10, 29, 2, 30, 0, 250_000),
            {
                "video_title": "How to repair a bicycle",
                "channel": "Wheel & Chain",
                "url": WATCH + "bike0000001",
                "platform": "YouTube",
            },
        ),
        (
            1,
            "video_stream",
            datetime(2023, 10, 29, 2, 30),
            {
                "video_title": "Sourdough for beginners 🍞",
                "channel": "Küche Köln",
                "url": WATCH + "bread000001",
                "platform": "YouTube",
            },
        ),
        (
            2,
            "video_stream",
            datetime(2023, 7, 1, 22, 15, 9, 1000),
            {
                "video_title": "Blue Harbour",
                "channel": "Mara Lindt - Topic",
                "url": "https://music.youtube.com/watch?v=song0000001",
                "platform": "YouTube Music",
            },
        ),
        (
            3,
            "video_stream",
            datetime(2022, 2, 2, 11, 0, 0, 500_000),
            {"url": WATCH + "gone0000001", "platform": "YouTube", "unavailable": True},
        ),
        (
            4,
            "video_stream",
            datetime(2022, 2, 2, 10, 0, 0, 500_000),
            {"platform": "YouTube", "unavailable": True},
        ),
        (
            5,
            "web_activity",
            datetime(2022, 2, 1, 10, 0, 0, 500_000),
            {"product": "YouTube Music", "title": "Visited YouTube Music"},
        ),
        (
            7,
            "web_activity",
            datetime(2023, 10, 29, 2, 45),
            {
                "product": "YouTube",
                "title": "Liked How to repair a bicycle",
                "url": WATCH + "bike0000001",
                "details": ["Wheel & Chain"],
            },
        ),
        (
            8,
            "video_stream",
            datetime(2021, 5, 5, 7, 5, 5, 5000),
            {
                "video_title": "Watched pots never boil",
                "channel": "Kitchen Truths",
                "url": "https://www.youtube.com/shorts/pots0000001",
                "platform": "YouTube",
            },
        ),
    ]
    # Both videos of the night the clocks went back began at half past two: before, and after.
    assert [event.offset for event in events[:2]] == [120, 60]
    assert all(event.user_zone and event.end == event.start for event in events)
    assert [(issue.reason, issue.origin.position) for issue in issues] == [
        ("an ad", 6),
        ("no time", 9),
        ("broken record", 10),
    ]
    assert issues[2].detail == "'yesterday' is not a date and time"


def test_the_same_entry_in_two_files_is_one_event() -> None:
    history, _ = read_path(YOUTUBE, HISTORY)
    activity, _ = read_path(YOUTUBE, ROOT / "Takeout" / "My Activity" / "YouTube")
    assert [event.id for event in activity] == [event.id for event in history[:2]]
    assert {event.source for event in activity} == {"youtube"}


def test_a_video_that_is_gone_in_the_next_export_stays_one_event() -> None:
    later = {
        "header": "YouTube",
        "title": "Watched a video that has been removed",
        "time": "2023-10-29T00:30:00.250Z",
        "products": ["YouTube"],
    }
    (event,) = read_all(YOUTUBE, json.dumps([later]).encode())
    assert isinstance(event, Event)
    assert event.id == read_path(YOUTUBE, HISTORY)[0][0].id


def test_german_export() -> None:
    events, issues = read_path(YOUTUBE, ROOT / "Takeout-de")
    assert [(event.kind, event.data.get("video_title")) for event in events] == [
        ("video_stream", "Wie man ein Fahrrad repariert"),
        ("video_stream", "Watched: eine Kritik"),
        ("video_stream", None),
        ("video_stream", None),
        ("web_search", None),
    ]
    assert events[2].data == {"platform": "YouTube", "unavailable": True}
    assert events[3].data["url"] == WATCH + "weg00000001"
    assert events[4].data["query"] == "gitarre stimmen"
    assert events[4].start == datetime(2023, 1, 11, 0, 30)
    assert reasons(issues) == ["an ad"]


def test_an_unknown_language_is_learnt_from_the_file() -> None:
    events, issues = read_path(YOUTUBE, ROOT / "Takeout-fi")
    assert not issues
    titles = [event.data["video_title"] for event in events]
    assert titles[:3] == ["Sieniä metsässä", "Purjehdus", "Leivän leipominen"]
    assert len(titles) == 10


def history_of(titles: list[str]) -> bytes:
    return json.dumps(
        [
            {
                "header": "YouTube",
                "title": title,
                "titleUrl": f"{WATCH}{number:011d}",
                "time": f"2024-01-01T10:{number:02d}:00.123Z",
                "products": ["YouTube"],
            }
            for number, title in enumerate(titles)
        ]
    ).encode()


def titles_of(content: bytes) -> list[object]:
    items = read_all(YOUTUBE, content)
    return [item.data.get("video_title") for item in items if isinstance(item, Event)]


@pytest.mark.parametrize(
    "wording",
    [
        "Watched {}",
        "{} angesehen",
        "Vous avez regardé {}",
        "Has visto {}",
        "Hai guardato {}",
        "{} bekeken",
        "Obejrzano: {}",
        "Вы посмотрели {}",
        "{} を視聴しました",
        "观看了{}",
        "已觀看「{}」",
        "{}을(를) 시청했습니다",
    ],
)
def test_known_wordings_come_off_even_in_a_short_file(wording: str) -> None:
    names = ["Aurora borealis", "さくら", "The last Watched angesehen video"]
    assert titles_of(history_of([wording.format(name) for name in names])) == names


@pytest.mark.parametrize(
    "wording", ["Ai vizionat {}", "{} megtekintve", "Prohlédli jste si „{}“", "觀賞{}完畢", "{}"]
)
def test_unknown_wordings_are_learnt(wording: str) -> None:
    names = [
        "Aurora",
        "Boats",
        "Cakes",
        "Dance",
        "Engine",
        "Fire",
        "Garden",
        "House",
        "Iron",
        "Jungle",
        "Kites",
    ]
    assert titles_of(history_of([wording.format(name) for name in names])) == names


def test_a_file_about_one_thing_keeps_the_things_name() -> None:
    """Most titles begin alike, but the known wording explains them all."""
    names = [f"Peppa Wutz Folge {number}" for number in range(20)]
    assert titles_of(history_of([f"Watched {name}" for name in names])) == names


def test_too_few_titles_of_an_unknown_language_stay_as_they_are() -> None:
    assert titles_of(history_of(["Katsoit videon A", "Katsoit videon B"])) == [
        "Katsoit videon A",
        "Katsoit videon B",
    ]


def test_other_products() -> None:
    events, issues = read_path(SOURCE, ROOT / "Takeout")
    assert [(event.kind, event.start, event.offset, event.data) for event in events] == [
        (
            "web_activity",
            datetime(2024, 6, 1, 10, 0, 0, 120_000),
            120,
            {
                "product": "Maps",
                "title": "Directions to Bellevue Park",
                "url": "https://www.google.com/maps/dir/Home/Bellevue+Park",
                "description": "Home to Bellevue Park",
                "details": ["Bicycle"],
            },
        ),
        (
            "web_activity",
            datetime(2024, 6, 1, 9, 59),
            120,
            {"product": "Maps", "title": "Used Maps"},
        ),
        (
            "web_search",
            datetime(2024, 3, 31, 3, 0),
            120,
            {
                "query": "train to Basel",
                "product": "Search",
                "url": "https://www.google.com/search?q=train+to+Basel",
            },
        ),
        (
            "web_activity",
            datetime(2024, 3, 31, 1, 59, 59),
            60,
            {
                "product": "Search",
                "title": "Visited Timetable Basel",
                "url": "https://rail.example/basel?day=1",
            },
        ),
        (
            "web_search",
            datetime(2024, 3, 30, 11, 0),
            60,
            {
                "query": "red door",
                "product": "Image Search",
                "url": "https://www.google.de/search?q=red+door&tbm=isch",
            },
        ),
    ]
    assert {event.source for event in events} == {"google_activity"}
    assert [(issue.reason, issue.origin.position) for issue in issues] == [
        ("neither title nor address", 3)
    ]


def test_searches_on_youtube() -> None:
    (event,), _ = read_path(YOUTUBE, HISTORY.with_name("search-history.json"))
    assert (event.kind, event.data["query"]) == ("web_search", "bicycle chain c++ & more")


def test_ids_do_not_depend_on_the_users_zone_or_the_exports_language() -> None:
    here, _ = read_path(SOURCE, SEARCH)
    there, _ = read_path(SOURCE, SEARCH, context("Asia/Tokyo"))
    assert [event.id for event in here] == [event.id for event in there]
    german = SEARCH.read_text().replace('"Search"', '"Suche"').replace("Searched for", "Gesucht:")
    items = read_all(SOURCE, german.encode())
    assert [item.id for item in items if isinstance(item, Event)] == [event.id for event in here]


def test_html_is_one_issue_a_file_that_says_what_to_do() -> None:
    for source, part in ((YOUTUBE, "watch-history.html"), (SOURCE, "MeineAktivitäten.html")):
        events, (issue,) = read_path(source, ROOT / "html")
        assert not events
        assert issue.reason == "exported as HTML, which is not read"
        assert "choose JSON" in issue.detail
        assert issue.origin.file.endswith(part)


def test_html_whose_entries_lie_beyond_the_sample_is_known_by_its_name() -> None:
    head = b"<html><head><title>Verlauf</title><style>.mdl-grid{}" + b" " * 1000
    for name, known in (("YouTube/watch-history.html", True), ("about.html", False)):
        assert YOUTUBE.sniff(Sample(name, 10**6, head)) is known


def test_each_file_has_one_source() -> None:
    videos = claimed(YOUTUBE, "google_activity")
    others = claimed(SOURCE, "google_activity")
    assert not set(videos) & set(others)
    assert len(videos) + len(others) == len(files(ROOT))
    assert [Path(name).name for name in others] == [
        "MyActivity.json",
        "MyActivity.json",
        "MeineAktivitäten.html",
    ]


def test_other_sources_files_are_refused() -> None:
    assert claimed_of_others(YOUTUBE, "google_activity") == []
    assert claimed_of_others(SOURCE, "google_activity") == []


def test_the_raw_record_is_found_again() -> None:
    (file,) = files(HISTORY)
    found = json.loads(YOUTUBE.raw(file, 8))
    assert found == json.loads(HISTORY.read_text())[8]
    assert YOUTUBE.raw(file, 99) == ""


def test_addresses_made_to_take_long_do_no_harm() -> None:
    entry = {
        "header": "Search",
        "title": "Searched for x",
        "titleUrl": "https://www.google.com/search?" + "a=1&" * 100_000,
        "time": "2024-01-01T10:00:00.000Z",
        "products": ["Search"],
    }
    (event,) = read_all(SOURCE, json.dumps([entry]).encode())
    assert isinstance(event, Event)
    assert event.kind == "web_activity"


def test_a_file_is_opened_anew_for_every_reading() -> None:
    file = in_memory(HISTORY.read_bytes(), "w.json")
    first, second = list(YOUTUBE.read(file, context())), list(YOUTUBE.read(file, context()))
    assert first == second
