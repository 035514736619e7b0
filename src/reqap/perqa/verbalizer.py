"""Texts by a language model instead of the phrase banks, as the paper had them.

The model is told what happened and says which properties its text gives away; what it claims beyond
what it was told is not believed, and where it does not answer as asked, the banks speak. Answers
are kept in a file, so that a build can go on where it stopped and gives the same bytes again.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from reqap.models.base import Message
from reqap.models.endpoint import Endpoint, system, user
from reqap.perqa.canonical import Event
from reqap.perqa.persona import Persona

_CHANNELS = {
    "calendar": 'a calendar entry: {"summary": "...", "location": "..." or null,'
    ' "description": "..." or null, "mentions": [...]}',
    "mail": 'a mail, from one topic to several lines: {"subject": "...", "text": "...",'
    ' "mentions": [...]}',
    "post": 'a post on social media: {"text": "...", "mentions": [...]}',
    "note": 'a note to yourself: {"title": "...", "text": "...", "mentions": [...]}',
}
_FIELDS = {
    "calendar": ("summary", "location", "description"),
    "mail": ("subject", "text"),
    "post": ("text",),
    "note": ("title", "text"),
}
_NEEDED = {"calendar": "summary", "mail": "text", "post": "text", "note": "text"}
_LONGEST = 4_000


@dataclass(frozen=True)
class Written:
    """What the model wrote, and which properties it gives away."""

    fields: Mapping[str, str | None]
    mentions: frozenset[str]


class Verbalizer:
    """Asks an endpoint, once for each text."""

    def __init__(self, endpoint: Endpoint, kept: Path) -> None:
        self._endpoint = endpoint
        self._kept = kept
        self._known: dict[str, str] = {}
        if kept.exists():
            for line in kept.read_text(encoding="utf-8").splitlines():
                record = json.loads(line)
                self._known[record["key"]] = record["answer"]

    def write(
        self, persona: Persona, event: Event, channel: str, when: datetime, other: str = ""
    ) -> Written | None:
        """A text about an event, or nothing where the model does not do as asked."""
        given = _given(event)
        messages = _asked(persona, event, channel, when, other, given)
        key = hashlib.sha256(
            json.dumps([self._endpoint.model, messages], ensure_ascii=False).encode()
        ).hexdigest()
        answer = self._known.get(key)
        if answer is None:
            answer = self._endpoint.chat(messages, temperature=0.8, max_tokens=400, seed=1)
            self._known[key] = answer
            with self._kept.open("a", encoding="utf-8") as file:
                line = json.dumps({"key": key, "answer": answer}, ensure_ascii=False)
                file.write(line + "\n")
        return read_answer(answer, channel, given)


def _given(event: Event) -> dict[str, str]:
    found = {name: event.text(name) for name in event.properties}
    found = {name: text for name, text in found.items() if text}
    if event.participants:
        found["participants"] = ", ".join(event.participants)
    return {
        **found,
        "start_date": f"{event.start:%A, %Y-%m-%d}",
        "start_time": f"{event.start:%H:%M}",
    }


def _asked(
    persona: Persona, event: Event, channel: str, when: datetime, other: str, given: dict[str, str]
) -> list[Message]:
    called = {p.name: ", ".join(p.nicknames) for p in persona.people if p.nicknames}
    names = [name for name in event.participants if name in called]
    told = "\n".join(f"{name}: {text}" for name, text in given.items())
    nicknames = "".join(f"\n{name} is called {called[name]}" for name in names)
    to = f" to {other}" if other else ""
    kind = event.table.removesuffix("s").replace("_", " ")
    return [
        system(
            f"You are {persona.name}. You write as people do: short or long, sometimes sloppy, with"
            " nicknames, hints and relative dates. Tell only of what happened; invent no other"
            " happening, name or number. Answer with one JSON object and nothing else."
        ),
        user(
            f"What happened ({kind}):\n{told}{nicknames}\n\n"
            f"It is {when:%A, %Y-%m-%d %H:%M}. Write{to} {_CHANNELS[channel]}\n"
            f"mentions lists which of these your text gives away: {', '.join(given)}"
        ),
    ]


def read_answer(answer: str, channel: str, given: Mapping[str, str]) -> Written | None:
    """The text and its claims, if they are what was asked for."""
    begin, end = answer.find("{"), answer.rfind("}")
    try:
        told = json.loads(answer[begin : end + 1])
    except (ValueError, RecursionError):
        return None
    if not isinstance(told, dict) or not isinstance(told.get("mentions"), list):
        return None
    fields: dict[str, str | None] = {}
    for name in _FIELDS[channel]:
        value = told.get(name)
        if value is not None and not isinstance(value, str):
            return None
        fields[name] = value.strip()[:_LONGEST] if value and value.strip() else None
    if not fields[_NEEDED[channel]]:
        return None
    return Written(fields, frozenset(map(str, told["mentions"])) & given.keys())
