"""Several things together, in time or in what they have in common; the nth; how long."""

from dataclasses import replace

from reqap.plan.format import quoted
from reqap.train.compose import Composer, Made, Odd, Rows, kind
from reqap.train.kinds.parts import NUMBERS, q
from reqap.train.kinds.values import counted_by
from reqap.train.times import period


def _two(c: Composer) -> tuple[Rows, Rows]:
    return c.rows(c.thing()), c.rows(c.thing(), most=0)


_JOINS: tuple[tuple[str, str], ...] = (
    ("after my {}", "i1.start_date == i2.start_date and i1.start_datetime >= i2.end_datetime"),
    ("before my {}", "i1.start_date == i2.start_date and i1.end_datetime <= i2.start_datetime"),
    ("after {ing}", "i1.start_date == i2.start_date and i1.start_datetime >= i2.end_datetime"),
    ("after {ing}", "i1.start_date == i2.start_date and i1.start_datetime >= i2.end_datetime"),
    ("right after {ing}", "i1.start_date == i2.start_date and i1.start_datetime >= i2.end_datetime"),
    ("before {ing}", "i1.start_date == i2.start_date and i1.end_datetime <= i2.start_datetime"),
    ("on the same day as {}", "i1.start_date == i2.start_date"),
    ("on days with {}", "i1.start_date == i2.start_date"),
    ("on a day when I also had {}", "i1.start_date == i2.start_date"),
    ("the day after {}", "i1.start_date == i2.start_date + timedelta(days=1)"),
    ("on the day following {}", "i1.start_date == i2.start_date + timedelta(days=1)"),
    ("the day before {}", "i1.start_date == i2.start_date - timedelta(days=1)"),
    ("later on the same day as {}", "i1.start_date == i2.start_date and i1.start_datetime >= i2.end_datetime"),
    ("earlier on the same day as {}", "i1.start_date == i2.start_date and i1.end_datetime <= i2.start_datetime"),
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
    ing = c.chance.choice(two.thing.ing) + two.tail
    tail = f"{one.tail} {phrase.format(two.noun + two.tail, ing=ing)}"
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
        counted, key, number = counted_by(c, rows, attr)
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
    told = NUMBERS[few - 2] if c.chance.random() < 0.4 else str(few)
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
