"""Values as text: f-strings, `str`, `strftime`."""

import re

from reqap.errors import PlanError
from reqap.plan.conversions import (
    as_float,
)
from reqap.plan.core import Const, Core, Op
from reqap.plan.types import (
    FLOAT,
    INT,
    NUMERIC,
    STR,
    TIME,
    Kind,
)

_NUMBER_FORMAT = re.compile(r"0?\d{0,2},?(?:\.\d{1,2})?([df%]?)")
_PLAIN_TEXT = {
    Kind.STR: "same", Kind.INT: "to_text", Kind.FLOAT: "to_text", Kind.DATE: "to_text",
    Kind.TIME: "to_text", Kind.DATETIME: "to_text", Kind.BOOL: "bool_to_text",
    Kind.DURATION: "duration_to_text",
}  # fmt: skip


def formatted(value: Core, spec: str) -> Core:
    """A value as text, the way f-strings write it."""
    kind = value.type.kind
    if not spec:
        name = _PLAIN_TEXT.get(kind)
        if name is None:
            raise PlanError(f"{value.type} has no text", expected="a single value")
        return Op(STR, name, (value,))
    if "%" in spec and kind in (Kind.DATE, Kind.DATETIME, Kind.TIME):
        return strftime(value, spec)
    found = _NUMBER_FORMAT.fullmatch(spec)
    if found and value.type == INT and found[1] in ("", "d") and "." not in spec:
        return Op(STR, "format", (value, Const(STR, f"{{:{spec}}}")))
    if found and kind in NUMERIC and found[1] == "f":
        return Op(STR, "format", (as_float(value), Const(STR, f"{{:{spec}}}")))
    if found and kind in NUMERIC and found[1] == "%":
        scaled = Op(FLOAT, "mul", (as_float(value), Const(FLOAT, 100.0)))
        written = Op(STR, "format", (scaled, Const(STR, f"{{:{spec[:-1]}f}}")))
        return Op(STR, "concat", (written, Const(STR, "%")))
    raise PlanError(f"the format {spec!r} for {value.type}", expected=":.2f, :02d or :%Y-%m-%d")


_DIRECTIVES = frozenset("YymdHIMSpjUWVGuAaBbfw%")


def strftime(value: Core, spec: str) -> Core:
    if not spec:
        return Const(STR, "")
    for directive in re.findall(r"%-?(.?)", spec):
        if directive not in _DIRECTIVES:
            raise PlanError(f"%{directive} in a date format",
                            expected=", ".join(f"%{d}" for d in sorted(_DIRECTIVES)))  # fmt: skip
    name = "time_to_format" if value.type == TIME else "date_to_format"
    return Op(STR, name, (value, Const(STR, spec)))
