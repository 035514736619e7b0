"""Python's syntax tree → nodes of the plan language: the closed grammar itself.

Not the job of this module: getting the syntax tree (`parse`), and types (`typing`).
"""

import ast
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import MISSING, fields

from reqap.errors import PlanError
from reqap.plan import expressions as ex
from reqap.plan import operators as op
from reqap.plan.vocabulary import (
    FUNCTION_SPELLINGS,
    FUNCTIONS,
    METHODS,
    MODULES,
    PARTS,
    known_functions,
)

MAX_CHARS = 50_000
MAX_DEPTH = 50
MAX_NODES = 5_000
Scope = frozenset[str]
JOIN_SIDES = frozenset({"i1", "i2"})

_BINARY: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
    ast.Pow: "**",
}  # fmt: skip
_UNARY: dict[type[ast.unaryop], str] = {ast.Not: "not", ast.USub: "-", ast.UAdd: "+"}
_COMPARE: dict[type[ast.cmpop], str] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
    ast.In: "in", ast.NotIn: "not in", ast.Is: "is", ast.IsNot: "is not",
}  # fmt: skip
# How people write the types of attributes, beside the way plans print them.
_TYPE_SPELLINGS = {
    "date": "date", "date.fromisoformat": "date", "date.fromtimestamp": "date",
    "time": "time", "time.fromisoformat": "time",
    "datetime": "datetime", "datetime.fromisoformat": "datetime",
    "datetime.fromtimestamp": "datetime", "datetime.strptime": "datetime",
    "timedelta": "timedelta", "str": "str", "int": "int", "float": "float", "bool": "bool",
    "list": "list", "List": "list", "tuple": "list", "set": "list",
}  # fmt: skip


def syntax_tree(text: str) -> ast.expr:
    """What Python's own parser makes of a text. Nothing is compiled or run."""
    if len(text) > MAX_CHARS:
        raise PlanError(
            f"a plan of {len(text):,} characters", expected=f"at most {MAX_CHARS:,} characters"
        )
    stripped = text.strip()
    if not stripped:
        raise PlanError("an empty plan", expected='one operator, such as RETRIEVE(query="…")')
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(stripped, mode="eval").body
    except SyntaxError as error:
        where = f"line {error.lineno or 1}, column {error.offset or 1}"
        raise PlanError(f"this is not Python syntax ({error.msg})", where, _SHAPE) from None
    except (ValueError, MemoryError, RecursionError, OverflowError):
        raise PlanError("this cannot be read as Python", "", _SHAPE) from None


_SHAPE = 'one expression made of operators, such as APPLY(l=RETRIEVE(query="…"), fct=len)'


class Reader:
    """Reads one text. It counts what it reads, so that no plan grows beyond bounds."""

    def __init__(self, text: str, functions: frozenset[str]) -> None:
        self._lines = text.strip().splitlines() or [""]
        self._functions = functions
        self._nodes = 0
        self._operator_depth = 0
        self._depth = 0

    # -- operators ------------------------------------------------------------------------------

    def plan(self, node: ast.expr) -> op.Operator:
        """An operator call, bare or in the double braces that prompts put around sub-calls."""
        self._count(node)
        node = _unbraced(node)
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            raise self._error(node, "an operator was expected here", _OPERATORS)
        kind = op.OPERATORS.get(node.func.id)
        if kind is None:
            raise self._error(node, f"there is no operator {_short(node.func.id)}", _OPERATORS)
        self._operator_depth += 1
        if self._operator_depth > MAX_DEPTH:
            raise self._error(node, "the plan is nested too deeply", f"{MAX_DEPTH} levels")
        outer, self._depth = self._depth, 0
        try:
            built = self._operator(kind, node)
        finally:
            self._depth = outer
            self._operator_depth -= 1
        return built

    def _operator(self, kind: type[op.Operator], node: ast.Call) -> op.Operator:
        given = self._arguments(kind, node)
        values = {name: self._argument(kind, name, value) for name, value in given.items()}
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
                what = f"{kind.name} has no argument {_short(keyword.arg or '**')}"
                raise self._error(keyword.value, what, shape)
            if keyword.arg in given:
                raise self._error(keyword.value, f"{keyword.arg} is given twice", shape)
            given[keyword.arg] = keyword.value
        missing = [name for name, needed in names.items() if needed and name not in given]
        if missing:
            raise self._error(node, f"{kind.name} needs {', '.join(missing)}", shape)
        return given

    def _argument(self, kind: type[op.Operator], name: str, node: ast.expr) -> object:
        if name in ("l", "l1", "l2"):
            return None if _is_none(node) and kind is op.Retrieve else self.plan(node)
        if name == "condition":
            return self._condition(node)
        if name in ("filter", "fct"):
            return self._function(node, named=name == "fct")
        if name == "attr_names":
            return self._texts(node)
        if name == "attr_types":
            return self._types(node)
        if name == "val_attr_name" and _is_none(node):
            return None
        return self._text(node)

    def _condition(self, node: ast.expr) -> ex.Expression:
        """The paper writes join conditions as text; bare ones and lambdas are understood too."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            try:
                inner = Reader(node.value, self._functions)
                return inner.expression(syntax_tree(node.value), JOIN_SIDES)
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
            raise self._error(node, f"there is no function {_short(node.id)}", expected)
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
        if isinstance(node, ast.Subscript):  # list[str]: what is in the list is told by the data
            node = node.value
        name = node.value if isinstance(node, ast.Constant) else _dotted(node)
        known = _TYPE_SPELLINGS.get(_without_module(name)) if isinstance(name, str) else None
        if known is None:
            expected = ", ".join(op.ATTRIBUTE_TYPES.values())
            raise self._error(node, "this is no type of an attribute", expected)
        return known

    # -- expressions ----------------------------------------------------------------------------

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
                return ex.Logic("and" if isinstance(node.op, ast.And) else "or", items)
            case ast.Compare():
                operators = tuple(_COMPARE[type(item)] for item in node.ops)
                rights = tuple(self.expression(item, scope) for item in node.comparators)
                return ex.Compare(self.expression(node.left, scope), operators, rights)
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
        raise self._error(node, f"there is no variable {_short(node.id)}", known)

    def _attribute(self, node: ast.Attribute, scope: Scope) -> ex.Expression:
        inner = _unbraced(node.value)
        if node.attr == "result" and _is_operator(inner):
            return ex.SubPlan(self.plan(inner))
        of = self.expression(node.value, scope)
        if isinstance(of, ex.Name) and (of.name in JOIN_SIDES or node.attr not in PARTS):
            with self._at(node):
                return ex.Key(of, _public(node.attr))
        if node.attr not in PARTS:
            what = f"there is no .{_short(node.attr)}"
            raise self._error(node, what, ", ".join(f".{part}" for part in sorted(PARTS)))
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
        return ex.Index(of, self.expression(index, scope))

    def _call(self, node: ast.Call, scope: Scope) -> ex.Expression:
        if _is_operator(node):
            return ex.SubPlan(self.plan(node))
        name = _dotted(node.func)
        function = _function_name(name, scope) if name else None
        if function is not None:
            return self._named_call(function, node, scope)
        if not isinstance(node.func, ast.Attribute):
            raise self._error(node, "only functions known by name can be called", _GRAMMAR)
        return self._method(node.func, node, scope)

    def _named_call(self, function: str, node: ast.Call, scope: Scope) -> ex.Call:
        if function not in FUNCTIONS and function not in self._functions:
            known = known_functions(self._functions)
            raise self._error(node, f"there is no function {_short(function)}", known)
        arguments = tuple(self.expression(item, scope) for item in node.args)
        return ex.Call(function, arguments, self._options(node, scope))

    def _method(self, func: ast.Attribute, node: ast.Call, scope: Scope) -> ex.Expression:
        of = self.expression(func.value, scope)
        arguments = tuple(self.expression(item, scope) for item in node.args)
        if func.attr == "get" and 1 <= len(arguments) <= 2 and not node.keywords:
            return self._get(of, arguments, node)
        if func.attr not in METHODS:
            what = f"there is no method .{_short(func.attr)}()"
            raise self._error(node, what, ", ".join(f".{name}()" for name in sorted(METHODS)))
        return ex.Method(of, func.attr, arguments, self._options(node, scope))

    def _get(
        self, of: ex.Expression, arguments: tuple[ex.Expression, ...], node: ast.Call
    ) -> ex.Expression:
        """`attr.get("x")` is `attr["x"]`; a default stands in where it is missing."""
        first = arguments[0]
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
            options.append(ex.Option(keyword.arg, self.expression(keyword.value, scope)))
        return tuple(options)

    def _lambda(self, node: ast.Lambda, scope: Scope) -> ex.Lambda:
        a = node.args
        if a.posonlyargs or a.kwonlyargs or a.vararg or a.kwarg or a.defaults:
            raise self._error(node, "a lambda with special parameters", "lambda attr: …")
        with self._at(node):
            names = tuple(_public(parameter.arg) for parameter in a.args)
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
                scope = scope | {_public(clause.target.id)}
            conditions = tuple(self.expression(item, scope) for item in clause.ifs)
            clauses.append(ex.For(clause.target.id, over, conditions))
        kinds = {ast.GeneratorExp: "generator", ast.ListComp: "list", ast.SetComp: "set"}
        body = self.expression(node.elt, scope)
        with self._at(node):
            return ex.Comprehension(kinds[type(node)], body, tuple(clauses))

    def _items(self, node: ast.List | ast.Tuple | ast.Set, scope: Scope) -> ex.Expression:
        inner = _unbraced(node)
        if inner is not node:  # {{ QUD("…") }} without .result
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

    def _where(self, node: ast.expr) -> str:
        line = self._lines[min(node.lineno, len(self._lines)) - 1]
        start = len(line.encode()[: node.col_offset].decode(errors="replace"))
        return f"line {node.lineno}, column {start + 1}, at `{_short(line[start:], 60)}`"

    def _error(self, node: ast.expr, what: str, expected: str = "") -> PlanError:
        return PlanError(what, self._where(node), expected)


def _arguments_of(kind: type[op.Operator]) -> dict[str, bool]:
    """The arguments of an operator in order, and whether each is needed."""
    return {
        member.name: member.default is MISSING
        for member in fields(kind)
        if member.name != "question"
    }


SIGNATURES = {name: _arguments_of(kind) for name, kind in op.OPERATORS.items()}
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
_CONDITION = 'a text over i1 and i2, such as "i1.start_date == i2.start_date"'
_GRAMMAR = (
    "comparisons, and/or/not, arithmetic, `a if b else c`, f-strings, indexing, lists,"
    " comprehensions, known functions and methods"
)


def signature(name: str) -> str:
    """How an operator is written, by example."""
    return _EXAMPLES.get(name, f'{name}(l=…, attr_name="price")')


def _unbraced(node: ast.expr) -> ast.expr:
    """What stands in `{{ … }}`: to Python, a set that holds a set."""
    if isinstance(node, ast.Set) and len(node.elts) == 1:
        inner = node.elts[0]
        if isinstance(inner, ast.Set) and len(inner.elts) == 1:
            return inner.elts[0]
    return node


def _is_operator(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in op.OPERATORS
    )


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _dotted(node: ast.expr) -> str | None:
    """`a.b.c` as text, when it is only that."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return ".".join([node.id, *reversed(names)])


def _without_module(name: str) -> str:
    first, _, rest = name.partition(".")
    known = _TYPE_SPELLINGS.keys() | FUNCTIONS | FUNCTION_SPELLINGS.keys()
    return _without_module(rest) if rest in known and first in MODULES else name


def _function_name(name: str, scope: Scope) -> str | None:
    """The function that a dotted name means; None when it is a method of a value."""
    if name.split(".")[0] in scope:
        return None
    plain = _without_module(name)
    return FUNCTION_SPELLINGS.get(plain, plain)


def _negated(operator: str, of: ex.Expression) -> ex.Expression:
    """A minus before a number belongs to the number."""
    number = of.value if isinstance(of, ex.Literal) else None
    if operator == "-" and isinstance(number, int | float) and not isinstance(number, bool):
        return ex.Literal(-number)
    return ex.Unary(operator, of)


def _public(name: str) -> str:
    if name.startswith("_"):
        raise PlanError(f"{_short(name)} begins with an underscore", expected="a plain name")
    return name


def _short(text: str, length: int = 40) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"
