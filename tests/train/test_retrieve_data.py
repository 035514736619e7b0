"""Queries with labelled texts, to learn RETRIEVE from."""

import random

import pytest

from reqap.perqa.lives import FreeLife, load_lives
from reqap.train.retrieve_data import (
    Amount,
    in_other_words,
    of_life,
    paraphrases,
    tellings,
)
from reqap.verbalize import IRRELEVANT, RELEVANT


def test_near_misses_are_many_and_whole() -> None:
    found = list(tellings(random.Random(1)))
    assert len(found) > 1_500
    for lesson in found:
        labels = dict(lesson.texts)
        assert IRRELEVANT in labels.values(), lesson.query
        assert all(labels), lesson.query


def test_people_are_named_behind_the_query() -> None:
    named = [one.query for one in tellings(random.Random(1)) if one.query.endswith(")")]
    assert len(named) > 50


@pytest.mark.parametrize("life", load_lives("train")[:3], ids=lambda life: life.name)
def test_queries_of_a_free_life(life: FreeLife) -> None:
    for lesson in of_life(life, Amount(), random.Random(1)):
        assert len(lesson.texts) == len(dict(lesson.texts)), lesson.query
        assert {label for _, label in lesson.texts} == {IRRELEVANT, RELEVANT}


def test_queries_in_other_words_keep_what_fills_their_gaps() -> None:
    found = in_other_words("I saw Walter Gaines", paraphrases())
    assert found
    assert all("Walter Gaines" in wording for wording in found)
    assert in_other_words("my first day at Kade Noord", paraphrases()) == []  # school, or company
    assert in_other_words("nobody ever asked this of anyone", paraphrases()) == []
