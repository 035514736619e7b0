"""`reqap eval`: questions of the benchmark, answered and scored."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click
from rich.table import Table

from reqap.cli.console import counted, out
from reqap.cli.scaling import finish_all, scaled
from reqap.cli.timeline import printable
from reqap.evaluate.answering import Job, read_results
from reqap.evaluate.apart import apart
from reqap.evaluate.faults import faults, typical
from reqap.evaluate.faults import table as table_of_faults
from reqap.evaluate.released import released_subjects
from reqap.evaluate.running import run_jobs
from reqap.evaluate.scoring import (
    Compared,
    Share,
    by_persona,
    by_type,
    compared,
    share,
    statuses,
    times,
)
from reqap.evaluate.subjects import perqa_subjects
from reqap.evaluate.systems import METHODS, ORACLES, VARIANTS, Settings
from reqap.evaluate.timelineqa import timelineqa_subjects
from reqap.parallel import Where

_FOLDER = click.Path(file_okay=False, path_type=Path)
_FILE = click.Path(dir_okay=False, exists=True, path_type=Path)
_RESULTS, _STORES = Path("eval-results"), Path("eval-stores")
_LOGS = "timelineqa"  # a folder among the stores
_HERE = Where()


def _model_options(command: Any) -> Any:
    for option in (
        click.option("--llm", metavar="URL", default="",
                     help="Ask a model behind an OpenAI-compatible endpoint. RAG sends it events of"
                     " the life, the others only questions."),
        click.option("--model", default="", help="The model's name at that endpoint."),
        click.option("--weights", type=_FILE,
                     help="A GGUF file: of the model that understands questions, or of a"
                     " baseline."),
        click.option("--search", type=_FOLDER, help="A folder with other models of RETRIEVE."),
        click.option("--cross", default="", help="The cross-encoder's file in that folder."),
        click.option("--reader", type=_FOLDER, help="A folder with another reader for EXTRACT."),
        click.option("--events", default=10, show_default=True, type=click.IntRange(min=1),
                     help="How many events RAG puts before its model."),
    ):  # fmt: skip
        command = option(command)
    return command


@click.command(name="eval", epilog="Example: reqap eval --split dev --limit 10 --out eval-try")
@click.option("--method", type=click.Choice(METHODS), default="reqap", show_default=True,
              help="What answers.")  # fmt: skip
@click.option("--split", type=click.Choice(["dev", "test", "train"]), default="dev",
              show_default=True, help="Whose questions.")  # fmt: skip
@click.option("--build", "built", type=_FOLDER, default="perqa-lives", show_default=True,
              help="Where `reqap perqa build` put the lives.")  # fmt: skip
@click.option("--perqa", type=_FOLDER, metavar="DIR",
              help="Ask PerQA's questions as its authors released them.")  # fmt: skip
@click.option("--timelineqa", type=_FOLDER, metavar="DIR",
              help="Ask TimelineQA's complex questions of the lifelogs in a folder.")  # fmt: skip
@click.option("--persona", "personas", multiple=True, help="Only this persona; may be repeated.")
@click.option("--limit", type=click.IntRange(min=1), help="Only so many questions of each.")
@click.option("--variant", type=click.Choice(VARIANTS), default=None,
              help="Take a part of ReQAP out, or exchange it.")  # fmt: skip
@click.option("--oracle", "oracles", multiple=True, type=click.Choice(ORACLES),
              help="Put one that knows in the place of a stage; may be repeated.")  # fmt: skip
@_model_options
@click.option("--seconds", default=300.0, show_default=True, type=click.FloatRange(min=1),
              help="Give up on a question after so many seconds.")  # fmt: skip
@click.option("--timed", is_flag=True,
              help="Ask each question with nothing read before, and then again.")  # fmt: skip
@click.option("--out", "out_folder", type=_FOLDER,
              help="A folder for the answers; a run that was stopped goes on there"
              " (default: one in eval-results, named by what is asked).")  # fmt: skip
@click.option("--stores", type=_FOLDER, default=_STORES, show_default=True,
              help="Where imported lives are kept.")  # fmt: skip
@scaled(default=1)
@click.option("--errors", type=_FOLDER, metavar="OUT",
              help="Which stage was at fault for wrong answers in OUT? They are asked again with"
              " an oracle for each stage in turn.")  # fmt: skip
@click.option("--compare", nargs=2, type=_FOLDER, metavar="A B",
              help="Ask nothing: is A better than B? McNemar's exact test.")  # fmt: skip
def eval_(
    method: str, split: str, built: Path, perqa: Path | None, timelineqa: Path | None,
    personas: tuple[str, ...], limit: int | None,
    variant: str | None, oracles: tuple[str, ...], llm: str, model: str, weights: Path | None,
    search: Path | None, cross: str, reader: Path | None, events: int, seconds: float, timed: bool,
    out_folder: Path | None, stores: Path, where: Where, errors: Path | None,
    compare: tuple[Path, Path] | None,
) -> None:  # fmt: skip
    """Ask the questions of the benchmark, end to end, and count what is right.

    Each life is imported as a user's is (once), and each question asked at the
    persona's own time. Every answer is a line of JSON in the folder --out.
    """
    if compare:
        _print_compared(compared(read_results(compare[0]), read_results(compare[1])))
        return
    if errors:
        print_errors(errors, built, stores, where)
        return
    if bool(llm) != bool(model):
        raise click.UsageError("--llm URL and --model NAME belong together")
    if perqa and timelineqa:
        raise click.UsageError("--perqa and --timelineqa are two benchmarks: name one")
    if method != "reqap" and (variant or oracles):
        raise click.UsageError("--variant and --oracle are about --method reqap")
    settings = Settings(
        method, variant or "", tuple(sorted(set(oracles))), llm, model, _path(weights),
        _path(search), cross, _path(reader), events, seconds, timed,
    )  # fmt: skip
    if timelineqa:
        asked, subjects = "timelineqa", timelineqa_subjects(timelineqa, stores / _LOGS, personas)
    elif perqa:
        asked, subjects = f"perqa-{split}", released_subjects(perqa, split, personas)
    else:
        asked, subjects = split, perqa_subjects(built, split, personas)
    folder = out_folder or _RESULTS / _name(asked, settings)
    run([Job(subject, settings, folder, stores, limit) for subject in subjects], where)
    print_results(folder)


def _path(given: Path | None) -> str:
    return str(given) if given else ""


def _name(asked: str, settings: Settings) -> str:
    parts = [asked, settings.method, settings.variant, *(f"oracle-{o}" for o in settings.oracles)]
    parts += [settings.model.replace("/", "-"), "timed" if settings.timed else ""]
    return "-".join(filter(None, parts))


def run(jobs: Sequence[Job], where: Where = _HERE) -> None:
    """All jobs: one after the other, or, each life apart, several at a time."""
    if where == _HERE:
        run_jobs(jobs)
        return
    for folder in dict.fromkeys(job.out for job in jobs):
        here = [apart(job) for job in jobs if job.out == folder and job.questions()]
        finish_all("Asking lives", here, folder / ".jobs", where)


def print_results(folder: Path) -> None:
    """How many answers are right, by persona and by type, and how long they took."""
    lines = read_results(folder)
    console = out()
    table = Table("", "questions", "Hit@1", "Rlx-Hit@1", show_edge=False)
    _row(table, "all", share(lines))
    for group in (by_persona(lines), by_type(lines)):
        table.add_section()
        for name, one in group.items():
            if one.questions:
                _row(table, name, one)
    console.print(table)
    told = ", ".join(f"{name} {count}" for name, count in statuses(lines).items())
    console.print(printable(told))
    taken = times(lines)
    stages = ", ".join(f"{name} {one.mean / 1000:.2f}" for name, one in taken.items() if one.mean)
    console.print(f"seconds per question: {stages}; median {taken['total'].median / 1000:.2f}")
    console.print(printable(f"{counted(len(lines), 'answer')} in {folder}"), soft_wrap=True)


def print_errors(folder: Path, built: Path, stores: Path, where: Where) -> None:
    """Which stage was at fault, and typical failures."""
    names = {line["persona"] for line in read_results(folder)}
    again = partial(run, where=where)
    split = min(names).partition("_")[0]
    found = faults(folder, perqa_subjects(built, split, sorted(names)), stores, again)
    for line in "\n".join((*table_of_faults(found), "", *typical(found))).split("\n"):
        out().print(printable(line), soft_wrap=True)


def _row(table: Table, name: str, found: Share) -> None:
    table.add_row(
        printable(name), f"{found.questions:,}", f"{found.hit:.3f}", f"{found.relaxed:.3f}"
    )


def _print_compared(found: Compared) -> None:
    console = out()
    table = Table("", "Hit@1", "Rlx-Hit@1", "right alone", show_edge=False)
    for name, one, alone in (("A", found.ours, found.only_ours),
                             ("B", found.theirs, found.only_theirs)):  # fmt: skip
        table.add_row(name, f"{one.hit:.3f}", f"{one.relaxed:.3f}", str(alone))
    console.print(table)
    console.print(
        f"{found.questions:,} questions; McNemar p = {found.chance:.4g} (Hit@1),"
        f" {found.relaxed_chance:.4g} (Rlx-Hit@1)"
    )
