"""What commands with many independent jobs share: `--jobs`, `--ray`, progress, Ctrl-C."""

from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import Any

import click

from reqap.cli.console import INTERRUPTED, err, progress_bar
from reqap.parallel import Job, Value, Where, cores, run_jobs

Command = Callable[..., None]


def scaled(default: int | None = None) -> Callable[[Command], Command]:
    """Adds the options that say where jobs run; the command gets a `where`."""
    told = "one per core" if default is None else str(default)

    def with_options(command: Command) -> Command:
        @click.option("--jobs", type=click.IntRange(min=1),
                      help=f"How many at a time on this machine (default: {told}).")  # fmt: skip
        @click.option("--ray", metavar="ADDRESS",
                      help="Run on the Ray cluster at this address (host:port, auto, …), or on one"
                      " that is started here: local.")  # fmt: skip
        @wraps(command)
        def with_where(*args: Any, jobs: int | None, ray: str | None, **options: Any) -> None:
            command(*args, where=Where(jobs or default or cores(), ray), **options)

        return with_where

    return with_options


def finish_all(what: str, jobs: Sequence[Job], notes: Path, where: Where) -> dict[str, Value]:
    """Runs all jobs, with progress; what they returned. Whatever is finished stays."""
    finished: list[str] = []
    with progress_bar(what, len(jobs)) as advance:

        def done(name: str) -> None:
            finished.append(name)
            advance()

        try:
            result = run_jobs(jobs, notes, where, done)
        except KeyboardInterrupt:
            err().print(f"Interrupted: {len(finished)} of {len(jobs)} are done and stay;"
                        " the same command goes on from there.")  # fmt: skip
            raise click.exceptions.Exit(INTERRUPTED) from None
    result.raise_failures()
    return result.values
