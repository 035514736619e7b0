"""PerQA's files, our own and as others may release them."""

import csv
import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reqap.errors import ReqapError
from reqap.evaluate.released import released_subjects
from reqap.evaluate.stores import imported, opened
from reqap.evaluate.subjects import Question, Subject, perqa_subject
from reqap.perqa.canonical import WRITTEN, add_table, complete, database
from reqap.perqa.files import write_persona, write_questions
from reqap.perqa.persona import load_persona
from reqap.perqa.simulate import simulate
from reqap.perqa.templates import filled, templates_for
from reqap.perqa.texts import observe, written_events
from reqap.perqa.world import DATABASE

HEAD = ["id", "structured_event_id", "start_date", "start_time", "end_date", "end_time",
        "event_type", "event_data", "properties_mentioned"]  # fmt: skip
ASKED: dict[str, object] = {
    "question": "How often did I run?",
    "answers": [2],
    "reference_date": "2024-06-30",
}


def observations(folder: Path, header: list[str] = HEAD) -> None:
    row = {"id": "0", "start_date": "2024-01-02", "start_time": "10:00:00", "event_type": "workout",
           "end_date": "2024-01-02", "end_time": "11:00:00", "structured_event_id": "7",
           "event_data": '{"workout_type": "running"}', "properties_mentioned": "{}"}  # fmt: skip
    folder.mkdir(parents=True)
    with (folder / f"{folder.name}_obs.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerow([row.get(name, "something") for name in header])


def put(path: Path, told: Any) -> None:
    path.write_text(json.dumps(told), encoding="utf-8")


@pytest.fixture
def one(tmp_path: Path) -> Path:
    """The smallest release: a persona with observations and a question."""
    folder = tmp_path / "release" / "dev" / "dev_persona_0"
    observations(folder)
    put(folder / "questions.json", [ASKED])
    return folder


def read(folder: Path, split: str = "dev") -> list[Subject]:
    return list(released_subjects(folder, split))


# -- our own --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A short life of ours, written as `reqap perqa build` writes it."""
    folder = tmp_path_factory.mktemp("build") / "dev" / "dev_persona_1"
    folder.mkdir(parents=True)
    persona = load_persona(folder.name)
    events = [event for event in simulate(persona, 1) if event.table != "music"][:500]
    told = observe(persona, events, 1)
    connection = database(persona, events, folder / DATABASE)
    for table, written in written_events(persona, told).items():
        add_table(connection, table, WRITTEN[table], written)
    complete(connection)
    write_persona(persona, events, told, folder)
    templates = templates_for(folder.name)[:40]
    asked = [q for template in templates for q in filled(template, folder.name, connection)]
    write_questions(asked, persona.today, folder / "questions.json")
    connection.close()
    return folder


def events_of(subject: Subject, stores: Path) -> list[tuple[object, ...]]:
    with opened(imported(subject, stores)) as store:
        sql = "SELECT id, kind, start_at, end_at, data FROM events ORDER BY ALL"
        return store.connection.execute(sql).fetchall()


def without_sources(question: Question) -> Question:
    """How many sources tell of it, only the tables of our own build say."""
    types = tuple(name for name in question.types if name != "multi-source")
    return replace(question, types=types)


def test_what_we_build_goes_round(built: Path, tmp_path: Path) -> None:
    ours = perqa_subject(built)
    (theirs,) = read(built.parent.parent)
    assert theirs.questions == tuple(map(without_sources, ours.questions))
    assert len(theirs.questions) > 3
    assert replace(theirs, questions=()) == replace(ours, questions=())
    assert events_of(theirs, tmp_path / "theirs") == events_of(ours, tmp_path / "ours")


# -- those of others ------------------------------------------------------------------------------


def test_the_smallest_release(one: Path, tmp_path: Path) -> None:
    (subject,) = read(one.parent.parent)
    assert subject == Subject(
        "dev_persona_0", (one / "dev_persona_0_obs.csv",), "{}", datetime(2024, 6, 30, 23, 59, 59),
        (Question("How often did I run?", "1", (), (2,)),),
    )  # fmt: skip
    assert [event[1] for event in events_of(subject, tmp_path / "stores")] == ["workout"]


def test_columns_may_be_more_and_in_another_order(tmp_path: Path) -> None:
    folder = tmp_path / "dev_persona_0"
    observations(folder, ["extra", *reversed(HEAD), "notes"])
    put(folder / "questions.json", [{**ASKED, "difficulty": 3, "sql_query": "SELECT 1"}])
    (subject,) = read(tmp_path)
    assert [event[1] for event in events_of(subject, tmp_path / "stores")] == ["workout"]


def many(root: Path) -> None:
    for name in ("alice", "bob", "carol"):
        observations(root / name)
    put(root / "splits.json", {"train": ["alice"], "dev": ["bob", "carol"]})


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("questions.json", lambda q: [{**q, "persona": "bob"}, {**q, "persona": "carol"}]),
        ("dev.json", lambda q: {"questions": [{**q, "persona_id": n} for n in ("carol", "bob")]}),
        ("dev_questions.json", lambda q: {"bob": [q], "carol": [q], "alice": []}),
    ],
)
def test_splits_and_questions_in_one_file(
    name: str, form: Callable[[dict[str, object]], object], tmp_path: Path
) -> None:
    many(tmp_path)
    put(tmp_path / name, form(ASKED))
    found = read(tmp_path)
    assert [(subject.name, len(subject.questions)) for subject in found] == [
        ("bob", 1),
        ("carol", 1),
    ]
    put(tmp_path / "splits.json", {"alice": "train", "bob": "dev", "carol": "test"})
    assert [subject.name for subject in read(tmp_path)] == ["bob"]
    assert [subject.name for subject in released_subjects(tmp_path, "dev", ["bob"])] == ["bob"]


def test_questions_of_several_days(one: Path) -> None:
    later = {**ASKED, "question": "And now?", "reference_date": "2024-12-31T00:00:00"}
    put(one / "questions.json", [ASKED, later])
    found = read(one.parent.parent)
    assert [(s.name, s.today.date().isoformat(), len(s.questions)) for s in found] == [
        ("dev_persona_0_2024-06-30", "2024-06-30", 1),
        ("dev_persona_0_2024-12-31", "2024-12-31", 1),
    ]


def test_a_persona_in_another_form_is_understood_as_far_as_possible(one: Path) -> None:
    put(one / "dev_persona_0.json", {"name": "Eva Blau", "birth_date": "1990-02-03", "aura": "red"})
    told = json.loads(read(one.parent.parent)[0].profile)
    assert (told["name"], told["birth_date"]) == ("Eva Blau", "1990-02-03")


@pytest.mark.parametrize(
    ("questions", "told"),
    [
        ([ASKED, 7], "questions.json, question 2: an object was expected"),
        ([{"answers": [1]}], 'question 1: "question" is missing'),
        ([{**ASKED, "answers": {"a": 1}}], 'question 1: "answers": values'),
        ([{"question": "Who?", "reference_date": "2024-01-01"}], '"answers" is missing'),
        ([{**ASKED, "reference_date": "soon"}], 'question 1: "reference_date": '),
        ([{**ASKED, "reference_date": None}], '"reference_date" is missing'),
        ("nothing", "questions.json: a list of questions was expected"),
    ],
)
def test_a_broken_question_is_told_with_its_place(one: Path, questions: Any, told: str) -> None:
    put(one / "questions.json", questions)
    with pytest.raises(ReqapError) as error:
        read(one.parent.parent)
    assert told in str(error.value)


def test_other_things_that_are_wrong(one: Path, tmp_path: Path) -> None:
    root = one.parent.parent
    with pytest.raises(ReqapError, match="holds no persona of train"):
        read(root, "train")
    with pytest.raises(ReqapError, match="no persona nobody of dev"):
        list(released_subjects(root, "dev", ["nobody"]))
    (one / "questions.json").write_text("[{")
    with pytest.raises(ReqapError, match=r"questions\.json: not valid JSON"):
        read(root)
    (one / "questions.json").unlink()
    with pytest.raises(ReqapError, match="no questions for dev_persona_0"):
        read(root)
    folder = tmp_path / "other" / "dev_persona_0"
    observations(folder, HEAD[:-1])
    with pytest.raises(ReqapError, match="the column properties_mentioned is missing"):
        read(folder.parent)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*ASKED, "persona", "plan", "questions", "name", "pets",
                                           "partner", "dev_persona_0"]), inner, max_size=5)
    ),
    max_leaves=12,
)  # fmt: skip


@given(_JSON, _JSON, _JSON)
def test_whatever_they_hold_is_read_or_told(
    tmp_path_factory: pytest.TempPathFactory, questions: Any, persona: Any, splits: Any
) -> None:
    root = tmp_path_factory.mktemp("release")
    folder = root / "dev_persona_0"
    observations(folder)
    for path, told in ((folder / "questions.json", questions), (root / "splits.json", splits),
                       (folder / "dev_persona_0.json", persona)):  # fmt: skip
        put(path, told)
    with suppress(ReqapError):
        for subject in read(root):
            assert subject.questions
