"""Typed expressions: what a lambda means once its types are known.

`typing` turns the written expression into these nodes, with every conversion made explicit, and
`execute` turns them into SQL by looking each operation up in a table. A row is what the operator
is applied to (an event or a group); members are what an aggregate runs over (the events of a
group, or all rows in an APPLY).
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from datetime import date, datetime, time, timedelta

from reqap.plan.types import Type

# The number of members of a group, as an attribute of the group.
SIZE = "#size"
ROW_SIDE, MEMBER_SIDE = "row", "member"


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of the calendar: months first, then days, then the rest, as dateutil does it."""

    months: int = 0
    days: int = 0
    microseconds: int = 0
    # Parts that are set, not added, before anything is added: year, month, day, hour, ….
    fixed: tuple[tuple[str, int], ...] = ()

    def negated(self) -> "Span":
        return Span(-self.months, -self.days, -self.microseconds, self.fixed)


Scalar = str | int | float | bool | date | time | datetime | timedelta | Span | None


@dataclass(frozen=True, slots=True)
class Core:
    type: Type

    def parts(self) -> "Iterator[Core]":
        for member in fields(self):
            yield from _cores(getattr(self, member.name))


def _cores(value: object) -> Iterator[Core]:
    if isinstance(value, Core):
        yield value
    elif isinstance(value, Keep):
        yield value.condition
    elif isinstance(value, Order):
        yield value.key
    elif isinstance(value, tuple):
        for item in value:
            yield from _cores(item)


@dataclass(frozen=True, slots=True)
class Const(Core):
    value: Scalar


@dataclass(frozen=True, slots=True)
class Attr(Core):
    """An attribute of the row, of a member, or of one side of a join."""

    name: str
    side: str = ROW_SIDE


@dataclass(frozen=True, slots=True)
class Var(Core):
    """The variable of a comprehension over a list value."""

    name: str


@dataclass(frozen=True, slots=True)
class Given(Core):
    """The value that a function over one value is applied to."""


@dataclass(frozen=True, slots=True)
class SubResult(Core):
    """The result of the operator's sub-plan with this number."""

    number: int


@dataclass(frozen=True, slots=True)
class Op(Core):
    """An operation that works on values."""

    name: str
    arguments: tuple[Core, ...]


@dataclass(frozen=True, slots=True)
class PlugIn(Core):
    """A call of a plug-in function."""

    name: str
    arguments: tuple[Core, ...]


@dataclass(frozen=True, slots=True)
class ListMap(Core):
    variable: str
    over: Core
    body: Core


@dataclass(frozen=True, slots=True)
class ListFilter(Core):
    variable: str
    over: Core
    condition: Core


# -- what runs over members ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Keep:
    condition: Core


@dataclass(frozen=True, slots=True)
class Order:
    key: Core
    descending: bool


@dataclass(frozen=True, slots=True)
class Cut:
    """The members from `lower` up to `upper`, counted from the end where negative."""

    lower: int | None
    upper: int | None


Step = Keep | Order | Cut


@dataclass(frozen=True, slots=True)
class Members(Core):
    """Members themselves: all of them (ROWS), or the only one left (ROW)."""

    steps: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Agg(Core):
    """One value from the members: count, sum, avg, min, max, any, all, list, distinct, first."""

    function: str
    steps: tuple[Step, ...]
    body: Core | None


def walk_core(core: Core) -> Iterator[Core]:
    waiting = [core]
    while waiting:
        present = waiting.pop()
        yield present
        waiting.extend(present.parts())
