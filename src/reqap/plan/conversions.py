"""How values of different types meet: comparisons, arithmetic, branches.

Where Python would raise a TypeError but the meaning is plain (a date beside a moment, a day written
as text), the conversion is made here, once. Everything else is a `PlanError`.
"""

from datetime import datetime

from reqap.errors import PlanError, ValueProblem
from reqap.plan.core import Attr, Const, Core, Op, Span
from reqap.plan.expressions import MAX_NUMBER
from reqap.plan.types import (
    BOOL,
    DATE,
    DATETIME,
    DURATION,
    FLOAT,
    INT,
    NUMERIC,
    ORDERED,
    ROW,
    ROWS,
    STR,
    TIMED_SPAN,
    Kind,
    Type,
    list_of,
)
from reqap.values import coerce

_READ_AS = {
    Kind.DATE: "date", Kind.TIME: "time", Kind.DATETIME: "datetime", Kind.DURATION: "timedelta",
}  # fmt: skip
_MOMENTS = (Kind.DATE, Kind.DATETIME)
_START, _END = "start_datetime", "end_datetime"
_SPANS = (Kind.SPAN, Kind.TIMED_SPAN)


def meet(left: Core, right: Core) -> tuple[Core, Core]:
    """Two values in a form in which they can be compared."""
    left, right = written_out(left, right.type), written_out(right, left.type)
    one, other = left.type.kind, right.type.kind
    if one == other and one is not Kind.LIST and one is not Kind.TUPLE:
        return left, right
    if one in NUMERIC and other in NUMERIC:
        return as_number(left), as_number(right)
    if one in _MOMENTS and other in _MOMENTS:
        return as_date(left), as_date(right)
    if one is other is Kind.LIST and left.type.item == right.type.item:
        return left, right
    if one is other is Kind.TUPLE and left.type == right.type:
        return whole(left), whole(right)
    raise PlanError(
        f"{left.type} and {right.type} cannot be compared", expected=_advice(left, right)
    )


def _advice(left: Core, right: Core) -> str:
    kinds = {left.type.kind, right.type.kind}
    if Kind.LIST in kinds:
        return "`value in list`, or any(… for item in list)"
    if Kind.DURATION in kinds and kinds & NUMERIC:
        return "two durations, such as timedelta(minutes=30)"
    if kinds == {Kind.TIME, Kind.DATETIME}:
        return "moment.time()"
    if Kind.TIME in kinds and kinds & NUMERIC:
        return "its .hour, or a time such as time(18, 0)"
    if kinds & NUMERIC and kinds & {Kind.DATE, Kind.DATETIME}:
        return "a part of the date, such as .year"
    if kinds & {Kind.DATE, Kind.DATETIME, Kind.TIME} and Kind.STR in kinds:
        return 'a date such as date(2024, 3, 1) or "2024-03-01", a time such as time(18, 0)'
    return "two values of the same type; EXTRACT gives the type in attr_types"


def written_out(value: Core, other: Type) -> Core:
    """A date, time or duration that is written as text, beside one that is not."""
    name = _READ_AS.get(other.kind)
    if name is None or not isinstance(value, Const) or not isinstance(value.value, str):
        return value
    try:
        read = coerce(value.value, name)
    except ValueProblem:
        return value
    if isinstance(read, datetime):
        # A day beside a moment stays a day.
        has_time = ":" in value.value
        return Const(DATETIME, read.replace(tzinfo=None)) if has_time else Const(DATE, read.date())
    return value if read is None else Const(other, read)  # type: ignore[arg-type]


def as_number(value: Core) -> Core:
    return Op(INT, "bool_to_int", (value,)) if value.type == BOOL else value


def as_float(value: Core) -> Core:
    return value if value.type == FLOAT else Op(FLOAT, "to_float", (as_number(value),))


def as_date(value: Core) -> Core:
    return value if value.type == DATE else Op(DATE, "to_date", (value,))


def as_datetime(value: Core) -> Core:
    return value if value.type == DATETIME else Op(DATETIME, "to_datetime", (value,))


def truth(value: Core) -> Core:
    """Whether a value counts as true, as in Python; a missing value does not."""
    kind = value.type.kind
    if kind is Kind.BOOL:
        return value
    if kind in (Kind.INT, Kind.FLOAT):
        return Op(BOOL, "is_not_zero", (value,))
    if kind in (Kind.STR, Kind.LIST):
        return Op(BOOL, "is_not_empty", (value,))
    if kind is Kind.DURATION:
        return Op(BOOL, "is_not_zero", (value,))
    if kind in (Kind.ROW, Kind.ROWS) or kind in _SPANS:
        raise PlanError(f"{value.type} is neither true nor false", expected="a condition")
    return Op(BOOL, "is_there", (value,))


def is_there(value: Core) -> Core:
    return Op(BOOL, "is_there", (whole(value),))


def whole(value: Core) -> Core:
    """A value to be compared: a tuple with a missing part is then missing."""
    return Op(value.type, "whole", (value,)) if value.type.kind is Kind.TUPLE else value


def tuple_item(of: Core, at: int) -> Core:
    """A part of a tuple; of one that is written out, the part itself."""
    if isinstance(of, Op) and of.name == "tuple":
        return of.arguments[at]
    return Op(of.type.items[at], "tuple_item", (of, Const(INT, at)))


def as_list(of: Core) -> Core:
    """Something to go through item by item."""
    if of.type.kind is Kind.TUPLE:
        return list_of_values([tuple_item(of, at) for at in range(len(of.type.items))])
    return only_list(of)


def joined_type(types: list[Type]) -> Type:
    """The type that covers all of `types`: for branches and lists that are written out."""
    told = [kind for kind in types if kind.kind is not Kind.NOTHING]
    if not told:
        return types[0] if types else STR
    first = told[0]
    if all(kind == first for kind in told):
        return first
    kinds = {kind.kind for kind in told}
    if kinds <= NUMERIC:
        return FLOAT if Kind.FLOAT in kinds else INT
    if kinds == {Kind.DATE, Kind.DATETIME}:
        return DATETIME
    listed = ", ".join(dict.fromkeys(map(str, told)))
    raise PlanError(f"values of different types ({listed})", expected="values of one type")


def as_type(value: Core, wanted: Type) -> Core:
    """A value in the type that `joined_type` found."""
    if value.type == wanted:
        return value
    if value.type.kind is Kind.NOTHING:
        return Op(wanted, "missing", ())
    if wanted == FLOAT:
        return as_float(value)
    if wanted == DATETIME:
        return as_datetime(value)
    return as_number(value)


def list_of_values(items: list[Core], beside: Type | None = None) -> Core:
    """A list that is written out, its texts read as what stands beside it."""
    read = [written_out(item, beside) if beside else item for item in items]
    wanted = joined_type([item.type for item in read]) if read else beside or STR
    return Op(list_of(wanted), "list", tuple(as_type(item, wanted) for item in read))


def only_one(core: Core) -> Core:
    """The single value of a plan's result, where one is needed."""
    return Op(core.type.item, "only_one", (core,)) if core.type.several else core


def only_list(core: Core) -> Core:
    if core.type.kind is not Kind.LIST:
        expected = "a list"
        if core.type in (ROW, ROWS):
            expected += "; what the events of each group come to, a MAP over the groups gives"
        raise PlanError(f"{core.type} has no items to go through", expected=expected)
    return core


# -- arithmetic ------------------------------------------------------------------------------------


def arithmetic(operator: str, left: Core, right: Core) -> Core:
    one, other = left.type.kind, right.type.kind
    if one in NUMERIC and other in NUMERIC:
        return _numbers(operator, as_number(left), as_number(right))
    found = _moments(operator, left, right) or _durations(operator, left, right)
    if found is None and operator == "+" and one == other and one in (Kind.STR, Kind.LIST):
        if left.type.kind is Kind.STR:
            return Op(STR, "concat", (left, right))
        if left.type.item == right.type.item:
            return Op(list_of(left.type.item), "list_concat", (left, right))
    if found is None:
        raise PlanError(
            f"{left.type} {operator} {right.type} is not defined",
            expected="numbers; dates and timedelta/relativedelta; text + text",
        )
    return found


_NUMBERS = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "/": "div",
    "//": "floordiv",
    "%": "mod",
    "**": "pow",
}


def _numbers(operator: str, left: Core, right: Core) -> Core:
    known = _known_now(operator, left, right)
    if known is not None:
        return known
    whole = left.type == right.type == INT and operator != "/"
    if operator == "**":
        power = right.value if isinstance(right, Const) else None
        whole = whole and isinstance(power, int) and power >= 0
    if not whole:
        left, right = as_float(left), as_float(right)
    return Op(INT if whole else FLOAT, _NUMBERS[operator], (left, right))


def _known_now(operator: str, left: Core, right: Core) -> Core | None:
    """Whole numbers that are written out are computed at once: `months=2 * 3`."""
    if not (isinstance(left, Const) and isinstance(right, Const)):
        return None
    if type(left.value) is not int or type(right.value) is not int:
        return None
    a, b = left.value, right.value
    value = {"+": a + b, "-": a - b, "*": a * b}.get(operator)
    return Const(INT, value) if value is not None and abs(value) <= MAX_NUMBER else None


def _moments(operator: str, left: Core, right: Core) -> Core | None:
    """Dates and times with each other, and moved."""
    one, other = left.type.kind, right.type.kind
    if operator == "-" and one in _MOMENTS and other in _MOMENTS:
        if one is other is Kind.DATE:
            return Op(DURATION, "days_between", (left, right))
        name = "lasting" if _are_ends(left, right) else "time_between"
        return Op(DURATION, name, (as_datetime(left), as_datetime(right)))
    if operator == "-" and one is other is Kind.TIME:
        raise PlanError(
            "times of day have no difference: one may be of the next day",
            expected='moments, such as e["end_datetime"] - e["start_datetime"]',
        )
    if operator == "+" and one in (Kind.DURATION, *_SPANS) and other in _MOMENTS:
        left, right, one, other = right, left, other, one
    if operator not in ("+", "-") or one not in _MOMENTS:
        return None
    if other is Kind.DURATION:
        if one is Kind.DATE:
            return Op(DATE, "date_plus" if operator == "+" else "date_minus", (left, right))
        moved = right if operator == "+" else Op(DURATION, "negative", (right,))
        return Op(DATETIME, "datetime_plus", (left, moved))
    if other in _SPANS and isinstance(right, Const) and isinstance(right.value, Span):
        span = right.value if operator == "+" else right.value.negated()
        if other is Kind.TIMED_SPAN:
            left = as_datetime(left)
        return Op(left.type, "shift", (left, Const(TIMED_SPAN, span)))
    return None


def _are_ends(later: Core, earlier: Core) -> bool:
    """Whether a difference is how long a happening lasted."""
    if not (isinstance(later, Attr) and isinstance(earlier, Attr) and later.side == earlier.side):
        return False
    before, _, name = later.name.rpartition(".")
    return name == _END and earlier.name == f"{before}.{_START}".lstrip(".")


def _durations(operator: str, left: Core, right: Core) -> Core | None:
    one, other = left.type.kind, right.type.kind
    if one is other is Kind.DURATION:
        if operator in ("+", "-", "%"):
            return Op(DURATION, _NUMBERS[operator], (left, right))
        if operator == "/":
            return Op(
                FLOAT, "div", (Op(FLOAT, "to_float", (left,)), Op(FLOAT, "to_float", (right,)))
            )
        if operator == "//":
            return Op(INT, "floordiv", (left, right))
    if operator == "*" and Kind.DURATION in (one, other) and (one in NUMERIC or other in NUMERIC):
        length, factor = (left, right) if one is Kind.DURATION else (right, left)
        return Op(DURATION, "scaled", (length, as_float(factor)))
    if operator in ("/", "//") and one is Kind.DURATION and other in NUMERIC:
        name = "shared_out" if operator == "/" else "shared_out_down"
        return Op(DURATION, name, (left, as_float(right)))
    return None


def check_ordered(kind: Type, what: str) -> None:
    if kind.kind not in ORDERED or (kind.kind is Kind.TUPLE and not _all_ordered(kind)):
        raise PlanError(f"{what} cannot be put in order: it is {kind}", expected="numbers, texts, "
                        "dates, times, durations")  # fmt: skip


def _all_ordered(kind: Type) -> bool:
    return all(item.kind in ORDERED and item.kind is not Kind.TUPLE for item in kind.items)
