"""Writes trained weights as a GGUF file, with everything but the weights taken from the base file.

Needs numpy and gguf. Matrices are quantized as asked, the few vectors stay as they are.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

_NAMES = {
    "model.embed_tokens.weight": "token_embd.weight",
    "model.norm.weight": "output_norm.weight",
    "lm_head.weight": "output.weight",
}
_WORDS = ("token_embd.weight", "output.weight")
_PARTS = {
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}


def gguf_name(name: str) -> str:
    """What llama.cpp calls a weight of a Llama model."""
    if name in _NAMES:
        return _NAMES[name]
    _, _, layer, part = name.removesuffix(".weight").split(".", 3)
    return f"blk.{layer}.{_PARTS[part]}.weight"


def interleaved(matrix: Any, heads: int) -> Any:
    """The rows of a query or key projection in llama.cpp's order of rotary halves."""
    rows = matrix.shape[0]
    return (
        matrix.reshape(heads, 2, rows // heads // 2, *matrix.shape[1:])
        .swapaxes(1, 2)
        .reshape(matrix.shape)
    )


def write_gguf(
    base: Path, weights: Mapping[str, Any], out: Path, kind: str, words: str = ""
) -> None:
    """`weights` by their name in transformers, as numpy arrays of 32-bit floats.

    `kind` says how matrices are quantized, `words` how the embeddings are.
    """
    import gguf

    reader = gguf.GGUFReader(str(base))
    architecture = str(reader.get_field("general.architecture").contents())
    writer = gguf.GGUFWriter(str(out), architecture)
    for field in reader.fields.values():
        if field.name.startswith("GGUF.") or field.name == "general.architecture":
            continue
        inner = field.types[-1] if len(field.types) > 1 else None
        writer.add_key_value(field.name, field.contents(), field.types[0], inner)
    heads = int(reader.get_field(f"{architecture}.attention.head_count").contents())
    fewer = int(reader.get_field(f"{architecture}.attention.head_count_kv").contents())
    known = {tensor.name for tensor in reader.tensors}
    quantized = gguf.GGMLQuantizationType[kind]
    for name, matrix in weights.items():
        told = gguf_name(name)
        if told not in known:
            continue  # tied to another
        if told.endswith("attn_q.weight"):
            matrix = interleaved(matrix, heads)
        elif told.endswith("attn_k.weight"):
            matrix = interleaved(matrix, fewer)
        if matrix.ndim == 1:
            writer.add_tensor(told, matrix.astype("float32"))
        else:
            own = gguf.GGMLQuantizationType[words] if words and told in _WORDS else quantized
            data = gguf.quants.quantize(matrix.astype("float32"), own)
            writer.add_tensor(told, data, raw_dtype=own)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
