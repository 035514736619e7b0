"""Phrase banks: what people write about events, with gaps.

A file per event table and channel in `phrases/<split>/`. A line that begins with @ begins a phrase
and may say when it fits; `[a|b]` is a choice, `{slot}` a gap. Not the job of this module: what goes
into the gaps (`wording`), and which events are written about (`texts`).
"""

import random
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources

from reqap.errors import ReqapError
from reqap.perqa.canonical import Event
from reqap.perqa.slots import after_article

CHANNELS = ("calendar", "mail", "post", "note", "paragraph")
_HEADER = re.compile(r"(\w+)=(.*?)(?=\s+\w+=|$)")
_SLOT = re.compile(r"\{(\w+)\}")
_GAP = re.compile(r"(\b(?:[Aa]|[Tt]he) )?\{(\w+)\}")
_SENTENCE_END = re.compile(r"[^.\s][.!?] $")
_CHOICE = re.compile(r"\[([^\[\]]*)\]")
# Conditions on how and when a text is written; all others are about the event.
_WRITING = frozenset({"time", "from", "to", "says"})


@dataclass(frozen=True)
class Phrase:
    table: str
    channel: str
    body: str
    conditions: Mapping[str, str] = field(hash=False)

    @property
    def slots(self) -> frozenset[str]:
        return frozenset(_SLOT.findall(self.body))

    def fits(self, event: Event, known: Mapping[str, str], own_name: str) -> bool:
        """Whether the phrase can be said of an event; `known` has what its gaps can take."""
        if not self.slots <= known.keys():
            return False
        others = event.text("patient_relation") not in ("", "self")
        if others and "patient" not in self.slots and "patient" not in self.conditions:
            return False  # who is ill must be said, if it is not the writer
        return all(
            _holds(name, wanted, event, known, own_name)
            for name, wanted in self.conditions.items()
            if name not in _WRITING
        )

    def says(self) -> tuple[str, ...]:
        """Properties that the words give away without a gap."""
        said = self.conditions.get("says", "")
        return tuple(name for name in said.replace(" ", "").split(",") if name)


def _holds(name: str, wanted: str, event: Event, known: Mapping[str, str], own_name: str) -> bool:
    if name == "people":
        count = len(event.participants)
        return any(
            count >= int(option[:-1]) if option.endswith("+") else count == int(option)
            for option in wanted.split("|")
        )
    if name == "has":
        return all(part.strip() in known for part in wanted.split(","))
    if name == "day":
        found = "work" if event.start.weekday() < 5 else "weekend"
    elif name == "whose":
        honoree = event.text("honoree")
        found = "none" if not honoree else "me" if honoree == own_name else "other"
    elif name == "patient":
        relation = event.text("patient_relation")
        found = relation if relation in ("self", "pet") else "child"
    else:
        found = event.text(name)
    return found.casefold() in [option.strip().casefold() for option in wanted.split("|")]


@cache
def bank(split: str, table: str, channel: str) -> tuple[Phrase, ...]:
    """The phrases for a kind of event in a channel; none where nobody wrote any."""
    file = resources.files("reqap.perqa") / "phrases" / split / f"{table}.{channel}.txt"
    if not file.is_file():
        return ()
    return tuple(read_phrases(file.read_text(encoding="utf-8"), table, channel))


def read_phrases(text: str, table: str, channel: str) -> list[Phrase]:
    found = []
    for block in re.split(r"(?m)^(?=@)", text):
        head, _, body = block.partition("\n")
        if not block.strip():
            continue
        if not head.startswith("@") or not body.strip():
            raise ReqapError(f"{table}.{channel}: a phrase without a header or a text: {head!r}")
        conditions = {match[1]: match[2].strip() for match in _HEADER.finditer(head[1:].strip())}
        found.append(Phrase(table, channel, body.strip("\n"), conditions))
    return found


def chosen(body: str, chance: random.Random) -> str:
    """The text with one of each `[a|b]`, from the inside out."""
    while found := _CHOICE.search(body):
        body = body[: found.start()] + chance.choice(found[1].split("|")) + body[found.end() :]
    return body


def filled(body: str, known: Mapping[str, str]) -> str:
    """The text with its gaps filled; articles fit what follows them."""

    def told(match: re.Match[str]) -> str:
        slot = match[2]
        if slot == "occasion" and _is_plain(body, match):
            slot = "occasion_plain"
        text = after_article(match[1] or "", known[slot])
        begins = _SENTENCE_END.search(body, 0, match.start())
        return text[:1].upper() + text[1:] if begins else text

    return _GAP.sub(told, body)


def names_the_day(body: str) -> bool:
    """Whether {occasion} says whose day it is ("Ana's birthday"), not only what ("a birthday")."""
    gaps = [gap for gap in _GAP.finditer(body) if gap[2] == "occasion"]
    return any(not _is_plain(body, gap) for gap in gaps)


def _is_plain(body: str, gap: re.Match[str]) -> bool:
    before = body[: gap.start(2) - 1].split()[-1:]
    return "{honoree}" in body or (before != [] and before[0].casefold() in _DETERMINERS)


# After these a day has no owner: "a birthday", "happy birthday", not "happy Ana's birthday".
_DETERMINERS = frozenset(
    ["a", "the", "some", "next", "that", "this", "every", "true", "peaceful", "good", "happy"]
)
