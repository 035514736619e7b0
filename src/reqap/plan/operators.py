"""The operators of the plan language, as the paper names them.

A plan is a frozen tree of these nodes. They hold no way of being executed; they only refuse what
can never make sense. Two nodes are equal when they say the same, wherever they came from: the
sub-question that led to a node is not part of what it says.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import ClassVar

from reqap.errors import PlanError
from reqap.plan.expressions import (
    Expression,
    FunctionName,
    Key,
    Lambda,
    Part,
    SubPlan,
    check_name,
    check_text,
    walk,
)

# What EXTRACT may be asked for: the name in the house, and how it is written in a plan.
ATTRIBUTE_TYPES = {
    "str": "str",
    "int": "int",
    "float": "float",
    "bool": "bool",
    "list": "list",
    "list[int]": "list[int]",
    "list[float]": "list[float]",
    "date": "date.fromisoformat",
    "time": "time.fromisoformat",
    "datetime": "datetime.fromtimestamp",
    "timedelta": "timedelta",
}
MAX_KEYS = 50


@dataclass(frozen=True, slots=True)
class Operator:
    """The root of the family."""

    name: ClassVar[str]
    # The question this node answers, when it came from a question.
    question: str | None = field(default=None, compare=False, kw_only=True)

    def inputs(self) -> "tuple[Operator, ...]":
        """The plans this one reads, in the order they are written."""
        return tuple(value for _, value in self.named_inputs())

    def named_inputs(self) -> "tuple[tuple[str, Operator], ...]":
        """The plans this one reads, with the names of the arguments."""
        values = ((member.name, getattr(self, member.name)) for member in fields(self))
        return tuple((name, value) for name, value in values if isinstance(value, Operator))

    def sub_plans(self) -> "tuple[Operator, ...]":
        """The plans whose `.result` this node's own expressions use."""
        values = (getattr(self, member.name) for member in fields(self))
        return tuple(
            inner.plan
            for value in values
            if isinstance(value, Expression)
            for inner in walk(value)
            if isinstance(inner, SubPlan)
        )


def _check_names(names: tuple[str, ...]) -> None:
    if not 1 <= len(names) <= MAX_KEYS:
        raise PlanError(f"{len(names)} attribute names", expected=f"1 to {MAX_KEYS}")
    for name in names:
        check_name(name)
    if len(set(names)) != len(names):
        raise PlanError("the same attribute name twice", expected="each name once")


@dataclass(frozen=True, slots=True)
class Qud(Operator):
    """A question that is not taken apart yet."""

    name: ClassVar[str] = "QUD"
    text: str

    def __post_init__(self) -> None:
        _check_words(self.text, "a question")


@dataclass(frozen=True, slots=True)
class Retrieve(Operator):
    """All events that match a query; with `l`, only those among the given events."""

    name: ClassVar[str] = "RETRIEVE"
    query: str
    l: Operator | None = None  # noqa: E741 (the paper's name)

    def __post_init__(self) -> None:
        _check_words(self.query, "a query")


def _check_words(text: str, what: str) -> None:
    check_text(text)
    if not text.strip():
        raise PlanError("an empty text", expected=f"{what} in words")


@dataclass(frozen=True, slots=True)
class Extract(Operator):
    """A value per event for each attribute."""

    name: ClassVar[str] = "EXTRACT"
    l: Operator  # noqa: E741
    attr_names: tuple[str, ...]
    attr_types: tuple[str, ...]

    def __post_init__(self) -> None:
        _check_names(self.attr_names)
        if len(self.attr_names) != len(self.attr_types):
            raise PlanError(
                f"{len(self.attr_names)} attr_names but {len(self.attr_types)} attr_types",
                expected="one type per name",
            )
        for name in self.attr_types:
            if name not in ATTRIBUTE_TYPES:
                raise PlanError(
                    f"{name[:40]!r} is no type of an attribute",
                    expected=", ".join(ATTRIBUTE_TYPES.values()),
                )


@dataclass(frozen=True, slots=True)
class Join(Operator):
    """All pairs of rows that satisfy the condition over `i1` and `i2`."""

    name: ClassVar[str] = "JOIN"
    l1: Operator
    l2: Operator
    condition: Expression

    def __post_init__(self) -> None:
        if any(isinstance(inner, SubPlan) for inner in walk(self.condition)):
            raise PlanError(
                "a plan inside a join condition",
                expected="a condition over i1 and i2; put the rest into a FILTER around the JOIN",
            )


@dataclass(frozen=True, slots=True)
class GroupBy(Operator):
    """The rows, partitioned by the values of the attributes."""

    name: ClassVar[str] = "GROUP_BY"
    l: Operator  # noqa: E741
    attr_names: tuple[str, ...]

    def __post_init__(self) -> None:
        _check_names(self.attr_names)


@dataclass(frozen=True, slots=True)
class Filter(Operator):
    """The rows for which the condition is true."""

    name: ClassVar[str] = "FILTER"
    l: Operator  # noqa: E741
    filter: Lambda


@dataclass(frozen=True, slots=True)
class Map(Operator):
    """Each row or group with one attribute more: what the function gives for it."""

    name: ClassVar[str] = "MAP"
    l: Operator  # noqa: E741
    fct: Lambda | FunctionName
    res_name: str = "map_result"

    def __post_init__(self) -> None:
        check_name(self.res_name)


@dataclass(frozen=True, slots=True)
class Apply(Operator):
    """What the function gives for all rows together."""

    name: ClassVar[str] = "APPLY"
    l: Operator  # noqa: E741
    fct: Lambda | FunctionName


@dataclass(frozen=True, slots=True)
class Unnest(Operator):
    """One row per item of a list attribute."""

    name: ClassVar[str] = "UNNEST"
    l: Operator  # noqa: E741
    nested_attr_name: str
    unnested_attr_name: str

    def __post_init__(self) -> None:
        check_name(self.nested_attr_name)
        check_name(self.unnested_attr_name)


@dataclass(frozen=True, slots=True)
class Extreme(Operator):
    """ARGMIN and ARGMAX: the rows where `arg_attr_name` is extreme, all of them when several are.

    `val_attr_name` is what is asked of these rows.
    """

    l: Operator  # noqa: E741
    arg_attr_name: str
    val_attr_name: str | None = None

    def __post_init__(self) -> None:
        check_name(self.arg_attr_name)
        if self.val_attr_name is not None:
            check_name(self.val_attr_name)


@dataclass(frozen=True, slots=True)
class ArgMin(Extreme):
    name: ClassVar[str] = "ARGMIN"


@dataclass(frozen=True, slots=True)
class ArgMax(Extreme):
    name: ClassVar[str] = "ARGMAX"


@dataclass(frozen=True, slots=True)
class Aggregate(Operator):
    """MIN, MAX, SUM and AVG: one value from all values of an attribute."""

    l: Operator  # noqa: E741
    attr_name: str

    def __post_init__(self) -> None:
        check_name(self.attr_name)


@dataclass(frozen=True, slots=True)
class Min(Aggregate):
    name: ClassVar[str] = "MIN"


@dataclass(frozen=True, slots=True)
class Max(Aggregate):
    name: ClassVar[str] = "MAX"


@dataclass(frozen=True, slots=True)
class Sum(Aggregate):
    name: ClassVar[str] = "SUM"


@dataclass(frozen=True, slots=True)
class Avg(Aggregate):
    name: ClassVar[str] = "AVG"


OPERATORS: dict[str, type[Operator]] = {
    kind.name: kind
    for kind in (
        Qud, Retrieve, Extract, Join, GroupBy, Filter, Map, Apply, Unnest,
        ArgMin, ArgMax, Min, Max, Sum, Avg,
    )
}  # fmt: skip


def walk_plan(plan: Operator) -> Iterator[Operator]:
    """The plan's node and all nodes below it, those in expressions included."""
    waiting = [plan]
    while waiting:
        present = waiting.pop()
        yield present
        waiting.extend(reversed(present.inputs() + present.sub_plans()))


def attributes_used(plan: Operator) -> frozenset[str]:
    """The names of all attributes that a plan reads somewhere."""
    names: set[str] = set()
    for node in walk_plan(plan):
        for member in fields(node):
            value = getattr(node, member.name)
            if isinstance(value, Expression):
                names.update(inner.name for inner in walk(value) if isinstance(inner, Key))
                names.update(inner.name for inner in walk(value) if isinstance(inner, Part))
            elif isinstance(value, str) and member.name in _READ:
                names.add(value)
        if isinstance(node, GroupBy):
            names.update(node.attr_names)
    # "i2.kind" is the kind of the right side of a join.
    return frozenset(name.split(".")[-1] for name in names)


_READ = ("attr_name", "arg_attr_name", "val_attr_name", "nested_attr_name")


def open_questions(plan: Operator) -> list[str]:
    """The questions that are still to be taken apart, from left to right."""
    return [node.text for node in walk_plan(plan) if isinstance(node, Qud)]
