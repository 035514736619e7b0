"""Where a record tells a value: in its words, in others that read as it, or not."""

import json
from datetime import date, time, timedelta

import pytest

from reqap.evaluate.told import Told
from reqap.extract.reader import AHEAD, BACK
from reqap.profile import Profile
from reqap.profile.naming import Naming
from reqap.train.extract_lesson import Record, implied, located, side_of, words_at

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
