"""Lives: the same every time, possible, and told faithfully."""

from collections import Counter
from datetime import date, timedelta
from functools import cache
from itertools import pairwise

import pytest

from reqap.perqa import facts
from reqap.perqa.canonical import TABLES, Event
from reqap.perqa.persona import load_persona, persona_ids
from reqap.perqa.simulate import simulate
from reqap.perqa.texts import observe
from reqap.perqa.world import World, make_world

PEOPLE = ("train_persona_0", "dev_persona_1", "test_persona_3")
_TAKES_TIME = {"meetings", "celebrations", "doctor_appointments", "trip_events", "workouts",
               "movies", "series"}  # fmt: skip


@cache
def world(persona: str) -> World:
    return make_world(persona)


@pytest.mark.parametrize("persona", persona_ids())
def test_every_persona_can_be_read(persona: str) -> None:
    told = load_persona(persona)
    assert told.first < told.today
    feasts = facts.feasts().keys() | {"birthday", "partner anniversary"}
    assert set(told.celebrations) <= feasts
    assert told.currency in facts.exchange_rates()
    known = {song.artists[0] for song in facts.songs()} | {
        artist for song in facts.songs() for artist in song.artists
    }
    assert set(told.music.favourites) <= known
    assert set(told.series.favourites) <= {show.title for show in facts.series()}


def test_a_seed_gives_one_life() -> None:
    persona = load_persona("dev_persona_0")
    events = simulate(persona)
    assert simulate(persona) == events
    assert observe(persona, events) == observe(persona, events)
    assert simulate(persona, seed=2) != events


@pytest.mark.parametrize("persona", PEOPLE)
def test_lives_have_the_size_of_the_papers(persona: str) -> None:
    counts = Counter(event.table for event in world(persona).events)
    assert set(counts) == set(TABLES)
    assert 20_000 < sum(counts.values()) < 60_000
    texts = Counter(one.kind for one in world(persona).observations)
    assert texts["calendar"] > 500


@pytest.mark.parametrize("persona", PEOPLE)
def test_nobody_is_in_two_places_at_once(persona: str) -> None:
    events = [event for event in world(persona).events if event.table in _TAKES_TIME]
    events.sort(key=lambda event: (event.start, event.end))
    for one, next_ in pairwise(events):
        assert one.end <= next_.start, (one, next_)
    trips = [event for event in world(persona).events if event.table == "trips"]
    for event in events:
        if event.table in ("meetings", "celebrations", "doctor_appointments"):
            day = event.start.date()
            assert not any(t.start.date() <= day <= t.end.date() for t in trips), event


@pytest.mark.parametrize("persona", PEOPLE)
def test_people_take_part_only_while_they_are_known(persona: str) -> None:
    told = load_persona(persona)
    for event in world(persona).events:
        for name in event.participants:
            assert told.person(name).known_on(event.start.date()), event


@pytest.mark.parametrize("persona", PEOPLE)
def test_events_are_numbered_in_order_of_time(persona: str) -> None:
    events = world(persona).events
    assert [event.id for event in events] == list(range(len(events)))
    assert all(a.start <= b.start for a, b in pairwise(events))


@pytest.mark.parametrize("persona", PEOPLE)
def test_texts_tell_what_they_are_said_to_tell(persona: str) -> None:
    events = {event.id: event for event in world(persona).events}
    written = [one for one in world(persona).observations
               if one.kind in ("calendar", "mail", "social_media", "note")]  # fmt: skip
    for one in written:
        text = " ".join(str(value) for value in one.data.values()).casefold()
        assert "{" not in text, one
        # Choices like [a|b] are made; a title may have brackets of its own.
        titles = [str(events[telling.event].properties).casefold() for telling in one.tells]
        assert "[" not in text or any("[" in title for title in titles), one
        for telling in one.tells:
            _check_told(events[telling.event], telling.properties, text)


def _check_told(event: Event, properties: tuple[str, ...], text: str) -> None:
    for name in properties:
        if name in ("start_date", "start_time", "end_date", "end_time"):
            continue
        assert event.properties[name] is not None, (event, name)
    if "title" in properties:
        assert event.text("title").casefold() in text, (event, text)


@pytest.mark.parametrize("persona", PEOPLE)
def test_observations_lie_in_the_data(persona: str) -> None:
    told = load_persona(persona)
    early = date(told.first.year - 1, 12, 20)
    assert all(early <= one.start.date() <= told.today for one in world(persona).observations)


@pytest.mark.parametrize("persona", PEOPLE)
def test_the_tables_hold_what_happened(persona: str) -> None:
    made = world(persona)
    counts = Counter(event.table for event in made.events)
    for table in TABLES:
        rows = made.connection.execute(f"SELECT count(*) FROM {table}").fetchall()
        assert rows == [(counts[table],)]
    (row,) = made.connection.execute("SELECT ref_date()").fetchall()
    assert row == (made.persona.today,)


def test_a_new_job_changes_the_way_to_work() -> None:
    """Music in the morning of workdays begins at another time, or lasts longer, from then on."""
    moved = 0
    for name in ("train_persona_0", "train_persona_9", "test_persona_0"):
        told = load_persona(name)
        changes = [job.start for job in told.jobs if told.first < job.start < told.today]
        songs = [e for e in world(name).events if e.table == "music" and e.start.weekday() < 5
                 and 6 <= e.start.hour < 9]  # fmt: skip
        for change in changes:
            before, after = (
                [
                    e.start.hour * 60 + e.start.minute
                    for e in songs
                    if lower < e.start.date() <= upper
                ]
                for lower, upper in (
                    (change - timedelta(days=300), change - timedelta(days=1)),
                    (change, change + timedelta(days=300)),
                )
            )
            if min(len(before), len(after)) > 50:
                moved += abs(sum(before) / len(before) - sum(after) / len(after)) > 5
    assert moved >= 2
