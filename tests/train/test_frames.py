"""Frames: every way to ask can be filled, and has a sound plan about the same things."""

import re

from reqap.plan import check, parse
from reqap.qud.transcript import turns_of
from reqap.train.frames import Frame, filled, fills, frames
from reqap.train.things import Composer

PEOPLE = ("Laura Smith", "Tom Baker", "Ngozi Obi")
_NAMES = re.compile(r"\{([A-Z]|[a-z]+\d?)[.}]")


def test_every_frame_can_be_filled_and_has_a_sound_plan() -> None:
    composer = Composer("1", PEOPLE)
    for frame in frames():
        made = filled(frame, frame.asks[0], composer)
        assert made is not None, frame.asks[0]
        question, plan = made
        assert "{" not in question
        tree = parse(plan)
        check(tree)
        assert turns_of(question, tree)[0].question == question


def test_all_ways_to_ask_are_about_what_the_plan_is_about() -> None:
    for frame in frames():
        for ask in frame.asks:
            assert set(_NAMES.findall(ask)) == set(_NAMES.findall(frame.plan)), ask


def test_a_gap_has_the_same_value_everywhere() -> None:
    frame = Frame(
        ("How often did I {A.did}{A.tail} after {B.ing} {period}, at least {n} times?",),
        'FILTER(QUD("my {A.nouns}{A.tail}", {A}), lambda e: {period.if} and e.day > {n})',
    )
    question, plan = filled(frame, frame.asks[0], Composer("2", PEOPLE)) or ("", "")
    assert "{" not in question + plan


def test_people_and_years_are_not_the_same_twice() -> None:
    frame = Frame(("{person} or {person2} in {year} and {year2}",), "{year} {year2}")
    composer = Composer("3", PEOPLE)
    for _ in range(50):
        question, plan = filled(frame, frame.asks[0], composer) or ("", "0 1")
        first, second = question.partition(" in ")[0].lower().split(" or ")
        assert not first.startswith(second)
        assert not second.startswith(first)
        assert int(plan.split()[0]) < int(plan.split()[1])


def test_the_same_seed_gives_the_same_questions() -> None:
    made = list(fills(Composer("4", PEOPLE), 1))
    assert made == list(fills(Composer("4", PEOPLE), 1))
    assert len(made) > len(frames()) * 0.95
