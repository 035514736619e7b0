"""The time of day inside a text: found, read, and cut out so that the date remains.

Its job is the clock and its zone. Not its job: the date around it (`dates`) and lengths of time
(`durations`).
"""

from __future__ import annotations

import re
from datetime import UTC, timedelta, timezone
from typing import NamedTuple

from reqap.values.datewords import ZONES

# Text is folded (lower case, no accents) and tidied before it meets these.
_CLOCK = re.compile(
    r"(?:(?<=[0-9])t ?)?(?<![0-9:.])(?P<hour>[0-9]{1,2})(?::| ?h ?)(?P<minute>[0-9]{2})"
    r"(?::(?P<second>[0-9]{2})(?:[.,](?P<fraction>[0-9]+))?)?(?![0-9:])"
    r"(?: ?(?P<half>[ap])\.? ?m\b\.?)?"
)
# Finnish and Danish write the time with dots, which only the word before tells from a date.
_DOTTED_CLOCK = re.compile(
    r"\bklo?\.? ?(?P<hour>[0-9]{1,2})\.(?P<minute>[0-9]{2})(?:\.(?P<second>[0-9]{2}))?(?![0-9.])"
)
_HOUR_ONLY = re.compile(r"(?<![0-9:./-])(?P<hour>[0-9]{1,2}) ?(?:(?P<half>[ap])\.? ?m\b\.?|uhr\b)")
_OFFSET = re.compile(
    r" ?\(?(?P<word>utc|gmt|ut|z)? ?(?P<sign>[+-])(?P<hours>[0-9]{1,2})"
    r"(?::?(?P<minutes>[0-9]{2}))?(?![0-9:])\)?"
)
_ZONE_NAME = re.compile(r" ?\(?([a-z]{1,4})\b\)?")
_COMMENT = re.compile(r"\([^()]*\)")


class Clock(NamedTuple):
    """A time of day as an offset from midnight, since 24:00 and :60 exist."""

    since_midnight: timedelta
    zone: timezone | None


def cut_clock(text: str) -> tuple[Clock | None, str]:
    """The clock in *text* and the text without it; a ValueError when the clock is impossible."""
    found = _CLOCK.search(text) or _DOTTED_CLOCK.search(text) or _HOUR_ONLY.search(text)
    if found is None:
        return None, text
    before, after = text[: found.start()], text[found.end() :]
    zone, after = _cut_zone(after)
    clock = Clock(_since_midnight(found.groupdict()), zone)
    return clock, f"{before} {_COMMENT.sub(' ', after)}".strip()


def _since_midnight(parts: dict[str, str | None]) -> timedelta:
    hour, minute = int(parts["hour"] or 0), int(parts.get("minute") or 0)
    second = int(parts.get("second") or 0)
    micros = int((parts.get("fraction") or "0")[:6].ljust(6, "0"))
    half = parts.get("half")
    if half:
        if hour > 12:
            raise ValueError("a 12-hour clock ends at 12")
        hour = hour % 12 + (12 if half == "p" else 0)
    # A leap second (:60) runs over into the next minute; 24:00 is midnight at the end of the day.
    if minute > 59 or second > 60 or hour > 24 or (hour == 24 and (minute or second or micros)):
        raise ValueError("no such time of day")
    return timedelta(hours=hour, minutes=minute, seconds=second, microseconds=micros)


def _cut_zone(text: str) -> tuple[timezone | None, str]:
    """The zone that *text* starts with, if any, and what follows it."""
    found = _OFFSET.match(text)
    if found is not None and _is_offset(found, text):
        offset = timedelta(hours=int(found["hours"]), minutes=int(found["minutes"] or 0))
        if int(found["minutes"] or 0) > 59 or offset >= timedelta(days=1):
            raise ValueError("no such time zone offset")
        offset = -offset if found["sign"] == "-" else offset
        return (timezone(offset) if offset else UTC), text[found.end() :]
    found = _ZONE_NAME.match(text)
    if found is not None and found[1] in ZONES:
        offset = ZONES[found[1]]
        return (timezone(offset) if offset else UTC), text[found.end() :]
    return None, text


def _is_offset(found: re.Match[str], text: str) -> bool:
    """Tells "+02:00", "GMT+2" and a final "+02" from the "-05" that begins a date."""
    if found["word"] or (found["minutes"] and len(found["hours"]) == 2):
        return True
    return len(found["hours"]) == 2 and found.end() == len(text)
