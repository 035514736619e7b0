"""What dishes and places imply."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reqap.gazetteer import (
    country_of,
    doctors,
    hints,
    is_area,
    is_cuisine,
    is_doctor,
    is_town,
    kind_of_place,
    kinds_of_places,
    local,
    places,
)
from reqap.gazetteer.phrases import lines


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
    assert time.perf_counter() - began < 5


def _countries(text: str) -> list[tuple[str, tuple[str, ...]]]:
    return [(text[one.begin : one.end], one.countries) for one in places(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("three days in Lima", [("Lima", "Peru")]),
        ("Bergen: rain. Then Oslo.", [("Bergen", "Norway"), ("Oslo", "Norway")]),
        ("St. Andrews", [("St. Andrews", "United Kingdom")]),
        ("on to Saint Andrews", [("Saint Andrews", "United Kingdom")]),
        ("Malmo, München and Munchen",
         [("Malmo", "Sweden"), ("München", "Germany"), ("Munchen", "Germany")]),
        ("Tromso or Tromsø", [("Tromso", "Norway"), ("Tromsø", "Norway")]),
        ("Lima’s best, LIMA", [("Lima", "Peru"), ("LIMA", "Peru")]),
        ("in the UK and the US", [("UK", "United Kingdom"), ("the US", "United States")]),
        ("Isle of Skye", [("Isle of Skye", "United Kingdom")]),
        ("Aix-en-Provence", [("Aix-en-Provence", "France")]),
        ("Weekend in Lima With Ana", [("Lima", "Peru")]),
        ("Lima on Friday", [("Lima", "Peru")]),
        ("in Lima Peru", [("Lima", "Peru"), ("Peru", "Peru")]),
        ("New York, not York", [("New York", "United States")]),
    ],
)  # fmt: skip
def test_places_tell_their_country(text: str, expected: list[tuple[str, str]]) -> None:
    assert _countries(text) == [(name, (country,)) for name, country in expected]


@pytest.mark.parametrize(
    "text",
    [
        "", "lima", "Nice to meet you", "Reading a book", "Of course", "tell Us", "TELL US",
        "with Sofia and Victoria", "Jordan called Chad", "told Florence", "a mail from Georgia",
        "met Paris Hilton", "Carolina Lima called", "at Sala Lima", "Marie-France", "@Lima",
        "dinner at Hanoi on Quinpool", "the San Francisco Giants", "Peking duck", "Turkey sandwich",
        "Are you there?", "see you Mon", "near Lima-de-Freitas", "the ICA", "with Milan",
        "\0 \ud800 \x1b[31m", "⛷", "Zbrojovka",
    ],
)  # fmt: skip
def test_words_and_names_of_people_and_shops_are_no_places(text: str) -> None:
    assert _countries(text) == []


@pytest.mark.parametrize(
    ("text", "country"),
    [
        ("sun in Nice", "France"), ("a flight to Florence", "Italy"), ("in Turkey", "Turkey"),
        ("Sofia, Bulgaria", "Bulgaria"), ("In Split", "Croatia"),
    ],
)  # fmt: skip
def test_words_are_places_where_the_text_says_so(text: str, country: str) -> None:
    assert {one.countries for one in places(text)} == {(country,)}


@pytest.mark.parametrize(
    ("text", "countries"),
    [
        ("Lima, Ohio", [("United States",), ("United States",)]),
        ("London, Ontario", [("Canada",), ("Canada",)]),
        ("London, Toronto", [("United Kingdom",), ("Canada",)]),
        ("Tbilisi, Georgia", [("Georgia",), ("Georgia",)]),
        ("in Georgia", [("United States", "Georgia")]),
    ],
)
def test_what_is_named_beside_it_decides(text: str, countries: list[tuple[str, ...]]) -> None:
    assert [one.countries for one in places(text)] == countries


@pytest.mark.parametrize(
    ("name", "country"),
    [
        ("Lima", "Peru"), ("Lima, Peru", "Peru"), ("lima", "Peru"), ("Lima, Ohio", "United States"),
        ("St Andrews", "United Kingdom"), ("Nice", "France"), ("UK", "United Kingdom"),
        ("Hotel Sol, Nice", "France"), ("a week in Oslo", "Norway"),
        ("Tbilisi, Georgia", "Georgia"),
        ("Bali", "Indonesia"), ("Holland", "Netherlands"), ("Seoul", "South Korea"),
        ("Georgia", None), ("Patagonia", None), ("nice", None), ("us", None),
        ("Lima and Oslo", None), ("", None), (" , ,", None), ("\0", None), ("Zbrojovka", None),
    ],
)  # fmt: skip
def test_the_country_of_a_place(name: str, country: str | None) -> None:
    assert country_of(name) == country


@pytest.mark.parametrize(
    "text", ["Lima ", "Lima, ", "Lima-", "San ", "\0\x07", "ﬁ’s ", "x", "in The "]
)
def test_a_megabyte_is_read_in_part(text: str) -> None:
    places("Lima")  # the list is loaded once
    began = time.perf_counter()
    assert all(one.end <= 12_000 for one in places(text * (1_000_000 // len(text))))
    country_of(text * (1_000_000 // len(text)))
    assert time.perf_counter() - began < 5


_PIECES = st.sampled_from(
    ["Lima", "lima", "Peru", "San", "Francisco", "St.", "Andrews", "in", "the", "US", "Nice", "on",
     "New", "York", "Peking", "duck", "Georgia", "Malmö", "’s", ",", "-", "\n", "\0", "@"]
)  # fmt: skip


@given(st.one_of(st.text(), st.lists(_PIECES).map(" ".join), st.lists(_PIECES).map("".join)))
def test_places_lie_in_the_text_and_do_not_overlap(text: str) -> None:
    end = 0
    for one in places(text):
        assert end <= one.begin < one.end <= len(text)
        assert text[one.begin : one.end].casefold() != text[one.begin : one.end]
        assert one.countries
        end = one.end
    country_of(text)


def test_doctors_are_known_by_what_they_look_after() -> None:
    text = "Eye doctor at nine, then the vet's with the cat"
    found = [(text[one.begin : one.end], one.values) for one in doctors(text)]
    assert found == [("Eye doctor", ("ophthalmologist",)), ("vet's", ("veterinarian",))]
    assert [one.values for one in doctors("dentist's or dermatologists?")] == [
        ("dentist",), ("dermatologist",)
    ]  # fmt: skip
    assert not doctors("the doctor of philosophy")
    assert is_doctor("ophthalmologist")
    assert not is_doctor("eye doctor")


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("Trattoria Gemma", "restaurant"),
        ("Park Café", "cafe"),
        ("Café del Museo", "cafe"),
        ("Museum of Clocks", "museum"),
        ("Farmers' market, gate 2", "market"),
        ("St Olaf's", None),
        ("", None),
    ],
)
def test_names_tell_what_kind_of_place_it_is(name: str, kind: str | None) -> None:
    found = kind_of_place(name)
    assert (found.values[0] if found else None) == kind


def test_texts_tell_of_kinds_of_places() -> None:
    text = "Shop for the picnic, swim in the lake; supper at our place"
    found = [(text[one.begin : one.end], one.values[0]) for one in kinds_of_places(text)]
    assert found == [("lake", "lake"), ("at our place", "home")]
    assert kinds_of_places("lake " * 40_000) == []


def test_a_town_is_one_in_whatever_country_it_lies() -> None:
    assert is_town("Cambridge")
    assert country_of("Cambridge") is None
    assert not is_town("Casa Quinta")
    assert not is_town("")
    assert all(is_area(name) and not is_town(name) for name in ("Peru", "UK", "Tuscany"))


def test_every_country_of_a_cuisine_is_one_that_places_lie_in() -> None:
    known = {country for _, countries, *_ in lines("places.tsv")
             for country in countries.split(", ")}  # fmt: skip
    for cuisine, country in lines("cuisines.tsv"):
        assert is_cuisine(cuisine)
        assert country in known


def test_a_dish_is_of_where_one_is_if_it_is_eaten_there() -> None:
    assert local("Greek", "baklava", {"Turkey"}) == "Turkish"
    assert local("Greek", "baklava", {"Turkey", "Syria"}) == "Greek"  # both claim it
    assert local("Greek", "moussaka or soup", {"Peru"}) == "Greek"
    assert local("Greek", "nothing at all", {"Turkey"}) == "Greek"
    assert local("Greek", "baklava after moussaka", {"Turkey"}) == "Greek"  # Turks claim one
    assert local("Indian", "chicken tikka masala and garlic naan", {"United Kingdom"}) == "Indian"
