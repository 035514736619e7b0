"""The trace says what happened at each node; limits and errors say where a plan ended."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date, datetime

import orjson
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reqap.errors import ExecutionProblem, StoreProblem, TooExpensive
from reqap.execute import Engine, Limits, Result, TraceNode
from reqap.execute.results import MAX_ROWS
from reqap.plan import Functions, parse
from reqap.plan.operators import Retrieve, walk_plan
from tests.execute.fakes import TODAY, Amount, FakeLife, FakeLives, empty_store, run, values
from tests.execute.test_lineage import LIVES, STEADY, Lives, Plan

EXAMPLES = settings().max_examples
PURCHASES = FakeLife(
    [
        {"price": 3.0, "title": "tea", "day": date(2024, 1, 1), "tags": ["hot", "green"]},
        {"price": 5.0, "title": "cake", "day": date(2024, 1, 2), "tags": []},
        {"price": None, "title": "tea", "day": date(2024, 1, 2)},
        {"price": 1.5, "title": "jam", "day": None, "tags": ["sweet"]},
    ]
)
BOUGHT = (
    'EXTRACT(l=RETRIEVE(query="q"), attr_names=["price", "title", "day"],'
    " attr_types=[float, str, date.fromisoformat])"
)


class Watched(FakeLives):
    """Lives that write down what they are asked, and may do something first."""

    def __init__(self, lives: Mapping[str, FakeLife], before: Callable[[], object] | None = None):
        super().__init__(lives)
        self.asked: list[tuple[str, list[str] | None]] = []
        self.read: list[tuple[str, int]] = []
        self._before = before or (lambda: None)

    def retrieve(self, query: str, today: datetime, within: pa.Array | None = None) -> pa.Table:
        self._before()
        self.asked.append((query, None if within is None else within.to_pylist()))
        return super().retrieve(query, today, within)

    def extract(
        self, ids: pa.Array, key: str, type_name: str, *_: object, **__: object
    ) -> pa.Table:
        self.read.append((key, len(ids)))
        return super().extract(ids, key, type_name)


def watched(plan: str, doors: Watched, limits: Limits | None = None) -> Result:
    engine = Engine(empty_store(), doors, doors, Functions(), limits or Limits())
    return engine.execute(parse(plan), today=TODAY)


def steps(trace: TraceNode) -> list[tuple[str, str, int, int]]:
    return [(node.path, node.name, node.rows_in, node.rows_out) for node in trace.walk()]


# -- what every trace has --------------------------------------------------------------------------


@settings(max_examples=EXAMPLES // 4)
@given(plan=st.one_of(*STEADY.values()), lives=LIVES)
def test_every_trace_is_in_itself_right(plan: Plan, lives: Lives) -> None:
    doors = Watched(lives)
    result = watched(plan.text, doors)
    nodes = result.trace.walk()
    assert result.trace.rows_out == result.row_count == len(result.rows)
    paths = [node.path for node in nodes]
    assert len(set(paths)) == len(paths)
    for node in nodes:
        below = (*node.inputs, *node.sub_plans)
        assert [inner.path for inner in below] == [
            f"{node.path}.{n}" for n in range(1, len(below) + 1)
        ]
        assert node.rows_in == sum(inner.rows_out for inner in node.inputs)
        assert len(node.samples) == min(node.rows_out, 5)
        assert node.milliseconds >= 0
        shown = {event for sample in node.samples for event in sample.events}
        assert shown == set(node.events)
    first = [(row.values, row.events) for row in result.rows[:5]]
    assert first == [(sample.values, sample.events) for sample in result.trace.samples]
    retrieved = {node.query for node in walk_plan(parse(plan.text)) if isinstance(node, Retrieve)}
    assert sorted(query for query, _ in doors.asked) == sorted(retrieved)
    as_json = result.trace.to_json()
    assert orjson.loads(orjson.dumps(as_json)) == as_json


# -- one plan, looked at closely -------------------------------------------------------------------


def test_rows_are_counted_on_their_way_up() -> None:
    groups = (
        f'GROUP_BY(l=FILTER(l={BOUGHT}, filter=lambda a: a["price"] > 2), attr_names=["title"])'
    )
    plan = f'SUM(l=MAP(l={groups}, fct=len, res_name="n"), attr_name="n")'
    result = run(plan, {"q": PURCHASES})
    assert steps(result.trace) == [
        ("1", "SUM", 2, 1),
        ("1.1", "MAP", 2, 2),
        ("1.1.1", "GROUP_BY", 2, 2),
        ("1.1.1.1", "FILTER", 4, 2),
        ("1.1.1.1.1", "EXTRACT", 4, 4),
        ("1.1.1.1.1.1", "RETRIEVE", 0, 4),
    ]
    assert [node.shape for node in result.trace.walk()][:4] == [
        "one value", "groups", "groups", "events",
    ]  # fmt: skip


def test_samples_show_rows_and_the_events_they_rest_on() -> None:
    plan = f'MAP(l=GROUP_BY(l={BOUGHT}, attr_names=["title"]), fct=len, res_name="n")'
    trace = run(plan, {"q": PURCHASES}).trace
    assert [(sample.values, sample.events) for sample in trace.samples] == [
        ({"title": "cake", "n": 1}, ("e1",)),
        ({"title": "jam", "n": 1}, ("e3",)),
        ({"title": "tea", "n": 2}, ("e0", "e2")),
    ]
    assert set(trace.events) == {"e0", "e1", "e2", "e3"}


def test_samples_of_many_rows_are_few() -> None:
    life = FakeLife([{"price": float(n), "title": "x"} for n in range(200)])
    trace = run(f'GROUP_BY(l={BOUGHT}, attr_names=["title"])', {"q": life}).trace
    assert [len(node.samples) for node in trace.walk()] == [1, 5, 5]
    assert len(trace.samples[0].events) <= 20
    assert trace.inputs[0].samples[0].events == ("e0",)


def test_a_long_result_is_counted_in_full_and_read_in_part() -> None:
    life = FakeLife([{} for _ in range(MAX_ROWS + 50)])
    result = run('RETRIEVE(query="q")', {"q": life})
    assert (result.row_count, len(result.rows)) == (MAX_ROWS + 50, MAX_ROWS)
    assert len(result.events) == MAX_ROWS + 50
    assert result.rows[0].events == ("e0",)


def test_each_step_is_shown_as_it_was_written() -> None:
    plan = f'FILTER(l={BOUGHT}, filter=lambda a: a["price"] > 2 and a["title"] != "tea")'
    trace = run(plan, {"q": PURCHASES}).trace
    assert trace.text == 'FILTER(l=…, filter=lambda a: a["price"] > 2 and a["title"] != "tea")'
    assert trace.inputs[0].inputs[0].text == 'RETRIEVE(query="q")'
    assert set(trace.attributes) >= {"price", "title", "day"}


def test_texts_of_a_plan_are_bound_and_not_part_of_the_sql() -> None:
    plan = f'FILTER(l={BOUGHT}, filter=lambda a: a["title"] == "x\' OR 1=1 --")'
    trace = run(plan, {"q": PURCHASES}).trace
    assert trace.rows_out == 0
    assert all("OR 1=1" not in statement.sql for statement in trace.statements)
    bound = [text for statement in trace.statements for text in statement.parameters.values()]
    assert bound == ["x' OR 1=1 --"]


def test_notes_tell_what_is_missing_and_what_was_merged() -> None:
    noon = datetime(2024, 1, 1, 12)
    life = replace(PURCHASES, spans=[(noon, noon)] * 4, happenings=[0, 0, 1, 1])
    trace = run(f'GROUP_BY(l={BOUGHT}, attr_names=["day"])', {"q": life}).trace
    extract = trace.inputs[0]
    assert extract.inputs[0].notes == ("4 events tell of 2 happenings",)
    assert any("price" in note and "1 missing" in note for note in extract.notes)
    alone = run(f'GROUP_BY(l={BOUGHT}, attr_names=["day"])', {"q": PURCHASES}).trace
    assert any("1 rows without day" in note for note in alone.notes)


# -- steps that stand in several places ------------------------------------------------------------


def test_a_step_that_stands_in_several_places_runs_once() -> None:
    highest = f'MAX(l={BOUGHT}, attr_name="price").result'
    lowest = f'MIN(l={BOUGHT}, attr_name="price").result'
    doors = Watched({"q": PURCHASES})
    plan = f'FILTER(l={BOUGHT}, filter=lambda a: {lowest} < a["price"] < {highest} + 1)'
    result = watched(plan, doors)
    assert [row["title"] for row in values(result)] == ["tea", "cake"]
    assert doors.asked == [("q", None)]
    assert doors.read == [("price", 4), ("title", 4), ("day", 4)]
    extracts = [node for node in result.trace.walk() if node.name == "EXTRACT"]
    assert sorted(node.reused for node in extracts) == [False, True, True]
    assert all(node.milliseconds == 0 for node in extracts if node.reused)
    assert {sub.name for sub in result.trace.sub_plans} == {"MIN", "MAX"}


def test_a_step_that_runs_once_keeps_the_question_of_each_place() -> None:
    plan = parse('JOIN(l1=RETRIEVE(query="q"), l2=RETRIEVE(query="q"), condition="True")')
    left, right = (replace(side, question=f"{n}?") for n, side in enumerate(plan.inputs()))
    doors = Watched({"q": PURCHASES})
    plan = replace(plan, l1=left, l2=right)  # type: ignore[call-arg]
    result = Engine(empty_store(), doors, doors, Functions()).execute(plan, today=TODAY)
    assert [node.question for node in result.trace.inputs] == ["0?", "1?"]


def test_an_attribute_that_was_read_is_not_read_again() -> None:
    doors = Watched({"q": PURCHASES})
    watched(f'EXTRACT(l={BOUGHT}, attr_names=["price", "tags"], attr_types=[float, list])', doors)
    assert [key for key, _ in doors.read] == ["price", "title", "day", "tags"]


def test_an_attribute_in_another_type_is_read_again() -> None:
    doors = Watched({"q": FakeLife([{"x": 1.0}])})
    inner = 'EXTRACT(l=RETRIEVE(query="q"), attr_names=["x"], attr_types=[float])'
    result = watched(f'EXTRACT(l={inner}, attr_names=["x"], attr_types=[int])', doors)
    assert doors.read == [("x", 1), ("x", 1)]
    assert [type(row["x"]) for row in values(result)] == [int]


def test_retrieve_among_events_is_given_these_and_not_those_of_sub_plans() -> None:
    doors = Watched({"q": PURCHASES, "other": FakeLife([{}, {}])})
    first = 'MIN(l=RETRIEVE(query="other"), attr_name="start_datetime").result'
    inner = f'FILTER(l=RETRIEVE(query="q"), filter=lambda a: a["start_datetime"] > {first})'
    result = watched(f'RETRIEVE(query="q", l={inner})', doors)
    assert doors.asked[-1] == ("q", ["e1", "e2", "e3"])
    assert [row.events for row in result.rows] == [("e1",), ("e2",), ("e3",)]
    assert set(result.events) == {"e1", "e2", "e3", "e4"}


# -- no data ---------------------------------------------------------------------------------------

NOTHING = f'FILTER(l={BOUGHT}, filter=lambda a: a["price"] > 100)'
AGGREGATES = [
    'SUM(l=<L>, attr_name="price")',
    'AVG(l=<L>, attr_name="price")',
    'MIN(l=<L>, attr_name="day")',
    'MAX(l=<L>, attr_name="title")',
    "APPLY(l=<L>, fct=len)",
    'APPLY(l=<L>, fct=lambda l: sum(e["price"] for e in l))',
    'APPLY(l=SUM(l=<L>, attr_name="price"), fct=lambda x: x + 1)',
    'APPLY(l=GROUP_BY(l=<L>, attr_names=["title"]), fct=len)',
]


@pytest.mark.parametrize("plan", AGGREGATES)
def test_an_aggregate_over_nothing_is_no_data_and_the_trace_shows_where_rows_ran_out(
    plan: str,
) -> None:
    result = run(plan.replace("<L>", NOTHING), {"q": PURCHASES})
    assert (result.rows, result.row_count, result.events) == ((), 0, ())
    emptied = [node.name for node in result.trace.walk() if node.rows_in and not node.rows_out]
    assert emptied == ["FILTER"]


@pytest.mark.parametrize("function", ["SUM", "AVG", "MIN", "MAX"])
def test_an_aggregate_over_missing_values_is_no_data_too(function: str) -> None:
    missing = f'FILTER(l={BOUGHT}, filter=lambda a: a["price"] is None)'
    result = run(f'{function}(l={missing}, attr_name="price")', {"q": PURCHASES})
    assert (result.rows, result.row_count, result.events) == ((), 0, ())
    assert [(node.name, node.rows_out) for node in result.trace.walk()][:2] == [
        (function, 0), ("FILTER", 1),
    ]  # fmt: skip


def test_a_filter_by_the_result_of_a_plan_without_data_keeps_nothing() -> None:
    for comparison in ("==", "!=", "<", ">="):
        sub = f'MAX(l={NOTHING}, attr_name="price").result'
        result = run(f'FILTER(l={BOUGHT}, filter=lambda a: a["price"] {comparison} {sub})',
                     {"q": PURCHASES})  # fmt: skip
        assert result.rows == ()


# -- errors name the step --------------------------------------------------------------------------


def test_an_error_names_the_step_it_arose_in() -> None:
    life = FakeLife([{"price": Amount(1.0, "EUR")}, {"price": Amount(1.0, "USD")}])
    total = f'SUM(l={BOUGHT}, attr_name="price")'
    with pytest.raises(ExecutionProblem, match=r"SUM \(step 1\.1\): amounts in EUR, USD"):
        run(f"APPLY(l={total}, fct=lambda x: x + 1)", {"q": life})


def test_several_values_where_one_is_needed_are_an_error_that_names_the_step() -> None:
    ties = f'ARGMAX(l={BOUGHT}, arg_attr_name="day", val_attr_name="price").result'
    doubled = replace(PURCHASES, rows=[*PURCHASES.rows[:2], {**PURCHASES.rows[1], "price": 9}])
    with pytest.raises(ExecutionProblem, match=r"FILTER \(step 1\): .*2 values"):
        run(f'FILTER(l={BOUGHT}, filter=lambda a: a["price"] < {ties})', {"q": doubled})


def test_an_error_of_a_door_names_the_step() -> None:
    def fail() -> None:
        raise StoreProblem("the index is gone")

    with pytest.raises(ExecutionProblem, match=r"RETRIEVE \(step 1\.1\.1\): the index is gone"):
        watched(f"APPLY(l={BOUGHT}, fct=len)", Watched({"q": PURCHASES}, fail))


def test_an_error_of_a_plug_in_function_names_the_step_whatever_it_says() -> None:
    functions = Functions()

    @functions.register
    def broken(price: float) -> float:
        raise ValueError("the workout was interrupted")

    with pytest.raises(ExecutionProblem, match=r"MAP \(step 1\).*the workout was interrupted"):
        run(f'MAP(l={BOUGHT}, fct=lambda a: broken(a["price"]))', {"q": PURCHASES},
            functions=functions)  # fmt: skip


# -- limits ----------------------------------------------------------------------------------------

MANY = FakeLife([{"x": n} for n in range(2_000)])
X = 'EXTRACT(l=RETRIEVE(query="q"), attr_names=["x"], attr_types=[int])'
PAIRS = f'JOIN(l1={X}, l2={X}, condition="i1.x * i2.x != 5 and abs(i1.x - i2.x) != 7")'
TRIPLES = f'APPLY(l=JOIN(l1={PAIRS}, l2={X}, condition="i1.x + i2.x != 3"), fct=len)'


def check_that_all_is_well() -> None:
    assert values(run(f"APPLY(l={X}, fct=len)", {"q": MANY})) == [{"#value": 2_000}]


def seconds_until(error: type[BaseException], work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    with pytest.raises(error):
        work()
    return time.perf_counter() - begun


def test_a_join_that_takes_too_long_ends_in_time() -> None:
    took = seconds_until(TooExpensive, lambda: run(TRIPLES, {"q": MANY}, limits=Limits(seconds=1)))
    assert took < 3
    check_that_all_is_well()


def test_a_join_with_too_many_rows_ends_and_names_the_step() -> None:
    with pytest.raises(TooExpensive, match=r"JOIN \(step 1\.1\).*rows"):
        run(f"APPLY(l={PAIRS}, fct=len)", {"q": MANY}, limits=Limits(rows=100_000))
    check_that_all_is_well()


def test_a_run_ends_in_time_wherever_it_is() -> None:
    """The time may run out during a statement, between two, or while rows are handed over."""
    for thousandths in range(5, 105, 5):
        with pytest.raises(TooExpensive, match=r"\(step 1.*longer than"):
            run(TRIPLES, {"q": MANY}, limits=Limits(seconds=thousandths / 1000))
    check_that_all_is_well()


def test_time_that_a_door_spends_counts() -> None:
    slow = Watched({"q": MANY}, lambda: time.sleep(0.4))
    took = seconds_until(TooExpensive, lambda: watched(TRIPLES, slow, Limits(seconds=0.3)))
    assert took < 2
    check_that_all_is_well()


def test_a_run_that_takes_too_long_does_not_disturb_another() -> None:
    counts: list[object] = []

    def others() -> None:
        for _ in range(10):
            counts.extend(
                row["#value"] for row in values(run(f"APPLY(l={X}, fct=len)", {"q": MANY}))
            )

    thread = threading.Thread(target=others)
    thread.start()
    seconds_until(TooExpensive, lambda: run(TRIPLES, {"q": MANY}, limits=Limits(seconds=0.5)))
    thread.join()
    assert counts == [2_000] * 10


def test_an_interrupt_during_a_door_is_not_swallowed() -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        watched(TRIPLES, Watched({"q": MANY}, interrupt))
    check_that_all_is_well()


@pytest.mark.skipif(sys.platform == "win32", reason="signals are others there")
def test_an_interrupt_during_a_statement_is_not_swallowed() -> None:
    timer = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    took = seconds_until(
        KeyboardInterrupt, lambda: run(TRIPLES, {"q": MANY}, limits=Limits(seconds=20))
    )
    timer.join()
    assert took < 5
    check_that_all_is_well()


def test_functions_of_one_run_are_not_those_of_another() -> None:
    plan = f'SUM(l=MAP(l={BOUGHT}, fct=lambda a: scaled(a["price"]), res_name="p"), attr_name="p")'

    def scaling(factor: float) -> Functions:
        functions = Functions()

        @functions.register
        def scaled(price: float) -> float:
            return price * factor

        return functions

    for factor in (2, 3, 2):
        result = run(plan, {"q": PURCHASES}, functions=scaling(factor))
        assert values(result) == [{"#value": 9.5 * factor}]
