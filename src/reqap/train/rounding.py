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


class Rounding:
    """The matrices of all layers (not the embeddings), each rounded, and the full ones behind them.

    Both are one long vector, of which the matrices of the model are views, so that a step rounds
    and changes all of them at once instead of two hundred small ones.
    """

    def __init__(self, model: Any) -> None:
        import torch

        found = [one for one in model.model.layers.modules() if isinstance(one, torch.nn.Linear)]
        everything = torch.cat([one.weight.detach().float().reshape(-1) for one in found])
        self.full = torch.nn.Parameter(everything)
        self.full.grad = torch.zeros_like(everything)
        self._used = everything.clone()
        at = 0
        for layer in found:
            shape, size = layer.weight.shape, layer.weight.numel()
            layer.weight = torch.nn.Parameter(self._used[at : at + size].view(shape))
            layer.weight.grad = self.full.grad[at : at + size].view(shape)
            at += size
        inside = {id(one.weight) for one in found}
        others = [one for one in model.parameters() if id(one) not in inside]
        self.parameters = [self.full, *others]
        self._others = others
        self.round()

    def round(self) -> None:
        """After the full weights have changed."""
        self._used.copy_(rounded(self.full.detach()))

    def show_full(self) -> None:
        """The model has the full weights from now on."""
        self._used.copy_(self.full.detach())

    def forget_gradients(self) -> None:
        self.full.grad.zero_()
        for one in self._others:
            one.grad = None
