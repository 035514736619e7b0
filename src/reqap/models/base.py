"""What the rest of the house asks of a language model: to continue a text."""

from collections.abc import Callable, Sequence
from typing import Protocol, TypedDict

from reqap.errors import ReqapError


class ModelProblem(ReqapError):
    """A model that cannot be loaded or does not answer."""


class ModelMissing(ModelProblem):
    """A model, or what runs it, is not installed."""


Heard = Callable[[str], None]


def unheard(text: str) -> None:
    """Nobody listens while a text is written."""


class TextModel(Protocol):
    """Continues texts. The same text, temperature and seed give the same continuation."""

    def complete(
        self,
        prompt: str,
        *,
        max_tokens: int,
        stop: Sequence[str] = (),
        temperature: float = 0.0,
        seed: int = 0,
        grammar: str = "",
        heard: Heard = unheard,
    ) -> str:
        """What follows; `heard` gets each piece as it is written."""
        ...


class Message(TypedDict):
    role: str
    content: str


class ChatModel(Protocol):
    """Answers messages, as models that follow instructions do."""

    def chat(
        self,
        messages: Sequence[Message],
        *,
        temperature: float = 0.0,
        max_tokens: int = 512,
        stop: Sequence[str] = (),
        seed: int | None = None,
    ) -> str: ...
