"""Result → answer: values with units, one plain sentence, and the evidence.

Not the job of this module: running plans (`execute`), and showing answers (`cli`).
"""

from calendar import day_name, month_name
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

import pyarrow as pa

from reqap.execute import Result, Row, TraceNode
from reqap.execute.compile import Value
from reqap.execute.tables import VALUE
from reqap.execute.trace import Plain, plain
from reqap.notebook import Shown, answer_html
from reqap.plan import Operator, walk_plan
from reqap.plan import operators as op
from reqap.plan.check import APPLY_RESULT
from reqap.plan.expressions import Call, FunctionName, Lambda
from reqap.plan.types import Kind, Shape
from reqap.store import Store
from reqap.values import format_duration, is_currency
from reqap.values.currencies import minor_digits

_SHOWN = 5


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

    @property
    def events(self) -> tuple[str, ...]:
        return tuple(event for source in self.evidence for event in source.events)

    @property
    def is_bare(self) -> bool:
        """Whether the answer is events, of which nothing in particular was asked."""
        return self.columns == ("start_datetime",)

    def shown(self) -> Shown:
        """In texts, for notebooks; bare events are not listed twice."""
        rows = () if self.is_bare else [[item.text for item in row] for row in self.rows]
        columns = [name.removeprefix("#") for name in self.columns]
        return Shown("", self.text, columns, rows, self.trace, event_count=len(self.events))

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
    evidence = _evidence(store, result.events)
    if not rows:
        step, text = _no_data(result.trace)
        return Answer("no_data", text, columns, (), (), 0, (), result.trace, result.today, step)
    text = _sentence(plan, result, columns, rows)
    return Answer(
        "ok", text, columns, rows, tuple(times for _, times in counted),
        max(result.row_count, len(rows)), evidence, result.trace, result.today,
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
        if all(item.value is None for item in made):
            continue
        # Bare events are told apart by more than their time; the items of one list are all meant.
        told = result.schema.focus and APPLY_RESULT not in columns
        key = repr([(item.value, item.unit) for item in made]) if told else number
        found[key] = made, found.get(key, (made, 0))[1] + 1
    return list(found.values())


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


def _evidence(store: Store, ids: tuple[str, ...]) -> tuple[Evidence, ...]:
    if not ids:
        return ()
    cursor = store.connection.cursor()
    asked = pa.table({"id": pa.array(ids), "nth": pa.array(range(len(ids)))})
    cursor.register("asked", asked)
    rows = cursor.execute(
        "SELECT e.source, list(a.id ORDER BY a.nth) FROM asked a JOIN events e ON e.id = a.id"
        " GROUP BY e.source ORDER BY count(*) DESC, e.source"
    ).fetchall()
    cursor.close()
    return tuple(Evidence(source, tuple(events)) for source, events in rows)


# -- words ---------------------------------------------------------------------------------------


def say(value: Value, unit: str | None = None) -> str:
    """A value as a person would write it."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return _number(value, unit)
    if isinstance(value, datetime):
        return f"{_day(value)}, {_clock(value.time())}"
    if isinstance(value, date):
        return _day(value)
    if isinstance(value, time):
        return _clock(value)
    if isinstance(value, timedelta):
        return format_duration(timedelta(seconds=round(value.total_seconds())))
    if isinstance(value, list | tuple):
        return ", ".join(say(item) for item in value)
    return value


def _number(value: int | float, unit: str | None) -> str:
    if unit is not None and is_currency(unit):
        return f"{value:,.{minor_digits(unit)}f} {unit}"
    # A year is a number, too: only longer ones are parted.
    parted = "," if abs(value) >= 10_000 else ""
    if isinstance(value, int):
        text = f"{value:{parted}}"
    elif value == 0 or abs(value) >= 0.01:
        text = f"{value:{parted}.2f}".rstrip("0").rstrip(".")
    else:
        text = f"{value:.2g}"
    return f"{text} {unit}" if unit else text


def _day(value: date) -> str:
    return f"{value:%A} {value.day} {value:%B} {value.year}"


def _clock(value: time) -> str:
    return value.strftime("%H:%M:%S" if value.second else "%H:%M")


def _words(name: str) -> str:
    return name.replace("_", " ")


_COUNTED = {
    "SUM": "The total of",
    "AVG": "The average",
    "MIN": "The smallest",
    "MAX": "The largest",
}
_RANKS = {"ARGMIN": "lowest", "ARGMAX": "highest"}
_TIMED = {"MIN": "The earliest", "MAX": "The latest"}


def _sentence(
    plan: Operator,
    result: Result,
    columns: tuple[str, ...],
    rows: tuple[tuple[AnswerValue, ...], ...],
) -> str:
    if result.schema.shape is Shape.VALUE:
        return _value_sentence(plan, result, rows[0][0].text)
    if isinstance(plan, op.Extreme) and len(columns) == 1:
        return _extreme_sentence(plan, result, rows)
    shown = "; ".join(_listed(row) for row in rows[:_SHOWN])
    more = len(rows) - _SHOWN
    tail = f"; and {more:,} more" if more > 0 else ""
    if not result.schema.focus:
        return f"{_count(result.row_count, 'event')}: {shown}{tail}."
    what = _count(len(rows), "answer")
    if len(result.rows) < result.row_count:
        what = f"More than {what}"
    return f"{shown}." if len(rows) == 1 else f"{what}: {shown}{tail}."


def _listed(row: tuple[AnswerValue, ...]) -> str:
    head, *rest = [item.text for item in row]
    return f"{head}: {', '.join(rest)}" if rest else head


def _value_sentence(plan: Operator, result: Result, text: str) -> str:
    rests = f", from {_count(len(result.events), 'event')}" if result.events else ""
    kind = result.schema.value
    if kind is not None and kind.kind is Kind.BOOL:
        return f"{text.capitalize()}{rests}."
    if isinstance(plan, op.Aggregate):
        timed = kind is not None and kind.kind in (Kind.DATE, Kind.TIME, Kind.DATETIME)
        words = _TIMED.get(plan.name) if timed else None
        return f"{words or _COUNTED[plan.name]} {_words(plan.attr_name)} is {text}{rests}."
    if isinstance(plan, op.Apply) and _is_count(plan.fct):
        return f"{text} in all{rests}."
    return f"{text}{rests}."


def _is_count(fct: Lambda | FunctionName) -> bool:
    body = fct.body if isinstance(fct, Lambda) else fct
    return body == FunctionName("len") or (isinstance(body, Call) and body.function == "len")


def _extreme_sentence(
    plan: op.Extreme, result: Result, rows: tuple[tuple[AnswerValue, ...], ...]
) -> str:
    best = _value(result.rows[0], plan.arg_attr_name).text
    rank = _RANKS[plan.name]
    first = result.rows[0].values.get("start_datetime")
    if plan.val_attr_name is None and len(result.rows) == 1 and first is not None:
        return f"The {rank} {_words(plan.arg_attr_name)} is {best}, on {say(first)}."
    names = [row[0].text for row in rows[:_SHOWN]]
    listed = " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    more = f" and {len(rows) - _SHOWN:,} more" if len(rows) > _SHOWN else ""
    verb = "has" if len(rows) == 1 else "have"
    return f"{listed}{more} {verb} the {rank} {_words(plan.arg_attr_name)}: {best}."


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def _no_data(trace: TraceNode) -> tuple[str, str]:
    """The step at which the rows ran out, and a sentence about it."""
    node = trace
    while empty := [i for i in (*node.inputs, *node.sub_plans) if not i.rows_out]:
        node = empty[0]
    if node.name == "RETRIEVE":
        return node.path, f"No data: nothing was found for {node.text}."
    before = _count(node.rows_in, "row")
    if node.rows_in and node.rows_out:
        return node.path, f"No data: {before} but no value of what {node.text} is about."
    if node.rows_in and node.name in ("SUM", "AVG", "MIN", "MAX", "ARGMIN", "ARGMAX"):
        return node.path, f"No data: none of {before} has a value for {node.text}."
    if node.rows_in:
        return node.path, f"No data: of {before}, none is left after {node.text}."
    return node.path, f"No data: {node.text} has nothing to work on."
