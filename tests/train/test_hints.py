"""Lessons of world knowledge, for EXTRACT and for RETRIEVE."""

import random

from reqap.train.hints import attributes, extract_lessons, known, retrieve_lessons, written_dishes
from reqap.verbalize import IRRELEVANT, RELEVANT


def test_hints_imply_their_value_and_do_not_say_it() -> None:
    for one in known():
        assert one.attribute in attributes()
        assert not [hint for hint in one.hints if one.value.casefold() in hint.casefold()]


def test_a_dish_stands_once_in_a_text_that_names_who_was_there() -> None:
    for it in written_dishes():
        text = "\n".join(it["fields"].values())
        assert text.count("{dish}") == 1
        assert all(name in text for name in (*it["people"], it["place"], it["city"]) if name)


def test_extract_learns_the_value_and_where_other_things_stand() -> None:
    found = list(extract_lessons(random.Random(1)))
    implied = {one.implied for one in found}
    assert {"Italian", "Thai", "tennis", "dentist", "wedding"} <= implied
    assert all("{dish}" not in one.text for one in found)
    people = {name.casefold() for it in written_dishes() for name in it["people"]}
    named = [one for one in found if one.spans and one.key == "participants"]
    assert {one.text[begin:end].casefold() for one in named for begin, end in one.spans} <= people
    assert any(not one.spans and not one.implied for one in found)


def test_retrieve_finds_what_implies_a_value_and_not_what_implies_another() -> None:
    found = {one.query: one for one in retrieve_lessons(random.Random(1))}
    tennis = next(one for query, one in found.items() if "tennis" in query and "table" not in query)
    by_label = {label: [text for text, given in tennis.texts if given == label]
                for label in (RELEVANT, IRRELEVANT)}  # fmt: skip
    hints = next(one.hints for one in known() if (one.attribute, one.value) == ("sport", "tennis"))
    assert all(any(hint in text for hint in hints) for text in by_label[RELEVANT])
    assert not any(hint in text for text in by_label[IRRELEVANT] for hint in hints)
    assert len(by_label[IRRELEVANT]) >= len(by_label[RELEVANT])
