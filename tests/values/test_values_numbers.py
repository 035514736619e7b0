"""Numbers: every spelling by example, every locale style by round trip."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reqap.errors import ValueProblem
from reqap.values import DecimalMark, is_missing, parse_number, parse_number_words, vote_decimal

MISSING = [
    None,
    "",
    "  \t",
    "\u200e",
    "Not Available",
    "Not Applicable",
    "N/A",
    "n/a",
    "--",
    "-",
    "–",
    "—",
    "null",
    "None",
    "nan",
    float("nan"),
    Decimal("NaN"),
    " " * 1000,
]


@pytest.mark.parametrize("value", MISSING)
def test_missing_is_none(value: object) -> None:
    assert is_missing(value)
    assert parse_number(value) is None


@pytest.mark.parametrize("value", ["0", "no", "na", "x", 0, False, [], "nano"])
def test_these_are_not_missing(value: object) -> None:
    assert not is_missing(value)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1234", 1234),
        (" 007 ", 7),
        ("-5", -5),
        ("+3", 3),
        ("- 5", -5),
        ("−7", -7),
        ("12-", -12),
        ("(12.50)", -12.5),
        ("(1.234,50)", -1234.5),
        ("1,234.50", 1234.5),
        ("1.234,56", 1234.56),
        ("1 234,56", 1234.56),
        ("1\u00a0234,56", 1234.56),
        ("1\u2009234,56", 1234.56),
        ("1\u202f234,56", 1234.56),
        ("1'234.50", 1234.5),
        ("1’234.50", 1234.5),
        ("12,34,567.89", 1234567.89),
        ("1,00,000", 100000),
        ("1,234,567", 1234567),
        ("1.234.567", 1234567),
        ("1 234 567", 1234567),
        ("1e3", 1000.0),
        ("1.5E-2", 0.015),
        (".5", 0.5),
        (",5", 0.5),
        ("1234,5", 1234.5),
        ("١٢٣", 123),
        ("१२.५", 12.5),
        ("١٬٢٣٤٫٥", 1234.5),
        ("\ufeff42\u200e", 42),
    ],
)
def test_number_spellings(text: str, number: int | float) -> None:
    found = parse_number(text)
    assert found == number
    assert type(found) is type(number)


def test_the_ambiguous_single_mark_before_three_digits() -> None:
    assert parse_number("1,234") == 1234
    assert parse_number("1.234") == 1.234
    assert parse_number("0,123") == 0.123
    assert parse_number("1234,567") == 1234.567
    assert parse_number("1,234", decimal=",") == 1.234
    assert parse_number("1.234", decimal=",") == 1234
    assert parse_number("1,234", decimal=".") == 1234
    # The Arabic decimal separator is never anything else, whatever the column votes.
    assert parse_number("١٫٢٣٤", decimal=",") == 1.234


@pytest.mark.parametrize(
    "value",
    [
        "5%",
        "abc",
        "1 23",
        "12,345,67",
        "1,234.567.890",
        "1.2.3",
        "12.",
        "1__0",
        "0x10",
        "1e999",
        "inf",
        "-Infinity",
        "--5",
        "1-2",
        "1 234'567",
        "²",
        "5\x00",
        "1" * 201,
        "9" * 10_000_000,
        float("inf"),
        10**9999,
        Decimal("1e999999"),
        Decimal("Infinity"),
        True,
        b"5",
        [5],
        object(),
    ],
    ids=lambda value: type(value).__name__,  # pytest cannot print the 9999-digit one
)
def test_what_is_not_a_number(value: object) -> None:
    with pytest.raises(ValueProblem):
        parse_number(value)


@pytest.mark.parametrize("text", ["1.5", "1234.56", "1,2,3"])
def test_a_text_that_contradicts_the_mark_is_refused(text: str) -> None:
    with pytest.raises(ValueProblem):
        parse_number(text, decimal=",")


def test_the_message_quotes_the_text_shortened() -> None:
    with pytest.raises(ValueProblem, match=r"^'abc' is not a number$"):
        parse_number("abc")
    with pytest.raises(ValueProblem) as caught:
        parse_number("x" * 10_000_000)
    assert len(str(caught.value)) < 200


def test_numbers_come_back_as_they_are() -> None:
    assert parse_number(5) == 5
    assert parse_number(5.0) == 5.0
    assert isinstance(parse_number(5.0), float)
    assert parse_number(Decimal("5")) == 5
    assert parse_number(Decimal("5.5")) == 5.5
    assert parse_number("9" * 200) == int("9" * 200)


@pytest.mark.parametrize(
    ("samples", "mark"),
    [
        (["1,234", "5,99 €", "12"], ","),
        (["1.234", "$1,234.50"], "."),
        (["1.000", "2.000", "3"], None),
        (["1,5", "1.5"], None),
        (["1,234,567"], "."),
        (["0,123"], ","),
        (["1'234", "1 234", "abc", "", "2024-01-05", "24.01.23"], None),
        (["Rs.500", "Rs.500,5"], ","),
        ([], None),
        (["x" * 1000, "7,5 %"], ","),
    ],
)
def test_vote_decimal(samples: list[str], mark: DecimalMark | None) -> None:
    assert vote_decimal(iter(samples)) == mark


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("zero", 0),
        ("seven", 7),
        ("Twenty-One", 21),
        ("ninety nine", 99),
        ("a hundred", 100),
        ("one hundred and one", 101),
        ("nineteen hundred", 1900),
        ("three thousand two hundred and five", 3205),
        ("one hundred twenty-three thousand four hundred fifty-six", 123456),
        ("two million", 2_000_000),
        ("a dozen", 12),
        ("two dozen", 24),
        ("2 dozen", 24),
        ("half a dozen", 6),
        ("a couple", 2),
        ("a couple of", 2),
        ("a pair", 2),
        ("half", 0.5),
        ("two and a half", 2.5),
        ("minus five", -5),
        ("15", 15),
    ],
)
def test_number_words(text: str, number: int | float) -> None:
    assert parse_number_words(text) == number


@pytest.mark.parametrize(
    "text", ["two and three", "twenty eleven", "and", "hundreds", "a few", "1.5"]
)
def test_what_is_not_a_number_in_words(text: str) -> None:
    with pytest.raises(ValueProblem):
        parse_number_words(text)


_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
)
_TENS = "x x twenty thirty forty fifty sixty seventy eighty ninety"


def in_words(number: int) -> str:
    if number < 20:
        return _SMALL.split()[number]
    if number < 100:
        rest = f"-{in_words(number % 10)}" if number % 10 else ""
        return _TENS.split()[number // 10] + rest
    for size, name in ((1000, "thousand"), (100, "hundred")):
        if number >= size:
            rest = f" {in_words(number % size)}" if number % size else ""
            return f"{in_words(number // size)} {name}{rest}"
    raise AssertionError


@given(st.integers(0, 999_999))
@settings(deadline=None)
def test_words_round_trip(number: int) -> None:
    assert parse_number_words(in_words(number)) == number


def grouped(digits: str, separator: str, indian: bool = False) -> str:
    head, tail = digits[:-3], digits[-3:]
    step = 2 if indian else 3
    groups = [tail]
    while head:
        groups.insert(0, head[-step:])
        head = head[:-step]
    return separator.join(groups)


STYLES: list[tuple[str, DecimalMark, bool]] = [
    (",", ".", False),
    (".", ",", False),
    (" ", ",", False),
    ("\u00a0", ",", False),
    ("\u202f", ",", False),
    ("'", ".", False),
    ("’", ".", False),
    ("", ".", False),
    ("", ",", False),
    (",", ".", True),
]


@pytest.mark.parametrize(("separator", "mark", "indian"), STYLES)
@given(number=st.integers(-(10**12), 10**12), cents=st.integers(0, 99))
@settings(max_examples=60, deadline=None)
def test_every_locale_style_round_trips(
    separator: str, mark: DecimalMark, indian: bool, number: int, cents: int
) -> None:
    sign = "-" if number < 0 else ""
    text = f"{sign}{grouped(str(abs(number)), separator, indian)}{mark}{cents:02}"
    expected = float(f"{sign}{abs(number)}.{cents:02}")
    assert parse_number(text) == expected
    assert parse_number(text, decimal=mark) == expected
    assert vote_decimal([text]) == mark


@given(st.integers(-(10**140), 10**140))
@settings(deadline=None)
def test_integers_round_trip(number: int) -> None:
    assert parse_number(str(number)) == number
    assert parse_number(f"{number:,}", decimal=".") == number
    arabic = str(number).translate(str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩"))
    assert parse_number(arabic) == number


@given(st.floats(allow_nan=False, allow_infinity=False))
@settings(deadline=None)
def test_floats_round_trip(number: float) -> None:
    assert parse_number(repr(number)) == number
