"""Things with their conditions: each has a sound plan."""

from reqap.plan import check, parse
from reqap.train.things import Composer
from reqap.train.times import period, recurring

PEOPLE = ("Laura Smith", "Tom Baker")


def test_what_is_narrowed_down_has_a_sound_plan() -> None:
    composer = Composer("1", PEOPLE)
    seen = set()
    for _ in range(400):
        rows = composer.rows(composer.thing())
        check(parse(rows.asked()))
        assert "{" not in rows.name
        seen.add(rows.name)
    assert len(seen) > 350


def test_all_of_a_thing_has_no_conditions() -> None:
    composer = Composer("2", PEOPLE)
    rows = composer.every(composer.thing())
    assert rows.tail == ""
    assert rows.plan.startswith("RETRIEVE")


def test_times_are_conditions() -> None:
    import random

    chance = random.Random(2)
    for make in (period, recurring):
        told: dict[str, str] = {}
        for _ in range(300):
            when = make(chance)
            check(parse(f'FILTER(RETRIEVE("runs"), lambda e: {when.condition})'))
            told.setdefault(when.phrase, when.condition)
            assert told[when.phrase] == when.condition
        assert len(told) > 50
