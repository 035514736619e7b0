"""What makes training fast on an accelerator."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch


@contextmanager
def made_fast(layers: Sequence[Any], device: str) -> Iterator[None]:
    """Layers of a network, compiled while they learn; afterwards they can be exported."""
    if device != "cuda":
        yield
        return
    torch.set_float32_matmul_precision("high")
    # cuDNN's attention prepares itself anew for every shape of a batch.
    torch.backends.cuda.enable_cudnn_sdp(False)
    torch._dynamo.config.suppress_errors = True  # what cannot be compiled runs as it is
    for layer in layers:
        layer.compile(dynamic=True)
    try:
        yield
    finally:
        for layer in layers:
            layer._compiled_call_impl = None
