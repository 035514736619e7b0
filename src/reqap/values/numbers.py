"""Numbers written the way people and locales write them.

Its job is text (or a JSON number) to int or float, and deciding the decimal mark of a column.
Not its job: percentages, amounts with a currency (`money`), amounts with a unit (`units`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from decimal import Decimal
from typing import Literal

from reqap.values._text import (
    MAX_INT_BITS,
    MAX_SCALAR_CHARS,
    fold,
    is_missing,
    problem,
    scalar_text,
    simplify,
)

DecimalMark = Literal[".", ","]

_PLAIN = re.compile(r"-?[0-9]+(\.[0-9]+)?", re.ASCII)
_BODY = re.compile(r"([.,]?[0-9][0-9.,' ]*)([eE][+-]?[0-9]{1,6})?")
# Groups of three with one separator throughout, or the Indian 12,34,567. A leading zero never
# starts a grouped number, which is what makes "0,123" a decimal fraction.
_GROUPED = re.compile(
    r"[1-9][0-9]{0,2}([,.' ])[0-9]{3}(?:\1[0-9]{3})*|[1-9][0-9]?(?:,[0-9]{2})+,[0-9]{3}"
)
_COMMA_GROUPED = re.compile(r"[1-9][0-9]{0,2},[0-9]{3}")
_SEPARATORS = str.maketrans("", "", ",.' ")
# One number with text around it ("Rs.500", "5,99 €"). A mark after a letter or slash belongs to
# the abbreviation, not to the number.
NUMBER_IN_TEXT = re.compile(
    r"(?P<before>[^0-9]*?)"
    r"(?P<number>(?:(?<![^\W\d_])(?<!/)[.,])?[0-9](?:[0-9.,' ]*[0-9])?)"
    r"(?P<after>[^0-9]*)"
)

_EXPECTED = "a number"
_ARABIC_MARK = "\u066b"
_ARABIC = str.maketrans({_ARABIC_MARK: ".", "\u066c": "'"})


def parse_number(value: object, decimal: DecimalMark | None = None) -> int | float | None:
    """The number in *value*: an int when the text has no decimal mark or exponent, else a float.

    With *decimal* None the text decides: the last of two different marks is the decimal mark, a
    repeated mark groups, and the ambiguous single mark before exactly three digits groups when it
    is a comma ("1,234" is 1234) and is the decimal point when it is a dot ("1.234" is 1.234).
    "0,123" cannot be a grouping and so is 0.123. With *decimal* given, a text that contradicts it
    is refused rather than guessed at.
    """
    if isinstance(value, str):
        if decimal != "," and len(value) <= MAX_SCALAR_CHARS and (plain := _PLAIN.fullmatch(value)):
            return float(value) if plain[1] else int(value)
        return _from_text(value, decimal)
    if is_missing(value):
        return None
    if isinstance(value, Decimal):
        return _from_decimal(value)
    if isinstance(value, int) and not isinstance(value, bool):
        if value.bit_length() <= MAX_INT_BITS:
            return value
    elif isinstance(value, float) and math.isfinite(value):
        return value
    raise problem(value, _EXPECTED)


def _from_text(value: str, decimal: DecimalMark | None) -> int | float | None:
    text = scalar_text(value, _EXPECTED)
    if text is None:
        return None
    canonical = canonical_number(text, decimal)
    if canonical is None:
        raise problem(value, _EXPECTED)
    if "." not in canonical and "e" not in canonical:
        return int(canonical)
    number = float(canonical)
    if not math.isfinite(number):
        raise problem(value, "a number of a usable size")
    return number


def _from_decimal(value: Decimal) -> int | float:
    if not value.is_finite() or abs(value.adjusted()) >= 300:
        raise problem(value, "a number of a usable size")
    exponent = value.as_tuple().exponent
    return int(value) if isinstance(exponent, int) and exponent >= 0 else float(value)


def canonical_number(text: str, decimal: DecimalMark | None) -> str | None:
    """*text* (tidied by `simplify`) as a plain literal such as "-1234.50", None if not a number."""
    if _ARABIC_MARK in text:
        decimal = "."  # The Arabic decimal separator is never anything else.
    sign, body = _take_sign(text.translate(_ARABIC))
    found = _BODY.fullmatch(body)
    if found is None:
        return None
    digits, exponent = found[1], found[2] or ""
    mark = _decimal_mark(digits, decimal)
    whole, _, fraction = digits.partition(mark) if mark else (digits, "", "")
    if mark and not fraction.isdigit():
        return None
    if whole and not whole.isdigit():
        if not _GROUPED.fullmatch(whole):
            return None
        whole = whole.translate(_SEPARATORS)
    point = "." if mark else ""
    return f"{sign}{whole or '0'}{point}{fraction}{exponent.lower()}"


def _take_sign(text: str) -> tuple[str, str]:
    if text.startswith("(") and text.endswith(")"):
        return "-", text[1:-1].strip()
    if text.startswith(("-", "+")):
        return text[0].strip("+"), text[1:].lstrip()
    if text.endswith("-"):
        return "-", text[:-1].rstrip()
    return "", text


def _decimal_mark(digits: str, decimal: DecimalMark | None) -> str:
    """The mark that starts the fraction, "" when every separator only groups."""
    if decimal is not None:
        return decimal if decimal in digits else ""
    last = max(digits.rfind("."), digits.rfind(","))
    if last < 0 or digits.count(digits[last]) > 1:
        return ""
    if digits[last] == "," and _COMMA_GROUPED.fullmatch(digits):
        return ""
    return digits[last]


def vote_decimal(samples: Iterable[str]) -> DecimalMark | None:
    """The decimal mark of a whole column, from the rows that allow only one reading.

    Currency signs, units and percent signs around the number do not matter. None when no row is
    telling or when rows contradict each other; each row is then best left to `parse_number`.
    """
    decided: DecimalMark | None = None
    for sample in samples:
        mark = _only_mark(sample)
        if mark is None:
            continue
        if decided is not None and mark != decided:
            return None
        decided = mark
    return decided


def _only_mark(sample: str) -> DecimalMark | None:
    if not isinstance(sample, str) or len(sample) > MAX_SCALAR_CHARS:
        return None
    found = NUMBER_IN_TEXT.fullmatch(simplify(sample))
    if found is None:
        return None
    dot = canonical_number(found["number"], ".") is not None
    comma = canonical_number(found["number"], ",") is not None
    if dot == comma:
        return None
    return "." if dot else ","


_UNITS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
_UNITS += " fifteen sixteen seventeen eighteen nineteen"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_WORD_VALUES = {
    **{word: value for value, word in enumerate(_UNITS.split())},
    **{word: 10 * value for value, word in enumerate(_TENS.split(), start=2)},
    "a": 1,
    "an": 1,
}
_SCALES = {"dozen": 12, "hundred": 100, "thousand": 1000, "million": 1_000_000}


def _word_grammar() -> re.Pattern[str]:
    ones, tens = "|".join(_UNITS.split()[1:10]), "|".join(_TENS.split())
    small = rf"(?:(?:{tens})(?: (?:{ones}))?|{'|'.join(_UNITS.split())}|[0-9]{{1,6}})"
    hundreds = rf"(?:(?:{small}|an?) hundred(?:(?: and)? {small})?|{small})"
    thousands = rf"(?:(?:{hundreds}|an?) thousand(?:(?: and)? {hundreds})?|{hundreds})"
    millions = rf"(?:(?:{hundreds}|an?) million(?:(?: and)? {thousands})?|{thousands})"
    dozens = rf"(?:{small}|an?) dozen"
    return re.compile(rf"(?P<whole>{dozens}|{millions})(?P<half> and a half)?")


_WORDS = _word_grammar()
_PHRASES: dict[str, int | float] = {
    "a couple": 2,
    "a couple of": 2,
    "couple": 2,
    "a pair": 2,
    "a pair of": 2,
    "a half": 0.5,
    "half": 0.5,
    "half a": 0.5,
    "half an": 0.5,
    "dozen": 12,
    "half a dozen": 6,
    "a half dozen": 6,
    "half a million": 500_000,
    "half a thousand": 500,
    "half a hundred": 50,
    "a": 1,
    "an": 1,
}


def parse_number_words(value: object) -> int | float | None:
    """An English number in words: "twenty-one", "a dozen", "half a dozen", "two and a half".

    Digits may stand before a scale word ("2 dozen", "3 thousand"). Scales go up to the million.
    """
    expected = "a number in words"
    text = scalar_text(value, expected)
    if text is None:
        return None
    words = " ".join(fold(text).replace("-", " ").split())
    negative = words.startswith(("minus ", "negative "))
    if negative:
        words = words.partition(" ")[2]
    number = _PHRASES.get(words)
    if number is None:
        found = _WORDS.fullmatch(words)
        if found is None:
            raise problem(value, expected)
        number = _sum_words(found["whole"].split()) + (0.5 if found["half"] else 0)
    return -number if negative else number


def _sum_words(words: list[str]) -> int:
    total = current = 0
    for word in words:
        if word in ("dozen", "hundred"):
            current *= _SCALES[word]
        elif word in _SCALES:
            total += current * _SCALES[word]
            current = 0
        elif word != "and":
            current += _WORD_VALUES[word] if word in _WORD_VALUES else int(word)
    return total + current
