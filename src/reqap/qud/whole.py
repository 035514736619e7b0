"""A model that writes the whole plan at once: what taking questions apart is compared with."""

from dataclasses import dataclass

from reqap.models.base import Heard, TextModel
from reqap.qud.decompose import Asking
from reqap.qud.transcript import END, prompt

_MAX_TOKENS = 700


@dataclass(frozen=True)
class Whole:
    """One step that is the whole plan."""

    model: TextModel

    def step(self, asking: Asking, heard: Heard) -> str:
        tries = len(asking.failures)
        return self.model.complete(
            prompt(asking.turns, asking.question), max_tokens=_MAX_TOKENS, stop=(END,),
            temperature=0.7 if tries else 0.0, seed=tries, heard=heard,
        )  # fmt: skip
