"""`reqap retrieve`, and the search that asking rests on: its index is brought up to date first."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import click
import pyarrow as pa
from rich.table import Table

from reqap.cli.console import (
    MOMENT,
    counted,
    db_option,
    err,
    json_option,
    moment,
    out,
    print_json,
    progress,
)
from reqap.cli.timeline import printable
from reqap.errors import StoreBusy, StoreProblem
from reqap.events import Event
from reqap.extract.kept import Readings, save_readings
from reqap.extract.preparing import read_ahead, unread
from reqap.life import Life, installed_models, installed_reader
from reqap.plan import Functions
from reqap.qud.decompose import Backend
from reqap.qud.decompose import Limits as Patience
from reqap.retrieve.index import update
from reqap.retrieve.networks import Networks
from reqap.store import Store
from reqap.verbalize import gist

_WRITING = "128MB"
_TRIES = 60  # a second apart


@contextmanager
def opened(
    db: Path,
    quiet: bool = False,
    backend: Callable[[], Backend] | None = None,
    patience: Patience | None = None,
    functions: Functions | None = None,
) -> Iterator[Life]:
    """A life, for reading; its index is up to date. What is read from texts is kept."""
    with progress(hidden=quiet) as bar:
        task = bar.add_task("Preparing the search", total=None, visible=False)

        def advance(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total, visible=True)

        life = Life.open(
            db, backend, patience=patience, functions=functions, tell=warn, advance=advance
        )
    with life:
        yield life


def prepare_later(db: Path) -> None:
    """Has what was asked for often read ahead by a process of its own."""
    # -P: nothing that lies in the current folder is run.
    command = [sys.executable, "-P", "-m", "reqap", "prepare", "--db", str(db.absolute())]
    with suppress(OSError):  # then it is read when it is asked for
        subprocess.Popen(  # noqa: S603 (this very program)
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip


@click.command(epilog="Example: reqap prepare --seconds 60")
@db_option
@click.option("--seconds", default=300.0, show_default=True, type=click.FloatRange(min=0),
              help="Stop after so many seconds.")  # fmt: skip
def prepare(db: Path, seconds: float) -> None:
    """Read ahead what you have asked for often.

    Done by itself, in the background, after an import; everything else can be
    done meanwhile.
    """
    news: dict[str, Readings] = {}
    with opened(db) as life:
        found = installed_reader(warn) if life.store.is_current else None

        def find(query: str) -> list[str]:
            ids: list[str] = life.retrieve(query, moment(None))["id"].to_pylist()
            return ids

        wanted = unread(life.store, found.version, find, seconds) if found else []
    if found and wanted:  # the store is free while this reads
        news = read_ahead(found, wanted, seconds)
        with _as_soon_as_free(db) as store:
            save_readings(store, news, found.version)
    out().print(f"{counted(sum(map(len, news.values())), 'value')} read ahead.")


def _as_soon_as_free(db: Path) -> Store:
    """The store, for writing; somebody may be asking just now, or may have removed it."""
    for _ in range(_TRIES):
        if not db.exists():
            break
        with suppress(StoreBusy):
            return Store.open(db, memory=_WRITING)
        time.sleep(1)
    raise StoreProblem(f"{db} cannot be written now; nothing was kept.")


def warn(text: str) -> None:
    err().print(f"[yellow]{printable(text)}[/yellow]", soft_wrap=True)


def index(store: Store, quiet: bool) -> None:
    """Brings the index of a store up to date, where the models are installed."""
    models = installed_models(warn)
    if models is None:
        return
    try:
        bring_up(store, models, quiet)
    except KeyboardInterrupt:  # what was imported is there, and so is what was done of this
        err().print("Stopped preparing the search: the first question goes on with it.")


def bring_up(store: Store, models: Networks, quiet: bool) -> None:
    """The index, brought up to date; if that is stopped, the next time goes on from there."""
    with progress(hidden=quiet) as bar:
        task = bar.add_task("Preparing the search", total=None)
        update(store, models, lambda done, total: bar.update(task, completed=done, total=total))


@click.command(epilog='Example: reqap retrieve "I met with my mum" --all')
@click.argument("query")
@db_option
@json_option
@click.option("--all", "with_misses", is_flag=True, help="Also show what was nearly taken.")
@click.option("--today", type=MOMENT, help="When it is asked (default: now).")
@click.option("--limit", default=50, show_default=True, type=click.IntRange(min=1),
              help="Show so many events; --json has all.")  # fmt: skip
def retrieve(
    query: str, db: Path, as_json: bool, with_misses: bool, today: datetime | None, limit: int
) -> None:
    """Show all events that match a QUERY, and why each of them does.

    Events that tell of the same happening share its number. What decided is
    named with how sure it was: a pattern that settled many at once, the
    likeness of query and event, or a close reading of the event.
    """
    at = moment(today)
    with opened(db, quiet=as_json) as life:
        found = life.retrieve(query, at)
        happenings = len(set(found["happening"].to_pylist()))
        rows = _rows(life.store, found if as_json else found.slice(0, limit))
        missed = life.near_misses(query, at) if with_misses else None
        misses = [] if missed is None else _rows(life.store, missed)
    if as_json:
        print_json({
            "query": query, "happenings": happenings, "events": [row.to_json() for row in rows],
            "near_misses": [row.to_json() for row in misses],
        })  # fmt: skip
        return
    console = out()
    told = f"{counted(happenings, 'happening')}, told by {counted(len(found), 'event')}"
    console.print(f"[bold]{told}[/bold]")
    if rows:
        console.print(_table(rows))
    if len(rows) < len(found):
        console.print(f"… {len(found) - len(rows):,} more; --limit or --json shows them")
    if misses:
        console.print("\n[bold]Nearly taken[/bold]")
        console.print(_table(misses))


class _Row(NamedTuple):
    """An event that was found, or nearly."""

    happening: int
    event: Event
    why: str

    def to_json(self) -> dict[str, object]:
        return {"happening": self.happening, "why": self.why, **self.event._asdict()}


def _rows(store: Store, found: pa.Table) -> list[_Row]:
    if not len(found):
        return []
    rows = found.to_pylist()
    events = {event.id: event for event in store.scan(ids=[row["id"] for row in rows])}
    return [_Row(row["happening"], events[row["id"]], row["why"]) for row in rows]


def _table(rows: list[_Row]) -> Table:
    table = Table(show_edge=False)
    for name in ("", "id", "start"):  # `reqap show` wants the whole id
        table.add_column(name, no_wrap=True)
    table.add_column("kind")
    table.add_column("what", max_width=48)
    table.add_column("why", min_width=8)
    for row in rows:
        event = row.event
        table.add_row(
            str(row.happening + 1), printable(event.id), f"{event.start:%a %Y-%m-%d %H:%M}",
            printable(event.kind), printable(gist(event.data)), printable(row.why),
        )  # fmt: skip
    return table
