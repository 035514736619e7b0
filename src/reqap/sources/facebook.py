"""Facebook: posts, check-ins and comments.

How to get it: Facebook → Settings → Accounts Centre → "Your information and permissions" →
"Download your information" → "All time", format **JSON** (HTML cannot be read). Import the zip as
it is. What others wrote on the user's page is not taken over, nor are places and IP addresses
stored inside photos.
"""

import re
from functools import partial

from reqap.events import Event, Value
from reqap.sources.base import Context, ExportFile, Items, Sample, Source
from reqap.sources.jsonio import Json, Record, raw_record
from reqap.sources.meta import Siblings, instant, is_page_of, mend_record, page_issue
from reqap.sources.records import (
    Skip,
    count,
    event_at,
    filled,
    read_each,
    record,
    records,
    sample_of,
    seconds,
    text,
    texts,
)

NAME = "facebook"
TITLE = "Facebook"

# Posts are a bare array. Other files are an object with one list, by its key: what it holds.
_LISTS = {
    "status_updates": "post",
    "comments": "comment",
    "comments_v2": "comment",
    "group_posts_v2": "group post",
    "group_comments_v2": "group comment",
}
_POST_MARKS = {"post", "attachments", "update_timestamp"}
_FIRST_KEY = re.compile(r'\s*\{\s*"([^"\\]{1,60})"\s*:\s*\[')


def sniff(sample: Sample) -> bool:
    keys = sample.json_keys
    shape = {"timestamp", "data"} <= keys and "reaction" not in keys
    if sample.is_json_array:
        return shape and bool(keys & _POST_MARKS)
    return (shape and _list_key(sample) is not None) or is_page_of(sample, NAME)


def _list_key(sample: Sample) -> str | None:
    first = _FIRST_KEY.match(sample.text)
    return first[1] if first and first[1] in _LISTS else None


def read(file: ExportFile, context: Context) -> Items:
    sample = sample_of(file)
    if is_page_of(sample, NAME):
        yield page_issue(file, TITLE)
        return
    key = _list_key(sample)
    tell = partial(_post, file, context, Siblings(), _LISTS[key] if key else "post")
    yield from read_each(file, tell, key)


def _post(
    file: ExportFile,
    context: Context,
    siblings: Siblings,
    what: str,
    position: int,
    found: Record,
) -> Event:
    post = mend_record(found)
    when = instant(post.get("timestamp"))
    said = records(post.get("data"))
    attached = [
        piece for group in records(post.get("attachments")) for piece in records(group.get("data"))
    ]
    comments = [record(piece.get("comment")) for piece in said]
    media = [record(piece["media"]) for piece in attached if "media" in piece]
    places = [record(piece.get("place")) for piece in attached]
    data = filled(
        text=_first(said, "post") or _first(comments, "comment") or _caption(attached, media),
        **_surroundings(attached, places),
        people=_people(post.get("tags")),
        group=_first(comments, "group"),
        media_count=len(media) or None,
    )
    headline = text(post.get("title"))
    if not data:
        raise Skip("nothing in it but a headline", headline)
    data.update(filled(title=headline, platform=NAME, post_type=what))
    # A comment in a group stands in two files, as one of many and as one in a group.
    moment, sort = seconds(when), what.removeprefix("group ") if "comment" in what else what
    identity = (sort, moment, siblings.place(data, moment))
    origin = file.origin(position)
    return event_at(
        when, context.clock, NAME, "social_media", identity, data, origin, _last_change(said)
    )


def _first(pieces: list[Record], key: str) -> str:
    """The first text under `key`; the export puts each field in an object of its own."""
    return next((said for piece in pieces if (said := text(piece.get(key)))), "")


def _caption(attached: list[Record], media: list[Record]) -> str:
    """The words of a post that has none of its own: of its photo, life event or shared text."""
    events = [record(piece.get("life_event")) for piece in attached]
    return _first(media, "description") or _first(events, "title") or _first(attached, "text")


def _surroundings(attached: list[Record], places: list[Record]) -> dict[str, Value]:
    links = [record(piece.get("external_context")) for piece in attached]
    events = [record(piece.get("event")) for piece in attached]
    return filled(
        place=_first(places, "name"),
        place_address=_first(places, "address"),
        links=texts(list(links), "url"),
        link_titles=texts(list(links), "name"),
        shared_event=_first(events, "name"),
    )


def _people(tags: Json) -> list[str]:
    """Who is tagged: names, or objects with a name in newer exports."""
    named = tags if isinstance(tags, list) else []
    found = (text(tag.get("name")) if isinstance(tag, dict) else text(tag) for tag in named)
    return list(dict.fromkeys(name for name in found if name))


def _last_change(said: list[Record]) -> int:
    """Seconds since 1970 of the latest edit; 0 where none is told."""
    return max((count(piece.get("update_timestamp")) or 0 for piece in said), default=0)


def raw(file: ExportFile, position: int) -> str:
    return raw_record(file, position, _list_key(sample_of(file)))


SOURCE = Source(NAME, TITLE, 1, sniff, read, raw)
