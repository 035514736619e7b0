"""The paper's tables with our numbers: runs what is missing, and writes a section of a page.

    python -m reqap.evaluate.tables main --build perqa-lives --write docs/results.md

`main` asks the test split; `ablations`, `sizes`, `time` and `errors` ask dev. What was answered
before is not asked again. Not the job of this module: what the sections look like (`sections`).
"""

import argparse
import json
import os
import platform
import shutil
import subprocess
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from datetime import date
from multiprocessing import get_context
from pathlib import Path

from reqap.errors import ReqapError
from reqap.evaluate import sections
from reqap.evaluate.answering import Job, Line, answer_persona, read_results
from reqap.evaluate.faults import faults, table, typical
from reqap.evaluate.report import put_section
from reqap.evaluate.running import run_jobs
from reqap.evaluate.sections import Sized
from reqap.evaluate.subjects import Subject, perqa_subjects
from reqap.evaluate.systems import VARIANTS, Settings
from reqap.extract import reader
from reqap.qud import shipped as qud
from reqap.retrieve import shipped as search

NAMES = ("main", "ablations", "sizes", "time", "errors")
_SHIPPED = 135 + 23 + 33  # millions of parameters: QUD, cross-encoder, reader


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("name", choices=NAMES)
    parser.add_argument("--build", type=Path, required=True, help="what `reqap perqa build` wrote")
    parser.add_argument("--split", choices=("dev", "test"), help="ask another split than usual")
    parser.add_argument("--results", type=Path, default=Path("eval-results"))
    parser.add_argument("--stores", type=Path, default=Path("eval-stores"))
    parser.add_argument("--limit", type=int, help="only so many questions of each life")
    parser.add_argument("--rag", default="", metavar="FILE", help="weights of RAG's model")
    parser.add_argument("--codegen", default="", metavar="FILE", help="weights of CodeGen's model")
    parser.add_argument("--whole", default="", metavar="FILE", help="a model of whole plans")
    parser.add_argument("--llm", nargs=2, metavar=("URL", "NAME"), help="also an endpoint")
    parser.add_argument("--sizes", type=Path, help="a JSON list of sets of models: name,"
                        " parameters (millions), weights, search, cross, reader")  # fmt: skip
    parser.add_argument("--write", type=Path, help="the page whose section is written anew")
    given = parser.parse_args()
    page = _Page(given).section(given.name)
    print(page)
    if given.write:
        put_section(given.write, given.name, page)


class _Page:
    """The sections; each asks what it needs."""

    def __init__(self, given: argparse.Namespace) -> None:
        self._given = given
        self._split = given.split or ("test" if given.name == "main" else "dev")
        self._known: list[Subject] = []

    def section(self, name: str) -> str:
        lines: list[str] = getattr(self, name)()
        return "\n".join((self._head(name), "", *lines))

    def _head(self, name: str) -> str:
        limit = f", {self._given.limit} questions of each life" if self._given.limit else ""
        return (
            f"`make eval-{name}`, PerQA {self._split}{limit}; {date.today().isoformat()}, commit"
            f" {commit()}, {machine()}."
        )

    def _subjects(self) -> list[Subject]:
        self._known = self._known or list(perqa_subjects(self._given.build, self._split))
        return self._known

    def _jobs(self, name: str, settings: Settings) -> list[Job]:
        out = self._given.results / f"{self._split}-{name}"
        return [Job(subject, settings, out, self._given.stores, self._given.limit)
                for subject in self._subjects()]  # fmt: skip

    def _asked(self, name: str, settings: Settings) -> list[Line]:
        jobs = self._jobs(name, settings)
        run_jobs(jobs)
        wanted = {(job.subject.name, one.text) for job in jobs for one in job.questions()}
        return [line for line in read_results(jobs[0].out)
                if (line["persona"], line["question"]) in wanted]  # fmt: skip

    def main(self) -> list[str]:
        weights = {"rag": self._given.rag, "codegen": self._given.codegen}
        small = {"reqap": self._asked("reqap", Settings())}
        for method, file in weights.items():
            if file:
                small[method] = self._asked(method, Settings(method=method, weights=file))
        large: dict[str, list[Line]] = {}
        name = ""
        if self._given.llm:
            url, name = self._given.llm
            for method, events in (("reqap", 10), ("codegen", 10), ("rag", 100)):
                asked = Settings(method=method, llm=url, model=name, events=events)
                large[method] = self._asked(f"{method}-{name.replace('/', '-')}", asked)
        return sections.main_table(small, large, name)

    def ablations(self) -> list[str]:
        found = {"": self._asked("reqap", Settings())}
        for variant in VARIANTS:
            weights = self._given.whole if variant == "one-shot" else ""
            if variant != "one-shot" or weights:
                asked = Settings(variant=variant, weights=weights)
                found[variant] = self._asked(f"reqap-{variant}", asked)
        return sections.ablation_table(found)

    def sizes(self) -> list[str]:
        found = [self._sized("shipped", _SHIPPED, Settings())]
        if self._given.sizes:
            for it in json.loads(self._given.sizes.read_text(encoding="utf-8")):
                kept = ("weights", "search", "cross", "reader")
                settings = replace(Settings(), **{name: it.get(name, "") for name in kept})
                found.append(self._sized(it["name"], int(it["parameters"]), settings))
        self._draw("accuracy-by-size.svg", sections.size_figure(found))
        return [*sections.size_table(found), *self._shown("accuracy-by-size.svg",
                                                          "accuracy by size")]  # fmt: skip

    def _sized(self, name: str, parameters: int, settings: Settings) -> Sized:
        """In a process of its own: memory is counted by process."""
        for job in self._jobs(f"size-{name}", settings):
            if job.left():
                with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
                    pool.submit(answer_persona, job).result()
        lines = self._asked(f"size-{name}", settings)
        return Sized(name, parameters, disk(settings), lines)

    def time(self) -> list[str]:
        lines = self._asked("reqap-timed", Settings(timed=True))
        self._draw("time-by-stage.svg", sections.time_figure(lines))
        return [*sections.time_table(lines), *self._shown("time-by-stage.svg", "time by stage")]

    def errors(self) -> list[str]:
        self._asked("reqap", Settings())
        out = self._given.results / f"{self._split}-reqap"
        found = faults(out, self._subjects(), self._given.stores, run_jobs)
        return [f"{len(found)} wrong answers.", "", *table(found), "", *typical(found)]

    def _draw(self, name: str, figure: str) -> None:
        if self._given.write:
            folder = self._given.write.parent / "pictures"
            folder.mkdir(exist_ok=True)
            (folder / name).write_text(figure, encoding="utf-8")

    def _shown(self, name: str, what: str) -> list[str]:
        return ["", f"![{what}](pictures/{name})"] if self._given.write else []


def disk(settings: Settings) -> int:
    """Bytes of all models that a set of them needs."""
    weights = Path(settings.weights) if settings.weights else qud.folder() / "qud.gguf"
    found = Path(settings.search) if settings.search else search.folder()
    cross = settings.cross or "cross.onnx"
    others = [file for file in found.iterdir() if not file.name.startswith("cross")]
    read = Path(settings.reader) if settings.reader else reader.folder()
    return sum(file.stat().st_size for file in (weights, found / cross, *others, *read.iterdir()))


def commit() -> str:
    """Of the source, where it is under version control."""
    git = shutil.which("git")
    if git is None:
        return "unknown"
    command = [git, "-C", str(Path(__file__).parent), "rev-parse", "--short", "HEAD"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    return done.stdout.strip() or "unknown"


def machine() -> str:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{cores} cores ({platform.machine()}), no accelerator"


if __name__ == "__main__":
    try:
        main()
    except ReqapError as error:
        raise SystemExit(f"Error: {error}") from None
