"""What names stand for inside an expression, and what `calls` needs of whoever types it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from reqap.errors import PlanError
from reqap.plan import expressions as ex
from reqap.plan.core import ROW_SIDE, Core, Var
from reqap.plan.functions import Functions
from reqap.plan.types import Schema, Type


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

    def condition(self, node: ex.Expression, scope: Scope) -> Core:
        """Whether a value counts as true."""

    def size(self, node: ex.Expression, scope: Scope) -> Core | None:
        """The number of members, when the node is a group."""

    def new_variable(self, item: Type) -> Var:
        """A variable for the items of a list, of a name that nobody has."""


def only_argument(node: ex.Call, options: tuple[str, ...] = ()) -> ex.Expression:
    """The single argument of a function that takes one, and the options named."""
    if len(node.arguments) != 1:
        raise PlanError(f"{node.function} takes one argument", expected=f"{node.function}(items)")
    for option in node.options:
        if option.name not in options:
            raise PlanError(f"{node.function} has no option {option.name}",
                            expected=", ".join(options) or "none")  # fmt: skip
    return node.arguments[0]
