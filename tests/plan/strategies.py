"""Random plans of every node there is, for properties that hold for all of them.

Variables are used where they are known, so that what is made here can be written and read back;
whether it makes sense is another matter. `typed` makes expressions that do.
"""

from functools import cache

from hypothesis import strategies as st

from reqap.plan import expressions as ex
from reqap.plan import operators as op
from reqap.plan.vocabulary import FUNCTIONS, METHODS, PARTS

PLUG_INS = ("workdays", "pace")
Expressions = st.SearchStrategy[ex.Expression]
Plans = st.SearchStrategy[op.Operator]

# -- leaves --------------------------------------------------------------------------------------

_NASTY = ['"', "'", "\\", "\n", "\t", "{", "}", "{{x}}", "#", ";", '"""', "\\N{DASH}", "\\u0041",
          "😀", "é", "\u200f", "\u2028", "\ufeff", "\x7f", "\x0c", "%s", "$1", "`", "\\", "…"]  # fmt: skip
_characters = st.characters(exclude_categories=("Cs",), exclude_characters="\x00")
texts = st.one_of(
    st.text(_characters, max_size=12),
    st.lists(st.sampled_from(_NASTY), max_size=4).map("".join),
)
words = texts.filter(str.strip)
_plain_names = st.sampled_from(
    ["start_date", "year", "result", "date", "a b", "größe", "get", "i2.start_date", "x-y", "__x__"]
)
attribute_names = st.one_of(
    _plain_names,
    st.text(_characters, min_size=1, max_size=8).filter(
        lambda name: name.isprintable() and bool(name.strip() and not set(name) & set("\"'`#\\;"))
    ),
)
numbers = st.one_of(
    st.integers(-(10**15), 10**15),
    st.floats(-1e15, 1e15, allow_nan=False),
    st.sampled_from([0, 1, -1, 0.0, -0.0, 1e-300, 1.5]),
)
literals = st.one_of(texts, numbers, st.booleans(), st.none()).map(ex.Literal)
# Few, so that strategies can be kept; those of joins and one that is not ASCII among them.
variables = st.sampled_from(["attr", "größe", "i1"])

# -- expressions ---------------------------------------------------------------------------------


@cache
def expressions(scope: tuple[str, ...], depth: int) -> Expressions:
    """Expressions over the variables in `scope`, so many levels deep."""
    leaves: list[Expressions] = [literals, st.just(ex.Call("date.today"))]
    if scope:
        leaves.append(st.sampled_from(scope).map(ex.Name))
    if depth <= 0:
        return st.one_of(leaves)
    inner = expressions(scope, depth - 1)
    return st.one_of(
        *leaves,
        _accesses(inner),
        _operations(inner),
        _collections(scope, inner, depth),
        _calls(inner),
        _lambdas(scope, depth),
        f_strings(scope, depth),
        plans(depth - 1).map(ex.SubPlan),
    )


def _accesses(inner: Expressions) -> Expressions:
    bounds = st.one_of(st.none(), inner)
    not_a_side = inner.filter(lambda of: not (isinstance(of, ex.Name) and of.name in ("i1", "i2")))
    indexes = inner.filter(lambda at: not isinstance(at, ex.Literal) or isinstance(at.value, int))
    return st.one_of(
        st.builds(ex.Key, inner, attribute_names),
        st.builds(ex.Index, inner, indexes),
        st.builds(ex.Slice, inner, bounds, bounds),
        st.builds(ex.Part, not_a_side, st.sampled_from(sorted(PARTS))),
    )


def _is_plain_number(node: ex.Expression) -> bool:
    return isinstance(node, ex.Literal) and type(node.value) in (int, float)


def _operations(inner: Expressions) -> Expressions:
    several = st.lists(inner, min_size=2, max_size=3).map(tuple)
    pairs = st.lists(st.tuples(st.sampled_from(ex.COMPARISONS), inner), min_size=1, max_size=3)
    return st.one_of(
        st.builds(ex.Unary, st.sampled_from(["not", "+"]), inner),
        st.builds(ex.Unary, st.just("-"), inner.filter(lambda of: not _is_plain_number(of))),
        st.builds(ex.Binary, st.sampled_from(ex.BINARY), inner, inner),
        st.builds(ex.Logic, st.sampled_from(["and", "or"]), several),
        st.builds(
            lambda left, tail: ex.Compare(
                left, tuple(operator for operator, _ in tail), tuple(right for _, right in tail)
            ),
            inner,
            pairs,
        ),
        st.builds(ex.Conditional, inner, inner, inner),
    )


def _collections(scope: tuple[str, ...], inner: Expressions, depth: int) -> Expressions:
    some = st.lists(inner, max_size=3).map(tuple)
    in_a_set = inner.filter(lambda item: not (isinstance(item, ex.Items) and item.kind == "set"))
    return st.one_of(
        st.builds(ex.Items, st.sampled_from(["list", "tuple"]), some),
        st.builds(ex.Items, st.just("set"), st.lists(in_a_set, min_size=1, max_size=3).map(tuple)),
        comprehensions(scope, depth),
    )


@st.composite
def comprehensions(draw: st.DrawFn, scope: tuple[str, ...], depth: int) -> ex.Expression:
    kind = draw(st.sampled_from(["generator", "list", "set"]))
    clauses = []
    for _ in range(draw(st.integers(1, 2))):
        over = draw(expressions(scope, depth - 1))
        variable = draw(variables)
        scope = tuple(sorted({*scope, variable}))
        conditions = draw(st.lists(expressions(scope, depth - 1), max_size=2))
        clauses.append(ex.For(variable, over, tuple(conditions)))
    return ex.Comprehension(kind, draw(expressions(scope, depth - 1)), tuple(clauses))


def _calls(inner: Expressions) -> Expressions:
    arguments = st.lists(inner, max_size=2).map(tuple)
    names = st.sampled_from(["key", "default", "reverse", "days", "größe"])
    options = st.dictionaries(names, inner, max_size=2).map(
        lambda given: tuple(ex.Option(name, value) for name, value in given.items())
    )
    return st.one_of(
        st.builds(ex.Call, st.sampled_from(sorted(FUNCTIONS) + list(PLUG_INS)), arguments, options),
        st.builds(ex.Method, inner, st.sampled_from(sorted(METHODS)), arguments, options),
    )


@st.composite
def _lambdas(draw: st.DrawFn, scope: tuple[str, ...], depth: int) -> ex.Expression:
    parameters = tuple(draw(st.lists(variables, min_size=1, max_size=2, unique=True)))
    inner = tuple(sorted({*scope, *parameters}))
    return ex.Lambda(parameters, draw(expressions(inner, depth - 1)))


def _can_be_formatted(node: ex.Expression) -> bool:
    for inner in ex.walk(node):
        if isinstance(inner, ex.FString | ex.SubPlan):
            return False
        text = inner.value if isinstance(inner, ex.Literal) else ""
        if isinstance(text, str) and (not text.isprintable() or set(text) & set("\"'\\#")):
            return False
    return True


_specs = st.sampled_from(["", "", ".2f", "02d", "%Y-%m", "%H:%M", ",.1f", "5"])


@st.composite
def f_strings(draw: st.DrawFn, scope: tuple[str, ...], depth: int) -> ex.Expression:
    pieces: list[ex.Formatted | ex.Literal] = []
    for _ in range(draw(st.integers(0, 4))):
        text_before = bool(pieces) and isinstance(pieces[-1], ex.Literal)
        if not text_before and draw(st.booleans()):
            pieces.append(ex.Literal(draw(texts.filter(bool))))
        else:
            of = draw(expressions(scope, depth - 1).filter(_can_be_formatted))
            pieces.append(ex.Formatted(of, draw(_specs)))
    return ex.FString(tuple(pieces))


# -- plans ---------------------------------------------------------------------------------------

_types = st.sampled_from(sorted(op.ATTRIBUTE_TYPES))
_named_types = st.dictionaries(attribute_names, _types, min_size=1, max_size=3)


@st.composite
def functions_of_one(draw: st.DrawFn, depth: int) -> ex.Lambda:
    parameter = draw(variables)
    return ex.Lambda((parameter,), draw(expressions((parameter,), depth)))


@cache
def plans(depth: int) -> Plans:
    """Plans so many levels deep, with questions at some leaves."""
    leaves: Plans = st.one_of(st.builds(op.Qud, words), st.builds(op.Retrieve, words))
    if depth <= 0:
        return leaves
    inner = plans(depth - 1)
    named = st.sampled_from(["len", "sum", "sorted", "str", *PLUG_INS]).map(ex.FunctionName)
    function = functions_of_one(min(depth, 2))
    either = st.one_of(function, named)
    conditions = expressions(("i1", "i2"), 2).filter(
        lambda node: not any(isinstance(part, ex.SubPlan) for part in ex.walk(node))
    )
    keys = st.lists(attribute_names, min_size=1, max_size=3, unique=True).map(tuple)
    asked = st.one_of(st.none(), attribute_names)
    return st.one_of(
        leaves,
        st.builds(op.Retrieve, words, inner),
        st.builds(lambda l, types: op.Extract(l, tuple(types), tuple(types.values())),
                  inner, _named_types),
        st.builds(op.Join, inner, inner, conditions),
        st.builds(op.GroupBy, inner, keys),
        st.builds(op.Filter, inner, function),
        st.builds(op.Map, inner, either, attribute_names),
        st.builds(op.Apply, inner, either),
        st.builds(op.Unnest, inner, attribute_names, attribute_names),
        *(st.builds(kind, inner, attribute_names, asked) for kind in (op.ArgMin, op.ArgMax)),
        *(st.builds(kind, inner, attribute_names) for kind in (op.Min, op.Max, op.Sum, op.Avg)),
    )  # fmt: skip


# -- expressions that make sense -------------------------------------------------------------------

# One attribute of each type, as the text of a plan's leaf, and how it is reached.
ATTRIBUTES = {
    "int": "count", "float": "price", "str": "title", "bool": "done", "date": "day",
    "datetime": "moment", "time": "clock", "timedelta": "length", "list[str]": "names",
}  # fmt: skip
TYPED_EVENTS = (
    'EXTRACT(l=RETRIEVE(query="x"), attr_names=["count", "price", "title", "done", "day", "moment",'
    ' "clock", "length", "names"], attr_types=[int, float, str, bool, date.fromisoformat,'
    " datetime.fromtimestamp, time.fromisoformat, timedelta, list])"
)
_CONSTANTS = {
    "int": ["3", "-1", "len('abc')"], "float": ["0.5", "-2.0"], "str": ['"rock"', "''"],
    "bool": ["True", "False"], "date": ["date(2024, 2, 29)", "date.today()"],
    "datetime": ["datetime(2024, 2, 29, 12)", "datetime.now()"],
    "time": ["time(18, 30)"], "timedelta": ["timedelta(minutes=30)"],
    "list[str]": ['["a", "b"]', '"a b".split()'],
}  # fmt: skip
# What gives a value of a type: a text with `{type}` where a value of that type goes.
_RULES = {
    "int": [
        "({int} + {int})", "({int} - {int})", "({int} * {int})", "({int} // {int})",
        "({int} % {int})", "-({int})", "abs({int})", "int({float})", "int({bool})", "int({str})",
        "round({float})", "len({str})", "len({list[str]})", "{date}.year", "{datetime}.month",
        "{time}.hour", "{datetime}.minute", "{date}.weekday()", "{date}.isocalendar()[1]",
        "{timedelta}.days", "({timedelta} // {timedelta})", "{str}.count({str})",
        "max({int}, {int})", "sum([{int}, {int}])", "(1 if {bool} else {int})",
        "sum(1 for x in {list[str]} if {bool})", "min([{int}], default={int})", "({int} or {int})",
    ],
    "float": [
        "({int} / {int})", "({float} + {int})", "({int} - {float})", "({float} * {float})",
        "({float} ** {int})", "round({float}, 2)", "float({int})", "float({str})",
        "({timedelta} / {timedelta})", "{timedelta}.total_seconds()", "min({float}, {int})",
        "({int} if {bool} else {float})", "sum([{float}, {int}])",
    ],
    "str": [
        "({str} + {str})", "{str}.lower()", "{str}.upper()", "{str}.strip()",
        "{str}.replace({str}, {str})", "{str}[0]", "{str}[1:]", "{str}[:2]", "str({int})",
        "str({date})", "{list[str]}[0]", "{date}.strftime('%Y-%m')", "{datetime}.isoformat()",
        "', '.join({list[str]})", "({str} if {bool} else {str})", "({str} or {str})",
        "max({str}, {str})",
    ],
    "bool": [
        "({int} < {float})", "({int} <= {int} < {int})", "({str} == {str})", "({date} > {date})",
        "({date} <= {datetime})", "({time} >= {time})", "({timedelta} != {timedelta})",
        "({str} in {str})", "({str} in {list[str]})", "({str} not in {list[str]})",
        "({int} in ({int}, {int}))", "({bool} and {bool})", "({bool} or {bool})", "(not {bool})",
        "({str} is None)", "({str} is not None)", "{str}.startswith({str})", "bool({str})",
        "any(x == {str} for x in {list[str]})", "all(x in {list[str]} for x in {list[str]})",
        "({date} > '2024-03-01')", "({time} < '18:00')", "(({int}, {str}) < ({int}, {str}))",
    ],
    "date": [
        "({date} + {timedelta})", "({date} - {timedelta})", "({date} - relativedelta(months=6))",
        "{datetime}.date()", "{date}.replace(day=1)", "date({int}, 2, 1)",
        "date.fromisoformat({str})", "max({date}, {date})", "({date} if {bool} else {date})",
    ],
    "datetime": [
        "({datetime} + {timedelta})", "datetime.combine({date}, {time})",
        "{datetime}.replace(hour=0, minute=0)", "({datetime} - relativedelta(years=1))",
        "({date} if {bool} else {datetime})", "({date} + relativedelta(hours=5))",
    ],
    "time": ["{datetime}.time()", "{time}.replace(minute=0)", "min({time}, {time})"],
    "timedelta": [
        "({date} - {date})", "({datetime} - {datetime})", "({datetime} - {date})",
        "({time} - {time})", "({timedelta} + {timedelta})", "({timedelta} * {int})",
        "({timedelta} / {int})", "timedelta(days={int})", "abs({timedelta})", "-({timedelta})",
        "sum([{timedelta}, {timedelta}])",
    ],
    "list[str]": [
        "{str}.split({str})", "[{str}, {str}]", "sorted({list[str]})", "set({list[str]})",
        "[x.lower() for x in {list[str]}]", "[x for x in {list[str]} if {bool}]",
        "({list[str]} + {list[str]})", "{list[str]}[1:]", "list({list[str]})",
    ],
}  # fmt: skip


@st.composite
def typed(draw: st.DrawFn, kind: str, depth: int = 3) -> str:
    """The text of an expression over `attr` that has the type."""
    leaf = depth <= 0 or draw(st.integers(0, 3)) == 0
    if leaf:
        return draw(st.sampled_from([f'attr["{ATTRIBUTES[kind]}"]', *_CONSTANTS[kind]]))
    text = draw(st.sampled_from(_RULES[kind]))
    for inner in _RULES:
        while f"{{{inner}}}" in text:
            text = text.replace(f"{{{inner}}}", draw(typed(inner, depth - 1)), 1)
    return text


kinds = st.sampled_from(sorted(_RULES))
