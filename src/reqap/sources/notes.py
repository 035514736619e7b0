"""Notes: text files in Markdown or plain text, alone or as a folder (Obsidian, Logseq, a diary).

How to get it: point `reqap import` at the folder. The date of a note is the one in its front matter
(`date`, `created`), else in its name (2024-03-05, 20240305), else in its headings, where every day
of a diary becomes a note of its own, else the day the file was last changed.
"""

import re
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import NamedTuple
from zoneinfo import ZoneInfo

from reqap.errors import ValueProblem
from reqap.events import Event, ImportIssue, Value, event_id
from reqap.sources.base import Context, ExportFile, Items, Sample, Source
from reqap.sources.textio import read_lines
from reqap.values import parse_date, parse_datetime, parse_list

NAME = "notes"

_SUFFIXES = (".md", ".markdown", ".txt")
_MAX_TEXT = 200_000
_MAX_FRONT_LINES = 200
_MAX_TAGS = 100
_CREATED = ("date", "created", "created_at", "date created", "creation date", "datum")
_CHANGED = ("updated", "modified", "last_modified", "date modified", "lastmod")

_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(\S[^\n]*)")
_NAME_DATE = re.compile(r"(?<![0-9])((?:19|20)[0-9]{2})([-_.]?)([01][0-9])\2([0-3][0-9])(?![0-9])")
_HASHTAG = re.compile(r"(?<![^\s(,;])#([^\W\d_][\w/-]{0,60})")
_FENCE = ("```", "~~~")
_FRONT_KEY = re.compile(r"([A-Za-z][\w -]{0,40}):(?:[ \t]+(.*)|)$")


class _Front(NamedTuple):
    """What the block between two lines of --- at the top says."""

    fields: dict[str, list[str]]
    lines: int  # how many lines it takes; 0 where there is none

    def first(self, *names: str) -> str:
        return next((self.fields[name][0] for name in names if self.fields.get(name)), "")


class _Section(NamedTuple):
    """A stretch of a note, from its heading (if any) on."""

    line: int
    day: date | None  # the date that its heading is
    heading: str
    text: str
    complete: bool


def sniff(sample: Sample) -> bool:
    """Plain text has no signature; the name's ending is all there is."""
    return sample.suffix in _SUFFIXES and sample.is_text


def read(file: ExportFile, context: Context) -> Items:
    lines = _Lines(file)
    front = _front_matter(lines)
    day_sections = 0
    first: _Section | None = None
    held: list[_Section] = []
    dated = _front_date(front, context) or _name_date(file.name)
    for section in _sections(lines, split=dated is None):
        yield from lines.take_issues()
        if section.day is not None:
            day_sections += 1
            if len(section.text) >= 0 and not section.text.strip():
                yield ImportIssue("empty", file.origin(section.line), section.heading[:200])
                continue
            yield from _note(file, section, _Stamp.of_day(section.day), front, context)
        elif first is None:
            first = section
            held.append(section)
    yield from lines.take_issues()
