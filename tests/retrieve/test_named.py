"""Values of records that a query names."""

from collections.abc import Iterator
from datetime import datetime

import pytest

from reqap.columns import to_arrow
from reqap.events import Data
from reqap.profile import Profile
from reqap.retrieve.index import update
from reqap.retrieve.named import Names
from reqap.store import Store
from reqap.verbalize import patterns_of
from tests.retrieve.test_learned import Scripted, event

EVENTS: dict[str, tuple[str, Data]] = {
    "card": ("online_purchase", {"product": "microSD card", "category": "electronics"}),
    "reader": ("online_purchase", {"product": "microSD card reader", "category": "electronics"}),
    "gps": ("online_purchase", {"product": "GPS watch", "category": "sports"}),
    "seen": ("movie_stream", {"movie_title": "The Gift"}),
    "shredder": ("online_purchase", {"product": "Shredder", "category": "office"}),
    "loud": ("music_stream", {"song_name": "Shredder", "song_artist": "Bo"}),
    "song": ("music_stream", {"song_name": "Knives Out", "song_artist": ["Radiohead", "Ana"]}),
    "mail": ("mail", {"subject": "microSD card", "text": "which one?"}),
}


@pytest.fixture
def names() -> Iterator[Names]:
    with Store.open(None) as made:
        with made.importing(["f"]) as ingest:
            some = [event(name, kind, n, data) for n, (name, (kind, data)) in
                    enumerate(EVENTS.items())]  # fmt: skip
            ingest.add(ingest.add_file("diary", "f", 1, "", "f"), to_arrow(some))
            ingest.merge()
        update(made, Scripted())
        yield Names(made, Profile())


@pytest.mark.parametrize(
    ("query", "matching", "saying"),
    [
        ("microSD cards I bought", {"card"}, {"reader"}),
        ("my microSD card", {"card"}, {"reader"}),
        ("what I spent on electronics", {"card", "reader"}, set()),
        ("songs by Radiohead", {"song"}, set()),
        ("Knives Out by Radiohead, the song", {"song"}, set()),
        ("how often I played Knives Out by Radiohead", {"song"}, set()),
        ("Knives Out by Bo, the song", set(), set()),
        ("the GPS watch", {"gps"}, set()),  # which is no film that was watched
        ("card readers", {"reader"}, set()),  # nothing is called just that
        ("readers", set(), {"reader"}),
        ("the song Knives Out", {"song"}, set()),
        ("my shredders", {"shredder"}, set()),  # what one has, and not what one heard
        ("I talked about microSD cards", set(), set()),
        ("I met Ana", set(), set()),
        ("my online orders", set(), set()),
        ("", set(), set()),
    ],
)
def test_values(names: Names, query: str, matching: set[str], saying: set[str]) -> None:
    found, _ = names.find(query)
    number = {name: n for n, name in enumerate(_in_order(names))}
    said = {name for name in EVENTS if number.get(name) in found.texts}
    described = [(EVENTS[name][0], [one.partition("; ")[2] for one in patterns_of(*EVENTS[name])])
                 for name in sorted(said)]  # fmt: skip
    just = {name for name, one in zip(sorted(said), found.named(described), strict=True) if one}
    assert (just, said - just) == (matching, saying)


def _in_order(names: Names) -> list[str]:
    """The events by the numbers of their texts."""
    rows = names._store.connection.execute(
        "SELECT e.id FROM indexed_events JOIN events e ON e.id = event_id ORDER BY text_id"
    ).fetchall()
    return [name for (name,) in rows]


def test_many_words_are_no_name(names: Names) -> None:
    assert not names.find("I bought " + " ".join(f"thing{n}" for n in range(30)))[0].texts


def test_when_is_no_part_of_a_name(names: Names) -> None:
    assert names.find(f"microSD cards I bought in {datetime(2020, 1, 1).year}")[0].texts


@pytest.mark.parametrize(
    ("query", "parts"),
    [
        ("songs by Radiohead or Ana Lu", [["radiohead"], ["ana", "lu"]]),
        ("GPS watches, shredders & cards I bought", [["gps", "watches"], ["shredders"], ["cards"]]),
        ("songs by Radiohead", []),
        ("songs and films", []),
    ],
)
def test_lists(names: Names, query: str, parts: list[list[str]]) -> None:
    _, found = names.find(query)
    assert [[term.label for term in one.terms] for one in found] == parts


def test_what_people_wrote_in_the_words_of_a_query_is_found() -> None:
    said = ("Went running by the lake with Tom", "I ran today", "running late again", "soup")
    notes = [event(f"n{n}", "note", n, {"text": text}) for n, text in enumerate(said)]
    run_ = event("run", "workout", 9, {"workout_type": "running by the lake"})
    with Store.open(None) as made:
        with made.importing(["f"]) as ingest:
            ingest.add(ingest.add_file("diary", "f", 1, "", "f"), to_arrow([*notes, run_]))
            ingest.merge()
        update(made, Scripted())
        names = Names(made, Profile())

        def told(query: str) -> list[str]:
            rows = made.connection.execute(
                "SELECT event_id FROM indexed_events WHERE list_contains($1, text_id)"
                " ORDER BY event_id",
                [list(names.plainly(query))],
            ).fetchall()
            return [name for (name,) in rows]

        assert told("I went running by the lake") == ["n0"]
        assert told("my runs") == ["n0", "n1", "n2"]
        assert told("I had soup") == ["n3"]
        assert told("xylophones I juggled") == []
        assert told("") == []
