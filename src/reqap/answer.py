"""Result → answer: values with units, one plain sentence, and the evidence.

Not the job of this module: running plans (`execute`), the words (`wording`), and showing answers
(`cli`, `serve`).
"""

from calendar import day_name, month_name
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import pyarrow as pa

from reqap.execute import Result, Row, TraceNode
from reqap.execute.compile import Value
from reqap.execute.tables import VALUE
from reqap.execute.trace import Plain, plain
from reqap.notebook import Shown, answer_html
from reqap.plan import Operator, walk_plan
from reqap.plan import operators as op
from reqap.plan.check import APPLY_RESULT
from reqap.plan.types import Shape
from reqap.store import Store
from reqap.wording import heading, no_data, say, sentence


@dataclass(frozen=True)
class AnswerValue:
    """One thing that was asked for: a value, its unit, and how it is said."""

    value: Value
    unit: str | None
    text: str


@dataclass(frozen=True)
class Evidence:
    """The events of one source that an answer rests on."""

    source: str
    events: tuple[str, ...]


@dataclass(frozen=True)
class Answer:
    """What a person gets. `rows` has one tuple per answer, one item per name in `columns`."""

    status: str  # ok, no_data
    text: str
    columns: tuple[str, ...]
    rows: tuple[tuple[AnswerValue, ...], ...]
    times: tuple[int, ...]  # how many rows gave each answer
    row_count: int
    evidence: tuple[Evidence, ...]
    trace: TraceNode
    today: datetime
    # With no data: the step at which the rows ran out.
    ran_out: str | None = None
    # The events that the rows tell of; the evidence also has what they were held against.
    own: tuple[str, ...] = ()

    @property
    def events(self) -> tuple[str, ...]:
        every = (event for source in self.evidence for event in source.events)
        return tuple(dict.fromkeys((*self.own, *every)))

    @property
    def is_bare(self) -> bool:
        """Whether the answer is events, of which nothing in particular was asked."""
        return self.columns == ("start_datetime",)

    @property
    def table(self) -> list[Sequence[str]]:
        """The texts of all rows; a single value that is a list has a row for each of its items."""
        if len(self.rows) == 1 and len(self.columns) == 1:
            (item,) = self.rows[0]
            if isinstance(item.value, list | tuple):
                return [(say(one, item.unit),) for one in item.value if one is not None]
        return [[item.text for item in row] for row in self.rows]

    def shown(self) -> Shown:
        """In texts, for notebooks; bare events are not listed twice."""
        rows = () if self.is_bare else self.table
        columns = [heading(name) for name in self.columns]
        return Shown("", self.text, columns, rows, self.trace,
                     event_count=len(self.own or self.events))  # fmt: skip

    def _repr_html_(self) -> str:
        return answer_html(self.shown())

    def to_json(self) -> dict[str, Plain]:
        """Plain data: `answers` holds the bare values, `values` also units and texts."""
        bare = [[plain(item.value) for item in row] for row in self.rows]
        return {
            "today": self.today.isoformat(),
            "status": self.status,
            "answers": [row[0] if len(row) == 1 else list(row) for row in bare],
            "text": self.text,
            "columns": list(self.columns),
            "values": [
                {
                    name: {"value": plain(item.value), "unit": item.unit, "text": item.text}
                    for name, item in zip(self.columns, row, strict=True)
                }
                for row in self.rows
            ],
            "times": list(self.times),
            "rows": self.row_count,
            "no_data_at": self.ran_out,
            "events": list(self.events),
            "own_events": len(self.own),
            "evidence": {part.source: list(part.events) for part in self.evidence},
            "trace": self.trace.to_json(),
        }


def answer(plan: Operator, result: Result, store: Store) -> Answer:
    """The answer that a result gives to what the plan asks."""
    columns = _columns(result)
    counted = _rows(result, columns)
    if not any(isinstance(step, op.Apply) for step in walk_plan(plan)):  # which may have an order
        counted = _in_calendar_order(counted)
    rows = tuple(row for row, _ in counted)
    evidence = _evidence(store, result.events, result.own)
    if not rows:
        step, text = no_data(plan, result)
        return Answer(
            "no_data",
            text,
            columns,
            (),
            (),
            0,
            evidence,
            result.trace,
            result.today,
            step,
            result.events[: result.own],
        )
    text = sentence(plan, result, [[item.text for item in row] for row in rows])
    return Answer(
        "ok", text, columns, rows, tuple(times for _, times in counted),
        max(result.row_count, len(rows)), evidence, result.trace, result.today,
        own=result.events[: result.own],
    )  # fmt: skip


def _columns(result: Result) -> tuple[str, ...]:
    """What was asked for; of bare events, when they were."""
    if result.schema.shape is Shape.VALUE:
        return (VALUE,)
    return result.schema.focus or ("start_datetime",)


def _rows(result: Result, columns: tuple[str, ...]) -> list[tuple[tuple[AnswerValue, ...], int]]:
    """The answers, each once, with how many rows gave it; without those that are missing."""
    found: dict[str | int, tuple[tuple[AnswerValue, ...], int]] = {}
    for number, row in enumerate(result.rows):
        made = tuple(_value(row, name) for name in columns)
        if all(_is_missing(item.value) for item in made):
            continue
        # Bare events are told apart by more than their time; the items of one list are all meant.
        told = result.schema.focus and APPLY_RESULT not in columns
        key = repr([(item.value, item.unit) for item in made]) if told else number
        found[key] = made, found.get(key, (made, 0))[1] + 1
    return list(found.values())


def _is_missing(value: Value) -> bool:
    """Nothing, or a list of nothing."""
    if isinstance(value, list | tuple):
        return all(item is None for item in value)
    return value is None


def _in_calendar_order(
    found: list[tuple[tuple[AnswerValue, ...], int]],
) -> list[tuple[tuple[AnswerValue, ...], int]]:
    """Tables by the names of weekdays or months begin with Monday and January."""
    first = [row[0].text for row, _ in found]
    for names in (day_name, month_name):
        order = {name: place for place, name in enumerate(names)}
        if len(set(first)) == len(first) > 2 and order.keys() >= set(first):
            return sorted(found, key=lambda item: order[item[0][0].text])
    return found


def _value(row: Row, name: str) -> AnswerValue:
    value, unit = row.values.get(name), row.units.get(name)
    return AnswerValue(value, unit, say(value, unit))


def _evidence(store: Store, ids: tuple[str, ...], own: int) -> tuple[Evidence, ...]:
    """The events by source; sources of what the answer tells of come first."""
    if not ids:
        return ()
    cursor = store.connection.cursor()
    asked = pa.table({"id": pa.array(ids), "nth": pa.array(range(len(ids)))})
    cursor.register("asked", asked)
    rows = cursor.execute(
        "SELECT e.source, list(a.id ORDER BY a.nth) FROM asked a JOIN events e ON e.id = a.id"
        " GROUP BY e.source ORDER BY min(a.nth) >= ?, count(*) DESC, e.source",
        [own],
    ).fetchall()
    cursor.close()
    return tuple(Evidence(source, tuple(events)) for source, events in rows)
