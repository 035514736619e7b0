"""How well questions are understood: plans of a backend, run with operators that know.

A plan is right when, over the canonical events and with oracles for RETRIEVE and EXTRACT, it gives
the gold answer. What no oracle knows counts as wrong, and is listed.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import datetime, time
from importlib import resources
from itertools import product
from pathlib import Path

import duckdb

from reqap.answer import answer
from reqap.errors import PlanError, ReqapError
from reqap.evaluate.bank import Bank, Unannotated
from reqap.evaluate.gates import flat
from reqap.evaluate.metrics import score
from reqap.evaluate.shapes import complexity, shape
from reqap.execute import Engine, Limits
from reqap.perqa.canonical import opened
from reqap.perqa.persona import load_persona
from reqap.perqa.slots import SlotValue
from reqap.perqa.templates import fill, load_templates, values
from reqap.perqa.world import DATABASE
from reqap.plan import Functions, Operator, parse, walk_plan
from reqap.plan.operators import Retrieve
from reqap.qud.decompose import Backend, Decomposition, decompose
from reqap.qud.decompose import Limits as Patience
from reqap.store import Store

_LIMITS = Limits(seconds=20)
# Several questions at a time take longer each than one alone.
_PATIENCE = Patience(seconds=600)


@dataclass(frozen=True)
class Case:
    """A question with its gold: answers, plan, and what its queries mean."""

    persona: str
    template: str
    question: str
    answers: tuple[object, ...]
    plan: str
    retrieve: dict[str, str]


@dataclass(frozen=True)
class Outcome:
    """What became of a question."""

    case: Case
    plan: Operator | None
    verdict: str  # right, wrong, not understood, failed, unknown
    told: str
    milliseconds: float
    first_ms: float | None

    @property
    def right(self) -> bool:
        return self.verdict == "right"

    @property
    def same_tree(self) -> bool:
        return self.plan is not None and shape(self.plan) == shape(parse(self.case.plan))

    def types(self) -> frozenset[str]:
        return complexity(parse(self.case.plan))


def cases(build: Path, split: str = "dev") -> list[Case]:
    """The questions of a split, each once."""
    found: dict[str, Case] = {}
    for folder in sorted((build / split).iterdir()):
        for it in json.loads((folder / "questions.json").read_text(encoding="utf-8")):
            case = Case(folder.name, it["template"], it["question"], tuple(it["answers"]),
                        it["plan"], it["retrieve"])  # fmt: skip
            found.setdefault(case.question, case)
    return list(found.values())


def reworded(originals: Iterable[Case], build: Path) -> Iterator[tuple[Case, Case]]:
    """Questions as other people would type them, beside the originals: the same values in both."""
    file = resources.files("reqap.perqa") / "reworded" / "dev.json"
    wordings = {it["template"]: it["wording"] for it in json.loads(file.read_text("utf-8"))}
    templates = {template.id: template for template in load_templates("dev")}
    for case in originals:
        if case.template not in wordings:
            continue
        template = templates[case.template]
        other = replace(template, wordings=(template.wordings[0], wordings[case.template]))
        connection = opened(build / "dev" / case.persona / DATABASE)
        for chosen in _values_of(case, template.slots(), connection):
            made = fill(other, case.persona, chosen, connection)
            if made is not None and made.wordings[0] == case.question:
                yield case, replace(case, question=made.wordings[1])
                break
        connection.close()


def _values_of(
    case: Case, slots: Sequence[str], connection: duckdb.DuckDBPyConnection
) -> Iterator[dict[str, SlotValue]]:
    """The values that a question has, found by what is written in it and its plan."""
    told = f"{case.question} {case.plan} {' '.join(case.retrieve)}"
    given = [[v for v in values(connection, slot) if v.text in told] for slot in slots]
    for choice in product(*given):
        yield dict(zip(slots, choice, strict=True))


def understood(
    questions: Sequence[str],
    backend: Backend,
    at_once: int = 1,
    done: Callable[[], None] = lambda: None,
) -> list[Decomposition]:
    """Takes questions apart, several at a time."""

    def one(question: str) -> Decomposition:
        found = decompose(question, backend, limits=_PATIENCE)
        done()
        return found

    with ThreadPoolExecutor(at_once) as pool:
        return list(pool.map(one, questions))


def judged(case: Case, found: Decomposition, bank: Bank, today: datetime, store: Store) -> Outcome:
    """Runs a plan with oracles, and compares."""
    plan = found.plan if found.understood else None

    def outcome(verdict: str, told: str) -> Outcome:
        return Outcome(case, plan, verdict, told, found.milliseconds, found.first_text_ms)

    if plan is None:
        return outcome("not understood", found.problem)
    try:
        for node in walk_plan(plan):
            if isinstance(node, Retrieve):
                bank.sql_of(node.query)
        result = Engine(store, bank, bank, Functions(), _LIMITS).execute(plan, today=today)
        rows = answer(plan, result, store).rows
    except Unannotated as error:
        return outcome("unknown", str(error))
    except (ReqapError, PlanError, duckdb.Error) as error:
        unknown = "is not annotated" in str(error)
        return outcome("unknown" if unknown else "failed", f"{type(error).__name__}: {error}")
    given = flat([tuple(item.value for item in row) for row in rows])
    right = score(case.answers, given).hit  # type: ignore[arg-type]
    return outcome("right" if right else "wrong", f"{given[:6]}"[:300])


def evaluated(
    asked: Sequence[Case], found: Sequence[Decomposition], build: Path, split: str = "dev"
) -> list[Outcome]:
    """What became of each question."""
    outcomes = []
    connections = {
        persona: opened(build / split / persona / DATABASE)
        for persona in {case.persona for case in asked}
    }
    with Store.open(None) as store:
        for case, one in zip(asked, found, strict=True):
            bank = Bank(connections[case.persona], case.retrieve)
            today = datetime.combine(load_persona(case.persona).today, time(23, 59, 59))
            outcomes.append(judged(case, one, bank, today, store))
    for connection in connections.values():
        connection.close()
    return outcomes
