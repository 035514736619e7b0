"""Dates, times and durations, as SQL: as Python has them where the two differ."""

from collections.abc import Callable

from sqlglot import exp

from reqap.execute.numbers import div, floor_div, mod
from reqap.execute.sql import (
    E,
    call,
    cast,
    function,
    is_there,
    number,
    paren,
    text,
    try_cast,
    when,
)
from reqap.execute.texts import joined_text, struct

DAY = 86_400_000_000  # microseconds


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


def _is_midnight(moment: E) -> E:
    return exp.EQ(this=moment, expression=call("date_trunc", text("day"), moment.copy()))


def is_whole_day(start: E, end: E) -> E:
    """Whether a happening has a day but no time of day: all day long, or a bare midnight."""
    midnight = _is_midnight(start)
    length = paren(exp.Sub(this=call("epoch_us", end), expression=call("epoch_us", start.copy())))
    whole = exp.GTE(this=length, expression=number(DAY - 1_000_000))
    none = exp.EQ(this=end.copy(), expression=start.copy())
    return paren(exp.And(this=midnight, expression=paren(exp.Or(this=none, expression=whole))))


def clock_microseconds(value: E) -> E:
    """A time of day as microseconds since midnight."""
    return call("epoch_us", value)


def _date_plus(day: E, length: E) -> E:
    """Python adds whole days to a date, rounded down."""
    days = cast(floor_div(length, number(DAY)), "INTEGER")
    moved = call("try", paren(exp.Add(this=day, expression=days)))
    return in_calendar(moved)


def _date_minus(day: E, length: E) -> E:
    """Python takes away the whole days of the duration, which are rounded down before."""
    days = cast(floor_div(length, number(DAY)), "INTEGER")
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


def _lasting(end: E, start: E) -> E:
    """How long something lasted: neither a moment nor a single whole day tells that."""
    lasted = _time_between(end, start)
    is_day = exp.And(
        this=_is_midnight(start.copy()),
        expression=exp.Between(this=lasted.copy(), low=number(DAY - 1_000_000), high=number(DAY)),
    )
    lasts = exp.GT(this=lasted.copy(), expression=number(0))
    return when(exp.And(this=lasts, expression=exp.Not(this=paren(is_day))), lasted)


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
    return floor_div(value, number(DAY))


def _duration_seconds(value: E) -> E:
    within = mod(value, number(DAY))
    return floor_div(within, number(1_000_000))


def _duration_text(value: E) -> E:
    """As Python writes it: "1 day, 12:00:00"."""
    days = _duration_days(value)
    name = when(exp.EQ(this=call("abs", days.copy()), expression=number(1)), text(" day, "),
                text(" days, "))  # fmt: skip
    front = when(exp.NEQ(this=days.copy(), expression=number(0)),
                 joined_text(cast(days, "TEXT"), name), text(""))  # fmt: skip
    clock = cast(call("to_microseconds", mod(value.copy(), number(DAY))), "TEXT")
    return joined_text(front, call("regexp_replace", clock, text("^0"), text("")))


def _scaled(length: E, factor: E) -> E:
    return try_cast(call("round_even", paren(exp.Mul(this=length, expression=factor)), number(0)),
                    "BIGINT")  # fmt: skip


def _shared_out(length: E, count: E) -> E:
    return try_cast(call("round_even", div(cast(length, "DOUBLE"), count), number(0)), "BIGINT")


def _shared_out_down(length: E, count: E) -> E:
    return try_cast(call("floor", div(cast(length, "DOUBLE"), count)), "BIGINT")


def _read(kind: str) -> Callable[..., E]:
    return lambda value: try_cast(value, kind)


def _read_time(value: E) -> E:
    """A date is no time, though DuckDB would take it for midnight."""
    clock = call("regexp_matches", value, text(r"^\d{1,2}:"))
    return when(clock, try_cast(value.copy(), "TIME"))


MOMENTS: dict[str, Callable[..., E]] = {
    "year": _part("year"), "month": _part("month"), "day": _part("day"), "hour": _part("hour"),
    "minute": _part("minute"), "second": _second, "microsecond": _microsecond,
    "weekday": _weekday, "isoweekday": function("isodow"), "isocalendar": _isocalendar,
    "to_date": lambda a: cast(a, "DATE"), "to_time": lambda a: cast(a, "TIME"),
    "to_datetime": lambda a: cast(a, "TIMESTAMP"), "combine": _combine,
    "days_between": _days_between,
    "calendar_between": _calendar_between, "time_between": _time_between, "lasting": _lasting,
    "date_plus": _date_plus, "date_minus": _date_minus, "datetime_plus": _datetime_plus,
    "make_date": _make_date,
    "make_time": _make_time, "make_datetime": _make_datetime,
    "read_date": _read("DATE"), "read_time": _read_time, "read_datetime": _read("TIMESTAMP"),
    "date_to_format": function("strftime"), "time_to_format": _time_format,
    "iso_text": lambda a: call("replace", cast(a, "TEXT"), text(" "), text("T")),
    "duration_to_text": _duration_text,
    "duration_days": _duration_days, "duration_seconds": _duration_seconds,
    "total_seconds": lambda a: div(cast(a, "DOUBLE"), number(1_000_000.0)),
    "scaled": _scaled, "shared_out": _shared_out, "shared_out_down": _shared_out_down,
}  # fmt: skip
