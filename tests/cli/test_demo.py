"""The demo's questions, with the models that are shipped, against what the services recorded."""

import json
from pathlib import Path

import pytest

from reqap.cli.demo import QUESTIONS
from reqap.store import Store
from tests.cli.test_commands import call

RECORDED = (
    "SELECT count(*) FROM events WHERE kind = 'music_stream' AND year(start_at) = 2023",
    "SELECT data ->> '$.song_artist[0]' AS artist FROM events"
    " WHERE kind = 'music_stream' AND isodow(start_at) > 5"
    " GROUP BY artist ORDER BY count(*) DESC LIMIT 1",
    "SELECT monthname(start_at), sum((data ->> 'distance')::DOUBLE) FROM events"
    " WHERE kind = 'workout' AND data ->> 'workout_type' = 'running' AND year(start_at) = 2023"
    " GROUP BY ALL",
)


def asked(question: str, db: Path) -> dict[str, object]:
    said = call("ask", question, "--json", "--today", "2026-01-01", db=db).stdout
    found: dict[str, object] = json.loads(said)
    return found


@pytest.mark.parametrize(("question", "sql"), list(zip(QUESTIONS, RECORDED, strict=True)))
def test_what_the_demo_answers_is_what_was_recorded(demo_db: Path, question: str, sql: str) -> None:
    with Store.open(demo_db, read_only=True) as store:
        rows = store.connection.execute(sql).fetchall()
    answers = asked(question, demo_db)["answers"]
    assert isinstance(answers, list)
    if len(rows[0]) == 1:
        assert answers[0] == rows[0][0]
    else:
        assert dict(answers) == pytest.approx(dict(rows))


@pytest.mark.parametrize("question", ["capital of France", "who wrote Don Quixote?", "hello"])
def test_what_is_not_about_this_life_gets_no_answer(demo_db: Path, question: str) -> None:
    assert asked(question, demo_db)["status"] in ("no_data", "not_understood")
