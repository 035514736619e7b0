"""Independent jobs: here, in several processes of this machine, or on a Ray cluster.

A job is a call of a plain function that makes one file or folder. It makes it aside; when it is
done, it is moved to its place in one step, and a note says what it was made of. A job whose note
says the same is not run again, so that a run that was stopped goes on. A job that dies with its
process is tried again, and costs no other. Not the job of this module: what is made.
"""

import json
import os
import platform
import shutil
import signal
import socket
from collections import deque
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from hashlib import blake2b
from importlib.util import find_spec
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from reqap.errors import ReqapError

Value = str | int | float | None
LOCAL = "local"  # the address of a cluster that is started for the run
_TRIES = 3


@dataclass(frozen=True)
class Job:
    """A call that makes `target`: it is handed a path that does not exist yet, then `args`.

    `call` is a function of a module, and `args` can be pickled: they may travel. `made_of` says
    what the result depends on. What the call returns is kept in the note.
    """

    name: str
    call: Callable[..., Value]
    args: tuple[object, ...]
    target: Path
    made_of: str = ""


@dataclass(frozen=True)
class Where:
    """Where jobs run: so many processes of this machine, or the Ray cluster at an address.

    The address "local" starts a cluster on this machine for the time of the run.
    """

    processes: int = 1
    ray: str | None = None


class Done(NamedTuple):
    """What became of all jobs: what those that are finished returned, and why others failed."""

    values: dict[str, Value]
    failures: dict[str, str]

    def raise_failures(self) -> None:
        if self.failures:
            told = "\n".join(f"{name}: {why}" for name, why in self.failures.items())
            raise ReqapError(
                f"{len(self.failures)} failed, {len(self.values)} are finished and will not be"
                f" run again:\n{told}"
            )


class _Ended(NamedTuple):
    job: Job
    value: Value = None
    failure: str = ""


_Runs = Generator[_Ended]


def cores() -> int:
    """How many processes this machine runs at once."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def fingerprint(package: str, pattern: str) -> str:
    """A text that is another one as soon as a file of a package is."""
    spec = find_spec(package)
    assert spec is not None
    assert spec.submodule_search_locations
    digest = blake2b(digest_size=12)
    folder = Path(spec.submodule_search_locations[0])
    for path in sorted(folder.rglob(pattern)):
        if path.is_file() and "__pycache__" not in path.parts:
            digest.update(path.relative_to(folder).as_posix().encode() + b"\0")
            digest.update(blake2b(path.read_bytes()).digest())
    return digest.hexdigest()


def run_jobs(
    jobs: Sequence[Job],
    notes: Path,
    where: Where,
    done: Callable[[str], None] = lambda name: None,
) -> Done:
    """Runs the jobs whose notes are not there yet; `done` hears of each as it ends.

    `notes` is a folder on the disk of the targets. If this is interrupted, what is finished stays.
    """
    assert len({job.name for job in jobs}) == len(jobs)
    notes.mkdir(parents=True, exist_ok=True)
    result = Done({}, {})
    left = []
    for job in jobs:
        note = _note(job, notes)
        if note is None:
            left.append(job)
        else:
            result.values[job.name] = note.value
            done(job.name)
    with TemporaryDirectory(dir=notes) as folder, closing(_run(left, Path(folder), where)) as runs:
        for ended in runs:
            if ended.failure:
                result.failures[ended.job.name] = ended.failure
            else:
                _settle(ended, Path(folder), notes)
                result.values[ended.job.name] = ended.value
            done(ended.job.name)
    return result


def _run(jobs: Sequence[Job], aside: Path, where: Where) -> _Runs:
    if where.ray is not None:
        return _on_ray(jobs, aside, where)
    if where.processes > 1:
        return _in_processes(jobs, aside, where.processes)
    return _here(jobs, aside)


# -- what is finished -----------------------------------------------------------------------------


class _Note(NamedTuple):
    value: Value


def _note(job: Job, notes: Path) -> _Note | None:
    """The note about a finished job; nothing where its result is gone, or made of other things."""
    if not job.target.exists():
        return None
    try:
        told = json.loads(_note_path(job, notes).read_text(encoding="utf-8"))
        made_of, value = told["made_of"], told["value"]
    except (OSError, ValueError, TypeError, KeyError):
        return None
    return _Note(value) if made_of == job.made_of else None


def _note_path(job: Job, notes: Path) -> Path:
    return notes / f"{job.name}.json"


def _settle(ended: _Ended, aside: Path, notes: Path) -> None:
    """Moves what was made to its place. The note comes last, and the old one goes first."""
    job, made, note = ended.job, aside / ended.job.name, _note_path(ended.job, notes)
    note.unlink(missing_ok=True)
    job.target.parent.mkdir(parents=True, exist_ok=True)
    if job.target.is_dir():
        job.target.rename(aside / f"{job.name}.old")
    os.replace(made, job.target)
    written = aside / f"{job.name}.json"
    written.write_text(json.dumps({"made_of": job.made_of, "value": ended.value}), encoding="utf-8")
    os.replace(written, note)


# -- here -----------------------------------------------------------------------------------------


def _here(jobs: Sequence[Job], aside: Path) -> _Runs:
    for job in jobs:
        try:
            value = job.call(aside / job.name, *job.args)
        except Exception as error:  # noqa: BLE001 - a job that fails must not cost the others
            yield _Ended(job, failure=_told(error))
        else:
            yield _Ended(job, value)


def _told(error: BaseException) -> str:
    text = str(error)
    return text if isinstance(error, ReqapError) else f"{type(error).__name__}: {text}"


# -- in processes ---------------------------------------------------------------------------------


class _Running(NamedTuple):
    job: Job
    process: BaseProcess
    attempt: int


def _in_processes(jobs: Sequence[Job], aside: Path, count: int) -> _Runs:
    """Every job in a process of its own, so that it is known which one a dead process had."""
    waiting = deque((job, 1) for job in jobs)
    running: dict[Connection, _Running] = {}
    try:
        while waiting or running:
            while waiting and len(running) < count:
                job, attempt = waiting.popleft()
                _remove(aside / job.name)
                heard, process = _start(job, aside)
                running[heard] = _Running(job, process, attempt)
            ready = wait(list(running))
            for heard in [end for end in running if end in ready]:
                one = running.pop(heard)
                try:
                    value, failure = heard.recv()
                    yield _Ended(one.job, value, failure)
                except (EOFError, OSError):
                    one.process.join()
                    if one.attempt < _TRIES:
                        waiting.append((one.job, one.attempt + 1))
                    else:
                        yield _Ended(one.job, failure=_died(one.process.exitcode))
                one.process.join()
                heard.close()
    finally:
        for one in running.values():
            one.process.kill()
            one.process.join()


def _start(job: Job, aside: Path) -> tuple[Connection, BaseProcess]:
    context = get_context("spawn")
    heard, told = context.Pipe(duplex=False)
    process = context.Process(target=_child, args=(job, aside, told), name=job.name)
    process.start()
    told.close()  # the child's end is the only one now: if it dies, this end hears it
    return heard, process


def _child(job: Job, aside: Path, told: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when to stop
    (ended,) = _here([job], aside)
    told.send((ended.value, ended.failure))


def _died(code: int | None) -> str:
    return f"its process died {_TRIES} times, at last with code {code}"


def _remove(path: Path) -> None:
    """Removes what an attempt that died had made."""
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


# -- on Ray ---------------------------------------------------------------------------------------

_Packed = dict[str, bytes]


def _on_ray(jobs: Sequence[Job], aside: Path, where: Where) -> _Runs:
    """Jobs as tasks of a cluster. What they make comes back in their answers: no disk is shared."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is reported to its makers
    try:
        import ray
    except ImportError:
        raise ReqapError("Ray is not installed here: pip install 'reqap[ray]'") from None
    assert where.ray is not None
    _check_reachable(where.ray)
    own = {"num_cpus": where.processes, "include_dashboard": False} if where.ray == LOCAL else {}
    try:
        ray.init(where.ray, log_to_driver=False, logging_level="ERROR", **own)
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise ReqapError(f"there is no Ray cluster at {where.ray}: {error}") from None
    try:
        task = ray.remote(num_cpus=1, max_retries=_TRIES - 1)(_packed)
        code = fingerprint("reqap", "*.py")
        pending = {task.options(name=job.name).remote(job, code): job for job in jobs}
        while pending:
            (ready,), _ = ray.wait(list(pending), num_returns=1)
            job = pending.pop(ready)
            try:
                value, failure, files = ray.get(ready)
            except ray.exceptions.RayError as error:
                first_line = str(error).strip().partition("\n")[0]
                yield _Ended(job, failure=f"it was lost {_TRIES} times: {first_line}")
                continue
            if not failure:
                _unpack(files, aside / job.name)
            yield _Ended(job, value, failure)
    finally:
        ray.shutdown()


def _check_reachable(address: str) -> None:
    """Ray itself would try for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not port.isdigit():
        return  # a name of Ray's own, such as "auto"
    try:
        socket.create_connection((host, int(port)), timeout=10).close()
    except (OSError, OverflowError) as error:
        raise ReqapError(f"there is no Ray cluster at {address}: {error}") from None


def _packed(job: Job, code: str) -> tuple[Value, str, _Packed]:
    """Runs a job on a machine of the cluster: what it returned, why it failed, what it made."""
    if fingerprint("reqap", "*.py") != code:
        return None, f"the ReQAP on the machine {platform.node()} is another one", {}
    with TemporaryDirectory() as folder:
        (ended,) = _here([job], Path(folder))
        made = Path(folder) / job.name
        if made.is_dir():
            inside = [path for path in made.rglob("*") if path.is_file()]
            files = {path.relative_to(made).as_posix(): path.read_bytes() for path in inside}
        else:
            files = {"": made.read_bytes()} if made.exists() else {}
        return ended.value, ended.failure, files


def _unpack(files: _Packed, made: Path) -> None:
    if "" in files:
        made.write_bytes(files[""])
        return
    made.mkdir()
    for name, content in files.items():
        path = made / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
