"""Carries out a checked plan over the store: every node becomes a table, and a line of the trace.

Relational operators are SQL on DuckDB; RETRIEVE and EXTRACT come in through doors. `today` is an
argument: no clock decides an answer. The same step is run once, wherever it stands.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from time import perf_counter

from reqap.errors import ExecutionProblem, ReqapError, Stopped, TooExpensive
from reqap.execute.doors import Extractor, Retriever
from reqap.execute.lineage import Lineage
from reqap.execute.meanings import Whom, nobody, understood
from reqap.execute.needs import needs_of
from reqap.execute.nodes import Nodes
from reqap.execute.results import Result, has_value, read_result, sample_rows, sub_result
from reqap.execute.session import Limits, Session
from reqap.execute.tables import Table
from reqap.execute.trace import TraceNode
from reqap.plan import Checked, Functions, Operator, check, format_step, require_complete
from reqap.plan.core import Agg, Core
from reqap.plan.operators import Apply, attributes_used, walk_plan
from reqap.plan.types import Shape
from reqap.store import Store


@dataclass(frozen=True)
class Engine:
    """What plans run on."""

    store: Store
    retriever: Retriever
    extractor: Extractor
    functions: Functions
    limits: Limits = field(default_factory=Limits)
    whom: Whom = nobody  # the full names of the people that a text means

    def execute(
        self, plan: Operator, *, today: datetime, done: Callable[[TraceNode], object] = bool
    ) -> Result:
        """Runs a plan and gives its result with the trace; `done` hears of every step that ran."""
        require_complete(plan)
        checked = understood(check(plan, self.functions), self.whom)
        session = Session(self.store, self.functions, self.limits)
        try:
            with named(plan, "1"):
                execution = _Execution(self, session, checked, today, done)
            table, trace = execution.node(checked, "1")
            with named(plan, "1"):
                return read_result(session, execution.lineage, table, trace, today)
        finally:
            session.close()


class _Execution:
    """One run of one plan."""

    def __init__(
        self,
        engine: Engine,
        session: Session,
        plan: Checked,
        today: datetime,
        done: Callable[[TraceNode], object],
    ) -> None:
        self._session, self._heard = session, done
        self._today = today
        self.lineage = Lineage(session)
        # A step that stands in several places is run once; its table goes when all have read it.
        self._done: dict[Operator, tuple[Table, TraceNode]] = {}
        self._readers = Counter(
            read
            for node in set(walk_plan(plan.operator))
            for read in (*node.inputs(), *node.sub_plans())
        )
        self._holders: Counter[str] = Counter()
        with_kind = bool({"kind", "source"} & attributes_used(plan.operator))
        self._nodes = Nodes(
            session,
            self.lineage,
            engine.retriever,
            engine.extractor,
            today,
            needs_of(plan),
            with_kind,
        )

    def node(self, checked: Checked, path: str) -> tuple[Table, TraceNode]:
        known = self._done.get(checked.operator)
        if known is not None:
            return known[0], _again(known[1], checked, path)
        inputs = [self.node(inner, f"{path}.{n}") for n, inner in enumerate(checked.inputs, 1)]
        subs = [
            self.node(inner, f"{path}.{n}")
            for n, inner in enumerate(checked.sub_plans, len(inputs) + 1)
        ]
        tables = [table for table, _ in inputs]
        with named(checked.operator, path):
            results = [
                sub_result(self._session, table, _counts(inner.core))
                for (table, _), inner in zip(subs, checked.sub_plans, strict=True)
            ]
            self._session.statements = []
            begun = perf_counter()
            if _is_one_side(checked, inputs, subs):
                tables = [self._nodes.functional.zero(tables[0])]
            table, notes = self._nodes.run(checked, tables, results)
            elapsed = (perf_counter() - begun) * 1000
            shared = frozenset().union(
                *(t.shared for t in tables), *(self.lineage.all_of(t) for t, _ in subs)
            )
            if table.schema.shape is Shape.VALUE and not has_value(self._session, table):
                table = replace(table, rows=0)
            table = replace(table, shared=shared)
            trace = self._trace(checked, path, table, inputs, subs, elapsed, notes)
        self._heard(trace)
        self._done[checked.operator] = table, trace
        self._holders.update(table.names())
        with named(checked.operator, path):
            for read in (*checked.inputs, *checked.sub_plans):
                self._was_read(read.operator)
        return table, trace

    def _was_read(self, operator: Operator) -> None:
        self._readers[operator] -= 1
        if self._readers[operator]:
            return
        for name in self._done[operator][0].names():
            self._holders[name] -= 1
            if not self._holders[name]:
                self._session.drop(name)

    def _trace(
        self,
        checked: Checked,
        path: str,
        table: Table,
        inputs: list[tuple[Table, TraceNode]],
        subs: list[tuple[Table, TraceNode]],
        elapsed: float,
        notes: list[str],
    ) -> TraceNode:
        statements = tuple(self._session.statements)
        return TraceNode(
            path=path,
            name=checked.operator.name,
            text=format_step(checked.operator),
            question=checked.operator.question,
            shape=str(table.schema.shape),
            rows_in=sum(t.rows for t, _ in inputs),
            rows_out=table.rows,
            milliseconds=elapsed,
            attributes=tuple(table.schema.attributes),
            samples=sample_rows(self._session, table),
            notes=tuple(notes),
            statements=statements,
            inputs=tuple(trace for _, trace in inputs),
            sub_plans=tuple(trace for _, trace in subs),
        )


def _counts(core: Core | None) -> bool:
    return isinstance(core, Agg) and core.function in ("count", "distinct")


def _is_one_side(
    checked: Checked, inputs: list[tuple[Table, TraceNode]], subs: list[tuple[Table, TraceNode]]
) -> bool:
    """Is a count of nothing put beside something that was found? Then it is 0, as that would be."""
    return (
        isinstance(checked.operator, Apply)
        and _counts(checked.inputs[0].core)
        and not inputs[0][0].rows
        and any(table.rows for table, _ in subs)
    )


def _again(trace: TraceNode, checked: Checked, path: str) -> TraceNode:
    """The trace of a step that was run elsewhere in the plan."""
    inner = [
        _again(told, below, f"{path}.{number}")
        for number, (told, below) in enumerate(
            zip(
                (*trace.inputs, *trace.sub_plans),
                (*checked.inputs, *checked.sub_plans),
                strict=True,
            ),
            1,
        )
    ]
    return replace(
        trace,
        path=path,
        question=checked.operator.question,
        milliseconds=0.0,
        reused=True,
        inputs=tuple(inner[: len(trace.inputs)]),
        sub_plans=tuple(inner[len(trace.inputs) :]),
    )


@contextmanager
def named(operator: Operator, path: str) -> Iterator[None]:
    """Problems say at which step they arose."""
    try:
        yield
    except Stopped:
        raise
    except TooExpensive as error:
        raise TooExpensive(f"{operator.name} (step {path}): {error}") from None
    except ReqapError as error:
        raise ExecutionProblem(f"{operator.name} (step {path}): {error}") from None
