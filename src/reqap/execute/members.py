"""What runs over many rows: the members of each group, or all rows in an APPLY.

Each run over members that an expression needs (the same steps: keep, order, cut) becomes one
sub-query with all aggregates over it. Not the job of this module: running it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlglot import exp

from reqap.execute.operations import call, cast, clock_microseconds, number, paren, sql_type, when
from reqap.execute.tables import ALIAS, EVENTS, Table
from reqap.plan.core import Agg, Core, Cut, Keep, Order, Step, walk_core
from reqap.plan.types import Kind

Compile = Callable[[Core], exp.Expr]
POSITION, COUNT = "#n", "#c"
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
    """A run over members: the rows that are left, and the order they are in."""

    query: exp.Select
    order: tuple[exp.Ordered, ...]


def run_over(
    table: Table,
    steps: Sequence[Step],
    compile_: Compile,
    partition: Sequence[exp.Expr] = (),
) -> Run:
    """`SELECT *` of the members after the steps, per partition where one is given."""
    query = exp.select("*").from_(table.source())
    order = tuple(_ordered(exp.column(name, table=ALIAS, quoted=True)) for name in table.order)
    for step in steps:
        match step:
            case Keep():
                query = query.where(compile_(step.condition))
            case Order():
                order = (_ordered(compile_(step.key), step.descending), *order)
            case Cut():
                query = _cut(query, order, step, partition)
    return Run(query, order)


def _ordered(value: exp.Expr, descending: bool = False) -> exp.Ordered:
    return exp.Ordered(this=value, desc=descending, nulls_first=False)


def _cut(
    query: exp.Select,
    order: tuple[exp.Ordered, ...],
    cut: Cut,
    partition: Sequence[exp.Expr],
) -> exp.Select:
    lower, upper = cut.lower or 0, cut.upper
    if not partition and lower >= 0 and (upper is None or upper >= 0):
        query = query.order_by(*(item.copy() for item in order)).offset(lower)
        if upper is not None:
            query = query.limit(max(upper - lower, 0))
        return exp.select("*").from_(query.subquery(ALIAS))
    ranked = exp.Window(
        this=exp.RowNumber(),
        partition_by=[key.copy() for key in partition],
        order=exp.Order(expressions=[item.copy() for item in order]),
    )
    counted = exp.Window(
        this=exp.Count(this=exp.Star()), partition_by=[key.copy() for key in partition]
    )
    inner = query.select(ranked.as_(POSITION, quoted=True), counted.as_(COUNT, quoted=True))
    position = exp.column(POSITION, table=ALIAS, quoted=True)
    outer = exp.select(exp.Star(except_=[exp.to_identifier(POSITION, quoted=True),
                                               exp.to_identifier(COUNT, quoted=True)]))  # fmt: skip
    outer = outer.from_(inner.subquery(ALIAS))
    outer = outer.where(exp.GT(this=position, expression=_from_end(lower)))
    if upper is not None:
        outer = outer.where(exp.LTE(this=position.copy(), expression=_from_end(upper)))
    return exp.select("*").from_(outer.subquery(ALIAS))


def _from_end(bound: int) -> exp.Expr:
    if bound >= 0:
        return number(bound)
    count = exp.column(COUNT, table=ALIAS, quoted=True)
    return paren(exp.Add(this=count, expression=number(bound)))


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
            return cast(call("sum", body), sql_type(agg.type))
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
        there = exp.Not(this=exp.Is(this=compile_(agg.body), expression=exp.null()))
        conditions.append(paren(there))
    return exp.or_(*conditions)


def lineage_of(table: Table, alias: str = ALIAS) -> exp.Expr:
    """The happenings of many rows as one list."""
    columns = [exp.column(name, table=alias, quoted=True) for name in table.lineage]
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
