"""The result of a node: a table in DuckDB, and how its attributes are found in it.

Columns that are ours begin with `#`, which no attribute may: `#e1`, `#e2` number the happenings a
row rests on (one per side of its joins), `#events` lists them for groups and values, `#s1`/`#t1`
are start and end. Names of attributes are kept where DuckDB, blind to upper and lower case, can
tell them apart.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from sqlglot import exp

from reqap.execute.sql import ALIAS, cast, column, table
from reqap.plan.types import Schema

EVENTS = "#events"
SIZE = "#size"
VALUE = "#value"
POSITION = "#position"


@dataclass(frozen=True)
class Column:
    """Where an attribute's values are: a physical column, taken as it is or in part."""

    physical: str
    cast: str = ""  # start_date is the date in #s1
    unit: str | None = None  # one unit for all values
    unit_column: str | None = None  # or one per value: amounts in several currencies

    def sql(self, alias: str = ALIAS) -> exp.Expr:
        found = column(self.physical, alias)
        return cast(found, self.cast) if self.cast else found


@dataclass(frozen=True)
class Table:
    name: str
    schema: Schema
    columns: Mapping[str, Column] = field(default_factory=dict)
    lineage: tuple[str, ...] = ()  # #e1, #e2, …; or only #events
    others: tuple[str, ...] = ()  # further physical columns: starts, ends, sizes
    order: tuple[str, ...] = ()  # what puts the rows in order
    rows: int = 0
    members: "Table | None" = None
    # Happenings that sub-plans rest on: they bear every row.
    shared: frozenset[int] = frozenset()

    @property
    def physical(self) -> list[str]:
        """All columns of the table in DuckDB, each once."""
        units = [c.unit_column for c in self.columns.values() if c.unit_column]
        attributes = [column.physical for column in self.columns.values()]
        names = [*self.lineage, *self.others, *self.order, *attributes, *units]
        return list(dict.fromkeys(names))

    def names(self) -> list[str]:
        """The tables in DuckDB that this one needs: its own, and that of its members."""
        return [self.name, *(self.members.names() if self.members else ())]

    def source(self, alias: str = ALIAS) -> exp.Table:
        return table(self.name, alias)

    def projection(self, alias: str = ALIAS) -> list[exp.Expr]:
        return [column(name, alias) for name in self.physical]

    def keeping(self, names: Collection[str]) -> "Table":
        """Without the attributes that are not among `names`; a group keeps its keys."""
        kept = {*names, *self.schema.keys}
        return replace(self, columns={n: c for n, c in self.columns.items() if n in kept})

    def having(self, name: str, column: Column, schema: Schema) -> "Table":
        return replace(self, columns={**self.columns, name: column}, schema=schema)


def free_name(wanted: str, taken: Iterable[str]) -> str:
    """A name for a column that DuckDB will not take for one of `taken`."""
    folded = {name.casefold() for name in taken} | {"rowid"}  # which every table has
    if wanted.casefold() not in folded:
        return wanted
    number = 2
    while f"{wanted}#{number}".casefold() in folded:
        number += 1
    return f"{wanted}#{number}"
