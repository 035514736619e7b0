"""The expressions of the plan language: what lambdas and join conditions are made of.

Frozen nodes without behaviour, each checked when it is built. They say what was written; what it
means is the job of `typing` (types) and of `execute` (values).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields
from itertools import pairwise
from keyword import iskeyword
from typing import TYPE_CHECKING

from reqap.errors import PlanError
from reqap.plan.vocabulary import FUNCTIONS, METHODS, PARTS

if TYPE_CHECKING:
    from reqap.plan.operators import Operator

MAX_TEXT = 2_000
MAX_NUMBER = 10**15
MAX_NAME = 100
# The longest list that may be written out in a plan.
MAX_ITEMS = 1_000
# The longest `a and b and …`, and the longest chain of comparisons.
MAX_LINKS = 60

BINARY = ("+", "-", "*", "/", "//", "%", "**")
UNARY = ("not", "-", "+")
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=", "in", "not in", "is", "is not")


@dataclass(frozen=True, slots=True)
class Expression:
    """The root of the family."""

    def parts(self) -> "Iterator[Expression]":
        """The expressions directly inside this one."""
        for field in fields(self):
            yield from _expressions(getattr(self, field.name))


def _expressions(value: object) -> Iterator[Expression]:
    if isinstance(value, Expression):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _expressions(item)


def check_text(text: str) -> None:
    """Texts are bounded and hold what a database can take."""
    if len(text) > MAX_TEXT:
        raise PlanError(
            f"a text of {len(text):,} characters", expected=f"at most {MAX_TEXT:,} characters"
        )
    if "\x00" in text or any("\ud800" <= char <= "\udfff" for char in text):
        raise PlanError("a text with characters that are none (NUL, half a surrogate pair)")


def check_name(name: str) -> None:
    """Attribute names are free, within reason: they become columns and appear in messages."""
    if not name.strip() or len(name) > MAX_NAME:
        raise PlanError(
            f"{name[:MAX_NAME]!r} cannot be the name of an attribute",
            expected=f"a name of 1 to {MAX_NAME} characters, such as start_date",
        )
    if not name.isprintable() or any(char in "\"'`#\\;" for char in name):
        raise PlanError(
            f"{name!r} cannot be the name of an attribute",
            expected="a name without quotes, #, ; and backslashes, such as start_date",
        )


def check_identifier(name: str) -> None:
    """Variables and plug-in functions are plain names; nothing begins with an underscore."""
    if not name.isidentifier() or iskeyword(name) or name.startswith("_") or len(name) > MAX_NAME:
        raise PlanError(f"{name[:MAX_NAME]!r} is not a plain name", expected="a name such as attr")


@dataclass(frozen=True, slots=True)
class Literal(Expression):
    """A text, a number, True, False or None."""

    value: str | int | float | bool | None

    def __post_init__(self) -> None:
        if isinstance(self.value, str):
            check_text(self.value)
        elif isinstance(self.value, int | float) and not -MAX_NUMBER <= self.value <= MAX_NUMBER:
            raise PlanError("a number beyond reason", expected=f"numbers up to {MAX_NUMBER:.0e}")

    # True == 1 in Python; in a plan they are different.
    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Literal)
            and type(self.value) is type(other.value)
            and repr(self.value) == repr(other.value)
        )

    def __hash__(self) -> int:
        return hash((type(self.value), repr(self.value)))


@dataclass(frozen=True, slots=True)
class Name(Expression):
    """A parameter of a lambda, the variable of a comprehension, or `i1`/`i2` of a join."""

    name: str

    def __post_init__(self) -> None:
        check_identifier(self.name)


@dataclass(frozen=True, slots=True)
class Key(Expression):
    """`attr["start_date"]`, and `i1.start_date` in a join condition."""

    of: Expression
    name: str

    def __post_init__(self) -> None:
        check_name(self.name)


@dataclass(frozen=True, slots=True)
class Index(Expression):
    """`items[0]`."""

    of: Expression
    index: Expression

    def __post_init__(self) -> None:
        if isinstance(self.index, Literal) and not isinstance(self.index.value, int):
            raise PlanError("an index that is no whole number", expected="items[0]")


@dataclass(frozen=True, slots=True)
class Slice(Expression):
    """`items[2:5]`; either bound may be left out."""

    of: Expression
    lower: Expression | None
    upper: Expression | None


@dataclass(frozen=True, slots=True)
class Unary(Expression):
    operator: str
    of: Expression

    def __post_init__(self) -> None:
        if self.operator not in UNARY:
            raise PlanError(f"the operator {self.operator[:40]!r}", expected=", ".join(UNARY))
        if self.operator == "-" and isinstance(self.of, Literal) and _is_number(self.of.value):
            raise PlanError("a minus before a number", expected="the negative number itself")


@dataclass(frozen=True, slots=True)
class Binary(Expression):
    operator: str
    left: Expression
    right: Expression

    def __post_init__(self) -> None:
        if self.operator not in BINARY:
            raise PlanError(f"the operator {self.operator[:40]!r}", expected=", ".join(BINARY))


@dataclass(frozen=True, slots=True)
class Logic(Expression):
    """`a and b and c`, `a or b`."""

    operator: str
    items: tuple[Expression, ...]

    def __post_init__(self) -> None:
        if self.operator not in ("and", "or") or len(self.items) < 2:
            raise PlanError(f"the operator {self.operator[:40]!r}", expected="and, or")
        if len(self.items) > MAX_LINKS:
            raise PlanError(
                f"{len(self.items)} conditions in a row",
                expected=f"at most {MAX_LINKS}; `value in [a, b, c]` for many values",
            )


@dataclass(frozen=True, slots=True)
class Compare(Expression):
    """`a < b`, and chains such as `a <= b < c`."""

    left: Expression
    operators: tuple[str, ...]
    rights: tuple[Expression, ...]

    def __post_init__(self) -> None:
        if not self.operators or len(self.operators) != len(self.rights):
            raise PlanError("a comparison with a side missing")
        if len(self.operators) > MAX_LINKS // 10:
            raise PlanError("a long chain of comparisons", expected="a < b and c < d")
        for operator in self.operators:
            if operator not in COMPARISONS:
                raise PlanError(f"the operator {operator[:40]!r}", expected=", ".join(COMPARISONS))


@dataclass(frozen=True, slots=True)
class Conditional(Expression):
    """`then if test else otherwise`."""

    test: Expression
    then: Expression
    otherwise: Expression


@dataclass(frozen=True, slots=True)
class Formatted(Expression):
    """A value inside an f-string, with its format such as `.2f` or `%Y-%m`."""

    of: Expression
    spec: str

    def __post_init__(self) -> None:
        if not _FORMAT.fullmatch(self.spec):
            raise PlanError(f"the format {self.spec[:40]!r}", expected=":.2f, :02d or :%Y-%m")
        # Python before 3.12 has no way to write these inside the braces of an f-string.
        for inner in walk(self.of):
            if isinstance(inner, FString | SubPlan):
                raise PlanError("an f-string or a plan inside an f-string", expected=_MAP_FIRST)
            text = inner.value if isinstance(inner, Literal) else ""
            if isinstance(text, str) and (not text.isprintable() or set(text) & set("\"'\\#")):
                raise PlanError("special characters inside an f-string", expected=_MAP_FIRST)


@dataclass(frozen=True, slots=True)
class FString(Expression):
    """f"{attr['year']}-{attr['month']:02d}"; the parts in between are literals."""

    items: tuple[Formatted | Literal, ...]

    def __post_init__(self) -> None:
        texts = [isinstance(item, Literal) for item in self.items]
        if any(first and second for first, second in pairwise(texts)):
            raise PlanError("two texts side by side in an f-string", expected="one text")
        for item in self.items:
            if isinstance(item, Literal) and (not isinstance(item.value, str) or not item.value):
                raise PlanError("an f-string holds texts and values only")


@dataclass(frozen=True, slots=True)
class Items(Expression):
    """A list, tuple or set that is written out."""

    kind: str
    items: tuple[Expression, ...]

    def __post_init__(self) -> None:
        if self.kind not in ("list", "tuple", "set"):
            raise PlanError(f"a {self.kind[:40]}", expected="list, tuple, set")
        inner_set = any(isinstance(item, Items) and item.kind == "set" for item in self.items)
        if self.kind == "set" and (not self.items or inner_set):
            raise PlanError("an empty set, or a set in a set", expected="a list")
        if len(self.items) > MAX_ITEMS:
            raise PlanError(f"a {self.kind} of {len(self.items):,} items",
                            expected=f"at most {MAX_ITEMS:,}")  # fmt: skip


@dataclass(frozen=True, slots=True)
class For(Expression):
    """`for variable in over if condition` inside a comprehension."""

    variable: str
    over: Expression
    conditions: tuple[Expression, ...]

    def __post_init__(self) -> None:
        check_identifier(self.variable)


@dataclass(frozen=True, slots=True)
class Comprehension(Expression):
    """A generator, list or set comprehension."""

    kind: str
    body: Expression
    clauses: tuple[For, ...]

    def __post_init__(self) -> None:
        if self.kind not in ("generator", "list", "set"):
            raise PlanError(f"a {self.kind[:40]} comprehension", expected="generator, list, set")
        if not 1 <= len(self.clauses) <= 2:
            raise PlanError("a comprehension with more than two `for`", expected="one or two")


@dataclass(frozen=True, slots=True)
class Lambda(Expression):
    """`lambda attr: …`: the function of an operator, or the `key` of sorted, min and max."""

    parameters: tuple[str, ...]
    body: Expression

    def __post_init__(self) -> None:
        if not 1 <= len(self.parameters) <= 2 or len(set(self.parameters)) != len(self.parameters):
            raise PlanError("a lambda with these parameters", expected="lambda attr: …")
        for name in self.parameters:
            check_identifier(name)


@dataclass(frozen=True, slots=True)
class Option(Expression):
    """A keyword argument."""

    name: str
    value: Expression

    def __post_init__(self) -> None:
        check_identifier(self.name)


@dataclass(frozen=True, slots=True)
class Call(Expression):
    """`len(x)`, `date(2024, 3, 1)`, `date.today()`, or a plug-in function."""

    function: str
    arguments: tuple[Expression, ...] = ()
    options: tuple[Option, ...] = ()

    def __post_init__(self) -> None:
        if self.function not in FUNCTIONS:
            check_identifier(self.function)
        _check_options(self.options)


@dataclass(frozen=True, slots=True)
class Method(Expression):
    """`text.lower()`, `day.weekday()`."""

    of: Expression
    name: str
    arguments: tuple[Expression, ...] = ()
    options: tuple[Option, ...] = ()

    def __post_init__(self) -> None:
        if self.name not in METHODS:
            raise PlanError(f"the method {self.name[:40]!r}", expected=", ".join(sorted(METHODS)))
        _check_options(self.options)


@dataclass(frozen=True, slots=True)
class Part(Expression):
    """`day.year`, `span.days`."""

    of: Expression
    name: str

    def __post_init__(self) -> None:
        side = isinstance(self.of, Name) and self.of.name in ("i1", "i2")
        if self.name not in PARTS or side:
            raise PlanError(f"the part {self.name[:40]!r}", expected=", ".join(sorted(PARTS)))


@dataclass(frozen=True, slots=True)
class FunctionName(Expression):
    """A function given by its name: `fct=len`."""

    name: str

    def __post_init__(self) -> None:
        check_identifier(self.name)


@dataclass(frozen=True, slots=True)
class SubPlan(Expression):
    """`MIN(…).result`: the value of another plan, worked out once."""

    plan: "Operator"


_FORMAT = re.compile(r"[A-Za-z0-9 %.,:+/_-]{0,40}")
_MAP_FIRST = "simple values; work out the rest in a MAP before"


def _check_options(options: tuple[Option, ...]) -> None:
    names = [option.name for option in options]
    if len(set(names)) != len(names):
        raise PlanError("the same argument twice", expected="each name once")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def walk(expression: Expression) -> Iterator[Expression]:
    """The expression and everything inside it, from the outside in; not the plans in it."""
    waiting = [expression]
    while waiting:
        present = waiting.pop()
        yield present
        waiting.extend(reversed(list(present.parts())))
