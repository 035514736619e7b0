"""Random expressions of the plan language, well typed, as text; and rows to evaluate them on.

A rule is a template: `<int>` is any expression of that type, `<int|x:str>` one in which the
variable x stands for a text. Every name in the vocabulary appears in some rule (a test says so).
Not the job of this module: what expressions mean (`reference`).
"""

import re
from collections.abc import Callable, Mapping
from datetime import date, datetime, time, timedelta
from random import Random

from tests.execute.fakes import Plain

# The attributes of every row.
ATTRIBUTES: Mapping[str, str] = {
    "i": "int", "j": "int", "f": "float", "g": "float", "s": "str", "z": "str",
    "b": "bool", "c": "bool", "d": "date", "e": "date", "t": "time", "w": "time",
    "m": "datetime", "n": "datetime", "u": "timedelta", "v": "timedelta", "l": "list", "k": "list",
    "o": "list[int]", "p": "list[float]",
}  # fmt: skip
KIND_OF = {"timedelta": "span", "list": "texts", "list[int]": "ints", "list[float]": "floats"}
_LISTS = {"texts": "str", "ints": "int", "floats": "float", "dates": "date", "spans": "span"}
ORDERED = ("int", "float", "str", "date", "time", "datetime", "span")

RULES: dict[str, list[str]] = {
    "int": [
        "(<int> + <int>)", "(<int> - <int>)", "(<int> * <int>)", "(<int> // <int>)",
        "(<int> % <int>)", "((<int> % 1000) ** <natural>)", "(-<int>)", "(+<int>)",
        "abs(<int>)", "round(<float>)", "round(<int> % 1000, <digits>)",
        "int(<float>)", "int(<str>)", "int(str(<int>))", "int(<bool>)", "(<bool> + <int>)",
        "len(<str>)", "len(<texts>)", "len(<ints>)", "len(set(<texts>))", "sum(<ints>)",
        "sum(len(x) for x in <texts>)", "sum([<bool>, <bool>, True])",
        "<date>.year", "<datetime>.year", "<date>.month", "<datetime>.month", "<date>.day",
        "<datetime>.day", "<time>.hour", "<datetime>.hour", "<time>.minute", "<datetime>.second",
        "<time>.microsecond", "<datetime>.microsecond", "<date>.weekday()", "<datetime>.weekday()",
        "<date>.isoweekday()", "<date>.isocalendar().week", "<datetime>.isocalendar().year",
        "<date>.isocalendar().weekday", "<date>.isocalendar()[1]", "<span>.days", "<span>.seconds",
        "(<span> // <span>)", "<str>.count(<piece>)", "relativedelta(<date>, <date>).years",
        "relativedelta(<datetime>, <datetime>).months", "relativedelta(<date>, <date>).days",
    ],
    "float": [
        "(<float> + <float>)", "(<float> - <float>)", "(<float> * <float>)", "(<float> / <float>)",
        "(<float> // <float>)", "(<float> % <float>)", "(<float> ** <small>)", "(<float> ** 0.5)",
        "(<int> / <int>)", "(<int> * <float>)", "(<float> - <int>)", "(<bool> * <float>)",
        "(-<float>)", "abs(<float>)", "round(<float>, <digits>)", "float(<int>)", "float(<str>)",
        "float(str(<float>))", "float(<bool>)", "sum(<floats>)",
        "avg(<floats>)", "avg(<ints>)", "<span>.total_seconds()",
        "(<span> / <span>)",
    ],
    "str": [
        "(<str> + <str>)", "<str>.lower()", "<str>.upper()", "<str>.casefold()", "<str>.strip()",
        "<str>.lstrip()", "<str>.rstrip()", "<str>.strip(<piece>)", "<str>.lstrip(<piece>)",
        "<str>.rstrip(<piece>)", "<str>.replace(<piece>, <str>)", "<piece>.join(<texts>)",
        "max([x for x in <texts> if x], key=lambda x: (x.lower(), x))",
        "<str>[<small>]", "<str>[<int>]", "<str>[<small>:]", "<str>[:<small>]",
        "<str>[<small>:<small>]", "<str>[<int>:<int>]", "str(<int>)", "str(<float>)",
        "str(<bool>)", "str(<date>)", "str(<time>)", "str(<datetime>)", "<date>.isoformat()",
        "<time>.isoformat()", "<datetime>.isoformat()", "<date>.strftime(<format>)",
        "<time>.strftime(<format>)", "<datetime>.strftime(<format>)", "f'{<int*>:03d}/{<int*>:6d}'",
        "f'{<int*> / 8:.2f}~{<int*> / 100:8.1f}'", "f'{<int*> / 8:.1%} {<int*>:,d} {<int*>:,.2f}'",
        "f'{<date*>:%Y-%m} {<time*>:%H:%M}'", "f'{<str*>}, {<bool*>}, {<datetime*>}'",
        "f'{<int*> + 1} {<str*>.upper()} {<date*>.year:04d}'",
    ],
    "bool": [
        "(<bool> and <bool>)", "(<bool> or <bool>)", "(<bool> and <bool> or <bool>)",
        "(not <bool>)", "(not <str>)", "(not <int>)", "(not <texts>)", "(not <date>)",
        "(not <span>)", "bool(<float>)", "bool(<str>)", "bool(<texts>)", "bool(<time>)",
        "(<piece> in <str>)", "(<str> not in <str>)", "(<str> in <texts>)",
        "(<str> not in <texts>)", "(<int> in (<int>, <int>, 0))", "(<date> in [<date>, <date>])",
        "(<str> in {<str>, 'a'})", "(<int> in set(<ints>))", "<str>.startswith(<piece>)",
        "<str>.endswith(<piece>)", "any(<bool|x:str> for x in <texts>)",
        "all(<bool|x:str> for x in <texts>)", "any(x < <int> for x in <ints>)",
        "(<int> < <float>)", "(<int> == <float>)", "(<bool> == <int>)", "(<bool> is True)",
        "(<date> < <datetime>)", "(<datetime> == <date>)", "(<date> >= <day>)",
        "(<datetime> <= <day>)", "(<time> < '18:00')", "(<texts> == <texts>)",
        "(<bool> == <bool>)", "(<bool> != <bool>)",
    ],
    "date": [
        "<datetime>.date()", "<date>.date()", "(<date> + <span>)", "(<span> + <date>)",
        "(<date> - timedelta(days=<small>))", "(<date> + timedelta(days=<int*>))",
        "(<date> + relativedelta(months=<small>))", "(<date> - relativedelta(months=<small>))",
        "(<date> + relativedelta(years=<small>, weeks=1, days=<small>))",
        "<date>.replace(day=1)", "<date>.replace(day=<day_number>)",
        "<date>.replace(month=<month_number>)", "<date>.replace(year=<year_number>, day=<small>)",
        "date(<year_number>, <int*>, <day_number>)", "date(2024, <int*>, <int*>)",
        "date.fromisoformat(str(<date>))", "date.fromisoformat(<day>)", "date.today()",
    ],
    "time": [
        "<datetime>.time()", "<time>.time()", "time(<int*>, <small>)", "time(18)", "time(7, 30, 5)",
        "<time>.replace(hour=<int>)", "<time>.replace(minute=<int*>, second=<small>)",
        "time.fromisoformat(<time>.isoformat())", "time.fromisoformat(<clock>)",
    ],
    "datetime": [
        "(<datetime> + <span>)", "(<datetime> - <span>)", "(<span> + <datetime>)",
        "(<datetime> + relativedelta(months=<small>, hours=<small>))",
        "(<datetime> - relativedelta(years=<small>, minutes=90))",
        "(<date> + relativedelta(hours=5, seconds=<small>))",
        "<datetime>.replace(day=<day_number>)", "<datetime>.replace(hour=<small>, minute=0)",
        "datetime(<year_number>, <small>, 3, <int*>)",
        "datetime(2024, 2, <int*>, minute=<int>)", "datetime.combine(<date>, <time>)",
        "datetime.fromisoformat(<datetime>.isoformat())", "datetime.fromisoformat(<day>)",
        "datetime.now()",
    ],
    "span": [
        "timedelta(days=<small>)", "timedelta(hours=<int*>)", "timedelta(minutes=<float*>)",
        "timedelta(weeks=<small>, seconds=<int*>)", "timedelta(<small>, 5)",
        "timedelta(milliseconds=<small>, microseconds=<small>)", "(<span> + <span>)",
        "(<span> - <span>)", "(<span> * <small>)", "(<float> * <span>)", "(<span> / <small>)",
        "(<span> / <float>)", "(<span> % <span>)", "(-<span>)", "abs(<span>)", "(<date> - <date>)",
        "(<datetime> - <datetime>)", "(<datetime> - <date>)", "(<date> - <datetime>)",
        "sum(<spans>)",
    ],
    "texts": [
        "<str>.split()", "<str>.split(<piece>)", "[<str|x:str> for x in <texts> if <bool|x:str>]",
        "[<str|x:int> for x in <ints>]", "[x + y for x in <texts> for y in <texts>]",
        "[x for x in <texts> if x != <str>]",
        "sorted([x for x in <texts> if x is not None], key=lambda x: (len(x), x), reverse=True)",
        "[str(<int|x:date>) for x in <dates>]",
    ],
    "ints": [
        "[<int|x:str> for x in <texts>]", "[<int|x:int> for x in <ints> if <bool|x:int>]",
        "[len(x) for x in <texts>]", "[x * y for x in <ints> for y in <ints> if x < y]",
    ],
    "floats": ["[<float|x:float> for x in <floats>]", "[x / 2 for x in <ints>]"],
    "dates": ["[<date|x:date> for x in <dates>]", "[x.date() for x in [<datetime>, <datetime>]]"],
    "spans": ["[x - <date> for x in <dates>]", "[timedelta(hours=x) for x in <ints>]"],
}  # fmt: skip

for _kind in ORDERED:
    _both = f"<{_kind}>"
    RULES["bool"] += [f"({_both} {sign} {_both})" for sign in ("==", "!=", "<", "<=", ">", ">=")]
    RULES["bool"] += [
        f"({_both} <= {_both} < {_both})", f"({_both} is None)", f"({_both} is not None)",
        f"(({_both}, <int>) == ({_both}, <int>))", f"(({_both}, <int>) < ({_both}, <int>))",
    ]  # fmt: skip
    RULES[_kind] += [
        f"min({_both}, {_both})", f"max({_both}, {_both}, {_both})", f"({_both} or {_both})",
        f"({_both} and {_both})", f"({_both}, 'x')[0]",
    ]  # fmt: skip
for _kind in (*ORDERED, "bool", *_LISTS):
    RULES[_kind].append(f"(<{_kind}> if <bool> else <{_kind}>)")
for _kind in (*ORDERED, *_LISTS):
    RULES[_kind].append(f"(<{_kind}> if <bool> else None)")
for _kind, _item in _LISTS.items():
    _list = f"<{_kind}>"
    RULES[_kind] += [
        f"[<{_item}>, <{_item}>]", f"[<{_item}>, <{_item}>, None]", f"({_list} + {_list})",
        f"sorted({_list})", f"sorted({_list}, reverse=True)", f"sorted(set({_list}))",
        f"sorted({{x for x in {_list}}})", f"{_list}[<small>:]", f"{_list}[:<small>]",
        f"{_list}[<int>:<int>]", f"list({_list})",
    ]  # fmt: skip
    RULES[_item] += [
        f"min({_list})", f"max({_list})", f"max({_list}, default=<{_item}>)", f"{_list}[<small>]",
        f"{_list}[<int>]",
    ]  # fmt: skip

# Constants of each type, as they are written.
CONSTANTS: dict[str, list[str]] = {
    "int": ["0", "1", "2", "7", "(-3)", "100", "999999999999999"],
    "float": ["0.0", "0.5", "2.0", "(-1.25)", "3.14", "1e15", "1e-9"],
    "str": ["''", "'a'", "'Ab c'", "' x\\t'", "'é中🙂'", "'2024-03-01'", "'12'"],
    "bool": ["True", "False"],
    "date": ["date(2024, 2, 29)", "date(2023, 12, 31)", "date(2024, 6, 15)"],
    "time": ["time(0, 0)", "time(23, 59, 59)", "time(12, 30)"],
    "datetime": ["datetime(2024, 2, 29)", "datetime(2023, 12, 31, 23, 59, 59)"],
    "span": ["timedelta(0)", "timedelta(days=1)", "timedelta(minutes=-90)"],
    "texts": ["['a', 'b']", "['a']"],
    "ints": ["[1, 2, 3]", "[0]"],
    "floats": ["[1.5, -2.0]"],
    "dates": ["[date(2024, 1, 1)]"],
    "spans": ["[timedelta(hours=1), timedelta(days=2)]"],
    # These have no rules: they are always written out.
    "small": ["0", "1", "2", "3", "5", "(-1)", "(-2)", "(-4)"],
    "natural": ["0", "1", "2", "3"],
    "digits": ["-2", "-1", "0", "1", "2", "4"],
    "piece": ["'a'", "'b'", "' '", "'ab'", "'é'", "', '", "'A'", "'-'"],
    "format": [
        "'%Y-%m-%d'", "'%d.%m.%y %H:%M:%S'", "'%A %a %B %b'", "'%j %U %W'", "'%G-W%V-%u'",
        "'%I:%M %p'", "'%f %%Y %w'", "'%-d.%-m. %-H'",
    ],
    "day": ["'2024-02-29'", "'2023-12-31'", "'2024-06-15'"],
    "clock": ["'18:30'", "'00:00:01'", "'25:00'", "'soon'", "'2024-03-01'"],
    "day_number": ["1", "28", "29", "30", "31", "(1 + <int*> % 31)"],
    "month_number": ["2", "12", "(1 + <int*> % 12)", "<int*>"],
    "year_number": ["2023", "2024", "1000", "9999", "(2000 + <int*> % 30)"],
}  # fmt: skip

# Over all rows, or the members of a group: `@` is the variable of the lambda.
MEMBER_RULES: dict[str, list[str]] = {
    "int": [
        "len(@)", "len(list(@))", "sum(1 for e in @)", "sum(1 for e in @ if <bool|e:row>)",
        "sum(<int|e:row> > 3 for e in @)", "sum(<int|e:row> for e in @)",
        "sum(e['i'] for e in @ if <bool|e:row>)", "len([e for e in @ if <bool|e:row>])",
        "len([<str|e:row> for e in @ if <bool|e:row>])", "len(set(<int|e:row> for e in @))",
        "len({e['s'] for e in @ if <bool|e:row>})", "min(<int|e:row> for e in @)",
        "max((e['i'] for e in @ if <bool|e:row>), default=7)", "@[0]['i']", "@[-1]['j']",
        "sorted(@, key=lambda e: e['i'])[0]['j']", "max(@, key=lambda e: <int|e:row>)['j']",
        "min(@, key=lambda e: (e['b'], e['s'], e['i']))['i']", "sum(@['i'])",
        "sum(len(x) for e in @ for x in e['l'])", "len([x for e in @ for x in e['k'] if x])",
        "len(sorted(@, key=lambda e: <date|e:row>))", "sum(e['j'] for e in @[1:3])",
        "sum(e['i'] for e in sorted(@, key=lambda e: e['f'], reverse=True)[:2])",
    ],
    "float": [
        "sum(<float|e:row> for e in @)", "sum(e['f'] for e in @ if <bool|e:row>)",
        "(sum(e['f'] for e in @) / len(@))", "max(<float|e:row> for e in @)",
        "(max(e['f'] for e in @) - min(e['f'] for e in @))", "min(@['g'])",
    ],
    "bool": [
        "any(<bool|e:row> for e in @)", "all(<bool|e:row> for e in @)", "any(e['s'] for e in @)",
        "all(e['i'] > 3 for e in @ if <bool|e:row>)", "(<str> in [e['s'] for e in @])",
        "any(x == 'a' for e in @ for x in e['l'])",
    ],
    "str": [
        "max(<str|e:row> for e in @)", "', '.join(<str|e:row> for e in @)", "@[1]['s']",
        "[e['s'] for e in @ if <bool|e:row>][0]", "max(@, key=lambda e: e['m'])['s']",
        "sorted([e for e in @ if <bool|e:row>], key=lambda e: <int|e:row>, reverse=True)[0]['s']",
    ],
    "date": [
        "min(e['d'] for e in @)", "min(<date|e:row> for e in @)",
        "max(e['d'] for e in @ if <bool|e:row>)",
    ],
    "time": ["max(<time|e:row> for e in @)", "@[0]['t']"],
    "datetime": ["min(e['m'] for e in @)", "min(@, key=lambda e: e['t'])['n']"],
    "span": [
        "sum(e['u'] for e in @)", "sum(<span|e:row> for e in @)",
        "max(e['u'] for e in @ if <bool|e:row>)",
    ],
    "texts": [
        "[e['s'] for e in @]", "[<str|e:row> for e in @ if <bool|e:row>]", "@['z']",
        "sorted(<str|e:row> for e in @)", "sorted(set(x for e in @ for x in e['l']))",
        "[e['z'] for e in sorted(@, key=lambda e: <int|e:row>)]", "[e['s'] for e in @][-2:]",
        "[x for e in @ if <bool|e:row> for x in e['k'] if x != 'a']",
    ],
    "ints": ["[<int|e:row> for e in @]", "sorted({e['i'] for e in @}, reverse=True)[:3]"],
    "floats": ["[e['f'] for e in @]", "[e['g'] for e in @ if <bool|e:row>]"],
    "dates": ["sorted(e['d'] for e in @)"],
    "spans": ["[e['u'] for e in @[:3]]"],
}  # fmt: skip

_SLOT = re.compile(r"<(\w+)(\*)?(?:\|(\w+):(\w+))?>")
Leaves = Mapping[str, list[str]]  # by type, the expressions that need no others


def leaves_of(variable: str) -> dict[str, list[str]]:
    """The attributes of a row, in every spelling."""
    found: dict[str, list[str]] = {}
    for name, kind in ATTRIBUTES.items():
        spellings = [f'{variable}["{name}"]', f"{variable}.{name}", f'{variable}.get("{name}")']
        found.setdefault(KIND_OF.get(kind, kind), []).extend(spellings)
    return found


def expression(random: Random, kind: str, leaves: Leaves, depth: int = 3) -> str:
    """An expression of a type over the leaves."""
    rules, at_hand = RULES.get(kind, []), leaves.get(kind, [])
    if rules and depth > 0 and random.random() < 0.8:
        return _filled(random, random.choice(rules), leaves, depth)
    written = random.choice(CONSTANTS[kind])
    leaf = random.choice(at_hand) if at_hand and random.random() < 0.7 else written
    return _filled(random, leaf, leaves, depth)


def _filled(random: Random, template: str, leaves: Leaves, depth: int) -> str:
    """A template with something in each slot; `*` marks those in which a leaf must stand."""

    def fill(slot: re.Match[str]) -> str:
        kind, leaf_only, name, bound = slot.groups()
        if leaf_only:  # inside an f-string, perhaps: without its quotes
            return random.choice([leaf for leaf in leaves[kind] if "'" not in leaf])
        inside = leaves if name is None else _inside(leaves, name, bound)
        return expression(random, kind, inside, depth - 1)

    return _SLOT.sub(fill, template)


def _inside(leaves: Leaves, name: str, bound: str) -> Leaves:
    """The leaves inside a comprehension; over rows, those of the row and no others."""
    if bound == "row":
        return leaves_of(name)
    others = {kind: [leaf for leaf in found if leaf != name] for kind, found in leaves.items()}
    return {**others, bound: [name, *others.get(bound, [])]}


def member_expression(random: Random, kind: str, variable: str) -> str:
    """An expression over all rows: one aggregate, or ordinary rules over some of them."""
    leaves: dict[str, list[str]] = {}
    for each, rules in MEMBER_RULES.items():
        simple = next(rule for rule in rules if "<" not in rule)
        leaves[each] = [_over(simple, variable)]
    for each in (kind, *random.choices(list(MEMBER_RULES), k=2)):
        rule = _over(random.choice(MEMBER_RULES[each]), variable)
        leaves[each].append(_filled(random, rule, leaves, 2))
    if random.random() < 0.5:
        return leaves[kind][1]
    return expression(random, kind, leaves, 2)


def _over(rule: str, variable: str) -> str:
    """A rule for the variable; its quotes are those that may stand in an f-string."""
    return rule.replace("@", variable).replace("'", '"')


# -- rows ----------------------------------------------------------------------------------------

_EDGES: dict[str, list[Plain]] = {
    "int": [0, 1, -1, 7, 12, 10**15, -(2**53), 2**62],
    "float": [0.0, -0.0, 0.1, 2.5, -3.75, 1e300, 1e-300, 12345.678, 2.675],
    "str": ["", "a", "Ab", " a b ", "2024-02-29", "12", "-3.5", "23:59", "e\u0301"],
    "bool": [True, False],
    "date": [
        date(2024, 2, 29), date(2023, 12, 31), date(2024, 12, 30), date(1999, 1, 1),
        date(1000, 1, 1), date(9999, 12, 31),
    ],
    "time": [time(0, 0), time(23, 59, 59, 999999), time(12, 0)],
    "datetime": [
        datetime(2024, 2, 29, 23, 59, 59), datetime(2024, 1, 1), datetime(9999, 12, 31, 23, 59),
    ],
    "timedelta": [timedelta(0), timedelta(days=-1), timedelta(hours=36), timedelta(microseconds=3)],
    "list": [[], ["a"], ["a", "b", "a"], ["", "A", "é"]],
    "list[int]": [[], [0], [3, -1, 3], [10**15, 2**62, 1]],
    "list[float]": [[], [0.0], [2.5, -0.5], [0.125, 1e15]],
}  # fmt: skip
_LETTERS = "aAbBcé中🙂жÉßΩ -,.\t\n\u00a0019"
_NEW_YEAR = datetime(2020, 1, 1)


def _moment(random: Random) -> datetime:
    seconds = random.randrange(6 * 366 * 86_400)
    return _NEW_YEAR + timedelta(seconds=seconds, microseconds=random.choice([0, 0, 1, 999_999]))


def _text(random: Random) -> str:
    return "".join(random.choices(_LETTERS, k=random.randrange(8)))


_ORDINARY: dict[str, Callable[[Random], Plain]] = {
    "int": lambda random: random.randint(-60, 60),
    "float": lambda random: random.randint(-400, 400) / 8,
    "str": _text,
    "bool": lambda random: random.random() < 0.5,
    "date": lambda random: _moment(random).date(),
    "time": lambda random: _moment(random).time(),
    "datetime": _moment,
    "timedelta": lambda random: timedelta(seconds=random.randint(-(10**5), 10**7)),
    "list": lambda random: [_text(random) for _ in range(random.randrange(4))],
    "list[int]": lambda random: [random.randint(-9, 9) for _ in range(random.randrange(4))],
    "list[float]": lambda random: [random.randint(-9, 9) / 4 for _ in range(random.randrange(4))],
}


def row(random: Random, *, tame: bool = False) -> dict[str, Plain]:
    """A row: ordinary values, the edges of each type, and gaps. Tame: values that come again, and
    floats whose sums are the same in any order."""
    made: dict[str, Plain] = {}
    for name, kind in ATTRIBUTES.items():
        dice = random.random()
        if dice < 0.25:
            made[name] = None
        elif dice < 0.6 and not (tame and kind == "float"):
            made[name] = random.choice(_EDGES[kind][:4] if tame else _EDGES[kind])
        else:
            made[name] = _ORDINARY[kind](random)
    return made
