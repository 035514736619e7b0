"""A lifelog of a few episodes, as TimelineQA's generator and its script for questions leave it."""

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

# day → name → (eid, sentence); the sentences are ours.
_EPISODES = {
    "1990/05/06": {"birth_info": ("e0", "I was born in Graz to Ida and Otto.")},
    "2010/02/01": {
        "chat0": ("e1", "In the morning I talked to Mia and Jon for 30 minutes."),
        "chat1": ("e2", "Mia and I talked for 20 minutes."),
        "breakfast0": ("e3", "For breakfast I had eggs, sausages, and bread with Mia."),
    },
    "2010/02/02": {
        "exercise0": ("e4", "I went swimming; my heart rate was 120."),
        "social media0": ("e5", "I looked at social media for 15 minutes."),
    },
    "2010/03/10": {"travel0": ("e6", "I went to Lisbon with Jon for 5 days.")},
    "2010/03/12": {
        "dining0": ("e7", "In Lisbon we had local food at the Tasca."),
        "places_visited0": ("e8", "Jon and I saw the tower."),
    },
    "2010/09/01": {"child_medical_care0": ("e9", "I took Pia to the dentist.")},
    "2011/01/05": {"grocery0": ("e10", "I bought apples and pears.")},
}
_LOGS: dict[str, Any] = {
    "annual_medical_care": ("eid,date,for_whom,type_of_care",
        ("e9", "2010/09/01", "child_medical_care", "annual dental cleaning and checkup")),
    "daily_chat": ("eid,date,timeofday,howlong,friends",
        ("e1", "2010/02/01", "in the morning", 30, "Mia, Jon"),
        ("e2", "2010/02/01", "late in the evening", 20, "Mia")),
    "daily_exercise": ("eid,date,exercise,heart_rate", ("e4", "2010/02/02", "swimming", 120)),
    "daily_meal": ("eid,date,mealtype,foodtype,people_string",
        ("e3", "2010/02/01", "breakfast", "eggs, sausages, and bread", "Mia")),
    "daily_read": ("eid,date,readtype,howlong", ("e5", "2010/02/02", "social media", 15)),
    "travel": ("eid,start_date,end_date,city,people",
        ("e6", "2010/03/10", "2010/03/15", "Lisbon", "Jon")),
    "travel_dining": ("eid,start_date,end_date,city,dining_date,food_type,food_location",
        ("e7", "2010-03-10 00:00:00", "2010-03-15 00:00:00", "Lisbon", "2010/03/12", "local food",
         "Tasca")),
    "travel_places_visited": (
        "eid,start_date,end_date,city,place_visit_date,place,people,action,emotion",
        ("e8", "2010/03/10", "2010/03/15", "Lisbon", "2010/03/12", "the tower", "Jon", "", "")),
    "weekly_grocery": ("eid,date,fruits,drinks,toiletries,people_string",
        ("e10", "2011/01/05", "apples, pears", "", "", "")),
    "marriages": ("eid,married_date,partner_name,location",),
}  # fmt: skip
# id, question, column of the answer, log; and the rows of its result.
QUESTIONS: list[tuple[str, str, str, str, list[tuple[object, ...]]]] = [
    ("q4", "Who did I talk to the most in February 2010?", "1", "daily_chat", [("Mia", 50)]),
    ("q6", "How many times  did I talk to Jon in February 2010?", "1", "daily_chat", [(1,)]),
    ("q9", "Which month of which year did I swim the most?", "1,2", "daily_exercise",
     [(2010, 2, 1)]),
    ("q10", "List the breakfasts that Mia had in February of 2010?", "1", "daily_meal",
     [("eggs, sausages, and bread",)]),
    ("q26", "What did I eat in Lisbon?", "1,:", "travel_dining", [("local food",)] * 2),
    ("q33", "How many times did I get married?", "?", "marriages", [(0,)]),
    ("q35", "When was my most recent marriage?", "?", "marriages", [("",)]),
    ("q37", "When was my first trip to Lisbon?", "1", "travel", [("2010-03-10 00:00:00",)]),
]  # fmt: skip
_PERSONA = {
    "age_years": 32, "birth_year": 1990, "birth_month": 5, "birth_day": 6, "birth_city": "Graz",
    "sibling_names": [], "biological_mom_name": "Ida", "biological_dad_name": "Otto",
    "partners_names": [], "kids_names": ["Pia"], "close_friends_names": ["Mia", "Jon"],
    "num_kids": 1, "hobbies": ["chess"],
}  # fmt: skip


def lifelog(folder: Path) -> Path:
    """Writes the folder of a persona."""
    folder.mkdir(parents=True)
    timeline = {
        day: {
            name: {"eid": eid, "logical_representation": [day], "text_template_based": text,
                   "text_model_based": [], "atomic_qa_pairs": [], "multihop_qa_pairs": []}
            for name, (eid, text) in episodes.items()
        }
        for day, episodes in _EPISODES.items()
    }  # fmt: skip
    (folder / f"{folder.name}.json").write_text(json.dumps(timeline))
    (folder / "persona.json").write_text(json.dumps(_PERSONA))
    for name, (columns, *episodes) in _LOGS.items():
        _table(folder / f"{name}-log.csv", columns.split(","), episodes)
    asked = [(name, "select …", "{}", text, f"{log}-log.csv", column)
             for name, text, column, log, _ in QUESTIONS]  # fmt: skip
    head = ["q_id", "query", "params", "question", "datafiles", "answer_column"]
    _table(folder / "queries.csv", head, asked)
    for name, _, _, _, found in QUESTIONS:
        rows = [(number, *row) for number, row in enumerate(found)]
        _table(folder / f"{name}-result.csv", ["", *("abc"[: len(found[0])])], rows)
    return folder


def _table(path: Path, head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(head)
        writer.writerows(rows)
