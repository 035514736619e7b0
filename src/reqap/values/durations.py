"""Lengths of time: clock forms, ISO 8601, and numbers with units in several languages.

Its job is fixed lengths, up to weeks. Months and years have no fixed length and are refused here;
stretches of the calendar are `PartialDate`s.
"""

from __future__ import annotations

import math
import re
from datetime import timedelta

from reqap.errors import ValueProblem
from reqap.values._text import fold, is_missing, problem, scalar_text, shorten, word_set
from reqap.values.numbers import canonical_number, parse_number, parse_number_words

MICROSECONDS = {
    "us": 1,
    "ms": 1_000,
    "s": 1_000_000,
    "min": 60_000_000,
    "h": 3_600_000_000,
    "d": 86_400_000_000,
    "wk": 604_800_000_000,
}
# English, German, French, Spanish, Italian, Portuguese, Dutch, Scandinavian, Polish, Finnish,
# Turkish. "m" is not here: it is minutes in a duration but metres in a quantity.
_SPELLINGS = {
    "us": "us µs usec usecs microsecond microseconds mikrosekunde mikrosekunden",
    "ms": "ms msec msecs milli millis millisecond milliseconds millisekunde millisekunden "
    "milliseconde millisecondes milisegundo milisegundos millisecondi",
    "s": "s sec secs second seconds sek sekunde sekunden seconde secondes seg segundo segundos "
    "secondo secondi seconden sekund sekunder sekunda sekundy sekundi sekuntia saniye sn",
    "min": "min mins minute minutes minuten minuto minutos minuti minuut minuter minutter minut "
    "minuta minuty minuutti minuuttia dakika dk mn",
    "h": "h hr hrs hour hours std stunde stunden heure heures hora horas ora ore uur uren u timme "
    "timmar time timer godz godzina godziny godzin tunti tuntia saat",
    "d": "d day days tag tage tagen jour jours dia dias giorno giorni dag dagen dagar dage dager "
    "dzień dni päivä päivää gün",
    "wk": "w wk wks week weeks woche wochen semaine semaines semana semanas settimana settimane "
    "weken vecka veckor uge uger uke uker tydzień tygodnie tygodni viikko viikkoa hafta",
}
TIME_SPELLINGS = {fold(word): unit for unit, words in _SPELLINGS.items() for word in words.split()}
_UNIT_WORDS = {**TIME_SPELLINGS, "m": "min"}
_UNFIXED = word_set("mo month months monat monate mois mes meses yr yrs year years jahr jahre")

_CLOCK = re.compile(r"([0-9]{1,9})(?::([0-5]?[0-9]))?:([0-5][0-9])(?:[.,]([0-9]{1,9}))?")
_ISO_PART = r"(?:([0-9]+(?:[.,][0-9]+)?){})?"
_ISO = re.compile(
    "p"
    + "".join(_ISO_PART.format(letter) for letter in "ymwd")
    + "(?:t"
    + "".join(_ISO_PART.format(letter) for letter in "hms")
    + ")?"
)
_ISO_UNITS = ("wk", "d", "h", "min", "s")
_TOKEN = re.compile(r"[0-9][0-9.,']*(?::[0-9.,:]+)?|[^\W\d_]+|\S")
# What is written for units: 45'30", three quarters of an hour, a 40-minute walk.
_SIGNS = (
    (re.compile(r"(?<=[0-9]) ?(?:''|[\"”″])"), " s "),
    (re.compile(r"(?<=[0-9]) ?['’′](?![0-9]{3})"), " min "),
    (re.compile(r"(?<=[0-9])-(?=[^\W\d_])"), " "),
    (re.compile(r"three[ -]quarters of an hour"), "45 min"),
    (re.compile(r"(?:a )?quarter of an hour"), "15 min"),
)
_JOINERS = frozenset({"and", "und", "et", "y", "e", "en", "och", "og", "i", "ja", "ve", "&", ","})
# str(timedelta): only the days are negative, the clock always counts forward.
_PYTHON = re.compile(r"-([0-9]{1,9}) days?, ([0-9:.]+)")

_EXPECTED = "a duration"


def parse_duration(value: object, unit: str | None = None) -> timedelta | None:
    """The length of time in *value*; *unit* is for numbers that do not name theirs.

    "1:02:03" is hours, minutes, seconds. "02:03" is minutes and seconds, unless *unit* is "h:m".
    A unit in the text wins over *unit*. A bare number without any unit is refused.
    """
    if is_missing(value):
        return None
    if isinstance(value, timedelta):
        return value
    hours_first = isinstance(unit, str) and unit in ("h:m", "h:mm", "hh:mm")
    default = None if hours_first or is_missing(unit) else _unit_of(unit)
    if isinstance(value, str):
        text = scalar_text(value, _EXPECTED)
        micros = _from_text(text or "", default, hours_first, value)
    else:
        micros = _scaled(parse_number(value), default, value)
    try:
        return timedelta(microseconds=micros)
    except OverflowError:
        raise problem(value, "a duration of a usable length") from None


def _unit_of(word: object) -> str:
    key = fold(word.strip().rstrip(".")) if isinstance(word, str) and len(word) < 40 else ""
    if key in _UNIT_WORDS:
        return _UNIT_WORDS[key]
    raise problem(word, "a unit of time with a fixed length")


def _scaled(number: int | float | None, unit: str | None, value: object) -> int:
    """*number* of *unit* in whole microseconds."""
    if number is None or unit is None:
        raise ValueProblem(f"{shorten(value)} is not {_EXPECTED}: it has no unit")
    scaled = number * MICROSECONDS[unit]
    if isinstance(scaled, float) and not math.isfinite(scaled):
        raise problem(value, "a duration of a usable length")
    return round(scaled)


def _from_text(text: str, default: str | None, hours_first: bool, value: str) -> int:
    text = " ".join(fold(text).split())
    if canonical_number(text, None) is not None:
        return _scaled(parse_number(text), default, value)
    sign = -1 if text.startswith("-") else 1
    if (python := _PYTHON.fullmatch(text)) and (found := _CLOCK.fullmatch(python[2])):
        return _clock(found, hours_first=False) - int(python[1]) * MICROSECONDS["d"]
    text = text[text.startswith(("-", "+")) :].lstrip()
    if found := _CLOCK.fullmatch(text):
        return sign * _clock(found, hours_first)
    if text.startswith("p") and (found := _ISO.fullmatch(text)):
        return sign * _iso(found, value)
    return sign * _worded(text, value)


def _clock(found: re.Match[str], hours_first: bool) -> int:
    first, middle, last = int(found[1]), found[2], int(found[3])
    if middle is not None:
        seconds = (first * 60 + int(middle)) * 60 + last
    elif hours_first:
        seconds = (first * 60 + last) * 60
    else:
        seconds = first * 60 + last
    return seconds * MICROSECONDS["s"] + int((found[4] or "0")[:6].ljust(6, "0"))


def _iso(found: re.Match[str], value: str) -> int:
    years, months, *parts = found.groups()
    if years or months:
        raise ValueProblem(f"{shorten(value)} has no fixed length: it counts years or months")
    if not any(parts):
        raise problem(value, _EXPECTED)
    return sum(
        _scaled(parse_number(part.replace(",", "."), "."), unit, value)
        for part, unit in zip(parts, _ISO_UNITS, strict=True)
        if part
    )


def _worded(text: str, value: str) -> int:
    """Sums "2 hours and 5 minutes", "1 day, 2:03:04", "1h30", "an hour and a half"."""
    for sign, written in _SIGNS:
        text = sign.sub(written, text)
    total, unit, words = 0, "", list[str]()
    for token in [*_TOKEN.findall(text), ""]:
        if token in _UNIT_WORDS and words:
            unit = _UNIT_WORDS[token]
            total += _scaled(_amount(words, value), unit, value)
            words = []
        elif token in _UNFIXED:
            raise ValueProblem(f"{shorten(value)} has no fixed length: {token!r} varies")
        elif _is_word(token, words):
            words.append(token)
        elif token and token not in _JOINERS and token != ".":
            raise problem(value, _EXPECTED)
    if words:
        total += _leftover(words, unit, value)
    elif not unit:
        raise problem(value, _EXPECTED)
    return total


def _is_word(token: str, before: list[str]) -> bool:
    """Whether *token* belongs to an amount: a number, a word, or the hyphen of "twenty-one"."""
    if token == "-":
        return bool(before) and before[-1].isalpha()
    return token[:1].isalnum() and (bool(before) or token not in _JOINERS)


def _leftover(words: list[str], unit: str, value: str) -> int:
    """What follows the last unit: a clock, the minutes of "1h30", or the half of "and a half"."""
    text = " ".join(words)
    if unit and text in ("a half", "half"):
        return MICROSECONDS[unit] // 2
    if unit in ("d", "wk") and (found := _CLOCK.fullmatch(text)):
        return _clock(found, hours_first=False)
    if unit == "h" and re.fullmatch("[0-5][0-9]", text):
        return int(text) * MICROSECONDS["min"]
    raise problem(value, _EXPECTED)


def _amount(words: list[str], value: str) -> int | float | None:
    parse = parse_number_words if any(word.isalpha() for word in words) else parse_number
    try:
        return parse(" ".join(words))
    except ValueProblem:
        raise problem(value, _EXPECTED) from None


def format_duration(duration: timedelta) -> str:
    """A readable, exact text such as "1 h 30 min" or "-2 d 5 s", which `parse_duration` reads."""
    total = duration // timedelta(microseconds=1)
    parts = []
    rest = abs(total)
    for unit in ("d", "h", "min"):
        count, rest = divmod(rest, MICROSECONDS[unit])
        if count:
            parts.append(f"{count} {unit}")
    seconds, micros = divmod(rest, MICROSECONDS["s"])
    if seconds or micros or not parts:
        fraction = f".{micros:06}".rstrip("0") if micros else ""
        parts.append(f"{seconds}{fraction} s")
    return ("-" if total < 0 else "") + " ".join(parts)


def say_duration(duration: timedelta) -> str:
    """As people say it: to the second, from an hour on to the minute."""
    step = timedelta(minutes=1) if abs(duration) >= timedelta(hours=1) else timedelta(seconds=1)
    return format_duration(round(duration / step) * step)
