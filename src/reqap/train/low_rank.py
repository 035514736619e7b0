"""Learning only a low-rank change of every matrix (LoRA), to compare with learning all weights."""

from typing import Any

import torch
from torch import nn
from torch.nn.utils import parametrize

from reqap.train.rounding import rounded

_SCALE = 2.0


class _LowRank(nn.Module):  # type: ignore[misc]
    """A matrix plus a product of two thin ones; rounded as it will be, if told."""

    def __init__(self, shape: Any, rank: int, is_rounded: bool) -> None:
        super().__init__()
        self.first = nn.Parameter(torch.randn(rank, shape[1]) / shape[1] ** 0.5)
        self.second = nn.Parameter(torch.zeros(shape[0], rank))
        self._is_rounded = is_rounded

    def forward(self, weight: Any) -> Any:
        changed = weight + _SCALE * self.second @ self.first
        if not self._is_rounded:
            return changed
        # The gradient passes as if nothing were rounded.
        return changed + (rounded(changed) - changed).detach()


def add_low_rank(model: Any, rank: int, is_rounded: bool) -> list[Any]:
    """Freezes a model but for a low-rank change of each matrix; what is learnt."""
    for one in model.parameters():
        one.requires_grad_(False)
    found = [one for one in model.model.layers.modules() if isinstance(one, nn.Linear)]
    for layer in found:
        change = _LowRank(layer.weight.shape, rank, is_rounded).to(layer.weight.device)
        parametrize.register_parametrization(layer, "weight", change)
    return [one for one in model.parameters() if one.requires_grad]


def merge_low_rank(model: Any) -> None:
    """Makes the changed matrices the model's own."""
    for layer in model.model.layers.modules():
        if parametrize.is_parametrized(layer, "weight"):
            parametrize.remove_parametrizations(layer, "weight", leave_parametrized=True)
