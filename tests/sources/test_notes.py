"""Notes: titles, tags, and where their dates come from."""

import os
import shutil
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest

from reqap.events import Event, ImportIssue
from reqap.sources.base import Sample
from reqap.sources.front_matter import read_front
from reqap.sources.notes import SOURCE
from reqap.values import DateOrder
from tests.sources.reading import DATA, context, files, read_path, reasons, write

VAULT = DATA / "notes" / "vault"


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """A copy in which the files were last changed at a known time."""
    copy = tmp_path / "vault"
    shutil.copytree(VAULT, copy)
    changed = datetime(2024, 7, 31, 22, 30, tzinfo=UTC).timestamp()
    for path in copy.rglob("*.*"):
        os.utime(path, (changed, changed))
    return copy


def only(path: Path, order: DateOrder | None = None) -> tuple[list[Event], list[ImportIssue]]:
    return read_path(SOURCE, path, context(date_order=order))


def test_front_matter(vault: Path) -> None:
    ((note,), issues) = only(vault / "ideas" / "garden.md")
    assert issues == []
    assert (note.kind, note.source) == ("note", "notes")
    assert note.start == note.end == datetime(2024, 2, 11, 18, 30)
    assert (note.offset, note.user_zone) == (60, False)
    text = note.data["text"]
    assert isinstance(text, str)
    assert text.startswith("# Beds along the wall\n\nTomatoes")
    assert text.endswith("is none.")
    assert {k: v for k, v in note.data.items() if k != "text"} == {
        "title": "Garden plan",
        "tags": ["garden", "spring", "compost", "seeds/heirloom"],
        "mood": "hopeful",
        "people": ["Dina", "Opa Karl"],
    }
    assert note.origin.position == 11


def test_utc_in_toml_front_matter_becomes_local_time(vault: Path) -> None:
    ((note,), _) = only(vault / "ideas" / "utc.md")
    assert note.start == datetime(2024, 7, 2, 0, 15)  # summer time
    assert (note.offset, note.user_zone) == (120, True)
    assert note.data == {
        "title": "Night idea",
        "text": "Write it down at once.",
        "tags": ["night", "late"],
    }


def test_dates_in_file_names(vault: Path) -> None:
    ((note,), issues) = only(vault / "2024-03-05 errands.txt")
    assert (note.start, note.offset, issues) == (datetime(2024, 3, 5), None, [])
    assert note.data == {"title": "2024-03-05 errands", "text": "Call the plumber.\nBuy milk."}
    ((note,), issues) = only(vault / "20231231_silvester.txt")
    assert note.start == datetime(2023, 12, 31)
    assert note.data["text"] == "Feierabendbier mit Uwe, schön war es."
    assert reasons(issues) == ["unexpected encoding"]


@pytest.mark.parametrize("name", ["12024-03-05.md", "2024-13-05.md", "2024-0305.md", "20243.md"])
def test_digits_in_names_that_are_no_date(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / name, "text")
    os.utime(path, (1_700_000_000, 1_700_000_000))
    ((note,), _) = only(path)
    assert note.start == datetime(2023, 11, 14, 23, 13, 20)


def test_a_diary_has_a_note_for_every_day(vault: Path) -> None:
    notes, issues = only(vault / "diary" / "journal.md")
    found = [(n.origin.position, n.start, n.data["title"], n.data["text"]) for n in notes]
    assert found == [
        (5, datetime(2024, 1, 1), "My year", "# My year\n\nSome words before the first day."),
        (
            9,
            datetime(2024, 3, 4),
            "2024-03-04",
            "Long walk at the lake. #walk\n\n### Evening\nSoup.",
        ),
        (16, datetime(2024, 3, 5), "2024-03-05 Dentist", "No holes!"),
        (22, datetime(2024, 3, 5), "2024-03-05", "Forgot: also bought bread."),
    ]
    assert [n.data["tags"] for n in notes] == [["diary"], ["diary", "walk"], ["diary"], ["diary"]]
    assert [(i.reason, i.origin.position) for i in issues] == [("an empty day", 20)]
    assert len({n.id for n in notes}) == 4


def test_a_diary_without_front_matter(vault: Path) -> None:
    notes, issues = only(vault / "diary" / "travel.md")
    assert [(n.start, n.data["text"]) for n in notes] == [
        (datetime(2023, 5, 13), "Landed late."),
        (datetime(2023, 5, 14), "Tram 28."),
    ]
    assert issues == []


def test_one_date_as_a_heading(vault: Path) -> None:
    ((note,), _) = only(vault / "diary" / "single.markdown")
    assert note.start == datetime(2024, 3, 5)
    assert note.data["title"] == "Tuesday, 5 March 2024"


def test_ambiguous_headings_need_the_users_word(vault: Path) -> None:
    notes, issues = only(vault / "diary" / "unclear.md")
    assert notes == []
    assert [(i.reason, i.origin.position) for i in issues] == [
        ("day and month cannot be told apart", 1),
        ("day and month cannot be told apart", 4),
    ]
    notes, issues = only(vault / "diary" / "unclear.md", DateOrder.DMY)
    assert [n.start for n in notes] == [datetime(2024, 4, 3), datetime(2024, 6, 5)]
    assert issues == []
    assert SOURCE.stamp(context()) != SOURCE.stamp(context(date_order=DateOrder.DMY))


def test_the_time_of_the_file_is_the_last_resort(vault: Path) -> None:
    ((note,), issues) = only(vault / "plain.txt")
    assert (note.start, note.offset, note.user_zone) == (datetime(2024, 8, 1, 0, 30), 120, True)
    assert note.data == {"title": "plain", "text": "No date anywhere."}
    assert note.revision == int(datetime(2024, 7, 31, 22, 30, tzinfo=UTC).timestamp())
    assert issues == []


def test_in_an_archive_a_note_needs_a_date(vault: Path, tmp_path: Path) -> None:
    archive = tmp_path / "notes.zip"
    with zipfile.ZipFile(archive, "w") as target:
        target.write(vault / "plain.txt", "vault/plain.txt")
        target.write(vault / "2024-03-05 errands.txt", "vault/2024-03-05 errands.txt")
    notes, issues = only(archive)
    assert [n.start for n in notes] == [datetime(2024, 3, 5)]
    assert reasons(issues) == ["a note without a date"]


def test_empty_and_binary_files(vault: Path) -> None:
    assert reasons(only(vault / "empty.md")[1]) == ["an empty file"]
    assert reasons(only(vault / "binary.txt")[1]) == ["not text, whatever its name says"]
    assert only(vault / "empty.md")[0] == only(vault / "binary.txt")[0] == []


def test_very_long_notes_are_cut(tmp_path: Path) -> None:
    path = write(tmp_path / "2024-01-01.md", "word " * 60_000)
    ((note,), issues) = only(path)
    assert len(str(note.data["text"])) == 199_999  # the blank at the cut is gone
    assert [(i.reason, i.skipped) for i in issues] == [("a very long note", False)]


def test_an_edited_note_keeps_its_id(vault: Path, tmp_path: Path) -> None:
    ((before,), _) = only(vault / "plain.txt")
    moved = tmp_path / "elsewhere"
    shutil.copytree(tmp_path, moved / tmp_path.name)
    path = write(moved / tmp_path.name / "vault" / "plain.txt", "New text.")
    os.utime(path, (1_800_000_000, 1_800_000_000))
    ((after,), _) = only(path)
    assert after.id == before.id
    assert after.revision > before.revision
    ids = [note.id for note in only(vault)[0]]
    assert ids == [note.id for note in only(vault)[0]]
    assert len(set(ids)) == len(ids)


def test_raw_finds_the_section(vault: Path) -> None:
    (file,) = files(vault / "diary" / "journal.md")
    assert SOURCE.raw(file, 16) == "## 2024-03-05 Dentist\n\nNo holes!\n\n"
    assert SOURCE.raw(file, 5).startswith("# My year")
    assert SOURCE.raw(file, 17) == ""
    (file,) = files(vault / "plain.txt")
    assert SOURCE.raw(file, 1) == "No date anywhere.\n"


def test_sniff_goes_by_the_ending_and_is_weak() -> None:
    assert SOURCE.weak
    for name, meant in (
        ("a.md", True),
        ("A.TXT", True),
        ("x.zip!b.markdown", True),
        ("a.csv", False),
    ):
        assert SOURCE.sniff(Sample(name, 3, b"abc")) is meant


def test_unclosed_front_matter_is_text(tmp_path: Path) -> None:
    path = write(tmp_path / "2024-01-01.md", "---\ntitle: No end\n\nText.\n")
    ((note,), _) = only(path)
    assert note.data == {"title": "2024-01-01", "text": "---\ntitle: No end\n\nText."}


def test_headings_in_code_are_no_headings(tmp_path: Path) -> None:
    text = "```\n## 2020-01-01\n## 2020-01-02\n```\nrest\n"
    ((note,), _) = only(write(tmp_path / "2024-01-01.md", text))
    assert note.start == datetime(2024, 1, 1)


def test_a_diary_of_an_old_mac(tmp_path: Path) -> None:
    text = "# 2024-03-04\rLong walk.\r#lake\r# 2024-03-05\rNo holes!\r"
    path = write(tmp_path / "diary.txt", text)
    notes, issues = only(path)
    assert [(n.start, n.data["text"]) for n in notes] == [
        (datetime(2024, 3, 4), "Long walk.\n#lake"),
        (datetime(2024, 3, 5), "No holes!"),
    ]
    assert notes[0].data["tags"] == ["lake"]
    assert issues == []
    assert SOURCE.raw(files(path)[0], 4) == "# 2024-03-05\nNo holes!\n"


def ids(*paths: Path) -> list[str]:
    return [only(path)[0][0].id for path in paths]


def test_notes_of_two_collections_are_told_apart(tmp_path: Path) -> None:
    places = ("a/journal/2024/01.md", "b/journal/2024/01.md", "b/journal/2023/01.md", "b/x/01.md")
    found = ids(*(write(tmp_path / place, "text") for place in places))
    assert len(set(found)) == 4
    moved = ids(*(write(tmp_path / "new" / "place" / place, "text") for place in places[:3]))
    assert moved == found[:3]


def test_the_folder_that_holds_a_collection_is_found(tmp_path: Path) -> None:
    deep = "Work/Projects/Old/Meetings/plan.md"
    names = ["one/plan.md", "two/plan.md", f"one/{deep}", f"two/{deep}"]
    for name in names:
        write(tmp_path / name, "text")
        write(tmp_path / "moved" / name, "text")
    for vault in ("one", "two", "moved/one", "moved/two"):
        (tmp_path / vault / ".obsidian").mkdir()
    found = ids(*(tmp_path / name for name in names))
    assert len(set(found)) == 4
    assert ids(*(tmp_path / "moved" / name for name in names)) == found
    with zipfile.ZipFile(tmp_path / "vaults.zip", "w") as target:
        for name in names:
            target.writestr(name, "---\ndate: 2024-01-01\n---\ntext")
    assert [note.id for note in only(tmp_path / "vaults.zip")[0]] == found


def test_exclamation_marks_in_names(tmp_path: Path) -> None:
    (note,), _ = only(write(tmp_path / "Yes!" / "2024-01-01 Wow! great.md", "text"))
    assert (note.start, note.data["title"]) == (datetime(2024, 1, 1), "2024-01-01 Wow! great")
    with zipfile.ZipFile(tmp_path / "in.zip", "w") as target:
        target.writestr("2024-01-01 Wow! 2.md", "text")
    with zipfile.ZipFile(tmp_path / "out!.zip", "w") as target:
        target.write(tmp_path / "in.zip", "Part-1.zip")
    (note,), _ = only(tmp_path / "out!.zip")
    assert note.data["title"] == "2024-01-01 Wow! 2"


CHATS = (
    "[05.03.24, 18:03:11] Ana: \u200eAll is encrypted.\n[05.03.24, 18:03:12] Ben B.: Hi!\nYou\n",
    "\u200e[3/5/24, 6:03:11\u202fPM] Ana: Hi\n[3/5/24, 6:04:00\u202fPM] Ben: \u200eimage omitted\n",
    "05/03/24, 18:03 - Messages and calls are end-to-end encrypted.\n"
    "05/03/24, 18:03 - Ana: Hi\n05/03/24, 18:04 - Ben: Where\nare you?\n",
    "05/03/2024 18:03 - Ana: Oi\n05/03/2024 18:04 - Bento: Tudo bem?\n",
    "2024-03-05, 6:03 p.m. - Ana: Hi\r\n2024-03-05, 6:04 p.m. - +49 170 0000000: Yes\r\n",
)
NO_CHATS = (
    "2024-03-05 18:03 - had lunch\n2024-03-05 19:00 - went home\n",
    "Call Ana\n[05.03.24, 18:03:11] Ana: she said\n[05.03.24, 18:03:12] Ana: again\n",
    "05/03/24, 18:03 - Dentist: no holes!",
    "Shopping: milk\nTo do: call\n",
)


def test_chats_are_no_notes() -> None:
    for text in CHATS:
        assert not SOURCE.sniff(Sample("_chat.txt", 9, text.encode("utf-8-sig"))), text
        assert not SOURCE.sniff(Sample("a.zip!Chat mit Ana.txt", 9, text.encode("utf-16"))), text
    for text in NO_CHATS:
        assert SOURCE.sniff(Sample("_chat.txt", 9, text.encode())), text


def test_placeholders_for_no_data_are_no_notes() -> None:
    for name in ("posts/no-data.txt", "a.zip!no-data.txt", "C:\\x\\no-data.txt"):
        assert not SOURCE.sniff(Sample(name, 30, b"You have no data in this section"))
    assert SOURCE.sniff(Sample("why-no-data.txt", 3, b"abc"))


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (r'"playlist \"kitchen\""', 'playlist "kitchen"'),
        (r'"a \\ b"', r"a \ b"),
        ("'it''s'", "it's"),
        ('"plain"', "plain"),
        ('say "hi"', 'say "hi"'),
    ],
)
def test_quotes_in_front_matter_are_taken_as_meant(written: str, meant: str) -> None:
    lines = enumerate(["---", f"title: {written}", "---", "text"], 1)
    assert read_front(iter(lines))[0].first("title") == meant
