"""One run's own corner of the store: temporary tables, statements, limits, plug-in functions.

A cursor of its own keeps temporary tables apart from other runs. A run that takes too long is
interrupted. Nothing here knows operators.
"""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from itertools import count
from math import isfinite
from typing import Any

import duckdb
import pyarrow as pa
from duckdb.sqltypes import DuckDBPyType
from sqlglot import exp

from reqap.errors import ExecutionProblem, TooExpensive
from reqap.execute.compile import Parameters, Value
from reqap.execute.operations import sql_type
from reqap.execute.trace import Statement
from reqap.plan.functions import Functions, PlugInFunction
from reqap.plan.types import DURATION, Kind, Type
from reqap.store import Store

_MICROSECOND = timedelta(microseconds=1)
# DuckDB knows functions by name in all connections to a store: each session has its own names.
_SESSIONS = count(1)


@dataclass(frozen=True)
class Limits:
    """How much a plan may use."""

    seconds: float = 30.0
    rows: int = 50_000_000  # of any node's result


class Session:
    """Runs statements for one plan."""

    def __init__(self, store: Store, functions: Functions, limits: Limits) -> None:
        self.cursor = store.connection.cursor()
        self.limits = limits
        self.statements: list[Statement] = []
        self._numbers = count(1)
        self._functions = functions
        self._prefix = f"plugin_{next(_SESSIONS)}_"
        self._registered: set[str] = set()
        self._late = False

    def close(self) -> None:
        for name in self._registered:
            self.cursor.remove_function(self.plug_in_name(name))
        self.cursor.close()

    def plug_in_name(self, name: str) -> str:
        """What a plug-in function is called in this session's SQL."""
        return self._prefix + name

    def use(self, names: Sequence[str]) -> None:
        """Makes plug-in functions known to DuckDB."""
        for name in names:
            function = self._functions.get(name)
            if function is None or name in self._registered:
                continue
            with self._translated():
                self.cursor.create_function(
                    self.plug_in_name(name),
                    _called_with_values(function),
                    [DuckDBPyType(sql_type(kind)) for kind in function.parameters],
                    DuckDBPyType(sql_type(function.returns)),
                )
            self._registered.add(name)

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Interrupts what takes longer than the limit."""
        over = threading.Event()
        watch = threading.Thread(target=self._watch, args=(over,), daemon=True)
        watch.start()
        try:
            yield
        finally:
            over.set()
            watch.join()

    def _watch(self, over: threading.Event) -> None:
        """Once the time is up, interrupts again and again: a statement may be just beginning."""
        if over.wait(self.limits.seconds):
            return
        self._late = True
        while not over.wait(0.1):
            self.cursor.interrupt()

    @contextmanager
    def lending(self, name: str, rows: pa.Table) -> Iterator[None]:
        """Lets statements read an Arrow table under a name."""
        with self._translated():
            self.cursor.register(name, rows)
        try:
            yield
        finally:
            with suppress(duckdb.Error):
                self.cursor.unregister(name)

    def name(self) -> str:
        """A name for a temporary table that nobody has."""
        return f"t{next(self._numbers)}"

    def create(self, query: exp.Expr, parameters: Parameters | None = None) -> tuple[str, int]:
        """Makes a temporary table of a query; its name and its number of rows."""
        name = self.name()
        bound = parameters.values if parameters else {}
        select = query.sql(dialect="duckdb")
        self.statements.append(Statement(select, bound))
        rows = self.run(f'CREATE TEMP TABLE "{name}" AS {select}', bound)
        made = int(rows[0][0])
        if made > self.limits.rows:
            raise TooExpensive(f"{made:,} rows are more than the limit of {self.limits.rows:,}")
        return name, made

    def fetch(self, query: exp.Expr, parameters: Parameters | None = None) -> list[tuple[Any, ...]]:
        return self.run(query.sql(dialect="duckdb"), parameters.values if parameters else {})

    def check_time(self) -> None:
        """Ends a run whose time ran out while no statement was running."""
        if self._late:
            raise TooExpensive(f"this takes longer than {self.limits.seconds:g} seconds")

    def run(self, sql: str, bound: dict[str, str] | None = None) -> list[tuple[Any, ...]]:
        with self._translated():
            return self.cursor.execute(sql, bound or None).fetchall()
        raise AssertionError  # for mypy: what is raised is never swallowed

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """What DuckDB raises, in our words."""
        self.check_time()
        try:
            yield
        except duckdb.OutOfMemoryException:
            raise TooExpensive("this needs more memory than there is for it") from None
        except (duckdb.Error, RuntimeError) as error:
            if _was_interrupted(error):
                self.check_time()
                raise KeyboardInterrupt from None
            raise ExecutionProblem(_first_line(error)) from None

    def drop(self, name: str) -> None:
        self.run(f'DROP TABLE IF EXISTS "{name}"')


def _was_interrupted(error: Exception) -> bool:
    """By the limit, or by the person; a Ctrl-C arrives as a RuntimeError of this text."""
    if isinstance(error, duckdb.InterruptException):
        return True
    if type(error) is RuntimeError:
        return str(error) == "Query interrupted"
    return "KeyboardInterrupt" in str(error).split("\n")[0]


def _first_line(error: Exception) -> str:
    """What DuckDB says, without the statement it adds."""
    return str(error).split("\n")[0][:300]


def _called_with_values(function: PlugInFunction) -> Any:
    """The function as DuckDB calls it: durations travel as microseconds."""
    durations = [kind == DURATION for kind in function.parameters]

    def plug_in(*arguments: Any) -> Any:
        given = [
            timedelta(microseconds=value) if is_duration else value
            for value, is_duration in zip(arguments, durations, strict=True)
        ]
        result = function.call(*given)
        return result // _MICROSECOND if isinstance(result, timedelta) else result

    return plug_in


def to_python(value: Any, kind: Type) -> Value:
    """A value of DuckDB as the type says."""
    if value is None:
        return None
    if kind.kind is Kind.DURATION:
        return timedelta(microseconds=value)
    if isinstance(value, float) and not isfinite(value):
        return None
    if kind.kind is Kind.LIST:
        return [to_python(item, kind.item) for item in value]
    if kind.kind is Kind.TUPLE:
        items = zip(value.values(), kind.items, strict=True)
        return tuple(to_python(item, inner) for item, inner in items)
    return value  # type: ignore[no-any-return]
