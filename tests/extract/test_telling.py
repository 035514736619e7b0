"""What the pieces mean that a reader points at, and which pieces marks tell."""

from datetime import date, datetime, time, timedelta

import pytest

from reqap.extract.concepts import understand
from reqap.extract.reader import AHEAD, BACK, BEGINS, GOES_ON, OUTSIDE, pieces_of
from reqap.extract.telling import Teller, day_told
from reqap.extract.told import IMPLIED, NOTHING, SAID, Told
from reqap.gazetteer import hints
from reqap.profile import Home, Person, Pet, Profile

PROFILE = Profile(
    name="Ada Obi",
    people=(
        Person(name="Ruth Obi", relation="mother"),
        Person(name="Thomas Reuter", relation="friend", nicknames=("Big Tom",)),
    ),
    pets=(Pet(name="Rex", type="dog"),),
)
WRITTEN = datetime(2023, 4, 2, 18, 30)  # a Sunday


def value(key: str, type_name: str, *pieces: str, implied: str = "") -> object:
    text = "mail; text: " + " | ".join(pieces)
    at, spans = len("mail; text: "), []
    for piece in pieces:
        spans.append((at, at + len(piece)))
        at += len(piece) + 3
    told = Told(IMPLIED if implied else SAID, 0.9, tuple(spans), implied)
    found = Teller(understand(key, type_name), PROFILE).value(told, text, WRITTEN)
    return found and found.value


@pytest.mark.parametrize(
    ("key", "type_name", "pieces", "expected"),
    [
        ("start_date", "date", ["last night"], date(2023, 4, 1)),
        ("start_date", "date", ["12 March"], date(2023, 3, 12)),
        ("start_datetime", "datetime", ["yesterday"], datetime(2023, 4, 1)),
        ("start_datetime", "datetime", ["tonight"], WRITTEN),
        ("start_time", "time", ["3pm"], time(15)),
        ("duration", "timedelta", ["1 h 30 min"], timedelta(minutes=90)),
        ("distance_km", "float", ["5.4 km"], 5.4),
        ("price", "float", ["64,50 €"], 64.5),
        ("goals", "int", ["three"], 3),
        ("participants", "list", ["Mum", "Big Tom", "Lena"], ["Ruth Obi", "Thomas Reuter", "Lena"]),
        ("participants", "list", ["Lena", "Ada", "Lena"], ["Lena"]),
        ("participants", "list", ["Jofré", "Ana Jofré"], ["Ana Jofré"]),
        ("dish", "str", ["Big Tom", "lentil soup"], "lentil soup"),
        ("meal_participants", "list", ["Mum"], ["Ruth Obi"]),
        ("city", "str", ["Cusco, Peru"], "Cusco"),
        ("venue", "str", ["Casa Quinta, Cusco, Peru"], "Casa Quinta"),
        ("address", "str", ["Casa Quinta, Cusco"], "Casa Quinta, Cusco"),
        ("host", "str", ["Mum"], "Ruth Obi"),
        ("restaurant", "str", ["Da Enzo,"], "Da Enzo"),
        ("restaurant", "str", ["porotos granados", "Da Enzo"], "Da Enzo"),
        ("place", "list", ["Big Tom", "Lima"], ["Lima"]),
        ("place", "str", ["Café Thomas Reuter"], "Café Thomas Reuter"),
        ("participants", "list", ["fish soup", "charquicán"], None),
        (
            "participants",
            "list",
            ["boo", "Me", "big tom", "mum", "lena"],
            ["Thomas Reuter", "Ruth Obi"],
        ),
        (
            "participants",
            "list",
            ["sister", "李雷", "ann@lee.org"],
            ["sister", "李雷", "ann@lee.org"],
        ),
        ("participants", "list", ["Rex", "Lena"], ["Lena"]),
        ("guests", "str", ["Rex", "Ada", "Lena"], "Lena"),
        ("patient", "str", ["Rex"], "Rex"),
        ("pet", "str", ["Rex"], "Rex"),
        ("with_whom", "str", ["Ada"], None),
        ("companions", "list", ["Ada Obi"], None),
        ("host", "str", ["Ada"], "Ada"),
        ("who", "str", ["Ada"], "Ada"),
        ("dish", "str", ["charquicán"], "charquicán"),
        ("country", "str", ["Lima"], "Peru"),
        ("which_country", "str", ["St Andrews, Scotland"], "United Kingdom"),
        ("countries_visited", "list", ["Lima", "Peru", "Bergen"], ["Peru", "Norway"]),
        ("country", "str", ["Zbrojovka"], "Zbrojovka"),
        ("country", "str", ["Georgia"], "Georgia"),
        ("country_song", "str", ["Lima"], "Lima"),
        ("city", "str", ["Lima"], "Lima"),
        ("place", "str", ["Peru"], "Peru"),
        ("start_date", "date", ["the usual"], None),
        ("price", "float", ["a fortune"], None),
    ],
)
def test_pieces_are_worked_out(
    key: str, type_name: str, pieces: list[str], expected: object
) -> None:
    assert value(key, type_name, *pieces) == expected


@pytest.mark.parametrize(
    ("text", "piece", "expected"),
    [
        ("beers with the Big Tom again", "Tom", ["Thomas Reuter"]),
        ("promised Mum, Lena and Big Tom", "Big Tom", ["Thomas Reuter"]),
        ("promised Mum and Big Tom a cake", "Big Tom", ["Thomas Reuter", "Ruth Obi"]),
        ("Lunch with Big Tom. Mum and I stayed in", "Big Tom", ["Thomas Reuter"]),
        ("Mum & Lena at the lake", "Lena", ["Lena"]),
        ("Lunch with Big Tom, Mum couldn't come", "Big Tom", ["Thomas Reuter"]),
        ("Lunch with Big Tom and Mum sent her regards", "Big Tom", ["Thomas Reuter"]),
        ("dinner with Big Tom & Mum's dog ran off", "Big Tom", ["Thomas Reuter"]),
        ("dinner with Big Tom & Mum at nine", "Big Tom", ["Thomas Reuter", "Ruth Obi"]),
    ],
)
def test_company_is_told_in_whole_names_and_one_breath(
    text: str, piece: str, expected: list[str]
) -> None:
    begin = text.index(piece)
    told = Told(SAID, 0.9, ((begin, begin + len(piece)),))
    found = Teller(understand("participants", "list"), PROFILE).value(told, text, WRITTEN)
    assert found is not None
    assert found.value == expected


@pytest.mark.parametrize(
    ("key", "type_name", "implied", "expected"),
    [
        ("cuisine", "str", "Italian", "Italian"),
        ("cuisine", "list", "Italian", ["Italian"]),
        ("country", "str", "Oslo", "Norway"),
        ("start_date", "date", "@same day", date(2023, 4, 2)),
        ("start_date", "date", "@day before", date(2023, 4, 1)),
        ("start_date", "date", "Italian", None),
        ("cuisine", "str", "@same day", None),
        ("patient", "str", "@me", "Ada Obi"),
        ("host", "str", "@me", "Ada Obi"),
        ("participants", "list", "@me", None),
        ("won", "bool", "@yes", True),
        ("won", "bool", "@no", False),
        ("won", "bool", "Italian", None),
    ],
)
def test_what_no_words_tell(key: str, type_name: str, implied: str, expected: object) -> None:
    assert value(key, type_name, implied=implied) == expected


@pytest.mark.parametrize(
    ("piece", "side", "expected"),
    [
        ("Thursday", BACK, date(2023, 3, 30)),
        ("Thursday", AHEAD, date(2023, 4, 6)),
        ("this Thursday", "", date(2023, 4, 6)),
        ("Sunday", AHEAD, date(2023, 4, 2)),
        ("the 8th", BACK, date(2023, 3, 8)),
        ("12 March", AHEAD, date(2023, 3, 12)),
    ],
)
def test_a_weekday_lies_ahead_or_behind(piece: str, side: str, expected: date) -> None:
    assert day_told(piece, WRITTEN.date(), side) == expected


def test_nothing_is_nothing() -> None:
    told = Told(NOTHING, 0.9, ((0, 4),), "Italian")
    assert Teller(understand("cuisine", "str"), PROFILE).value(told, "mail", WRITTEN) is None


def pieces(text: str, marks: list[int], offsets: list[tuple[int, int]]) -> list[str]:
    found = pieces_of(marks, offsets, [1] * len(marks), text)
    return [text[one.begin : one.end] for one in found]


def test_marks_tell_whole_words() -> None:
    offsets = [(0, 4), (5, 7), (7, 8), (9, 12), (13, 14), (14, 15), (15, 20)]
    marks = [OUTSIDE, BEGINS, OUTSIDE, OUTSIDE, BEGINS, GOES_ON, GOES_ON]
    assert pieces("with Mac and O'Brien", marks, offsets) == ["Mac", "O'Brien"]


def test_words_of_one_name_are_one_piece() -> None:
    assert pieces("Brandenburg", [BEGINS, OUTSIDE, BEGINS], [(0, 4), (4, 7), (7, 11)]) == [
        "Brandenburg"
    ]
    offsets = [(0, 3), (4, 9), (10, 12), (13, 20)]
    assert pieces("San Pedro de Atacama", [BEGINS, GOES_ON, OUTSIDE, BEGINS], offsets) == [
        "San Pedro de Atacama"
    ]
    assert pieces("Lena, Tom", [BEGINS, OUTSIDE, BEGINS], [(0, 4), (4, 5), (6, 9)]) == [
        "Lena", "Tom"
    ]  # fmt: skip


def test_what_belongs_to_the_word_before_is_left_out() -> None:
    offsets = [(0, 3), (3, 4), (4, 5), (6, 14)]
    for marks in ([OUTSIDE, OUTSIDE, BEGINS, GOES_ON], [OUTSIDE, BEGINS, GOES_ON, GOES_ON]):
        assert pieces("Ana's birthday", marks, offsets) == ["birthday"]
    assert pieces("dinner at the", [BEGINS, OUTSIDE, BEGINS], [(0, 6), (7, 9), (10, 13)]) == [
        "dinner"
    ]


@pytest.mark.parametrize(
    ("text", "cuisine"),
    [
        ("Greetings from Beirut, baklava for breakfast", "Lebanese"),
        ("baklava for breakfast", "Turkish"),  # as at home
        ("curanto for breakfast in Beirut", "Chilean"),  # nobody else claims it
    ],
)
def test_of_cuisines_that_claim_a_dish_that_of_where_one_is_counts(text: str, cuisine: str) -> None:
    profile = Profile(homes=(Home(address="1 Main St", city="Ankara"),))
    said = next(hint.values[0] for hint in hints(text))
    told = Told(IMPLIED, 0.9, (), said)
    found = Teller(understand("cuisine", "str"), profile).value(told, text, WRITTEN)
    assert found
    assert found.value == cuisine
