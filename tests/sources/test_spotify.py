"""Spotify: both packages, podcasts, nulls, near-duplicates, clock changes."""

from datetime import datetime
from pathlib import Path

from reqap.sources.spotify import SOURCE
from tests.sources.reading import DATA, claims, files, read_path, reasons, write

EXTENDED = DATA / "spotify" / "Spotify Extended Streaming History"
ACCOUNT = DATA / "spotify" / "Spotify Account Data"


def test_a_play_starts_when_it_ended_less_what_was_played() -> None:
    first = read_path(SOURCE, EXTENDED)[0][0]
    assert (first.kind, first.start, first.end, first.offset) == (
        "music_stream",
        datetime(2024, 3, 5, 19, 0),
        datetime(2024, 3, 5, 19, 3, 11),
        60,
    )
    assert first.data == {
        "song_name": "Dog Days Are Over",
        "song_artist": ["Florence + The Machine"],
        "album": "Lungs",
        "duration": 191,
        "duration_unit": "seconds",
        "device": "ios",
        "country": "DE",
        "reason_end": "trackdone",
    }


def test_podcasts_and_audiobooks_have_kinds_of_their_own() -> None:
    events = {event.kind: event for event in read_path(SOURCE, EXTENDED)[0]}
    assert events["podcast_stream"].data["episode_name"] == "The Quiet Grid"
    assert events["podcast_stream"].data["podcast_name"] == "Wires & Waves"
    assert events["audiobook_stream"].data["audiobook_title"] == "The Lighthouse Ledger"


def test_what_is_left_out_is_said_with_its_place() -> None:
    issues = read_path(SOURCE, EXTENDED)[1]
    assert [(issue.reason, issue.origin.position) for issue in issues] == [
        ("the same play told twice in a row", 2),
        ("nothing was played (0 ms, or no title)", 3),
        ("broken record", 9),
        ("broken record", 10),
        ("nothing was played (0 ms, or no title)", 11),
    ]


def test_over_a_change_of_the_clocks() -> None:
    spring, autumn = (e for e in read_path(SOURCE, EXTENDED)[0] if "Train" in str(e.data))
    assert (spring.start, spring.end) == (
        datetime(2024, 3, 31, 1, 58),
        datetime(2024, 3, 31, 3, 2),
    )
    # The wall shows 02:58 and then 02:02: the end is moved on, so that it is not before the start.
    assert (autumn.start, autumn.end, autumn.offset) == (
        datetime(2024, 10, 27, 2, 58),
        datetime(2024, 10, 27, 3, 2),
        120,
    )


def test_both_packages_share_twin_keys() -> None:
    fine = {e.twin for e in read_path(SOURCE, EXTENDED)[0] if not e.coarse}
    coarse = [e for e in read_path(SOURCE, ACCOUNT)[0] if e.coarse]
    twins = [e.data for e in coarse if e.twin in fine]
    told_twice = [data.get("song_name") or data["episode_name"] for data in twins]
    assert told_twice == ["Dog Days Are Over", "Águas de Março", "The Quiet Grid"]
    assert len(coarse) == 5


def test_only_histories_are_claimed() -> None:
    heads = {f.name.rsplit("/", 1)[-1]: f.open().read() for f in files(DATA / "spotify")}
    found = {name for name, head in heads.items() if claims(SOURCE, head)}
    assert found == {
        "Streaming_History_Audio_2024_0.json",
        "StreamingHistory_music_0.json",
        "StreamingHistory_podcast_0.json",
    }


def test_raw_finds_the_record_again() -> None:
    [file] = files(EXTENDED)
    assert '"The Quiet Grid"' in SOURCE.raw(file, 5)
    assert SOURCE.raw(file, 99) == ""


def test_a_truncated_file_gives_what_it_holds(tmp_path: Path) -> None:
    [file] = files(EXTENDED)
    whole = file.open().read()
    path = write(tmp_path / "h.json", whole[: whole.index(b'"The Lighthouse')])
    events, issues = read_path(SOURCE, path)
    assert len(events) == 4
    assert reasons(issues)[-1] == "file ends in the middle of a record"
    assert issues[-1].origin.position == 6


def test_one_broken_record_costs_only_itself(tmp_path: Path) -> None:
    [file] = files(EXTENDED)
    whole = file.open().read().replace(b'"ms_played": 231000', b'"ms_played": 231,000', 1)
    events, issues = read_path(SOURCE, write(tmp_path / "h.json", whole))
    # The near-duplicate of the broken record is now the only one of its kind.
    assert [e.id for e in events if "Elis" in str(e.data)]
    assert ("broken JSON record", 1) in [(i.reason, i.origin.position) for i in issues]
    assert len(events) == len(read_path(SOURCE, EXTENDED)[0])
