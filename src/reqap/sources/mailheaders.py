"""What the headers of a mail mean: its date, the people, the labels.

Real headers break every rule there is; nothing here raises. Not the job of this module: finding
the headers and undoing their encodings (`mime`).
"""

import re
from datetime import UTC, datetime, timedelta, timezone
from email.utils import parsedate_tz
from functools import lru_cache
from typing import NamedTuple

from reqap.errors import ValueProblem
from reqap.sources.charsets import decode_words
from reqap.sources.mime import Headers
from reqap.values import parse_datetime

_MONTH_NAMES = "jan feb mar apr may jun jul aug sep oct nov dec"
_MONTHS = {name: number for number, name in enumerate(_MONTH_NAMES.split(), start=1)}
# The usual form. Everything else takes the slow road.
_DATE = re.compile(
    r"(?:[A-Za-z]{3}, {1,2})?(\d{1,2}) ([A-Za-z]{3}) (\d{4}) (\d\d):(\d\d):(\d\d) ([+-]\d{4})\b"
)
_SEPARATOR_DATE = re.compile(
    r"([A-Z][a-z]{2}) {1,2}(\d{1,2}) {1,2}(\d{1,2}):(\d\d)(?::(\d\d))?"
    r"(?: ([+-]\d{4})| [A-Z]{2,5})? (\d{4})"
)
# Names of zones that mail programs write and `email.utils` does not know, in minutes.
_ZONES = {
    "WET": 0,
    "WEST": 60,
    "BST": 60,
    "CET": 60,
    "MET": 60,
    "MEZ": 60,
    "CEST": 120,
    "MEST": 120,
    "MESZ": 120,
    "EET": 120,
    "EEST": 180,
    "MSK": 180,
    "JST": 540,
}
_ZONE_NAME = re.compile(r"\b([A-Z]{3,4})\)?\s*$")
_UTC = re.compile(r"[+-]00:?00\b|\b(?:GMT|UTC?|Z)\b")
# There was no mail before; such dates come from clocks that were never set.
_FIRST_YEAR = 1971

_SIMPLE_ADDRESS = re.compile(r'"?([^"<>,;:()=\\]*)"? ?<([^<>\s,;:]+@[^<>\s,;:]+)>')
_LABEL = re.compile(r'(?:"[^"]*+"?|[^",]++)+')
# Headers up to this length are remembered when they were taken apart.
_REMEMBERED = 300
_ADDRESS_TOKEN = re.compile(
    r'=\?[^?\s]{1,80}\?[bBqQ]\?[^?]*+\?=|"(?:[^"\\]|\\.)*+"?|<[^<>]*+>|\([^()]*+\)|[,;]'
    r'|[^",;<(=]++|.',
    re.DOTALL,
)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split("|"))


# What Gmail calls its folders, in the languages an export may be in.
SENT = _words(
    "sent|sent mail|gesendet|messages envoyés|enviados|e-mails enviados|posta inviata|inviati"
    "|verzonden|wysłane|skickat|sendt|lähetetyt|отправленные|gönderilmiş postalar|送信済みメール"
    "|已发邮件"
)
CHATS = _words("chat|chats")
_PASSED_OVER = {
    "in the spam folder": _words("spam|pourriel|correo no deseado|спам"),
    "in the trash": _words(
        "trash|bin|papierkorb|corbeille|papelera|cestino|lixeira|lixo|prullenbak|kosz"
        "|papperskorg|papperskorgen|papirkurv|roskakori|корзина|çöp kutusu|ゴミ箱|已删除邮件"
    ),
    "a draft": _words(
        "draft|drafts|entwurf|entwürfe|brouillon|brouillons|borrador|borradores|bozza|bozze"
        "|rascunho|rascunhos|concepten|wersje robocze|utkast|kladder|luonnokset|черновики"
        "|taslaklar|下書き|草稿"
    ),
}


class Person(NamedTuple):
    """One party of a mail; either field may be empty, not both."""

    name: str
    address: str

    def __str__(self) -> str:
        if self.name and self.address:
            return f"{self.name} <{self.address}>"
        return self.name or self.address


def mail_date(headers: Headers, separator: bytes) -> datetime | None:
    """When a mail was sent; naive where the sender's offset is not known.

    Without a usable Date header, when it came in: by the separator line, else by the topmost
    Received header.
    """
    return (
        parse_date_header(headers.get("date", ""))
        or _separator_date(separator)
        or parse_date_header(headers.get("received", "").rpartition(";")[2])
    )


def parse_date_header(value: str) -> datetime | None:
    found = _DATE.match(value)
    try:
        if found and (month := _MONTHS.get(found[2].lower())):
            day, year, hour, minute, second = map(int, found.group(1, 3, 4, 5, 6))
            zone = _offset(found[7])
            moment = datetime(year, month, day, hour, minute, min(second, 59), tzinfo=zone)
            return moment if year >= _FIRST_YEAR else None
    except ValueError:
        pass
    return _odd_date(value[:200]) if value else None


@lru_cache(maxsize=256)
def _offset(text: str) -> timezone:
    """A zone out of "+0130"; a ValueError where there is no such zone."""
    minutes = int(text[1:3]) * 60 + int(text[3:5])
    return timezone(timedelta(minutes=-minutes if text[0] == "-" else minutes))


def _odd_date(value: str) -> datetime | None:
    try:
        parts = parsedate_tz(value)
        if parts is not None:
            moment = datetime(*parts[:5], min(parts[5], 59))
            zone = _odd_zone(value, parts[9])
        else:
            moment = parse_datetime(decode_words(value)) or datetime.min
            zone = None
        if zone is not None and moment.tzinfo is None:
            moment = moment.replace(tzinfo=zone)
    except (ValueProblem, ValueError, TypeError, IndexError, AttributeError, OverflowError):
        return None
    return moment if _FIRST_YEAR <= moment.year <= 2100 else None


def _odd_zone(value: str, seconds: int | None) -> timezone | None:
    """The zone of a date; none where none is written ("-0000" is UTC, written anywhere)."""
    if seconds:
        return timezone(timedelta(seconds=seconds))
    if _UTC.search(value):
        return UTC
    name = _ZONE_NAME.search(value)
    minutes = _ZONES.get(name[1]) if name else None
    return None if minutes is None else timezone(timedelta(minutes=minutes))


def _separator_date(separator: bytes) -> datetime | None:
    """The date of a "From " line: UTC, but local time where Thunderbird wrote it ("From - ")."""
    line = separator[:1000].decode("ascii", "replace")
    found = _SEPARATOR_DATE.search(line)
    if not found or not (month := _MONTHS.get(found[1].lower())):
        return None
    day, hour, minute, second, year = (int(found[n] or 0) for n in (2, 3, 4, 5, 7))
    try:
        zone = _offset(found[6]) if found[6] else UTC
        moment = datetime(year, month, day, hour, minute, min(second, 59), tzinfo=zone)
    except ValueError:
        return None
    if year < _FIRST_YEAR:
        return None
    return moment.replace(tzinfo=None) if line.startswith("From - ") else moment


def people(value: str) -> tuple[Person, ...]:
    """The parties in a header such as To."""
    return _few_people(value) if len(value) < _REMEMBERED else _many_people(value)


@lru_cache(maxsize=4096)
def _few_people(value: str) -> tuple[Person, ...]:
    """The same few people write most mails, so they are remembered."""
    if simple := _SIMPLE_ADDRESS.fullmatch(value):
        return (_person(simple[1], simple[2]),)
    return _many_people(value)


def _many_people(value: str) -> tuple[Person, ...]:
    found: list[Person] = []
    name, address, comment = "", "", ""
    for token in [*_ADDRESS_TOKEN.findall(value), ","]:
        if token in ",;":
            if (name or address) and (person := _finish(name, address, comment)):
                found.append(person)
            name, address, comment = "", "", ""
        elif token[0] == "<" and token[-1] == ">":
            address = token[1:-1]
        elif token[0] == "(" and token[-1] == ")":
            comment = token[1:-1]
        elif token[0] == '"':
            name += token[1:].removesuffix('"').replace('\\"', '"').replace("\\\\", "\\")
        else:
            name += token
    return tuple(found)


def _finish(name: str, address: str, comment: str) -> Person | None:
    if not address:
        # "undisclosed-recipients:;" and "Friends: a@b.c;" name a group.
        rest = name.rpartition(":")[2].strip() if "=?" not in name else name
        if "@" not in rest:
            return _person(rest, "") if rest.strip() else None
        name, address = comment, rest
    return _person(name or comment, address)


def _person(name: str, address: str) -> Person:
    shown = decode_words(name).strip("'\" ")
    address = address.strip().removeprefix("mailto:")[:320]
    if "=?" in address or not address.isprintable():
        address = decode_words(address)
    return Person("" if shown.lower() == address.lower() else shown[:500], address)


def labels(value: str) -> tuple[str, ...]:
    """The labels Gmail gives a message. A label that holds a comma is in quotes."""
    return _few_labels(value) if len(value) < _REMEMBERED else _split_labels(value)


def _split_labels(value: str) -> tuple[str, ...]:
    pieces = _LABEL.findall(decode_words(value))
    names = (piece.strip().strip('"').strip() for piece in pieces)
    return tuple(dict.fromkeys(name for name in names if name))


_few_labels = lru_cache(maxsize=1024)(_split_labels)


def passed_over(found: tuple[str, ...], headers: Headers) -> str:
    """Why a message is not imported; empty if it is."""
    lowered = {label.lower() for label in found}
    for reason, names in _PASSED_OVER.items():
        if not names.isdisjoint(lowered):
            return reason
    status = headers.get("x-mozilla-status", "")
    if len(status) == 4 and status.isalnum():
        try:
            if int(status, 16) & 0x0008:
                return "deleted (the mail program had not yet cleared it out)"
        except ValueError:
            pass
    if "x-imapbase" in headers or "x-imap" in headers:
        subject = headers.get("subject", "").upper()
        if "FOLDER INTERNAL DATA" in subject:
            return "a note of the mail program to itself"
    return ""
