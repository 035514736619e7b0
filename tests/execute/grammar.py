"""Random expressions of the plan language, well typed, as text; and rows to evaluate them on.

A rule is a template: `<int>` is any expression of that type, `<int|x:str>` one in which the
variable x stands for a text. Every name in the vocabulary appears in some rule (a test says so).
Not the job of this module: what expressions mean (`reference`).
"""

import re
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from tests.execute.fakes import Plain

# The attributes of every row: two of each type.
ATTRIBUTES: Mapping[str, str] = {
    "i": "int", "j": "int", "f": "float", "g": "float", "s": "str", "z": "str",
    "b": "bool", "c": "bool", "d": "date", "e": "date", "t": "time", "w": "time",
    "m": "datetime", "n": "datetime", "u": "timedelta", "v": "timedelta", "l": "list", "k": "list",
}  # fmt: skip
KIND_OF = {"timedelta": "span", "list": "texts"}
_LISTS = {"texts": "str", "ints": "int", "floats": "float", "dates": "date", "spans": "span"}
ORDERED = ("int", "float", "str", "date", "time", "datetime", "span")

RULES: dict[str, list[str]] = {
    "int": [
        "(<int> + <int>)", "(<int> - <int>)", "(<int> * <int>)", "(<int> // <int>)",
        "(<int> % <int>)", "(-<int>)", "(+<int>)", "abs(<int>)", "round(<float>)",
        "int(<float>)", "int(<str>)", "int(str(<int>))", "int(<bool>)", "(<bool> + <int>)",
        "len(<str>)", "len(<texts>)", "len(<ints>)", "len(set(<texts>))", "sum(<ints>)",
        "sum(len(x) for x in <texts>)", "sum([<bool>, <bool>, True])",
        "<date>.year", "<datetime>.year", "<date>.month", "<datetime>.month", "<date>.day",
        "<datetime>.day", "<time>.hour", "<datetime>.hour", "<time>.minute", "<datetime>.second",
        "<time>.microsecond", "<datetime>.microsecond", "<date>.weekday()", "<datetime>.weekday()",
        "<date>.isoweekday()", "<date>.isocalendar().week", "<datetime>.isocalendar().year",
        "<date>.isocalendar().weekday", "<date>.isocalendar()[1]", "<span>.days", "<span>.seconds",
        "(<span> // <span>)", "<str>.count(<piece>)",
    ],
    "float": [
        "(<float> + <float>)", "(<float> - <float>)", "(<float> * <float>)", "(<float> / <float>)",
        "(<float> // <float>)", "(<float> % <float>)", "(<float> ** <small>)", "(<float> ** 0.5)",
        "(<int> / <int>)", "(<int> * <float>)", "(<float> - <int>)", "(<bool> * <float>)",
        "(-<float>)", "abs(<float>)", "round(<float>, <digits>)", "float(<int>)", "float(<str>)",
        "float(str(<float>))", "float(<bool>)", "sum(<floats>)", "<span>.total_seconds()",
        "(<span> / <span>)",
    ],
    "str": [
        "(<str> + <str>)", "<str>.lower()", "<str>.upper()", "<str>.casefold()", "<str>.strip()",
        "<str>.lstrip()", "<str>.rstrip()", "<str>.strip(<piece>)", "<str>.lstrip(<piece>)",
        "<str>.rstrip(<piece>)", "<str>.replace(<piece>, <str>)", "<piece>.join(<texts>)",
        "<str>[<small>]", "<str>[<int>]", "<str>[<small>:]", "<str>[:<small>]",
        "<str>[<small>:<small>]", "<str>[<int>:<int>]", "str(<int>)", "str(<float>)",
        "str(<bool>)", "str(<date>)", "str(<time>)", "str(<datetime>)", "<date>.isoformat()",
        "<time>.isoformat()", "<datetime>.isoformat()", "<date>.strftime(<format>)",
        "<time>.strftime(<format>)", "<datetime>.strftime(<format>)", "f'{<int*>:03d}/{<int*>:6d}'",
        "f'{<float*>:.2f}~{<float*>:8.1f}'", "f'{<float*>:.1%} {<int*>:,d} {<float*>:,.2f}'",
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
        "date.fromisoformat(str(<date>))", "date.fromisoformat(<str>)", "date.today()",
    ],
    "time": [
        "<datetime>.time()", "<time>.time()", "time(<int*>, <small>)", "time(18)", "time(7, 30, 5)",
        "<time>.replace(hour=<int>)", "<time>.replace(minute=<int*>, second=<small>)",
        "time.fromisoformat(<time>.isoformat())", "time.fromisoformat(<str>)",
    ],
    "datetime": [
        "(<datetime> + <span>)", "(<datetime> - <span>)", "(<span> + <datetime>)",
        "(<datetime> + relativedelta(months=<small>, hours=<small>))",
        "(<datetime> - relativedelta(years=<small>, minutes=90))",
        "(<date> + relativedelta(hours=5, seconds=<small>))",
        "<datetime>.replace(day=<day_number>)", "<datetime>.replace(hour=<small>, minute=0)",
        "datetime(<year_number>, <small>, 3, <int*>)",
        "datetime(2024, 2, <int*>, minute=<int>)", "datetime.combine(<date>, <time>)",
        "datetime.fromisoformat(<datetime>.isoformat())", "datetime.fromisoformat(<str>)",
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
        "[x for x in <texts> if x != <str>]", "[str(<int|x:date>) for x in <dates>]",
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
    RULES[_kind] += [f"(<{_kind}> if <bool> else <{_kind}>)", f"(<{_kind}> if <bool> else None)"]
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
CONSTANTS: dict[str, SearchStrategy[str]] = {
    "int": st.sampled_from(["0", "1", "2", "7", "(-3)", "100", "999999999999999"]),
    "float": st.sampled_from(["0.0", "0.5", "2.0", "(-1.25)", "3.14", "1e15", "1e-9"]),
    "str": st.sampled_from(["''", "'a'", "'Ab c'", "' x\\t'", "'é中🙂'", "'2024-03-01'", "'12'"]),
    "bool": st.sampled_from(["True", "False"]),
    "date": st.sampled_from(["date(2024, 2, 29)", "date(2023, 12, 31)", "date(2024, 6, 15)"]),
    "time": st.sampled_from(["time(0, 0)", "time(23, 59, 59)", "time(12, 30)"]),
    "datetime": st.sampled_from(["datetime(2024, 2, 29)", "datetime(2023, 12, 31, 23, 59, 59)"]),
    "span": st.sampled_from(["timedelta(0)", "timedelta(days=1)", "timedelta(minutes=-90)"]),
    "texts": st.sampled_from(["['a', 'b']", "['a']"]),
    "ints": st.sampled_from(["[1, 2, 3]", "[0]"]),
    "floats": st.sampled_from(["[1.5, -2.0]"]),
    "dates": st.sampled_from(["[date(2024, 1, 1)]"]),
    "spans": st.sampled_from(["[timedelta(hours=1), timedelta(days=2)]"]),
    # These have no rules: they are always written out.
    "small": st.integers(-4, 5).map(lambda n: str(n) if n >= 0 else f"({n})"),
    "digits": st.integers(-2, 4).map(str),
    "piece": st.sampled_from(["'a'", "'b'", "' '", "'ab'", "'é'", "', '", "'A'", "'-'"]),
    "format": st.sampled_from(
        [
            "'%Y-%m-%d'", "'%d.%m.%y %H:%M:%S'", "'%A %a %B %b'", "'%j %U %W'", "'%G-W%V-%u'",
            "'%I:%M %p'", "'%f %%Y %w'", "'%-d.%-m. %-H'",
        ]
    ),
    "day": st.sampled_from(["'2024-02-29'", "'2023-12-31'", "'2024-06-15'"]),
    "day_number": st.sampled_from(["1", "28", "29", "30", "31", "(1 + <int*> % 31)"]),
    "month_number": st.sampled_from(["2", "12", "(1 + <int*> % 12)", "<int*>"]),
    "year_number": st.sampled_from(["2023", "2024", "1000", "9999", "(2000 + <int*> % 30)"]),
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
    "date": ["min(<date|e:row> for e in @)", "max(e['d'] for e in @ if <bool|e:row>)"],
    "time": ["max(<time|e:row> for e in @)", "@[0]['t']"],
    "datetime": ["min(e['m'] for e in @)", "min(@, key=lambda e: e['t'])['n']"],
    "span": ["sum(<span|e:row> for e in @)", "max(e['u'] for e in @ if <bool|e:row>)"],
    "texts": [
        "[e['s'] for e in @]", "[<str|e:row> for e in @ if <bool|e:row>]", "@['z']",
        "sorted(<str|e:row> for e in @)", "sorted(set(x for e in @ for x in e['l']))",
        "[e['z'] for e in sorted(@, key=lambda e: <int|e:row>)]", "[e['s'] for e in @][-2:]",
        "[x for e in @ if <bool|e:row> for x in e['k'] if x != 'a']",
    ],
    "ints": ["[<int|e:row> for e in @]", "sorted({e['i'] for e in @}, reverse=True)[:3]"],
    "floats": ["[e['f'] for e in @ if <bool|e:row>]"],
    "dates": ["sorted(e['d'] for e in @)"],
    "spans": ["[e['u'] for e in @[:3]]"],
}  # fmt: skip

_SLOT = re.compile(r"<(\w+)(\*)?(?:\|(\w+):(\w+))?>")
Leaves = Mapping[str, list[str]]  # by type, the expressions that need no others


@st.composite
def expressions(draw: DrawFn, kind: str, leaves: Leaves, depth: int = 3) -> str:
    """An expression of a type, over the leaves; `*` marks slots in which only leaves may stand."""
    rules, at_hand = RULES.get(kind, []), leaves.get(kind, [])
    if not rules or depth <= 0 or draw(st.integers(0, 9)) < 2:
        template = draw(st.sampled_from(at_hand) | CONSTANTS[kind] if at_hand else CONSTANTS[kind])
    else:
        template = draw(st.sampled_from(rules))
    return draw(_filled(template, leaves, depth))


@st.composite
def _filled(draw: DrawFn, template: str, leaves: Leaves, depth: int) -> str:
    text, end = "", 0
    for slot in _SLOT.finditer(template):
        inner, leaf_only, name, bound = slot.groups()
        scope = leaves if name is None else _inside(leaves, name, bound)
        filled = (
            draw(st.sampled_from([leaf for leaf in leaves[inner] if "'" not in leaf]))
            if leaf_only
            else draw(expressions(inner, scope, depth - 1))
        )
        text, end = text + template[end : slot.start()] + filled, slot.end()
    return text + template[end:]


def _inside(leaves: Leaves, name: str, bound: str) -> Leaves:
    """The leaves inside a comprehension; over rows, those of the row and no others."""
    if bound == "row":
        return leaves_of(name)
    return {**leaves, bound: [name, *leaves.get(bound, [])]}


def _over(rule: str, variable: str) -> str:
    """A rule for the variable; its quotes are those that may stand in an f-string."""
    return rule.replace("@", variable).replace("'", '"')


@st.composite
def member_expressions(draw: DrawFn, variable: str) -> str:
    """An expression over all rows: one aggregate, or ordinary rules over two of them."""
    leaves: dict[str, list[str]] = {}
    for kind, rules in MEMBER_RULES.items():
        simple = [rule for rule in rules if "<" not in rule] or rules
        leaves[kind] = [_over(simple[0], variable)]
    kind = draw(st.sampled_from(list(MEMBER_RULES)))
    for picked in (kind, draw(st.sampled_from(list(MEMBER_RULES)))):
        rule = _over(draw(st.sampled_from(MEMBER_RULES[picked])), variable)
        leaves[picked].append(draw(_filled(rule, leaves, 2)))
    if draw(st.booleans()):
        return leaves[kind][1]
    return draw(expressions(kind, leaves, 2))


# -- rows ----------------------------------------------------------------------------------------

_LETTERS = "aAbBcé中🙂жÉ -,.\t\n019"
VALUES: dict[str, SearchStrategy[Plain]] = {
    "int": st.sampled_from([0, 1, -1, 7, 12, 10**15, -(2**53), 2**62]) | st.integers(-60, 60),
    "float": st.sampled_from([0.0, -0.0, 0.1, 2.5, -3.75, 1e300, 1e-300, 12345.678])
    | st.integers(-400, 400).map(lambda n: n / 8),
    "str": st.sampled_from(["", "a", "Ab", " a b ", "2024-02-29", "12", "-3.5", "23:59", "e\u0301"])
    | st.text(_LETTERS, max_size=8),
    "bool": st.booleans(),
    "date": st.sampled_from(
        [date(2024, 2, 29), date(2023, 12, 31), date(2024, 12, 30), date(1999, 1, 1),
         date(1000, 1, 1), date(9999, 12, 31)]
    )
    | st.dates(date(2020, 1, 1), date(2025, 12, 31)),
    "time": st.sampled_from([time(0, 0), time(23, 59, 59, 999999), time(12, 0)])
    | st.times().map(lambda clock: clock.replace(microsecond=0)),
    "datetime": st.sampled_from(
        [datetime(2024, 2, 29, 23, 59, 59), datetime(2024, 1, 1), datetime(9999, 12, 31, 23, 59)]
    )
    | st.datetimes(datetime(2020, 1, 1), datetime(2025, 12, 31)),
    "timedelta": st.sampled_from(
        [timedelta(0), timedelta(days=-1), timedelta(hours=36), timedelta(microseconds=3)]
    )
    | st.integers(-(10**5), 10**7).map(lambda seconds: timedelta(seconds=seconds)),
    "list": st.lists(st.text("abAé ", max_size=3), max_size=4),
}  # fmt: skip
rows: SearchStrategy[dict[str, Plain]] = st.fixed_dictionaries(
    {name: st.none() | VALUES[kind] | VALUES[kind] for name, kind in ATTRIBUTES.items()}
)
# Floats whose sums are the same in any order.
tame_rows = rows.map(
    lambda row: {
        name: round(value * 8) / 8 % 1000 if isinstance(value, float) else value
        for name, value in row.items()
    }
)


def leaves_of(variable: str) -> dict[str, list[str]]:
    """The attributes of a row, in every spelling."""
    found: dict[str, list[str]] = {}
    for name, kind in ATTRIBUTES.items():
        spellings = [f'{variable}["{name}"]', f"{variable}.{name}", f'{variable}.get("{name}")']
        found.setdefault(KIND_OF.get(kind, kind), []).extend(spellings)
    return found
