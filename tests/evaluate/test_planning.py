"""Oracles for plans that nobody wrote before, and the scoring of such plans."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from reqap.evaluate.bank import Bank, Unannotated, annotations, column_of
from reqap.evaluate.planning import Case, evaluated, judged, understood
from reqap.evaluate.report import put_section
from reqap.perqa.templates import answers_of, values
from reqap.perqa.world import make_world
from reqap.qud.scripted import Scripted
from reqap.store import Store

TODAY = datetime(2024, 7, 28)


@pytest.fixture(scope="module")
def life() -> Iterator[duckdb.DuckDBPyConnection]:
    connection = make_world("dev_persona_0").connection
    yield connection
    connection.close()


def test_a_query_means_what_its_annotation_says(life: duckdb.DuckDBPyConnection) -> None:
    artist = next(iter(values(life, "artist")))
    found = Bank(life).retrieve(f"Songs by {artist.text}", TODAY)
    gold = answers_of(life, "SELECT count(*) FROM music WHERE list_contains(artists, '"
                      + str(artist.value).replace("'", "''") + "')")  # fmt: skip
    assert found.num_rows == gold[0][0]


def test_the_question_own_annotations_come_first(life: duckdb.DuckDBPyConnection) -> None:
    bank = Bank(life, {"my moves": "SELECT id FROM milestones WHERE milestone = 'new residence'"})
    assert "new residence" in bank.sql_of("My moves?")


def test_what_nobody_annotated_is_an_error(life: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(Unannotated, match="unicorns"):
        Bank(life).sql_of("unicorns I rode")
    with pytest.raises(Unannotated, match="horn_colour"):
        column_of("music", "horn_colour")


def test_attributes_are_found_by_what_people_call_them(life: duckdb.DuckDBPyConnection) -> None:
    assert column_of("music", "track") == "song_name"
    assert column_of("workouts", "kilometres") == "distance_km"
    bank = Bank(life)
    ids = pa.array(
        [str(row[0]) for row in life.execute("SELECT id FROM workouts LIMIT 5").fetchall()]
    )
    minutes = bank.extract(ids, "duration_minutes", "float").column("value").to_pylist()
    hours = bank.extract(ids, "duration_hours", "float").column("value").to_pylist()
    spans = bank.extract(ids, "duration", "timedelta").column("value").to_pylist()
    for one, other, span in zip(minutes, hours, spans, strict=True):
        assert one == pytest.approx(other * 60)
        assert span.total_seconds() == pytest.approx(one * 60, abs=1)


def test_every_annotation_by_hand_runs(life: duckdb.DuckDBPyConnection) -> None:
    """Those without slots; the others are filled from a life."""
    for one in annotations():
        if not one.slots and "{" not in one.sql:
            life.execute(f"EXPLAIN {one.sql}")


QUESTION = "How many songs did I hear?"


@pytest.mark.parametrize(
    ("steps", "verdict"),
    [
        ({QUESTION: 'APPLY(QUD("x"), len)', "x": 'RETRIEVE("music I listened to")'}, "right"),
        ({QUESTION: 'APPLY(QUD("x"), len)', "x": 'RETRIEVE("mails I sent")'}, "wrong"),
        ({QUESTION: 'APPLY(QUD("x"), len)', "x": 'RETRIEVE("unicorns")'}, "unknown"),
        ({QUESTION: "I cannot say"}, "not understood"),
    ],
)
def test_plans_are_judged(
    life: duckdb.DuckDBPyConnection, steps: dict[str, str], verdict: str
) -> None:
    gold = answers_of(life, "SELECT count(*) FROM music")
    plan = 'APPLY(l=RETRIEVE(query="music I listened to"), fct=len)'
    case = Case("dev_persona_0", "t", QUESTION, tuple(row[0] for row in gold), plan, {})
    (found,) = understood([QUESTION], Scripted(steps))
    with Store.open(None) as store:
        outcome = judged(case, found, Bank(life), TODAY, store)
    assert outcome.verdict == verdict
    assert outcome.same_tree == (verdict != "not understood")


def test_nothing_asked_is_nothing_judged(tmp_path: Path) -> None:
    assert evaluated([], [], tmp_path) == []


def test_a_section_is_written_anew(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Results\n\nSee below.\n")
    put_section(page, "qud", "first")
    put_section(page, "other", "stays")
    put_section(page, "qud", "second")
    text = page.read_text()
    assert "first" not in text
    assert text.index("See below") < text.index("second") < text.index("stays")
