"""Learning with the weights that will be used: rounded to four bits as llama.cpp's Q4_0 has them.

In the forward pass each matrix is what it will be after quantization; what is learnt changes the
full weights behind it. So nothing is lost when the model is written.
"""

from typing import Any

_BLOCK = 32


def rounded(weight: Any) -> Any:
    """What Q4_0 makes of a matrix: sixteen levels per block of 32, with one scale."""
    import torch

    blocks = weight.float().reshape(-1, _BLOCK)
    largest = blocks.gather(1, blocks.abs().argmax(1, keepdim=True))
    scale = (largest / -8).half().float()
    inverse = torch.where(scale == 0, torch.zeros_like(scale), 1 / scale)
    levels = torch.clamp(torch.floor(blocks * inverse + 8.5), 0, 15)
    return ((levels - 8) * scale).reshape(weight.shape)


def round_weights(model: Any) -> None:
    """From here on, the model computes with rounded matrices (all but the embeddings)."""
    import torch.nn.utils.parametrize

    class Rounded(torch.nn.Module):  # type: ignore[misc]
        def forward(self, weight: Any) -> Any:
            return weight + (rounded(weight) - weight).detach()

    for layer in model.model.layers.modules():
        if isinstance(layer, torch.nn.Linear):
            torch.nn.utils.parametrize.register_parametrization(layer, "weight", Rounded())


def keep_rounded(model: Any) -> None:
    """Ends it; the weights stay as they were rounded."""
    import torch.nn.utils.parametrize

    for layer in model.model.layers.modules():
        if isinstance(layer, torch.nn.Linear):
            torch.nn.utils.parametrize.remove_parametrizations(layer, "weight")
