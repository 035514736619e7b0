"""The process that holds the life: one JSON line in for every request, lines out for what comes.

In: `{"id", "do", "with"}`, or `{"id", "stop": true}`. Out: `{"id", "event", "data"}` while a
request is under way, then `{"id", "done"}`, `{"id", "failed"}` or `{"id", "stopped"}`. What takes
long waits in one queue; looking something up does not wait for it.
"""

import os
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from reqap.errors import ReqapError, Stopped
from reqap.life import Life
from reqap.serve.service import Request, Service
from reqap.steps import Plain

# What is done one after the other, and tells how it goes.
_LONG = frozenset({"ask", "run", "again", "import_", "forget"})
_ALONE = frozenset({"forget"})
_SHORT = frozenset({
    "answer", "node", "event", "judge", "drop", "fix", "undo", "corrections", "history",
    "forget_asked", "judgements", "sources", "examples", "check_plan",
})  # fmt: skip


class _Gate:
    """Many may look at the store at once; whoever replaces it is alone."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._inside = 0

    @contextmanager
    def shared(self) -> Iterator[None]:
        with self._changed:
            self._inside += 1
        try:
            yield
        finally:
            with self._changed:
                self._inside -= 1
                self._changed.notify_all()

    @contextmanager
    def alone(self) -> Iterator[None]:
        with self._changed:  # nobody comes in meanwhile
            self._changed.wait_for(lambda: not self._inside)
            yield


class Worker:
    """Takes requests apart and hands them to the service."""

    def __init__(self, out: BinaryIO, load: Callable[[], Service]) -> None:
        self._out, self._lock = out, threading.Lock()
        self._stops: dict[int, threading.Event] = {}
        self._queue = ThreadPoolExecutor(1)
        self._others = ThreadPoolExecutor(4)
        self._gate = _Gate()
        self._load, self._loading, self._found = load, threading.Lock(), list[Service]()
        self._waiting = 0
        self._turn, self._current = threading.Lock(), 0  # the number of what is being done
        self._queue.submit(lambda: self._service().warm())  # the first question need not wait

    def _service(self) -> Service:
        """Loaded once; if that fails, whoever asks next tries again."""
        with self._loading:
            if not self._found:
                self._found.append(self._load())
            return self._found[0]

    def take(self, line: bytes) -> None:
        asked = orjson.loads(line)
        number = int(asked["id"])
        if asked.get("stop"):
            self._stop(number)
            return
        name, given = str(asked["do"]), dict(asked.get("with", {}))
        if name in _LONG:
            stop = self._stops[number] = threading.Event()
            with self._lock:
                ahead, self._waiting = self._waiting, self._waiting + 1
            if ahead:
                self._tell(number, {"event": "queued", "data": {"ahead": ahead}})
            self._queue.submit(self._long, number, name, given, stop)
        elif name in _SHORT:
            self._others.submit(self._do, number, lambda: self._short(name, given))
        else:
            self._tell(number, {"failed": f"{name[:40]!r} cannot be done"})

    def _stop(self, number: int) -> None:
        """Stops what is under way; what still waits is over at once."""
        with self._turn:
            stop = self._stops.get(number)
            is_waiting = stop is not None and not stop.is_set() and number != self._current
            if stop is not None:
                stop.set()
        if is_waiting:
            self._tell(number, {"stopped": True})

    def close(self) -> None:
        for stop in list(self._stops.values()):
            stop.set()
        self._queue.shutdown(cancel_futures=True)
        self._others.shutdown(cancel_futures=True)

    def _short(self, name: str, given: Plain) -> Plain:
        with self._gate.shared():
            done: Plain = getattr(self._service(), name)(**given)
        return done

    def _long(self, number: int, name: str, given: Plain, stop: threading.Event) -> None:
        def say(event: str, data: Plain) -> None:
            self._tell(number, {"event": event, "data": data})

        def work() -> Plain:
            say("began", {})
            with self._gate.alone() if name in _ALONE else nullcontext():
                done: Plain = getattr(self._service(), name)(Request(say, stop), **given)
            return done

        with self._turn:
            self._current = 0 if stop.is_set() else number
        try:
            if self._current:
                self._do(number, work)
        finally:
            self._stops.pop(number, None)
            with self._lock:
                self._waiting -= 1

    def _do(self, number: int, work: Callable[[], Plain]) -> None:
        try:
            told: dict[str, Any] = {"done": work()}
        except Stopped:
            told = {"stopped": True}
        except ReqapError as error:
            told = {"failed": str(error)}
        except Exception as error:  # noqa: BLE001 (a mistake of ours must not end the worker)
            told = {"failed": f"Something went wrong here: {type(error).__name__}"}
            sys.excepthook(type(error), error, error.__traceback__)
        self._tell(number, told)

    def _tell(self, number: int, told: dict[str, Any]) -> None:
        try:
            line = orjson.dumps({"id": number, **told}, default=str) + b"\n"
        except TypeError:  # a number that no JSON holds
            failed = "This answer has something in it that cannot be shown."
            line = orjson.dumps({"id": number, "failed": failed}) + b"\n"
        with self._lock:
            self._out.write(line)
            self._out.flush()


def main() -> None:
    """`python -m reqap.serve.worker STORE`"""
    os.umask(0o077)
    # Whatever libraries print must not come between the lines.
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    db = Path(sys.argv[1])
    worker = Worker(out, lambda: Service(Life.open(db, keeps=True)))
    try:
        for line in sys.stdin.buffer:
            worker.take(line)
    finally:
        worker.close()


if __name__ == "__main__":
    main()
