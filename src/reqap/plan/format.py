"""Plan → text: `parse` reads back exactly what `format_plan` writes.

The spelling is the paper's. Not the job of this module: trees for people (`cli`).
"""

from keyword import iskeyword
from unicodedata import category

from reqap.plan import expressions as ex
from reqap.plan import operators as op

# How tightly each kind of expression binds; what binds looser than its place gets parentheses.
_LAMBDA, _CONDITIONAL, _OR, _AND, _NOT, _COMPARE, _SUM, _PRODUCT, _SIGN, _POWER, _ATOM = range(11)
_BINARY = {
    "+": _SUM, "-": _SUM, "*": _PRODUCT, "/": _PRODUCT, "//": _PRODUCT, "%": _PRODUCT,
    "**": _POWER,
}  # fmt: skip


def format_plan(plan: op.Operator) -> str:
    """The plan on one line."""
    return _call(plan)


def format_step(plan: op.Operator) -> str:
    """The plan's own node on one line; `…` stands for the plans it reads."""
    return _call(plan, inputs=False)


def format_short(plan: op.Operator) -> str:
    """The plan on one line, without the names of its arguments."""
    return _call(plan, named=False)


def format_expression(expression: ex.Expression) -> str:
    return _text(expression, _LAMBDA)


def _call(plan: op.Operator, inputs: bool = True, named: bool = True) -> str:
    if isinstance(plan, op.Qud):
        return f"QUD({quoted(plan.text)})"
    given = [
        (name, _call(value, named=named) if inputs else "…") for name, value in plan.named_inputs()
    ]
    own = _own_arguments(plan)
    # A query stands before the events it is looked for in.
    arguments = [*own, *given] if isinstance(plan, op.Retrieve) else [*given, *own]
    told = ", ".join(f"{name}={text}" if named else text for name, text in arguments)
    return f"{plan.name}({told})"


def _own_arguments(plan: op.Operator) -> list[tuple[str, str]]:
    match plan:
        case op.Retrieve():
            return [("query", quoted(plan.query))]
        case op.Join():
            return [("condition", quoted(format_expression(plan.condition)))]
        case op.Extract():
            types = ", ".join(op.ATTRIBUTE_TYPES[name] for name in plan.attr_types)
            return [("attr_names", _texts(plan.attr_names)), ("attr_types", f"[{types}]")]
        case op.GroupBy():
            return [("attr_names", _texts(plan.attr_names))]
        case op.Filter():
            return [("filter", format_expression(plan.filter))]
        case op.Map():
            fct = format_expression(plan.fct)
            return [("fct", fct), ("res_name", quoted(plan.res_name))]
        case op.Apply():
            return [("fct", format_expression(plan.fct))]
        case op.Unnest():
            nested, unnested = quoted(plan.nested_attr_name), quoted(plan.unnested_attr_name)
            return [("nested_attr_name", nested), ("unnested_attr_name", unnested)]
        case op.Extreme():
            found = [("arg_attr_name", quoted(plan.arg_attr_name))]
            if plan.val_attr_name is not None:
                found.append(("val_attr_name", quoted(plan.val_attr_name)))
            return found
        case op.Aggregate():
            return [("attr_name", quoted(plan.attr_name))]
    raise TypeError(f"{type(plan).__name__} has no text")


def quoted(text: str) -> str:
    """A text literal in double quotes that Python reads back."""
    out = []
    for char in text:
        if char in '"\\':
            out.append("\\" + char)
        elif category(char) == "Cc":
            out.append(char.encode("unicode_escape").decode())
        else:
            out.append(char)
    return f'"{"".join(out)}"'


def _texts(names: tuple[str, ...]) -> str:
    return f"[{', '.join(map(quoted, names))}]"


def _text(expression: ex.Expression, place: int) -> str:
    text, strength = _written(expression)
    return text if strength >= place else f"({text})"


def _written(node: ex.Expression) -> tuple[str, int]:
    """The text of an expression, and how tightly it binds."""
    match node:
        case ex.Literal():
            return _literal(node)
        case ex.Name() | ex.FunctionName():
            return node.name, _ATOM
        case ex.Key():
            return _key(node), _ATOM
        case ex.Index():
            return f"{_base(node.of)}[{_text(node.index, _LAMBDA)}]", _ATOM
        case ex.Slice():
            bounds = [_text(b, _LAMBDA) if b else "" for b in (node.lower, node.upper)]
            return f"{_base(node.of)}[{':'.join(bounds)}]", _ATOM
        case ex.Part():
            return f"{_base(node.of)}.{node.name}", _ATOM
        case ex.Method():
            return f"{_base(node.of)}.{node.name}({_arguments(node)})", _ATOM
        case ex.Call():
            return f"{node.function}({_arguments(node)})", _ATOM
        case ex.SubPlan():
            return f"{_call(node.plan)}.result", _ATOM
    return _collection(node) or _operation(node)


def _collection(node: ex.Expression) -> tuple[str, int] | None:
    match node:
        case ex.Items():
            return _items(node), _ATOM
        case ex.FString():
            return _fstring(node), _ATOM
        case ex.Comprehension():
            return _comprehension(node), _ATOM
    return None


def _base(node: ex.Expression) -> str:
    """What stands before a dot or a bracket; `5.year` would be read as a number."""
    text = _text(node, _ATOM)
    return f"({text})" if isinstance(node, ex.Literal) and text[0].isdigit() else text


def _operation(node: ex.Expression) -> tuple[str, int]:
    match node:
        case ex.Unary():
            if node.operator == "not":
                return f"not {_text(node.of, _NOT)}", _NOT
            return f"{node.operator}{_text(node.of, _SIGN)}", _SIGN
        case ex.Binary():
            here = _BINARY[node.operator]
            right_first = node.operator == "**"
            left = _text(node.left, here + 1 if right_first else here)
            right = _text(node.right, _SIGN if right_first else here + 1)
            return f"{left} {node.operator} {right}", here
        case ex.Logic():
            here = _AND if node.operator == "and" else _OR
            return f" {node.operator} ".join(_text(i, here + 1) for i in node.items), here
        case ex.Compare():
            pairs = zip(node.operators, node.rights, strict=True)
            tail = [f" {operator} {_text(right, _SUM)}" for operator, right in pairs]
            return _text(node.left, _SUM) + "".join(tail), _COMPARE
        case ex.Conditional():
            then, test = _text(node.then, _OR), _text(node.test, _OR)
            return f"{then} if {test} else {_text(node.otherwise, _CONDITIONAL)}", _CONDITIONAL
        case ex.Lambda():
            return f"lambda {', '.join(node.parameters)}: {_text(node.body, _LAMBDA)}", _LAMBDA
    raise TypeError(f"{type(node).__name__} has no text")


def _literal(node: ex.Literal) -> tuple[str, int]:
    if isinstance(node.value, str):
        return quoted(node.value), _ATOM
    negative = isinstance(node.value, int | float) and str(node.value).startswith("-")
    return repr(node.value), _SIGN if negative else _ATOM


def _key(node: ex.Key) -> str:
    joined = isinstance(node.of, ex.Name) and node.of.name in ("i1", "i2")
    if joined and _is_plain(node.name):
        return f"{_base(node.of)}.{node.name}"
    return f"{_base(node.of)}[{quoted(node.name)}]"


def _is_plain(name: str) -> bool:
    return name.isidentifier() and name.isascii() and name[0] != "_" and not iskeyword(name)


def _arguments(node: ex.Call | ex.Method) -> str:
    alone = len(node.arguments) == 1 and not node.options
    if alone and isinstance(node.arguments[0], ex.Comprehension):
        only = node.arguments[0]
        if only.kind == "generator":
            return _comprehension(only)[1:-1]
    given = [_text(item, _LAMBDA) for item in node.arguments]
    given += [f"{option.name}={_text(option.value, _LAMBDA)}" for option in node.options]
    return ", ".join(given)


def _items(node: ex.Items) -> str:
    inner = ", ".join(_text(item, _LAMBDA) for item in node.items)
    if node.kind == "tuple":
        return f"({inner},)" if len(node.items) == 1 else f"({inner})"
    if node.kind == "set":
        return f"{{{inner}}}"
    return f"[{inner}]"


def _fstring(node: ex.FString) -> str:
    """In triple quotes, so that the texts inside the braces can have plain ones."""
    pieces = []
    for item in node.items:
        if isinstance(item, ex.Literal):
            pieces.append(quoted(str(item.value))[1:-1].replace("{", "{{").replace("}", "}}"))
        else:
            inner = _text(item.of, _OR)
            inner = f"({inner})" if inner.startswith("{") else inner
            pieces.append(f"{{{inner}:{item.spec}}}" if item.spec else f"{{{inner}}}")
    return f'f"""{"".join(pieces)}"""'


def _comprehension(node: ex.Comprehension) -> str:
    text = _text(node.body, _LAMBDA)
    for clause in node.clauses:
        text += f" for {clause.variable} in {_text(clause.over, _OR)}"
        text += "".join(f" if {_text(item, _OR)}" for item in clause.conditions)
    around = {"generator": "()", "list": "[]", "set": "{}"}[node.kind]
    return around[0] + text + around[1]
