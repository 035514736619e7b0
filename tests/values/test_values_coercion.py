"""`coerce`, and what holds for every coercion: nothing but ValueProblem ever comes out."""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import reqap.values as values
from reqap.errors import ValueProblem
from reqap.values import Coerced, DateOrder, Money, Quantity, coerce


@pytest.mark.parametrize(
    ("value", "type_name", "expected"),
    [
        ("5", "int", 5),
        ("5.0", "int", 5),
        (5.0, "int", 5),
        ("1,234", "int", 1234),
        ("5", "float", 5.0),
        (Money(Decimal("5.99"), "EUR"), "float", 5.99),
        (Money(Decimal(5), "EUR"), "int", 5),
        ("ja", "bool", True),
        ("2024-03-05T10:00:00Z", "date", date(2024, 3, 5)),
        ("10:00", "time", time(10)),
        ("2024-03-05T10:00:00Z", "datetime", datetime(2024, 3, 5, 10, tzinfo=UTC)),
        ("1:00:00", "timedelta", timedelta(hours=1)),
        ("1 h", "duration", timedelta(hours=1)),
        ("5.99 EUR", "money", Money(Decimal("5.99"), "EUR")),
        ("a, b", "list", ("a", "b")),
        ("hello ", "str", "hello "),
        (5, "str", "5"),
        (1.5, "str", "1.5"),
        (True, "str", "true"),
        (date(2024, 3, 5), "str", "2024-03-05"),
        (datetime(2024, 3, 5, 10), "str", "2024-03-05T10:00:00"),
        (timedelta(hours=1), "str", "1 h"),
        (Money(Decimal("5.9"), "EUR"), "str", "5.90 EUR"),
        (Quantity(5.0, "km"), "str", "5.0 km"),
        (["a", "b"], "str", '["a", "b"]'),
    ],
)
def test_coerce(value: object, type_name: str, expected: object) -> None:
    found = coerce(value, type_name)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize("value", [None, "", "N/A", float("nan")])
def test_coerce_missing(value: object) -> None:
    for type_name in ("str", "int", "float", "bool", "date", "time", "datetime", "money"):
        assert coerce(value, type_name) is None
    assert coerce(value, "list") == ()


@pytest.mark.parametrize(
    ("value", "type_name"),
    [
        ("5.5", "int"),
        (1e308, "int"),
        (True, "int"),
        ("x", "float"),
        (object(), "str"),
        ({}, "str"),
        (float("inf"), "str"),
        ("x", "complex"),
        ("x", ""),
    ],
)
def test_coerce_refuses(value: object, type_name: str) -> None:
    with pytest.raises(ValueProblem):
        coerce(value, type_name)


TYPED: st.SearchStrategy[tuple[str, Coerced]] = st.one_of(
    st.tuples(st.just("int"), st.integers(-(10**50), 10**50)),
    st.tuples(st.just("float"), st.floats(allow_nan=False, allow_infinity=False)),
    st.tuples(st.just("bool"), st.booleans()),
    st.tuples(st.just("date"), st.dates()),
    st.tuples(st.just("time"), st.times()),
    st.tuples(st.just("datetime"), st.datetimes()),
    st.tuples(st.just("duration"), st.timedeltas()),
    st.tuples(
        st.just("money"), st.integers(-(10**9), 10**9).map(lambda n: Money(Decimal(n), "EUR"))
    ),
)


@given(TYPED)
@settings(deadline=None)
def test_the_text_of_every_type_reads_back(typed: tuple[str, Coerced]) -> None:
    type_name, value = typed
    assert coerce(value, type_name) == value
    assert coerce(coerce(value, "str"), type_name) == value


COERCIONS: dict[str, Callable[[object], object]] = {
    "is_missing": values.is_missing,
    "number": values.parse_number,
    "number ,": lambda value: values.parse_number(value, ","),
    "words": values.parse_number_words,
    "money": values.parse_money,
    "money hint": lambda value: values.parse_money(5, value),  # type: ignore[arg-type]
    "currency": values.currency_code,
    "date": values.parse_date,
    "date dmy": lambda value: values.parse_date(value, DateOrder.DMY),
    "date ymd": lambda value: values.parse_date(value, DateOrder.YMD),
    "time": values.parse_time,
    "datetime": values.parse_datetime,
    "epoch": values.parse_epoch,
    "epoch us": lambda value: values.parse_epoch(value, "us"),
    "partial": values.parse_partial_date,
    "duration": values.parse_duration,
    "duration min": lambda value: values.parse_duration(value, "min"),
    "duration unit": lambda value: values.parse_duration(5, value),  # type: ignore[arg-type]
    "quantity": values.parse_quantity,
    "quantity km": lambda value: values.parse_quantity(value, "km"),
    "unit": lambda value: values.canonical_unit(value),  # type: ignore[arg-type]
    "convert": lambda value: values.convert(value, "km/h", "min/km"),  # type: ignore[arg-type]
    "convert to": lambda value: values.convert(1, "km", value),  # type: ignore[arg-type]
    "list": values.parse_list,
    "bool": values.parse_bool,
    "vote date": lambda value: values.vote_date_order([value]),  # type: ignore[list-item]
    "vote mark": lambda value: values.vote_decimal([value]),  # type: ignore[list-item]
    "str": lambda value: coerce(value, "str"),
    "int": lambda value: coerce(value, "int"),
    "float": lambda value: coerce(value, "float"),
    "type": lambda value: coerce("x", value),  # type: ignore[arg-type]
}

SEEDS = [
    "1,234.50",
    "1.234,56 €",
    "(12.50)",
    "twenty-one thousand",
    "CHF 12.–",
    "2024-03-05T10:20:30.5+02:00",
    "Mar 5, 2024, 3:02:23\u202fPM GMT+2",
    "5. März 2024 um 15:02 Uhr",
    "24.01.23",
    "2024-W10-2",
    "2024-Q1",
    "9999-12-31T24:00",
    "-1 day, 2:03:04",
    "P1DT2H3.5S",
    "2 hours and 5 minutes",
    "5:30 min/km",
    "6'2\"",
    "5 ft 11 in",
    "['a', \"b\\'\", None]",
    '["a", {"b": [1e999]}]',
    "a, “b; c” and (d",
    "١٬٢٣٤٫٥",
]
ALPHABET = "0123456789.,:;'\"-–+()[]{}/\\ \u00a0\u202f\n\x00eEpPtTzZwWqQ€$%°٣²½年月日ﬁİı\ud800"


@st.composite
def spoiled(draw: st.DrawFn) -> str:
    """A good text with something cut out and something put in."""
    text = draw(st.sampled_from(SEEDS))
    start = draw(st.integers(0, len(text)))
    end = draw(st.integers(start, len(text)))
    return text[:start] + draw(st.text(ALPHABET, max_size=4)) + text[end:]


HOSTILE: st.SearchStrategy[object] = st.one_of(
    spoiled(),
    st.text(),
    st.text(ALPHABET),
    st.binary().map(lambda raw: raw.decode("latin-1")),
    st.integers(),
    st.floats(),
    st.decimals(),
    st.sampled_from([None, True, b"5", [], {}, ["a"], object(), float("inf"), Decimal("sNaN")]),
    st.dates(),
    st.times(),
    st.datetimes(),
    st.timedeltas(),
)


def refusal(name: str, value: object) -> str:
    """The message with which a coercion refuses *value*, "" when it takes it."""
    try:
        COERCIONS[name](value)
    except ValueProblem as problem:
        return str(problem)
    return ""


@pytest.mark.parametrize("name", COERCIONS)
@given(value=HOSTILE)
@example(value="9" * 9999)
@example(value=10**9999)
@example(value=-(10**9999))
@example(value="1e999")
@example(value="-1e-999999")
@example(value=Decimal("1e999999"))
@example(value="2024-03-05T10:00:00." + "1" * 150)
@settings(max_examples=100, deadline=None)
def test_nothing_but_value_problem_ever_comes_out(name: str, value: object) -> None:
    assert len(refusal(name, value).encode()) < 500


@pytest.mark.parametrize("filler", ["9", " ", "(", "1:", "\x00", "٣"])
def test_ten_megabytes_are_refused_quickly(filler: str) -> None:
    text = filler * (10_000_000 // len(filler))
    for name in COERCIONS:
        start = clock.perf_counter()
        assert len(refusal(name, text)) < 500
        assert clock.perf_counter() - start < 2, name
