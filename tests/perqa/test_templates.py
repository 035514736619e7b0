"""Templates: filled safely, dropped where there is nothing to answer."""

import json
import re
from importlib import resources

import duckdb
import pytest

from reqap.errors import ReqapError
from reqap.perqa.slots import SlotValue, literal_of
from reqap.perqa.templates import (
    answers_of,
    fill,
    load_templates,
    read_template,
    replaced,
    values,
)

TEMPLATE = read_template(
    {
        "id": "songs-1",
        "wordings": ["How often did I hear {artist}?"],
        "sql": ["SELECT count(*) FROM music", "WHERE list_contains(artists, {artist!v})"],
        "plan": 'APPLY(l=QUD("songs by {artist}", RETRIEVE(query="songs by {artist}")), fct=len)',
        "retrieve": {"songs by {artist}": "SELECT id FROM music WHERE artists[1] = {artist!v}"},
    }
)


@pytest.fixture
def connection() -> duckdb.DuckDBPyConnection:
    made = duckdb.connect()
    made.execute("CREATE TABLE music (id INT, artists VARCHAR[], song_name VARCHAR)")
    made.execute("INSERT INTO music VALUES (1, ['O''Neil \"X\"'], 'a'), (2, ['B'], 'b')")
    return made


def test_values_are_written_as_each_language_has_them(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    value = SlotValue('O\'Neil "X"', 'O\'Neil "X"')
    question = fill(TEMPLATE, "p", {"artist": value}, connection)
    assert question is not None
    assert question.answers == ((1,),)
    assert question.wordings == ('How often did I hear O\'Neil "X"?',)
    assert question.plan.count('songs by O\'Neil \\"X\\"') == 2
    assert list(question.retrieve) == ['songs by O\'Neil "X"']


def test_counts_of_zero_are_no_questions(connection: duckdb.DuckDBPyConnection) -> None:
    assert fill(TEMPLATE, "p", {"artist": SlotValue("nobody", "nobody")}, connection) is None
    assert answers_of(connection, "SELECT 0") == ()
    assert answers_of(connection, "SELECT NULL") == ()
    assert answers_of(connection, "SELECT false") == ((False,),)
    assert answers_of(connection, "SELECT song_name FROM music ORDER BY 1") == (("a",), ("b",))


def test_literals() -> None:
    assert literal_of("a'b", "sql") == "'a''b'"
    assert literal_of('a"b\\', "plan") == '"a\\"b\\\\"'
    assert literal_of(3, "sql") == literal_of(3, "plan") == "3"
    assert replaced("{year} {year2!v}", {"year": SlotValue(1, "one"), "year2": SlotValue(2, "two")},
                    "text") == "one 2"  # fmt: skip


def test_unknown_slots_and_keys_are_named(connection: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(ReqapError, match="banana"):
        list(values(connection, "banana2"))
    with pytest.raises(ReqapError, match="colour"):
        read_template({"id": "x", "colour": 1})


def test_slots_in_order() -> None:
    assert TEMPLATE.slots() == ("artist",)


def test_articles_follow_what_is_filled_in() -> None:
    chosen = {"doctor": SlotValue("o", "orthopaedist")}
    assert replaced("a {doctor}, A {doctor}", chosen, "text") == "an orthopaedist, An orthopaedist"
    assert replaced('"a {doctor}" + {doctor!v}', chosen, "plan") == '"an orthopaedist" + "o"'
    assert replaced("a {doctor}", {"doctor": SlotValue("d", "dentist")}, "text") == "a dentist"


def test_reworded_questions_ask_for_the_same_values() -> None:
    file = resources.files("reqap.perqa") / "reworded" / "dev.json"
    reworded = json.loads(file.read_text(encoding="utf-8"))
    templates = {template.id: template for template in load_templates("dev")}
    assert len(reworded) >= 150
    assert len({it["template"] for it in reworded}) == len(reworded)
    for it in reworded:
        wordings = templates[it["template"]].wordings
        asked = sorted(re.findall(r"\{\w+\}", it["wording"]))
        assert asked in [sorted(re.findall(r"\{\w+\}", wording)) for wording in wordings], it
        assert it["wording"] not in wordings
