"""`reqap perqa`, as a researcher meets it."""

import json
from pathlib import Path

import pytest

from reqap.errors import ReqapError
from tests.cli.test_commands import call
from tests.ray_cluster import cluster, needs_ray

__all__ = ["cluster"]  # a fixture

PERSONA = "dev_persona_1"


def build(folder: Path, *where: object) -> str:
    return call("perqa", "build", "--persona", PERSONA, "--out", folder, *where).output


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("perqa")
    build(folder / "one", "--jobs", 1)
    build(folder / "two", "--jobs", 2)
    return folder


def assert_same(one: Path, two: Path) -> None:
    one, two = (folder / "dev" / PERSONA for folder in (one, two))
    texts = sorted(path.name for path in one.iterdir() if path.suffix != ".duckdb")
    assert texts == [
        f"{PERSONA}.json", f"{PERSONA}_canonical.csv", f"{PERSONA}_obs.csv", "questions.json"
    ]  # fmt: skip
    for name in texts:
        assert (one / name).read_bytes() == (two / name).read_bytes(), name
    assert (two / "canonical.duckdb").exists()


def test_the_same_bytes_here_and_in_another_process(built: Path) -> None:
    assert_same(built / "one", built / "two")


@needs_ray
def test_the_same_bytes_on_ray(built: Path, tmp_path: Path, cluster: str) -> None:
    build(tmp_path, "--ray", cluster)
    assert_same(built / "one", tmp_path)


def test_a_finished_life_is_not_made_again(built: Path) -> None:
    path = built / "one" / "dev" / PERSONA / "questions.json"
    before = path.stat().st_mtime_ns
    told = build(built / "one", "--jobs", 1)
    assert path.stat().st_mtime_ns == before
    assert f"1 lives with {len(json.loads(path.read_text())):,} questions" in told


def test_what_was_built_can_be_imported(built: Path, tmp_path: Path) -> None:
    text = call("import", built / "one", db=tmp_path / "life.duckdb").output
    assert "PerQA" in text
    assert "could not be read" not in text


def test_questions_have_answers_plans_and_gold(built: Path) -> None:
    path = built / "one" / "dev" / PERSONA / "questions.json"
    questions = json.loads(path.read_text(encoding="utf-8"))
    assert len(questions) > 150
    for question in questions:
        assert question["answers"]
        assert question["question"] in question["wordings"]
        assert question["reference_date"]
        assert question["sql_query"].lstrip("( \n").upper().startswith(("SELECT", "WITH", "FROM"))


def test_check_runs_both_gates_and_tells_the_types(built: Path) -> None:
    text = call("perqa", "check", "--build", built / "one", "--persona", PERSONA,
                "--only", "dev2-", "--jobs", 1).output  # fmt: skip
    assert "24 templates" in text
    assert "multi-source" in text


def test_a_wrong_plan_fails_the_check(built: Path, tmp_path: Path) -> None:
    template = {
        "id": "wrong",
        "wordings": ["How many films did I watch?", "films?"],
        "sql": "SELECT count(*) + 1 FROM movies",
        "plan": 'APPLY(l=QUD("films I watched", RETRIEVE(query="films I watched")), fct=len)',
        "retrieve": {"films I watched": "SELECT id FROM movies"},
    }
    path = tmp_path / "wrong.json"
    path.write_text(json.dumps([template]))
    found = call("perqa", "check", "--build", built / "one", "--file", path, "--persona", PERSONA,
                 "--jobs", 1)  # fmt: skip
    assert found.exit_code == 1
    assert "1 questions, 0 agree" in found.output


def test_stats_stand_beside_the_papers(built: Path, tmp_path: Path) -> None:
    with pytest.raises(ReqapError, match="perqa build"):
        call("perqa", "stats", "--build", tmp_path)


def test_show_tells_a_life() -> None:
    text = call("perqa", "show", PERSONA, "--texts", 3).output
    for piece in ("relation", "meetings", "trips"):
        assert piece in text
    with pytest.raises(ReqapError, match="there is no persona nobody"):
        call("perqa", "show", "nobody")


def test_export_writes_what_import_reads(tmp_path: Path) -> None:
    text = call("perqa", "export", PERSONA, "--out", tmp_path, "--since", "2024-06-01").output
    assert "music_stream" in text
    told = call("import", tmp_path, "--profile", tmp_path / "profile.json",
                db=tmp_path / "life.duckdb").output  # fmt: skip
    for source in ("Spotify", "Netflix", "Apple Health", "Calendar", "Mail"):
        assert source in told


def test_an_endpoint_that_is_none() -> None:
    with pytest.raises(ReqapError, match="not the address of an endpoint"):
        call("perqa", "build", "--llm", "localhost")
