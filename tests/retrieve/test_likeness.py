"""What speaks for and against that two observations tell of the same, and what is made of it."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from reqap.profile import Profile
from reqap.profile.naming import Naming
from reqap.retrieve.happenings import places
from reqap.retrieve.kinds import asks_for_writing
from reqap.retrieve.likeness import Likeness, Side, agree, features, numbers_in, side
from reqap.verbalize import TELLINGS

NAMING = Naming(
    Profile.from_json(
        '{"family": [{"name": "Galina Petrova", "relation": "mother"}],'
        ' "friends": [{"name": "Tom Marsh", "nicknames": ["Big Tom"]}]}'
    )
)


def a_side(kind: str, at: str, text: str = "", until: str = "") -> Side:
    moments = [datetime.fromisoformat(one) for one in (at, until or at)]
    start, end = (int((one - datetime(1970, 1, 1)).total_seconds()) * 1_000_000 for one in moments)
    rank = TELLINGS.index(kind) + 1 if kind in TELLINGS else 0
    words = {hash(word) % 30_000: 1.0 for word in text.split()}
    numbers = numbers_in(text)
    return side(kind, rank, (start, end), text, NAMING, numbers, words, np.ones(2, np.float32))


def test_a_telling_is_about_the_days_it_speaks_of() -> None:
    post = a_side("social_media", "2024-10-12T09:00", "What a match yesterday!")
    entry = a_side("calendar", "2024-10-11T18:00", "match", "2024-10-11T20:00")
    assert post.about == entry.days
    assert features(post, entry)[0] == 1
    assert features(post, entry) == features(entry, post)


def test_the_day_that_a_telling_tells() -> None:
    def told(text: str, kind: str = "mail") -> str | None:
        day = a_side(kind, "2024-10-12T09:00", text).told_day
        return None if day is None else str(np.datetime64(day, "D"))

    assert told("What a match yesterday!") == "2024-10-11"
    assert told("On 3 October I saw Tom, dinner at home.") == "2024-10-03"
    assert told("What a match!") is None
    assert told("Today it rained.") is None  # it was written then, and at that hour
    assert told("On 3 October I saw Tom, on 5 October Ana.") is None
    assert told("I was born on 3 May 1970.") is None
    assert told("yesterday", "calendar") is None  # it lies where it lies


def test_without_a_day_it_may_be_about_today_or_yesterday() -> None:
    post = a_side("social_media", "2024-10-12T09:00", "What a match!")
    assert len(post.about) == 2
    assert not post.placed


def test_people_count_by_all_their_names() -> None:
    mail = a_side("mail", "2024-10-12T09:00", "Big Tom and my mum were there")
    assert mail.people == {"Tom Marsh", "Galina Petrova"}


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("5.4 km and a dog chased me for at least 1 of them", {"5.4"}),
        ("4.9k in 27 min", {"4.9", "27"}),
        ("45,99 EUR on 12.5.2023 at 18:30, order x9 of 2023-08-02", {"45.99"}),
        ("two of us", set()),
    ],
)
def test_numbers_that_say_something(text: str, numbers: set[str]) -> None:
    assert numbers_in(text) == numbers


def test_numbers_agree_as_people_round_them() -> None:
    assert agree("27", "27.4")
    assert agree("4.9", "4.87")
    assert not agree("5.4", "5.47")
    assert not agree("27", "28.1")
    post = a_side("social_media", "2024-10-12T09:00", "5.4 km, and a dog")
    plain = a_side("social_media", "2024-10-12T09:00", "and a dog")
    run = a_side("workout", "2024-10-12T08:00", "5.42 km")
    assert features(post, run) != features(plain, run)


class Script:
    """Odds by the kinds of a pair."""

    def __init__(self, odds: dict[tuple[str, str], float]) -> None:
        self._odds = odds

    def odds(self, pairs: Sequence[tuple[Side, Side]]) -> npt.NDArray[np.float32]:
        kinds = [sorted((a.kind, b.kind)) for a, b in pairs]
        found = [self._odds.get((first, second), -1.0) for first, second in kinds]
        return np.array(found, np.float32)


def test_a_chain_does_not_join_what_does_not_belong_together() -> None:
    sides = [a_side(kind, "2024-10-12T09:00") for kind in ("calendar", "mail", "note")]
    odds = {("calendar", "mail"): 2.0, ("mail", "note"): 1.0, ("calendar", "note"): -5.0}
    assert places(sides, Script(odds)) == [0, 0, 1]


def test_a_happening_has_one_record_at_most() -> None:
    sides = [a_side(kind, "2024-10-12T09:00") for kind in ("workout", "note", "workout")]
    found = places(sides, Script({("note", "workout"): 2.0}))
    assert found[0] != found[2]
    assert found[1] in (found[0], found[2])


def test_what_names_no_day_may_be_about_weeks_ago() -> None:
    sides = [a_side("calendar", "2024-09-20T09:00"), a_side("mail", "2024-10-12T09:00", "Lovely!")]
    assert places(sides, Script({("calendar", "mail"): 1.0})) == [0, 0]
    far = [a_side("calendar", "2023-09-20T09:00"), sides[1]]
    assert places(far, Script({("calendar", "mail"): 1.0})) == [0, 1]


def test_the_network_is_read_from_its_file(tmp_path: Path) -> None:
    size = len(features(a_side("note", "2024-10-12T09:00"), a_side("note", "2024-10-12T09:00")))
    np.savez(
        tmp_path / "merge.npz", mean=np.zeros(size), spread=np.ones(size),
        weight0=np.eye(4, size), bias0=np.zeros(4), weight1=np.ones((1, 4)), bias1=np.full(1, -0.5),
    )  # fmt: skip
    likeness = Likeness(tmp_path / "merge.npz")
    post = a_side("social_media", "2024-10-12T09:00", "What a match yesterday!")
    entry = a_side("calendar", "2024-10-11T18:00")
    assert likeness.odds([(post, entry)])[0] > 0
    assert len(likeness.odds([])) == 0


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("mails from Ana", True), ("my posts about cooking", True), ("notes with recipes", True),
        ("I met Ana", False), ("dinners with my brother", False), ("appointments", False),
    ],
)  # fmt: skip
def test_who_asks_for_writing(query: str, expected: bool) -> None:
    assert asks_for_writing(query) is expected


def test_a_mail_about_two_evenings_does_not_make_them_one() -> None:
    evenings = [a_side("calendar", f"2024-10-{day}T19:00") for day in (12, 20)]
    mail = a_side("mail", "2024-10-25T09:00", "Lovely, on 12 October and on 20 October!")
    found = places([*evenings, mail], Script({("calendar", "mail"): 5.0, ("calendar",) * 2: 5.0}))
    assert found[0] != found[1]
    assert found[2] in found[:2]
