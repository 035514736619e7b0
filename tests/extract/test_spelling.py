"""One spelling for what people wrote; records keep theirs."""

import numpy as np
import pyarrow as pa
import pytest

from reqap.extract.spelling import one_spelling


def spelled(texts: list[str | None], recorded: int = 0) -> list[str | None]:
    """`recorded`: how many of them, from the first on, stand in records."""
    written = np.arange(len(texts)) >= recorded
    found: list[str | None] = one_spelling(pa.array(texts, pa.string()), written).to_pylist()
    return found


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["bus", "Bus", "bus", None], ["bus", "bus", "bus", None]),
        (["Café Norma", "café norma ", "Cafe Norma", "Café Norma,"], ["Café Norma"] * 4),
        (["Bus,", "Bus,", "bus"], ["bus"] * 3),
        (["Help!", "Help", "?", "!", "...", "D.C."], ["Help!", "Help", "?", "!", "...", "D.C."]),
        (["x" * 300, "X" * 300], ["x" * 300, "X" * 300]),
        ([None, None], [None, None]),
        ([], []),
    ],
)
def test_what_differs_in_capitals_accents_and_marks_is_one(
    texts: list[str | None], expected: list[str | None]
) -> None:
    assert spelled(texts) == expected


def test_records_keep_their_spelling_and_give_it() -> None:
    texts: list[str | None] = ["IDOL", "IDOL", "Idol", "idol", "idol.", "Biên", "bien"]
    assert spelled(texts, 3) == ["IDOL", "IDOL", "Idol", "IDOL", "IDOL", "Biên", "Biên"]
    assert spelled(texts, 7) == texts


def test_items_of_lists() -> None:
    lists = [["Ann", "bo"], None, [], ["bo", "ANN", None], ["Ann"]]
    found = one_spelling(pa.array(lists), np.ones(5, np.bool_))
    assert found.to_pylist() == [["Ann", "bo"], None, [], ["bo", "Ann", None], ["Ann"]]
    part = one_spelling(pa.array(lists).slice(2), np.ones(3, np.bool_))
    assert part.to_pylist() == [[], ["bo", "ANN", None], ["ANN"]]
