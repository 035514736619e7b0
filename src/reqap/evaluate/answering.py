"""Asks every question of a life, end to end, and writes down what was answered.

One life is one job: `answer_persona` takes a `Job`, which is plain data, and gives the path of the
file with one JSON line per question; so jobs can run in any process, in any order. A job that was
stopped goes on where it stopped. Not the job of this module: what answers (`systems`), and what the
lines amount to (`scoring`).
"""

import json
import os
import random
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from reqap.errors import ReqapError
from reqap.evaluate.metrics import score
from reqap.evaluate.rivals import CodeGen, Rag
from reqap.evaluate.stores import imported, opened
from reqap.evaluate.subjects import Question, Subject
from reqap.evaluate.systems import Given, Reqap, Settings, System, networks
from reqap.execute.trace import plain
from reqap.store import Store

Line = dict[str, Any]
_SETTINGS = "settings.json"
_MOST = 20  # answers that are written down


@dataclass(frozen=True)
class Job:
    """The questions of one life, to be answered in one way."""

    subject: Subject
    settings: Settings
    out: Path  # a folder; the answers go to a file with the subject's name
    stores: Path  # where imported lives are kept
    limit: int | None = None  # only so many questions

    @property
    def path(self) -> Path:
        return self.out / f"{self.subject.name}.jsonl"

    def questions(self) -> list[Question]:
        """All of the subject, or so many as the limit says, of all sorts: more hold fewer."""
        asked = list(self.subject.questions)
        if self.limit is not None:
            random.Random(self.subject.name).shuffle(asked)
        return asked[: self.limit]

    def left(self) -> list[Question]:
        """The questions that were not asked yet."""
        known = {line["question"] for line in read_lines(self.path)}
        return [question for question in self.questions() if question.text not in known]


def answer_persona(job: Job, done: Callable[[], object] = bool) -> Path:
    """Answers what was not answered yet; `done` hears of every question."""
    claim(job.out, job.settings)
    _whole_lines(job.path)
    left = job.left()
    if left:
        path = imported(job.subject, job.stores, networks(job.settings))
        with opened(path) as store:
            system = system_of(job.settings, job.subject, store)
            with job.path.open("a", encoding="utf-8") as file:
                for question in left:
                    line = answered(system, question, job)
                    file.write(json.dumps(line, ensure_ascii=False) + "\n")
                    file.flush()
                    done()
        system.keep(path)
    return job.path


def _whole_lines(path: Path) -> None:
    """Takes away a line that was being written when somebody stopped."""
    if path.exists() and not (said := path.read_bytes()).endswith(b"\n"):
        path.write_bytes(said[: said.rfind(b"\n") + 1])


def system_of(settings: Settings, subject: Subject, store: Store) -> System:
    """What answers the questions of a life."""
    makes: dict[str, Callable[[Settings, Subject, Store], System]] = {
        "reqap": Reqap, "rag": Rag, "codegen": CodeGen,
    }  # fmt: skip
    return makes[settings.method](settings, subject, store)


def answered(system: System, question: Question, job: Job) -> Line:
    """A question asked, and what is written down of it."""
    if job.settings.timed:
        system.forget()
    given = system.answer(question)
    line = told(question, given, job)
    if job.settings.timed:
        line["warm_ms"] = _rounded(system.answer(question).ms)
    return line


def told(question: Question, given: Given, job: Job) -> Line:
    found = score(question.gold, given.answers)  # type: ignore[arg-type]
    return {
        "question": question.text,
        "template": question.template,
        "persona": job.subject.name,
        "types": list(question.types),
        "gold": list(question.gold[:_MOST]),
        "answers": [plain(one) for one in given.answers[:_MOST]],  # type: ignore[arg-type]
        "hit": found.hit,
        "relaxed": found.relaxed,
        "exact": found.exact,
        "status": given.status,
        "text": given.text[:300],
        "plan": given.plan,
        "ms": _rounded(given.ms),
        "operators": {name: [count, round(ms, 2)] for name, (count, ms) in given.operators.items()},
        # Cold: nothing was read from texts before. Else earlier questions have left something.
        "state": "cold" if job.settings.timed else "shared",
        "peak_mb": peak_mb(),
    }


def peak_mb() -> float | None:
    """The most memory that this process has had; None where the system does not say."""
    try:
        import resource
    except ImportError:
        return None
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(most / (1 << 20 if sys.platform == "darwin" else 1 << 10), 1)


def _rounded(ms: dict[str, float]) -> dict[str, float]:
    return {name: round(value, 1) for name, value in ms.items()}


def claim(out: Path, settings: Settings) -> None:
    """Says beside the results how they came about; results of another way are not mixed in."""
    out.mkdir(parents=True, exist_ok=True)
    path, told = out / _SETTINGS, json.loads(json.dumps(asdict(settings)))
    if path.exists():
        before = json.loads(path.read_text(encoding="utf-8"))
        if before == told:
            return
        if any(out.glob("*.jsonl")):
            other = [name for name in told if before.get(name) != told[name]]
            raise ReqapError(
                f"{out} holds answers that came about otherwise ({', '.join(other)}): name another"
                " folder with --out"
            )
    part = out / f"{_SETTINGS}.{os.getpid()}"  # somebody else may be reading it
    part.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    part.replace(path)


def read_settings(out: Path) -> Settings:
    """How the results in a folder came about."""
    try:
        raw = json.loads((out / _SETTINGS).read_text(encoding="utf-8"))
        return Settings(**{**raw, "oracles": tuple(raw["oracles"])})
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ReqapError(f"{out} holds no results of `reqap eval`: {error}") from None


def read_lines(path: Path) -> Iterator[Line]:
    """What was answered before; a line that is still being written is none."""
    if path.exists():
        with path.open(encoding="utf-8") as file:
            yield from (json.loads(line) for line in file if line.endswith("\n"))


def read_results(out: Path) -> list[Line]:
    """All answers in a folder."""
    found = [line for path in sorted(out.glob("*.jsonl")) for line in read_lines(path)]
    if not found:
        raise ReqapError(f"there are no answers in {out}")
    return found
