"""Units: spellings and conversions by example, there-and-back for every pair of units."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reqap.errors import ValueProblem
from reqap.values import Quantity, canonical_unit, coerce, convert, parse_quantity
from reqap.values.units import _UNITS


@pytest.mark.parametrize(
    ("spelling", "unit"),
    [
        ("km", "km"),
        ("KM", "km"),
        ("kms", "km"),
        ("Kilometer", "km"),
        ("kilomètres", "km"),
        ("kilómetros", "km"),
        ("㎞", "km"),
        ("mi", "mi"),
        ("miles", "mi"),
        ("Meilen", "mi"),
        ("m", "m"),
        ("min", "min"),
        ("hr", "h"),
        ("Cal", "kcal"),
        ("cal", "cal"),
        ("Calories", "kcal"),
        ("kCal", "kcal"),
        ("KWH", "kWh"),
        ("lbs.", "lb"),
        ("°C", "degC"),
        ("℃", "degC"),
        ("C", "degC"),
        ("degF", "degF"),
        ("K", "K"),
        ("k", None),
        ("fl oz", "fl_oz"),
        ("fl. oz.", "fl_oz"),
        ("fl_oz_us", "fl_oz"),
        ("mL", "ml"),
        ("km/hr", "km/h"),
        ("/km", "min/km"),
        ("nautical miles", "nmi"),
        ("count/min", None),
        ("", None),
        ("x" * 1000, None),
    ],
)
def test_canonical_unit(spelling: str, unit: str | None) -> None:
    assert canonical_unit(spelling) == unit


@pytest.mark.parametrize(
    ("value", "source", "target", "expected"),
    [
        (1, "mi", "km", 1.609344),
        (1, "ft", "in", 12),
        (1, "nmi", "m", 1852),
        (1, "st", "lb", 14),
        (16, "oz", "lb", 1),
        (100, "Cal", "kJ", 418.4),
        (1, "kWh", "kJ", 3600),
        (36, "km/h", "m/s", 10),
        (5, "min/km", "km/h", 12),
        (12, "km/h", "min/km", 5),
        (10, "mph", "min/mi", 6),
        (32, "degF", "degC", 0),
        (100, "degC", "degF", 212),
        (0, "K", "degC", -273.15),
        (1, "gal", "cup", 16),
        (1, "pint", "fl oz", 16),
        (90, "min", "h", 1.5),
        (7, "degC", "degC", 7),
    ],
)
def test_convert(value: float, source: str, target: str, expected: float) -> None:
    assert convert(value, source, target) == pytest.approx(expected, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(
    ("value", "source", "target"),
    [
        (1, "km", "kg"),
        (1, "m", "min"),
        (1, "parsec", "km"),
        (0, "km/h", "min/km"),
        (1e308, "km", "mm"),
        (float("inf"), "km", "m"),
        (float("nan"), "km", "m"),
        (10**5000, "km", "m"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_does_not_convert(value: float, source: str, target: str) -> None:
    with pytest.raises(ValueProblem):
        convert(value, source, target)


PAIRS = [
    (source, target)
    for source, target in itertools.permutations(_UNITS, 2)
    if _UNITS[source].kind == _UNITS[target].kind
]


@given(st.sampled_from(PAIRS), st.floats(1e-3, 1e9))
@settings(max_examples=400, deadline=None)
def test_there_and_back(pair: tuple[str, str], value: float) -> None:
    source, target = pair
    back = convert(convert(value, source, target), target, source)
    # Zero degrees is an arbitrary point, so only an absolute error makes sense there.
    slack = 1e-9 if _UNITS[source].kind == "temperature" else 0.0
    assert back == pytest.approx(value, rel=1e-9, abs=slack)


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("5.2 km", 5.2, "km"),
        ("5,2 km", 5.2, "km"),
        ("5.2km", 5.2, "km"),
        ("1 234,5 kg", 1234.5, "kg"),
        ("-3 °C", -3, "degC"),
        ("98.6°F", 98.6, "degF"),
        ("1e3 m", 1000, "m"),
        ("5:30 min/km", 5.5, "min/km"),
        ("5:30 /km", 5.5, "min/km"),
        ("1:30 h", 1.5, "h"),
        ("-0:30 h", -0.5, "h"),
        ("6 ft 6 in", 6.5, "ft"),
        ("6'6\"", 6.5, "ft"),
        ("6′6″", 6.5, "ft"),
        ("7 h 30 min", 7.5, "h"),
        ("3 nautical miles", 3, "nmi"),
    ],
)
def test_quantities(text: str, value: float, unit: str) -> None:
    found = parse_quantity(text)
    assert found is not None
    assert found.unit == unit
    assert found.value == pytest.approx(value)


def test_quantities_without_a_unit_take_the_one_given() -> None:
    assert parse_quantity(5, "km") == Quantity(5.0, "km")
    assert parse_quantity("5,2", "Kilometer") == Quantity(5.2, "km")
    assert parse_quantity("5 mi", "km") == Quantity(5.0, "mi")
    assert parse_quantity("1.234", "km", decimal=",") == Quantity(1234.0, "km")
    assert parse_quantity("N/A", "km") is None
    assert parse_quantity(Quantity(1.0, "m"), "km") == Quantity(1.0, "m")


@pytest.mark.parametrize(
    "value",
    [
        "5",
        5,
        "km",
        "72 count/min",
        "5 km 3 kg",
        "5 °C 3 °C",
        "1:30 km",
        "5 km -3 m",
        "x",
        True,
        b"5 m",
    ],
)
def test_what_is_not_a_quantity(value: object) -> None:
    with pytest.raises(ValueProblem):
        parse_quantity(value)


@given(st.floats(allow_nan=False, allow_infinity=False), st.sampled_from(sorted(_UNITS)))
@settings(deadline=None)
def test_quantities_round_trip(value: float, unit: str) -> None:
    quantity = Quantity(value, unit)
    assert parse_quantity(f"{value!r} {unit}") == quantity
    assert parse_quantity(coerce(quantity, "str")) == quantity
    assert parse_quantity(value, unit) == quantity
