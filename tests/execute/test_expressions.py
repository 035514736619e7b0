"""Expressions: random ones against the reference interpreter, and tables worked out by hand.

Dates are in `test_dates`, units in `test_units`, plug-in functions in `test_plugins`.
"""

import math
import re
from collections.abc import Iterator, Sequence
from random import Random

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from reqap.plan import parse_expression
from reqap.plan.vocabulary import FUNCTIONS, METHODS, PARTS
from tests.execute.fakes import TODAY, FakeLife, Plain, run, values
from tests.execute.grammar import (
    ATTRIBUTES,
    MEMBER_RULES,
    RULES,
    expression,
    leaves_of,
    member_expression,
    row,
)
from tests.execute.reference import UNKNOWN, Group, Reference, Value, holds, missing

NAMES = ", ".join(f'"{name}"' for name in ATTRIBUTES)
EVENTS = f'EXTRACT(RETRIEVE("q"), [{NAMES}], [{", ".join(ATTRIBUTES.values())}])'
REFERENCE = Reference(TODAY)
Rows = list[dict[str, Plain]]


def as_read(given_row: dict[str, Plain]) -> dict[str, Value]:
    """A row as the reference sees it: a missing truth value is neither true nor false."""
    return {
        name: UNKNOWN if value is None and ATTRIBUTES[name] == "bool" else value
        for name, value in given_row.items()
    }


def same(got: Value, wanted: Value, exactly: bool = True) -> bool:
    """Equal, and of the same type; sums of floats may differ in the last digits."""
    if missing(wanted):
        return got is None
    if isinstance(wanted, set):
        return isinstance(got, list) and len(got) == len(wanted) and set(got) == wanted
    if isinstance(wanted, list | tuple):
        kind = tuple if isinstance(wanted, tuple) else list
        if not isinstance(got, kind) or len(got) != len(wanted):
            return False
        return all(map(same, got, wanted, [exactly] * len(wanted)))
    if not exactly and isinstance(got, float) and isinstance(wanted, float):
        return math.isclose(got, wanted, rel_tol=1e-9, abs_tol=1e-9)
    return type(got) is type(wanted) and got == wanted


# Culprits are told one by one: there is nothing to gain from shrinking a batch.
batches = settings(
    max_examples=max(10, settings().max_examples // 4),
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)
randoms = given(st.randoms(use_true_random=True))


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


@batches
@randoms
def test_expressions_over_rows_are_what_python_says(random: Random) -> None:
    life = [row(random) for _ in range(8)]
    texts = [expression(random, kind, leaves_of("a")) for kind in RULES for _ in range(3)]
    plan = f'MAP({EVENTS}, lambda a: ({", ".join(texts)}), "r")'
    found = values(run(plan, {"q": FakeLife(life)}))
    for number, text in enumerate(texts):
        node = parse_expression(text, ["a"])
        for given_row, result in zip(life, found, strict=True):
            wanted, got = REFERENCE(node, {"a": as_read(given_row)}), result["r"][number]  # type: ignore[index]
            assert same(got, wanted), f"{text} is {got!r}, not {wanted!r}, for {given_row}"


@batches
@randoms
def test_filter_keeps_the_rows_for_which_the_condition_is_true(random: Random) -> None:
    life = [row(random) for _ in range(20)]
    text = expression(
        random, random.choice(["bool", "bool", "str", "int", "texts"]), leaves_of("a")
    )
    result = run(f"FILTER({EVENTS}, lambda a: {text})", {"q": FakeLife(life)})
    node = parse_expression(text, ["a"])
    kept = [n for n, each in enumerate(life) if holds(REFERENCE(node, {"a": as_read(each)}))]
    assert [kept_row.happenings[0] for kept_row in result.rows] == kept, text


@batches
@randoms
def test_functions_of_all_rows_are_what_python_says(random: Random) -> None:
    life = [row(random, tame=True) for _ in range(random.randrange(1, 8))]
    texts = [member_expression(random, "a") for _ in range(12)]
    plan = f"APPLY({EVENTS}, lambda a: ({', '.join(texts)}))"
    (found,) = values(run(plan, {"q": FakeLife(life)}))
    for number, text in enumerate(texts):
        wanted = REFERENCE(parse_expression(text, ["a"]), {"a": [as_read(each) for each in life]})
        got = found["#value"][number]  # type: ignore[index]
        assert same(got, wanted, exactly=False), f"{text} is {got!r}, not {wanted!r}, for {life}"


def groups_of(life: Rows, keys: Sequence[str]) -> Iterator[Group]:
    """Rows that share the keys; a row in which one is missing is in no group."""
    found: dict[tuple[Plain, ...], list[dict[str, Value]]] = {}
    for each in life:
        if all(each[key] is not None for key in keys):
            found.setdefault(tuple(each[key] for key in keys), []).append(as_read(each))
    for shared, members in found.items():
        yield Group(dict(zip(keys, shared, strict=True)), members)


@batches
@randoms
def test_functions_of_groups_are_what_python_says(random: Random) -> None:
    life = [row(random, tame=True) for _ in range(random.randrange(2, 15))]
    keys = random.choice([["b"], ["c"], ["s"], ["d"], ["t"], ["j"], ["u"], ["b", "c"]])
    texts = [member_expression(random, "g") for _ in range(12)]
    plan = f'MAP(GROUP_BY({EVENTS}, {keys}), lambda g: ({", ".join(texts)}), "r")'
    result = run(plan, {"q": FakeLife(life)})
    found = {tuple(each[key] for key in keys): each["r"] for each in values(result)}
    groups = list(groups_of(life, keys))
    assert len(groups) == len(found)
    for group in groups:
        results = found[tuple(group.attributes[key] for key in keys)]
        for number, text in enumerate(texts):
            wanted = REFERENCE(parse_expression(text, ["g"]), {"g": group})
            got = results[number]  # type: ignore[index]
            assert same(got, wanted, exactly=False), f"{text} is {got!r}, not {wanted!r}: {group}"
