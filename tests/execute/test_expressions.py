"""Expressions: random ones against the reference interpreter, and tables worked out by hand.

Dates are in `test_dates`, units in `test_units`, plug-in functions in `test_plugins`.
"""

import math
import re
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from reqap.errors import PlanError
from reqap.plan import parse_expression
from reqap.plan.vocabulary import FUNCTIONS, METHODS, PARTS
from tests.execute.fakes import TODAY, FakeLife, Plain, run, values
from tests.execute.grammar import (
    ATTRIBUTES,
    MEMBER_RULES,
    RULES,
    expressions,
    leaves_of,
    member_expressions,
    rows,
    tame_rows,
)
from tests.execute.reference import UNKNOWN, Group, Reference, Value, holds, missing

NAMES = ", ".join(f'"{name}"' for name in ATTRIBUTES)
EVENTS = f'EXTRACT(RETRIEVE("q"), [{NAMES}], [{", ".join(ATTRIBUTES.values())}])'
REFERENCE = Reference(TODAY)
Rows = list[dict[str, Plain]]


def as_read(row: dict[str, Plain]) -> dict[str, Value]:
    """A row as the reference sees it: a missing truth value is neither true nor false."""
    return {
        name: UNKNOWN if value is None and ATTRIBUTES[name] == "bool" else value
        for name, value in row.items()
    }


def same(got: Value, wanted: Value, exactly: bool = True) -> bool:
    """Equal, and of the same type; sums of floats may differ in the last digits."""
    if missing(wanted):
        return got is None
    if isinstance(wanted, set):
        return isinstance(got, list) and len(got) == len(wanted) and set(got) == wanted
    if isinstance(wanted, list | tuple):
        if type(got) is not type(wanted) or len(got) != len(wanted):
            return False
        return all(map(same, got, wanted, [exactly] * len(wanted)))
    if not exactly and isinstance(got, float) and isinstance(wanted, float):
        return math.isclose(got, wanted, rel_tol=1e-9, abs_tol=1e-9)
    return type(got) is type(wanted) and got == wanted


def any_kind(kinds: Sequence[str], depth: int) -> SearchStrategy[str]:
    return st.sampled_from(kinds).flatmap(lambda kind: expressions(kind, leaves_of("a"), depth))


# -- random expressions --------------------------------------------------------------------------


def test_every_name_of_the_vocabulary_is_in_a_rule() -> None:
    written = " ".join(
        rule for rules in (*RULES.values(), *MEMBER_RULES.values()) for rule in rules
    )
    called = set(re.findall(r"[\w.]*\w(?=\()", written))
    assert {name for name in FUNCTIONS if name not in called} == set()
    methods = {name.rpartition(".")[2] for name in called if "." in name or name in METHODS}
    assert METHODS - methods - set(re.findall(r"\.(\w+)\(", written)) == set()
    # The currency has tests of its own.
    assert PARTS - set(re.findall(r"\.(\w+)", written)) == {"currency"}


@given(st.lists(any_kind(list(RULES), 3), min_size=12, max_size=12), st.lists(rows, min_size=5))
def test_expressions_over_rows_are_what_python_says(texts: list[str], life: Rows) -> None:
    plan = f'MAP({EVENTS}, lambda a: ({", ".join(texts)}), "r")'
    found = values(run(plan, {"q": FakeLife(life)}))
    for number, text in enumerate(texts):
        node = parse_expression(text, ["a"])
        for row, result in zip(life, found, strict=True):
            wanted, got = REFERENCE(node, {"a": as_read(row)}), result["r"][number]  # type: ignore[index]
            assert same(got, wanted), f"{text} is {got!r}, not {wanted!r}, for {row}"


@given(any_kind(["bool", "bool", "str", "int", "texts"], 3), st.lists(rows, min_size=8))
def test_filter_keeps_the_rows_for_which_the_condition_is_true(text: str, life: Rows) -> None:
    result = run(f"FILTER({EVENTS}, lambda a: {text})", {"q": FakeLife(life)})
    node = parse_expression(text, ["a"])
    kept = [n for n, row in enumerate(life) if holds(REFERENCE(node, {"a": as_read(row)}))]
    assert [row.happenings[0] for row in result.rows] == kept, text


@given(st.lists(member_expressions("a"), min_size=6, max_size=6), st.lists(tame_rows, min_size=1))
def test_functions_of_all_rows_are_what_python_says(texts: list[str], life: Rows) -> None:
    plan = f"APPLY({EVENTS}, lambda a: ({', '.join(texts)}))"
    (found,) = values(run(plan, {"q": FakeLife(life)}))
    for number, text in enumerate(texts):
        wanted = REFERENCE(parse_expression(text, ["a"]), {"a": [as_read(row) for row in life]})
        got = found["#value"][number]  # type: ignore[index]
        assert same(got, wanted, exactly=False), f"{text} is {got!r}, not {wanted!r}, for {life}"


def groups_of(life: Rows, keys: Sequence[str]) -> Iterator[Group]:
    """Rows that share the keys; a row in which one is missing is in no group."""
    found: dict[tuple[Plain, ...], list[dict[str, Value]]] = {}
    for row in life:
        if all(row[key] is not None for key in keys):
            found.setdefault(tuple(row[key] for key in keys), []).append(as_read(row))
    for shared, members in found.items():
        yield Group(dict(zip(keys, shared, strict=True)), members)


@given(
    st.lists(member_expressions("g"), min_size=6, max_size=6),
    st.lists(tame_rows, min_size=4),
    st.sampled_from([["b"], ["c"], ["s"], ["d"], ["t"], ["i"], ["u"], ["b", "c"]]),
)
def test_functions_of_groups_are_what_python_says(
    texts: list[str], life: Rows, keys: list[str]
) -> None:
    plan = f'MAP(GROUP_BY({EVENTS}, {keys}), lambda g: ({", ".join(texts)}), "r")'
    found = {
        tuple(row[k] for k in keys): row["r"] for row in values(run(plan, {"q": FakeLife(life)}))
    }
    groups = list(groups_of(life, keys))
    assert len(groups) == len(found)
    for group in groups:
        results = found[tuple(group.attributes[key] for key in keys)]
        for number, text in enumerate(texts):
            wanted = REFERENCE(parse_expression(text, ["g"]), {"g": group})
            got = results[number]  # type: ignore[index]
            assert same(got, wanted, exactly=False), f"{text} is {got!r}, not {wanted!r}: {group}"
