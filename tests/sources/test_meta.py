"""What Facebook's and Instagram's exports have in common."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reqap.sources.base import Sample
from reqap.sources.meta import Siblings, instant, is_page_of, mend, mend_record, mend_text
from reqap.sources.records import Skip


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_text_that_was_taken_apart_is_put_together(original: str) -> None:
    assert mend_text(original.encode().decode("latin-1")) == original


@pytest.mark.parametrize(
    "sound",
    [
        "",
        "plain",
        "Grüße",  # real Latin-1: no two of its characters form one of UTF-8
        "Ã¼ber – was never taken apart: it holds a character beyond Latin-1",
        "日本",
        "half of one: \xc3",
        "too long a form: \xe0\x80\x80, half of a pair: \xed\xa0\x80",
    ],
)
def test_sound_text_stays(sound: str) -> None:
    assert mend_text(sound) == sound


def test_a_cut_off_character_does_not_keep_the_rest_from_being_mended() -> None:
    assert mend_text("Gr\xc3\xbc\xc3\x9fe \xf0\x9f\x98") == "Grüße \xf0\x9f\x98"


def test_whole_records_are_mended_keys_and_all() -> None:
    found = {"a": ["\xc3\xbc", {"\xc3\xbc": "\xc3\xa9", "n": 3, "t": True, "z": None}]}
    assert mend_record(found) == {"a": ["ü", {"ü": "é", "n": 3, "t": True, "z": None}]}  # type: ignore[arg-type]


def test_what_is_nested_beyond_reason_is_left_out() -> None:
    nested: object = "\xc3\xbc"
    for _ in range(900):
        nested = [nested]
    mended, depth = mend(nested), 0  # type: ignore[arg-type]
    while isinstance(mended, list):
        mended, depth = mended[0], depth + 1
    assert mended is None
    assert depth < 100


@pytest.mark.parametrize("value", [None, 0, ""])
def test_no_time_is_no_time(value: object) -> None:
    with pytest.raises(Skip, match="no time"):
        instant(value)  # type: ignore[arg-type]


def page(body: str, name: str = "posts_1.html") -> Sample:
    html = f'<!DOCTYPE html><html><body class="_a706">{body}</body></html>'
    return Sample(name, len(html), html.encode())


def test_pages_belong_to_the_service_they_mention_most() -> None:
    both = "https://www.instagram.com/a https://www.instagram.com/b https://facebook.com/c"
    assert is_page_of(page(both), "instagram")
    assert not is_page_of(page(both), "facebook")


def test_pages_that_mention_neither_go_by_the_name_of_the_archive() -> None:
    assert is_page_of(page("hello", "facebook-anna.zip!posts/p.html"), "facebook")
    assert not is_page_of(page("hello", "facebook-anna.zip!posts/p.html"), "instagram")
    assert not is_page_of(page("hello", "p.html"), "facebook")


def test_other_pages_are_not_pages_of_an_export() -> None:
    html = b"<html><body>facebook</body></html>"
    assert not is_page_of(Sample("facebook.html", len(html), html), "facebook")


def test_posts_of_one_second_get_places_and_repeats_are_refused() -> None:
    siblings = Siblings()
    assert siblings.place({"text": "a"}, 10) == 0
    assert siblings.place({"text": "b"}, 10) == 1
    assert siblings.place({"text": "a"}, 11) == 0
    with pytest.raises(Skip, match="told twice"):
        siblings.place({"text": "b"}, 10)
