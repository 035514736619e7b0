"""X (Twitter): the user's own posts and replies.

How to get it: x.com → More → Settings and privacy → Your account → "Download an archive of your
data"; import the zip as it is. Of retweets only a note is kept that they were passed over: they are
not the user's words. Deleted tweets, messages and likes are not read.
"""

import io
import re
from dataclasses import replace
from datetime import datetime
from functools import partial
from html import unescape
from typing import BinaryIO

from reqap.events import Event
from reqap.sources.base import Context, ExportFile, Items, Sample, Source
from reqap.sources.jsonio import Json, Record, raw_record
from reqap.sources.markup import html_to_text
from reqap.sources.records import (
    Skip,
    count,
    event_at,
    filled,
    read_each,
    record,
    records,
    seconds,
    text,
    texts,
)
from reqap.values import parse_datetime

NAME = "x"

# The files are JavaScript: an assignment, and behind it the array.
_ASSIGNED = re.compile(r"\s*window\.YTD\.(?:tweets?|community_tweet)\.part\d{1,6}\s*=\s*\[")
_KEYS = {"full_text", "created_at", "id_str"}
_LONGEST_PREFIX = 4096
_MOST_LINKS = 100


def sniff(sample: Sample) -> bool:
    assigned = _ASSIGNED.match(sample.text) is not None
    return assigned or (sample.is_json_array and sample.json_keys >= _KEYS)


class _FromBracket(io.RawIOBase):
    """A stream from its first "[" on; one without any is left as it is."""

    def __init__(self, stream: BinaryIO) -> None:
        head = stream.read(_LONGEST_PREFIX)
        self._head = head[max(0, head.find(b"[")) :]
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        piece = self._head[: len(buffer)] or self._stream.read(len(buffer))
        self._head = self._head[len(buffer) :]
        buffer[: len(piece)] = piece
        return len(piece)

    def close(self) -> None:
        self._stream.close()
        super().close()


def _as_json(file: ExportFile) -> ExportFile:
    """The same file without the assignment before the array."""
    return replace(file, opener=lambda: io.BufferedReader(_FromBracket(file.open())))


def read(file: ExportFile, context: Context) -> Items:
    yield from read_each(_as_json(file), partial(_post, file, context))


def _post(file: ExportFile, context: Context, position: int, found: Record) -> Event:
    tweet = record(found.get("tweet")) or found
    when = parse_datetime(tweet.get("created_at"))
    if when is None:
        raise Skip("no time")
    written = text(tweet.get("full_text")) or text(tweet.get("text"))
    if written.startswith("RT @"):
        raise Skip("a retweet, not the user's own words", written[:80])
    entities = record(tweet.get("entities"))
    links = records(entities.get("urls"))[:_MOST_LINKS]
    media = _media(tweet, entities)
    data = filled(
        text=_plain(written, links, media),
        platform=NAME,
        in_reply_to=text(tweet.get("in_reply_to_screen_name")),
        people=_people(entities.get("user_mentions")),
        hashtags=texts(entities.get("hashtags"), "text"),
        links=texts(list(links), "expanded_url"),
        media_count=len(media) or None,
        place=text(record(tweet.get("place")).get("full_name")),
        likes=count(tweet.get("favorite_count")),
        reposts=count(tweet.get("retweet_count")),
        app=html_to_text(text(tweet.get("source"))),
    )
    if "text" not in data and not media:
        raise Skip("a tweet without text or media")
    identity = _identity(tweet, when, written)
    origin, revision = file.origin(position), seconds(when)
    return event_at(when, context.clock, NAME, "social_media", identity, data, origin, revision)


def _media(tweet: Record, entities: Record) -> list[Record]:
    """All photos and films; `entities` names only the first."""
    extended = records(record(tweet.get("extended_entities")).get("media"))
    return extended or records(entities.get("media"))


def _plain(written: str, links: list[Record], media: list[Record]) -> str:
    """The text as it was typed: full addresses, no address for the photos, no HTML entities."""
    plain = unescape(written)
    for link in links:
        short, full = text(link.get("url")), text(link.get("expanded_url"))
        if short and full:
            plain = plain.replace(short, full)
    for short in texts(list(media[:_MOST_LINKS]), "url"):
        plain = plain.replace(short, "")
    return plain.strip()


def _people(mentions: Json) -> list[str]:
    named = records(mentions)
    found = (text(one.get("name")) or text(one.get("screen_name")) for one in named)
    return list(dict.fromkeys(name for name in found if name))


def _identity(tweet: Record, when: datetime, written: str) -> tuple[object, ...]:
    """The tweet's id; all versions of an edited tweet go by that of the first."""
    info = record(tweet.get("edit_info"))
    versions = record(info.get("initial")).get("editTweetIds")
    first = text(versions[0]) if isinstance(versions, list) and versions else ""
    first = first or text(record(info.get("edit")).get("initialTweetId"))
    own = first or text(tweet.get("id_str")) or text(tweet.get("id"))
    return (own,) if own else (seconds(when), written)


def raw(file: ExportFile, position: int) -> str:
    return raw_record(_as_json(file), position)


SOURCE = Source(NAME, "X (Twitter)", 1, sniff, read, raw)
