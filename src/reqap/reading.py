"""Reading files of an export, in this process or in several.

A file is read to a stream of messages: rows ready for the store, issues, progress, and how it
ended. Large imports are read by child processes, which use all cores and keep a parser that dies
from taking the import with it. Parent and child speak in frames of a small JSON head and Arrow
bytes over a pipe; nothing is pickled. Not the job of this module: what becomes of the rows.
"""

import gc
import os
import queue
import signal
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from typing import BinaryIO, NamedTuple
from zoneinfo import ZoneInfo

import orjson
import pyarrow as pa

from reqap.columns import to_arrow
from reqap.errors import ExportProblem, NotFound
from reqap.events import Clock, Event, ImportIssue, Origin, Retraction
from reqap.sources.base import Context, ExportFile, Source
from reqap.sources.registry import source_named
from reqap.sources.walk import READ_ERRORS, reopen
from reqap.values import DateOrder

_BATCH_EVENTS = 16_384
_BATCH_CHARS = 2 << 20
_FIRST, _LAST = datetime(1900, 1, 1), datetime(2100, 12, 31)

# How the reading of a file can end.
OK, CUT_SHORT, BROKEN = "ok", "cut short", "broken"


class Rows(NamedTuple):
    """Events, as columns without their file."""

    table: pa.Table


class Issue(NamedTuple):
    issue: ImportIssue


class Bytes(NamedTuple):
    """So many more bytes of the file have been read."""

    size: int


class End(NamedTuple):
    """The last message of a file. CUT_SHORT: what came stands; BROKEN: the reader is at fault."""

    how: str
    detail: str = ""


Message = Rows | Issue | Bytes | End | Retraction


class Job(NamedTuple):
    """A file to be read, and the source that reads it."""

    source: Source
    file: ExportFile


def read_here(
    job: Job, context: Context, on_bytes: Callable[[int], None] = lambda _: None
) -> Iterator[Message]:
    """Reads a file in this process. Whatever happens, the last message is an `End`.

    How far the reading is, `on_bytes` hears at once: a source may read long before it yields.
    """
    batch: list[Event] = []
    room = _BATCH_CHARS
    end = End(OK)
    try:
        for item in job.source.read(job.file.counted(on_bytes), context):
            if isinstance(item, ImportIssue):
                yield Issue(item)
            elif isinstance(item, Retraction):
                yield item
            elif not _FIRST <= item.start <= item.end <= _LAST:
                yield Issue(_bad_time(item))
            else:
                batch.append(item)
                room -= _weight(item)
                if len(batch) >= _BATCH_EVENTS or room <= 0:
                    yield Rows(to_arrow(batch))
                    batch.clear()
                    room = _BATCH_CHARS
    except (ExportProblem, *READ_ERRORS) as error:
        end = End(CUT_SHORT, str(error)[:300])
    except Exception as error:  # noqa: BLE001 - a fault in one source must not cost the others
        yield End(BROKEN, f"{type(error).__name__}: {error}"[:300])
        return
    if batch:
        yield Rows(to_arrow(batch))
    yield end


def _weight(event: Event) -> int:
    """About how much room an event takes: that of its texts, and of lists of them."""
    weight = 0
    for value in event.data.values():
        if isinstance(value, str):
            weight += len(value)
        elif isinstance(value, list | tuple):
            weight += 40 * len(value)
    return weight


def _bad_time(event: Event) -> ImportIssue:
    span = f"{event.start} – {event.end}"
    if event.end < event.start:
        return ImportIssue("ends before it starts", event.origin, span)
    return ImportIssue(f"a date outside {_FIRST.year}–{_LAST.year}", event.origin, span)


# -- child processes ------------------------------------------------------------------------------


class Readers:
    """Child processes that read files; a context manager that ends them in any case."""

    def __init__(self, context: Context, count: int) -> None:
        self._context = context
        self._inbox: queue.Queue[tuple[int, Message]] = queue.Queue(maxsize=4 * count)
        self._children: list[_Child | None] = [None] * count
        self._stopping = False

    def __enter__(self) -> "Readers":
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping = True
        for child in self._children:
            if child is not None:
                child.kill()

    def read_all(self, jobs: Iterator[Job]) -> Iterator[tuple[Job, Message]]:
        """Reads the files, several at a time; messages of different files are mixed."""
        working: dict[int, Job] = {}
        idle = list(range(len(self._children)))
        more = True
        while more or working:
            while more and idle:
                job = next(jobs, None)
                if job is None:
                    more = False
                    break
                seat = idle.pop()
                working[seat] = job
                self._child(seat).begin(job)
            if working:
                seat, message = self._inbox.get()
                if seat not in working:
                    continue  # a child that died in between jobs; a new one takes its seat
                yield working[seat], message
                if isinstance(message, End):
                    del working[seat]
                    idle.append(seat)

    def _child(self, seat: int) -> "_Child":
        child = self._children[seat]
        if child is None or not child.alive:
            child = _Child(self._context, lambda message: self._deliver(seat, message))
            self._children[seat] = child
        return child

    def _deliver(self, seat: int, message: Message) -> None:
        while not self._stopping:
            try:
                self._inbox.put((seat, message), timeout=0.5)
                return
            except queue.Full:
                continue


class _Child:
    """One child process and the thread that listens to it."""

    def __init__(self, context: Context, deliver: Callable[[Message], None]) -> None:
        self._process = subprocess.Popen(
            # -P: not a module of that name in the folder where the user happens to be.
            [sys.executable, "-P", "-m", "reqap.reading"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._deliver = deliver
        self.alive = True
        _write_frame(self._to_child, _context_head(context))
        threading.Thread(target=self._listen, daemon=True).start()

    @property
    def _to_child(self) -> BinaryIO:
        assert self._process.stdin is not None
        return self._process.stdin  # type: ignore[return-value]

    def begin(self, job: Job) -> None:
        with suppress(OSError):  # it may have died; the listener says so
            _write_frame(self._to_child, {"source": job.source.name, "file": job.file.name})

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        stream: BinaryIO = self._process.stdout  # type: ignore[assignment]
        try:
            while frame := _read_frame(stream):
                self._deliver(_message(*frame))
        finally:
            # Also where a frame makes no sense: nobody may wait for an end that never comes.
            self.alive = False
            self._process.kill()
            self._deliver(End(BROKEN, f"its process ended with code {self._process.wait()}"))


def worth_children(jobs: Sequence[Job]) -> int:
    """How many child processes an import deserves; 0: read it here.

    Starting one costs half a second, so small imports go without.
    """
    if sum(job.file.size for job in jobs) < 48 << 20:
        return 0
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, min(cores or 1, len(jobs), 8))


def known_to_children(source: Source) -> bool:
    """Whether a child can find this source by its name."""
    try:
        return source_named(source.name) is source
    except NotFound:
        return False


def _context_head(context: Context) -> dict[str, object]:
    return {
        "zone": context.clock.zone.key,
        "today": context.clock.today.isoformat(),
        "who": list(context.who),
        "date_order": context.date_order,
    }


def _write_frame(stream: BinaryIO, head: dict[str, object], body: bytes | pa.Buffer = b"") -> None:
    packed = orjson.dumps(head)
    stream.write(struct.pack("<II", len(packed), len(body)))
    stream.write(packed)
    stream.write(body)
    stream.flush()


def _read_frame(stream: BinaryIO) -> tuple[dict[str, object], bytes] | None:
    sizes = stream.read(8)
    if len(sizes) < 8:
        return None
    head_size, body_size = struct.unpack("<II", sizes)
    head, body = stream.read(head_size), stream.read(body_size)
    if len(head) < head_size or len(body) < body_size:
        return None
    return orjson.loads(head), body


def _send(stream: BinaryIO, message: Message) -> None:
    if isinstance(message, Rows):
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, message.table.schema) as writer:
            writer.write_table(message.table)
        _write_frame(stream, {"type": "rows"}, sink.getvalue())
    elif isinstance(message, Issue):
        issue = message.issue
        head = {"type": "issue", **issue._asdict(), "origin": list(issue.origin)}
        _write_frame(stream, head)
    elif isinstance(message, Bytes):
        _write_frame(stream, {"type": "bytes", "size": message.size})
    elif isinstance(message, Retraction):
        head = {"type": "retraction", **message._asdict(), "origin": list(message.origin)}
        _write_frame(stream, head)
    else:
        _write_frame(stream, {"type": "end", "how": message.how, "detail": message.detail})


def _message(head: dict[str, object], body: bytes) -> Message:
    kind = head.pop("type")
    if kind == "rows":
        return Rows(pa.ipc.open_stream(pa.py_buffer(body)).read_all())
    if kind == "issue":
        origin = head.pop("origin")
        assert isinstance(origin, list)
        return Issue(ImportIssue(origin=Origin(*origin), **head))  # type: ignore[arg-type]
    if kind == "retraction":
        origin = head.pop("origin")
        assert isinstance(origin, list)
        return Retraction(origin=Origin(*origin), **head)  # type: ignore[arg-type]
    if kind == "bytes":
        return Bytes(int(str(head["size"])))
    return End(str(head["how"]), str(head["detail"]))


def serve() -> None:
    """The life of a child: a context, then one file after the other, until the pipe closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when to stop
    gc.disable()  # by the clock of the collector, a batch of events is garbage to look through
    incoming, outgoing = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints must not get between the frames
    frame = _read_frame(incoming)
    if frame is None:
        return
    head = frame[0]
    zone, today, order = str(head["zone"]), str(head["today"]), head["date_order"]
    context = Context(
        Clock(ZoneInfo(zone), datetime.fromisoformat(today)),
        tuple(str(name) for name in head["who"]),  # type: ignore[attr-defined]
        DateOrder(str(order)) if order else None,
    )
    while frame := _read_frame(incoming):
        for message in _read_named(frame[0], context, outgoing):
            _send(outgoing, message)
            if isinstance(message, Rows):
                gc.collect()  # the batch is gone: now it is cheap


def _read_named(head: dict[str, object], context: Context, outgoing: BinaryIO) -> Iterator[Message]:
    try:
        job = Job(source_named(str(head["source"])), reopen(str(head["file"])))
    except (NotFound, *READ_ERRORS) as error:
        yield End(CUT_SHORT, str(error)[:300])
        return
    yield from read_here(job, context, lambda size: _send(outgoing, Bytes(size)))


if __name__ == "__main__":
    serve()
