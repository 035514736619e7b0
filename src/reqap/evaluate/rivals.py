"""The baselines, as systems that answer the questions of a life like ReQAP does.

Not the job of this module: how they work (`reqap.baselines`).
"""

import time
from pathlib import Path
from tempfile import TemporaryDirectory

from reqap.baselines import codegen, rag
from reqap.baselines.sandbox import Bounds, Sandbox
from reqap.baselines.tables import Tables
from reqap.errors import ReqapError
from reqap.evaluate.gates import flat
from reqap.evaluate.subjects import Question, Subject
from reqap.evaluate.systems import Given, Settings, llama, networks
from reqap.models.endpoint import Endpoint
from reqap.store import Store

_TRAINED = {"codegen": "python -m reqap.train.codegen", "rag": "python -m reqap.train.rag"}


def _endpoint(settings: Settings) -> Endpoint | None:
    """The model that is asked; None where weights are given."""
    if settings.llm:
        return Endpoint(settings.llm, settings.model, timeout=600)
    if not settings.weights:
        raise ReqapError(
            f"no model comes with the baseline {settings.method}: give --llm URL --model NAME, or"
            f" --weights FILE (`{_TRAINED[settings.method]}` says how one is made)"
        )
    return None


class _Rival:
    """What baselines have in common: they keep nothing between questions."""

    def forget(self) -> None:
        return

    def keep(self, path: Path) -> None:
        return


class CodeGen(_Rival):
    """Questions translated to SQL."""

    def __init__(self, settings: Settings, subject: Subject, store: Store) -> None:
        endpoint = _endpoint(settings)
        self._writer: codegen.Writer = (
            codegen.InContext(endpoint) if endpoint else codegen.Trained(llama(settings.weights))
        )
        self._folder = TemporaryDirectory()
        path = Path(self._folder.name) / "tables.duckdb"
        self._schema = Tables(store, subject.today, path).schema
        self._sandbox = Sandbox(path, Bounds(seconds=min(settings.seconds, 60.0)))

    def answer(self, question: Question) -> Given:
        began = time.perf_counter()
        try:
            found = codegen.ask(question.text, self._schema, self._sandbox, self._writer)
        except ReqapError as error:  # a model that is down
            return Given("failed", [], str(error), ms=_since(began))
        if found.rows is None:
            return Given("failed", [], found.problem, found.sql, _since(began))
        answers = flat(found.rows)
        status = "ok" if answers else "no_data"
        return Given(status, answers, str(answers[:3]), found.sql, _since(began))

    def keep(self, path: Path) -> None:
        self._sandbox.close()
        self._folder.cleanup()


class Rag(_Rival):
    """Events read by a language model."""

    def __init__(self, settings: Settings, subject: Subject, store: Store) -> None:
        endpoint = _endpoint(settings)
        self._answerer: rag.Answerer = (
            rag.Instructed(endpoint) if endpoint else rag.Trained(llama(settings.weights))
        )
        self._searcher = rag.Searcher(store, networks(settings))
        self._today, self._count = subject.today, settings.events

    def answer(self, question: Question) -> Given:
        began = time.perf_counter()
        try:
            found = rag.ask(question.text, self._today, self._searcher, self._answerer, self._count)
        except ReqapError as error:
            return Given("failed", [], str(error), ms=_since(began))
        status = "ok" if found.answers else "no_data"
        events = "\n".join(found.events)
        return Given(status, found.answers, found.text, events, _since(began))


def _since(began: float) -> dict[str, float]:
    return {"total": (time.perf_counter() - began) * 1000}
