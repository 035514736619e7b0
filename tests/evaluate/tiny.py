"""A life of a few events, as a persona's folder has it, and a backend that knows its questions."""

import csv
import json
from datetime import datetime
from pathlib import Path

from reqap.evaluate.subjects import Question, Subject
from reqap.qud.decompose import Backend
from reqap.qud.scripted import Scripted

RUNS, KM, ANA = "How often did I go running?", "How many km did I run?", "When did I meet Ana?"
COUNT = 'APPLY(l=RETRIEVE(query="I went running"), fct=len)'
STEPS = {
    RUNS: 'APPLY(QUD("my runs"), len)',
    "my runs": 'RETRIEVE("I went running")',
    KM: 'SUM(QUD("my runs with km"), "distance")',
    "my runs with km": 'EXTRACT(QUD("my runs"), ["distance"], [float])',
    ANA: "I cannot say",
}
_HEAD = (
    "id structured_event_id start_date start_time end_date end_time event_type event_data"
    " properties_mentioned"
)
_ROWS: list[tuple[str, str, dict[str, object]]] = [
    ("workout", "2023-05-01 18:00:00", {"workout_type": "running", "distance": 5.5}),
    ("workout", "2023-05-03 18:00:00", {"workout_type": "running", "distance": 4.5}),
    ("workout", "2023-05-04 18:00:00", {"workout_type": "swimming", "distance": 1.0}),
    ("music_stream", "2023-05-05 09:00:00", {"song_name": "Halo", "artists": ["Beyoncé"]}),
    ("calendar", "2023-05-06 12:00:00", {"summary": "Lunch with Ana", "location": "Café Rot"}),
]


def tiny_subject(folder: Path) -> Subject:
    """A persona whose observations lie in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "tiny_obs.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(_HEAD.split())
        for number, (kind, at, data) in enumerate(_ROWS):
            day, clock = at.split()
            said = json.dumps({str(number): list(data)})
            writer.writerow((number, number, day, clock, day, clock, kind, json.dumps(data), said))
    questions = (
        Question(RUNS, "t1", ("aggregation",), (2,), COUNT),
        Question(KM, "t2", ("aggregation", "multi-source"), (10.5,)),
        Question(ANA, "t3", ("temporal",), ("2023-05-06",)),
    )
    profile = json.dumps({"name": "Eva Blau", "time_zone": "Europe/Berlin"})
    return Subject("tiny", (path,), profile, datetime(2023, 12, 31), questions)


def scripted(_: object) -> Backend:
    return Scripted(STEPS)
