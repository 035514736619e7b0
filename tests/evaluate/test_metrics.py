"""What counts as a right answer."""

from datetime import date, datetime, time, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reqap.evaluate.metrics import Answer, mcnemar, same, score


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        (3, 3), (3.0, 3), ("3", 3), (Decimal("3.50"), 3.5), ("1,234.5", 1234.5), (True, True),
        ("yes", True), ("False", False), ("Rosé", "rose"), ("The  Crown.", "the crown"),
        (date(2024, 3, 1), date(2024, 3, 1)), ("2024-03-01", date(2024, 3, 1)),
        (datetime(2024, 3, 1, 18, 30), date(2024, 3, 1)), (time(18, 30, 20), time(18, 30)),
        ("18:30", time(18, 30)), (timedelta(minutes=2), 120),
        (timedelta(hours=4), 4.0), (timedelta(days=2), "2"), (time(19, 10), time(19, 9, 39)),
        (["a", 2], ("a", 2.0)),
        (["a"], "a"), ("a", ["a"]), (12, "December"), ("may", 5), ("June", "june"),
        ("2018-10", 10), ("2018-12", "December"),
    ],
)  # fmt: skip
def test_the_same_in_other_words(answer: Answer, right: Answer) -> None:
    assert same(answer, right)


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        (3, 4), (3, "three"), ("", ""), (None, "a"), (True, 1), ("yes", False), ("a", "b"),
        (date(2024, 3, 1), date(2024, 3, 2)), (time(18, 30), time(18, 31)), (timedelta(hours=4), 5),
        (["a", "b"], ["a"]),
        (["a", "b"], ["b", "a"]), ("__import__('os')", 1), ("2024", date(2024, 1, 1)),
        (11, "December"), ("May", 3), ("March", "April"), (13, "January"),
        ("2018-10", "2019-10"), ("2018-10", 9),
    ],
)  # fmt: skip
def test_not_the_same(answer: Answer, right: Answer) -> None:
    assert not same(answer, right)


def test_scores() -> None:
    assert score([10], [10.9]) == type(score([1], [1]))(False, True, False)
    assert score([10], [11.1]).relaxed is False
    assert score([10], [11]).relaxed
    assert not score(["October"], [11]).relaxed
    assert score(["a", "b"], ["b"]).hit
    assert not score(["a", "b"], ["b"]).exact
    assert score(["a", "b"], ["b", "a"]).exact
    assert not score(["a"], ["b", "a"]).hit
    assert not score([], ["a"]).hit
    assert not score(["a"], []).exact


@given(st.lists(st.booleans(), max_size=60), st.randoms())
def test_mcnemar_is_a_probability_and_fair(ours: list[bool], random: object) -> None:
    theirs = ours[::-1]
    p = mcnemar(ours, theirs)
    assert 0 < p <= 1
    assert p == mcnemar(theirs, ours)
    assert mcnemar(ours, ours) == 1


def test_mcnemar_tells_a_clear_winner() -> None:
    assert mcnemar([True] * 20, [False] * 20) < 0.001
