"""What is learnt from: questions as people type them, steps as they are."""

import json
import random
import re
from importlib import resources
from pathlib import Path

import pytest

from reqap.perqa.slots import DOMAINS, SlotValue
from reqap.plan import parse
from reqap.train import qud_data
from reqap.train.gguf_export import gguf_name
from reqap.train.qud_data import lessons, write_lessons, write_words
from reqap.train.typing import typed


def test_typed_in_a_hurry_but_with_the_same_values() -> None:
    chance = random.Random(3)
    wording = "How often did I hear {artist} in {year} while running?"
    seen = {typed(wording, chance) for _ in range(200)}
    assert len(seen) > 30
    for told in seen:
        assert re.findall(r"\{\w+\}", told) == ["{artist}", "{year}"]
    assert any(told.islower() for told in seen)
    assert any(not told.endswith("?") for told in seen)


def test_names_and_numbers_are_typed_as_they_are() -> None:
    chance = random.Random(3)
    question = "How often did I meet Élodie Brandt for sushi at Casa da Música before 2021?"
    for _ in range(200):
        told = typed(question, chance, frozenset({"often", "meet", "before"}))
        assert "Élodie Brandt" in told
        assert "Música" in told
        assert "2021" in told
        assert "sushi" in told


def test_lessons_of_dev_are_as_they_are(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    values = {name: [SlotValue(7, "seven"), SlotValue(8, "eight"), SlotValue(9, "nine")]
              for name in DOMAINS}  # fmt: skip
    monkeypatch.setattr(qud_data, "_pool", lambda name, *_: values[name])
    found = list(lessons("dev", tmp_path, 1))
    assert len(found) > 300
    for lesson in found:
        for turn in lesson.turns:
            parse(turn.step)
    assert write_lessons(iter(found[:5]), tmp_path / "dev.jsonl") == 5
    assert len((tmp_path / "dev.jsonl").read_text().splitlines()) == 5
    write_words(tmp_path / "dev.jsonl", tmp_path / "words.txt", 1)
    assert "calendar" in (tmp_path / "words.txt").read_text().split()


def test_weights_have_llamas_names() -> None:
    assert gguf_name("model.embed_tokens.weight") == "token_embd.weight"
    assert gguf_name("model.layers.3.self_attn.q_proj.weight") == "blk.3.attn_q.weight"
    assert gguf_name("model.layers.11.mlp.down_proj.weight") == "blk.11.ffn_down.weight"


def test_what_is_kept_back_is_not_taught() -> None:
    def asked(package: str, name: str) -> set[str]:
        lines = (resources.files(package) / name).read_text(encoding="utf-8").splitlines()
        pairs = [json.loads(line) for line in lines]
        return {" ".join(q.lower().split()) for it in pairs
                for q in (it["question"], *it.get("also", ()))}  # fmt: skip

    kept = asked("reqap.evaluate", "held_out.jsonl")
    assert len(kept) == 717
    assert not kept & asked("reqap.train", "pairs.jsonl")
