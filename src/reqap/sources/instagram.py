"""Instagram: posts, stories and reels, and what was posted on Threads.

How to get it: Instagram → Accounts Centre → "Your information and permissions" → "Download your
information" → "All time", format **JSON** (HTML cannot be read). Import the zip as it is. Where and
with which camera a photo was taken stands in the files too; it is not taken over.
"""

import re
from collections.abc import Iterator
from datetime import datetime
from functools import partial

from reqap.errors import ValueProblem
from reqap.events import Event, ImportIssue, Value
from reqap.sources.base import Context, ExportFile, Items, Sample, Source
from reqap.sources.jsonio import Record, load, raw_record, shown
from reqap.sources.meta import Siblings, instant, is_page_of, mend_record, page_issue
from reqap.sources.records import (
    Skip,
    event_at,
    filled,
    read_each,
    record,
    records,
    sample_of,
    seconds,
    text,
)
from reqap.values import parse_datetime

NAME = "instagram"
TITLE = "Instagram"

_ARCHIVED = "ig_archived_post_media"
# The list a file is made of, by its key: where it was posted, and as what.
_LISTS = {
    "ig_stories": ("instagram", "story"),
    "ig_reels_media": ("instagram", "reel"),
    "ig_igtv_media": ("instagram", "video"),
    _ARCHIVED: ("instagram", "post"),
    "text_post_app_text_posts": ("threads", "post"),
}
_POSTS = ("instagram", "post")
_POST_KEYS = {"media", "uri", "creation_timestamp"}
_FIRST_KEY = re.compile(r'\s*\{\s*"([^"\\]{1,60})"\s*:\s*\[')
_LIST_OF_MEDIA = re.compile(r'"media"\s*:\s*\[')
# Until 2020 one file, media.json, held a list for each of these (and others).
_OLD_LISTS = {"photos": "post", "videos": "post", "stories": "story"}
_OLD_KEYS = {"caption", "taken_at", "path"}


def sniff(sample: Sample) -> bool:
    return (
        _is_posts(sample)
        or _list_key(sample) is not None
        or _is_old(sample)
        or is_page_of(sample, NAME)
    )


def _is_posts(sample: Sample) -> bool:
    """A bare array of posts. Facebook's posts have media too, but under attachments."""
    keys = sample.json_keys
    return (
        sample.is_json_array
        and keys >= _POST_KEYS
        and "attachments" not in keys
        and _LIST_OF_MEDIA.search(sample.text) is not None
    )


def _list_key(sample: Sample) -> str | None:
    first = _FIRST_KEY.match(sample.text)
    return first[1] if first and first[1] in _LISTS else None


def _is_old(sample: Sample) -> bool:
    return not sample.is_json_array and sample.json_keys >= _OLD_KEYS


def read(file: ExportFile, context: Context) -> Items:
    sample = sample_of(file)
    if is_page_of(sample, NAME):
        yield page_issue(file, TITLE)
    elif _is_old(sample):
        yield from _read_old(file, context)
    else:
        key = _list_key(sample)
        yield from read_each(file, partial(_post, file, context, Siblings(), key), key)


def _post(
    file: ExportFile,
    context: Context,
    siblings: Siblings,
    key: str | None,
    position: int,
    found: Record,
) -> Event:
    platform, what = _LISTS[key] if key else _POSTS
    post = mend_record(found)
    # A story is its own medium; everything else holds a list of them.
    media = records(post.get("media")) if "media" in post else [post]
    if not media:
        raise Skip("a post without media or text")
    # A single photo carries the caption and the time itself; several share those of the post.
    when = instant(post.get("creation_timestamp") or media[0].get("creation_timestamp"))
    data = filled(
        text=text(post.get("title")) or text(media[0].get("title")),
        platform=platform,
        post_type=what,
        media_count=sum(1 for medium in media if text(medium.get("uri"))) or None,
        archived=key == _ARCHIVED,
    )
    place = siblings.place(data, seconds(when))
    return _event(file, context, position, when, place, data)


def _event(
    file: ExportFile,
    context: Context,
    position: int,
    when: datetime,
    place: int,
    data: dict[str, Value],
) -> Event:
    identity = (data["platform"], data["post_type"], seconds(when), place)
    origin = file.origin(position)
    return event_at(when, context.clock, NAME, "social_media", identity, data, origin)


def _old_items(file: ExportFile) -> Iterator[tuple[int, str, Record]]:
    """Number, list and content of everything in media.json."""
    position = 0
    for key, items in record(load(file)).items():
        for item in records(items):
            yield position, key, item
            position += 1


def _read_old(file: ExportFile, context: Context) -> Items:
    """media.json. The photos of one post stand there one by one, with the same time."""
    posts: dict[tuple[str, str], list[tuple[int, Record]]] = {}
    for position, key, item in _old_items(file):
        if key in _OLD_LISTS:
            post = posts.setdefault((_OLD_LISTS[key], text(item.get("taken_at"))), [])
            post.append((position, mend_record(item)))
        else:
            yield ImportIssue("neither post nor story", file.origin(position), text(key)[:200])
    for (what, taken_at), items in posts.items():
        position, first = items[0]
        try:
            when = parse_datetime(taken_at)
            if when is None:
                yield ImportIssue("no time", file.origin(position))
                continue
            data = filled(
                text=text(first.get("caption")),
                platform=NAME,
                post_type=what,
                place=text(first.get("location")),
                media_count=len(items),
            )
            yield _event(file, context, position, when, 0, data)
        except ValueProblem as problem:
            yield ImportIssue("broken record", file.origin(position), str(problem)[:200])


def raw(file: ExportFile, position: int) -> str:
    sample = sample_of(file)
    if not _is_old(sample):
        return raw_record(file, position, _list_key(sample))
    items = (item for number, _, item in _old_items(file) if number == position)
    return shown(next(items, {}))


SOURCE = Source(NAME, TITLE, 1, sniff, read, raw)
