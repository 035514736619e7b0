"""`reqap import`: exports in, a table of what came of them out."""

import math
import time
from datetime import datetime
from pathlib import Path
from types import TracebackType

import click
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)
from rich.table import Table

from reqap.cli.console import (
    PROBLEMS,
    counted,
    db_option,
    err,
    json_option,
    out,
    print_json,
    somebody_there,
)
from reqap.cli.searching import index, prepare_later
from reqap.cli.timeline import printable
from reqap.events import Clock
from reqap.extract.preparing import asked_often
from reqap.importing import ImportReport, SourceReport, import_paths, user_zone
from reqap.importing import Progress as Step
from reqap.profile import Profile
from reqap.sources.base import UNCLEAR_ORDER, Context
from reqap.sources.mapped import find_mappings
from reqap.sources.registry import all_sources
from reqap.store import Store
from reqap.values import DateOrder


@click.command("import", epilog="Example: reqap import ~/Downloads/my_spotify_data.zip ~/takeout")
@click.argument("paths", nargs=-1, type=click.Path(exists=True, path_type=Path), required=True)
@db_option
@json_option
@click.option("--dry-run", is_flag=True, help="Only say what would be imported.")
@click.option("--profile", "profile_file", type=click.Path(exists=True, path_type=Path),
              help="Load this profile (JSON) on the way.")  # fmt: skip
@click.option("--mapping", "mappings", multiple=True, type=click.Path(exists=True, path_type=Path),
              help="A mapping file (TOML) for your own CSV or JSON files.")  # fmt: skip
@click.option("--keep", is_flag=True, help="Keep a packed copy of the files in the store.")
@click.option("--strict", is_flag=True, help="Import nothing if any file is damaged.")
@click.option("--who", multiple=True, help="A name you go by, where files are shared by several.")
@click.option("--date-order", type=click.Choice(["dmy", "mdy", "ymd"]),
              help="Day and month, where a file leaves it open.")  # fmt: skip
@click.option("--no-index", is_flag=True,
              help="Leave preparing the search to the first question.")  # fmt: skip
def import_(
    paths: tuple[Path, ...],
    db: Path,
    as_json: bool,
    dry_run: bool,
    profile_file: Path | None,
    mappings: tuple[Path, ...],
    keep: bool,
    strict: bool,
    who: tuple[str, ...],
    date_order: str | None,
    no_index: bool,
) -> int:
    """Import data exports: files, folders, zips, whole Takeout archives.

    What a file is, is found by its content. Importing again adds only what is
    new. The import is one transaction: if it fails or is stopped, nothing has
    changed. Exit code 3: done, but something could not be read.
    """
    mapped = find_mappings([*paths, *mappings])
    order = DateOrder(date_order.upper()) if date_order else None
    # A dry run must not leave a store behind where there was none.
    path = None if dry_run and not db.exists() else db
    often = False
    with Store.open(path, memory="128MB") as store:
        profile = _profile(store, profile_file, dry_run)
        clock = Clock(user_zone(store, profile.time_zone))

        def run(order: DateOrder | None) -> ImportReport:
            with _Bar(quiet=as_json) as bar:
                return import_paths(
                    paths,
                    store,
                    Context(clock, (*who, *profile.who), order),
                    sources=(*mapped, *all_sources()),
                    keep_copies=keep,
                    strict=strict,
                    dry_run=dry_run,
                    on_progress=bar.update,
                )

        report = run(order)
        if order is None and not as_json and somebody_there() and _asks_for_order(report):
            print_report(report)
            report = run(_ask_for_order())
        if not dry_run and not no_index:
            index(store, quiet=as_json)
            often = bool(asked_often(store))
    print_json(report) if as_json else print_report(report)
    if not as_json and report.sources and not profile.time_zone:
        out().print(
            f"[dim]Times are those of {clock.zone.key}. If that is not your time zone:"
            " reqap profile set time_zone …[/dim]",
            soft_wrap=True,
        )
    if often:
        prepare_later(db)
    return PROBLEMS if report.problems or any(s.failed for s in report.sources) else 0


def _asks_for_order(report: ImportReport) -> bool:
    return any(UNCLEAR_ORDER in source.skipped for source in report.sources)


def _ask_for_order() -> DateOrder:
    """Asks what no file told. What was imported already comes out as known."""
    click.echo("Some dates can be read two ways: 4/5/2024 may be the 4th of May or April 5th.")
    choice = click.prompt("Which comes first, day or month?", type=click.Choice(["day", "month"]))
    return DateOrder.DMY if choice == "day" else DateOrder.MDY


def _profile(store: Store, file: Path | None, dry_run: bool) -> Profile:
    saved = store.load_profile()
    if file is None and saved is None:
        return Profile()
    profile = Profile.from_json(file.read_text(encoding="utf-8-sig") if file else str(saved))
    if not dry_run:
        # Also where nothing changed: facts that still last are told up to today.
        zone = user_zone(store, profile.time_zone)
        store.save_profile(profile.to_json(), profile.facts(datetime.now(zone).date()), zone.key)
    return profile


_LINE_SECONDS = 5


class _Bar:
    """Progress with rate and time left: a bar on a terminal, else a line now and then."""

    def __init__(self, quiet: bool) -> None:
        show = not quiet and err().is_terminal
        self._spoken = math.inf if quiet or show else time.monotonic()
        self._progress = (
            Progress(
                TextColumn("{task.fields[file]}"),
                BarColumn(),
                DownloadColumn(),
                TransferSpeedColumn(),
                TextColumn("{task.fields[events]} events"),
                TimeRemainingColumn(),
                console=err(),
                transient=True,
            )
            if show
            else None
        )
        self._task = (
            self._progress.add_task("", file="looking…", events=0) if self._progress else None
        )

    def __enter__(self) -> "_Bar":
        if self._progress:
            self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._progress:
            self._progress.stop()

    def update(self, step: Step) -> None:
        if time.monotonic() - self._spoken > _LINE_SECONDS:
            self._spoken = time.monotonic()
            share = step.done_bytes / max(step.total_bytes, 1)
            err().print(f"{share:.0%} read, {counted(step.events, 'event')}")
        if self._progress and self._task is not None:
            self._progress.update(
                self._task,
                completed=step.done_bytes,
                total=step.total_bytes,
                file=printable(step.file.rsplit("/", 1)[-1])[-40:],
                events=step.events,
            )


def print_report(report: ImportReport) -> None:
    """The table a person reads after an import, and what they should know besides."""
    console = out()
    if report.sources:
        console.print(_table(report))
    for source in report.sources:
        _print_details(source)
    for issue in report.problems[:20]:
        what = printable(f"{issue.origin.file}: {issue.reason} {issue.detail}")
        console.print(f"[yellow]![/yellow] {what}", soft_wrap=True)
    if report.unrecognised:
        count = counted(len(report.unrecognised), "file")
        shown = ", ".join(printable(name.rsplit("/", 1)[-1]) for name in report.unrecognised[:8])
        more = ", …" if len(report.unrecognised) > 8 else ""
        console.print(f"[dim]Not recognised: {count}: {shown}{more}[/dim]", soft_wrap=True)
    if not report.sources:
        console.print(
            "There is nothing to import here. What can be: reqap sources --formats."
            " For your own CSV and JSON files, write a mapping: docs/mapping.md."
        )
        return
    done = "Would import" if report.dry_run else "Imported"
    new = counted(sum(source.new for source in report.sources), "new event")
    console.print(f"{done} {new} in {report.seconds:.1f} s.")


def _table(report: ImportReport) -> Table:
    title = "Dry run" if report.dry_run else f"Import {report.import_id}"
    table = Table(title=title, box=None, padding=(0, 1, 0, 0), header_style="bold")
    for name in ("source", "files", "new", "updated", "known", "skipped", "from", "to"):
        side = "left" if name in ("source", "from", "to") else "right"
        table.add_column(name, justify=side, no_wrap=True)  # type: ignore[arg-type]
    for s in report.sources:
        table.add_row(
            s.title, str(s.files), f"{s.new:,}", f"{s.updated:,}", f"{s.known:,}",
            f"{s.skipped.total():,}",
            f"{s.first:%Y-%m-%d}" if s.first else "", f"{s.last:%Y-%m-%d}" if s.last else "",
        )  # fmt: skip
    return table


def _print_details(source: SourceReport) -> None:
    console = out()
    for counter, word in ((source.skipped, "skipped"), (source.notes, "noted")):
        for reason, count in counter.most_common():
            example = next(i for i in source.examples if i.reason == reason)
            where = f"{example.origin.file.rsplit('/', 1)[-1]}, position {example.origin.position}"
            detail = f" {example.detail}" if example.detail else ""
            console.print(
                f"  [dim]{source.title}: {count:,} {word}: {printable(reason)}"
                f" (first: {printable(where)}{printable(detail)[:120]})[/dim]",
                soft_wrap=True,
            )
    for warning in source.warnings:
        console.print(f"[yellow]![/yellow] {source.title}: {printable(warning)}", soft_wrap=True)
