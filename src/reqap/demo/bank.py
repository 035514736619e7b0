"""Reads the hand-written text banks in `data/`.

Two plain formats: tables (one record a line, cells split by " | ") and blocks
(a header line that starts with "@ ", then free text up to the next header).
What the cells mean is the business of the module that asks for them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib import resources


def raw(name: str) -> str:
    """The text of one data file."""
    return (resources.files("reqap.demo") / "data" / name).read_text(encoding="utf-8")


def table(name: str, width: int) -> list[list[str]]:
    """The rows of a table, padded to `width` cells; comments and blank lines are skipped."""
    rows = []
    for line in raw(name).splitlines():
        if not line.strip() or line.startswith(("#", "[")):
            continue
        rows.append(cells(line, width))
    return rows


def cells(line: str, width: int) -> list[str]:
    """Split one line into at least `width` stripped cells."""
    parts = [part.strip() for part in line.split("|")]
    return parts + [""] * (width - len(parts))


@dataclass(frozen=True)
class Block:
    """A header and the text below it."""

    head: list[str]
    body: str


def blocks(name: str, width: int) -> list[Block]:
    """The blocks of a file, in the order in which they were written."""
    found: list[tuple[list[str], list[str]]] = []
    for line in raw(name).splitlines():
        if line.startswith("@ "):
            found.append((cells(line[2:], width), []))
        elif found:
            found[-1][1].append(line)
    return [Block(head, "\n".join(lines).strip()) for head, lines in found]


def strings(name: str) -> dict[str, str]:
    """A JSON file that maps names to strings."""
    loaded = json.loads(raw(name))
    return {str(key): str(value) for key, value in loaded.items()}
