"""Writes the Google Takeout: mail, watch history, Keep notes, the family calendar."""

from __future__ import annotations

import hashlib
import random
import re
from datetime import date, datetime, timedelta
from pathlib import Path

from reqap.demo import bank, ics, pack
from reqap.demo.life import FIRST, HOME_ZONE, LAST, Life, moment, utc
from reqap.demo.mail import mbox
from reqap.demo.shopping import Order

ROOT = "Takeout"
HISTORY = f"{ROOT}/YouTube and YouTube Music/history/watch-history.json"
ADVERTS = (
    "Moin Strom: 0 % Grundgebühr",
    "Der neue Kombi. Jetzt Probe fahren.",
    "Zahnzusatz in 2 Minuten",
)


def write_takeout(life: Life, orders: list[Order], folder: Path) -> None:
    """`takeout-20260102T101112Z-001.zip`."""
    members = {
        f"{ROOT}/archive_browser.html": bank.raw("archive_browser.html").encode("utf-8"),
        f"{ROOT}/Calendar/Family.ics": ics.family_calendar(life),
        f"{ROOT}/Mail/All mail Including Spam and Trash.mbox": mbox(life, orders),
        HISTORY: pack.to_json(_watch_history(life), indent=2),
    }
    for name, note in _keep():
        members[f"{ROOT}/Keep/{name}.json"] = pack.to_json(note)
    pack.write_zip(folder / "takeout-20260102T101112Z-001.zip", members)


def _watch_history(life: Life) -> list[dict[str, object]]:
    """About 300 videos, newest first; adverts carry `details`, deleted videos nothing."""
    rng = life.rng("youtube")
    moments: list[tuple[datetime, dict[str, object]]] = []
    for channel, title, window, *_ in bank.table("videos.txt", 3):
        pinned = window != "-"
        first, last = window.split("..") if pinned else (FIRST.isoformat(), LAST.isoformat())
        for _ in range(rng.choice([1, 1, 2]) if pinned else rng.choice([2, 3, 3, 4, 5])):
            when = _free_moment(life, date.fromisoformat(first), date.fromisoformat(last), rng)
            moments.append((when, _video(channel, title, rng)))
    for _ in range(22):
        when = _free_moment(life, FIRST, LAST, rng)
        moments.append((when, _advert(rng) if rng.random() < 0.6 else _removed()))
    moments.sort(key=lambda pair: pair[0], reverse=True)
    return [{**entry, "time": _iso(when, rng)} for when, entry in moments]


def _free_moment(life: Life, first: date, last: date, rng: random.Random) -> datetime:
    """Some idle moment at home, in UTC."""
    while True:
        day = first + timedelta(days=rng.randint(0, (last - first).days))
        start = moment(
            day, rng.choice([7, 12, 13, 17, 19, 20, 21, 22]), rng.randint(0, 59), rng.randint(0, 59)
        )
        if life.zone_on(day) == HOME_ZONE and life.is_free(start, start + timedelta(minutes=12)):
            return utc(start, HOME_ZONE)


def _iso(when: datetime, rng: random.Random) -> str:
    return f"{when:%Y-%m-%dT%H:%M:%S}.{rng.randint(0, 999):03d}Z"


def _video(channel: str, title: str, rng: random.Random) -> dict[str, object]:
    key = hashlib.sha256(f"{channel}{title}".encode()).hexdigest()
    music = channel in ("KEXP", "RTP") and rng.random() < 0.3
    name = "YouTube Music" if music else "YouTube"
    return {
        "header": name,
        "title": f"Watched {title}",
        "titleUrl": f"https://www.youtube.com/watch?v\u003d{key[:11]}",
        "subtitles": [{"name": channel, "url": f"https://www.youtube.com/channel/UC{key[11:33]}"}],
        "products": ["YouTube"],
        "activityControls": ["YouTube watch history"],
    }


def _advert(rng: random.Random) -> dict[str, object]:
    return {
        "header": "YouTube",
        "title": f"Watched {rng.choice(ADVERTS)}",
        "titleUrl": f"https://www.youtube.com/watch?v\u003dad{rng.randint(10**8, 10**9)}",
        "products": ["YouTube"],
        "details": [{"name": "From Google Ads"}],
        "activityControls": [
            "Web & App Activity",
            "YouTube watch history",
            "YouTube search history",
        ],
    }


def _removed() -> dict[str, object]:
    return {
        "header": "YouTube",
        "title": "Watched a video that has been removed",
        "products": ["YouTube"],
        "activityControls": ["YouTube watch history"],
    }


def _keep() -> list[tuple[str, dict[str, object]]]:
    """Keep notes; the two oldest have no creation time, as in older exports."""
    found = []
    for number, block in enumerate(bank.blocks("keep.txt", 4)):
        created, edited, title, labels = block.head[:4]
        note: dict[str, object] = {
            "color": "DEFAULT",
            "isTrashed": False,
            "isPinned": number == 17,
            "isArchived": number < 6,
        }
        items = re.findall(r"^\[(.)\] (.*)$", block.body, re.MULTILINE)
        if items:
            note["listContent"] = [{"text": text, "isChecked": mark == "x"} for mark, text in items]
        else:
            note["textContent"] = block.body
        note["title"] = title
        note["userEditedTimestampUsec"] = _usec(created if edited == "-" else edited)
        if number > 1:
            note["createdTimestampUsec"] = _usec(created)
        if labels:
            note["labels"] = [{"name": label} for label in labels.split()]
        found.append((re.sub(r"[^\w ,.-]", "_", title), note))
    return found


def _usec(local: str) -> int:
    return int(utc(datetime.fromisoformat(local), HOME_ZONE).timestamp()) * 1_000_000
