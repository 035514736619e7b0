"""What happened at each node, as a frozen tree that the command line and the page render alike."""

from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta

from reqap.execute.compile import Value
from reqap.notebook import tree_html

Plain = None | bool | int | float | str | list["Plain"] | dict[str, "Plain"]


@dataclass(frozen=True)
class Statement:
    """SQL that was run, and the texts bound to it."""

    sql: str
    parameters: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Row:
    """A row of the result: its values, their units, and what it rests on.

    `events` are those that tell of the happenings; of long results, of the first only.
    """

    values: dict[str, Value]
    units: dict[str, str]
    happenings: tuple[int, ...]
    events: tuple[str, ...] = ()


@dataclass(frozen=True)
class TraceNode:
    """One node of the tree: what it was to do, and what came of it."""

    path: str  # "1", "1.1", "1.2": the root is 1, the first input of a node adds .1
    name: str  # FILTER
    text: str  # the operator's own line, `…` for what it reads
    question: str | None
    shape: str  # events, groups, one value
    rows_in: int
    rows_out: int
    milliseconds: float
    attributes: tuple[str, ...]
    samples: tuple[Row, ...]
    notes: tuple[str, ...]
    statements: tuple[Statement, ...]
    inputs: "tuple[TraceNode, ...]" = ()
    sub_plans: "tuple[TraceNode, ...]" = ()
    reused: bool = False  # the same step stands elsewhere in the plan and was not run again

    @property
    def events(self) -> tuple[str, ...]:
        """The events that the sample rows rest on."""
        return tuple(dict.fromkeys(event for row in self.samples for event in row.events))

    def walk(self) -> "list[TraceNode]":
        below = [n for inner in (*self.inputs, *self.sub_plans) for n in inner.walk()]
        return [self, *below]

    def _repr_html_(self) -> str:
        return tree_html(self)

    def to_json(self) -> dict[str, Plain]:
        return {
            "path": self.path,
            "operator": self.name,
            "text": self.text,
            "question": self.question,
            "shape": self.shape,
            "rows_in": self.rows_in,
            "rows_out": self.rows_out,
            "milliseconds": round(self.milliseconds, 3),
            "attributes": list(self.attributes),
            "samples": [
                {"values": {k: plain(v) for k, v in s.values.items()}, "events": list(s.events)}
                for s in self.samples
            ],
            "events": list(self.events),
            "notes": list(self.notes),
            "sql": [statement.sql for statement in self.statements],
            "reused": self.reused,
            "inputs": [inner.to_json() for inner in self.inputs],
            "sub_plans": [inner.to_json() for inner in self.sub_plans],
        }


def plain(value: Value) -> Plain:
    """A value as JSON has it."""
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    return value
