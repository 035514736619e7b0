"""Lessons where the text says plainly what is asked for."""

import random

from reqap.train.named import named_lessons
from reqap.verbalize import IRRELEVANT, RELEVANT


def test_a_thing_is_found_by_its_name_and_another_is_not() -> None:
    found = list(named_lessons(random.Random(1)))
    assert len({one.query for one in found}) > 1_000
    yoga = next(one for one in found if one.query == "I did yoga")
    said = {label: [text.casefold() for text, given in yoga.texts if given == label]
            for label in (RELEVANT, IRRELEVANT)}  # fmt: skip
    assert all("yoga" in text for text in said[RELEVANT])
    assert len(said[IRRELEVANT]) > len(said[RELEVANT])
    assert not any("yoga" in text for text in said[IRRELEVANT])
    assert any("calendar" in text for text in said[RELEVANT])


def test_no_gap_is_left() -> None:
    for one in named_lessons(random.Random(2)):
        assert "{" not in one.query
        assert not [text for text, _ in one.texts if "{" in text]
