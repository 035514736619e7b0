"""The steps a model may write, as a grammar for llama.cpp (GBNF).

Made from the definitions of the plan language, so that the two cannot drift apart: operators and
their arguments, functions, methods, parts and types are those of `reqap.plan`. The grammar says
what can be read; whether it makes sense is the job of `check`.
"""

from collections.abc import Iterable
from functools import cache

from reqap.plan import OPERATORS
from reqap.plan.expressions import BINARY, COMPARISONS
from reqap.plan.operators import ATTRIBUTE_TYPES
from reqap.plan.reading import SIGNATURES
from reqap.plan.vocabulary import FUNCTIONS, METHODS, PARTS

# What stands for each argument; all others are texts.
_ARGUMENTS = {
    "l": "qud", "l1": "qud", "l2": "qud", "filter": "lambda", "fct": "function",
    "attr_names": "names", "attr_types": "types", "res_name": "name", "attr_name": "name",
    "arg_attr_name": "name", "val_attr_name": "name", "nested_attr_name": "name",
    "unnested_attr_name": "name",
}  # fmt: skip

# Expressions, flat: brackets and quotes close, names and operators are those of the language. How
# tightly operators bind is left to `parse`; a grammar that says it as well is slow to follow.
_EXPRESSIONS = r"""
function ::= lambda | "len"
lambda ::= "lambda " variable ": " value
value ::= operand (" " operator " " operand)*
operand ::= ("not " | "-")? atom follower*
follower ::= "[" value? (":" value?)? "]" | "." (part | method "(" arguments? ")")
atom ::= number | text | qud ".result" | named | "(" items ")" | "[" items? "]" | "{" items "}"
named ::= (variable | dotted) ("(" arguments? ")")? | "True" | "False" | "None"
items ::= value (each | (", " value)* ","?)
each ::= (" for " variable " in " value)+
arguments ::= argument (each | (", " argument)*)
argument ::= lambda | value | variable "=" (lambda | value)
number ::= [0-9]+ ("." [0-9]+)?
variable ::= [a-z] [a-z0-9_]*
qud ::= "QUD(" text ")"
text ::= "\"" char+ "\""
char ::= [^"\\\n\x00-\x1f] | "\\" ["\\]
name ::= "\"" [a-zA-Z] [a-zA-Z0-9_ .-]* "\""
names ::= "[" name (", " name)* "]"
types ::= "[" type (", " type)* "]"
"""
# `if` of a conditional and of a comprehension stand between operands as well.
_WORDS = ("and", "or", "if", "else")


@cache
def grammar() -> str:
    """The grammar of one step, as the transcript writes it: with a blank before it."""
    kinds = [name for name in OPERATORS if name != "QUD"]
    lines = ['root ::= " " (' + " | ".join(_rule(name) for name in kinds) + ")"]
    lines += [f"{_rule(name)} ::= {_call(name)}" for name in kinds]
    lines += _EXPRESSIONS.strip().splitlines()
    lines += [
        _lists("operator", (*COMPARISONS, *BINARY, *_WORDS)),
        _lists("part", PARTS),
        _lists("method", METHODS),
        _lists("dotted", (name for name in FUNCTIONS if "." in name)),
        _lists("type", ATTRIBUTE_TYPES.values()),
    ]
    return "\n".join(lines) + "\n"


def _rule(operator: str) -> str:
    return operator.lower().replace("_", "-")


def _call(operator: str) -> str:
    parts = [f'"{operator}("']
    for number, (name, needed) in enumerate(SIGNATURES[operator].items()):
        kind = _ARGUMENTS.get(name, "text")
        comma = '", " ' if number else ""
        parts.append(f"{comma}{kind}" if needed else f"({comma}{kind})?")
    return " ".join([*parts, '")"'])


def _lists(rule: str, words: Iterable[str]) -> str:
    # Longer ones first, in an order that is always the same.
    told = sorted(words, key=lambda word: (-len(word), word))
    return f"{rule} ::= " + " | ".join(f'"{word}"' for word in told)
