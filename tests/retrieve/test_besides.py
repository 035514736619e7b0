"""What a query says beside what it looks for."""

from collections.abc import Iterator

import pytest

from reqap.columns import to_arrow
from reqap.events import Data
from reqap.profile import Person, Profile
from reqap.profile.naming import Naming
from reqap.retrieve import besides
from reqap.store import Store
from tests.retrieve.test_learned import event


@pytest.mark.parametrize(
    ("query", "whole", "part"),
    [
        ("purchases except books", "purchases", "purchases books"),
        ("workouts other than yoga", "workouts", "workouts yoga"),
        ("songs not by Ana", "songs", "songs by Ana"),
        ("dinners that were not at home", "dinners", "dinners at home"),
        ("films, but not dramas", "films", "films dramas"),
        ("films, not dramas", "films", "films dramas"),
    ],
)
def test_what_is_left_out(query: str, whole: str, part: str) -> None:
    assert besides.left_out(query) == (whole, part)


@pytest.mark.parametrize(
    "query",
    [
        "films I did not like",
        "I have not slept",
        "except books",
        "knots I tied",
        "the song Not Afraid",
        "restaurants I would not visit again",
        "not only films",
        "",
    ],
)
def test_nothing_is_left_out(query: str) -> None:
    assert besides.left_out(query) is None


EVENTS: dict[str, tuple[str, Data]] = {
    "tablet": ("movie_stream", {"movie_title": "Up", "device": "Acme Tablet Pro"}),
    "phone": ("movie_stream", {"movie_title": "Up", "device": "Fono"}),
    "photo": ("social_media", {"text": "sun", "platform": "piqstagram"}),
    "bought": ("online_purchase", {"product": "tablet"}),
}


@pytest.fixture
def origins() -> Iterator[besides.Origins]:
    with Store.open(None) as made:
        with made.importing(["f"]) as ingest:
            some = [event(name, kind, n, data) for n, (name, (kind, data)) in
                    enumerate(EVENTS.items())]  # fmt: skip
            ingest.add(ingest.add_file("diary", "f", 1, "", "f"), to_arrow(some))
            ingest.merge()
        yield besides.Origins(made)


@pytest.mark.parametrize(
    ("query", "kinds", "rest", "ids"),
    [
        ("films on my tablet", {"movie_stream"}, "films", {"tablet"}),
        ("films on my tablet in May", {"movie_stream"}, "films in May", {"tablet"}),
        ("posts on Piqstagram", {"social_media"}, "posts", {"photo"}),
        ("films via diary", {"movie_stream"}, "films", {"tablet", "phone"}),
        ("money I spent on a tablet", {"online_purchase"}, None, None),
        ("films on Sundays", {"movie_stream"}, None, None),
        ("films on my tablet", set[str](), None, None),
        ("on my tablet", {"movie_stream"}, None, None),
    ],
)
def test_services_and_devices(
    origins: besides.Origins, query: str, kinds: set[str], rest: str | None, ids: set[str] | None
) -> None:
    found = origins.find(query, lambda rest: kinds if rest.strip() else set())
    assert (found and found.rest, found and set(found.ids)) == (rest, ids)


TOM = ["mail; sender: Tom Reuter", "mail; recipient: me", "mail; subject: hello"]


@pytest.mark.parametrize(
    ("query", "fits"),
    [
        ("mails from Tom", True),
        ("mails I got from Tommy about tents", True),
        ("mails to Tom", False),
        ("mails to me", True),
        ("mails from Ana", False),
        ("mails from Ana and Tom", True),
        ("mails from Andrea", False),
        ("mails about our visit to Tom", None),
        ("mails", None),
    ],
)
def test_who_wrote_to_whom(query: str, fits: bool | None) -> None:
    first = ["mail; sender: Tom <t@x.example>", "mail; topic: me"]
    people = (Person(name="Tom Reuter", nicknames=("Tommy",)), Person(name="Ana Lu"))
    found = besides.correspondents(query, Naming(Profile(name="Ada Obi", people=people)))
    assert (found and found.fit(TOM)) == fits
    assert not found or found.fit(first) == (fits and query != "mails to me")
