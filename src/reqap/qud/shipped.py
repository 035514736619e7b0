"""The model that comes with the package: its file, and what is known about it."""

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

from reqap.models.base import verified
from reqap.models.llama import LlamaModel
from reqap.qud.grammar import grammar
from reqap.qud.scope import Scope
from reqap.qud.trained import Trained

_MODEL, _SCOPE = "qud.gguf", "scope.npz"


@dataclass(frozen=True)
class Card:
    """What stands beside the weights: their checksum, how they were made, how good they are."""

    sha256: dict[str, str]  # by file
    made_from: dict[str, object]
    scores: dict[str, object]


def folder() -> Path:
    return Path(str(resources.files("reqap.qud") / "model"))


@cache
def card() -> Card:
    raw = json.loads((folder() / "card.json").read_text(encoding="utf-8"))
    return Card(raw["sha256"], raw["made_from"], raw["scores"])


def _checked(name: str) -> Path:
    """A file of the model, which must be the one that was shipped."""
    path = folder() / name
    verified(path, card().sha256[name])
    return path


def shipped_scope() -> Scope:
    """What tells questions that can be answered from all else."""
    return Scope.load(_checked(_SCOPE))


def shipped() -> Trained:
    """The backend that is used where nothing else is asked for."""
    return Trained(LlamaModel(_checked(_MODEL)), grammar(), shipped_scope())
