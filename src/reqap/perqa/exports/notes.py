"""Writes the notes: half of them in Google Keep, half as Markdown files."""

import json
import os
import re
from pathlib import Path

from reqap.perqa.exports import pack
from reqap.perqa.exports.traces import Traces, digest
from reqap.perqa.texts import Observation


def _in_keep(note: Observation) -> bool:
    return int(digest(note.start, note.data["text"])[0], 16) % 2 == 0


def _name(note: Observation) -> str:
    title = re.sub(r"[^\w ,.-]", "_", str(note.data["title"] or "note"))[:60].strip(" .")
    return f"{note.start:%Y-%m-%d} {title} {digest(note.data['text'])[:4]}"


def keep(traces: Traces) -> dict[str, bytes]:
    """The Keep notes of a Takeout, by file name."""
    found = {}
    for note in filter(_in_keep, traces.of("note")):
        micros = int(traces.utc(note.start).timestamp()) * 1_000_000
        told = {
            "color": "DEFAULT",
            "isTrashed": False,
            "isPinned": False,
            "isArchived": False,
            "textContent": str(note.data["text"]),
            "title": str(note.data["title"] or ""),
            "userEditedTimestampUsec": micros,
            "createdTimestampUsec": micros,
        }
        found[f"Takeout/Keep/{_name(note)}.json"] = pack.to_json(told)
    return found


def write(traces: Traces, folder: Path) -> None:
    """The folder `notes`; the front matter says when a note is from, and so does the file."""
    for note in traces.of("note"):
        if _in_keep(note):
            continue
        title = json.dumps(str(note.data["title"] or ""), ensure_ascii=False)
        front = f"---\ntitle: {title}\ndate: {note.start:%Y-%m-%d %H:%M}\n---\n\n"
        path = folder / "notes" / f"{_name(note)}.md"
        pack.write_file(path, f"{front}{note.data['text']}\n".encode())
        stamp = traces.utc(note.start).timestamp()
        os.utime(path, (stamp, stamp))
