"""The Python interface, with the models that come with the package."""

import os
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from shutil import copyfile
from textwrap import dedent

import pytest

import reqap
from reqap.errors import NotFound, PlanError
from reqap.store.remembered import history

TODAY = datetime(2026, 1, 1)


def test_a_life_is_asked(demo_db: Path) -> None:
    with reqap.open(demo_db) as life:
        found = life.ask("How many songs did I listen to in 2023?", TODAY)
        assert found.status == "ok"
        assert found.answers == [len(found.events)]
        assert {event.kind for event in found.events} == {"music_stream"}
        assert found.trace is not None
        assert found.trace.name == "APPLY"
        assert "RETRIEVE" in (found.plan or "")
        assert found.id is None
        assert found.to_json()["question"] == found.question
        counted = life.run('APPLY(RETRIEVE("songs I listened to"), len)', today=TODAY)
        assert isinstance(counted.answers[0], int)
        with pytest.raises(PlanError):
            life.run("import os")
        assert life.plan("How many songs did I listen to?").understood
        assert len(life.retrieve("songs I listened to", TODAY)) == counted.answers[0]


def test_what_is_asked_is_kept_only_if_that_is_wanted(demo_db: Path, tmp_path: Path) -> None:
    db = tmp_path / "life.duckdb"
    copyfile(demo_db, db)
    with reqap.open(db) as life:
        life.run('APPLY(RETRIEVE("my mails"), len)', today=TODAY)
    with reqap.open(str(db), keeps=True) as life:
        assert history(life.store) == []
        kept = life.run('APPLY(RETRIEVE("my mails"), len)', "How many mails?", TODAY)
        assert [one.id for one in history(life.store)] == [kept.id]


def test_the_example_of_the_docs_runs(demo_db: Path) -> None:
    page = (Path(__file__).parent.parent / "docs" / "python.md").read_text()
    example = dedent(page[page.index("    import reqap") : page.index("`reqap.open(")])
    environment = {**os.environ, "REQAP_DB": str(demo_db)}
    told = subprocess.run(
        [sys.executable, "-c", example], env=environment, capture_output=True, text=True, check=True
    ).stdout
    assert told.count("music_stream") == 3
    assert 'RETRIEVE(query="' in told


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        reqap.open(tmp_path / "none.duckdb")
