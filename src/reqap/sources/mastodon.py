"""Mastodon: the user's own posts and replies.

How to get it: on the web page of the server, Preferences → Import and export → Data export →
"Request your archive"; import the zip (or .tar.gz, unpacked) as it is. Boosts are passed over: they
are not the user's words.
"""

import re
from functools import partial

from reqap.errors import ValueProblem
from reqap.events import Event
from reqap.sources.base import Context, ExportFile, Items, Sample, Source
from reqap.sources.jsonio import Json, Record, raw_record
from reqap.sources.markup import html_to_text
from reqap.sources.records import (
    Skip,
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

NAME = "mastodon"

_ITEMS = "orderedItems"
_PUBLIC = ("https://www.w3.org/ns/activitystreams#Public", "as:Public", "Public")
_ANCHOR = re.compile(r"<a\b[^<>]*>", re.IGNORECASE)
_HREF = re.compile(r'\bhref="(https?://[^"]{1,2000})"')
_STATUS = re.compile(r"https?://([^/\s]{1,200})/(?:users/|@)([^/\s]{1,200})")


def sniff(sample: Sample) -> bool:
    """The outbox. Likes and bookmarks are ordered collections too, but of mere addresses."""
    keys = sample.json_keys
    return not sample.is_json_array and {"@context", _ITEMS, "actor", "object"} <= keys


def read(file: ExportFile, context: Context) -> Items:
    yield from read_each(file, partial(_post, file, context), _ITEMS)


def _post(file: ExportFile, context: Context, position: int, activity: Record) -> Event:
    what = text(activity.get("type"))
    if what == "Announce":
        raise Skip("a boost, not the user's own words", text(activity.get("object")))
    post = record(activity.get("object"))
    if what != "Create" or not post:
        raise Skip("not a post", what)
    when = parse_datetime(post.get("published") or activity.get("published"))
    if when is None:
        raise Skip("no time")
    html = text(post.get("content"))
    tags = records(post.get("tag"))
    media = records(post.get("attachment"))
    visibility = _visibility(post)
    data = filled(
        text=html_to_text(html),
        platform=NAME,
        visibility=visibility,
        content_warning=text(post.get("summary")),
        in_reply_to=_author(text(post.get("inReplyTo"))),
        people=_named(tags, "Mention"),
        hashtags=[name.removeprefix("#") for name in _named(tags, "Hashtag")],
        links=_links(html),
        poll_options=texts(post.get("oneOf"), "name") or texts(post.get("anyOf"), "name"),
        media_count=len(media) or None,
        media_descriptions=texts(list(media), "name"),
        language=_language(post.get("contentMap")),
    )
    if "text" not in data and not media:
        raise Skip("a post without text or media")
    own = text(post.get("id")) or text(activity.get("id"))
    identity = (own,) if own else (seconds(when), html)
    kind = "chat" if visibility == "direct" else "social_media"
    origin, revision = file.origin(position), _last_change(post)
    return event_at(when, context.clock, NAME, kind, identity, data, origin, revision)


def _visibility(post: Record) -> str:
    """Who can see a post follows from whom it is addressed to."""
    to, cc = _addresses(post.get("to")), _addresses(post.get("cc"))
    if any(one in _PUBLIC for one in to):
        return "public"
    if any(one in _PUBLIC for one in cc):
        return "unlisted"
    if any(one.endswith("/followers") for one in to + cc):
        return "followers"
    return "direct" if to or cc else ""


def _addresses(value: Json) -> list[str]:
    """Addressees: a list, or a single one."""
    return [text(one) for one in (value if isinstance(value, list) else [value])]


def _named(tags: list[Record], kind: str) -> list[str]:
    return texts([tag for tag in tags if tag.get("type") == kind], "name")


def _author(url: str) -> str:
    """Whose post an address is; the address itself where it does not tell."""
    found = _STATUS.match(url)
    return f"@{found[2]}@{found[1]}" if found else url


def _links(html: str) -> list[str]:
    """The pages a post links to, without the people and hashtags it names."""
    anchors = (found[0] for found in _ANCHOR.finditer(html))
    hrefs = (_HREF.search(anchor) for anchor in anchors if "mention" not in anchor)
    return list(dict.fromkeys(href[1].replace("&amp;", "&") for href in hrefs if href))


def _language(content: Json) -> str:
    """The language of a post that is written in one."""
    languages = list(record(content))
    return text(languages[0]) if len(languages) == 1 else ""


def _last_change(post: Record) -> int:
    """Seconds since 1970 of the last edit; 0 where none is told."""
    try:
        updated = parse_datetime(post.get("updated"))
    except ValueProblem:
        return 0
    return seconds(updated) if updated else 0


def raw(file: ExportFile, position: int) -> str:
    return raw_record(file, position, _ITEMS)


SOURCE = Source(NAME, "Mastodon", 1, sniff, read, raw)
