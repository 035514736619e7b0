"""Amounts of money: a decimal amount with an ISO 4217 code.

Its job is reading what receipts and exports print and writing the one canonical text,
"5.99 EUR". Not its job: exchange rates, arithmetic, or guessing a currency from a country.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

from reqap.errors import ValueProblem
from reqap.values._text import fold, is_missing, problem, scalar_text, shorten
from reqap.values.currencies import CODES, SHARED_SIGNS, SIGNS, WHOLE_IN_PRACTICE, minor_digits
from reqap.values.numbers import NUMBER_IN_TEXT, DecimalMark, canonical_number

_EXPECTED = "an amount of money"
# Far beyond any real amount, yet small enough for the canonical text to be read back.
_MAX_DIGITS = 60


@dataclass(frozen=True, slots=True)
class Money:
    """An amount and its currency; *currency* is None when the source does not say."""

    amount: Decimal
    currency: str | None = None

    def __post_init__(self) -> None:
        amount = self.amount
        if not isinstance(amount, Decimal) or not amount.is_finite():
            raise problem(amount, "a finite decimal amount")
        exponent = amount.as_tuple().exponent
        if amount.adjusted() >= _MAX_DIGITS or int(exponent) < -_MAX_DIGITS:
            raise problem(amount, "an amount of a usable size")
        if self.currency is not None and self.currency not in CODES:
            raise problem(self.currency, "an ISO 4217 currency code")


class _Sign(NamedTuple):
    """What a currency sign in the text says: one code, or a default out of several."""

    code: str | None
    choices: frozenset[str]


def currency_code(value: object) -> str | None:
    """The ISO 4217 code that a code or sign names: "eur" and "€" give "EUR", "$" gives "USD".

    Signs that several currencies share read as the likeliest ("$" USD, "¥" JPY, "£" GBP) or, where
    none is, as None ("kr", "Rs"), just as in `parse_money` without a hint.
    """
    text = scalar_text(value, "a currency")
    if text is None:
        return None
    sign = _read_sign(text)
    if sign is None:
        raise problem(value, "a currency we know")
    return sign.code


def is_currency(unit: str) -> bool:
    """Whether a unit is the code of a currency, as amounts of ours have it."""
    return unit in CODES


def _read_sign(text: str) -> _Sign | None:
    key = fold(text).replace(" ", "")  # "US $" is "US$"
    if key.upper() in CODES:
        return _Sign(key.upper(), frozenset({key.upper()}))
    if key in SIGNS:
        return _Sign(SIGNS[key], frozenset({SIGNS[key]}))
    if key in SHARED_SIGNS:
        return _Sign(*SHARED_SIGNS[key])
    return None


def parse_money(
    value: object, currency: str | None = None, decimal: DecimalMark | None = None
) -> Money | None:
    """The amount in *value*; *currency* is the hint for amounts that do not name theirs.

    A currency named in the text wins over the hint. A sign that several currencies share takes the
    hint if the hint is one of them ("$" with CAD is CAD) and otherwise its default: "$" USD,
    "¥" JPY, "£" GBP, while "kr" and "Rs" stay None. Numbers read as in `parse_number`, except that
    a lone mark before three digits groups in currencies without cents ("Rp 150.000").
    """
    hint = currency_code(currency)
    if isinstance(value, Money):
        return value
    if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
        return None if is_missing(value) else Money(_exact(value), hint)
    text = scalar_text(value, _EXPECTED)
    if text is None:
        return None
    negative, core, before, after = _take_apart(text, value)
    code = _settle(before, after, hint, value)
    if decimal is None and code in WHOLE_IN_PRACTICE and _groups_with_dot(core):
        decimal = ","
    number = canonical_number(core, decimal)
    if number is None:
        raise problem(value, _EXPECTED)
    amount = Decimal(number)
    return Money(amount.copy_negate() if negative else amount, code)


def _exact(value: int | float | Decimal) -> Decimal:
    if isinstance(value, float):
        if not math.isfinite(value):
            raise problem(value, _EXPECTED)
        return Decimal(repr(value))
    if isinstance(value, int) and value.bit_length() > 200:
        raise problem(value, "an amount of a usable size")
    return Decimal(value)


def _groups_with_dot(core: str) -> bool:
    """Whether *core* is one dot before exactly three digits, which money reads as grouping."""
    fraction = core.partition(".")[2]
    return len(fraction) == 3 and fraction.isdigit() and canonical_number(core, ",") is not None


def _take_apart(text: str, value: object) -> tuple[bool, str, str, str]:
    """Negative or not, the digits, and the currency texts before and after them."""
    enclosed = text.startswith("(") and text.endswith(")")
    if enclosed:
        text = text[1:-1].strip()
    found = NUMBER_IN_TEXT.fullmatch(text)
    if found is None:
        raise problem(value, _EXPECTED)
    before, after = found["before"].strip(), found["after"].strip()
    if before.endswith("(") and after.startswith(")"):
        enclosed, before, after = True, before[:-1].strip(), after[1:].strip()
    # "12.–" and "12,-" are Swiss and German for "no cents", not a minus.
    if after.startswith((".-", ",-")):
        after = after[1:].lstrip("-").strip()
    minuses = before.count("-") + after.count("-")
    if minuses + enclosed > 1:
        raise problem(value, _EXPECTED)
    before = before.replace("-", "").removeprefix("+").strip()
    return enclosed or minuses == 1, found["number"], before, after.replace("-", "").strip()


def _settle(before: str, after: str, hint: str | None, value: object) -> str | None:
    """The currency that the signs around the number and the hint agree on."""
    signs = []
    for text in filter(None, (before, after)):
        sign = _read_sign(text)
        if sign is None:
            raise ValueProblem(f"{shorten(value)} has no currency we know: {shorten(text)}")
        signs.append(sign)
    if not signs:
        return hint
    choices = frozenset.intersection(*(sign.choices for sign in signs))
    if not choices:
        raise ValueProblem(f"{shorten(value)} names two currencies")
    if len(choices) == 1:
        return next(iter(choices))
    if hint in choices:
        return hint
    return signs[0].code


def format_money(money: Money) -> str:
    """The canonical text, "5.99 EUR": all the digits there are, at least the currency's cents.

    Equal amounts give equal texts, and `parse_money` reads each back as the same amount.
    """
    whole, _, fraction = f"{money.amount:f}".partition(".")
    fraction = fraction.rstrip("0").ljust(minor_digits(money.currency), "0")
    if len(fraction) == 3 and money.currency in WHOLE_IN_PRACTICE:
        fraction += "0"  # Otherwise "1.234 JPY" would read back as 1234.
    number = f"{whole}.{fraction}" if fraction else whole
    if money.amount.is_zero():
        number = number.removeprefix("-")
    return number if money.currency is None else f"{number} {money.currency}"
