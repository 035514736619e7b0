"""Texts by a language model: believed as far as they were told, kept, and replaced by the banks."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from reqap.models.endpoint import Endpoint
from reqap.perqa.canonical import Event
from reqap.perqa.persona import load_persona
from reqap.perqa.texts import observe
from reqap.perqa.verbalizer import Verbalizer, read_answer
from tests.models.server import Answer, said, serving

PERSONA = load_persona("train_persona_0")
MEETING = Event(
    1,
    "meetings",
    datetime(2021, 5, 4, 19),
    datetime(2021, 5, 4, 21),
    {"activity": "dinner", "participants": (PERSONA.people[0].name,), "cuisine": "Thai",
     "place": "Blue Elephant"},
)  # fmt: skip


def test_its_texts_are_told_with_what_they_mention(tmp_path: Path) -> None:
    asked: list[dict[str, Any]] = []

    def answer(request: dict[str, Any], _headers: dict[str, str]) -> Answer:
        asked.append(request)
        told = {"summary": "Thai!!", "subject": "food", "title": "ate", "text": "so much curry",
                "location": None, "description": None,
                "mentions": ["cuisine", "shoe_size"]}  # fmt: skip
        return said(f"Sure:\n```json\n{json.dumps(told)}\n```")

    with serving(answer) as url:
        kept = tmp_path / "kept.jsonl"
        first = observe(PERSONA, [MEETING] * 5, 1, Verbalizer(Endpoint(url, "m"), kept))
        once = len(asked)
        again = observe(PERSONA, [MEETING] * 5, 1, Verbalizer(Endpoint(url, "m"), kept))
    assert first == again
    assert once == len(asked) > 0
    words = {"Thai!!", "so much curry"}
    told = [one for one in first if words & set(map(str, one.data.values()))]
    assert {one.kind for one in told} >= {"calendar", "mail", "social_media"}
    for one in told:
        assert "cuisine" in one.tells[0].properties
        assert "shoe_size" not in one.tells[0].properties
    assert "Blue Elephant" in asked[0]["messages"][1]["content"]


def test_where_it_does_not_do_as_asked_the_banks_speak(tmp_path: Path) -> None:
    with serving(lambda *_: said("I'd rather not.")) as url:
        verbalizer = Verbalizer(Endpoint(url, "m"), tmp_path / "kept.jsonl")
        written = observe(PERSONA, [MEETING] * 3, 1, verbalizer)
    assert written
    assert not any("rather not" in str(one.data) for one in written)


@pytest.mark.parametrize(
    "answer",
    ["", "{", "[]", "{}", '{"text": "x"}', '{"text": 3, "mentions": []}',
     '{"text": " ", "mentions": []}', "{" * 50_000],
)  # fmt: skip
def test_what_is_no_answer(answer: str) -> None:
    assert read_answer(answer, "post", {"activity": "dinner"}) is None
