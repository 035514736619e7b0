"""Training of RETRIEVE's models, from lessons to ONNX files that run: tiny ones, drawn at random.

Needs what training needs (`make test-train`).
"""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from reqap.train import retrieve

np = pytest.importorskip("numpy")
onnxruntime = pytest.importorskip("onnxruntime")
pytest.importorskip("onnx")
pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
tokenizers = pytest.importorskip("tokenizers")

_WORDS = "running swimming workout mail music stream my times was i all of type"


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A BERT of next to nothing."""
    folder = tmp_path_factory.mktemp("start")
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", ";", ":", *_WORDS.split()]
    made = tokenizers.BertWordPieceTokenizer({word: n for n, word in enumerate(words)})
    made.save(str(folder / "tokenizer.json"))
    config = transformers.BertConfig(
        vocab_size=len(words), hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=64, max_position_embeddings=256,
    )  # fmt: skip
    transformers.BertModel(config, add_pooling_layer=False).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def lessons(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lessons")
    rows = [
        {"query": "i was running", "texts": [["workout; type: running", 2], ["mail", 0]],
         "patterns": [["workout", 1], ["mail", 0]]},
        {"query": "my mail", "texts": [["mail", 2], ["music stream", 0]],
         "patterns": [["mail", 2]]},
    ]  # fmt: skip
    for split in ("train", "dev"):
        text = "".join(json.dumps({**row, "source": "x"}) + "\n" for row in rows * 4)
        (folder / f"{split}.jsonl").write_text(text, encoding="utf-8")
    return folder


def trained(monkeypatch: pytest.MonkeyPatch, command: str, **options: object) -> Path:
    given = [part for name, value in options.items() for part in (f"--{name}", str(value))]
    monkeypatch.setattr(sys, "argv", ["retrieve", command, *given])
    retrieve.main()
    return Path(str(options["out"]))


@pytest.fixture(scope="module")
def teacher(
    start: Path, lessons: Path, tmp_path_factory: pytest.TempPathFactory
) -> Any:  # a generator would hide the folder's type
    with pytest.MonkeyPatch.context() as patch:
        out = tmp_path_factory.mktemp("teacher")
        return trained(
            patch, "cross", lessons=lessons, start=start, out=out, steps=60, batch=400, rate=3e-3
        )


def test_a_cross_encoder_learns_and_runs(teacher: Path, lessons: Path) -> None:
    scores = json.loads((teacher / "scores.json").read_text())
    assert scores["average precision"] == 1.0
    examples = retrieve.read_examples(lessons / "train.jsonl")
    assert np.load(teacher / "told.npy").shape == (len(examples), 3)
    session = onnxruntime.InferenceSession(teacher / "cross.onnx")
    for length in (4, 9):
        ids = np.full((1, length), 7)
        fed = {"input_ids": ids, "attention_mask": ids // 7, "token_type_ids": ids * 0}
        assert session.run(None, fed)[0].shape == (1, 3)


def test_a_student_learns_from_it(
    teacher: Path, start: Path, lessons: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = trained(
        monkeypatch, "cross", lessons=lessons, start=start, layers=0, teacher=teacher,
        out=tmp_path / "small", steps=40, batch=400, rate=3e-3,
    )  # fmt: skip
    assert json.loads((out / "scores.json").read_text())["average precision"] == 1.0
    assert not (out / "told.npy").exists()


def test_an_encoder_learns_and_runs(
    teacher: Path, start: Path, lessons: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = trained(
        monkeypatch, "encoder", lessons=lessons, start=start, teacher=teacher,
        out=tmp_path / "encoder", steps=40, queries=4, rate=3e-3,
    )  # fmt: skip
    assert json.loads((out / "scores.json").read_text())["average precision"] == 1.0
    session = onnxruntime.InferenceSession(out / "encoder.onnx")
    ids = np.full((1, 6), 8)
    dense, own, words = session.run(None, {"input_ids": ids, "attention_mask": ids // 8})
    head = np.load(out / "judge.npz")["head"]
    assert (dense.shape, own.shape, words.shape) == ((1, 32), (1, 6), (1, len(head)))
    assert abs(float((dense**2).sum()) - 1) < 1e-3
