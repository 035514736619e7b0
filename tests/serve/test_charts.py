"""Which picture an answer gets, and what is in it."""

from datetime import date, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reqap.execute.compile import Value
from reqap.execute.trace import plain
from reqap.serve.charts import Plain, pictures
from reqap.serve.gaps import left_out
from reqap.wording import say


def told(columns: list[str], rows: list[tuple[Value, ...]]) -> Plain:
    """An answer, as it is kept."""
    values = [
        {name: {"value": plain(item), "unit": None, "text": say(item)}
         for name, item in zip(columns, row, strict=True)} for row in rows
    ]  # fmt: skip
    return {"columns": columns, "values": values, "times": [1] * len(rows)}


def shown(found: Plain) -> set[str]:
    return {name for name in ("bars", "timeline", "listed", "table") if found[name]}


DAYS: list[tuple[Value, ...]] = [(date(2023, 5, 1),), (date(2023, 1, 9),), (date(2023, 11, 30),)]


@pytest.mark.parametrize(("columns", "rows", "expected"), [
    (["month", "km"], [("May", 3), ("June", 4)], {"bars"}),
    (["day", "km"], [(date(2023, 1, 1), 3), (date(2023, 1, 2), 4)], {"bars"}),
    (["date"], DAYS, {"timeline", "listed"}),
    (["start_datetime"], [(datetime(2023, 1, 1, 8),), (datetime(2024, 1, 1, 9),)], {"timeline"}),
    (["artist", "first"], [("A", date(2021, 1, 1)), ("B", date(2022, 1, 1))],
     {"timeline", "table"}),
    (["location"], [("Rome",), ("Bern",)], {"listed"}),
    (["location"], [("2023-99-99",), ("2023-01-01",)], {"listed"}),
    (["location", "with"], [("Rome", "Ann"), ("Bern", "Bo")], {"table"}),
    (["distance"], [(3,), (4,)], {"table"}),
    (["start_datetime"], [(datetime(2023, 1, 1, 8),), (datetime(2023, 1, 1, 9),)], set()),
    (["location"], [("Rome",)], set()),
    (["#value"], [(["Rome", "Bern"],)], {"listed"}),
    (["#value"], [(["2023-05-01", "2023-01-09"],)], {"timeline", "listed"}),
    (["#value"], [([],)], set()),
    (["date"], [(None,), (None,)], {"listed"}),
])  # fmt: skip
def test_the_shape_decides(
    columns: list[str], rows: list[tuple[Value, ...]], expected: set[str]
) -> None:
    assert shown(pictures(told(columns, rows), [])) == expected


def test_an_answer_that_is_none_has_no_picture() -> None:
    assert not shown(pictures({}, []))
    assert not shown(pictures({"columns": [], "values": []}, []))


def test_a_timeline_is_by_time_and_says_what_it_shows() -> None:
    line = pictures(told(["date"], DAYS), [])["timeline"]
    assert line["caption"] == "3 dates, from 9 January to 30 November 2023"
    assert line["described"] == "January: 1, May: 1, November: 1"
    assert [dot["title"] for dot in line["dots"]] == [
        "Monday 9 January 2023", "Monday 1 May 2023", "Thursday 30 November 2023",
    ]  # fmt: skip
    assert [tick["name"] for tick in line["ticks"]] == ["Apr 2023", "Jul 2023", "Oct 2023"]


def test_what_a_dot_is_comes_from_the_other_columns_or_from_the_events() -> None:
    rows: list[tuple[Value, ...]] = [("A", date(2021, 1, 1)), ("B", date(2022, 1, 1))]
    dots = pictures(told(["artist", "first"], rows), [])["timeline"]["dots"]
    assert dots[1]["title"] == "Saturday 1 January 2022: B"
    bare: list[tuple[Value, ...]] = [(datetime(2023, 1, 1, 8),), (datetime(2024, 1, 1, 9),)]
    events = [{"start": "Sun 2023-01-01 08:00", "gist": "a run"}]
    dots = pictures(told(["start_datetime"], bare), events)["timeline"]["dots"]
    assert [dot["title"].partition(": ")[2] for dot in dots] == ["a run", ""]


def test_dates_that_fall_together_are_piled() -> None:
    start = datetime(2023, 1, 1, 8)
    days = [start, start, start, start + timedelta(days=90)]
    rows: list[tuple[Value, ...]] = [(day,) for day in days]
    dots = pictures(told(["start_datetime"], rows), [])["timeline"]["dots"]
    heights = [dot["y"] for dot in dots]
    assert heights[0] > heights[1] > heights[2]
    assert heights[3] == heights[0]
    assert len({dot["x"] for dot in dots}) == 2


def test_places_are_listed_with_how_often() -> None:
    answer = told(["location"], [("Rome",), ("Bern",)]) | {"times": [4, 1]}
    rome, bern = {"text": "Rome", "times": 4}, {"text": "Bern", "times": 1}
    assert pictures(answer, [])["listed"] == [rome, bern]
    found = pictures(told(["#value"], [(["Rome", "Rome", "Bern", "Rome", "Rome"],)]), [])
    assert found["listed"] == [rome, bern]


def test_what_is_not_shown_is_counted() -> None:
    many: list[tuple[Value, ...]] = [(f"place {number}",) for number in range(250)]
    found = pictures(told(["location"], many), [])
    assert (len(found["listed"]), found["more"]) == (200, 50)
    found = pictures(told(["location"], [("Rome",)] * 250), [])
    assert found["listed"] == [{"text": "Rome", "times": 250}]
    assert found["more"] == 0


def test_a_list_is_many_answers_and_dates_are_in_order() -> None:
    found = pictures(told(["#value"], [(["2023-05-01T10:00:00", "2023-01-09T09:30:00"],)]), [])
    assert [one["text"] for one in found["listed"]] == [
        "Monday 9 January 2023, 09:30", "Monday 1 May 2023, 10:00",
    ]  # fmt: skip
    assert found["said"] is None
    places: list[Value] = ["Rome", "Bern", "Oslo", "Wien", "Bari", "Lyon", "Genf"]
    found = pictures(told(["#value"], [(places,)]), [])
    assert found["said"] is None
    assert [one["text"] for one in found["listed"]] == places
    days = [f"2023-01-0{day}" for day in range(1, 8)]
    found = pictures(told(["#value"], [(list(days),)]), [])
    assert found["said"] == "7 dates, from 1 January to 7 January 2023."
    found = pictures(told(["#value"], [([*days, *days],)]), [])
    assert found["said"] == "7 dates (14 times), from 1 January to 7 January 2023."


@given(st.lists(st.datetimes(), min_size=2, max_size=60))
def test_whatever_the_dates_everything_is_within_the_picture(dates: list[datetime]) -> None:
    line = pictures(told(["at"], [(one,) for one in dates]), [])["timeline"]
    assert (line is None) == (len({one.date() for one in dates}) < 2)
    if line is None:
        return
    assert len(line["dots"]) == len(dates)
    assert all(0 < dot["x"] < 100 and 3.5 <= dot["y"] < line["axis"] for dot in line["dots"])
    assert len(line["ticks"]) <= 5
    places = [tick["x"] for tick in line["ticks"]]
    assert all(after - before > 3 for before, after in pairwise(places))


@pytest.mark.parametrize(("labels", "expected"), [
    (["2023-11", "2024-02", "2024-03"], [(1, "2023-12"), (1, "2024-01")]),
    ([2019, 2021, 2022], [(1, "2020")]),
    (["2019", "2020", "2022"], [(2, "2021")]),
    (["Monday", "Tuesday", "Friday"], [(2, "Wednesday"), (2, "Thursday")]),
    (["January", "April", "May"], [(1, "February"), (1, "March")]),
    (["2024-02-28", "2024-02-29", "2024-03-02"], [(2, "Friday 1 March 2024")]),
    (["2024-01-01", "2024-01-08", "2024-01-22"], [(2, "Monday 15 January 2024")]),
    (["2024-03", "2024-01", "2024-02"], []),  # in another order
    (["2024-01", "2024-01", "2024-03"], []),
    (["2024-01", "2024-03"], []),
    (["1950-01", "2024-01", "2024-02"], []),  # too far apart
    (["2024-13", "2024-14", "2024-16"], []),
    ([1, 5, 9], []),
    (["Rome", None, ["May"]], []),
    ([], []),
])  # fmt: skip
def test_gaps_of_the_calendar_are_told(
    labels: list[object], expected: list[tuple[int, str]]
) -> None:
    assert left_out(labels) == expected


@pytest.mark.parametrize(("steps", "count"), [
    (("MAP", "GROUP_BY"), 4), (("GROUP_BY",), 4), (("ARGMAX", "MAP", "GROUP_BY"), 3),
    (("FILTER", "GROUP_BY"), 3), (("RETRIEVE",), 3),
])  # fmt: skip
def test_months_of_nothing_have_a_place_where_all_groups_are_shown(
    steps: tuple[str, ...], count: int
) -> None:
    trace: Plain = {"operator": "RETRIEVE", "inputs": []}
    for name in reversed(steps):
        trace = {"operator": name, "inputs": [trace]}
    months = told(["month", "runs"], [("2023-01", 3), ("2023-03", 1), ("2023-04", 2)])
    chart = pictures({**months, "trace": trace}, [])["bars"]
    assert len(chart["bars"]) == count
    if count == 4:
        assert chart["bars"][1] == {"label": "2023-02", "text": "–", "share": 0}
