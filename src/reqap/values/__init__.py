"""The one place where dates, durations, numbers, money, units and lists are coerced.

Its job: turn what exports, questions and documents contain (text in many locales, JSON numbers)
into Python values, and back into one canonical text. Not its job: knowing which column holds what,
time zone arithmetic, exchange rates, or remembering what could not be read.

Conventions, the same for every parser:

* Missing is None (for `parse_list`: the empty tuple). `is_missing` says what counts.
* What cannot be read raises `reqap.errors.ValueProblem`, quoting the text, and never anything else.
* A value that already has the target type comes back unchanged; booleans are not numbers.
* Nothing is evaluated, and no text longer than any real scalar (200 characters) is looked at.
"""

from reqap.values._text import is_missing
from reqap.values.coercion import Coerced, coerce
from reqap.values.dates import (
    AmbiguousDate,
    DateOrder,
    EpochUnit,
    PartialDate,
    parse_date,
    parse_datetime,
    parse_epoch,
    parse_partial_date,
    parse_time,
)
from reqap.values.datevotes import OrderEvidence, OrderVote, vote_date_order
from reqap.values.days import days_meant
from reqap.values.durations import format_duration, parse_duration, say_duration
from reqap.values.lists import format_list, parse_bool, parse_list
from reqap.values.money import Money, currency_code, format_money, is_currency, parse_money
from reqap.values.numbers import DecimalMark, parse_number, parse_number_words, vote_decimal
from reqap.values.timewords import (
    CLOCK,
    PERIOD,
    WEEKDAY,
    When,
    merged_period,
    preposition,
    whens,
)
from reqap.values.units import Quantity, canonical_unit, convert, parse_quantity, unit_kind

__all__ = [
    "CLOCK",
    "PERIOD",
    "WEEKDAY",
    "AmbiguousDate",
    "Coerced",
    "DateOrder",
    "DecimalMark",
    "EpochUnit",
    "Money",
    "OrderEvidence",
    "OrderVote",
    "PartialDate",
    "Quantity",
    "When",
    "canonical_unit",
    "coerce",
    "convert",
    "currency_code",
    "days_meant",
    "format_duration",
    "format_list",
    "format_money",
    "is_currency",
    "is_missing",
    "merged_period",
    "parse_bool",
    "parse_date",
    "parse_datetime",
    "parse_duration",
    "parse_epoch",
    "parse_list",
    "parse_money",
    "parse_number",
    "parse_number_words",
    "parse_partial_date",
    "parse_quantity",
    "parse_time",
    "preposition",
    "say_duration",
    "unit_kind",
    "vote_date_order",
    "vote_decimal",
    "whens",
]
