"""Writes the viewings as Netflix does, with the previews nobody asked for."""

import csv
import io
import random
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path

from reqap.perqa.exports import pack
from reqap.perqa.exports.traces import Traces
from reqap.perqa.texts import Observation

_HEADER = (
    "Profile Name", "Start Time", "Duration", "Attributes", "Title", "Supplemental Video Type",
    "Device Type", "Bookmark", "Latest Bookmark", "Country",
)  # fmt: skip
_DEVICES = ("Samsung 2021 Smart TV", "Apple iPad Pro 11-inch (3rd Gen) WiFi", "Chrome PC (Cadmium)")


def write(traces: Traces, folder: Path) -> None:
    """`netflix-report.zip` with the viewing activity, newest first."""
    name = traces.persona.name.split()[0]
    viewings = traces.of("movie_stream", "tvseries_stream")
    rows = [*map(_viewing, viewings), *_previews(traces, viewings)]
    rows.sort(key=lambda row: row[0], reverse=True)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_HEADER)
    seen: set[str] = set()
    for start, seconds, title, kind in rows:
        device = _DEVICES[start.toordinal() % len(_DEVICES)]
        bookmark = _clock(seconds)
        latest = bookmark if title not in seen else "Not latest view"
        seen.add(title)
        writer.writerow(
            [name, f"{traces.utc(start):%Y-%m-%d %H:%M:%S}", bookmark,
             "Autoplayed: user action: None; " if kind else "", title, kind, device, bookmark,
             latest, traces.persona.home_on(start.date()).role]
        )  # fmt: skip
    profiles = f"Profile Name,Profile Creation Time,Maturity Level\n{name},2016-05-09 19:12:44,\n"
    members = {
        "CONTENT_INTERACTION/ViewingActivity.csv": out.getvalue().encode("utf-8"),
        "PROFILES/Profiles.csv": profiles.encode(),
    }
    pack.write_zip(folder / "netflix-report.zip", members, traces.exported)


_Row = tuple[datetime, int, str, str]


def _viewing(one: Observation) -> _Row:
    return one.start, int((one.end - one.start).total_seconds()), _title(one), ""


def _title(one: Observation) -> str:
    told = one.data
    if one.kind == "movie_stream":
        return str(told["movie_title"])
    return f"{told['tvseries_title']}: {told['season_name']}: {told['episode_name']}"


def _previews(traces: Traces, viewings: list[Observation]) -> list[_Row]:
    """Hooks and trailers that ran while somebody was choosing."""
    chance = traces.chance("netflix")
    return [
        _preview(viewing, chance)
        for before, viewing in pairwise(viewings)
        if viewing.start - before.end > timedelta(minutes=5) and chance.random() < 0.5
    ]


def _preview(viewing: Observation, chance: random.Random) -> _Row:
    kind = chance.choice(["HOOK", "HOOK", "TRAILER", "TEASER_TRAILER"])
    name = _title(viewing).partition(":")[0]
    title = f"{name}_hook_primary_16x9" if kind == "HOOK" else f"Trailer: {name}"
    seconds = chance.randint(4, 95)
    start = viewing.start - timedelta(seconds=seconds + chance.randint(4, 40))
    return start, seconds, title, kind


def _clock(seconds: int) -> str:
    return f"{seconds // 3600}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
