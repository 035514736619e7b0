"""What the exports of Facebook and Instagram have in common: broken text, HTML pages, no ids.

Meta writes the bytes of UTF-8 as if each were a character of Latin-1 ("Ã¼" for "ü"). Not the job of
this module: the shapes of posts, which differ.
"""

import re
from datetime import datetime

from reqap.events import ImportIssue, Value, event_id
from reqap.sources.base import HTML_FORM, ExportFile, Sample
from reqap.sources.jsonio import Json, Record
from reqap.sources.records import Skip
from reqap.values import parse_epoch

_DEEPEST = 40
_MANGLED = re.compile("[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
_PAGE = re.compile(r"\s*(?:<!doctype html|<html)", re.IGNORECASE)
# Class names that every page of these exports uses, in its style sheet or its body.
_PAGE_MARKS = ("uiBoxWhite", "_a6-g", "_a706", "_2ph-")


def mend_text(text: str) -> str:
    """`text` with its characters put together again.

    A text that holds any character beyond Latin-1 was never taken apart and stays as it is; so do
    single characters that do not form one of UTF-8.
    """
    if text.isascii() or max(text) > "\xff":
        return text
    return _MANGLED.sub(_whole, text)


def _whole(parts: re.Match[str]) -> str:
    try:
        return parts[0].encode("latin-1").decode("utf-8")
    except UnicodeDecodeError:
        return parts[0]


def mend(value: Json, depth: int = 0) -> Json:
    """`value` with all its texts and keys mended; what is nested beyond reason is left out."""
    if isinstance(value, str):
        return mend_text(value)
    if isinstance(value, dict):
        if depth > _DEEPEST:
            return None
        return {mend_text(key): mend(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [mend(item, depth + 1) for item in value] if depth <= _DEEPEST else None
    return value


def mend_record(record: Record) -> Record:
    mended = mend(record)
    return mended if isinstance(mended, dict) else {}


def instant(value: Json) -> datetime:
    """The instant Meta writes as seconds since 1970; Skip where there is none."""
    moment = parse_epoch(value, "s")
    if moment is None or not value:
        raise Skip("no time")
    return moment


def is_page_of(sample: Sample, service: str) -> bool:
    """Whether this is a page of the HTML export of `service` ("facebook" or "instagram").

    Pages of both look alike; which name they mention more often decides, and if neither is
    mentioned the name of the archive or folder.
    """
    if not _PAGE.match(sample.text) or not any(mark in sample.text for mark in _PAGE_MARKS):
        return False
    for place in (sample.text.lower(), sample.name.lower()):
        facebook, instagram = place.count("facebook"), place.count("instagram")
        if facebook != instagram:
            return service == ("facebook" if facebook > instagram else "instagram")
    return False


def page_issue(file: ExportFile, title: str) -> ImportIssue:
    """What to tell about a page of the HTML export."""
    detail = f"ask {title} for the export again and choose JSON as its format"
    return ImportIssue(HTML_FORM, file.origin(), detail, grave=True)


class Siblings:
    """Tells apart the posts of one second: these exports have no ids, and captions get edited.

    The identity of a post is its second and its place among the different posts of that second.
    """

    def __init__(self) -> None:
        self._seen: dict[tuple[object, ...], list[str]] = {}

    def place(self, data: dict[str, Value], *identity: object) -> int:
        """How many other posts of `identity` came before; Skip for one that was told already."""
        digest = event_id(*(f"{key}={value}" for key, value in sorted(data.items())))
        before = self._seen.setdefault(identity, [])
        if digest in before:
            raise Skip("the same post told twice")
        before.append(digest)
        return len(before) - 1
