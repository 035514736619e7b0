"""Text → plan. Plans are parsed, never evaluated.

`ast` gives a syntax tree; what is in the closed grammar becomes a frozen node, and everything else
is a `PlanError` that says where, what, and what would be accepted. Size and depth are bounded, for
plans are written by language models and strangers. Whether a plan makes sense is the job of
`check`.
"""

from collections.abc import Collection

from reqap.plan.expressions import Expression
from reqap.plan.operators import Operator
from reqap.plan.reading import Reader
from reqap.plan.syntax import syntax_tree


def parse(text: str, functions: Collection[str] = ()) -> Operator:
    """The plan that `text` writes out; `functions` are the names of plug-in functions."""
    return Reader(text, frozenset(functions)).plan(syntax_tree(text))


def parse_expression(
    text: str, variables: Collection[str], functions: Collection[str] = ()
) -> Expression:
    """One expression in which `variables` may be used: a join condition, say."""
    reader = Reader(text, frozenset(functions))
    return reader.expression(syntax_tree(text), frozenset(variables))
