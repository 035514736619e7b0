"""Whatever data says, a terminal shows it as text."""

import json
from pathlib import Path

import pytest

from reqap.cli import asking
from reqap.qud.scripted import Scripted
from tests.cli.test_commands import call
from tests.hostile_life import HOSTILE, harmless, hostile_life

ALL = "What is there?"
STEPS = {
    ALL: 'EXTRACT(QUD("everything"), ["name", "place"], [str, str])',
    "everything": 'RETRIEVE("alert script lunch exe")',
    HOSTILE: 'APPLY(QUD("everything"), len)',
}


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return hostile_life(tmp_path_factory.mktemp("hostile"))


@pytest.mark.parametrize("command", [
    ["sources"], ["events"], ["retrieve", "alert script lunch exe"],
    ["ask", ALL, "--events", "--trace"], ["ask", ALL, "--why", "1"], ["ask", ALL, "--why", "1.1"],
    ["ask", HOSTILE], ["chat", HOSTILE], ["run", 'RETRIEVE("alert script lunch exe")', "--events"],
    ["run", 'FILTER(RETRIEVE("alert"), lambda e: e["start_date"].year == 1999)', "--explain"],
])  # fmt: skip
def test_every_command_shows_text(
    db: Path, command: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "backend", lambda llm, model: lambda: Scripted(STEPS))
    text = call(*command, db=db, stdin="").output
    assert text
    harmless(text)


def test_every_event_is_shown_with_its_record_as_text(db: Path) -> None:
    events = json.loads(call("events", "--json", db=db).output)
    assert len(events) == 5
    for one in events:
        text = call("show", one["id"], db=db).output
        assert "alert(2)" in text
        harmless(text)
