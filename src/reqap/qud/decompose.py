"""Question → plan, step by step.

A backend takes one step at a time; every step is parsed and checked within the tree so far before
the next is asked for, and asked for again where it cannot be. Work is bounded in steps, depth and
seconds. Not the job of this module: how a backend comes to a step (`trained`, `in_context`).
"""

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

from reqap.errors import PlanError, ReqapError
from reqap.plan import Functions, Operator, Qud, format_short, open_questions, parse
from reqap.plan.format import quoted
from reqap.plan.operators import Apply
from reqap.plan.rewrite import answered, filters_first
from reqap.qud.copying import copied_from
from reqap.qud.mend import mended
from reqap.qud.transcript import Turn, one_line, written

Heard = Callable[[str], None]
MAX_QUESTION = 1_000
_AGAIN = "asks the same question again"
_FEW_WORDS, _STEM = 2, 4


class NotUnderstood(ReqapError):
    """A question that could not be turned into a plan."""


@dataclass(frozen=True)
class Limits:
    """How much may be spent on one question."""

    steps: int = 40
    depth: int = 14
    tries: int = 4
    backwards: int = 8
    seconds: float = 20.0


@dataclass(frozen=True)
class Failure:
    """A step that was proposed and could not be taken."""

    text: str
    problem: str


@dataclass(frozen=True)
class Asking:
    """What a backend is asked: the next step for a question, after those that were taken."""

    turns: tuple[Turn, ...]
    question: str
    failures: tuple[Failure, ...] = ()


class Backend(Protocol):
    """Proposes steps. Sees the question only, never the data."""

    def step(self, asking: Asking, heard: Heard) -> str:
        """One operator, as text; `heard` gets it piece by piece."""
        ...


@dataclass(frozen=True)
class Step:
    """A step that was taken."""

    question: str
    text: str
    depth: int
    failures: tuple[Failure, ...]
    milliseconds: float


@dataclass(frozen=True)
class Decomposition:
    """How far a question was taken apart; `problem` says why it is not complete."""

    question: str
    plan: Operator | None
    steps: tuple[Step, ...]
    problem: str
    milliseconds: float
    first_text_ms: float | None

    @property
    def understood(self) -> bool:
        return not self.problem


@dataclass(frozen=True)
class Listener:
    """Who wants to know how a tree grows: pieces of text, and steps with the tree so far."""

    text: Heard = lambda text: None
    step: Callable[[Step, Operator], None] = lambda step, plan: None


def decompose(
    question: str,
    backend: Backend,
    *,
    functions: Functions | None = None,
    limits: Limits | None = None,
    listener: Listener | None = None,
) -> Decomposition:
    """Takes a question apart until nothing is open, or until it is clear that this will not do."""
    return _Work(question, backend, functions, limits or Limits(), listener or Listener()).done()


class _Work:
    def __init__(
        self,
        question: str,
        backend: Backend,
        functions: Functions | None,
        limits: Limits,
        listener: Listener,
    ) -> None:
        self._question = one_line(question)
        self._backend = backend
        self._functions = functions or Functions()
        self._limits = limits
        self._listener = listener
        self._began = time.perf_counter()
        self._first_text: float | None = None
        self._plan: Operator | None = None
        self._taken: list[tuple[Step, Operator]] = []
        # What was tried for each question, and could not be.
        self._failures: dict[str, list[Failure]] = {}
        self._backwards = 0

    def done(self) -> Decomposition:
        problem = ""
        try:
            require_question(self._question)
            while open_ := self._open():
                self._take(open_[0])
            if _is_beside_the_point(self._question, self._plan):
                raise NotUnderstood("this is no question about what happened")
        except NotUnderstood as error:
            problem = str(error)
        return Decomposition(
            self._question, self._plan, tuple(step for step, _ in self._taken), problem,
            self._milliseconds(), self._first_text,
        )  # fmt: skip

    def _open(self) -> list[str]:
        return [self._question] if self._plan is None else open_questions(self._plan)

    def _milliseconds(self) -> float:
        return (time.perf_counter() - self._began) * 1000

    def _take(self, question: str) -> None:
        """One step for a question: the first proposal that can be taken."""
        if self._taken_before(question):
            return
        began = self._milliseconds()
        above = self._ancestors(question)
        if len(self._taken) >= self._limits.steps:
            raise NotUnderstood(f"it needs more than {self._limits.steps} steps")
        if len(above) >= self._limits.depth:
            raise NotUnderstood(f"it needs more than {self._limits.depth} levels")
        failures = self._failures.setdefault(question, [])
        while len(failures) < self._limits.tries:
            if self._milliseconds() > self._limits.seconds * 1000:
                raise NotUnderstood(f"it took more than {self._limits.seconds:g} seconds")
            turns = tuple(Turn(step.question, step.text) for step, _ in self._taken)
            text = self._backend.step(Asking(turns, question, tuple(failures)), self._hear)
            try:
                proposed, plan = self._tried(question, text)
            except PlanError as error:
                failures.append(Failure(text, str(error)))
                if self._go_back(question, error):
                    return
                continue
            self._accept(question, proposed, plan, len(above), began)
            return
        try:
            proposed, plan = self._looked_for(question, failures)
        except PlanError:
            told = f"no step for “{question}” makes sense: {failures[-1].problem}"
            if above and self._take_back(above[0], told):
                return
            raise NotUnderstood(told) from None
        self._accept(question, proposed, plan, len(above), began)

    def _taken_before(self, question: str) -> bool:
        """A question that stands in several places is taken apart once."""
        known = next((one for step, one in self._taken if step.question == question), None)
        if known is None:
            return False
        try:
            self._plan = _in_order(mended(self._with(question, known), self._functions))
        except PlanError as error:
            if not self._go_back(question, error):
                raise NotUnderstood(f"“{question}” does not fit: {error}") from None
        return True

    def _accept(
        self, question: str, proposed: Operator, plan: Operator, depth: int, began: float
    ) -> None:
        self._plan = plan = _in_order(plan)
        failures = tuple(self._failures[question])
        spent = self._milliseconds() - began
        step = Step(question, written(proposed), depth, failures, spent)
        self._taken.append((step, proposed))
        self._listener.step(step, plan)

    def _looked_for(self, question: str, failures: list[Failure]) -> tuple[Operator, Operator]:
        """A question that is only asked again ("my runs") is simple enough to be looked for."""
        if not any(_AGAIN in failure.problem for failure in failures):
            raise PlanError("this cannot be looked for")
        return self._tried(question, f"RETRIEVE({quoted(question)})")

    def _go_back(self, question: str, error: PlanError) -> bool:
        """Takes back the step at fault, if it is an earlier one, and all after it."""
        fault = error.node.question if isinstance(error.node, Operator) else None
        return fault not in (None, question) and self._take_back(str(fault), str(error))

    def _take_back(self, question: str, problem: str) -> bool:
        """Undoes the step for a question, and all after it; another one will be asked for."""
        places = [n for n, (step, _) in enumerate(self._taken) if step.question == question]
        if not places or self._backwards >= self._limits.backwards:
            return False
        step = self._taken[places[0]][0]
        self._backwards += 1
        kept_questions = {before.question for before, _ in self._taken[: places[0] + 1]}
        self._failures = {q: f for q, f in self._failures.items() if q in kept_questions}
        self._failures[step.question].append(Failure(step.text, problem))
        kept = self._taken[: places[0]]
        self._taken, self._plan = [], None
        for before, proposed in kept:
            self._plan = self._with(before.question, proposed)
            self._taken.append((before, proposed))
        return True

    def _with(self, question: str, proposed: Operator) -> Operator:
        step = replace(proposed, question=question)
        return step if self._plan is None else answered(self._plan, question, step)

    def _hear(self, piece: str) -> None:
        if self._first_text is None:
            self._first_text = self._milliseconds()
        self._listener.text(piece)

    def _tried(self, question: str, text: str) -> tuple[Operator, Operator]:
        """The step, and the plan with it; or a `PlanError`."""
        proposed = parse(unwrapped(text), self._functions)
        proposed = copied_from(proposed, question, self._question)
        if isinstance(proposed, Qud):
            raise PlanError("this only asks again", expected="an operator")
        again = {question, *self._ancestors(question)}
        if again.intersection(open_questions(proposed)):
            raise PlanError(f"this {_AGAIN}", expected="a simpler one")
        if _with_itself(proposed):
            raise PlanError("this compares something with itself", expected="two questions")
        return proposed, mended(self._with(question, proposed), self._functions)

    def _ancestors(self, question: str) -> list[str]:
        """The questions that a question came from."""
        above: dict[str, str] = {}
        for step, proposed in self._taken:
            for below in open_questions(proposed):
                above.setdefault(below, step.question)
        found: list[str] = []
        while question in above and above[question] not in found:
            question = above[question]
            found.append(question)
        return found


def _in_order(plan: Operator) -> Operator:
    """A plan that is whole, in the order that takes least reading."""
    return plan if open_questions(plan) else filters_first(plan)


def _with_itself(step: Operator) -> bool:
    """Is the other side of a comparison the same question?"""
    match step:
        case Apply(l=Qud(text)):
            return any(Qud(text) == other for other in step.sub_plans())
    return False


def _is_beside_the_point(question: str, plan: Operator | None) -> bool:
    """A word or two ("hello") that the plan has nothing to do with."""
    if plan is None:
        return False
    said, found = (_stems(text) for text in (question, format_short(plan)))
    is_about_now = "date.today()" in format_short(plan)  # "yesterday?"
    return len(said) <= _FEW_WORDS and not said & found and not is_about_now


def _stems(text: str) -> set[str]:
    return {word[:_STEM] for word in re.findall(r"[^\W_]+", text.casefold())}


def require_question(question: str) -> None:
    """Nothing, or far too much, is no question."""
    if not any(char.isalpha() for char in question):
        raise NotUnderstood("there is no question")
    if len(question) > MAX_QUESTION:
        raise NotUnderstood(
            f"it has {len(question):,} characters; questions have at most {MAX_QUESTION:,}"
        )


def unwrapped(text: str) -> str:
    """What models put around a step, taken off: code fences, a lead-in, a full stop."""
    lines = [line for line in text.strip().splitlines() if not line.strip().startswith("```")]
    told = "\n".join(lines).strip().strip("`").strip()
    for mark in ("A:", "Step:"):
        told = told.removeprefix(mark).lstrip()
    return told.rstrip(" .;")
