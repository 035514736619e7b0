"""What questions are like: the shapes of their plans, and what makes them complex."""

from collections.abc import Iterable

from reqap.plan import Operator, walk_plan
from reqap.plan import operators as op
from reqap.plan.expressions import Call, Expression, FunctionName, Key, Method, Name, Part, walk

TYPES = ("ordering", "grouping", "temporal", "aggregation", "join", "multi-source")
_MOMENTS = frozenset(
    [
        "start_date",
        "end_date",
        "start_time",
        "end_time",
        "start_datetime",
        "end_datetime",
        "date",
        "time",
        "datetime",
    ]
)
_CLOCKS = frozenset({"date.today", "datetime.now", "timedelta", "relativedelta", "date", "time"})
_COUNTED = frozenset({"len", "sum", "avg", "min", "max"})


def shape(plan: Operator) -> str:
    """The tree of operators, without what they are told: ARGMAX(MAP(GROUP_BY(RETRIEVE)))."""
    inner = [shape(part) for part in (*plan.inputs(), *plan.sub_plans())]
    return f"{plan.name}({', '.join(inner)})" if inner else plan.name


def complexity(plan: Operator, sources: int = 1) -> frozenset[str]:
    """The paper's types that a question has; `sources` is in how many its events are told."""
    nodes = list(walk_plan(plan))
    called = {name for node in nodes for name in _names(node)}
    found = set()
    if any(isinstance(node, op.Extreme | op.Min | op.Max) for node in nodes) or "sorted" in called:
        found.add("ordering")
    if any(isinstance(node, op.GroupBy) for node in nodes):
        found.add("grouping")
    if any(isinstance(node, op.Join) for node in nodes):
        found.add("join")
    if called & (_MOMENTS | _CLOCKS) or _asks_when(nodes):
        found.add("temporal")
    if any(isinstance(node, op.Aggregate) for node in nodes) or called & _COUNTED:
        found.add("aggregation")
    if sources > 1:
        found.add("multi-source")
    return frozenset(found)


def _asks_when(nodes: Iterable[Operator]) -> bool:
    named = {
        name
        for node in nodes
        for name in (
            getattr(node, "attr_name", None),
            getattr(node, "arg_attr_name", None),
            getattr(node, "val_attr_name", None),
        )
    }
    return bool(named & _MOMENTS)


def _names(node: Operator) -> set[str]:
    """The functions, parts and attributes that a node's own expressions use."""
    found: set[str] = set()
    for expression in _expressions(node):
        for inner in walk(expression):
            match inner:
                case Call():
                    found.add(inner.function)
                case Method() | Part() | Key() | Name() | FunctionName():
                    found.add(inner.name)
    return found


def _expressions(node: Operator) -> list[Expression]:
    found = [getattr(node, name, None) for name in ("filter", "fct", "condition")]
    return [one for one in found if isinstance(one, Expression)]
