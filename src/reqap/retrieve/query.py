"""What a query says: the kinds it names, the words events must have, the people it means.

Not the job of this module: looking for anything (`search`).
"""

import re
from itertools import product
from typing import NamedTuple

from reqap.profile import Person, Profile
from reqap.profile.relations import NAME_LIKE, PHRASES, canonical
from reqap.retrieve.kinds import KindWords, Stems, Target, elected
from reqap.retrieve.words import FUTURE, OWN, WEAK, fold, forms, meanings, says_nothing, stem

# Queries are hostile: this much of one is read.
_MAX_TEXT, _MAX_WORDS, _MAX_PEOPLE, _LONGEST = 500, 40, 100, 5
# "Bali, Indonesia": the wider place behind the comma need not be told again.
_WIDER = re.compile(r"(?<=\w), +((?:[^\W\d_a-z]\w* ?){1,3})[.?!]?$")


class Term(NamedTuple):
    """One thing that events must speak of, in any of these phrases."""

    label: str
    phrases: frozenset[str]


class Query(NamedTuple):
    targets: frozenset[Target]  # the kinds it names
    senses: frozenset[str]  # phrases by which events of other kinds may speak of these
    terms: tuple[Term, ...]
    own: bool  # it speaks of what the user did
    future: bool


def read_query(text: str, profile: Profile, table: KindWords) -> Query:
    """Reads a query. Words that frame what is meant count only where there is nothing else."""
    text = " ".join(text[:_MAX_TEXT].split())
    words = fold(text)[:_MAX_WORDS]
    wider = _WIDER.search(text)
    narrow = len(words) - (len(fold(wider[1])) if wider else 0)
    people = _People(profile, text)
    terms: list[Term] = []
    named: dict[Stems, str] = {}
    weak: list[str] = []
    at = 0
    while at < len(words):
        size, found = _phrase_at(words, at, people, table)
        phrase = " ".join(words[at : at + size])
        if isinstance(found, Term):
            terms.append(found)
        elif found:
            named[found] = phrase
        elif stem(phrase) in WEAK or at >= narrow:
            weak.append(phrase)
        elif not says_nothing(phrase):
            terms.append(Term(phrase, meanings(phrase)))
        at += size
    if not terms and not named:
        named = {(stem(word),): word for word in weak if (stem(word),) in table}
        terms = [] if named else [Term(word, meanings(word)) for word in weak]
    targets = elected(table[stems] for stems in named)
    # Words for kinds that were outvoted are words like any other.
    terms += [Term(w, _sense(s)) for s, w in named.items() if targets.isdisjoint(table[s])]
    senses = (_sense(stems) for stems, meant in table.items() if not targets.isdisjoint(meant))
    unique = {term.phrases: term for term in terms}
    own, future = not OWN.isdisjoint(words), not FUTURE.isdisjoint(words)
    return Query(targets, frozenset[str]().union(*senses), tuple(unique.values()), own, future)


def _phrase_at(
    words: list[str], at: int, people: "_People", table: KindWords
) -> tuple[int, Term | Stems | None]:
    """The longest phrase here that means somebody or a kind; else a single word, and nothing."""
    for size in range(min(_LONGEST, len(words) - at), 0, -1):
        phrase = words[at : at + size]
        if term := people.meant(" ".join(phrase)):
            return size, term
        stems = tuple(map(stem, phrase))
        if stems in table and (size > 1 or stems[0] not in WEAK):
            return size, stems
    return 1, None


def _sense(stems: Stems) -> frozenset[str]:
    """A phrase for a kind, in all its forms."""
    return frozenset(map(" ".join, product(*map(forms, stems))))


class _People:
    """The people and pets of the profile, as far as a text speaks of them."""

    def __init__(self, profile: Profile, text: str) -> None:
        self._profile = profile
        mentioned = profile.people_named(text)[:_MAX_PEOPLE]
        self._spelled = [(person, _spellings(person)) for person in mentioned]

    def meant(self, phrase: str) -> Term | None:
        """Those whom `phrase` means, under all their names; a relation ("mum") also as such.

        Names that are everyday words ("Will") are not looked for on their own.
        """
        found = [(person, names) for person, names in self._spelled if phrase in names]
        phrases: set[str] = set()
        if not found and (relation := PHRASES.get(tuple(phrase.split()))):
            related = self._profile.people_named(f"my {phrase}")
            found = [(person, names) for person, names in self._spelled if person in related]
            phrases = {" ".join(words) for words, meant in PHRASES.items() if meant == relation}
        for person, names in found:
            own = canonical(person.relation)
            phrases |= {name for name in names if not says_nothing(name)}
            phrases |= {" ".join(words) for words in NAME_LIKE if PHRASES[words] == own}
        for pet in self._profile.pets:
            if (stem(phrase),) == tuple(map(stem, fold(pet.type))):
                phrases |= {" ".join(fold(pet.name) or [phrase]), *meanings(phrase)}
        return Term(phrase, frozenset(phrases)) if phrases else None


def _spellings(person: Person) -> frozenset[str]:
    """How a person may be written; the first name alone counts."""
    names = (person.name, *person.nicknames, *person.emails, person.name.split()[0])
    return frozenset(" ".join(fold(name)) for name in names) - {""}
