"""Writes a trained network as an ONNX file with 8-bit weights, which processors run fastest.

Needs onnx and onnxruntime.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

_OPSET = 17
_BY_WORD = ("input_ids", "attention_mask", "token_type_ids", "own")


def write_onnx(model: Any, path: Path, inputs: Sequence[str], outputs: Sequence[str]) -> None:
    """The file; batches and lengths may vary."""
    import torch
    from onnxruntime.quantization import QuantType, quantize_dynamic

    ids = torch.tensor([[2, 4, 3], [2, 5, 3]])
    given = tuple(torch.ones_like(ids) if name == "attention_mask" else ids * (name == "input_ids")
                  for name in inputs)  # fmt: skip
    full = path.with_suffix(".full.onnx")
    # What is told of every word varies with the length as inputs do.
    axes = {name: {0: "batch", 1: "length"} for name in (*inputs, *outputs) if name in _BY_WORD}
    axes |= {name: {0: "batch"} for name in outputs if name not in _BY_WORD}
    torch.onnx.export(
        model, given, str(full), input_names=list(inputs), output_names=list(outputs),
        dynamic_axes=axes, opset_version=_OPSET,
        dynamo=False,
    )  # fmt: skip
    quantize_dynamic(str(full), str(path), weight_type=QuantType.QInt8, per_channel=True)
    full.unlink()
