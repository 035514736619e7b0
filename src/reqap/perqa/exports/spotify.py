"""Writes the plays as Spotify does: the extended history, and the account data of one year."""

from datetime import timedelta
from pathlib import Path
from typing import cast

from reqap.perqa.exports import pack
from reqap.perqa.exports.traces import Traces, digest
from reqap.perqa.texts import Observation

_ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_FOLDER = "Spotify Extended Streaming History"
_PLATFORMS = ("iOS 17.5.1 (iPhone15,2)", "OS X 14.5.0 [arm 2]", "Partner sonos_ppc Sonos;Move")
_ROWS_PER_FILE = 12_000

_Row = dict[str, str | int | bool | None]


def write(traces: Traces, folder: Path) -> None:
    """`my_spotify_data.zip` and the folder `spotify_account_data`."""
    plays = traces.of("music_stream")
    rows = sorted(_extended(traces, plays), key=lambda row: str(row["ts"]))
    members = {}
    for number, begin in enumerate(range(0, len(rows), _ROWS_PER_FILE)):
        part = rows[begin : begin + _ROWS_PER_FILE]
        years = "-".join(sorted({str(part[0]["ts"])[:4], str(part[-1]["ts"])[:4]}))
        members[f"{_FOLDER}/Streaming_History_Audio_{years}_{number}.json"] = pack.to_json(part)
    pack.write_zip(folder / "my_spotify_data.zip", members, traces.exported)
    last_year = traces.exported - timedelta(days=365)
    account = [_account(traces, play) for play in plays if play.start >= last_year]
    pack.write_file(
        folder / "spotify_account_data" / "StreamingHistory_music_0.json",
        pack.to_json(account, indent=2),
    )


def _extended(traces: Traces, plays: list[Observation]) -> list[_Row]:
    chance = traces.chance("spotify")
    rows = []
    for number, play in enumerate(plays):
        first = number == 0 or play.start - plays[number - 1].end > timedelta(minutes=5)
        row = _extended_row(traces, play, first)
        rows.append(row)
        # Spotify now and then logs one play twice, a few hundred milliseconds apart.
        if chance.random() < 0.0012:
            rows.append({**row, "ms_played": _milliseconds(play) - chance.randint(100, 700)})
    return rows


def _extended_row(traces: Traces, play: Observation, first: bool) -> _Row:
    title, artist = _named(play)
    end = traces.utc(play.end)
    offline = int(digest(play.start, title)[:4], 16) % 41 == 0
    return {
        "ts": end.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "platform": _PLATFORMS[play.start.toordinal() % len(_PLATFORMS)],
        "ms_played": _milliseconds(play),
        "conn_country": "ZZ",
        "ip_addr": "203.0.113.7",
        "master_metadata_track_name": title,
        "master_metadata_album_artist_name": artist,
        "master_metadata_album_album_name": title,
        "spotify_track_uri": f"spotify:track:{_id(artist, title)}",
        "episode_name": None,
        "episode_show_name": None,
        "spotify_episode_uri": None,
        "audiobook_title": None,
        "audiobook_uri": None,
        "audiobook_chapter_uri": None,
        "audiobook_chapter_title": None,
        "reason_start": "clickrow" if first else "trackdone",
        "reason_end": "trackdone",
        "shuffle": False,
        # Spotify left `skipped` empty for plays that ran to the end until mid 2024.
        "skipped": None if end.isoformat() < "2024-06" else False,
        "offline": offline,
        "offline_timestamp": int(traces.utc(play.start).timestamp()) if offline else None,
        "incognito_mode": False,
    }


def _account(traces: Traces, play: Observation) -> _Row:
    title, artist = _named(play)
    return {
        "endTime": traces.utc(play.end).strftime("%Y-%m-%d %H:%M"),
        "artistName": artist,
        "trackName": title,
        "msPlayed": _milliseconds(play),
    }


def _named(play: Observation) -> tuple[str, str]:
    """Title and first artist: Spotify tells of the album's artist only."""
    return str(play.data["song_name"]), cast(tuple[str, ...], play.data["song_artist"])[0]


def _milliseconds(play: Observation) -> int:
    return int((play.end - play.start).total_seconds() * 1000)


def _id(artist: str, title: str) -> str:
    """A stable 22-character id in Spotify's alphabet."""
    number = int(digest(artist, title)[:34], 16)
    letters = []
    for _ in range(22):
        number, rest = divmod(number, 62)
        letters.append(_ALPHABET[rest])
    return "".join(letters)
