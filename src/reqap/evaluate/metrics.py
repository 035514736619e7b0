"""Hit@1, relaxed Hit@1 and strict set match, as in the paper; and McNemar's test.

Answers are values, never text to be evaluated. Texts are compared without regard to case, accents
and punctuation at the ends; numbers may be written as text.
"""

import math
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal

from reqap.errors import ValueProblem
from reqap.values import parse_number

Plain = str | int | float | bool | Decimal | date | time | datetime | timedelta | None
Answer = Plain | Sequence["Answer"]

RELAXED = 0.1
_TINY = 1e-6
_MONTHS = {
    "january": 1, "february": 2, "march": 3, "april": 4, "may": 5, "june": 6, "july": 7,
    "august": 8, "september": 9, "october": 10, "november": 11, "december": 12,
}  # fmt: skip

_MONTH_OF_A_YEAR = re.compile(r"\d{4}-(\d{2})")


@dataclass(frozen=True)
class Score:
    """How one question was answered."""

    hit: bool  # the first answer is a right one
    relaxed: bool  # … or a number within 10 %
    exact: bool  # all right answers, and nothing else


def score(gold: Sequence[Answer], answers: Sequence[Answer]) -> Score:
    """Scores answers, the best first, against all right answers."""
    if not gold or not answers:
        return Score(False, False, False)
    first = answers[0]
    hit = any(same(first, right) for right in gold)
    relaxed = hit or any(same(first, right, RELAXED) for right in gold)
    exact = all(any(same(a, g) for g in gold) for a in answers) and all(
        any(same(a, g) for a in answers) for g in gold
    )
    return Score(hit, relaxed, exact)


def same(answer: Answer, right: Answer, tolerance: float = _TINY) -> bool:
    """Whether two answers are the same; numbers may differ by the tolerance."""
    if isinstance(right, list | tuple):
        if not isinstance(answer, list | tuple):
            return len(right) == 1 and same(answer, right[0], tolerance)
        pairs = zip(answer, right, strict=False)
        return len(answer) == len(right) and all(same(a, b, tolerance) for a, b in pairs)
    if isinstance(answer, list | tuple):
        return len(answer) == 1 and same(answer[0], right, tolerance)
    if isinstance(right, bool) or isinstance(answer, bool):
        return _truth(answer) is not None and _truth(answer) == _truth(right)
    if isinstance(answer, timedelta) and not isinstance(right, timedelta):
        number = _number(right)  # 4.0 is four hours, where hours were asked for
        parts = (timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1), timedelta(days=1))
        return number is not None and any(_close(answer / p, number, tolerance) for p in parts)
    if isinstance(answer, str) or isinstance(right, str):  # December is 12
        months = _month(answer), _month(right)
        if None not in months:
            return months[0] == months[1]
        if of_a_year := isinstance(answer, str) and _MONTH_OF_A_YEAR.fullmatch(answer):
            month = _month(right) or _number(right)  # that of 2018 is 2018-10: it is the tenth
            if month is not None:
                return int(of_a_year[1]) == month
    numbers = _number(answer), _number(right)
    if numbers[0] is not None and numbers[1] is not None:
        return _close(numbers[0], numbers[1], tolerance)
    moments = _moment(answer), _moment(right)
    if moments[0] is not None and moments[1] is not None:
        return _same_moment(moments[0], moments[1])
    return _folded(answer) == _folded(right) != ""


def _close(answer: float, right: float, tolerance: float) -> bool:
    return math.isclose(answer, right, rel_tol=0, abs_tol=max(abs(right) * tolerance, _TINY))


def _number(value: Answer) -> float | None:
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, int | float | Decimal):
        return float(value)
    if isinstance(value, str) and len(value) < 40:
        try:
            found = parse_number(value)
        except ValueProblem:
            return None
        return None if found is None else float(found)
    return None


def _month(value: Answer) -> int | None:
    """The number of a month, by its name or as it is."""
    if isinstance(value, str):
        return _MONTHS.get(value.strip().casefold())
    return value if isinstance(value, int) and 1 <= value <= 12 else None


def _truth(value: Answer) -> bool | None:
    if isinstance(value, bool):
        return value
    words = {"yes": True, "true": True, "no": False, "false": False}
    return words.get(value.strip().casefold()) if isinstance(value, str) else None


def _moment(value: Answer) -> date | time | None:
    """A date, a moment or a time of day; also written in ISO's way."""
    if isinstance(value, date | time):
        return value
    if not isinstance(value, str):
        return None
    for kind in (date, datetime, time):
        try:
            return kind.fromisoformat(value.strip())
        except ValueError:
            continue
    return None


def _same_moment(answer: date | time, right: date | time) -> bool:
    """A day and a moment of that day are the same where only the day is asked for."""
    if isinstance(answer, datetime) and isinstance(right, datetime):
        return abs(answer.replace(tzinfo=None) - right.replace(tzinfo=None)) < timedelta(minutes=1)
    if isinstance(answer, date) and isinstance(right, date):
        return _day(answer) == _day(right)
    if isinstance(answer, time) and isinstance(right, time):
        return abs(_seconds(answer) - _seconds(right)) < 60
    return False


def _seconds(value: time) -> int:
    return value.hour * 3600 + value.minute * 60 + value.second


def _day(value: date) -> date:
    return value.date() if isinstance(value, datetime) else value


def _folded(value: Answer) -> str:
    text = unicodedata.normalize("NFKD", str(value)).casefold()
    kept = "".join(c for c in text if not unicodedata.combining(c))
    return " ".join(kept.split()).strip(" .,!?;:'\"")


def mcnemar(ours: Sequence[bool], theirs: Sequence[bool]) -> float:
    """The exact two-sided p-value that two methods are equally often right."""
    better = sum(a and not b for a, b in zip(ours, theirs, strict=True))
    worse = sum(b and not a for a, b in zip(ours, theirs, strict=True))
    count = better + worse
    if not count:
        return 1.0
    tail = sum(math.comb(count, k) for k in range(min(better, worse) + 1))
    return min(1.0, 2.0 * float(tail) / float(2**count))
