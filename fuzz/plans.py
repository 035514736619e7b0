"""Coverage-guided fuzzing of the plan language with atheris.

    python fuzz/plans.py parse   [libFuzzer flags]   any text into `parse`
    python fuzz/plans.py execute [libFuzzer flags]   plans into `check` and the engine, small store

Only our own errors may come out, each within a second or two. What is found is written to the
current folder as crash-*; reduce it, fix it, and keep it in tests/plan/findings.txt.
"""

import sys
import time
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from tempfile import mkdtemp

import atheris

with atheris.instrument_imports(include=["reqap"]):
    from reqap.errors import PlanError, ReqapError
    from reqap.execute import Engine, Limits
    from reqap.plan import Functions, check, format_plan, from_json, open_questions, parse, to_json
    from reqap.plan.operators import OPERATORS, Operator
    from reqap.plan.vocabulary import FUNCTIONS, METHODS, PARTS
    from reqap.store import Store

sys.path.insert(0, ".")
from tests.execute.fakes import FakeLife
from tests.plan.paper_plans import COMPLETE
from tests.plan.pieces import PIECES, plan_from_pieces

TODAY = datetime(2024, 6, 15, 12, 0)
SLOW = 10.0
BROKEN = ("Binder Error", "Catalog Error", "Parser Error", "Not implemented", "INTERNAL")
LIFE = FakeLife(
    [
        {"price": 5.5, "title": "a", "names": ["x", "y"], "n": 1},
        {"price": None, "title": "ü", "names": [], "n": -3},
        {"price": -0.0, "title": "", "names": None, "n": 10**15},
    ]
)


class EveryLife:
    """Answers every query with the same few events, and every key of every type."""

    def retrieve(self, query, today, within=None):  # type: ignore[no-untyped-def]
        return LIFE.retrieve(query, today, within)

    def extract(self, ids, key, type_name, *_, **__):  # type: ignore[no-untyped-def]
        fitting = {"float": "price", "str": "title", "list": "names", "int": "n"}.get(type_name, "")
        return LIFE.extract(ids, fitting, type_name)


def fuzz_parse(data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    try:
        plan = parse(text)
    except PlanError:
        return
    survive(plan)


def survive(plan: Operator) -> None:
    """What was parsed prints back, goes through JSON, and is checked without a crash."""
    assert parse(format_plan(plan)) == plan
    assert from_json(to_json(plan)) == plan
    with suppress(PlanError):
        check(plan)


ENGINE = Engine(Store.open(None), EveryLife(), EveryLife(), Functions(), Limits(seconds=1))


def fuzz_execute(data: bytes) -> None:
    text = plan_from_pieces(data)
    begun = time.perf_counter()
    try:
        plan = parse(text)
        survive(plan)
        if not open_questions(plan):
            ENGINE.execute(plan, today=TODAY)
    except ReqapError as error:
        # A plan that passed the check must be SQL that DuckDB understands.
        if any(word in str(error) for word in BROKEN):
            raise AssertionError(f"{error} in {text}") from error
    assert time.perf_counter() - begun < SLOW, f"slow: {text}"


def seeds(folder: Path) -> None:
    """Plans to begin with, and the words of the language."""
    corpus = folder / "corpus"
    corpus.mkdir()
    for number, text in enumerate([*COMPLETE.values(), *(t for p in PIECES.values() for t in p)]):
        (corpus / str(number)).write_text(text, encoding="utf-8")
    words = sorted(
        {*OPERATORS, *FUNCTIONS, *METHODS, *PARTS, "lambda a: ", ".result", "attr_name="}
    )
    (folder / "words").write_text("".join(f'"{word}"\n' for word in words), encoding="utf-8")


if __name__ == "__main__":
    modes = {"parse": fuzz_parse, "execute": fuzz_execute}
    if len(sys.argv) < 2 or sys.argv[1] not in modes:
        sys.exit(__doc__)
    mode = modes[sys.argv.pop(1)]
    if mode is fuzz_parse:
        folder = Path(mkdtemp(prefix="reqap-fuzz-"))
        seeds(folder)
        sys.argv += [f"-dict={folder / 'words'}", str(folder / "corpus")]
    atheris.Setup(sys.argv, mode)
    atheris.Fuzz()
