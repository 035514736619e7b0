"""The same question about another person, year or number, with the plan that goes with it.

A model that sees a pair again should not know it by heart: what the question names and the plan
copies is exchanged in both. What is exchanged is only what surely corresponds.
"""

import random
import re
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

_WORD = re.compile(r"[^\W\d_]+(?:[-’'][^\W\d_]+)*")
_YEAR = re.compile(r"(?<![\w.,])(?:19[89]\d|20[0-3]\d)(?![\w.,]\d|\w)")
_NUMBER = re.compile(r"(?<![\w.,:/-])\d{1,3}(?![\w:/%-]|[.,]\d)")
_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"')
_FIRST, _LAST = 2012, 2025
# Days that lie elsewhere in other years, things that belong to one year, years within names.
_MOVING = re.compile(
    r"easter|holy week|ramadan|\beid\b|diwali|deepavali|lunar|chinese new year|tết|seollal|chuseok"
    r"|thanksgiving|passover|pesach|hanukkah|carnival|karneval|mardi|pentecost|whit|ascension"
    r"|election|olympi|world cup|euros?\b|lockdown|pandemic|covid|week of|_(?:19|20)\d\d",
    re.IGNORECASE,
)
# Numbers of clocks and calendars, and what is told in other units in the plan.
_CLOCK = re.compile(
    r"\s*(?:am|pm|a\.m|p\.m|o'?clock|h\b|uhr|th\b|st\b|nd\b|rd\b|january|february|march|april|may\b"
    r"|june|july|august|september|october|november|december|jan\b|feb\b|mar\b|apr\b|jun\b|jul\b"
    r"|aug\b|sept?\b|oct\b|nov\b|dec\b)",
    re.IGNORECASE,
)
_CALENDAR = re.compile(r"(?:month|hour|minute|weekday\(\)|day|week) (?:==|>=|<=|>|<|in) \(?$")
_IN_CALL = re.compile(r"(?:date|time|datetime)\([\d, ]*$|isocalendar\(\)\[?$")


@dataclass(frozen=True)
class Swaps:
    """Names that may stand for each other, and words that are never names."""

    names: Sequence[str]
    common: Set[str]

    def swapped(self, question: str, plan: str, chance: random.Random) -> tuple[str, str]:
        """The pair about others."""
        people = self._names_of(question, plan, chance)
        question, plan = (_words_put(text, people) for text in (question, plan))
        years = _years_of(question, plan, chance)
        question, plan = (
            _YEAR.sub(lambda it: str(int(it[0]) + years), text) for text in (question, plan)
        )
        return _number_put(question, plan, chance)

    def _names_of(self, question: str, plan: str, chance: random.Random) -> dict[str, str]:
        told = {word.casefold() for word in _WORD.findall(plan)}
        known = {name.casefold() for name in self.names}
        asked = {word.casefold() for word in _WORD.findall(question)}
        found = sorted(
            word for word in asked & told & known if word not in self.common and len(word) > 2
        )
        return dict(zip(found, chance.sample(self.names, len(found)), strict=True))


def first_names(full: Iterable[str]) -> list[str]:
    """Single words of names, for other single words."""
    words = {word for name in full for word in name.split()[:1]}
    return sorted(word for word in words if _WORD.fullmatch(word) and word[0].isupper())


def _words_put(text: str, instead: Mapping[str, str]) -> str:
    """Other words for some, as they were written."""

    def put(match: re.Match[str]) -> str:
        other = instead.get(match[0].casefold())
        if other is None:
            return match[0]
        return other.lower() if match[0].islower() else other

    return _WORD.sub(put, text) if instead else text


def _years_of(question: str, plan: str, chance: random.Random) -> int:
    """By how much all years may move; those of the plan must be the question's."""
    asked = {int(year) for year in _YEAR.findall(question)}
    if not asked or {int(year) for year in _YEAR.findall(plan)} - asked:
        return 0
    if ", 29)" in plan or _MOVING.search(question) or _MOVING.search(plan):
        return 0
    low, high = _FIRST - min(asked), _LAST - max(asked)
    return chance.randint(low, high) if low <= high else 0


def _number_put(question: str, plan: str, chance: random.Random) -> tuple[str, str]:
    """Another number for one that the plan compares with or counts by, once."""
    code = _TEXT.sub(lambda it: " " * len(it[0]), plan)
    for match in _NUMBER.finditer(question):
        number = match[0]
        if int(number) < 3 or _CLOCK.match(question, match.end()):
            continue
        same = re.compile(rf"(?<![\w.,:/-]){number}(?![\w:/%-]|[.,]\d)")
        places = [it.start() for it in same.finditer(code)]
        if len(places) != 1 or len(same.findall(question)) != 1:
            continue
        before = code[: places[0]]
        if _CALENDAR.search(before) or _IN_CALL.search(before):
            continue
        other = str(_like(int(number), chance))
        return same.sub(other, question), same.sub(other, plan)
    return question, plan


def _like(number: int, chance: random.Random) -> int:
    """A number of about that size, as round as it."""
    step = 100 if number % 100 == 0 else 10 if number % 10 == 0 else 5 if number % 5 == 0 else 1
    size = max(3, number // step)
    return step * chance.randint(max(1 if step > 2 else 3, size // 2), size * 2)
