"""Mastodon's outbox."""

import json
from datetime import datetime

import pytest

from reqap.events import Event
from reqap.sources.mastodon import SOURCE
from tests.sources.reading import (
    DATA,
    claimed,
    claimed_of_others,
    context,
    files,
    read_all,
    read_path,
)

OUTBOX = DATA / "mastodon" / "archive-20241102" / "outbox.json"


def test_posts() -> None:
    events, issues = read_path(SOURCE, OUTBOX)
    shared = {"platform": "mastodon", "language": "en"}
    assert [(event.kind, event.start, event.offset, event.data) for event in events] == [
        (
            "social_media",
            datetime(2024, 3, 31, 3, 0),
            120,
            {
                "text": "Hello @ben & all\nSee https://kites.example/a?b=1&c=2 #kites",
                "visibility": "public",
                "people": ["@ben@other.example"],
                "hashtags": ["kites"],
                "links": ["https://kites.example/a?b=1&c=2"],
                "media_count": 1,
                "media_descriptions": ["A red kite"],
                **shared,
            },
        ),
        (
            "social_media",
            datetime(2024, 10, 27, 2, 30),
            120,
            {
                "text": "Spoilers inside",
                "visibility": "followers",
                "content_warning": "the last episode",
                "in_reply_to": "@ben@other.example",
                **shared,
            },
        ),
        (
            "social_media",
            datetime(2024, 10, 27, 2, 30),
            60,
            {"text": "Quiet one", "visibility": "unlisted", **shared},
        ),
        (
            "chat",
            datetime(2024, 10, 28, 13, 0),
            60,
            {
                "text": "@ben just for you",
                "visibility": "direct",
                "people": ["@ben@other.example"],
                **shared,
            },
        ),
        (
            "social_media",
            datetime(2024, 10, 29, 13, 0),
            60,
            {
                "text": "Tea or coffee?",
                "visibility": "public",
                "poll_options": ["Tea", "Coffee"],
                **shared,
            },
        ),
    ]
    assert events[0].revision == 1711850400
    assert [(issue.reason, issue.origin.position) for issue in issues] == [
        ("a boost, not the user's own words", 1),
        ("not a post", 6),
        ("broken record", 7),
        ("a post without text or media", 8),
    ]


def test_ids_are_those_of_the_posts() -> None:
    here, _ = read_path(SOURCE, OUTBOX)
    there, _ = read_path(SOURCE, OUTBOX, context("Asia/Tokyo"))
    edited = read_all(SOURCE, OUTBOX.read_bytes().replace(b"Hello", b"Good day"))
    assert [event.id for event in here] == [event.id for event in there]
    assert [item.id for item in edited if isinstance(item, Event)] == [e.id for e in here]


def outbox(**values: object) -> bytes:
    post = {"type": "Note", "published": "2024-01-01T00:00:00Z", "content": "<p>x</p>"} | values
    activity = {"type": "Create", "actor": "a", "object": post}
    return json.dumps({"@context": "c", "orderedItems": [activity]}).encode()


@pytest.mark.parametrize(
    ("parent", "author"),
    [
        ("https://other.example/@ben/5", "@ben@other.example"),
        ("https://other.example/users/ben/statuses/5", "@ben@other.example"),
        ("https://forum.example/t/17", "https://forum.example/t/17"),
    ],
)
def test_whose_post_a_reply_answers(parent: str, author: str) -> None:
    (event,) = read_all(SOURCE, outbox(inReplyTo=parent))
    assert isinstance(event, Event)
    assert event.data["in_reply_to"] == author


def test_an_unreadable_time_of_the_last_edit_does_not_cost_the_post() -> None:
    (event,) = read_all(SOURCE, outbox(updated="recently"))
    assert isinstance(event, Event)
    assert event.revision == 0


def test_long_runs_of_broken_html_do_not_take_long() -> None:
    (event,) = read_all(SOURCE, outbox(content='<a href="https://x' * 20_000 + "words"))
    assert isinstance(event, Event)


def test_who_claims_what() -> None:
    assert claimed(SOURCE, "mastodon") == ["archive-20241102/outbox.json"]
    assert claimed_of_others(SOURCE, "mastodon") == []


def test_the_raw_record_is_found_again() -> None:
    (file,) = files(OUTBOX)
    assert json.loads(SOURCE.raw(file, 3))["object"]["content"] == "<p>Quiet one</p>"
