"""Dates, times, datetimes, epochs, parts of the calendar: by example and by round trip."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reqap.errors import ValueProblem
from reqap.values import (
    AmbiguousDate,
    DateOrder,
    EpochUnit,
    PartialDate,
    parse_date,
    parse_datetime,
    parse_epoch,
    parse_partial_date,
    parse_time,
)
from reqap.values.datewords import FILLERS, MONTHS, ZONES

DMY, MDY, YMD = DateOrder.DMY, DateOrder.MDY, DateOrder.YMD
MARCH_5 = date(2024, 3, 5)


@pytest.mark.parametrize(
    "text",
    [
        "2024-03-05",
        " 2024-03-05 ",
        "20240305",
        "2024/03/05",
        "2024/3/5",
        "2024. 3. 5.",
        "2024.03.05",
        "2024-W10-2",
        "2024W102",
        "2024年3月5日",
        "2024년 3월 5일",
        "２０２４-０３-０５",
        "٢٠٢٤-٠٣-٠٥",
        "5 Mar 2024",
        "05-Mar-2024",
        "5-Mar-24",
        "March 5, 2024",
        "Mar. 5, 2024",
        "Mar 5 '24",
        "5th of March 2024",
        "the 5th March, 2024",
        "2024 March 5",
        "5. März 2024",
        "5. Maerz 2024",
        "5 de marzo de 2024",
        "5 mars 2024",
        "mar. 5 mars 2024",
        "Mon, 5 Mar 2024",
        "Montag, 5. März 2024",
        "segunda-feira, 5 de março de 2024",
        "Mon, 05 Mar 2024 10:20:30 +0100",
        "2024-03-05T23:59:59-12:00",
        "2024-03-04T24:00",
    ],
)
def test_date_spellings(text: str) -> None:
    assert parse_date(text) == MARCH_5


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("24.01.23", date(2023, 1, 24)),
        ("4/21/25", date(2025, 4, 21)),
        ("13-04-2022", date(2022, 4, 13)),
        ("05/05/2024", date(2024, 5, 5)),
        ("Tue 04/21/2025", date(2025, 4, 21)),
        ("mar. 21/04/2025", date(2025, 4, 21)),
        ("31/12/69", date(2069, 12, 31)),
        ("31/12/70", date(1970, 12, 31)),
        ("99-12-31", date(1999, 12, 31)),
        ("29.02.2024", date(2024, 2, 29)),
        ("mar. 5 nov. 2024", date(2024, 11, 5)),
        ("Paz, 5 Oca 2024", date(2024, 1, 5)),
        ("5 paź 2024", date(2024, 10, 5)),
        ("1er août 2024", date(2024, 8, 1)),
        ("0001-01-01", date(1, 1, 1)),
        ("9999-12-31", date(9999, 12, 31)),
    ],
)
def test_dates_that_need_no_order(text: str, expected: date) -> None:
    assert parse_date(text) == expected


@pytest.mark.parametrize("text", ["5.3.24", "12-04-2022", "05/03/2024", "5/3-2024", "1/2/03"])
def test_a_numeric_date_with_two_readings_is_ambiguous(text: str) -> None:
    with pytest.raises(AmbiguousDate, match="ambiguous"):
        parse_date(text)


def test_the_order_decides() -> None:
    assert parse_date("5.3.24", DMY) == MARCH_5
    assert parse_date("12-04-2022", DMY) == date(2022, 4, 12)
    assert parse_date("12-04-2022", MDY) == date(2022, 12, 4)
    assert parse_date("24-03-05", YMD) == MARCH_5
    assert parse_date("24.01.23", YMD) == date(2024, 1, 23)
    # A four-digit year first, or a month in words, needs no order and ignores it.
    for order in DateOrder:
        assert parse_date("2024-03-05", order) == MARCH_5
        assert parse_date("5 March 2024", order) == MARCH_5
    assert parse_date("13-04-2022", YMD) == date(2022, 4, 13)
    with pytest.raises(ValueProblem, match="MDY order"):
        parse_date("13/04/2022", MDY)


@pytest.mark.parametrize(
    "value",
    [
        "0000-01-01",
        "10000-01-01",
        "2024-00-05",
        "2024-03-00",
        "2024-02-30",
        "2023-02-29",
        "31/04/2024",
        "32/13/2024",
        "-2024-03-05",
        "2024-03",
        "2024",
        "March 2024",
        "5 March",
        "Monday",
        "5 foo 2024",
        "5 March April 2024",
        "5 March 6 2024",
        "5 March 024",
        "1,2,2024",
        "2024-W54-1",
        "2024-W10-8",
        "1709600000",
        "9999-12-31T24:00",
        "2024-03-05T25:00",
        "2024-03-05\x00",
        "2024-03-05" * 100,
        "5/3/" * 300,
        20240305,
        1.5,
        True,
        b"2024-03-05",
    ],
)
def test_what_is_not_a_date(value: object) -> None:
    with pytest.raises(ValueProblem):
        parse_date(value)


def test_dates_and_datetimes_pass() -> None:
    assert parse_date(MARCH_5) is MARCH_5
    assert parse_date(datetime(2024, 3, 5, 10)) == MARCH_5
    assert parse_datetime(MARCH_5) == datetime(2024, 3, 5)
    assert parse_date("N/A") is None
    assert parse_datetime(None) is None
    assert parse_time("--") is None


NOON_ISH = datetime(2024, 3, 5, 15, 2, 23)


@pytest.mark.parametrize(
    "text",
    [
        "2024-03-05T15:02:23",
        "2024-03-05 15:02:23",
        "20240305T150223",
        "2024-W10-2T15:02:23",
        "Mar 5, 2024, 3:02:23\u202fPM",
        "Mar 5, 2024, 3:02:23 p.m.",
        "5 mar 2024, 3:02:23 p. m.",
        "5. März 2024 um 15:02:23 Uhr",
        "5 Mar 2024 at 15:02:23",
        "15:02:23, 5 March 2024",
        "3:02:23 PM - 5 Mar 2024",
        "5. marts 2024 kl. 15.02.23",
        "2024年3月5日 15:02:23",
        "2024-03-05T15:02:23,000",
    ],
)
def test_naive_datetime_spellings(text: str) -> None:
    assert parse_datetime(text) == NOON_ISH


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("2024-03-05T15:02:23Z", 0),
        ("2024-03-05t15:02:23z", 0),
        ("2024-03-05 15:02:23 UTC", 0),
        ("2024-03-05T15:02:23+02:00", 2),
        ("2024-03-05T15:02:23+0200", 2),
        ("2024-03-05 15:02:23 +0200", 2),
        ("2024-03-05 15:02:23+02", 2),
        ("20240305T150223+0200", 2),
        ("2024-03-05T15:02:23 -05:30", -5.5),
        ("Tue, 05 Mar 2024 15:02:23 -0800", -8),
        ("Tue, 05 Mar 2024 15:02:23 -0800 (PST)", -8),
        ("Tue, 05 Mar 2024 15:02:23 EST", -5),
        ("Tue Mar 05 15:02:23 +0000 2024", 0),
        ("Mar 5, 2024, 3:02:23 PM CEST", 2),
        ("Mar 5, 2024, 3:02:23 PM GMT+2", 2),
        ("Tue Mar 05 2024 15:02:23 GMT+0100 (Central European Standard Time)", 1),
    ],
)
def test_aware_datetime_spellings(text: str, hours: float) -> None:
    found = parse_datetime(text)
    assert found is not None
    assert found.replace(tzinfo=None) == NOON_ISH
    assert found.utcoffset() == timedelta(hours=hours)


def test_the_date_of_x() -> None:
    text = "Wed Oct 10 20:19:24 +0000 2018"
    assert parse_datetime(text) == datetime(2018, 10, 10, 20, 19, 24, tzinfo=UTC)


def test_edges_of_the_clock() -> None:
    assert parse_datetime("2024-12-31T24:00") == datetime(2025, 1, 1)
    assert parse_datetime("2016-12-31T23:59:60Z") == datetime(2017, 1, 1, tzinfo=UTC)
    assert parse_datetime("2024-03-05T10:20:30." + "123456789" * 5) == datetime(
        2024, 3, 5, 10, 20, 30, 123456
    )
    assert parse_datetime("2024-03-05T10:20:30.5 CET") == datetime(
        2024, 3, 5, 10, 20, 30, 500_000, tzinfo=timezone(timedelta(hours=1))
    )
    assert parse_datetime("4/21/25, 12:05 AM") == datetime(2025, 4, 21, 0, 5)
    assert parse_datetime("05/03/2024 10:00", DMY) == datetime(2024, 3, 5, 10)
    assert parse_datetime("2024-03-05") == datetime(2024, 3, 5)


@pytest.mark.parametrize(
    "value",
    [
        "10:20",
        "2024-03-05T10:60",
        "2024-03-05T24:01",
        "2024-03-05 13:00 PM",
        "2024-03-05T10:00+25:00",
        "2024-03-05T10:00:00+01:75",
        "2024-03-05 10:00 XYZ",
        "1709600000",
        1709600000,
        1709600000.5,
        "2024-03-05T10:00:00." + "1" * 300,
    ],
)
def test_what_is_not_a_datetime(value: object) -> None:
    with pytest.raises(ValueProblem):
        parse_datetime(value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("15:02", time(15, 2)),
        ("T15:02", time(15, 2)),
        ("15:02:03.5", time(15, 2, 3, 500_000)),
        ("3:02 PM", time(15, 2)),
        ("3:02\u202fp.m.", time(15, 2)),
        ("3pm", time(15)),
        ("12:30 am", time(0, 30)),
        ("12:30 pm", time(12, 30)),
        ("15h30", time(15, 30)),
        ("15 h 30", time(15, 30)),
        ("15:30 Uhr", time(15, 30)),
        ("kl. 15.30", time(15, 30)),
        ("24:00", time(0)),
        ("15:02Z", time(15, 2, tzinfo=UTC)),
        ("15:02+02:00", time(15, 2, tzinfo=timezone(timedelta(hours=2)))),
        ("2024-03-05T15:02", time(15, 2)),
    ],
)
def test_time_spellings(text: str, expected: time) -> None:
    found = parse_time(text)
    assert found == expected
    assert found is not None
    assert found.tzinfo == expected.tzinfo


@pytest.mark.parametrize("value", ["25:00", "10:60", "13:00 PM", "noon", "10", "1:2:3:4", 10, "x"])
def test_what_is_not_a_time(value: object) -> None:
    with pytest.raises(ValueProblem):
        parse_time(value)


@pytest.mark.parametrize(
    ("value", "unit", "expected"),
    [
        (0, None, datetime(1970, 1, 1)),
        (1_700_000_000, None, datetime(2023, 11, 14, 22, 13, 20)),
        ("1700000000", None, datetime(2023, 11, 14, 22, 13, 20)),
        (1_700_000_000_123, None, datetime(2023, 11, 14, 22, 13, 20, 123_000)),
        (1_700_000_000_123_456, None, datetime(2023, 11, 14, 22, 13, 20, 123_456)),
        (1_700_000_000_123_456_789, None, datetime(2023, 11, 14, 22, 13, 20, 123_456)),
        (1_700_000_000.25, None, datetime(2023, 11, 14, 22, 13, 20, 250_000)),
        ("1700000000.123456", "s", datetime(2023, 11, 14, 22, 13, 20, 123_456)),
        (1_000, "ms", datetime(1970, 1, 1, 0, 0, 1)),
        (1_000_000, "us", datetime(1970, 1, 1, 0, 0, 1)),
    ],
)
def test_epochs(value: object, unit: EpochUnit | None, expected: datetime) -> None:
    assert parse_epoch(value, unit) == expected.replace(tzinfo=UTC)


@pytest.mark.parametrize("value", [-1, 10**30, 1e30, float("inf"), True, "1e9", "abc", "-5", [1]])
def test_what_is_not_an_epoch(value: object) -> None:
    with pytest.raises(ValueProblem):
        parse_epoch(value)


def test_an_epoch_outside_its_unit_is_refused() -> None:
    with pytest.raises(ValueProblem):
        parse_epoch(1_700_000_000_123, "s")
    assert parse_epoch("n/a") is None


@pytest.mark.parametrize(
    ("value", "first", "last"),
    [
        ("2024", (1, 1), (12, 31)),
        (2024, (1, 1), (12, 31)),
        ("2024-02", (2, 1), (2, 29)),
        ("2024/2", (2, 1), (2, 29)),
        ("02/2024", (2, 1), (2, 29)),
        ("February 2024", (2, 1), (2, 29)),
        ("Feb 2024", (2, 1), (2, 29)),
        ("Feb. 2024", (2, 1), (2, 29)),
        ("febrero de 2024", (2, 1), (2, 29)),
        ("2024 Februar", (2, 1), (2, 29)),
        ("2024年2月", (2, 1), (2, 29)),
        ("2024-Q1", (1, 1), (3, 31)),
        ("Q4 2024", (10, 1), (12, 31)),
        ("2024-W10", (3, 4), (3, 10)),
        ("2024-03-05", (3, 5), (3, 5)),
        ("5 March 2024", (3, 5), (3, 5)),
        (MARCH_5, (3, 5), (3, 5)),
    ],
)
def test_partial_dates(value: object, first: tuple[int, int], last: tuple[int, int]) -> None:
    assert parse_partial_date(value) == PartialDate(date(2024, *first), date(2024, *last))


@pytest.mark.parametrize("value", ["0000", "2024-13", "2024-Q5", "Mar 24", "9999-W53", 20240, "x"])
def test_what_is_not_a_partial_date(value: object) -> None:
    with pytest.raises(ValueProblem):
        parse_partial_date(value)


def test_partial_dates_follow_the_order_and_the_missing() -> None:
    assert parse_partial_date("05/03/2024", DMY) == PartialDate(MARCH_5, MARCH_5)
    assert parse_partial_date("N/A") is None


# Written down here once more, so that a slip in the table of the product shows.
MONTH_NAMES = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre "
    "diciembre",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro "
    "dezembro",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre "
    "dicembre",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
    "sv": "januari februari mars april maj juni juli augusti september oktober november december",
    "no": "januar februar mars april mai juni juli august september oktober november desember",
    "da": "januar februar marts april maj juni juli august september oktober november december",
    "pl": "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października "
    "listopada grudnia",
    "fi": "tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta heinäkuuta elokuuta "
    "syyskuuta lokakuuta marraskuuta joulukuuta",
    "tr": "Ocak Şubat Mart Nisan Mayıs Haziran Temmuz Ağustos Eylül Ekim Kasım Aralık",
}
WEEKDAY_NAMES = {
    "en": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
    "de": "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag",
    "fr": "lundi mardi mercredi jeudi vendredi samedi dimanche",
    "es": "lunes martes miércoles jueves viernes sábado domingo",
    "pt": "segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado domingo",
    "it": "lunedì martedì mercoledì giovedì venerdì sabato domenica",
    "nl": "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
    "sv": "måndag tisdag onsdag torsdag fredag lördag söndag",
    "no": "mandag tirsdag onsdag torsdag fredag lørdag søndag",
    "da": "mandag tirsdag onsdag torsdag fredag lørdag søndag",
    "pl": "poniedziałek wtorek środa czwartek piątek sobota niedziela",
    "fi": "maanantai tiistai keskiviikko torstai perjantai lauantai sunnuntai",
    "tr": "Pazartesi Salı Çarşamba Perşembe Cuma Cumartesi Pazar",
}


def test_every_month_table_has_twelve() -> None:
    assert {len(names.split()) for names in MONTH_NAMES.values()} == {12}
    assert {len(names.split()) for names in WEEKDAY_NAMES.values()} == {7}
    assert not set(MONTHS) & FILLERS
    assert not set(ZONES) & set(MONTHS)


@pytest.mark.parametrize("language", sorted(MONTH_NAMES))
@given(day=st.dates())
@settings(max_examples=40, deadline=None)
def test_named_dates_round_trip_in_every_language(language: str, day: date) -> None:
    month = MONTH_NAMES[language].split()[day.month - 1]
    weekday = WEEKDAY_NAMES[language].split()[day.weekday()]
    year = f"{day.year:04}"
    for text in (
        f"{day.day} {month} {year}",
        f"{day.day}. {month} {year}",
        f"{weekday}, {day.day} {month.upper()} {year}",
        f"{weekday} {day.day} de {month} de {year}",
        f"{month} {day.day}, {year}",
    ):
        assert parse_date(text) == day
    assert parse_partial_date(f"{month} {year}") == parse_partial_date(f"{year}-{day.month:02}")


NUMERIC_FORMATS: dict[DateOrder, Callable[[date, str], str]] = {
    DMY: lambda day, sep: sep.join((f"{day.day:02}", f"{day.month:02}", f"{day.year:04}")),
    MDY: lambda day, sep: sep.join((f"{day.month:02}", f"{day.day:02}", f"{day.year:04}")),
    YMD: lambda day, sep: sep.join((f"{day.year:04}", f"{day.month:02}", f"{day.day:02}")),
}
SHORT_FORMATS: dict[DateOrder, Callable[[date, str], str]] = {
    DMY: lambda day, sep: sep.join((str(day.day), str(day.month), f"{day.year % 100:02}")),
    MDY: lambda day, sep: sep.join((str(day.month), str(day.day), f"{day.year % 100:02}")),
    YMD: lambda day, sep: sep.join((f"{day.year % 100:02}", str(day.month), str(day.day))),
}
SEPARATORS = st.sampled_from(["/", ".", "-", ". ", " "])
RECENT = st.dates(date(1970, 1, 1), date(2069, 12, 31))


@given(st.dates(), st.sampled_from(DateOrder), SEPARATORS)
@settings(deadline=None)
def test_numeric_dates_round_trip(day: date, order: DateOrder, separator: str) -> None:
    assert parse_date(NUMERIC_FORMATS[order](day, separator), order) == day


@given(RECENT, st.sampled_from(DateOrder), SEPARATORS)
@settings(deadline=None)
def test_two_digit_years_round_trip(day: date, order: DateOrder, separator: str) -> None:
    assert parse_date(SHORT_FORMATS[order](day, separator), order) == day


@given(st.dates(), st.sampled_from([DMY, MDY]), SEPARATORS)
@settings(deadline=None)
def test_without_an_order_a_date_is_right_or_ambiguous(
    day: date, order: DateOrder, separator: str
) -> None:
    text = NUMERIC_FORMATS[order](day, separator)
    if day.day <= 12 and day.day != day.month:
        with pytest.raises(AmbiguousDate):
            parse_date(text)
    else:
        assert parse_date(text) == day


@given(st.dates())
@settings(deadline=None)
def test_iso_dates_round_trip(day: date) -> None:
    year, week, weekday = day.isocalendar()
    assert parse_date(day.isoformat()) == day
    assert parse_date(day.strftime(f"{day.year:04}%m%d")) == day
    if 1 <= year <= 9999:
        assert parse_date(f"{year:04}-W{week:02}-{weekday}") == day


OFFSETS = st.timedeltas(timedelta(hours=-23), timedelta(hours=23)).map(
    lambda offset: timezone(timedelta(minutes=offset // timedelta(minutes=1)))
)
MOMENTS = st.datetimes(timezones=st.none() | OFFSETS)


@given(MOMENTS)
@settings(deadline=None)
def test_iso_datetimes_round_trip(moment: datetime) -> None:
    for text in (moment.isoformat(), moment.isoformat(" "), moment.isoformat().lower()):
        found = parse_datetime(text)
        assert found == moment
        assert found is not None
        assert found.utcoffset() == moment.utcoffset()
    assert parse_time(moment.timetz().isoformat()) == moment.timetz()


@given(st.datetimes(datetime(1900, 1, 1), timezones=OFFSETS))
@settings(deadline=None)
def test_printed_datetimes_round_trip(moment: datetime) -> None:
    moment = moment.replace(microsecond=0)
    for pattern in (
        "%a, %d %b %Y %H:%M:%S %z",
        "%a %b %d %H:%M:%S %z %Y",
        "%b %d, %Y, %I:%M:%S\u202f%p %z",
        "%Y-%m-%d %H:%M:%S %z",
        "%Y%m%dT%H%M%S%z",
        "%d. %B %Y, %H:%M:%S GMT%z",
    ):
        found = parse_datetime(moment.strftime(pattern))
        assert found == moment
        assert found is not None
        assert found.utcoffset() == moment.utcoffset()


@given(
    st.datetimes(datetime(1970, 6, 1), datetime(2100, 12, 31, 23, 59, 59, 999_999)),
)
@settings(deadline=None)
def test_epochs_round_trip(moment: datetime) -> None:
    aware = moment.replace(tzinfo=UTC)
    micros = (aware - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
    assert parse_epoch(micros) == aware
    assert parse_epoch(str(micros), "us") == aware
    assert parse_epoch(micros // 1_000_000, "s") == aware.replace(microsecond=0)
    assert parse_epoch(micros // 1_000_000) == aware.replace(microsecond=0)
    assert parse_epoch(f"{micros // 10**6}.{micros % 10**6:06}") == aware


@given(st.integers(1, 9999), st.integers(1, 12))
@settings(deadline=None)
def test_months_cover_themselves(year: int, month: int) -> None:
    found = parse_partial_date(f"{year:04}-{month:02}")
    assert found is not None
    assert found.first == date(year, month, 1)
    assert found.last.month == month
    assert found.last == date.max or (found.last + timedelta(days=1)).day == 1
    assert parse_partial_date(f"{month:02}/{year:04}") == found
