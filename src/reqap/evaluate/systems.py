"""What answers questions: ReQAP as shipped or with a part exchanged, or a baseline.

All give the same: answers in order, a status, and how long each stage took. Not the job of this
module: which questions, and what becomes of the answers (`answering`).
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cache
from pathlib import Path
from typing import Protocol

from reqap.errors import ReqapError
from reqap.evaluate.extract import KeysOnly
from reqap.evaluate.gates import flat
from reqap.evaluate.metrics import Answer
from reqap.evaluate.observed import Observed
from reqap.evaluate.stores import keep_readings
from reqap.evaluate.subjects import Question, Subject
from reqap.evaluate.variants import SHIPPED, SPARSE, UNCUT, UNMERGED, Unkept, variants
from reqap.execute import Engine, Extractor, Limits, Retriever, TraceNode
from reqap.extract import LearnedExtractor, PatternExtractor
from reqap.extract import reader as readers
from reqap.extract.dating import told_dates
from reqap.models.endpoint import Endpoint
from reqap.models.llama import LlamaModel
from reqap.pipeline import Asked, ask, carry_out
from reqap.plan import Functions, format_plan, parse
from reqap.profile import Profile
from reqap.profile.naming import Naming
from reqap.qud import shipped as qud
from reqap.qud.decompose import Backend, Decomposition
from reqap.qud.decompose import Limits as Patience
from reqap.qud.in_context import InContext
from reqap.qud.trained import Trained
from reqap.qud.whole import Whole
from reqap.retrieve import shipped as search
from reqap.retrieve.learned import Dates
from reqap.retrieve.networks import USUAL, Networks
from reqap.store import Store

METHODS = ("reqap", "rag", "codegen")
VARIANTS = ("one-shot", "sparse-only", "keys-only", "no-merging", "no-grammar", "no-cascade")
ORACLES = ("qud", "retrieve", "extract")
_PATIENCE = Patience(seconds=600)
_STAGES = {"RETRIEVE": "retrieve", "EXTRACT": "extract"}


@dataclass(frozen=True)
class Settings:
    """How questions are answered: plain data, for other processes, and to stand beside results."""

    method: str = "reqap"
    variant: str = ""  # of VARIANTS
    oracles: tuple[str, ...] = ()  # of ORACLES
    llm: str = ""
    model: str = ""  # its name there
    weights: str = ""  # a GGUF file: of QUD, or of a baseline
    search: str = ""  # a folder with other models of RETRIEVE
    cross: str = ""  # the file of its cross-encoder
    reader: str = ""  # a folder with another reader for EXTRACT
    events: int = 10  # that RAG puts before its model
    seconds: float = 300.0
    timed: bool = False  # each question is asked with nothing read before, and then again


@dataclass(frozen=True)
class Given:
    """What was answered, the best first; `plan` is what it rests on, in the method's own words."""

    status: str  # ok, no_data, not_understood, failed
    answers: Sequence[Answer]
    text: str
    plan: str = ""
    ms: dict[str, float] = field(default_factory=dict)  # by stage
    operators: dict[str, tuple[int, float]] = field(default_factory=dict)  # how often, how long


class System(Protocol):
    def answer(self, question: Question) -> Given: ...

    def forget(self) -> None:
        """Forgets what was read from texts for other questions."""

    def keep(self, path: Path) -> None:
        """Keeps what can be of use to later runs in the store, which is closed."""


# Models are loaded once in a process, whatever else is different between two ways to answer.


def networks(settings: Settings) -> Networks:
    """The models of RETRIEVE."""
    return _networks(settings.search, settings.cross)


@cache
def _networks(folder: str, cross: str) -> Networks:
    if not folder and not cross:
        return search.networks()
    return Networks(Path(folder) if folder else search.folder(), cross or USUAL)


@cache
def _reader(folder: str) -> readers.Reader:
    return readers.Reader(Path(folder)) if folder else readers.reader()


@cache
def llama(weights: str, context: int = 3072) -> LlamaModel:
    return LlamaModel(Path(weights), context)


def backend(settings: Settings) -> Backend:
    """What takes questions apart."""
    whole = settings.variant == "one-shot"
    if settings.llm:
        return InContext(Endpoint(settings.llm, settings.model, timeout=600), whole)
    if whole and not settings.weights:
        raise ReqapError(
            "--variant one-shot needs a model that writes whole plans: --weights FILE, which"
            " `python -m reqap.train.qud train --whole` makes; or --llm URL --model NAME"
        )
    if whole:
        return Whole(llama(settings.weights))
    known = _shipped()
    model = llama(settings.weights) if settings.weights else known.model
    rules = "" if settings.variant == "no-grammar" else known.grammar
    return replace(known, model=model, grammar=rules)


@cache
def _shipped() -> Trained:
    return qud.shipped()


class Reqap:
    """The method of the paper, over one store."""

    def __init__(self, settings: Settings, subject: Subject, store: Store) -> None:
        self._settings, self._store, self._today = settings, store, subject.today
        self._extractor: PatternExtractor
        self.forget()
        self._retriever = _retriever(settings, store, self._dates)
        self._observed = None
        if {"retrieve", "extract"} & set(settings.oracles):
            if subject.gold is None:
                raise ReqapError(f"nobody wrote down what the events of {subject.name} tell of")
            self._observed = Observed(store, subject.gold)

    def forget(self) -> None:
        if self._settings.variant == "keys-only":
            self._extractor = KeysOnly(self._store)
            return
        found = _reader(self._settings.reader)
        timed = self._settings.timed
        self._extractor = LearnedExtractor(self._store, Unkept(found) if timed else found)

    def _dates(self, ids: Sequence[str], about: str) -> Mapping[str, date]:
        return told_dates(self._extractor, ids, about)

    def keep(self, path: Path) -> None:
        if self._observed is not None:
            self._observed.close()
        if isinstance(self._extractor, LearnedExtractor) and not self._settings.timed:
            keep_readings(path, self._extractor)

    def answer(self, question: Question) -> Given:
        ran: list[TraceNode] = []
        engine = self._engine(question)
        if "qud" in self._settings.oracles:
            if not question.plan:
                return Given("failed", [], "nobody wrote a plan for this question")
            known = Decomposition(question.text, parse(question.plan), (), "", 0.0, None)
            asked = carry_out(known, engine, self._today, ran.append)
        else:
            thinks = backend(self._settings)
            asked = ask(question.text, thinks, engine, self._today, patience=_PATIENCE,
                        done=ran.append)  # fmt: skip
        return _given(asked, ran)

    def _engine(self, question: Question) -> Engine:
        retriever: Retriever = self._retriever
        extractor: Extractor = self._extractor
        if self._observed is not None:
            retriever, extractor = self._observed.doors(
                question, self._settings.oracles, retriever, extractor
            )
        limits = Limits(self._settings.seconds)
        whom = Naming(Profile.saved(self._store.load_profile())).names
        return Engine(self._store, retriever, extractor, Functions(), limits, whom)


def _retriever(settings: Settings, store: Store, dates: Dates) -> Retriever:
    makes = variants(networks(settings), None, dates)
    chosen = {"sparse-only": SPARSE, "no-cascade": UNCUT, "no-merging": UNMERGED}
    return makes[chosen.get(settings.variant, SHIPPED)](store)


def _given(asked: Asked, ran: Sequence[TraceNode]) -> Given:
    rows = asked.answer.rows if asked.answer else ()
    operators: dict[str, tuple[int, float]] = {}
    stages: dict[str, float] = defaultdict(float)
    for node in ran:
        count, spent = operators.get(node.name, (0, 0.0))
        operators[node.name] = (count + 1, spent + node.milliseconds)
        stages[_STAGES.get(node.name, "rest")] += node.milliseconds
    executed = asked.timings_ms.get("execute", 0.0)
    ms = {
        "qud": asked.timings_ms.get("understand", 0.0),
        "retrieve": stages["retrieve"],
        "extract": stages["extract"],
        # Also what lies between the operators, and one that did not come to its end.
        "rest": max(0.0, executed - stages["retrieve"] - stages["extract"]),
        "total": asked.timings_ms["total"],
    }
    answers = flat([tuple(item.value for item in row) for row in rows])
    plan = format_plan(asked.plan) if asked.plan else ""
    return Given(asked.status, answers, asked.text, plan, ms, operators)
