"""Any language model that follows instructions: it is shown how, with examples that fit.

Of 40 examples, those whose questions are most like the one at hand go into the prompt (BM25), with
what was worked out so far; a step that was refused comes back with the reason.
"""

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources

from reqap.models.base import ChatModel, Heard, Message
from reqap.models.nearest import Nearest
from reqap.plan import open_questions, parse
from reqap.plan.rewrite import answered
from reqap.qud.decompose import Asking
from reqap.qud.transcript import Turn, prompt, told, turns_of, written

SHOWN = 8
_MAX_TOKENS = 300
_WARMTH = 0.5
_WHOLE = (
    " Other than said above, write the whole plan at once, in one line: instead of each QUD, the"
    " operators that answer it."
)


@dataclass(frozen=True)
class InContext:
    """Takes steps with a model that is given an instruction and examples; or, to compare, writes
    the whole plan at once."""

    model: ChatModel
    whole: bool = False

    def step(self, asking: Asking, heard: Heard) -> str:
        tries = len(asking.failures)
        written = self.model.chat(
            messages(asking, self.whole),
            temperature=_WARMTH if tries > 1 else 0.0,
            max_tokens=_MAX_TOKENS * (3 if self.whole else 1),
            stop=("\nQ:",),
            seed=tries,
        )
        heard(written)
        return written


def messages(asking: Asking, whole: bool = False) -> list[Message]:
    """The instruction, the examples most like the question, and the steps so far."""
    examples = [_at_once(turns) if whole else turns for turns in chosen(asking.question)]
    shown = "\n".join("".join(map(told, turns)) for turns in examples)
    parts = ["Examples:\n", shown, "\nNow your turn.\n", prompt(asking.turns, asking.question)]
    for failure in asking.failures[-2:]:
        parts.append(f" {failure.text.strip()}\nThis step was refused: {failure.problem}\nA:")
    return [
        {"role": "system", "content": _instruction() + (_WHOLE if whole else "")},
        {"role": "user", "content": "".join(parts)},
    ]


def _at_once(turns: tuple[Turn, ...]) -> tuple[Turn, ...]:
    """A decomposition as one step: the whole plan."""
    steps = {turn.question: parse(turn.step) for turn in turns}
    plan = steps[turns[0].question]
    while open_ := open_questions(plan):
        plan = answered(plan, open_[0], steps[open_[0]])
    return (Turn(turns[0].question, written(plan)),)


@cache
def _instruction() -> str:
    return (resources.files("reqap.qud") / "instruction.txt").read_text(encoding="utf-8")


@cache
def examples() -> tuple[tuple[Turn, ...], ...]:
    """The decompositions that were written by hand."""
    file = resources.files("reqap.qud") / "examples.json"
    raw = json.loads(file.read_text(encoding="utf-8"))
    return tuple(tuple(turns_of(it["question"], parse(it["plan"]))) for it in raw)


@cache
def _index() -> tuple[Nearest, tuple[int, ...]]:
    """An index of all questions of the examples, and to which example each belongs."""
    texts = [(turn.question, n) for n, turns in enumerate(examples()) for turn in turns]
    return Nearest([text for text, _ in texts]), tuple(n for _, n in texts)


def chosen(question: str) -> list[tuple[Turn, ...]]:
    """The examples whose questions are most like this one, the best last: it is read last."""
    index, owners = _index()
    best = list(dict.fromkeys(owners[n] for n in index.order(question)))[:SHOWN]
    return [examples()[n] for n in reversed(best)]
