"""A life whose every field is hostile: HTML, scripts, templates, markup, terminals, bidi text."""

import json
from email.message import EmailMessage
from pathlib import Path

from reqap.columns import to_arrow
from reqap.events import Event, Origin
from reqap.store import Store
from tests.cli.test_commands import SPOTIFY, call
from tests.extract.lives import DAY

# What must reach neither a page nor a terminal: escape, bell, and what turns text around.
CONTROLS = "\x1b\x07\x9b\u202e\u2066"
HOSTILE = (
    "<img src=x onerror=alert(1)><script>alert(2)</script>\"'&amp;{{7*7}}[red][link=file:///x]"
    "\x1b[31m\x1b]0;x\x07\x9b2J\u202egnp.exe\u2066"
)


def hostile_life(folder: Path) -> Path:
    """Imported from exports, for there are raw records then; and an event of a hostile kind."""
    exports, db = folder / "exports", folder / "hostile.duckdb"
    (exports / "notes").mkdir(parents=True)
    mail = EmailMessage()
    mail["Subject"], mail["Date"] = HOSTILE, "Wed, 01 May 2024 12:30:00 +0000"
    mail["From"], mail["To"] = "ann@post.example", "me@post.example"
    mail["Message-ID"] = "<1@post.example>"
    mail.set_content(f"Lunch. {HOSTILE}")
    (exports / "a.eml").write_bytes(mail.as_bytes())
    told = HOSTILE.replace(";", "\\;")
    (exports / "plans.ics").write_text(
        f"BEGIN:VCALENDAR\nVERSION:2.0\nBEGIN:VEVENT\nUID:z1\nDTSTART:20240502T190000Z\n"
        f"DTEND:20240502T200000Z\nSUMMARY:{told}\nLOCATION:{told}\nDESCRIPTION:{told}\n"
        "END:VEVENT\nEND:VCALENDAR\n"
    )
    play = json.loads((SPOTIFY / "Streaming_History_Audio_2024_0.json").read_text())[0]
    names = ("track_name", "album_artist_name", "album_album_name")
    play |= {f"master_metadata_{name}": HOSTILE for name in names} | {"platform": HOSTILE}
    (exports / "Streaming_History_Audio_2024_0.json").write_text(json.dumps([play]))
    (exports / "notes" / "<b>note\u202e.md").write_text(
        f"---\ndate: 2024-05-03\n---\n# {HOSTILE}\n{HOSTILE}\n"
    )
    result = call("import", exports, "--date-order", "dmy", db=db)
    assert result.exit_code == 0, result.output
    harmless(result.output)
    odd = Event("hostile", HOSTILE, HOSTILE, DAY, DAY, None, {HOSTILE: HOSTILE}, Origin(HOSTILE, 0))
    with Store.open(db) as store, store.importing([HOSTILE]) as ingest:
        ingest.add(ingest.add_file(HOSTILE, HOSTILE, 1, "", HOSTILE), to_arrow([odd]))
        ingest.merge()
    return db


def harmless(text: str) -> None:
    """Nothing in a text can do anything to a terminal or to the order of its words."""
    assert not set(CONTROLS) & set(text)
