"""Any language model that follows instructions: it is shown how, with examples that fit.

Of 40 examples, those whose questions are most like the one at hand go into the prompt (BM25), with
what was worked out so far; a step that was refused comes back with the reason.
"""

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources

import bm25s

from reqap.models.base import ChatModel, Heard, Message
from reqap.plan import parse
from reqap.qud.decompose import Asking
from reqap.qud.transcript import Turn, prompt, told, turns_of

SHOWN = 8
_MAX_TOKENS = 300
_WARMTH = 0.5


@dataclass(frozen=True)
class InContext:
    """Takes steps with a model that is given an instruction and examples."""

    model: ChatModel

    def step(self, asking: Asking, heard: Heard) -> str:
        tries = len(asking.failures)
        written = self.model.chat(
            messages(asking),
            temperature=_WARMTH if tries > 1 else 0.0,
            max_tokens=_MAX_TOKENS,
            stop=("\nQ:",),
            seed=tries,
        )
        heard(written)
        return written


def messages(asking: Asking) -> list[Message]:
    """The instruction, the examples most like the question, and the steps so far."""
    shown = "\n".join("".join(map(told, turns)) for turns in chosen(asking.question))
    parts = ["Examples:\n", shown, "\nNow your turn.\n", prompt(asking.turns, asking.question)]
    for failure in asking.failures[-2:]:
        parts.append(f" {failure.text.strip()}\nThis step was refused: {failure.problem}\nA:")
    return [
        {"role": "system", "content": _instruction()},
        {"role": "user", "content": "".join(parts)},
    ]


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
def _index() -> tuple[bm25s.BM25, tuple[int, ...]]:
    """An index of all questions of the examples, and to which example each belongs."""
    texts = [(turn.question, n) for n, turns in enumerate(examples()) for turn in turns]
    index = bm25s.BM25()
    index.index(_tokens([text for text, _ in texts]), show_progress=False)
    return index, tuple(n for _, n in texts)


def _tokens(texts: list[str]) -> list[list[str]]:
    return [text.casefold().replace("?", " ").split() for text in texts]


def chosen(question: str) -> list[tuple[Turn, ...]]:
    """The examples whose questions are most like this one, the best last: it is read last."""
    index, owners = _index()
    scores = index.get_scores(_tokens([question])[0])
    order = sorted(range(len(owners)), key=lambda n: -float(scores[n]))
    best = list(dict.fromkeys(owners[n] for n in order))[:SHOWN]
    return [examples()[n] for n in reversed(best)]
