"""Facebook's posts, check-ins and comments."""

import json
from datetime import datetime
from pathlib import Path

from reqap.events import Event
from reqap.sources.facebook import SOURCE
from tests.sources.reading import (
    DATA,
    claimed,
    claimed_of_others,
    context,
    files,
    read_all,
    read_path,
)

ROOT = DATA / "facebook"
NEW = ROOT / "facebook-anna-2024-11-02" / "your_facebook_activity"
POSTS = NEW / "posts" / "your_posts__check_ins__photos_and_videos_1.json"
COMMENTS = NEW / "comments_and_reactions" / "comments.json"
SHARED = {"platform": "facebook", "post_type": "post"}


def test_posts() -> None:
    events, issues = read_path(SOURCE, POSTS)
    assert [(event.start, event.offset, event.data) for event in events] == [
        (
            datetime(2024, 6, 2, 16, 0),
            120,
            {
                "text": "Schöner Tag am Rhein 🚣",
                "people": ["Ben Öz", "Mara Lindt"],
                "title": "Anna Kühn updated her status.",
                **SHARED,
            },
        ),
        (
            datetime(2024, 3, 31, 3, 0),
            120,
            {
                "place": "Café Spitz",
                "place_address": "Rheingasse 2, Basel",
                "title": "Anna Kühn was at Café Spitz.",
                **SHARED,
            },
        ),
        (
            datetime(2023, 11, 14, 23, 13, 20),
            60,
            {
                "text": "I want one",
                "links": ["https://kites.example/best"],
                "link_titles": ["The best kites"],
                "title": "Anna Kühn shared a link.",
                **SHARED,
            },
        ),
        (
            datetime(2023, 7, 22, 6, 26, 40),
            120,
            {
                "text": "Our balcony",
                "media_count": 2,
                "title": "Anna Kühn added 2 new photos.",
                **SHARED,
            },
        ),
        (
            datetime(2023, 3, 28, 12, 40),
            120,
            {
                "text": "Started a new job at Zephyr",
                "title": "Anna Kühn added a life event.",
                **SHARED,
            },
        ),
        (
            datetime(2023, 3, 28, 12, 40),
            120,
            {
                "shared_event": "Summer party",
                "title": "Anna Kühn shared an event.",
                **SHARED,
            },
        ),
    ]
    assert {event.kind for event in events} == {"social_media"}
    assert len({event.id for event in events}) == 6
    assert [event.revision for event in events] == [1717340400, 0, 0, 0, 0, 0]
    assert [(issue.reason, issue.origin.position) for issue in issues] == [
        ("nothing in it but a headline", 6),
        ("the same post told twice", 7),
        ("no time", 8),
        ("broken record", 9),
    ]
    assert issues[0].detail == "Anna Kühn updated her status."


def test_comments() -> None:
    events, issues = read_path(SOURCE, COMMENTS)
    assert not issues
    assert [event.data for event in events] == [
        {
            "text": "Viel Glück!",
            "group": "Basel cyclists",
            "title": "Anna Kühn commented on Ben Öz's post.",
            "platform": "facebook",
            "post_type": "comment",
        },
        {
            "media_count": 1,
            "title": "Anna Kühn replied to Ben Öz's comment.",
            "platform": "facebook",
            "post_type": "comment",
        },
    ]


def test_a_comment_in_a_group_told_by_two_files_is_one_event() -> None:
    comments, _ = read_path(SOURCE, COMMENTS)
    again = read_all(SOURCE, COMMENTS.read_bytes().replace(b"comments_v2", b"group_comments_v2"))
    assert isinstance(again[0], Event)
    assert again[0].data["post_type"] == "group comment"
    assert [item.id for item in again if isinstance(item, Event)] == [e.id for e in comments]


def test_the_layout_of_2019() -> None:
    (event,), _ = read_path(SOURCE, ROOT / "facebook-2019")
    assert event.start == datetime(2018, 10, 20, 3, 46, 40)
    assert event.data == {
        "text": "Hello from the old export",
        "people": ["Ben Öz"],
        "title": "Anna Kühn updated her status.",
        **SHARED,
    }


def test_an_edited_post_is_the_same_post_with_a_later_revision() -> None:
    before, _ = read_path(SOURCE, POSTS)
    text = POSTS.read_text().replace("am Rhein", "am See").replace("1717340400", "1717350000")
    after = read_all(SOURCE, text.encode())
    assert isinstance(after[0], Event)
    assert after[0].id == before[0].id
    assert after[0].revision > before[0].revision


def test_ids_do_not_depend_on_the_users_zone() -> None:
    here, _ = read_path(SOURCE, POSTS)
    there, _ = read_path(SOURCE, POSTS, context("America/New_York"))
    assert [event.id for event in here] == [event.id for event in there]
    assert there[0].start == datetime(2024, 6, 2, 10, 0)


def test_ip_addresses_and_coordinates_are_not_taken_over() -> None:
    events, _ = read_path(SOURCE, POSTS)
    assert "192.0.2.7" not in repr(events)
    assert "47.56" not in repr(events)


def test_html_is_one_issue_that_says_what_to_do() -> None:
    events, (issue,) = read_path(SOURCE, ROOT / "facebook-html")
    assert not events
    assert issue.reason == "exported as HTML, which is not read"
    assert issue.detail == "ask Facebook for the export again and choose JSON as its format"


def test_who_claims_what() -> None:
    """Likes have the same outer shape and are not posts."""
    assert [Path(name).name for name in claimed(SOURCE, "facebook")] == [
        "your_posts_1.json",
        "comments.json",
        "your_posts__check_ins__photos_and_videos_1.json",
        "your_posts__check_ins__photos_and_videos_1.html",
    ]
    assert claimed_of_others(SOURCE, "facebook") == []


def test_the_raw_record_is_found_again() -> None:
    (file,) = files(COMMENTS)
    found = json.loads(SOURCE.raw(file, 1))
    assert found["timestamp"] == 1650000100
    (file,) = files(POSTS)
    assert json.loads(SOURCE.raw(file, 4))["timestamp"] == 1680000000
