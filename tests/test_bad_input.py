"""Everything that may be wrong with an export: the rest comes in, and nothing is lost."""

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.sources.reading import write

GOOD_MAIL = (
    "From a@example.org Thu Feb 01 10:00:00 2024\nFrom: a@example.org\nTo: b@example.org\n"
    "Date: Thu, 01 Feb 2024 10:00:00 +0000\nMessage-ID: <{0}@x>\nSubject: {0}\n\nHello\n\n"
)
ICS = "BEGIN:VCALENDAR\nVERSION:2.0\n{0}END:VCALENDAR\n"
VEVENT = "BEGIN:VEVENT\nUID:{0}\nDTSTART:20240201T100000Z\nSUMMARY:{0}\n{1}END:VEVENT\n"
WORKOUT = (
    '<Workout workoutActivityType="HKWorkoutActivityTypeRunning" duration="30" durationUnit="min"'
    ' sourceName="Watch" startDate="2024-02-01 10:00:00 +0000"'
    ' endDate="2024-02-01 10:30:00 +0000"/>'
)


def stream(name: str, ts: str = "2024-02-01T10:00:00Z") -> dict[str, object]:
    return {
        "ts": ts,
        "ms_played": 60_000,
        "master_metadata_track_name": name,
        "master_metadata_album_artist_name": "Band",
    }


def truncated_json(folder: Path) -> None:
    whole = json.dumps([stream("truncated 1"), stream("truncated 2")])
    write(folder / "h.json", whole[:-40])


def bombs_and_traversal(folder: Path) -> None:
    folder.mkdir()
    with zipfile.ZipFile(folder / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("zeros.json", b"[" + b" " * (300 << 20))
    with zipfile.ZipFile(folder / "path.zip", "w") as archive:
        archive.writestr("../../outside.json", json.dumps([stream("outside")]))
        archive.writestr("inside.json", json.dumps([stream("inside")]))


def wrong_encodings(folder: Path) -> None:
    table = 'Title,Date\n"Größe {0}","2024-02-01"\n'
    write(folder / "latin.csv", table.format("latin").encode("cp1252"))
    write(folder / "wide.csv", table.format("wide").encode("utf-16"))


def nul_bytes(folder: Path) -> None:
    mails = GOOD_MAIL.format("nul 1").replace("Hello", "Hel\x00lo") + GOOD_MAIL.format("nul 2")
    write(folder / "m.mbox", mails)
    write(folder / "h.csv", 'Title,Date\n"N\x00ul 3","2024-02-01"\n' + " \n" * 300)


def billion_laughs(folder: Path) -> None:
    levels = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
    dtd = f'<!DOCTYPE HealthData [<!ENTITY l0 "ha">{levels}]>'
    content = f'<?xml version="1.0"?>{dtd}<HealthData locale="de">{WORKOUT}<Me x="&l11;"/>'
    write(folder / "export.xml", f"{content}</HealthData>")


def endless_recurrence(folder: Path) -> None:
    rules = ("FREQ=SECONDLY", "FREQ=DAILY;INTERVAL=0", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30",
             "FREQ=DAILY;COUNT=999999999999", "FREQ=WEEKLY;BYSETPOS=9999")  # fmt: skip
    events = [VEVENT.format(f"endless {n}", f"RRULE:{rule}\n") for n, rule in enumerate(rules)]
    events.append(VEVENT.format("once", ""))
    write(folder / "c.ics", ICS.format("".join(events)))


def huge_attachment(folder: Path) -> None:
    head = GOOD_MAIL.format("attached").replace(
        "\n\nHello",
        "\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\n"
        "Content-Type: text/plain\n\nSee below\n--b\nContent-Type: application/zip\n"
        "Content-Disposition: attachment; filename=big.zip\nContent-Transfer-Encoding: base64\n",
    )
    with (write(folder / "m.mbox", head)).open("ab") as out:
        line = b"QUJD" * 19 + b"\n"
        for _ in range(50 << 4):
            out.write(line * 852)  # 64 KB
        out.write(b"--b--\n\n" + GOOD_MAIL.format("behind").encode())


def odd_years(folder: Path) -> None:
    rows = [stream("1601", "1601-01-01T00:00:00Z"), stream("9999", "9999-12-31T23:59:59Z")]
    write(folder / "h.json", json.dumps([*rows, stream("this year")]))


def long_lines(folder: Path) -> None:
    long = "x" * 10_000_000
    write(
        folder / "h.csv", f'Title,Date\n"A","2024-02-01"\n"{long}","2024-02-02"\n"B","2024-02-03"\n'
    )
    write(folder / "h.json", json.dumps([stream("long 1"), {"junk": long}, stream("long 2")]))
    write(folder / "c.ics", ICS.format(VEVENT.format("long 3", f"DESCRIPTION:{long}\n")))
    mails = GOOD_MAIL.format("long 4").replace("Hello", long) + GOOD_MAIL.format("long 5")
    write(folder / "m.mbox", mails)
    write(folder / "notes" / "2024-02-01.md", f"# Long 6\n{long}\nend")
    write(folder / "export.xml", f"<HealthData>{WORKOUT}<Me x='{long}'/></HealthData>")


# What each does, and what must still be found in the store (in any value of an event).
CASES = {
    truncated_json: ["truncated 1"],
    bombs_and_traversal: ["inside"],
    wrong_encodings: ["Größe latin", "Größe wide"],
    nul_bytes: ["nul 1", "nul 2", "Nul 3"],
    billion_laughs: ["running"],
    endless_recurrence: ["once", *(f"endless {n}" for n in range(5))],
    huge_attachment: ["attached", "See below", "behind"],
    odd_years: ["this year"],
    long_lines: ["long 1", "long 2", "long 3", "long 4", "long 5", "Long 6", "running"],
}
# Runs the command and prints the largest memory of any process that took part, in kilobytes.
MEASURE = (
    "import resource, subprocess, sys\n"
    "done = subprocess.run([sys.executable, '-m', 'reqap', *sys.argv[1:]], capture_output=True)\n"
    "sys.stderr.buffer.write(done.stderr)\n"
    "sys.stdout.buffer.write(done.stdout)\n"
    "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)\n"
    "sys.exit(done.returncode)"
)


@pytest.mark.parametrize("make", CASES, ids=lambda make: make.__name__)
def test_the_rest_is_imported_and_memory_is_bounded(make: object, tmp_path: Path) -> None:
    assert callable(make)
    make(tmp_path / "in")
    db = tmp_path / "life.duckdb"
    command = [sys.executable, "-c", MEASURE, "import", str(tmp_path / "in"), "--db", str(db)]
    done = subprocess.run(
        [*command, "--json"], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode in (0, 3), done.stderr
    report = json.loads(done.stdout)
    said = [issue["reason"] for issue in report["problems"]]
    said += [r for s in report["sources"] for r in (*s["skipped"], *s["notes"], *s["warnings"])]
    # A large attachment is not wrong: of attachments only the names are taken.
    assert said or make is huge_attachment, "something was wrong and nothing was said"
    assert int(done.stderr.split()[-1]) < 400_000
    listed = subprocess.run(
        [sys.executable, "-m", "reqap", "events", "--db", str(db), "--json", "--limit", "99999"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    told = " ".join(str(e["data"].values())[:5000] for e in map(dict, json.loads(listed.stdout)))
    for wanted in CASES[make]:
        assert wanted in told, (wanted, said)
    assert "outside" not in told
