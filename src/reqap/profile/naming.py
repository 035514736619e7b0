"""Whom a text means: names, first names, nicknames, and relations ("my parents")."""

from collections.abc import Iterator
from typing import NamedTuple

from reqap.profile.model import Person, Profile
from reqap.profile.relations import (
    LONGEST,
    NAME_LIKE,
    PHRASES,
    canonical,
    included,
    is_adjective,
    more_general,
    tokens,
    word_set,
    words_of,
)

_JOINING = frozenset(("and", "or", "with", "the", "my", "our", "both", "all", "of"))
_OWN = ("my", "our")
# First names that are everyday words as well: they must be written like a name.
_EVERYDAY = word_set(
    "an angel april art august bill christian dawn do don drew faith frank grace guy hope in jack"
    " joy june lane mark may my norm pat penny ray rich rob rose so sue summer will you"
)
_BEFORE_DATES = word_set("in since of last this next every until till before after by during")

Phrase = tuple[str, ...]


def people_named(profile: Profile, text: str) -> list[Person]:
    """The people `text` speaks of, each once, in the order of the text.

    A word such as "sister" counts behind "my" or "our", or when the text is nothing but such
    words; "Mum" and the like count anywhere.
    """
    names = _names(profile)
    words = tokens(text)
    written = words_of(text)
    # "will", "in May": no names here
    plain = {at for at in range(len(words)) if _is_plain_word(at, words, written)}
    search = _Search(profile, names, words, plain)
    found, rest = search.run(bare=True)
    return search.run(bare=False)[0] if rest else found


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


class _Search(NamedTuple):
    profile: Profile
    names: dict[Phrase, list[Person]]
    words: Phrase
    plain: set[int]  # where everyday words stand

    def run(self, *, bare: bool) -> tuple[list[Person], bool]:
        """The people, and whether words were left that name nobody.

        `bare`: a relation counts without "my" before it.
        """
        found: dict[int, Person] = {}
        rest = False
        longest = max((LONGEST, *map(len, self.names)))
        at = 0
        while at < len(self.words):
            for size in range(min(longest, len(self.words) - at), 0, -1):
                if people := self._meant(at, size, bare):
                    found.update((id(person), person) for person in people)
                    at += size
                    break
            else:
                word = self.words[at]
                rest = rest or not (word in _JOINING or is_adjective(word))
                at += 1
        return list(found.values()), rest

    def _meant(self, at: int, size: int, bare: bool) -> list[Person]:
        phrase = self.words[at : at + size]
        if phrase in self.names and not (size == 1 and at in self.plain):
            return self.names[phrase]
        if phrase not in PHRASES:
            return []
        follows = self.words[at + size : at + size + 2] == ("in", "law")
        if follows or not (bare or phrase in NAME_LIKE or _is_owned(self.words, at)):
            return []
        return people_related(self.profile, PHRASES[phrase])


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
