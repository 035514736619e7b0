"""Whom questions are asked of: a life, its questions, and what the right answers are.

A subject is plain data, so that it can be handed to another process. Not the job of this module:
importing the life (`stores`) and asking (`answering`).
"""

import csv
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, time
from pathlib import Path

from reqap.errors import ReqapError
from reqap.evaluate.census import sources_of
from reqap.evaluate.shapes import TYPES, complexity
from reqap.perqa.canonical import opened
from reqap.perqa.exports.profile import profile
from reqap.perqa.persona import load_persona
from reqap.perqa.world import DATABASE
from reqap.plan import parse


@dataclass(frozen=True)
class Question:
    """A question with its right answers; `plan` and `retrieve` (what its queries mean, as SQL over
    the gold tables) only where somebody wrote them."""

    text: str
    template: str
    types: tuple[str, ...]
    gold: tuple[object, ...]
    plan: str = ""
    retrieve: Mapping[str, str] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class Subject:
    """A life that can be imported, and what it is asked.

    `exports` are read by the import, as those of users are. `gold` is the folder of a persona whose
    texts say what they tell of; oracles need it.
    """

    name: str
    exports: tuple[Path, ...]
    profile: str  # as JSON
    today: datetime
    questions: tuple[Question, ...]
    gold: Path | None = None


def perqa_subjects(build: Path, split: str, names: Sequence[str] = ()) -> Iterator[Subject]:
    """The personas of a split of our benchmark, or those that are named."""
    folders = sorted((build / split).glob(f"{split}_persona_*"))
    if not folders:
        raise ReqapError(f"there are no lives in {build / split}; `reqap perqa build` makes them")
    if missing := set(names) - {folder.name for folder in folders}:
        raise ReqapError(f"there is no persona {', '.join(sorted(missing))} in {build / split}")
    for folder in folders:
        if not names or folder.name in names:
            yield perqa_subject(folder)


def perqa_subject(folder: Path) -> Subject:
    """A persona that was built."""
    persona = load_persona(folder.name)
    return Subject(
        folder.name,
        (folder / f"{folder.name}_obs.csv",),
        profile(persona).decode(),
        datetime.combine(persona.today, time(23, 59, 59)),
        tuple(_questions(folder)),
        folder,
    )


def _questions(folder: Path) -> Iterator[Question]:
    kinds = _kinds_telling(folder / f"{folder.name}_obs.csv")
    connection = opened(folder / DATABASE)
    for it in json.loads((folder / "questions.json").read_text(encoding="utf-8")):
        sources = sources_of(connection, it["retrieve"].values(), kinds)
        types = complexity(parse(it["plan"]), sources)
        yield Question(
            it["question"], it["template"], tuple(name for name in TYPES if name in types),
            tuple(it["answers"]), it["plan"], it["retrieve"],
        )  # fmt: skip
    connection.close()


def _kinds_telling(observations: Path) -> dict[int, set[str]]:
    """By event, in which kinds of sources it is told."""
    found: dict[int, set[str]] = defaultdict(set)
    with observations.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            for event in json.loads(row["properties_mentioned"]):
                found[int(event)].add(row["event_type"])
    return found
