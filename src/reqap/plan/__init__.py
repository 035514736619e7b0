"""The plan language: operators, expressions, parsing, checking, printing. No I/O, no models."""

from reqap.plan.check import Checked, check, require_complete
from reqap.plan.format import format_expression, format_plan, format_short, format_step
from reqap.plan.functions import Functions, PlugInFunction
from reqap.plan.operators import OPERATORS, Operator, Qud, open_questions, walk_plan
from reqap.plan.parse import parse, parse_expression
from reqap.plan.serde import from_json, to_json

__all__ = [
    "OPERATORS",
    "Checked",
    "Functions",
    "Operator",
    "PlugInFunction",
    "Qud",
    "check",
    "format_expression",
    "format_plan",
    "format_short",
    "format_step",
    "from_json",
    "open_questions",
    "parse",
    "parse_expression",
    "require_complete",
    "to_json",
    "walk_plan",
]
