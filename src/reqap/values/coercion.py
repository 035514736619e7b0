"""`coerce`: one value to one named type, for callers that know the type only as a word.

Its job is the dispatch. How each type is read is the job of its own module.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from decimal import Decimal

from reqap.errors import ValueProblem
from reqap.values._text import MAX_INT_BITS, is_missing, problem, shorten
from reqap.values.dates import parse_date, parse_datetime, parse_time
from reqap.values.durations import format_duration, parse_duration
from reqap.values.lists import format_list, parse_bool, parse_list
from reqap.values.money import Money, format_money, parse_money
from reqap.values.numbers import parse_number
from reqap.values.units import Quantity

Coerced = (
    str | int | float | bool | date | time | datetime | timedelta | Money | tuple[str, ...] | None
)


def coerce(value: object, type_name: str) -> Coerced:
    """*value* as *type_name*, None when missing (() for "list"); ValueProblem when it is not one.

    Types: str, int, float, bool, date, time, datetime, timedelta (or duration), money, list.
    A float with a fraction is no int. The number of a Money is its amount.
    """
    reader = _READERS.get(type_name) if isinstance(type_name, str) else None
    if reader is None:
        raise ValueProblem(f"{shorten(type_name)} is not a type; known are {', '.join(_READERS)}")
    return reader(value)


def _number(value: object) -> int | float | None:
    return parse_number(value.amount if isinstance(value, Money) else value)


def _int(value: object) -> int | None:
    number = _number(value)
    if isinstance(number, float):
        if not number.is_integer():
            raise problem(value, "a whole number")
        return _int(int(number))  # Whole, but perhaps beyond the size that numbers may have.
    return number


def _float(value: object) -> float | None:
    number = _number(value)
    return None if number is None else float(number)


def _str(value: object) -> str | None:
    """The canonical text of *value*, the one that the parser of its type reads back."""
    if is_missing(value):
        return None
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float | Decimal):
        return _number_text(value)
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return format_duration(value)
    if isinstance(value, Money):
        return format_money(value)
    if isinstance(value, Quantity):
        return f"{value.value!r} {value.unit}"
    if isinstance(value, list | tuple):
        return format_list(parse_list(value))
    raise problem(value, "something that has a text")


def _number_text(value: int | float | Decimal) -> str:
    fits = value.bit_length() <= MAX_INT_BITS if isinstance(value, int) else math.isfinite(value)
    if not fits:
        raise problem(value, "a number of a usable size")
    return str(value)


_READERS: dict[str, Callable[[object], Coerced]] = {
    "str": _str,
    "int": _int,
    "float": _float,
    "bool": parse_bool,
    "date": parse_date,
    "time": parse_time,
    "datetime": parse_datetime,
    "timedelta": parse_duration,
    "duration": parse_duration,
    "money": parse_money,
    "list": parse_list,
}
