"""Spotify: songs, podcasts and audiobooks that were played.

How to get it: spotify.com → Account → Privacy → "Download your data". "Extended streaming history"
(ready after some weeks) covers all years; "Account data" (after some days) the last one. Both may
be imported, in any order: a play that both tell counts once. The IP addresses and device strings in
the files are not taken over.
"""

from datetime import datetime, timedelta
from typing import NamedTuple
from zlib import crc32

from reqap.events import Event, ImportIssue, Origin, Value, event_id
from reqap.sources.base import Context, ExportFile, Items, Sample, Source
from reqap.sources.jsonio import Json, Record, raw_record, read_records

NAME = "spotify"

_EXTENDED = {"ts", "ms_played", "master_metadata_track_name"}
_SONGS = {"endTime", "artistName", "trackName", "msPlayed"}
_PODCASTS = {"endTime", "podcastName", "episodeName", "msPlayed"}

# Further keys of the extended history that people may ask about: ours, theirs.
_DETAILS = (
    ("device", "platform"),
    ("country", "conn_country"),
    ("reason_end", "reason_end"),
    ("skipped", "skipped"),
    ("shuffle", "shuffle"),
    ("offline", "offline"),
    ("incognito", "incognito_mode"),
)
_SAME, _SAME_MS = timedelta(seconds=2), 2000
_LONGEST_MS = 7 * 24 * 3600 * 1000


class _Play(NamedTuple):
    end: datetime  # UTC, naive
    written: str  # the end as an ISO text, as precise as the export gives it
    ms: int
    kind: str
    title: str
    by: str  # the artist, show or book
    data: dict[str, Value]


def sniff(sample: Sample) -> bool:
    keys = sample.json_keys
    return sample.is_json_array and any(keys >= shape for shape in (_EXTENDED, _SONGS, _PODCASTS))


def read(file: ExportFile, context: Context) -> Items:
    origin = file.origin
    before: _Play | None = None
    for item in read_records(file):
        if isinstance(item, ImportIssue):
            yield item
            continue
        position, record = item
        extended = "ts" in record
        try:
            play = _extended(record) if extended else _account(record)
            if play is None:
                yield ImportIssue("nothing was played (0 ms, or no title)", origin(position))
            elif extended and before is not None and _is_same(play, before):
                yield ImportIssue("the same play told twice in a row", origin(position))
            else:
                yield _event(play, extended, file, position, context)
            before = play
        except (KeyError, ValueError, TypeError, OverflowError) as error:
            detail = f"{type(error).__name__}: {error}"[:200]
            yield ImportIssue("broken record", origin(position), detail)


def _is_same(play: _Play, other: _Play) -> bool:
    """Devices send a play twice now and then, with a slightly different length."""
    return (
        play.title == other.title
        and play.by == other.by
        and abs(play.ms - other.ms) <= _SAME_MS
        and abs(play.end - other.end) <= _SAME
    )


def _event(play: _Play, extended: bool, file: ExportFile, position: int, context: Context) -> Event:
    finish, written, ms, kind, title, by, data = play
    start, end, offset = context.clock.span(finish - timedelta(milliseconds=ms), finish)
    identity = event_id(f"{NAME}\x1f{written}\x1f{ms}\x1f{title}\x1f{by}")
    # Cheaper than a second hash, and as good: within one minute, few songs come to an end.
    twin = f"{written[2:16]} {crc32(f'{title}{by}'.encode('utf-8', 'surrogatepass')):x}"
    # By position, in the order of Event's fields: a history has a million of these.
    return Event(identity, NAME, kind, start, end, offset, data, Origin(file.name, position),
                 True, twin, not extended)  # fmt: skip


def _extended(record: Record) -> _Play | None:
    """A row of the extended history: `ts` is the end of the play, in UTC."""
    get = record.get
    ms = _played_ms(record["ms_played"])
    data: dict[str, Value]
    title: Json
    by: Json
    if title := record["master_metadata_track_name"]:
        kind, by = "music_stream", get("master_metadata_album_artist_name") or ""
        data = {"song_name": str(title)}
        if by:
            data["song_artist"] = [str(by)]
        if album := get("master_metadata_album_album_name"):
            data["album"] = str(album)
    elif title := get("episode_name"):
        kind, by = "podcast_stream", get("episode_show_name") or ""
        data = {"episode_name": str(title), "podcast_name": str(by)}
    elif by := get("audiobook_title"):
        kind, title = "audiobook_stream", get("audiobook_chapter_title") or ""
        data = {"audiobook_title": str(by), "chapter_name": str(title)}
    else:
        return None
    if not ms:
        return None
    data["duration"], data["duration_unit"] = round(ms / 1000), "seconds"
    for ours, theirs in _DETAILS:
        if detail := get(theirs):
            data[ours] = True if detail is True else str(detail)
    written = str(record["ts"])
    if len(written) != 20 or written[19] != "Z":
        raise ValueError(f"{written[:40]!r} is not a UTC time such as 2024-01-31T08:00:00Z")
    written = written[:19]
    return _Play(datetime.fromisoformat(written), written, ms, kind, str(title), str(by), data)


def _account(record: Record) -> _Play | None:
    """A row of the account data: `endTime` is UTC, to the minute."""
    ms = _played_ms(record["msPlayed"])
    data: dict[str, Value]
    if "trackName" in record:
        kind, title, by = "music_stream", str(record["trackName"]), str(record["artistName"])
        data = {"song_name": title}
        if by:
            data["song_artist"] = [by]
    else:
        kind, title, by = "podcast_stream", str(record["episodeName"]), str(record["podcastName"])
        data = {"episode_name": title, "podcast_name": by}
    if not ms or not title:
        return None
    data["duration"], data["duration_unit"] = round(ms / 1000), "seconds"
    end = datetime.strptime(str(record["endTime"]), "%Y-%m-%d %H:%M")
    return _Play(end, end.isoformat()[:16], ms, kind, title, by, data)


def _played_ms(value: object) -> int:
    if not isinstance(value, int) or not 0 <= value <= _LONGEST_MS:
        raise ValueError(f"{value!r} is no time played")
    return value


SOURCE = Source(NAME, "Spotify", 1, sniff, read, raw_record)
