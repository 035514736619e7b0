"""Netflix: both files, their quirks, and what happens to broken ones."""

import time
from datetime import datetime
from pathlib import Path

import pytest

from reqap.errors import ExportProblem
from reqap.events import Event, ImportIssue
from reqap.importing import import_paths
from reqap.sources.base import Context
from reqap.sources.netflix import SOURCE
from reqap.sources.netflix_titles import Title, Titles, title_key
from reqap.store import Store
from reqap.values import DateOrder
from tests.sources.reading import (
    DATA,
    apart,
    at,
    claimed_of_others,
    claims,
    context,
    files,
    read_all,
    read_path,
    reasons,
    write,
)

NETFLIX = DATA / "netflix"
CONTENT = NETFLIX / "netflix-report" / "CONTENT_INTERACTION"
ACTIVITY = CONTENT / "ViewingActivity.csv"
GERMAN = CONTENT / "Sehverlauf.csv"
HISTORY = NETFLIX / "quick" / "NetflixViewingHistory.csv"
UNCLEAR = NETFLIX / "quick" / "Ansichtsverlauf-unklar.csv"
LENA = context(who=("Lena Hofer",))

HEADER = (
    "Profile Name,Start Time,Duration,Attributes,Title,Supplemental Video Type,Device Type,"
    "Bookmark,Latest Bookmark,Country"
)


def read_text(text: str, ctx: Context | None = None) -> tuple[list[Event], list[ImportIssue]]:
    return apart(read_all(SOURCE, text.encode(), "x.csv", ctx))


def activity(*rows: str) -> str:
    return "\n".join([HEADER, *rows]) + "\n"


def sniff(text: str | bytes, name: str = "x.csv") -> bool:
    return claims(SOURCE, text if isinstance(text, bytes) else text.encode(), name)


# --- the viewing activity -------------------------------------------------------------------------


def test_a_film_is_told_in_local_time() -> None:
    events, _ = read_path(SOURCE, ACTIVITY, LENA)
    film = at(events, 9)
    assert (film.source, film.kind) == ("netflix", "movie_stream")
    assert (film.start, film.end) == (datetime(2024, 1, 11, 0, 30), datetime(2024, 1, 11, 2, 57))
    assert (film.offset, film.user_zone, film.coarse) == (60, True, False)
    assert film.data == {
        "movie_title": "Mission: Impossible – Fallout",
        "stream_full_title": "Mission: Impossible – Fallout",
        "duration": 8820,
        "duration_unit": "seconds",
        "country": "XX",
        "device": "Chrome PC (Cadmium), Windows",
        "profile_name": "Lena",
        "watching_continuation": False,
    }


def test_an_episode_across_the_change_to_summer_time() -> None:
    events, _ = read_path(SOURCE, ACTIVITY, LENA)
    episode = at(events, 5)
    assert episode.kind == "tvseries_stream"
    assert episode.start == datetime(2024, 3, 31, 1, 30)
    assert episode.end == datetime(2024, 3, 31, 3, 35, 20)  # an hour is missing in between
    assert episode.offset == 60
    assert episode.data == {
        "tvseries_title": "Dark",
        "stream_full_title": "Dark: Season 1: Secrets (Episode 1)",
        "season_name": "Season 1",
        "tvseries_season": 1,
        "episode_name": "Secrets",
        "episode_number": 1,
        "duration": 3920,
        "duration_unit": "seconds",
        "country": "Germany",
        "device": "Samsung 2019 UHD TV (Tizen)",
        "profile_name": "Lena",
        "watching_continuation": False,
    }


def test_an_episode_across_the_change_to_winter_time() -> None:
    events, _ = read_path(SOURCE, ACTIVITY, LENA)
    episode = at(events, 16)
    assert (episode.start, episode.end, episode.offset) == (
        datetime(2023, 10, 29, 2, 45),
        datetime(2023, 10, 29, 3, 15),  # not 2:15, though the hour comes twice
        120,
    )
    assert episode.data["season_name"] == "Limited Series"
    assert episode.data["episode_number"] == 2
    assert "tvseries_season" not in episode.data
    assert "country" not in episode.data
    assert "device" not in episode.data


def test_a_few_seconds_are_kept_and_autoplay_is_told() -> None:
    events, _ = read_path(SOURCE, ACTIVITY, LENA)
    glimpse = at(events, 6)
    assert glimpse.data["duration"] == 7
    assert glimpse.data["autoplayed"] is True
    assert glimpse.kind == "movie_stream"
    assert "autoplayed" not in at(events, 5).data


def test_going_on_with_a_title_and_starting_it_over() -> None:
    events, _ = read_path(SOURCE, ACTIVITY, LENA)
    told = {event.origin.position: event.data["watching_continuation"] for event in events}
    assert told[4] is False  # the first evening
    assert told[3] is True  # goes on at 0:40
    assert told[2] is False  # a month later, from the beginning


def test_without_a_bookmark_a_second_viewing_goes_on() -> None:
    events, _ = read_text(
        activity(
            "A,2024-01-02 20:00:00,0:10:00,,Roma,,TV,,,DE (Germany)",
            "A,2024-01-01 20:00:00,0:10:00,,Roma,,TV,,,DE (Germany)",
            "B,2024-01-03 20:00:00,0:10:00,,Roma,,TV,,,DE (Germany)",
        )
    )
    assert [event.data["watching_continuation"] for event in events] == [True, False, False]


def test_what_is_not_imported_is_said() -> None:
    events, issues = read_path(SOURCE, ACTIVITY, LENA)
    assert [event.origin.position for event in events] == [2, 3, 4, 5, 6, 9, 16]
    assert [(i.reason, i.origin.position, i.detail, i.skipped) for i in issues] == [
        ("a trailer or the like, not a viewing", 7, "TEASER_TRAILER", True),
        ("a trailer or the like, not a viewing", 8, "HOOK", True),
        ("another person's profile", 10, "Tom", True),
        ("another person's profile", 11, "Tom", True),
        ("broken record", 12, "'2024-02-30 20:00:00' is not a date and time", True),
        ("broken record", 13, "no title", True),
        ("broken record", 14, "'ages' is not a duration", True),
        ("broken CSV row", 15, "3 cells under 10 columns", True),
    ]
    assert {issue.origin.file for issue in issues} == {str(ACTIVITY)}


def test_without_a_known_name_all_profiles_are_taken() -> None:
    events, issues = read_path(SOURCE, ACTIVITY)
    assert {event.data["profile_name"] for event in events} == {"Lena", "Tom"}
    notes = [issue for issue in issues if not issue.skipped]
    assert [(n.reason, n.detail) for n in notes] == [
        (
            "several profiles",
            "none is named like you, so all were imported (import again with --who NAME for one):"
            " Lena, Tom",
        )
    ]
    show = at(events, 10).data
    assert show["tvseries_title"] == "Formula 1: Drive to Survive"
    assert (show["tvseries_season"], show["episode_name"]) == (6, "Money Talks: Part One")
    assert at(events, 11).data["season_name"] == "Collection 2"
    assert at(events, 11).data["tvseries_title"] == 'Bob\'s "Burgers"'


@pytest.mark.parametrize(
    ("who", "taken"),
    [
        (("lena",), {"Lena"}),
        (("LENA HOFER", "Leni"), {"Lena"}),
        (("Kind Zwei",), {"Kind Zwei"}),  # the full name before the first
        (("Kind",), {"Kind Eins", "Kind Zwei"}),
        (("Nobody", " "), {"Lena", "Kind Eins", "Kind Zwei"}),
    ],
)
def test_profiles_are_found_by_name(who: tuple[str, ...], taken: set[str]) -> None:
    text = activity(
        *(
            f"{name},2024-01-0{day} 20:00:00,0:10:00,,Roma,,TV,,,DE (Germany)"
            for day, name in enumerate(("Lena", "Kind Eins", "Kind Zwei"), 1)
        )
    )
    events, issues = read_text(text, context(who=who))
    assert {event.data["profile_name"] for event in events} == taken
    assert len(issues) == (1 if len(taken) == 3 else 3 - len(taken))


def test_one_profile_needs_no_note() -> None:
    events, issues = read_text(activity("A,2024-01-02 20:00:00,0:10:00,,Roma,,TV,,,DE (Germany)"))
    assert (len(events), issues) == (1, [])


def test_impossible_lengths_and_dates_are_issues() -> None:
    events, issues = read_text(
        activity(
            "A,2024-01-02 20:00:00,900:10:00,,Roma,,TV,,,DE (Germany)",
            "A,,0:10:00,,Roma,,TV,,,DE (Germany)",
            "A,9999-12-31 23:59:59,0:10:00,,Roma,,TV,,,DE (Germany)",
            "A,0001-01-01 00:00:00,0:10:00,,Roma,,TV,,,DE (Germany)",
            "A,2024-01-02 20:00:00,Not Available,,Roma,,TV,,,DE (Germany)",
        ),
        context(zone="America/New_York"),
    )
    assert reasons(issues) == ["broken record"] * 4
    assert len(events) == 1
    assert events[0].start == events[0].end
    assert "duration" not in events[0].data


# --- headers in other languages -------------------------------------------------------------------


def test_a_german_file_with_semicolons() -> None:
    events, issues = read_path(SOURCE, GERMAN, LENA)
    assert reasons(issues) == ["a trailer or the like, not a viewing"]
    assert len(events) == 1
    assert events[0].start == datetime(2022, 7, 1, 21, 0)
    assert events[0].data == {
        "tvseries_title": "Dark",
        "stream_full_title": "Dark: Staffel 2: Folge 3: Gespenster",
        "season_name": "Staffel 2",
        "tvseries_season": 2,
        "episode_name": "Folge 3: Gespenster",
        "episode_number": 3,
        "duration": 2700,
        "duration_unit": "seconds",
        "country": "Deutschland",
        "device": "Chromecast",
        "profile_name": "Lena",
        "watching_continuation": False,
    }


HEADERS = {
    "fr": "Nom du profil,Heure de début,Durée,Attributs,Titre,Type de vidéo supplémentaire,"
    "Type d'appareil,Signet,Dernier signet,Pays",
    "es": "Nombre del perfil,Hora de inicio,Duración,Atributos,Título,Tipo de vídeo complementario,"
    "Tipo de dispositivo,Marcador,Último marcador,País",
    "pt": "Nome do perfil,Hora de início,Duração,Atributos,Título,Tipo de vídeo suplementar,"
    "Tipo de dispositivo,Marcador,Último marcador,País",
    "it": "Nome profilo,Ora di inizio,Durata,Attributi,Titolo,Tipo di video supplementare,"
    "Tipo di dispositivo,Segnalibro,Ultimo segnalibro,Paese",
    "nl": "Profielnaam,Starttijd,Duur,Attributen,Titel,Type aanvullende video,"
    "Type apparaat,Bladwijzer,Laatste bladwijzer,Land",
    "pl": "Nazwa profilu,Godzina rozpoczęcia,Czas trwania,Atrybuty,Tytuł,Typ dodatkowego filmu,"
    "Typ urządzenia,Zakładka,Ostatnia zakładka,Kraj",
    "sv": "Profilnamn,Starttid,Längd,Attribut,Titel,Typ av tilläggsvideo,Enhetstyp,Bokmärke,"
    "Senaste bokmärke,Land",
    "unknown": "Aa,Bb,Cc,Dd,Ee,Ff,Gg,Hh,Ii,Jj",
}


@pytest.mark.parametrize("language", HEADERS)
def test_headers_in_any_language(language: str) -> None:
    body = ACTIVITY.read_text().split("\n", 1)[1]
    text = HEADERS[language] + "\n" + body
    assert sniff(text)
    wanted, wanted_issues = read_path(SOURCE, ACTIVITY, LENA)
    events, issues = read_text(text, LENA)
    assert [e._replace(origin=w.origin) for e, w in zip(events, wanted, strict=True)] == wanted
    assert reasons(issues) == reasons(wanted_issues)


def test_columns_in_another_order_are_found_by_their_cells() -> None:
    text = (
        "K1,K2,K3,K4,K5\n"
        "Roma,DE (Germany),,2024-01-02 20:00:00,0:10:00\n"
        "Okja,DE (Germany),,2024-01-03 20:00:00,0:20:00\n"
        "Bird,DE (Germany),TRAILER,2024-01-04 20:00:00,0:00:20\n"
    )
    assert sniff(text)
    events, issues = read_text(text)
    assert [(e.data["movie_title"], e.data["duration"]) for e in events] == [
        ("Roma", 600),
        ("Okja", 1200),
    ]
    assert [(i.reason, i.detail) for i in issues] == [
        ("a trailer or the like, not a viewing", "TRAILER")
    ]


def test_a_file_without_the_columns_is_an_export_problem() -> None:
    with pytest.raises(ExportProblem, match="no columns with start times"):
        read_text("a,b,c\n1,2,3\n")


# --- the quick download ---------------------------------------------------------------------------


def test_days_only() -> None:
    events, issues = read_path(SOURCE, HISTORY, LENA)
    assert [(e.origin.position, e.start.date().isoformat()) for e in events] == [
        (2, "2024-05-01"),
        (3, "2024-03-31"),
        (4, "2024-01-11"),
        (5, "2020-11-15"),
        (6, "2020-03-04"),
    ]
    crown = at(events, 5)
    assert (crown.start, crown.end) == (
        datetime(2020, 11, 15),
        datetime(2020, 11, 15, 23, 59, 59),
    )
    assert (crown.offset, crown.user_zone, crown.coarse) == (None, False, True)
    assert crown.data == {
        "tvseries_title": "The Crown",
        "stream_full_title": "The Crown: Season 4: Gold Stick",
        "season_name": "Season 4",
        "tvseries_season": 4,
        "episode_name": "Gold Stick",
    }
    assert at(events, 6).data == {
        "movie_title": "Star Trek: Picard",
        "stream_full_title": "Star Trek: Picard",
    }
    assert [(i.reason, i.origin.position, i.detail) for i in issues] == [
        ("broken record", 7, "no title"),
        ("broken record", 8, "'00.13.20' is not a date in DMY order"),
    ]


@pytest.mark.parametrize(
    ("dates", "first"),
    [
        (("4/21/25", "4/3/25"), "2025-04-21"),
        (("24.01.23", "02.01.23"), "2023-01-24"),
        (("2021-12-15", "2021-12-01"), "2021-12-15"),
        (("12/04/2022", "13/03/2022"), "2022-04-12"),
        (("12/04/2022", "12/04/2022", "31/01/2022"), "2022-04-12"),
    ],
)
def test_the_whole_file_decides_day_and_month(dates: tuple[str, ...], first: str) -> None:
    events, issues = read_text("Title,Date\n" + "".join(f'"Roma","{d}"\n' for d in dates))
    assert issues == []
    assert events[0].start == datetime.fromisoformat(first)


def test_an_ambiguous_file_asks_and_imports_nothing() -> None:
    events, issues = read_path(SOURCE, UNCLEAR)
    assert events == []
    assert [(i.reason, i.detail, i.skipped, i.origin.position) for i in issues] == [
        (
            "day and month cannot be told apart",
            "import again with `--date-order dmy` or `--date-order mdy`",
            True,
            0,
        )
    ]


@pytest.mark.parametrize(
    ("order", "days"),
    [
        (DateOrder.DMY, ["2021-04-03", "2021-02-01", "2021-03-05"]),
        (DateOrder.MDY, ["2021-03-04", "2021-01-02", "2021-05-03"]),
    ],
)
def test_the_users_word_settles_it(order: DateOrder, days: list[str]) -> None:
    ctx = context(date_order=order)
    events, issues = read_path(SOURCE, UNCLEAR, ctx)
    assert issues == []
    assert [event.start.date().isoformat() for event in events] == days
    assert SOURCE.stamp(ctx) != SOURCE.stamp(context())


@pytest.mark.parametrize("word", [DateOrder.DMY, DateOrder.MDY, DateOrder.YMD, None])
def test_the_users_word_does_not_override_what_the_dates_prove(word: DateOrder | None) -> None:
    proven = read_path(SOURCE, HISTORY)
    assert at(proven[0], 2).start == datetime(2024, 5, 1)
    assert read_path(SOURCE, HISTORY, context(date_order=word)) == proven
    year_first = 'Title,Date\n"Roma","2021-12-01"\n"Kif","2021-11-02"\n'
    events, _ = read_text(year_first, context(date_order=word))
    assert [event.start for event in events] == [datetime(2021, 12, 1), datetime(2021, 11, 2)]


def test_the_users_word_overrides_what_the_dates_suggest() -> None:
    # Newest first if the day stands in front, which is no proof.
    sorted_days = "Title,Date\n" + "".join(
        f'"R","{d}"\n' for d in ("05/04/21", "01/04/21", "09/03/21")
    )
    guessed, _ = read_text(sorted_days)
    assert guessed[0].start == datetime(2021, 4, 5)
    told, _ = read_text(sorted_days, context(date_order=DateOrder.MDY))
    assert told[0].start == datetime(2021, 5, 4)


# --- both files -----------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [(ACTIVITY, HISTORY), (HISTORY, ACTIVITY)])
def test_a_viewing_both_files_tell_counts_once(order: tuple[Path, ...]) -> None:
    with Store.open(None) as store:
        for path in order:
            import_paths([path], store, LENA, sources=[SOURCE])
        told = store.connection.execute("SELECT start_at, coarse FROM events").fetchall()
    # Seven viewings to the second; of the five days only two tell something new.
    assert len(told) == 9
    assert sorted(start for start, coarse in told if coarse) == [
        datetime(2020, 3, 4),
        datetime(2020, 11, 15),
    ]


def test_read_again_gives_the_same_events() -> None:
    first, _ = read_path(SOURCE, NETFLIX)
    again, _ = read_path(SOURCE, NETFLIX)
    assert first == again
    assert len({event.id for event in first}) == len(first)


def test_ids_outlive_zone_profile_name_and_language() -> None:
    berlin, _ = read_path(SOURCE, ACTIVITY, LENA)
    text = (
        ACTIVITY.read_text().replace("Lena,", "Leni,").replace("Dark: Season 1", "Dark: Staffel 1")
    )
    tokyo, _ = read_text(text, context(zone="Asia/Tokyo", who=("Leni",)))
    assert [event.id for event in tokyo] == [event.id for event in berlin]
    assert tokyo[0].start != berlin[0].start


def test_raw_finds_the_row() -> None:
    (file,) = files(ACTIVITY)
    shown = SOURCE.raw(file, 10)
    assert "Profile Name: Tom" in shown
    assert "Title: Formula 1: Drive to Survive: Season 6: Money Talks: Part One" in shown
    (file,) = files(HISTORY)
    assert SOURCE.raw(file, 4) == "Title: Mission: Impossible – Fallout\nDate: 11.01.24"


# --- recognising ----------------------------------------------------------------------------------


def test_files_are_recognised_by_content() -> None:
    found = {file.name for file in files(NETFLIX) if sniff(Path(file.name).read_bytes(), "renamed")}
    assert found == {str(path) for path in (ACTIVITY, GERMAN, HISTORY, UNCLEAR)}


@pytest.mark.parametrize(
    ("text", "mine"),
    [
        ("Titre,Date\nRoma,01/02/2021\n", True),
        ("Tytuł,Data\nRoma,2021-02-01\n", True),
        ('"Nimi","Päivä"\n"Dark: Kausi 1: Salaisuuksia","1.2.2021"\n', True),
        ('"Nimi","Päivä"\n"Roma","1.2.2021"\n', False),
        ("Title,Date\nBuy milk,tomorrow\n", False),
        ("Title,Date\nBuy milk,2021-02-01 10:00\n", False),
        ("Title,Date\n", False),
        ("Title,Author\nRoma,Someone\n", False),
        ("Date,Start Time,Duration,Title\n2021-01-01,10:00,0:30:00,Run\n", False),
        ("", False),
        ("Title,Date\n\x00\x00\x00", False),
        ('{"Title": "Date"}', False),
    ],
)
def test_sniff(text: str, mine: bool) -> None:
    assert sniff(text) is mine


def test_other_services_are_refused() -> None:
    assert claimed_of_others(SOURCE, "netflix") == []


def test_a_byte_order_mark_and_utf16() -> None:
    text = HISTORY.read_text()
    for content in (b"\xef\xbb\xbf" + text.encode(), text.encode("utf-16")):
        assert sniff(content)
        assert len(apart(read_all(SOURCE, content, "x.csv", LENA))[0]) == 5


# --- titles ---------------------------------------------------------------------------------------


def parsed(title: str, *others: str) -> Title:
    titles = Titles()
    for text in (title, *others):
        titles.add(text, "2024-01-01")
    return titles.parse(title)


@pytest.mark.parametrize(
    ("title", "wanted"),
    [
        ("Dark: Season 1: Lies", Title("Dark", "Season 1", 1, "Lies")),
        ("Dark: Staffel 2: Folge 3", Title("Dark", "Staffel 2", 2, "Folge 3", 3)),
        ("Dark: 2. Staffel: Lügen", Title("Dark", "2. Staffel", 2, "Lügen")),
        ("Lupin : Saison 1 : Chapitre 2", Title("Lupin", "Saison 1", 1, "Chapitre 2", 2)),
        ("Élite: Temporada 3: A", Title("Élite", "Temporada 3", 3, "A")),
        ("Élite: 3ª temporada: A", Title("Élite", "3ª temporada", 3, "A")),
        ("Suburra: Stagione 1: A", Title("Suburra", "Stagione 1", 1, "A")),
        ("Undercover: Seizoen 2: A", Title("Undercover", "Seizoen 2", 2, "A")),
        ("1983: Sezon 1: Odcinek 4", Title("1983", "Sezon 1", 1, "Odcinek 4", 4)),
        ("Kalifat: Säsong 1: Avsnitt 5", Title("Kalifat", "Säsong 1", 1, "Avsnitt 5", 5)),
        ("Karppi: Kausi 3: Jakso 1", Title("Karppi", "Kausi 3", 3, "Jakso 1", 1)),
        ("ショー: シーズン1: 第3話", Title("ショー", "シーズン1", 1, "第3話", 3)),
        ("La Cocina: Serie limitada: A", Title("La Cocina", "Serie limitada", None, "A")),
        ("Unbelievable: Miniserie: A", Title("Unbelievable", "Miniserie", None, "A")),
        ("Heist: Part 5: A Tradition", Title("Heist", "Part 5", 5, "A Tradition")),
        ("Robots: Volume One: Helping Hand", Title("Robots", "Volume One", 1, "Helping Hand")),
        ("Sabrina: Chapter II: A", Title("Sabrina", "Chapter II", 2, "A")),
        ("Planet: Collection: Deep Sea", Title("Planet", "Collection", None, "Deep Sea")),
        ("Titan: The Final Season: A", Title("Titan", "The Final Season", None, "A")),
        ("Titan: Season 4 (Part 2): A", Title("Titan", "Season 4 (Part 2)", 4, "A")),
        ("Dark: Season 2", Title("Dark", "Season 2", 2)),
        (
            "Show: Subtitle: Season 2: Ep: Part One",
            Title("Show: Subtitle", "Season 2", 2, "Ep: Part One"),
        ),
        (
            "Friends: Season 10: The One (Episode 9)",
            Title("Friends", "Season 10", 10, "The One", 9),
        ),
        ("Things: Things 4: Chapter Nine: X", Title("Things", "Things 4", 4, "Chapter Nine: X", 9)),
        ("Case File: Episode 3", Title("Case File", "", None, "Episode 3", 3)),
        ("Case File: The Trial (Folge 2)", Title("Case File", "", None, "The Trial", 2)),
        # films
        ("Roma", Title()),
        ("Mission: Impossible – Fallout", Title()),
        ("Dune: Part Two", Title()),
        ("Kill Bill: Vol. 2", Title()),
        ("Star Wars: Episode IV – A New Hope", Title()),
        ("The Saga: Dawn: Part 1", Title()),
        ("Seasoning: A Story", Title()),
        ("Series 7: The Contenders", Title()),
        ("Night: Party: Volvo", Title()),
        ("Halo 3:00", Title()),
        ("", Title()),
        (": : :", Title()),
        ("Season 1", Title()),
    ],
)
def test_titles(title: str, wanted: Title) -> None:
    assert parsed(title) == wanted


def test_other_titles_bear_witness() -> None:
    # A season with a name of its own.
    assert parsed("Horror: Asylum: Nor'easter") == Title()
    assert parsed("Horror: Asylum: Nor'easter", "Horror: Asylum: Dark Cousin") == Title(
        "Horror", "Asylum", None, "Nor'easter"
    )
    # Two parts of a film are no season.
    assert parsed("The Saga: Dawn: Part 1", "The Saga: Dawn: Part 2") == Title()
    # Three episodes on one day; two films on one day.
    assert parsed("Planet: Islands", "Planet: Jungles", "Planet: Deserts") == Title(
        "Planet", "", None, "Islands"
    )
    assert parsed("Spider: Homecoming", "Spider: No Way Home") == Title()
    # A season whose name holds a colon.
    book = [f"Avatar: The Bender: Book One: Water: {name}" for name in ("A", "B", "C")]
    assert parsed(*book) == Title("Avatar: The Bender", "Book One: Water", 1, "A")


def test_films_seen_on_different_days_stay_films() -> None:
    titles = Titles()
    for day, name in enumerate(("Fellowship", "Towers", "Return")):
        titles.add(f"Rings: {name}", f"2024-01-0{day + 1}")
    assert titles.parse("Rings: Towers") == Title()


def test_both_files_agree_on_the_key_of_a_title() -> None:
    assert title_key("Dark: Season 1:  Secrets (Episode 1)") == title_key(
        "dark: season 1: secrets "
    )
    assert title_key("Dark (2017)") != title_key("Dark")


def test_long_titles_are_quick() -> None:
    began = time.process_time()
    for piece in ("Season 1 ", "(", ": ", "Part ", "Episode 1 (", " ", "1"):
        text = activity(f'A,2024-01-02 20:00:00,0:10:00,,"{piece * 50_000}x",,TV,,,DE (Germany)')
        events, issues = read_text(text)
        assert len(events) + len(issues) == 1
    assert time.process_time() - began < 5


def test_a_path_of_files_is_read_whole(tmp_path: Path) -> None:
    write(tmp_path / "a" / "Verlauf.csv", HISTORY.read_bytes())
    write(tmp_path / "b" / "notes.csv", "a,b\n1,2\n")
    events, _ = read_path(SOURCE, tmp_path, LENA)
    assert len(events) == 5
