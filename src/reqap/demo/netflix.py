"""Writes the viewings as Netflix does, with the previews nobody asked for."""

from __future__ import annotations

import csv
import io
import random
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

from reqap.demo import bank, pack
from reqap.demo.life import Life, utc
from reqap.demo.watching import MINE, Viewing

HEADER = [
    "Profile Name",
    "Start Time",
    "Duration",
    "Attributes",
    "Title",
    "Supplemental Video Type",
    "Device Type",
    "Bookmark",
    "Latest Bookmark",
    "Country",
]
COUNTRIES = {
    "DE": "DE (Germany)",
    "PT": "PT (Portugal)",
    "IT": "IT (Italy)",
    "AT": "AT (Austria)",
    "DK": "DK (Denmark)",
    "CA": "CA (Canada)",
}


def write_netflix(life: Life, viewings: list[Viewing], folder: Path) -> None:
    """`netflix-report.zip` with the viewing activity of both profiles."""
    everything = viewings + _previews(life, viewings)
    everything.sort(key=lambda viewing: utc(viewing.start, viewing.zone), reverse=True)
    everything.sort(key=lambda viewing: viewing.profile)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(HEADER)
    seen: set[tuple[str, str]] = set()
    for viewing in everything:
        key = (viewing.profile, viewing.title)
        writer.writerow(_row(viewing, latest=key not in seen))
        seen.add(key)
    profiles = (
        "Profile Name,Profile Creation Time,Maturity Level\nInês,2018-05-09 19:12:44,Adults\n"
    )
    members = {
        "CONTENT_INTERACTION/ViewingActivity.csv": out.getvalue().encode("utf-8"),
        "PROFILES/Profiles.csv": f"{profiles}Kids,2023-01-02 08:03:11,Little Kids\n".encode(),
    }
    pack.write_zip(folder / "netflix-report.zip", members)


def _previews(life: Life, viewings: list[Viewing]) -> list[Viewing]:
    """Hooks and trailers that ran while she was choosing."""
    rng = life.rng("netflix")
    titles = [row[0] for row in bank.table("series.txt", 6)]
    films = [row[0] for row in bank.table("movies.txt", 4)]
    found = []
    mine = [viewing for viewing in viewings if viewing.profile == MINE]
    for before, viewing in pairwise(mine):
        choosing = viewing.start - before.end > timedelta(minutes=5)
        if choosing and rng.random() < 0.5:
            found.append(_preview(viewing, titles, films, rng))
    return found


def _preview(viewing: Viewing, series: list[str], films: list[str], rng: random.Random) -> Viewing:
    kind = rng.choice(["HOOK", "HOOK", "TRAILER", "TEASER_TRAILER"])
    if kind == "HOOK":
        title = f"{rng.choice(series)}_hook_primary_16x9"
    else:
        title = f"Trailer: {rng.choice(films)}"
    seconds = rng.randint(4, 95)
    return Viewing(
        viewing.profile,
        viewing.start - timedelta(seconds=seconds + rng.randint(4, 40)),
        seconds,
        title,
        viewing.zone,
        viewing.country,
        viewing.device,
        seconds,
        True,
        kind,
    )


def _row(viewing: Viewing, latest: bool) -> list[str]:
    start = utc(viewing.start, viewing.zone).strftime("%Y-%m-%d %H:%M:%S")
    bookmark = _clock(viewing.bookmark)
    if viewing.teaser:
        attributes = "Autoplayed: user action: None; "
    else:
        attributes = "" if viewing.finished else "Has branched playback: false; "
    return [
        viewing.profile,
        start,
        _clock(viewing.seconds),
        attributes,
        viewing.title,
        viewing.teaser,
        viewing.device,
        bookmark,
        bookmark if latest else "Not latest view",
        COUNTRIES[viewing.country],
    ]


def _clock(seconds: int) -> str:
    return f"{seconds // 3600}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
