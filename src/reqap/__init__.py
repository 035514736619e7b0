"""ReQAP: questions about one's own life, answered from one's own data exports.

    import reqap
    with reqap.open() as life:
        print(life.ask("How often did I go running in 2023?").text)

The names here are what plug-ins and scripts build on; everything else may change.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from reqap.errors import ExportProblem, ReqapError
from reqap.events import Clock, Event, ImportIssue, Origin, Retraction, event_id

if TYPE_CHECKING:
    from reqap.life import Life

__all__ = [
    "Clock",
    "Event",
    "ExportProblem",
    "ImportIssue",
    "Origin",
    "ReqapError",
    "Retraction",
    "event_id",
    "open",
]


def open(db: str | Path | None = None, *, keeps: bool = False) -> "Life":
    """Opens a life to ask (default: $REQAP_DB, else the one in your data folder).

    With `keeps`, what is asked and corrected is kept; nobody else can open the store meanwhile.
    """
    from reqap.life import Life
    from reqap.store import default_db

    return Life.open(Path(db) if db is not None else default_db(), keeps=keeps)
