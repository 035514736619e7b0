"""The server's side of the worker: requests out, what comes of them in.

A worker that dies is started again; whoever waited is told so.
"""

import asyncio
import itertools
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import orjson

from reqap.errors import ReqapError

_LINE = 256 * 1024 * 1024
_DIED = (
    "The part that answers has stopped unexpectedly. It was started again: please try once more."
)
_PAUSE = 1.0  # seconds between two starts
Told = dict[str, Any]


class WorkerFailed(ReqapError):
    """A request that did not work out; the message is for the user."""


def worker_of(db: Path) -> list[str]:
    """The command that starts the worker of a store."""
    # -P: nothing that lies in the current folder is run.
    return [sys.executable, "-P", "-m", "reqap.serve.worker", str(db.absolute())]


class Link:
    """Speaks with one worker."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = command
        self._numbers = itertools.count(1)
        self._waiting: dict[int, asyncio.Queue[Told]] = {}
        self._process: asyncio.subprocess.Process | None = None
        self._running: asyncio.Task[None] | None = None
        self._up = asyncio.Event()
        self.starts = 0

    async def start(self) -> None:
        self._running = asyncio.create_task(self._keep_running())
        await self._up.wait()

    async def close(self) -> None:
        """Ends the worker, and tells whoever still waits."""
        for queue in self._waiting.values():
            queue.put_nowait({"failed": _DIED})
        if self._running is not None:
            self._running.cancel()
            with suppress(asyncio.CancelledError):
                await self._running
        if self._process is not None and self._process.returncode is None:
            if self._process.stdin is not None:
                self._process.stdin.close()  # it ends by itself, and saves
            try:
                await asyncio.wait_for(self._process.wait(), 5)
            except TimeoutError:
                self._process.kill()
                await self._process.wait()

    async def do(self, name: str, **given: object) -> Told:
        """Something short: its result."""
        number, told = self.open(name, given)
        try:
            return _result(await told.get())
        finally:
            self.shut(number)

    def begin(self, name: str, **given: object) -> "Run":
        """Something long: it goes on while somebody, or nobody, looks."""
        return Run(self, name, given)

    def stop(self, number: int) -> None:
        self._send({"id": number, "stop": True})

    def open(self, name: str, given: dict[str, object]) -> tuple[int, asyncio.Queue[Told]]:
        number, told = next(self._numbers), asyncio.Queue[Told]()
        self._waiting[number] = told
        if not self._send({"id": number, "do": name, "with": given}):
            told.put_nowait({"failed": _DIED})
        return number, told

    def shut(self, number: int) -> None:
        self._waiting.pop(number, None)

    def _send(self, message: Told) -> bool:
        process = self._process
        if process is None or process.stdin is None or process.returncode is not None:
            return False
        process.stdin.write(orjson.dumps(message) + b"\n")
        return True

    async def _keep_running(self) -> None:
        while True:
            self._process = process = await asyncio.create_subprocess_exec(
                *self._command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
                limit=_LINE,
            )  # fmt: skip
            self.starts += 1
            self._up.set()
            assert process.stdout is not None
            with suppress(ValueError, orjson.JSONDecodeError):  # what is no line: start again
                while line := await process.stdout.readline():
                    told = orjson.loads(line)
                    if queue := self._waiting.get(told.pop("id")):
                        queue.put_nowait(told)
            if process.returncode is None:
                with suppress(ProcessLookupError):
                    process.kill()
            await process.wait()
            for queue in self._waiting.values():
                queue.put_nowait({"failed": _DIED})
            await asyncio.sleep(_PAUSE)


def _result(told: Told) -> Told:
    if "failed" in told:
        raise WorkerFailed(str(told["failed"]))
    if "stopped" in told:
        raise WorkerFailed("This was stopped.")
    found: Told = told["done"]
    return found


class Run:
    """Something long that is under way. All that was told is kept: whoever looks later sees it."""

    def __init__(self, link: Link, name: str, given: dict[str, object]) -> None:
        self._link = link
        self.name, self.given = name, given
        self._told: list[Told] = []
        self._news = asyncio.Event()
        self.is_over = False
        self._number, queue = link.open(name, given)
        self._task = asyncio.create_task(self._listen(queue))

    def stop(self) -> None:
        self._link.stop(self._number)

    @property
    def has_begun(self) -> bool:
        return any(one.get("event") != "queued" for one in self._told)

    @property
    def ahead(self) -> int:
        """How many were before it when it came."""
        return next((int(one["data"]["ahead"]) for one in self._told
                     if one.get("event") == "queued"), 0)  # fmt: skip

    async def told(self) -> AsyncIterator[Told]:
        """Everything from the beginning, then what comes, to the end."""
        place = 0
        while True:
            while place < len(self._told):
                yield self._told[place]
                place += 1
            if self.is_over:
                return
            news = self._news
            await news.wait()

    async def _listen(self, queue: asyncio.Queue[Told]) -> None:
        while not self.is_over:
            one = await queue.get()
            self._told.append(one)
            self.is_over = "event" not in one
            self._news.set()
            self._news = asyncio.Event()
        self._link.shut(self._number)
