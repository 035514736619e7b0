"""Writes an invented extended streaming history of any length, in files as Spotify cuts them.

python benchmarks/make_spotify.py FOLDER --streams 1000000
"""

import argparse
import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

import orjson

_FILE_BYTES = 12_000_000


def make_spotify(folder: Path, streams: int, seed: int = 1) -> list[Path]:
    """The files written; 2,000 songs, sessions by day, a podcast now and then."""
    rng = random.Random(seed)
    folder.mkdir(parents=True, exist_ok=True)
    songs = [
        (f"Song {n} of the {rng.choice(['Sea', 'Night', 'Road', 'Élan'])}", f"Artist {n % 400}",
         f"Album {n % 700}", f"spotify:track:{rng.getrandbits(120):022x}")
        for n in range(2000)
    ]  # fmt: skip
    at = datetime(2012, 1, 1, 7, 0, tzinfo=UTC)
    paths: list[Path] = []
    rows: list[bytes] = []
    size = 0
    for _ in range(streams):
        ms = rng.randrange(1_000, 320_000)
        at += timedelta(milliseconds=ms, seconds=rng.choice([0, 1, 2, 40]))
        row = orjson.dumps(_row(rng, at, ms, songs[int(rng.paretovariate(0.7)) % 2000]),
                           option=orjson.OPT_INDENT_2)  # fmt: skip
        rows.append(row)
        size += len(row)
        if size > _FILE_BYTES:
            paths.append(_write(folder, len(paths), rows))
            rows, size = [], 0
    if rows:
        paths.append(_write(folder, len(paths), rows))
    return paths


def _row(
    rng: random.Random, at: datetime, ms: int, song: tuple[str, str, str, str]
) -> dict[str, object]:
    spoken = rng.random() < 0.03
    return {
        "ts": at.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "platform": rng.choice(["android", "ios", "linux", "web_player"]),
        "ms_played": ms,
        "conn_country": "DE",
        "ip_addr": "203.0.113.7",
        "master_metadata_track_name": None if spoken else song[0],
        "master_metadata_album_artist_name": None if spoken else song[1],
        "master_metadata_album_album_name": None if spoken else song[2],
        "spotify_track_uri": None if spoken else song[3],
        "episode_name": f"Episode {ms % 300}" if spoken else None,
        "episode_show_name": "A Show" if spoken else None,
        "spotify_episode_uri": "spotify:episode:1" if spoken else None,
        "audiobook_title": None,
        "audiobook_uri": None,
        "audiobook_chapter_uri": None,
        "audiobook_chapter_title": None,
        "reason_start": "trackdone",
        "reason_end": rng.choice(["trackdone", "fwdbtn", "endplay"]),
        "shuffle": rng.random() < 0.4,
        "skipped": rng.random() < 0.2,
        "offline": False,
        "offline_timestamp": int(at.timestamp()),
        "incognito_mode": False,
    }


def _write(folder: Path, number: int, rows: list[bytes]) -> Path:
    path = folder / f"Streaming_History_Audio_{number}.json"
    path.write_bytes(b"[\n" + b",\n".join(rows) + b"\n]")
    return path


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--streams", type=int, default=1_000_000)
    arguments = parser.parse_args()
    print(len(make_spotify(arguments.folder, arguments.streams)), "files")
