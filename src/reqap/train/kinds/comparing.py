"""More or less, differences and shares."""

from dataclasses import replace
from typing import Any

from reqap.plan.format import quoted
from reqap.train.compose import Composer, Made, Rows, kind
from reqap.train.kinds.parts import q
from reqap.train.times import period


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
