"""Times of day that go over midnight: from ten in the evening to six in the morning.

Read as they stand, `time(22) <= t < time(6)` can never be true; people mean the night. Only bounds
that are written out count: of what is computed nobody knows beforehand which is later.
"""

from collections.abc import Sequence
from datetime import time
from itertools import permutations

from reqap.plan.core import Const, Core, Op
from reqap.plan.types import BOOL, TIME

_ROUND = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}
_LOWER, _UPPER = ("gt", "ge"), ("lt", "le")


def all_true(conditions: Sequence[Core]) -> Core:
    """Conditions that hold together; two bounds of a time of day that go over midnight are one."""
    left = list(conditions)
    for first, second in permutations(conditions, 2):
        if first in left and second in left and _is_night(first, second):
            left[left.index(first)] = Op(BOOL, "or", (first, second))
            left.remove(second)
    return left[0] if len(left) == 1 else Op(BOOL, "and", tuple(left))


def _is_night(first: Core, second: Core) -> bool:
    """Whether the one is a lower bound that lies behind the upper bound that the other is."""
    lower, upper = _bound(first), _bound(second)
    if lower is None or upper is None or lower[1] != upper[1]:
        return False
    return lower[0] in _LOWER and upper[0] in _UPPER and _later(lower[2], upper[2])


def _bound(condition: Core) -> tuple[str, Core, object] | None:
    """How a time of day, or its hour, is compared with what is written out: `>=`, it, 22."""
    if not isinstance(condition, Op) or condition.name not in _ROUND:
        return None
    one, other = condition.arguments
    name = condition.name
    if isinstance(one, Const):
        one, other, name = other, one, _ROUND[name]
    clock = one.type == TIME or (isinstance(one, Op) and one.name == "hour")
    if not clock or isinstance(one, Const) or not isinstance(other, Const):
        return None
    return name, one, other.value


def _later(one: object, other: object) -> bool:
    if isinstance(one, time) and isinstance(other, time):
        return one > other
    hours = isinstance(one, int) and isinstance(other, int)
    return hours and 24 > one > other >= 0  # type: ignore[operator]
