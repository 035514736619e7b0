"""Python's syntax tree → plans.

Not the job of this module: expressions (`reading_expressions`), and types (`typing`).
"""

import ast
from dataclasses import MISSING, fields, replace

from reqap.errors import PlanError
from reqap.plan import expressions as ex
from reqap.plan import operators as op
from reqap.plan.reading_expressions import JOIN_SIDES, MAX_DEPTH, ExpressionReader
from reqap.plan.syntax import (
    TYPE_SPELLINGS,
    dotted,
    is_none,
    is_operator,
    is_plan,
    lines_of,
    meant,
    short,
    syntax_tree,
    unbraced,
    without_module,
)
from reqap.plan.vocabulary import FUNCTION_SPELLINGS, FUNCTIONS, known_functions


class Reader(ExpressionReader):
    """Reads one text."""

    def __init__(self, text: str, functions: frozenset[str]) -> None:
        super().__init__(text, functions)
        self._operator_depth = 0

    def plan(self, node: ast.expr) -> op.Operator:
        """An operator call, bare or in the double braces that prompts put around sub-calls."""
        self._count(node)
        node = unbraced(node)
        if isinstance(node, ast.Attribute) and is_plan(node):
            node = unbraced(node.value)
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            computed = isinstance(node, ast.BinOp | ast.Compare) and is_operator(node.left)
            expected = _COMPUTED if computed else _OPERATORS
            raise self._error(node, "an operator was expected here", expected)
        kind = op.OPERATORS.get(node.func.id)
        if kind is None:
            likely = meant(node.func.id, op.OPERATORS)
            expected = _INSTEAD.get(node.func.id.upper()) or likely or _OPERATORS
            raise self._error(node, f"there is no operator {short(node.func.id)}", expected)
        self._operator_depth += 1
        if self._operator_depth > MAX_DEPTH:
            raise self._error(node, "the plan is nested too deeply", f"{MAX_DEPTH} levels")
        try:
            return self._operator(kind, node)
        finally:
            self._operator_depth -= 1

    def _operator(self, kind: type[op.Operator], node: ast.Call) -> op.Operator:
        given = self._arguments(kind, node)
        values = {name: self._argument(kind, name, value) for name, value in given.items()}
        if kind is op.Qud:
            question, plan = str(values["question"]), values.get("plan")
            if isinstance(plan, op.Operator):
                return replace(plan, question=question)
            values = {"text": question}
        with self._at(node):
            return kind(**values)  # type: ignore[arg-type]

    def _arguments(self, kind: type[op.Operator], node: ast.Call) -> dict[str, ast.expr]:
        """The arguments by name; those without a name take the names in order."""
        names = SIGNATURES[kind.name]
        shape = signature(kind.name)
        if len(node.args) > len(names):
            raise self._error(node, f"too many arguments for {kind.name}", shape)
        given = dict(zip(names, node.args, strict=False))
        for keyword in node.keywords:
            if keyword.arg not in names:
                what = f"{kind.name} has no argument {short(keyword.arg or '**')}"
                raise self._error(keyword, what, meant(keyword.arg or "", names) or shape)
            if keyword.arg in given:
                raise self._error(keyword, f"{keyword.arg} is given twice", shape)
            given[keyword.arg] = keyword.value
        missing = [name for name, needed in names.items() if needed and name not in given]
        if missing:
            raise self._error(node, f"{kind.name} needs {', '.join(missing)}", shape)
        return given

    def _argument(self, kind: type[op.Operator], name: str, node: ast.expr) -> object:
        if name in ("l", "l1", "l2", "plan"):
            return None if is_none(node) and kind is op.Retrieve else self.plan(node)
        if name == "condition":
            return self._condition(node)
        if name in ("filter", "fct"):
            return self._function(node, named=name == "fct")
        if name == "attr_names":
            return self._texts(node)
        if name == "attr_types":
            return self._types(node)
        if kind is op.Qud:
            return self._text(node)
        if name == "val_attr_name" and is_none(node):
            return None
        return self._text(node)

    def _condition(self, node: ast.expr) -> ex.Expression:
        """The paper writes join conditions as text; bare ones and lambdas are understood too."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            written = node.value.strip()
            if len(lines_of(written)) > 1:
                written = f"({written}\n)"
            try:
                inner = Reader(written, self._functions)
                inner._nodes = self._nodes
                condition = inner.expression(syntax_tree(written, _CONDITION), JOIN_SIDES)
                self._nodes = inner._nodes
                return condition
            except PlanError as error:
                where = f"{self._where(node)}, in the condition"
                where += f", {error.where}" if error.where else ""
                raise PlanError(error.what, where, error.expected) from None
        if isinstance(node, ast.Lambda):
            function = self._lambda(node, frozenset())
            if function.parameters != ("i1", "i2"):
                raise self._error(node, "the sides of a join are i1 and i2", _CONDITION)
            return function.body
        return self.expression(node, JOIN_SIDES)

    def _function(self, node: ast.expr, named: bool) -> ex.Lambda | ex.FunctionName:
        if isinstance(node, ast.Lambda):
            function = self._lambda(node, frozenset())
            if len(function.parameters) != 1:
                raise self._error(node, "the function takes one parameter", "lambda attr: …")
            return function
        if named and isinstance(node, ast.Name):
            name = FUNCTION_SPELLINGS.get(node.id, node.id)
            if name in FUNCTIONS or name in self._functions:
                return ex.FunctionName(name)
            expected = f"a lambda, or one of {known_functions(self._functions)}"
            raise self._error(node, f"there is no function {short(node.id)}", expected)
        raise self._error(node, "a function was expected here", "lambda attr: …")

    def _text(self, node: ast.expr) -> str:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return node.value
        raise self._error(
            node, "a text was expected here", 'a text in quotes, such as "start_date"'
        )

    def _texts(self, node: ast.expr) -> tuple[str, ...]:
        if isinstance(node, ast.List | ast.Tuple):
            return tuple(self._text(item) for item in node.elts)
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return (node.value,)
        raise self._error(node, "a list of texts was expected here", '["start_date", "location"]')

    def _types(self, node: ast.expr) -> tuple[str, ...]:
        items = node.elts if isinstance(node, ast.List | ast.Tuple) else [node]
        return tuple(self._type(item) for item in items)

    def _type(self, node: ast.expr) -> str:
        items = dotted(node.slice) if isinstance(node, ast.Subscript) else None
        outer = node.value if isinstance(node, ast.Subscript) else node
        name = outer.value if isinstance(outer, ast.Constant) else dotted(outer)
        known = TYPE_SPELLINGS.get(without_module(name)) if isinstance(name, str) else None
        if items in ("int", "float"):
            known = f"list[{items}]" if known == "list" else None
        if known is None:
            expected = ", ".join(op.ATTRIBUTE_TYPES.values())
            raise self._error(node, "this is no type of an attribute", expected)
        return known


def _arguments_of(kind: type[op.Operator]) -> dict[str, bool]:
    """The arguments of an operator in order, and whether each is needed."""
    return {
        member.name: member.default is MISSING
        for member in fields(kind)
        if member.name != "question"
    }


SIGNATURES = {name: _arguments_of(kind) for name, kind in op.OPERATORS.items()}
SIGNATURES["QUD"] = {"question": True, "plan": False}  # the first as the paper calls it
_EXAMPLES = {
    "QUD": 'QUD("which songs did I hear?")',
    "RETRIEVE": 'RETRIEVE(query="I went running")',
    "EXTRACT": 'EXTRACT(l=…, attr_names=["start_date", "location"], '
    "attr_types=[date.fromisoformat, str])",
    "JOIN": 'JOIN(l1=…, l2=…, condition="i1.start_date == i2.start_date")',
    "GROUP_BY": 'GROUP_BY(l=…, attr_names=["artist"])',
    "FILTER": 'FILTER(l=…, filter=lambda attr: attr["start_date"].year == 2024)',
    "MAP": 'MAP(l=…, fct=lambda attr: attr["start_date"].month, res_name="month")',
    "APPLY": "APPLY(l=…, fct=len)",
    "UNNEST": 'UNNEST(l=…, nested_attr_name="artists", unnested_attr_name="artist")',
    "ARGMIN": 'ARGMIN(l=…, arg_attr_name="start_time", val_attr_name="title")',
    "ARGMAX": 'ARGMAX(l=…, arg_attr_name="count", val_attr_name="artist")',
}
_OPERATORS = f"one of {', '.join(op.OPERATORS)}"
# What people write, and what is meant.
_INSTEAD = {
    "COUNT": "APPLY(l=…, fct=len)",
    "LEN": "APPLY(l=…, fct=len)",
    "DISTINCT": 'APPLY(l=…, fct=lambda l: set(e["artist"] for e in l))',
    "SELECT": "MAP, FILTER or EXTRACT",
    "MEAN": 'AVG(l=…, attr_name="price")',
    "AVERAGE": 'AVG(l=…, attr_name="price")',
    **dict.fromkeys(
        ("SORT", "SORTED", "ORDER_BY", "LIMIT", "TOP", "TOP_K", "FIRST", "LAST"),
        'APPLY(l=…, fct=lambda l: sorted(l, key=lambda e: e["price"], reverse=True)[:3])',
    ),
}
_COMPUTED = "APPLY over a result, such as APPLY(l=SUM(…), fct=lambda v: v - SUM(…).result)"
_CONDITION = 'a text over i1 and i2, such as "i1.start_date == i2.start_date"'


def signature(name: str) -> str:
    """How an operator is written, by example."""
    return _EXAMPLES.get(name, f'{name}(l=…, attr_name="price")')
