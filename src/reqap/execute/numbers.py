"""Numbers, as SQL: as Python has them where the two differ."""

from collections.abc import Callable

from sqlglot import exp

from reqap.execute.sql import (
    E,
    binary,
    call,
    cast,
    function,
    number,
    paren,
    text,
    try_cast,
    when,
)
from reqap.execute.texts import BLANKS


def _is_not_zero(value: E) -> E:
    return paren(exp.NEQ(this=call("coalesce", value, number(0)), expression=number(0)))


def div(a: E, b: E) -> E:
    return paren(exp.Div(this=a, expression=call("nullif", b, number(0)), typed=False, safe=True))


def _finite(value: E) -> E:
    """Missing where a float grows beyond what it can hold."""
    return when(call("isfinite", value), value.copy())


def floor_div(a: E, b: E) -> E:
    """Python's //: towards minus infinity, also for floats."""
    divisor = call("nullif", b, number(0))
    less = exp.Sub(this=a, expression=mod(a, b))
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
    return _finite(call("round", div(whole, b.copy())))


def mod(a: E, b: E) -> E:
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


def _whole(node: type[exp.Binary]) -> Callable[..., E]:
    """Arithmetic of whole numbers: what does not fit is missing."""

    def build(a: E, b: E) -> E:
        return try_cast(paren(node(this=cast(a, "HUGEINT"), expression=b)), "BIGINT")

    return build


def _whole_pow(a: E, b: E) -> E:
    power = call("pow", a, b)
    exact = exp.LT(this=call("abs", power), expression=number(2**53))
    return when(exact, cast(power.copy(), "BIGINT"))


def _read_float(value: E) -> E:
    found = try_cast(call("trim", value, text(BLANKS)), "DOUBLE")
    return when(call("isfinite", found), found.copy())


def _read_int(value: E) -> E:
    stripped = call("trim", value, text(BLANKS))
    digits = call("regexp_full_match", stripped, text(r"[+-]?\d{1,19}"))
    return when(digits, try_cast(stripped.copy(), "BIGINT"))


NUMBERS: dict[str, Callable[..., E]] = {
    "is_not_zero": _is_not_zero,
    "add": binary(exp.Add), "sub": binary(exp.Sub), "mul": binary(exp.Mul), "div": div,
    "mod": mod, "floordiv": floor_div, "pow": _pow,
    "negative": lambda a: paren(exp.Neg(this=a)), "abs": function("abs"),
    "round": _round, "round_to": _round_to,
    "truncate": lambda a: try_cast(call("trunc", a), "BIGINT"),
    "bool_to_int": lambda a: cast(a, "BIGINT"), "to_float": lambda a: cast(a, "DOUBLE"),
    "read_int": _read_int, "read_float": _read_float,
    "least": function("least"), "greatest": function("greatest"),
    "otherwise": function("coalesce"), "same": lambda a: a,
}  # fmt: skip
# Operations that are done otherwise on floats, and on whole numbers.
FLOAT_OPERATIONS: dict[str, Callable[..., E]] = {
    "floordiv": _float_floor_div, "mod": _float_mod, "list_sum": function("list_sum"),
    "mul": lambda a, b: _finite(paren(exp.Mul(this=a, expression=b))),
    "div": lambda a, b: _finite(div(a, b)),
}  # fmt: skip
WHOLE_OPERATIONS: dict[str, Callable[..., E]] = {
    "add": _whole(exp.Add), "sub": _whole(exp.Sub), "mul": _whole(exp.Mul), "pow": _whole_pow,
}  # fmt: skip
