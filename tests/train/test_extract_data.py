"""Lessons of EXTRACT, from what was written one by one and from the free lives."""

import random
from itertools import islice

from reqap.evaluate.told import spellings
from reqap.perqa.lives import load_lives
from reqap.train.extract_data import life_lessons, record_lessons, written_lessons


def test_written_records_teach_all_three_sorts() -> None:
    found = list(islice(written_lessons(random.Random(1)), 3_000))
    assert {(bool(one.spans), bool(one.implied)) for one in found} >= {
        (True, False), (True, True), (False, True), (False, False)
    }  # fmt: skip
    assert len({one.key for one in found}) > 1_000
    for one in found:
        assert all(0 <= begin < end <= len(one.text) for begin, end in one.spans)


def test_lives_are_asked_in_many_spellings() -> None:
    found = list(islice(life_lessons("dev", random.Random(1)), 2_000))
    asked = {one.key for one in found}
    assert len(asked & set(spellings()["participants"])) > 5
    assert any(one.about == "doctor" for one in found)
    venues = [one for one in found if one.key == "venue" and one.spans]
    told = {about.get("place", "").casefold() for life in load_lives("dev") for text in life.texts
            for about in text.about}  # fmt: skip
    assert venues
    assert {one.text[slice(*one.spans[0])].casefold() for one in venues} <= told


def test_records_teach_which_column_is_meant() -> None:
    found = list(record_lessons())
    assert len({one.key for one in found}) > 3_000
    fee = next(one for one in found if one.spans)
    assert ": " + fee.text[slice(*fee.spans[0])] in fee.text
    assert sum(not one.spans and not one.implied for one in found) > 1_000


def test_the_same_seed_gives_the_same() -> None:
    first, second = (list(islice(life_lessons("dev", random.Random(5)), 300)) for _ in range(2))
    assert first == second
