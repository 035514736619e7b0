"""Texts, lists and tuples, as SQL: as Python has them where the two differ."""

from collections.abc import Callable

from sqlglot import exp

from reqap.execute.sql import (
    E,
    all_of,
    both,
    call,
    cast,
    column,
    function,
    is_there,
    number,
    paren,
    text,
    try_cast,
    when,
)
from reqap.plan.types import Kind, Type

# What Python counts as white space.
BLANKS = (
    " \t\n\r\x0b\x0c\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007"
    "\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)


def _trimmer(name: str) -> Callable[..., E]:
    return lambda value, chars=None: call(name, value, chars or text(BLANKS))


def _split(value: E, separator: E | None = None) -> E:
    if separator is None:
        parts = call("regexp_split_to_array", value, text(f"[{BLANKS}]+"))
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


def _is_not_empty(value: E) -> E:
    return paren(exp.GT(this=call("coalesce", call("len", value), number(0)), expression=number(0)))


def _upper(value: E) -> E:
    return call("upper", call("replace", value, text("ß"), text("SS")))


def _casefold(value: E) -> E:
    return call("lower", call("replace", value, text("ß"), text("ss")))


def _alike(value: E) -> E:
    """A text as it is compared: without capitals and accents."""
    return call("lower", call("strip_accents", value))


def _all_alike(items: E) -> E:
    item = exp.to_identifier("#text", quoted=True)
    return call("list_transform", items, exp.Lambda(this=_alike(column("#text", None)),
                                                    expressions=[item]))  # fmt: skip


def _any_inside(parts: E, value: E) -> E:
    """Whether one of several texts is part of another."""
    part = exp.to_identifier("#text", quoted=True)
    inside = call("contains", _alike(value), _alike(column("#text", None)))
    found = call("list_transform", parts, exp.Lambda(this=inside, expressions=[part]))
    return call("list_bool_or", found)


def joined_text(*parts: E) -> E:
    return all_of(exp.DPipe)(*parts)  # type: ignore[arg-type]


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


TEXTS: dict[str, Callable[..., E]] = {
    "contains": function("contains"),
    "concat": all_of(exp.DPipe),  # type: ignore[arg-type]
    "lower": function("lower"), "upper": _upper, "casefold": _casefold, "strip": _trimmer("trim"),
    "lstrip": _trimmer("ltrim"), "rstrip": _trimmer("rtrim"), "starts": function("starts_with"),
    "ends": function("ends_with"), "split": _split, "replace": function("replace"),
    "occurrences": _occurrences,
    "join": lambda separator, items: call("array_to_string", items, separator),
    "character": _character, "slice_text": _slice, "length": function("len"),
    "to_text": lambda a: cast(a, "TEXT"),
    "bool_to_text": lambda a: when(a, text("True"), when(exp.Not(this=a.copy()), text("False"))),
    "format": lambda a, spec: call("format", spec, a),
}  # fmt: skip
# Comparisons of texts, by what they are called among values of all types.
ALIKE: dict[str, Callable[..., E]] = {
    "eq": lambda a, b: paren(exp.EQ(this=_alike(a), expression=_alike(b))),
    "contains": lambda whole, part: call("contains", _alike(whole), _alike(part)),
    "in_list": lambda a, items: call("list_contains", _all_alike(items), _alike(a)),
}
LISTS: dict[str, Callable[..., E]] = {
    "is_not_empty": _is_not_empty,
    "in_list": lambda a, items: call("list_contains", items, a),
    "any_in_list": lambda some, items: call("list_has_any", _all_alike(items), _all_alike(some)),
    "any_inside": _any_inside,
    "list": function("list_value"), "item": _item, "slice_list": _slice,
    "list_concat": lambda a, b: when(
        exp.And(this=is_there(a), expression=is_there(b)), call("list_concat", a.copy(), b.copy())
    ),
    "distinct": function("list_distinct"), "flatten": function("flatten"),
    "sort_up": _sorted("ASC"), "sort_down": _sorted("DESC"), "same_list": _same_list,
    "list_sum": lambda a: try_cast(call("list_sum", a), "BIGINT"),
    "list_avg": function("list_avg"), "list_min": function("list_min"),
    "list_max": function("list_max"), "list_any": _quantified("list_bool_or", exp.false()),
    "list_all": _quantified("list_bool_and", exp.true()),
    "tuple": struct,
}  # fmt: skip
