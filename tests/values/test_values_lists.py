"""Lists and yes-or-no values."""

from __future__ import annotations

import contextlib
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reqap.errors import ValueProblem
from reqap.values import format_list, parse_bool, parse_list


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ('["a", "b"]', ("a", "b")),
        ('["a", ["b", "c"], null, 1.50, true]', ("a", '["b", "c"]', "1.50", "true")),
        ('["\\u00e9", "a\\nb"]', ("é", "a\nb")),
        ("['a', \"b\"]", ("a", "b")),
        ("['it\\'s', u'b', None, 3, \"x's\"]", ("it's", "b", "3", "x's")),
        ("['a]b', 'c, d']", ("a]b", "c, d")),
        ("['\\x41\\u00e9\\n\\q']", ("Aé\n\\q",)),
        ("['a', ['b', 'c']]", ("a", "['b', 'c']")),
        ("[a, b (c, d)]", ("a", "b (c, d)")),
        ("[]", ()),
        ("[Live] Song [Remix]", ("[Live] Song [Remix]",)),
        ("a, b and c", ("a", "b", "c")),
        ("a, b, and c", ("a", "b", "c")),
        ("a, b & c", ("a", "b", "c")),
        ("a und b", ("a", "b")),
        ("a and b", ("a", "b")),
        ("Simon and Garfunkel, Queen", ("Simon and Garfunkel", "Queen")),
        ("a; b", ("a", "b")),
        ("a; b, c; d and e", ("a", "b, c", "d and e")),
        ("a & b", ("a", "b")),
        ("R&B, AT&T", ("R&B", "AT&T")),
        ("a | b", ("a", "b")),
        ("Action|Comedy", ("Action", "Comedy")),
        ("a\nb, c\r\n- d\n2. e", ("a", "b, c", "d", "e")),
        ('"a, b", c', ("a, b", "c")),
        ("'a, b', 'c'", ("a, b", "c")),
        ("“a, b”, «c; d» and e", ("a, b", "c; d", "e")),
        ('"a" and "b, c"', ("a", "b, c")),
        ("Song (feat. A, B), C [x, y]", ("Song (feat. A, B)", "C [x, y]")),
        ("a (b, c", ("a (b", "c")),
        (":), a", (":)", "a")),
        ("Guns N' Roses, Don't", ("Guns N' Roses", "Don't")),
        ('12" vinyl, 7" single', ('12" vinyl', '7" single')),
        ("10,000 Maniacs, Queen", ("10,000 Maniacs", "Queen")),
        ("1,2,3", ("1", "2", "3")),
        ("a,,b,", ("a", "b")),
        ("alone", ("alone",)),
        ("", ()),
        ("N/A", ()),
    ],
)
def test_list_spellings(text: str, items: tuple[str, ...]) -> None:
    assert parse_list(text) == items


def test_lists_that_are_lists() -> None:
    assert parse_list(["a, b", 1, None, True, 2.5, " "]) == ("a, b", "1", "true", "2.5")
    assert parse_list(("a",)) == ("a",)
    assert parse_list(5) == ("5",)
    assert parse_list(None) == ()


@pytest.mark.parametrize(
    "value",
    ["['a' 'b']", "['a]", {"a": 1}, [["a"]], [b"a"], b"a", object(), "a," * 1_000_000],
    ids=lambda value: type(value).__name__,
)
def test_what_is_not_a_list(value: object) -> None:
    with pytest.raises(ValueProblem):
        parse_list(value)


@pytest.mark.parametrize(
    "text",
    [
        "a" + " " * 300_000 + "b",
        "\n" * 300_000 + "a",
        "'a," * 100_000,
        "(" * 300_000,
        "[" * 150_000 + "]" * 150_000,
        "['" + "\\'" * 150_000,
        "“«" * 150_000,
    ],
    ids=range(7),
)
def test_hostile_lists_take_linear_time(text: str) -> None:
    start = time.perf_counter()
    with contextlib.suppress(ValueProblem):
        parse_list(text)
    assert time.perf_counter() - start < 5


ITEMS = st.lists(st.text().filter(lambda item: bool(item.strip())))


@given(ITEMS)
@settings(deadline=None)
def test_the_canonical_text_round_trips(items: list[str]) -> None:
    assert parse_list(format_list(items)) == tuple(items)


@given(ITEMS)
@settings(deadline=None)
def test_python_lists_round_trip(items: list[str]) -> None:
    assert parse_list(repr(items)) == tuple(items)


WORDS = st.lists(st.from_regex(r"[a-z][a-z ()]{0,8}[A-Z]", fullmatch=True), min_size=1)
PLAIN = WORDS.filter(
    lambda items: (
        all(item.count("(") == item.count(")") == 0 for item in items)
        and not any({"and", "y", "et", "und"} & set(item.lower().split()) for item in items)
        and items[0].lower() not in ("nan", "none", "null")
    )
)


@given(PLAIN, st.sampled_from([", ", "; ", " | ", "\n", ",", " & "]))
@settings(deadline=None)
def test_plain_lists_round_trip(items: list[str], separator: str) -> None:
    assert parse_list(separator.join(items)) == tuple(items)
    if separator == ", " and len(items) > 1:
        listed = ", ".join(items[:-1])
        assert parse_list(f"{listed} and {items[-1]}") == tuple(items)
        assert parse_list(f"{listed}, and {items[-1]}") == tuple(items)


@given(st.lists(st.from_regex(r"[a-z][a-z,; |&]{0,8}[a-z]", fullmatch=True), min_size=1))
@settings(deadline=None)
def test_quotes_protect(items: list[str]) -> None:
    assert parse_list(", ".join(f'"{item}"' for item in items)) == tuple(items)


@pytest.mark.parametrize(
    "value",
    [
        True,
        1,
        1.0,
        "1",
        "yes",
        "Y",
        "TRUE",
        "t",
        "on",
        "ja",
        "oui",
        "sí",
        "sim",
        "tak",
        "kyllä",
        "evet",
    ],
)
def test_true(value: object) -> None:
    assert parse_bool(value) is True


@pytest.mark.parametrize(
    "value",
    [
        False,
        0,
        0.0,
        "0",
        "no",
        "n",
        "False",
        "off",
        "nein",
        "non",
        "não",
        "nee",
        "nej",
        "nie",
        "hayır",
    ],
)
def test_false(value: object) -> None:
    assert parse_bool(value) is False


@pytest.mark.parametrize("value", [2, -1, 0.5, "maybe", "10", b"1", [], "yes" * 100])
def test_what_is_neither(value: object) -> None:
    with pytest.raises(ValueProblem):
        parse_bool(value)


def test_missing_is_neither() -> None:
    assert parse_bool(None) is None
    assert parse_bool("N/A") is None
