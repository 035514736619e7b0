"""Python's syntax, as far as plans use it: the tree of a text, and small questions about it.

Nothing is compiled or run. Not the job of this module: what the tree means (`reading`).
"""

import ast
import re
import warnings
from collections.abc import Collection
from difflib import get_close_matches

from reqap.errors import PlanError
from reqap.plan.operators import OPERATORS
from reqap.plan.vocabulary import FUNCTION_SPELLINGS, FUNCTIONS, MODULES

MAX_CHARS = 50_000
Scope = frozenset[str]
# How people write the types of attributes, beside the way plans print them.
TYPE_SPELLINGS = {
    "date": "date", "date.fromisoformat": "date", "date.fromtimestamp": "date",
    "time": "time", "time.fromisoformat": "time",
    "datetime": "datetime", "datetime.fromisoformat": "datetime",
    "datetime.fromtimestamp": "datetime", "datetime.strptime": "datetime",
    "timedelta": "timedelta", "str": "str", "int": "int", "float": "float", "bool": "bool",
    "list": "list", "List": "list", "tuple": "list", "set": "list",
}  # fmt: skip


_SHAPE = 'one expression made of operators, such as APPLY(l=RETRIEVE(query="…"), fct=len)'


def syntax_tree(text: str, expected: str = _SHAPE) -> ast.expr:
    """What Python's own parser makes of a text. Nothing is compiled or run."""
    if len(text) > MAX_CHARS:
        raise PlanError(
            f"{len(text):,} characters", "the plan", f"at most {MAX_CHARS:,} characters"
        )
    stripped = text.strip()
    if not stripped:
        raise PlanError("there is nothing here", "the plan", expected)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(stripped, mode="eval").body
    except SyntaxError as error:
        where = place(lines_of(stripped), error.lineno or 1, (error.offset or 1) - 1)
        raise PlanError(f"this is not Python syntax ({error.msg})", where, expected) from None
    except (ValueError, MemoryError, RecursionError, OverflowError):
        raise PlanError("this cannot be read as Python", "the plan", expected) from None


def lines_of(text: str) -> list[str]:
    """The lines as Python's parser counts them."""
    return re.split(r"\r\n|\r|\n", text)


def place(lines: list[str], line: int, start: int) -> str:
    """A place in a text, with the piece that stands there."""
    piece = lines[min(line, len(lines)) - 1][max(start, 0) :]
    return f"line {line}, column {start + 1}, at `{short(piece, 60)}`"


def unbraced(node: ast.expr) -> ast.expr:
    """What stands in `{{ … }}`: to Python, a set that holds a set."""
    if isinstance(node, ast.Set) and len(node.elts) == 1:
        inner = node.elts[0]
        if isinstance(inner, ast.Set) and len(inner.elts) == 1:
            return inner.elts[0]
    return node


def is_operator(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in OPERATORS
    )


def is_plan(node: ast.expr) -> bool:
    """An operator, or the result of one."""
    if isinstance(node, ast.Attribute) and node.attr == "result":
        return is_operator(unbraced(node.value))
    return is_operator(node)


def is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def dotted(node: ast.expr) -> str | None:
    """`a.b.c` as text, when it is only that."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return ".".join([node.id, *reversed(names)])


def without_module(name: str) -> str:
    first, _, rest = name.partition(".")
    known = TYPE_SPELLINGS.keys() | FUNCTIONS | FUNCTION_SPELLINGS.keys()
    return without_module(rest) if rest in known and first in MODULES else name


def function_name(name: str, scope: Scope) -> str | None:
    """The function that a dotted name means; None when it is a method of a value."""
    if name.split(".")[0] in scope:
        return None
    plain = without_module(name)
    return FUNCTION_SPELLINGS.get(plain, plain)


def public(name: str) -> str:
    if name.startswith("_"):
        raise PlanError(f"{short(name)} begins with an underscore", expected="a plain name")
    return name


def meant(name: str, known: Collection[str], instead: str = "") -> str:
    """What a name that does not exist was probably meant to be; empty where nothing is close."""
    close = get_close_matches(name[:50], known, 1, 0.7) or get_close_matches(
        name[:50].upper(), known, 1, 0.7
    )
    return f"{close[0]}?" if close else instead


def short(text: str, length: int = 40) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"
