"""What runs over many rows: the members of each group, or all rows in an APPLY.

Each run over members that an expression needs (the same steps: keep, order, cut) becomes one
sub-query with all aggregates over it. Not the job of this module: running it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from reqap.execute.moments import clock_microseconds
from reqap.execute.operations import sql_type
from reqap.execute.sql import (
    ALIAS,
    call,
    cast,
    column,
    is_there,
    named,
    number,
    ordered,
    paren,
    select,
    try_cast,
    when,
    within,
)
from reqap.execute.tables import EVENTS, Table
from reqap.plan.core import Agg, Core, Cut, Keep, Order, Step, walk_core
from reqap.plan.types import Kind

Compile = Callable[[Core], exp.Expr]
_NTH, _COUNT = "#n", "#c"
_HALF_DAY, _WHOLE_DAY = 43_200_000_000, 86_400_000_000


def aggregates_in(core: Core) -> dict[tuple[Step, ...], list[Agg]]:
    """The aggregates of an expression, by the run over members that they share."""
    found: dict[tuple[Step, ...], list[Agg]] = {}
    for inner in walk_core(core):
        if isinstance(inner, Agg) and inner not in found.setdefault(inner.steps, []):
            found[inner.steps].append(inner)
    return found


@dataclass(frozen=True)
class Run:
    """A run over members: where they are, which are left, and the order they are in."""

    source: exp.Expr
    where: tuple[exp.Expr, ...]
    order: tuple[exp.Ordered, ...]

    def select(self, columns: Sequence[exp.Expr], group: Sequence[exp.Expr] = ()) -> exp.Select:
        where = [condition.copy() for condition in self.where]
        return select(columns, self.source.copy(), where=where, group=group)


def run_over(
    table: Table,
    steps: Sequence[Step],
    compile_: Compile,
    partition: Sequence[exp.Expr] = (),
) -> Run:
    """The members after the steps, per partition where one is given."""
    run = Run(table.source(), (), tuple(ordered(column(name)) for name in table.order))
    for step in steps:
        match step:
            case Keep():
                run = replace(run, where=(*run.where, compile_(step.condition)))
            case Order():
                key = ordered(compile_(step.key), step.descending)
                run = replace(run, order=(key, *run.order))
            case Cut():
                run = replace(run, source=_cut(run, step, partition), where=())
    return run


def _cut(run: Run, cut: Cut, partition: Sequence[exp.Expr]) -> exp.Expr:
    lower, upper = cut.lower or 0, cut.upper
    order = [item.copy() for item in run.order]
    if not partition and lower >= 0 and (upper is None or upper >= 0):
        limit = None if upper is None else max(upper - lower, 0)
        rows = select(
            [exp.Star()], run.source, where=run.where, order=order, limit=limit, offset=lower
        )
        return within(rows)
    ranked = exp.Window(
        this=exp.RowNumber(),
        partition_by=[key.copy() for key in partition],
        order=exp.Order(expressions=order),
    )
    counted = exp.Window(
        this=exp.Count(this=exp.Star()), partition_by=[key.copy() for key in partition]
    )
    columns = [exp.Star(), named(ranked, _NTH), named(counted, _COUNT)]
    inner = select(columns, run.source, where=run.where)
    where: list[exp.Expr] = [exp.GT(this=column(_NTH), expression=_from_end(lower))]
    if upper is not None:
        where.append(exp.LTE(this=column(_NTH), expression=_from_end(upper)))
    ours = [exp.Identifier(this=name, quoted=True) for name in (_NTH, _COUNT)]
    return within(select([exp.Star(except_=ours)], within(inner), where=where))


def _from_end(bound: int) -> exp.Expr:
    if bound >= 0:
        return number(bound)
    return paren(exp.Add(this=column(_COUNT), expression=number(bound)))


# -- aggregates ----------------------------------------------------------------------------------


def aggregate(agg: Agg, body: exp.Expr | None, order: Sequence[exp.Ordered]) -> exp.Expr:
    """One aggregate over a run."""
    if agg.function == "count" or body is None:
        return exp.Count(this=exp.Star())
    assert agg.body is not None
    match agg.function:
        case "distinct":
            return exp.Count(this=exp.Distinct(expressions=[body]))
        case "sum":
            return try_cast(call("sum", body), sql_type(agg.type))
        case "avg":
            return _average(body, agg.body.type.kind)
        case "any":
            return call("coalesce", call("bool_or", body), exp.false())
        case "all":
            return call("coalesce", call("bool_and", body), exp.true())
        case "first":
            return call("first", body)
        case "list":
            listed = exp.Order(this=body, expressions=[item.copy() for item in order])
            return call("list", listed if order else body)
    return call(agg.function, body)


def _average(body: exp.Expr, kind: Kind) -> exp.Expr:
    if kind is Kind.TIME:
        return _average_time(body)
    if kind is Kind.DURATION:
        return cast(call("round_even", call("avg", body), number(0)), "BIGINT")
    average = call("avg", cast(body, "DOUBLE") if kind in (Kind.INT, Kind.BOOL) else body)
    return cast(average, "DATE") if kind is Kind.DATE else average


def _average_time(body: exp.Expr) -> exp.Expr:
    """The mean time of day. Around midnight (23:30 and 00:30) the day is taken to begin at noon,
    where the times then lie closer together."""
    clock = clock_microseconds(body)
    late = paren(exp.Add(this=clock.copy(), expression=number(_WHOLE_DAY)))
    early = exp.LT(this=clock.copy(), expression=number(_HALF_DAY))
    from_noon = when(early, late, clock.copy())
    closer = exp.LT(
        this=call("var_pop", cast(from_noon, "DOUBLE")),
        expression=call("var_pop", cast(clock.copy(), "DOUBLE")),
    )
    mean = when(closer, call("avg", from_noon.copy()), call("avg", clock))
    whole = cast(call("round_even", mean, number(0)), "BIGINT")
    within = paren(exp.Mod(this=whole, expression=number(_WHOLE_DAY)))
    midnight = exp.cast(exp.Literal.string("1970-01-01"), "TIMESTAMP")
    return exp.cast(
        paren(exp.Add(this=midnight, expression=call("to_microseconds", within))), "TIME"
    )


def contributing(aggs: Sequence[Agg], compile_: Compile) -> exp.Expr | None:
    """Which rows of a run the aggregates rest on; None when on all of them."""
    conditions = []
    for agg in aggs:
        if agg.function in ("count", "list", "first") or agg.body is None:
            return None
        conditions.append(is_there(compile_(agg.body)))
    return exp.or_(*conditions)


def lineage_of(table: Table, alias: str = ALIAS) -> exp.Expr:
    """The happenings of many rows as one list."""
    columns = [column(name, alias) for name in table.lineage]
    if table.lineage == (EVENTS,):
        return call("flatten", call("list", columns[0]))
    if len(columns) == 1:
        return call("list", columns[0])
    return call("flatten", call("list", call("list_value", *columns)))


def filtered(aggregated: exp.Expr, condition: exp.Expr | None) -> exp.Expr:
    """An aggregate over the rows where the condition holds; `flatten(list(…))` inside."""
    if condition is None:
        return aggregated
    if isinstance(aggregated, exp.Anonymous) and aggregated.name == "flatten":
        return call("flatten", filtered(aggregated.expressions[0], condition))
    return exp.Filter(this=aggregated, expression=exp.Where(this=condition))
