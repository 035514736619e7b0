"""How a key and the columns of a record are put to the network that says which column answers.

A key is a query and each column a text, as for the cross-encoder of the search; so are the event's
own times. Not the job of this module: what the values mean (`reading`), and keys that rules
understand (`concepts`).
"""

import re
from collections.abc import Mapping

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_MOST, _MOST_ITEMS, _MOST_NAME = 60, 20, 120  # of a value that are shown, and of a name
# What an event tells by itself, and how it is put.
START, END, DURATION = "@start", "@end", "@duration"
_OWN = {START: "when it began", END: "when it ended", DURATION: "how long it took"}


def put_key(key: str, type_name: str, kind: str) -> str:
    """An asked key, as a query."""
    return f"column {_words(key)} ({type_name}) of {_words(kind)}"


def put_columns(data: Mapping[str, object]) -> dict[str, str]:
    """Each column with its value, and the own times, as texts."""
    found = {key: f"column {_words(key)}: {_shown(value)}" for key, value in data.items()}
    return found | {name: f"column {words}" for name, words in _OWN.items()}


def _words(name: str) -> str:
    return " ".join(_HUMP.sub(" ", name[:_MOST_NAME].replace("_", " ")).split()).lower()


def _shown(value: object) -> str:
    text = ", ".join(map(str, value[:_MOST_ITEMS])) if isinstance(value, list) else str(value)
    return " ".join(text[:_MOST].split())
