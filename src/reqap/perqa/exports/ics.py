"""Writes the calendar as Apple does: zones, folded lines, all-day entries, durations."""

from datetime import datetime, time, timedelta
from pathlib import Path

from reqap.perqa.exports import pack
from reqap.perqa.exports.traces import Traces, digest
from reqap.perqa.texts import Observation


def write(traces: Traces, folder: Path) -> None:
    """`calendar.ics`."""
    name = traces.persona.name.split()[0]
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//Apple Inc.//macOS 14.5//EN",
        _text("X-WR-CALNAME", name),
        f"X-WR-TIMEZONE:{traces.zone(traces.persona.today).key}",
    ]
    for number, one in enumerate(traces.of("calendar")):
        lines += _event(traces, one, number)
    lines.append("END:VCALENDAR")
    pack.write_file(folder / "calendar.ics", b"".join(map(_fold, lines)))


def _event(traces: Traces, one: Observation, number: int) -> list[str]:
    key = digest(one.start, one.data["summary"], number).upper()
    uid = f"{key[:8]}-{key[8:12]}-{key[12:16]}-{key[16:20]}-{key[20:32]}"
    lines = [
        "BEGIN:VEVENT",
        f"UID:{uid}",
        f"DTSTAMP:{traces.utc(traces.exported):%Y%m%dT%H%M%SZ}",
        *_times(traces, one, number),
    ]
    for name in ("summary", "location", "description"):
        if told := one.data.get(name):
            lines.append(_text(name.upper(), str(told)))
    if number % 3:
        lines.append("STATUS:CONFIRMED")
    return [*lines, "END:VEVENT"]


def _times(traces: Traces, one: Observation, number: int) -> list[str]:
    """Zone, UTC or a duration, as calendars of several programs have them."""
    if one.start.time() == time.min and one.end.time() in (
        time.min,
        time(23, 59),
        time(23, 59, 59),
    ):
        # The end of an all-day entry is the day after its last one.
        after = one.end.date() + timedelta(days=1 if one.end.time() > time.min else 0)
        return [f"DTSTART;VALUE=DATE:{one.start:%Y%m%d}", f"DTEND;VALUE=DATE:{after:%Y%m%d}"]
    zone = traces.zone(one.start).key
    if number % 9 == 4:
        minutes = int((one.end - one.start).total_seconds() // 60)
        return [_at("DTSTART", one.start, zone), f"DURATION:PT{minutes // 60}H{minutes % 60}M"]
    if number % 11 == 7:
        return [f"{name}:{traces.utc(when):%Y%m%dT%H%M%SZ}"
                for name, when in (("DTSTART", one.start), ("DTEND", one.end))]  # fmt: skip
    return [_at("DTSTART", one.start, zone), _at("DTEND", one.end, zone)]


def _at(name: str, local: datetime, zone: str) -> str:
    return f"{name};TZID={zone}:{local:%Y%m%dT%H%M%S}"


def _text(name: str, value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,")
    return f"{name}:{escaped}".replace("\n", "\\n")


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
