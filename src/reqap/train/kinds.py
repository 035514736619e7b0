"""The kinds of questions that are put together, each with its plan.

`compose` says what the parts are. A sub-question says all that matters for its part of the plan.
"""

from dataclasses import replace
from typing import Any

from reqap.plan.format import quoted
from reqap.train.compose import KINDS, Composer, Made, Odd, Rows, kind
from reqap.train.times import period

__all__ = ["KINDS"]
_NUMBERS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def q(question: str, plan: str) -> str:
    return f"QUD({quoted(question)}, {plan})"


# -- counting and looking up -----------------------------------------------------------------------


@kind(7)
def count(c: Composer) -> Made:
    rows = c.rows(c.thing())
    did, past = c.chance.choice(rows.thing.did), c.chance.choice(rows.thing.past)
    t = rows.tail
    question = c.pick(
        f"How many times did I {did}{t}?", f"How often did I {did}{t}?", f"How many {rows.noun} did I have{t}?",
        f"Number of {rows.noun}{t}", f"Count my {rows.noun}{t}", f"How many times have I {past}{t}?"
        if not rows.tail else f"How many {rows.noun}{t}?", f"On how many occasions did I {did}{t}?",
        f"What's the number of my {rows.noun}{t}?", f"Tell me how many {rows.noun} I had{t}",
        f"In total, how many {rows.noun} were there{t}?",
    )  # fmt: skip
    return question, f"APPLY({rows.asked()}, len)"


@kind(3)
def exists(c: Composer) -> Made:
    rows = c.rows(c.thing())
    did = c.chance.choice(rows.thing.did)
    question = c.pick(
        f"Did I {did}{rows.tail}?", f"Did I ever {did}{rows.tail}?", f"Have there been any {rows.noun}{rows.tail}?",
        f"Were there any {rows.noun}{rows.tail}?", f"Is it true that I did not {did}{rows.tail}?",
        f"Can you check whether I had any {rows.noun}{rows.tail}?", f"Any {rows.noun}{rows.tail}?",
    )  # fmt: skip
    test = "len(l) == 0" if "did not" in question else "len(l) > 0"
    return question, f"APPLY({rows.asked()}, lambda l: {test})"


@kind(2)
def more_than(c: Composer) -> Made:
    rows = c.rows(c.thing())
    number = c.chance.choice((2, 3, 4, 5, 10, 12, 20, 25, 50, 100))
    did = c.chance.choice(rows.thing.did)
    sign, told = c.chance.choice(
        ((">", "more than"), (">=", "at least"), ("<", "fewer than"), (">", "over"))
    )
    question = c.pick(
        f"Did I {did} {told} {number} times{rows.tail}?", f"Were there {told} {number} {rows.noun}{rows.tail}?",
        f"Did I have {told} {number} {rows.noun}{rows.tail}?",
    )  # fmt: skip
    return question, f"APPLY({rows.asked()}, lambda l: len(l) {sign} {number})"


@kind(5)
def when_extreme(c: Composer) -> Made:
    rows = c.rows(c.thing())
    t = rows.tail
    did, past = c.chance.choice(rows.thing.did), c.chance.choice(rows.thing.past)
    name, word = c.chance.choice(
        (
            ("MAX", "last"),
            ("MIN", "first"),
            ("MAX", "most recent"),
            ("MAX", "latest"),
            ("MIN", "earliest"),
        )
    )
    short = "last" if name == "MAX" else "first"
    attr = "start_date" if c.chance.random() < 0.85 else "start_datetime"
    question = c.pick(
        f"When did I {short} {did}{t}?", f"When was the {short} time I {past}{t}?", f"Date of my {word} one of the {rows.noun}{t}",
        f"On which day did I {did} for the {short} time{t}?", f"When were my {word} {rows.noun}{t}?",
        f"{short} time I {past}{t}",
    )  # fmt: skip
    if attr == "start_datetime":
        question = f"At what exact time did I {short} {did}{t}?"
    return question, f"{name}({rows.asked()}, {quoted(attr)})"


@kind(2)
def ago(c: Composer) -> Made:
    rows = c.rows(c.thing(), most=1)
    past = c.chance.choice(rows.thing.past)
    unit, divided = c.chance.choice((("days", ""), ("weeks", " // 7"), ("days", "")))
    question = c.pick(
        f"How many {unit} ago did I last {c.chance.choice(rows.thing.did)}{rows.tail}?",
        f"How many {unit} is it since I last {past}{rows.tail}?", f"{unit} since I {past}{rows.tail} for the last time",
        f"How long ago, in {unit}, was the last time I {past}{rows.tail}?",
    )  # fmt: skip
    last = q(f"when did I last have {rows.noun}{rows.tail}?", f'MAX({rows.asked()}, "start_date")')
    return question, f"APPLY({last}, lambda l: (date.today() - l).days{divided})"


@kind(2)
def days_between(c: Composer) -> Made:
    rows = c.rows(c.thing(), most=1)
    question = c.pick(
        f"How many days lie between my first and my last {rows.noun}{rows.tail}?",
        f"Days from the first to the last of my {rows.noun}{rows.tail}",
        f"What is the time in days between the earliest and the latest of my {rows.noun}{rows.tail}?",
    )  # fmt: skip
    plan = (f'APPLY({rows.asked()}, lambda l: (max(e["start_date"] for e in l) -'
            f' min(e["start_date"] for e in l)).days)')  # fmt: skip
    return question, plan


@kind(3)
def days_with(c: Composer) -> Made:
    rows = c.rows(c.thing())
    did = c.chance.choice(rows.thing.did)
    unit, key = c.chance.choice((
        ("days", 'e["start_date"]'), ("days", 'e["start_date"]'), ("months", 'e["start_date"].strftime("%Y-%m")'),
        ("weeks", 'e["start_date"].strftime("%G-%V")'), ("years", 'e["start_date"].year'),
    ))  # fmt: skip
    where = "On" if unit == "days" else "In"
    question = c.pick(
        f"{where} how many {unit} did I {did}{rows.tail}?", f"{where} how many different {unit} did I {did}{rows.tail}?",
        f"Number of {unit} with {rows.noun}{rows.tail}", f"Count the {unit} {where.lower()} which I {c.chance.choice(rows.thing.past)}{rows.tail}",
    )  # fmt: skip
    return question, f"APPLY({rows.asked()}, lambda l: len(set({key} for e in l)))"


# -- numbers ---------------------------------------------------------------------------------------


@kind(6)
def total(c: Composer) -> Made:
    rows = c.rows(c.thing("number"))
    attr = c.attr(rows.thing, "number", "total")
    wide, key = c.with_attr(rows, attr)
    question = c.pick(
        f"{c.chance.choice(attr['total'])}{rows.tail}?", f"{c.chance.choice(attr['total'])}{rows.tail}",
        f"What was the total {attr['noun']} of my {rows.noun}{rows.tail}?", f"Sum of the {attr['noun']} of my {rows.noun}{rows.tail}",
        f"Add up the {attr['noun']} of all my {rows.noun}{rows.tail}",
    )  # fmt: skip
    return question, f"SUM({wide.asked()}, {quoted(key)})"


@kind(4)
def mean(c: Composer) -> Made:
    rows = c.rows(c.thing("number"))
    attr = c.attr(rows.thing, "number", "mean")
    wide, key = c.with_attr(rows, attr)
    question = c.pick(
        f"{c.chance.choice(attr['mean'])}{rows.tail}?", f"What was the average {attr['noun']} of my {rows.noun}{rows.tail}?",
        f"Mean {attr['noun']} of my {rows.noun}{rows.tail}", f"On average, what {attr['noun']} did my {rows.noun} have{rows.tail}?",
    )  # fmt: skip
    return question, f"AVG({wide.asked()}, {quoted(key)})"


@kind(3)
def extreme_value(c: Composer) -> Made:
    rows = c.rows(c.thing("number"))
    attr = c.attr(rows.thing, "number")
    wide, key = c.with_attr(rows, attr)
    name, word = c.chance.choice(
        (
            ("MAX", "highest"),
            ("MAX", "greatest"),
            ("MIN", "lowest"),
            ("MAX", "maximum"),
            ("MIN", "smallest"),
            ("MIN", "minimum"),
        )
    )
    question = c.pick(
        f"What was the {word} {attr['noun']} of my {rows.noun}{rows.tail}?", f"{word} {attr['noun']} among my {rows.noun}{rows.tail}",
        f"What's the {word} {attr['noun']} I had for my {rows.noun}{rows.tail}?",
    )  # fmt: skip
    return question, f"{name}({wide.asked()}, {quoted(key)})"


@kind(5)
def extreme_event(c: Composer) -> Made:
    """When, or with whom, or where the longest run was."""
    rows = c.rows(c.thing("number"))
    side, name = c.chance.choice((("most", "ARGMAX"), ("most", "ARGMAX"), ("least", "ARGMIN")))
    attr = c.attr(rows.thing, "number", side)
    told = c.chance.choice(attr[side])
    key = c.chance.choice(attr["keys"])
    others = [a for a in rows.thing.attrs if a is not attr and a["kind"] != "date"]
    if not others or c.chance.random() < 0.55:
        wide, key = c.with_attr(rows, attr)
        question = c.pick(
            f"When was my {told}{rows.tail}?",
            f"On which day did I have my {told}{rows.tail}?",
            f"Date of my {told}{rows.tail}",
            f"What date was my {told}{rows.tail}?",
        )
        return question, f'{name}({wide.asked()}, {quoted(key)}, "start_date")'
    other = c.chance.choice(others)
    second = c.chance.choice(other["keys"])
    kinds = [
        (key, "float"),
        (second, {"number": "float", "text": "str", "people": "list"}[other["kind"]]),
    ]
    wide = c.extracted(rows, kinds, f" with their {attr['noun']} and {other['noun']}")
    if other["kind"] == "people":
        question = c.pick(
            f"Who was with me on my {told}{rows.tail}?",
            f"Who were the {other['noun']} of my {told}{rows.tail}?",
        )
    else:
        question = c.pick(
            f"What was the {other['noun']} of my {told}{rows.tail}?",
            f"Which {other['noun']} did my {told}{rows.tail} have?",
        )
    return question, f"{name}({wide.asked()}, {quoted(key)}, {quoted(second)})"


@kind(2)
def above_average(c: Composer) -> Made:
    rows = c.rows(c.thing("number"), most=1)
    attr = c.attr(rows.thing, "number")
    wide, key = c.with_attr(rows, attr)
    sign, told = c.chance.choice(((">", "above"), ("<", "below")))
    average = q(
        f"what was the average {attr['noun']} of my {rows.noun}{rows.tail}?",
        f"AVG({wide.asked()}, {quoted(key)})",
    )
    kept = q(
        f"my {rows.noun}{rows.tail} with a {attr['noun']} {told} the average",
        f"FILTER({wide.asked()}, lambda e: e[{quoted(key)}] {sign} {average}.result)",
    )
    question = c.pick(
        f"How many of my {rows.noun}{rows.tail} had a {attr['noun']} {told} average?", f"How many {rows.noun}{rows.tail} were {told} my average {attr['noun']}?",
        f"Number of {rows.noun}{rows.tail} with {'more' if sign == '>' else 'less'} than the average {attr['noun']}",
    )  # fmt: skip
    return question, f"APPLY({kept}, len)"


# -- values ----------------------------------------------------------------------------------------


def _of_values(c: Composer, having: str) -> tuple[Rows, dict[str, Any]]:
    thing = c.thing(c.pick("text", "text", "people"))
    fitting = [a for a in thing.attrs if a["kind"] in ("text", "people") and a.get(having)]
    if not fitting:
        raise Odd
    return c.rows(thing), c.chance.choice(fitting)


@kind(5)
def which(c: Composer) -> Made:
    rows, attr = _of_values(c, "which")
    wide, key = c.with_attr(rows, attr)
    question = c.pick(
        f"{c.chance.choice(attr['which'])}{rows.tail}?", f"{c.chance.choice(attr['which'])}{rows.tail}?", f"List all {attr.get('nouns', attr['noun'])} of my {rows.noun}{rows.tail}",
        f"Give me the {attr.get('nouns', attr['noun'])} of my {rows.noun}{rows.tail}",
    )  # fmt: skip
    if attr["kind"] == "people":
        wide, key = c.unnested(wide, attr, key)
    return question, f"APPLY({wide.asked()}, lambda l: set(e[{quoted(key)}] for e in l))"


@kind(4)
def which_extreme(c: Composer) -> Made:
    """The value of the last or first one."""
    rows, attr = _of_values(c, "which")
    wide, key = c.with_attr(rows, attr)
    name, word = c.chance.choice(
        (("ARGMAX", "last"), ("ARGMIN", "first"), ("ARGMAX", "most recent"))
    )
    past = c.chance.choice(rows.thing.past)
    what = "who were the" if attr["kind"] == "people" else "what was the"
    question = c.pick(
        f"{what} {attr['noun']} the {'last' if name == 'ARGMAX' else 'first'} time I {past}{rows.tail}?",
        f"The {word} time I {past}{rows.tail}, {what} {attr['noun']}?", f"{attr['noun']} of the {word} one of my {rows.noun}{rows.tail}",
    )  # fmt: skip
    return question, f'{name}({wide.asked()}, "start_datetime", {quoted(key)})'


@kind(3)
def distinct(c: Composer) -> Made:
    rows, attr = _of_values(c, "distinct")
    wide, key = c.with_attr(rows, attr)
    question = c.pick(
        f"{c.chance.choice(attr['distinct'])}{rows.tail}?", f"Number of different {attr.get('nouns', attr['noun'])} of my {rows.noun}{rows.tail}",
        f"Count the distinct {attr.get('nouns', attr['noun'])} of my {rows.noun}{rows.tail}",
    )  # fmt: skip
    wide, key = c.unnested(wide, attr, key)
    return question, f"APPLY({wide.asked()}, lambda l: len(set(e[{quoted(key)}] for e in l)))"


def _counted(c: Composer, rows: Rows, attr: dict[str, Any]) -> tuple[str, str, str]:
    """How often each value occurs: the plan as an answer, the name of the value, of the number."""
    wide, key = c.with_attr(rows, attr)
    wide, key = c.unnested(wide, attr, key)
    noun = attr["noun"] if attr["kind"] == "text" else attr["item"]
    groups = q(
        f"my {rows.noun}{rows.tail}, grouped by {noun}",
        f"GROUP_BY({wide.asked()}, [{quoted(key)}])",
    )
    number = c.pick("times", "number", "how_often")
    told = c.pick(
        f"how often each {noun} occurs among my {rows.noun}{rows.tail}",
        f"number of {rows.noun}{rows.tail} per {noun}",
    )
    return q(told, f"MAP({groups}, len, {quoted(number)})"), key, number


@kind(6)
def most_frequent(c: Composer) -> Made:
    rows, attr = _of_values(c, "most")
    counted, key, number = _counted(c, rows, attr)
    told = str(c.chance.choice(attr["most"]))
    if c.chance.random() < 0.12 and attr["kind"] == "text":
        question = c.pick(
            f"Which {attr['noun']} was the rarest among my {rows.noun}{rows.tail}?",
            f"Which {attr['noun']} came up least often in my {rows.noun}{rows.tail}?",
        )
        return question, f"ARGMIN({counted}, {quoted(number)}, {quoted(key)})"
    asks = told.split()[0] in (
        "Which",
        "What",
        "Who",
        "Where",
        "With",
        "At",
        "To",
        "In",
        "From",
        "On",
        "Whose",
    )
    question = (
        f"{told}{rows.tail}?"
        if asks
        else c.pick(f"What was {told}{rows.tail}?", f"{told}{rows.tail}")
    )
    return question, f"ARGMAX({counted}, {quoted(number)}, {quoted(key)})"


@kind(2)
def top(c: Composer) -> Made:
    """The most frequent few."""
    rows, attr = _of_values(c, "most")
    counted, key, number = _counted(c, rows, attr)
    few = c.chance.randint(2, 10)
    told = _NUMBERS[few - 2] if c.chance.random() < 0.4 else str(few)
    nouns = attr.get("nouns", attr["noun"])
    question = c.pick(
        f"What are the {told} most frequent {nouns} of my {rows.noun}{rows.tail}?", f"Top {told} {nouns} of my {rows.noun}{rows.tail}",
        f"Which {told} {nouns} occurred most in my {rows.noun}{rows.tail}?", f"List the {told} commonest {nouns} of my {rows.noun}{rows.tail}",
    )  # fmt: skip
    plan = (f"APPLY({counted}, lambda l: [g[{quoted(key)}] for g in"
            f" sorted(l, key=lambda g: g[{quoted(number)}], reverse=True)[:{few}]])")  # fmt: skip
    return question, plan


@kind(3)
def values_often(c: Composer) -> Made:
    """Values that occur at least so often."""
    rows, attr = _of_values(c, "most")
    counted, key, number = _counted(c, rows, attr)
    least = c.chance.choice((2, 3, 4, 5, 10, 20, 50))
    sign, told = c.chance.choice(
        (
            (">=", f"at least {least} times"),
            (">", f"more than {least} times"),
            ("==", "exactly once"),
            (">", "more than once"),
            (">=", f"{least} times or more"),
        )
    )
    bound = 1 if "once" in told else least
    nouns = attr.get("nouns", attr["noun"])
    noun = attr["noun"] if attr["kind"] == "text" else attr["item"]
    kept = q(
        f"{nouns} that occur {told} among my {rows.noun}{rows.tail}",
        f"FILTER({counted}, lambda e: e[{quoted(number)}] {sign} {bound})",
    )
    if c.chance.random() < 0.4:
        question = c.pick(
            f"How many {nouns} occur {told} in my {rows.noun}{rows.tail}?",
            f"Number of {nouns} that came up {told} in my {rows.noun}{rows.tail}",
        )
        return question, f"APPLY({kept}, len)"
    question = c.pick(
        f"Which {nouns} occurred {told} in my {rows.noun}{rows.tail}?",
        f"List every {noun} that came up {told} in my {rows.noun}{rows.tail}",
    )
    return question, f"APPLY({kept}, lambda l: [g[{quoted(key)}] for g in l])"


@kind(3)
def value_by_sum(c: Composer) -> Made:
    """Which value has the greatest total or mean of a number."""
    rows, attr = _of_values(c, "most")
    if attr["kind"] == "people":
        raise Odd
    summed = c.attr(rows.thing, "number")
    key, number = c.chance.choice(attr["keys"]), c.chance.choice(summed["keys"])
    wide = c.extracted(
        rows, [(key, "str"), (number, "float")], f" with {attr['noun']} and {summed['noun']}"
    )
    groups = q(
        f"my {rows.noun}{rows.tail}, grouped by {attr['noun']}",
        f"GROUP_BY({wide.asked()}, [{quoted(key)}])",
    )
    function, word = c.chance.choice(
        (("sum", "total"), ("sum", "total"), ("avg", "average"), ("max", "highest"))
    )
    if function == "sum" and not summed.get("total"):
        function, word = "avg", "average"
    name = f"{word}_{number}"[:40]
    measured = q(
        f"{word} {summed['noun']} of my {rows.noun}{rows.tail} for each {attr['noun']}",
        f"MAP({groups}, lambda e: {function}(x[{quoted(number)}] for x in e), {quoted(name)})",
    )
    if c.chance.random() < 0.25:
        question = c.pick(
            f"What was the {word} {summed['noun']} of my {rows.noun}{rows.tail} per {attr['noun']}?",
            f"{word} {summed['noun']} by {attr['noun']} for my {rows.noun}{rows.tail}",
        )
        return question, _inner(measured)
    side, told = c.chance.choice(
        (("ARGMAX", "highest"), ("ARGMAX", "greatest"), ("ARGMIN", "lowest"))
    )
    told = "" if word == "highest" else f"{told} "
    question = c.pick(
        f"Which {attr['noun']} had the {told}{word} {summed['noun']} among my {rows.noun}{rows.tail}?",
        f"For which {attr['noun']} was the {word} {summed['noun']} of my {rows.noun}{rows.tail} the {'lowest' if side == 'ARGMIN' else 'highest'}?",
    )  # fmt: skip
    return question, f"{side}({measured}, {quoted(name)}, {quoted(key)})"


@kind(2)
def who_else(c: Composer) -> Made:
    thing = c.thing("people")
    attr = c.attr(thing, "people", "is")
    person = c.person()
    rows = c.rows(thing)
    if "with" in rows.tail:
        raise Odd
    query = c.chance.choice(thing.queries)
    told = str(c.chance.choice(attr["is"])).replace("{v}", person)
    rows = Rows(thing, rows.noun, f" {told}", f"RETRIEVE({quoted(f'{query} {told}')})")
    wide, key = c.with_attr(rows, attr)
    single, item = c.unnested(wide, attr, key)
    kept = Rows(
        thing,
        rows.noun,
        f" {told}, one row per other {item.replace('_', ' ')}",
        f"FILTER({single.asked()}, lambda e: e[{quoted(item)}] != {quoted(person)})",
    )
    groups = q(
        f"my {rows.noun} {told}, grouped by the others",
        f"GROUP_BY({kept.asked()}, [{quoted(item)}])",
    )
    counted = q(
        f"how often each other {item.replace('_', ' ')} is at my {rows.noun} {told}",
        f'MAP({groups}, len, "times")',
    )
    question = c.pick(
        f"Who else is there most often at my {rows.noun} {told}?",
        f"Besides {person}, who do I see most at my {rows.noun} {told}?",
        f"Apart from {person}, who is most often part of my {rows.noun} {told}?",
    )
    return question, f'ARGMAX({counted}, "times", {quoted(item)})'


@kind(2)
def except_value(c: Composer) -> Made:
    rows, attr = _of_values(c, "is")
    if attr["kind"] == "people":
        raise Odd
    value = str(c.chance.choice(attr["values"]))
    wide, key = c.with_attr(rows, attr)
    kept = replace(
        wide,
        tail=f"{rows.tail} whose {attr['noun']} is not {value}",
        plan=f"FILTER({wide.asked()}, lambda e: e[{quoted(key)}] != {quoted(value)})",
    )
    if c.chance.random() < 0.5:
        question = c.pick(
            f"How many of my {rows.noun}{rows.tail} had another {attr['noun']} than {value}?",
            f"Not counting {value}, how many {rows.noun} did I have{rows.tail}?",
            f"How many {rows.noun} other than {value} were there{rows.tail}?",
        )
        return question, f"APPLY({kept.asked()}, len)"
    groups = q(
        f"my {rows.noun}{rows.tail} whose {attr['noun']} is not {value}, grouped by {attr['noun']}",
        f"GROUP_BY({kept.asked()}, [{quoted(key)}])",
    )
    counted = q(
        f"how often each {attr['noun']} but {value} occurs among my {rows.noun}{rows.tail}",
        f'MAP({groups}, len, "times")',
    )
    question = c.pick(
        f"Apart from {value}, which {attr['noun']} is the most common of my {rows.noun}{rows.tail}?",
        f"Most frequent {attr['noun']} of my {rows.noun}{rows.tail}, {value} aside",
    )
    return question, f'ARGMAX({counted}, "times", {quoted(key)})'


# -- groups of time --------------------------------------------------------------------------------

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
    return question, _inner(measured)


def _inner(asked: str) -> str:
    """The plan of a QUD("…", plan)."""
    end = 5
    while asked[end] != '"' or asked[end - 1] == "\\":
        end += 1
    return asked[end + 3 : -1]


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


# -- comparing -------------------------------------------------------------------------------------


def _amount(c: Composer, rows: Rows, attr: dict[str, Any] | None, key: str) -> tuple[str, str]:
    """How many, or how much, of some events: words, and the plan."""
    if attr is None:
        return f"how many {rows.noun} did I have{rows.tail}?", f"APPLY({rows.asked()}, len)"
    wide = c.extracted(rows, [(key, "float")], f" with their {attr['noun']}")
    return (
        f"what is the total {attr['noun']} of my {rows.noun}{rows.tail}?",
        f"SUM({wide.asked()}, {quoted(key)})",
    )


def _pair(c: Composer) -> tuple[Rows, Rows, dict[str, Any] | None, str]:
    """The same thing at two times, or two things at the same time."""
    thing = c.thing()
    numbers = [a for a in thing.attrs if a["kind"] == "number" and a.get("total")]
    attr = c.chance.choice(numbers) if numbers and c.chance.random() < 0.3 else None
    key = c.chance.choice(attr["keys"]) if attr else ""
    base = c.rows(thing, most=0)
    if attr is not None or c.chance.random() < 0.5:
        first, second = period(c.chance), period(c.chance)
        if c.chance.random() < 0.4:
            year = c.chance.randint(2010, 2024)
            first, second = (
                replace(first, phrase=f"in {y}", condition=f'e["start_date"].year == {y}')
                for y in (year, year + 1)
            )
        return c.timed(base, (first,)), c.timed(base, (second,)), attr, key
    other = c.rows(c.thing(), most=0)
    if c.chance.random() < 0.6:
        when = (period(c.chance),)
        return c.timed(base, when), c.timed(other, when), None, ""
    return base, other, None, ""


@kind(4)
def compare(c: Composer) -> Made:
    one, two, attr, key = _pair(c)
    (first, left), (second, right) = _amount(c, one, attr, key), _amount(c, two, attr, key)
    what = f"a greater total {attr['noun']} of {one.noun}" if attr else f"more {one.noun}"
    did = c.chance.choice(one.thing.did)
    case = c.chance.random()
    if case < 0.4:
        question = c.pick(
            f"Did I have {what}{one.tail} than {two.noun if two.noun != one.noun else ''}{two.tail}?".replace(
                "than  ", "than "
            ),
            f"Were there more {one.noun}{one.tail} than {two.noun}{two.tail}?"
            if not attr
            else f"Was the {attr['noun']} of my {one.noun} greater{one.tail} than{two.tail}?",
        )
        function = f"lambda l: l > {q(second, right)}.result"
    elif case < 0.8:
        question = c.pick(
            f"How many more {one.noun} did I have{one.tail} than {two.noun if two.noun != one.noun else ''}{two.tail}?".replace("than  ", "than ") if not attr else f"By how much did the {attr['noun']} of my {one.noun}{one.tail} exceed that{two.tail}?",
            f"What's the difference between the {'total ' + attr['noun'] if attr else 'number'} of my {one.noun}{one.tail} and {two.noun}{two.tail}?",
        )  # fmt: skip
        function = f"lambda l: l - {q(second, right)}.result"
    elif attr is None and one.noun == two.noun:
        names = one.tail.strip(), two.tail.strip()
        question = c.pick(
            f"Did I {did} more often {names[0]} or {names[1]}?",
            f"When did I have more {one.noun}, {names[0]} or {names[1]}?",
        )
        function = (
            f"lambda l: {quoted(names[0])} if l > {q(second, right)}.result else {quoted(names[1])}"
        )
    else:
        question = c.pick(
            f"How many times as many {one.noun}{one.tail} as {two.noun}{two.tail} did I have?"
            if not attr
            else f"What is the ratio of the {attr['noun']} of my {one.noun}{one.tail} to that{two.tail}?"
        )
        function = f"lambda l: l / {q(second, right)}.result"
    return question, f"APPLY({q(first, left)}, {function})"


@kind(3)
def share(c: Composer) -> Made:
    rows = c.rows(c.thing(), most=1)
    when = c.when()
    condition = " and ".join(w.condition for w in when)
    tail = "".join(f" {w.phrase}" for w in when)
    percent = c.chance.random() < 0.7
    factor = "100 * " if percent else ""
    what = "percentage" if percent else "share"
    question = c.pick(
        f"What {what} of my {rows.noun}{rows.tail} were{tail}?",
        f"{what} of my {rows.noun}{rows.tail} that happened{tail}",
        f"Of all my {rows.noun}{rows.tail}, what {what} took place{tail}?",
    )
    return (
        question,
        f"APPLY({rows.asked()}, lambda l: {factor}len([e for e in l if {condition}]) / len(l))",
    )


# -- two things together ---------------------------------------------------------------------------


def _two(c: Composer) -> tuple[Rows, Rows]:
    return c.rows(c.thing()), c.rows(c.thing(), most=0)


_JOINS: tuple[tuple[str, str], ...] = (
    ("on the same day as {}", "i1.start_date == i2.start_date"),
    ("on days with {}", "i1.start_date == i2.start_date"),
    ("on a day when I also had {}", "i1.start_date == i2.start_date"),
    ("the day after {}", "i1.start_date == i2.start_date + timedelta(days=1)"),
    ("on the day following {}", "i1.start_date == i2.start_date + timedelta(days=1)"),
    ("the day before {}", "i1.start_date == i2.start_date - timedelta(days=1)"),
    ("later on the same day as {}", "i1.start_date == i2.start_date and i1.start_datetime > i2.start_datetime"),
    ("earlier on the same day as {}", "i1.start_date == i2.start_date and i1.start_datetime < i2.start_datetime"),
    ("during {}", "i1.start_datetime >= i2.start_datetime and i1.start_datetime <= i2.end_datetime"),
    ("while I had {}", "i1.start_datetime >= i2.start_datetime and i1.start_datetime <= i2.end_datetime"),
    ("within {n} days after {}", "i1.start_date > i2.start_date and i1.start_date <= i2.start_date + timedelta(days={n})"),
    ("in the {n} days before {}", "i1.start_date < i2.start_date and i1.start_date >= i2.start_date - timedelta(days={n})"),
    ("in the week after {}", "i1.start_date > i2.start_date and i1.start_date <= i2.start_date + timedelta(days=7)"),
    ("in the week before {}", "i1.start_date < i2.start_date and i1.start_date >= i2.start_date - timedelta(days=7)"),
    ("within an hour after {}", "i1.start_datetime >= i2.end_datetime and i1.start_datetime <= i2.end_datetime + timedelta(hours=1)"),
    ("within {n} hours after {}", "i1.start_datetime >= i2.end_datetime and i1.start_datetime <= i2.end_datetime + timedelta(hours={n})"),
    ("in the same week as {}", "i1.start_date.isocalendar()[:2] == i2.start_date.isocalendar()[:2]"),
)  # fmt: skip


def _joined(c: Composer) -> Rows:
    one, two = _two(c)
    phrase, condition = c.chance.choice(_JOINS)
    number = str(c.chance.randint(2, 10))
    phrase, condition = (text.replace("{n}", number) for text in (phrase, condition))
    tail = f"{one.tail} {phrase.format(two.noun + two.tail)}"
    return Rows(
        one.thing, one.noun, tail, f"JOIN({one.asked()}, {two.asked()}, {quoted(condition)})"
    )


@kind(6)
def together(c: Composer) -> Made:
    rows = _joined(c)
    did, past = c.chance.choice(rows.thing.did), c.chance.choice(rows.thing.past)
    case = c.chance.random()
    if case < 0.45:
        question = c.pick(
            f"How often did I {did}{rows.tail}?",
            f"How many times did I {did}{rows.tail}?",
            f"Number of {rows.noun}{rows.tail}",
            f"How many {rows.noun} did I have{rows.tail}?",
        )
        return question, f"APPLY({rows.asked()}, len)"
    if case < 0.6:
        question = c.pick(
            f"Did I ever {did}{rows.tail}?", f"Have I ever had {rows.noun}{rows.tail}?"
        )
        return question, f"APPLY({rows.asked()}, lambda l: len(l) > 0)"
    if case < 0.8:
        name, word = c.chance.choice((("MAX", "last"), ("MIN", "first")))
        question = c.pick(
            f"When did I {word} {did}{rows.tail}?", f"When was the {word} time I {past}{rows.tail}?"
        )
        return question, f'{name}({rows.asked()}, "start_date")'
    texts = [a for a in rows.thing.attrs if a["kind"] == "text"]
    numbers = [a for a in rows.thing.attrs if a["kind"] == "number" and a.get("total")]
    if texts and c.chance.random() < 0.5:
        attr = c.chance.choice(texts)
        wide, key = c.with_attr(rows, attr)
        question = c.pick(
            f"{c.chance.choice(attr['which'])}{rows.tail}?",
            f"List the {attr.get('nouns', attr['noun'])} of my {rows.noun}{rows.tail}",
        )
        return question, f"APPLY({wide.asked()}, lambda l: set(e[{quoted(key)}] for e in l))"
    if not numbers:
        raise Odd
    attr = c.chance.choice(numbers)
    wide, key = c.with_attr(rows, attr)
    return f"{c.chance.choice(attr['total'])}{rows.tail}?", f"SUM({wide.asked()}, {quoted(key)})"


@kind(4)
def since(c: Composer) -> Made:
    """Before or after the first or last time of something else."""
    one, two = _two(c)
    if one.tail and " with" not in one.tail:
        one = replace(c.rows(one.thing, most=0, noun=one.noun))
    function, word = c.chance.choice((("MAX", "last"), ("MIN", "first")))
    past = c.chance.choice(two.thing.past)
    sign, told = c.chance.choice(((">", "after"), (">", "since"), ("<", "before")))
    moment = q(
        f"when was the {word} time I {past}{two.tail}?", f'{function}({two.asked()}, "start_date")'
    )
    tail = f"{one.tail} {told} the {word} time I {past}{two.tail}"
    rows = Rows(
        one.thing,
        one.noun,
        tail,
        f'FILTER({one.asked()}, lambda e: e["start_date"] {sign} {moment}.result)',
    )
    did = c.chance.choice(one.thing.did)
    numbers = [a for a in one.thing.attrs if a["kind"] == "number" and a.get("total")]
    if numbers and c.chance.random() < 0.35:
        attr = c.chance.choice(numbers)
        wide, key = c.with_attr(rows, attr)
        return f"{c.chance.choice(attr['total'])}{tail}?", f"SUM({wide.asked()}, {quoted(key)})"
    question = c.pick(
        f"How many times did I {did}{tail}?",
        f"How often did I {did}{tail}?",
        f"How many {one.noun} did I have{tail}?",
        f"Number of {one.noun}{tail}",
    )
    return question, f"APPLY({rows.asked()}, len)"


@kind(3)
def window(c: Composer) -> Made:
    """In the so many days, months before or after the first or last of something else."""
    one, two = c.rows(c.thing(), most=0), c.rows(c.thing(), most=0)
    function, word = c.chance.choice((("MAX", "last"), ("MIN", "first"), ("MAX", "most recent")))
    number = c.chance.choice((2, 3, 5, 7, 10, 14, 30, 60, 90))
    span, told = c.chance.choice(
        (
            (f"timedelta(days={number})", f"{number} days"),
            (f"relativedelta(months={min(number, 12)})", f"{min(number, 12)} months"),
            (f"timedelta(weeks={min(number, 8)})", f"{min(number, 8)} weeks"),
            ("relativedelta(months=1)", "month"),
            ("relativedelta(years=1)", "year"),
            ("timedelta(days=7)", "week"),
        )
    )
    past = c.chance.choice(two.thing.past)
    short = "last" if function == "MAX" else "first"
    moment = (
        q(
            f"when was the {short} time I {past}{two.tail}?",
            f'{function}({two.asked()}, "start_date")',
        )
        + ".result"
    )
    if c.chance.random() < 0.5:
        words, condition = "before", f'{moment} - {span} <= e["start_date"] < {moment}'
    else:
        words, condition = "after", f'{moment} < e["start_date"] <= {moment} + {span}'
    tail = f"{one.tail} in the {told} {words} the {short} time I {past}{two.tail}"
    rows = Rows(one.thing, one.noun, tail, f"FILTER({one.asked()}, lambda e: {condition})")
    did = c.chance.choice(one.thing.did)
    question = c.pick(
        f"How many times did I {did}{tail}?",
        f"How often did I {did}{tail}?",
        f"How many {one.noun} were there{tail}?",
        f"In the {told} {words} my {word} {two.noun}{two.tail}, how often did I {did}?",
    )
    return question, f"APPLY({rows.asked()}, len)"


@kind(3)
def without(c: Composer) -> Made:
    """On days without something, or on days with it, as a list of days."""
    one, two = _two(c)
    days = (
        q(
            f"the days of my {two.noun}{two.tail}",
            f'APPLY({two.asked()}, lambda l: [e["start_date"] for e in l])',
        )
        + ".result"
    )
    told, sign = c.chance.choice(
        (
            (f"on days without {two.noun}{two.tail}", "not in"),
            (f"on days when I had no {two.noun}{two.tail}", "not in"),
            (f"on days without any {two.noun}{two.tail}", "not in"),
        )
    )
    rows = Rows(
        one.thing,
        one.noun,
        f"{one.tail} {told}",
        f'FILTER({one.asked()}, lambda e: e["start_date"] {sign} {days})',
    )
    did = c.chance.choice(one.thing.did)
    texts = [a for a in one.thing.attrs if a.get("most") and a["kind"] == "text"]
    if texts and c.chance.random() < 0.4:
        attr = c.chance.choice(texts)
        counted, key, number = _counted(c, rows, attr)
        question = c.pick(
            f"Which {attr['noun']} is most common among my {one.noun}{rows.tail}?",
            f"Most frequent {attr['noun']} of my {one.noun}{rows.tail}",
        )
        return question, f"ARGMAX({counted}, {quoted(number)}, {quoted(key)})"
    question = c.pick(
        f"How many times did I {did}{rows.tail}?",
        f"How often did I {did}{rows.tail}?",
        f"How many {one.noun} did I have{rows.tail}?",
    )
    return question, f"APPLY({rows.asked()}, len)"


@kind(3)
def both(c: Composer) -> Made:
    """Values that occur in both of two sets."""
    thing = c.thing(c.pick("text", "people"))
    fitting = [a for a in thing.attrs if a["kind"] in ("text", "people") and a.get("which")]
    if not fitting:
        raise Odd
    attr = c.chance.choice(fitting)
    base = c.rows(thing, most=0)
    key = c.chance.choice(attr["keys"])
    sides = []
    for when in (period(c.chance), period(c.chance)):
        rows = c.timed(base, (when,))
        wide = c.extracted(
            rows,
            [(key, {"text": "str", "people": "list"}[attr["kind"]])],
            f" with their {attr['noun']}",
        )
        wide, name = c.unnested(wide, attr, key)
        noun = attr["noun"] if attr["kind"] == "text" else attr["item"]
        sides.append(
            (
                q(
                    f"my {rows.noun}{rows.tail}, grouped by {noun}",
                    f"GROUP_BY({wide.asked()}, [{quoted(name)}])",
                ),
                when.phrase,
                name,
                noun,
            )
        )
    (left, first, name, noun), (right, second, _, _) = sides
    nouns = attr.get("nouns", attr["noun"])
    if c.chance.random() < 0.6:
        pairs = q(
            f"{nouns} of my {base.noun} both {first} and {second}",
            f"JOIN({left}, {right}, {quoted(f'i1.{name} == i2.{name}')})",
        )
        ask = (
            f"Which {nouns} of my {base.noun} occur both {first} and {second}?",
            f"{nouns} that my {base.noun} had {first} as well as {second}",
        )
    else:
        old = q(
            f"the {nouns} of my {base.noun} {first}",
            f"APPLY({left}, lambda l: [g[{quoted(name)}] for g in l])",
        )
        pairs = q(
            f"{nouns} of my {base.noun} {second} but not {first}",
            f"FILTER({right}, lambda e: e[{quoted(name)}] not in {old}.result)",
        )
        ask = (
            f"Which {nouns} of my {base.noun} occur {second} but not {first}?",
            f"{nouns} that my {base.noun} had {second}, but not {first}",
        )
    if c.chance.random() < 0.3:
        return c.pick(
            *(f"How many {a[6:] if a.startswith('Which ') else a}" for a in ask)
        ), f"APPLY({pairs}, len)"
    return c.pick(*ask), f"APPLY({pairs}, lambda l: [g[{quoted(name)}] for g in l])"


@kind(3)
def nth(c: Composer) -> Made:
    """The second to last, the third."""
    rows = c.rows(c.thing())
    place, word = c.chance.choice(
        (
            ("1", "second"),
            ("2", "third"),
            ("3", "fourth"),
            ("-2", "second to last"),
            ("-2", "last but one"),
            ("-3", "third to last"),
        )
    )
    past = c.chance.choice(rows.thing.past)
    texts = [a for a in rows.thing.attrs if a["kind"] in ("text", "number")]
    order = 'sorted(l, key=lambda e: e["start_datetime"])'
    if texts and c.chance.random() < 0.4:
        attr = c.chance.choice(texts)
        wide, key = c.with_attr(rows, attr)
        question = c.pick(
            f"What was the {attr['noun']} the {word} time I {past}{rows.tail}?",
            f"{attr['noun']} of the {word} one of my {rows.noun}{rows.tail}",
        )
        return question, f"APPLY({wide.asked()}, lambda l: {order}[{place}][{quoted(key)}])"
    if place == "-2" and c.chance.random() < 0.5:
        question = c.pick(
            f"When was the time before last that I {past}{rows.tail}?",
            f"When did I {c.chance.choice(rows.thing.did)} the time before last{rows.tail}?",
        )
    else:
        question = c.pick(
            f"When was the {word} time I {past}{rows.tail}?",
            f"Date of the {word} one of my {rows.noun}{rows.tail}",
        )
    return question, f'APPLY({rows.asked()}, lambda l: {order}[{place}]["start_date"])'


@kind(2)
def top_events(c: Composer) -> Made:
    """The few with the highest numbers."""
    rows = c.rows(c.thing("number"))
    attr = c.attr(rows.thing, "number", "most")
    few = c.chance.randint(2, 10)
    told = _NUMBERS[few - 2] if c.chance.random() < 0.4 else str(few)
    texts = [a for a in rows.thing.attrs if a["kind"] == "text"]
    key = c.chance.choice(attr["keys"])
    if not texts or c.chance.random() < 0.4:
        wide = c.extracted(rows, [(key, "float")], f" with their {attr['noun']}")
        shown, noun = "start_date", "dates"
    else:
        other = c.chance.choice(texts)
        shown, noun = c.chance.choice(other["keys"]), other["nouns"]
        wide = c.extracted(
            rows, [(key, "float"), (shown, "str")], f" with {attr['noun']} and {other['noun']}"
        )
    question = c.pick(
        f"What are the {noun} of my {told} {rows.noun} with the highest {attr['noun']}{rows.tail}?",
        f"{noun} of the top {told} {rows.noun} by {attr['noun']}{rows.tail}",
    )
    return (
        question,
        f"APPLY({wide.asked()}, lambda l: [e[{quoted(shown)}] for e in sorted(l, key=lambda e: e[{quoted(key)}], reverse=True)[:{few}]])",
    )


@kind(3)
def duration(c: Composer) -> Made:
    """How long events lasted, by their own times."""
    rows = c.rows(c.thing())
    unit, divisor = c.chance.choice((("minutes", 60), ("hours", 3600), ("hours", 3600)))
    span = f'(e["end_datetime"] - e["start_datetime"]).total_seconds() / {divisor}'
    function, words = c.chance.choice(
        (
            ("avg", "How long on average"),
            ("sum", "How long in total"),
            ("max", "How long at most"),
            ("min", "How long at least"),
        )
    )
    question = c.pick(
        f"{words}, in {unit}, did my {rows.noun}{rows.tail} last?",
        f"{words} were my {rows.noun}{rows.tail}, in {unit}?",
        f"{'Average' if function == 'avg' else 'Total' if function == 'sum' else 'Longest' if function == 'max' else 'Shortest'} duration of my {rows.noun}{rows.tail} in {unit}",
    )
    if c.chance.random() < 0.25:
        side, word = c.chance.choice((("ARGMAX", "longest"), ("ARGMIN", "shortest")))
        mapped = q(
            f"my {rows.noun}{rows.tail} with how long they lasted",
            f'MAP({rows.asked()}, lambda e: e["end_datetime"] - e["start_datetime"], "duration")',
        )
        return c.pick(
            f"When did the {word} of my {rows.noun}{rows.tail} take place?",
            f"On what day did I have the {word} of my {rows.noun}{rows.tail}?",
        ), f'{side}({mapped}, "duration", "start_date")'
    return question, f"APPLY({rows.asked()}, lambda l: {function}({span} for e in l))"


@kind(2)
def two_numbers(c: Composer) -> Made:
    """A price times a quantity, a number converted."""
    rows = c.rows(c.thing("number"))
    attr = c.attr(rows.thing, "number", "total")
    unit = str(attr.get("unit", ""))
    factor = {
        "km": ("metres", "* 1000"),
        "minutes": ("hours", "/ 60"),
        "hours": ("minutes", "* 60"),
        "kg": ("grams", "* 1000"),
        "min": ("hours", "/ 60"),
    }.get(unit)
    if factor is None:
        raise Odd
    wide, key = c.with_attr(rows, attr)
    total = q(
        f"what is the total {attr['noun']} of my {rows.noun}{rows.tail} in {unit}?",
        f"SUM({wide.asked()}, {quoted(key)})",
    )
    return c.pick(
        f"What was the total {attr['noun']} of my {rows.noun}{rows.tail} in {factor[0]}?",
        f"In {factor[0]}, how much {attr['noun']} did all my {rows.noun}{rows.tail} add up to?",
    ), f"APPLY({total}, lambda l: l {factor[1]})"
