"""X's (Twitter's) archive of posts."""

import json
from datetime import datetime
from pathlib import Path

import pytest

from reqap.errors import ExportProblem
from reqap.events import Event
from reqap.sources.x import SOURCE
from tests.sources.reading import (
    DATA,
    claimed,
    claimed_of_others,
    claims,
    context,
    files,
    read_all,
    read_path,
)

ROOT = DATA / "x"
TWEETS = ROOT / "twitter-2023-11-02-abc" / "data" / "tweets.js"
SHARED = {"platform": "x", "likes": 3, "reposts": 0, "app": "Twitter for iPhone"}


def test_tweets() -> None:
    events, issues = read_path(SOURCE, TWEETS)
    assert [(event.origin.position, event.start, event.offset, event.data) for event in events] == [
        (
            0,
            datetime(2024, 3, 31, 1, 59, 59),
            60,
            {
                "text": "Tea & toast <3 with @ben_oz #breakfast https://tea.example/?a=1&copy=2",
                "people": ["Ben Öz"],
                "hashtags": ["breakfast"],
                "links": ["https://tea.example/?a=1&copy=2"],
                "media_count": 2,
                **SHARED,
            },
        ),
        (
            1,
            datetime(2024, 3, 31, 3, 0),
            120,
            {
                "text": "@ben_oz no, thank you",
                "in_reply_to": "ben_oz",
                "people": ["ben_oz"],
                **SHARED,
            },
        ),
        (3, datetime(2024, 3, 29, 13, 10), 60, {"text": "A tweet, edited", **SHARED}),
        (4, datetime(2024, 3, 29, 13, 0), 60, {"text": "A tweet, editd", **SHARED}),
    ]
    assert {event.kind for event in events} == {"social_media"}
    assert [(issue.reason, issue.origin.position) for issue in issues] == [
        ("a retweet, not the user's own words", 2),
        ("broken record", 5),
        ("no time", 6),
        ("a tweet without text or media", 7),
    ]


def test_the_versions_of_an_edited_tweet_are_one_event() -> None:
    events, _ = read_path(SOURCE, TWEETS)
    edited, first = events[2:]
    assert edited.id == first.id
    assert edited.revision > first.revision


def test_further_parts_and_the_older_archive() -> None:
    (part,), _ = read_path(SOURCE, TWEETS.with_name("tweets-part1.js"))
    assert part.data == {"text": "From part one", "place": "Basel, Switzerland", **SHARED}
    assert part.start == datetime(2022, 1, 20, 9, 0)
    (old,), _ = read_path(SOURCE, ROOT / "twitter-2019")
    assert old.data == {"text": "An old archive [with brackets]", **SHARED}
    assert old.start == datetime(2018, 10, 10, 22, 19, 24)


def test_ids_are_those_of_the_tweets() -> None:
    here, _ = read_path(SOURCE, TWEETS)
    there, _ = read_path(SOURCE, TWEETS, context("Asia/Tokyo"))
    reworded = read_all(SOURCE, TWEETS.read_bytes().replace(b"Tea &amp;", b"Tee und"), "tweets.js")
    assert [event.id for event in here] == [event.id for event in there]
    assert [item.id for item in reworded if isinstance(item, Event)] == [e.id for e in here]


def test_a_tweet_without_an_id_goes_by_time_and_text() -> None:
    tweet = {"created_at": "Wed Oct 10 20:19:24 +0000 2018", "full_text": "no id"}
    one, same = read_all(SOURCE, json.dumps([tweet, {"tweet": tweet}]).encode())
    assert isinstance(one, Event)
    assert isinstance(same, Event)
    assert one.id == same.id


def test_plain_json_is_read_as_well() -> None:
    content = TWEETS.read_bytes().partition(b"= ")[2]
    assert claims(SOURCE, content, "tweets.json")
    events = [item for item in read_all(SOURCE, content) if isinstance(item, Event)]
    assert [event.id for event in events] == [event.id for event in read_path(SOURCE, TWEETS)[0]]


def test_a_byte_order_mark_before_the_assignment() -> None:
    content = b"\xef\xbb\xbf" + TWEETS.read_bytes()
    assert claims(SOURCE, content, "renamed.txt")
    assert len([item for item in read_all(SOURCE, content) if isinstance(item, Event)]) == 4


def test_an_assignment_without_an_array() -> None:
    with pytest.raises(ExportProblem, match="an array was expected"):
        read_all(SOURCE, b"window.YTD.tweets.part0 = " + b" " * 10_000)


def test_who_claims_what() -> None:
    """Deleted tweets and likes are none of it."""
    assert [Path(name).name for name in claimed(SOURCE, "x")] == [
        "tweet.js",
        "tweets-part1.js",
        "tweets.js",
    ]
    assert claimed_of_others(SOURCE, "x") == []


def test_the_raw_record_is_found_again() -> None:
    (file,) = files(TWEETS)
    assert json.loads(SOURCE.raw(file, 1))["tweet"]["id_str"] == "1700000000000000002"
