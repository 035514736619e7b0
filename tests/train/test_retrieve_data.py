"""Queries with labelled texts, to learn RETRIEVE from."""

import json
import random
from pathlib import Path

import pytest

from reqap.evaluate.finding import plain
from reqap.perqa.lives import FreeLife, load_lives
from reqap.train.retrieve_data import in_other_words, measured_queries, paraphrases
from reqap.train.retrieve_lesson import Amount
from reqap.train.retrieve_written import (
    asked,
    nothing,
    of_life,
    retold,
    tellings,
    with_owner,
)
from reqap.verbalize import IRRELEVANT, RELEVANT


def test_near_misses_are_many_and_whole() -> None:
    found = list(tellings(random.Random(1)))
    assert len(found) > 1_500
    for lesson in found:
        labels = dict(lesson.texts)
        assert IRRELEVANT in labels.values(), lesson.query
        assert all(labels), lesson.query


def test_the_owner_of_records_is_me() -> None:
    def mail(sender: str, recipient: str) -> dict[str, str]:
        return {"kind": "mail", "sender": sender, "recipient": recipient, "text": "hello"}

    ours = [mail("Kim Ode <kim@ode.example>", "Bo"), mail("Ana", "Kim Ode")]
    found = with_owner({"people": {}, "yes": ours, "no": [mail("Kim Ode", "Cy")]})
    assert [it["sender"] for it in found["yes"]] == ["me", "Ana"]
    assert found["no"][0]["sender"] == "me"
    theirs = {"people": {"my boss": ["Kim Ode"]}, "yes": ours, "no": []}
    assert with_owner(theirs) == theirs  # is asked for
    two = {"people": {}, "yes": [mail("Ana", "Bo"), mail("Bo", "Ana")], "no": []}
    assert with_owner(two) == two


def test_what_the_owner_says_is_told_in_another_kind() -> None:
    head = {"kind": "mail", "subject": "hi", "sender": "me", "recipient": "Bo Li <b@li.example>"}
    chance = random.Random(1)
    note = {"kind": "note", "title": "log", "text": "ran"}
    kinds = {retold(note, [head], chance)["kind"] for _ in range(60)}
    assert kinds == {"mail", "chat", "social_media"}
    said = {"kind": "chat", "sender": "Bo", "recipient": "me", "text": "ran"}
    assert retold(said, [head], chance) == said  # somebody else's words
    entry = {"kind": "calendar", "summary": "run"}
    assert retold(entry, [head], chance) == entry


def test_people_are_named_behind_the_query() -> None:
    named = [one.query for one in tellings(random.Random(1)) if one.query.endswith(")")]
    assert len(named) > 50


@pytest.mark.parametrize("life", load_lives("train")[:3], ids=lambda life: life.name)
def test_queries_of_a_free_life(life: FreeLife) -> None:
    for lesson in of_life(life, Amount(), random.Random(1)):
        assert len(lesson.texts) == len(dict(lesson.texts)), lesson.query
        assert {label for _, label in lesson.texts} == {IRRELEVANT, RELEVANT}


def test_queries_in_other_words_keep_what_fills_their_gaps() -> None:
    found = in_other_words("I saw Walter Gaines", paraphrases())
    assert found
    assert all("Walter Gaines" in wording for wording in found)
    assert in_other_words("my first day at Kade Noord", paraphrases()) == []  # school, or company
    assert in_other_words("nobody ever asked this of anyone", paraphrases()) == []


def test_texts_come_with_queries_that_match_and_queries_that_do_not() -> None:
    units: dict[str, set[int]] = {}
    for lesson in asked():
        ((_, label),) = lesson.texts
        units.setdefault(lesson.unit, set()).add(label)
    assert len(units) > 4_000
    assert sum(labels == {IRRELEVANT, RELEVANT} for labels in units.values()) > 0.95 * len(units)


def test_some_queries_match_nothing() -> None:
    found = list(nothing(random.Random(1)))
    assert len(found) > 300
    assert {label for one in found for _, label in one.texts} == {IRRELEVANT}


def test_queries_on_which_is_measured_are_known_whatever_their_typing(tmp_path: Path) -> None:
    for split in ("dev", "test"):
        persona = tmp_path / split / "somebody"
        persona.mkdir(parents=True)
        questions = [{"retrieve": {"I went Rowing!": "SELECT 1"}}]
        (persona / "questions.json").write_text(json.dumps(questions), encoding="utf-8")
    found = measured_queries(tmp_path, None)
    assert plain("i went rowing (Ana, my sister)") in found
    assert any(plain(query.text) in found for query in load_lives("dev")[0].queries)
    assert plain("nobody ever asked this of anyone") not in found
