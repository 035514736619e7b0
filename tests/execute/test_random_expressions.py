"""Random expressions against the reference interpreter: over rows, groups, all rows, and pairs."""

import re
from random import Random

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from reqap.plan import parse_expression
from reqap.plan.vocabulary import FUNCTIONS, METHODS, PARTS
from tests.execute.comparing import EVENTS, REFERENCE, as_read, compare, groups_of, packed, parsed
from tests.execute.fakes import FakeLife, run, values
from tests.execute.grammar import (
    MEMBER_RULES,
    RULES,
    expression,
    leaves_of,
    member_expression,
    row,
)
from tests.execute.reference import holds

# Culprits are told one by one: there is nothing to gain from shrinking a batch. The ordinary run is
# the same every time; the long one tries something new.
_EXAMPLES = settings().max_examples
batches = settings(
    max_examples=max(10, _EXAMPLES // 5),
    derandomize=_EXAMPLES <= 100,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)
randoms = given(st.randoms(use_true_random=True))


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
    texts = {kind: [expression(random, kind, leaves_of("a")) for _ in range(3)] for kind in RULES}
    found = values(run(packed(EVENTS, "a", texts), {"q": FakeLife(life)}))
    for each, results in zip(life, found, strict=True):
        compare(texts, {"a": as_read(each)}, results)


@batches
@randoms
def test_filter_keeps_the_rows_for_which_the_condition_is_true(random: Random) -> None:
    life = [row(random) for _ in range(20)]
    kind = random.choice(["bool", "bool", "bool", "str", "int", "texts"])
    text = expression(random, kind, leaves_of("a"))
    result = run(f"FILTER({EVENTS}, lambda a: {text})", {"q": FakeLife(life)})
    true = [holds(REFERENCE(parsed(text, "a"), {"a": as_read(each)})) for each in life]
    kept = [number for number, holding in enumerate(true) if holding]
    assert [found.happenings[0] for found in result.rows] == kept, text


@batches
@randoms
def test_functions_of_all_rows_are_what_python_says(random: Random) -> None:
    life = [row(random, tame=True) for _ in range(random.randrange(1, 8))]
    kind = random.choice(list(MEMBER_RULES))
    texts = [member_expression(random, kind, "l") for _ in range(12)]
    plan = f"APPLY({EVENTS}, lambda l: [{', '.join(texts)}])"
    (found,) = values(run(plan, {"q": FakeLife(life)}))
    scope = {"l": [as_read(each) for each in life]}
    compare({kind: texts}, scope, {kind: found["#value"]}, exactly=False)


@batches
@randoms
def test_functions_of_groups_are_what_python_says(random: Random) -> None:
    life = [row(random, tame=True) for _ in range(random.randrange(2, 15))]
    keys = random.choice([["b"], ["c"], ["s"], ["d"], ["t"], ["j"], ["u"], ["b", "c"]])
    kinds = random.sample(list(MEMBER_RULES), 5)
    texts = {kind: [member_expression(random, kind, "g") for _ in range(5)] for kind in kinds}
    result = run(packed(f"GROUP_BY({EVENTS}, {keys})", "g", texts), {"q": FakeLife(life)})
    found = {tuple(each[key] for key in keys): each for each in values(result)}
    groups = list(groups_of(life, keys))
    assert len(groups) == len(found)
    for group in groups:
        key = tuple(group.attributes[name] for name in keys)
        compare(texts, {"g": group}, found[key], exactly=False)


@batches
@randoms
def test_join_conditions_are_what_python_says(random: Random) -> None:
    first, second = ([row(random, tame=True) for _ in range(6)] for _ in range(2))
    one, other = leaves_of("i1"), leaves_of("i2")
    text = expression(random, "bool", {kind: one[kind] + other[kind] for kind in one})
    node = parse_expression(text, ["i1", "i2"])
    pairs = [
        (at, len(first) + beside)
        for at, left in enumerate(first)
        for beside, right in enumerate(second)
        if holds(REFERENCE(node, {"i1": as_read(left), "i2": as_read(right)}))
    ]
    plan = f"JOIN({EVENTS}, {EVENTS.replace('q', 'p', 1)}, {text})"
    result = run(plan, {"q": FakeLife(first), "p": FakeLife(second)})
    assert sorted(found.happenings for found in result.rows) == pairs, text


def test_many_rows_are_no_different() -> None:
    """More than the database takes in one go."""
    random = Random(20240615)
    life = [row(random) for _ in range(2500)]
    texts = {kind: [expression(random, kind, leaves_of("a"), 2)] for kind in RULES}
    found = values(run(packed(EVENTS, "a", texts), {"q": FakeLife(life)}))
    for each, results in zip(life, found, strict=True):
        compare(texts, {"a": as_read(each)}, results)
