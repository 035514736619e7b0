"""The recursion: steps, guards, second tries, and going back."""

import pytest

from reqap.plan import format_short
from reqap.qud.decompose import Limits, Listener, decompose
from reqap.qud.scripted import Scripted

RUNS = {
    "How often did I run in 2023?": 'APPLY(QUD("my runs in 2023"), len)',
    "my runs in 2023": 'FILTER(QUD("my runs"), lambda e: e["start_date"].year == 2023)',
    "my runs": 'RETRIEVE("I went running")',
}


def test_a_question_is_taken_apart_until_nothing_is_open() -> None:
    pieces: list[str] = []
    trees: list[str] = []
    listener = Listener(pieces.append, lambda step, plan: trees.append(format_short(plan)))
    found = decompose("How often did I\n run in 2023?", Scripted(RUNS), listener=listener)
    assert found.understood
    assert found.plan is not None
    assert format_short(found.plan) == (
        'APPLY(FILTER(RETRIEVE("I went running"), lambda e: e["start_date"].year == 2023), len)'
    )
    assert [step.depth for step in found.steps] == [0, 1, 2]
    assert len(pieces) == len(trees) == 3
    assert trees[0] == 'APPLY(QUD("my runs in 2023"), len)'


def test_each_step_knows_those_before_it() -> None:
    script = Scripted(RUNS)
    decompose("How often did I run in 2023?", script)
    last = script.asked[-1]
    assert [turn.question for turn in last.turns] == list(RUNS)[:2]


def test_the_same_question_is_asked_once() -> None:
    script = Scripted({
        "more runs in 2023 than in 2022?":
            'APPLY(QUD("runs in 2023?"), lambda l: l > QUD("runs in 2022?").result)',
        "runs in 2023?": 'APPLY(QUD("my runs"), len)',
        "runs in 2022?": 'APPLY(QUD("my runs"), len)',
        "my runs": 'RETRIEVE("I went running")',
    })  # fmt: skip
    found = decompose("more runs in 2023 than in 2022?", script)
    assert found.understood
    assert [asking.question for asking in script.asked].count("my runs") == 1


def test_a_step_that_cannot_be_is_asked_for_again_with_the_error() -> None:
    script = Scripted({**RUNS, "my runs": ["RETRIEVE(", "COUNT(3)", 'RETRIEVE("I ran")']})
    found = decompose("How often did I run in 2023?", script)
    assert found.understood
    assert [failure.text for failure in found.steps[-1].failures] == ["RETRIEVE(", "COUNT(3)"]
    assert "there is no operator COUNT" in script.asked[-1].failures[1].problem


def test_nothing_is_compared_with_itself() -> None:
    script = Scripted({
        "more runs than swims?": [
            'APPLY(QUD("how many runs?"), lambda l: l > QUD("how many runs?").result)',
            'APPLY(QUD("how many runs?"), lambda l: l > QUD("how many swims?").result)',
        ],
        "how many runs?": 'APPLY(QUD("my runs"), len)',
        "how many swims?": 'APPLY(QUD("my swims"), len)',
        "my runs": 'RETRIEVE("my runs")',
        "my swims": 'RETRIEVE("my swims")',
    })  # fmt: skip
    found = decompose("more runs than swims?", script)
    assert found.understood
    assert "with itself" in found.steps[0].failures[0].problem


@pytest.mark.parametrize(
    ("question", "query", "understood"),
    [
        ("hello", "I went to a concert", False),
        ("thank you!", "I met people", False),
        ("last tetanus?", "my tetanus shots", True),
        ("running", "I went for a run or was running", True),
        ("and who was that with", "I met people", True),
    ],
)
def test_a_word_or_two_must_have_to_do_with_the_plan(
    question: str, query: str, understood: bool
) -> None:
    found = decompose(question, Scripted({question: f'RETRIEVE("{query}")'}))
    assert found.understood is understood


def test_what_models_put_around_a_step_is_taken_off() -> None:
    script = {**RUNS, "my runs": '```python\nA: RETRIEVE("I went running")\n```'}
    assert decompose("How often did I run in 2023?", Scripted(script)).understood


def test_the_step_at_fault_is_taken_back() -> None:
    """The fault of a step may show only when what is below it is known."""
    question = "longest run?"
    script = Scripted({
        question: ['GROUP_BY(QUD("the number of my runs"), ["km"])', 'MAX(QUD("my runs"), "km")'],
        "the number of my runs": 'APPLY(QUD("my runs"), len)',
        "my runs": 'RETRIEVE("I went running")',
    })  # fmt: skip
    found = decompose(question, script)
    assert found.plan is not None
    assert format_short(found.plan).startswith("MAX(EXTRACT(RETRIEVE")
    assert "one value" in found.steps[0].failures[0].problem


@pytest.mark.parametrize(
    ("steps", "problem"),
    [
        ({"q?": 'QUD("what?")'}, "only asks again"),
        ({"q?": "I cannot say"}, "not Python syntax"),
        ({"q?": "__import__('os').system('ls')"}, "operator"),
    ],
)
def test_loops_and_nonsense_end(steps: dict[str, str], problem: str) -> None:
    found = decompose("q?", Scripted(steps))
    assert not found.understood
    assert problem in found.problem


def test_a_bare_thing_is_looked_for() -> None:
    found = decompose("my runs", Scripted({"my runs": 'APPLY(QUD("my runs"), len)'}))
    assert found.understood
    assert found.plan is not None
    assert format_short(found.plan) == 'RETRIEVE("my runs")'
    assert "asks the same question again" in found.steps[0].failures[0].problem


def test_a_sub_question_that_is_only_asked_again_is_looked_for() -> None:
    step = 'MAX(QUD("the day we got our pet"), "start_date")'
    script = {"age of our pet?": step, "the day we got our pet": step}
    found = decompose("age of our pet?", Scripted(script))
    assert found.understood
    assert found.plan is not None
    assert format_short(found.plan) == 'MAX(RETRIEVE("the day we got our pet"), "start_date")'


def test_depth_and_steps_are_bounded() -> None:
    class Deeper:
        def step(self, asking: object, heard: object) -> str:
            number = len(asking.turns)  # type: ignore[attr-defined]
            return f'FILTER(QUD("deeper {number}"), lambda e: e["start_date"].year > 2000)'

    found = decompose("deep?", Deeper(), limits=Limits(depth=5))
    assert "5 levels" in found.problem
    assert len(found.steps) == 5
    found = decompose("deep?", Deeper(), limits=Limits(depth=50, steps=7))
    assert "7 steps" in found.problem
    assert found.plan is not None
    found = decompose("deep?", Deeper(), limits=Limits(seconds=0))
    assert "seconds" in found.problem


@pytest.mark.parametrize("question", ["", "   ", "???", "12 34", "\x00\x01", "words " * 10_000])
def test_what_is_no_question_is_told(question: str) -> None:
    script = Scripted({})
    found = decompose(question, script)
    assert not found.understood
    assert found.plan is None
    assert not script.asked


def test_several_steps_at_once_are_taken() -> None:
    whole = 'APPLY(FILTER(RETRIEVE("my runs"), lambda r: r["start_date"].year == 2023), len)'
    found = decompose(
        "How often did I run in 2023?", Scripted({"How often did I run in 2023?": whole})
    )
    assert found.understood
    assert [step.text for step in found.steps] == [whole]
    assert found.plan is not None
    assert format_short(found.plan) == whole
