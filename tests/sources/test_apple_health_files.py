"""Apple Health exports that are broken, hostile, huge or oddly encoded."""

import tracemalloc
from pathlib import Path

import pytest

from reqap.errors import ExportProblem
from reqap.sources import apple_health_days, apple_health_xml
from reqap.sources.apple_health import SOURCE
from tests.sources.healthexports import (
    EXPORT,
    IOS17,
    MADE,
    health,
    of_kind,
    only_file,
    read_text,
    record,
    sleep,
    yoga,
)
from tests.sources.reading import read_path, reasons, write


def test_entities_are_never_declared(tmp_path: Path) -> None:
    laughs = "".join(
        f'<!ENTITY lol{n} "{f"&lol{n - 1};" * 10}">\n' if n else '<!ENTITY lol0 "lol">\n'
        for n in range(10)
    )
    secret = '<!ENTITY secret SYSTEM "file:///etc/passwd">'
    bomb = record("StepCount", "1", "2025-01-01 10:00:00 +0100", source="&lol9;")
    peek = record("StepCount", "1", "2025-01-01 10:00:00 +0100", source="&secret;")
    good = record("StepCount", "7", "2025-01-01 10:00:00 +0100")
    dtd = f"<!DOCTYPE HealthData [{laughs}{secret}]>"
    tracemalloc.start()
    for text in (
        f"{dtd}{health(bomb, peek, good)}",
        f"<!DOCTYPE HealthData []>{dtd}{health(bomb, peek, good)}",
        f"{health(bomb, peek)}{dtd}{health(good)}",
    ):
        events, issues = read_text(tmp_path, '<?xml version="1.0"?>' + text)
        assert [event.data["steps"] for event in events] == [7]
        assert {issue.reason for issue in issues} == {"not well-formed XML"}
        assert [issue.detail for issue in issues][:2] == ["undefined entity"] * 2
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 30e6


def test_a_dtd_of_any_length_is_passed_over(tmp_path: Path) -> None:
    comments = "<!-- <!ELEMENT Record --> <!ATTLIST never closed\n" * 50_000
    run = health(yoga(29))
    content = f"<!DOCTYPE HealthData [{comments}]>\n{run}"
    (event,), issues = read_text(tmp_path, content)
    assert event.origin.position == content.index("<Workout")
    assert issues == []


@pytest.mark.parametrize("stretch", [1, 7, 100, 4096])
def test_stretches_may_end_anywhere(stretch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = read_path(SOURCE, IOS17)
    monkeypatch.setattr(apple_health_xml, "_STRETCH", stretch)
    events, issues = read_path(SOURCE, IOS17)
    assert sorted(events) == sorted(expected[0])
    assert sorted(issues) == sorted(expected[1])


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_other_encodings(tmp_path: Path, encoding: str) -> None:
    expected = read_path(SOURCE, IOS17)[0]
    path = write(tmp_path / "export.xml", EXPORT.read_text("utf-8").encode(encoding))
    events, _ = read_path(SOURCE, path)
    assert [event[:7] for event in events] == [event[:7] for event in expected]
    # Positions count the bytes of the text as UTF-8, however it is written.
    workout = of_kind(events, "workout")[0]
    assert SOURCE.raw(only_file(path), workout.origin.position).startswith("<Workout ")


def test_a_truncated_file_gives_what_it_has(tmp_path: Path) -> None:
    text = health(record("StepCount", "5", "2025-01-01 10:00:00 +0100"), yoga(28), yoga(29))
    cut = text[: text.rindex("</Workout>")]
    events, issues = read_text(tmp_path, cut)
    assert [event.kind for event in events] == ["workout", "daily_activity"]
    assert [(issue.reason, issue.origin.position) for issue in issues] == [
        ("the file ends in the middle", len(cut))
    ]
    # The whole file, made in the same second, tells the day better.
    assert events[-1].revision == MADE - 1


def test_reading_goes_on_behind_a_broken_place(tmp_path: Path) -> None:
    lines = [
        record("StepCount", "1", "2025-01-01 10:00:00 +0100"),
        yoga(27, "<MetadataEntry key=<broken>"),
        record("StepCount", "2", "2025-01-01 11:00:00 +0100"),
        '<Record type="HKQuantityTypeIdentifierStepCount" sourceName="cut off ',
        record("StepCount", "4", "2025-01-01 12:00:00 +0100"),
        "</NeverOpened>",
        yoga(28),
        record("StepCount", "8", "2025-01-01 13:00:00 +0100").replace("iPhone", "\xff"),
        record("StepCount", "16", "2025-01-01 14:00:00 +0100"),
    ]
    content = health(*lines).encode("latin-1")
    events, issues = read_text(tmp_path, content)
    assert [event.start.day for event in of_kind(events, "workout")] == [28]
    assert of_kind(events, "daily_activity")[0].data["steps"] == 1 + 2 + 4 + 16
    assert of_kind(events, "daily_activity")[0].revision == MADE - 1
    broken = [issue.origin.position for issue in issues if issue.reason == "not well-formed XML"]
    assert broken == [
        content.index(b"<broken>"),
        content.index(b"<Record", content.index(b"cut off")),
        content.index(b"</NeverOpened>") + 2,
        content.index(b"\xff"),
    ]
    assert [(i.reason, i.origin.position) for i in issues if i.reason == "broken record"] == [
        ("broken record", content.index(b"<Workout"))
    ]


def test_a_file_without_its_beginning(tmp_path: Path) -> None:
    text = '<?xml version="1.0"?><!DOCTYPE HealthData []> ... ' + yoga(28) + yoga(29)
    events, issues = read_text(tmp_path, text)
    assert [event.start.day for event in events] == [28, 29]
    assert reasons(issues) == [
        "no <HealthData> before the first record",
        "the file ends in the middle",
    ]
    with pytest.raises(ExportProblem, match="no health records"):
        read_text(tmp_path, "<!DOCTYPE HealthData []><Nothing/>")


def test_bounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = record("StepCount", "3", "2025-01-01 10:00:00 +0100")
    deep, issues = read_text(tmp_path, health(steps, "<a>" * 5000, steps))
    assert deep[0].data["steps"] == 6
    assert [issue.detail for issue in issues] == ["elements nested too deep", "a: 1 records"]
    monkeypatch.setattr(apple_health_xml, "_MAX_TAG", 2 << 20)
    endless = '<Record value="' + "x" * (4 << 20)
    events, issues = read_text(tmp_path, health(steps, endless, steps))
    assert events[0].data["steps"] == 6
    assert [issue.detail for issue in issues] == ["a tag without an end"]
    monkeypatch.setattr(apple_health_xml, "_MAX_BREAKS", 3)
    events, issues = read_text(tmp_path, health(steps, *(["</x>" + steps] * 10)))
    assert events[0].data["steps"] == 4 * 3
    assert reasons(issues) == ["not well-formed XML"] * 3 + [
        "broken in too many places; the rest was not read"
    ]


def test_hostile_records(tmp_path: Path) -> None:
    good = "2025-01-01 10:00:00 +0100"
    lines = [
        record("StepCount", "nan", good),
        record("StepCount", "-5", good),
        record("StepCount", "1e99", good),
        record("StepCount", "9" * 5000, good),
        record("StepCount", "5", "0001-01-01 00:00:00 +0100"),
        record("StepCount", "5", "yesterday"),
        record("StepCount", "5", "2025-01-01 10:00:00 +0100", "2024-01-01 10:00:00 +0100"),
        record("StepCount", "5", "2025-01-01 10:00:00 +0100", "2029-01-01 10:00:00 +0100"),
        record("StepCount", "5", good).replace('"count"', '"furlongs"'),
        record("HeartRate", "inf", good),
        record("BodyMass", "", good),
        sleep("Asleep", "2025-01-01 10:00:00 +0100", "2025-02-01 10:00:00 +0100"),
        '<Record type="HKQuantityTypeIdentifierStepCount"/>',
        "<Record/>",
        '<ActivitySummary dateComponents="never"/>',
        "<ClinicalRecord/>",
    ]
    events, issues = read_text(tmp_path, health(*lines))
    assert events == []
    assert reasons(issues) == ["broken record"] * 14 + ["a type of record that is not imported"] * 2
    assert all(len(issue.detail) <= 200 for issue in issues)
    assert [issue.detail for issue in issues][-2:] == [
        "no type: 1 records",
        "ClinicalRecord: 1 records",
    ]


def test_many_sources_and_types_stay_bounded(tmp_path: Path) -> None:
    day = "2025-01-01 10:00:00 +0100"
    lines = [record("StepCount", "1", day, source=f"s{n}" * 200) for n in range(50)]
    lines += [record("StepCount", "2", day, source=f"s{n}") for n in range(3000)]
    lines += [record(f"New{n}", "1", day) for n in range(1000)]
    (event,), issues = read_text(tmp_path, health(*lines))
    assert event.data["steps"] == 50 + 2 * 2000  # those beyond a thousand count as one
    assert len(issues) == 301
    assert issues[-1].detail == "others: 700 records"


def test_days_and_sources_stay_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apple_health_days, "_MAX_CELLS", 2)
    lines = [record("StepCount", "1", f"2025-01-0{day} 10:00:00 +0100") for day in range(1, 6)]
    events, issues = read_text(tmp_path, health(*lines, *lines))
    assert [event.data["steps"] for event in events] == [2, 2]
    assert len(issues) == 6
    assert issues[0].detail.endswith("too many days and sources to keep apart")
