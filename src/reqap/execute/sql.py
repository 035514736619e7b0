"""SQL as `sqlglot` nodes, by a few plain functions.

They build nodes directly: sqlglot's own builders copy a statement with every clause that is added.
All names are quoted. Texts of plans never come here; they are bound as parameters (`compile`).
"""

from collections.abc import Callable, Sequence
from functools import cache

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect

E = exp.Expr
ALIAS = "t"


def column(name: str, table: str | None = ALIAS) -> exp.Column:
    return exp.Column(
        this=exp.Identifier(this=name, quoted=True),
        table=exp.Identifier(this=table, quoted=True) if table else None,
    )


def named(value: E, name: str) -> exp.Alias:
    return exp.Alias(this=value, alias=exp.Identifier(this=name, quoted=True))


def table(name: str, alias: str = ALIAS) -> exp.Table:
    return exp.Table(
        this=exp.Identifier(this=name, quoted=True),
        alias=exp.TableAlias(this=exp.Identifier(this=alias, quoted=True)),
    )


def select(
    columns: Sequence[E],
    source: E | None = None,
    *,
    joins: Sequence[exp.Join] = (),
    where: Sequence[E] = (),
    group: Sequence[E] = (),
    order: Sequence[E] = (),
    limit: int | None = None,
    offset: int = 0,
    distinct: bool = False,
) -> exp.Select:
    """A statement; conditions are joined with AND."""
    return exp.Select(
        expressions=list(columns),
        from_=exp.From(this=source) if source is not None else None,
        joins=list(joins),
        where=exp.Where(this=both(where)) if where else None,
        group=exp.Group(expressions=list(group)) if group else None,
        order=exp.Order(expressions=list(order)) if order else None,
        limit=exp.Limit(expression=number(limit)) if limit is not None else None,
        offset=exp.Offset(expression=number(offset)) if offset else None,
        distinct=exp.Distinct() if distinct else None,
    )


def within(query: exp.Select, alias: str = ALIAS) -> exp.Subquery:
    """A statement as the source of another."""
    return exp.Subquery(
        this=query, alias=exp.TableAlias(this=exp.Identifier(this=alias, quoted=True))
    )


def scalar(query: exp.Select) -> exp.Subquery:
    """A statement as a value."""
    return exp.Subquery(this=query)


def join(source: E, on: E | None = None, *, left: bool = False) -> exp.Join:
    """Pairs; with `left`, also the rows that have no partner; without a condition, all pairs."""
    if on is None:
        return exp.Join(this=source, kind="CROSS")
    return exp.Join(this=source, on=on, side="LEFT" if left else None)


def call(name: str, *arguments: E) -> E:
    """A function of DuckDB, by its name."""
    return exp.Anonymous(this=name, expressions=list(arguments))


def number(value: int | float) -> E:
    literal = exp.Literal.number(abs(value))
    return exp.Neg(this=literal) if value < 0 else literal


def text(value: str) -> E:
    """A text of our own, never one from a plan."""
    return exp.Literal.string(value)


def cast(value: E, kind: str) -> E:
    return exp.Cast(this=value, to=_type(kind).copy())


def try_cast(value: E, kind: str) -> E:
    return exp.TryCast(this=value, to=_type(kind).copy())


@cache
def _type(kind: str) -> exp.DataType:
    return exp.DataType.build(kind, dialect="duckdb")


def written(statement: E) -> str:
    """The text of a statement, which is used up: no copy of it is made."""
    return _DUCKDB.generate(statement, copy=False)


_DUCKDB = Dialect.get_or_raise("duckdb")


def when(condition: E, then: E, otherwise: E | None = None) -> E:
    return exp.Case(ifs=[exp.If(this=condition, true=then)], default=otherwise)


def paren(value: E) -> E:
    return exp.Paren(this=value)


def equal(a: E, b: E) -> E:
    return exp.EQ(this=a, expression=b)


def both(conditions: Sequence[E]) -> E:
    result = conditions[0]
    for condition in conditions[1:]:
        result = exp.And(this=result, expression=condition)
    return result


def is_missing(value: E) -> E:
    return paren(exp.Is(this=value, expression=exp.null()))


def is_there(value: E) -> E:
    return paren(exp.Not(this=exp.Is(this=value, expression=exp.null())))


def ordered(value: E, descending: bool = False) -> exp.Ordered:
    return exp.Ordered(this=value, desc=descending, nulls_first=False)


def binary(node: type[exp.Binary]) -> Callable[..., E]:
    return lambda a, b: paren(node(this=a, expression=b))


def function(name: str, *fixed: E) -> Callable[..., E]:
    return lambda *arguments: call(name, *arguments, *fixed)


def all_of(node: type[exp.Connector]) -> Callable[..., E]:
    def build(*conditions: E) -> E:
        result = conditions[0]
        for condition in conditions[1:]:
            result = node(this=result, expression=condition)
        return paren(result)

    return build
