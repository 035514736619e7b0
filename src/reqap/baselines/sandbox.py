"""SQL that somebody else wrote, run where it can do no harm.

Such SQL is hostile. It runs in a process of its own on a database that is opened for reading, that
reaches no file, network, extension or Python object, and whose settings are locked; only a single
SELECT runs, in bounded memory. When its time is up, or when it brings the process down, the process
goes, and the next statement gets a new one.
"""

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from types import TracebackType
from typing import Any

import duckdb

from reqap.errors import ExecutionProblem, TooExpensive

Plain = str | int | float | bool | date | time | datetime | timedelta | None | list["Plain"]
_CLOSED: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": False, "autoinstall_known_extensions": False,
    "autoload_known_extensions": False, "allow_community_extensions": False,
    "python_enable_replacements": False, "threads": 1, "max_temp_directory_size": "0B",
}  # fmt: skip
_ADDRESSES = 4 << 30  # bytes of memory that the process may ask for, whatever DuckDB counts
_START = 60.0  # seconds for the process to begin
_LONGEST = 10_000  # characters of a text that is given back
_DONE, _REFUSED, _TOO_MUCH = "done", "refused", "too much"


@dataclass(frozen=True)
class Bounds:
    """How much a statement may use."""

    seconds: float = 20.0
    memory: str = "512MB"
    rows: int = 1_000
    characters: int = 10_000  # of the statement


class Sandbox:
    """A database that answers SELECTs. Use it as a context manager."""

    def __init__(self, path: Path, bounds: Bounds | None = None) -> None:
        self._path, self._bounds = path, bounds or Bounds()
        self._line: Connection | None = None
        self._process: Any = None

    def __enter__(self) -> "Sandbox":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def run(self, sql: str) -> list[list[Plain]]:
        """The rows that a single SELECT gives; an ExecutionProblem where it does not."""
        if len(sql) > self._bounds.characters:
            raise ExecutionProblem("this statement is too long")
        line = self._line or self._begin()
        try:
            line.send_bytes(sql.encode("utf-8", "replace"))
            if not line.poll(self._bounds.seconds):
                self.close()
                raise TooExpensive(f"this takes longer than {self._bounds.seconds:g} seconds")
            what, told = line.recv()
        except (EOFError, OSError):
            self.close()
            raise TooExpensive("this brought the database down") from None
        if what == _TOO_MUCH:
            raise TooExpensive(told)
        if what == _REFUSED:
            raise ExecutionProblem(told)
        rows: list[list[Plain]] = told
        return rows

    def _begin(self) -> Connection:
        context = get_context("spawn")
        line, other = context.Pipe()
        self._process = context.Process(
            target=_serve, args=(other, str(self._path), self._bounds), daemon=True
        )
        self._process.start()
        other.close()
        if not line.poll(_START) or line.recv() != _DONE:
            self.close()
            raise ExecutionProblem("the database could not be opened")
        self._line = line
        return line

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
        if self._line is not None:
            self._line.close()
        self._process = self._line = None


def _serve(line: Connection, path: str, bounds: Bounds) -> None:
    """What the process does: it answers statements until it is ended."""
    with contextlib.suppress(ImportError, ValueError, OSError):  # Windows has none
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_ADDRESSES, _ADDRESSES))
    connection = duckdb.connect(path, read_only=True, config=_CLOSED)
    connection.execute(f"SET memory_limit = '{bounds.memory}'")
    connection.execute("SET lock_configuration = true")
    line.send(_DONE)
    with contextlib.suppress(EOFError, KeyboardInterrupt):
        while True:
            sql = line.recv_bytes().decode()
            line.send(_answer(connection, sql, bounds))


def _answer(connection: duckdb.DuckDBPyConnection, sql: str, bounds: Bounds) -> tuple[str, Any]:
    try:
        statements = connection.extract_statements(sql)
        if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
            return _REFUSED, "only a single SELECT is run"
        rows = connection.execute(statements[0]).fetchmany(bounds.rows)
        return _DONE, [[_plain(item) for item in row] for row in rows]
    except (duckdb.OutOfMemoryException, MemoryError):
        return _TOO_MUCH, "this needs more memory than there is for it"
    except (duckdb.Error, RuntimeError, ValueError, OverflowError) as error:
        return _REFUSED, str(error).split("\n")[0][:300] or type(error).__name__


def _plain(value: Any) -> Plain:
    """What DuckDB gave, as answers have it."""
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return [_plain(item) for item in value.values()]
    if isinstance(value, str):
        return value[:_LONGEST]
    if value is None or isinstance(value, int | float | date | time | timedelta):
        return value
    return str(value)[:_LONGEST]
