"""The demo life as one life: the exports tell the same story."""

from __future__ import annotations

import json
import re
from collections import Counter
from datetime import date, datetime, timedelta
from decimal import Decimal
from email.message import Message
from pathlib import Path
from xml.etree import ElementTree

import pytest

from reqap.demo.life import Life
from reqap.demo.shopping import shop
from tests.demo.exports import (
    BERLIN,
    activity,
    kilometres,
    letters,
    local_start,
    member,
    orders,
    table,
    text_of,
    unfolded,
    zone,
)


def test_every_account_play_has_an_extended_twin(
    built: Path, extended: list[dict[str, object]]
) -> None:
    twins = Counter(
        (
            str(row["ts"])[:16].replace("T", " "),
            row["master_metadata_track_name"] or row["episode_name"],
            row["ms_played"],
        )
        for row in extended
    )
    account = built / "spotify_account_data"
    music = json.loads((account / "StreamingHistory_music_0.json").read_bytes())
    talk = json.loads((account / "StreamingHistory_podcast_0.json").read_bytes())
    plays = Counter((row["endTime"], row["trackName"], row["msPlayed"]) for row in music)
    plays += Counter((row["endTime"], row["episodeName"], row["msPlayed"]) for row in talk)
    assert sum(plays.values()) > 4000
    assert not plays - twins
    assert all(end.startswith("2025") for end, _, _ in plays)


def test_she_hears_an_artist_more_before_the_concert(
    extended: list[dict[str, object]], life: Life
) -> None:
    concerts = [
        (it.start.date(), it.tagged("concert")) for it in life.occasions if it.tagged("concert")
    ]
    assert len(concerts) >= 6
    for night, artist in concerts:
        days = [
            date.fromisoformat(str(row["ts"])[:10])
            for row in extended
            if row["master_metadata_album_artist_name"] == artist
        ]
        before = sum(night - timedelta(days=21) <= day < night for day in days)
        assert before / 21 > 2 * len(days) / 731, artist


def test_no_home_training_on_trips_or_in_illness(
    workouts: list[ElementTree.Element], life: Life
) -> None:
    for workout in workouts:
        day = local_start(workout).date()
        trip = life.trip_on(day)
        if trip:
            assert trip.start < day < trip.end
            assert zone(workout) == trip.zone
            assert activity(workout) not in ("Soccer", "Yoga")
        else:
            assert zone(workout) == "Europe/Berlin"
        assert not life.is_ill(day)
        if life.break_on(day) == "ankle":
            assert activity(workout) in ("Swimming", "Cycling", "Yoga")


def test_running_diary_matches_the_watch(built: Path, workouts: list[ElementTree.Element]) -> None:
    runs = {local_start(it).date().isoformat(): it for it in workouts if activity(it) == "Running"}
    lines = 0
    for name in ("running-diary-2024.md", "running-diary-2025.md"):
        diary = (built / "notes" / name).read_text("utf-8")
        for day, km in re.findall(r"^- (\d{4}-\d\d-\d\d): ([\d.]+) km", diary, re.MULTILINE):
            assert kilometres(runs[day]) == pytest.approx(float(km), abs=0.05)
            lines += 1
    assert lines > 50
    race = runs["2025-06-29"]
    assert float(race.get("duration", "0")) == pytest.approx(124 + 37 / 60, abs=0.05)


def test_calendar_practice_and_watch_agree(
    built: Path, workouts: list[ElementTree.Element], life: Life
) -> None:
    """Expand the series in the file by hand and compare it with the football on the watch."""
    text = unfolded((built / "calendar.ics").read_bytes())
    events = [
        part
        for part in re.findall(r"BEGIN:VEVENT\r\n(.*?)END:VEVENT", text, re.DOTALL)
        if "SUMMARY:Football practice" in part
    ]
    days: set[date] = set()
    for event in events:
        start = re.search(r"DTSTART;TZID=Europe/Berlin:(\d{8})", event)
        assert start is not None
        first = datetime.strptime(start.group(1), "%Y%m%d").date()
        moved = re.search(r"RECURRENCE-ID;TZID=Europe/Berlin:(\d{8})", event)
        if moved:
            days.discard(datetime.strptime(moved.group(1), "%Y%m%d").date())
            days.add(first)
            continue
        until = re.search(r"UNTIL=(\d{8})", event)
        last = datetime.strptime(until.group(1) if until else "20251231", "%Y%m%d").date()
        weeks = range((last - first).days // 7 + 1)
        gone = re.findall(r"(\d{8})T190000", event.partition("EXDATE")[2].partition("\r\n")[0])
        days |= {first + timedelta(weeks=week) for week in weeks} - {
            datetime.strptime(day, "%Y%m%d").date() for day in gone
        }
    matches = {it.start.date() for it in life.occasions if it.kind == "match"}
    played = {local_start(it).date() for it in workouts if activity(it) == "Soccer"}
    assert days == played - matches
    assert matches <= played


def test_meals_without_calendar_entry_are_written_about(built: Path, life: Life) -> None:
    """What she never put in a calendar is told in a post or a mail within a day."""
    posts = json.loads(
        member(built, "instagram-2026-01-03.zip", "your_instagram_activity/media/posts_1.json")
    )
    outbox = json.loads((built / "mastodon-archive/outbox.json").read_bytes())["orderedItems"]
    stamps = [
        post.get("creation_timestamp") or post["media"][0]["creation_timestamp"] for post in posts
    ]
    told = {datetime.fromtimestamp(stamp, BERLIN).date() for stamp in stamps}
    told |= {date.fromisoformat(item["published"][:10]) for item in outbox}
    told |= {mail.sent.date() for mail in letters(life)}
    quiet = [it for it in life.occasions if it.has("nocal")]
    assert len(quiet) >= 12
    for occasion in quiet:
        assert occasion.start.date() + timedelta(days=1) in told, occasion.summary


def test_order_mails_match_orders(built: Path, messages: list[Message]) -> None:
    totals: Counter[str] = Counter()
    names: dict[str, str] = {}
    cents: dict[str, Decimal] = {}
    for row in orders(built):
        cents[row["Order ID"]] = cents.get(row["Order ID"], Decimal(0)) + Decimal(
            row["Total Amount"]
        )
        names[row["Order ID"]] = names.get(row["Order ID"], "") + row["Product Name"]
    digital = table((built / "amazon/Your Amazon Orders/Digital Content Orders.csv").read_bytes())
    for row in digital:
        cents[row["Order ID"]] = cents.get(row["Order ID"], Decimal(0)) + Decimal(
            row["Transaction Amount"]
        )
        names[row["Order ID"]] = row["Product Name"]
    for message in messages:
        if "amazon.de" not in str(message["From"]):
            continue
        body = text_of(message)
        number = re.search(r"Order # (\S+)", body)
        total = re.search(r"Order total: EUR ([\d.]+)", body)
        assert number is not None
        assert total is not None
        assert cents[number.group(1)] == Decimal(total.group(1))
        first = re.search(r"^\d x (.*)  EUR", body, re.MULTILINE)
        assert first is not None
        assert first.group(1) in names[number.group(1)]
        totals[number.group(1)] += 1
    assert len(totals) >= 40
    assert set(totals.values()) == {1}


def test_orders_are_placed_in_idle_moments_at_home(life: Life) -> None:
    for order in shop(life):
        assert life.trip_on(order.placed.date()) is None
