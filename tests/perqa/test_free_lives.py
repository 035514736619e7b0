"""Free lives: complete, consistent, and of the size that was asked for."""

from collections import defaultdict
from datetime import date, time

import pytest

from reqap.perqa.lives import KINDS, TYPES, FreeLife, load_lives, planned_questions
from reqap.plan import check, open_questions, parse
from reqap.qud.transcript import turns_of

ALL = {life.name: life for split in ("train", "dev") for life in load_lives(split)}


def test_there_are_enough() -> None:
    assert len(load_lives("train")) >= 20
    assert len(load_lives("dev")) >= 3
    assert sum(len(life.texts) for life in load_lives("train")) >= 3_000
    names = [life.profile["name"] for life in ALL.values()]
    assert len(set(names)) == len(names)


@pytest.fixture(params=ALL)
def life(request: pytest.FixtureRequest) -> FreeLife:
    return ALL[request.param]


def test_texts_are_complete(life: FreeLife) -> None:
    assert len({text.id for text in life.texts}) == len(life.texts) >= 85
    assert sum(not text.about for text in life.texts) >= 15
    for text in life.texts:
        needed, allowed = KINDS[text.kind]
        assert needed <= set(text.fields) <= needed | allowed, text


def test_happenings_are_told_consistently(life: FreeLife) -> None:
    told = defaultdict(set)
    for text in life.texts:
        for about in text.about:
            assert about["type"] in TYPES, text
            date.fromisoformat(about["start_date"])
            if "start_time" in about:
                time.fromisoformat(about["start_time"])
            assert life.profile["name"] not in about.get("participants", []), text
            told[about["event"]].add((about["type"], about["start_date"]))
    assert all(len(versions) == 1 for versions in told.values())


def test_queries_find_texts(life: FreeLife) -> None:
    known = {text.id for text in life.texts}
    assert len(life.queries) >= 25
    for query in life.queries:
        assert query.relevant, query
        assert set(query.relevant) <= known, query


def test_questions_are_many_and_different(life: FreeLife) -> None:
    # Some lives have texts and queries only.
    assert len(set(life.questions)) == len(life.questions)
    assert not life.questions or len(life.questions) >= 200


def test_planned_questions_are_whole_and_every_step_knows_its_question() -> None:
    planned = planned_questions("train")
    assert len(planned) > 1_000
    assert len({question for question, _ in planned}) == len(planned)
    for question, plan in planned:
        made = parse(plan)
        check(made)
        assert not open_questions(made), question
        turns_of(question, made)
