"""The few lines of `key: value` that note-taking programs put at the top of a text file.

Only what notes use is understood: texts, and lists in brackets or as lines with a dash; YAML
between lines of --- and TOML between lines of +++. Anything else in there is passed over.
"""

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

_MAX_LINES = 200
_MAX_ITEMS = 100
_MAX_CHARS = 2000
_KEY = re.compile(r"([^\W\d_][\w -]{0,60}?)[ \t]*[:=](?:[ \t]+(.*)|)$")
_ITEM = re.compile(r"[ \t]*-[ \t]+(\S.*)$")
_ESCAPE = re.compile(r'\\(["\\])')
_NOT_A_LETTER = re.compile(r"\W+")


class Front(NamedTuple):
    """Keys in lower_snake_case with their texts; `lines` is how many lines the block takes."""

    fields: dict[str, list[str]]
    lines: int = 0

    def texts(self, *keys: str) -> list[str]:
        return [text for key in keys for text in self.fields.get(key, ())]

    def first(self, *keys: str) -> str:
        return next(iter(self.texts(*keys)), "")


def read_front(lines: Iterator[tuple[int, str]]) -> tuple[Front, list[tuple[int, str]]]:
    """The front matter a text begins with, and the lines that were read and are not part of it."""
    taken = list(islice(lines, 1))
    mark = taken[0][1].rstrip() if taken else ""
    if mark not in ("---", "+++"):
        return Front({}), taken
    fields: dict[str, list[str]] = {}
    key = ""
    for number, line in islice(lines, _MAX_LINES):
        taken.append((number, line))
        text = line.rstrip()[:_MAX_CHARS]
        if text == mark or (mark == "---" and text == "..."):
            return Front(fields, number), []
        if (item := _ITEM.match(text)) and key:
            if len(fields[key]) < _MAX_ITEMS:
                fields[key].append(_unquoted(item[1]))
        elif found := _KEY.match(text):
            key = _NOT_A_LETTER.sub("_", found[1].strip().lower())
            fields[key] = _values(found[2] or "")
    return Front({}), taken


def _values(text: str) -> list[str]:
    text = text.strip()
    if text.startswith("[") and text.endswith("]"):
        parts = [_unquoted(part) for part in text[1:-1].split(",")]
        return [part for part in parts if part][:_MAX_ITEMS]
    value = _unquoted(text)
    return [value] if value and value not in ("null", "~") else []


def _unquoted(text: str) -> str:
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] == '"':
        return _ESCAPE.sub(r"\1", text[1:-1]).strip()
    if len(text) > 1 and text[0] == text[-1] == "'":
        return text[1:-1].replace("''", "'").strip()
    return text
