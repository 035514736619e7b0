"""Calendars: repetition, exceptions, zones, all-day events, the change of the clocks, damage."""

import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeGuard
from zoneinfo import ZoneInfo

import pytest

from reqap.events import Event, ImportIssue, Retraction, event_id
from reqap.importing import import_paths
from reqap.sources.calendars import SOURCE
from reqap.sources.recurrence import Work
from reqap.sources.textio import STRAY_NUL
from reqap.sources.zones import WINDOWS, named_zone
from reqap.store import Store
from tests.sources.reading import (
    DATA,
    claimed_of_others,
    claims,
    context,
    files,
    read_all,
    read_path,
    reasons,
    write,
)

CALENDAR = DATA / "calendar"
GOOGLE = CALENDAR / "Takeout/Kalender/mia.keller@example.com.ics"
APPLE = CALENDAR / "Home.ics"
OUTLOOK = CALENDAR / "Outlook Kalender.ics"
BROKEN = CALENDAR / "broken.ics"


def named(path: Path, summary: str, zone: str = "Europe/Berlin") -> list[Event]:
    events, _ = read_path(SOURCE, path, context(zone))
    return [event for event in events if event.data.get("summary") == summary]


def spans(events: Sequence[Event]) -> list[tuple[str, str]]:
    return [(f"{e.start:%Y-%m-%d %H:%M}", f"{e.end:%Y-%m-%d %H:%M}") for e in events]


def starts(events: Sequence[Event]) -> list[str]:
    return [f"{e.start:%Y-%m-%d %H:%M}" for e in events]


def calendar(tmp_path: Path, *lines: str, head: str = "") -> tuple[list[Event], list[ImportIssue]]:
    """What a calendar with one appointment of these lines gives."""
    body = "\r\n".join(lines)
    text = (
        f"BEGIN:VCALENDAR\r\n{head}BEGIN:VEVENT\r\nUID:u\r\n{body}\r\nEND:VEVENT\r\nEND:VCALENDAR"
    )
    return read_path(SOURCE, write(tmp_path / "x", text))


def is_issue(item: object) -> TypeGuard[ImportIssue]:
    return isinstance(item, ImportIssue)


# --- what an appointment says


def test_an_invitation_with_everything_in_it() -> None:
    [event] = named(GOOGLE, "Frühstück, dann Hüttentour")
    assert event.kind == "calendar"
    assert (event.start, event.end) == (datetime(2022, 6, 7, 18, 30), datetime(2022, 6, 7, 20, 0))
    assert (event.offset, event.user_zone) == (120, True)
    assert event.revision == int(datetime(2022, 6, 2, 8, tzinfo=UTC).timestamp())
    assert event.data == {
        "summary": "Frühstück, dann Hüttentour",
        "location": "Café am See, Lindau",
        "description": "Bring the maps\nand a torch, please; thanks\nJörg",
        "participants": ["mia.keller@example.com", "Berg, Tom; jun.", "zoe@example.org"],
        "organizer": "Jörg Müller",
        "calendar_name": "mia.keller@example.com",
        "my_response": "accepted",
    }


def test_cancelled_and_declined_appointments_are_passed_over() -> None:
    issues = [item for item in read_all(SOURCE, GOOGLE.read_bytes()) if is_issue(item)]
    assert [(i.reason, i.detail, i.origin.position) for i in issues] == [
        ("cancelled", "Choir", 54),
        ("declined", "All hands", 69),
        ("cancelled", "Called off", 76),
    ]


def test_declined_by_one_of_the_users_names() -> None:
    raw = GOOGLE.read_bytes().replace(b"CALNAME:mia.keller@example.com", b"CALNAME:Work")

    def told(*who: str) -> list[str]:
        items = read_all(SOURCE, raw, ctx=context(who=who))
        return reasons([item for item in items if is_issue(item)])

    assert "declined" not in told()
    assert "declined" in told("mia keller")


def test_very_many_participants_are_cut(tmp_path: Path) -> None:
    people = [f"ATTENDEE;CN=P{n}:mailto:p{n}@example.org" for n in range(300)]
    [event], issues = calendar(tmp_path, "DTSTART:20220105T090000Z", *people)
    assert event.data["participants"] == [f"P{n}" for n in range(200)]
    assert [(i.reason, i.detail, i.skipped) for i in issues] == [
        ("more than is kept", "the first 200 of 300 participants", False)
    ]
    [event], issues = calendar(tmp_path, "DTSTART:20220105T090000Z", *people[:200], people[0])
    assert (len(event.data["participants"]), issues) == (200, [])  # type: ignore[arg-type]
    labels = "CATEGORIES:" + ",".join(map(str, range(51)))
    [event], issues = calendar(tmp_path, "DTSTART:20220105T090000Z", labels)
    assert event.data["categories"] == [str(n) for n in range(50)]
    assert issues[0].detail == "the first 50 of 51 categories"


def test_a_meeting_elsewhere_is_told_in_the_users_time() -> None:
    # On that day New York already had summer time, and Berlin had not.
    [event] = named(GOOGLE, "Call with the New York office")
    assert spans([event]) == [("2022-03-15 14:00", "2022-03-15 15:00")]
    assert event.data["time_zone"] == "America/New_York"
    assert event.data["status"] == "tentative"
    assert event.data["url"] == "https://meet.example.com/abc"
    assert event.data["categories"] == ["Work", "Calls"]
    [home] = named(GOOGLE, "Call with the New York office", "America/New_York")
    assert starts([home]) == ["2022-03-15 09:00"]
    assert "time_zone" not in home.data


def test_all_day_events_end_with_their_last_day_in_every_zone() -> None:
    for zone in ("Europe/Berlin", "Pacific/Auckland"):
        [event] = named(GOOGLE, "Ferien in Łódź", zone)
        assert (event.start, event.end) == (
            datetime(2022, 8, 1),
            datetime(2022, 8, 14, 23, 59, 59),
        )
        assert (event.offset, event.user_zone) == (None, False)
        assert event.data["all_day"] is True


def test_floating_times_stay_and_apples_place_is_taken() -> None:
    [event] = named(APPLE, "Kino", "America/New_York")
    assert spans([event]) == [("2022-05-01 20:30", "2022-05-01 22:30")]
    assert (event.offset, event.user_zone) == (None, False)
    assert event.data["location"] == "Kino am Markt"


def test_the_calendars_zone_is_that_of_floating_times(tmp_path: Path) -> None:
    head = "X-WR-TIMEZONE:America/New_York\r\n"
    [event], _ = calendar(tmp_path, "DTSTART:20220105T090000", head=head)
    assert (starts([event]), event.offset) == (["2022-01-05 15:00"], 60)


def test_todos_and_journals_are_issues_with_their_line() -> None:
    _, issues = read_path(SOURCE, APPLE)
    assert [(i.reason, i.detail, i.origin.position) for i in issues] == [
        ("a to-do, not an appointment", "Steuer", 80),
        ("a journal entry, not an appointment", "Tagebuch", 85),
    ]


# --- repetition


def test_a_series_with_an_exception_a_moved_and_a_cancelled_date() -> None:
    # UNTIL is the very instant of the last date; the clocks change on 27 March.
    assert spans(named(GOOGLE, "Choir")) == [
        ("2022-03-14 18:00", "2022-03-14 19:30"),
        ("2022-04-11 18:00", "2022-04-11 19:30"),
    ]
    [moved] = named(GOOGLE, "Choir (moved to Tuesday)")
    assert spans([moved]) == [("2022-03-29 19:00", "2022-03-29 20:30")]
    assert moved.data["recurring"] is True


def test_a_moved_date_has_the_id_of_the_date_it_replaces(tmp_path: Path) -> None:
    before = GOOGLE.read_bytes().split(b"BEGIN:VEVENT\r\n")
    del before[3:5]  # the moved and the cancelled date
    path = write(tmp_path / "before.ics", b"BEGIN:VEVENT\r\n".join(before))
    old = {e.start: e.id for e in named(path, "Choir")}
    assert len(old) == 4
    [moved] = named(GOOGLE, "Choir (moved to Tuesday)")
    assert old[datetime(2022, 3, 28, 18)] == moved.id


def test_this_and_all_following_dates() -> None:
    assert spans(named(OUTLOOK, "Stand-up")) == [
        (f"2022-04-0{day} 09:00", f"2022-04-0{day} 09:30") for day in (4, 5, 6)
    ]
    later = named(OUTLOOK, "Stand-up, later and shorter")
    assert spans(later) == [
        (f"2022-04-{day} 10:15", f"2022-04-{day} 10:30") for day in ("07", "08", "11")
    ]


def test_extra_dates_and_periods_and_a_day_taken_out() -> None:
    assert spans(named(APPLE, "Kurs")) == [
        ("2022-06-03 09:00", "2022-06-03 12:00"),
        ("2022-06-04 09:00", "2022-06-04 09:15"),
        ("2022-06-06 11:00", "2022-06-06 12:00"),
    ]


def test_nul_characters_are_left_out_and_told() -> None:
    content = vcalendar(vevent("DTSTART:20220101", "ORGANIZER;CN=\x00Ada:mailto:ada@example.org"))
    items = read_all(SOURCE, content)
    assert [item.data["organizer"] for item in items if isinstance(item, Event)] == ["Ada"]
    assert STRAY_NUL in [item.reason for item in items if isinstance(item, ImportIssue)]


def test_birthdays_begin_in_plausible_years() -> None:
    unknown = named(APPLE, "Zoë's birthday")
    # From the year before the earliest other appointment, to the end of next year.
    assert starts(unknown)[:4] == [
        "2021-02-28 00:00",
        "2022-02-28 00:00",
        "2023-02-28 00:00",
        "2024-02-29 00:00",
    ]
    assert starts(unknown)[-1] == "2027-02-28 00:00"
    assert "since" not in unknown[0].data
    known = named(APPLE, "Papa")
    assert (starts(known)[0], starts(known)[-1]) == ("2021-06-07 00:00", "2027-06-07 00:00")
    assert known[0].end == datetime(2021, 6, 7, 23, 59, 59)
    assert known[0].data["since"] == "1955-06-07"


def test_the_horizon_moves_with_the_year() -> None:
    later = context(today=datetime(2030, 5, 1))
    assert SOURCE.stamp(context()) != SOURCE.stamp(later)
    assert SOURCE.stamp(context()) != SOURCE.stamp(context(who=("Mia",)))
    events, _ = read_path(SOURCE, APPLE, later)
    assert max(e.start for e in events if e.data["summary"] == "Papa").year == 2031
    assert SOURCE.ahead


@pytest.mark.parametrize(
    ("start", "rule", "expected"),
    [
        ("DTSTART;TZID=Europe/Berlin:20220110T090000", "FREQ=DAILY;UNTIL=20220112T080000Z", 3),
        ("DTSTART;TZID=Europe/Berlin:20220110T090000", "FREQ=DAILY;UNTIL=20220112T075959Z", 2),
        ("DTSTART;TZID=Europe/Berlin:20220110T090000", "FREQ=DAILY;UNTIL=20220112", 3),
        ("DTSTART;TZID=Europe/Berlin:20220110T090000", "FREQ=DAILY;UNTIL=20220112T090000", 3),
        ("DTSTART;VALUE=DATE:20220110", "FREQ=DAILY;UNTIL=20220112", 3),
        ("DTSTART;VALUE=DATE:20220110", "FREQ=DAILY;UNTIL=20220112T225959Z", 3),
        ("DTSTART:20220110T090000", "FREQ=DAILY;UNTIL=20220112T080000Z", 3),
        ("DTSTART:20220110T090000Z", "FREQ=DAILY;COUNT=3", 3),
        ("DTSTART:20220110T090000Z", "FREQ=HOURLY;INTERVAL=8;COUNT=4", 4),
        # The first date counts even where the rule does not give it.
        ("DTSTART:20220110T090000Z", "FREQ=WEEKLY;BYDAY=WE;COUNT=2", 3),
    ],
)
def test_where_a_series_ends(tmp_path: Path, start: str, rule: str, expected: int) -> None:
    events, issues = calendar(tmp_path, start, f"RRULE:{rule}")
    assert (len(events), issues) == (expected, [])
    assert all(event.data["recurring"] is True for event in events)


@pytest.mark.parametrize(
    "exdate",
    [
        "EXDATE:20220111T080000Z",
        "EXDATE;TZID=Europe/London:20220111T080000",
        "EXDATE;TZID=Europe/Berlin:20220108T090000,20220111T090000",
        "EXDATE;VALUE=DATE:20220111",
        "EXRULE:FREQ=DAILY;BYMONTHDAY=11;COUNT=1",
    ],
)
def test_the_ways_to_take_a_date_out(tmp_path: Path, exdate: str) -> None:
    start = "DTSTART;TZID=Europe/Berlin:20220110T090000"
    events, _ = calendar(tmp_path, start, "RRULE:FREQ=DAILY;COUNT=3", exdate)
    assert starts(events) == ["2022-01-10 09:00", "2022-01-12 09:00"]


# --- the change of the clocks


def test_the_hour_that_is_skipped_and_the_hour_that_comes_twice() -> None:
    assert [(e.start, e.end, e.offset) for e in named(APPLE, "Backup (spring)")] == [
        (datetime(2022, 3, 20, 2, 30), datetime(2022, 3, 20, 3, 30), 60),
        (datetime(2022, 3, 27, 3, 30), datetime(2022, 3, 27, 4, 30), 120),
        (datetime(2022, 4, 3, 2, 30), datetime(2022, 4, 3, 3, 30), 120),
    ]
    assert not [e for e in named(APPLE, "Backup (spring)") if "time_zone" in e.data]
    assert [(e.start, e.end, e.offset) for e in named(APPLE, "Backup (autumn)")] == [
        (datetime(2022, 10, 23, 2, 30), datetime(2022, 10, 23, 3, 30), 120),
        (datetime(2022, 10, 30, 2, 30), datetime(2022, 10, 30, 2, 30), 120),
        (datetime(2022, 11, 6, 2, 30), datetime(2022, 11, 6, 3, 30), 60),
    ]


def test_a_night_shift_across_the_change_ends_when_its_end_is_written() -> None:
    assert spans(named(APPLE, "Nachtdienst")) == [("2022-03-26 22:00", "2022-03-27 06:00")]


def test_hours_are_exact_and_days_are_not(tmp_path: Path) -> None:
    start = "DTSTART;TZID=Europe/Berlin:20220326T120000"
    [exact], _ = calendar(tmp_path, start, "DURATION:PT24H")
    [nominal], _ = calendar(tmp_path, start, "DURATION:P1D")
    assert spans([exact]) == [("2022-03-26 12:00", "2022-03-27 13:00")]
    assert spans([nominal]) == [("2022-03-26 12:00", "2022-03-27 12:00")]


# --- zones


def test_windows_prefixed_own_and_unknown_zones() -> None:
    events, issues = read_path(SOURCE, OUTLOOK)
    told = {str(e.data["summary"]): e for e in events}
    assert starts([told["Own zone, defined below"]]) == ["2022-07-11 15:00"]
    assert told["Own zone, defined below"].data["time_zone"] == "Customized Time Zone"
    assert starts([told["Call with Tokyo"]]) == ["2022-07-12 02:00"]
    assert starts([told["Sommerzeit"]]) == ["2022-07-13 09:00"]
    assert starts([told["Only an offset"]]) == ["2022-07-14 14:30"]
    assert told["Brückentag"].data["all_day"] is True
    assert told["Brückentag"].end == datetime(2022, 5, 10, 23, 59, 59)
    assert told["Nobody knows this zone"].offset is None
    assert [(i.reason, i.skipped) for i in issues] == [("unknown time zone", False)]
    assert issues[0].detail.startswith("Middle Earth Standard Time")


@pytest.mark.parametrize(
    ("name", "zone"),
    [
        ("Europe/Berlin", "Europe/Berlin"),
        ("europe/berlin", "Europe/Berlin"),
        ("/mozilla.org/20050126_1/Europe/Berlin", "Europe/Berlin"),
        ("/x/20050126_1/America/Argentina/Buenos_Aires", "America/Argentina/Buenos_Aires"),
        ("W. Europe Standard Time", "Europe/Berlin"),
        ("AUS Eastern Standard Time", "Australia/Sydney"),
        ("(UTC+01:00) Amsterdam, Berlin, Bern, Rome", "Europe/Amsterdam"),
        ("(UTC-05:00) Eastern Time (US & Canada)", "America/New_York"),
        ("(UTC) Dublin, Edinburgh, Lisbon, London", "Europe/Dublin"),
        ("(GMT+05.30) Chennai/Kolkata", "Asia/Kolkata"),
        ("GMT+01:00", "UTC+01:00"),
        ("UTC-3", "UTC-03:00"),
        ("tzone://Microsoft/Utc", "UTC"),
    ],
)
def test_zone_names(name: str, zone: str) -> None:
    assert str(named_zone(name)) == zone


@pytest.mark.parametrize(
    "name", ["", "../etc/passwd", "GMT+99:99", "x" * 5000, "Mars/Olympus", "\x00"]
)
def test_names_of_no_zone(name: str) -> None:
    assert named_zone(name) is None


def test_every_windows_zone_is_known() -> None:
    assert len(WINDOWS) > 130
    for name, zone in WINDOWS.items():
        assert named_zone(name) == (UTC if name == "UTC" else ZoneInfo(zone))


def test_a_zone_of_the_files_own_keeps_its_own_changes(tmp_path: Path) -> None:
    own = (
        "BEGIN:VTIMEZONE\r\nTZID:Here\r\n"
        "BEGIN:DAYLIGHT\r\nDTSTART:20220327T020000\r\nRRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU\r\n"
        "TZOFFSETFROM:+0100\r\nTZOFFSETTO:+0200\r\nEND:DAYLIGHT\r\n"
        "BEGIN:STANDARD\r\nDTSTART:20211031T030000\r\nRRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU\r\n"
        "TZOFFSETFROM:+0200\r\nTZOFFSETTO:+0100\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\n"
    )
    for at, rule in (("20220320T023000", "WEEKLY"), ("20221029T023000", "DAILY")):
        lines = [f"DTSTART;TZID=%s:{at}", f"RRULE:FREQ={rule};COUNT=3", "DURATION:PT30M"]
        ours, _ = calendar(tmp_path, lines[0] % "Here", *lines[1:], head=own)
        theirs, _ = calendar(tmp_path, lines[0] % "Europe/Berlin", *lines[1:])
        assert [e[3:6] for e in ours] == [e[3:6] for e in theirs]


# --- lengths and odd values


@pytest.mark.parametrize(
    ("lines", "span", "note"),
    [
        (["DTSTART:20220105T090000"], ("2022-01-05 09:00", "2022-01-05 09:00"), None),
        (["DTSTART;VALUE=DATE:20220105"], ("2022-01-05 00:00", "2022-01-05 23:59"), None),
        (["DTSTART:20220105"], ("2022-01-05 00:00", "2022-01-05 23:59"), None),
        (
            ["DTSTART;VALUE=DATE:20220105", "DTEND;VALUE=DATE:20220105"],
            ("2022-01-05 00:00", "2022-01-05 23:59"),
            None,
        ),
        (
            ["DTSTART;VALUE=DATE:20220105", "DURATION:P2D"],
            ("2022-01-05 00:00", "2022-01-06 23:59"),
            None,
        ),
        (
            ["DTSTART:20220105T090000", "DTEND:20220105T080000"],
            ("2022-01-05 09:00", "2022-01-05 09:00"),
            "the end lies before the start",
        ),
        (
            ["DTSTART:20220105T090000", "DTEND:soon"],
            ("2022-01-05 09:00", "2022-01-05 09:00"),
            "no readable end",
        ),
        (
            ["DTSTART:20220105T090000", "DURATION:-PT5M"],
            ("2022-01-05 09:00", "2022-01-05 09:00"),
            "no readable duration",
        ),
        (["DTSTART:2022-01-05T09:00:00Z"], ("2022-01-05 10:00", "2022-01-05 10:00"), None),
        (["DTSTART:20220105T240000"], ("2022-01-06 00:00", "2022-01-06 00:00"), None),
    ],
)
def test_lengths(tmp_path: Path, lines: list[str], span: tuple[str, str], note: str | None) -> None:
    events, issues = calendar(tmp_path, *lines)
    assert spans(events) == [span]
    assert reasons(issues) == ([note] if note else [])
    assert not any(issue.skipped for issue in issues)


def test_vcalendar_1_with_quoted_printable_and_soft_line_breaks(tmp_path: Path) -> None:
    summary = "SUMMARY;ENCODING=QUOTED-PRINTABLE;CHARSET=UTF-8:Gr=C3=BC=\r\n=C3=9Fe"
    [event], issues = calendar(tmp_path, "DTSTART:20220105T090000", summary)
    assert (event.data["summary"], issues) == ("Grüße", [])


def test_broken_components_cost_no_other() -> None:
    events, issues = read_path(SOURCE, BROKEN)
    assert [(i.reason, i.origin.position, i.skipped) for i in issues] == [
        ("no start", 3, True),
        ("no readable start", 7, True),
        ("a component that is not closed", 12, True),
        ("not a line of a calendar", 21, False),
        ("the end lies before the start", 16, False),
        ("a rule of repetition that never applies", 23, False),
        ("a rule of repetition that makes no sense", 29, False),
        ("a rule of repetition that makes no sense", 35, False),
        ("a repetition that was cut short", 41, False),
        ("a rule of repetition that never applies", 47, False),
        ("file ends in the middle of a component", 53, True),
        ("file ends too soon", 1, False),
    ]
    often = [e for e in events if e.data["summary"] == "Very often"]
    # The first date and the latest five thousand.
    assert len(often) == 5001
    assert (starts(often)[0], often[-1].start.year) == ("2000-01-06 11:00", 2027)
    others = [e.data["summary"] for e in events if e not in often]
    assert others == [
        "Ends before it starts",
        "30 February",
        "Every zero days",
        "Every second",
        "The fifth of one",
    ]


@pytest.mark.parametrize(
    "rule",
    [
        "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=31",
        "FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=DAILY;INTERVAL=7;BYDAY=TU",
        "FREQ=WEEKLY;BYSETPOS=366",
        "FREQ=SECONDLY",
        "FREQ=MINUTELY;INTERVAL=1",
        "FREQ=DAILY;INTERVAL=0",
        "FREQ=DAILY;INTERVAL=99999999999999999999999",
        "FREQ=DAILY;COUNT=-1",
        "FREQ=YEARLY;BYYEARDAY=0",
        "FREQ=YEARLY;BYWEEKNO=99",
        "FREQ=WEEKLY;BYDAY=XX",
        "FREQ=HOURLY;BYHOUR=25",
        "FREQ=",
        "",
        "FREQ=YEARLY;UNTIL=never",
        "FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYHOUR=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17"
        ",18,19,20,21,22,23;BYMINUTE=" + ",".join(map(str, range(60))),
    ],
)
def test_senseless_rules_end_quickly_and_give_the_first_date(tmp_path: Path, rule: str) -> None:
    began = time.process_time()
    events, issues = calendar(tmp_path, "DTSTART:19900101T090000Z", f"RRULE:{rule}")
    assert time.process_time() - began < 3
    assert starts(events)[0] == "1990-01-01 10:00"
    assert len(events) <= 5001
    assert issues
    assert not any(issue.skipped for issue in issues)


# --- identity


def test_reading_again_gives_the_same_ids_in_any_zone() -> None:
    for path in (GOOGLE, APPLE, OUTLOOK):
        ids = [event.id for event in read_path(SOURCE, path)[0]]
        assert len(set(ids)) == len(ids)
        assert ids == [e.id for e in read_path(SOURCE, path, context("Asia/Tokyo"))[0]]


def test_a_single_appointment_keeps_its_id_when_it_is_moved(tmp_path: Path) -> None:
    [before], _ = calendar(tmp_path, "DTSTART:20220105T090000Z", "LAST-MODIFIED:20220101T000000Z")
    [after], _ = calendar(tmp_path, "DTSTART:20220106T100000Z", "LAST-MODIFIED:20220102T000000Z")
    assert before.id == after.id
    assert before.revision < after.revision


def test_a_uid_that_many_appointments_share_does_not_make_them_one(tmp_path: Path) -> None:
    event = "BEGIN:VEVENT\nUID:same\nDTSTART:2022010{}T090000Z\nSUMMARY:x\nEND:VEVENT\n"
    text = "BEGIN:VCALENDAR\n" + "".join(event.format(n) for n in (1, 2, 3)) + "END:VCALENDAR\n"
    events, _ = read_path(SOURCE, write(tmp_path / "x", text))
    assert len({e.id for e in events}) == 3
    revised = text.replace("UID:same", "UID:same\nSEQUENCE:1", 1).replace(event.format(3), "")
    events, _ = read_path(SOURCE, write(tmp_path / "y", revised))
    assert len({e.id for e in events}) == 1


def test_appointments_without_uid_are_told_apart(tmp_path: Path) -> None:
    event = "BEGIN:VEVENT\nDTSTART:2022010{}T090000Z\nSUMMARY:x\nEND:VEVENT\n"
    text = "BEGIN:VCALENDAR\n" + "".join(event.format(n) for n in (1, 2)) + "END:VCALENDAR\n"
    events, _ = read_path(SOURCE, write(tmp_path / "x", text))
    assert len({e.id for e in events}) == 2


def test_an_exception_without_its_series_stands_alone(tmp_path: Path) -> None:
    lines = ["RECURRENCE-ID:20220105T090000Z", "DTSTART:20220106T090000Z", "SUMMARY:x"]
    [event], issues = calendar(tmp_path, *lines)
    assert (starts([event]), issues) == (["2022-01-06 10:00"], [])


def test_an_exception_may_name_a_whole_day_by_its_midnight(tmp_path: Path) -> None:
    text = (
        "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:u\nDTSTART;VALUE=DATE:20220105\n"
        "RRULE:FREQ=DAILY;COUNT=2\nEND:VEVENT\nBEGIN:VEVENT\nUID:u\nSUMMARY:moved\n"
        "RECURRENCE-ID;TZID=Europe/Berlin:20220106T000000\nDTSTART;VALUE=DATE:20220109\n"
        "END:VEVENT\nEND:VCALENDAR\n"
    )
    events, _ = read_path(SOURCE, write(tmp_path / "x", text))
    assert starts(events) == ["2022-01-05 00:00", "2022-01-09 00:00"]


def test_several_calendars_in_one_file_keep_their_names(tmp_path: Path) -> None:
    text = "".join(
        f"BEGIN:VCALENDAR\nX-WR-CALNAME:{name}\nBEGIN:VEVENT\nUID:{name}\n"
        "DTSTART:20220105\nEND:VEVENT\nEND:VCALENDAR\n"
        for name in ("one", "two")
    )
    events, _ = read_path(SOURCE, write(tmp_path / "x", text))
    assert [e.data["calendar_name"] for e in events] == ["one", "two"]


# --- newer exports of what an older one told

SERIES = event_id("calendar", "u")
WEEKLY = ["DTSTART:20220103T080000Z", "RRULE:FREQ=WEEKLY;COUNT=3", "SUMMARY:Choir"]


def vevent(*lines: str, changed: int = 1, uid: str = "u") -> str:
    """An appointment that was last changed on a day of January 2022."""
    head = [f"UID:{uid}", f"LAST-MODIFIED:202201{changed:02}T000000Z", "DTSTAMP:20300101T000000Z"]
    return "\n".join(["BEGIN:VEVENT", *head, *lines, "END:VEVENT", ""])


def vcalendar(*events: str, head: str = "") -> bytes:
    return f"BEGIN:VCALENDAR\n{head}{''.join(events)}END:VCALENDAR\n".encode()


def day(number: int) -> int:
    return int(datetime(2022, 1, number, tzinfo=UTC).timestamp())


def retractions(content: bytes) -> list[tuple[str, int, int]]:
    items: list[object] = [*read_all(SOURCE, content)]
    found = [item for item in items if isinstance(item, Retraction)]
    return [(item.series, item.revision, item.origin.position) for item in found]


def wholes(content: bytes) -> set[tuple[str, int]]:
    items = read_all(SOURCE, content)
    return {(i.series, i.series_revision) for i in items if isinstance(i, Event)}


def test_all_of_a_uid_is_a_whole_as_new_as_its_last_change() -> None:
    moved = vevent("RECURRENCE-ID:20220110T080000Z", "DTSTART:20220111T080000Z", changed=9)
    assert wholes(vcalendar(vevent(*WEEKLY), moved)) == {(SERIES, day(9))}
    assert wholes(vcalendar(moved, vevent(*WEEKLY, changed=12))) == {(SERIES, day(12))}
    assert wholes(vcalendar(vevent("DTSTART:20220103"))) == {(SERIES, day(1))}
    stamped = vevent("DTSTART:20220103").replace("LAST-MODIFIED", "X-OTHER")
    export = int(datetime(2030, 1, 1, tzinfo=UTC).timestamp())
    assert wholes(vcalendar(stamped)) == {(SERIES, export)}


def test_single_dates_and_shared_or_missing_uids_are_no_whole() -> None:
    alone = vevent("RECURRENCE-ID:20220110T080000Z", "DTSTART:20220111T080000Z", changed=9)
    shared = [vevent(f"DTSTART:202201{n:02}T080000Z", changed=9) for n in (5, 6)]
    assert wholes(vcalendar(alone)) == wholes(vcalendar(*shared)) == {("", day(9))}
    nameless = [vevent("DTSTART:20220103", changed=n, uid="") for n in (1, 9)]
    assert wholes(vcalendar(*nameless)) == {("", day(1)), ("", day(9))}
    # The invitation that calls off one date must not call off the others.
    assert retractions(vcalendar(alone, head="METHOD:CANCEL\n")) == []
    assert retractions(vcalendar(*shared, head="METHOD:CANCEL\n")) == []


def test_cancelled_and_declined_appointments_are_retracted_once() -> None:
    start = "DTSTART:20220103T080000Z"
    cancelled = vevent(start, "STATUS:CANCELLED", changed=3)
    assert retractions(vcalendar(cancelled)) == [(SERIES, day(3), 2)]
    declined = vevent(start, "ATTENDEE;PARTSTAT=DECLINED:mailto:mia@example.com", changed=4)
    head = "X-WR-CALNAME:mia@example.com\n"
    assert retractions(vcalendar(declined, head=head)) == [(SERIES, day(4), 3)]
    one = vevent("RECURRENCE-ID:20220110T080000Z", start, "STATUS:CANCELLED", changed=5)
    other = one.replace("ID:20220110", "ID:20220117")
    assert retractions(vcalendar(vevent(*WEEKLY), one, other)) == [(SERIES, day(5), 10)]
    none_left = vevent(*WEEKLY, "EXDATE;VALUE=DATE:20220103,20220110,20220117", changed=6)
    assert retractions(vcalendar(none_left)) == [(SERIES, day(6), 2)]
    assert retractions(vcalendar(vevent(*WEEKLY))) == []


@pytest.mark.parametrize(
    ("newer", "left"),
    [
        (vevent("DTSTART:20220103T090000Z", *WEEKLY[1:], changed=2), ["03 10", "10 10", "17 10"]),
        (vevent(*WEEKLY, "STATUS:CANCELLED", changed=2), []),
        (vevent(*WEEKLY, "EXDATE:20220110T080000Z", changed=2), ["03 09", "17 09"]),
        (vevent(WEEKLY[0], "RRULE:FREQ=WEEKLY;UNTIL=20220111", changed=2), ["03 09", "10 09"]),
        (vevent(WEEKLY[0], changed=2), ["03 09"]),
        (
            vevent(*WEEKLY, changed=2)
            + vevent(
                "RECURRENCE-ID;RANGE=THISANDFUTURE:20220110T080000Z",
                "DTSTART:20220110T080000Z",
                "STATUS:CANCELLED",
            ),
            ["03 09"],
        ),
        # One date alone says nothing of the others.
        (
            vevent("RECURRENCE-ID:20220110T080000Z", "DTSTART:20220111T080000Z", changed=2),
            ["03 09", "11 09", "17 09"],
        ),
        # Older, in truth.
        (vevent(WEEKLY[0], changed=1).replace("202201", "202101", 1), ["03 09", "10 09", "17 09"]),
    ],
)
@pytest.mark.parametrize("newest_first", [False, True])
def test_a_newer_export_takes_the_place_of_an_older_one(
    tmp_path: Path, newer: str, left: list[str], newest_first: bool
) -> None:
    paths = [
        write(tmp_path / "old.ics", vcalendar(vevent(*WEEKLY))),
        write(tmp_path / "new.ics", vcalendar(newer)),
    ]
    with Store.open(None) as store:
        for path in reversed(paths) if newest_first else paths:
            import_paths([path], store, context(), sources=[SOURCE])
        found = store.connection.execute("SELECT start_at FROM events ORDER BY 1").fetchall()
    assert [f"{start:%d %H}" for (start,) in found] == left


# --- raw records and recognising


def test_raw_gives_the_component_at_its_line() -> None:
    for path in (GOOGLE, APPLE, OUTLOOK):
        [file] = files(path)
        for item in SOURCE.read(file, context()):
            raw = SOURCE.raw(file, item.origin.position)
            assert raw.startswith("BEGIN:V")
            assert raw.rstrip().endswith(("END:VEVENT", "END:VTODO", "END:VJOURNAL"))
            assert raw.count("BEGIN:VEVENT") <= 1
    [file] = files(GOOGLE)
    assert "UID:choir@google.com" in SOURCE.raw(file, 34)
    assert SOURCE.raw(file, 10**9) == ""


def test_sniff_by_content(tmp_path: Path) -> None:
    for path in (GOOGLE, APPLE, OUTLOOK, BROKEN):
        assert claims(SOURCE, path.read_bytes(), "renamed")
    recoded = write(tmp_path / "x.ics", APPLE.read_bytes().decode("utf-8-sig").encode("utf-16"))
    assert len(read_path(SOURCE, recoded)[0]) == len(read_path(SOURCE, APPLE)[0])
    assert not claims(SOURCE, b"BEGIN:VCARD\n", "x.ics")
    assert claimed_of_others(SOURCE, "calendar") == []


# --- damage


@pytest.mark.parametrize(
    "line",
    [
        "SUMMARY" + ";a=b" * 50_000 + ":x",
        "SUMMARY" + ';a="' * 50_000 + ":x",
        "ATTENDEE;CN=" + '"x",' * 50_000 + ":mailto:x",
        "EXDATE:" + "20220105T090000Z," * 50_000,
        "RDATE;VALUE=PERIOD:" + "20220105T090000Z/PT1H," * 20_000,
        "DESCRIPTION:" + "<a" * 100_000,
        "DESCRIPTION:" + "\\" * 200_000,
        "DESCRIPTION:x\r\n" + " y\r\n" * 200_000,
        "DTSTART:" + "2" * 100_000,
        "BEGIN:X\r\n" * 20_000,
    ],
)
def test_hostile_lines_take_no_time(tmp_path: Path, line: str) -> None:
    began = time.process_time()
    calendar(tmp_path, "DTSTART:20220105T090000Z", "RRULE:FREQ=DAILY", line)
    assert time.process_time() - began < 4


def test_many_endless_rules_do_not_flood(tmp_path: Path) -> None:
    event = "BEGIN:VEVENT\nUID:{}\nDTSTART:19710101T000000Z\nRRULE:FREQ=DAILY\nEND:VEVENT\n"
    text = "BEGIN:VCALENDAR\n" + "".join(event.format(n) for n in range(2)) + "END:VCALENDAR\n"
    events, issues = read_path(SOURCE, write(tmp_path / "x", text))
    assert len(events) == 2 * 5001
    assert reasons(issues) == ["a repetition that was cut short"] * 2
    assert max(e.start for e in events) - min(e.start for e in events) > timedelta(days=20_000)


def test_the_rules_of_a_file_share_their_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reqap.sources.calendars.Work", lambda: Work(200_000))
    rule = "RRULE:FREQ=HOURLY;BYMONTHDAY=31;BYMONTH=2"
    events = [vevent("DTSTART:19800101T000000Z", rule, uid=str(n)) for n in range(6)]
    old = vevent("DTSTART:16040105", "RRULE:FREQ=YEARLY", uid="old")
    items = read_all(SOURCE, vcalendar(*events, vevent(*WEEKLY), old))
    told = [item for item in items if isinstance(item, Event)]
    assert starts(told[-2:]) == ["2022-01-03 09:00", "1604-01-05 00:00"]
    assert len(told) == 8  # each its first date
    issues = [item for item in items if is_issue(item)]
    cut = "a repetition that was cut short"
    assert reasons(issues) == [cut] * 3 + ["more repetitions than one file may have"] * 5
    assert issues[-1].detail == "only the first date was taken"
    assert not any(issue.skipped for issue in issues)


def test_rules_with_very_many_times_take_little_time() -> None:
    every = [",".join(map(str, range(count))) for count in (24, 60)]
    rule = f"RRULE:FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYHOUR={every[0]};BYMINUTE={every[1]}"
    began = time.process_time()
    items = read_all(SOURCE, vcalendar(vevent("DTSTART:19700101T000000Z", rule + ";BYSETPOS=366")))
    assert time.process_time() - began < 5
    assert "a repetition that was cut short" in [item.reason for item in items if is_issue(item)]


def test_a_change_too_long_to_be_read_to_its_uid_does_no_harm() -> None:
    change = vevent(
        "RECURRENCE-ID;RANGE=THISANDFUTURE:20220110T080000Z",
        "DTSTART:20220110T090000Z",
        *["COMMENT:x"] * 20_000,
    )
    late = change.replace("UID:u\n", "").replace("END:VEVENT", "UID:u\nEND:VEVENT")
    items = read_all(SOURCE, vcalendar(vevent(*WEEKLY), late))
    told = [item for item in items if isinstance(item, Event)]
    assert starts(told)[:3] == ["2022-01-03 09:00", "2022-01-10 09:00", "2022-01-17 09:00"]


def test_many_series_and_changes_of_one_uid_take_little_time() -> None:
    hours = [f"202201{n // 24 + 1:02}T{n % 24:02}0000Z" for n in range(300)]
    masters = [vevent(f"DTSTART:{hour}", "RRULE:FREQ=DAILY;COUNT=2") for hour in hours]
    changes = [
        vevent(f"RECURRENCE-ID;RANGE=THISANDFUTURE:{hour}", f"DTSTART:{hour}", f"SUMMARY:{hour}")
        for hour in hours
    ]
    began = time.process_time()
    items = read_all(SOURCE, vcalendar(*masters, *changes))
    assert time.process_time() - began < 5
    issues = [item for item in items if is_issue(item)]
    assert reasons(issues) == ["more changes of a series than are read"] * 250
    told = [item.data.get("summary") for item in items if isinstance(item, Event)]
    assert told[:4] == [hours[0], hours[24], hours[1], hours[25]]
    assert told[-1] == hours[49]
