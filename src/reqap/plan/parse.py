"""Text → plan. Plans are parsed, never evaluated.

`ast` gives a syntax tree; what is in the closed grammar becomes a frozen node, and everything else
is a `PlanError` that says where, what, and what would be accepted. Size and depth are bounded, for
plans are written by language models and strangers. Whether a plan makes sense is the job of
`check`.
"""

from collections.abc import Collection

from reqap.errors import PlanError
from reqap.plan.expressions import Expression
from reqap.plan.format import format_plan
from reqap.plan.operators import Operator
from reqap.plan.reading import Reader
from reqap.plan.syntax import MAX_CHARS, syntax_tree


def parse(text: str, functions: Collection[str] = ()) -> Operator:
    """The plan that `text` writes out; `functions` are the names of plug-in functions."""
    plan = Reader(text, frozenset(functions)).plan(syntax_tree(text))
    # What is printed may be longer than what was written, and must be readable as well.
    if len(format_plan(plan)) > MAX_CHARS:
        raise PlanError("the plan is too long", "the plan", f"at most {MAX_CHARS:,} characters")
    return plan


def parse_expression(
    text: str, variables: Collection[str], functions: Collection[str] = ()
) -> Expression:
    """One expression in which `variables` may be used: a join condition, say."""
    reader = Reader(text, frozenset(functions))
    return reader.expression(syntax_tree(text), frozenset(variables))
