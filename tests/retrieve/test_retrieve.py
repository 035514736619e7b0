"""RETRIEVE by words: which events a query finds."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reqap.profile import Home, Job, Person, Pet, Profile, When
from reqap.retrieve import WordRetriever
from reqap.retrieve.merge import SCHEMA
from reqap.store import Store
from tests.retrieve.lives import DAY, TODAY, an_event, fill, know

PROFILE = Profile(
    people=(
        Person("Teresa Lima", "mother", ("Mãe",), emails=("tl@example.pt",)),
        Person("Rita Lima", "sister"),
        Person("Thomas Berg", "boss", ("Big Tom",)),
        Person("Will Smith", "friend"),
    ),
    pets=(Pet("Rex", "dog"),),
    jobs=(Job("Acme", "engineer", since=When.of("2019-04-01"), until=When.of("2021-01-31")),),
    homes=(Home("Porto", since=When.of("2015"), until=When.of("2018")),),
)
LIFE = [
    an_event("football", "workout", hours=0, workout_type="football", device="Apple Watch"),
    an_event("run", "workout", hours=24, workout_type="running"),
    an_event("practice", "calendar", hours=0, length=1.5, summary="Soccer, indoor"),
    an_event("jog", "social_media", hours=48, length=0, text="I jogged around the lake"),
    an_event("song", "music_stream", hours=3, length=0.1, song_name="Running Up That Hill"),
    an_event("song2", "music_stream", hours=4, length=0.1, song_name="Café", song_artist=["Ana"]),
    an_event("podcast", "podcast_stream", hours=5, podcast_name="Ana talks", episode_name="1"),
    an_event("film", "movie_stream", hours=6, length=2, movie_title="The Old Bridge"),
    an_event("video", "video_stream", hours=7, length=0, video_title="Football highlights"),
    an_event("shoes", "online_purchase", hours=8, length=0, product="Running shoes", price="9 EUR"),
    an_event("dvd", "online_purchase", hours=9, length=0, product="Old film on DVD"),
    an_event("lunch", "calendar", hours=72, summary="Lunch with Mãe", location="Große Straße 1"),
    an_event("birthday", "calendar", hours=102, length=24, summary="Teresa Lima", all_day=True),
    an_event("letter", "mail", hours=103, length=0, sender="Teresa <tl@example.pt>", text="Hello"),
    an_event("tom", "calendar", hours=120, summary="Review with Big Tom"),
    an_event("vet", "calendar", hours=130, summary="Vet: Rex, vaccination"),
    an_event("dentist", "calendar", hours=140, summary="Dentist, check-up"),
    an_event("escaped", "note", hours=150, length=0, text="A list:\ngardening\n\"tulips\""),
    an_event("link", "note", hours=151, length=0, text="https://example.org/gardening-tulips ok"),
    an_event("will", "note", hours=152, length=0, text="I will call Will Smith"),
    an_event("shall", "note", hours=153, length=0, text="I will call them"),
    an_event("bali", "calendar", hours=160, summary="Ubud, Bali"),
    an_event("steps", "daily_activity", hours=170, length=24, steps=9000),
    an_event("pulse", "daily_activity", hours=194, length=24, resting_heart_rate=60),
    an_event("transfer", "bank_transfer", hours=200, length=0, payee="Landlord"),
    an_event("later", "calendar", hours=24 * 400, summary="Soccer final"),
]  # fmt: skip


@pytest.fixture(scope="module")
def life() -> Iterator[Store]:
    with Store.open(None) as store:
        know(store, PROFILE)
        fill(store, LIFE)
        yield store


def found(store: Store, query: str, within: pa.Array | None = None) -> set[str]:
    """The ids found, of events that are no facts of the profile."""
    table = WordRetriever(store).retrieve(query, TODAY, within)
    assert table.schema == SCHEMA
    return set(table.column("id").to_pylist()) & {event.id for event in LIFE}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        # Only kind words: all events of the kind.
        ("I listened to music", "song song2"),
        ("songs I listened to", "song song2"),
        ("I listened to something", "song song2 podcast"),
        ("podcast episodes I listened to", "podcast"),
        ("I watched a film", "film"),
        ("I watched something", "film video"),
        ("my online purchases", "shoes dvd"),
        ("I bought a product online", "shoes dvd"),
        ("purchases in March 2022", "shoes dvd"),
        ("how much money I spent", "shoes dvd"),
        ("my workouts", "football run"),
        ("I worked out", "football run"),
        ("mails", "letter"),
        ("my steps", "steps"),
        ("bank transfers", "transfer"),
        ("transfer", "transfer"),
        # Kind words and others.
        ("songs by Ana", "song2"),
        ("I bought a film", "dvd"),
        ("I bought running shoes", "shoes"),
        ("football training", "football"),
        ("my doctor's appointments", "dentist"),
        ("mails from Teresa", "letter"),
        # Words, in any form, of the same meaning, and with any accents.
        ("I played football", "football practice"),
        ("I went running", "run jog"),
        ("Running Up That Hill", "song"),
        ("cafe", "song2"),
        ("Grosse Strasse", "lunch"),
        ("I went gardening", "escaped"),
        ("tulip", "escaped"),
        # The wider place need not be told.
        ("I was in Bali, Indonesia", "bali"),
        ("I was in Bali and Indonesia", ""),
        # Neither keys nor what tells about the record are words of an event.
        ("apple", ""),
        ("title", ""),
        # People and pets, by any name.
        ("I met with my mum", "lunch"),
        ("I met with Teresa", "lunch"),
        ("my mum", "lunch birthday letter"),
        ("I met my boss", "tom"),
        ("Thomas", "tom"),
        ("my sister", ""),
        ("I met Will", ""),
        ("notes about Will", "will"),
        ("my dog", "vet"),
        # Nothing at all.
        ("", ""),
        ("the of and did I", ""),
        ("2022", ""),
        ("golf", ""),
        ("football golf", ""),
    ],
)  # fmt: skip
def test_what_a_query_finds(life: Store, query: str, expected: str) -> None:
    assert found(life, query) == set(expected.split())


def test_facts_of_the_profile_are_told_apart(life: Store) -> None:
    def facts(query: str) -> list[object]:
        ids = WordRetriever(life).retrieve(query, TODAY).column("id").to_pylist()
        return [event.data["event"] for event in life.scan(ids=ids or ["-"])]

    assert facts("my jobs") == ["started a job"]
    assert facts("I started as Engineer") == ["started a job"]
    assert facts("I moved") == ["moved to a new home"]
    assert facts("my pets") == []  # nobody knows since when


def test_other_kinds_must_speak_of_the_kind_that_is_named() -> None:
    with Store.open(None) as store:
        fill(
            store,
            [
                an_event("stream", "movie_stream", movie_title="Metropolis"),
                an_event("told", "social_media", hours=9, length=0, text="Metropolis, what a film"),
                an_event("trip", "social_media", hours=19, length=0, text="Berlin is a metropolis"),
            ],
        )
        table = WordRetriever(store).retrieve("I watched Metropolis", TODAY)
        assert table.column("id").to_pylist() == ["stream", "told"]
        assert table.column("why").to_pylist() == [
            "kind movie_stream, words metropolis",
            "words metropolis",
        ]


def test_a_common_word_may_be_missing_but_not_a_rare_one() -> None:
    with Store.open(None) as store:
        texts = ("walk", "swim", "read") * 10
        common = [an_event(f"c{n}", "note", hours=n, text=text) for n, text in enumerate(texts)]
        rare = [
            an_event("rare", "note", hours=40, text="lighthouse"),
            an_event("both", "note", hours=41, text="walk to the lighthouse"),
        ]
        fill(store, common + rare)
        table = WordRetriever(store).retrieve("lighthouse walk", TODAY)
        assert table.column("id").to_pylist() == ["rare", "both"]
        assert table.column("why").to_pylist() == ["words lighthouse", "words lighthouse, walk"]


def test_relations_are_words_where_nobody_is_known() -> None:
    with Store.open(None) as store:
        fill(store, [an_event("call", "note", text="Called Mom"), an_event("x", "note", text="x")])
        assert set(WordRetriever(store).retrieve("my mother", TODAY)["id"].to_pylist()) == {"call"}


def test_observations_of_one_happening_are_merged(life: Store) -> None:
    rows = WordRetriever(life).retrieve("I played football", TODAY).to_pylist()
    assert [(row["happening"], row["id"]) for row in rows] == [(0, "football"), (0, "practice")]
    assert {(row["start"], row["end"]) for row in rows} == {(DAY, DAY + timedelta(hours=1.5))}
    assert {row["why"] for row in rows} == {"words football"}


def test_within_limits_what_is_found(life: Store) -> None:
    assert found(life, "I went running", pa.array(["run", "song", "no such id"])) == {"run"}
    assert found(life, "my workouts", pa.array(["run", None], pa.large_string())) == {"run"}
    assert found(life, "my workouts", pa.array([], pa.null())) == set()


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("soccer", {"practice", "football"}),
        ("upcoming soccer", {"practice", "football", "later"}),
        ("soccer I will play", {"practice", "football", "later"}),
        ("soccer willingly", set()),
    ],
)
def test_the_future_counts_only_when_it_is_spoken_of(
    life: Store, query: str, expected: set[str]
) -> None:
    assert found(life, query) - {"video"} == expected


def test_today_is_the_users_and_never_the_clock(life: Store) -> None:
    retriever = WordRetriever(life)
    for today, count in ((DAY - timedelta(minutes=1), 0), (DAY, 1), (DAY + timedelta(days=1), 2)):
        assert retriever.retrieve("my workouts", today).num_rows == count
    assert retriever.retrieve("my workouts", datetime(2999, 1, 1)).num_rows == 2


HOSTILE = [
    "'; DROP TABLE events; --",
    "((((((",
    "[a-z]+(",
    "\\",
    "% _ $1 ? $today {n}",
    "\x00 run\x00ning",
    "\ud800 running",
    "🏃‍♀️",
    "ﷺ ١٢٣ שלום",
    "a" * 100_000,
    "running " * 10_000,
    " ".join(f"{chr(97 + n % 26)}b{n}c" for n in range(400)),
    "my friends and my family and my boss " * 20,
]


@pytest.mark.parametrize("query", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_queries_are_answered(life: Store, query: str) -> None:
    found(life, query)
    assert len(found(life, "my workouts")) == 2


@given(st.text(max_size=60))
def test_any_text_is_answered(life: Store, query: str) -> None:
    found(life, query)


def test_a_crowd_of_friends_is_no_trouble() -> None:
    people = tuple(Person(f"Person{n} Family{n}", "friend", (f"Nick{n}",)) for n in range(500))
    with Store.open(None) as store:
        know(store, Profile(people=people))
        fill(store, [an_event("one", "calendar", summary="Dinner with Person7")])
        assert WordRetriever(store).retrieve("I met my friends", TODAY).num_rows == 1


def test_a_store_that_may_only_be_read_is_enough(tmp_path: Path) -> None:
    with Store.open(tmp_path / "life.duckdb") as store:
        fill(store, LIFE)
    with Store.open(tmp_path / "life.duckdb", read_only=True) as store:
        assert found(store, "I went running", pa.array(["run", "jog"])) == {"run", "jog"}


def test_an_empty_store_has_nothing() -> None:
    with Store.open(None) as store:
        assert WordRetriever(store).retrieve("I went running", TODAY) == SCHEMA.empty_table()
