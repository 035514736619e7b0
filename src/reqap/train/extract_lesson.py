"""A lesson of EXTRACT: a key and a record, and what of the record tells the value.

A value is told by pieces of the record, each of which reads as it where it is read as it will be
when people ask ("last night" as a date, "Mum" as a person); or it is implied by what is said
("carbonara": Italian); or it is not told at all. Not the job of this module: where records and
values come from (`extract_data`).
"""

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date, time, timedelta

from reqap import values
from reqap.errors import ValueProblem
from reqap.evaluate.told import Told
from reqap.extract.portions import portions_of
from reqap.extract.reader import AHEAD, BACK
from reqap.extract.telling import ME, NO, SAME_DAY, YES, day_told
from reqap.extract.told import Span
from reqap.profile.naming import Naming

_WORD = re.compile(r"[^\s,;:!?()\"“”]*[^\s,;:!?()\"“”.]")
_LONGEST = 5  # words of a piece
_MOST_WORDS = 400
_ELSEWHERE = 0.3  # so many portions that do not tell what others of their text tell are lessons


@dataclass(frozen=True)
class Lesson:
    """Of a key; `about` says what it is asked of, for texts that tell of several things.

    `side` is where a day lies that the spans tell; what people wrote is not put together. Of what
    is unknown, nobody has said whether and where it is told: a teacher may.
    """

    key: str
    about: str
    text: str
    spans: tuple[Span, ...] = ()
    implied: str = ""
    side: str = ""
    is_written: bool = False
    is_unknown: bool = False


@dataclass(frozen=True)
class Record:
    """What a value is looked for in."""

    text: str
    written: date
    naming: Naming | None = None
    owner: str = ""


def in_portions(lesson: Lesson, chance: random.Random) -> Iterator[Lesson]:
    """A lesson as its text will be read: of a long one, the portions that tell the value, and some
    that do not; where none does, any. Which of them implies what nobody says is not known."""
    portions = portions_of(lesson.text)
    if len(portions) == 1:
        yield lesson
    elif not lesson.spans and not lesson.implied:
        yield replace(lesson, text=chance.choice(portions).text)
    ahead = tuple(span for span in lesson.spans if span[1] <= portions[0].size)
    for portion in portions if len(portions) > 1 else ():
        end = portion.begin + len(portion.text) - portion.size
        here = [span for span in lesson.spans if portion.begin <= span[0] and span[1] <= end]
        if here or (ahead and portion is portions[0]):
            step = portion.begin - portion.size
            spans = (*ahead, *((begin - step, stop - step) for begin, stop in here))
            yield replace(lesson, text=portion.text, spans=spans)
        elif lesson.spans and not ahead and chance.random() < _ELSEWHERE:
            yield replace(lesson, text=portion.text, spans=(), side="")


def located(value: Told, record: Record) -> tuple[Span, ...]:
    """The pieces that tell a value: for a list, of each item; none if one is not told."""
    if isinstance(value, tuple):
        found = [_person_or_words(item, record) for item in value]
        return tuple(sorted({span for spans in found for span in spans})) if all(found) else ()
    if isinstance(value, str):
        return _person_or_words(value, record)
    if isinstance(value, bool):
        return ()
    if isinstance(value, date):  # "3 June" is better than "Saturday", which may be another one
        plain = _windows(record.text, lambda piece: day_told(piece, record.written) == value)
        if plain:
            return plain
    return _windows(record.text, lambda piece: reads_as(piece, value, record.written))


def implied(value: Told, record: Record) -> str:
    """A value that is told in other words, as it is learnt; empty where it cannot be."""
    if isinstance(value, bool):
        return YES if value else NO
    if isinstance(value, date):
        return SAME_DAY.get((value - record.written).days, "")
    if record.owner and value == record.owner:
        return ME
    if isinstance(value, str) and len(value.split()) <= _LONGEST:
        return value
    return ""


def words_at(text: str, piece: str) -> tuple[Span, ...]:
    """Where a piece stands, as words of its own, however it is written."""
    plain = " ".join(piece.split())
    if not plain:
        return ()
    edges = (r"(?<!\w)" if plain[0].isalnum() else "", r"(?!\w)" if plain[-1].isalnum() else "")
    found = re.finditer(edges[0] + re.escape(plain) + edges[1], text, re.IGNORECASE)
    return tuple(match.span() for match in found)


def _person_or_words(value: str, record: Record) -> tuple[Span, ...]:
    if spans := words_at(record.text, value):
        return spans
    naming = record.naming
    if naming is None:
        return ()

    def means(piece: str) -> bool:
        return [person.name for person in naming.people(piece)] == [value]

    return _windows(record.text, means) if means(value) else ()


def _windows(text: str, reads: Callable[[str], bool]) -> tuple[Span, ...]:
    """The shortest pieces that read so; all of that length."""
    words = [match.span() for match in _WORD.finditer(text)][:_MOST_WORDS]
    for size in range(1, _LONGEST + 1):
        spans = ((words[at][0], words[at + size - 1][1]) for at in range(len(words) - size + 1))
        if found := tuple(span for span in spans if reads(text[slice(*span)])):
            return found
    return ()


def reads_as(piece: str, value: Told, written: date) -> bool:
    """Whether a piece says a number, a date or a time, seen from the day it was written."""
    return any(one == value for one in _readings(piece, value, written))


def side_of(value: Told, written: date) -> str:
    """Where a day lies."""
    if not isinstance(value, date) or value == written:
        return ""
    return AHEAD if value > written else BACK


def _readings(piece: str, value: Told, written: date) -> Iterator[object]:
    """What a piece may say, of the sort that a value is."""
    if isinstance(value, date):
        yield day_told(piece, written, side_of(value, written))
        return
    readers: list[Callable[[str], object]] = [values.parse_number, _amount, _money]
    if isinstance(value, timedelta):
        readers = [values.parse_duration]
    elif isinstance(value, time):
        readers = [lambda text: values.coerce(text, "time")]
    for reader in readers:
        try:
            yield reader(piece)
        except ValueProblem:
            continue


def _amount(piece: str) -> float | None:
    found = values.parse_quantity(piece)
    return found.value if found else None


def _money(piece: str) -> float | None:
    found = values.parse_money(piece)
    return float(found.amount) if found else None
