"""Random plans of every node there is, for properties that hold for all of them.

Variables are used where they are known, so that what is made here can be written and read back;
whether it makes sense is another matter. `typed` makes expressions that do.
"""

from collections.abc import Callable, Sequence
from functools import cache, partial
from keyword import iskeyword
from typing import TypeVar

from hypothesis import strategies as st

from reqap.plan import expressions as ex
from reqap.plan import operators as op
from reqap.plan.vocabulary import FUNCTIONS, METHODS, PARTS

PLUG_INS = ("workdays", "pace")
Scope = tuple[str, ...]
T = TypeVar("T")

# -- leaves --------------------------------------------------------------------------------------

_NASTY = (
    '"', "'", "\\", "\n", "\t", "{", "}", "{{x}}", "#", ";", '"""', "\\N{DASH}", "\\u0041", "😀",
    "é", "\u200f", "\u2028", "\ufeff", "\x7f", "\x0c", "%s", "$1", "`", "…",
)  # fmt: skip
characters = st.characters(exclude_categories=["Cs"], exclude_characters="\x00")
texts = st.one_of(
    st.text(characters, max_size=12),
    st.lists(st.sampled_from(_NASTY), max_size=4).map("".join),
)
words = texts.filter(str.strip)
attribute_names = st.one_of(
    st.sampled_from(["start_date", "year", "result", "date", "a b", "größe", "i2.start", "__x__"]),
    st.text(characters, min_size=1, max_size=8).filter(
        lambda name: (
            name.isprintable()
            and name.strip() != ""
            and not iskeyword(name)
            and not set(name) & set("\"'`#\\;")
        )
    ),
)
literals = st.one_of(
    texts,
    st.integers(-(10**15), 10**15),
    st.floats(-1e15, 1e15, allow_nan=False),
    st.sampled_from([0, 1, -1, 0.0, -0.0, 1e-300, True, False, None]),
).map(ex.Literal)
VARIABLES = ("attr", "e", "i1", "größe", "print")
_SPECS = ("", ".2f", "02d", "%Y-%m", "%H:%M", ",.1f", "5")


@cache
def _below(count: int) -> st.SearchStrategy[int]:
    return st.integers(0, count - 1)


class Maker:
    """Makes nodes from the choices that hypothesis draws."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw

    def one(self, options: Sequence[T]) -> T:
        return options[self._draw(_below(len(options)))]

    def either_way(self) -> bool:
        return self._draw(st.booleans())

    def some(self, least: int, most: int, make: Callable[[], T]) -> tuple[T, ...]:
        return tuple(make() for _ in range(self._draw(st.integers(least, most))))

    def name(self) -> str:
        return self._draw(attribute_names)

    # -- expressions ------------------------------------------------------------------------------

    def expression(self, scope: Scope, depth: int) -> ex.Expression:
        """An expression over the variables in `scope`, so many levels deep at most."""
        makers = _LEAVES if depth <= 0 else _LEAVES + _BRANCHES
        return self.one(makers)(self, scope, depth - 1)

    def leaf(self, scope: Scope, _: int) -> ex.Expression:
        if scope and self.either_way():
            return ex.Name(self.one(scope))
        return self._draw(literals)

    def today(self, _scope: Scope, _depth: int) -> ex.Expression:
        return ex.Call(self.one(("date.today", "datetime.now")))

    def key(self, scope: Scope, depth: int) -> ex.Expression:
        return ex.Key(self.expression(scope, depth), self.name())

    def part(self, scope: Scope, depth: int) -> ex.Expression:
        of = self.expression(scope, depth)
        side = isinstance(of, ex.Name) and of.name in ("i1", "i2")
        return ex.Key(of, self.name()) if side else ex.Part(of, self.one(sorted(PARTS)))

    def index(self, scope: Scope, depth: int) -> ex.Expression:
        at = self.expression(scope, depth)
        if isinstance(at, ex.Literal) and not isinstance(at.value, int):
            at = ex.Literal(-1)
        return ex.Index(self.expression(scope, depth), at)

    def slice(self, scope: Scope, depth: int) -> ex.Expression:
        bounds = [self.expression(scope, depth) if self.either_way() else None for _ in range(2)]
        return ex.Slice(self.expression(scope, depth), bounds[0], bounds[1])

    def unary(self, scope: Scope, depth: int) -> ex.Expression:
        operator, of = self.one(ex.UNARY), self.expression(scope, depth)
        number = isinstance(of, ex.Literal) and type(of.value) in (int, float)
        return ex.Unary("+" if number else operator, of)

    def binary(self, scope: Scope, depth: int) -> ex.Expression:
        left, right = self.expression(scope, depth), self.expression(scope, depth)
        return ex.Binary(self.one(ex.BINARY), left, right)

    def logic(self, scope: Scope, depth: int) -> ex.Expression:
        items = self.some(2, 3, lambda: self.expression(scope, depth))
        return ex.Logic(self.one(("and", "or")), items)

    def compare(self, scope: Scope, depth: int) -> ex.Expression:
        rights = self.some(1, 3, lambda: self.expression(scope, depth))
        operators = tuple(self.one(ex.COMPARISONS) for _ in rights)
        return ex.Compare(self.expression(scope, depth), operators, rights)

    def conditional(self, scope: Scope, depth: int) -> ex.Expression:
        test, then, otherwise = (self.expression(scope, depth) for _ in range(3))
        return ex.Conditional(test, then, otherwise)

    def items(self, scope: Scope, depth: int) -> ex.Expression:
        kind = self.one(("list", "tuple", "set"))
        items = self.some(1 if kind == "set" else 0, 3, lambda: self.expression(scope, depth))
        inner_set = any(isinstance(item, ex.Items) and item.kind == "set" for item in items)
        return ex.Items("list" if inner_set else kind, items)

    def comprehension(self, scope: Scope, depth: int) -> ex.Expression:
        clauses = []
        for _ in range(self.one((1, 1, 2))):
            over, variable = self.expression(scope, depth), self.one(VARIABLES)
            scope = tuple(sorted({*scope, variable}))
            conditions = self.some(0, 2, partial(self.expression, scope, depth))
            clauses.append(ex.For(variable, over, conditions))
        kind = self.one(("generator", "list", "set"))
        return ex.Comprehension(kind, self.expression(scope, depth), tuple(clauses))

    def function(self, scope: Scope, depth: int) -> ex.Expression:
        names = tuple(dict.fromkeys(self.some(1, 2, lambda: self.one(VARIABLES))))
        return ex.Lambda(names, self.expression(tuple(sorted({*scope, *names})), depth))

    def _given(
        self, scope: Scope, depth: int
    ) -> tuple[tuple[ex.Expression, ...], tuple[ex.Option, ...]]:
        options = self.some(0, 1, lambda: self.one(("key", "default", "reverse", "größe")))
        return (
            self.some(0, 2, lambda: self.expression(scope, depth)),
            tuple(ex.Option(name, self.expression(scope, depth)) for name in options),
        )

    def call(self, scope: Scope, depth: int) -> ex.Expression:
        return ex.Call(self.one([*sorted(FUNCTIONS), *PLUG_INS]), *self._given(scope, depth))

    def method(self, scope: Scope, depth: int) -> ex.Expression:
        of, name = self.expression(scope, depth), self.one(sorted(METHODS))
        return ex.Method(of, name, *self._given(scope, depth))

    def f_string(self, scope: Scope, depth: int) -> ex.Expression:
        pieces: list[ex.Formatted | ex.Literal] = []
        for _ in range(self.one(range(4))):
            of = self.expression(scope, depth)
            if _can_be_formatted(of):
                pieces.append(ex.Formatted(of, self.one(_SPECS)))
            elif not pieces or isinstance(pieces[-1], ex.Formatted):
                pieces.append(ex.Literal(self._draw(texts) or "x"))
        return ex.FString(tuple(pieces))

    def sub_plan(self, _: Scope, depth: int) -> ex.Expression:
        return ex.SubPlan(self.plan(depth))

    # -- plans ------------------------------------------------------------------------------------

    def plan(self, depth: int) -> op.Operator:
        """A plan so many levels deep at most, with questions at some leaves."""
        if depth <= 0 or self.one(range(6)) == 0:
            text = self._draw(words)
            return op.Qud(text) if self.either_way() else op.Retrieve(text)
        return self.one(_OPERATORS)(self, self.plan(depth - 1), depth)

    def retrieve(self, l1: op.Operator, _: int) -> op.Operator:
        return op.Retrieve(self._draw(words), l1)

    def extract(self, l1: op.Operator, _: int) -> op.Operator:
        names = tuple(dict.fromkeys(self.some(1, 3, self.name)))
        return op.Extract(l1, names, tuple(self.one(sorted(op.ATTRIBUTE_TYPES)) for _ in names))

    def join(self, l1: op.Operator, depth: int) -> op.Operator:
        condition = self.expression(("i1", "i2"), 2)
        if any(isinstance(part, ex.SubPlan) for part in ex.walk(condition)):
            condition = ex.Literal(True)
        return op.Join(l1, self.plan(depth - 1), condition)

    def group_by(self, l1: op.Operator, _: int) -> op.Operator:
        return op.GroupBy(l1, tuple(dict.fromkeys(self.some(1, 3, self.name))))

    def _lambda(self, depth: int) -> ex.Lambda:
        variable = self.one(VARIABLES)
        return ex.Lambda((variable,), self.expression((variable,), depth))

    def _either(self, depth: int) -> ex.Lambda | ex.FunctionName:
        named = self.one(("", "", "len", "sum", "str", *PLUG_INS))
        return ex.FunctionName(named) if named else self._lambda(depth)

    def filter(self, l1: op.Operator, depth: int) -> op.Operator:
        return op.Filter(l1, self._lambda(depth))

    def map(self, l1: op.Operator, depth: int) -> op.Operator:
        return op.Map(l1, self._either(depth), self.name())

    def apply(self, l1: op.Operator, depth: int) -> op.Operator:
        return op.Apply(l1, self._either(depth))

    def unnest(self, l1: op.Operator, _: int) -> op.Operator:
        return op.Unnest(l1, self.name(), self.name())

    def extreme(self, l1: op.Operator, _: int) -> op.Operator:
        asked = self.name() if self.either_way() else None
        return self.one((op.ArgMin, op.ArgMax))(l1, self.name(), asked)

    def aggregate(self, l1: op.Operator, _: int) -> op.Operator:
        return self.one((op.Min, op.Max, op.Sum, op.Avg))(l1, self.name())


def _can_be_formatted(node: ex.Expression) -> bool:
    for inner in ex.walk(node):
        if isinstance(inner, ex.FString | ex.SubPlan):
            return False
        text = inner.value if isinstance(inner, ex.Literal) else ""
        if isinstance(text, str) and (not text.isprintable() or set(text) & set("\"'\\#")):
            return False
    return True


_LEAVES = (Maker.leaf, Maker.leaf, Maker.leaf, Maker.today)
_BRANCHES = (
    Maker.key, Maker.key, Maker.part, Maker.index, Maker.slice, Maker.unary, Maker.binary,
    Maker.logic, Maker.compare, Maker.conditional, Maker.items, Maker.comprehension,
    Maker.function, Maker.call, Maker.method, Maker.f_string, Maker.sub_plan,
)  # fmt: skip
_OPERATORS = (
    Maker.retrieve, Maker.extract, Maker.join, Maker.group_by, Maker.filter, Maker.map,
    Maker.apply, Maker.unnest, Maker.extreme, Maker.aggregate,
)  # fmt: skip


@st.composite
def plans(draw: st.DrawFn, depth: int = 3) -> op.Operator:
    return Maker(draw).plan(depth)


@st.composite
def expressions(draw: st.DrawFn, scope: Scope, depth: int = 3) -> ex.Expression:
    return Maker(draw).expression(scope, depth)


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
        "{datetime}.date()", "{date}.replace(day=1)", "date(attr['count'], {int} % 12 + 1, 1)",
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
        "({timedelta} + {timedelta})", "({timedelta} * {int})",
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
