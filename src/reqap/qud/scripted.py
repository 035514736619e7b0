"""A backend that says what it was told to say: for tests."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from reqap.models.base import Heard
from reqap.qud.decompose import Asking


@dataclass
class Scripted:
    """Steps by question; several for one question are given one after the other."""

    steps: Mapping[str, str | Sequence[str]]
    asked: list[Asking] = field(default_factory=list)

    def step(self, asking: Asking, heard: Heard) -> str:
        self.asked.append(asking)
        given = self.steps.get(asking.question, "I do not know")
        texts = [given] if isinstance(given, str) else list(given)
        text = texts[min(len(asking.failures), len(texts) - 1)]
        heard(text)
        return text
