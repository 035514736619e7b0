"""Helpers that read the built demo life back with nothing but the standard library."""

from __future__ import annotations

import csv
import io
import zipfile
from datetime import datetime
from email.message import Message
from pathlib import Path
from xml.etree import ElementTree
from zoneinfo import ZoneInfo

from reqap.demo.life import Life
from reqap.demo.mail import Mail, mails

BERLIN = ZoneInfo("Europe/Berlin")
TAKEOUT = "takeout-20260102T101112Z-001.zip"


def member(folder: Path, archive: str, name: str) -> bytes:
    with zipfile.ZipFile(folder / archive) as opened:
        return opened.read(name)


def contents(folder: Path) -> dict[str, bytes]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def table(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"))))


def orders(folder: Path) -> list[dict[str, str]]:
    return table((folder / "amazon/Your Amazon Orders/Order History.csv").read_bytes())


def activity(workout: ElementTree.Element) -> str:
    return workout.get("workoutActivityType", "").removeprefix("HKWorkoutActivityType")


def zone(workout: ElementTree.Element) -> str:
    entry = workout.find("MetadataEntry[@key='HKTimeZone']")
    assert entry is not None
    return entry.get("value", "")


def local_start(workout: ElementTree.Element) -> datetime:
    written = datetime.strptime(workout.get("startDate", ""), "%Y-%m-%d %H:%M:%S %z")
    return written.astimezone(ZoneInfo(zone(workout))).replace(tzinfo=None)


def kilometres(workout: ElementTree.Element) -> float:
    for stat in workout.findall("WorkoutStatistics"):
        if "Distance" in stat.get("type", ""):
            return float(stat.get("sum", "0")) / (1000 if stat.get("unit") == "m" else 1)
    return 0.0


def text_of(message: Message) -> str:
    part = next(part for part in message.walk() if not part.is_multipart())
    payload = part.get_payload(decode=True)
    assert isinstance(payload, bytes)
    charset = part.get_content_charset("utf-8")
    return payload.decode("utf-8" if charset == "x-user-defined" else charset)


def unfolded(content: bytes) -> str:
    return content.decode("utf-8").replace("\r\n ", "")


def letters(life: Life) -> list[Mail]:
    return [mail for mail in mails(life, []) if mail.labels[0] in ("Inbox", "Sent")]
