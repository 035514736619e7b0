"""What was asked for often is read ahead in events that have come since."""

import subprocess
from pathlib import Path
from shutil import copyfile

import pytest

from reqap.cli import searching
from reqap.extract.preparing import asked_often
from reqap.store import Store
from tests.cli.test_commands import call

PLAN = 'EXTRACT(RETRIEVE("I had dinner"), attr_names=["people"], attr_types=[list])'
ASKED = "people of: I had dinner"


def readings(db: Path, asked: str = ASKED) -> int:
    with Store.open(db, read_only=True) as store:
        found = store.connection.execute("SELECT record FROM readings WHERE asked = ?", [asked])
        return len(found.fetchall())


@pytest.fixture
def asked_db(demo_db: Path, tmp_path: Path) -> Path:
    """A life of which something was asked."""
    db = tmp_path / "life.duckdb"
    copyfile(demo_db, db)
    call("run", PLAN, db=db)
    return db


def test_what_was_read_is_kept_and_the_rest_read_ahead(asked_db: Path) -> None:
    before = readings(asked_db)
    assert before > 10
    with Store.open(asked_db) as store:
        assert ASKED in asked_often(store)
        store.connection.execute("DELETE FROM readings WHERE record % 2 = 0")
    assert 0 < readings(asked_db) < before
    assert "read ahead" in call("prepare", db=asked_db).output
    assert readings(asked_db) == before
    assert "0 values" in call("prepare", db=asked_db).output


def test_it_is_done_by_another_process_that_runs_nothing_else(
    asked_db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[list[str]] = []
    monkeypatch.setattr(subprocess, "Popen", lambda command, **_: started.append(command))
    searching.prepare_later(asked_db)
    assert [command[1:5] for command in started] == [["-P", "-m", "reqap", "prepare"]]


def test_time_that_is_up_reads_nothing(asked_db: Path) -> None:
    with Store.open(asked_db) as store:
        store.connection.execute("DELETE FROM readings WHERE record % 2 = 0")
    before = readings(asked_db)
    assert "0 values" in call("prepare", "--seconds", "0", db=asked_db).output
    assert readings(asked_db) == before


def test_a_store_that_is_gone_does_not_come_back(asked_db: Path) -> None:
    with searching.opened(asked_db) as life:
        ids = [one.id for one in life.store.scan() if one.kind == "mail"][:5]
        life.extract(ids, "cuisine", "str")
        asked_db.unlink()
    assert not asked_db.exists()


def test_what_was_read_is_kept_when_a_question_fails(asked_db: Path) -> None:
    before = readings(asked_db, "cuisine")

    def failing() -> None:
        with searching.opened(asked_db) as life:
            ids = [one.id for one in life.store.scan() if one.kind == "mail"][:5]
            life.extract(ids, "cuisine", "str")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        failing()
    assert readings(asked_db, "cuisine") == before + 5


def test_a_store_of_an_older_format_is_brought_up_to_date(asked_db: Path) -> None:
    with Store.open(asked_db) as store:
        later = (
            "readings",
            "indexed_events",
            "indexed_texts",
            "indexed_by",
            "asked",
            "corrections",
        )
        for table in later:
            store.connection.execute(f"DROP TABLE {table}")
        store.connection.execute("DELETE FROM migrations WHERE number > 2")
    call("run", PLAN, db=asked_db)
    assert readings(asked_db) > 10
