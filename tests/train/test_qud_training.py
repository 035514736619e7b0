"""Training, from lessons to a model that runs: a tiny one, with weights drawn at random.

Needs what training needs (`make test-train`).
"""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from reqap.baselines.codegen import Trained
from reqap.models.llama import LlamaModel
from reqap.qud.shipped import folder
from reqap.qud.transcript import asked
from reqap.train import qud
from reqap.train.codegen import Pair, write_lessons

gguf = pytest.importorskip("gguf")
np = pytest.importorskip("numpy")
pytest.importorskip("torch")
pytest.importorskip("transformers")

_WIDTH, _INNER, _HEADS, _LAYERS = 64, 96, 2, 2
_SIZES: dict[str, Any] = {
    "llama.block_count": _LAYERS,
    "llama.embedding_length": _WIDTH,
    "llama.feed_forward_length": _INNER,
    "llama.attention.head_count": _HEADS,
    "llama.attention.head_count_kv": 1,
    "llama.rope.dimension_count": _WIDTH // _HEADS,
}
_LESSONS = [
    [["how many runs", 'APPLY(QUD("my runs"), len)'], ["my runs", 'RETRIEVE("my runs")']],
    [["how many mails", 'APPLY(QUD("my mails"), len)'], ["my mails", 'RETRIEVE("my mails")']],
]


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """The words of the shipped model, and next to nothing else."""
    path = tmp_path / "base.gguf"
    reader = gguf.GGUFReader(str(folder() / "qud.gguf"))
    writer = gguf.GGUFWriter(str(path), "llama")
    for field in reader.fields.values():
        if not field.name.startswith("GGUF.") and field.name != "general.architecture":
            inner = field.types[-1] if len(field.types) > 1 else None
            value = _SIZES.get(field.name, field.contents())
            writer.add_key_value(field.name, value, field.types[0], inner)
    words = int(reader.get_field("llama.vocab_size").contents())
    shapes = {"token_embd": (words, _WIDTH), "output_norm": (_WIDTH,)}
    for layer in range(_LAYERS):
        shapes |= {
            f"blk.{layer}.attn_norm": (_WIDTH,),
            f"blk.{layer}.ffn_norm": (_WIDTH,),
            f"blk.{layer}.attn_q": (_WIDTH, _WIDTH),
            f"blk.{layer}.attn_k": (_WIDTH // _HEADS, _WIDTH),
            f"blk.{layer}.attn_v": (_WIDTH // _HEADS, _WIDTH),
            f"blk.{layer}.attn_output": (_WIDTH, _WIDTH),
            f"blk.{layer}.ffn_gate": (_INNER, _WIDTH),
            f"blk.{layer}.ffn_up": (_INNER, _WIDTH),
            f"blk.{layer}.ffn_down": (_WIDTH, _INNER),
        }
    chance = np.random.default_rng(1)
    for name, shape in shapes.items():
        drawn = chance.normal(0, 0.05, shape) if len(shape) > 1 else np.ones(shape)
        writer.add_tensor(f"{name}.weight", drawn.astype("float32"))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def test_a_tiny_model_learns_and_runs(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for split in ("train-1", "dev"):
        with (tmp_path / f"{split}.jsonl").open("w") as file:
            for turns in _LESSONS:
                file.write(json.dumps({"template": "t", "turns": turns, "plan": "…"}) + "\n")
    out = tmp_path / "trained.gguf"
    given = ["--lessons", tmp_path, "--base", base, "--out", out, "--steps", 120, "--rate", 5e-3]
    full = tmp_path / "full.gguf"
    argv = ["qud", "train", *map(str, given), "--rounded", "--look", "60", "--full", str(full)]
    monkeypatch.setattr(sys, "argv", argv)
    qud.main()
    for written in (out, full):
        _assert_knows(LlamaModel(written))


def _assert_knows(model: LlamaModel) -> None:
    for turns in _LESSONS:
        question, step = turns[0]
        assert model.complete(asked(question), max_tokens=40, stop=("\n",)).strip() == step


def test_what_did_best_on_dev_stays() -> None:
    import torch

    model = torch.nn.Linear(1, 1, bias=False)
    best = qud.Best(patience=2)
    enough = []
    for weight, score in ((1.0, 0.3), (2.0, 0.5), (3.0, 0.4), (4.0, 0.5)):
        model.weight.data.fill_(weight)
        enough.append(best.is_enough(model, score))
    best.put_back(model)
    assert enough == [False, False, False, True]
    assert model.weight.item() == 2.0


def test_sql_is_learnt_in_the_same_way(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sql = "SELECT COUNT(*) FROM workout"
    pair = Pair("t", ("how many workouts",), sql, True)
    for split in ("train-1", "dev"):
        write_lessons([pair] * 2, tmp_path / f"{split}.jsonl", noisy=False)
    out = tmp_path / "codegen.gguf"
    given = ["--lessons", tmp_path, "--base", base, "--out", out, "--steps", 80, "--rate", 5e-3,
             "--longest", 64, "--look", 40]  # fmt: skip
    monkeypatch.setattr(sys, "argv", ["qud", "train", *map(str, given)])
    qud.main()
    assert Trained(LlamaModel(out)).write("how many workouts", "", ()).strip() == sql
