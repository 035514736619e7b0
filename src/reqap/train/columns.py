"""Lessons about columns: which one answers a key, among all of a record and its own times."""

import random
from collections.abc import Iterator

from reqap.extract.columns import DURATION, END, START, put_columns, put_key
from reqap.train.retrieve_lesson import Lesson, some, written
from reqap.verbalize import IRRELEVANT, RELEVANT

_MOST, _DEV = 8, 12  # columns beside the right one; records of which one is for measuring
_OWN = (START, END, DURATION)


def column_lessons(chance: random.Random, is_dev: bool) -> Iterator[Lesson]:
    """Of every twelfth record, lessons are not learnt but measured."""
    for number, it in enumerate(written("records")):
        if (number % _DEV == 0) != is_dev:
            continue
        texts = put_columns({key: value for key, value in it["data"].items() if value is not None})
        for asked in it["asks"]:
            answer = asked["answer"]
            if answer is not None and answer not in texts:
                continue
            # Of a column with the length of an event, nobody can say that its own is wrong.
            unsure = _OWN if asked["type"] in ("timedelta", "date", "datetime", "time") else ()
            others = [name for name in texts if name != answer
                      and not (name in unsure and answer not in _OWN)]  # fmt: skip
            for key in asked["keys"]:
                labels = [(texts[answer], RELEVANT)] if answer is not None else []
                labels += [(texts[name], IRRELEVANT) for name in some(others, _MOST, chance)]
                yield Lesson(put_key(key, asked["type"], it["kind"]), "columns", tuple(labels),
                             unit=f"columns {number}")  # fmt: skip
