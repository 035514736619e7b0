"""EXTRACT by patterns in texts: a reason in the key, one reading, or nothing."""

import random
import time
from datetime import date, datetime, timedelta
from datetime import time as clock
from unittest.mock import patch

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reqap.events import Event, Value
from reqap.extract import PatternExtractor, extractor
from reqap.extract.reading import ARROW
from tests.extract.lives import PROFILE, an_event, extract, life, told, value


@pytest.mark.parametrize(
    ("text", "asked", "type_name", "expected"),
    [
        # people
        ("Lunch with Mum and Dad", "participants", "list", ["Ada Lind", "Ole Lind"]),
        ("Bob was late again", "people", "list", ["Robert Moss"]),
        ("With Bob, Ivo Berg and Kim.", "with_whom", "list", ["Robert Moss", "Ivo Berg", "Kim"]),
        ("Drinks with Bob", "friend", "str", "Robert Moss"),
        ("Out with friends in May", "participants", "list", None),
        ("With Monday coming, I stay in", "participants", "list", None),
        ("Nora Lind", "participants", "list", None),
        # places
        ("Dinner at Casa Rosa last night", "location", "str", "Casa Rosa"),
        ("dinner at the Blue Note in Oslo", "restaurant_name", "str", "Blue Note"),
        ("dinner at the Blue Note in Oslo", "city", "str", "Oslo"),
        ("Off to Lisbon!", "destination", "str", "Lisbon"),
        ("in October, at Christmas, at home", "location", "str", None),
        ("I was at Bob's", "location", "str", None),
        # money
        ("The tickets were 12,50 €.", "price", "float", 12.5),
        ("Shoes $40, socks $5, total: $45.", "amount_spent", "float", 45.0),
        ("Shoes $40, socks $5.", "amount_spent", "float", None),
        ("Bought 3 shirts", "price", "float", None),
        # quantities
        ("I ran 10.3 km in 55 min", "distance_km", "float", 10.3),
        ("I ran 10.3 km in 55 min", "duration_minutes", "float", 55.0),
        ("a grueling 117-minute session", "duration", "float", 117.0),
        ("It took 1 h 30 min.", "duration_minutes", "int", 90),
        ("By train: 4 h 45, one book", "duration_minutes", "int", 285),
        ("6 miles", "distance_km", "int", 10),
        ("ran a 10K before breakfast", "distance_km", "float", 10.0),
        ("we spent 20k renovating", "distance_km", "float", None),
        ("rowing, 54', felt slow", "duration_minutes", "int", 54),
        ("45'30\" for the hill", "duration", "timedelta", timedelta(minutes=45, seconds=30)),
        ("We saw '1917' with Lena", "duration", "timedelta", None),
        ("I slept badly 2 days ago", "duration", "timedelta", None),
        ("5 km, then 10 km", "distance", "float", None),
        ("2023 in tours", "distance", "float", None),
        ("4 kg of olive oil", "weight", "float", None),
        ("My weight is 70 kg now", "weight", "float", 70.0),
        # counts
        ("We won, I scored 3 goals!", "goals", "int", 3),
        ("two goals and 5 beers", "goals_scored", "int", 2),
        ("Goals: 3, beers: 5", "goals", "int", 3),
        ("3 goals in 20 minutes", "number_of_goals", "int", 3),
        ("My heart rate reached a max of 182", "max_heart_rate", "int", 182),
        ("My heart rate reached a max of 182", "average_heart_rate", "int", None),
        ("3 beers", "goals", "int", None),
        ("on 3 May at 19:30 for 20 EUR", "goals", "int", None),
        # dates of something else
        ("Return it, due 12 October 2023.", "due_date", "date", date(2023, 10, 12)),
        ("Delivery on Oct 12", "delivery_date", "date", date(2024, 10, 12)),
        ("We met on 2023-10-12", "due_date", "date", None),
        ("The residue of 2023-10-12", "due_date", "date", None),
        # nothing to go by
        ("Pizza oven and a long night", "cuisine", "str", None),
    ],
)  # fmt: skip
def test_what_a_text_tells(text: str, asked: str, type_name: str, expected: object) -> None:
    assert value({"text": text}, asked, type_name) == expected


@pytest.mark.parametrize(
    ("text", "asked", "expected"),
    [
        ("Dinner 7 pm", "start_time", clock(19)),
        ("Dinner 19:30-21:00", "start_time", clock(19, 30)),
        ("Dinner 19:30-21:00", "end_time", clock(21)),
        ("Dinner 7 pm", "end_time", None),
        ("At 9:00, 10:00 and 11:00", "start_time", None),
    ],
)
def test_the_time_of_a_whole_day_may_stand_in_its_text(
    text: str, asked: str, expected: clock | None
) -> None:
    day = datetime(2024, 5, 1)
    assert value({"summary": text}, asked, "time", start=day, minutes=1440) == expected


def test_where_quotes_the_text() -> None:
    found = told(
        {"body": "So we ate pizza and ran 10 km\nbefore breakfast"}, "distance_km", "float"
    )
    assert found == (10.0, "km", "text of body: 'ate pizza and ran 10 km before breakfast'")


def test_money_in_a_text_has_its_currency() -> None:
    assert told({"text": "It cost 20 EUR"}, "price", "float")[1] == "EUR"


def test_of_an_appointment_words_tell_the_place_and_the_location_its_town() -> None:
    data: dict[str, Value] = {"location": "Oslo", "summary": "dinner at Casa Rosa"}
    entry = an_event(data, kind="calendar")
    assert extract([entry], "place", "str")[0][0] == "Casa Rosa"
    assert extract([entry], "city", "str")[0][0] == "Oslo"
    plain = an_event({"location": "Oslo", "summary": "dinner"}, kind="calendar")
    assert extract([plain], "place", "str") == [("Oslo", None, "data key location")]


def test_a_data_key_comes_before_the_texts() -> None:
    data: dict[str, Value] = {"location": "Oslo", "text": "at Casa Rosa"}
    assert told(data, "location", "str") == ("Oslo", None, "data key location")


HOSTILE = [
    "with " * 20_000,
    "with A" + ", A" * 20_000,
    "9" * 50_000,
    "9." * 30_000,
    "€9" * 30_000,
    "at A " * 20_000,
    "A" * 50_000,
    "Mum " * 20_000,
    "12 goals " * 10_000,
    "due 12 Oct " * 10_000,
    "7 pm " * 10_000,
    "4 h 45 " * 10_000,
    "<" * 50_000,
    "\n" * 50_000,
]


@pytest.mark.parametrize(
    ("asked", "type_name"),
    [
        ("participants", "list"), ("location", "str"), ("price", "float"), ("distance", "float"),
        ("duration", "timedelta"), ("goals", "int"), ("due_date", "date"), ("start_time", "time"),
        ("text", "list"), ("text", "str"),
    ],
)  # fmt: skip
def test_hostile_texts_cost_little(asked: str, type_name: str) -> None:
    day = datetime(2024, 5, 1)
    events = [an_event({"text": text}, number=n, start=day) for n, text in enumerate(HOSTILE)]
    with life(events) as store:
        began = time.monotonic()
        PatternExtractor(store).extract(pa.array([e.id for e in events]), asked, type_name)
        assert time.monotonic() - began < 5


# -- any life, any question ----------------------------------------------------------------------

KEYS = [
    "text", "price", "price_unit", "currency", "duration", "duration_unit", "song_artist", "date",
    "location", "participants", "x", "", "a/b", "~", "$", "Distance_KM", "sender_name",
]  # fmt: skip
SCALARS = (
    st.text(max_size=30)
    | st.sampled_from(["5.99 EUR", "with Bob", "10 km", "2024-02-30", "nan", "-", "1e400", "[[["])
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.booleans()
)
DATA = st.dictionaries(
    st.sampled_from(KEYS) | st.text(max_size=5), SCALARS | st.lists(SCALARS, max_size=3), max_size=5
)
ASKED = (
    st.sampled_from([*KEYS, "start_time", "hours", "goals", "birth_date", "end", "people"])
    | st.text(max_size=120)
    | st.text(st.characters(categories=["Cs", "Cc"]), max_size=4)
)


@settings(max_examples=50)
@given(
    st.lists(st.tuples(DATA, st.sampled_from("ab"), st.datetimes()), max_size=6),
    ASKED,
    st.sampled_from(list(ARROW)),
    st.sampled_from([1, 50]),  # a sample of one makes the rest be read in bulk
    st.randoms(),
)
def test_any_key_of_any_type_gives_one_row_per_id(
    told_events: list[tuple[dict[str, Value], str, datetime]],
    asked: str,
    type_name: str,
    sample: int,
    chance: random.Random,
) -> None:
    events: list[Event] = [
        an_event(data, kind=kind, number=n, start=start)
        for n, (data, kind, start) in enumerate(told_events)
    ]
    ids = [*(event.id for event in events), "nobody"]
    chance.shuffle(ids)
    with life(events, PROFILE) as store, patch.object(extractor, "SAMPLE", sample):
        table = PatternExtractor(store).extract(pa.array(ids), asked, type_name)
    assert table.schema.types == [ARROW[type_name], pa.string(), pa.string(), pa.float32()]
    assert table.num_rows == len(ids)
    for found, where in zip(table["value"].to_pylist(), table["where"].to_pylist(), strict=True):
        assert (found is None) == (where is None)
