"""How alike two observations are, where the question is whether they tell of the same happening.

What counts: the days that they lie on or speak of, the people they name, the words, the numbers
and the meaning they share, and the kinds they are of. `Likeness` weighs it up as it was learnt
(`reqap.train.retrieve_merge`). Not the job of this module: making happenings out of it (`merge`).
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from reqap.profile.naming import Naming
from reqap.values.days import days_meant

Floats = npt.NDArray[np.float32]
DAY, HOUR = 86_400_000_000, 3_600_000_000  # in microseconds, as the columns count
EPOCH = date(1970, 1, 1).toordinal()
# Numbers that say something: "5.4 km", "27 min"; not one or two, and no part of a date or a time.
_NUMBER = re.compile(r"(?<![\w.,:/-])\d{1,7}(?:[.,]\d{1,2})?(?![\d:/-]|[.,]\d)")
_LEAST, _MOST_NUMBERS = 3, 40
# A span of more days is no happening that somebody tells about by its days.
_MOST_DAYS = 31
_LONG_AGO = 60  # days; what is longer ago is not what a text is about


@dataclass(frozen=True)
class Side:
    """An observation, as far as it is compared with others. Days are counted from 1970."""

    kind: str
    told: int  # 0: a record of a device or service; else somebody tells it
    start: int
    end: int
    days: frozenset[int]  # on which it lies, where it is an entry or a record; else none
    meant: frozenset[int]  # of which it speaks
    likely: frozenset[int]  # the likeliest of these
    people: frozenset[str]
    numbers: frozenset[str]  # as they are written
    words: Mapping[int, float]
    vector: Floats

    @property
    def written(self) -> int:
        return self.start // DAY

    @property
    def placed(self) -> frozenset[int]:
        """The days it is about, if it says so."""
        return self.days or self.meant

    @property
    def told_day(self) -> int | None:
        """The one earlier day of which a telling speaks: a mail about last Friday's dinner."""
        if len(self.likely) != 1:
            return None
        (day,) = self.likely
        return day if 0 < self.written - day <= _LONG_AGO else None

    @property
    def about(self) -> frozenset[int]:
        """The days it may be about: those it says, else when it was written and the day before."""
        return self.placed or frozenset((self.written, self.written - 1))


def side(
    kind: str, told: int, span: tuple[int, int], text: str, naming: Naming,
    numbers: frozenset[str], words: Mapping[int, float], vector: Floats,
) -> Side:  # fmt: skip
    """An observation with its span, its text, its numbers, and what the index keeps of the text."""
    first, last = (moment // DAY for moment in span)
    days = meant = likely = frozenset[int]()
    if not told or kind == "calendar":  # it lies where it lies, whatever it speaks of
        days = frozenset(range(first, min(last, first + _MOST_DAYS) + 1))
    else:
        mentions = days_meant(text, date.fromordinal(first + EPOCH))
        counted = [[day.toordinal() - EPOCH for day in one] for one in mentions]
        meant = frozenset(day for one in counted for day in one)
        likely = frozenset(one[0] for one in counted)
    people = frozenset(person.name for person in naming.people(text))
    return Side(kind, told, *span, days, meant, likely, people, numbers, words, vector)


def numbers_in(text: str) -> frozenset[str]:
    """The numbers of a text that may tell which run or which purchase is meant."""
    found = (one.replace(",", ".") for one in _NUMBER.findall(text))
    return frozenset(one for one in list(found)[:_MOST_NUMBERS] if float(one) >= _LEAST)


def agree(one: str, other: str) -> bool:
    """Whether two numbers are the same where the one with fewer decimals is rounded."""
    decimals = min(len(number.partition(".")[2]) for number in (one, other))
    return abs(float(one) - float(other)) <= 0.5 * 10.0**-decimals + 1e-9


def features(one: Side, other: Side) -> list[float]:
    """What speaks for and against that both tell of the same."""
    # The entry or record second; of two tellings, the earlier one.
    a, b = (one, other) if (bool(one.days), -one.start) <= (bool(other.days), -other.start) else (
        other, one)  # fmt: skip
    hit = not a.placed.isdisjoint(b.placed)
    shared = a.people & b.people
    common = sum(min(weight, b.words[word]) for word, weight in a.words.items() if word in b.words)
    smaller = min(sum(a.words.values()), sum(b.words.values()))
    gap = min(abs(x - y) for x in a.about for y in b.about)
    written = min(abs(a.written - day) for day in b.days or (b.written,))
    since, after = (a.start - b.start) / HOUR, (a.start - b.end) / HOUR
    near = abs(since) < 24
    same_numbers = sum(any(agree(x, y) for y in b.numbers) for x in a.numbers)
    return [
        hit,
        not (a.days or a.likely).isdisjoint(b.days or b.likely),
        bool(a.placed and b.placed) and not hit,
        bool(a.placed), bool(b.placed),
        not b.placed.isdisjoint((a.written,)), not b.placed.isdisjoint((a.written - 1,)),
        gap == 0, gap == 1, 1 < gap <= 3, 3 < gap <= 7, 7 < gap <= 21, math.log1p(gap) / 3,
        written == 0, written == 1, math.log1p(written) / 3, a.start < b.start,
        min(len(shared), 3) / 2, bool(a.people and b.people) and not shared,
        len(shared) / max(1, len(a.people | b.people)), bool(a.people), bool(b.people),
        math.log1p(common) / 3, common / max(1e-3, smaller), math.log1p(smaller) / 3,
        float(a.vector @ b.vector),
        a.kind == b.kind, bool(a.days), b.kind == "calendar", not b.told,
        a.kind == "mail", a.kind == "social_media", a.kind == "note", b.kind == "mail",
        b.kind == "social_media",
        near and -0.5 <= since <= 8, near and after >= 0, max(-1.0, min(since / 24, 1.0)),
        a.start <= b.end and b.start <= a.end,
        near and bool(a.days) and abs(since) <= 3,
        min(same_numbers, 2) / 2, bool(a.numbers and b.numbers) and not same_numbers,
        near and same_numbers > 0,
    ]  # fmt: skip


class Likeness:
    """How likely two observations tell of the same, by a small network."""

    def __init__(self, file: Path | BinaryIO) -> None:
        parts = np.load(file, allow_pickle=False)
        self._mean, self._spread = parts["mean"], parts["spread"]
        self._layers = [(parts[f"weight{n}"], parts[f"bias{n}"]) for n in range(2)]

    def odds(self, pairs: Sequence[tuple[Side, Side]]) -> Floats:
        """The logarithm of the odds, for each pair."""
        if not pairs:
            return np.zeros(0, np.float32)
        return self.of_features(np.array([features(*pair) for pair in pairs], np.float32))

    def of_features(self, given: Floats) -> Floats:
        inner = (given - self._mean) / self._spread
        (first, shift), (last, base) = self._layers
        found: Floats = np.maximum(inner @ first.T + shift, 0) @ last[0] + base[0]
        return found
