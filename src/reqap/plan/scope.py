"""What names stand for inside an expression, and what `calls` needs of whoever types it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from reqap.plan import expressions as ex
from reqap.plan.core import ROW_SIDE, Core, Members, Step
from reqap.plan.functions import Functions
from reqap.plan.types import Schema


@dataclass(frozen=True)
class Row:
    """A variable that stands for one row; of a group it can also give the members."""

    schema: Schema
    side: str = ROW_SIDE
    members: Schema | None = None


@dataclass(frozen=True)
class Rows:
    """A variable that stands for all rows."""

    schema: Schema


Binding = Row | Rows | Core
Scope = Mapping[str, Binding]


class Typing(Protocol):
    """Turns written expressions into typed ones."""

    @property
    def functions(self) -> Functions: ...

    def typed(self, node: ex.Expression, scope: Scope) -> Core:
        """A value, or rows."""

    def value(self, node: ex.Expression, scope: Scope) -> Core:
        """A value; whole rows will not do."""

    def size(self, node: ex.Expression, scope: Scope) -> Core | None:
        """The number of members, when the node is a group."""

    def ordered(
        self, of: Members, function: ex.Lambda, descending: bool, scope: Scope
    ) -> tuple[Step, ...]:
        """The steps that put events in order by the `key` of sorted, min or max."""
