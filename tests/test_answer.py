"""What a person gets: values with units, a sentence, the evidence, and where the rows ran out."""

from datetime import date, datetime, time, timedelta

import orjson
import pytest

from reqap.answer import Answer, answer
from reqap.columns import to_arrow
from reqap.events import Event, Origin
from reqap.plan import parse
from reqap.store import Store
from reqap.wording import heading, joined, say
from tests.execute.fakes import TODAY, Amount, FakeLife, Plain, run

LIFE = FakeLife(
    [
        {"price": Amount(5.5, "EUR"), "shop": "Kiosk", "day": date(2024, 3, 1), "paid": True},
        {"price": Amount(20.0, "EUR"), "shop": "Market", "day": date(2024, 3, 2), "paid": True},
        {"price": None, "shop": "Market", "day": date(2024, 4, 2), "paid": False},
    ]
)
ROWS = (
    'EXTRACT(l=RETRIEVE(query="q"), attr_names=["price", "shop", "day", "paid"],'
    " attr_types=[float, str, date, bool])"
)


@pytest.fixture
def store() -> Store:
    """Holds the events that the fake life names: two of one source, one of another."""
    store = Store.open(None)
    day = datetime(2024, 1, 1)
    rows = to_arrow(  # noqa: F841 (DuckDB finds it by its name)
        [
            Event(f"e{n}", source, "online_purchase", day, day, 60, {"x": n}, Origin("f", n))
            for n, source in enumerate(["shop_a", "shop_b", "shop_a"])
        ]
    )
    store.connection.execute("INSERT INTO events BY NAME SELECT *, 1 AS file_id FROM rows")
    return store


def ask(text: str, store: Store) -> Answer:
    return answer(parse(text), run(text, {"q": LIFE}), store)


def test_a_sum_has_a_unit_a_sentence_and_evidence(store: Store) -> None:
    found = ask(f'SUM(l={ROWS}, attr_name="price")', store)
    assert found.status == "ok"
    assert found.rows[0][0].value == 25.5
    assert found.rows[0][0].unit == "EUR"
    assert found.text == "The total price is 25.50 EUR, from 2 events."
    assert [(part.source, part.events) for part in found.evidence] == [
        ("shop_a", ("e0",)),
        ("shop_b", ("e1",)),
    ]


@pytest.mark.parametrize(
    ("plan", "text"),
    [
        (f"APPLY(l={ROWS}, fct=len)", "3 in all, from 3 events."),
        (
            f'MIN(l={ROWS}, attr_name="day")',
            "The earliest day is Friday 1 March 2024, from 1 event.",
        ),
        (f'MAX(l={ROWS}, attr_name="price")', "The highest price is 20.00 EUR, from 1 event."),
        (f'AVG(l={ROWS}, attr_name="price")', "The average price is 12.75 EUR, from 2 events."),
        (f'APPLY(l={ROWS}, fct=lambda l: any(e["paid"] for e in l))', "Yes, from 3 events."),
        (f'APPLY(l={ROWS}, fct=lambda l: all(e["paid"] for e in l))', "No, from 3 events."),
        (
            f'ARGMAX(l={ROWS}, arg_attr_name="price", val_attr_name="shop")',
            "Market has the highest price: 20.00 EUR.",
        ),
        (
            f'ARGMAX(l={ROWS}, arg_attr_name="paid", val_attr_name="shop")',
            "Kiosk and Market have the highest paid: yes.",
        ),
        (
            f'MAP(l=GROUP_BY(l={ROWS}, attr_names=["shop"]), fct=len, res_name="n")',
            "Kiosk (1) and Market (2).",
        ),
        (
            'EXTRACT(l=RETRIEVE(query="q"), attr_names=["shop"], attr_types=[str])',
            "Kiosk and Market.",
        ),
        (
            'RETRIEVE(query="q")',
            "3 events: Monday 1 January 2024, 12:00; Tuesday 2 January 2024, 12:00;"
            " Wednesday 3 January 2024, 12:00.",
        ),
    ],
)
def test_one_plain_sentence(plan: str, text: str, store: Store) -> None:
    assert ask(plan, store).text == text


def test_equal_values_are_one_answer_and_missing_ones_are_none(store: Store) -> None:
    found = ask('EXTRACT(l=RETRIEVE(query="q"), attr_names=["price"], attr_types=[float])', store)
    assert [row[0].text for row in found.rows] == ["5.50 EUR", "20.00 EUR"]


@pytest.mark.parametrize(
    ("plan", "step", "text"),
    [
        (
            f'SUM(l=FILTER(l={ROWS}, filter=lambda a: a.shop == "x"), attr_name="price")',
            "1.1",
            "No data: of 3 events, none is left for FILTER(l=…,"
            ' filter=lambda a: a["shop"] == "x").',
        ),
        (
            f'SUM(l=FILTER(l={ROWS}, filter=lambda a: not a["paid"]), attr_name="price")',
            "1",
            "No data: 1 event was found, but it does not tell the price.",
        ),
    ],
)
def test_no_data_says_where_the_rows_ran_out(plan: str, step: str, text: str, store: Store) -> None:
    found = ask(plan, store)
    assert (found.status, found.ran_out, found.text) == ("no_data", step, text)
    assert found.rows == ()
    assert found.evidence == ()


@pytest.mark.parametrize(
    ("plan", "text"),
    [
        (
            'APPLY(l=EXTRACT(l=RETRIEVE(query="q"), attr_names=["place"], attr_types=[str]),'
            ' fct=lambda l: set(e["place"] for e in l))',
            "No data: 3 events were found, but none of them tells the place.",
        ),
        (
            'EXTRACT(l=RETRIEVE(query="q"), attr_names=["place"], attr_types=[str])',
            "No data: 3 events were found, but none of them tells the place.",
        ),
    ],
)
def test_events_that_do_not_tell_what_was_asked_are_no_answer(
    plan: str, text: str, store: Store
) -> None:
    found = ask(plan, store)
    assert (found.status, found.text, found.rows) == ("no_data", text, ())
    assert found.events == ("e0", "e1", "e2")  # they can be looked at


def test_a_long_list_is_said_in_short_and_shown_in_full(store: Store) -> None:
    names = FakeLife([{"name": f"n{number}"} for number in range(7)])
    text = (
        'APPLY(l=EXTRACT(l=RETRIEVE(query="q"), attr_names=["name"], attr_types=[str]),'
        ' fct=lambda l: set(e["name"] for e in l))'
    )
    found = answer(parse(text), run(text, {"q": names}), store)
    assert found.text.startswith("7 in all: n")
    assert " and 2 more, from 7 events." in found.text
    assert {row[0] for row in found.table} == {f"n{number}" for number in range(7)}


@pytest.mark.parametrize(
    ("name", "plan", "text"),
    [
        ("steps", "SUM", "The total number of steps is 3000, from 2 events."),
        ("steps", "MAX", "The highest number of steps is 2000, from 1 event."),
        ("costs", "SUM", "The total costs are 30.00 EUR, from 2 events."),
        ("total_price", "SUM", "The total price is 30.00 EUR, from 2 events."),
        ("duration", "MIN", "The shortest duration is 50 s, from 1 event."),
        ("distance_km", "SUM", "The total distance is 3.5 km, from 2 events."),
        ("hour", "AVG", "The average hour is 08:15, from 2 events."),
        ("steps", "ARGMAX", "Bern has the most steps: 2000."),
        ("duration", "ARGMAX", "Bern has the longest duration: 2 h 1 min."),
    ],
)
def test_words_fit_what_is_measured(name: str, plan: str, text: str, store: Store) -> None:
    kinds = {"steps": "int", "duration": "timedelta", "hour": "time"}
    rows: list[dict[str, Plain | Amount]] = [
        {"steps": 1_000, "costs": Amount(10.0, "EUR"), "total_price": Amount(10.0, "EUR"),
         "distance_km": Amount(1.5, "km"),
         "duration": timedelta(seconds=50), "hour": time(8, 0), "town": "Rome"},
        {"steps": 2_000, "costs": Amount(20.0, "EUR"), "total_price": Amount(20.0, "EUR"),
         "distance_km": Amount(2, "km"),
         "duration": timedelta(hours=2, seconds=50), "hour": time(8, 31, 7), "town": "Bern"},
    ]  # fmt: skip
    made = (
        f'EXTRACT(l=RETRIEVE(query="q"), attr_names=["{name}", "town"],'
        f" attr_types=[{kinds.get(name, 'float')}, str])"
    )
    asks = f'l={made}, attr_name="{name}"'
    if plan == "ARGMAX":
        asks = f'l={made}, arg_attr_name="{name}", val_attr_name="town"'
    written = f"{plan}({asks})"
    found = answer(parse(written), run(written, {"q": FakeLife(rows)}), store)
    assert found.text == text


def test_lists_are_joined_so_that_they_can_be_told_apart() -> None:
    assert joined(["a"], 1) == "a"
    assert joined(["a", "b", "c"], 3) == "a, b and c"
    assert joined(list("abcdefg"), 7) == "a, b, c, d, e and 2 more"
    assert joined(["a, b", "c"], 2) == "a, b; c"
    assert joined(["x" * 200], 1) == "x" * 79 + "…"
    assert joined(["a, b", *"cdefg"], 6) == "a, b; c; d; e; f; and 1 more"


def test_a_sentence_begins_with_a_large_letter_where_words_do(store: Store) -> None:
    for name, text in (("lawn mower", "Lawn mower."), ("iPhone", "iPhone.")):
        plan = 'EXTRACT(l=RETRIEVE(query="q"), attr_names=["name"], attr_types=[str])'
        found = answer(parse(plan), run(plan, {"q": FakeLife([{"name": name}])}), store)
        assert found.text == text


def test_days_are_called_days(store: Store) -> None:
    plan = (
        'APPLY(l=MAX(l=RETRIEVE(query="q"), attr_name="start_date"),'
        " fct=lambda l: (date(2024, 1, 10) - l).days)"
    )
    found = answer(parse(plan), run(plan, {"q": LIFE}), store)
    assert found.text == "7 days, from 1 event."


def test_names_are_for_people() -> None:
    names = ("#value", "apply_result", "start_datetime", "song_name")
    assert [heading(name) for name in names] == ["answer", "answer", "date", "song name"]


def test_nothing_retrieved_is_said(store: Store) -> None:
    text = 'APPLY(l=RETRIEVE(query="q"), fct=len)'
    found = answer(parse(text), run(text, {"q": FakeLife([])}), store)
    assert found.status == "no_data"
    assert found.text == 'No data: nothing was found for RETRIEVE(query="q").'


def test_the_json_form_is_plain(store: Store) -> None:
    found = ask(f'SUM(l={ROWS}, attr_name="price")', store).to_json()
    assert orjson.loads(orjson.dumps(found)) == found
    assert found["answers"] == [25.5]
    assert found["status"] == "ok"
    assert found["events"] == ["e0", "e1"]
    assert found["today"] == TODAY.isoformat()
    groups = ask(f'MAP(l=GROUP_BY(l={ROWS}, attr_names=["shop"]), fct=len, res_name="n")', store)
    assert groups.to_json()["answers"] == [["Kiosk", 1], ["Market", 2]]


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (1234567, None, "1,234,567"),
        (2.0, "km", "2 km"),
        (2.345, None, "2.35"),
        (1999.5, "JPY", "2,000 JPY"),
        (time(18, 5), None, "18:05"),
        (time(18, 5, 7), None, "18:05:07"),
        (datetime(2024, 2, 29, 7, 0), None, "Thursday 29 February 2024, 07:00"),
        (timedelta(hours=1, minutes=30, milliseconds=400), None, "1 h 30 min"),
        (timedelta(hours=7, minutes=8, seconds=31), None, "7 h 9 min"),
        (timedelta(minutes=8, seconds=31), None, "8 min 31 s"),
        (1234.5, None, "1,234.5"),
        (2024, None, "2024"),
        (["a", "b"], None, "a, b"),
        (63.94, "kg", "63.94 kg"),
        (42, "min", "42 min"),
        (0.004, "km", "0.004 km"),
        (-0.0001, None, "-0.0001"),
        (12_345, None, "12,345"),
        ((2024, 3), None, "2024, 3"),
        (None, None, "–"),
    ],
)
def test_values_are_said_as_people_write_them(value: object, unit: str | None, text: str) -> None:
    assert say(value, unit) == text  # type: ignore[arg-type]
