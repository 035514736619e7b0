"""One life, made: its events, what was written, and the tables that gold queries ask."""

from dataclasses import dataclass
from pathlib import Path

import duckdb

from reqap.perqa.canonical import WRITTEN, Event, add_table, complete, database
from reqap.perqa.persona import Persona, load_persona
from reqap.perqa.simulate import simulate
from reqap.perqa.texts import Observation, observe, written_events


@dataclass(frozen=True)
class World:
    persona: Persona
    events: list[Event]
    observations: list[Observation]
    connection: duckdb.DuckDBPyConnection


def make_world(persona_id: str, seed: int = 1, path: Path | None = None) -> World:
    """Simulates a life; the same seed gives the same. Its tables go to a file, if told."""
    persona = load_persona(persona_id)
    events = simulate(persona, seed)
    observations = observe(persona, events, seed)
    connection = database(persona, events, path)
    for table, written in written_events(persona, observations).items():
        add_table(connection, table, WRITTEN[table], written)
    complete(connection)
    return World(persona, events, observations, connection)
