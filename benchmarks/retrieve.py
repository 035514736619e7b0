"""RETRIEVE on lives of 40,000 and of a million events: times, memory, bytes.

    python benchmarks/retrieve.py --build perqa-lives

Every line is measured in a process of its own, warm: models loaded, one query asked before. The
million is the same lives told again and again, with other dates and other words in every text.
"""

import argparse
import json
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

from reqap.columns import to_arrow
from reqap.evaluate.finding import Searched, personas
from reqap.evaluate.report import put_section
from reqap.events import Event, Origin
from reqap.retrieve import LearnedRetriever
from reqap.retrieve.index import update
from reqap.retrieve.shipped import networks
from reqap.store import Store
from reqap.verbalize import TELLINGS

_MORE = 1_000
_PORTION = 20_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--build", type=Path, help="what `reqap perqa build` wrote")
    parser.add_argument("--million", action="store_true", help="also a million events")
    parser.add_argument("--write", type=Path, help="the page whose section is written anew")
    parser.add_argument("--child", nargs=3, metavar=("WHAT", "STORE", "QUERIES"))
    given = parser.parse_args()
    if given.child:
        print(json.dumps(_child(*given.child)))
        return
    lives = list(personas(given.build, "dev"))
    with tempfile.TemporaryDirectory() as folder:
        lines = list(_measured("A life", lives, Path(folder) / "life.duckdb", 1))
        if given.million:
            times = 1_000_000 // _count(lives[0].store) + 1
            lines += _measured("A million", lives, Path(folder) / "million.duckdb", times)
    if given.write:
        put_section(given.write, "retrieve-speed", "\n".join(lines))


def _measured(name: str, lives: list[Searched], path: Path, times: int) -> Iterator[str]:
    """What is measured, line by line."""
    for line in _lines(name, lives, path, times):
        print(line, flush=True)
        yield line


def _lines(name: str, lives: list[Searched], path: Path, times: int) -> Iterator[str]:
    life, other = lives
    queries = path.with_suffix(".json")
    asked = {"queries": [one.query for one in life.queries], "today": str(life.today)}
    queries.write_text(json.dumps(asked), encoding="utf-8")
    with Store.open(path) as store:
        saved = life.store.load_profile()
        assert saved is not None
        store.save_profile(saved, (), "UTC")
        _put(store, _repeated(list(life.store.scan()), times), "life")
        events, before = _count(store), _bytes(store)
    yield f"{name}: {events:,} events"
    yield ""
    told = _call("index", path, queries)
    with Store.open(path) as store:
        more = (_bytes(store) - before) / events
    yield (f"- index: {told['seconds']:.1f} s, {told['texts']:,} texts, {more:.0f} bytes per event,"
           f" peak memory {told['memory']} MB")  # fmt: skip
    with Store.open(path) as store:
        _put(store, iter(list(other.store.scan())[:_MORE]), "more")
    told = _call("index", path, queries)
    yield f"- {_MORE:,} more events: {told['seconds']:.1f} s, {told['texts']:,} texts"
    told = _call("ask", path, queries)
    yield (f"- {told['queries']} queries: median {told['median']:.0f} ms, 95th percentile"
           f" {told['p95']:.0f} ms, peak memory {told['memory']} MB, ready in"
           f" {told['ready']:.1f} s; reads {told['reads']} of {told['candidates']} candidates (1 to"
           f" {told['candidates'] / max(1, told['reads']):.1f})")  # fmt: skip
    yield ""


def _put(store: Store, events: Iterator[Event], name: str) -> None:
    with store.importing([name]) as ingest:
        file = ingest.add_file("bench", name, 1, "", name)
        portion: list[Event] = []
        for event in events:
            portion.append(event)
            if len(portion) == _PORTION:
                ingest.add(file, to_arrow(portion))
                portion = []
        if portion:
            ingest.add(file, to_arrow(portion))
        ingest.merge()


def _repeated(events: list[Event], times: int) -> Iterator[Event]:
    for n in range(times):
        for event in events:
            later = timedelta(days=7 * n)
            data = dict(event.data)
            if n and event.kind in TELLINGS:
                first = next(iter(data))
                data[first] = f"{data[first]} ({n})"
            yield Event(f"{n}-{event.id}", event.source, event.kind, event.start - later,
                        event.end - later, None, data, Origin("bench", 0))  # fmt: skip


def _count(store: Store) -> int:
    return sum(row.events for row in store.summary())


def _bytes(store: Store) -> int:
    store.connection.execute("CHECKPOINT")
    row = store.connection.execute(
        "SELECT used_blocks * block_size FROM pragma_database_size()"
    ).fetchone()
    return int(row[0]) if row else 0


def _call(what: str, path: Path, queries: Path) -> dict[str, float]:
    command = [sys.executable, __file__, "--child", what, str(path), str(queries)]
    found = subprocess.run(command, check=True, capture_output=True, text=True)
    told: dict[str, float] = json.loads(found.stdout)
    return told


def _child(what: str, path: str, queries: str) -> dict[str, float]:
    models = networks()
    began = time.perf_counter()
    if what == "index":
        with Store.open(Path(path), memory="128MB") as store:
            texts = update(store, models)
        told = {"seconds": time.perf_counter() - began, "texts": texts}
    else:
        told = _asked(Path(path), json.loads(Path(queries).read_text(encoding="utf-8")), began)
    return {**told, "memory": _peak()}


def _peak() -> int:
    """Megabytes; `getrusage` would count what the parent had when it started this process."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(re.findall(r"VmHWM:\s+(\d+) kB", status)[0]) // 1024


def _asked(path: Path, given: dict[str, object], began: float) -> dict[str, float]:
    queries, today = given["queries"], datetime.fromisoformat(str(given["today"]))
    assert isinstance(queries, list)
    seconds, reads, candidates = [], 0, 0
    with Store.open(path, read_only=True, memory="2GB") as store:
        retriever = LearnedRetriever(store, networks())
        retriever.retrieve("something else", today)
        ready = time.perf_counter() - began
        for query in queries:
            began = time.perf_counter()
            retriever.retrieve(query, today)
            seconds.append(1000 * (time.perf_counter() - began))
            decided = retriever.decide(query).values()
            reads += sum(one.why == "read" for one in decided)
            candidates += len(decided)
    seconds.sort()
    return {
        "queries": len(seconds), "median": statistics.median(seconds), "ready": ready,
        "p95": seconds[int(0.95 * len(seconds))], "reads": reads, "candidates": candidates,
    }  # fmt: skip


if __name__ == "__main__":
    main()
