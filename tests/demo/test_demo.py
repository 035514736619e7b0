"""The demo life as files: same bytes twice, small enough, well-formed, with the real quirks."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections import Counter
from datetime import datetime
from email.header import decode_header, make_header
from email.message import Message
from pathlib import Path
from xml.etree import ElementTree

from reqap.demo import build_demo_life
from tests.demo.exports import (
    TAKEOUT,
    activity,
    contents,
    member,
    orders,
    table,
    text_of,
    unfolded,
    zone,
)

MEGABYTE = 1024 * 1024


def test_same_seed_gives_same_bytes(built: Path, tmp_path: Path) -> None:
    build_demo_life(tmp_path)
    assert contents(tmp_path) == contents(built)


def test_other_seed_gives_another_filling_of_the_same_life(built: Path, tmp_path: Path) -> None:
    build_demo_life(tmp_path, seed=8)
    one, two = contents(built), contents(tmp_path)
    assert one.keys() == two.keys()
    assert one["calendar.ics"] == two["calendar.ics"]
    assert one["my_spotify_data.zip"] != two["my_spotify_data.zip"]


def test_packed_life_is_small(built: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents(built).items():
            archive.writestr(name, content)
    assert len(packed.getvalue()) <= 3 * MEGABYTE


def test_extended_history(extended: list[dict[str, object]]) -> None:
    songs = {
        (row["master_metadata_album_artist_name"], row["master_metadata_track_name"])
        for row in extended
        if row["master_metadata_track_name"]
    }
    assert 9000 <= len(extended) <= 12000
    assert len(songs) >= 250
    assert any(
        row["episode_name"] and row["master_metadata_track_name"] is None for row in extended
    )
    assert {row["skipped"] for row in extended} == {None, True, False}
    stamps = [str(row["ts"]) for row in extended]
    assert stamps == sorted(stamps)
    assert "2024-01-01" <= stamps[0] < stamps[-1] < "2026-01-01"


def test_netflix(built: Path) -> None:
    rows = table(member(built, "netflix-report.zip", "CONTENT_INTERACTION/ViewingActivity.csv"))
    seen = [row for row in rows if not row["Supplemental Video Type"]]
    series = {row["Title"].split(": ")[0] for row in seen if row["Title"].count(": ") >= 2}
    films = {row["Title"] for row in seen if row["Title"].count(": ") < 2}
    assert {row["Profile Name"] for row in rows} == {"Inês", "Kids"}
    assert len(series) >= 20
    assert len(films) >= 60
    assert len(seen) < len(rows)
    mine = sorted(
        datetime.fromisoformat(row["Start Time"]) for row in seen if row["Profile Name"] == "Inês"
    )
    assert mine[0].year == 2024
    parts = Counter(row["Title"] for row in seen if row["Title"] in films)
    assert any(count == 2 for count in parts.values()), "some film is finished later"


def test_health_export_parses_and_counts(built: Path, workouts: list[ElementTree.Element]) -> None:
    xml = member(built, "apple_health_export.zip", "apple_health_export/export.xml")
    assert xml.startswith(b'<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE HealthData [')
    root = ElementTree.fromstring(xml)
    kinds = Counter(record.get("type", "") for record in root.findall("Record"))
    assert kinds["HKQuantityTypeIdentifierRestingHeartRate"] == 731
    steps = [it for it in root.findall("Record") if it.get("type", "").endswith("StepCount")]
    assert len({record.get("sourceName") for record in steps}) == 2
    sports = Counter(activity(workout) for workout in workouts)
    assert set(sports) == {"Running", "Soccer", "Cycling", "Yoga", "Swimming", "Hiking"}
    assert {"Europe/Lisbon", "America/Toronto"} < {zone(workout) for workout in workouts}


def test_calendar_quirks(built: Path) -> None:
    raw = (built / "calendar.ics").read_bytes()
    assert max(len(line) for line in raw.split(b"\r\n")) <= 75
    text = unfolded(raw)
    assert 230 <= text.count("BEGIN:VEVENT") <= 320
    assert text.count("BEGIN:VTIMEZONE") == text.count("END:VTIMEZONE") > 3
    for needle in (
        "RRULE:FREQ=WEEKLY",
        "EXDATE;",
        "RECURRENCE-ID;",
        "RRULE:FREQ=YEARLY",
        "STATUS:CANCELLED",
        "DTSTART;VALUE=DATE:",
        "TZID=W. Europe Standard Time:",
        "DURATION:PT",
        "TZID=America/Toronto:",
    ):
        assert needle in text
    assert re.search(r"^DTSTART:\d{8}T\d{6}\r$", text, re.MULTILINE), "a floating time"
    assert re.search(r"^DTSTART:\d{8}T\d{6}Z\r$", text, re.MULTILINE), "a UTC time"


def test_amazon(built: Path) -> None:
    rows = orders(built)
    path = built / "amazon/Your Amazon Orders/Order History.csv"
    assert path.read_bytes().startswith(b"\xef\xbb\xbfASIN,")
    assert 140 <= len({row["Order ID"] for row in rows}) <= 180
    assert Counter(row["Order Status"] for row in rows)["Cancelled"] == 1
    refunds = table((built / "amazon/Your Returns & Refunds/Refund Details.csv").read_bytes())
    assert len(refunds) >= 5
    ordered = {row["Order ID"]: row for row in rows}
    for refund in refunds:
        assert refund["Refund Date"] > ordered[refund["Order ID"]]["Order Date"]
    before = [row for row in rows if row["Order Date"] < "2024-10-11"]
    assert all("Osterstraße" in row["Shipping Address"] for row in before)


def test_mailbox(messages: list[Message]) -> None:
    assert len(messages) >= 180
    bodies = [text_of(message) for message in messages]
    assert all(body.strip() for body in bodies)
    subjects = [str(make_header(decode_header(str(message["Subject"])))) for message in messages]
    assert "Erinnerung: 2 Medien fällig am 24.01." in subjects
    ids = Counter(message["Message-ID"] for message in messages)
    assert Counter(ids.values())[2] == 1
    assert sum(message["Date"] is None for message in messages) == 1
    labels = [str(make_header(decode_header(str(it["X-Gmail-Labels"])))) for it in messages]
    assert any("Família" in label for label in labels)
    charsets = {part.get_content_charset() for it in messages for part in it.walk()}
    assert {"utf-8", "iso-8859-1", "x-user-defined"} <= charsets
    assert any(message.get_content_type() == "text/html" for message in messages)


def test_hand_written_texts_are_many_and_distinct(built: Path, messages: list[Message]) -> None:
    posts = json.loads(
        member(built, "instagram-2026-01-03.zip", "your_instagram_activity/media/posts_1.json")
    )
    captions = {post.get("title") or post["media"][0]["title"] for post in posts}
    outbox = json.loads((built / "mastodon-archive/outbox.json").read_bytes())["orderedItems"]
    toots = {item["object"]["content"] for item in outbox if item["type"] == "Create"}
    assert len(captions) == len(posts) >= 90
    assert len(captions) + len(toots) >= 120
    assert any(item["type"] == "Announce" for item in outbox)
    mended = [caption.encode("latin-1").decode("utf-8") for caption in captions]
    assert any("Cefalù" in caption for caption in mended)
    personal = {
        text_of(it)
        for it in messages
        if "Sent" in str(it["X-Gmail-Labels"]) or "Important" in str(it["X-Gmail-Labels"])
    }
    assert len(personal) >= 90
    with zipfile.ZipFile(built / TAKEOUT) as archive:
        keep = [name for name in archive.namelist() if "/Keep/" in name]
    assert len(keep) + len(list((built / "notes").glob("*.md"))) >= 40


def test_takeout(built: Path) -> None:
    name = "Takeout/YouTube and YouTube Music/history/watch-history.json"
    history = json.loads(member(built, TAKEOUT, name))
    assert 250 <= len(history) <= 350
    assert any("details" in entry for entry in history)
    assert any("titleUrl" not in entry for entry in history)
    calendar = unfolded(member(built, TAKEOUT, "Takeout/Calendar/Family.ics"))
    assert "SUMMARY:Vet: Pingo ate a sock" in calendar
    notes = []
    with zipfile.ZipFile(built / TAKEOUT) as archive:
        for entry in archive.namelist():
            if "/Keep/" in entry:
                notes.append(json.loads(archive.read(entry)))
    assert any("listContent" in note for note in notes)
    assert sum("createdTimestampUsec" not in note for note in notes) == 2


def test_profile(built: Path) -> None:
    profile = json.loads((built / "profile.json").read_bytes())
    assert profile["name"] == "Inês Brandt"
    assert profile["jobs"][-1]["from"] == "2025-02-01"
    assert {"family", "partner", "friends", "pets", "jobs", "schools", "homes"} <= profile.keys()
    assert 8 <= len(profile["friends"]) <= 10
