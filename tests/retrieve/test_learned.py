"""RETRIEVE with networks, from the query to the rows; the networks are scripted."""

from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pytest

from reqap.columns import to_arrow
from reqap.evaluate.variants import Unmerged
from reqap.events import Data, Event, Origin
from reqap.profile import Profile
from reqap.retrieve.encoding import Encoded, encoded
from reqap.retrieve.index import update
from reqap.retrieve.learned import LearnedRetriever
from reqap.retrieve.likeness import Side
from reqap.retrieve.networks import Asked
from reqap.store import Store

AT = datetime(2022, 5, 1, 18)
Floats = npt.NDArray[np.float32]


class OfOneDay:
    """Takes what is about the same day for one."""

    def odds(self, pairs: Sequence[tuple[Side, Side]]) -> Floats:
        same = [not one.about.isdisjoint(other.about) for one, other in pairs]
        return np.array([1.0 if one else -1.0 for one in same], np.float32)


class Scripted:
    """Finds by the first letter of a word; reads with plain eyes."""

    version = "scripted"

    def __init__(self) -> None:
        self.queries: list[str] = []
        self.likeness = OfOneDay()

    def encode(self, texts: Sequence[str]) -> list[Encoded]:
        return [encoded(np.random.default_rng(len(text)).normal(size=16).astype(np.float32),
                        {ord(w[0]): 1.0 for w in text.split()}) for text in texts]  # fmt: skip

    def asked(self, query: str) -> Asked:
        self.queries.append(query)
        return Asked(np.ones(16, np.float32), {ord(w[0]): 1.0 for w in query.split()})

    def judged(self, asked: Asked, vectors: Floats, sparse: Floats, share: Floats) -> Floats:
        return np.minimum(share, np.float32(0.8))

    def read(self, query: str, texts: Sequence[str]) -> Floats:
        return np.array([self._said(query, text) for text in texts], np.float32).reshape(-1, 3)

    def _said(self, query: str, text: str) -> tuple[int, int, int]:
        if text.startswith("all of: "):
            whole = text == "all of: music stream" and "songs" in query
            return (0, 0, 1) if whole else (0, 1, 0)
        return (0, 0, 1) if set(query.split()) & set(text.split()) else (1, 0, 0)


def event(name: str, kind: str, hours: int, data: Data, lasts: int = 0) -> Event:
    start = AT + timedelta(hours=hours)
    end = start + timedelta(hours=lasts)
    return Event(name, "diary", kind, start, end, None, data, Origin("f", 0))


@pytest.fixture
def store() -> Iterator[Store]:
    events = [
        event("run", "workout", 0, {"workout_type": "running"}),
        event("rowed", "workout", 24, {"workout_type": "rowing"}),
        event("song1", "music_stream", 1, {"song_name": "running", "duration": 1}),
        event("song2", "music_stream", 2, {"song_name": "zebra", "duration": 2}),
        event("later", "workout", 999, {"workout_type": "running"}),
    ]
    with Store.open(None) as made:
        made.save_profile(
            Profile.from_json(
                '{"name": "Ada", "family": [{"name": "Galina", "relation": "mother"}]}'
            ).to_json(), (), "UTC",
        )  # fmt: skip
        with made.importing(["f"]) as ingest:
            ingest.add(ingest.add_file("diary", "f", 1, "", "f"), to_arrow(events))
            ingest.merge()
        update(made, Scripted())
        yield made


def found(store: Store, query: str, within: list[str] | None = None) -> dict[str, str]:
    limit = None if within is None else pa.array(within, pa.string())
    table = LearnedRetriever(store, Scripted()).retrieve(query, AT + timedelta(days=3), limit)
    return dict(zip(table.column("id").to_pylist(), table.column("why").to_pylist(), strict=True))


def test_what_is_read_as_matching_is_found(store: Store) -> None:
    assert found(store, "zebra crossings") == {"song2": "read (1.00)"}


def test_records_with_the_value_that_is_named_are_found(store: Store) -> None:
    assert found(store, "runs, of all workouts") == {
        "run": "all with workout; workout type: running (1.00)"
    }


def test_several_things_may_be_named(store: Store) -> None:
    assert found(store, "rowing or running, of all workouts") == {
        "run": "all with workout; workout type: running (1.00)",
        "rowed": "all with workout; workout type: rowing (1.00)",
    }


def test_a_whole_kind_is_complete(store: Store) -> None:
    assert found(store, "songs r") == {
        "song1": "every music stream (1.00)", "song2": "every music stream (1.00)",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("query", "measures"),
    [
        ("my steps", True),
        ("steps I took each day", True),
        ("my resting heart rate", True),
        ("my heart rate", False),
        ("my walks", False),  # "walking distance" is more than that
        ("steps of the town hall", False),
    ],
)
def test_records_are_asked_for_by_what_they_count(query: str, measures: bool) -> None:
    day: Data = {"steps": 900, "walking_distance": 5.5, "resting_heart_rate": 61.0, "who": "x"}
    run: Data = {"workout_type": "running", "steps_goal": "yes", "average_heart_rate": 120}
    with Store.open(None) as made:
        with made.importing(["f"]) as ingest:
            file = ingest.add_file("diary", "f", 1, "", "f")
            days = [event("day", "daily_activity", 0, day), event("run", "workout", 1, run)]
            ingest.add(file, to_arrow(days))
            ingest.merge()
        update(made, Scripted())
        retriever = LearnedRetriever(made, Scripted())
        assert retriever.measuring(query) == ({"daily_activity"} if measures else set())


@pytest.mark.parametrize(
    ("query", "is_silent"),
    [
        ("my walks", True),
        ("km I walked", True),
        ("km I walked each day", False),
        ("walking distance in May", False),
        ("days with many steps", False),
        ("my daily activity", False),
        ("dinner", False),  # of which the networks know
    ],
)
def test_a_walk_is_no_record_of_all_steps(query: str, is_silent: bool) -> None:
    day: Data = {"steps": 900, "walking_distance": 5.5}
    run: Data = {"workout_type": "walking", "walking_distance": 5.5}
    with Store.open(None) as made:
        with made.importing(["f"]) as ingest:
            file = ingest.add_file("diary", "f", 1, "", "f")
            days = [event("day", "daily_activity", 0, day), event("run", "workout", 1, run)]
            ingest.add(file, to_arrow(days))
            ingest.merge()
        update(made, Scripted())
        retriever = LearnedRetriever(made, Scripted())
        assert retriever.silent(query) == ({"daily_activity"} if is_silent else set())


def test_the_future_is_asked_for(store: Store) -> None:
    assert "later" not in found(store, "running")
    assert "later" in found(store, "upcoming running")


def test_within(store: Store) -> None:
    assert set(found(store, "running", ["song1", "rowed"])) == {"song1"}
    assert found(store, "running", []) == {}


def test_people_are_named(store: Store) -> None:
    reader = Scripted()
    LearnedRetriever(store, reader).retrieve("I met my mum", AT)
    assert reader.queries == ["I met my mum (Galina, mother)"]


@pytest.mark.parametrize("query", ["", "  ", "?!", "\0", "…" * 9_000])
def test_queries_without_words_find_nothing(store: Store, query: str) -> None:
    assert found(store, query) == {}


def test_an_empty_store_or_no_index() -> None:
    with Store.open(None) as empty:
        assert LearnedRetriever(empty, Scripted()).retrieve("running", AT).num_rows == 0


def happenings(
    *events: Event, query: str = "running", by: type[LearnedRetriever] = LearnedRetriever
) -> list[list[str]]:
    with Store.open(None) as made:
        with made.importing(["f"]) as ingest:
            ingest.add(ingest.add_file("diary", "f", 1, "", "f"), to_arrow(list(events)))
            ingest.merge()
        update(made, Scripted())
        table = by(made, Scripted()).retrieve(query, AT + timedelta(days=90))
    together: dict[int, list[str]] = {}
    for row in table.to_pylist():
        together.setdefault(row["happening"], []).append(row["id"])
    return list(together.values())


def test_what_is_told_the_day_after_joins_the_record() -> None:
    run = event("run", "workout", 0, {"workout_type": "running"})
    post = event("post", "social_media", 24, {"text": "so sore, running yesterday"})
    assert happenings(run, post) == [["run", "post"]]


def test_without_merging_every_event_is_a_happening() -> None:
    run = event("run", "workout", 0, {"workout_type": "running"})
    post = event("post", "social_media", 24, {"text": "so sore, running yesterday"})
    assert sorted(happenings(run, post, by=Unmerged)) == [["post"], ["run"]]


def test_two_records_stay_two_and_what_is_far_off_stays_apart() -> None:
    runs = [event(f"run{n}", "workout", n, {"workout_type": "running"}) for n in (0, 2)]
    post = event("post", "social_media", 900, {"text": "running today"})
    assert sorted(happenings(*runs, post)) == [["post"], ["run0"], ["run2"]]


def test_a_happening_lasts_as_long_as_its_record(store: Store) -> None:
    run = event("run", "workout", 0, {"workout_type": "running"})
    post = event("post", "social_media", 24, {"text": "so sore, running yesterday"})
    with Store.open(None) as made:
        with made.importing(["f"]) as ingest:
            ingest.add(ingest.add_file("diary", "f", 1, "", "f"), to_arrow([run, post]))
            ingest.merge()
        update(made, Scripted())
        rows = LearnedRetriever(made, Scripted()).retrieve("running", AT + timedelta(days=9))
    assert {(row["start"], row["end"]) for row in rows.to_pylist()} == {(AT, AT)}


def test_who_asks_for_posts_gets_each_of_them() -> None:
    posts = [event(f"p{n}", "social_media", n, {"text": f"running {n}x"}) for n in (0, 1)]
    assert happenings(*posts) == [["p0", "p1"]]
    assert happenings(*posts, query="posts about running") == [["p0"], ["p1"]]


def test_near_misses_are_the_likeliest_first(store: Store) -> None:
    table = LearnedRetriever(store, Scripted()).near_misses("rowing", AT + timedelta(days=3))
    assert "run" in table.column("id").to_pylist()
    assert not set(table.column("id").to_pylist()) & set(found(store, "rowing"))


LETTER = "running was fun on 3 April and on 20 April"


@pytest.mark.parametrize(
    ("read", "expected"),
    [
        (date(2022, 4, 3), datetime(2022, 4, 3)),
        (date(2022, 4, 9), AT),  # of which it does not speak
        (None, AT),
    ],
)
def test_of_several_days_the_one_that_is_read_counts(read: date | None, expected: datetime) -> None:
    heard: list[str] = []

    def dates(ids: Sequence[str], about: str) -> dict[str, date]:
        heard.append(about)
        return {name: read for name in ids if read}

    with Store.open(None) as made:
        with made.importing(["f"]) as ingest:
            letter = event("letter", "note", 0, {"text": LETTER})
            ingest.add(ingest.add_file("diary", "f", 1, "", "f"), to_arrow([letter]))
            ingest.merge()
        update(made, Scripted())
        found = LearnedRetriever(made, Scripted(), dates=dates).retrieve("running", AT)
    assert heard == ["running"]
    assert found["start"].to_pylist() == [expected]
    assert found["end"].to_pylist() == [None]


@pytest.mark.parametrize(("query", "kept"), [("trip", False), ("lake", True)])
def test_an_hour_is_no_journey(query: str, kept: bool) -> None:
    some = [event(f"t{n}", "calendar", 500 * n, {"summary": "trip lake"}, 96) for n in range(3)]
    short = event("hour", "calendar", 200, {"summary": "trip lake plans"}, 1)
    assert (["hour"] in happenings(*some, short, query=query)) == kept
