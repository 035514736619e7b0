"""`reqap chat`, with a scripted backend and lines that are piped."""

from pathlib import Path

import pytest

from reqap.cli import asking
from reqap.qud.scripted import Scripted
from tests.cli.test_commands import call

TODAY = ("--today", "2026-01-01")
FIRST = "How many songs did I hear in 2023?"
STEPS = {
    "How many songs did I hear in 2023?": 'APPLY(QUD("songs in 2023"), len)',
    "songs in 2023":
        'FILTER(QUD("songs I heard"), lambda attr: attr["start_date"].year == 2023)',
    "How many songs did I hear in 2024?": 'APPLY(QUD("songs in 2024"), len)',
    "songs in 2024":
        'FILTER(QUD("songs I heard"), lambda attr: attr["start_date"].year == 2024)',
    "songs I heard": 'RETRIEVE("I listened to music")',
}  # fmt: skip


@pytest.fixture(autouse=True)
def scripted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "backend", lambda llm, model: lambda: Scripted(STEPS))


def test_a_short_line_is_shown_in_full_and_answered(demo_db: Path) -> None:
    lines = f"{FIRST}\n\nand in 2024?\nquit\nand in 2023?\n"
    text = call("chat", *TODAY, db=demo_db, stdin=lines).stdout
    assert text.count("in all, from") == 2
    assert sum(line.startswith("→") for line in text.splitlines()) == 1
    assert "→ How many songs did I hear in 2024?" in text


def test_the_first_question_may_come_with_the_command(demo_db: Path) -> None:
    text = call("chat", FIRST, *TODAY, "--trace", db=demo_db, stdin="and in 2024?\n").stdout
    assert "→ How many songs did I hear in 2024?" in text
    assert text.count("RETRIEVE") == 2


def test_what_was_not_understood_is_not_followed_up_on(demo_db: Path) -> None:
    lines = f"and in 2024?\n{FIRST}\nhello there my friend\nand in 2024?\n"
    text = call("chat", *TODAY, db=demo_db, stdin=lines).stdout
    assert text.count("I could not understand") == 2
    assert sum(line.startswith("→") for line in text.splitlines()) == 1
    assert "→ How many songs did I hear in 2024?" in text


def test_what_hangs_on_the_last_answer_is_turned_away(demo_db: Path) -> None:
    lines = f"{FIRST}\nand before that?\nand in 2024?\n"
    text = call("chat", *TODAY, db=demo_db, stdin=lines).stdout
    assert "That hangs on the last answer" in text
    assert "→ How many songs did I hear in 2024?" in text
