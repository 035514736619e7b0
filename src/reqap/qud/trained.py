"""The shipped model: it continues the transcript of a decomposition."""

from dataclasses import dataclass

from reqap.models.base import Heard, TextModel
from reqap.qud.decompose import Asking, NotUnderstood
from reqap.qud.scope import Scope
from reqap.qud.transcript import END, prompt

# Every proposal after the first is drawn, not the likeliest.
_WARMTH = 0.7
MAX_TOKENS = 220


@dataclass(frozen=True)
class Trained:
    """Takes steps with a model that has learnt to take questions apart, and nothing else."""

    model: TextModel
    grammar: str = ""
    scope: Scope | None = None

    def step(self, asking: Asking, heard: Heard) -> str:
        if self.scope and not asking.turns and not self.scope.covers(asking.question):
            raise NotUnderstood("it does not look like a question, in English, about your own past")
        tries = len(asking.failures)
        return self.model.complete(
            prompt(asking.turns, asking.question),
            max_tokens=MAX_TOKENS,
            stop=(END,),
            temperature=_WARMTH if tries else 0.0,
            seed=tries,
            grammar=self.grammar,
            heard=heard,
        )
