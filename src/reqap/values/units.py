"""Amounts with a unit of measure, and conversion between units of one kind.

Its job is the units that health, sport and household exports use. "m" is metres here, minutes in
`durations`. Volumes without a country are US customary; "Cal", "calories" and "Kalorien" are
kilocalories as on food labels, only the bare symbol "cal" is the small calorie.
"""

from __future__ import annotations

import math
import re
import unicodedata
from dataclasses import dataclass
from typing import NamedTuple

from reqap.errors import ValueProblem
from reqap.values._text import fold, is_missing, problem, scalar_text, shorten
from reqap.values.durations import MICROSECONDS, TIME_SPELLINGS
from reqap.values.numbers import DecimalMark, parse_number


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number of a canonical unit (one that `canonical_unit` returns)."""

    value: float
    unit: str


class _Unit(NamedTuple):
    """base = value * factor + offset; a pace is *inverse*: base = factor / value."""

    kind: str
    factor: float
    offset: float = 0.0
    inverse: bool = False


_LB = 0.45359237
_UNITS: dict[str, _Unit] = {
    "um": _Unit("length", 1e-6),
    "mm": _Unit("length", 0.001),
    "cm": _Unit("length", 0.01),
    "m": _Unit("length", 1.0),
    "km": _Unit("length", 1000.0),
    "in": _Unit("length", 0.0254),
    "ft": _Unit("length", 0.3048),
    "yd": _Unit("length", 0.9144),
    "mi": _Unit("length", 1609.344),
    "nmi": _Unit("length", 1852.0),
    "ug": _Unit("mass", 1e-9),
    "mg": _Unit("mass", 1e-6),
    "g": _Unit("mass", 0.001),
    "kg": _Unit("mass", 1.0),
    "t": _Unit("mass", 1000.0),
    "oz": _Unit("mass", _LB / 16),
    "lb": _Unit("mass", _LB),
    "st": _Unit("mass", _LB * 14),
    "J": _Unit("energy", 1.0),
    "kJ": _Unit("energy", 1000.0),
    "cal": _Unit("energy", 4.184),
    "kcal": _Unit("energy", 4184.0),
    "Wh": _Unit("energy", 3600.0),
    "kWh": _Unit("energy", 3_600_000.0),
    "m/s": _Unit("speed", 1.0),
    "km/h": _Unit("speed", 1 / 3.6),
    "mph": _Unit("speed", 0.44704),
    "kn": _Unit("speed", 1852 / 3600),
    "min/km": _Unit("speed", 1000 / 60, inverse=True),
    "min/mi": _Unit("speed", 1609.344 / 60, inverse=True),
    "K": _Unit("temperature", 1.0),
    "degC": _Unit("temperature", 1.0, 273.15),
    "degF": _Unit("temperature", 5 / 9, 459.67 * 5 / 9),
    "ml": _Unit("volume", 0.001),
    "cl": _Unit("volume", 0.01),
    "dl": _Unit("volume", 0.1),
    "l": _Unit("volume", 1.0),
    "fl_oz": _Unit("volume", 0.0295735295625),
    "cup": _Unit("volume", 0.2365882365),
    "pint": _Unit("volume", 0.473176473),
    "gal": _Unit("volume", 3.785411784),
    "imp_fl_oz": _Unit("volume", 0.0284130625),
    "imp_pint": _Unit("volume", 0.56826125),
    "imp_gal": _Unit("volume", 4.54609),
    **{unit: _Unit("time", micros / 1e6) for unit, micros in MICROSECONDS.items()},
}

# English, German, French, Spanish; spaces inside a spelling are written "_", as Apple does.
_SPELLINGS = {
    "um": "µm micron microns micrometer micrometers micrometre micrometres mikrometer",
    "mm": "millimeter millimeters millimetre millimetres millimètre millimètres milímetro "
    "milímetros",
    "cm": "cms centimeter centimeters centimetre centimetres zentimeter centimètre centimètres "
    "centímetro centímetros",
    "m": "meter meters metre metres mètre mètres metro metros mtr mtrs",
    "km": "kms kilometer kilometers kilometre kilometres kilometern kilomètre kilomètres "
    "kilómetro kilómetros quilómetros",
    "in": 'inch inches zoll pouce pouces pulgada pulgadas "',
    "ft": "foot feet fuß pied pieds pie pies '",
    "yd": "yds yard yards",
    "mi": "mile miles meile meilen mille_terrestre milles milla millas",
    "nmi": "nautical_mile nautical_miles seemeile seemeilen",
    "ug": "mcg µg microgram micrograms mikrogramm",
    "mg": "milligram milligrams milligramm milligramme milligrammes miligramos",
    "g": "gr gram grams gramm gramme grammes gramo gramos",
    "kg": "kgs kilo kilos kilogram kilograms kilogramm kilogramme kilogrammes kilogramo kilogramos",
    "t": "tonne tonnes tonnen metric_ton metric_tons tonelada toneladas",
    "oz": "ounce ounces unze unzen once onces onza onzas",
    "lb": "lbs pound pounds pfund livre livres libra libras",
    "st": "stone stones",
    "J": "joule joules julios",
    "kJ": "kilojoule kilojoules kilojulios",
    "kcal": "kcals kilocalorie kilocalories kilokalorie kilokalorien kilocaloría kilocalorías "
    "calorie calories kalorie kalorien caloría calorías",
    "Wh": "watt_hour watt_hours watthour wattstunde wattstunden",
    "kWh": "kilowatt_hour kilowatt_hours kilowattstunde kilowattstunden",
    "m/s": "mps m/sec m_per_s m_per_second meters_per_second metres_per_second "
    "meter_pro_sekunde m·s-1",
    "km/h": "kmh kph km/hr kmph km_per_h km_per_hour kilometers_per_hour kilometres_per_hour "
    "stundenkilometer kilometer_pro_stunde",
    "mph": "mi/h mi/hr mi_per_hour miles_per_hour",
    "kn": "kt kts knot knots knoten",
    "min/km": "/km minutes_per_kilometer minutes_per_kilometre minutes_per_km min_per_km",
    "min/mi": "/mi min/mile minutes_per_mile min_per_mile",
    "K": "kelvin kelvins",
    "degC": "°c ºc celsius deg_c degrees_celsius degree_celsius grad_celsius grad",
    "degF": "°f ºf fahrenheit deg_f degrees_fahrenheit degree_fahrenheit grad_fahrenheit",
    "ml": "milliliter milliliters millilitre millilitres mililitros cc",
    "cl": "centiliter centilitre centilitres zentiliter",
    "dl": "deciliter decilitre décilitre deziliter",
    "l": "liter liters litre litres litern litro litros ltr",
    "fl_oz": "floz fl._oz. fl._oz fluid_ounce fluid_ounces fl_oz_us us_fluid_ounce us_fluid_ounces "
    "us_fl_oz",
    "cup": "cups tasse tassen cup_us",
    "pint": "pints pt pt_us pints_us us_pints",
    "gal": "gals gallon gallons gallone gallonen galones gal_us gallons_us us_gallons",
    "imp_fl_oz": "fl_oz_imp imperial_fluid_ounce imperial_fluid_ounces",
    "imp_pint": "pt_imp imperial_pint imperial_pints pints_uk uk_pints",
    "imp_gal": "gal_imp imperial_gallon imperial_gallons gallons_uk uk_gallons gallons_imperial",
}
# The few symbols where the case of a letter matters.
_EXACT = {**{unit: unit for unit in _UNITS}, "Cal": "kcal", "C": "degC", "F": "degF", "M": "m"}
_FOLDED = {
    **{fold(unit): unit for unit in _UNITS if unit != "K"},
    **TIME_SPELLINGS,
    **{fold(word): unit for unit, words in _SPELLINGS.items() for word in words.split()},
}
_PART = re.compile(
    r"([+-]?[0-9][0-9.,' ]*(?:[eE][+-]?[0-9]{1,3}(?![0-9])|:[0-5][0-9])?) ?"
    r"([^0-9 +-][^0-9+]*)"
)
# Feet and inches; the apostrophe would otherwise be taken for a Swiss thousands mark.
_FEET = re.compile(r"([+-]?[0-9]{1,3}) ?'(?: ?([0-9]{1,2}(?:\.[0-9]+)?) ?(?:\"|''))?")
_MAX_UNIT_CHARS = 40


def canonical_unit(text: str) -> str | None:
    """The canonical name of a unit however it is spelled ("Kilometer", "kms"), None if unknown."""
    if not isinstance(text, str) or len(text) > _MAX_UNIT_CHARS:
        return None
    stripped = unicodedata.normalize("NFC", text).strip()
    if stripped in _EXACT:
        return _EXACT[stripped]
    key = "_".join(fold(stripped).split())
    return _FOLDED.get(key) or _FOLDED.get(key.rstrip("."))


def unit_kind(unit: str | None) -> str | None:
    """What a canonical unit measures ("length", "volume"), None if it is none of ours."""
    known = _UNITS.get(unit or "")
    return known.kind if known else None


def _unit(text: str) -> tuple[str, _Unit]:
    name = canonical_unit(text)
    if name is None:
        raise problem(text, "a unit we know")
    return name, _UNITS[name]


def convert(value: float, from_unit: str, to_unit: str) -> float:
    """*value* of *from_unit* in *to_unit*; units of different kinds are refused.

    A speed and a pace convert into each other; the pace of standing still does not exist.
    """
    source_name, source = _unit(from_unit)
    target_name, target = _unit(to_unit)
    number = parse_number(value)
    if number is None:
        raise problem(value, "a number")
    if source.kind != target.kind:
        raise ValueProblem(
            f"{shorten(from_unit)} is a {source.kind} and {shorten(to_unit)} is a {target.kind}: "
            "no conversion"
        )
    if source_name == target_name:
        return float(number)
    try:
        result = _from_base(_to_base(float(number), source), target)
    except (ZeroDivisionError, OverflowError):
        result = math.inf
    if not math.isfinite(result):
        raise ValueProblem(f"{shorten(value)} {source_name} has no value in {target_name}")
    return result


def _to_base(value: float, unit: _Unit) -> float:
    return unit.factor / value if unit.inverse else value * unit.factor + unit.offset


def _from_base(base: float, unit: _Unit) -> float:
    return unit.factor / base if unit.inverse else (base - unit.offset) / unit.factor


def parse_quantity(
    value: object, unit: str | None = None, decimal: DecimalMark | None = None
) -> Quantity | None:
    """The quantity in *value*: "5.2 km", "-3 °C", "5:30 min/km", "5 ft 11 in", "6'2\\"".

    *unit* is for numbers that do not name theirs. Compound quantities come out in their first unit.
    """
    expected = "a quantity with a unit"
    if is_missing(value):
        return None
    if isinstance(value, Quantity):
        return value
    if not isinstance(value, str):
        return _bare(value, unit, decimal, expected)
    text = " ".join((scalar_text(value, expected) or "").split())
    if text[-1:].isdigit():
        return _bare(value, unit, decimal, expected)
    parts = _split(text)
    if not parts:
        raise problem(value, expected)
    total: Quantity | None = None
    for number, spelling in parts:
        part = _part(number, spelling, decimal, value)
        total = part if total is None else _add(total, part, value)
    return total


def _bare(
    value: object, unit: str | None, decimal: DecimalMark | None, expected: str
) -> Quantity | None:
    number = parse_number(value, decimal)
    if number is None:
        return None
    if unit is None or is_missing(unit):
        raise problem(value, expected)
    return Quantity(float(number), _unit(unit)[0])


def _split(text: str) -> list[tuple[str, str]]:
    """(number, unit) pairs that together make up all of *text*, [] when it is not made of them."""
    if feet := _FEET.fullmatch(text):
        return [(feet[1], "ft"), (feet[2] or "0", "in")]
    parts, position = [], 0
    while position < len(text):
        found = _PART.match(text, position)
        if found is None:
            return []
        parts.append((found[1].strip(), found[2].strip(" ,")))
        position = found.end()
    return parts


def _part(number: str, spelling: str, decimal: DecimalMark | None, value: str) -> Quantity:
    name = canonical_unit(spelling)
    if name is None:
        raise ValueProblem(f"{shorten(value)} has a unit we do not know: {shorten(spelling)}")
    if ":" not in number:
        amount = parse_number(number, decimal)
    elif name in ("min", "h", "min/km", "min/mi"):
        whole, _, sixtieths = number.lstrip("+-").partition(":")
        amount = (parse_number(whole, decimal) or 0) + int(sixtieths) / 60
        amount = -amount if number.startswith("-") else amount
    else:
        amount = None
    if amount is None:
        raise problem(value, "a quantity with a unit")
    return Quantity(float(amount), name)


def _add(total: Quantity, part: Quantity, value: str) -> Quantity:
    kinds = {_UNITS[total.unit].kind, _UNITS[part.unit].kind}
    if len(kinds) > 1 or kinds & {"temperature", "speed"} or part.value < 0:
        raise problem(value, "a quantity with a unit")
    extra = math.copysign(convert(part.value, part.unit, total.unit), total.value)
    return Quantity(total.value + extra, total.unit)
