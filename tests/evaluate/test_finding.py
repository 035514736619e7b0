"""What was found, compared with what should be."""

from datetime import datetime

import pyarrow as pa
import pytest

from reqap.evaluate.finding import Asked, Searched, filled, free_lives, measured
from reqap.profile import Profile
from reqap.retrieve import WordRetriever
from reqap.retrieve.merge import SCHEMA

AT = datetime(2022, 5, 1)
TELLS = {"a": frozenset({"e1"}), "b": frozenset({"e1"}), "c": frozenset({"e2"})}


def found(*rows: tuple[int, str]) -> pa.Table:
    return pa.table(
        [[n for n, _ in rows], [name for _, name in rows], *[[AT] * len(rows)] * 2,
         [""] * len(rows)],
        schema=SCHEMA,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "recall", "precision", "counts", "pairs"),
    [
        ([(0, "a"), (0, "b"), (1, "c")], 1.0, 1.0, True, (1, 1, 1)),
        ([(0, "a"), (1, "b"), (2, "c")], 1.0, 1.0, False, (0, 0, 1)),
        # What is only allowed, x, is no happening to be counted.
        ([(0, "a"), (0, "c"), (1, "x"), (2, "d")], 2 / 3, 2 / 3, True, (0, 1, 0)),
        ([], 0.0, 0.0, False, (0, 0, 0)),
    ],
)
def test_numbers(
    rows: list[tuple[int, str]], recall: float, precision: float, counts: bool,
    pairs: tuple[int, int, int],
) -> None:  # fmt: skip
    asked = Asked("q", frozenset("abc"), frozenset("x"), 2)
    life = Searched("life", filled([], Profile()), AT, (asked,), TELLS)
    one = measured(life, asked, found(*rows), 0.1)
    assert (one.recall, one.precision, one.counts) == (recall, precision, counts)
    assert (one.both, one.merged, one.same) == pairs


def test_a_free_life_can_be_searched() -> None:
    life = next(free_lives("dev"))
    tables = [WordRetriever(life.store).retrieve(one.query, life.today) for one in life.queries]
    assert any(len(table) for table in tables)
    assert all(one.wanted and one.happenings for one in life.queries)
