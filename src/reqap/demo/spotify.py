"""Writes the plays as Spotify does: the extended history, and the account data of one year."""

from __future__ import annotations

import hashlib
from datetime import datetime
from pathlib import Path

from reqap.demo import pack
from reqap.demo.life import Life, utc
from reqap.demo.listening import Play, Podcast, Song

ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
FOLDER = "Spotify Extended Streaming History"
PLATFORMS = {
    "ios": "iOS 17.5.1 (iPhone15,2)",
    "osx": "OS X 14.5.0 [arm 2]",
    "sonos": "Partner sonos_ppc Sonos;Move",
}

Row = dict[str, str | int | bool | None]


def write_spotify(life: Life, plays: list[Play], folder: Path) -> None:
    """`my_spotify_data.zip` and the folder `spotify_account_data`."""
    rows = sorted(_extended_rows(life, plays), key=lambda row: str(row["ts"]))
    half = len(rows) * 11 // 20
    members = {
        f"{FOLDER}/Streaming_History_Audio_2024-2025_0.json": pack.to_json(rows[:half]),
        f"{FOLDER}/Streaming_History_Audio_2025_1.json": pack.to_json(rows[half:]),
    }
    pack.write_zip(folder / "my_spotify_data.zip", members)
    last_year = [play for play in plays if _end(play).year == 2025]
    music = [_account_row(play, play.item) for play in last_year if isinstance(play.item, Song)]
    talk = [_podcast_row(play, play.item) for play in last_year if isinstance(play.item, Podcast)]
    account = folder / "spotify_account_data"
    pack.write_file(account / "StreamingHistory_music_0.json", pack.to_json(music, indent=2))
    pack.write_file(account / "StreamingHistory_podcast_0.json", pack.to_json(talk, indent=2))


def _end(play: Play) -> datetime:
    return utc(play.end, play.zone)


def _extended_rows(life: Life, plays: list[Play]) -> list[Row]:
    rng = life.rng("spotify")
    rows = []
    for number, play in enumerate(plays):
        row = _extended_row(play, number)
        rows.append(row)
        # Spotify now and then logs one play twice, a few hundred milliseconds apart.
        if rng.random() < 0.0012 and not play.skipped:
            rows.append({**row, "ms_played": play.ms - rng.randint(100, 700)})
    return rows


def _extended_row(play: Play, number: int) -> Row:
    song = play.item if isinstance(play.item, Song) else None
    show = play.item if isinstance(play.item, Podcast) else None
    offline = play.platform == "ios" and number % 41 == 0
    # Spotify left `skipped` empty for plays that ran to the end until mid 2024.
    unknown = not play.skipped and play.start < datetime(2024, 6, 1)
    return {
        "ts": _end(play).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "platform": PLATFORMS[play.platform],
        "ms_played": play.ms,
        "conn_country": play.country,
        "ip_addr": "203.0.113.7" if play.country == "DE" else "198.51.100.23",
        "master_metadata_track_name": song.title if song else None,
        "master_metadata_album_artist_name": song.artist if song else None,
        "master_metadata_album_album_name": song.album if song else None,
        "spotify_track_uri": f"spotify:track:{_id(song.artist + song.title)}" if song else None,
        "episode_name": show.episode if show else None,
        "episode_show_name": show.show if show else None,
        "spotify_episode_uri": f"spotify:episode:{_id(show.show + show.episode)}" if show else None,
        "audiobook_title": None,
        "audiobook_uri": None,
        "audiobook_chapter_uri": None,
        "audiobook_chapter_title": None,
        "reason_start": "clickrow" if play.first else "trackdone",
        "reason_end": "fwdbtn" if play.skipped else "trackdone",
        "shuffle": play.shuffle,
        "skipped": None if unknown else play.skipped,
        "offline": offline,
        "offline_timestamp": int(utc(play.start, play.zone).timestamp()) if offline else None,
        "incognito_mode": False,
    }


def _account_row(play: Play, song: Song) -> Row:
    when = _end(play).strftime("%Y-%m-%d %H:%M")
    return {
        "endTime": when,
        "artistName": song.artist,
        "trackName": song.title,
        "msPlayed": play.ms,
    }


def _podcast_row(play: Play, show: Podcast) -> Row:
    when = _end(play).strftime("%Y-%m-%d %H:%M")
    return {
        "endTime": when,
        "podcastName": show.show,
        "episodeName": show.episode,
        "msPlayed": play.ms,
    }


def _id(text: str) -> str:
    """A stable 22-character id in Spotify's alphabet."""
    number = int.from_bytes(hashlib.sha256(text.encode()).digest()[:17], "big")
    letters = []
    for _ in range(22):
        number, rest = divmod(number, 62)
        letters.append(ALPHABET[rest])
    return "".join(letters)
