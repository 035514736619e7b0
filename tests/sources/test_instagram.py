"""Instagram's posts, stories and reels, in the layouts of three generations."""

import json
from datetime import datetime
from pathlib import Path

from reqap.events import Event, ImportIssue
from reqap.sources.instagram import SOURCE
from tests.sources.reading import (
    DATA,
    claimed,
    claimed_of_others,
    context,
    files,
    read_all,
    read_path,
)

ROOT = DATA / "instagram"
NEW = ROOT / "instagram-anna_k-2024-11-02" / "your_instagram_activity"
POSTS = NEW / "media" / "posts_1.json"
STORIES = NEW / "media" / "stories.json"
OLDEST = ROOT / "instagram-2019" / "media.json"


def test_posts() -> None:
    events, issues = read_path(SOURCE, POSTS)
    assert [(event.kind, event.start, event.offset, event.data) for event in events] == [
        (
            "social_media",
            datetime(2024, 6, 2, 16, 0),
            120,
            {
                "text": "Grüße vom Rhein 🚣 with @ben",
                "platform": "instagram",
                "post_type": "post",
                "media_count": 1,
            },
        ),
        (
            "social_media",
            datetime(2024, 3, 31, 3, 0),
            120,
            {
                "text": "Zwei Bilder – \nund ein Café",
                "platform": "instagram",
                "post_type": "post",
                "media_count": 2,
            },
        ),
        (
            "social_media",
            datetime(2024, 3, 31, 3, 0),
            120,
            {
                "text": "same second",
                "platform": "instagram",
                "post_type": "post",
                "media_count": 1,
            },
        ),
    ]
    assert len({event.id for event in events}) == 3
    assert all(event.user_zone for event in events)
    assert [(issue.reason, issue.origin.position) for issue in issues] == [
        ("the same post told twice", 3),
        ("a post without media or text", 4),
        ("no time", 5),
        ("broken record", 6),
    ]


def test_a_second_before_the_clocks_change() -> None:
    content = POSTS.read_text().replace("1711846800", "1711846799")
    items = read_all(SOURCE, content.encode())
    starts = [item.start for item in items if isinstance(item, Event)]
    assert starts[1] == datetime(2024, 3, 31, 1, 59, 59)


def test_stories_reels_and_threads() -> None:
    stories, _ = read_path(SOURCE, STORIES)
    assert [event.data for event in stories] == [
        {"platform": "instagram", "post_type": "story", "media_count": 1},
        {"text": "Käsefondue", "platform": "instagram", "post_type": "story", "media_count": 1},
    ]
    assert stories[0].id != stories[1].id
    (reel,), _ = read_path(SOURCE, NEW / "media" / "reels.json")
    assert reel.start == datetime(2024, 7, 3, 11, 46, 40)
    assert reel.data == {
        "text": "My first reel",
        "platform": "instagram",
        "post_type": "reel",
        "media_count": 1,
    }
    (thread,), _ = read_path(SOURCE, NEW / "threads")
    assert thread.data == {"text": "Trying threads", "platform": "threads", "post_type": "post"}


def test_where_photos_were_taken_is_not_taken_over() -> None:
    events, _ = read_path(SOURCE, NEW)
    assert "latitude" not in repr(events)


def test_the_older_layout_tells_the_same_post() -> None:
    (older,), _ = read_path(SOURCE, ROOT / "instagram-old")
    newer, _ = read_path(SOURCE, POSTS, context("Asia/Tokyo"))
    assert older.id == newer[0].id


def test_an_archived_post_stays_the_post_it_was() -> None:
    (older,), _ = read_path(SOURCE, ROOT / "instagram-old")
    record = json.loads((ROOT / "instagram-old" / "content" / "posts_1.json").read_text())
    (event,) = read_all(SOURCE, json.dumps({"ig_archived_post_media": record}).encode())
    assert isinstance(event, Event)
    assert event.id == older.id
    assert event.data == {**older.data, "archived": True}


def test_a_changed_caption_is_still_the_same_post() -> None:
    before, _ = read_path(SOURCE, POSTS)
    after = read_all(SOURCE, POSTS.read_text().replace("vom Rhein", "von hier").encode())
    assert isinstance(after[0], Event)
    assert after[0].id == before[0].id
    assert after[0].data != before[0].data


def test_media_json_of_the_first_exports() -> None:
    events, issues = read_path(SOURCE, OLDEST)
    assert [(event.start, event.origin.position, event.data) for event in events] == [
        (
            datetime(2019, 6, 1, 10, 0),
            0,
            {"platform": "instagram", "post_type": "story", "media_count": 1},
        ),
        (
            datetime(2019, 5, 1, 12, 0),
            1,
            {
                "text": "Three of us",
                "platform": "instagram",
                "post_type": "post",
                "place": "Basel",
                "media_count": 2,
            },
        ),
    ]
    assert [(issue.reason, issue.origin.position) for issue in issues] == [
        ("neither post nor story", 4),
        ("broken record", 3),
    ]


def test_the_first_exports_and_later_ones_tell_the_same_post() -> None:
    moment = int(datetime.fromisoformat("2019-05-01T10:00:00+00:00").timestamp())
    media = [{"uri": f"{n}.jpg", "creation_timestamp": moment} for n in range(2)]
    post = {"media": media, "title": "Three of us", "creation_timestamp": moment}
    (later,) = read_all(SOURCE, json.dumps([post]).encode())
    assert isinstance(later, Event)
    assert later.id == read_path(SOURCE, OLDEST)[0][1].id


def test_html_is_one_issue_that_says_what_to_do() -> None:
    events, (issue,) = read_path(SOURCE, ROOT / "instagram-html")
    assert not events
    assert issue.reason == "exported as HTML, which is not read"
    assert issue.detail == "ask Instagram for the export again and choose JSON as its format"


def test_who_claims_what() -> None:
    assert [Path(name).name for name in claimed(SOURCE, "instagram")] == [
        "media.json",
        "posts_1.json",
        "reels.json",
        "stories.json",
        "threads_and_replies.json",
        "posts_1.html",
        "posts_1.json",
    ]
    assert claimed_of_others(SOURCE, "instagram") == []


def test_the_raw_record_is_found_again() -> None:
    for path, position, words in ((STORIES, 1, "2.jpg"), (POSTS, 2, "3.jpg"), (OLDEST, 2, "c.jpg")):
        (file,) = files(path)
        assert words in SOURCE.raw(file, position)


def test_text_that_was_never_mangled_stays() -> None:
    post = [{"media": [{"uri": "a.jpg", "creation_timestamp": 1717336800, "title": "Grüße 🚣"}]}]
    (event,) = read_all(SOURCE, json.dumps(post).encode())
    assert isinstance(event, Event)
    assert event.data["text"] == "Grüße 🚣"


def test_a_file_cut_off_gives_what_it_holds() -> None:
    items = read_all(SOURCE, POSTS.read_bytes()[:1100])
    assert isinstance(items[0], Event)
    assert isinstance(items[-1], ImportIssue)
    assert items[-1].reason.startswith("file ends")
