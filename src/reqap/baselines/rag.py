"""The events most like a question, read by a language model: the paper's RAG.

Events are found for the whole question by the sparse weights of ReQAP's own search, and put in
order by its cross-encoder; the first of them, in words, go before the model with the question. It
answers with a JSON list. Not the job of this module: the models themselves (`reqap.models`).
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, Protocol

import numpy as np
import orjson
import pyarrow as pa

from reqap.models.base import ChatModel, Message, TextModel
from reqap.profile import Profile
from reqap.qud.transcript import END, one_line, prompt
from reqap.retrieve.index import Texts
from reqap.retrieve.networks import Networks
from reqap.retrieve.people import with_names
from reqap.store import Store
from reqap.verbalize import RELEVANT, spelled

EVENTS = 10  # before a small model: the paper's choice, and what 2,048 tokens hold
CHARACTERS = 400  # of each
_POOL = 64  # texts that the cross-encoder reads
_MAX_TOKENS = 200
_MOST_ANSWERS = 100
_PART = " | "
_INSTRUCTION = (
    "You answer questions about a person's own life. You are given today's date and some of the"
    " person's records, which may or may not be enough. Answer with a JSON list of the answers and"
    ' nothing else, the best first: ["Lima"], [12], ["2021-03-05"], [true]; lists in the list where'
    ' several values belong together: [["running", 3], ["rowing", 1]]. Dates are written as'
    " 2021-03-05. If nothing tells, give your best guess."
)

Answer = str | int | float | bool | None | list["Answer"]


class Searcher:
    """Finds events for a whole question."""

    def __init__(self, store: Store, models: Networks) -> None:
        self._store, self._models = store, models
        self._profile = Profile.saved(store.load_profile())
        self._texts = Texts(store)

    def find(self, question: str, today: datetime, count: int) -> list[str]:
        """The first events, in words."""
        asked = with_names(one_line(question)[:500], self._profile)
        scores, _ = self._texts.sparse(self._models.asked(asked).words)
        pool = [int(row) for row in np.argsort(-scores, kind="stable")[:_POOL] if scores[row] > 0]
        ids = [int(self._texts.ids[row]) for row in pool]
        told = self._told(ids)
        read = self._models.read(asked, list(told.values()))[:, RELEVANT]
        chances = dict(zip(told, read.tolist(), strict=True))
        order = sorted(told, key=lambda number: (-chances[number], ids.index(number)))
        return self._events(order, today, count)

    def _told(self, ids: Sequence[int]) -> dict[int, str]:
        with self._store.connection.cursor() as cursor:
            cursor.register("wanted", pa.table({"text_id": pa.array(ids, pa.int32())}))
            rows = cursor.execute(
                "SELECT text_id, text FROM indexed_texts SEMI JOIN wanted USING (text_id)"
            ).fetchall()
        return dict(rows)

    def _events(self, order: Sequence[int], today: datetime, count: int) -> list[str]:
        """Events of texts, the best text first, of one text the latest."""
        wanted = pa.table({"text_id": pa.array(order, pa.int32()),
                           "nth": pa.array(range(len(order)), pa.int32())})  # fmt: skip
        with self._store.connection.cursor() as cursor:
            cursor.register("wanted", wanted)
            rows = cursor.execute(
                "SELECT e.start_at, e.end_at, e.kind, e.data FROM wanted w"
                " JOIN indexed_events i USING (text_id) JOIN events e ON e.id = i.event_id"
                " WHERE e.start_at <= ? ORDER BY w.nth, e.start_at DESC, e.id LIMIT ?",
                [today, count],
            ).fetchall()
        return [said(start, end, kind, orjson.loads(data)) for start, end, kind, data in rows]


def said(start: datetime, end: datetime, kind: str, data: dict[str, str]) -> str:
    """An event as the model reads it, in one line."""
    until = f" to {end:%Y-%m-%d %H:%M}" if end > start else ""
    return one_line(f"{start:%Y-%m-%d %H:%M}{until}; {spelled(kind, data)}")[:CHARACTERS]


def put(question: str, events: Sequence[str], today: datetime) -> str:
    """What a model that has learnt it is asked: all in one line."""
    return _PART.join((*events, f"today is {today:%Y-%m-%d}", one_line(question)))


class Answerer(Protocol):
    """Reads events and answers."""

    def answer(self, question: str, events: Sequence[str], today: datetime) -> str: ...


@dataclass(frozen=True)
class Instructed:
    """A model that follows instructions."""

    model: ChatModel

    def answer(self, question: str, events: Sequence[str], today: datetime) -> str:
        records = "\n".join(f"- {event}" for event in events)
        asked = f"Today is {today:%A %Y-%m-%d}.\nRecords:\n{records}\n\nQuestion: {question}"
        messages: list[Message] = [
            {"role": "system", "content": _INSTRUCTION},
            {"role": "user", "content": asked},
        ]
        return self.model.chat(messages, temperature=0.0, max_tokens=_MAX_TOKENS)


@dataclass(frozen=True)
class Trained:
    """A model that has learnt to answer in this form."""

    model: TextModel

    def answer(self, question: str, events: Sequence[str], today: datetime) -> str:
        asked = prompt((), put(question, events, today))
        return self.model.complete(asked, max_tokens=_MAX_TOKENS, stop=(END,))


class Read(NamedTuple):
    """What was answered from which events."""

    answers: list[Answer]
    events: list[str]
    text: str


def ask(
    question: str, today: datetime, searcher: Searcher, answerer: Answerer, count: int = EVENTS
) -> Read:
    """Question → events → answers."""
    events = searcher.find(question, today, count)
    text = answerer.answer(question, events, today)
    return Read(parsed(text), events, text)


def parsed(text: str) -> list[Answer]:
    """The list that a model wrote; where it wrote none, its first line is the answer."""
    begin, end = text.find("["), text.rfind("]")
    if 0 <= begin < end:
        try:
            found = json.loads(text[begin : end + 1])
        except (ValueError, RecursionError):
            found = None
        if isinstance(found, list):
            return [_plain(one) for one in found[:_MOST_ANSWERS]]
    lines = [line.strip(" -*`") for line in text.splitlines() if line.strip(" -*`")]
    return list(lines[:1])


def _plain(value: object) -> Answer:
    if isinstance(value, list):
        return [_plain(item) for item in value[:_MOST_ANSWERS]]
    if isinstance(value, dict):
        return [_plain(item) for item in list(value.values())[:_MOST_ANSWERS]]
    return value if isinstance(value, str | int | float | bool | None) else str(value)
