"""Python's syntax tree → expressions of the plan language: the closed grammar itself.

Not the job of this module: operators (`reading`), and types (`typing`).
"""

import ast
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager

from reqap.errors import PlanError
from reqap.plan import expressions as ex
from reqap.plan.operators import Operator
from reqap.plan.syntax import (
    Scope,
    dotted,
    function_name,
    is_operator,
    is_plan,
    lines_of,
    meant,
    place,
    public,
    short,
    unbraced,
)
from reqap.plan.vocabulary import FUNCTIONS, METHODS, PARTS, known_functions

# What people write, and what is meant.
_INSTEAD = {
    "range": "a comparison, such as 6 <= x < 12, or a list",
    "median": "avg, min or max",
    "enumerate": "for item in items",
    "zip": "for item in items",
    "isinstance": "is not None",
    "print": "the value itself",
}
MAX_DEPTH = 50
MAX_NODES = 5_000
JOIN_SIDES = frozenset({"i1", "i2"})
_GRAMMAR = (
    "comparisons, and/or/not, arithmetic, `a if b else c`, f-strings, indexing, lists,"
    " comprehensions, known functions and methods"
)

_BINARY: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
    ast.Pow: "**",
}  # fmt: skip
_UNARY: dict[type[ast.unaryop], str] = {ast.Not: "not", ast.USub: "-", ast.UAdd: "+"}
_COMPARE: dict[type[ast.cmpop], str] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
    ast.In: "in", ast.NotIn: "not in", ast.Is: "is", ast.IsNot: "is not",
}  # fmt: skip


class ExpressionReader(ABC):
    """Reads one text. It counts what it reads, so that no plan grows beyond bounds."""

    def __init__(self, text: str, functions: frozenset[str]) -> None:
        self._lines = lines_of(text.strip())
        self._functions = functions
        self._nodes = 0
        self._depth = 0

    @abstractmethod
    def plan(self, node: ast.expr) -> Operator:
        """A plan inside an expression; the reader of plans knows."""

    def expression(self, node: ast.expr, scope: Scope) -> ex.Expression:
        self._count(node)
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise self._error(node, "the expression is nested too deeply", f"{MAX_DEPTH} levels")
        try:
            return self._expression(node, scope)
        finally:
            self._depth -= 1

    def _expression(self, node: ast.expr, scope: Scope) -> ex.Expression:
        match node:
            case ast.Constant():
                return self._literal(node)
            case ast.Name():
                return self._name(node, scope)
            case ast.Attribute():
                return self._attribute(node, scope)
            case ast.Subscript():
                return self._subscript(node, scope)
            case ast.Call():
                return self._call(node, scope)
            case ast.Lambda():
                return self._lambda(node, scope)
            case ast.GeneratorExp() | ast.ListComp() | ast.SetComp():
                return self._comprehension(node, scope)
            case ast.List() | ast.Tuple() | ast.Set():
                return self._items(node, scope)
            case _:
                return self._operation(node, scope)

    def _operation(self, node: ast.expr, scope: Scope) -> ex.Expression:
        match node:
            case ast.BinOp() if type(node.op) in _BINARY:
                left, right = self.expression(node.left, scope), self.expression(node.right, scope)
                return ex.Binary(_BINARY[type(node.op)], left, right)
            case ast.UnaryOp() if type(node.op) in _UNARY:
                return _negated(_UNARY[type(node.op)], self.expression(node.operand, scope))
            case ast.BoolOp():
                items = tuple(self.expression(item, scope) for item in node.values)
                with self._at(node):
                    return ex.Logic("and" if isinstance(node.op, ast.And) else "or", items)
            case ast.Compare():
                operators = tuple(_COMPARE[type(item)] for item in node.ops)
                rights = tuple(self.expression(item, scope) for item in node.comparators)
                left = self.expression(node.left, scope)
                with self._at(node):
                    return ex.Compare(left, operators, rights)
            case ast.IfExp():
                return ex.Conditional(
                    self.expression(node.test, scope),
                    self.expression(node.body, scope),
                    self.expression(node.orelse, scope),
                )
            case ast.JoinedStr():
                pieces = tuple(self._piece(item, scope) for item in node.values)
                with self._at(node):
                    return ex.FString(pieces)
        kind = type(node).__name__
        raise self._error(
            node, f"this kind of expression ({kind}) is not in the language", _GRAMMAR
        )

    def _literal(self, node: ast.Constant) -> ex.Literal:
        if node.value is None or isinstance(node.value, str | int | float | bool):
            with self._at(node):
                return ex.Literal(node.value)
        raise self._error(node, "this kind of constant is not in the language", "texts and numbers")

    def _name(self, node: ast.Name, scope: Scope) -> ex.Name:
        if node.id in scope:
            return ex.Name(node.id)
        known = ", ".join(sorted(scope)) or "no variable"
        raise self._error(node, f"there is no variable {short(node.id)}", known)

    def _attribute(self, node: ast.Attribute, scope: Scope) -> ex.Expression:
        inner = unbraced(node.value)
        if node.attr == "result" and is_operator(inner):
            return ex.SubPlan(self.plan(inner))
        of = self.expression(node.value, scope)
        side = isinstance(of, ex.Name) and of.name in JOIN_SIDES
        row = isinstance(of, ex.Name | ex.Index | ex.Call)  # `max(events, key=…).title`
        if side or (row and node.attr not in PARTS):
            with self._at(node):
                return ex.Key(of, public(node.attr))
        if node.attr not in PARTS:
            what = f"there is no .{short(node.attr)}"
            known = meant(node.attr, PARTS) or ", ".join(f".{part}" for part in sorted(PARTS))
            raise self._error(node, what, known)
        return ex.Part(of, node.attr)

    def _subscript(self, node: ast.Subscript, scope: Scope) -> ex.Expression:
        of = self.expression(node.value, scope)
        index = node.slice
        if isinstance(index, ast.Constant) and isinstance(index.value, str):
            with self._at(node):
                return ex.Key(of, index.value)
        if isinstance(index, ast.Slice):
            if index.step is not None:
                raise self._error(node, "a slice with a step", "items[:3], items[2:], items[1:4]")
            lower = self.expression(index.lower, scope) if index.lower else None
            upper = self.expression(index.upper, scope) if index.upper else None
            return ex.Slice(of, lower, upper)
        at = self.expression(index, scope)
        with self._at(node):
            return ex.Index(of, at)

    def _call(self, node: ast.Call, scope: Scope) -> ex.Expression:
        if is_operator(node):
            return ex.SubPlan(self.plan(node))
        name = dotted(node.func)
        function = function_name(name, scope) if name else None
        if function is not None:
            return self._named_call(function, node, scope)
        if not isinstance(node.func, ast.Attribute):
            raise self._error(node, "only functions known by name can be called", _GRAMMAR)
        return self._method(node.func, node, scope)

    def _named_call(self, function: str, node: ast.Call, scope: Scope) -> ex.Call:
        if function not in FUNCTIONS and function not in self._functions:
            known = meant(function, {*FUNCTIONS, *self._functions}, _INSTEAD.get(function, ""))
            known = known or known_functions(self._functions)
            raise self._error(node, f"there is no function {short(function)}", known)
        arguments = tuple(self.expression(item, scope) for item in node.args)
        options = self._options(node, scope)
        with self._at(node):
            return ex.Call(function, arguments, options)

    def _method(self, func: ast.Attribute, node: ast.Call, scope: Scope) -> ex.Expression:
        of = self.expression(func.value, scope)
        arguments = tuple(self.expression(item, scope) for item in node.args)
        if func.attr == "get" and isinstance(of, ex.Name | ex.Index) and not node.keywords:
            return self._get(of, arguments, node)
        if func.attr not in METHODS:
            what = f"there is no method .{short(func.attr)}()"
            known = ", ".join(f".{name}()" for name in sorted(METHODS))
            likely = meant(func.attr, METHODS)
            raise self._error(node, what, f"{likely} {known}" if likely else known)
        options = self._options(node, scope)
        with self._at(node):
            return ex.Method(of, func.attr, arguments, options)

    def _get(
        self, of: ex.Expression, arguments: tuple[ex.Expression, ...], node: ast.Call
    ) -> ex.Expression:
        """`attr.get("x")` is `attr["x"]`; a default stands in where it is missing."""
        first = arguments[0] if 1 <= len(arguments) <= 2 else None
        if not isinstance(first, ex.Literal) or not isinstance(first.value, str):
            raise self._error(node, ".get() needs the name of an attribute", 'attr["start_date"]')
        with self._at(node):
            key = ex.Key(of, first.value)
        if len(arguments) == 1 or arguments[1] == ex.Literal(None):
            return key
        there = ex.Compare(key, ("is not",), (ex.Literal(None),))
        return ex.Conditional(there, key, arguments[1])

    def _options(self, node: ast.Call, scope: Scope) -> tuple[ex.Option, ...]:
        options = []
        for keyword in node.keywords:
            if keyword.arg is None:
                raise self._error(node, "** is not in the language", "name=value")
            value = self._option(keyword.value, scope)
            with self._at(node):
                options.append(ex.Option(keyword.arg, value))
        return tuple(options)

    def _option(self, node: ast.expr, scope: Scope) -> ex.Expression:
        """`key=len` is `key=lambda x: len(x)`."""
        name = dotted(node)
        function = function_name(name, scope) if name and name not in scope else None
        if function in FUNCTIONS or function in self._functions:
            assert function is not None
            return ex.Lambda(("x",), ex.Call(function, (ex.Name("x"),)))
        return self.expression(node, scope)

    def _lambda(self, node: ast.Lambda, scope: Scope) -> ex.Lambda:
        a = node.args
        if a.posonlyargs or a.kwonlyargs or a.vararg or a.kwarg or a.defaults:
            raise self._error(node, "a lambda with special parameters", "lambda attr: …")
        with self._at(node):
            names = tuple(public(parameter.arg) for parameter in a.args)
        body = self.expression(node.body, scope | set(names))
        with self._at(node):
            return ex.Lambda(names, body)

    def _comprehension(
        self, node: ast.GeneratorExp | ast.ListComp | ast.SetComp, scope: Scope
    ) -> ex.Comprehension:
        clauses = []
        for clause in node.generators:
            if not isinstance(clause.target, ast.Name) or clause.is_async:
                raise self._error(node, "this kind of `for`", "for item in items if condition")
            over = self.expression(clause.iter, scope)
            with self._at(node):
                scope = scope | {public(clause.target.id)}
            conditions = tuple(self.expression(item, scope) for item in clause.ifs)
            with self._at(node):
                clauses.append(ex.For(clause.target.id, over, conditions))
        kinds = {ast.GeneratorExp: "generator", ast.ListComp: "list", ast.SetComp: "set"}
        body = self.expression(node.elt, scope)
        with self._at(node):
            return ex.Comprehension(kinds[type(node)], body, tuple(clauses))

    def _items(self, node: ast.List | ast.Tuple | ast.Set, scope: Scope) -> ex.Expression:
        inner = unbraced(node)
        if inner is not node and is_plan(inner):  # {{ QUD("…") }}, {{ QUD("…").result }}
            return self.expression(inner, scope)
        kinds = {ast.List: "list", ast.Tuple: "tuple", ast.Set: "set"}
        items = tuple(self.expression(item, scope) for item in node.elts)
        with self._at(node):
            return ex.Items(kinds[type(node)], items)

    def _piece(self, node: ast.expr, scope: Scope) -> ex.Formatted | ex.Literal:
        """One piece of an f-string."""
        if isinstance(node, ast.Constant):
            return self._literal(node)
        if not isinstance(node, ast.FormattedValue):
            raise self._error(node, "this cannot stand in an f-string", "{value} or {value:.2f}")
        spec = ""
        if isinstance(node.format_spec, ast.JoinedStr):
            pieces = [
                item.value for item in node.format_spec.values if isinstance(item, ast.Constant)
            ]
            if len(pieces) != len(node.format_spec.values):
                raise self._error(node, "a format that is computed", "a format such as :.2f")
            spec = "".join(map(str, pieces))
        if node.conversion != -1:
            raise self._error(
                node, "!r, !s and !a are not in the language", "{value} or {value:.2f}"
            )
        of = self.expression(node.value, scope)
        with self._at(node):
            return ex.Formatted(of, spec)

    # -- messages -------------------------------------------------------------------------------

    def _count(self, node: ast.expr) -> None:
        self._nodes += 1
        if self._nodes > MAX_NODES:
            raise self._error(node, "the plan is too large", f"at most {MAX_NODES:,} nodes")

    @contextmanager
    def _at(self, node: ast.expr) -> Iterator[None]:
        """Complaints of nodes that are built inside get the position."""
        try:
            yield
        except PlanError as error:
            raise self._error(node, error.what, error.expected) from None

    def _where(self, node: ast.expr | ast.keyword) -> str:
        line = self._lines[min(node.lineno, len(self._lines)) - 1]
        before = line.encode("utf-8", "replace")[: node.col_offset].decode("utf-8", "replace")
        return place(self._lines, node.lineno, len(before))

    def _error(self, node: ast.expr | ast.keyword, what: str, expected: str = "") -> PlanError:
        return PlanError(what, self._where(node), expected)


def _negated(operator: str, of: ex.Expression) -> ex.Expression:
    """A minus before a number belongs to the number."""
    number = of.value if isinstance(of, ex.Literal) else None
    if operator == "-" and isinstance(number, int | float) and not isinstance(number, bool):
        return ex.Literal(-number)
    return ex.Unary(operator, of)
