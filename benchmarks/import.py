"""How fast imports are, beside the naive way, in one run. Prints a table in Markdown.

    python benchmarks/import.py [--folder DIR] [--scale 1.0] [--only spotify,health,mail,growth]

Needs about 8 GB of disk at full scale. Every measurement is a process of its own; memory is the
largest sum over that process and its children (resident sets, sampled, Linux only; pages that
they share count several times, so the true number is lower).
"""

import argparse
import json
import mailbox
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree
from xml.parsers import expat

from make_health import make as make_health
from make_mbox import write_mbox
from make_spotify import make_spotify


class Measured(NamedTuple):
    seconds: float
    megabytes: float
    result: str


# -- the naive ways, and ours: each runs in a process of its own -----------------------------------


def count_json(folder: Path) -> int:
    total = 0
    for path in sorted(folder.glob("*.json")):
        with path.open(encoding="utf-8") as stream:
            total += len(json.load(stream))
    return total


def bare_expat(path: Path) -> int:
    parser = expat.ParserCreate()
    count = 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal count
        count += 1

    parser.StartElementHandler = start
    with path.open("rb") as stream:
        while piece := stream.read(1 << 20):
            parser.Parse(piece)
    return count


def iterparse(path: Path) -> int:
    count = 0
    root = None
    for event, element in ElementTree.iterparse(path, events=("start", "end")):
        if event == "start":
            root = element if root is None else root
            continue
        count += 1
        if element.tag in ("Record", "Workout", "ActivitySummary") and root is not None:
            element.clear()
            root.clear()
    return count


def mailbox_loop(path: Path) -> int:
    count = 0
    for message in mailbox.mbox(path, create=False):
        for part in message.walk():
            if part.get_content_maintype() != "text":
                continue
            body = part.get_payload(decode=True)
            try:
                str(body, part.get_content_charset("utf-8"), "replace")  # type: ignore[arg-type]
            except LookupError:
                str(body, "cp1252", "replace")  # type: ignore[arg-type]
        count += 1
    return count


def reqap_import(path: Path, db: Path) -> str:
    """The command a user runs."""
    command = [sys.executable, "-m", "reqap", "import", str(path), "--db", str(db), "--json"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    report = json.loads(done.stdout)
    new, known = (sum(source[k] for source in report["sources"]) for k in ("new", "known"))
    return f"{new:,} new, {known:,} known"


WAYS: dict[str, Callable[[Path], int]] = {
    "count_json": count_json,
    "bare_expat": bare_expat,
    "iterparse": iterparse,
    "mailbox_loop": mailbox_loop,
}


# -- measuring -------------------------------------------------------------------------------------


def measure(way: str, path: Path, db: Path | None = None) -> Measured:
    command = [sys.executable, __file__, "--one", way, str(path), *([str(db)] if db else [])]
    began = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        peak = 0.0
        while process.poll() is None:
            peak = max(peak, _tree_megabytes(process.pid))
            time.sleep(0.1)
        seconds = time.perf_counter() - began
        assert process.stdout is not None
        result = process.stdout.read().strip()
    if process.returncode:
        raise SystemExit(f"{way} failed on {path}")
    print(f"  {way}: {seconds:.1f} s, {peak:.0f} MB, {result}", file=sys.stderr, flush=True)
    return Measured(seconds, peak, result)


def _tree_megabytes(pid: int) -> float:
    """Resident memory of a process and its descendants; 0 where the system does not tell."""
    total = 0.0
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
        total = pages * os.sysconf("SC_PAGE_SIZE") / 1e6
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                total += _tree_megabytes(int(child))
    except (OSError, IndexError, ValueError):
        pass
    return total


def row(what: str, measured: Measured, base: Measured | None = None) -> None:
    ratio = f"{measured.seconds / base.seconds:.2f}×" if base else ""
    print(
        f"| {what} | {measured.seconds:.1f} s | {ratio} | {measured.megabytes:.0f} MB"
        f" | {measured.result} |",
        flush=True,
    )


def bench_spotify(folder: Path, scale: float) -> None:
    data = folder / "spotify"
    make_spotify(data, int(1_000_000 * scale))
    naive = measure("count_json", data)
    row("Spotify: `json.load` and count", naive)
    db = folder / "spotify.duckdb"
    first = measure("reqap", data, db)
    row("Spotify: reqap import", first, naive)
    row("Spotify: the same export again (to the first)", measure("reqap", data, db), first)
    for path in data.glob("*.json"):  # the same records in other bytes: a newer download
        path.write_bytes(path.read_bytes() + b"\n")
    row("Spotify: same records, other bytes (to the first)", measure("reqap", data, db), first)
    shutil.rmtree(data)


def bench_health(folder: Path, scale: float) -> None:
    path = folder / "export.xml"
    make_health(path, int(1000 * scale))
    bare = measure("bare_expat", path)
    row("Apple Health, 1 GB: bare expat", bare)
    row("Apple Health, 1 GB: ElementTree.iterparse", measure("iterparse", path), bare)
    db = folder / "health.duckdb"
    first = measure("reqap", path, db)
    row("Apple Health, 1 GB: reqap import", first, bare)
    row("Apple Health: the same again (to the first)", measure("reqap", path, db), first)
    path.unlink()


def bench_mail(folder: Path, scale: float) -> None:
    path = folder / "mail.mbox"
    with path.open("wb") as stream:
        write_mbox(stream, int(100_000 * scale))
    naive = measure("mailbox_loop", path)
    row("Mail, 100k: `mailbox` loop", naive)
    db = folder / "mail.duckdb"
    first = measure("reqap", path, db)
    row("Mail, 100k: reqap import", first, naive)
    row("Mail: the same again (to the first)", measure("reqap", path, db), first)
    path.unlink()


def bench_growth(folder: Path, scale: float) -> None:
    for streams in (100_000, 1_000_000, 5_000_000):
        data = folder / "growth"
        make_spotify(data, int(streams * scale))
        db = folder / "growth.duckdb"
        row(f"{streams:,} streams", measure("reqap", data, db))
        shutil.rmtree(data)
        db.unlink()


BENCHES = {
    "spotify": bench_spotify,
    "health": bench_health,
    "mail": bench_mail,
    "growth": bench_growth,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, help="where to put the data (default: temporary)")
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--only", default=",".join(BENCHES))
    parser.add_argument("--one", nargs="+", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        way, path, *db = arguments.one
        print(reqap_import(Path(path), Path(db[0])) if way == "reqap" else WAYS[way](Path(path)))
        return
    folder = Path(tempfile.mkdtemp(prefix="reqap-bench-", dir=arguments.folder))
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    print(f"{cores} cores, {platform.platform()}, Python {platform.python_version()}\n")
    print("| what | time | to the base | peak memory | result |\n|---|---|---|---|---|")
    try:
        for name in arguments.only.split(","):
            BENCHES[name](folder, arguments.scale)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
