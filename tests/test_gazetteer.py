"""What dishes imply."""

import time

import pytest

from reqap.gazetteer import hints


def _implied(text: str) -> list[tuple[str, tuple[str, ...]]]:
    return [(text[one.begin : one.end], one.values) for one in hints(text)]


def test_dishes_are_found_in_a_text() -> None:
    text = "half of my tacos al pastor, then CURANTO, and phở twice"
    assert _implied(text) == [
        ("tacos al pastor", ("Mexican",)), ("CURANTO", ("Chilean",)), ("phở", ("Vietnamese",)),
    ]  # fmt: skip


def test_what_several_cuisines_claim_is_told_for_all() -> None:
    ((_, values),) = _implied("baklava for everyone")
    assert {"Greek", "Turkish", "Syrian"} <= set(values)


@pytest.mark.parametrize(
    "text", ["", "dinner with Nacho", "Cata + Nacho", "the entrance fee of Accra", "\0 \ud800", "⛷"]
)
def test_names_and_other_words_imply_nothing(text: str) -> None:
    assert _implied(text) == []


def test_long_texts_are_read_in_part() -> None:
    began = time.perf_counter()
    assert len(hints("ramen " * 1_000_000)) == 2_000
    assert time.perf_counter() - began < 1
