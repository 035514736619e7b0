"""One run's own corner of the store: temporary tables, statements, limits, plug-in functions.

A cursor of its own keeps temporary tables apart from other runs. A run that takes too long is
interrupted. Nothing here knows operators.
"""

import inspect
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from itertools import count
from math import isfinite
from threading import Event
from time import monotonic
from typing import Any, TypeVar

import duckdb
import pyarrow as pa
from duckdb.func import FunctionNullHandling
from duckdb.sqltypes import DuckDBPyType
from sqlglot import exp

from reqap.errors import ExecutionProblem, Stopped, TooExpensive
from reqap.execute.compile import Parameters, Value
from reqap.execute.operations import sql_type
from reqap.execute.sql import written
from reqap.execute.trace import Statement
from reqap.plan.functions import Functions, PlugInFunction
from reqap.plan.types import DURATION, Kind, Type
from reqap.store import Store

Made = TypeVar("Made")
_MICROSECOND = timedelta(microseconds=1)
_PARAMETER = re.compile(r"\$(p\d+)\b")
# DuckDB knows functions by name in all connections to a store: each session has its own names.
_SESSIONS = count(1)
_LOOKS = 0.1  # seconds between two looks whether a run was stopped
_SMALL = 50_000  # rows of a table that need not be dropped early


@dataclass(frozen=True)
class Limits:
    """How much a plan may use."""

    seconds: float = 30.0
    rows: int = 50_000_000  # of any node's result
    stop: Event | None = None  # set by whoever wants no result any more


class Session:
    """Runs statements for one plan."""

    def __init__(self, store: Store, functions: Functions, limits: Limits) -> None:
        self.cursor = store.connection.cursor()
        self.limits = limits
        self.statements: list[Statement] = []
        self._numbers = count(1)
        self._sizes: dict[str, int] = {}  # of tables, in rows
        self._functions = functions
        self._prefix = f"plugin_{next(_SESSIONS)}_"
        self._registered: set[str] = set()
        self._problems: list[str] = []  # of plug-in functions
        self._ends = monotonic() + limits.seconds
        self._worker = ThreadPoolExecutor(max_workers=1)

    def close(self) -> None:
        self._worker.shutdown()
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
                    _called_with_values(function, self._problems),
                    [DuckDBPyType(sql_type(kind)) for kind in function.parameters],
                    DuckDBPyType(sql_type(function.returns)),
                    null_handling=FunctionNullHandling.SPECIAL,
                )
            self._registered.add(name)

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
        select, bound = _prepared(query, parameters)
        self.statements.append(Statement(select, bound))
        rows = self.run(f'CREATE TEMP TABLE "{name}" AS {select}', bound)
        made = self._sizes[name] = int(rows[0][0])
        if made > self.limits.rows:
            raise TooExpensive(f"{made:,} rows are more than the limit of {self.limits.rows:,}")
        return name, made

    def fetch(self, query: exp.Expr, parameters: Parameters | None = None) -> list[tuple[Any, ...]]:
        return self.run(*_prepared(query, parameters))

    def fetch_texts(self, sql: str) -> pa.Array:
        """The only column of a statement's result, texts."""
        with self._translated():
            found: pa.Table = self._awaited(lambda: self.cursor.sql(sql).to_arrow_table())
            return found.column(0).combine_chunks().cast(pa.string())
        raise AssertionError  # for mypy: what is raised is never swallowed

    def check_time(self) -> None:
        """Ends a run that was stopped, or whose time ran out, while no statement was running."""
        if self._is_stopped():
            raise Stopped
        if monotonic() >= self._ends:
            raise TooExpensive(f"this takes longer than {self.limits.seconds:g} seconds")

    def _is_stopped(self) -> bool:
        return self.limits.stop is not None and self.limits.stop.is_set()

    def run(self, sql: str, bound: dict[str, str] | None = None) -> list[tuple[Any, ...]]:
        with self._translated():
            return self._awaited(lambda: self.cursor.execute(sql, bound or None).fetchall())
        raise AssertionError  # for mypy: what is raised is never swallowed

    def _awaited(self, work: Callable[[], Made]) -> Made:
        """Waits while another thread works, so that Ctrl-C and the limit are heard at once."""
        running = self._worker.submit(work)
        try:
            while not running.done() and (left := self._ends - monotonic()) > 0:
                if self._is_stopped():
                    break
                wait([running], min(left, _LOOKS) if self.limits.stop else left)
        finally:
            while not running.done():  # again and again: a statement may be just beginning
                self.cursor.interrupt()
                wait([running], 0.1)
        return running.result()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """What DuckDB raises, in our words."""
        self.check_time()
        try:
            yield
        except duckdb.OutOfMemoryException:
            raise TooExpensive("this needs more memory than there is for it") from None
        except (duckdb.Error, RuntimeError) as error:
            self.check_time()
            told = self._problems[0] if self._problems else _first_line(error)
            raise ExecutionProblem(told[:500]) from None

    def drop(self, name: str) -> None:
        """Makes room; small tables stay until the session ends, which is quicker."""
        if self._sizes.get(name, 0) > _SMALL:
            self.run(f'DROP TABLE IF EXISTS "{name}"')


def _prepared(query: exp.Expr, parameters: Parameters | None) -> tuple[str, dict[str, str]]:
    """The text of a statement, and those of the parameters that it has."""
    try:
        sql = written(query)
    except RecursionError:
        raise TooExpensive("an expression is nested too deeply; take several steps") from None
    known = parameters.values if parameters else {}
    used = set(_PARAMETER.findall(sql)) if known else set()
    return sql, {name: value for name, value in known.items() if name in used}


def _first_line(error: Exception) -> str:
    """What DuckDB says, without the statement it adds."""
    return str(error).split("\n")[0][:300]


def _called_with_values(function: PlugInFunction, problems: list[str]) -> Any:
    """The function as DuckDB calls it: with values only, durations as microseconds.

    What goes wrong inside is also told in `problems`, in plainer words than DuckDB has.
    """

    def plug_in(*arguments: Any) -> Any:
        if any(argument is None for argument in arguments):
            return None
        try:
            given = map(_given, arguments, function.parameters)
            return _returned(function.call(*given), function.returns)
        except Exception as error:
            problems.append(f"{function.name}: {type(error).__name__}: {error}")
            raise

    # DuckDB looks at the signature.
    names = [f"a{number}" for number in range(len(function.parameters))]
    kind = inspect.Parameter.POSITIONAL_ONLY
    parameters = [inspect.Parameter(name, kind) for name in names]
    plug_in.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return plug_in


def _given(argument: Any, kind: Type) -> Any:
    if kind.kind is Kind.LIST:
        return [_given(item, kind.item) for item in argument if item is not None]
    return timedelta(microseconds=argument) if kind == DURATION else argument


def _returned(result: Any, kind: Type) -> Any:
    """What a function gave, if it is what it promised."""
    if result is None:
        return None
    if kind.kind is Kind.LIST:
        if not isinstance(result, list | tuple):
            raise TypeError(f"gave {type(result).__name__}, not {kind}")
        return [_returned(item, kind.item) for item in result]
    fits = isinstance(result, _PYTHON[kind.kind]) and (
        kind.kind is Kind.BOOL or not isinstance(result, bool)
    )
    if not fits or (kind.kind is Kind.DATE and isinstance(result, datetime)):
        raise TypeError(f"gave {type(result).__name__}, not {kind}")
    return result // _MICROSECOND if kind == DURATION else result


_PYTHON: dict[Kind, type | tuple[type, ...]] = {
    Kind.BOOL: bool, Kind.INT: int, Kind.FLOAT: (float, int), Kind.STR: str, Kind.DATE: date,
    Kind.TIME: time, Kind.DATETIME: datetime, Kind.DURATION: timedelta,
}  # fmt: skip


_AS_THEY_ARE = frozenset({Kind.BOOL, Kind.INT, Kind.STR, Kind.DATE, Kind.TIME, Kind.DATETIME})


def all_to_python(values: Sequence[Any], kind: Type) -> list[Value]:
    """Values of DuckDB as the type says."""
    if kind.kind in _AS_THEY_ARE:
        return list(values)
    return [_to_python(value, kind) for value in values]


def _to_python(value: Any, kind: Type) -> Value:
    if value is None:
        return None
    if kind.kind is Kind.DURATION:
        return timedelta(microseconds=value)
    if isinstance(value, float) and not isfinite(value):
        return None
    if kind.kind is Kind.LIST:
        return [_to_python(item, kind.item) for item in value]
    if kind.kind is Kind.TUPLE:
        items = zip(value.values(), kind.items, strict=True)
        return tuple(_to_python(item, inner) for item, inner in items)
    return value  # type: ignore[no-any-return]
