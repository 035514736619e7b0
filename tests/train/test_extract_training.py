"""Training of EXTRACT's model, from lessons to an ONNX file that runs: a tiny one.

Needs what training needs (`make test-train`).
"""

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from reqap.extract.reader import BACK, pieces_of, put
from reqap.train import extract
from reqap.train.extract_lesson import Lesson, words_at
from reqap.train.extract_pack import marks as marks_of
from reqap.train.extract_pack import read_packed

np = pytest.importorskip("numpy")
onnxruntime = pytest.importorskip("onnxruntime")
tokenizers = pytest.importorskip("tokenizers")
pytest.importorskip("onnx")
pytest.importorskip("torch")
pytest.importorskip("transformers")


def lesson(key: str, text: str, said: str = "", implied: str = "", side: str = "") -> Lesson:
    return Lesson(key, "", text, words_at(text, said), implied, side)


PARK = "mail; text: running with tom in the park"
LESSONS = (
    lesson("with", PARK, "tom"),
    lesson("place", PARK, "the park"),
    lesson("cuisine", PARK),
    lesson("cuisine", "mail; text: had pizza at home", implied="italian"),
    lesson("cuisine", "mail; text: had pizza with mum", implied="italian"),
    lesson("cuisine", "mail; text: had pizza with tom", implied="italian"),
    lesson("with", "mail; text: had pizza at home"),
    lesson("with", "mail; text: had pizza with mum", "mum", side=BACK),
    lesson("with", "mail; text: had pizza with tom", "tom", side=BACK),
    lesson("with", "mail; text: had pizza with mum at home", "mum", side=BACK),
)


@pytest.fixture
def train(start: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Trains a reader on the lessons, and gives the folder that it is written to."""
    for split in ("train", "dev"):
        lines = [json.dumps(vars(one)) + "\n" for one in LESSONS * 4]
        (tmp_path / f"{split}.jsonl").write_text("".join(lines), encoding="utf-8")

    def run(name: str, steps: int, *more: object) -> Path:
        given = ["train", "--lessons", tmp_path, "--start", start, "--out", tmp_path / name,
                 "--steps", steps, "--batch", 600, "--rate", 3e-3, *more]  # fmt: skip
        monkeypatch.setattr(sys, "argv", ["extract", *map(str, given)])
        extract.main()
        return tmp_path / name

    return run


def right(folder: Path) -> dict[str, float]:
    found: dict[str, float] = json.loads((folder / "scores.json").read_text())
    return found


def test_a_reader_learns_and_runs(train: Callable[..., Path]) -> None:
    out = train("reader", 600)
    assert right(out) == {"said": 1.0, "implied": 1.0, "nothing": 1.0}
    assert json.loads((out / "values.json").read_text()) == ["@back", "italian"]
    session = onnxruntime.InferenceSession(out / "reader.onnx")
    ids = np.full((1, 9), 7)
    fed = {"input_ids": ids, "attention_mask": ids // 7, "token_type_ids": ids * 0}
    assert [one.shape for one in session.run(None, fed)] == [(1, 3), (1, 9, 3), (1, 2)]


def test_lessons_can_be_packed(
    start: Path, train: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = tmp_path / "packed"
    given = ["pack", "--lessons", tmp_path, "--start", start, "--out", packed]
    monkeypatch.setattr(sys, "argv", ["extract", *map(str, given)])
    extract.main()
    tokenizer = tokenizers.Tokenizer.from_file(str(start / "tokenizer.json"))
    there, here = (read_packed(folder, tokenizer) for folder in (packed, tmp_path))
    assert there.values == here.values
    assert all(np.array_equal(one, other) for one, other in zip(there.laid, here.laid, strict=True))
    assert there.sorts.tolist() == here.sorts.tolist()
    assert there.meant.tolist() == here.meant.tolist()
    assert right(train("reader", 600, "--lessons", packed))["said"] == 1.0


def test_a_pupil_goes_on_and_listens_to_a_teacher(start: Path, train: Callable[..., Path]) -> None:
    teacher = train("teacher", 600, "--pupil", start)
    assert right(teacher)["said"] == 1.0
    assert not (teacher / "reader.onnx").exists()
    reader = train("reader", 600)
    pupil = train("pupil", 60, "--onward", reader, "--teacher", teacher, start)
    assert right(pupil) == {"said": 1.0, "implied": 1.0, "nothing": 1.0}


def test_what_nobody_has_said_is_learnt_from_a_teacher(
    start: Path, train: Callable[..., Path], tmp_path: Path
) -> None:
    teacher = train("teacher", 600, "--pupil", start)
    silent = [replace(one, spans=(), is_unknown=True) if one.key == "place" else one
              for one in LESSONS]  # fmt: skip
    lines = [json.dumps(vars(one)) + "\n" for one in silent * 4]
    (tmp_path / "train.jsonl").write_text("".join(lines), encoding="utf-8")
    assert right(train("alone", 400))["said"] < 1.0
    assert right(train("pupil", 400, "--teacher", teacher, start))["said"] == 1.0


def test_a_mean_lies_between_what_was_known_and_what_is_learnt(
    start: Path, train: Callable[..., Path], tmp_path: Path
) -> None:
    reader = train("reader", 600)
    onward = train("onward", 20, "--onward", reader, "--half", "--no-drop", "--some", 5)
    between, mostly = tmp_path / "between", tmp_path / "mostly"
    extract.write_mean([reader, onward], None, start, between)
    extract.write_mean([reader, onward], [9, 1], start, mostly)
    ids = np.full((1, 9), 7)
    fed = {"input_ids": ids, "attention_mask": ids // 7, "token_type_ids": ids * 0}
    said = [onnxruntime.InferenceSession(folder / "reader.onnx").run(None, fed)[0]
            for folder in (reader, mostly, between, onward)]  # fmt: skip
    off = [float(np.abs(one - said[0]).max()) for one in said]
    assert 0 < off[1] < off[2] < off[3]
    assert float(np.abs(said[2] - said[3]).max()) < off[3]
    with pytest.raises(SystemExit, match="2 numbers"):
        extract.write_mean([reader, onward], [1], start, mostly)


def test_marks_and_pieces_are_each_others_inverse(start: Path) -> None:
    tokenizer = tokenizers.Tokenizer.from_file(str(start / "tokenizer.json"))
    for one in LESSONS:
        found = tokenizer.encode(put(one.key, one.about), one.text)
        said = {one.text[slice(*span)] for span in one.spans}
        marks = marks_of(one.spans, found)
        told = pieces_of(marks, found.offsets, found.type_ids, one.text)
        assert {one.text[piece.begin : piece.end] for piece in told} == said
