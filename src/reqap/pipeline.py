"""A question in, an answer out: the one way through the house.

Not the job of this module: how each part does its work, and how an answer is shown.
"""

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Any, cast

import pyarrow as pa

from reqap.answer import Answer, answer
from reqap.errors import PlanError, ReqapError, Stopped
from reqap.execute import Engine, Retriever, TraceNode
from reqap.plan import Operator, check, format_plan
from reqap.plan.each_date import each_date
from reqap.plan.each_order import each_order
from reqap.plan.each_time import each_time
from reqap.plan.expressions import Lambda
from reqap.plan.operators import Filter, GroupBy
from reqap.plan.parse import parse_expression
from reqap.qud.decompose import Backend, Decomposition, Listener, decompose
from reqap.qud.decompose import Limits as Patience

# On so many days, half of them over so long: then it is a thing that happens often.
_OFTEN, _APART = 5, timedelta(days=30)
_DAYS = timedelta(days=2)
_TIMED = cast(Lambda, parse_expression('lambda e: e["start_time"] is not None', ()))


@dataclass(frozen=True)
class Asked:
    """Everything about one question: how it was understood, and what came of it."""

    question: str
    today: datetime
    status: str  # ok, no_data, not_understood, failed
    text: str
    decomposition: Decomposition
    answer: Answer | None
    timings_ms: dict[str, float]

    @property
    def plan(self) -> Operator | None:
        return self.decomposition.plan

    def to_json(self) -> dict[str, object]:
        found: dict[str, Any] = dict(self.answer.to_json()) if self.answer else {}
        return {
            "question": self.question,
            "today": self.today.isoformat(),
            "status": self.status,
            "answers": found.pop("answers", []),
            "text": self.text,
            "plan": format_plan(self.plan) if self.plan else None,
            "trace": found.pop("trace", None),
            "events": found.pop("events", []),
            "timings_ms": {name: round(value, 1) for name, value in self.timings_ms.items()},
            **{name: value for name, value in found.items() if name not in _SAID},
            "steps": steps_json(self.decomposition),
        }


_SAID = ("today", "status", "text")


def steps_json(found: Decomposition) -> list[dict[str, object]]:
    """How a question was taken apart, step by step."""
    return [
        {
            "question": step.question,
            "step": step.text,
            "depth": step.depth,
            "refused": [{"step": f.text.strip(), "problem": f.problem} for f in step.failures],
            "milliseconds": round(step.milliseconds, 1),
        }
        for step in found.steps
    ]


def ask(
    question: str,
    backend: Backend,
    engine: Engine,
    today: datetime,
    *,
    patience: Patience | None = None,
    listener: Listener | None = None,
    done: Callable[[TraceNode], object] = bool,
) -> Asked:
    """Question → plan → result → answer; whatever goes wrong is a status, not an exception, unless
    it was stopped. `done` hears of every step of the plan that ran."""
    began = time.perf_counter()
    try:
        found = decompose(question, backend, limits=patience, listener=listener)
    except Stopped:
        raise
    except ReqapError as error:  # a model that is down
        spent = {"understand": (time.perf_counter() - began) * 1000}
        nothing = Decomposition(question, None, (), str(error), spent["understand"], None)
        return Asked(question, today, "failed", str(error), nothing, None, _total(spent))
    return carry_out(found, engine, today, done)


def carry_out(
    found: Decomposition,
    engine: Engine,
    today: datetime,
    done: Callable[[TraceNode], object] = bool,
) -> Asked:
    """Plan → result → answer. What a model planned is first held against the data."""
    spent = {"understand": found.milliseconds}
    if not found.understood or found.plan is None:
        text = f"I could not understand the question: {found.problem}."
        return Asked(found.question, today, "not_understood", text, found, None, _total(spent))
    began = time.perf_counter()
    plan = found.plan
    try:
        if found.steps:
            engine = replace(engine, retriever=_Once(engine.retriever))
            plan = _meant(plan, found.question, engine, today)
            found = replace(found, plan=plan)
        result = engine.execute(plan, today=today, done=done)
        given = answer(plan, result, engine.store)
    except Stopped:
        raise
    except ReqapError as error:
        spent["execute"] = (time.perf_counter() - began) * 1000
        return Asked(found.question, today, "failed", str(error), found, None, _total(spent))
    spent["execute"] = (time.perf_counter() - began) * 1000
    return Asked(found.question, today, given.status, given.text, found, given, _total(spent))


class _Once:
    """A retriever that looks for nothing twice."""

    def __init__(self, retriever: Retriever) -> None:
        self._retriever = retriever
        self._found: dict[str, pa.Table] = {}

    def retrieve(self, query: str, today: datetime, within: pa.Array | None = None) -> pa.Table:
        if within is not None:
            return self._retriever.retrieve(query, today, within)
        if query not in self._found:
            self._found[query] = self._retriever.retrieve(query, today)
        return self._found[query]


def _meant(plan: Operator, question: str, engine: Engine, today: datetime) -> Operator:
    """With "after" and "before" on the day of each time, where a thing happens often, orders
    counted once each, and all days of what happened several times."""
    meant = each_time(plan, question, lambda other: _is_often(other, engine, today))
    meant = each_order(meant, question)
    meant = each_date(meant, question, lambda other: _are_several(other, engine, today))
    with suppress(PlanError):
        check(meant, engine.functions)
        return meant
    return plan


def _is_often(plan: Operator, engine: Engine, today: datetime) -> bool:
    """Whether what a plan finds happened on several days, and most of them far apart: of a move
    people tell for weeks."""
    days = sorted(day for day in _found(plan, "start_date", engine, today) if isinstance(day, date))
    quarter = len(days) // 4
    return len(days) >= _OFTEN and days[-1 - quarter] - days[quarter] >= _APART


def _are_several(plan: Operator, engine: Engine, today: datetime) -> bool:
    """Whether what a plan finds surely happened several times: facts of the profile, or what lies
    in time, days apart. What is only told may be one thing that is told again."""
    if set(_found(plan, "kind", engine, today)) == {"profile"}:
        return True
    days = [day for day in _found(Filter(plan, _TIMED), "start_date", engine, today)
            if isinstance(day, date)]  # fmt: skip
    return bool(days) and max(days) - min(days) > _DAYS


def _found(plan: Operator, name: str, engine: Engine, today: datetime) -> list[object]:
    """The different values of what a plan finds."""
    limits = replace(engine.limits, seconds=engine.limits.seconds / 4)
    engine = replace(engine, limits=limits)
    try:
        rows = engine.execute(GroupBy(plan, (name,)), today=today).rows
    except Stopped:
        raise
    except ReqapError:  # it will be told when the plan is carried out
        return []
    return [row.values[name] for row in rows]


def _total(spent: dict[str, float]) -> dict[str, float]:
    return {**spent, "total": sum(spent.values())}
