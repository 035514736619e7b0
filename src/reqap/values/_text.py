"""What every coercion shares: what counts as missing, how text is tidied, how a refusal reads.

Export files are hostile by accident and sometimes on purpose, so each parser enters through
`scalar_text`, which caps the length before anything expensive looks at the text.
"""

from __future__ import annotations

import math
import unicodedata
from decimal import Decimal

from reqap.errors import ValueProblem

# No scalar in any export we know is longer; a longer one is free text in the wrong column.
MAX_SCALAR_CHARS = 200
# Keeps float(x) finite and str(x) below the interpreter's digit limit (4300).
MAX_INT_BITS = 1000
_QUOTED_CHARS = 60

# Compared after `simplify`, which turns every kind of dash into "-", and after casefold().
_MISSING = frozenset(
    {
        "",
        "-",
        "--",
        "---",
        "#n/a",
        "(null)",
        "n.a.",
        "n/a",
        "nan",
        "none",
        "not applicable",
        "not available",
        "null",
    }
)

_SPACES = "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f"
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"
_APOSTROPHES = "\u2018\u2019\u02bc\u2032\uff07"
# Zero-width characters, direction marks, byte-order mark: phones put them around numbers and dates.
_INVISIBLE = (
    "\u00ad\u061c\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e"
    "\u2060\u2061\u2062\u2063\u2064\u2066\u2067\u2068\u2069\ufeff"
)
_TIDY: dict[int, str | None] = {
    **{ord(ch): " " for ch in _SPACES + "\u205f\u3000"},
    **{ord(ch): "-" for ch in _DASHES},
    **{ord(ch): "'" for ch in _APOSTROPHES},
    **{ord(ch): None for ch in _INVISIBLE},
    ord("\u2033"): '"',
}
# Letters that Unicode does not decompose although people type them without the mark.
_LETTERS = str.maketrans({"ı": "i", "ø": "o", "æ": "ae", "ł": "l"})


def word_set(text: str) -> frozenset[str]:
    """The blank-separated words of *text*: how the tables here are written."""
    return frozenset(text.split())


def shorten(value: object) -> str:
    """A short, printable quotation of *value* for a message; safe for any object."""
    if isinstance(value, str):
        return repr(value if len(value) <= _QUOTED_CHARS else value[:_QUOTED_CHARS] + "…")
    if isinstance(value, bool | float):
        return repr(value)
    if isinstance(value, int):
        if value.bit_length() > MAX_INT_BITS:
            return f"an integer of {value.bit_length()} bits"
        return shorten(str(value))[1:-1]
    # The repr of other objects may be huge or may itself raise.
    return f"a value of type {type(value).__name__}"


def problem(value: object, expected: str) -> ValueProblem:
    """The refusal of *value*, worded the same everywhere."""
    return ValueProblem(f"{shorten(value)} is not {expected}")


def simplify(text: str) -> str:
    """*text* with plain spaces, dashes, apostrophes and digits, without invisible characters."""
    if not text.isascii():
        text = text.translate(_TIDY)
        if not text.isascii():
            text = "".join(map(_plain_digit, text))
    return text.strip()


def _plain_digit(char: str) -> str:
    number = unicodedata.decimal(char, None)
    return char if number is None else str(number)


def fold(text: str) -> str:
    """*text* for looking words up: lower case, no accents, so "Août", "aout" and "AOÛT" agree."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text).casefold()
    return "".join(ch for ch in decomposed if not unicodedata.combining(ch)).translate(_LETTERS)


def is_missing(value: object) -> bool:
    """Whether *value* is a way to spell "nothing here": None, "", "N/A", "--", NaN and so on."""
    if value is None:
        return True
    if isinstance(value, str):
        if len(value) > MAX_SCALAR_CHARS:
            return value.isspace()
        return simplify(value).casefold() in _MISSING
    if isinstance(value, float):
        return math.isnan(value)
    return isinstance(value, Decimal) and value.is_nan()


def scalar_text(value: object, expected: str) -> str | None:
    """The tidied text of a scalar cell, None when missing; anything but short text is refused."""
    if is_missing(value):
        return None
    if not isinstance(value, str) or len(value) > MAX_SCALAR_CHARS:
        raise problem(value, expected)
    return simplify(value)
