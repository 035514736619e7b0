"""Events in words."""

from datetime import datetime, timedelta

import pytest

from reqap.events import Data
from reqap.verbalize import explained, gist, moment, patterns_of, spelled, told, when


def test_what_happened_without_numbers_and_addresses() -> None:
    data: Data = {
        "event": "music stream", "song_name": "1979", "song_artist": ["U2", "Ada"], "duration": 251,
        "price": "24830.00 CLP", "cost": "EUR 3", "ended": "2018-12-18 19:44:16", "skipped": False,
        "url": "https://play.example/1",
    }  # fmt: skip
    assert told("music_stream", data) == "music stream; song name: 1979; song artist: U2, Ada"


def test_what_a_fact_of_the_profile_is() -> None:
    fact: Data = {"event": "moved to a new home", "city": "Lima", "since": "2019-04-01"}
    assert told("profile", fact) == "profile; event: moved to a new home; city: Lima"


def test_the_same_text_for_two_plays() -> None:
    first, second = ({"song_name": "Ada", "duration": n, "order": f"A{n}"} for n in (1, 2))
    assert told("music_stream", first) == told("music_stream", second)


def test_measurements_are_told_by_name() -> None:
    assert told("body_measurement", {"weight": 70.2, "weight_unit": "kg"}) == (
        "body measurement; weight"
    )


def test_nothing_is_told_twice() -> None:
    data = {"movie_title": "Ran", "stream_full_title": "Ran"}
    assert told("movie_stream", data) == "movie stream; movie title: Ran"


def test_one_is_me() -> None:
    mail = {
        "sender": "Ada Byron <ada@post.example>", "recipient": "byron.ada@work.example",
        "text": "Dear Ada Byron,\nsee https://x.example/y  soon",
    }  # fmt: skip
    assert told("mail", mail, ("Ada Byron", "Ada")) == (
        "mail; sender: me; text: Dear Ada Byron, see soon"
    )
    assert (
        told("mail", {"sender": "Adam Byron"}, ("Ada Byron", "Ada")) == "mail; sender: Adam Byron"
    )


def test_hostile_values() -> None:
    long = told("note", {"text": "word " * 10_000, "tags": ["x y"] * 500, "empty": "", "nul": "\0"})
    assert len(long) < 7_000
    assert told("", {}) == ""


def test_everything_is_spelled_for_extraction() -> None:
    assert spelled("workout", {"distance": 5.2, "unit": "km", "with": ["Tom", "Bo"]}) == (
        "workout; distance: 5.2; unit: km; with: Tom, Bo"
    )


def test_patterns_are_kinds_and_single_values() -> None:
    data: Data = {"workout_type": "running", "participants": ["Tom", "Bo"], "distance": 5.2}
    assert list(patterns_of("workout", data)) == [
        "workout",
        "workout; workout type: running",
        "workout; participants: Tom",
        "workout; participants: Bo",
    ]


def test_a_person_sees_words_and_numbers_with_what_they_are() -> None:
    data: Data = {
        "workout_type": "running", "duration": 42.2, "duration_unit": "minutes",
        "energy_burned": 465.0, "energy_unit": "kcal", "laps": 3, "indoor": False, "won": True,
        "price": "24830 CLP", "device": "Watch", "again": "running",
    }  # fmt: skip
    assert gist(data) == ("running · 42 min 12 s · 465 kcal · laps 3 · won · price 24830 CLP")
    assert gist({"swum": 1500, "swum_unit": "m", "odd": 1e300, "odd_unit": "s"}) == (
        "1,500 m · 1e+300 s"
    )
    assert len(gist({"text": "x" * 5_000, "more": "y"})) == 200


def test_of_a_long_text_one_sees_the_words_that_matter() -> None:
    data: Data = {"text": f"{'a ' * 500}then carbonara {'b ' * 500}"}
    assert "carbonara" not in gist(data)
    assert "then carbonara b" in gist(data, "carbonara")
    assert gist(data, "carbonara").startswith("…")
    assert gist(data, "pizza") == gist(data)


def test_signs_have_names_and_dishes_a_cuisine() -> None:
    assert explained("note; title: ❄️⛷ Chillán") == "note; in: Chile; title: snowflake skier Chillán"
    post = "social media; text: bibimbap 👩🏽‍🍳 → 20 °C ©"
    assert explained(post) == "social media; food: Korean; text: bibimbap woman cooking → 20 °C ©"
    assert explained("mail; sender: Ramen Bar; text: hi") == "mail; sender: Ramen Bar; text: hi"
    assert explained("music stream; song name: Ramen") == "music stream; song name: Ramen"


def test_the_language_of_a_post_is_no_place() -> None:
    data: Data = {"text": "hi", "language": "en", "visibility": "public", "location": "Lima"}
    assert spelled("social_media", data) == "social media; text: hi; location: Lima"
    assert spelled("language_lesson", {"language": "en"}) == "language lesson; language: en"


def test_when_something_lies_can_be_read() -> None:
    noon = datetime(2023, 5, 1, 12, 30)
    assert moment("calendar", noon, noon + timedelta(days=3)) == "3 days"
    assert moment("social_media", noon, noon) == "midday"
    assert moment("mail", noon, noon) == ""
    assert spelled("calendar", {"summary": "Bo"}, "midday") == "calendar; when: midday; summary: Bo"


def test_of_an_entry_it_is_told_when_it_lies() -> None:
    def lies(start: str, end: str, kind: str = "calendar") -> str:
        return when(kind, datetime.fromisoformat(start), datetime.fromisoformat(end))

    assert lies("2024-05-01 20:00", "2024-05-01 23:00") == "evening"
    assert lies("2024-05-01 13:00", "2024-05-01 14:00") == "midday"
    assert lies("2024-05-01 09:15", "2024-05-01 09:15") == "morning"
    assert lies("2024-05-01 23:30", "2024-05-02 02:00") == "night"
    assert lies("2024-05-01 00:00", "2024-05-01 23:59:59") == "all day"
    assert lies("2024-05-01 00:00", "2024-05-01 00:00") == "all day"
    assert lies("2024-05-01 18:00", "2024-05-07 21:00") == "6 days"
    assert lies("2024-05-01", "2024-08-01") == "weeks"
    assert lies("2024-05-01 20:00", "2024-05-01 23:00", "mail") == ""
    assert told("calendar", {"summary": "Ilse"}, at="evening") == (
        "calendar; when: evening; summary: Ilse"
    )


def test_places_imply_countries_and_what_is_abroad() -> None:
    said = "when: 6 days; summary: Bergen!!"
    text = f"calendar; {said}"
    assert explained(text) == f"calendar; in: Norway; {said}"
    assert explained(text, frozenset({"Chile"})) == f"calendar; in: Norway, abroad; {said}"
    assert explained(text, frozenset({"Norway"})) == f"calendar; in: Norway; {said}"
    assert explained("music stream; song name: Bergen") == "music stream; song name: Bergen"


@pytest.mark.parametrize(
    ("said", "hints"),
    [
        ("summary: Ana; location: Coffee House Blau", "at: cafe"),
        ("summary: Ana; location: Park Café", "at: cafe"),
        ("summary: Ana; location: Lindenallee 4", ""),
        ("summary: Ana; location: 12 Church Street", ""),
        ("summary: Ana; location: Theatre Royal, Drury Lane", "at: theatre"),
        ("summary: Café; description: no location", ""),
        ("summary: root canal, second try", "doctor: dentist"),
        ("summary: eczema; location: City Hospital", "at: hospital; doctor: dermatologist"),
        ("summary: dentist, dermatologist or cardiologist?", ""),  # tells of too many
    ],
)
def test_locations_and_treatments_say_what_they_are(said: str, hints: str) -> None:
    assert explained(f"calendar; {said}") == "; ".join(filter(None, ("calendar", hints, said)))
