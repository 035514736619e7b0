"""Money: receipts in many countries by example, the canonical text by round trip."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reqap.errors import ValueProblem
from reqap.values import Money, currency_code, format_money, parse_money
from reqap.values.currencies import ACTIVE_CODES, CODES, SHARED_SIGNS, SIGNS


@pytest.mark.parametrize(
    ("text", "amount", "currency"),
    [
        ("5.99 EUR", "5.99", "EUR"),
        ("5.99EUR", "5.99", "EUR"),
        ("EUR 5,99", "5.99", "EUR"),
        ("eur 5,99", "5.99", "EUR"),
        ("€5.99", "5.99", "EUR"),
        ("5,99 €", "5.99", "EUR"),
        ("5,99\u00a0€", "5.99", "EUR"),
        ("1.234,50 €", "1234.50", "EUR"),
        ("$1,234.50", "1234.50", "USD"),
        ("US$ 3", "3", "USD"),
        ("US $3", "3", "USD"),
        ("5 $US", "5", "USD"),
        ("CA$ 3", "3", "CAD"),
        ("A$5", "5", "AUD"),
        ("£.99", "0.99", "GBP"),
        ("¥500", "500", "JPY"),
        ("JP¥1,200", "1200", "JPY"),
        ("CN¥12.50", "12.50", "CNY"),
        ("₹ 12,34,567.89", "1234567.89", "INR"),
        ("kr 45", "45", None),
        ("45 kr.", "45", None),
        ("Rs.500", "500", None),
        ("CHF 12.–", "12", "CHF"),
        ("CHF 1'234.50", "1234.50", "CHF"),
        ("5,- €", "5", "EUR"),
        ("R$ 10,00", "10.00", "BRL"),
        ("10,00 zł", "10.00", "PLN"),
        ("100 Kč", "100", "CZK"),
        ("1 290 Ft", "1290", "HUF"),
        ("1.290 Ft", "1290", "HUF"),
        ("₺5", "5", "TRY"),
        ("5 ₽", "5", "RUB"),
        ("₩1,000", "1000", "KRW"),
        ("₪5", "5", "ILS"),
        ("฿5", "5", "THB"),
        ("₫25.000", "25000", "VND"),
        ("Rp 150.000", "150000", "IDR"),
        ("KSh 500", "500", "KES"),
        ("₦5", "5", "NGN"),
        ("R 120", "120", "ZAR"),
        ("S/. 10", "10", "PEN"),
        ("-€5", "-5", "EUR"),
        ("€-5", "-5", "EUR"),
        ("−5,00 €", "-5.00", "EUR"),
        ("(5.00)", "-5.00", None),
        ("(€5)", "-5", "EUR"),
        ("$(5)", "-5", "USD"),
        ("5.00-", "-5.00", None),
        ("+$5", "5", "USD"),
        ("$5 CAD", "5", "CAD"),
        ("US$5 USD", "5", "USD"),
        ("20 euros", "20", "EUR"),
        ("1.234 EUR", "1.234", "EUR"),
        ("5.99", "5.99", None),
        ("12 HRK", "12", "HRK"),
    ],
)
def test_money_spellings(text: str, amount: str, currency: str | None) -> None:
    assert parse_money(text) == Money(Decimal(amount), currency)


def test_the_hint_settles_only_what_the_text_leaves_open() -> None:
    assert parse_money("5", "EUR") == Money(Decimal(5), "EUR")
    assert parse_money("$5", "CAD") == Money(Decimal(5), "CAD")
    assert parse_money("$5", "EUR") == Money(Decimal(5), "USD")
    assert parse_money("45 kr", "SEK") == Money(Decimal(45), "SEK")
    assert parse_money("¥5", "CNY") == Money(Decimal(5), "CNY")
    assert parse_money("5 EUR", "USD") == Money(Decimal(5), "EUR")
    assert parse_money("5", "€") == Money(Decimal(5), "EUR")
    assert parse_money("5", "Not Available") == Money(Decimal(5), None)
    assert parse_money("150.000", "IDR") == Money(Decimal(150000), "IDR")
    assert parse_money("1.234 €", decimal=",") == Money(Decimal(1234), "EUR")
    with pytest.raises(ValueProblem, match="'XYZ' is not a currency we know"):
        parse_money("5", "XYZ")


def test_numbers_are_amounts() -> None:
    assert parse_money(5, "EUR") == Money(Decimal(5), "EUR")
    assert parse_money(5.1) == Money(Decimal("5.1"))
    assert parse_money(Decimal("5.10"), "USD") == Money(Decimal("5.1"), "USD")
    assert parse_money(Money(Decimal(1), "EUR"), "USD") == Money(Decimal(1), "EUR")
    assert parse_money(float("nan")) is None
    assert parse_money("Not Available", "EUR") is None
    assert parse_money("--") is None


@pytest.mark.parametrize(
    "value",
    [
        "€",
        "EUR",
        "5 XYZ",
        "$5 EUR",
        "5%",
        "free",
        "-(5)",
        "--5",
        "1e3 EUR",
        "5 EUR 6",
        "5\x00EUR",
        "9" * 100,
        "5" * 500,
        float("inf"),
        1e300,
        1e-300,
        10**5000,
        Decimal("Infinity"),
        True,
        b"5 EUR",
    ],
    ids=lambda value: type(value).__name__,  # pytest cannot print the 5000-digit one
)
def test_what_is_not_money(value: object) -> None:
    with pytest.raises(ValueProblem):
        parse_money(value)


def test_every_code_is_known_before_and_after() -> None:
    for code in CODES:
        expected = Money(Decimal(5), code)
        assert parse_money(f"{code} 5") == parse_money(f"5 {code.lower()}") == expected
        assert currency_code(code) == code


def test_the_tables_hold_together() -> None:
    assert len(ACTIVE_CODES) > 170
    assert set(SIGNS.values()) <= CODES
    assert not set(SIGNS) & set(SHARED_SIGNS)
    assert not {sign.upper() for sign in [*SIGNS, *SHARED_SIGNS]} & CODES
    for default, choices in SHARED_SIGNS.values():
        assert choices <= CODES
        assert default is None or default in choices


def test_every_sign_is_read_on_both_sides() -> None:
    for sign, code in SIGNS.items():
        expected = Money(Decimal("12.5"), code)
        assert parse_money(f"{sign} 12.5") == parse_money(f"12.5 {sign}") == expected


def test_a_money_is_always_sound() -> None:
    for amount in (Decimal("NaN"), Decimal("inf"), Decimal("1e999")):
        with pytest.raises(ValueProblem):
            Money(amount, "EUR")
    with pytest.raises(ValueProblem):
        Money(Decimal(1), "euro")


@pytest.mark.parametrize(
    ("amount", "currency", "text"),
    [
        ("5.99", "EUR", "5.99 EUR"),
        ("5.9", "EUR", "5.90 EUR"),
        ("5", "EUR", "5.00 EUR"),
        ("5.990000", "EUR", "5.99 EUR"),
        ("1E+3", "EUR", "1000.00 EUR"),
        ("1.2345", "EUR", "1.2345 EUR"),
        ("500", "JPY", "500 JPY"),
        ("1.234", "JPY", "1.2340 JPY"),
        ("1.5", "KWD", "1.500 KWD"),
        ("-0.0", "EUR", "0.00 EUR"),
        ("-5", None, "-5"),
    ],
)
def test_format_money(amount: str, currency: str | None, text: str) -> None:
    assert format_money(Money(Decimal(amount), currency)) == text


AMOUNTS = st.decimals(-(10**15), 10**15, allow_nan=False, allow_infinity=False, places=None).filter(
    lambda amount: int(amount.as_tuple().exponent) > -50
)
CURRENCIES = st.none() | st.sampled_from(sorted(CODES))


@given(AMOUNTS, CURRENCIES)
@settings(deadline=None)
def test_the_canonical_text_round_trips(amount: Decimal, currency: str | None) -> None:
    money = Money(amount, currency)
    assert parse_money(format_money(money)) == money


@given(st.integers(-(10**9), 10**9), st.sampled_from(["$", "€", "£", "₹", "zł", "CHF", "R$"]))
@settings(max_examples=100, deadline=None)
def test_printed_amounts_round_trip(cents: int, sign: str) -> None:
    amount = Decimal(cents).scaleb(-2)
    english, other = f"{abs(amount):,.2f}", f"{abs(cents) // 100:_},{abs(cents) % 100:02}"
    expected = Money(amount, currency_code(sign))
    minus = "-" if cents < 0 else ""
    assert parse_money(f"{minus}{sign}{english}") == expected
    assert parse_money(f"{sign} {minus}{english}") == expected
    assert parse_money(f"{minus}{other.replace('_', '.')} {sign}") == expected
    assert parse_money(f"{minus}{other.replace('_', ' ')} {sign}") == expected
    if cents < 0:
        assert parse_money(f"({sign}{english})") == expected
