"""The one way in: from paths to a report, with everything that can go wrong on the way."""

import gzip
import json
import os
import signal
import subprocess
import sys
import tarfile
import time
import zipfile
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from reqap import reading
from reqap.errors import ExportProblem, NotFound
from reqap.events import Clock, Event, Origin, event_id
from reqap.importing import ImportReport, Progress, import_paths
from reqap.raw import raw_record
from reqap.reading import BROKEN, CUT_SHORT, OK, Bytes, End, Job, Readers, Rows, read_here
from reqap.sources.base import Context, ExportFile, Items, Sample, Source
from reqap.sources.mapped import find_mappings
from reqap.sources.registry import all_sources, recognise
from reqap.sources.walk import find_files
from reqap.store import Store
from tests.sources.reading import DATA, context, write


def stream(minute: int, **changes: object) -> dict[str, object]:
    return {
        "ts": f"2024-05-{1 + minute // 1440:02}T{minute // 60 % 24:02}:{minute % 60:02}:00Z",
        "ms_played": 50_000,
        "master_metadata_track_name": f"Song {minute % 7}",
        "master_metadata_album_artist_name": "Band",
        "master_metadata_album_album_name": None,
        **changes,
    }


def export(path: Path, minutes: range) -> Path:
    return write(path, json.dumps([stream(minute) for minute in minutes]))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "db" / "life.duckdb") as opened:
        yield opened


def run(store: Store, *paths: Path, **options: bool) -> ImportReport:
    return import_paths(paths, store, context(), **options)  # type: ignore[arg-type]


def counts(report: ImportReport) -> dict[str, tuple[int, int, int]]:
    return {s.source: (s.new, s.updated, s.known) for s in report.sources}


def test_every_sample_is_imported_and_the_second_time_is_known(store: Store) -> None:
    report = run(store, DATA)
    names = {source.source for source in report.sources}
    assert names == {source.name for source in all_sources()}
    assert not [s.source for s in report.sources if not s.new]
    assert not [w for s in report.sources for w in s.warnings if "reader failed" in w]
    total = sum(s.new for s in report.sources)
    again = run(store, DATA)
    assert sum(s.new + s.updated for s in again.sources) == 0
    assert sum(s.unchanged_files for s in again.sources) == sum(s.files for s in again.sources)
    assert len(list(store.scan())) == total


def test_each_sample_is_claimed_by_one_source_only() -> None:
    for file in find_files(DATA):
        assert isinstance(file, ExportFile)
        with file.open() as opened:
            sample = Sample(file.name, file.size, opened.read(65536))
        claims = [s.name for s in all_sources() if not s.weak and s.sniff(sample)]
        assert len(claims) <= 1, (file.name, claims)


def test_raw_records_are_found_for_every_event(store: Store) -> None:
    run(store, DATA)
    seen: set[tuple[str, str]] = set()
    for event in store.scan():
        if (event.source, event.kind) not in seen:
            seen.add((event.source, event.kind))
            raw, note = raw_record(store, store.find(event.id))
            assert raw, event
            assert note == "", event
    assert len(seen) > 20


def test_a_newer_export_adds_only_what_is_new(store: Store, tmp_path: Path) -> None:
    assert counts(run(store, export(tmp_path / "a.json", range(10)))) == {"spotify": (10, 0, 0)}
    assert counts(run(store, export(tmp_path / "b.json", range(5, 20)))) == {"spotify": (10, 0, 5)}


def test_both_spotify_packages_count_once_in_any_order(tmp_path: Path) -> None:
    extended = DATA / "spotify" / "Spotify Extended Streaming History"
    account = DATA / "spotify" / "Spotify Account Data"
    results = []
    for order in ((extended, account), (account, extended)):
        with Store.open(None) as store:
            for path in order:
                run(store, path)
            results.append(sorted(event.id for event in store.scan()))
    assert results[0] == results[1]
    assert len(results[0]) == 9


def test_archives_folders_and_renamed_files(store: Store, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "my data", "w") as archive:
        archive.writestr("Kalender/x.txt", json.dumps([stream(minute) for minute in range(4)]))
        archive.writestr("photo.jpg", b"\xff\xd8\x00\x00")
    report = run(store, tmp_path / "my data")
    assert counts(report) == {"spotify": (4, 0, 0)}
    assert [name.rsplit("!")[-1] for name in report.unrecognised] == ["photo.jpg"]


def test_plain_text_beside_an_export_is_not_taken_for_a_note(store: Store, tmp_path: Path) -> None:
    export(tmp_path / "in" / "x" / "h.json", range(2))
    write(tmp_path / "in" / "x" / "README.txt", "About these files, 2024-01-01")
    write(tmp_path / "in" / "notes" / "2024-03-01 idea.md", "# Idea\nA thought")
    report = run(store, tmp_path / "in")
    assert counts(report) == {"spotify": (2, 0, 0), "notes": (1, 0, 0)}
    assert [Path(name).name for name in report.unrecognised] == ["README.txt"]


def test_a_dry_run_reports_and_changes_nothing(store: Store, tmp_path: Path) -> None:
    path = export(tmp_path / "a.json", range(3))
    assert counts(run(store, path, dry_run=True)) == {"spotify": (3, 0, 0)}
    assert (list(store.scan()), store.imports()) == ([], [])
    assert counts(run(store, path)) == {"spotify": (3, 0, 0)}


def test_a_missing_path_is_an_error_before_anything_happens(store: Store, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no file or folder"):
        run(store, export(tmp_path / "a.json", range(3)), tmp_path / "gone")
    assert store.imports() == []


def test_warnings_when_a_source_looks_wrong(store: Store, tmp_path: Path) -> None:
    empty = write(tmp_path / "1.json", json.dumps([stream(0, ms_played=0)]))
    assert run(store, empty).sources[0].warnings == ["no events at all were found"]
    ahead = write(tmp_path / "2.json", json.dumps([stream(0, ts="2031-01-01T00:00:00Z")]))
    assert "lies in the future: 2031-01-01" in run(store, ahead).sources[0].warnings[0]
    one_day = export(tmp_path / "3.json", range(200))
    assert "all 200 events lie on one day" in run(store, one_day).sources[0].warnings[0]


@pytest.mark.parametrize("year", [1601, 9999])
def test_impossible_years_are_issues(store: Store, tmp_path: Path, year: int) -> None:
    rows = [stream(0), stream(1, ts=f"{year}-06-01T00:00:00Z"), stream(2)]
    report = run(store, write(tmp_path / "a.json", json.dumps(rows))).sources[0]
    assert report.new == 2
    assert dict(report.skipped) == {"a date outside 1900–2100": 1}
    assert store.issues()[0].position == 1


def a_source(read: object, name: str = "spotify") -> Source:
    return Source(name, name, 1, lambda sample: True, read, lambda file, at: "")  # type: ignore[arg-type]


def an_event(number: int) -> Event:
    at = datetime(2024, 1, 1)
    return Event(event_id(number), "odd", "note", at, at, None, {"n": number}, Origin("f", number))


def test_a_reader_that_fails_costs_its_file_not_the_import(store: Store, tmp_path: Path) -> None:
    def read(file: ExportFile, _: Context) -> Items:
        yield an_event(1)
        if "bad" in file.name:
            raise IndexError("surprise")
        yield an_event(2)

    for name in ("bad", "good"):
        write(tmp_path / "x" / name, "text")
    report = import_paths([tmp_path / "x"], store, context(), sources=[a_source(read, "odd")])
    assert counts(report) == {"odd": (2, 0, 0)}
    assert report.sources[0].failed
    assert "IndexError: surprise" in report.sources[0].warnings[0]


def test_a_file_that_gives_out_keeps_what_came_and_is_read_again(
    store: Store, tmp_path: Path
) -> None:
    path = write(tmp_path / "x", "text")
    broken = True

    def read(file: ExportFile, _: Context) -> Items:
        yield an_event(1)
        if broken:
            raise EOFError("the archive ends here")
        yield an_event(2)

    source = a_source(read, "odd")
    report = import_paths([path], store, context(), sources=[source])
    assert (counts(report), report.sources[0].failed) == ({"odd": (1, 0, 0)}, True)
    broken = False
    again = import_paths([path], store, context(), sources=[source])
    assert counts(again) == {"odd": (1, 0, 1)}


def test_strict_imports_all_or_nothing(store: Store, tmp_path: Path) -> None:
    good = export(tmp_path / "a.json", range(3))
    with zipfile.ZipFile(tmp_path / "b.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("h.json", json.dumps([stream(minute) for minute in range(9000)]))
    raw = bytearray((tmp_path / "b.zip").read_bytes())
    raw[20_000:20_010] = b"\x00" * 10
    damaged = write(tmp_path / "b.zip", bytes(raw))
    with pytest.raises(ExportProblem, match=r"h\.json: (broken JSON|could not be read)"):
        run(store, good, damaged, strict=True)
    assert (list(store.scan()), store.imports()) == ([], [])
    report = run(store, good, damaged).sources[0]
    assert report.failed
    assert 3 <= report.new < 9000


def test_kept_copies_show_raw_records_when_the_export_is_gone(store: Store, tmp_path: Path) -> None:
    path = export(tmp_path / "a.json", range(3))
    run(store, path, keep_copies=True)
    stored = store.find(next(store.scan()).id)
    assert raw_record(store, stored)[1] == ""
    write(path, "[]")
    raw, note = raw_record(store, stored)
    assert '"Song 0"' in raw
    assert "kept copy" in note
    assert "has changed" in note
    path.unlink()
    assert "no longer at" in raw_record(store, stored)[1]


def test_without_a_copy_a_lost_export_is_said(store: Store, tmp_path: Path) -> None:
    path = export(tmp_path / "a.json", range(3))
    run(store, path)
    path.unlink()
    with pytest.raises(NotFound, match="--keep"):
        raw_record(store, store.find(next(store.scan()).id))


def test_progress_ends_where_it_should(store: Store, tmp_path: Path) -> None:
    export(tmp_path / "a.json", range(3000))
    export(tmp_path / "b.json", range(3000, 9000))
    steps: list[Progress] = []
    paths = [tmp_path / "a.json", tmp_path / "b.json"]
    import_paths(paths, store, context(), on_progress=steps.append)
    assert steps[-1].done_bytes == steps[-1].total_bytes
    assert [s.done_bytes for s in steps] == sorted(s.done_bytes for s in steps)


# -- child processes ------------------------------------------------------------------------------


@pytest.fixture
def children(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reqap.importing.worth_children", lambda jobs: 2)


@pytest.mark.usefixtures("children")
def test_children_give_the_same_as_reading_here(tmp_path: Path) -> None:
    results = []
    for number in range(2):
        with Store.open(tmp_path / f"{number}.duckdb") as store:
            if number:
                report = run(store, DATA)
            else:
                with pytest.MonkeyPatch.context() as patch:
                    patch.setattr("reqap.importing.worth_children", lambda jobs: 0)
                    report = run(store, DATA)
            issues = sorted(store.issues(limit=10_000))
            results.append((counts(report), sorted(map(str, store.scan())), issues))
    assert results[0] == results[1]


@pytest.mark.usefixtures("children")
def test_a_child_that_dies_costs_its_file_only(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good, bad = export(tmp_path / "a.json", range(5)), export(tmp_path / "b.json", range(5, 9))
    begin = reading._Child.begin

    def begin_and_kill(self: reading._Child, job: Job) -> None:
        if job.file.name == str(bad):
            self.kill()
        begin(self, job)

    monkeypatch.setattr(reading._Child, "begin", begin_and_kill)
    report = run(store, bad, good).sources[0]
    assert (report.new, report.failed) == (5, True)
    assert "its process ended with code -9" in report.warnings[0]


def test_readers_stop_their_children(tmp_path: Path) -> None:
    path = export(tmp_path / "a.json", range(50))
    [file] = [f for f in find_files(path) if isinstance(f, ExportFile)]
    source = recognise(file, all_sources())
    assert source is not None
    with Readers(context(), 2) as readers:
        messages = [m for _, m in readers.read_all(iter([Job(source, file)]))]
        processes = [c._process for c in readers._children if c is not None]
    assert [type(m) for m in messages if not isinstance(m, Bytes)] == [Rows, End]
    assert messages[-1] == End(OK)
    assert processes
    assert all(process.poll() is not None for process in processes)


@pytest.mark.usefixtures("children")
def test_a_child_that_dies_between_jobs_costs_nothing(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(6):
        export(tmp_path / "in" / f"{number}.json", range(10 * number, 10 * number + 10))
    begin, begun = reading._Child.begin, []

    def begin_after_a_death(self: reading._Child, job: Job) -> None:
        begun.append(job)
        if len(begun) == 4:  # all seats are known by now; this one has just finished a file
            self.kill()
            time.sleep(0.5)
        begin(self, job)

    monkeypatch.setattr(reading._Child, "begin", begin_after_a_death)
    report = run(store, tmp_path / "in").sources[0]
    assert report.new >= 50  # at most the file it was handed is lost, and that is said
    assert report.new == 60 or report.failed


@pytest.mark.usefixtures("children")
def test_children_do_not_import_what_lies_in_the_folder(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    export(tmp_path / "in" / "h.json", range(5))
    write(tmp_path / "in" / "orjson.py", "raise SystemExit('code from an export ran')")
    monkeypatch.chdir(tmp_path / "in")
    assert run(store, Path()).sources[0].new == 5


def test_progress_is_heard_before_anything_is_yielded(tmp_path: Path) -> None:
    heard: list[int] = []

    def read(file: ExportFile, _: Context) -> Items:
        with file.open() as opened:
            while opened.read(1 << 16):
                pass
        assert sum(heard) > 900_000
        yield an_event(1)

    path = write(tmp_path / "x", b"x" * 1_000_000)
    [file] = [f for f in find_files(path) if isinstance(f, ExportFile)]
    messages = list(read_here(Job(a_source(read), file), context(), heard.append))
    assert messages[-1] == End(OK)


def test_how_reading_can_end() -> None:
    def failing(error: Exception) -> End:
        def read(file: ExportFile, _: Context) -> Items:
            yield an_event(1)
            raise error

        file = ExportFile("f", 1, lambda: open(os.devnull, "rb"), lambda: "")  # noqa: SIM115
        *before, end = read_here(Job(a_source(read), file), context())
        assert isinstance(end, End)
        assert [type(message) for message in before] == ([] if end.how == BROKEN else [Rows])
        return end

    assert failing(ExportProblem("bad")).how == CUT_SHORT
    assert failing(zipfile.BadZipFile("bad")).how == CUT_SHORT
    assert failing(KeyError("bad")).how == BROKEN


def test_an_interrupt_leaves_the_store_as_it_was(tmp_path: Path) -> None:
    """Ctrl-C while child processes read: exit code 130, nothing changed, no child left behind."""
    db = tmp_path / "life.duckdb"
    with Store.open(db) as store:
        run(store, export(tmp_path / "first.json", range(5)))
    big = [stream(minute, padding="x" * 400) for minute in range(40_000)]
    for number in range(3):
        write(tmp_path / "big" / f"{number}.json", json.dumps(big))
    process = subprocess.Popen(
        [sys.executable, "-m", "reqap", "import", str(tmp_path / "big"), "--db", str(db)],
        stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    for _ in range(200):
        time.sleep(0.1)
        if children.read_text().strip():
            break
    time.sleep(0.3)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130, errors
    assert b"Nothing was changed" in errors
    with Store.open(db) as store:
        assert len(list(store.scan())) == 5


def test_the_clock_of_the_context_places_events(store: Store, tmp_path: Path) -> None:
    path = export(tmp_path / "a.json", range(1))
    tokyo = Context(Clock(ZoneInfo("Asia/Tokyo"), datetime(2026, 1, 1)))
    import_paths([path], store, tokyo)
    assert next(store.scan()).end == datetime(2024, 5, 1, 9, 0)
    assert store.zone() == "Asia/Tokyo"


# -- odd names, packed files, mapped records -------------------------------------------------------


@pytest.mark.usefixtures("children")
def test_children_read_packed_files_and_odd_names(store: Store, tmp_path: Path) -> None:
    data = tmp_path / "in" / "Wow! mine"
    export(data / "a!.json", range(3))
    write(data / "b.json.gz", gzip.compress(json.dumps([stream(n) for n in range(3, 5)]).encode()))
    with tarfile.open(data / "c.tgz", "w:gz") as archive:
        archive.add(export(tmp_path / "c.json", range(5, 9)), "c!.json")
    with open(os.fsencode(data) + b"/caf\xe9.json", "wb") as target:
        target.write(b"[]")
    report = run(store, tmp_path / "in")
    assert counts(report) == {"spotify": (9, 0, 0)}
    assert [issue.reason for issue in report.problems] == ["a name that is not UTF-8; rename it"]
    for event in store.scan():
        raw, note = raw_record(store, store.find(event.id))
        assert f"T{event.end - timedelta(hours=2):%H:%M}:00Z" in raw
        assert note == ""


def test_raw_records_of_mapped_files_under_a_key(store: Store, tmp_path: Path) -> None:
    text = 'source = "runs"\nkind = "run"\nfiles = "*.json"\nrecords = "rows"\nstart = "at"\n'
    mapping = write(tmp_path / "in" / "m.reqap.toml", text)
    rows = [{"at": f"2024-03-0{day}", "km": day} for day in (1, 2, 3)]
    data = write(tmp_path / "in" / "x.json", json.dumps({"rows": rows}))
    import_paths([data], store, context(), sources=find_mappings([data]))
    by_day = {event.start.day: store.find(event.id) for event in store.scan()}
    for day in (1, 2, 3):
        raw, note = raw_record(store, by_day[day])
        assert (json.loads(raw), note) == (rows[day - 1], "")
    mapping.unlink()
    with pytest.raises(NotFound, match="mapping of runs no longer lies beside the data"):
        raw_record(store, by_day[3])
    assert "may be another record" in raw_record(store, by_day[2])[1]
