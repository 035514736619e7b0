"""Lifelogs of TimelineQA become events with their sentences and attributes, and questions."""

import json
from contextlib import suppress
from datetime import date, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reqap.errors import ReqapError
from reqap.evaluate.metrics import score
from reqap.evaluate.stores import imported, opened
from reqap.evaluate.timelineqa import load_timelineqa, timelineqa_subjects
from reqap.profile import Profile
from tests.evaluate.lifelog import lifelog


def test_episodes_have_their_sentence_and_what_the_logs_say(tmp_path: Path) -> None:
    timeline = load_timelineqa(lifelog(tmp_path / "sparse-0"))
    found = {one.eid: one for one in timeline.episodes}
    assert len(found) == 11
    assert [one.start for one in timeline.episodes] == sorted(one.start for one in found.values())
    chat = found["e1"]
    assert (chat.kind, chat.start, chat.end) == ("talk_with_friends", *[date(2010, 2, 1)] * 2)
    assert chat.text == "In the morning I talked to Mia and Jon for 30 minutes."
    assert chat.attributes == {
        "timeofday": "in the morning", "duration": 30, "friends": ["Mia", "Jon"],
        "duration_unit": "minutes",
    }  # fmt: skip
    assert found["e3"].attributes["foodtype"] == "eggs, sausages, and bread"
    assert found["e4"].attributes == {"exercise": "swimming", "heart_rate": 120}
    assert (found["e5"].kind, found["e0"].kind) == ("reading", "birth_info")
    assert (found["e6"].start, found["e6"].end) == (date(2010, 3, 10), date(2010, 3, 15))
    for eid in ("e7", "e8"):  # on a day of their own, not as long as the trip
        assert (found[eid].start, found[eid].end) == (date(2010, 3, 12), date(2010, 3, 12))
    assert found["e8"].attributes == {"city": "Lisbon", "place": "the tower", "people": ["Jon"]}
    assert found["e9"].attributes["for_whom"] == "child"
    assert timeline.today == datetime(2011, 1, 5, 23, 59, 59)


def test_questions_have_the_right_answers(tmp_path: Path) -> None:
    timeline = load_timelineqa(lifelog(tmp_path / "sparse-0"))
    gold = {question.template: question.gold for question in timeline.questions}
    assert gold == {
        "q4": ("Mia",), "q6": ("1",), "q9": (["2010", "2"],),
        "q10": ("eggs, sausages, and bread",), "q26": ("local food",), "q33": ("0",),
        "q37": ("2010-03-10 00:00:00",),
    }  # fmt: skip
    texts = {question.text for question in timeline.questions}
    assert "How many times did I talk to Jon in February 2010?" in texts
    assert score(gold["q6"], [1]).hit  # type: ignore[arg-type]
    assert score(gold["q37"], [date(2010, 3, 10)]).hit  # type: ignore[arg-type]


def test_the_persona_is_who_they_know(tmp_path: Path) -> None:
    profile = Profile.from_json(load_timelineqa(lifelog(tmp_path / "sparse-0")).profile)
    assert [(person.name, person.relation) for person in profile.people] == [
        ("Ida", "mother"), ("Otto", "father"), ("Pia", "child"), ("Mia", "friend"),
        ("Jon", "friend"),
    ]  # fmt: skip
    assert profile.birth_date is not None
    assert profile.birth_date.text == "1990-05-06"


def test_all_densities_are_found_and_imported(tmp_path: Path) -> None:
    for name in ("dense-0", "medium-3", "sparse-0"):
        lifelog(tmp_path / "benchmark" / name)
    found = list(timelineqa_subjects(tmp_path, tmp_path / "work"))
    assert [subject.name for subject in found] == ["dense-0", "medium-3", "sparse-0"]
    (subject,) = timelineqa_subjects(tmp_path / "benchmark", tmp_path / "work", ["medium-3"])
    with opened(imported(subject, tmp_path / "stores")) as store:
        sql = "SELECT kind, start_at, data FROM events WHERE source <> 'profile' ORDER BY start_at"
        rows = store.connection.execute(sql).fetchall()
    assert len(rows) == 11
    kind, start, data = rows[-1]
    assert (kind, start) == ("grocery_shopping", datetime(2011, 1, 5))
    told = {"text": "I bought apples and pears.", "fruits": ["apples", "pears"]}
    assert json.loads(data) == told
    with pytest.raises(ReqapError, match="no persona dense-9"):
        list(timelineqa_subjects(tmp_path, tmp_path / "work", ["dense-9"]))
    with pytest.raises(ReqapError, match="no lifelog of TimelineQA"):
        list(timelineqa_subjects(tmp_path / "work", tmp_path / "work"))


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("sparse-0.json", '{"2010/13/01": {}}', "there is no timeline"),
        ("sparse-0.json", '{"2010/12/01": {"chat0": {}}}', r"2010/12/01, chat0: an object with"),
        ("sparse-0.json", '{"2010/02/31": {"chat0": {"eid": "e1"}}}', "no day"),
        ("sparse-0.json", '{"2010/12/01": 3}', "an object of episodes"),
        ("sparse-0.json", "{", "not valid JSON"),
        ("persona.json", "[]", r"persona\.json: an object was expected"),
        ("daily_chat-log.csv", "date,friends\n2010/01/01,Mia\n", r"line 2: the column eid"),
        ("daily_chat-log.csv", "eid,date\ne1,yesterday\n", "line 2: 'yesterday' is no day"),
        ("queries.csv", "q_id,question\n../../q1,Who?\n", "queries.csv, line 2: q_id and"),
        ("queries.csv", "q_id,question\nq99,Who?\n", r"q99-result\.csv is not there"),
    ],
)
def test_what_is_broken_is_told_with_its_place(
    name: str, content: str, told: str, tmp_path: Path
) -> None:
    folder = lifelog(tmp_path / "sparse-0")
    (folder / name).write_text(content)
    with pytest.raises(ReqapError, match=told):
        load_timelineqa(folder)


def test_questions_come_from_a_script_of_the_benchmark(tmp_path: Path) -> None:
    folder = lifelog(tmp_path / "sparse-0")
    (folder / "queries.csv").unlink()
    with pytest.raises(ReqapError, match=r"multihopQA\.py"):
        load_timelineqa(folder)


@given(st.sampled_from(["sparse-0.json", "persona.json", "travel-log.csv", "queries.csv",
                        "q4-result.csv"]), st.binary(max_size=60), st.integers(0, 200))  # fmt: skip
def test_damaged_files_are_errors_of_ours(
    tmp_path_factory: pytest.TempPathFactory, name: str, bytes_: bytes, at: int
) -> None:
    folder = lifelog(tmp_path_factory.mktemp("life") / "sparse-0")
    whole = (folder / name).read_bytes()
    (folder / name).write_bytes(whole[:at] + bytes_ + whole[at:])
    with suppress(ReqapError):
        load_timelineqa(folder)
