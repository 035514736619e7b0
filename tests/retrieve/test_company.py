"""What was done with others, or alone."""

import pytest

from reqap.retrieve import company


@pytest.mark.parametrize(
    ("query", "rest"),
    [
        ("I went running alone", "I went running"),
        ("walks all by myself", "walks"),
        ("I cooked on my own", "I cooked"),
        ("my solo hikes", "my hikes"),
        ("dinners, with nobody else", "dinners"),
        ("films I saw without anyone", "films I saw"),
        ("I went running", ""),
        ("I met Han Solo", ""),
        ("the song Alone", ""),
        ("stand-alone speakers I bought", ""),
        ("I bought a lone chair", ""),
    ],
)
def test_what_is_left_without_alone(query: str, rest: str) -> None:
    assert company.without_alone(query) == rest
    assert company.is_asked(query) == bool(rest)


# A run alone, an entry without names and its record, a record beside an entry that names somebody.
PLACES, TOLD = [0, 1, 1, 2, 2], [0, 1, 0, 1, 0]
NAMED = [False, False, False, True, False]


@pytest.mark.parametrize(
    ("query", "dropped"),
    [
        ("I ran with someone", {0}),
        ("runs with other people", {0}),
        ("I ran alone", {3, 4}),
        ("I ran with Ana", set()),
        ("runs in other cities", set()),
        ("runs with other shoes", set()),
        ("I ran", set()),
    ],
)
def test_who_was_there(query: str, dropped: set[int]) -> None:
    assert company.beside(query, PLACES, TOLD, NAMED) == dropped


def test_what_tells_that_nobody_was_there_counts() -> None:
    assert company.beside("I ran alone", PLACES, TOLD, NAMED, [3]) == set()


def test_records_may_name_people() -> None:
    assert company.names_people(["padel match; players: Rui"])
    assert company.names_people(["workout", "workout; played with: Rui"])
    assert not company.names_people(["workout; workout type: people carrying"])
