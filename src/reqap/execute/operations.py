"""Operations on values, as SQL: one entry per name that `reqap.plan` uses in an `Op`.

Missing in, missing out, except where it says otherwise. What cannot be computed for a row (a 30th
of February, a division by zero, a date beyond the calendar) is missing there.
"""

from collections.abc import Callable

from sqlglot import exp

from reqap.execute.moments import MOMENTS
from reqap.execute.numbers import NUMBERS
from reqap.execute.sql import E, all_of, binary, is_missing, is_there, paren, when
from reqap.execute.texts import LISTS, TEXTS
from reqap.plan.types import Kind, Type

_SIMPLE = {
    Kind.BOOL: "BOOLEAN", Kind.INT: "BIGINT", Kind.FLOAT: "DOUBLE", Kind.STR: "TEXT",
    Kind.DATE: "DATE", Kind.TIME: "TIME", Kind.DATETIME: "TIMESTAMP", Kind.DURATION: "BIGINT",
    Kind.NOTHING: "TEXT",
}  # fmt: skip


def sql_type(kind: Type) -> str:
    """The type of DuckDB that holds values of a type; durations are microseconds."""
    if kind.kind is Kind.LIST:
        return f"{sql_type(kind.item)}[]"
    if kind.kind is Kind.TUPLE:
        return f"STRUCT({', '.join(f'f{n} {sql_type(i)}' for n, i in enumerate(kind.items))})"
    return _SIMPLE[kind.kind]


OPERATIONS: dict[str, Callable[..., E]] = {
    "eq": binary(exp.EQ), "ne": binary(exp.NEQ), "lt": binary(exp.LT), "le": binary(exp.LTE),
    "gt": binary(exp.GT), "ge": binary(exp.GTE), "and": all_of(exp.And), "or": all_of(exp.Or),
    "not": lambda a: paren(exp.Not(this=a)), "if": when,
    "is_missing": is_missing, "is_there": is_there,
    **NUMBERS, **TEXTS, **LISTS, **MOMENTS,
}  # fmt: skip
