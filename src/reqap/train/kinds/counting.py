"""How many, how often, when, how much, and which was the longest."""

from reqap.plan.format import quoted
from reqap.train.compose import Composer, Made, kind
from reqap.train.kinds.parts import q


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
