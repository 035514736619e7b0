"""The model that comes with the package: its file, and what is known about it."""

import hashlib
import json
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

from reqap.models.base import ModelProblem
from reqap.models.llama import LlamaModel
from reqap.qud.grammar import grammar
from reqap.qud.trained import Trained

_NAME = "qud.gguf"


@dataclass(frozen=True)
class Card:
    """What stands beside the weights: their checksum, how they were made, how good they are."""

    sha256: str
    made_from: dict[str, object]
    scores: dict[str, object]


def folder() -> Path:
    return Path(str(resources.files("reqap.qud") / "model"))


@cache
def card() -> Card:
    raw = json.loads((folder() / "card.json").read_text(encoding="utf-8"))
    return Card(raw["sha256"], raw["made_from"], raw["scores"])


def shipped_model(parallel: int = 1) -> LlamaModel:
    """The model, ready; a file that is not the one that was shipped is refused."""
    path = folder() / _NAME
    if not path.is_file():
        raise ModelProblem(f"the model {path} is missing; install the package again")
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != card().sha256:
        raise ModelProblem(
            f"the model {path} is damaged (sha256 {found[:12]}…, not {card().sha256[:12]}…);"
            " install the package again"
        )
    return LlamaModel(path, parallel=parallel)


def shipped() -> Trained:
    """The backend that is used where nothing else is asked for."""
    return Trained(shipped_model(), grammar())
