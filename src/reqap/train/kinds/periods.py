"""Per year, month, weekday and hour."""

from reqap.plan.format import quoted
from reqap.train.compose import Composer, Made, Rows, kind
from reqap.train.kinds.parts import inner, q
from reqap.train.times import period

# What a unit of time is called, what the attribute is called, and how it is worked out. A month
# of the year is January to December, whatever the year; a month is one of many.
_UNITS: dict[str, tuple[str, str]] = {
    "year": ("year", "{}.year"),
    "month": ("month", '{}.strftime("%Y-%m")'),
    "month of the year": ("month", "{}.month"),
    "weekday": ("weekday", '{}.strftime("%A")'),
    "day of the week": ("weekday", '{}.strftime("%A")'),
    "quarter of the year": ("quarter", "({}.month - 1) // 3 + 1"),
    "week": ("week", '{}.strftime("%G-%V")'),
    "hour of the day": ("hour", 'e["start_time"].hour'),
    "decade": ("decade", "{}.year // 10 * 10"),
}


def _by_time(c: Composer, rows: Rows, unit: str) -> tuple[str, str]:
    name, written = _UNITS[unit]
    mapped = q(
        f"my {rows.noun}{rows.tail} with the {unit}",
        f"MAP({rows.asked()}, lambda e: {written.format('e[' + quoted('start_date') + ']')}, {quoted(name)})",
    )
    return q(
        f"my {rows.noun}{rows.tail}, grouped by {unit}", f"GROUP_BY({mapped}, [{quoted(name)}])"
    ), name


def _measured(c: Composer, rows: Rows, unit: str) -> tuple[str, str, str, str, str]:
    """How many, or how much, per unit of time: the plan, the unit's name, the number's, words."""
    numbers = [a for a in rows.thing.attrs if a["kind"] == "number" and a.get("total")]
    if numbers and c.chance.random() < 0.4:
        attr = c.chance.choice(numbers)
        wide, key = c.with_attr(rows, attr)
        groups, name = _by_time(c, wide, unit)
        function, word = c.chance.choice((("sum", "total"), ("sum", "total"), ("avg", "average")))
        number = f"{word}_{key}"[:40]
        told = f"{word} {attr['noun']} of my {rows.noun}{rows.tail}"
        return (
            q(
                f"{told} per {unit}",
                f"MAP({groups}, lambda e: {function}(x[{quoted(key)}] for x in e), {quoted(number)})",
            ),
            name,
            number,
            told,
            attr["noun"],
        )
    groups, name = _by_time(c, rows, unit)
    told = f"number of my {rows.noun}{rows.tail}"
    return q(f"{told} per {unit}", f'MAP({groups}, len, "number")'), name, "number", told, ""


def _period_only(c: Composer) -> Rows:
    thing = c.thing()
    rows = c.rows(thing, most=0)
    return c.timed(rows, (period(c.chance),)) if c.chance.random() < 0.5 else rows


@kind(4)
def per_time(c: Composer) -> Made:
    unit = c.chance.choice(tuple(_UNITS))
    rows = _period_only(c)
    measured, _, _, told, _ = _measured(c, rows, unit)
    name = unit
    did = c.chance.choice(rows.thing.did)
    question = c.pick(
        f"What was the {told} per {name}?", f"{told} for each {name}", f"Give me the {told} by {name}", f"Break down the {told} by {name}",
        f"How many times did I {did}{rows.tail} in each {name}?" if told.startswith("number") else f"Show the {told} {name} by {name}",
    )  # fmt: skip
    return question, inner(measured)


@kind(4)
def best_time(c: Composer) -> Made:
    unit = c.chance.choice(tuple(_UNITS))
    rows = _period_only(c)
    measured, key, number, told, _ = _measured(c, rows, unit)
    name = unit
    did = c.chance.choice(rows.thing.did)
    side, word = c.chance.choice((("ARGMAX", "most"), ("ARGMAX", "most"), ("ARGMIN", "least")))
    at = {"weekday": "On which", "hour": "At which"}.get(key, "In which")
    if told.startswith("number"):
        few = "most" if word == "most" else "fewest"
        question = c.pick(
            f"{at} {name} did I {did} {word} often{rows.tail}?", f"Which {name} had the {few} {rows.noun}{rows.tail}?",
            f"{name} with the {few} {rows.noun}{rows.tail}", f"{at} {name} did I have the {few} {rows.noun}{rows.tail}?",
        )  # fmt: skip
    else:
        high = "highest" if word == "most" else "lowest"
        question = c.pick(
            f"Which {name} had the {high} {told}?",
            f"{at} {name} was the {told} the {high}?",
            f"{name} with the {high} {told}",
        )
    return question, f"{side}({measured}, {quoted(number)}, {quoted(key)})"


@kind(3)
def mean_per_time(c: Composer) -> Made:
    unit = c.pick("year", "month", "week")
    rows = _period_only(c)
    if c.chance.random() < 0.3:
        groups = q(
            f"my {rows.noun}{rows.tail}, grouped by day",
            f'GROUP_BY({rows.asked()}, ["start_date"])',
        )
        measured, name = (
            q(f"number of my {rows.noun}{rows.tail} per day", f'MAP({groups}, len, "number")'),
            "day",
        )
        number, told = "number", f"number of my {rows.noun}{rows.tail}"
    else:
        measured, name, number, told, _ = _measured(c, rows, unit)
    did = c.chance.choice(rows.thing.did)
    function, word = c.chance.choice(
        (("AVG", "average"), ("AVG", "average"), ("MAX", "greatest"), ("MIN", "smallest"))
    )
    if function == "AVG" and told.startswith("number"):
        question = c.pick(
            f"How many times a {name} did I {did} on average{rows.tail}?",
            f"What's the average number of {rows.noun} per {name}{rows.tail}?",
            f"On average, how many {rows.noun} did I have per {name}{rows.tail}?",
        )
    else:
        question = c.pick(f"What was the {word} {told} in one {name}?", f"{word} {told} per {name}")
    return question, f"{function}({measured}, {quoted(number)})"


@kind(3)
def times_often(c: Composer) -> Made:
    """In how many months, or which, at least so many."""
    unit = c.pick("month", "week", "year")
    rows = _period_only(c)
    if c.chance.random() < 0.35:
        groups, name = (
            q(
                f"my {rows.noun}{rows.tail}, grouped by day",
                f'GROUP_BY({rows.asked()}, ["start_date"])',
            ),
            "day",
        )
    else:
        groups, name = _by_time(c, rows, unit)
    least = c.chance.choice((2, 3, 4, 5, 8, 10, 20))
    sign, told = c.chance.choice(
        ((">=", "at least"), (">", "more than"), ("<", "fewer than"), ("==", "exactly"))
    )
    at = "On" if name == "day" else "In"
    kept = q(
        f"{name}s with {told} {least} {rows.noun}{rows.tail}",
        f"FILTER({groups}, lambda e: len(e) {sign} {least})",
    )
    did = c.chance.choice(rows.thing.did)
    if c.chance.random() < 0.7:
        question = c.pick(
            f"{at} how many {name}s did I {did} {told} {least} times{rows.tail}?",
            f"Number of {name}s with {told} {least} {rows.noun}{rows.tail}",
            f"How many {name}s had {told} {least} {rows.noun}{rows.tail}?",
        )
        return question, f"APPLY({kept}, len)"
    key = "start_date" if name == "day" else name
    question = c.pick(
        f"{at} which {name}s did I {did} {told} {least} times{rows.tail}?",
        f"Which {name}s had {told} {least} {rows.noun}{rows.tail}?",
    )
    return question, f"APPLY({kept}, lambda l: [g[{quoted(key)}] for g in l])"
