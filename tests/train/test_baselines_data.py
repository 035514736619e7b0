"""What the baselines learn from."""

import json
from pathlib import Path

import pytest

from reqap.retrieve.shipped import networks
from reqap.train.codegen import Pair, examples, write_lessons
from reqap.train.codegen_sql import Untranslatable, translated
from reqap.train.rag import lessons
from tests.evaluate.tiny import tiny_subject


@pytest.mark.parametrize(
    ("gold", "sql"),
    [
        ("SELECT count(*) FROM music WHERE list_contains(artists, 'Adele')",
         "SELECT COUNT(*) FROM music_stream WHERE ARRAY_CONTAINS(song_artist, 'Adele')"),
        ("SELECT sum(price * quantity) FROM purchases",
         "SELECT SUM(CAST(SPLIT_PART(price, ' ', 1) AS DOUBLE) * product_quantity)"
         " FROM online_purchase"),
        ("SELECT max(start_date) FROM gatherings WHERE list_contains(participants, 'Ana Blau')",
         "SELECT MAX(start_date) FROM calendar WHERE text ILIKE '%Ana%'"),
        ("SELECT place FROM celebrations WHERE occasion = 'easter'",
         "SELECT location FROM calendar WHERE text ILIKE '%easter%'"),
        ("SELECT count(*) FROM trips WHERE country <> 'Peru' AND nights > 2",
         "SELECT COUNT(*) FROM calendar WHERE (NOT text ILIKE '%Peru%' AND DATE_DIFF('DAY',"
         " start_date, end_date) > 2) AND (text ILIKE '%trip%' OR text ILIKE '%flight%' OR text"
         " ILIKE '%holiday%' OR text ILIKE '%train to%')"),
        ("SELECT min(start_date) FROM milestones WHERE milestone = 'new job' AND company = 'Nord'",
         "SELECT MIN(start_date) FROM jobs WHERE company = 'Nord'"),
        ("SELECT d FROM (SELECT duration_minutes FROM movies UNION ALL SELECT duration_minutes"
         " FROM series) AS x(d)",
         "SELECT d FROM (SELECT duration AS duration_minutes FROM movie_stream UNION ALL SELECT"
         " duration AS duration_minutes FROM tvseries_stream) AS x(d)"),
        ("SELECT w.start_date FROM workouts w JOIN meetings m USING (start_date) WHERE m.activity"
         " IN ('lunch', 'dinner')",
         "SELECT w.start_date FROM workout AS w JOIN calendar AS m USING (start_date) WHERE"
         " (m.text ILIKE '%lunch%' OR m.text ILIKE '%dinner%')"),
    ],
)  # fmt: skip
def test_gold_sql_is_asked_of_what_users_have(gold: str, sql: str) -> None:
    assert translated(gold) == sql


def test_what_is_no_sql_is_refused() -> None:
    with pytest.raises(Untranslatable):
        translated("SELECT FROM WHERE (")


def test_lessons_have_one_turn_per_wording(tmp_path: Path) -> None:
    pair = Pair("t", ("How often did I run?", "runs, how many"), "SELECT 1", True)
    write_lessons([pair], tmp_path / "x.jsonl", noisy=False)
    found = [json.loads(line) for line in (tmp_path / "x.jsonl").read_text().splitlines()]
    assert [one["turns"] for one in found] == [
        [["How often did I run?", "SELECT 1"]], [["runs, how many", "SELECT 1"]]
    ]  # fmt: skip
    assert examples([pair, Pair("u", ("x",), "SELECT 2", False)]) == [pair]


def test_rag_learns_from_what_is_found(tmp_path: Path) -> None:
    subject = tiny_subject(tmp_path)
    found = list(lessons(subject, tmp_path / "stores", networks(), 2, 2))
    assert len(found) == 2
    for one in found:
        ((asked, answer),) = one.turns
        assert "today is 2023-12-31" in asked
        assert isinstance(json.loads(answer), list)
