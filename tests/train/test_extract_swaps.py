"""The same texts about other places, dishes and pastimes."""

import random
from datetime import date

from reqap.evaluate.told import Told
from reqap.train.extract_lesson import Lesson
from reqap.train.extract_pack import drawn
from reqap.train.extract_swaps import Exchange, exchange, named, pool

TEXT = "note; text: Casa Quinta again, lentil soup for two"
TOLD: dict[str, Told] = {"place": "Casa Quinta", "dish": "lentil soup", "cuisine": "Peruvian",
                         "start_date": date(2024, 3, 1)}  # fmt: skip


def test_what_is_said_word_for_word_is_exchanged() -> None:
    changed = [exchange(TEXT, TOLD.items(), random.Random(n)) for n in range(30)]
    assert {len(one.others) for one in changed} == {0, 1, 2}
    for one in changed:
        told = one.told(TOLD)
        assert all(str(told[name]).casefold() in one.text(TEXT).casefold()
                   for name in ("place", "dish"))  # fmt: skip
        assert told["start_date"] == TOLD["start_date"]
        assert ("cuisine" in told) == (not one.others)  # it hangs on both


def test_a_capital_stays_one() -> None:
    other = Exchange({"lentil soup": "rice"})
    assert other.text("Lentil soup! More lentil soup, no lentil souping") == (
        "Rice! More rice, no lentil souping"
    )


def test_what_overlaps_or_is_kept_stays() -> None:
    told: list[tuple[str, Told]] = [("place", "Casa Quinta"), ("activity", "Casa Quinta tour")]
    for n in range(10):
        assert not exchange("Casa Quinta tour", told, random.Random(n)).others
        assert not exchange(TEXT, [("dish", "lentil soup")], random.Random(n), ["soup"]).others


def test_others_are_of_the_same_sort() -> None:
    assert named(["venue", "spot"]) == "place"
    assert named(["colour"]) == ""
    assert all(len(pool(name)) > 100 for name in ("place", "dish", "city", "activity"))


def test_of_what_is_told_most_fewer_lessons_are_drawn() -> None:
    lessons = [Lesson(key, "", str(n)) for n in range(500) for key in ("participants", "mood")]
    some = drawn(lessons, 400, random.Random(1))
    assert len(some) == 400
    assert some == [one for one in lessons if one in set(some)]
    assert 0 < sum(one.key == "participants" for one in some) < 150
