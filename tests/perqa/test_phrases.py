"""Phrases: when they fit, what fills their gaps, and what they tell."""

import random
from datetime import datetime, timedelta

import pytest

from reqap.errors import ReqapError
from reqap.perqa.canonical import Event, Property
from reqap.perqa.phrases import chosen, filled, read_phrases
from reqap.perqa.wording import clock, listed, relative, told_by

START = datetime(2023, 5, 13, 19, 30)  # a Saturday


def dinner(**properties: Property) -> Event:
    told = {"activity": "dinner", "participants": ("Ana Lima",), **properties}
    return Event(1, "meetings", START, START + timedelta(hours=2), told)


TEXT = """@ activity=dinner|lunch has=dish people=1 says=activity
{dish} with {people}
@ people=2+
[a|b] crowd
@ cuisine=Italian
that oven
"""


def test_phrases_fit_by_their_conditions_and_gaps() -> None:
    first, second, third = read_phrases(TEXT, "meetings", "post")
    known = {"dish": "ravioli", "people": "Ana"}
    assert first.fits(dinner(dish="ravioli"), known, "Me")
    assert not first.fits(dinner(), {"people": "Ana"}, "Me")
    assert not first.fits(dinner(activity="coffee"), known, "Me")
    assert first.says() == ("activity",)
    assert not second.fits(dinner(), known, "Me")
    assert second.fits(dinner(participants=("Ana Lima", "Bo Li")), known, "Me")
    assert third.fits(dinner(cuisine="italian"), known, "Me")
    assert not third.fits(dinner(), known, "Me")


def test_a_phrase_without_a_header_is_refused() -> None:
    with pytest.raises(ReqapError):
        read_phrases("no header\n", "meetings", "post")


def test_choices_and_gaps() -> None:
    chance = random.Random(3)
    made = {chosen("[a|b [c|d]|]!", chance) for _ in range(200)}
    assert made == {"a!", "b c!", "b d!", "!"}
    assert filled("{dish} {dish}", {"dish": "{x}"}) == "{x} {x}"


@pytest.mark.parametrize(
    ("hours", "words"),
    [
        (1, {"tonight", "this evening"}),
        (24, {"last night", "yesterday evening"}),
        (72, {"on Saturday", "last Saturday", "this past Saturday"}),
        (-30, {"tomorrow night"}),
        (-80, {"on Saturday", "this Saturday"}),
        (24 * 15, {"on 13 May", "on Saturday, 13 May", "two weeks ago"}),
    ],
)
def test_times_as_they_are_said(hours: int, words: set[str]) -> None:
    chance = random.Random(1)
    said = {relative(chance, START, START + timedelta(hours=hours)).text for _ in range(60)}
    assert said == words


def test_what_gaps_tell() -> None:
    assert told_by(frozenset({"dish", "people", "when", "city"})) == {
        "dish", "cuisine", "participants", "city",
    }  # fmt: skip


def test_names_and_clocks() -> None:
    chance = random.Random(1)
    assert listed(["A", "B", "C"], chance) == "A, B and C"
    assert {clock(chance, START) for _ in range(50)} == {"7:30pm", "19:30", "7.30"}
