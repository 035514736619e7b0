"""A life from a persona: canonical events, drawn with a seed, day after day."""

from reqap.perqa.canonical import Event
from reqap.perqa.persona import Persona
from reqap.perqa.simulate import buying, care, gatherings, listening, sport, travelling, watching
from reqap.perqa.simulate.life import Life

__all__ = ["simulate"]


def simulate(persona: Persona, seed: int = 1) -> list[Event]:
    """All events of a life, in order of time; the same seed gives the same life."""
    life = Life(persona, seed)
    care.add_milestones(life)
    travelling.add_trips(life)
    care.add_illnesses(life)
    gatherings.add_celebrations(life)
    care.add_appointments(life)
    gatherings.add_meetings(life)
    sport.add_workouts(life)
    watching.add_movies(life)
    watching.add_series(life)
    listening.add_music(life)
    buying.add_purchases(life)
    return life.in_order()
