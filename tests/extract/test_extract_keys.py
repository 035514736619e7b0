"""EXTRACT by data keys: what is mapped, how it is typed, and when a mapping is frozen."""

from datetime import date, datetime, time, timedelta

import pyarrow as pa
import pytest

from reqap.errors import ValueProblem
from reqap.events import Value
from reqap.extract import PatternExtractor
from reqap.extract.concepts import split_key, understand
from reqap.extract.extractor import SAMPLE
from reqap.extract.reading import possible
from tests.extract.lives import DAY, an_event, events_of, extract, life, told, value

NOTHING = (None, None, None)


def test_a_title_is_not_what_the_record_calls_its_kind() -> None:
    data: dict[str, Value] = {"event": "movie stream", "movie_title": "Ran"}
    assert told(data, "title", "str") == ("Ran", None, "data key movie_title")
    assert told({"event": "Open day"}, "title", "str") == ("Open day", None, "data key event")


@pytest.mark.parametrize(
    ("asked", "data_key"),
    [
        ("price", "price"),
        ("Price", "price"),
        ("workoutType", "workout_type"),
        ("song_artists", "song_artist"),
        ("tv_series_title", "tvseries_title"),
        ("amount_spent", "price"),
        ("order_value", "price"),
        ("ticket_price", "price"),
        ("artist_names", "song_artist"),
        ("singer", "song_artist"),
        ("top_artist", "song_artist"),
        ("track", "song_name"),
        ("title", "song_name"),
        ("title", "summary"),
        ("subject", "summary"),
        ("movie_name", "movie_title"),
        ("series", "tvseries_title"),
        ("people", "attendees"),
        ("meeting_location", "location"),
        ("restaurant_name", "location"),
        ("item", "product"),
        ("quantity", "product_quantity"),
        ("sport", "workout_type"),
        ("max_heart_rate", "maximum_heart_rate"),
        ("heart_rate", "average_heart_rate"),
        ("employer", "company"),
        ("pet_name", "pet"),
        ("is_recurring", "recurring"),
        ("a/b~c", "a/b~c"),
        ("sender_name", "from_name"),
        ("who_sent_it", "sender"),
        ("senders_email_address", "from_email"),
        ("meeting_name", "title"),
        ("name_of_the_episode", "episode_title"),
        ("num_items", "number_of_items"),
    ],
)
def test_a_key_is_mapped(asked: str, data_key: str) -> None:
    assert told({"other": "no", data_key: "yes"}, asked, "str") == (
        "yes", None, f"data key {data_key}",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("asked", "data_key"),
    [
        ("max_heart_rate", "average_heart_rate"),
        ("resting_heart_rate", "average_heart_rate"),
        ("episode_number", "episode_name"),
        ("cuisine", "location"),
        ("country", "city"),
        ("birth_place", "birth_date"),
        ("purchase_date", "ship_date"),
        ("duration", "duration_unit"),
        ("price", "payment_method"),
    ],
)
def test_a_key_that_means_something_else_is_not_taken(asked: str, data_key: str) -> None:
    assert told({data_key: "3"}, asked, "str")[2] != f"data key {data_key}"


def test_the_better_key_comes_first_and_an_unreadable_one_gives_way() -> None:
    assert told({"price": "3 EUR", "unit_price": "1 EUR"}, "cost", "float")[0] == 3.0
    assert told({"price": "free", "unit_price": "1 EUR"}, "cost", "float")[0] == 1.0


@pytest.mark.parametrize(
    ("raw", "type_name", "expected"),
    [
        ("x", "str", "x"),
        (["A", "B"], "str", "A, B"),
        (5, "str", "5"),
        (True, "str", "true"),
        ("12", "int", 12),
        (12.0, "int", 12),
        (12.5, "int", None),
        ("1,234.5", "float", 1234.5),
        ([7], "int", 7),
        ("yes", "bool", True),
        (False, "bool", False),
        ("perhaps", "bool", None),
        ("5 March 2024", "date", date(2024, 3, 5)),
        ("2024-03-05T10:00:00+02:00", "datetime", datetime(2024, 3, 5, 10)),
        ("7:30 pm", "time", time(19, 30)),
        ("1 h 30 min", "timedelta", timedelta(minutes=90)),
        (["A", "B"], "list", ["A", "B"]),
        ("A, B and C", "list", ["A", "B", "C"]),
        ("n/a", "str", None),
        ("n/a", "list", None),
        ([], "list", None),
        ("n/a", "float", None),
        ("many", "int", None),
        (10**18 * 9, "int", None),
        ("9" * 90, "float", float("9" * 90)),
        ("99999999999 days", "timedelta", None),
        ("31 February 2024", "date", None),
    ],
)
def test_a_value_is_read_as_the_type(raw: Value, type_name: str, expected: object) -> None:
    assert value({"gist": raw}, "gist", type_name) == expected


@pytest.mark.parametrize(
    ("data", "asked", "type_name", "expected"),
    [
        ({"price": "5.99 EUR"}, "price", "float", (5.99, "EUR")),
        ({"price": "5.99 EUR"}, "price", "int", (6, "EUR")),
        ({"price": 5, "currency": "usd"}, "price", "float", (5.0, "USD")),
        ({"price": 5}, "price", "float", (5.0, None)),
        ({"duration": 126, "duration_unit": "min"}, "duration", "float", (126.0, "min")),
        ({"duration": 126, "duration_unit": "min"}, "hours", "float", (2.1, "h")),
        ({"duration": 90, "duration_unit": "seconds"}, "duration_minutes", "float", (1.5, "min")),
        ({"duration": 203, "duration_unit": "seconds"}, "minutes", "int", (3, "min")),
        ({"duration": "1:02:00"}, "duration_min", "float", (62.0, "min")),
        ({"duration_ms": 90000}, "duration_seconds", "float", (90.0, "s")),
        ({"walking_distance": 5.5, "distance_unit": "km"}, "distance", "float", (5.5, "km")),
        ({"distance": 5.0, "distance_unit": "km"}, "distance_in_m", "float", (5000.0, "m")),
        ({"distance": "10 km"}, "distance_meters", "int", (10000, "m")),
        ({"distance": "10 km"}, "distance", "float", (10.0, "km")),
        ({"distance_km": 4}, "distance", "float", (4.0, "km")),
        ({"vol_l": 10, "pricePerL": 2}, "litres", "float", (10.0, "l")),
        ({"vol_l": 37.85411784}, "us_gallons", "float", (10.0, "gal")),
        ({"nap": "x", "quietNapDuration": "1:30:00"}, "quiet_nap_hours", "float", (1.5, "h")),
        ({"napLen": 1500, "napLenUnit": "s"}, "nap_minutes", "float", (25.0, "min")),
        ({"distNm": 10}, "trip_distance_km", "float", (18.52, "km")),
        ({"vertFt": 1000}, "vertical_metres", "float", (304.8, "m")),
        ({"amtMl": 500}, "amount_litres", "float", (0.5, "l")),
        ({"torqueNm": 10}, "torque_nm", "float", (10.0, None)),
        ({"quiet_nap_min": 30}, "quiet_nap_duration", "float", (30.0, "min")),
        (
            {"cruise_speed": 10, "speed_unit": "m/s"},
            "cruise_speed_in_km_per_hour",
            "float",
            (36.0, "km/h"),
        ),
        (
            {"average_speed": 10, "maximum_speed": 20, "speed_unit": "mph"},
            "top_speed",
            "float",
            (20.0, "mph"),
        ),
        ({"humidity": "43%"}, "humidity_percent", "int", (43, None)),
        ({"fare": "12,00 EUR"}, "fare_eur", "float", (12.0, "EUR")),
        ({"fare": "12,00 EUR"}, "fare_chf", "float", (None, None)),
        ({"fare_usd": 12.0, "fare": 10.0, "currency": "EUR"}, "fare_usd", "float", (12.0, "USD")),
        ({"volume": "43%"}, "volume_litres", "float", (None, None)),
        ({"nap_time": "23:10"}, "nap_hours", "float", (None, None)),
        ({"distance": "10 km", "duration": "2 h"}, "length_hours", "float", (2.0, "h")),
        ({"energy": "418.4 kJ"}, "burned_kilocalories", "int", (100, "kcal")),
        ({"duration": 90000, "duration_unit": "ms"}, "ms_played", "int", (90000, "ms")),
        ({"energy_burned": 300.5, "energy_unit": "kcal"}, "calories", "int", (300, "kcal")),
        ({"steps": 4000}, "steps", "int", (4000, None)),
        ({"pulse": 61, "pulse_unit": "count/min"}, "pulse", "int", (61, None)),
    ],
)
def test_numbers_come_with_the_unit_they_have_or_the_one_asked_for(
    data: dict[str, Value], asked: str, type_name: str, expected: tuple[float, str | None]
) -> None:
    assert told(data, asked, type_name)[:2] == expected


def test_a_length_of_unknown_unit_is_not_converted() -> None:
    assert told({"duration": 126}, "duration_minutes", "float") == NOTHING
    assert told({"duration": 126}, "duration", "timedelta") == NOTHING
    assert told({"duration": 126}, "duration", "float")[:2] == (126.0, None)


def test_people_are_told_by_name_without_address() -> None:
    data: dict[str, Value] = {"recipient": ["Ann Lee <ann@example.com>", "bob@example.com"]}
    assert value(data, "recipients", "list") == ["Ann Lee", "bob@example.com"]


def test_correspondents_are_the_last_guess_at_people_and_never_the_user() -> None:
    mail: dict[str, Value] = {"sender_name": "Nora Lind", "recipient": ["Bo Berg <bo@example.com>"]}
    assert told(mail, "people", "list") == (["Bo Berg"], None, "data key recipient")
    assert value(mail, "attendees", "list") is None  # nobody meets by mail
    assert value({**mail, "text": "Dinner with Bob!"}, "participants", "list") == ["Robert Moss"]


# -- freezing ---------------------------------------------------------------------------------


def prices(count: int, total: int) -> list[dict[str, Value]]:
    """The first `count` have a price, the others of the sample only a fee."""
    return [{"price": f"{n} EUR"} if n < count else {"fee": f"{n} EUR"} for n in range(total)]


@pytest.mark.parametrize(("agreeing", "expected"), [(35, "price"), (34, "total_price")])
def test_a_mapping_is_frozen_when_70_percent_of_50_agree(agreeing: int, expected: str) -> None:
    """A key that would come first, but only turns up after the sample, tells the difference."""
    late: dict[str, Value] = {"Total-Amount": "1 EUR", "price": "2 EUR"}
    events = events_of("thing", *prices(agreeing, SAMPLE), late)
    where = extract(events, "total_amount", "float")[-1][2]
    assert where == ("data key price" if expected == "price" else "data key Total-Amount")


def test_what_a_frozen_key_leaves_open_is_read_singly() -> None:
    rest: list[dict[str, Value]] = [
        {"price": "7 EUR"},
        {"price": "free", "fee": "3 EUR"},
        {"cost": "4 EUR", "price": "5 EUR"},
        {"text": "It cost 12 EUR."},
        {},
    ]
    events = events_of("thing", *prices(SAMPLE, SAMPLE), *rest)
    assert [row[0] for row in extract(events, "cost", "float")[SAMPLE:]] == [7, 3, 4, 12, None]


def test_each_kind_has_its_own_mapping() -> None:
    songs = events_of("song", *({"song_name": f"s{n}"} for n in range(SAMPLE + 5)))
    films = events_of("film", *({"movie_title": f"f{n}"} for n in range(SAMPLE + 5)))
    mixed = [event for pair in zip(films, songs, strict=True) for event in pair]
    found = [row[0] for row in extract(mixed, "title", "str")]
    assert found == [f"{kind}{n}" for n in range(SAMPLE + 5) for kind in "fs"]


def test_own_times_are_frozen_too() -> None:
    events = events_of("thing", *({"n": n} for n in range(SAMPLE)), {"date": "2020-01-01"})
    found = extract(events, "date", "date")
    assert {row[0] for row in found} == {DAY.date()}
    assert found[-1][2] == "start of the event"


# -- the door -----------------------------------------------------------------------------------


def test_unknown_and_repeated_ids_have_their_rows() -> None:
    event = an_event({"price": "2 EUR"})
    with life([event]) as store:
        ids = pa.array(["nobody", event.id, None, event.id])
        table = PatternExtractor(store).extract(ids, "price", "float")
    assert table.column_names == ["value", "unit", "where", "chance"]
    assert table["value"].to_pylist() == [None, 2.0, None, 2.0]


def test_no_ids_and_no_events_are_no_problem() -> None:
    assert extract([], "price", "float") == []


def test_an_unknown_type_is_refused() -> None:
    with pytest.raises(ValueProblem, match="money"):
        extract([], "price", "money")


def test_a_key_that_is_too_long_tells_nothing() -> None:
    assert told({"k" * 101: "x"}, "k" * 101, "str") == NOTHING
    assert value({"k" * 100: "x"}, "k" * 100, "str") == "x"


def test_a_result_that_the_caller_is_still_reading_is_left_alone() -> None:
    events = events_of("thing", {"text": "with Bob"}, {"text": "with Kim"})
    with life(events) as store:
        reading = store.connection.execute("SELECT id FROM events ORDER BY id")
        first = reading.fetchone()
        PatternExtractor(store).extract(pa.array([events[0].id]), "participants", "list")
        second = reading.fetchone()
    assert [first, second] == sorted((event.id,) for event in events)


def test_units_that_names_of_columns_end_with() -> None:
    assert value({"weightG": 4350}, "weight_kg", "float") == pytest.approx(4.35)
    assert value({"odoMi": 100}, "odo_km", "float") == pytest.approx(160.9344)
    assert value({"volume_ml": 750}, "liters_of_volume", "float") == 0.75
    assert value({"pints": 3}, "number_of_pints", "int") == 3


@pytest.mark.parametrize(
    ("data", "asked", "type_name", "expected"),
    [
        ({"city": "Cusco, Peru"}, "city", "str", "Cusco"),
        ({"city": "Hotel Sol, Cusco"}, "city", "str", "Cusco"),
        ({"city": "Cusco, Cusco, Peru"}, "city", "str", "Cusco"),
        ({"home_city": "Hotel Sol, Cusco, Peru"}, "home_city", "str", "Cusco"),
        ({"place": "Hotel Sol, Cusco, Peru"}, "place", "str", "Hotel Sol"),
        ({"place": "Cusco, Lima"}, "place", "str", "Cusco, Lima"),  # two towns
        ({"cities": ["Cusco", "Lima"]}, "cities", "str", "Cusco, Lima"),
        ({"cities": ["Cusco, Peru", "Lima"]}, "cities", "list", ["Cusco", "Lima"]),
        ({"address": "Hotel Sol, Cusco"}, "address", "str", "Hotel Sol, Cusco"),
        ({"city": "Cusco"}, "country", "str", None),
        ({"country": "Peru, South America"}, "country", "str", "Peru, South America"),
        ({"place": "Lima," * 50_000}, "place", "str", "Lima," * 50_000),
    ],
)
def test_places_are_told_without_what_they_lie_in(
    data: dict[str, Value], asked: str, type_name: str, expected: object
) -> None:
    assert value(data, asked, type_name) == expected


def test_a_unit_is_no_word_that_looks_like_one() -> None:
    assert split_key("price_per_litre") == (("price", "per", "litre"), None)
    assert split_key("pace_min_per_km") == (("pace",), "min/km")
    assert split_key("world_cup_us") == (("world", "cup", "us"), None)
    assert split_key("peak_name") == (("peak", "name"), None)
    assert split_key("peak_power") == (("maximum", "power"), None)


def test_what_measures_something_else_is_no_answer() -> None:
    data: dict[str, Value] = {"climb": 320, "way_km": 12, "pause": "20 min", "name": "Rigi"}
    asked = understand("ascent_metres", "float")
    assert possible(asked, data).keys() == {"climb", "way_km", "name"}
    assert possible(understand("ascent", "float"), data) == data
