"""What is no question about the asker's past is told apart: lines of a writer who was not seen."""

import random
from collections import defaultdict

import pytest

from reqap.evaluate.report import kept_lines
from reqap.qud.scope import Scope, features
from reqap.qud.shipped import shipped_scope


@pytest.fixture(scope="module")
def scope() -> Scope:
    return shipped_scope()


@pytest.fixture(scope="module")
def turned_away(scope: Scope) -> dict[str, float]:
    """The share, by what lines are about."""
    found: dict[str, list[bool]] = defaultdict(list)
    for it in kept_lines("scope"):
        found[it["about"]].append(not scope.covers(it["text"]))
    return {about: sum(one) / len(one) for about, one in found.items()}


@pytest.mark.parametrize(
    ("about", "least"),
    [("chat", 0.9), ("command", 0.75), ("advice", 0.9), ("noise", 0.8), ("language", 0.85),
     ("world", 0.65)],
)  # fmt: skip
def test_most_of_what_cannot_be_answered_is_turned_away(
    turned_away: dict[str, float], about: str, least: float
) -> None:
    assert turned_away[about] >= least


@pytest.mark.parametrize(
    ("text", "covered"),
    [("how often did I listen to 방탄소년단", True), ("когда я бегал?", False), ("¿…?", False),
     ("when did I last see Ελένη", True)],
)  # fmt: skip
def test_what_is_written_in_another_script_is_no_english(
    scope: Scope, text: str, covered: bool
) -> None:
    assert scope.covers(text) is covered


def test_few_proper_questions_are(turned_away: dict[str, float]) -> None:
    assert turned_away["mine"] <= 0.03


@pytest.mark.parametrize("text", ["", " ", "\x00", "\udcff", "a" * 100_000, "😀" * 5_000])
def test_whatever_is_typed_has_a_score(scope: Scope, text: str) -> None:
    assert features(text)
    assert abs(scope.score(text)) < 100


@pytest.mark.parametrize("seed", range(20))
def test_bytes_are_no_question(seed: int) -> None:
    """Whatever letters there are among them."""
    raw = random.Random(seed).randbytes(300)
    assert not shipped_scope().covers(raw.decode("utf-8", "surrogateescape"))
    assert not shipped_scope().covers(raw.decode("latin-1"))
    assert shipped_scope().covers("How often did I go running in 2023\u200b?")
