"""Training of RETRIEVE's models, from lessons to ONNX files that run: tiny ones, drawn at random.

Needs what training needs (`make test-train`).
"""

import hashlib
import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from reqap.models.base import ModelProblem
from reqap.retrieve.networks import Networks
from reqap.train import retrieve

np = pytest.importorskip("numpy")
onnxruntime = pytest.importorskip("onnxruntime")
pytest.importorskip("onnx")
torch = pytest.importorskip("torch")


@pytest.fixture(scope="module")
def lessons(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lessons")
    rows = [
        {"query": "i was running", "texts": [["workout; type: running", 2], ["mail", 0]],
         "patterns": [["workout", 1], ["mail", 0]]},
        {"query": "my mail", "texts": [["mail", 2], ["music stream", 0]],
         "patterns": [["mail", 2]]},
    ]  # fmt: skip
    for split in ("train", "dev", "columns", "columns-dev"):
        text = "".join(json.dumps({**row, "source": "x"}) + "\n" for row in rows * 4)
        (folder / f"{split}.jsonl").write_text(text, encoding="utf-8")
    return folder


def trained(monkeypatch: pytest.MonkeyPatch, command: str, **options: object) -> Path:
    given: list[str] = []
    for name, value in options.items():
        given += [f"--{name}"] if value is True else [f"--{name}", str(value)]
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
            patch, "cross", lessons=lessons, start=start, out=out, steps=60, batch=400, rate=3e-3,
            tell=True,
        )  # fmt: skip


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


def test_it_goes_on_from_a_file(teacher: Path, start: Path) -> None:
    from reqap.train.onnx_export import take_onnx
    from reqap.train.retrieve_models import Cross, load_start

    model = Cross(load_start(start)[1]).eval()
    take_onnx(model, teacher / "cross.onnx")
    ids = torch.tensor([[2, 9, 4, 3, 7, 3]])
    given = {"input_ids": ids, "attention_mask": ids // ids, "token_type_ids": (ids == 7).long()}
    session = onnxruntime.InferenceSession(teacher / "cross.onnx")
    (said,) = session.run(None, {name: value.numpy() for name, value in given.items()})
    assert np.abs(model(**given).detach().numpy() - said).max() < 0.05 * np.abs(said).max()


def test_it_goes_on_from_whole_weights_and_means_are_between(
    teacher: Path, start: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from reqap.train.means import mean_of, shares_of
    from reqap.train.onnx_export import take_weights
    from reqap.train.retrieve_models import Cross, load_start

    model = Cross(load_start(start)[1]).eval()
    take_weights(model, teacher / "cross.npz")
    weights = {name: value.clone() for name, value in model.state_dict().items()}
    again = mean_of([weights, {name: one * 3 for name, one in weights.items()}], shares_of(None, 2))
    assert torch.allclose(again["head.weight"], 2 * weights["head.weight"])
    out = tmp_path / "mean"
    given = ["retrieve", "mean", "--of", teacher, teacher, "--start", start, "--out", out]
    monkeypatch.setattr("sys.argv", list(map(str, given)))
    retrieve.main()
    ids = np.array([[2, 9, 4, 3, 7, 3]])
    fed = {"input_ids": ids, "attention_mask": ids // ids, "token_type_ids": (ids == 7) * 1}
    said = [onnxruntime.InferenceSession(folder / "cross.onnx").run(None, fed)[0]
            for folder in (teacher, out)]  # fmt: skip
    assert np.abs(said[0] - said[1]).max() < 0.05 * np.abs(said[0]).max()


def test_columns_can_be_learnt_alone(
    teacher: Path, start: Path, lessons: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = tmp_path / "lessons"
    alone.mkdir()
    for name in ("columns", "columns-dev"):
        shutil.copy(lessons / f"{name}.jsonl", alone)
    out = trained(
        monkeypatch, "cross", lessons=alone, start=start, onward=teacher / "cross.onnx",
        columns=True, half=True, out=tmp_path / "columns", steps=20, batch=400, rate=1e-3,
    )  # fmt: skip
    assert json.loads((out / "scores.json").read_text()) == {"columns": 1.0}
    assert not (out / "told.npy").exists()


def test_a_student_learns_from_it(
    teacher: Path, start: Path, lessons: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = trained(
        monkeypatch, "cross", lessons=lessons, start=start, layers=0, teacher=teacher,
        out=tmp_path / "small", steps=40, batch=400, rate=3e-3,
    )  # fmt: skip
    assert json.loads((out / "scores.json").read_text())["average precision"] == 1.0
    assert not (out / "told.npy").exists()


@pytest.fixture(scope="module")
def encoder(teacher: Path, start: Path, lessons: Path) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        return trained(
            patch, "encoder", lessons=lessons, start=start, teacher=teacher,
            out=teacher / "encoder", steps=40, queries=4, rate=3e-3,
        )  # fmt: skip


def test_an_encoder_learns_and_runs(encoder: Path) -> None:
    assert json.loads((encoder / "scores.json").read_text())["average precision"] == 1.0
    session = onnxruntime.InferenceSession(encoder / "encoder.onnx")
    ids = np.full((1, 6), 8)
    dense, own, words = session.run(None, {"input_ids": ids, "attention_mask": ids // 8})
    head = np.load(encoder / "judge.npz")["head"]
    assert (dense.shape, own.shape, words.shape) == ((1, 32), (1, 6), (1, len(head)))
    assert abs(float((dense**2).sum()) - 1) < 1e-3


@pytest.fixture
def models(teacher: Path, encoder: Path, start: Path, tmp_path: Path) -> Path:
    """All that is shipped, in one folder."""
    for file in (teacher / "cross.onnx", encoder / "encoder.onnx", encoder / "judge.npz",
                 start / "tokenizer.json"):  # fmt: skip
        shutil.copy(file, tmp_path)
    sums = {name: hashlib.sha256((tmp_path / name).read_bytes()).hexdigest()
            for name in ("cross.onnx", "encoder.onnx")}  # fmt: skip
    (tmp_path / "card.json").write_text(json.dumps({"sha256": sums}), encoding="utf-8")
    return tmp_path


def test_what_was_trained_searches(models: Path) -> None:
    networks = Networks(models)
    texts = networks.encode(["workout; type: running", "mail", "music stream"])
    asked = networks.asked("i was running")
    vectors = np.array([one.vector for one in texts], np.float32) / 127
    weights = [dict(zip(one.words.tolist(), one.weights / 40, strict=True)) for one in texts]
    sparse = [sum(w * one.get(word, 0) for word, w in asked.words.items()) for one in weights]
    share = [
        sum(w * min(1, one.get(word, 0)) for word, w in asked.words.items())
        / sum(asked.words.values())
        for one in weights
    ]
    chances = networks.judged(
        asked, vectors, np.array(sparse, np.float32), np.array(share, np.float32)
    )
    assert chances.argmax() == 0
    (read,) = networks.read("my mail", ["mail"])
    assert read.argmax() == 2
    assert networks.read("my mail", []).shape == (0, 3)
    assert float(read.sum()) == pytest.approx(1, abs=1e-5)


def test_a_judge_learns_alone(
    models: Path, lessons: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = np.load(models / "judge.npz")
    out = trained(
        monkeypatch, "judge", lessons=lessons, models=models, out=tmp_path / "judge", epochs=30,
        rate=1e-3,
    )  # fmt: skip
    after = np.load(out / "judge.npz")
    assert (after["words"] == before["words"]).all()  # the sparse scores rest on them
    assert (after["first.weight"] != before["first.weight"]).any()
    assert json.loads((out / "scores.json").read_text())["average precision"] == 1.0


def test_hostile_texts(models: Path) -> None:
    networks = Networks(models)
    for text in ("", "\0", "🎂" * 5_000, "running " * 5_000):
        (one,) = networks.encode([text])
        assert one.vector.shape == (32,)
        assert networks.read(text, [text, text]).shape == (2, 3)
        assert networks.asked(text).vector.shape == (32,)


def test_a_damaged_or_missing_model_is_told(models: Path) -> None:
    with (models / "encoder.onnx").open("ab") as file:
        file.write(b"x")
    with pytest.raises(ModelProblem, match=r"encoder\.onnx is damaged"):
        Networks(models)
    (models / "encoder.onnx").unlink()
    with pytest.raises(ModelProblem, match=r"encoder\.onnx is not there"):
        Networks(models)
    (models / "card.json").unlink()
    with pytest.raises(ModelProblem, match="holds no models"):
        Networks(models)
