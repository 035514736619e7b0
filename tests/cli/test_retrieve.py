"""`reqap retrieve`, and the search that asking rests on, with the models that are shipped."""

import json
from pathlib import Path
from shutil import copyfile

import pytest

from reqap import life
from reqap.models.base import ModelMissing, ModelProblem
from reqap.retrieve.index import state
from reqap.retrieve.networks import Networks
from reqap.retrieve.shipped import networks
from reqap.store import Store
from tests.cli.test_commands import call

TODAY = ("--today", "2026-01-01")


@pytest.mark.parametrize(
    ("query", "kind"),
    [  # wordings that the models have not learnt
        ("I streamed a song", "music_stream"),
        ("every purchase from a web shop", "online_purchase"),
        ("whenever I trained", "workout"),
        ("posts I made", "social_media"),
        ("everything on my calendar", "calendar"),
    ],
)
def test_everything_of_a_kind_is_found_and_says_why(demo_db: Path, query: str, kind: str) -> None:
    found = json.loads(call("retrieve", query, "--json", *TODAY, db=demo_db).output)
    with Store.open(demo_db, read_only=True) as store:
        recorded = sum(row.events for row in store.summary() if row.kind == kind)
    assert {one["kind"] for one in found["events"]} == {kind}
    assert len(found["events"]) == recorded
    assert found["events"][0]["why"].startswith(f"every {kind.replace('_', ' ')} (")


def test_near_misses_are_shown_when_asked_for(demo_db: Path) -> None:
    plain = call("retrieve", "I went running", *TODAY, db=demo_db).output
    assert "happening" in plain
    assert "Nearly taken" not in plain
    assert "Nearly taken" in call("retrieve", "I went running", "--all", *TODAY, db=demo_db).output


@pytest.mark.parametrize(
    "query", ["", " ?! ", "🙃", "word " * 5_000, "¿dónde estaba yo?", "\0\x1b[2J"]
)
def test_odd_queries_are_answered(demo_db: Path, query: str) -> None:
    found = json.loads(call("retrieve", query, "--json", *TODAY, db=demo_db).output)
    assert found["query"] == query


def test_an_empty_store_finds_nothing(tmp_path: Path) -> None:
    db = tmp_path / "empty.duckdb"
    Store.open(db).close()
    assert "0 happenings" in call("retrieve", "I went running", db=db).output


def test_an_index_of_another_model_or_half_of_one_is_made_good(
    demo_db: Path, tmp_path: Path
) -> None:
    db = tmp_path / "life.duckdb"
    copyfile(demo_db, db)
    with Store.open(db) as store:
        store.connection.execute("DELETE FROM indexed_events WHERE event_id < '8'")
        assert not state(store, networks()).complete
    whole = call("retrieve", "films I watched", "--json", *TODAY, db=demo_db).output
    assert call("retrieve", "films I watched", "--json", *TODAY, db=db).output == whole
    with Store.open(db) as store:
        assert state(store, networks()).complete
        store.connection.execute("UPDATE indexed_by SET model = 'another'")
        assert state(store, networks()).indexed == 0


def test_without_models_words_are_searched_for_and_that_is_said(
    demo_db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing() -> Networks:
        raise ModelMissing("the search cannot be loaded")

    monkeypatch.setattr(life, "networks", missing)
    for options in ((), ("--json",)):
        told = call("retrieve", "songs I listened to", *options, *TODAY, db=demo_db)
        assert "only words are searched for" in told.stderr
    found = json.loads(told.stdout)
    assert {one["why"] for one in found["events"]} == {"kind music_stream"}


def test_a_damaged_model_is_an_error(demo_db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def damaged() -> Networks:
        raise ModelProblem("the model is damaged")

    monkeypatch.setattr(life, "networks", damaged)
    with pytest.raises(ModelProblem, match="damaged"):
        call("retrieve", "songs I listened to", "--json", *TODAY, db=demo_db)
