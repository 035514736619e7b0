"""Writes calendars as Apple and Google do: series, exceptions, moved instances, odd zones."""

from __future__ import annotations

import hashlib
from datetime import date, datetime, timedelta
from pathlib import Path

from reqap.demo import bank, pack, people
from reqap.demo.life import HOLIDAYS, HOME_ZONE, Life, Occasion, utc
from reqap.demo.people import NEW_JOB_FROM

WINDOWS = "W. Europe Standard Time"
PITCH = "Sportplatz am Elbdeich"
STAMP = "20260102T091500Z"


def write_calendar(life: Life, folder: Path) -> None:
    """`calendar.ics`: her own calendar."""
    pack.write_file(folder / "calendar.ics", own_calendar(life))


def own_calendar(life: Life) -> bytes:
    mine = [it for it in life.occasions if not it.has("shared") and not it.has("nocal")]
    events = _football(life) + _work_series(life) + _trips(life) + _birthdays()
    for number, occasion in enumerate(mine):
        events.append(_event(occasion, number))
    head = ["X-WR-CALNAME:Inês", f"X-WR-TIMEZONE:{HOME_ZONE}"]
    zones = bank.raw("vtimezones.txt").splitlines()
    return _calendar("-//Apple Inc.//macOS 14.5//EN", head, zones, events)


def family_calendar(life: Life) -> bytes:
    """The small calendar she shares with Jonas, as Google Takeout writes it (UTC times)."""
    shared = [it for it in life.occasions if it.has("shared")]
    events = [_google_event(occasion) for occasion in shared]
    bins = [
        "DTSTART;VALUE=DATE:20241017",
        "DTEND;VALUE=DATE:20241018",
        "RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=TH;UNTIL=20251231",
        _text("SUMMARY", "Bins out"),
        "STATUS:CONFIRMED",
    ]
    events.append(_wrap("bins", bins))
    head = [
        "CALSCALE:GREGORIAN",
        "METHOD:PUBLISH",
        "X-WR-CALNAME:Family",
        f"X-WR-TIMEZONE:{HOME_ZONE}",
    ]
    return _calendar("-//Google Inc//Google Calendar 70.9054//EN", head, [], events)


def _calendar(producer: str, head: list[str], zones: list[str], events: list[list[str]]) -> bytes:
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", f"PRODID:{producer}", *head, *zones]
    for event in events:
        lines += event
    lines.append("END:VCALENDAR")
    return b"".join(_fold(line) for line in lines)


def _fold(line: str) -> bytes:
    """Fold at 75 octets, never inside a character."""
    out, current = b"", b""
    for char in line:
        octets = char.encode("utf-8")
        if len(current) + len(octets) > 74:
            out += current + b"\r\n"
            current = b" "
        current += octets
    return out + current + b"\r\n"


def _text(name: str, value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,")
    return f"{name}:{escaped}".replace("\n", "\\n")


def _uid(key: str) -> str:
    digest = hashlib.sha256(key.encode()).hexdigest().upper()
    return f"{digest[:8]}-{digest[8:12]}-{digest[12:16]}-{digest[16:20]}-{digest[20:32]}"


def _wrap(key: str, lines: list[str], sequence: int = 0) -> list[str]:
    head = ["BEGIN:VEVENT", f"UID:{_uid(key)}", f"DTSTAMP:{STAMP}", f"SEQUENCE:{sequence}"]
    return [*head, *lines, "END:VEVENT"]


def _stamp(local: datetime) -> str:
    return local.strftime("%Y%m%dT%H%M%S")


def _at(name: str, local: datetime, zone: str) -> str:
    return f"{name};TZID={zone}:{_stamp(local)}"


def _event(occasion: Occasion, number: int) -> list[str]:
    """One appointment; invitations of the new job come from Outlook with its own zone names."""
    outlook = occasion.kind == "work" and occasion.start.date() >= NEW_JOB_FROM
    zone = WINDOWS if outlook and occasion.zone == HOME_ZONE else occasion.zone
    lines = _times(occasion, zone, number)
    lines.append(_text("SUMMARY", occasion.summary))
    if occasion.location:
        lines.append(_text("LOCATION", occasion.location))
    if occasion.description:
        lines.append(_text("DESCRIPTION", occasion.description))
    if occasion.has("cancelled"):
        lines.append("STATUS:CANCELLED")
    elif number % 3:
        lines.append("STATUS:CONFIRMED")
    return _wrap(f"{occasion.start.isoformat()}{occasion.summary}", lines)


def _times(occasion: Occasion, zone: str, number: int) -> list[str]:
    start, end = occasion.start, occasion.end
    if occasion.has("float"):
        return [f"DTSTART:{_stamp(start)}"]
    if end is None:
        return [_at("DTSTART", start, zone)]
    if number % 9 == 4:
        minutes = int((end - start).total_seconds() // 60)
        return [_at("DTSTART", start, zone), f"DURATION:PT{minutes // 60}H{minutes % 60}M"]
    if number % 11 == 7:
        return [
            f"{name}:{_stamp(utc(when, occasion.zone))}Z"
            for name, when in (("DTSTART", start), ("DTEND", end))
        ]
    return [_at("DTSTART", start, zone), _at("DTEND", end, zone)]


def _google_event(occasion: Occasion) -> list[str]:
    end = occasion.end or occasion.start + timedelta(hours=1)
    lines = [
        f"DTSTART:{_stamp(utc(occasion.start, occasion.zone))}Z",
        f"DTEND:{_stamp(utc(end, occasion.zone))}Z",
        _text("SUMMARY", occasion.summary),
        _text("LOCATION", occasion.location),
        _text("DESCRIPTION", occasion.description),
        "STATUS:CONFIRMED",
        "TRANSP:OPAQUE",
    ]
    return _wrap(f"family{occasion.start.isoformat()}{occasion.summary}", lines)


def _football(life: Life) -> list[list[str]]:
    """The weekly practice: two series, exceptions for missed weeks, two moved evenings."""
    events = []
    for number, (first, last) in enumerate(life.football.seasons):
        start, end = datetime(*first.timetuple()[:3], 19), datetime(*first.timetuple()[:3], 20, 30)
        missed = [day for day in life.football.skipped if first <= day <= last]
        until = utc(datetime(*last.timetuple()[:3], 23, 59), HOME_ZONE)
        dates = ",".join(f"{day:%Y%m%d}T190000" for day in missed)
        lines = [
            _at("DTSTART", start, HOME_ZONE),
            _at("DTEND", end, HOME_ZONE),
            f"RRULE:FREQ=WEEKLY;BYDAY=TU;UNTIL={_stamp(until)}Z",
            f"EXDATE;TZID={HOME_ZONE}:{dates}",
            _text("SUMMARY", "Football practice"),
            _text("LOCATION", PITCH),
            _text("DESCRIPTION", "SC Elbdeich, bring both colours. Food afterwards if legs allow."),
        ]
        events.append(_wrap(f"football{number}", lines, sequence=4))
        for planned, real in life.football.moved.items():
            if first <= planned <= last:
                events.append(_moved(number, planned, real))
    return events


def _moved(number: int, planned: date, real: date) -> list[str]:
    lines = [
        f"RECURRENCE-ID;TZID={HOME_ZONE}:{planned:%Y%m%d}T190000",
        f"DTSTART;TZID={HOME_ZONE}:{real:%Y%m%d}T190000",
        f"DTEND;TZID={HOME_ZONE}:{real:%Y%m%d}T203000",
        _text("SUMMARY", "Football practice (moved to Wednesday)"),
        _text("LOCATION", PITCH),
    ]
    return _wrap(f"football{number}", lines, sequence=5)


def _work_series(life: Life) -> list[list[str]]:
    """Stand-ups of both jobs, without the days on which she was away, ill or off."""
    plans = [
        (
            "Kontor stand-up",
            date(2024, 1, 8),
            date(2025, 1, 30),
            9,
            HOME_ZONE,
            "Kontor, room Alster",
        ),
        ("Design critique", date(2025, 2, 10), date(2025, 12, 15), 11, WINDOWS, "Am Sandtorkai"),
    ]
    events = []
    for name, first, last, hour, zone, place in plans:
        days = [first + timedelta(weeks=week) for week in range((last - first).days // 7 + 1)]
        away = [day for day in days if life.trip_on(day) or life.is_ill(day) or day in HOLIDAYS]
        dates = ",".join(f"{day:%Y%m%d}T{hour:02d}1500" for day in away)
        lines = [
            f"DTSTART;TZID={zone}:{first:%Y%m%d}T{hour:02d}1500",
            "DURATION:PT30M",
            f"RRULE:FREQ=WEEKLY;BYDAY=MO;UNTIL={last:%Y%m%d}T220000Z",
            f"EXDATE;TZID={zone}:{dates}",
            _text("SUMMARY", name),
            _text("LOCATION", place),
        ]
        events.append(_wrap(name, lines, sequence=1))
    return events


def _trips(life: Life) -> list[list[str]]:
    """All-day events; the end is the day after the last one, as the standard has it."""
    events = []
    for trip in life.trips:
        lines = [
            f"DTSTART;VALUE=DATE:{trip.start:%Y%m%d}",
            f"DTEND;VALUE=DATE:{trip.end + timedelta(days=1):%Y%m%d}",
            _text("SUMMARY", trip.title),
            _text("LOCATION", trip.address),
            "TRANSP:TRANSPARENT",
        ]
        events.append(_wrap(f"trip{trip.start}", lines))
    return events


def _birthdays() -> list[list[str]]:
    events = []
    for birthday in people.birthdays():
        lines = [
            f"DTSTART;VALUE=DATE:{birthday.born:%Y%m%d}",
            f"DTEND;VALUE=DATE:{birthday.born + timedelta(days=1):%Y%m%d}",
            "RRULE:FREQ=YEARLY",
            _text("SUMMARY", f"🎂 {birthday.name}"),
            "TRANSP:TRANSPARENT",
        ]
        events.append(_wrap(f"birthday{birthday.name}", lines))
    return events
