"""A question becomes one SQL query over the tables that users have: the paper's CodeGen.

The SQL is written by a language model that is shown the tables and eight examples, or by one that
has learnt to. What cannot be run is asked for again, as often as a step of ReQAP is. Not the job of
this module: the tables (`tables`), running SQL (`sandbox`).
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import NamedTuple, Protocol

from reqap.baselines.sandbox import Plain, Sandbox
from reqap.errors import ReqapError
from reqap.models.base import ChatModel, Message, TextModel
from reqap.models.nearest import Nearest
from reqap.qud.transcript import END, prompt

SHOWN = 8
TRIES = 3
_MAX_TOKENS = 400
_WARMTH = 0.7
_FENCE = re.compile(r"```(?:\w+)?")
_INSTRUCTION = (
    "You translate questions about a person's own life to DuckDB SQL. You write one SELECT"
    " statement, in one line, and nothing else: no explanation. Its rows are the answers, the best"
    " first, with nothing in them but what was asked for. The data is what the person exported:"
    " services record streams, orders and workouts; meetings, celebrations, doctor's appointments"
    " and trips are told only in words, in calendar entries (column text: all their words), mails,"
    " posts and notes, so look for words with ILIKE. ref_date() is the day on which the question is"
    " asked. The tables:\n\n"
)


class Failure(NamedTuple):
    """SQL that could not be run, and why."""

    sql: str
    problem: str


class Writer(Protocol):
    """Writes SQL."""

    def write(self, question: str, schema: str, failures: Sequence[Failure]) -> str: ...


@dataclass(frozen=True)
class Coded:
    """What became of a question."""

    rows: list[list[Plain]] | None  # None where nothing could be run
    sql: str
    problem: str = ""


def ask(question: str, schema: str, sandbox: Sandbox, writer: Writer) -> Coded:
    """Question → SQL → rows."""
    failures: list[Failure] = []
    for _ in range(TRIES):
        sql = unwrapped(writer.write(question, schema, failures))
        try:
            rows = sandbox.run(sql)
        except ReqapError as error:
            failures.append(Failure(sql, str(error)))
            continue
        return Coded([row for row in rows if any(item is not None for item in row)], sql)
    return Coded(None, failures[-1].sql, failures[-1].problem)


def unwrapped(text: str) -> str:
    """SQL without what models put around it."""
    told = _FENCE.sub(" ", text).strip()
    for mark in ("A:", "SQL:"):
        told = told.removeprefix(mark).lstrip()
    return told.rstrip("; \n")


@dataclass(frozen=True)
class InContext:
    """A model that is told the tables, and shown examples most like the question."""

    model: ChatModel

    def write(self, question: str, schema: str, failures: Sequence[Failure]) -> str:
        shown = "".join(f"Q: {one.question}\nA: {one.sql}\n" for one in chosen(question))
        asked = f"Examples:\n{shown}\nNow your turn.\nQ: {question}\nA:"
        for failure in failures[-2:]:
            asked += f" {failure.sql}\nThis could not be run: {failure.problem}\nA:"
        messages: list[Message] = [
            {"role": "system", "content": _INSTRUCTION + schema},
            {"role": "user", "content": asked},
        ]
        warmth = _WARMTH if len(failures) > 1 else 0.0
        return self.model.chat(
            messages, temperature=warmth, max_tokens=_MAX_TOKENS, stop=("\nQ:",),
            seed=len(failures),
        )  # fmt: skip


@dataclass(frozen=True)
class Trained:
    """A model that has learnt to write SQL over these tables: it is told only the question."""

    model: TextModel

    def write(self, question: str, schema: str, failures: Sequence[Failure]) -> str:
        tries = len(failures)
        return self.model.complete(
            prompt((), question), max_tokens=_MAX_TOKENS, stop=(END,),
            temperature=_WARMTH if tries else 0.0, seed=tries,
        )  # fmt: skip


class Example(NamedTuple):
    question: str
    sql: str


@cache
def examples() -> tuple[Example, ...]:
    """Questions of train with SQL that gives the right answers; `reqap.train.codegen` made them."""
    file = resources.files("reqap.baselines") / "examples.json"
    raw = json.loads(file.read_text(encoding="utf-8"))
    return tuple(Example(it["question"], it["sql"]) for it in raw)


@cache
def _index() -> Nearest:
    return Nearest([one.question for one in examples()])


def chosen(question: str) -> list[Example]:
    """The examples most like a question, the best last."""
    return [examples()[n] for n in reversed(_index().order(question)[:SHOWN])]
