"""The vote on the date order: recovered when it can be known, left open when it cannot."""

from __future__ import annotations

import itertools
from datetime import date, timedelta

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from reqap.values import DateOrder, OrderEvidence, parse_date, vote_date_order

DMY, MDY, YMD = DateOrder.DMY, DateOrder.MDY, DateOrder.YMD


@pytest.mark.parametrize(
    ("rows", "order", "ambiguous", "evidence"),
    [
        (["01/02/2024", "13/02/2024"], DMY, False, OrderEvidence.IMPOSSIBLE),
        (["02/01/2024", "02/13/2024"], MDY, False, OrderEvidence.IMPOSSIBLE),
        (["24.01.23", "01.02.23"], DMY, False, OrderEvidence.IMPOSSIBLE),
        (["4/21/25, 3:02 PM", "4/2/25, 9:00 AM"], MDY, False, OrderEvidence.IMPOSSIBLE),
        (["01/02/2024", "02/02/2024", "01/03/2024"], DMY, False, OrderEvidence.SORTED),
        (["02/03/2024", "02/02/2024", "01/12/2024"], MDY, False, OrderEvidence.SORTED),
        (["01/02/2024", "02/01/2024"], None, True, OrderEvidence.NONE),
        (["01/02/2024"], None, True, OrderEvidence.NONE),
        (["13/02/2024", "02/13/2024"], None, True, OrderEvidence.CONFLICT),
        (["2024-01-02", "2024/01/03"], YMD, False, OrderEvidence.YEAR_FIRST),
        (["99-12-31", "00-01-05"], YMD, False, OrderEvidence.IMPOSSIBLE),
        (["5 Mar 2024", "05/05/2024"], None, False, OrderEvidence.NONE),
        (["foo", "", "N/A", "32/13/2024"], None, False, OrderEvidence.NONE),
        ([], None, False, OrderEvidence.NONE),
    ],
)
def test_votes(
    rows: list[str], order: DateOrder | None, ambiguous: bool, evidence: OrderEvidence
) -> None:
    vote = vote_date_order(iter(rows))
    assert (vote.order, vote.ambiguous, vote.evidence) == (order, ambiguous, evidence)


def test_the_counts_say_what_was_seen() -> None:
    vote = vote_date_order(
        [
            "13/02/2024",
            "01/02/2024",
            "02/02/2024",
            "2024-01-01",
            "5 Mar 2024",
            "junk",
            "",
            "x" * 999,
        ]
    )
    assert (vote.dmy_only, vote.mdy_only, vote.ymd_only) == (1, 0, 0)
    assert (vote.either, vote.plain, vote.unreadable) == (1, 3, 2)


def test_a_short_year_in_front_shows_only_in_a_longer_sorted_file() -> None:
    rows = ["24.01.23", "24.01.24", "24.01.25", "24.02.01", "24.02.03", "24.03.01"]
    assert vote_date_order(rows).order == YMD
    assert vote_date_order(rows[:3]).order == DMY


def written(day: date, order: DateOrder, separator: str = "/") -> str:
    first, second = (day.day, day.month) if order == DMY else (day.month, day.day)
    return f"{first:02}{separator}{second:02}{separator}{day.year}"


DAYS = st.dates(date(1990, 1, 1), date(2040, 12, 31))
ORDERS = st.sampled_from([DMY, MDY])


@given(st.lists(DAYS, min_size=1, max_size=40), ORDERS, st.sampled_from("/.-"))
@settings(deadline=None)
def test_a_day_over_twelve_recovers_the_order(
    days: list[date], order: DateOrder, separator: str
) -> None:
    assume(any(day.day > 12 for day in days))
    rows = [written(day, order, separator) for day in days]
    vote = vote_date_order(rows)
    assert (vote.order, vote.evidence) == (order, OrderEvidence.IMPOSSIBLE)
    assert [parse_date(row, vote.order) for row in rows] == days


LOW_DAYS = st.builds(date, st.integers(1990, 2040), st.integers(1, 12), st.integers(1, 12))


def swapped(day: date) -> date:
    return date(day.year, day.day, day.month)


def is_monotone(days: list[date]) -> bool:
    steps = [later - earlier for earlier, later in itertools.pairwise(days)]
    zero = timedelta(0)
    return all(step >= zero for step in steps) or all(step <= zero for step in steps)


FEW_YEARS = st.builds(date, st.integers(2020, 2022), st.integers(1, 12), st.integers(1, 12))


@given(st.lists(FEW_YEARS, min_size=6, max_size=40, unique=True), ORDERS, st.booleans())
@settings(deadline=None)
def test_sorting_recovers_the_order(days: list[date], order: DateOrder, newest: bool) -> None:
    days.sort(reverse=newest)
    assume(not is_monotone([swapped(day) for day in days]))
    vote = vote_date_order(written(day, order) for day in days)
    assert (vote.order, vote.evidence, vote.ambiguous) == (order, OrderEvidence.SORTED, False)


@given(st.lists(LOW_DAYS, min_size=1, max_size=40), ORDERS)
@settings(deadline=None)
def test_what_cannot_be_known_stays_open(days: list[date], order: DateOrder) -> None:
    assume(any(day != swapped(day) for day in days))
    assume(is_monotone(days) == is_monotone([swapped(day) for day in days]))
    vote = vote_date_order(written(day, order) for day in days)
    assert vote.order is None
    assert vote.ambiguous


@given(st.lists(LOW_DAYS | DAYS, max_size=30), ORDERS, st.lists(st.text(max_size=12), max_size=5))
@settings(deadline=None)
def test_a_vote_is_never_wrong_about_a_sorted_file(
    days: list[date], order: DateOrder, junk: list[str]
) -> None:
    rows = [written(day, order) for day in sorted(days)]
    vote = vote_date_order([*rows, *(text for text in junk if not any(map(str.isdigit, text)))])
    assert vote.order in (order, None)
