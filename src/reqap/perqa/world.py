"""One life, made: its events, what was written, and the tables that gold queries ask."""

from dataclasses import dataclass
from pathlib import Path

import duckdb

from reqap.models.endpoint import Endpoint
from reqap.perqa.canonical import WRITTEN, Event, add_table, complete, database
from reqap.perqa.files import write_persona, write_questions
from reqap.perqa.persona import Persona, load_persona
from reqap.perqa.simulate import simulate
from reqap.perqa.templates import filled, templates_for
from reqap.perqa.texts import Observation, observe, written_events
from reqap.perqa.verbalizer import Verbalizer

DATABASE = "canonical.duckdb"


@dataclass(frozen=True)
class Author:
    """A model that writes the texts, and the folder that keeps what it wrote."""

    endpoint: Endpoint
    kept: Path


@dataclass(frozen=True)
class World:
    persona: Persona
    events: list[Event]
    observations: list[Observation]
    connection: duckdb.DuckDBPyConnection


def build_persona(folder: Path, persona: str, seed: int = 1, author: Author | None = None) -> int:
    """Makes a life and writes its files and questions; how many questions there are."""
    folder.mkdir(parents=True)
    verbalizer = None
    if author:
        author.kept.mkdir(parents=True, exist_ok=True)
        verbalizer = Verbalizer(author.endpoint, author.kept / f"{persona}.jsonl")
    world = make_world(persona, seed, folder / DATABASE, verbalizer)
    write_persona(world.persona, world.events, world.observations, folder)
    questions = [
        question
        for template in templates_for(persona)
        for question in filled(template, persona, world.connection, seed)
    ]
    write_questions(questions, world.persona.today, folder / "questions.json")
    world.connection.close()
    return len(questions)


def make_world(
    persona_id: str,
    seed: int = 1,
    path: Path | None = None,
    verbalizer: Verbalizer | None = None,
) -> World:
    """Simulates a life; the same seed gives the same. Its tables go to a file, if told."""
    persona = load_persona(persona_id)
    events = simulate(persona, seed)
    observations = observe(persona, events, seed, verbalizer)
    connection = database(persona, events, path)
    for table, written in written_events(persona, observations).items():
        add_table(connection, table, WRITTEN[table], written)
    complete(connection)
    return World(persona, events, observations, connection)
