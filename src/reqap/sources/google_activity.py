"""YouTube and other Google activity: videos watched, searches, and what "My Activity" keeps.

How to get it: takeout.google.com → "Deselect all" → tick "YouTube and YouTube Music" (history) and
"My Activity" → for both, under "Multiple formats", set history or activity records to **JSON**
(HTML is the default and cannot be read). Import the zip as it is. Ads that played are left out.

Two sources share this file: `youtube`, and `google_activity` for all other products. The same entry
may stand in several files (watch history and My Activity); it counts once.
"""

import re
from collections import Counter
from datetime import UTC
from functools import partial
from itertools import islice
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

from reqap.events import Event, ImportIssue, Value
from reqap.sources.base import HTML_FORM, Context, ExportFile, Items, Sample, Source
from reqap.sources.jsonio import Record, raw_record, read_records
from reqap.sources.records import Skip, event_at, filled, read_each, sample_of, text, texts
from reqap.values import parse_datetime

NAME = "youtube"
OTHER = "google_activity"

_KEYS = {"header", "title", "time"}
_MARKS = {"products", "titleUrl", "activityControls", "subtitles"}
_HEADER = re.compile(r'"header"\s*:\s*"([^"\\]{1,80})"')
_PAGE = re.compile(r"\s*(?:<!doctype html|<html)", re.IGNORECASE)
_PAGE_MARKS = ("outer-cell", "content-cell", "<title>My Activity")
_PAGE_NAMES = ("watch-history.html", "search-history.html", "myactivity.html")
_MOST_PARAMETERS = 100

# How languages say that a video was watched: what stands before its title, and what behind.
_WATCHED = (
    ("Watched ", ""),
    ("Listened to ", ""),
    ("", " angesehen"),
    ("Angesehen: ", ""),
    ("Vous avez regardé ", ""),
    ("Has visto ", ""),
    ("Viste ", ""),
    ("Hai guardato ", ""),
    ("Você assistiu a ", ""),
    ("Assistiu a ", ""),
    ("Viu ", ""),
    ("", " bekeken"),
    ("Gekeken naar ", ""),
    ("Obejrzano: ", ""),
    ("Obejrzano ", ""),
    ("Вы посмотрели ", ""),
    ("Просмотрено: ", ""),
    ("Tittade på ", ""),
    ("Du har tittat på ", ""),
    ("Du så ", ""),
    ("Zhlédli jste ", ""),
    ("", " videosunu izlediniz"),
    ("", " izlendi"),
    ("", " を視聴しました"),
    ("", "を視聴しました"),
    ("", "을(를) 시청했습니다"),
    ("", " 시청함"),
    ("观看了 ", ""),
    ("观看了", ""),
    ("已觀看「", "」"),
    ("已觀看 ", ""),
)
_VIDEO_WORDS = (
    "video",
    "vidéo",
    "vídeo",
    "wideo",
    "видео",
    "відео",
    "動画",
    "视频",
    "影片",
    "동영상",
)
_TITLES_LOOKED_AT = 5000
_TITLES_NEEDED = 8
_LONGEST_WORDING = 40


class _Wording(NamedTuple):
    """What a file writes around the title of a video that was watched."""

    before: str
    behind: str

    def fits(self, title: str) -> bool:
        return (
            len(title) > len(self.before) + len(self.behind)
            and title.startswith(self.before)
            and title.endswith(self.behind)
        )

    def strip(self, title: str) -> str:
        return title[len(self.before) : len(title) - len(self.behind)].strip()


_NONE = _Wording("", "")
_KNOWN = tuple(_Wording(*pair) for pair in _WATCHED)


class _Link(NamedTuple):
    """The parts of an address that tell what it leads to."""

    host: str
    path: str
    query: str

    def value(self, key: str) -> str:
        try:
            return text(parse_qs(self.query, max_num_fields=_MOST_PARAMETERS).get(key, [""])[0])
        except ValueError:  # made to take long
            return ""


def _link(url: str) -> _Link:
    try:
        parts = urlsplit(url)
        return _Link((parts.hostname or "").removeprefix("www."), parts.path, parts.query)
    except ValueError:  # no address after all
        return _Link("", "", "")


def _is_video(link: _Link) -> bool:
    if link.host == "youtu.be":
        return True
    on_youtube = link.host in ("youtube.com", "m.youtube.com", "music.youtube.com")
    return on_youtube and (link.path == "/watch" or link.path.startswith(("/shorts/", "/live/")))


def _searched(link: _Link) -> str:
    """What was searched for, from the address of the results: the same in every language."""
    if link.host.endswith("youtube.com") and link.path == "/results":
        return link.value("search_query")
    if link.host.startswith("google.") and link.path == "/search":
        return link.value("q")
    return ""


def _is_activity(sample: Sample) -> bool:
    keys = sample.json_keys
    return sample.is_json_array and keys >= _KEYS and bool(keys & _MARKS)


def _is_page(sample: Sample) -> bool:
    """The HTML form. Its style sheet is long: the first entry may lie beyond the sample."""
    if not _PAGE.match(sample.text) or "mdl-" not in sample.text:
        return False
    named = sample.name.lower().endswith(_PAGE_NAMES)
    return named or any(mark in sample.text for mark in _PAGE_MARKS)


def _is_about_youtube(sample: Sample) -> bool:
    if _is_page(sample):
        return "youtube" in sample.text.lower() or "youtube" in sample.name.lower()
    headers = _HEADER.findall(sample.text)
    return 2 * sum(1 for header in headers if header.startswith("YouTube")) > len(headers)


def sniff_youtube(sample: Sample) -> bool:
    return (_is_activity(sample) or _is_page(sample)) and _is_about_youtube(sample)


def sniff_other(sample: Sample) -> bool:
    return (_is_activity(sample) or _is_page(sample)) and not _is_about_youtube(sample)


def _read(source: str, file: ExportFile, context: Context) -> Items:
    if _is_page(sample_of(file)):
        detail = "make the Takeout again and choose JSON for history and activity records"
        yield ImportIssue(HTML_FORM, file.origin(), detail, grave=True)
        return
    wording = _learn(_video_titles(file))
    yield from read_each(file, partial(_entry, source, file, context, wording))


def _video_titles(file: ExportFile) -> list[str]:
    """The titles of the first entries that lead to a video, each once."""
    found: dict[str, None] = {}
    for item in islice(read_records(file), 4 * _TITLES_LOOKED_AT):
        if isinstance(item, ImportIssue) or len(found) >= _TITLES_LOOKED_AT:
            continue
        title, url = text(item[1].get("title")), text(item[1].get("titleUrl"))
        if title and url not in title and _is_video(_link(url)):
            found[title] = None
    return list(found)


def _learn(titles: list[str]) -> _Wording:
    """The wording of a file: the known one that most titles have, else what nearly all share."""
    fits = Counter({known: sum(map(known.fits, titles)) for known in _KNOWN})
    known, number = fits.most_common(1)[0]
    if number and 2 * number >= len(titles):
        return known
    if len(titles) < _TITLES_NEEDED:
        return _NONE
    before = _shared(titles)
    behind = _shared([title[::-1] for title in titles])[::-1]
    return _Wording(before, behind)


def _shared(titles: list[str]) -> str:
    """The beginning that nine of ten titles share, up to the end of its last whole word."""
    need = 0.9 * len(titles)
    shared, left = "", titles
    while len(shared) < _LONGEST_WORDING:
        at = len(shared)
        following = Counter(title[at] for title in left if len(title) > at)
        if not following or (best := following.most_common(1)[0])[1] < need:
            break
        shared += best[0]
        left = [title for title in left if title[at : at + 1] == best[0]]
    # Scripts without spaces (from U+2E80 on) end a word anywhere.
    while shared and shared[-1].isalnum() and shared[-1] < "\u2e80":
        shared = shared[:-1]
    return shared


def _entry(
    source: str,
    file: ExportFile,
    context: Context,
    wording: _Wording,
    position: int,
    entry: Record,
) -> Event:
    title, url, product = (text(entry.get(key)) for key in ("title", "titleUrl", "header"))
    when = parse_datetime(entry.get("time"))
    if when is None:
        raise Skip("no time", title)
    if not title and not url:
        raise Skip("neither title nor address")
    if product.startswith("YouTube") and texts(entry.get("details"), "name"):
        raise Skip("an ad", title)
    kind, data = _told(entry, title, url, product, wording)
    written = context.clock.wall(when, UTC)[0].isoformat(timespec="milliseconds")
    identity: tuple[str, ...]
    if kind == "video_stream" and when.microsecond:
        # A video that is gone by the next export has lost title and address there. Nobody starts
        # two videos in one millisecond.
        identity = (written, "watched")
    else:
        # The address stays the same whatever language the export is made in; the rest does not.
        identity = (written, url) if url else (written, title, product)
    origin = file.origin(position)
    event = event_at(when, context.clock, OTHER, kind, identity, data, origin)
    return event._replace(source=source)


def _told(
    entry: Record, title: str, url: str, product: str, wording: _Wording
) -> tuple[str, dict[str, Value]]:
    """The kind of an entry, and its data."""
    link = _link(url)
    if query := _searched(link):
        return "web_search", filled(query=query, product=product, url=url)
    if product.startswith("YouTube"):
        platform = product if product == "YouTube Music" else "YouTube"
        channel = next(iter(texts(entry.get("subtitles"), "name")), "")
        if _is_video(link) and (video := _watched(title, url, wording)) is not None:
            data = filled(
                video_title=video,
                channel=channel,
                url=url,
                platform=platform,
                unavailable=not video,
            )
            return "video_stream", data
        if not url and "YouTube" not in title and _speaks_of_a_video(title):
            return "video_stream", filled(platform=platform, unavailable=True)
    return "web_activity", filled(
        product=product,
        title=title,
        url=_target(link) or url,
        description=text(entry.get("description")),
        details=texts(entry.get("subtitles"), "name"),
    )


def _watched(title: str, url: str, wording: _Wording) -> str | None:
    """The title of the video; empty if it is gone; None if this is about something else.

    A like or a share also leads to a video, but is worded otherwise. For a video that is gone,
    Google writes the address where its title was.
    """
    if not title or url in title:
        return ""
    for candidate in (wording, *_KNOWN):
        if candidate != _NONE and candidate.fits(title):
            return candidate.strip(title)
    return title if wording == _NONE else None


def _speaks_of_a_video(title: str) -> bool:
    """Whether a title without an address is a "video that has been removed", in any language."""
    lower = title.lower()
    return any(word in lower for word in _VIDEO_WORDS)


def _target(link: _Link) -> str:
    """Where an address that goes through Google ends up."""
    return link.value("q") if link.host.startswith("google.") and link.path == "/url" else ""


def raw(file: ExportFile, position: int) -> str:
    return raw_record(file, position)


YOUTUBE = Source(NAME, "YouTube", 1, sniff_youtube, partial(_read, NAME), raw)
SOURCE = Source(
    OTHER, "Google My Activity (Search, Maps, …)", 1, sniff_other, partial(_read, OTHER), raw
)
