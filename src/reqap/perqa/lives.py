"""Free lives: texts written one by one, with what they tell of, queries and questions.

Phrase banks alone would teach the banks. These lives train and tune RETRIEVE and EXTRACT beside the
simulated ones, and show which questions people ask.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from importlib import resources
from typing import Any

KINDS = {
    "mail": ({"subject", "sender", "recipient", "text"}, set[str]()),
    "social_media": ({"text"}, set[str]()),
    "calendar": ({"summary", "start", "end"}, {"location", "description"}),
    "note": ({"title", "text"}, set[str]()),
}
TYPES = frozenset(
    {
        "meeting", "meal", "trip", "doctor", "celebration", "milestone", "workout", "concert",
        "cinema", "movie_stream", "series_stream", "music", "purchase", "other",
    }
)  # fmt: skip


@dataclass(frozen=True)
class Text:
    id: str
    kind: str
    timestamp: datetime
    fields: Mapping[str, str]
    # What happened, according to this text: event, type, start_date, and what else it gives.
    about: tuple[Mapping[str, Any], ...]

    @property
    def said(self) -> dict[str, str]:
        """The fields less the times, which an event has beside its data."""
        return {key: text for key, text in self.fields.items() if key not in ("start", "end")}

    @property
    def span(self) -> tuple[datetime, datetime]:
        """When an entry lies; of everything else, when it was written."""
        times = (self.fields.get(side) for side in ("start", "end"))
        start, end = (datetime.fromisoformat(at) if at else self.timestamp for at in times)
        return start, max(start, end)


@dataclass(frozen=True)
class Query:
    text: str
    relevant: tuple[str, ...]


@dataclass(frozen=True)
class FreeLife:
    name: str
    profile: Mapping[str, Any]
    texts: tuple[Text, ...]
    queries: tuple[Query, ...]
    questions: tuple[str, ...]


@cache
def load_lives(split: str) -> tuple[FreeLife, ...]:
    """The lives of a split: train or dev."""
    folder = resources.files("reqap.perqa") / "lives" / split
    files = sorted(folder.iterdir(), key=lambda file: file.name)
    lives = (
        read_life(file.name.removesuffix(".json"), json.loads(file.read_text(encoding="utf-8")))
        for file in files
        if file.name.endswith(".json")
    )
    more = _more_queries(split)
    return tuple(replace(life, queries=(*life.queries, *more.get(life.name, ()))) for life in lives)


def _more_queries(split: str) -> dict[str, list[Query]]:
    """Queries that were written for lives later, each in several wordings."""
    file = resources.files("reqap.perqa") / "lives" / split / "queries.jsonl"
    found: dict[str, list[Query]] = {}
    if file.is_file():
        for it in map(json.loads, file.read_text(encoding="utf-8").splitlines()):
            queries = (Query(text, tuple(it["relevant"])) for text in it["queries"])
            found.setdefault(it["life"], []).extend(queries)
    return found


@cache
def planned_questions(split: str) -> tuple[tuple[str, str], ...]:
    """Questions of these lives with the plan that somebody wrote for each; no gold answers."""
    questions = {life.name: life.questions for life in load_lives(split)}
    file = resources.files("reqap.perqa") / "lives" / split / "plans.jsonl"
    records = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    return tuple((questions[it["life"]][it["n"]], it["plan"]) for it in records)


def read_life(name: str, raw: Mapping[str, Any]) -> FreeLife:
    texts = tuple(
        Text(
            it["id"], it["kind"], datetime.fromisoformat(it["timestamp"]), it["fields"],
            tuple(it["about"]),
        )
        for it in raw["texts"]
    )  # fmt: skip
    queries = tuple(Query(it["query"], tuple(it["relevant"])) for it in raw["queries"])
    return FreeLife(name, raw["profile"], texts, queries, tuple(raw["questions"]))
