"""One raw value of an event's data, read as the asked type, with its unit.

Its job is to choose among the readers of `values`, and to be silent where none can read.
Not the job of this module: finding the value.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from typing import NamedTuple

import pyarrow as pa

from reqap import values
from reqap.errors import ValueProblem
from reqap.extract.concepts import NUMBERS, Asked, is_other, split_key
from reqap.gazetteer import country_of, is_area, is_same, is_town

ARROW: dict[str, pa.DataType] = {
    "str": pa.string(), "int": pa.int64(), "float": pa.float64(), "bool": pa.bool_(),
    "date": pa.date32(), "time": pa.time64("us"), "datetime": pa.timestamp("us"),
    "timedelta": pa.duration("us"), "list": pa.list_(pa.string()),
}  # fmt: skip
Plain = str | int | float | bool | date | time | datetime | timedelta | list[str]
_Amount = tuple[int | float | None, str | None]
_LONGEST = timedelta(days=100_000_000)  # what 64 bits of microseconds hold
_LONGEST_PLACE = 200
_ADDRESS = re.compile(r"([^<>]+)<[^<>]*>")
_SLEEPING = frozenset(("sleep", "asleep", "awake", "rem", "nap"))  # their parts last like they do
_FEET = re.compile("[0-9] ?['’′]")  # or minutes


class Reading(NamedTuple):
    value: Plain
    unit: str | None = None


class Found(NamedTuple):
    """What an event tells, where, and how sure that is; with a `key`, that one's value is meant."""

    reading: Reading
    where: str
    chance: float = 1.0
    key: str | None = None


def unit_keys(data_key: str) -> list[str]:
    """The data keys that may name the unit of another: walking_distance → distance_unit,
    deep_sleep → duration_unit."""
    words = split_key(data_key)[0][::-1]
    others = ["currency"] if _SLEEPING.isdisjoint(words) else ["duration_unit"]
    return [f"{data_key}_unit", f"{data_key}Unit", *(f"{word}_unit" for word in words[:4]), *others]


def possible(asked: Asked, data: Mapping[str, object]) -> dict[str, object]:
    """The columns that may answer a key: not those that are told apart from it, or, where it has a
    unit, measure something else."""
    near = {key: value for key, value in data.items() if not is_other(asked, key)}
    if asked.measure is None:
        return near
    meant = (None, asked.measure)
    return {key: value for key, value in near.items() if _measure(key, value, data) in meant}


def _measure(key: str, value: object, data: Mapping[str, object]) -> str | None:
    """What a column measures, by its value, its name, or the unit beside it."""
    if isinstance(value, str) and not _FEET.search(value):
        with suppress(ValueProblem):
            quantity = values.parse_quantity(value)
            return values.unit_kind(quantity.unit) if quantity else None
    beside = (data[name] for name in unit_keys(key) if name in data)
    units = (split_key(key)[1], *(_unit(one) for one in beside if isinstance(one, str)))
    return next(filter(None, map(values.unit_kind, units)), None)


def read(asked: Asked, raw: object, unit: str | None) -> Reading | None:
    """The value in `raw`, None when it cannot be read; `unit` is for numbers without their own."""
    try:
        if asked.type_name in NUMBERS:
            return _number(asked, *_amount(asked, raw, unit))
        value = _plain(asked, raw, unit)
    except ValueProblem:
        return None
    return None if value is None else Reading(value)


def countries(names: Iterable[str]) -> list[str]:
    """For places, their countries; what is no place that is known stays as it is."""
    return list(dict.fromkeys(country_of(name) or name for name in names))


def towns(names: Iterable[str]) -> list[str]:
    """Of places, the town if one is named: "Lima" of "Lima, Peru" and of "Casa Blanca, Lima"."""
    return list(dict.fromkeys(_parts(name)[1] or name for name in names))


def venues(names: Iterable[str]) -> list[str]:
    """Places without what they lie in: "Casa Blanca" of "Casa Blanca, Lima, Peru"."""
    return list(dict.fromkeys(_parts(name)[0] or name for name in names))


def is_in_place(value: object) -> bool:
    """Whether only towns and countries are named, and nothing in them."""
    names = value if isinstance(value, list) else [value]
    return all(is_town(str(name)) or is_area(str(name)) for name in names)


def _parts(name: str) -> tuple[str, str]:
    """What is named before what it lies in, and the town; of several towns, none."""
    if len(name) > _LONGEST_PLACE:
        return name, ""
    parts = [part.strip() for part in name.split(",")]
    while len(parts) > 1 and (is_area(parts[-1]) or is_same(parts[-1], parts[-2])):
        parts.pop()
    named = [part for part in parts if is_town(part)]
    if named != parts[-1:]:
        return ", ".join(parts), ""
    return ", ".join(parts[:-1]) or parts[0], parts[-1]


def _plain(asked: Asked, raw: object, unit: str | None) -> Plain | None:
    if asked.type_name == "timedelta":
        span = values.parse_duration(raw, unit)
        return span if span is not None and abs(span) < _LONGEST else None
    if asked.type_name in ("list", "str") and isinstance(raw, str | list):
        whole = asked.type_name == "str" and isinstance(raw, str)
        parts = (raw,) if whole else values.parse_list(raw)
        items = [_tidy(asked, str(part)) for part in parts if not values.is_missing(part)]
        return (items if asked.type_name == "list" else ", ".join(items)) or None
    value = values.coerce(raw, asked.type_name)
    if isinstance(value, datetime | time):
        return value.replace(tzinfo=None)
    if isinstance(value, tuple):
        return list(value) or None
    return None if isinstance(value, values.Money) else value


def _tidy(asked: Asked, text: str) -> str:
    """Of people, the name without the address."""
    found = _ADDRESS.fullmatch(text) if asked.nature == "person" and len(text) < 500 else None
    return ((found[1].strip(' "') if found else "") or text).strip()


def _number(asked: Asked, amount: int | float | None, unit: str | None) -> Reading | None:
    in_time = "time" in (asked.nature, asked.measure)
    if amount is None or (asked.unit and not unit and in_time):
        return None  # a bare number may count anything from milliseconds to hours
    if asked.unit and unit != asked.unit and unit:  # francs are no euros: that is refused
        amount, unit = values.convert(amount, unit, asked.unit), asked.unit
    if asked.type_name == "float":
        return Reading(float(amount), unit)
    # Only what is counted must be whole: half a minute or half a euro is rounded, half a song not.
    fits = abs(amount) < 1 << 62 and (unit or amount == int(amount))
    return Reading(round(amount), unit) if fits else None


def _amount(asked: Asked, raw: object, unit: str | None) -> _Amount:
    """A number and its unit: "5.99 EUR", "10 km", "1:02:03", or a bare one with `unit` beside."""
    raw = raw[0] if isinstance(raw, list) and len(raw) == 1 else raw
    raw = raw.rstrip().removesuffix("%") if isinstance(raw, str) and not asked.unit else raw
    in_time = "time" in (asked.nature, asked.measure)
    last = values.parse_duration if in_time else values.parse_money
    readers: list[Callable[[object], object]] = [values.parse_quantity, last]
    if in_time or asked.nature == "money":
        readers.reverse()
    for reader in (values.parse_number, *readers):
        try:
            found = reader(raw)
        except ValueProblem:
            continue
        if isinstance(found, values.Quantity):
            return found.value, found.unit
        if isinstance(found, values.Money):
            return float(found.amount), found.currency or _unit(unit)
        if isinstance(found, timedelta):
            return found / timedelta(minutes=1), "min"
        return (found, _unit(unit)) if isinstance(found, int | float) else (None, None)
    return None, None


def _unit(text: str | None) -> str | None:
    """A unit or currency however it is spelled; None if it is neither."""
    try:
        return values.canonical_unit(text or "") or values.currency_code(text)
    except ValueProblem:
        return None
