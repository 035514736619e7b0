"""Values, names and answers in plain words.

Not the job of this module: what an answer is (`answer`), and where it is shown (`cli`, `serve`).
"""

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta

from reqap.execute import Result, TraceNode
from reqap.execute.compile import Value
from reqap.execute.extracting import NOTHING
from reqap.execute.tables import VALUE
from reqap.plan import Operator
from reqap.plan import operators as op
from reqap.plan.check import APPLY_RESULT
from reqap.plan.expressions import Call, FunctionName, Lambda, Part
from reqap.plan.types import Kind, Shape, Type
from reqap.values import canonical_unit, is_currency, say_duration
from reqap.values.currencies import minor_digits

MOST_SAID = 5  # of several answers
_LONG = 80  # so much is said of each

# -- values and names ------------------------------------------------------------------------------


def say(value: Value, unit: str | None = None) -> str:
    """A value as a person would write it."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return _number(value, unit)
    if isinstance(value, datetime):
        return f"{_day(value)}, {value:%H:%M}"
    if isinstance(value, date):
        return _day(value)
    if isinstance(value, time):
        return _clock(value)
    if isinstance(value, timedelta):
        return say_duration(value)
    if isinstance(value, list | tuple):
        return ", ".join(say(item) for item in value)
    return value


def _number(value: int | float, unit: str | None) -> str:
    if unit is not None and is_currency(unit):
        return f"{value:,.{minor_digits(unit)}f} {unit}"
    # A year is a number, too: of those that may be one, only longer ones are parted.
    may_be_year = isinstance(value, int) and unit is None
    parted = "," if abs(value) >= (10_000 if may_be_year else 1_000) else ""
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


_HEADINGS = {
    VALUE: "answer", APPLY_RESULT: "answer", "start_date": "date", "start_datetime": "date",
    "start_time": "time",
}  # fmt: skip


def heading(name: str) -> str:
    """The name of an attribute, for people."""
    return _HEADINGS.get(name) or name.replace("_", " ").strip()


def joined(texts: Sequence[str], most: int) -> str:
    """The first of so many: "a, b and c", "a, b, c, d, e and 7 more"."""
    shown = [text if len(text) <= _LONG else f"{text[: _LONG - 1].rstrip()}…"
             for text in texts[:MOST_SAID]]  # fmt: skip
    more = most - len(shown)
    if any(", " in text for text in shown):
        return "; ".join(shown) + (f"; and {more:,} more" if more > 0 else "")
    if more > 0:
        shown.append(f"{more:,} more")
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def count(number: int, what: str) -> str:
    """ "1 event", "2,000 events"."""
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


# -- answers ---------------------------------------------------------------------------------------


def sentence(plan: Operator, result: Result, rows: Sequence[Sequence[str]]) -> str:
    """An answer in one sentence; `rows` has its texts."""
    said = _sentence(plan, result, rows)
    # Names that are written in a way of their own (iPhone) stay as they are.
    return said[:1].upper() + said[1:] if said.partition(" ")[0].islower() else said


def _sentence(plan: Operator, result: Result, rows: Sequence[Sequence[str]]) -> str:
    if result.schema.shape is Shape.VALUE:
        return _value_sentence(plan, result)
    if isinstance(plan, op.Extreme) and len(rows[0]) == 1:
        return _extreme_sentence(plan, result, [row[0] for row in rows])
    texts = [f"{row[0]} ({', '.join(row[1:])})" if len(row) > 1 else row[0]
             for row in rows[:MOST_SAID]]  # fmt: skip
    if not result.schema.focus:
        return f"{count(result.row_count, 'event')}: {joined(texts, len(rows))}."
    what = ""
    if len(rows) > MOST_SAID:
        more = "More than " if len(result.rows) < result.row_count else ""
        what = f"{more}{count(len(rows), 'answer')}: "
    return f"{what}{joined(texts, len(rows))}."


def _value_sentence(plan: Operator, result: Result) -> str:
    value, unit = result.rows[0].values[VALUE], result.rows[0].units.get(VALUE)
    rests = f", from {count(result.own or len(result.events), 'event')}" if result.events else ""
    if isinstance(value, bool):
        return f"{say(value)}{rests}."
    if isinstance(value, list | tuple):
        items = [say(item, unit) for item in value if item is not None]
        what = f"{len(items):,} in all: " if len(items) > MOST_SAID else ""
        return f"{what}{joined(items, len(items))}{rests}."
    if isinstance(plan, op.Aggregate):
        return f"{_aggregate(plan, result, value, unit)}{rests}."
    if isinstance(plan, op.Apply) and _is_count(plan.fct):
        number = f"{value:,}" if isinstance(value, int) else say(value, unit)
        return f"{number} in all{rests}."
    if isinstance(plan, op.Apply) and isinstance(value, int) and _is_days(plan.fct):
        return f"{count(value, 'day')}{rests}."
    return f"{say(value, unit)}{rests}."


_AGGREGATES = {"SUM": "total", "AVG": "average"}
_DATES = (Kind.DATE, Kind.TIME, Kind.DATETIME)


def _aggregate(plan: op.Aggregate, result: Result, value: Value, unit: str | None) -> str:
    kind = result.schema.value
    is_long = _is_long(plan.attr_name, unit)
    rank = _AGGREGATES.get(plan.name) or _rank(plan.name == "MAX", kind, is_long)
    if plan.name == "AVG" and isinstance(value, datetime | time):
        value = value.replace(second=0, microsecond=0)  # nobody did it at that second
    noun, verb = _noun(plan.attr_name, unit)
    if noun.partition(" ")[0] == rank:
        noun = noun.partition(" ")[2]
    return f"The {rank} {noun} {verb} {say(value, unit)}"


def _is_long(name: str, unit: str | None) -> bool:
    """Whether more of it is longer, not higher."""
    return "distance" in name or canonical_unit(unit or "") in ("s", "min", "h")


def _rank(is_most: bool, kind: Type | None, is_long: bool) -> str:
    if kind is not None and kind.kind in _DATES:
        return "latest" if is_most else "earliest"
    if is_long or (kind is not None and kind.kind is Kind.DURATION):
        return "longest" if is_most else "shortest"
    return "highest" if is_most else "lowest"


def _is_plural(name: str) -> bool:
    return name.endswith("s") and not name.endswith("ss")


def _noun(name: str, unit: str | None) -> tuple[str, str]:
    """What is measured, and its verb: the price is, the costs are, the number of steps is."""
    words = heading(name)
    first, _, last = words.rpartition(" ")
    if first and unit is not None and canonical_unit(last) == unit:
        words = first  # distance km
    if not _is_plural(words):
        return words, "is"
    if unit is not None and is_currency(unit):
        return words, "are"
    return f"number of {words}", "is"


def _is_days(fct: Lambda | FunctionName) -> bool:
    return isinstance(fct, Lambda) and isinstance(fct.body, Part) and fct.body.name == "days"


def _is_count(fct: Lambda | FunctionName) -> bool:
    body = fct.body if isinstance(fct, Lambda) else fct
    return body == FunctionName("len") or (isinstance(body, Call) and body.function == "len")


def _extreme_sentence(plan: op.Extreme, result: Result, names: Sequence[str]) -> str:
    row, attribute = result.rows[0], plan.arg_attr_name
    unit = row.units.get(attribute)
    best = say(row.values.get(attribute), unit)
    is_most = plan.name == "ARGMAX"
    kind = result.schema.attributes.get(attribute)
    rank = _rank(is_most, kind, _is_long(attribute, unit))
    noun, verb = _noun(attribute, unit)
    first = row.values.get("start_datetime")
    if plan.val_attr_name is None and len(result.rows) == 1 and first is not None:
        return f"The {rank} {noun} {verb} {best}, on {say(first)}."
    if noun.startswith("number of "):
        rank, noun = "most" if is_most else "fewest", heading(attribute)
    verb = "has" if len(names) == 1 else "have"
    return f"{joined(names, len(names))} {verb} the {rank} {noun}: {best}."


# -- no data ---------------------------------------------------------------------------------------


def no_data(plan: Operator, result: Result) -> tuple[str, str]:
    """The step at which the rows ran out, and a sentence about it."""
    node, step = result.trace, plan
    while empty := [pair for pair in _inner(node, step) if not pair[0].rows_out]:
        node, step = empty[0]
    what = f"“{node.question}”" if node.question else node.text
    if node.name == "RETRIEVE":
        return node.path, f"No data: nothing was found for {what}."
    is_events = not node.inputs or node.inputs[0].shape == "events"
    thing = "event" if is_events else "group"
    if node.rows_in and (untold := _untold(node, step)):
        found = max(node.rows_in, len(result.events) if is_events else 0)
        told = " or ".join(f"the {heading(name)}" for name in untold)
        if found == 1:
            return node.path, f"No data: 1 {thing} was found, but it does not tell {told}."
        return node.path, f"No data: {found:,} {thing}s were found, but none of them tells {told}."
    if node.rows_in:
        before = count(node.rows_in, thing)
        return node.path, f"No data: of {before}, none is left for {what}."
    return node.path, f"No data: {what} has nothing to work on."


def _inner(node: TraceNode, step: Operator) -> list[tuple[TraceNode, Operator]]:
    nodes, steps = (*node.inputs, *node.sub_plans), (*step.inputs(), *step.sub_plans())
    return list(zip(nodes, steps, strict=True))


def _untold(node: TraceNode, step: Operator) -> list[str]:
    """What a step needed, and no event told."""
    if isinstance(step, op.Aggregate):
        return [step.attr_name]
    if isinstance(step, op.Extreme):
        return [step.arg_attr_name]
    return [
        note.partition(":")[0] for inner in node.walk() for note in inner.notes
        if note.partition(": ")[2].startswith(NOTHING)
    ]  # fmt: skip
