"""A decomposition as a text that only ever grows: question, step, sub-question, step, …

Models read and continue it, so that what was worked out for earlier steps need not be worked out
again. Sub-questions come in the order in which they are open; one that was answered before is not
asked twice.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from reqap.plan import Operator, Qud, format_short, open_questions
from reqap.plan import operators as op
from reqap.plan.expressions import Lambda
from reqap.plan.rewrite import answered, step_of, with_names

# The blank belongs to what follows: so cut, words become the same tokens as in running text.
ASK, STEP, END = "Q:", "A:", "\n"


@dataclass(frozen=True)
class Turn:
    """A question, and the step that was taken for it."""

    question: str
    step: str


def prompt(turns: Iterable[Turn], question: str) -> str:
    """What a model continues to take the next step."""
    return "".join(map(told, turns)) + asked(question)


def asked(question: str) -> str:
    return f"{ASK} {one_line(question)}{END}{STEP}"


def taken(step: str) -> str:
    return f" {step}{END}"


def told(turn: Turn) -> str:
    return asked(turn.question) + taken(turn.step)


def one_line(text: str) -> str:
    """Questions are one line of text, whatever people type: bytes that are none become "?"."""
    return " ".join(text.encode("utf-8", "replace").decode().split())


def turns_of(question: str, plan: Operator) -> list[Turn]:
    """The decomposition that leads to a plan whose every step knows its question."""
    steps = {node.question: node for node in _nodes(plan) if node.question is not None}
    found = [Turn(question, written(step_of(plan)))]
    grown = step_of(plan)
    asked_before: set[str] = set()
    while open_ := open_questions(grown):
        node = steps[open_[0]]
        if open_[0] not in asked_before:
            asked_before.add(open_[0])
            found.append(Turn(open_[0], written(step_of(node))))
        grown = answered(grown, open_[0], step_of(node))
    return found


def _nodes(plan: Operator) -> Iterable[Operator]:
    yield plan
    for inner in (*plan.inputs(), *plan.sub_plans()):
        if not isinstance(inner, Qud):
            yield from _nodes(inner)


def written(step: Operator) -> str:
    """A step as models write it: short, with the same names for the same things."""
    return format_short(_renamed(step))


def _renamed(step: Operator) -> Operator:
    match step:
        case op.Filter():
            return replace(step, filter=with_names(step.filter, "e"))
        case op.Map(fct=Lambda() as function):
            return replace(step, fct=with_names(function, "e"))
        case op.Apply(fct=Lambda() as function):
            return replace(step, fct=with_names(function, "l"))
    return step
