"""Which country a place belongs to: "Lima" is in Peru.

`places.tsv` has one name a line, its countries, and then those that have a smaller place of that
name ("Lima, Ohio"). Before a name may stand: "~", it is also a person's name or a word, and counts
only where the text says that it is a place ("in Nice"); "+", it is small or also a surname, and no
other name may stand before it ("Carolina Lima"); "^", other places lie in it ("Ohio"). A wrong
country is worse than none: names that could be anything else are left out. Not the job of this
module: whether somebody was there (`extract`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from reqap.gazetteer.food import hints
from reqap.gazetteer.phrases import (
    MOST,
    Phrase,
    Phrases,
    Word,
    bare,
    key_of,
    lines,
    word_set,
    words_of,
)

_GAPS = (" ", "-")  # within a name
_DOUBTFUL, _SURNAME, _AREA = "~+^"
# Words that say that a place follows; "to" and "from" only after one of travelling.
_IN = word_set("in near around outside throughout across en em")
_TRAVEL = word_set(
    "trip trips flight flights flew fly flying train bus ferry drive drove driving travel travelled"
    " traveled travelling traveling moved moving journey tickets ticket holiday weekend back"
)
# Capitals that make no name of a place beside them: in headlines, dates, and what cities have.
_NO_NAME = word_set(
    "a an the i we he she they it you my our his her their your this that and or but so as at by"
    " for from in into of on to via with was is are were has had have did not then now when where"
    " while after before during until since about around near next last first here there today"
    " tomorrow yesterday tonight monday tuesday wednesday thursday friday saturday sunday mon tue"
    " wed thu fri sat sun january february march april may june july august september october"
    " november december jan feb mar apr jun jul aug sep sept oct nov dec spring summer autumn"
    " winter airport marathon station university zoo cathedral trip flight weekend holiday"
)
# Capitals that make a name of it even at the beginning of a sentence.
_NAME = word_set(
    "san santa santo new el la los las le les mr mrs ms dr hotel cafe bar restaurant club sala"
    " casa via rue calle plaza avenida air fc real little"
)

# Between the words of a longer name, before a capital: "Hanoi on Quinpool", "Saint-Paul-de-Varax".
_JOINTS = word_set("on upon de del du da do di des la sur")
_SHOUTED = 3  # letters of what may also be an abbreviation: "ICA" is not Ica

# Letters that are no other letter with a mark.
_LETTERS = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe",
                          "ı": "i"})  # fmt: skip


@dataclass(frozen=True)
class Place:
    """Words of a text, the place's name as it is listed, and its country, or those it may be in."""

    begin: int
    end: int
    name: str
    countries: tuple[str, ...]
    is_area: bool = False  # other places lie in it


class _Listed(NamedTuple):
    name: str
    marks: str
    countries: tuple[str, ...]
    lesser: tuple[str, ...]

    @property
    def is_sure(self) -> bool:
        return _AREA in self.marks or _DOUBTFUL not in self.marks

    @property
    def is_area(self) -> bool:
        return _AREA in self.marks or _key(self.name) in map(_key, self.countries)

    def within(self, area: "_Listed") -> tuple[str, ...]:
        """Its countries that an area or a place beside it has, too."""
        possible = self.countries + (self.lesser if _AREA in area.marks else ())
        return tuple(one for one in possible if one in area.countries)


class _Known(NamedTuple):
    phrase: Phrase
    listed: _Listed


def places(text: str) -> list[Place]:
    """The places that are named, the longest name first where they overlap, in order."""
    text = text[:MOST]
    words = _words(text)
    known = [_Known(*one) for one in _places().found(words)]
    known = [one for one in known if _is_written(text, words, one)]
    found: list[Place] = []
    for n, one in enumerate(known):
        inside = _shared(text, words, one, known[n + 1]) if n + 1 < len(known) else ()
        around = _shared(text, words, known[n - 1], one) if n else ()
        if (
            (inside or around or _is_meant(words, one))
            and (around or not _is_named_by_word_before(text, words, one))
            and (inside or not _is_named_by_word_behind(text, words, one))
        ):
            begin, end = words[one.phrase.first].begin, words[one.phrase.after - 1].end
            countries = inside or around or one.listed.countries
            found.append(Place(begin, end, one.listed.name, countries, one.listed.is_area))
    return _without_dishes(text, found)


def country_of(name: str) -> str | None:
    """The country of a place, given its name alone or with what it lies in: "Lima, Peru"."""
    name = name[:MOST].strip()
    possible = _countries(name) or common_countries(places(name))
    parts = name.split(",") if not possible else ()
    possible = possible or next(filter(None, map(_countries, reversed(parts))), ())
    return possible[0] if len(possible) == 1 else None


def is_town(name: str) -> bool:
    """Whether a town is called so, in whatever country it lies."""
    return bool(name.strip() and _countries(name)) and not is_area(name)


def is_area(name: str) -> bool:
    """Whether a country or region is called so."""
    listed = _places().get(_key(name))
    return listed is not None and listed.is_area


def is_same(name: str, other: str) -> bool:
    """Whether two names of places are the same, but for accents and the like."""
    return _key(name) == _key(other)


def common_countries(found: Sequence[Place]) -> tuple[str, ...]:
    """The countries that all of them may be in."""
    first = found[0].countries if found else ()
    return tuple(one for one in first if all(one in other.countries for other in found))


def _countries(name: str) -> tuple[str, ...]:
    """Of one name that is listed; of those that are also words, with a capital."""
    listed = _places().get(_key(name))
    if listed is None:
        return ()
    needs_capital = _DOUBTFUL in listed.marks or listed.name.isupper()
    return listed.countries if name.strip()[0].isupper() or not needs_capital else ()


def _is_written(text: str, words: Sequence[Word], one: _Known) -> bool:
    """Whether it has the capitals of a name; "US" has two."""
    first, last = words[one.phrase.first], words[one.phrase.after - 1]
    if text[first.begin - 1 : first.begin] == "@" or text[last.end : last.end + 1] == "@":
        return False
    if one.listed.name.split()[-1].isupper():
        return text[last.begin : last.end].isupper()
    if last.end - first.begin <= _SHOUTED and text[first.begin : last.end].isupper():
        return False
    return text[last.begin].isupper() and (first is not last or text[first.begin].isupper())


def _shared(text: str, words: Sequence[Word], one: _Known, behind: _Known) -> tuple[str, ...]:
    """The countries that the name behind it leaves: "Lima, Ohio", "Lima Peru"."""
    if behind.phrase.first != one.phrase.after or not behind.listed.is_sure:
        return ()
    gap = text[words[one.phrase.after - 1].end : words[behind.phrase.first].begin]
    return one.listed.within(behind.listed) if gap in (" ", ", ", ",", " (") else ()


def _is_meant(words: Sequence[Word], one: _Known) -> bool:
    """Whether the words before it say that it is a place, where it could be something else."""
    if _DOUBTFUL not in one.listed.marks:
        return True
    before = [word.plain for word in words[max(0, one.phrase.first - 3) : one.phrase.first]]
    if before[-1:] == ["the"]:
        before.pop()
    match before[-2:]:
        case [*_, last] if last in _IN:
            return True
        case [travel, "to" | "from"]:
            return travel in _TRAVEL
    return False


def _is_named_by_word_before(text: str, words: Sequence[Word], one: _Known) -> bool:
    """Whether a capital before it makes it somebody's or something's name: "Carolina Lima"."""
    first = one.phrase.first
    if not first:
        return False
    word = words[first - 1]
    gap = text[word.end : words[first].begin]
    if gap not in _GAPS or not text[word.begin].isupper() or word.plain in _NO_NAME:
        return False
    goes_on = text[max(0, word.begin - 10) : word.begin].rstrip(" \t")[-1:]
    begins = not goes_on or not (goes_on.isalnum() or goes_on in ",+&-'’")
    return not begins or gap == "-" or word.plain in _NAME or _SURNAME in one.listed.marks


def _is_named_by_word_behind(text: str, words: Sequence[Word], one: _Known) -> bool:
    """The same of words behind it: "Paris Hilton", "Hanoi on Quinpool"."""
    rest = words[one.phrase.after : one.phrase.after + 2]
    end = words[one.phrase.after - 1].end
    if len(rest) == 2 and rest[0].plain in _JOINTS and text[end : rest[0].begin] in _GAPS:
        end, rest = rest[0].end, rest[1:]
    if not rest or text[end : rest[0].begin] not in _GAPS:
        return False
    return text[rest[0].begin].isupper() and rest[0].plain not in _NO_NAME


def _without_dishes(text: str, found: list[Place]) -> list[Place]:
    """ "Peking duck" is not in China."""
    if not found:
        return []
    eaten = {at for one in hints(text) for at in range(one.begin, one.end)}
    return [one for one in found if one.begin not in eaten]


def _words(text: str) -> list[Word]:
    """ "Lima's" is Lima."""
    return [
        word._replace(end=word.end - 2)
        if text[word.end - 2 : word.end] in ("'s", "’s", "'S", "’S")
        else word
        for word in words_of(text, _plain)
    ]


def _plain(word: str) -> str:
    name = word[:-2] if word[-2:].lower() in ("'s", "’s") else word
    small = bare(name) if name.isascii() else bare(name.lower().translate(_LETTERS))
    return "st" if small == "saint" else small


def _key(name: str) -> str:
    return key_of(name, _plain)


@cache
def _places() -> Phrases[_Listed]:
    found: dict[str, _Listed] = {}
    for marked, countries, *lesser in lines("places.tsv"):
        name = marked.lstrip("~+^")
        marks = marked[: len(marked) - len(name)]
        others = tuple(lesser[0].split(", ")) if lesser else ()
        found[_key(name)] = _Listed(name, marks, tuple(countries.split(", ")), others)
    return Phrases(found)
