"""Baselines answer the questions of a life as ReQAP does: the same lines, the same scores."""

from dataclasses import replace
from pathlib import Path

import pytest

from reqap.errors import ReqapError
from reqap.evaluate import rivals
from reqap.evaluate.answering import Job, answer_persona, read_lines
from reqap.evaluate.systems import Settings
from tests.baselines.test_codegen import Text
from tests.evaluate.tiny import tiny_subject


def job(folder: Path, **settings: str) -> Job:
    given = Settings(**settings)  # type: ignore[arg-type]
    return Job(tiny_subject(folder / "life"), given, folder / "out", folder / "stores")


@pytest.mark.parametrize(
    ("method", "written"),
    [
        ("codegen", "SELECT count(*) FROM workout WHERE workout_type = 'running'"),
        ("rag", "[2]"),
    ],
)
def test_answers_have_the_same_shape(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str, written: str
) -> None:
    monkeypatch.setattr(rivals, "llama", lambda weights: Text(written))
    lines = list(read_lines(answer_persona(job(tmp_path, method=method, weights="x.gguf"))))
    assert [line["hit"] for line in lines] == [True, False, False]
    assert lines[0]["answers"] == [2]
    assert lines[0]["status"] == "ok"
    assert lines[0]["ms"]["total"] > 0
    assert lines[0]["plan"]


def test_sql_that_cannot_be_run_is_a_failed_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rivals, "llama", lambda weights: Text("COPY workout TO 'x'"))
    made = replace(job(tmp_path, method="codegen", weights="x.gguf"), limit=1)
    (line,) = read_lines(answer_persona(made))
    assert (line["status"], line["answers"]) == ("failed", [])


@pytest.mark.parametrize("method", ["codegen", "rag"])
def test_without_a_model_it_says_what_to_give(tmp_path: Path, method: str) -> None:
    with pytest.raises(ReqapError, match=r"--llm URL --model NAME, or --weights FILE"):
        answer_persona(job(tmp_path, method=method))


@pytest.mark.parametrize("method", ["codegen", "rag"])
def test_a_model_that_is_down_is_a_failed_answer(tmp_path: Path, method: str) -> None:
    made = job(tmp_path, method=method, llm="http://127.0.0.1:9/v1", model="m")
    (line,) = read_lines(answer_persona(replace(made, limit=1)))
    assert line["status"] == "failed"
    assert "cannot be reached" in line["text"]
