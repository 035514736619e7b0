"""Mail: every quirk of real mailboxes, the bounds on memory, and damage of any kind."""

import io
import time
import tracemalloc
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

import pytest

from reqap.events import Event, ImportIssue
from reqap.sources.base import ExportFile
from reqap.sources.mail import SOURCE
from tests.sources.reading import (
    DATA,
    claimed_of_others,
    claims,
    context,
    files,
    read_path,
    reasons,
    write,
)

MAIL = DATA / "mail"
GMAIL = MAIL / "Takeout/Mail/All mail Including Spam and Trash.mbox"
THUNDERBIRD = MAIL / "thunderbird/Inbox"
EML = MAIL / "letter.eml"


def by_subject(path: Path, who: tuple[str, ...] = ()) -> dict[str, Event]:
    events, _ = read_path(SOURCE, path, context(who=who))
    return {str(event.data.get("subject", "")): event for event in events}


def one(tmp_path: Path, content: str | bytes) -> tuple[Event, list[ImportIssue]]:
    """The only event of a mailbox with that content."""
    events, issues = read_path(SOURCE, write(tmp_path / "box", content))
    assert len(events) == 1, issues
    return events[0], issues


def message(headers: str, body: str = "Hello.\n") -> str:
    return (
        "From x@y Mon Mar 07 17:05:09 +0000 2022\nFrom: a@example.org\nMessage-ID: <1@x>\n"
        f"Date: Mon, 7 Mar 2022 18:00:00 +0100\n{headers}\n\n{body}"
    )


# --- what a message says


def test_the_plain_half_of_an_alternative_with_its_people_labels_and_time() -> None:
    event = by_subject(GMAIL)["Hüttentour im Juni ⛰"]
    assert event.kind == "mail"
    assert (event.start, event.end, event.offset, event.user_zone) == (
        datetime(2022, 3, 7, 18, 4, 55),
        datetime(2022, 3, 7, 18, 4, 55),
        60,
        True,
    )
    assert event.data == {
        "subject": "Hüttentour im Juni ⛰",
        "sender": "Jürg Müller <joerg@example.org>",
        "sender_name": "Jürg Müller",
        "sender_address": "joerg@example.org",
        "recipient": [
            "Mia Keller <mia.keller@example.com>",
            "Berg, Tom <tom@example.net>",
            "André <andre@example.fr>",
        ],
        "text": (
            "Hallo Mia, ich habe die Hütte für den 18. Juni gebucht. Sie kostet 42,50 € pro Nacht."
            "\n\n\nBis bald\nJörg"
        ),
        "labels": ["Posteingang", "Geöffnet", "Reisen, Berge", "Wichtig"],
        "direction": "received",
    }


def test_html_in_a_legacy_charset_without_the_letter_it_cites() -> None:
    event = by_subject(GMAIL)["Re: the bill"]
    assert event.data["text"] == "Bezahlt: 85 €. Grüße"
    assert event.data["direction"] == "sent"
    # Half past one UTC is half past three: the clocks changed at one.
    assert (event.start, event.offset) == (datetime(2022, 3, 27, 3, 30), 120)


def test_without_a_usable_date_the_separator_tells_it() -> None:
    event = by_subject(GMAIL)["No date at all, so the separator's counts"]
    assert (event.start, event.offset) == (datetime(2022, 4, 5, 10, 0), 120)


def test_a_date_without_offset_is_local_and_from_lines_are_no_messages() -> None:
    event = by_subject(GMAIL)["A date without offset"]
    assert (event.start, event.offset, event.user_zone) == (
        datetime(2022, 4, 6, 9, 15),
        None,
        False,
    )
    assert event.data["text"] == (
        "Dear customer,\n\nFrom now on we deliver on Sundays.\n\nFrom Monday on: closed.\n"
        "Note that this is no header.\n\nFrom here it goes on."
    )
    assert event.data["sender"] == "The Shop <news@shop.example>"
    assert "recipient" not in event.data


def test_eight_bit_headers_unknown_charsets_and_broken_words() -> None:
    event = by_subject(GMAIL)["Café um acht für zweiâ˜"]
    assert event.data["sender_name"] == "Zoë Lane"
    assert event.data["text"] == "Das Café am See, 20 Uhr?"


def test_attachments_are_named_and_pictures_of_the_layout_are_not() -> None:
    event = by_subject(GMAIL)["Contract"]
    assert event.data["text"] == "Please sign the contract."
    assert event.data["attachments"] == [
        "Vertrag für Mia.pdf",
        "Liste Übersicht.txt",
        "The older letter",
    ]
    assert event.data["cc"] == ["tom@example.net"]
    assert event.start == datetime(2022, 4, 8, 14, 0)


def test_damaged_base64_and_a_boundary_that_is_never_closed() -> None:
    event = by_subject(GMAIL)["Damaged"]
    assert event.data["text"] == "Hello there world!"
    assert event.data["attachments"] == ["beach.jpg"]


def test_the_hour_that_comes_twice_and_a_message_id_that_does() -> None:
    events, _ = read_path(SOURCE, GMAIL)
    twice = [e for e in events if str(e.data.get("subject", "")).startswith("Twice")]
    assert [(e.start, e.offset) for e in twice] == [
        (datetime(2022, 10, 30, 2, 30), 120),
        (datetime(2022, 10, 30, 2, 30), 60),
    ]
    assert len({e.id for e in twice}) == 2


def test_spam_trash_drafts_and_messages_without_any_date_are_issues_with_their_place() -> None:
    events, issues = read_path(SOURCE, GMAIL)
    assert reasons(issues) == ["in the spam folder", "in the trash", "a draft", "no date"]
    raw = GMAIL.read_bytes()
    for issue in issues:
        assert raw[issue.origin.position :].startswith(b"From ")
    assert b"somebody at the old office" in raw[issues[-1].origin.position :][:60]
    assert len(events) == 10
    assert [e.kind for e in events].count("chat") == 1


def test_thunderbird_deleted_messages_outlook_blocks_forwards_and_missing_blank_lines() -> None:
    events, issues = read_path(SOURCE, THUNDERBIRD)
    assert reasons(issues) == ["deleted (the mail program had not yet cleared it out)"]
    japanese, reply, forward, last = events
    assert japanese.data["sender"] == "山田 太郎 <taro@example.jp>"
    assert japanese.data["subject"] == "会議"
    assert japanese.data["text"] == "こんにちは"
    assert japanese.start == datetime(2022, 3, 12, 2, 15, 40)
    assert reply.data["text"] == "Freitag paßt mir gut."
    assert reply.data["recipient"] == ["Mia Keller <mia.keller@example.com>"]
    assert forward.data["text"] == (
        "Zur Info.\n\n-----Ursprüngliche Nachricht-----\nVon: Tom\nTreffen um 9."
    )
    assert (forward.start, forward.offset) == (datetime(2022, 3, 13, 8, 0), None)
    assert (last.start, last.offset) == (datetime(2022, 3, 13, 9, 0), 60)
    assert last.data["text"] == "Fine."


def test_a_single_message_file() -> None:
    event, issues = read_path(SOURCE, EML)[0][0], read_path(SOURCE, EML)[1]
    assert issues == []
    assert event.data["text"] == "See you in Łódź."
    assert event.start == datetime(2022, 5, 3, 21, 0)
    assert event.origin.position == 0
    assert "direction" not in event.data


@pytest.mark.parametrize(
    ("who", "direction"),
    [(("anna berger",), "sent"), (("Mia.Keller@example.com",), "received"), (("Tom",), None)],
)
def test_the_direction_follows_the_users_names(who: tuple[str, ...], direction: str | None) -> None:
    event = by_subject(EML, who)["Saved from the mail program"]
    assert event.data.get("direction") == direction


# --- headers


@pytest.mark.parametrize(
    ("date", "start", "offset"),
    [
        ("Mon, 7 Mar 2022 18:04:55 +0100", datetime(2022, 3, 7, 18, 4, 55), 60),
        ("7 Mar 2022 17:04 GMT", datetime(2022, 3, 7, 18, 4), 60),
        ("Mon, 07 Mar 22 12:04:55 EST", datetime(2022, 3, 7, 18, 4, 55), 60),
        ("Monday, 07-Mar-22 17:04:55 UTC", datetime(2022, 3, 7, 18, 4, 55), 60),
        ("Mon Mar  7 17:04:55 2022", datetime(2022, 3, 7, 17, 4, 55), None),
        ("Thu, 7 Jul 2022 17:04:60 -0000", datetime(2022, 7, 7, 19, 4, 59), 120),
        ("Thu, 7 Jul 2022 17:04:05 MESZ", datetime(2022, 7, 7, 17, 4, 5), 120),
        ("2022-07-07T15:04:05Z", datetime(2022, 7, 7, 17, 4, 5), 120),
        # Clocks that were never set, offsets that do not exist: the separator's date.
        ("Thu, 1 Jan 1970 00:00:00 +0000", datetime(2022, 3, 7, 18, 5, 9), 60),
        ("Mon, 7 Mar 2022 18:04:55 +9999", datetime(2022, 3, 7, 18, 5, 9), 60),
    ],
)
def test_dates(tmp_path: Path, date: str, start: datetime, offset: int | None) -> None:
    text = message("Subject: s").replace("Mon, 7 Mar 2022 18:00:00 +0100", date)
    event, _ = one(tmp_path, text)
    assert (event.start, event.offset) == (start, offset)


def test_the_topmost_received_header_is_the_last_resort_for_a_date(tmp_path: Path) -> None:
    text = (
        "From: a@example.org\nSubject: s\nTo: b@example.org\n"
        "Received: from a by b; Mon, 7 Mar 2022 18:00:00 +0100\n"
        "Received: from c by a; Mon, 7 Mar 2022 10:00:00 +0100\n\nHello\n"
    )
    event, _ = one(tmp_path, text)
    assert event.start == datetime(2022, 3, 7, 18, 0)


@pytest.mark.parametrize(
    ("header", "people"),
    [
        ("To: a@b.c", ["a@b.c"]),
        ("To: <a@b.c>, , ;", ["a@b.c"]),
        ('To: "a@b.c" <A@b.c>', ["A@b.c"]),
        ('To: "M\\"x, y" <a@b.c>', ['M"x, y <a@b.c>']),
        ("To: =?utf-8?Q?M=C3=BCller,_Hans?= <h@b.c>, x@y.z", ["Müller, Hans <h@b.c>", "x@y.z"]),
        ('To: "=?utf-8?B?TcO8bGxlcg==?=" <h@b.c>', ["Müller <h@b.c>"]),
        ("To: Friends: a@b.c, Bob <b@b.c>;", ["a@b.c", "Bob <b@b.c>"]),
        ("To: undisclosed-recipients:;", None),
        ("To: Somebody", ["Somebody"]),
        ('To: "never closed <a@b.c>, x', ["never closed <a@b.c>, x"]),
        ("To:\n a@b.c,\n\tb@b.c", ["a@b.c", "b@b.c"]),
    ],
)
def test_people(tmp_path: Path, header: str, people: list[str] | None) -> None:
    event, _ = one(tmp_path, message(header))
    assert event.data.get("recipient") == people


@pytest.mark.parametrize(
    ("written", "subject"),
    [
        ("=?UTF-8?Q?a?= =?UTF-8?Q?b?= c", "ab c"),
        ("=?UTF-8?B?w7w=?=   =?iso-8859-1?Q?=FC?=", "üü"),
        ("=?UTF-8?B?4pg=?= =?UTF-8?B?gw==?=", "☃"),  # a character cut in two
        ("=?UTF-8*en?Q?hello world?=", "hello world"),
        ("=?hex?Q?414?= x", "414 x"),
        ("=?UTF-8?Q?open", "=?UTF-8?Q?open"),
        ("tab\tand \x07bell", "tab and bell"),
        ("=?gb2312?B?xOO6ww==?=", "你好"),
    ],
)
def test_encoded_words(tmp_path: Path, written: str, subject: str) -> None:
    event, _ = one(tmp_path, message(f"Subject: {written}"))
    assert event.data["subject"] == subject


# --- bodies


@pytest.mark.parametrize(
    ("headers", "body", "text"),
    [
        ("Content-Type: text/plain; charset=punycode", "abc", "abc"),
        ("Content-Type: text/plain; charset=utf-7", "+2AA- Hi", "? Hi"),
        ("Content-Transfer-Encoding: quoted-printable", "a=C3=BC=\nb =zz =", "aüb =zz"),
        ("Content-Transfer-Encoding: base64", "SGk=\n___ list footer, plain ___", "Hi"),
        ("Content-Type: multipart/mixed; boundary=x", "no part at all", "no part at all"),
        ("Content-Type: multipart/mixed", "no boundary", "no boundary"),
        ("Content-Type: text/html", "<p>a</p><p>&uuml;", "a\nü"),
        ("Content-Type: application/pdf", "%PDF", None),
        (
            'Content-Type: multipart/mixed; boundary="a"',
            "--a\n\nfirst\n--ab\nstill first\n--a\nContent-Type: TEXT/PLAIN\n\nsecond\n--a--\nx",
            "first\n--ab\nstill first\n\nsecond",
        ),
        (
            'Content-Type: multipart/related; boundary="a"',
            "--a\nContent-Type: image/png\n\nx\n--a\n\ntext\n--a\n\nnot shown\n--a--",
            "text",
        ),
        (
            'Content-Type: multipart/alternative; boundary="a"',
            "--a\n\n \n--a\nContent-Type: text/html\n\n<b>rich</b>\n--a--",
            "rich",
        ),
    ],
)
def test_bodies(tmp_path: Path, headers: str, body: str, text: str | None) -> None:
    event, _ = one(tmp_path, message(headers, body))
    assert event.data.get("text") == text


def test_padding_again_and_again_takes_no_time(tmp_path: Path) -> None:
    began = time.process_time()
    body = "QUE=" * 500_000
    event, _ = one(tmp_path, message("Content-Transfer-Encoding: base64", body))
    assert event.data["text"] == "AA" * 500_000
    assert time.process_time() - began < 3


def test_nesting_without_end_is_cut_off(tmp_path: Path) -> None:
    parts = "".join(
        f"--b{n}\nContent-Type: multipart/mixed; boundary=b{n + 1}\n\n" for n in range(200)
    )
    event, _ = one(tmp_path, message("Content-Type: multipart/mixed; boundary=b0", parts + "deep"))
    assert "subject" not in event.data


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("New.\n\nOn Mon, 7 Mar 2022 at 10:00, A B wrote:\n> old\n> older\n", "New."),
        ("New.\n\nOn Mon, 7 Mar 2022 at 10:00, A Very Long Name\n<a@b.c> wrote:\n\n> x", "New."),
        ("New.\n-----Original Message-----\nFrom: x\nold", "New."),
        ("Neu.\n\n*Von:* x\n*Gesendet:* gestern\n*An:* y\n*Betreff:* z\n\nalt", "Neu."),
        ("Salut.\n\nDe : x\nEnvoyé : hier\nÀ : y\nObjet : z\n\nvieux", "Salut."),
        ("Le lun. 7 mars 2022 à 10:00, X a écrit :\n> ancien\nNouveau.", "Nouveau."),
        ("> question one?\nYes.\n> question two?\nNo.", "Yes.\nNo."),
        ("New.\n\nAm 07.03.22 um 10:00 schrieb X:\nnot marked", "New."),
        # No quoted letters:
        ("He wrote:\nbuy milk", "He wrote:\nbuy milk"),
        ("From: here\nTo: there\nit is far", "From: here\nTo: there\nit is far"),
        ("> all is quoted", "> all is quoted"),
        ("List:\n-- one\n-- two", "List:\n-- one\n-- two"),
    ],
)
def test_only_what_was_newly_written_is_kept(tmp_path: Path, body: str, text: str) -> None:
    event, _ = one(tmp_path, message("Subject: Re: x", body))
    assert event.data["text"] == text


def test_forwarded_letters_are_kept_whole(tmp_path: Path) -> None:
    body = "FYI\n-----Original Message-----\nFrom: x\nthe news"
    event, _ = one(tmp_path, message("Subject: FW: x", body))
    assert event.data["text"] == body


# --- splitting and identity


def test_reading_again_or_with_other_line_ends_gives_the_same_ids(tmp_path: Path) -> None:
    first = [event.id for event in read_path(SOURCE, GMAIL)[0]]
    assert first == [event.id for event in read_path(SOURCE, GMAIL)[0]]
    renamed = write(tmp_path / "Alle E-Mails", GMAIL.read_bytes().replace(b"\r\n", b"\n"))
    assert first == [event.id for event in read_path(SOURCE, renamed, context("Asia/Tokyo"))[0]]
    assert len(set(first)) == len(first)


def test_without_a_message_id_the_content_identifies(tmp_path: Path) -> None:
    text = message("Subject: s").replace("Message-ID: <1@x>\n", "")
    both = text + "\n" + text.replace("Hello.", "Bye.") + "\n" + text
    events, _ = read_path(SOURCE, write(tmp_path / "box", both))
    assert [e.id == events[0].id for e in events] == [True, False, True]


def test_raw_finds_each_message_and_leaves_attachments_out() -> None:
    [file] = files(GMAIL)
    for item in SOURCE.read(file, context()):
        raw = SOURCE.raw(file, item.origin.position)
        assert raw.startswith("From ")
        assert raw.count("\nFrom: ") == (2 if "The older letter" in raw else 1)
        if isinstance(item, Event) and item.data.get("subject") == "Contract":
            assert "JVBERi0" not in raw
            assert "[attachment left out]" in raw
    [eml] = files(EML)
    assert SOURCE.raw(eml, 0).startswith("Return-Path: <anna@example.com>")
    assert SOURCE.raw(eml, 10**9) == ""


class _Made(io.RawIOBase):
    """A stream made up while it is read, so that no test needs the disk."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = iter(pieces)
        self._rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        self._rest = self._rest or next(self._pieces, b"")
        piece, self._rest = self._rest[: len(buffer)], self._rest[len(buffer) :]
        buffer[: len(piece)] = piece
        return len(piece)


def made(pieces: list[tuple[bytes, int]]) -> ExportFile:
    def stream() -> io.BufferedReader:
        return io.BufferedReader(_Made(p for piece, times in pieces for p in [piece] * times))

    size = sum(len(piece) * times for piece, times in pieces)
    return ExportFile("made", size, stream, lambda: "")


def test_a_huge_attachment_is_passed_over_and_the_text_behind_it_is_not() -> None:
    start = message(
        "Content-Type: multipart/mixed; boundary=part",
        "--part\nContent-Type: text/plain\n\nbefore\n--part\n"
        "Content-Type: video/mp4; name=film.mp4\nContent-Disposition: attachment\n\n",
    )
    end = "--part\nContent-Type: text/plain\n\nafter\n--part--\n\n" + message("Subject: next")
    lines = (b"A" * 76 + b"\r\n") * 13_000
    file = made([(start.encode(), 1), (lines, 60), (end.encode(), 1)])
    assert file.size > 60_000_000
    tracemalloc.start()
    first, second = SOURCE.read(file, context())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert isinstance(first, Event)
    assert isinstance(second, Event)
    assert first.data["text"] == "before\n\nafter"
    assert first.data["attachments"] == ["film.mp4"]
    assert second.data["subject"] == "next"
    assert second.origin.position == file.size - len(message("Subject: next"))
    assert peak < 32_000_000


def test_a_huge_text_is_cut_and_said_to_be() -> None:
    file = made([(message("Subject: long").encode(), 1), (b"word " * 100_000, 60), (b"\n", 1)])
    issue, event = SOURCE.read(file, context())
    assert isinstance(issue, ImportIssue)
    assert isinstance(event, Event)
    assert (issue.reason, issue.skipped) == ("only the beginning of a long text was kept", False)
    assert len(str(event.data["text"])) == 2 << 20


def test_messages_are_found_across_the_pieces_a_file_is_read_in() -> None:
    text = message("Subject: s", "x" * 1_000 + "\n").encode() + b"\n"
    file = made([(text, 3_000)])
    items = list(SOURCE.read(file, context()))
    assert [item.origin.position for item in items] == [n * len(text) for n in range(3_000)]
    assert all(isinstance(item, Event) for item in items)


# --- recognising


def test_sniff_takes_mailboxes_by_their_content() -> None:
    for path in (GMAIL, THUNDERBIRD, EML):
        assert claims(SOURCE, path.read_bytes(), "renamed.txt")
    assert claims(SOURCE, b"\xef\xbb\xbf" + EML.read_bytes())


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"From the beginning it was clear\nthat this is a novel.\n",
        b"From: the desk of\n\nJust a note.\n",
        b"Date,Title\n2022-01-01,x\n",
        b'{"From": "x", "Date": "y", "Subject": "z"}',
        b"BEGIN:VCALENDAR\nVERSION:2.0\n",
        b"Subject: x\nDate: y\nno header here: but text\nFrom: z\nTo: me\n",
        b"From x@y Mon Mar 07 17:05:09 +0000 2022\n\x00\x01binary",
    ],
)
def test_sniff_refuses_other_texts(head: bytes) -> None:
    assert not claims(SOURCE, head)


def test_sniff_refuses_the_samples_of_other_sources() -> None:
    assert claimed_of_others(SOURCE, "mail") == []


# --- damage


@pytest.mark.parametrize(
    "header",
    [
        "To: " + "<" * 200_000,
        "To: " + '"\\' * 100_000,
        "To: " + "(" * 200_000,
        "To: " + "a, " * 70_000,
        "Subject: " + "=?utf-8?q?" * 20_000,
        "Subject: " + "=?a?b?c" * 30_000,
        "Subject: " + "=?utf-8?b?QQ==?= " * 50_000,
        "Content-Type: text/plain" + ";a=" * 60_000,
        "Content-Type: text/plain" + '; a="\\' * 40_000,
        "X-Gmail-Labels: " + '"a,' * 60_000,
        "Date: " + "1 " * 100_000,
        "Date: " + "(" * 100_000,
        "Received: " + ";" * 200_000,
        " " * 200_000 + ":",
    ],
)
def test_hostile_headers_take_no_time(tmp_path: Path, header: str) -> None:
    began = time.process_time()
    one(tmp_path, message(header))
    assert time.process_time() - began < 2


@pytest.mark.parametrize(
    "body",
    [
        ">" * 300_000,
        "\n>" * 100_000,
        "wrote:\n" * 40_000,
        "From: a\n" * 40_000,
        "<blockquote type=cite>" * 20_000,
        "--\n" * 100_000,
        "\xff" * 300_000,
    ],
)
def test_hostile_bodies_take_no_time(tmp_path: Path, body: str) -> None:
    began = time.process_time()
    one(tmp_path, message("Content-Type: text/html", body).encode("latin-1"))
    one(tmp_path, message("Content-Type: text/plain", body).encode("latin-1"))
    assert time.process_time() - began < 3
