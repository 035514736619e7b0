"""Which months a picture of a store spans."""

from datetime import datetime

import pytest

from reqap.store.months import months_of
from reqap.store.store import Summary

STEADY = [(2021, 3 + n) if n < 10 else (2022, n - 9) for n in range(22)]  # March 2021 to Dec. 2022


def _ends(months: list[tuple[int, int]]) -> tuple[str, str]:
    firsts = [datetime(*month, 1) for month in months]
    found = months_of([Summary("mail", "mail", first, 3, first, first) for first in firsts])
    assert len(found) == len(set(found))
    return f"{found[0]:%Y-%m}", f"{found[-1]:%Y-%m}"


@pytest.mark.parametrize(
    ("more", "ends"),
    [
        ([], ("2021-03", "2022-12")),
        ([(1980, 5)], ("2021-03", "2022-12")),  # a birth
        ([(2020, 9)], ("2020-09", "2022-12")),  # near enough
        ([(2037, 1)], ("2021-03", "2022-12")),
        ([(2014, n % 12 + 1) for n in range(12)], ("2014-01", "2022-12")),  # too many to be stray
    ],
)
def test_all_months_but_few_far_ones(more: list[tuple[int, int]], ends: tuple[str, str]) -> None:
    assert _ends([*more, *STEADY]) == ends


def test_nothing_and_little() -> None:
    assert months_of([]) == []
    assert _ends([(2022, 2)]) == ("2022-02", "2022-02")
