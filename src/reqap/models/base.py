"""What the rest of the house asks of a language model: to continue a text. And its files."""

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol, TypedDict

from reqap.errors import ReqapError


class ModelProblem(ReqapError):
    """A model that cannot be loaded or does not answer."""


class ModelMissing(ModelProblem):
    """A model, or what runs it, is not installed."""


def verified(path: Path, sha256: str) -> str:
    """The checksum of a file, which must be what is expected, if anything is."""
    if not path.is_file():
        raise ModelMissing(f"the model {path} is not there; install the package again")
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if sha256 and found != sha256:
        raise ModelProblem(
            f"the model {path} is damaged: its checksum is {found[:12]}…, not"
            f" {sha256[:12]}…; install the package again"
        )
    return found


def checksums(folder: Path, what: str) -> dict[str, str]:
    """What the card of a folder of models says that its files must be."""
    try:
        card = json.loads((folder / "card.json").read_text(encoding="utf-8"))
        known: dict[str, str] = card["sha256"]
    except OSError as error:
        raise ModelMissing(f"{folder} holds no {what}: {error}") from None
    except (ValueError, KeyError) as error:
        raise ModelProblem(f"{folder / 'card.json'} is damaged: {error}") from None
    return known


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
