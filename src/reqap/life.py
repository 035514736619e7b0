"""A life, opened: ask it, look into it, correct it.

The one door for programs: the command line, the page and scripts go through it. What is understood
and found comes from the layers below; here they are put together, with what the user corrected
between them, and with what was asked kept where the store may be written.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from threading import Event as Signal
from threading import Lock
from types import TracebackType
from typing import TypeVar

import duckdb
import orjson
import pyarrow as pa

from reqap.corrections import CorrectedExtractor, CorrectedRetriever, plan_of
from reqap.errors import PlanError, Stopped, StoreProblem
from reqap.events import Event
from reqap.execute import Engine, Extractor, Limits, Retriever, TraceNode
from reqap.execute.compile import Value
from reqap.extract import LearnedExtractor, PatternExtractor
from reqap.extract.dating import told_dates
from reqap.extract.reader import Reader, reader
from reqap.models.base import ModelMissing
from reqap.notebook import SHOWN, Events, Shown, answer_html
from reqap.pipeline import Asked, ask, carry_out
from reqap.plan import Functions, Operator, format_plan, parse
from reqap.profile import Profile
from reqap.profile.naming import Naming
from reqap.qud.decompose import Backend, Decomposition, Listener, Step, decompose
from reqap.qud.decompose import Limits as Patience
from reqap.retrieve import LearnedRetriever, WordRetriever
from reqap.retrieve.index import state, update
from reqap.retrieve.networks import Networks
from reqap.retrieve.shipped import networks
from reqap.store import Store
from reqap.store.remembered import Remembered, remember

MEMORY, _WRITING = "2GB", "128MB"
Tell = Callable[[str], object]
Advance = Callable[[int, int], None]
T = TypeVar("T")


@dataclass(frozen=True)
class Hearing:
    """Who wants to know what happens while a question is answered, and may stop it."""

    words: Callable[[str], object] = bool  # of the step that is being thought of
    step: Callable[[Step, Operator], object] = lambda step, plan: None  # a step, and the tree
    ran: Callable[[TraceNode], object] = bool  # a step of the plan that was carried out
    stop: Signal | None = None

    def listener(self) -> Listener:
        return Listener(self._words, self._step)

    def _words(self, piece: str) -> None:
        self.words(piece)

    def _step(self, step: Step, plan: Operator) -> None:
        self.look()
        self.step(step, plan)

    def look(self) -> None:
        if self.stop is not None and self.stop.is_set():
            raise Stopped


_ALONE = Hearing()


@dataclass(frozen=True)
class Reply:
    """What a question gave. `answers` are bare values; lists of values where several belong
    together. `id` is its number in the history, where there is one."""

    asked: Asked
    life: "Life"
    id: int | None = None
    is_own_plan: bool = False  # the user's, not the model's

    @property
    def question(self) -> str:
        return self.asked.question

    @property
    def status(self) -> str:
        """ok, no_data, not_understood, failed"""
        return self.asked.status

    @property
    def text(self) -> str:
        return self.asked.text

    @property
    def answers(self) -> list[Value | list[Value]]:
        rows = self.asked.answer.rows if self.asked.answer else ()
        return [row[0].value if len(row) == 1 else [item.value for item in row] for row in rows]

    @property
    def plan(self) -> str | None:
        return format_plan(self.asked.plan) if self.asked.plan else None

    @property
    def trace(self) -> TraceNode | None:
        return self.asked.answer.trace if self.asked.answer else None

    @property
    def events(self) -> Events:
        """The events that the answer rests on, by time."""
        return self.life.events(self.asked.answer.events if self.asked.answer else ())

    def to_json(self) -> dict[str, object]:
        return {**self.asked.to_json(), "own_plan": self.is_own_plan}

    def _repr_html_(self) -> str:
        found = self.asked.answer
        if found is None:
            return answer_html(Shown(self.question, self.text, (), (), None, self.plan or ""))
        listed: list[Event] = []
        with suppress(duckdb.ConnectionException):  # the life is closed
            listed = self.life.events((found.own or found.events)[:SHOWN])
        return answer_html(replace(found.shown(), question=self.question, events=listed))


class Life:
    """An open store, and the models that answer. Close it, or use it as a context."""

    def __init__(
        self,
        store: Store,
        backend: Callable[[], Backend],
        *,
        keeps: bool = False,
        patience: Patience | None = None,
        functions: Functions | None = None,
        tell: Tell = bool,
    ) -> None:
        self.store = store
        self.keeps = keeps  # what is asked
        self._load, self._patience, self._tell = backend, patience, tell
        self._backend: Backend | None = None
        self._functions = functions or Functions()
        self._lock = Lock()
        self._models, self._reader = installed_models(tell), installed_reader(tell)
        self.refresh()

    @classmethod
    def open(
        cls,
        db: Path,
        backend: Callable[[], Backend] | None = None,
        *,
        keeps: bool = False,
        patience: Patience | None = None,
        functions: Functions | None = None,
        tell: Tell = bool,
        advance: Advance = lambda done, total: None,
    ) -> "Life":
        """Opens a store; for writing only if it `keeps` what is asked and corrected.

        `tell` hears what is missing, `advance` how far the search is prepared.
        """
        from reqap.qud.shipped import shipped

        if not keeps:
            bring_up_to_date(db, installed_models(tell), advance)
        store = Store.open(db, read_only=not keeps, memory=MEMORY)
        try:
            return cls(
                store, backend or shipped, keeps=keeps, patience=patience, functions=functions,
                tell=tell,
            )  # fmt: skip
        except BaseException:
            store.close()
            raise

    def refresh(self, advance: Advance = lambda done, total: None) -> None:
        """Looks at the store anew: events have come or gone, or something was corrected."""
        if self.keeps and self._models is not None:
            update(self.store, self._models, advance)
        self._inner = self._values()
        self._found = self._search(self._inner)
        self.correct_anew()

    def _search(self, values: PatternExtractor) -> Retriever:
        models = self._models if self.store.is_current else None
        if models is not None and state(self.store, models).complete:
            return LearnedRetriever(self.store, models, dates=partial(told_dates, values))
        return WordRetriever(self.store)

    def _values(self) -> PatternExtractor:
        if self._reader is not None and self.store.is_current:
            return LearnedExtractor(self.store, self._reader)
        return PatternExtractor(self.store)

    def correct_anew(self) -> None:
        """Takes up corrections that were made or undone."""
        with self._lock:
            retriever: Retriever = self._found
            extractor: Extractor = self._inner
            if self.store.is_current:
                retriever = CorrectedRetriever(self._found, self.store)
                extractor = CorrectedExtractor(self._inner, self.store)
            self._retriever, self._extractor = retriever, extractor

    # -- asking ------------------------------------------------------------------------------------

    @property
    def backend(self) -> Backend:
        """What understands questions, loaded when it is first needed."""
        if self._backend is None:
            self._backend = self._load()
        return self._backend

    def engine(self, hearing: Hearing = _ALONE, seconds: float = 30.0) -> Engine:
        limits = Limits(seconds, stop=hearing.stop)
        whom = Naming(Profile.saved(self.store.load_profile())).names
        return Engine(self.store, self._retriever, self._extractor, self._functions, limits, whom)

    def ask(
        self,
        question: str,
        today: datetime | None = None,
        *,
        hearing: Hearing = _ALONE,
        seconds: float = 30.0,
    ) -> Reply:
        """Question → plan → answer. Whatever goes wrong is a status of the reply."""
        at = today or datetime.now()
        engine = self.engine(hearing, seconds)
        own = plan_of(self.store, question) if self.store.is_current else None
        if own is not None and (plan := self._parsed(own)) is not None:
            found = Decomposition(question, plan, (), "", 0.0, None)
            return self._kept(carry_out(found, engine, at, hearing.ran), True)
        asked = ask(
            question, self.backend, engine, at, patience=self._patience,
            listener=hearing.listener(), done=hearing.ran,
        )  # fmt: skip
        return self._kept(asked, False)

    def run(
        self,
        plan: str | Operator,
        question: str = "",
        today: datetime | None = None,
        *,
        hearing: Hearing = _ALONE,
        seconds: float = 30.0,
    ) -> Reply:
        """Carries out a plan; PlanError if it is none."""
        tree = parse(plan, self._functions) if isinstance(plan, str) else plan
        found = Decomposition(question, tree, (), "", 0.0, None)
        at = today or datetime.now()
        return self._kept(carry_out(found, self.engine(hearing, seconds), at, hearing.ran), True)

    def plan(self, question: str, hearing: Hearing = _ALONE) -> Decomposition:
        """How a question is understood; nothing is looked up."""
        return decompose(question, self.backend, limits=self._patience, listener=hearing.listener())

    def _parsed(self, text: str) -> Operator | None:
        with suppress(PlanError):  # of another version: then the model is asked
            return parse(text, self._functions)
        return None

    def _kept(self, asked: Asked, is_own_plan: bool) -> Reply:
        reply = Reply(asked, self, is_own_plan=is_own_plan)
        if not self.keeps:
            return reply
        # Also those that only a step along the way has seen: it shows them.
        steps = asked.answer.trace.walk() if asked.answer else []
        events = dict.fromkeys(event for step in steps for event in step.events)
        events |= dict.fromkeys(asked.answer.events if asked.answer else ())
        told = orjson.dumps(reply.to_json(), default=str).decode()
        number = remember(
            self.store,
            Remembered(
                0, datetime.now(), asked.today, asked.question, asked.status, asked.text,
                reply.plan or "", told, asked.timings_ms["total"],
            ),
            list(events),
        )  # fmt: skip
        self.save()
        return replace(reply, id=number)

    # -- looking -----------------------------------------------------------------------------------

    def events(self, ids: Sequence[str], limit: int | None = None) -> Events:
        """Events by time; with a limit, the first."""
        return Events(self.store.scan(ids=ids, limit=limit))

    def retrieve(self, query: str, today: datetime | None = None) -> pa.Table:
        """All events that match: `happening`, `id`, `start`, `end`, `why`."""
        return self.engine().retriever.retrieve(query, today or datetime.now())

    def near_misses(self, query: str, today: datetime | None = None) -> pa.Table | None:
        """What was nearly taken, where the search can tell."""
        if isinstance(self._found, LearnedRetriever):
            return self._found.near_misses(query, today or datetime.now())
        return None

    def extract(self, ids: Sequence[str], key: str, type_name: str, about: str = "") -> pa.Table:
        """A value per event: `value`, `unit`, `where`, `chance`."""
        given = pa.array(list(ids), pa.string())
        return self.engine().extractor.extract(given, key, type_name, about)

    # -- keeping -----------------------------------------------------------------------------------

    def save(self) -> None:
        """Keeps what was read from texts, so that it is not read again."""
        if self.keeps and isinstance(self._inner, LearnedExtractor) and self._inner.has_news:
            self._inner.save(self.store)

    def close(self) -> None:
        news = isinstance(self._inner, LearnedExtractor) and self._inner.has_news
        db = self.store.path
        self.store.close()
        if news and db is not None and db.exists() and isinstance(self._inner, LearnedExtractor):
            # Only a convenience: where the store cannot be written now, it is read again.
            with suppress(StoreProblem, duckdb.Error), Store.open(db, memory=_WRITING) as store:
                self._inner.save(store)

    def __enter__(self) -> "Life":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def bring_up_to_date(db: Path, models: Networks | None, advance: Advance) -> None:
    """The index of a store that is only read afterwards."""
    if models is None:
        return
    with Store.open(db, read_only=True) as store:
        complete = store.is_current and state(store, models).complete
    if not complete:
        with Store.open(db, memory=_WRITING) as store:
            update(store, models, advance)


def installed_models(tell: Tell = bool) -> Networks | None:
    """The models of the search."""
    return _installed(networks, "Until then only words are searched for.", tell)


def installed_reader(tell: Tell = bool) -> Reader | None:
    """The model that reads texts."""
    return _installed(reader, "Until then texts are read by simple patterns only.", tell)


def _installed(load: Callable[[], T], without: str, tell: Tell) -> T | None:
    """What is loaded; where it is not installed, that is said, and what happens without it."""
    try:
        return load()
    except ModelMissing as problem:
        tell(f"{problem}. {without}")
        return None
