"""Questions put together from parts: each has a sound plan that its steps lead to."""

from reqap.plan import check, parse
from reqap.qud.transcript import turns_of
from reqap.train.compose import KINDS, Composer
from reqap.train.times import period, recurring

PEOPLE = ("Laura Smith", "Tom Baker")


def test_every_question_has_a_sound_plan() -> None:
    seen = set()
    for question, plan in Composer("1", PEOPLE).questions(400):
        tree = parse(plan)
        check(tree)
        turns = turns_of(question, tree)
        assert turns[0].question == question
        assert "{" not in question
        seen.add(question)
    assert len(seen) > 380
    assert len(KINDS) > 30


def test_the_same_seed_gives_the_same_questions() -> None:
    first = list(Composer("7", PEOPLE).questions(20))
    assert list(Composer("7", PEOPLE).questions(20)) == first
    assert list(Composer("8", PEOPLE).questions(20)) != first


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
