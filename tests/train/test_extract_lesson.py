"""Where a record tells a value: in its words, in others that read as it, or not."""

import json
import random
from datetime import date, time, timedelta

import pytest

from reqap.evaluate.told import Told
from reqap.extract.reader import AHEAD, BACK
from reqap.profile import Profile
from reqap.profile.naming import Naming
from reqap.train.extract_lesson import (
    Lesson,
    Record,
    implied,
    in_portions,
    located,
    side_of,
    words_at,
)

PROFILE = Profile.from_json(json.dumps({
    "people": [
        {"name": "Ruth Obi", "relation": "mother"},
        {"name": "Thomas Reuter", "relation": "friend", "nicknames": ["Big Tom"]},
    ]
}))  # fmt: skip
TEXT = (
    "mail; subject: last night; text: Mum and Big Tom came for carbonara at Luigi's, 7 pm sharp."
    " We ran 5.4 km before, in half an hour, and paid 64,50 €. See you on Saturday, 3 June."
)
RECORD = Record(TEXT, date(2023, 5, 30), Naming(PROFILE))


@pytest.mark.parametrize(
    ("value", "pieces"),
    [
        ("Luigi's", ["Luigi's"]),
        ("carbonara", ["carbonara"]),
        (("Ruth Obi", "Thomas Reuter"), ["Mum", "Big Tom"]),
        (("Ruth Obi", "Somebody Else"), []),
        (date(2023, 5, 29), ["last night"]),
        (date(2023, 6, 3), ["3 June"]),
        (date(2023, 1, 1), []),
        (time(19, 0), ["7 pm"]),
        (5.4, ["5.4"]),
        (64.5, ["64,50"]),
        (timedelta(minutes=30), ["half an hour"]),
        (True, []),
        ("Italian", []),
    ],
)  # fmt: skip
def test_a_value_is_located(value: Told, pieces: list[str]) -> None:
    found = {TEXT[slice(*span)] for span in located(value, RECORD)}
    assert set(pieces) <= found if len(pieces) == 1 else set(pieces) == found


def test_a_weekday_may_lie_ahead() -> None:
    record = Record("mail; text: Dinner on Thursday?", date(2023, 5, 30))
    ((begin, end),) = located(date(2023, 6, 1), record)
    assert record.text[begin:end] == "Thursday"
    assert side_of(date(2023, 6, 1), record.written) == AHEAD
    assert side_of(date(2023, 5, 25), record.written) == BACK


def test_what_is_not_said_may_be_implied() -> None:
    assert implied("Italian", RECORD) == "Italian"
    assert implied(date(2023, 5, 30), RECORD) == "@same day"
    assert implied(date(2023, 5, 20), RECORD) == ""
    assert implied(False, RECORD) == "@no"
    assert implied(7, RECORD) == ""


def test_words_stand_for_themselves() -> None:
    assert words_at("a cat, concatenated; CAT", "cat") == ((2, 5), (21, 24))
    assert words_at("anything", "  ") == ()


def test_of_a_long_text_the_portions_are_taught_that_tell() -> None:
    rest = " Nothing else happened, and that is how it was for weeks." * 12
    text = f"mail; sender: Bo; text: I met Ann.{rest} Then Zoë came.{rest}"
    at, then = text.index("Ann"), text.index("Zoë")
    lesson = Lesson("with", "", text, ((at, at + 3), (then, then + 3)))
    taught = list(in_portions(lesson, random.Random(1)))
    told = [one for one in taught if one.spans]
    assert [[one.text[slice(*span)] for span in one.spans] for one in told] == [["Ann"], ["Zoë"]]
    silent = [one.text for n in range(9) for one in in_portions(lesson, random.Random(n))
              if not one.spans]  # fmt: skip
    assert silent
    assert not any("Ann" in text or "Zoë" in text for text in silent)
    assert all(one.text.startswith("mail; sender: Bo; text: ") for one in taught)
    untold = Lesson("price", "", text)
    assert [one.spans for one in in_portions(untold, random.Random(1))] == [()]
    assert not list(in_portions(Lesson("mood", "", text, implied="happy"), random.Random(1)))
    (sender,) = in_portions(Lesson("from", "", text, ((14, 16),)), random.Random(1))
    assert sender.text[slice(*sender.spans[0])] == "Bo"
    short = Lesson("with", "", "mail; text: I met Ann.", ((18, 21),))
    assert list(in_portions(short, random.Random(1))) == [short]
