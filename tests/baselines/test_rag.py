"""Events found for a whole question, and what is made of what a model says of them."""

from collections.abc import Iterator
from datetime import datetime

import pytest

from reqap.baselines.rag import CHARACTERS, Instructed, Searcher, Trained, ask, parsed, put, said
from reqap.evaluate.stores import imported, opened
from reqap.evaluate.subjects import Subject
from reqap.retrieve.shipped import networks
from tests.baselines.test_codegen import Chat, Text
from tests.evaluate.tiny import RUNS, tiny_subject


@pytest.fixture(scope="module")
def life(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Subject, Searcher]]:
    folder = tmp_path_factory.mktemp("life")
    subject = tiny_subject(folder)
    with opened(imported(subject, folder / "stores", networks())) as store:
        yield subject, Searcher(store, networks())


def test_events_are_found_for_the_question(life: tuple[Subject, Searcher]) -> None:
    subject, searcher = life
    found = searcher.find("When did I have lunch with Ana?", subject.today, 1)
    assert "Lunch with Ana" in found[0]
    assert found[0].startswith("2023-05-06 12:00")
    assert searcher.find("lunch with Ana", datetime(2022, 1, 1), 5) == []


def test_a_model_answers_from_them(life: tuple[Subject, Searcher]) -> None:
    subject, searcher = life
    model = Chat("Here you are: [2]")
    found = ask(RUNS, subject.today, searcher, Instructed(model), 3)
    assert found.answers == [2]
    assert len(found.events) <= 3
    assert "2023-12-31" in model.asked[0]
    learnt = Text(' ["2023-05-06"]')
    assert ask(RUNS, subject.today, searcher, Trained(learnt), 2).answers == ["2023-05-06"]
    assert learnt.asked.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        ('["Lima"]', ["Lima"]),
        ('Sure:\n```json\n[["a", 1], {"b": 2}]\n```', [["a", 1], [2]]),
        ("[]", []),
        ("Lima\nbecause", ["Lima"]),
        ("[not json", ["[not json"]),
        ("[" * 5000, ["[" * 5000]),
        ("", []),
    ],
)
def test_whatever_a_model_says_is_a_list(text: str, answers: list[object]) -> None:
    assert parsed(text) == answers


def test_events_are_short_and_on_one_line() -> None:
    at = datetime(2023, 1, 1, 9)
    told = said(at, at, "mail", {"text": "line\nline " * 500})
    assert len(told) == CHARACTERS
    assert "\n" not in put("a\nb", [told], at)
