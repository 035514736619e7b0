"""What fuzzing found, kept: none of it may come out as anything but an answer or our own error."""

from pathlib import Path

import pytest

from reqap.errors import ReqapError
from reqap.plan import check, format_plan, from_json, open_questions, parse, to_json
from tests.execute.fakes import FakeLife, run
from tests.plan.pieces import PIECES, plan_from_pieces

FINDINGS = (Path(__file__).parent / "findings.txt").read_text(encoding="utf-8").splitlines()
LIFE = FakeLife([{"price": 5.5, "title": "a", "names": ["x"], "n": 1}, {}, {"n": 10**15}])


@pytest.mark.parametrize("text", [line for line in FINDINGS if line and line[0] != "#"])
def test_a_finding_stays_fixed(text: str) -> None:
    try:
        plan = parse(text)
        assert parse(format_plan(plan)) == plan
        assert from_json(to_json(plan)) == plan
        check(plan)
        if not open_questions(plan):
            run(text, {"q": LIFE})
    except ReqapError:
        pass


@pytest.mark.parametrize("symbol", PIECES)
def test_every_piece_of_the_fuzzer_is_in_the_grammar(symbol: str) -> None:
    """So that the fuzzer does not spend its time on plans that cannot be parsed."""
    for number, piece in enumerate(PIECES[symbol]):
        wrapped = {"p": [number], "e": [5, 0, number], "r": [8, 0, number], "a": [10, 0, number]}
        assert parse(plan_from_pieces(bytes(wrapped[symbol]))), piece
