"""The checks that every question of PerQA must pass: its plan gives what its SQL gives."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, time
from pathlib import Path

import duckdb

from reqap.answer import answer
from reqap.errors import ReqapError
from reqap.evaluate.metrics import Answer, same
from reqap.evaluate.oracle import Oracle
from reqap.execute import Engine, Limits
from reqap.perqa.canonical import opened
from reqap.perqa.persona import Persona, load_persona
from reqap.perqa.templates import Question, Template, filled
from reqap.perqa.world import make_world
from reqap.plan import Functions, parse
from reqap.store import Store

_LIMITS = Limits(seconds=20)


@dataclass(frozen=True)
class Verdict:
    """Whether plan and SQL agree, and what the plan gave or why it failed."""

    agrees: bool
    told: str


@dataclass(frozen=True)
class Outcome:
    """How one question passed the gates."""

    template: str
    persona: str
    agrees: bool
    told: str


def pass_gates(persona_id: str, templates: Sequence[Template], database: Path) -> list[Outcome]:
    """Fills templates with a life and checks each question; the life is made if it is not there."""
    persona = load_persona(persona_id)
    connection = opened(database) if database.exists() else make_world(persona_id).connection
    found = []
    with Store.open(None) as store:
        for template in templates:
            try:
                questions = list(filled(template, persona_id, connection))
            except (duckdb.Error, ReqapError) as error:
                told = f"the SQL fails: {str(error)[:400]}"
                found.append(Outcome(template.id, persona_id, False, told))
                continue
            for question in questions:
                verdict = checked(question, persona, connection, store)
                gold = json.dumps(question.answers[:8], default=str, ensure_ascii=False)
                told = f"{question.wordings[0]}\n  SQL:  {gold[:500]}\n  plan: {verdict.told[:900]}"
                found.append(Outcome(template.id, persona_id, verdict.agrees, told))
    connection.close()
    return found


def checked(
    question: Question, persona: Persona, connection: duckdb.DuckDBPyConnection, store: Store
) -> Verdict:
    """Runs the plan with oracles over the canonical events, and compares."""
    oracle = Oracle(connection, question.retrieve)
    engine = Engine(store, oracle, oracle, Functions(), _LIMITS)
    moment = datetime.combine(persona.today, time(23, 59, 59))
    try:
        plan = parse(question.plan)
        result = engine.execute(plan, today=moment)
        found = answer(plan, result, store)
    except (ReqapError, duckdb.Error) as error:
        return Verdict(False, f"{type(error).__name__}: {error}")
    given = [tuple(item.value for item in row) for row in found.rows]
    if not given:
        return Verdict(False, found.text)
    agrees = agree(question.answers, given)
    return Verdict(agrees, f"{given[:8]}" if not agrees else found.text)


def agree(gold: Sequence[Sequence[Answer]], given: Sequence[Sequence[Answer]]) -> bool:
    """The same answers, in whatever order; lists in a single row are as good as rows."""
    ours, theirs = flat(gold), flat(given)
    return all(any(same(a, b) for b in theirs) for a in ours) and all(
        any(same(a, b) for a in ours) for b in theirs
    )


def flat(rows: Sequence[Sequence[Answer]]) -> list[Answer]:
    found: list[Answer] = []
    for row in rows:
        if len(row) == 1 and isinstance(row[0], list):
            found.extend(row[0])
        else:
            found.append(row[0] if len(row) == 1 else tuple(row))
    return found
