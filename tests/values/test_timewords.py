"""Words that say when, in questions."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reqap.values import CLOCK, PERIOD, WEEKDAY, merged_period, preposition, whens

SAID = [
    ("How often did I run in May 2023?", [(PERIOD, "in", "May 2023")]),
    ("runs between 2019 and 2021", [(PERIOD, "", "between 2019 and 2021")]),
    ("mails from 3 May to the 5th of June", [(PERIOD, "", "from 3 May to the 5th of June")]),
    ("songs on Sundays after 6 pm", [(WEEKDAY, "on", "Sundays"), (CLOCK, "after", "6 pm")]),
    ("the last 3 months", [(PERIOD, "", "the last 3 months")]),
    ("two weeks ago", [(PERIOD, "", "two weeks ago")]),
    ("on Tues or on Thurs", [(WEEKDAY, "on", "Tues"), (WEEKDAY, "on", "Thurs")]),
    ("during the week", [(WEEKDAY, "during", "the week")]),
    ("since Sept. 2020", [(PERIOD, "since", "Sept. 2020")]),
    ("may I march under a sun, thus?", []),
    ("may?", [(PERIOD, "", "may")]),
    ("in Mayfair with Jana", []),
]


@pytest.mark.parametrize(("text", "expected"), SAID)
def test_words_that_say_when_are_found(text: str, expected: list[tuple[str, str, str]]) -> None:
    found = sorted(whens(text), key=lambda one: one.begin)
    assert [(one.sort, one.lead, one.core) for one in found] == expected


WORDS = ["in", "on", "the", "May", "2023", "last", "3", "weeks", "ago", "6", "pm", "Q1", "'", "-"]


@given(st.lists(st.sampled_from(WORDS)))
def test_what_is_found_stands_there_and_nothing_twice(words: list[str]) -> None:
    text = " ".join(words)
    found = sorted(whens(text), key=lambda one: one.begin)
    for one in found:
        assert text[one.begin : one.end] == f"{one.lead} {one.core}".strip()
    assert all(one.end <= other.begin for one, other in pairwise(found))


@given(st.text(max_size=300))
def test_any_text_can_be_looked_at(text: str) -> None:
    for one in whens(text):
        merged_period(one.core, text)
        assert preposition(one.sort, one.core) in ("", "in", "on", "at")


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("May 2023", "June", "June 2023"),
        ("May 2023", "2022", "May 2022"),
        ("summer of 2023", "2022", "summer 2022"),
        ("2023", "last year", "last year"),
        ("2023", "2022", "2022"),
    ],
)
def test_a_month_keeps_the_year_and_a_year_the_month(old: str, new: str, expected: str) -> None:
    assert merged_period(old, new) == expected
