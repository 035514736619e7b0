"""An import from the paths a person names to the report they read: the one way in.

    paths ─► files ─► recognised by content ─► read ─► staged ─► merged, all in one transaction

Not the job of this module: knowing any format (`sources`), keeping events (`store`), printing.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import NoReturn
from zoneinfo import ZoneInfo

from tzlocal import get_localzone_name

from reqap.errors import ExportProblem
from reqap.events import ImportIssue, Retraction
from reqap.reading import (
    BROKEN,
    CUT_SHORT,
    Bytes,
    End,
    Issue,
    Job,
    Message,
    Readers,
    Rows,
    known_to_children,
    read_here,
    worth_children,
)
from reqap.sources import mapped
from reqap.sources.base import Context, ExportFile, Source
from reqap.sources.registry import all_sources, recognise
from reqap.sources.walk import READ_ERRORS, find_files, path_on_disk
from reqap.store import Ingest, Outcome, Store

_ISSUES_KEPT = 1000


@dataclass
class SourceReport:
    """What an import did with the files of one source."""

    source: str
    title: str
    files: int = 0
    unchanged_files: int = 0
    new: int = 0
    updated: int = 0
    known: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    notes: Counter[str] = field(default_factory=Counter)  # kept, but worth telling
    first: datetime | None = None
    last: datetime | None = None
    examples: list[ImportIssue] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    failed: bool = False  # a file could not be read to its end


@dataclass
class ImportReport:
    """What an import did, for people (the table) and for programs (`--json`)."""

    import_id: int | None
    dry_run: bool
    sources: list[SourceReport]
    unrecognised: list[str]
    problems: list[ImportIssue]  # files and archives that could not be read at all
    seconds: float = 0.0


@dataclass(frozen=True)
class Progress:
    """How far an import has come; bytes are those of the files as unpacked."""

    file: str
    done_bytes: int
    total_bytes: int
    events: int


def import_paths(
    paths: Sequence[Path],
    store: Store,
    context: Context,
    *,
    sources: Sequence[Source] = (),
    keep_copies: bool = False,
    strict: bool = False,
    dry_run: bool = False,
    on_progress: Callable[[Progress], None] = lambda _: None,
) -> ImportReport:
    """Imports everything under `paths` that one of `sources` (default: all) recognises.

    With `strict`, the first file that cannot be read to its end ends the import, and the store is
    left as it was; otherwise what can be read is imported and the rest reported.
    """
    began = datetime.now()
    report = ImportReport(None, dry_run, [], [], [])
    jobs = _plan(paths, sources or all_sources(), report, strict)
    reports = {job.source.name: SourceReport(job.source.name, job.source.title) for job in jobs}
    report.sources = list(reports.values())
    if jobs:
        names = [printable_path(path) for path in paths]
        with store.importing(names, dry_run=dry_run) as ingest:
            report.import_id = None if dry_run else ingest.import_id
            ingest.pin_zone(context.clock.zone.key)
            work = _Work(
                ingest, context, reports, on_progress, keep_copies=keep_copies, strict=strict
            )
            work.run(jobs)
            for outcome in ingest.merge():
                _take_outcome(reports[outcome.source], outcome)
    for source_report in report.sources:
        ahead = any(job.source.ahead for job in jobs if job.source.name == source_report.source)
        _warn(source_report, context.clock.today, ahead)
    report.seconds = (datetime.now() - began).total_seconds()
    return report


def _plan(
    paths: Sequence[Path], sources: Sequence[Source], report: ImportReport, strict: bool
) -> list[Job]:
    """Which source reads which file. Weak claims hold only where nobody else claims anything."""
    jobs: list[Job] = []
    taken: set[str] = set()
    for path in paths:
        for found in find_files(path.absolute()):
            if isinstance(found, ImportIssue):
                report.problems.append(found)
                if strict:
                    _refuse(found)
                continue
            if found.name in taken:
                continue
            taken.add(found.name)
            try:
                source = recognise(found, sources)
            except READ_ERRORS as error:
                report.problems.append(ImportIssue("cannot be read", found.origin(), str(error)))
                continue
            if source is None:
                if not found.name.endswith(mapped.SUFFIX):
                    report.unrecognised.append(found.name)
            else:
                jobs.append(Job(source, found))
    claimed = {_folder(job.file.name) for job in jobs if not job.source.weak}
    kept = []
    for job in jobs:
        if job.source.weak and _folder(job.file.name) in claimed:
            report.unrecognised.append(job.file.name)
        else:
            kept.append(job)
    return kept


def _refuse(issue: ImportIssue) -> NoReturn:
    """Ends a strict import."""
    raise ExportProblem(
        f"{issue.origin.file}: {issue.reason}. {issue.detail}".strip() + " Nothing was imported."
    )


def printable_path(path: Path) -> str:
    """The whole path, also where it is not UTF-8, which nothing here could keep."""
    return str(path.absolute()).encode("utf-8", "backslashreplace").decode()


def _folder(name: str) -> str:
    """What a file lies in: the whole archive, or the folder on disk."""
    path = path_on_disk(name)
    return path if path != name else os.path.dirname(path)


class _Work:
    """The reading of one file after the other, and the account of it."""

    def __init__(
        self,
        ingest: Ingest,
        context: Context,
        reports: dict[str, SourceReport],
        on_progress: Callable[[Progress], None],
        *,
        keep_copies: bool,
        strict: bool,
    ) -> None:
        self._ingest = ingest
        self._context = context
        self._reports = reports
        self._on_progress = on_progress
        self._keep_copies = keep_copies
        self._strict = strict
        self._total_bytes = 0
        self._done_bytes = 0
        self._events = 0
        self._open: dict[str, _OpenFile] = {}

    def run(self, jobs: Sequence[Job]) -> None:
        """Reads all files: in child processes where that pays, and here what children cannot."""
        self._total_bytes = sum(job.file.size for job in jobs)
        children = worth_children(jobs)
        apart = [job for job in jobs if children and known_to_children(job.source)]
        here = [job for job in jobs if not children or not known_to_children(job.source)]
        if apart:
            with Readers(self._context, children) as readers:
                for job, message in readers.read_all(self._begun(apart)):
                    self._take(job, message)
        for job in self._begun(here):
            on_bytes = partial(self._take_bytes, job)
            for message in read_here(job, self._context, on_bytes):
                self._take(job, message)

    def _begun(self, jobs: Sequence[Job]) -> Iterator[Job]:
        """The files that are not known yet, each entered in the store as its turn comes."""
        for job in jobs:
            report = self._reports[job.source.name]
            report.files += 1
            stamp = f"{job.source.version} {job.source.stamp(self._context)}"
            fingerprint = job.file.fingerprint()
            known = self._ingest.known_file(job.source.name, stamp, fingerprint, job.file.name)
            if known is not None:
                if self._keep_copies:
                    self._keep(known.id, job.file)
                report.unchanged_files += 1
                report.known += known.events
                _stretch(report, known.first, known.last)
                self._advance(job.file, job.file.size)
                continue
            file_id = self._ingest.add_file(
                job.source.name, job.file.name, job.file.size, stamp, fingerprint
            )
            self._open[job.file.name] = _OpenFile(file_id)
            yield job

    def _take(self, job: Job, message: Message) -> None:
        state = self._open[job.file.name]
        report = self._reports[job.source.name]
        if isinstance(message, Rows):
            self._ingest.add(state.id, message.table)
            state.events += message.table.num_rows
            self._events += message.table.num_rows
        elif isinstance(message, Issue):
            if message.issue.grave and self._strict:
                _refuse(message.issue)
            _note(message.issue, report, state.issues)
        elif isinstance(message, Retraction):
            self._ingest.retract(state.id, message.series, message.revision)
        elif isinstance(message, Bytes):
            self._take_bytes(job, message.size)
        else:
            self._end(job, message, state, report)

    def _take_bytes(self, job: Job, size: int) -> None:
        """Some sources read a file twice; the bar does not run ahead for that."""
        state = self._open[job.file.name]
        size = min(size, job.file.size - state.bytes)
        state.bytes += size
        self._advance(job.file, size)

    def _end(self, job: Job, end: End, state: "_OpenFile", report: SourceReport) -> None:
        file = job.file
        if end.how == CUT_SHORT:
            self._ingest.mark_cut_short(state.id)
            self._trouble("could not be read to its end", end, file, report, state)
        elif end.how == BROKEN:
            self._ingest.drop_file(state.id)
            self._trouble("could not be read: the reader failed", end, file, report, state)
        elif not state.events and not state.issues and file.size > 2:
            report.warnings.append(f"{file.name}: no events in a file of {file.size} bytes")
        if self._keep_copies and end.how != BROKEN:
            self._keep(state.id, file)
        self._ingest.add_issues(job.source.name, state.issues)
        self._advance(file, file.size - state.bytes)
        del self._open[file.name]

    def _keep(self, file_id: int, file: ExportFile) -> None:
        with file.open() as stream:
            self._ingest.keep_copy(file_id, stream)

    def _trouble(
        self, reason: str, end: End, file: ExportFile, report: SourceReport, state: "_OpenFile"
    ) -> None:
        issue = ImportIssue(reason, file.origin(), end.detail, grave=True)
        if self._strict:
            _refuse(issue)
        _note(issue, report, state.issues)

    def _advance(self, file: ExportFile, size: int) -> None:
        self._done_bytes += size
        self._on_progress(Progress(file.name, self._done_bytes, self._total_bytes, self._events))


@dataclass
class _OpenFile:
    """A file that is being read."""

    id: int
    events: int = 0
    bytes: int = 0
    issues: list[ImportIssue] = field(default_factory=list)


def _note(issue: ImportIssue, report: SourceReport, issues: list[ImportIssue]) -> None:
    counter = report.skipped if issue.skipped else report.notes
    counter[issue.reason] += 1
    if issue.grave:
        report.failed = True
        if counter[issue.reason] == 1:
            where = f"{issue.origin.file}, position {issue.origin.position}"
            report.warnings.append(f"{where}: {issue.reason}. {issue.detail}".strip())
    if counter[issue.reason] <= 3:
        report.examples.append(issue)
    if len(issues) < _ISSUES_KEPT:
        issues.append(issue)


def _take_outcome(report: SourceReport, outcome: Outcome) -> None:
    report.new += outcome.new
    report.updated += outcome.updated
    report.known += outcome.known
    _stretch(report, outcome.first, outcome.last)


def _stretch(report: SourceReport, first: datetime | None, last: datetime | None) -> None:
    report.first = min(filter(None, (report.first, first)), default=None)
    report.last = max(filter(None, (report.last, last)), default=None)


def _warn(report: SourceReport, today: datetime, ahead: bool) -> None:
    """Says when a source looks wrong."""
    found = report.new + report.updated + report.known
    if not found and not report.unchanged_files:
        report.warnings.append("no events at all were found")
    if report.first and report.last:
        if not ahead and report.last > today + timedelta(days=2):
            report.warnings.append(f"the last event lies in the future: {report.last:%Y-%m-%d}")
        if found > 50 and report.last - report.first < timedelta(days=1):
            report.warnings.append(f"all {found} events lie on one day, {report.first:%Y-%m-%d}")


def machine_zone() -> str:
    """The machine's time zone; UTC where it has none that is known by name."""
    try:
        name = get_localzone_name() or "UTC"
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return "UTC"
    return name


def user_zone(store: Store, profile_zone: str | None) -> ZoneInfo:
    """The profile's zone, else the one earlier imports were placed by, else the machine's."""
    return ZoneInfo(profile_zone or store.zone() or machine_zone())
