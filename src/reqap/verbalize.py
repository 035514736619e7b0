"""An event in words: what models read of it.

`told` is what RETRIEVE looks at: what happened, without the numbers, dates and addresses that a
query never names (those are for a FILTER to decide), so that a thousand plays of a song are one
text. Where there are only numbers, their names are told: a weight was measured. Of an entry in a
calendar, it is told when it lies: a table at eight is a dinner, and what lasts six days a journey.
`explained` is the same in words that a network knows. `spelled` has everything, for EXTRACT.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime, time, timedelta
from functools import lru_cache

from reqap import gazetteer
from reqap.errors import ValueProblem
from reqap.events import Data, Scalar, Value
from reqap.values import convert, say_duration

# Kinds in which people tell of things, the best told first. All others are records by a device or a
# service: more structured than these, and each a thing of its own.
TELLINGS = ("calendar", "note", "mail", "chat", "social_media")
_TOLD_BY_PEOPLE = tuple(f"{kind.replace('_', ' ')};" for kind in TELLINGS)
_WHO = ("sender: ", "recipient: ", "participants: ", "attendees: ", "organizer: ")
# What was played, bought or looked up: its title tells nothing about the user's own doing.
_CONSUMED = re.compile(r"(online|web)_.*|.*_stream")
# What tells about the record and not about what happened.
_TECHNICAL = re.compile(
    r"url|uri|device|source_name|profile_name|time_zone|language|visibility|.*_unit|order|order_id"
    r"|edited|event|payment_method|shipping_option|status|reason_(?:start|end)|.*_address|.*_id"
    r"|timestamp|country|calendar_name|post_type|labels|direction|product_condition"
)
# Changes with what `explained` says: an index of texts that were told otherwise is of no use.
VERSION = 6 + gazetteer.VERSION
# Pictures among the letters; lines and shapes are decoration.
_SIGN = re.compile(r"[\u2300-\u24ff\u2600-\u27bf\U0001f300-\U0001faff]")
_SIGN_PART = re.compile(r"[\u200d\ufe0f\U0001f3fb-\U0001f3ff]")
_LOCATION = "location: "
_MOST_KINDS = 2  # of places, and of doctors: what speaks of more tells of none
_ABBREVIATED = 3
_MOST_IMPLIED = 6  # cuisines; what more of them claim says nothing
_ADDRESS = re.compile(r"\s?<[^<>\s@]{0,100}@[^<>\s]{0,100}>")
_LINK = re.compile(r"https?://\S+")
_BLANK = re.compile(r"\s+")
# Amounts, dates and times. A bare number may be a title.
_MONEY = r"(?:[A-Z]{3}|[$€£¥₹])"
_NUMBER = re.compile(
    rf"{_MONEY} ?[\d.,]+|[\d.,]+ ?(?:{_MONEY}|%)|\d+[-./:]\d[-./:\d]*(?:[T ][\d:.]+)?Z?"
)
# The parts of a day, by the hour at which they end.
_PARTS = ((5, "night"), (11, "morning"), (14.5, "midday"), (17.5, "afternoon"), (22, "evening"))
_DAY = timedelta(days=1)
_LONG = timedelta(hours=20)  # what lasts longer is told in days
_MOST_DAYS = 14
_POSTS = ("social_media",)  # are mostly of the moment
# How many word pieces of a text the search reads, and how a pattern is put to it.
LONGEST = 384
ALL_OF = "all of: "
# What they say of a text, or of all that have a pattern.
IRRELEVANT, PARTIAL, RELEVANT = range(3)
# Texts are hostile: this much of a value is read.
_MOST, _MOST_ITEMS, _MOST_NAME = 6_000, 20, 120
_MOST_PATTERN = 160  # what is longer is a text of its own, and has nothing in common with others
_MOST_GIST = 200  # and this much is shown where there is little room
_MOST_SPELLED, _MOST_SPELLED_ITEMS = 12_000, 100
# What no words of a telling are: "en" is not where somebody was.
_SILENT = re.compile(r"ur[li]|language|visibility|post_type|edited|time_zone|source_name|.*_id")
# Changes with what `spelled` says.
SPELLED = 3


def is_consumed(kind: str) -> bool:
    return _CONSUMED.fullmatch(kind) is not None


def when(kind: str, start: datetime, end: datetime) -> str:
    """When an entry of a calendar lies, as far as that says what it is: "evening", "6 days"."""
    if kind != "calendar":
        return ""
    bare = start == end and start.time() == time()  # a day without a time of day
    if bare or end - start >= _LONG:
        days = round((end - start) / _DAY)
        return "all day" if days <= 1 else "weeks" if days > _MOST_DAYS else f"{days} days"
    return _part(start)


def moment(kind: str, start: datetime, end: datetime) -> str:
    """The same for EXTRACT, which also learns from the hour of a post: who is hungry at one."""
    return _part(start) if kind in _POSTS else when(kind, start, end)


def _part(start: datetime) -> str:
    hour = start.hour + start.minute / 60
    return next((part for until, part in _PARTS if hour < until), "night")


def told(kind: str, data: Data, me: Sequence[str] = (), at: str = "") -> str:
    """What happened: "workout; workout type: running". Whoever goes by a name of `me` is "me"; `at`
    says when (`when`)."""
    parts: list[str] = []
    said: set[str] = set()
    for key, value in data.items():
        text = _said(value)
        if me and isinstance(value, str) and _is_one_of(value, me):
            text = "me"
        is_news = key == "event" and text.casefold() != _words(kind)  # "moved to a new home"
        if text and text not in said and (is_news or not _TECHNICAL.fullmatch(key)):
            parts.append(f"{_words(key)}: {text}")
            said.add(text)
    names = parts or [_words(key) for key in data if not _TECHNICAL.fullmatch(key)]
    return "; ".join((_words(kind), *([f"when: {at}"] if at else ()), *names))


@lru_cache(1 << 12)  # an entry that recurs is told again and again
def explained(told_text: str, home: frozenset[str] = frozenset()) -> str:
    """What is told, with names for signs ("skier" for ⛷), and what dishes, places and treatments
    imply.

    `home` are the countries in which the owner has lived: others are abroad.
    """
    text = told_text
    if not text.isascii():
        text = _BLANK.sub(" ", _SIGN.sub(_sign, _SIGN_PART.sub("", text)))
    if not text.startswith(_TOLD_BY_PEOPLE):
        return text
    kind, _, rest = text.partition("; ")
    said = "; ".join(part for part in rest.split("; ") if not part.startswith(_WHO))
    found = (hint.values for hint in gazetteer.hints(said) if len(hint.values) <= _MOST_IMPLIED)
    implied = list(dict.fromkeys(value for values in found for value in values))
    parts = [kind, f"food: {', '.join(implied[:_MOST_IMPLIED])}" if implied else ""]
    parts += _at(said)
    countries = dict.fromkeys(
        place.countries[0] for place in gazetteer.places(said) if len(place.countries) == 1
    )
    if countries:
        abroad = ["abroad"] if home and not countries.keys() <= home else []
        parts.append(f"in: {', '.join([*list(countries)[:_MOST_IMPLIED], *abroad])}")
    return "; ".join(filter(None, (*parts, rest)))  # of a long text, only the beginning is read


def _at(said: str) -> list[str]:
    """What kind of place something was at, and whom one saw there for one's health."""
    places = (gazetteer.kind_of_place(part.removeprefix(_LOCATION))
              for part in said.split("; ") if part.startswith(_LOCATION))  # fmt: skip
    kinds = dict.fromkeys(one.values[0] for one in places if one)
    # "vet" and "gp" say it themselves, or mean something else.
    doctors = dict.fromkeys(one.values[0] for one in gazetteer.doctors(said)
                            if one.end - one.begin > _ABBREVIATED)  # fmt: skip
    both = (("at", kinds), ("doctor", doctors))
    return [f"{name}: {', '.join(found)}" for name, found in both if 0 < len(found) <= _MOST_KINDS]


def _sign(found: re.Match[str]) -> str:
    return f" {unicodedata.name(found[0], '').lower()} "


def gist(data: Data, around: str = "") -> str:
    """What a person sees of an event on one line: its words, and its numbers with what they are.

    Of a long one the beginning, or what stands around some of its words.
    """
    parts: dict[str, None] = {}
    for key, value in data.items():
        if _TECHNICAL.fullmatch(key) or value is False:
            continue
        text = _words(key) if value is True else _plain(value)
        if isinstance(value, int | float) and value is not True:
            text = _counted(key, value, data)
        elif _NUMBER.fullmatch(text):
            text = f"{_words(key)} {text}"
        if text:
            parts[text] = None
    whole = " · ".join(parts)
    place = whole.find(around) if around else 0
    begin = max(0, place - _MOST_GIST // 2) if place + len(around) > _MOST_GIST else 0
    return ("…" if begin else "") + whole[begin : begin + _MOST_GIST]


def _counted(key: str, number: float, data: Data) -> str:
    """A number with its unit, or its name: `energy_unit` is that of `energy_burned`."""
    for name, unit in data.items():
        if name.endswith("_unit") and name.removesuffix("_unit") in key and isinstance(unit, str):
            with suppress(ValueProblem, OverflowError):
                return say_duration(timedelta(seconds=convert(number, unit, "s")))
            return f"{number:,.12g} {unit}"
    return f"{_words(key)} {number:,.12g}"


def patterns_of(kind: str, data: Data, me: Sequence[str] = ()) -> Iterator[str]:
    """What an event has in common with others: its kind, and each of its values alone."""
    yield told(kind, {})
    for key, value in data.items():
        for item in [value] if isinstance(value, Scalar) else list(value)[:_MOST_ITEMS]:
            text = told(kind, {key: item}, me)
            if ":" in text and len(text) <= _MOST_PATTERN:
                yield text


def spelled(kind: str, data: Data, at: str = "") -> str:
    """All that a record says; `at` is when it lies or was posted (`moment`)."""
    return spelled_out(kind, data, at)[0]


def spelled_out(kind: str, data: Data, at: str = "") -> tuple[str, dict[str, tuple[int, int]]]:
    """All that a record says, and where in it the value of each key stands."""
    text, places = _words(kind), {}
    text += f"; when: {at}" if at else ""
    for key, value in data.items():
        if len(text) > _MOST_SPELLED:
            break
        if kind in TELLINGS and _SILENT.fullmatch(key):
            continue
        text += f"; {_words(key[:_MOST_NAME])}: "
        begin = len(text)
        text += _plain(value)
        places[key] = (begin, len(text))
    return text, places


def _said(value: Value) -> str:
    """A value, if it is words."""
    if isinstance(value, str):
        text = _plain(value)
        return "" if _NUMBER.fullmatch(text) else text
    if isinstance(value, Scalar):
        return ""
    return ", ".join(filter(None, map(_said, list(value)[:_MOST_ITEMS])))


def _plain(value: Value) -> str:
    if isinstance(value, str):
        text = _LINK.sub("", _ADDRESS.sub("", value[:_MOST]))
        return _BLANK.sub(" ", text).strip()
    if isinstance(value, Scalar):
        return str(value)
    items: list[str] = []
    for item in list(value)[:_MOST_SPELLED_ITEMS]:
        items.append(_plain(item))
        if sum(map(len, items)) > _MOST_SPELLED:
            break
    return ", ".join(items)


def _is_one_of(value: str, names: Sequence[str]) -> bool:
    """Whether a value is a name, or an address that is made of one: ada.byron@post.example."""
    if len(value) > _MOST_NAME:
        return False
    plain = _ADDRESS.sub("", value).strip().casefold() or value.strip("<> ").casefold()
    local = plain.partition("@")[0]
    return any(
        plain == name.casefold()
        or ("@" in plain and " " in name and all(part in local for part in name.casefold().split()))
        for name in names
    )


def _words(name: str) -> str:
    return name.replace("_", " ").strip()
