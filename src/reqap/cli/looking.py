"""`reqap sources`, `reqap events`, `reqap show`: looking at what was imported."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path

import click
from rich.table import Table

from reqap.cli.console import MOMENT, db_option, json_option, out, print_json
from reqap.cli.timeline import printable, timeline_table
from reqap.errors import NotFound
from reqap.events import Event
from reqap.raw import raw_record
from reqap.sources.describe import sources_page
from reqap.store import Store
from reqap.verbalize import gist


@click.command(epilog="Example: reqap sources --issues")
@db_option
@json_option
@click.option("--imports", "with_imports", is_flag=True, help="List the imports, for `forget`.")
@click.option("--issues", "with_issues", is_flag=True, help="List records that were skipped.")
@click.option("--formats", is_flag=True, help="List what can be imported, and how to get it.")
def sources(db: Path, as_json: bool, with_imports: bool, with_issues: bool, formats: bool) -> None:
    """Show what is imported, per source and month."""
    if formats:
        click.echo_via_pager(sources_page())
        return
    with Store.open(db, read_only=True) as store:
        summary = store.summary()
        imports = store.imports()
        issues = store.issues(limit=1000) if with_issues else []
    if as_json:
        found = {"sources": [row._asdict() for row in summary]}
        found["imports"] = [row._asdict() for row in imports]
        found["issues"] = [row._asdict() for row in issues]
        print_json(found)
        return
    console = out()
    console.print(timeline_table(summary, console.width))
    for past in imports if with_imports else ():
        paths = printable(", ".join(past.paths))
        names = ", ".join(past.sources)
        console.print(f"import {past.id} of {past.started:%Y-%m-%d %H:%M}: {names} from {paths}")
    for issue in issues:
        where = printable(f"{issue.file}, position {issue.position}")
        console.print(
            f"{issue.source}: {printable(issue.reason)}: {where} {printable(issue.detail)}"
        )


@click.command(epilog="Example: reqap events --kind workout --from 2024-06-01 --to 2024-07-01")
@db_option
@json_option
@click.option("--kind", "kinds", multiple=True, help="Only this kind; may be given several times.")
@click.option(
    "--source", "source_names", multiple=True, help="Only this source; may be given several times."
)
@click.option("--from", "start", type=MOMENT, help="Not over before this time.")
@click.option("--to", "end", type=MOMENT, help="Begun before this time.")
@click.option("--limit", default=20, show_default=True, type=click.IntRange(min=1),
              help="At most so many; the newest.")  # fmt: skip
@click.option("--future", is_flag=True, help="Also what lies in the future, such as birthdays.")
def events(
    db: Path,
    as_json: bool,
    kinds: tuple[str, ...],
    source_names: tuple[str, ...],
    start: datetime | None,
    end: datetime | None,
    limit: int,
    future: bool,
) -> None:
    """List events, the newest first; without --to or --future, up to now."""
    if start and end and start >= end:
        raise click.UsageError("--from must lie before --to")
    if end is None and not future:
        end = datetime.now()
    with Store.open(db, read_only=True) as store:
        _check_known(store, kinds, source_names)
        found = list(
            store.scan(
                kinds=kinds,
                sources=source_names,
                start=start,
                end=end,
                limit=limit,
                newest_first=True,
            )
        )
    if as_json:
        print_json([event._asdict() for event in found])
        return
    out().print(events_table(found))


def events_table(found: Iterable[Event]) -> Table:
    """Events, one a line."""
    table = Table("id", "start", "kind", "what", show_edge=False)
    for event in found:
        told = (event.id, f"{event.start:%a %Y-%m-%d %H:%M}", event.kind, gist(event.data))
        table.add_row(*map(printable, told))
    return table


def _check_known(store: Store, kinds: Sequence[str], source_names: Sequence[str]) -> None:
    """A kind or source that is not there is more likely a slip than a question."""
    summary = store.summary()
    for what, asked, known in (
        ("kind", kinds, {row.kind for row in summary}),
        ("source", source_names, {row.source for row in summary}),
    ):
        if wrong := set(asked) - known:
            there = ", ".join(sorted(known)) or "none yet"
            raise NotFound(
                f"There is no {what} {', '.join(sorted(wrong))} here. There are: {there}"
            )


@click.command(epilog="Example: reqap show 3kXq")
@click.argument("event_id")
@db_option
@json_option
def show(event_id: str, db: Path, as_json: bool) -> None:
    """Show one event: its key-values, and the raw record it was read from.

    EVENT_ID may be cut short as long as it is unique.
    """
    with Store.open(db, read_only=True) as store:
        stored = store.find(event_id)
        event = stored.event
        try:
            raw, note = raw_record(store, stored)
        except NotFound as error:
            raw, note = "", str(error)
    if as_json:
        print_json({**event._asdict(), "raw": raw, "raw_note": note})
        return
    console = out()
    kind, source = printable(event.kind), printable(event.source)
    console.print(f"[bold]{kind}[/bold] {printable(event.id)}  ({source})")
    console.print(f"{event.start:%A %Y-%m-%d %H:%M:%S} – {event.end:%Y-%m-%d %H:%M:%S} local time")
    for key, value in event.data.items():
        text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        shown = "\n    ".join(printable(line) for line in text.splitlines())
        console.print(f"  [cyan]{printable(key)}[/cyan]: {shown}", soft_wrap=True)
    console.print(f"[dim]{printable(event.origin.file)}, position {event.origin.position}[/dim]")
    if note:
        console.print(f"[yellow]{printable(note)}[/yellow]")
    for line in raw.splitlines():
        console.print(f"  │ {printable(line)}", soft_wrap=True)
