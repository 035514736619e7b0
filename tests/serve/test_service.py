"""What the page does with a life, without HTTP."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from shutil import copyfile
from threading import Event as Signal

import pytest

from reqap.errors import NotFound, PlanError, Stopped, ValueProblem
from reqap.life import Life
from reqap.qud.scripted import Scripted
from reqap.serve.service import Request, Service
from reqap.steps import Plain

RUNS = "How many kilometres did I run in all?"
STEPS = {
    RUNS: 'SUM(QUD("my runs with the distance"), "distance")',
    "my runs with the distance": 'EXTRACT(QUD("my runs"), ["distance"], [float])',
    "my runs": 'RETRIEVE("my runs")',
    "How many unicorns?": 'APPLY(QUD("unicorns"), len)',
    "unicorns": 'RETRIEVE("unicorns I rode on xyzzy")',
}


@pytest.fixture
def service(demo_db: Path, tmp_path: Path) -> Iterator[Service]:
    copyfile(demo_db, tmp_path / "life.duckdb")
    with Life.open(tmp_path / "life.duckdb", lambda: Scripted(STEPS), keeps=True) as life:
        yield Service(life)


def asked(service: Service, question: str = RUNS) -> Plain:
    return service.answer(service.ask(Request(), question)["number"])


def total(answer: Plain) -> float:
    return float(answer["told"]["answers"][0])


def test_a_question_is_answered_and_remembered(service: Service) -> None:
    told: list[tuple[str, Plain]] = []
    number = service.ask(Request(lambda name, data: told.append((name, data))), RUNS)["number"]
    assert {"words", "tree", "ran"} <= {name for name, _ in told}
    tree = [data for name, data in told if name == "tree"][-1]
    assert tree["path"] == "1"
    assert tree["inner"][0]["inner"][0]["path"] == "1.1.1"
    answer = service.answer(number)
    assert answer["status"] == "ok"
    assert total(answer) > 10
    assert answer["first_events"]
    assert sum(one["count"] for one in answer["months"]) == answer["event_count"]
    assert [one["question"] for one in service.history()["rows"]] == [RUNS]


def test_the_second_time_nothing_is_worked_out_unless_something_changed(service: Service) -> None:
    first = service.ask(Request(), RUNS)
    again = service.ask(Request(), "how many kilometres did I run in all")
    assert again == {"number": first["number"], "again": True}
    event = service.answer(first["number"])["first_events"][0]["id"]
    service.drop(first["number"], event)
    assert not service.ask(Request(), RUNS)["again"]


def test_an_event_that_does_not_belong_is_dropped_until_that_is_undone(service: Service) -> None:
    before = asked(service)
    event = before["first_events"][0]["id"]
    assert service.drop(before["number"], event) == {"queries": ["my runs"]}
    after = asked(service)
    assert event not in [one["id"] for one in after["first_events"]]
    assert total(after) < total(before)
    (row,) = service.corrections()["rows"]
    service.undo(row["id"])
    assert total(asked(service)) == total(before)
    with pytest.raises(NotFound):
        service.undo(row["id"])


def test_a_value_is_corrected(service: Service) -> None:
    before = asked(service)
    values = service.node(before["number"], "1.1")["values"]
    found = service.node(before["number"], "1.1.1")["found"]["rows"]
    assert {value["id"] for value in values} == {row["id"] for row in found}  # not only the first
    one = next(value for value in values[::-1] if (value["where"] or "").startswith("data key"))
    service.fix(one["id"], "distance", "float", "1000.5")
    assert total(asked(service)) > 1000
    values = service.node(before["number"], "1.1")["values"]
    mine = next(value for value in values if value["id"] == one["id"])
    assert mine["where"] == "corrected by you"
    with pytest.raises(ValueProblem):
        service.fix(one["id"], "distance", "float", "far")
    with pytest.raises(ValueProblem):
        service.fix(one["id"], "floors", "int", "9" * 25)
    service.fix(one["id"][:8], "distance", "float", "")
    assert total(asked(service)) < total(before)


def test_a_plan_is_changed(service: Service) -> None:
    plan = 'APPLY(RETRIEVE("my runs"), len)'
    first = service.answer(service.run(Request(), plan, RUNS)["number"])
    assert total(first) == int(total(first))
    assert total(asked(service)) == total(first)
    with pytest.raises(PlanError):
        service.run(Request(), "DROP TABLE events", RUNS)


def test_a_step_says_why(service: Service) -> None:
    answer = asked(service)
    found = service.node(answer["number"], "1.1.1")["found"]
    assert found["query"] == "my runs"
    assert all(row["why"] for row in found["rows"])
    event = service.event(found["rows"][0]["id"], "my runs", answer["number"])
    assert event["data"]
    assert event["raw"] or event["note"]
    for path in ("2", "1.7", "1.x", "", "1.1.1.1.1"):
        with pytest.raises(NotFound):
            service.node(answer["number"], path)


def test_what_tells_of_the_same_is_told_wherever_an_event_is_opened(service: Service) -> None:
    number = asked(service)["number"]
    ids = [one["id"] for one in service.answer(number)["first_events"]]
    of_answer = [service.event(one, number=number)["others"] for one in ids]
    of_query = [service.event(one, "my runs", number)["others"] for one in ids]
    assert of_answer == of_query
    assert any(of_answer)
    assert all(
        one not in [it["id"] for it in told] for one, told in zip(ids, of_answer, strict=True)
    )


def test_judgements_are_counted(service: Service) -> None:
    number = asked(service)["number"]
    service.judge(number, "almost")
    assert service.judgements()["tallies"] == {"correct": 0, "almost": 1, "wrong": 0}
    service.judge(number, "")
    assert service.judgements()["rows"] == []
    with pytest.raises(NotFound):
        service.judge(number, "brilliant")


def test_what_is_forgotten_is_in_no_answer_any_more(service: Service) -> None:
    answer = asked(service)
    service.fix(answer["first_events"][0]["id"], "distance", "float", "3")
    asked(service, "How many unicorns?")
    assert service.forget(Request(), "apple_health")["gone"] > 100
    assert [one["question"] for one in service.history()["rows"]] == ["How many unicorns?"]
    assert service.corrections()["rows"] == []
    assert "apple_health" not in {row["source"] for row in service.sources()["rows"]}


def test_many_look_at_once(service: Service) -> None:
    number = asked(service)["number"]

    def look(turn: int) -> None:
        service.fix(service.answer(number)["first_events"][turn]["id"], "distance", "float", "7")
        assert service.sources()["rows"]
        assert service.history()["rows"]

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(look, range(12)))
    numbers = [row["id"] for row in service.corrections()["rows"]]
    assert len(set(numbers)) == 12


def test_what_only_a_step_has_seen_is_forgotten_too(service: Service) -> None:
    plan = 'FILTER(RETRIEVE("my runs"), lambda e: e["start_date"].year == 1990)'
    number = service.run(Request(), plan, "runs in 1990")["number"]
    assert service.answer(number)["status"] == "no_data"
    service.forget(Request(), "apple_health")
    assert service.history()["rows"] == []


def test_a_question_that_was_stopped_leaves_nothing(service: Service) -> None:
    stop = Signal()
    stop.set()
    with pytest.raises(Stopped):
        service.ask(Request(stop=stop), RUNS)
    assert service.history()["rows"] == []


def test_files_are_imported(service: Service, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "plans.ics").write_text(
        "BEGIN:VCALENDAR\nVERSION:2.0\nBEGIN:VEVENT\nUID:zz1\nDTSTART:20240302T190000Z\n"
        "DTEND:20240302T200000Z\nSUMMARY:Ukulele lesson\nEND:VEVENT\nEND:VCALENDAR\n"
    )
    told: list[str] = []
    found = service.import_(Request(lambda name, _: told.append(name)), [str(tmp_path / "in")])
    assert [source["new"] for source in found["sources"]] == [1]
    assert "index" in told
    number = service.run(Request(), 'RETRIEVE("my ukulele lessons")', "")["number"]
    assert "Ukulele" in service.answer(number)["first_events"][0]["gist"]
    with pytest.raises(NotFound):
        service.import_(Request(), [str(tmp_path / "nowhere")])


def test_a_short_line_after_an_answer_is_put_into_its_question(service: Service) -> None:
    first = service.ask(Request(), RUNS)["number"]
    told: list[tuple[str, Plain]] = []
    request = Request(lambda name, data: told.append((name, data)))
    number = service.ask(request, "and in 2023?", first)["number"]
    full = "How many kilometres did I run in all in 2023?"
    assert told[0] == ("meant", {"typed": "and in 2023?", "question": full})
    assert service.answer(number)["question"] == full
    told.clear()
    number = service.ask(request, "and in 2023?")["number"]  # as it was typed
    assert service.answer(number)["question"] == "and in 2023?"
    service.forget_asked(first)
    service.ask(request, "and in 2023?", first)
    assert "meant" not in {name for name, _ in told}
