"""What a query should find: by what is said, not only by what happened."""

from collections.abc import Iterator
from datetime import datetime

import pytest

from reqap.perqa.canonical import WRITTEN, Event, add_table, complete, database
from reqap.perqa.persona import load_persona
from reqap.perqa.relevance import Gold, Relevance
from reqap.perqa.texts import WRITTEN_FROM, Observation, Telling

AT = datetime(2022, 5, 1, 19)
DINNER = Event(1, "meetings", AT, AT, {"participants": ("Ana",), "activity": "dinner",
               "place": "Luigi", "place_type": "restaurant", "cuisine": "Italian"})  # fmt: skip
RUN = Event(2, "workouts", AT, AT, {"workout_type": "running", "participants": ()})
PARTY = Event(3, "celebrations", AT, AT, {"occasion": "birthday", "participants": ("Ana",)})


def observed(number: int, kind: str, event: int | None, *properties: str) -> Observation:
    tells = () if event is None else (Telling(event, properties),)
    return Observation(number, kind, AT, AT, {"text": "…"}, tells)


OBSERVATIONS = [
    observed(0, "calendar", 1, "participants", "place", "start_date"),
    observed(1, "mail", 1, "cuisine", "activity"),
    observed(2, "workout", 2, "workout_type", "participants"),
    observed(3, "note", 2, "workout_type"),
    observed(4, "mail", 3, "participants"),
    observed(5, "social_media", 3, "occasion"),
    observed(6, "mail", None),
]


@pytest.fixture(scope="module")
def gold() -> Iterator[Gold]:
    connection = database(load_persona("dev_persona_0"), [DINNER, RUN, PARTY])
    mail = Event(WRITTEN_FROM + 6, "mails", AT, AT, {"sent": True, "recipient": "Ana"})
    for table, columns in WRITTEN.items():
        add_table(connection, table, columns, [mail] if table == "mails" else [])
    complete(connection)
    yield Gold(connection, OBSERVATIONS)
    connection.close()


@pytest.mark.parametrize(
    ("sql", "wanted", "allowed", "happenings"),
    [
        ("SELECT id FROM meetings WHERE list_contains(participants, 'Ana')", {0}, set(), 1),
        ("SELECT id FROM meetings WHERE cuisine = 'Italian'", {1}, set(), 1),
        # A place by its name only hints at what kind of place it is.
        ("SELECT id FROM meetings WHERE place_type = 'restaurant'", {1}, {0}, 1),
        # A note about a run that the watch has recorded adds nothing.
        ("SELECT id FROM workouts", {2}, {3}, 1),
        # Who was there does not say that it was a celebration; that one met does.
        ("SELECT id FROM celebrations", {5}, {4}, 1),
        ("SELECT id FROM gatherings", {0, 1, 4, 5}, set(), 2),
        # A place is to be read next: whether it is told is not what the query asks for.
        (
            "SELECT id, place FROM meetings WHERE activity = 'dinner' AND place IS NOT NULL",
            set(),
            {1},
            0,
        ),
        ("SELECT id FROM mails WHERE sent", {6}, set(), 1),
        ("SELECT id FROM trips", set(), set(), 0),
    ],
)
def test_wanted_and_allowed(
    gold: Gold, sql: str, wanted: set[int], allowed: set[int], happenings: int
) -> None:
    assert gold.of(sql)[:3] == (frozenset(wanted), frozenset(allowed), happenings)


def test_neighbours_tell_of_the_same_sort_of_thing(gold: Gold) -> None:
    other = gold.of("SELECT id FROM meetings WHERE list_contains(participants, 'Tom')")
    assert other == Relevance(frozenset(), frozenset(), 0, frozenset({0, 1}))
    assert gold.of("SELECT id FROM meetings WHERE cuisine = 'Italian'").neighbours == {0}
