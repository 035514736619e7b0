"""Operations on values, as SQL: one entry per name that `reqap.plan` uses in an `Op`.

Missing in, missing out, except where it says otherwise. What cannot be computed for a row (a 30th
of February, a division by zero, a date beyond the calendar) is missing there.
"""

from collections.abc import Callable

from sqlglot import exp

from reqap.execute.sql import (
    E,
    both,
    call,
    cast,
    column,
    is_missing,
    is_there,
    number,
    paren,
    text,
    try_cast,
    when,
)
from reqap.plan.types import Kind, Type

DAY = 86_400_000_000  # microseconds

_SIMPLE = {
    Kind.BOOL: "BOOLEAN", Kind.INT: "BIGINT", Kind.FLOAT: "DOUBLE", Kind.STR: "TEXT",
    Kind.DATE: "DATE", Kind.TIME: "TIME", Kind.DATETIME: "TIMESTAMP", Kind.DURATION: "BIGINT",
    Kind.NOTHING: "TEXT",
}  # fmt: skip


def sql_type(kind: Type) -> str:
    """The type of DuckDB that holds values of a type; durations are microseconds."""
    if kind.kind is Kind.LIST:
        return f"{sql_type(kind.item)}[]"
    if kind.kind is Kind.TUPLE:
        return f"STRUCT({', '.join(f'f{n} {sql_type(i)}' for n, i in enumerate(kind.items))})"
    return _SIMPLE[kind.kind]


def _binary(node: type[exp.Binary]) -> Callable[..., E]:
    return lambda a, b: paren(node(this=a, expression=b))


def _function(name: str, *fixed: E) -> Callable[..., E]:
    return lambda *arguments: call(name, *arguments, *fixed)


def _all(node: type[exp.Connector]) -> Callable[..., E]:
    def build(*conditions: E) -> E:
        result = conditions[0]
        for condition in conditions[1:]:
            result = node(this=result, expression=condition)
        return paren(result)

    return build


def _is_not_empty(value: E) -> E:
    return paren(exp.GT(this=call("coalesce", call("len", value), number(0)), expression=number(0)))


def _is_not_zero(value: E) -> E:
    return paren(exp.NEQ(this=call("coalesce", value, number(0)), expression=number(0)))


def _div(a: E, b: E) -> E:
    return paren(exp.Div(this=a, expression=call("nullif", b, number(0)), typed=False, safe=True))


def _finite(value: E) -> E:
    """Missing where a float grows beyond what it can hold."""
    return when(call("isfinite", value), value.copy())


def _floor_div(a: E, b: E) -> E:
    """Python's //: towards minus infinity, also for floats."""
    divisor = call("nullif", b, number(0))
    less = exp.Sub(this=a, expression=_mod(a, b))
    return call("divide", paren(less), divisor)


def _float_mod(a: E, b: E) -> E:
    """Python's % of floats: the remainder of the division, with the sign of the divisor."""
    rest = paren(exp.Mod(this=a, expression=call("nullif", b, number(0))))
    other = exp.NEQ(
        this=paren(exp.LT(this=rest.copy(), expression=number(0))),
        expression=paren(exp.LT(this=b.copy(), expression=number(0))),
    )
    turned = exp.And(this=exp.NEQ(this=rest.copy(), expression=number(0)), expression=other)
    return when(turned, paren(exp.Add(this=rest.copy(), expression=b.copy())), rest)


def _float_floor_div(a: E, b: E) -> E:
    """Python's // of floats: what is left after the remainder is taken away, divided."""
    whole = paren(exp.Sub(this=a, expression=_float_mod(a.copy(), b)))
    return _finite(call("round", _div(whole, b.copy())))


def _mod(a: E, b: E) -> E:
    """Python's %: the sign of the divisor."""
    divisor = call("nullif", b, number(0))
    once = paren(exp.Mod(this=a, expression=divisor))
    shifted = paren(exp.Add(this=once, expression=divisor))
    return paren(exp.Mod(this=shifted, expression=divisor.copy()))


def _pow(a: E, b: E) -> E:
    return _finite(call("try", call("pow", a, b)))


def _round_to(value: E, digits: E) -> E:
    """Rounded as Python does it: the number that its shortest text of so many digits is."""
    places = digits.this if isinstance(digits, exp.Cast) else digits
    if isinstance(places, exp.Neg):
        return call("round_even", value, cast(digits, "INTEGER"))
    return cast(call("format", text(f"{{:.{places.name}f}}"), value), "DOUBLE")


def _round(value: E) -> E:
    return try_cast(call("round_even", value, number(0)), "BIGINT")


# -- texts ---------------------------------------------------------------------------------------

# What Python counts as white space.
_BLANKS = (
    " \t\n\r\x0b\x0c\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007"
    "\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)


def _trimmer(name: str) -> Callable[..., E]:
    return lambda value, chars=None: call(name, value, chars or text(_BLANKS))


def _split(value: E, separator: E | None = None) -> E:
    if separator is None:
        parts = call("regexp_split_to_array", value, text(f"[{_BLANKS}]+"))
        blank = exp.to_identifier("#part", quoted=True)
        there = exp.NEQ(this=column("#part", None), expression=text(""))
        return call("list_filter", parts, exp.Lambda(this=there, expressions=[blank]))
    return when(exp.NEQ(this=separator, expression=text("")),
                call("string_split", value, separator.copy()))  # fmt: skip


def _occurrences(value: E, part: E) -> E:
    gone = call("replace", value, part, text(""))
    saved = paren(exp.Sub(this=call("length", value.copy()), expression=call("length", gone)))
    length = call("nullif", call("length", part.copy()), number(0))
    return call("divide", saved, length)


def _zero_based(index: E, length: E) -> E:
    """Python's index as DuckDB's: from 1, and from the end where negative."""
    below = exp.LT(this=index, expression=number(0))
    return when(below, paren(exp.Add(this=paren(exp.Add(this=index.copy(), expression=length)),
                                     expression=number(1))),
                paren(exp.Add(this=index.copy(), expression=number(1))))  # fmt: skip


def _item(items: E, index: E) -> E:
    at = _zero_based(index, call("len", items.copy()))
    return when(exp.GT(this=at, expression=number(0)), call("list_extract", items, at.copy()))


def _character(value: E, index: E) -> E:
    """The character at a place; missing beyond the ends."""
    at = _zero_based(index, call("length", value.copy()))
    found = call("array_slice", value, at, at.copy())
    inside = exp.And(
        this=exp.GT(this=at.copy(), expression=number(0)),
        expression=exp.LTE(this=at.copy(), expression=call("length", value.copy())),
    )
    return when(inside, found)


def _slice(value: E, lower: E, upper: E | None = None) -> E:
    """Python's slice: bounds beyond the ends are the ends."""
    size = call("len", value.copy())
    start = call("greatest", _zero_based(lower, size), number(1))
    bounds = [lower.copy()] if upper is None else [lower.copy(), upper.copy()]
    known = both([is_there(bound) for bound in bounds])
    if upper is None:
        return when(known, call("array_slice", value, start, size.copy()))
    last = paren(exp.Sub(this=_zero_based(upper, size.copy()), expression=number(1)))
    stop = call("least", last, size.copy())
    return when(known, call("array_slice", value, start, call("greatest", stop, number(0))))


# -- dates ---------------------------------------------------------------------------------------


def in_calendar(moment: E) -> E:
    """Missing where a date leaves the years 1 to 9999, which Python cannot hold."""
    year = call("year", moment.copy())
    return when(exp.Between(this=year, low=number(1), high=number(9999)), moment)


def _part(name: str) -> Callable[..., E]:
    return lambda value: call("date_part", text(name), value)


def _microsecond(value: E) -> E:
    return paren(exp.Mod(this=call("date_part", text("microsecond"), value),
                         expression=number(1_000_000)))  # fmt: skip


def _second(value: E) -> E:
    return cast(call("floor", call("date_part", text("second"), value)), "BIGINT")


def _weekday(value: E) -> E:
    return paren(exp.Sub(this=call("isodow", value), expression=number(1)))


def struct(*items: E) -> E:
    fields = [exp.PropertyEQ(this=exp.to_identifier(f"f{n}"), expression=item)
              for n, item in enumerate(items)]  # fmt: skip
    return call("struct_pack", *fields)


def whole(value: E, kind: Type) -> E:
    """A tuple, missing when a part of it is: for places where it is compared or a key."""
    if kind.kind is not Kind.TUPLE:
        return value
    parts = [call("struct_extract", value.copy(), text(f"f{n}")) for n in range(len(kind.items))]
    return when(both([is_there(part) for part in parts]), value)


def _isocalendar(value: E) -> E:
    parts = struct(
        call("isoyear", value), call("weekofyear", value.copy()), call("isodow", value.copy())
    )
    return when(is_there(value.copy()), parts)


def _calendar_between(later: E, earlier: E) -> E:
    """Full years, months and days as dateutil counts them; all negative in the other order."""
    year = number(12)
    apart = [
        paren(exp.Sub(this=call(part, later.copy()), expression=call(part, earlier.copy())))
        for part in ("year", "month")
    ]
    months: E = paren(exp.Add(this=exp.Mul(this=apart[0], expression=year), expression=apart[1]))
    reached = _plus_months(earlier, months)
    forward = exp.GTE(this=later.copy(), expression=earlier.copy())
    too_far = when(
        forward,
        when(exp.LT(this=later.copy(), expression=reached), number(-1), number(0)),
        when(exp.GT(this=later.copy(), expression=reached.copy()), number(1), number(0)),
    )
    full = paren(exp.Add(this=months.copy(), expression=too_far))
    days = call("datesub", text("day"), _plus_months(earlier.copy(), full), later.copy())
    years = cast(
        call("trunc", exp.Div(this=cast(full.copy(), "DOUBLE"), expression=year.copy())), "BIGINT"
    )
    return struct(years, paren(exp.Mod(this=full.copy(), expression=year.copy())), days)


def _plus_months(moment: E, months: E) -> E:
    return paren(exp.Add(this=moment, expression=call("to_months", cast(months, "INTEGER"))))


def clock_microseconds(value: E) -> E:
    """A time of day as microseconds since midnight."""
    return call("epoch_us", value)


def _date_plus(day: E, length: E) -> E:
    """Python adds whole days to a date, rounded down."""
    days = cast(_floor_div(length, number(DAY)), "INTEGER")
    moved = call("try", paren(exp.Add(this=day, expression=days)))
    return in_calendar(moved)


def _date_minus(day: E, length: E) -> E:
    """Python takes away the whole days of the duration, which are rounded down before."""
    days = cast(_floor_div(length, number(DAY)), "INTEGER")
    moved = call("try", paren(exp.Sub(this=day, expression=days)))
    return in_calendar(moved)


def _datetime_plus(moment: E, length: E) -> E:
    moved = paren(exp.Add(this=moment, expression=call("to_microseconds", length)))
    return in_calendar(call("try", moved))


def _days_between(a: E, b: E) -> E:
    days = paren(exp.Sub(this=a, expression=b))
    return paren(exp.Mul(this=cast(days, "BIGINT"), expression=number(DAY)))


def _time_between(a: E, b: E) -> E:
    return paren(exp.Sub(this=call("epoch_us", a), expression=call("epoch_us", b)))


def _make_date(*parts: E) -> E:
    whole = [cast(part, "BIGINT") for part in parts]
    return in_calendar(call("try", call("make_date", *whole)))


def _make_time(*parts: E) -> E:
    hour, minute, second, microsecond = (cast(part, "BIGINT") for part in parts)
    made = call("try", call("make_time", hour, minute, _seconds(second, microsecond)))
    return when(_of_a_day(hour.copy()), made)


def _of_a_day(hour: E) -> E:
    """DuckDB knows 24:00, Python does not."""
    return exp.LT(this=hour, expression=number(24))


def _seconds(second: E, microsecond: E) -> E:
    fraction = paren(exp.Div(this=cast(microsecond, "DOUBLE"), expression=number(1_000_000.0)))
    return paren(exp.Add(this=second, expression=fraction))


def _make_datetime(*parts: E) -> E:
    whole = [cast(part, "BIGINT") for part in parts]
    moment = call("make_timestamp", *whole[:5], _seconds(whole[5], whole[6]))
    return when(_of_a_day(whole[3].copy()), in_calendar(call("try", moment)))


def _combine(day: E, clock: E) -> E:
    return paren(exp.Add(this=day, expression=clock))


def _time_format(value: E, spec: E) -> E:
    moment = exp.Add(this=exp.cast(text("1900-01-01"), "DATE"), expression=value)
    return call("strftime", paren(moment), spec)


def _duration_days(value: E) -> E:
    return _floor_div(value, number(DAY))


def _duration_seconds(value: E) -> E:
    within = _mod(value, number(DAY))
    return _floor_div(within, number(1_000_000))


def _duration_text(value: E) -> E:
    """As Python writes it: "1 day, 12:00:00"."""
    days = _duration_days(value)
    name = when(exp.EQ(this=call("abs", days.copy()), expression=number(1)), text(" day, "),
                text(" days, "))  # fmt: skip
    front = when(exp.NEQ(this=days.copy(), expression=number(0)),
                 _joined_text(cast(days, "TEXT"), name), text(""))  # fmt: skip
    clock = cast(call("to_microseconds", _mod(value.copy(), number(DAY))), "TEXT")
    return _joined_text(front, call("regexp_replace", clock, text("^0"), text("")))


def _joined_text(*parts: E) -> E:
    return _all(exp.DPipe)(*parts)  # type: ignore[arg-type]


def _whole(node: type[exp.Binary]) -> Callable[..., E]:
    """Arithmetic of whole numbers: what does not fit is missing."""

    def build(a: E, b: E) -> E:
        return try_cast(paren(node(this=cast(a, "HUGEINT"), expression=b)), "BIGINT")

    return build


def _whole_pow(a: E, b: E) -> E:
    power = call("pow", a, b)
    exact = exp.LT(this=call("abs", power), expression=number(2**53))
    return when(exact, cast(power.copy(), "BIGINT"))


def _sorted(order: str) -> Callable[..., E]:
    """A list in order, without what is missing."""

    def build(items: E) -> E:
        return call("list_sort", _without_missing(items), text(order))

    return build


def _without_missing(items: E) -> E:
    item = exp.to_identifier("#item", quoted=True)
    there = is_there(column("#item", None))
    return call("list_filter", items, exp.Lambda(this=there, expressions=[item]))


def _same_list(a: E, b: E) -> E:
    """Equality of lists; missing when an item is."""
    full = exp.And(
        this=exp.EQ(this=call("len", _without_missing(a)), expression=call("len", a.copy())),
        expression=exp.EQ(this=call("len", _without_missing(b)), expression=call("len", b.copy())),
    )
    return when(full, exp.EQ(this=a.copy(), expression=b.copy()))


def _quantified(function: str, of_none: E) -> Callable[..., E]:
    """any and all of a list; of an empty one as in Python."""

    def build(items: E) -> E:
        return when(is_there(items), call("coalesce", call(function, items.copy()), of_none.copy()))

    return build


def _upper(value: E) -> E:
    return call("upper", call("replace", value, text("ß"), text("SS")))


def _casefold(value: E) -> E:
    return call("lower", call("replace", value, text("ß"), text("ss")))


def _scaled(length: E, factor: E) -> E:
    return try_cast(call("round_even", paren(exp.Mul(this=length, expression=factor)), number(0)),
                    "BIGINT")  # fmt: skip


def _shared_out(length: E, count: E) -> E:
    return try_cast(call("round_even", _div(cast(length, "DOUBLE"), count), number(0)), "BIGINT")


def _shared_out_down(length: E, count: E) -> E:
    return try_cast(call("floor", _div(cast(length, "DOUBLE"), count)), "BIGINT")


def _read(kind: str) -> Callable[..., E]:
    return lambda value: try_cast(value, kind)


def _read_time(value: E) -> E:
    """A date is no time, though DuckDB would take it for midnight."""
    clock = call("regexp_matches", value, text(r"^\d{1,2}:"))
    return when(clock, try_cast(value.copy(), "TIME"))


def _read_float(value: E) -> E:
    found = try_cast(call("trim", value, text(_BLANKS)), "DOUBLE")
    return when(call("isfinite", found), found.copy())


def _read_int(value: E) -> E:
    stripped = call("trim", value, text(_BLANKS))
    digits = call("regexp_full_match", stripped, text(r"[+-]?\d{1,19}"))
    return when(digits, try_cast(stripped.copy(), "BIGINT"))


def _contains(value: E, part: E) -> E:
    return call("contains", value, part)


OPERATIONS: dict[str, Callable[..., E]] = {
    # logic and comparison
    "eq": _binary(exp.EQ), "ne": _binary(exp.NEQ), "lt": _binary(exp.LT), "le": _binary(exp.LTE),
    "gt": _binary(exp.GT), "ge": _binary(exp.GTE), "and": _all(exp.And), "or": _all(exp.Or),
    "not": lambda a: paren(exp.Not(this=a)), "if": when,
    "is_missing": is_missing, "is_there": is_there,
    "is_not_empty": _is_not_empty, "is_not_zero": _is_not_zero,
    "in_list": lambda a, items: call("list_contains", items, a), "contains": _contains,
    # numbers
    "add": _binary(exp.Add), "sub": _binary(exp.Sub), "mul": _binary(exp.Mul), "div": _div,
    "mod": _mod, "floordiv": _floor_div, "pow": _pow,
    "negative": lambda a: paren(exp.Neg(this=a)), "abs": _function("abs"),
    "round": _round, "round_to": _round_to,
    "truncate": lambda a: try_cast(call("trunc", a), "BIGINT"),
    "bool_to_int": lambda a: cast(a, "BIGINT"), "to_float": lambda a: cast(a, "DOUBLE"),
    "read_int": _read_int, "read_float": _read_float,
    "least": _function("least"), "greatest": _function("greatest"),
    "otherwise": _function("coalesce"), "same": lambda a: a,
    # texts
    "concat": _all(exp.DPipe),  # type: ignore[arg-type]
    "lower": _function("lower"), "upper": _upper, "casefold": _casefold, "strip": _trimmer("trim"),
    "lstrip": _trimmer("ltrim"), "rstrip": _trimmer("rtrim"), "starts": _function("starts_with"),
    "ends": _function("ends_with"), "split": _split, "replace": _function("replace"),
    "occurrences": _occurrences,
    "join": lambda separator, items: call("array_to_string", items, separator),
    "character": _character, "slice_text": _slice, "length": _function("len"),
    "to_text": lambda a: cast(a, "TEXT"),
    "bool_to_text": lambda a: when(a, text("True"), when(exp.Not(this=a.copy()), text("False"))),
    "duration_to_text": _duration_text,
    "format": lambda a, spec: call("format", spec, a),
    # lists
    "list": _function("list_value"), "item": _item, "slice_list": _slice,
    "list_concat": lambda a, b: when(
        exp.And(this=is_there(a), expression=is_there(b)), call("list_concat", a.copy(), b.copy())
    ),
    "distinct": _function("list_distinct"), "flatten": _function("flatten"),
    "sort_up": _sorted("ASC"), "sort_down": _sorted("DESC"), "same_list": _same_list,
    "list_sum": lambda a: try_cast(call("list_sum", a), "BIGINT"),
    "list_min": _function("list_min"),
    "list_max": _function("list_max"), "list_any": _quantified("list_bool_or", exp.false()),
    "list_all": _quantified("list_bool_and", exp.true()),
    "tuple": struct,
    # dates and times
    "year": _part("year"), "month": _part("month"), "day": _part("day"), "hour": _part("hour"),
    "minute": _part("minute"), "second": _second, "microsecond": _microsecond,
    "weekday": _weekday, "isoweekday": _function("isodow"), "isocalendar": _isocalendar,
    "to_date": lambda a: cast(a, "DATE"), "to_time": lambda a: cast(a, "TIME"),
    "to_datetime": lambda a: cast(a, "TIMESTAMP"), "combine": _combine,
    "days_between": _days_between,
    "calendar_between": _calendar_between, "time_between": _time_between,
    "clock_between": _time_between,
    "date_plus": _date_plus, "date_minus": _date_minus, "datetime_plus": _datetime_plus,
    "make_date": _make_date,
    "make_time": _make_time, "make_datetime": _make_datetime,
    "read_date": _read("DATE"), "read_time": _read_time, "read_datetime": _read("TIMESTAMP"),
    "date_to_format": _function("strftime"), "time_to_format": _time_format,
    "iso_text": lambda a: call("replace", cast(a, "TEXT"), text(" "), text("T")),
    "duration_days": _duration_days, "duration_seconds": _duration_seconds,
    "total_seconds": lambda a: _div(cast(a, "DOUBLE"), number(1_000_000.0)),
    "scaled": _scaled, "shared_out": _shared_out, "shared_out_down": _shared_out_down,
}  # fmt: skip
# Operations that are done otherwise on floats, and on whole numbers.
FLOAT_OPERATIONS: dict[str, Callable[..., E]] = {
    "floordiv": _float_floor_div, "mod": _float_mod, "list_sum": _function("list_sum"),
    "mul": lambda a, b: _finite(paren(exp.Mul(this=a, expression=b))),
    "div": lambda a, b: _finite(_div(a, b)),
}  # fmt: skip
WHOLE_OPERATIONS: dict[str, Callable[..., E]] = {
    "add": _whole(exp.Add), "sub": _whole(exp.Sub), "mul": _whole(exp.Mul), "pow": _whole_pow,
}  # fmt: skip
