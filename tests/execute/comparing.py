"""The engine and the reference side by side: the same life, the same expressions, one verdict.

Not the job of this module: making expressions up (`grammar`), and saying what they mean
(`reference`).
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from functools import cache

from reqap.plan import parse_expression
from reqap.plan.expressions import Expression
from tests.execute.fakes import TODAY, Plain
from tests.execute.grammar import ATTRIBUTES
from tests.execute.reference import UNKNOWN, Group, Reference, Value, missing

NAMES = ", ".join(f'"{name}"' for name in ATTRIBUTES)
EVENTS = f'EXTRACT(RETRIEVE("q"), [{NAMES}], [{", ".join(ATTRIBUTES.values())}])'
REFERENCE = Reference(TODAY)
Rows = list[dict[str, Plain]]
# In microseconds, beyond the whole numbers that a float can hold.
_LONG = timedelta(days=100_000)


def as_read(given_row: dict[str, Plain]) -> dict[str, Value]:
    """A row as the reference sees it: a missing truth value is neither true nor false."""
    return {
        name: UNKNOWN if value is None and ATTRIBUTES[name] == "bool" else value
        for name, value in given_row.items()
    }


def same(got: Value, wanted: Value, exactly: bool = True) -> bool:
    """Equal, and of the same type; floats may differ in the last digit, sums of them in more."""
    if missing(wanted):
        return got is None
    if isinstance(wanted, set):
        return isinstance(got, list) and len(got) == len(wanted) and set(got) == wanted
    if isinstance(wanted, list | tuple):
        kind = tuple if isinstance(wanted, tuple) else list
        if not isinstance(got, kind) or len(got) != len(wanted):
            return False
        return all(map(same, got, wanted, [exactly] * len(wanted)))
    if isinstance(got, float) and isinstance(wanted, float):
        far = 0 if exactly else 1e-9
        return math.isclose(got, wanted, rel_tol=1e-14 if exactly else 1e-9, abs_tol=far)
    if isinstance(got, timedelta) and isinstance(wanted, timedelta) and abs(wanted) > _LONG:
        return abs(got - wanted) <= abs(wanted) * 1e-12
    return type(got) is type(wanted) and got == wanted


Texts = Mapping[str, list[str]]  # expressions by their type


def packed(plan: str, variable: str, texts: Texts) -> str:
    """A plan with one MAP per type, whose result is the list of what its expressions give."""
    for kind, written in texts.items():
        plan = f'MAP({plan}, lambda {variable}: [{", ".join(written)}], "{kind}")'
    return plan


@cache
def parsed(text: str, variable: str) -> Expression:
    return parse_expression(text, [variable])


def compare(
    texts: Texts, scope: Mapping[str, Value], found: Mapping[str, Value], *, exactly: bool = True
) -> None:
    """What a plan of `packed` gave, beside what the reference says."""
    for kind, written in texts.items():
        results = found[kind]
        assert isinstance(results, list)
        for text, got in zip(written, results, strict=True):
            wanted = REFERENCE(parsed(text, *scope), scope)
            assert same(got, wanted, exactly), f"{text} is {got!r}, not {wanted!r}, for {scope}"


def groups_of(life: Rows, keys: Sequence[str]) -> Iterator[Group]:
    """Rows that share the keys; a row in which one is missing is in no group."""
    found: dict[tuple[Plain, ...], list[dict[str, Value]]] = {}
    for each in life:
        if all(each[key] is not None for key in keys):
            found.setdefault(tuple(each[key] for key in keys), []).append(as_read(each))
    for shared, members in found.items():
        yield Group(dict(zip(keys, shared, strict=True)), members)
