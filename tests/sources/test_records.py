"""Typed access to JSON records of unknown make."""

from datetime import UTC, datetime

import pytest

from reqap.events import Clock, ImportIssue, Origin
from reqap.sources.jsonio import shown
from reqap.sources.records import (
    Skip,
    count,
    event_at,
    filled,
    read_each,
    record,
    records,
    seconds,
    text,
    texts,
)
from tests.sources.reading import context, in_memory


def test_text_is_cleaned_of_what_no_store_takes() -> None:
    assert text(" a\x00b\x1b[1m\ud83d c\td\ne ") == "ab[1m c\td\ne"


@pytest.mark.parametrize("value", [None, 3, 1.5, True, ["a"], {"a": "b"}])
def test_what_is_not_text_is_empty_text(value: object) -> None:
    assert text(value) == ""  # type: ignore[arg-type]


def test_objects_are_taken_only_where_they_are() -> None:
    assert record({"a": 1}) == {"a": 1}
    assert record([{"a": 1}]) == {}
    assert records([{"a": 1}, "b", None, {"c": 2}]) == [{"a": 1}, {"c": 2}]
    assert records({"a": 1}) == []
    assert texts([{"name": "Ben"}, {"name": 3}, {"name": "Ben"}, {"nom": "x"}], "name") == ["Ben"]


@pytest.mark.parametrize(
    ("value", "number"),
    [("3", 3), (3, 3), (0, 0), (True, None), ("three", None), (-1, None), (10**20, None)],
)
def test_counts(value: object, number: int | None) -> None:
    assert count(value) == number  # type: ignore[arg-type]


def test_only_what_says_something_is_filled_in() -> None:
    data = filled(a="", b=[], c=None, d=False, e=0, f=True, g="x", h=["y"])
    assert data == {"e": 0, "f": True, "g": "x", "h": ["y"]}
    assert data["e"] is not False


def test_an_event_at_an_instant_is_in_the_users_wall_time() -> None:
    when = datetime(2024, 6, 1, 22, 30, tzinfo=UTC)
    clock: Clock = context().clock
    event = event_at(when, clock, "s", "note", ("n",), {}, Origin("f", 1), 5)
    assert event.start == event.end == datetime(2024, 6, 2, 0, 30)
    assert (event.offset, event.user_zone, event.revision) == (120, True, 5)
    tokyo = event_at(when, context("Asia/Tokyo").clock, "s", "note", ("n",), {}, Origin("f", 1))
    assert tokyo.start == datetime(2024, 6, 2, 7, 30)
    assert tokyo.id == event.id


def test_seconds_of_a_naive_instant_are_those_of_utc() -> None:
    assert seconds(datetime(1970, 1, 1, 0, 1)) == 60
    assert seconds(datetime(1970, 1, 1, 0, 1, tzinfo=UTC)) == 60


def test_read_each_turns_what_is_raised_into_issues() -> None:
    def tell(position: int, found: object) -> object:
        raise Skip("not wanted", "d" * 500)

    file = in_memory(b'[{"a": 1}, 7]', "f.json")
    items = list(read_each(file, tell))  # type: ignore[arg-type]
    assert items == [
        ImportIssue("not wanted", Origin("f.json", 0), "d" * 200),
        ImportIssue("not a record", Origin("f.json", 1), "7"),
    ]


def test_what_orjson_cannot_write_is_shown_all_the_same() -> None:
    assert shown({"a": "ü"}) == '{\n  "a": "ü"\n}'
    assert shown({"a": "\ud800", "b": 10**30}) == '{"a": "\\ud800", "b": 1%s}' % ("0" * 30)
