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


def readings(db: Path) -> int:
    with Store.open(db, read_only=True) as store:
        return int(store.connection.sql("SELECT count(*) FROM readings").fetchall()[0][0])


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
        assert asked_often(store) == [ASKED]
        store.connection.execute("DELETE FROM readings WHERE record % 2 = 0")
    assert 0 < readings(asked_db) < before
    assert "read ahead" in call("prepare", db=asked_db).output
    assert readings(asked_db) == before
    assert "0 values" in call("prepare", db=asked_db).output


def test_an_import_has_it_done_by_another_process(
    asked_db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[list[str]] = []
    monkeypatch.setattr(subprocess, "Popen", lambda command, **_: started.append(command))
    searching.prepare_later(asked_db)
    assert [command[2:4] for command in started] == [["reqap", "prepare"]]
    empty = tmp_path / "empty.duckdb"
    Store.open(empty).close()
    searching.prepare_later(empty)
    assert len(started) == 1
