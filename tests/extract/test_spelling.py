"""One spelling for what people wrote; records keep theirs. Who is company."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from reqap.extract import PatternExtractor
from reqap.extract.spelling import one_spelling
from reqap.profile import Pet
from tests.extract.lives import PROFILE, an_event, events_of, extract, life


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


def test_what_stands_in_calendars_takes_the_spelling_of_records() -> None:
    written = events_of("calendar", {"sport": "Yoga "}, {"sport": "yoga"}, {"sport": "YOGA"})
    recorded = [an_event({"sport": "YOGA"}, kind="workout", number=number) for number in (7, 8)]
    recorded.append(an_event({"sport": "Yoga"}, kind="workout", number=9))
    told = [value for value, *_ in extract([*written, *recorded], "sport", "str")]
    assert told == ["YOGA", "YOGA", "YOGA", "YOGA", "YOGA", "Yoga"]


def test_a_pet_keeps_nobody_company() -> None:
    text = "Walked in the park with Rex, Lena Sund and Nora."
    event = an_event({"text": text}, kind="note")
    profile = replace(PROFILE, pets=(Pet("Rex", "dog"),))
    with life([event], profile) as store:
        found = PatternExtractor(store).extract(pa.array([event.id]), "participants", "list")
    assert found["value"].to_pylist() == [["Lena Sund"]]
