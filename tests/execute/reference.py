"""What expressions of the plan language mean, said once more in plain Python.

An interpreter of the surface nodes, written from the specification (docs/plan-language.md) and from
Python's own rules, one value at a time. The engine compiles the same nodes to SQL; tests compare
the two. Not the job of this module: types, units, sub-plans, speed.

A missing value is None. A condition that is neither true nor false is UNKNOWN: the same thing, but
`not` of it is not true either, whereas a missing text in place of a condition counts as false.
"""

import math
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import cmp_to_key
from operator import add, floordiv, ge, gt, le, lt, mod, mul, sub, truediv

from dateutil.relativedelta import relativedelta

from reqap.plan import expressions as ex

Value = object
Record = Mapping[str, Value]
Scope = Mapping[str, Value]
_CANNOT = (ValueError, ZeroDivisionError, OverflowError, IndexError)
_MICROSECOND = timedelta(microseconds=1)


class Unknown:
    """Neither true nor false."""

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN = Unknown()


@dataclass(frozen=True)
class Group:
    """What GROUP_BY makes: its own attributes, and its members."""

    attributes: Record
    members: Sequence[Record]


def missing(value: Value) -> bool:
    return value is None or value is UNKNOWN


def holds(value: Value) -> bool:
    """Whether a value counts as true; a missing one does not."""
    if isinstance(value, time | date | relativedelta):
        return True
    return not missing(value) and bool(value)


def _with_gaps(value: Value) -> bool:
    """A list or tuple with a missing part: such are not compared."""
    return isinstance(value, list | tuple) and len(_told(value)) < len(value)


def _told(values: Value) -> list[Value]:
    """The values of a list that are there."""
    assert isinstance(values, Sequence | set)
    return [value for value in values if not missing(value)]


def _bounded(value: Value) -> Value:
    """What has no place in a database cannot be computed."""
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        return None
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, timedelta) and not -(2**63) <= value // _MICROSECOND < 2**63:
        return None
    return None if isinstance(value, complex) else value


class Reference:
    """Evaluates expressions on a given day."""

    def __init__(self, today: datetime) -> None:
        self._today = today

    def __call__(self, node: ex.Expression, scope: Scope) -> Value:
        try:
            return _bounded(self._value(node, scope))
        except _CANNOT:
            return None

    def _value(self, node: ex.Expression, scope: Scope) -> Value:
        match node:
            case ex.Literal():
                return node.value
            case ex.Name():
                return scope[node.name]
            case ex.Key():
                return _attribute(self(node.of, scope), node.name)
            case ex.Index() | ex.Slice():
                return self._item(node, scope)
            case ex.Call():
                return self._call(node, scope)
            case ex.Method():
                return self._method(node, scope)
            case ex.Part():
                of = self(node.of, scope)
                return None if missing(of) else getattr(of, node.name)
            case ex.Comprehension():
                return self._comprehension(node, scope)
        return self._operation(node, scope)

    def _operation(self, node: ex.Expression, scope: Scope) -> Value:
        match node:
            case ex.Unary():
                return self._unary(node, scope)
            case ex.Binary():
                return arithmetic(node.operator, self(node.left, scope), self(node.right, scope))
            case ex.Logic():
                return self._logic(node, scope)
            case ex.Compare():
                return self._compare(node, scope)
            case ex.Conditional():
                chosen = node.then if holds(self(node.test, scope)) else node.otherwise
                return self(chosen, scope)
            case ex.FString():
                return self._fstring(node, scope)
            case ex.Items():
                return self._items(node, scope)
        raise NotImplementedError(type(node).__name__)

    def _items(self, node: ex.Items, scope: Scope) -> Value:
        """Lists and tuples may have gaps, sets leave them out."""
        made = [self(item, scope) for item in node.items]
        if node.kind == "set":
            return set(_told(made))
        return made if node.kind == "list" else tuple(made)

    # -- pieces ---------------------------------------------------------------------------------

    def _item(self, node: ex.Index | ex.Slice, scope: Scope) -> Value:
        of = self(node.of, scope)
        of = of.members if isinstance(of, Group) else of
        if isinstance(node, ex.Index):
            at = self(node.index, scope)
            return None if missing(of) or missing(at) else of[at]  # type: ignore[index]
        ends = [None if end is None else self(end, scope) for end in (node.lower, node.upper)]
        written = [end for end in (node.lower, node.upper) if end is not None]
        if missing(of) or len(_told(ends)) != len(written):
            return None
        return of[ends[0] : ends[1]]  # type: ignore[index]

    def _unary(self, node: ex.Unary, scope: Scope) -> Value:
        of = self(node.of, scope)
        if node.operator == "not":
            return UNKNOWN if of is UNKNOWN else not holds(of)
        if missing(of):
            return None
        return of if node.operator == "+" else -of  # type: ignore[operator]

    def _logic(self, node: ex.Logic, scope: Scope) -> Value:
        items = [self(item, scope) for item in node.items]
        if node.operator == "and" and all(isinstance(item, bool | Unknown) for item in items):
            return self._all(node.items, items, scope)
        decisive = node.operator == "or"
        if all(isinstance(item, bool | Unknown) for item in items):
            return three_valued(decisive, items)
        return next((item for item in items[:-1] if holds(item) is decisive), items[-1])

    def _compare(self, node: ex.Compare, scope: Scope) -> Value:
        sides = (node.left, *node.rights)
        found: list[Value] = []
        for at, operator in enumerate(node.operators):
            left, right = self(sides[at], scope), self._side(operator, sides[at + 1], scope)
            if ex.Literal(None) in sides[at : at + 2]:
                there = missing(left) and missing(right)
                found.append(there is (operator in ("==", "is")))
            else:
                found.append(compared(operator, left, right))
        links = [
            ex.Compare(sides[at], (operator,), (sides[at + 1],))
            for at, operator in enumerate(node.operators)
        ]
        return self._all(links, found, scope) if len(found) > 1 else found[0]

    def _all(self, written: Sequence[ex.Expression], found: Sequence[Value], scope: Scope) -> Value:
        """Conditions that hold together; the first two bounds that go over midnight are one."""
        for first, lower in enumerate(written):
            for second, upper in enumerate(written):
                if self._is_night(lower, upper, scope):
                    either = three_valued(True, [found[first], found[second]])
                    rest = [x for at, x in enumerate(found) if at not in (first, second)]
                    return three_valued(False, [either, *rest])
        return three_valued(False, found)

    def _is_night(self, lower: ex.Expression, upper: ex.Expression, scope: Scope) -> bool:
        bounds = [_bound(one) for one in (lower, upper)]
        if None in bounds or bounds[0][1] != bounds[1][1]:  # type: ignore[index]
            return False
        (low, of, begin), (high, _, end) = bounds  # type: ignore[misc]
        if low[0] != ">" or high[0] != "<":
            return False
        at, until = self(begin, scope), self(end, scope)
        if isinstance(of, ex.Part) and of.name == "hour":
            return isinstance(at, int) and isinstance(until, int) and 24 > at > until >= 0
        times = [time.fromisoformat(x) if isinstance(x, str) else x for x in (at, until)]
        return all(isinstance(x, time) for x in times) and times[0] > times[1]  # type: ignore[operator]

    def _side(self, operator: str, node: ex.Expression, scope: Scope) -> Value:
        """The right side of a comparison; `in (a, b)` means the items, not the tuple."""
        if operator in ("in", "not in") and isinstance(node, ex.Items):
            return [self(item, scope) for item in node.items]
        return self(node, scope)

    def _fstring(self, node: ex.FString, scope: Scope) -> Value:
        pieces = []
        for item in node.items:
            value = item.value if isinstance(item, ex.Literal) else self(item.of, scope)
            if missing(value):
                return None
            spec = item.spec if isinstance(item, ex.Formatted) else ""
            timed = isinstance(value, date | time) and spec
            pieces.append(_strftime(value, spec) if timed else format(value, spec))
        return "".join(pieces)

    def _comprehension(self, node: ex.Comprehension, scope: Scope) -> Value:
        over = self(node.clauses[0].over, scope)
        if missing(over):
            return None
        made = list(self._looped(node.body, node.clauses, scope))
        return set(_told(made)) if node.kind == "set" else made

    def _looped(
        self, body: ex.Expression, clauses: tuple[ex.For, ...], scope: Scope
    ) -> Iterator[Value]:
        if not clauses:
            yield self(body, scope)
            return
        first, *more = clauses
        over = self(first.over, scope)
        for item in () if missing(over) else _items(over):
            inner = {**scope, first.variable: item}
            if all(holds(self(condition, inner)) for condition in first.conditions):
                yield from self._looped(body, tuple(more), inner)

    # -- functions ------------------------------------------------------------------------------

    def _call(self, node: ex.Call, scope: Scope) -> Value:
        if node.function in ("date.today", "datetime.now"):
            return self._today.date() if node.function == "date.today" else self._today
        if node.function in ("sorted", "min", "max") and len(node.arguments) == 1:
            return self._in_order(node, scope)
        given = [self(argument, scope) for argument in node.arguments]
        options = {option.name: self(option.value, scope) for option in node.options}
        if node.function in ("min", "max"):
            return _extreme(node.function, given)
        if node.function == "bool":
            return UNKNOWN if given[0] is UNKNOWN else holds(given[0])
        if any(missing(value) for value in (*given, *options.values())):
            return UNKNOWN if node.function in ("any", "all") else None
        if node.function == "sum":
            return _sum(node.arguments[0], given[0])
        if node.function == "avg":
            told = [x for x in _items(given[0]) if isinstance(x, int | float)]
            return sum(told) / len(told) if told else None
        function: Callable[..., Value] = FUNCTIONS[node.function]
        return function(*given, **options)

    def _in_order(self, node: ex.Call, scope: Scope) -> Value:
        """sorted, min and max of one list: what is missing has no place in an order."""
        options = {option.name: option.value for option in node.options}
        of = self(node.arguments[0], scope)
        default = self(options["default"], scope) if "default" in options else None
        if missing(of):
            return default
        items, keys = _told(_items(of)), None
        key = options.get("key")
        if isinstance(key, ex.Lambda):
            name = key.parameters[0]
            keys = [self(key.body, {**scope, name: item}) for item in items]
        ranks = items if keys is None else keys
        down = node.function == "max" or options.get("reverse") == ex.Literal(True)
        found = _ranked(list(zip(items, ranks, strict=True)), down)
        if node.function == "sorted":
            return found
        return found[0] if found else default

    def _method(self, node: ex.Method, scope: Scope) -> Value:
        of = self(node.of, scope)
        given = [self(argument, scope) for argument in node.arguments]
        options = {option.name: self(option.value, scope) for option in node.options}
        if any(missing(value) for value in (of, *given, *options.values())):
            return UNKNOWN if node.name in ("startswith", "endswith") else None
        if node.name == "join":
            return _joined(str(of), _told(given[0]), given[0])
        if node.name in ("date", "time") and type(of).__name__ == node.name:
            return of
        method: Callable[..., Value] = getattr(of, node.name)
        return _strftime(of, given[0]) if node.name == "strftime" else method(*given, **options)


def _bound(node: ex.Expression) -> tuple[str, ex.Expression, ex.Expression] | None:
    """A comparison with a time or a number that is written out."""
    if (
        not isinstance(node, ex.Compare)
        or len(node.operators) > 1
        or node.operators[0][0] not in "<>"
    ):
        return None
    (sign,), one, (other,) = node.operators, node.left, node.rights
    if _is_fixed(one):
        one, other, sign = other, one, sign.translate(str.maketrans("<>", "><"))
    fits = sign[0] in "<>" and _is_fixed(other) and not _is_fixed(one)
    return (sign, one, other) if fits else None


def _is_fixed(node: ex.Expression) -> bool:
    if isinstance(node, ex.Call) and node.function == "time":
        return all(isinstance(argument, ex.Literal) for argument in node.arguments)
    return isinstance(node, ex.Literal)


# -- rules over values ---------------------------------------------------------------------------


def _items(of: Value) -> Sequence[Value]:
    if isinstance(of, Group):
        return of.members
    assert isinstance(of, Sequence | set)
    return list(of)


def _attribute(of: Value, name: str) -> Value:
    """Of a row its value; of a group or of rows that of every member."""
    if isinstance(of, Group) and name in of.attributes:
        return of.attributes[name]
    if isinstance(of, Mapping):
        return of[name]
    if of is None:
        return None
    return [_attribute(member, name) for member in _items(of)]


def three_valued(decisive: bool, items: Sequence[Value]) -> Value:
    """`or` (True decides) and `and` (False decides) over conditions."""
    if any(item is decisive for item in items):
        return decisive
    return UNKNOWN if any(item is UNKNOWN for item in items) else not decisive


def _side_by_side(left: Value, right: Value) -> tuple[Value, Value]:
    """A date beside a moment is compared by the day; a text beside a date is that date."""
    readers: dict[type, Callable[[str], Value]] = {
        date: date.fromisoformat, time: time.fromisoformat, datetime: datetime.fromisoformat,
    }  # fmt: skip
    if isinstance(left, str) and type(right) in readers:
        left = date.fromisoformat(left) if len(left) == 10 else readers[type(right)](left)
    elif isinstance(right, str) and type(left) in readers:
        right, left = _side_by_side(right, left)
    if isinstance(left, date) and isinstance(right, date) and type(left) is not type(right):
        left, right = (s.date() if isinstance(s, datetime) else s for s in (left, right))
    return left, right


def _equal(left: Value, right: Value) -> Value:
    if missing(left) or missing(right) or _with_gaps(left) or _with_gaps(right):
        return UNKNOWN
    left, right = _side_by_side(left, right)
    if isinstance(left, str) and isinstance(right, str):
        return alike(left) == alike(right)
    return left == right


def alike(text: str) -> str:
    """A text as it is compared: without capitals and accents."""
    parts = unicodedata.normalize("NFD", text)
    return "".join(part for part in parts if not unicodedata.combining(part)).lower()


def compared(operator: str, left: Value, right: Value) -> Value:
    """One comparison; with nothing on a side, it is neither true nor false."""
    if missing(left) or missing(right):
        return UNKNOWN
    if operator in ("in", "not in"):
        inside = _within(left, right)
        return inside if operator == "in" else not inside
    if operator in ("==", "!=", "is", "is not"):
        equal = _equal(left, right)
        return equal if operator in ("==", "is") or equal is UNKNOWN else not equal
    if _with_gaps(left) or _with_gaps(right):
        return UNKNOWN
    orderings: dict[str, Callable[..., bool]] = {"<": lt, "<=": le, ">": gt, ">=": ge}
    return orderings[operator](*_side_by_side(left, right))


def _within(left: Value, right: Value) -> bool:
    if isinstance(left, str) and isinstance(right, str):
        return alike(left) in alike(right)
    return any(_equal(left, item) is True for item in _told(right))


def order(left: Value, right: Value) -> int:
    return int(compared(">", left, right) is True) - int(compared("<", left, right) is True)


def _ranked(pairs: list[tuple[Value, Value]], down: bool) -> list[Value]:
    """The first of each pair in order of the second; a rank that is missing has no place."""
    placed = [pair for pair in pairs if not missing(pair[1]) and not _with_gaps(pair[1])]
    by_rank = cmp_to_key(order)
    placed.sort(key=lambda pair: by_rank(pair[1]), reverse=down)
    return [item for item, _ in placed]


def _extreme(name: str, values: Sequence[Value]) -> Value:
    ranked = _ranked([(value, value) for value in values], name == "max")
    return ranked[0] if ranked else None


def _sum(written: ex.Expression, values: Value) -> Value:
    """Sums of ones and of conditions count; a sum of nothing is nothing."""
    told = _told(values)
    if isinstance(written, ex.Comprehension) and _counts(written.body):
        return len([value for value in told if value])
    if not told:
        return None
    total = told[0]
    for value in told[1:]:
        total = add(total, value)
    return int(total) if isinstance(total, bool) else total


def _counts(body: ex.Expression) -> bool:
    return body == ex.Literal(1) or isinstance(body, ex.Compare)


def _joined(between: str, told: list[Value], items: Value) -> Value:
    """Missing texts are left out; if all of them are, so is the result."""
    return between.join(map(str, told)) if told or not items else None


def _round(value: float, digits: int | None = None) -> Value:
    return round(value, digits)


def _strftime(of: Value, spec: Value) -> str:
    """As the documentation of Python says; the C library does not pad early years."""
    assert isinstance(of, date | time)
    assert isinstance(spec, str)
    day = of if isinstance(of, date) else date(1900, 1, 1)
    years = {"%Y": day.year, "%G": day.isocalendar().year}
    padded = re.sub(
        "%[%YG]", lambda found: f"{years[found[0]]:04d}" if found[0] in years else "%%", spec
    )
    return of.strftime(padded)


def _length(of: Value) -> Value:
    return len(of) if isinstance(of, str) else len(_items(of))


FUNCTIONS: dict[str, Callable[..., Value]] = {
    "len": _length, "round": _round, "abs": abs,
    "any": lambda items: any(map(holds, _told(items))),
    "all": lambda items: all(map(holds, _told(items))),
    "set": lambda items: set(_told(items)), "list": lambda items: list(_items(items)),
    "int": int, "float": float, "str": str,
    "date": date, "time": time, "datetime": datetime,
    "timedelta": timedelta, "relativedelta": relativedelta,
    "date.fromisoformat": date.fromisoformat, "time.fromisoformat": time.fromisoformat,
    "datetime.fromisoformat": datetime.fromisoformat,
    "datetime.combine": datetime.combine,
}  # fmt: skip
_ARITHMETIC: dict[str, Callable[..., Value]] = {
    "+": add, "-": sub, "*": mul, "/": truediv, "//": floordiv, "%": mod, "**": pow,
}  # fmt: skip


def arithmetic(operator: str, left: Value, right: Value) -> Value:
    if missing(left) or missing(right):
        return None
    if isinstance(left, date) and isinstance(right, date) and type(left) is not type(right):
        left, right = (
            side if isinstance(side, datetime) else datetime.combine(side, time())
            for side in (left, right)
        )  # a day begins at midnight
    return _ARITHMETIC[operator](left, right)
