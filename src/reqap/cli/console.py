"""What all commands share: where the data is, how results and errors are shown."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from datetime import date, datetime, time
from pathlib import Path
from typing import Any, TypeVar

import click
import orjson
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from reqap.store import default_db

Command = TypeVar("Command", bound=Callable[..., Any])

# Exit codes: 0 all went well, 1 failed, 2 wrong usage (click), 3 done, but with problems.
FAILED, PROBLEMS, INTERRUPTED = 1, 3, 130


MOMENT = click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M"])


def moment(today: datetime | None) -> datetime:
    """When a question is asked; a day alone is meant to its end."""
    if today is None:
        return datetime.now()
    midnight = today.time() == time(0)
    return datetime.combine(today, time(23, 59, 59)) if midnight else today


def out() -> Console:
    """Results go to standard output. Made per call, so that tests and pipes see their own."""
    return Console(file=sys.stdout, highlight=False)


def err() -> Console:
    """Progress, warnings and errors go to standard error."""
    return Console(file=sys.stderr, highlight=False)


@contextmanager
def progress_bar(what: str, total: int) -> Iterator[Callable[[], None]]:
    """Shows how far something is; the block calls what it is given after each step."""
    with progress() as bar:
        task = bar.add_task(what, total=total)
        yield lambda: bar.advance(task)


def progress(hidden: bool = False) -> Progress:
    """Bars on standard error, if somebody sees them."""
    return Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(),
        console=err(), transient=True, disable=hidden or not err().is_terminal,
    )  # fmt: skip


def _resolve_db(_context: click.Context, _parameter: click.Parameter, value: Path | None) -> Path:
    return (value or default_db()).expanduser()


def db_option(command: Command) -> Command:
    """`--db`, else $REQAP_DB, else the platform's data folder; the command gets `db: Path`."""
    return click.option(
        "--db",
        type=click.Path(dir_okay=False, path_type=Path),
        callback=_resolve_db,
        help="The data file (default: $REQAP_DB, else one in your data folder).",
    )(command)


def json_option(command: Command) -> Command:
    """`--json`; the command gets `as_json: bool`."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")(command)


def _plain(value: object) -> object:
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return value._asdict()
    if isinstance(value, Path):
        return str(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")


def counted(number: int, what: str) -> str:
    """ "1 event", "2,000 events"."""
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def print_json(value: object) -> None:
    """One JSON document on standard output."""
    option = orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS | orjson.OPT_PASSTHROUGH_DATACLASS
    click.echo(orjson.dumps(value, default=_plain, option=option))


def somebody_there() -> bool:
    """Whether a question would be read and could be answered."""
    return sys.stdin.isatty()
