"""Jobs here, in processes and on a real Ray: the same results, and none is lost with a worker."""

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from reqap.errors import ReqapError
from reqap.parallel import LOCAL, Done, Job, Where, fingerprint, run_jobs
from tests.ray_cluster import cluster, needs_ray

__all__ = ["cluster"]  # a fixture

HERE, PROCESSES = Where(), Where(2)
APART = ["processes", pytest.param("ray", marks=needs_ray)]


@pytest.fixture
def where(request: pytest.FixtureRequest) -> Where:
    if request.param == "ray":
        return Where(2, request.getfixturevalue("cluster"))
    return {"here": HERE, "processes": PROCESSES}[request.param]


# -- the jobs: they travel to other processes, so they are functions of this module ---------------


def square(made: Path, number: int) -> int:
    made.write_text(f"{number * number}\n")
    return number * number


def folder(made: Path, number: int) -> str:
    (made / "inside").mkdir(parents=True)
    (made / "inside" / "one.txt").write_text(str(number))
    (made / "two.bin").write_bytes(bytes(range(256)))
    return "made"


def fail(made: Path, error: str) -> None:
    made.write_text("half")
    if error == "reqap":
        raise ReqapError("the third record is broken")
    raise ZeroDivisionError(error)


def count_and_square(made: Path, number: int, runs: Path) -> int:
    with runs.open("a") as file:
        file.write(f"{number}\n")
    return square(made, number)


def killed_once(made: Path, pid: Path) -> str:
    """The first time, it waits to be killed from outside, in the middle of its work."""
    assert not made.exists()
    made.write_text("half")
    if not pid.exists():
        pid.with_suffix(".part").write_text(str(os.getpid()))
        pid.with_suffix(".part").rename(pid)
        time.sleep(120)
    made.write_text("whole")
    return "survived"


def killed_always(made: Path, runs: Path) -> None:
    with runs.open("a") as file:
        file.write("x")
    os.kill(os.getpid(), signal.SIGKILL)


def slow(made: Path, begun: Path) -> None:
    begun.write_text("")
    time.sleep(120)


# -- what becomes of them -------------------------------------------------------------------------


def squares(target: Path, *numbers: int) -> list[Job]:
    return [Job(f"job-{n}", square, (n,), target / f"{n}.txt") for n in numbers]


def run(jobs: list[Job], tmp_path: Path, where: Where) -> Done:
    return run_jobs(jobs, tmp_path / "notes", where)


@pytest.mark.parametrize("where", ["here", *APART], indirect=True)
def test_files_and_folders_are_the_same_everywhere(where: Where, tmp_path: Path) -> None:
    heard: list[str] = []
    jobs = [*squares(tmp_path, 1, 2, 3), Job("folder", folder, (7,), tmp_path / "a" / "folder")]
    found = run_jobs(jobs, tmp_path / "notes", where, heard.append)
    assert found == Done({"job-1": 1, "job-2": 4, "job-3": 9, "folder": "made"}, {})
    assert sorted(heard) == sorted(job.name for job in jobs)
    assert [(tmp_path / f"{n}.txt").read_text() for n in (1, 2, 3)] == ["1\n", "4\n", "9\n"]
    assert (tmp_path / "a" / "folder" / "inside" / "one.txt").read_text() == "7"
    assert (tmp_path / "a" / "folder" / "two.bin").read_bytes() == bytes(range(256))
    assert sorted(path.suffix for path in (tmp_path / "notes").iterdir()) == [".json"] * 4


@pytest.mark.parametrize("where", ["here", *APART], indirect=True)
def test_a_job_that_fails_costs_no_other(where: Where, tmp_path: Path) -> None:
    jobs = [
        Job("broken", fail, ("reqap",), tmp_path / "broken"),
        *squares(tmp_path, 1, 2),
        Job("zero", fail, ("by zero",), tmp_path / "zero"),
    ]
    found = run(jobs, tmp_path, where)
    assert found.values == {"job-1": 1, "job-2": 4}
    assert found.failures == {
        "broken": "the third record is broken",
        "zero": "ZeroDivisionError: by zero",
    }
    assert not (tmp_path / "broken").exists()
    with pytest.raises(ReqapError, match=r"2 failed, 2 are finished.*\n.*third record"):
        found.raise_failures()


def test_what_is_finished_is_not_run_again(tmp_path: Path) -> None:
    runs = tmp_path / "runs"

    def jobs(made_of: str) -> list[Job]:
        return [
            Job(f"job-{n}", count_and_square, (n, runs), tmp_path / f"{n}.txt", made_of)
            for n in (1, 2, 3)
        ]

    values = {"job-1": 1, "job-2": 4, "job-3": 9}
    assert run(jobs("seed 1")[:2], tmp_path, HERE).values == {"job-1": 1, "job-2": 4}
    assert run(jobs("seed 1"), tmp_path, PROCESSES).values == values
    assert runs.read_text().split() == ["1", "2", "3"]
    (tmp_path / "2.txt").unlink()  # gone: made again
    assert run(jobs("seed 1"), tmp_path, HERE).values == values
    assert runs.read_text().split() == ["1", "2", "3", "2"]
    (tmp_path / "notes" / "job-3.json").write_text("[broken")
    run(jobs("seed 1"), tmp_path, HERE)
    assert runs.read_text().split() == ["1", "2", "3", "2", "3"]
    run(jobs("seed 2"), tmp_path, HERE)  # of other things: everything again
    assert runs.read_text().split()[5:] == ["1", "2", "3"]


def test_a_folder_is_replaced_as_a_whole(tmp_path: Path) -> None:
    target = tmp_path / "life"
    run([Job("life", folder, (1,), target, "a")], tmp_path, HERE)
    (target / "left over").write_text("")
    run([Job("life", folder, (2,), target, "b")], tmp_path, HERE)
    assert sorted(path.name for path in target.iterdir()) == ["inside", "two.bin"]
    assert (target / "inside" / "one.txt").read_text() == "2"


def in_background(act: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=act, daemon=True)
    thread.start()
    return thread


def awaited(path: Path) -> str:
    for _ in range(1200):
        if path.exists():
            return path.read_text()
        time.sleep(0.05)
    raise AssertionError(f"{path} never came")


@pytest.mark.parametrize("where", APART, indirect=True)
def test_a_killed_worker_loses_nothing(where: Where, tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    killer = in_background(lambda: os.kill(int(awaited(pid)), signal.SIGKILL))
    jobs = [Job("victim", killed_once, (pid,), tmp_path / "victim"), *squares(tmp_path, 1, 2, 3)]
    found = run(jobs, tmp_path, where)
    killer.join()
    assert found == Done({"victim": "survived", "job-1": 1, "job-2": 4, "job-3": 9}, {})
    assert (tmp_path / "victim").read_text() == "whole"


@pytest.mark.parametrize("where", APART, indirect=True)
def test_a_job_that_always_dies_is_told(where: Where, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    jobs = [Job("mortal", killed_always, (runs,), tmp_path / "mortal"), *squares(tmp_path, 1, 2)]
    found = run(jobs, tmp_path, where)
    assert found.values == {"job-1": 1, "job-2": 4}
    assert "3 times" in found.failures["mortal"]
    assert runs.read_text() == "xxx"


@pytest.mark.parametrize("where", APART, indirect=True)
def test_ctrl_c_leaves_what_is_finished(where: Where, tmp_path: Path) -> None:
    begun = tmp_path / "begun"

    def stop(name: str) -> None:
        awaited(begun)
        raise KeyboardInterrupt

    jobs = [*squares(tmp_path, 1), Job("slow", slow, (begun,), tmp_path / "slow")]
    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        run_jobs(jobs, tmp_path / "notes", where, stop)
    assert time.monotonic() - started < 100
    assert (tmp_path / "1.txt").read_text() == "1\n"
    assert [path.name for path in (tmp_path / "notes").iterdir()] == ["job-1.json"]
    assert json.loads((tmp_path / "notes" / "job-1.json").read_text())["value"] == 1


@needs_ray
@pytest.mark.usefixtures("cluster")
def test_a_cluster_of_its_own(tmp_path: Path) -> None:
    found = run(squares(tmp_path, 1, 2), tmp_path, Where(1, LOCAL))
    assert found == Done({"job-1": 1, "job-2": 4}, {})


@needs_ray
def test_a_cluster_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ReqapError, match="no Ray cluster at 127"):
        run(squares(tmp_path, 1), tmp_path, Where(1, "127.0.0.1:1"))


def test_without_ray_it_is_said_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ReqapError, match=r"pip install 'reqap\[ray\]'"):
        run(squares(tmp_path, 1), tmp_path, Where(1, LOCAL))


def test_a_fingerprint_is_that_of_the_files() -> None:
    one = fingerprint("reqap.plan", "*.py")
    assert one == fingerprint("reqap.plan", "*.py") != fingerprint("reqap.values", "*.py")
