"""`reqap run`, as a person meets it."""

import json
from pathlib import Path

import pytest

from reqap.errors import ExecutionProblem, PlanError, ReqapError
from tests.cli.test_commands import as_program, call

TODAY = ("--today", "2026-01-01")
COUNT = 'APPLY(l=RETRIEVE(query="I listened to music"), fct=len)'
LONGEST = (
    'ARGMAX(l=MAP(l=GROUP_BY(l=RETRIEVE(query="I listened to music"), attr_names=["start_date"]),'
    ' fct=len, res_name="songs"), arg_attr_name="songs", val_attr_name="start_date")'
)


def test_a_plan_from_the_argument_a_file_or_standard_input(demo_db: Path, tmp_path: Path) -> None:
    (tmp_path / "plan.txt").write_text(COUNT)
    given = call("run", COUNT, *TODAY, db=demo_db).output
    assert "in all, from" in given
    assert call("run", tmp_path / "plan.txt", *TODAY, db=demo_db).output == given
    assert call("run", "-", *TODAY, db=demo_db, stdin=COUNT).output == given


def test_json_has_the_answer_the_plan_the_trace_and_the_events(demo_db: Path) -> None:
    found = json.loads(call("run", LONGEST, *TODAY, "--json", db=demo_db).output)
    assert found["status"] == "ok"
    assert found["plan"] == LONGEST
    assert found["today"] == "2026-01-01T23:59:59"
    songs = found["trace"]["samples"][0]["values"]["songs"]
    assert len(found["events"]) == songs
    assert found["trace"]["inputs"][0]["operator"] == "MAP"
    assert found["trace"]["sql"]


def test_the_tree_with_rows_times_and_sql(demo_db: Path) -> None:
    text = call("run", LONGEST, *TODAY, "--trace", "--explain", "--events", db=demo_db).output
    for piece in ("1.1.1.1 RETRIEVE", "groups", " ms", "SELECT", "GROUP BY", "·", "←"):
        assert piece in text, piece


def test_a_plan_is_checked_and_printed_without_any_data(tmp_path: Path) -> None:
    text = call("run", '{{ QUD("x") }}', "--check", db=tmp_path / "none.duckdb").output
    assert text == 'QUD("x")\n'
    data = json.loads(call("run", COUNT, "--check", "--json").output)
    assert data["node"] == "APPLY"
    assert call("run", "-", "--check", stdin=json.dumps(data)).output.strip() == COUNT


def test_wrong_plans_say_what_is_wrong(demo_db: Path) -> None:
    with pytest.raises(PlanError, match="there is no operator COUNT"):
        call("run", 'COUNT(l=RETRIEVE(query="x"))', db=demo_db)
    with pytest.raises(PlanError, match="open questions: what"):
        call("run", 'APPLY(l=QUD("what"), fct=len)', db=demo_db)
    with pytest.raises(PlanError, match="not JSON"):
        call("run", "-", stdin='{"node": ', db=demo_db)
    assert call("run", "no-such-file.txt", db=demo_db).exit_code == 2
    shown = as_program("run", 'COUNT(l=RETRIEVE(query="x"))', "--db", demo_db)
    assert shown.returncode == 1
    assert shown.stderr.startswith("Error:")
    assert "Traceback" not in shown.stderr


def test_no_data_is_said_with_the_step(demo_db: Path) -> None:
    plan = 'FILTER(l=RETRIEVE(query="music"), filter=lambda a: a["start_date"].year == 1801)'
    found = json.loads(call("run", plan, *TODAY, "--json", db=demo_db).output)
    assert (found["status"], found["no_data_at"], found["answers"]) == ("no_data", "1", [])


def test_functions_of_ones_own(demo_db: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "from datetime import date\n"
        "def season(day: date) -> str:\n"
        "    return 'summer' if day.month in (6, 7, 8) else 'rest'\n"
        "def _helper(x):\n    return x\n"
    )
    plan = (
        'MAP(l=GROUP_BY(l=MAP(l=RETRIEVE(query="I listened to music"),'
        ' fct=lambda a: season(a["start_date"]), res_name="season"), attr_names=["season"]),'
        ' fct=len, res_name="n")'
    )
    text = call("run", plan, *TODAY, "--functions", tmp_path / "mine.py", db=demo_db).output
    assert "summer" in text
    assert "rest" in text
    with pytest.raises(PlanError, match="no function season"):
        call("run", plan, db=demo_db)
    (tmp_path / "broken.py").write_text("1/0")
    with pytest.raises(ReqapError, match=r"broken\.py cannot be run: ZeroDivisionError"):
        call("run", plan, "--functions", tmp_path / "broken.py", db=demo_db)


def test_a_run_that_takes_too_long_is_given_up(demo_db: Path) -> None:
    plan = (
        'APPLY(l=JOIN(l1=RETRIEVE(query="I listened to music"), l2=RETRIEVE(query="I listened to'
        ' music"), condition="i1.start_time.minute * i2.start_time.second % 7 == 3"), fct=len)'
    )
    with pytest.raises(ExecutionProblem, match=r"JOIN .step 1\.1.: this takes longer than 0\.5"):
        call("run", plan, *TODAY, "--seconds", "0.5", db=demo_db)
