"""Which, who and where: the values that events have."""

from dataclasses import replace
from typing import Any

from reqap.plan.format import quoted
from reqap.train.compose import Composer, Made, Odd, Rows, kind
from reqap.train.kinds.parts import NUMBERS, inner, q


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


def counted_by(c: Composer, rows: Rows, attr: dict[str, Any]) -> tuple[str, str, str]:
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
    counted, key, number = counted_by(c, rows, attr)
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
    counted, key, number = counted_by(c, rows, attr)
    few = c.chance.randint(2, 10)
    told = NUMBERS[few - 2] if c.chance.random() < 0.4 else str(few)
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
    counted, key, number = counted_by(c, rows, attr)
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
        return question, inner(measured)
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
