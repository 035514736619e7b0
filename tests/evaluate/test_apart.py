"""Lives asked in other processes and on Ray: the same answers as here. And whose lives they are."""

import json
import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from reqap.errors import ReqapError
from reqap.evaluate import systems
from reqap.evaluate.answering import Job, Line, answer_persona, read_results
from reqap.evaluate.apart import answer_apart, apart
from reqap.evaluate.systems import Settings
from reqap.parallel import Where, run_jobs
from tests.cli.test_commands import call
from tests.evaluate.lifelog import QUESTIONS, lifelog
from tests.evaluate.tiny import ANA, KM, RUNS, scripted, tiny_subject
from tests.ray_cluster import cluster, needs_ray

__all__ = ["cluster"]  # a fixture


def scripted_apart(made: Path, job: Job) -> int:
    """Answers with a script; the first life dies once, after its first answer."""
    systems.backend = scripted  # type: ignore[assignment]
    died = job.out / "died"
    if job.subject.name == "life-0" and not died.exists():
        answer_persona(replace(job, limit=1))
        died.write_text("")
        os.kill(os.getpid(), signal.SIGKILL)
    return answer_apart(made, job)


def jobs(folder: Path, out: str) -> list[Job]:
    found = []
    for number in range(3):
        subject = replace(tiny_subject(folder / f"life-{number}"), name=f"life-{number}")
        found.append(Job(subject, Settings(), folder / out, folder / "stores"))
    return found


def told(out: Path) -> list[Line]:
    """What was answered, without what it took."""
    taken = ("ms", "operators", "peak_mb")
    lines = [{k: v for k, v in line.items() if k not in taken} for line in read_results(out)]
    return sorted(lines, key=lambda line: (line["persona"], line["template"]))


@pytest.mark.parametrize("where", ["processes", pytest.param("ray", marks=needs_ray)])
def test_the_same_answers_as_here(
    where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(systems, "backend", scripted)
        for job in jobs(tmp_path, "here"):
            answer_persona(job)
    place = Where(2, request.getfixturevalue("cluster") if where == "ray" else None)
    asked = [replace(apart(job), call=scripted_apart) for job in jobs(tmp_path, "apart")]
    found = run_jobs(asked, tmp_path / "notes", place)
    assert found.failures == {}
    assert found.values == {"life-0": 3, "life-1": 3, "life-2": 3}
    assert (tmp_path / "apart" / "died").exists()
    assert told(tmp_path / "apart") == told(tmp_path / "here")
    assert [line["question"] for line in told(tmp_path / "apart")] == [RUNS, KM, ANA] * 3


def test_answers_of_another_way_are_told_before_anything_runs(tmp_path: Path) -> None:
    job = jobs(tmp_path, "out")[0]
    apart(job)
    job.path.write_text("{}\n")
    with pytest.raises(ReqapError, match="variant"):
        apart(replace(job, settings=Settings(variant="keys-only")))


# -- whose lives ----------------------------------------------------------------------------------


def test_lifelogs_of_timelineqa_are_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(systems, "backend", scripted)
    lifelog(tmp_path / "benchmark" / "sparse-0")
    text = call("eval", "--timelineqa", tmp_path / "benchmark", "--out", tmp_path / "out",
                "--stores", tmp_path / "stores", "--limit", 2).output  # fmt: skip
    assert "2 answers" in text
    lines = read_results(tmp_path / "out")
    assert {line["persona"] for line in lines} == {"sparse-0"}
    assert {line["question"] for line in lines} < {text for _, text, *_ in QUESTIONS}


def test_a_release_of_perqa_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(systems, "backend", scripted)
    folder = tmp_path / "release" / "dev" / "dev_persona_7"
    path = tiny_subject(folder).exports[0]
    path.rename(folder / "dev_persona_7_obs.csv")
    asked = [{"question": RUNS, "answers": [2], "reference_date": "2023-12-31"}]
    (folder / "questions.json").write_text(json.dumps(asked))
    call("eval", "--perqa", tmp_path / "release", "--out", tmp_path / "out",
         "--stores", tmp_path / "stores")  # fmt: skip
    (line,) = read_results(tmp_path / "out")
    assert (line["persona"], line["answers"], line["hit"]) == ("dev_persona_7", [2], True)


def test_one_benchmark_at_a_time(tmp_path: Path) -> None:
    found = call("eval", "--perqa", tmp_path, "--timelineqa", tmp_path)
    assert found.exit_code == 2
