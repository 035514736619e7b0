"""Words: what counts as the same word, and patterns that find it."""

import json
from collections.abc import Iterator

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reqap.retrieve.words import (
    fold,
    folded_sql,
    forms,
    meanings,
    says_nothing,
    sieve,
    stem,
    whole_words,
)


@pytest.fixture(scope="module")
def db() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        yield connection


@pytest.mark.parametrize(
    "words",
    [
        "run runs running ran",
        "buy buys buying bought",
        "hike hikes hiked hiking",
        "movie movies",
        "class classes",
        "party parties",
        "study studies studied studying",
        "travel travels traveled travelled travelling",
        "call calls called calling",
        "shop shops shopped shopping",
        "watch watches watched watching",
        "child children",
    ],
)
def test_forms_of_a_word_are_the_same_word(words: str) -> None:
    assert len({stem(word) for word in words.split()}) == 1
    for word in words.split():
        assert forms(stem(word)) >= set(words.split())


@pytest.mark.parametrize(
    ("one", "other"),
    [("train", "training"), ("wed", "wedding"), ("so", "sing"), ("bus", "bu"), ("need", "ne")],
)
def test_words_that_look_alike_are_not_the_same(one: str, other: str) -> None:
    assert other not in meanings(one)
    assert one not in meanings(other)


def test_synonyms_go_both_ways_and_general_words_only_down() -> None:
    assert "soccer" in meanings("football")
    assert "football" in meanings("soccer")
    assert "jogging" in meanings("ran")
    assert "dentists" in meanings("doctor")
    assert "doctor" not in meanings("dentist")


@given(st.from_regex(r"[a-zéß]{1,15}", fullmatch=True))
def test_every_word_means_itself(word: str) -> None:
    assert word in meanings(word)


@pytest.mark.parametrize("word", ["the", "i", "did", "days", "mondays", "2022", "tomorrow"])
def test_some_words_say_nothing(word: str) -> None:
    assert says_nothing(word)


def test_sql_folds_letters_as_python_does(db: duckdb.DuckDBPyConnection) -> None:
    alphabets = [*range(0xC0, 0x180), *range(0x391, 0x3CF), *range(0x400, 0x460), 0xAC00, 0x4E00]
    # Two letters in one: nobody types these.
    letters = [chr(code) for code in alphabets if chr(code) not in "ĲĳŉĿŀſ" and chr(code).isalpha()]
    rows = db.execute(f"SELECT x, {folded_sql('x')} FROM unnest(?) t(x)", [letters]).fetchall()
    assert len(rows) > 250
    assert [(letter, told.split()) for letter, told in rows] == [
        (letter, fold(letter)) for letter in letters
    ]


_TEXT = st.text("aesSxrunÄéßæÆøıЖй寿'’ \n\t\"\\/-_1\u0301\u0308:", max_size=20)


@given(_TEXT, st.lists(_TEXT, min_size=1, max_size=4))
def test_the_sieve_lets_everything_through_that_is_found(
    db: duckdb.DuckDBPyConnection, query: str, pieces: list[str]
) -> None:
    words = [word for word in fold(query) if word]
    if not words:
        return
    text = f"{pieces[0]} {query} {' '.join(pieces)}"
    raw = json.dumps({"text": text}, ensure_ascii=False)
    for word in words:
        found = db.execute(
            f"SELECT regexp_matches({folded_sql('$text')}, $word), regexp_matches($raw, $sieve)",
            {"text": text, "raw": raw, "word": whole_words([word]), "sieve": sieve([word])},
        ).fetchone()
        assert found is not None
        assert found[1] or not found[0]


@pytest.mark.parametrize(
    ("word", "text", "expected"),
    [
        ("run", "A run.", True),
        ("run", "running", False),
        ("run", "prune", False),
        ("cafe", "Café Köln", True),
        ("cafe", "Cafe\u0301", True),
        ("strasse", "Große STRASSE", True),
        ("strasse", "Große Straße", True),
        ("michael", "Michaël", True),
        ("michael", "MICHÆL", True),
        ("o'neill", "Mr. O’Neill", True),
        ("寿司", "美味しい寿司屋", True),
        ("бег", "Утренний Бег!", True),
    ],
)
def test_whole_words_are_found_whatever_their_accents(
    db: duckdb.DuckDBPyConnection, word: str, text: str, expected: bool
) -> None:
    found = db.execute(
        f"SELECT regexp_matches({folded_sql('$text')}, $word)",
        {"text": text, "word": whole_words([word])},
    ).fetchone()
    assert found == (expected,)
    if expected:
        assert db.execute(
            "SELECT regexp_matches(?, ?)", [json.dumps(text, ensure_ascii=False), sieve([word])]
        ).fetchone() == (True,)
