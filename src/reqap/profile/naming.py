"""Whom a text means: names, first names, nicknames, and relations ("my parents")."""

import re
from collections.abc import Iterator
from functools import lru_cache

from reqap.profile.model import Person, Profile
from reqap.profile.relations import (
    LONGEST,
    NAME_LIKE,
    PHRASES,
    canonical,
    folded,
    included,
    is_adjective,
    more_general,
    tokens,
    word_set,
    words_of,
)

_JOINING = frozenset(("and", "or", "with", "the", "my", "our", "both", "all", "of"))
_OWN = ("my", "our")
_MOST_KEPT, _SHORT = 1 << 12, 1_000  # texts of which it is remembered whom they mean
# First names that are everyday words as well: they must be written like a name.
_EVERYDAY = word_set(
    "an angel april art august bill christian dawn do don drew faith frank grace guy hope in jack"
    " joy june lane mark may my norm pat penny ray rich rob rose so sue summer will you"
)
_BEFORE_DATES = word_set("in since of last this next every until till before after by during")

_ITEM = re.compile(r"[,;&+/]|\band\b", re.IGNORECASE)
_POSSESSIVE = re.compile(r"['’]s\b")
# What may follow the last name of a list: "Ana and Tom at the lake", but not "and Tom called".
_GOING_ON = word_set("at in on for to with from by after before during until i we a an the my our")

Phrase = tuple[str, ...]
Mention = tuple[int, int, list[Person]]  # the place of the first word, how many, and who is meant


def people_named(profile: Profile, text: str) -> list[Person]:
    """The people `text` speaks of, each once, in the order of the text.

    A word such as "sister" counts behind "my" or "our", or when the text is nothing but such
    words; "Mum" and the like count anywhere.
    """
    return Naming(profile).people(text)


class Naming:
    """`people_named` for many texts."""

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        self._names = _names(profile)
        self._first = frozenset(phrase[0] for phrase in (*self._names, *PHRASES))
        self._longest = max((LONGEST, *map(len, self._names)))
        self._people = lru_cache(_MOST_KEPT)(self._look)

    def people(self, text: str) -> list[Person]:
        return list(self._people(text) if len(text) <= _SHORT else self._look(text))

    def mentions(self, text: str) -> list[tuple[str, list[Person]]]:
        """The words that mean somebody, as they are written, and whom."""
        written, found = self._mentions(text)
        return [(" ".join(written[at : at + size]), people) for at, size, people in found]

    def lists(self, text: str) -> list[list[Person]]:
        """Who is named one after the other, as in "Ana, Tom and my sister"."""
        found: list[list[Person]] = [[]]
        is_open = False  # the last list
        for item in _ITEM.split(text):
            words, mentions = self._mentions(_POSSESSIVE.sub(" of", item))
            if is_open and mentions and _JOINING.issuperset(folded(words[: mentions[0][0]])):
                at, size, people = mentions[0]
                rest = folded(words[at + size :])
                found[-1] += people if not rest or rest[0] in _GOING_ON else []
                is_open = not rest
            else:
                found.append(list(mentions[-1][2]) if mentions else [])
                is_open = bool(mentions) and sum(mentions[-1][:2]) == len(words)
        return [people for people in found if len(people) > 1]

    def _look(self, text: str) -> list[Person]:
        return _each_once(self._mentions(text)[1])

    def _mentions(self, text: str) -> tuple[list[str], list[Mention]]:
        written = words_of(text)
        words = folded(written)
        # "will", "in May": no names here
        plain = {at for at in range(len(words)) if _is_plain_word(at, words, written)}
        found, rest = self._search(words, plain, bare=True)
        return written, self._search(words, plain, bare=False)[0] if rest else found

    def names(self, text: str) -> list[str]:
        """The full names of those whom a text means if it says nothing else: "my kids", "Pancho",
        but not "lunch with Pancho". One word that is everyday as well must be written like a name.
        """
        written = words_of(text)
        words = folded(written)
        plain = {at for at, word in enumerate(written) if word.islower() and words[at] in _EVERYDAY}
        found, rest = self._search(words, plain, bare=True)
        return [] if rest else list(dict.fromkeys(person.name for person in _each_once(found)))

    def _search(self, words: Phrase, plain: set[int], *, bare: bool) -> tuple[list[Mention], bool]:
        """Who is meant where, and whether words were left that name nobody.

        `plain` is where everyday words stand. `bare`: a relation counts without "my" before it.
        """
        found: list[Mention] = []
        rest = False
        at = 0
        while at < len(words):
            word = words[at]
            longest = min(self._longest, len(words) - at) if word in self._first else 0
            for size in range(longest, 0, -1):
                if people := self._meant(words, at, size, bare=bare, plain=at in plain):
                    found.append((at, size, people))
                    at += size
                    break
            else:
                rest = rest or not (word in _JOINING or is_adjective(word))
                at += 1
        return found, rest

    def _meant(self, words: Phrase, at: int, size: int, *, bare: bool, plain: bool) -> list[Person]:
        phrase = words[at : at + size]
        if phrase in self._names and not (size == 1 and plain):
            return self._names[phrase]
        if phrase not in PHRASES:
            return []
        follows = words[at + size : at + size + 2] == ("in", "law")
        if follows or not (bare or phrase in NAME_LIKE or _is_owned(words, at)):
            return []
        return people_related(self._profile, PHRASES[phrase])


def _each_once(found: list[Mention]) -> list[Person]:
    return list({id(person): person for *_, people in found for person in people}.values())


def _is_plain_word(at: int, words: Phrase, written: list[str]) -> bool:
    if words[at] not in _EVERYDAY or len(words) == 1:
        return False
    return written[at].islower() or (at > 0 and words[at - 1] in _BEFORE_DATES)


def people_related(profile: Profile, relation: str) -> list[Person]:
    """The people who stand in a relation (a canonical one) to the user."""
    known = [(person, canonical(person.relation)) for person in profile.people]
    for wanted in (included(relation), more_general(relation)):
        if found := [person for person, has in known if has in wanted]:
            return found
    return []


def _is_owned(words: Phrase, at: int) -> bool:
    """Whether "my" stands before the word, with nothing but "little", "older", … between."""
    before = at - 1
    while before >= 0 and is_adjective(words[before]):
        before -= 1
    return before >= 0 and words[before] in _OWN


def _names(profile: Profile) -> dict[Phrase, list[Person]]:
    """Full names and nicknames; first names, and first with last ones, where only one has them."""
    given: dict[Phrase, list[Person]] = {}
    for person in profile.people:
        for name in (person.name, *person.nicknames):
            _enter(given, name, person)
    short: dict[Phrase, list[Person]] = {}
    for person in profile.people:
        for name in _short_names(person.name):
            _enter(short, name, person)
    return {**{phrase: p for phrase, p in short.items() if len(p) == 1}, **given}


def _short_names(name: str) -> Iterator[str]:
    parts = name.split()
    if len(parts) > 1:
        yield parts[0]
    if len(parts) > 2:
        yield f"{parts[0]} {parts[-1]}"


def _enter(names: dict[Phrase, list[Person]], name: str, person: Person) -> None:
    phrase = tokens(name)
    if phrase and not any(person is p for p in names.setdefault(phrase, [])):
        names[phrase].append(person)
