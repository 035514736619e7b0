"""`reqap chat`: one question after the other, where the later ones may be short."""

import sys
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path

import click

from reqap.cli import asking
from reqap.cli.console import MOMENT, db_option, err, moment, out, somebody_there
from reqap.cli.running import print_found, trace_tree
from reqap.cli.searching import opened
from reqap.cli.timeline import printable
from reqap.followup import HANGS, follow_up, hangs_on_answer
from reqap.life import Life
from reqap.profile import Profile

_ENDS = ("quit", "exit", "bye")


@click.command(epilog='Example: reqap chat "How often did I go running in 2023?"')
@click.argument("question", required=False)
@db_option
@click.option("--today", type=MOMENT, help="When the questions are asked (default: now).")
@click.option("--trace", is_flag=True, help="Show the tree of every answer.")
@click.option("--seconds", default=30.0, show_default=True, type=click.FloatRange(min=0.1),
              help="Give up on a search after so many seconds.")  # fmt: skip
@asking.llm_options
def chat(
    question: str | None,
    db: Path,
    today: datetime | None,
    trace: bool,
    seconds: float,
    llm: str | None,
    model: str | None,
) -> None:
    """Ask one question after the other.

    Later ones may be short ("and in 2022?", "only with Laura", "what about
    swimming?"): the full question that is meant is shown before it is
    answered. An empty line changes nothing; quit, or the end of the input, ends.
    """
    patience = asking.patience_with(llm)
    with opened(db, False, asking.backend(llm, model), patience) as life:
        profile = Profile.saved(life.store.load_profile())
        last: str | None = None
        for line in _lines(question):
            meant = follow_up(line, last, lambda name: bool(profile.people_named(name)))
            if meant is None and last is not None and hangs_on_answer(line):
                out().print(f"[bold]{HANGS}[/bold]\n", soft_wrap=True)
                continue
            if meant is not None:
                out().print(f"[dim]→[/dim] {printable(meant)}", soft_wrap=True)
            full = meant or line
            # What was not understood is nothing to follow up on.
            if _answered(life, full, moment(today), seconds, trace):
                last = full


def _lines(first: str | None) -> Iterator[str]:
    """What is asked: the first from the command line, then typed or piped."""
    if first is not None:
        yield first
    if somebody_there():
        with suppress(ImportError):
            import readline  # noqa: F401 (lines can then be edited and called back)

        err().print("[dim]Ask; later questions may be short. quit ends.[/dim]")
    while True:
        try:
            line = input("? ") if somebody_there() else next(sys.stdin)
        except (EOFError, StopIteration):
            return
        if line.strip().lower() in _ENDS:
            return
        if line.strip():
            yield line.strip()


def _answered(life: Life, question: str, today: datetime, seconds: float, trace: bool) -> bool:
    """Answers one question; whether it was understood."""
    with asking.Growing() as growing:
        found = life.ask(question, today, hearing=growing.hearing, seconds=seconds).asked
    if found.answer is None:
        out().print(f"[bold]{printable(found.text)}[/bold]\n", soft_wrap=True)
        return False
    print_found(found.answer, life.store, False, False, False)
    if trace:
        out().print(trace_tree(found.answer.trace))
    out().print()
    return True
