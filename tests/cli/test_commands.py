"""The commands as a person meets them: exit codes, messages, JSON."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from reqap.cli import cli
from reqap.cli.demo import QUESTIONS
from reqap.errors import NotFound
from tests.sources.reading import DATA, write

SPOTIFY = DATA / "spotify" / "Spotify Extended Streaming History"


def call(*arguments: object, db: Path | None = None, stdin: str | None = None) -> Result:
    words = [str(word) for word in arguments]
    result = CliRunner().invoke(cli, [*words, *(["--db", str(db)] if db else [])], input=stdin)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def as_program(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "reqap", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


@pytest.fixture
def db(tmp_path: Path) -> Path:
    path = tmp_path / "life.duckdb"
    call("import", SPOTIFY, db=path)
    return path


def test_import_ends_with_a_table_and_the_reasons(tmp_path: Path) -> None:
    text = call("import", SPOTIFY, db=tmp_path / "x.duckdb").output
    assert "Import 1" in text
    assert "2024-03-05" in text
    assert "2 skipped: broken record" in text
    assert "Imported 7 new events" in text


def test_import_speaks_json(tmp_path: Path) -> None:
    report = json.loads(call("import", SPOTIFY, "--json", db=tmp_path / "x.duckdb").output)
    [source] = report["sources"]
    assert (source["new"], source["skipped"]["broken record"]) == (7, 2)
    assert source["examples"][0]["origin"]["position"] == 2
    assert report["import_id"] == 1


def test_a_dry_run_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "x.duckdb"
    assert "Would import 7 new events" in call("import", SPOTIFY, "--dry-run", db=path).output
    assert not path.exists()


def test_damaged_input_has_an_exit_code_of_its_own(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    write(folder / "good.json", (SPOTIFY / "Streaming_History_Audio_2024_0.json").read_bytes())
    write(folder / "bad.zip", b"PK\x03\x04 and then nothing")
    done = as_program("import", folder, "--db", tmp_path / "x.duckdb")
    assert done.returncode == 3
    assert "damaged archive" in done.stdout
    strict = as_program("import", folder, "--strict", "--db", tmp_path / "y.duckdb")
    assert strict.returncode == 1
    assert "damaged archive" in strict.stderr


def test_what_no_file_tells_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    history = write(tmp_path / "in" / "h.csv", 'Title,Date\n"A film","4/5/24"\n')
    path = tmp_path / "x.duckdb"
    monkeypatch.setattr("reqap.cli.importing.somebody_there", lambda: True)
    assert "Which comes first" in call("import", history, db=path, stdin="day\n").output
    [event] = json.loads(call("events", "--json", db=path).output)
    assert event["start"] == "2024-05-04T00:00:00"
    monkeypatch.setattr("reqap.cli.importing.somebody_there", lambda: False)
    text = call("import", history, db=tmp_path / "y.duckdb").output
    assert "--date-order dmy" in text


def test_a_profile_comes_in_on_the_way(tmp_path: Path) -> None:
    profile = write(
        tmp_path / "me.json",
        json.dumps(
            {
                "name": "Ada Moreau",
                "time_zone": "Asia/Tokyo",
                "jobs": [{"company": "Shopify", "from": "2020-02-01"}],
            }
        ),
    )
    path = tmp_path / "x.duckdb"
    call("import", SPOTIFY, "--profile", profile, db=path)
    found = json.loads(call("events", "--limit", 100, "--json", db=path).output)
    by_kind = {event["kind"]: event for event in found}
    assert by_kind["profile"]["data"]["company"] == "Shopify"
    assert by_kind["profile"]["start"] == "2020-02-01T00:00:00"
    assert by_kind["podcast_stream"]["end"] == "2024-03-06T16:31:00"


def test_sources_shows_a_timeline(db: Path) -> None:
    text = call("sources", "--imports", "--issues", db=db).output
    assert "music_stream" in text
    assert "import 1 of" in text
    assert "broken record" in text


def test_events_are_listed_newest_first_and_by_time(db: Path) -> None:
    found = json.loads(call("events", "--json", "--to", "2024-03-06", db=db).output)
    starts = [event["start"] for event in found]
    assert starts == sorted(starts, reverse=True)
    assert len(found) == 3


def test_slips_are_told(db: Path) -> None:
    with pytest.raises(NotFound, match="There are: audiobook_stream, music_stream"):
        call("events", "--kind", "bogus", db=db)
    assert call("events", "--limit", "-5", db=db).exit_code == 2
    assert call("events", "--from", "2024-05-01", "--to", "2024-04-01", db=db).exit_code == 2


def test_the_future_is_shown_on_request(tmp_path: Path) -> None:
    event = "BEGIN:VEVENT\nUID:1\nDTSTART;VALUE=DATE:20990101\nSUMMARY:Party\nEND:VEVENT\n"
    ics = write(tmp_path / "c.ics", f"BEGIN:VCALENDAR\n{event}END:VCALENDAR\n")
    path = tmp_path / "x.duckdb"
    assert "not your time zone" in call("import", ics, db=path).output
    assert json.loads(call("events", "--json", db=path).output) == []
    assert len(json.loads(call("events", "--json", "--future", db=path).output)) == 1


def test_what_cannot_be_imported_is_pointed_on(tmp_path: Path) -> None:
    own = write(tmp_path / "mine.csv", "a,b\n1,2\n")
    text = call("import", own, db=tmp_path / "x.duckdb").output
    assert "nothing to import" in text
    assert "reqap sources --formats" in text


def test_a_truncated_file_is_damage(tmp_path: Path) -> None:
    whole = (SPOTIFY / "Streaming_History_Audio_2024_0.json").read_bytes()
    cut = write(tmp_path / "h.json", whole[:5000])
    done = as_program("import", cut, "--db", tmp_path / "x.duckdb")
    assert done.returncode == 3
    assert "file ends in the middle of a record" in done.stdout
    assert as_program("import", cut, "--strict", "--db", tmp_path / "y.duckdb").returncode == 1


def test_a_moved_export_is_found_again_and_a_copy_is_kept_later(tmp_path: Path) -> None:
    path = tmp_path / "x.duckdb"
    first = write(
        tmp_path / "a" / "h.json", (SPOTIFY / "Streaming_History_Audio_2024_0.json").read_bytes()
    )
    call("import", first, db=path)
    [event, *_] = json.loads(call("events", "--json", db=path).output)
    moved = first.rename(tmp_path / "moved.json")
    assert "no longer at" in call("show", event["id"], db=path).output
    call("import", moved, "--keep", db=path)
    assert '"ms_played"' in call("show", event["id"], db=path).output
    moved.unlink()
    assert "kept copy" in call("show", event["id"], db=path).output


def test_an_edited_export_shows_the_record_at_its_new_place(tmp_path: Path) -> None:
    path = tmp_path / "x.duckdb"
    rows = json.loads((SPOTIFY / "Streaming_History_Audio_2024_0.json").read_bytes())[:2]
    file = write(tmp_path / "h.json", json.dumps(rows))
    call("import", file, db=path)
    write(file, json.dumps(rows[::-1]))
    call("import", file, db=path)
    for event in json.loads(call("events", "--json", db=path).output):
        assert event["data"]["song_name"] in call("show", event["id"], "--json", db=path).output


def test_show_prints_the_raw_record(db: Path) -> None:
    found = json.loads(call("events", "--json", "--kind", "podcast_stream", db=db).output)
    text = call("show", found[0]["id"][:7], db=db).output
    assert "podcast_name: Wires & Waves" in text
    assert '"spotify_episode_uri"' in text
    shown = json.loads(call("show", found[0]["id"], "--json", db=db).output)
    assert json.loads(shown["raw"])["ms_played"] == 1500000


def test_data_cannot_write_to_the_terminal(tmp_path: Path) -> None:
    row = json.loads((SPOTIFY / "Streaming_History_Audio_2024_0.json").read_text())[0]
    row["master_metadata_track_name"] = "\x1b[31mred[/bold][link=file:///etc]x"
    path = tmp_path / "x.duckdb"
    call("import", write(tmp_path / "h.json", json.dumps([row])), db=path)
    text = call("events", db=path).output
    assert "\x1b[31m" not in text
    assert "red[/bold]" in text


def test_forget_asks_and_then_removes(db: Path) -> None:
    assert "Nothing was changed" in call("forget", "spotify", db=db, stdin="n\n").output
    assert len(json.loads(call("events", "--json", db=db).output)) == 7
    assert "Removed 7 events" in call("forget", "spotify", "--yes", db=db).output
    assert json.loads(call("events", "--json", db=db).output) == []
    with pytest.raises(NotFound, match="no source or import '9'"):
        call("forget", "9", "--yes", db=db)


def test_errors_are_one_line_and_an_exit_code(tmp_path: Path) -> None:
    done = as_program("sources", "--db", tmp_path / "none.duckdb")
    assert done.returncode == 1
    assert done.stderr.startswith("Error: There is no data at")
    assert "Traceback" not in done.stderr
    assert as_program("import", tmp_path / "gone").returncode == 2
    assert as_program("nonsense").returncode == 2


def test_the_store_is_found_through_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REQAP_DB", str(tmp_path / "env.duckdb"))
    call("import", SPOTIFY)
    assert (tmp_path / "env.duckdb").exists()


def test_demo_runs_what_users_run_and_says_how_to_go_on(tmp_path: Path) -> None:
    folder = tmp_path / "my demo"
    text = call("demo", "--folder", folder).output
    for title in ("Spotify", "Netflix", "Amazon", "Apple Health", "Calendar", "Mail", "Keep"):
        assert title in text
    assert "2022-08 – 2024-08" in text
    assert "not your time zone" not in text
    assert "could not be read" not in text
    for question in QUESTIONS:
        assert f"1 {question}" in text  # as the root of its tree
    assert f"serve --open --db '{folder / 'life.duckdb'}'" in text
