"""Questions translated to SQL: by models that are shown how, and by those that have learnt it."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from reqap.baselines import codegen
from reqap.baselines.codegen import InContext, Trained, ask, chosen, examples, unwrapped
from reqap.baselines.sandbox import Sandbox
from reqap.baselines.tables import Tables
from reqap.evaluate.stores import imported, opened
from reqap.models.base import Heard, Message, unheard
from tests.evaluate.tiny import RUNS, tiny_subject

SQL = "SELECT count(*) FROM workout WHERE workout_type = 'running'"


class Chat:
    """Answers in turn; remembers what it was asked."""

    def __init__(self, *answers: str) -> None:
        self._answers = list(answers)
        self.asked: list[str] = []

    def chat(
        self, messages: Sequence[Message], *, temperature: float = 0.0, max_tokens: int = 512,
        stop: Sequence[str] = (), seed: int | None = None,
    ) -> str:  # fmt: skip
        self.asked.append("\n".join(one["content"] for one in messages))
        return self._answers.pop(0)


class Text:
    """Continues every text with the same."""

    def __init__(self, answer: str) -> None:
        self._answer = answer
        self.asked = ""

    def complete(
        self, prompt: str, *, max_tokens: int, stop: Sequence[str] = (), temperature: float = 0.0,
        seed: int = 0, grammar: str = "", heard: Heard = unheard,
    ) -> str:  # fmt: skip
        self.asked = prompt
        return self._answer


@pytest.fixture(scope="module")
def life(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Sandbox]]:
    folder = tmp_path_factory.mktemp("life")
    subject = tiny_subject(folder)
    with opened(imported(subject, folder / "stores")) as store:
        schema = Tables(store, subject.today, folder / "tables.duckdb").schema
    with Sandbox(folder / "tables.duckdb") as sandbox:
        yield schema, sandbox


def test_a_model_is_shown_tables_and_examples(life: tuple[str, Sandbox]) -> None:
    model = Chat(f"```sql\n{SQL};\n```")
    found = ask(RUNS, *life, InContext(model))
    assert (found.rows, found.sql, found.problem) == ([[2]], SQL, "")
    assert "workout(id VARCHAR" in model.asked[0]
    assert model.asked[0].count("Q: ") == codegen.SHOWN + 1


def test_what_cannot_be_run_is_asked_for_again(life: tuple[str, Sandbox]) -> None:
    model = Chat("SELECT nothing FROM workout", SQL)
    assert ask(RUNS, *life, InContext(model)).rows == [[2]]
    assert "could not be run" in model.asked[1]
    model = Chat(*["DROP TABLE workout"] * 3)
    found = ask(RUNS, *life, InContext(model))
    assert (found.rows, found.problem) == (None, "only a single SELECT is run")


def test_a_model_that_has_learnt_it_sees_the_question_only(life: tuple[str, Sandbox]) -> None:
    model = Text(f" {SQL}")
    assert ask(RUNS, *life, Trained(model)).rows == [[2]]
    assert model.asked == f"Q: {RUNS}\nA:"


def test_rows_of_nothing_are_none(life: tuple[str, Sandbox]) -> None:
    assert ask("?", *life, Trained(Text("SELECT NULL, NULL"))).rows == []


def test_examples_are_varied_and_run(tmp_path: Path) -> None:
    assert len(examples()) == 40
    assert len({one.question for one in examples()}) == 40
    near = chosen("How many kilometres did I run in 2021?")
    assert len(near) == codegen.SHOWN
    assert all(one.sql.startswith(("SELECT", "WITH")) for one in near)


def test_what_models_put_around_sql() -> None:
    assert unwrapped("```sql\nSELECT 1;\n```") == "SELECT 1"
    assert unwrapped("A: SELECT 1") == "SELECT 1"
