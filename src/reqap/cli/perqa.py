"""`reqap perqa`: build the benchmark, look at it, check it."""

import json
import random
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from datetime import datetime
from multiprocessing import get_context
from pathlib import Path

import click
from rich.table import Table

from reqap.cli.console import err, json_option, out, print_json, progress_bar
from reqap.cli.scaling import finish_all, scaled
from reqap.cli.timeline import printable
from reqap.errors import ReqapError
from reqap.evaluate.census import (
    PAPER,
    PAPER_TYPES,
    census,
    four_grams,
    shared_sentences,
    type_shares,
)
from reqap.evaluate.gates import Outcome, pass_gates
from reqap.models.endpoint import Endpoint
from reqap.parallel import Job, Where, fingerprint
from reqap.perqa.canonical import TABLES
from reqap.perqa.exports import write_exports
from reqap.perqa.leaks import alike
from reqap.perqa.persona import SPLITS, load_persona, persona_ids
from reqap.perqa.templates import Template, load_templates, read_template, templates_for
from reqap.perqa.world import DATABASE, Author, build_persona, make_world

_FOLDER = click.Path(file_okay=False, path_type=Path)
_TRIED_ON = ["train_persona_0", "train_persona_3"]
_TEXTS = frozenset({"mail", "social_media", "calendar", "note"})


@click.group(epilog="Example: reqap perqa build --persona dev_persona_0")
def perqa() -> None:
    """The benchmark: invented lives with questions and answers."""


def _folder(out_folder: Path, persona: str) -> Path:
    return out_folder / persona.partition("_")[0] / persona


@perqa.command(epilog="Example: reqap perqa build --out perqa-lives --persona dev_persona_0")
@click.option("--out", "out_folder", type=_FOLDER, default="perqa-lives", show_default=True,
              help="Where to put it.")  # fmt: skip
@click.option("--persona", "personas", multiple=True, help="Only this persona; may be repeated.")
@click.option("--seed", default=1, show_default=True, help="Another seed gives other lives.")
@scaled()
@click.option("--llm", "url", metavar="URL",
              help="Have the texts written by a model behind this OpenAI-compatible endpoint"
              " instead of our phrase banks; $REQAP_LLM_KEY holds its key.")  # fmt: skip
@click.option("--model", default="default", show_default=True, help="The model's name there.")
def build(
    out_folder: Path,
    personas: tuple[str, ...],
    seed: int,
    where: Where,
    url: str | None,
    model: str,
) -> None:
    """Make the lives of the personas: the same bytes for the same seed, wherever they are made.

    A build that was stopped goes on: lives that are finished, of this seed and this version, stay
    as they are, and texts of a model are kept.
    """
    author = Author(Endpoint(url, model), (out_folder / "texts").absolute()) if url else None
    wanted = list(personas) or persona_ids()
    for persona in wanted:
        load_persona(persona)
    made_of = f"{fingerprint('reqap.perqa', '*')} {seed} {url and [url, model]}"
    jobs = [
        Job(persona, build_persona, (persona, seed, author), _folder(out_folder, persona), made_of)
        for persona in wanted
    ]
    questions = finish_all("Making lives", jobs, out_folder / ".jobs", where)
    total = sum(int(number or 0) for number in questions.values())
    out().print(f"{len(wanted)} lives with {total:,} questions are in {printable(str(out_folder))}")


@perqa.command(epilog="Example: reqap perqa show dev_persona_0")
@click.argument("persona")
@click.option("--texts", default=12, show_default=True, type=click.IntRange(min=0),
              help="How many sample texts.")  # fmt: skip
@click.option("--seed", default=1, show_default=True, help="Another seed gives another life.")
def show(persona: str, texts: int, seed: int) -> None:
    """A readable life: who it is, whom they know, what happened when, and what they wrote."""
    world = make_world(persona, seed)
    told = world.persona
    console = out()
    console.print(f"[bold]{printable(told.name)}[/bold], born {told.birth_date}")
    console.print(printable(told.biography))
    people = Table("name", "relation", "called", "met", show_edge=False)
    met = Counter(name for event in world.events for name in event.participants)
    for person in sorted(told.people, key=lambda person: -met[person.name]):
        called = ", ".join(person.nicknames)
        cells = (person.name, person.relation, called, str(met[person.name]))
        people.add_row(*map(printable, cells))
    console.print(people)
    years = range(told.first.year, told.today.year + 1)
    table = Table("what happened", *map(str, years), show_edge=False)
    counts = Counter((event.table, event.start.year) for event in world.events)
    for name in TABLES:
        table.add_row(name, *(f"{counts[name, year]:,}" for year in years))
    console.print(table)
    for event in world.events:
        if event.table in ("trips", "milestones"):
            values = [str(value) for value in event.properties.values() if value]
            console.print(f"{event.start:%Y-%m-%d} {event.table}: {printable(' · '.join(values))}")
    written = [one for one in world.observations if one.kind in _TEXTS]
    for one in random.Random(seed).sample(written, min(texts, len(written))):
        said = " | ".join(str(value) for value in one.data.values() if value)
        console.print(f"[dim]{one.start:%Y-%m-%d %H:%M} {one.kind}[/dim] {printable(said)}")


@perqa.command(epilog="Example: reqap perqa export dev_persona_0 --out her-exports")
@click.argument("persona")
@click.option("--out", "out_folder", type=_FOLDER, default="perqa-exports", show_default=True,
              help="Where to put the exports.")  # fmt: skip
@click.option("--since", type=click.DateTime(["%Y-%m-%d"]),
              help="Only what is from this day on (default: everything).")  # fmt: skip
@click.option("--seed", default=1, show_default=True, help="Another seed gives another life.")
def export(persona: str, out_folder: Path, since: datetime | None, seed: int) -> None:
    """A life as the exports of real services: what `reqap import` reads.

    Spotify, Netflix, Amazon, Apple Health, a calendar, a Takeout with mail and notes, Instagram,
    Mastodon and Markdown notes, and the profile of the persona.
    """
    told = write_exports(persona, out_folder, seed, since.date() if since else None)
    table = Table("kind", "records", show_edge=False)
    for kind, number in told.items():
        table.add_row(kind, f"{number:,}")
    out().print(table)
    where = printable(str(out_folder))
    out().print(f"To import them: reqap import {where} --profile {where}/profile.json",
                soft_wrap=True)  # fmt: skip


@perqa.command(epilog="Example: reqap perqa check --file my-templates.json --persona dev_persona_0")
@click.option("--build", "built", type=_FOLDER, default="perqa-lives", show_default=True,
              help="Where `build` put the lives; those that are not there are made.")  # fmt: skip
@click.option("--file", "files", multiple=True, type=click.Path(exists=True, path_type=Path),
              help="Check the templates of this file instead of our own.")  # fmt: skip
@click.option("--persona", "personas", multiple=True, help="Only this persona; may be repeated.")
@click.option("--only", help="Only templates with this in their id.")
@click.option("--verbose", is_flag=True, help="Show every question and its answer.")
@click.option("--jobs", default=None, type=click.IntRange(min=1),
              help="How many personas at a time (default: one per core).")  # fmt: skip
def check(
    built: Path,
    files: tuple[Path, ...],
    personas: tuple[str, ...],
    only: str | None,
    verbose: bool,
    jobs: int | None,
) -> None:
    """Do plans and gold queries agree? Both are run for every question.

    Without --file, each persona is asked what the benchmark asks of it; then wordings that are too
    much alike are told, and, of what was built, the share of each type of question.
    """
    given = _given(files)
    wanted = list(personas) or (_TRIED_ON if files else persona_ids())
    asked: list[Template] = []
    outcomes: list[Outcome] = []
    with (
        progress_bar("Checking", len(wanted)) as advance,
        ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool,
    ):
        running = []
        for persona in wanted:
            templates = given if files else templates_for(persona)
            templates = [one for one in templates if only is None or only in one.id]
            asked.extend(templates)
            database = _folder(built, persona) / DATABASE
            running.append(pool.submit(pass_gates, persona, templates, database))
        for one in as_completed(running):
            outcomes.extend(one.result())
            advance()
    for outcome in outcomes:
        if verbose or not outcome.agrees:
            _tell(outcome.template, outcome.persona, outcome.told)
    agreeing = sum(outcome.agrees for outcome in outcomes)
    names = {template.id for template in asked}
    never = sorted(names - {outcome.template for outcome in outcomes})
    out().print(f"{len(names)} templates, {len(outcomes)} questions, {agreeing} agree")
    if never:
        out().print(f"without an answer for any of these personas: {printable(', '.join(never))}")
    alike_ones = [] if files else list(alike((split, t) for split in SPLITS
                                             for t in load_templates(split)))  # fmt: skip
    for pair in alike_ones:
        out().print(f"alike: {printable(pair.one)} ~ {printable(pair.other)}")
    if not files:
        shares = {name: type_shares(split) for name, split in census(built).items()
                  if split.personas}  # fmt: skip
        if shares:
            out().print(_types(shares))
    if agreeing < len(outcomes) or alike_ones:
        raise click.exceptions.Exit(1)


@perqa.command(epilog="Example: reqap perqa stats --build perqa-lives")
@click.option("--build", "built", type=_FOLDER, default="perqa-lives", show_default=True,
              help="Where `build` put the lives.")  # fmt: skip
@json_option
def stats(built: Path, as_json: bool) -> None:
    """The statistics of the benchmark, beside the paper's, and how varied it is."""
    splits = census(built)
    train = splits["train"]
    if not train.personas:
        raise ReqapError(f"there are no lives in {built}; `reqap perqa build` makes them")
    told = {name: split.numbers() for name, split in splits.items()}
    varied = {
        name: {
            "shapes": len(split.shapes),
            "most frequent shape": max(split.shapes.values(), default=0)
            / max(len(split.questions), 1),
            "four-grams per 1,000 questions": four_grams(split.questions),
            "four-grams per 1,000 mails": four_grams(split.mails),
            "sentences also in train": shared_sentences(split, train) if name != "train" else 0.0,
        }
        for name, split in splits.items()
    }
    shares = {name: type_shares(split) for name, split in splits.items()}
    if as_json:
        print_json({"sizes": told, "variety": varied, "types": shares})
        return
    table = Table("", *(f"{name}: {who}" for name in splits for who in ("ours", "paper")),
                  show_edge=False)  # fmt: skip
    for row, paper in PAPER.items():
        cells = [
            cell
            for number, name in enumerate(splits)
            for cell in (f"{told[name].get(row, 0):,.0f}", f"{paper[number]:,}")
        ]
        table.add_row(row, *cells)
    out().print(table)
    table = Table("variety", *splits, show_edge=False)
    for row in varied["train"]:
        form = "{:.1%}" if row.startswith(("most", "sent")) else "{:,.0f}"
        table.add_row(row, *(form.format(varied[name][row]) for name in splits))
    out().print(table)
    out().print(_types(shares))


def _types(shares: Mapping[str, Mapping[str, float]]) -> Table:
    table = Table("type of question", *shares, "paper", show_edge=False)
    for name, paper in PAPER_TYPES.items():
        table.add_row(name, *(f"{split[name]:.0%}" for split in shares.values()), f"{paper:.0%}")
    return table


def _tell(template: str, persona: str, text: str) -> None:
    err().print(f"[bold]{printable(template)}[/bold] ({persona})", highlight=False)
    for line in text.split("\n"):
        err().print(f"  {printable(line)}", soft_wrap=True)


def _given(files: tuple[Path, ...]) -> list[Template]:
    found: list[Template] = []
    for file in files:
        try:
            found.extend(map(read_template, json.loads(file.read_text(encoding="utf-8"))))
        except (json.JSONDecodeError, KeyError, AssertionError, TypeError) as error:
            raise ReqapError(f"{file}: {type(error).__name__}: {error}") from None
    return found
