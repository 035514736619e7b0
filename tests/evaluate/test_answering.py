"""Questions asked end to end of a tiny life, and what is written down of them."""

import json
import pickle
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from reqap.cli import cli
from reqap.errors import ReqapError
from reqap.evaluate import answering, systems
from reqap.evaluate.answering import Job, answer_persona, read_lines, read_results, read_settings
from reqap.evaluate.scoring import by_persona, by_type, compared, operator_times, share, times
from reqap.evaluate.stores import imported
from reqap.evaluate.systems import Settings
from tests.evaluate.tiny import ANA, KM, RUNS, scripted, tiny_subject


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Job:
    monkeypatch.setattr(systems, "backend", scripted)
    return Job(tiny_subject(tmp_path / "life"), Settings(), tmp_path / "out", tmp_path / "stores")


def test_questions_are_asked_end_to_end(job: Job) -> None:
    path = answer_persona(pickle.loads(pickle.dumps(job)))  # noqa: S301 (our own)
    lines = {line["question"]: line for line in read_lines(path)}
    assert list(lines) == [RUNS, KM, ANA]
    assert (lines[RUNS]["answers"], lines[RUNS]["hit"], lines[RUNS]["status"]) == ([2], True, "ok")
    km = lines[KM]
    assert (km["answers"], km["hit"], km["relaxed"], km["exact"]) == ([10.0], False, True, False)
    assert lines[ANA]["status"] == "not_understood"
    assert not lines[ANA]["hit"]
    assert lines[KM]["operators"].keys() == {"RETRIEVE", "EXTRACT", "SUM"}
    stages = lines[KM]["ms"]
    assert stages["total"] == pytest.approx(sum(stages.values()) - stages["total"], abs=1)


def test_a_run_goes_on_where_it_stopped(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    answer_persona(replace(job, limit=1))
    with job.path.open("a") as file:
        file.write('{"question": "How man')  # stopped while writing
    heard: list[int] = []
    before = imported(job.subject, job.stores).stat().st_mtime
    answer_persona(job, lambda: heard.append(1))
    assert len(heard) == 2
    assert sorted(line["question"] for line in read_results(job.out)) == sorted([RUNS, KM, ANA])
    monkeypatch.setattr(answering, "imported", None)  # nothing is left to do
    answer_persona(job)
    assert imported(job.subject, job.stores).stat().st_mtime >= before
    assert len(list(job.stores.iterdir())) == 1


def test_answers_of_another_way_are_not_mixed_in(job: Job) -> None:
    answer_persona(replace(job, limit=1))
    assert read_settings(job.out) == Settings()
    with pytest.raises(ReqapError, match="variant"):
        answer_persona(replace(job, settings=Settings(variant="keys-only")))
    with pytest.raises(ReqapError, match="holds no results"):
        read_settings(job.stores)


@pytest.mark.parametrize("variant", ["sparse-only", "keys-only", "no-merging", "no-cascade"])
def test_every_variant_answers(job: Job, variant: str) -> None:
    changed = replace(job, settings=Settings(variant=variant), out=job.out / variant)
    lines = list(read_lines(answer_persona(changed)))
    found = "no_data" if variant == "sparse-only" else "ok"  # "running" is not said so
    assert [line["status"] for line in lines] == [found, found, "not_understood"]


def test_the_gold_plan_can_be_carried_out(job: Job) -> None:
    told = replace(job, settings=Settings(oracles=("qud",)))
    first, *others = read_lines(answer_persona(told))
    assert (first["hit"], first["ms"]["qud"]) == (True, 0.0)
    assert {line["status"] for line in others} == {"failed"}  # nobody wrote their plans


def test_oracles_need_somebody_who_knows(job: Job) -> None:
    with pytest.raises(ReqapError, match="nobody wrote down"):
        answer_persona(replace(job, settings=Settings(oracles=("retrieve",))))


def test_one_shot_needs_a_model_that_learnt_it() -> None:
    with pytest.raises(ReqapError, match="--weights FILE"):
        systems.backend(Settings(variant="one-shot"))


def test_each_question_can_be_timed_cold_and_warm(job: Job) -> None:
    timed = replace(job, settings=Settings(timed=True))
    lines = list(read_lines(answer_persona(timed)))
    assert {line["state"] for line in lines} == {"cold"}
    assert all(line["warm_ms"]["total"] >= 0 for line in lines)
    assert times(lines, "warm_ms")["total"].mean >= 0


def line(question: str, hit: bool, relaxed: bool, **more: object) -> dict[str, object]:
    return {"question": question, "persona": "p", "hit": hit, "relaxed": relaxed,
            "types": ["join"], **more}  # fmt: skip


def test_scores() -> None:
    lines = [line("a", True, True), line("b", False, True), line("c", False, False)]
    found = share(lines)
    assert (found.questions, found.told) == (3, "0.333 (0.67)")
    assert by_persona(lines) == {"p": found}
    assert by_type(lines)["join"] == found
    assert by_type(lines)["ordering"].questions == 0


def test_two_ways_are_compared_on_what_both_were_asked() -> None:
    ours = [line(str(n), True, True) for n in range(10)]
    theirs = [line(str(n), n < 2, True) for n in range(8)]
    found = compared(ours, theirs)
    assert (found.questions, found.only_ours, found.only_theirs) == (8, 6, 0)
    assert found.chance == pytest.approx(2 / 2**6)
    assert found.relaxed_chance == 1.0
    with pytest.raises(ReqapError, match="nothing in common"):
        compared(ours, [])


def test_times_are_told_by_stage_and_operator() -> None:
    lines = [
        line("a", True, True, ms={"qud": 10.0, "total": 30.0}, operators={"MAP": [2, 4.0]}),
        line("b", True, True, ms={"qud": 30.0, "total": 50.0}, operators={"MAP": [1, 5.0]}),
    ]
    assert times(lines)["qud"].mean == 20
    assert operator_times(lines) == {"MAP": (3, 3.0)}


def test_the_command_compares(tmp_path: Path) -> None:
    for name, hit in (("a", True), ("b", False)):
        (tmp_path / name).mkdir()
        told = json.dumps(line("q", hit, hit))
        (tmp_path / name / "p.jsonl").write_text(told + "\n")
    folders = [str(tmp_path / "a"), str(tmp_path / "b")]
    shown = CliRunner().invoke(cli, ["eval", "--compare", *folders], catch_exceptions=False).output
    assert "McNemar p = 1" in shown
    wrong = CliRunner().invoke(cli, ["eval", "--llm", "http://x"])
    assert wrong.exit_code == 2
