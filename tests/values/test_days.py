"""Days that a text speaks of."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reqap.values.days import days_meant

WRITTEN = date(2022, 10, 12)  # a Wednesday


def days(*told: str) -> tuple[date, ...]:
    return tuple(date.fromisoformat(f"2022-{one}") for one in told)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("Yesterday was fun", [days("10-11")]),
        ("see you the day after tomorrow!", [days("10-14")]),
        ("last night, and again tonight", [days("10-11"), days("10-12")]),
        ("match on Saturday", [days("10-08", "10-15")]),
        ("this Saturday", [days("10-15", "10-08")]),
        ("Last Saturday we", [days("10-08", "10-01")]),
        ("this past Monday", [days("10-10", "10-03")]),
        ("next Fri", [days("10-14", "10-21")]),
        ("we sat in the sun", []),
        ("the Sunday before last", [days("10-02")]),
        ("three Mondays ago", [days("09-26")]),
        ("a fortnight ago", [days("09-28", "09-27", "09-29", "09-26", "09-30")]),
        ("a few Mondays ago", [days("09-26")]),
        ("9" * 5000 + " days ago", []),
        ("Saturday, 3 June", [days("06-03")]),
        ("Thursday the 14th of October", [days("10-14")]),
        ("Tue 15 Nov 2022", [days("11-15")]),
        ("we sat 3rd row", []),
        ("on Fri 14th, then Sunday the 2nd", [days("10-14"), days("10-02")]),
        ("Wednesday 15th", [(date(2022, 6, 15),)]),
        ("Wednesday again", [days("10-12", "10-05", "10-19")]),
        ("on Saturdays", []),
        ("12 October", [days("10-12")]),
        ("the 3rd of September", [days("09-03")]),
        ("Oct 9th, then September 30", [days("10-09"), days("09-30")]),
        ("Mar 5 2022", [days("03-05")]),
        ("3 January", [(date(2023, 1, 3),)]),
        ("Tisch am 11. Oktober", [days("10-11")]),
        ("on the 11th", [days("10-11", "11-11")]),
        ("2022-09-01 report", [days("09-01")]),
        ("8.10. 20 Uhr", [days("10-08")]),
        ("dinner on 8.10 at six", [days("10-08")]),
        ("5.4 km and a dog, 9.10 EUR, version 3.11", []),
        ("10/9", [days("10-09", "09-10")]),
        ("3 days ago", [days("10-09")]),
        ("a week ago", [days("10-05", "10-04", "10-06", "10-03", "10-07")]),
        ("in two days", [days("10-14")]),
        ("last weekend", [days("10-08", "10-09")]),
        ("this weekend", [days("10-08", "10-09", "10-15", "10-16")]),
        ("I may go, he might march 300 km", []),
        ("31 February, 99/99, 0.5 km, 12.30 EUR", []),
        ("", []),
    ],
)
def test_what_is_meant(text: str, meant: list[tuple[date, ...]]) -> None:
    assert days_meant(text, WRITTEN) == tuple(meant)


@given(st.text(max_size=200), st.dates())
def test_no_text_is_too_odd(text: str, written: date) -> None:
    days_meant(text, written)


def test_hostile_lengths() -> None:
    assert len(days_meant("yesterday " * 100_000, WRITTEN)) == 40
    assert days_meant("1" * 100_000, WRITTEN) == ()
    assert days_meant("in 99999999999999 days", date.max) == ()
