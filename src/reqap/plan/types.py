"""What plans are about: the types of values, and the schemas of results.

A schema says what rows a node gives: events, groups, or one value; which attributes they have;
and which of these are what was asked for (the focus). It is known before anything runs.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType


class Kind(StrEnum):
    BOOL = "bool"
    INT = "int"
    FLOAT = "float"
    STR = "str"
    DATE = "date"
    TIME = "time"
    DATETIME = "datetime"
    DURATION = "timedelta"
    SPAN = "relativedelta"  # months and days: no fixed length
    TIMED_SPAN = "relativedelta with hours"
    NOTHING = "None"
    LIST = "list"
    TUPLE = "tuple"
    ROW = "event"
    ROWS = "list of events"


@dataclass(frozen=True, slots=True)
class Type:
    kind: Kind
    items: "tuple[Type, ...]" = ()  # of a list: one; of a tuple: one each
    several: bool = False  # a list that is the result of a plan: `==` means any of them

    def __str__(self) -> str:
        if self.kind is Kind.LIST:
            return f"list[{self.items[0]}]"
        if self.kind is Kind.TUPLE:
            return f"tuple[{', '.join(map(str, self.items))}]"
        return self.kind.value

    @property
    def item(self) -> "Type":
        return self.items[0]


BOOL, INT, FLOAT, STR = Type(Kind.BOOL), Type(Kind.INT), Type(Kind.FLOAT), Type(Kind.STR)
DATE, TIME, DATETIME = Type(Kind.DATE), Type(Kind.TIME), Type(Kind.DATETIME)
DURATION, SPAN, TIMED_SPAN = Type(Kind.DURATION), Type(Kind.SPAN), Type(Kind.TIMED_SPAN)
NOTHING, ROW, ROWS = Type(Kind.NOTHING), Type(Kind.ROW), Type(Kind.ROWS)


def list_of(item: Type, several: bool = False) -> Type:
    return Type(Kind.LIST, (item,), several)


def tuple_of(*items: Type) -> Type:
    return Type(Kind.TUPLE, items)


NUMERIC = frozenset({Kind.INT, Kind.FLOAT, Kind.BOOL})
# What can be put in order.
ORDERED = NUMERIC | {Kind.STR, Kind.DATE, Kind.TIME, Kind.DATETIME, Kind.DURATION, Kind.TUPLE}

# The types that EXTRACT can be asked for.
ATTRIBUTE_TYPES: Mapping[str, Type] = MappingProxyType(
    {
        "str": STR, "int": INT, "float": FLOAT, "bool": BOOL, "list": list_of(STR),
        "list[int]": list_of(INT), "list[float]": list_of(FLOAT),
        "date": DATE, "time": TIME, "datetime": DATETIME, "timedelta": DURATION,
    }
)  # fmt: skip
# What every event has, without EXTRACT.
BUILT_IN: Mapping[str, Type] = MappingProxyType(
    {
        "start_datetime": DATETIME, "end_datetime": DATETIME, "start_date": DATE,
        "end_date": DATE, "start_time": TIME, "end_time": TIME, "kind": STR, "source": STR,
    }
)  # fmt: skip


class Shape(StrEnum):
    EVENTS = "events"
    GROUPS = "groups"
    VALUE = "one value"
    OPEN = "an open question"


@dataclass(frozen=True, slots=True)
class Schema:
    """What a node's result looks like."""

    shape: Shape
    attributes: Mapping[str, Type] = field(default_factory=dict)
    focus: tuple[str, ...] = ()
    value: Type | None = None  # of a VALUE
    members: "Schema | None" = None  # of GROUPS: what is in each group
    keys: tuple[str, ...] = ()  # of GROUPS
    open: bool = False  # rests on an open question: further attributes may exist
    derived: frozenset[str] = frozenset()  # attributes that a node of the plan gave

    def having(self, name: str, kind: Type, focus: tuple[str, ...]) -> "Schema":
        """With one attribute more (or another in its place)."""
        attributes = {**self.attributes, name: kind}
        derived = self.derived | {name}
        return replace(self, attributes=attributes, focus=focus, derived=derived)
