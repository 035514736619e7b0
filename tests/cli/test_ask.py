"""`reqap ask` and `reqap plan`, as a person meets them; the backend is scripted."""

import io
import json
import re
from pathlib import Path

import click
import pytest
from rich.console import Console, RenderableType

from reqap.cli import asking, cli
from reqap.cli.searching import opened
from reqap.errors import NotFound
from reqap.models.endpoint import EndpointProblem
from reqap.qud.scripted import Scripted
from tests.cli.test_commands import call

TODAY = ("--today", "2026-01-01")
SONGS = "How many songs did I hear?"
STEPS = {
    SONGS: 'APPLY(QUD("songs I heard"), len)',
    "songs I heard": 'RETRIEVE("I listened to music")',
    "How many unicorns?": 'APPLY(QUD("unicorns"), len)',
    "unicorns": 'RETRIEVE("unicorns I rode on xyzzy")',
}


@pytest.fixture(autouse=True)
def scripted(monkeypatch: pytest.MonkeyPatch) -> Scripted:
    script = Scripted(STEPS)
    monkeypatch.setattr(asking, "backend", lambda llm, model: lambda: script)
    return script


def code_of(*arguments: object) -> int:
    """What the program would exit with."""
    return int(cli.main([str(word) for word in arguments], standalone_mode=False))


def test_an_answer_comes_with_its_tree_and_its_events(demo_db: Path) -> None:
    text = call("ask", SONGS, *TODAY, "--events", db=demo_db).output
    assert "in all, from" in text
    assert "songs I heard" in text
    assert "spotify" in text


def test_a_step_is_looked_into(demo_db: Path) -> None:
    text = call("ask", SONGS, *TODAY, "--why", "1.1", db=demo_db).output
    assert 'RETRIEVE(query="I listened to music")' in text
    assert "every" in text  # music stream: the reason, however the table is broken
    with pytest.raises(NotFound, match=r"no step '1\.7'"):
        call("ask", SONGS, *TODAY, "--why", "1.7", db=demo_db)


def test_json_is_as_agreed(demo_db: Path) -> None:
    found = json.loads(call("ask", SONGS, *TODAY, "--json", db=demo_db).output)
    agreed = {"question", "today", "status", "answers", "text", "plan", "trace", "events",
              "timings_ms"}  # fmt: skip
    assert agreed <= found.keys()
    assert found["status"] == "ok"
    assert found["question"] == SONGS
    assert found["answers"][0] == len(found["events"])
    assert found["trace"]["operator"] == "APPLY"
    assert [step["question"] for step in found["steps"]] == [SONGS, "songs I heard"]
    assert found["timings_ms"]["total"] > 0


def test_what_is_not_there_is_no_data(demo_db: Path) -> None:
    shown = call("ask", "How many unicorns?", *TODAY, "--json", db=demo_db)
    assert json.loads(shown.output)["status"] == "no_data"
    assert code_of("ask", "How many unicorns?", *TODAY, "--db", demo_db) == 0


def test_what_is_not_understood_says_so(demo_db: Path) -> None:
    shown = call("ask", "hello", *TODAY, db=demo_db)
    assert "I could not understand the question" in shown.output
    assert code_of("ask", "hello", *TODAY, "--db", demo_db) == 3
    found = json.loads(call("ask", "hello", *TODAY, "--json", db=demo_db).output)
    assert found["status"] == "not_understood"
    assert found["plan"] is None
    assert found["answers"] == []


def test_a_batch_gives_one_line_per_question(demo_db: Path, tmp_path: Path) -> None:
    lines = [
        json.dumps({"question": SONGS, "today": "2026-01-01"}),
        "",
        json.dumps({"question": "How many unicorns?"}),
        "not json",
        json.dumps({"nothing": 1}),
        json.dumps({"question": SONGS, "today": "someday"}),
    ]
    (tmp_path / "asked.jsonl").write_text("\n".join(lines))
    shown = call("ask", "--batch", tmp_path / "asked.jsonl", *TODAY, db=demo_db)
    found = [json.loads(line) for line in shown.stdout.splitlines()]
    assert [it["status"] for it in found] == ["ok", "no_data", "failed", "failed", "failed"]
    assert found[2]["line"] == 4


def test_a_question_or_a_batch_and_not_both(demo_db: Path, tmp_path: Path) -> None:
    (tmp_path / "q.jsonl").write_text("")
    assert call("ask", db=demo_db).exit_code == 2
    assert call("ask", SONGS, "--batch", tmp_path / "q.jsonl", db=demo_db).exit_code == 2


def test_a_plan_grows_and_can_be_run(demo_db: Path) -> None:
    text = call("plan", SONGS).output
    assert "songs I heard" in text
    plan = text.strip().splitlines()[-1]
    assert plan == 'APPLY(l=RETRIEVE(query="I listened to music"), fct=len)'
    found = json.loads(call("plan", SONGS, "--json").output)
    assert set(found) >= {"question", "plan", "steps", "status", "timings_ms"}
    assert found["status"] == "ok"
    assert code_of("plan", "hello") == 3


def test_an_endpoint_needs_a_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    with pytest.raises(click.UsageError, match="--model NAME"):
        asking.backend("http://127.0.0.1:8080/v1", None)
    with pytest.raises(click.UsageError, match="--llm URL"):
        asking.backend(None, "m")


def test_a_model_that_is_down_is_a_status(demo_db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Down:
        def step(self, *_: object) -> str:
            raise EndpointProblem("the model cannot be reached")

    monkeypatch.setattr(asking, "backend", lambda llm, model: Down)
    found = json.loads(call("ask", SONGS, *TODAY, "--json", db=demo_db).stdout)
    assert (found["status"], found["text"]) == ("failed", "the model cannot be reached")
    batch = json.dumps({"question": SONGS}) + "\n"
    lines = call("ask", "--batch", "-", *TODAY, db=demo_db, stdin=2 * batch).stdout.splitlines()
    assert [json.loads(line)["status"] for line in lines] == ["failed"] * 2


def test_the_tree_shows_what_was_carried_out_so_far(
    demo_db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[str] = []
    growing = asking.Growing()
    monkeypatch.setattr(growing, "_live", Watched(shown))
    with opened(demo_db, backend=lambda: Scripted(STEPS)) as life:
        life.ask(SONGS, hearing=growing.hearing)
    still_open = next(one for one in shown if "songs I heard …" in one)
    assert not re.search(r"\d ms", still_open)
    assert len(re.findall(r"\d ms", shown[-1])) == 2
    lines = shown[-1].splitlines()
    assert re.search(r"[\d,]{5,} · \d+ ms", lines[-1])  # RETRIEVE, which is the innermost


class Watched:
    """A screen that keeps what it was to show."""

    is_started = True

    def __init__(self, shown: list[str]) -> None:
        self._shown = shown

    def update(self, what: RenderableType) -> None:
        console = Console(width=120, record=True, file=io.StringIO())
        console.print(what)
        self._shown.append(console.export_text().strip())
