"""Writes a trained network as an ONNX file with 8-bit weights, which processors run fastest;
and reads such a file back, to go on from there.

Needs onnx and onnxruntime.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

_OPSET = 17
_BY_WORD = ("input_ids", "attention_mask", "token_type_ids", "own", "marks")


def write_onnx(model: Any, path: Path, inputs: Sequence[str], outputs: Sequence[str]) -> None:
    """The file; batches and lengths may vary."""
    # The runtime reports its use to its makers, unless it is told not to before it is loaded.
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    import onnxruntime
    import torch
    from onnxruntime.quantization import QuantType, quantize_dynamic

    onnxruntime.disable_telemetry_events()  # where somebody else has loaded it before
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


def keep_weights(model: Any, path: Path) -> None:
    """The weights before they are rounded to eight bits, to go on from (a file of numpy's)."""
    import numpy as np

    state = model.state_dict().items()
    np.savez(path, **{name: value.half().cpu().numpy() for name, value in state})


def take_weights(model: Any, path: Path) -> None:
    """Gives a network weights to go on from: those that were kept, or what was shipped of them."""
    if path.suffix != ".npz":
        take_onnx(model, path)
        return
    import numpy as np
    import torch

    with np.load(path, allow_pickle=False) as kept:
        state = {name: torch.tensor(kept[name]).float() for name in kept}
    model.load_state_dict(state)


def take_onnx(model: Any, path: Path) -> None:
    """Gives a network the weights of a file that was written from one of the same form."""
    import onnx
    import torch
    from onnx import numpy_helper

    graph = onnx.load(str(path)).graph
    values = {one.name: numpy_helper.to_array(one) for one in graph.initializer}
    users = {name: node for node in graph.node for name in node.input}
    weights = {name: value for name, value in values.items() if name in model.state_dict()}
    for name, value in values.items():
        if not name.endswith("_quantized"):
            continue
        name = name.removesuffix("_quantized")
        full = (value.astype("float32") - values[f"{name}_zero_point"]) * values[f"{name}_scale"]
        node = users[f"{name}_quantized"]
        if node.op_type == "MatMulInteger":
            full = full.T
        if name not in model.state_dict():
            # A matrix has lost its name, but the bias that is added further on has not.
            while node.op_type != "Add":
                node = users[node.output[0]]
            (bias,) = (one for one in node.input if one in values)
            name = bias.removesuffix(".bias") + ".weight"
        weights[name] = full
    model.load_state_dict({name: torch.tensor(value) for name, value in weights.items()})
