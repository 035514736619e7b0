"""Lessons of RETRIEVE where the text says plainly what is asked for.

What people write for training is clever: texts that hint, queries that nearly match. A reader that
learns only from those doubts the obvious: an appointment "piano lesson" is one. Here the things of
the lexicon (`things`) and the values of hints (`hints`) are put in short texts by their own names.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reqap.train.hints import asked_for, attributes, known
from reqap.train.retrieve_lesson import Lesson, some, words
from reqap.train.things import lexicon
from reqap.verbalize import IRRELEVANT, RELEVANT, told

_GOOD, _BAD, _QUERIES = 6, 10, 3
_NAMED = frozenset({"sport", "activity", "doctor_type", "occasion", "meeting_type", "milestone"})
_PEOPLE = (
    "Anna", "Ji-ho", "Mum", "Tunde", "Ottokar", "Priya", "Dr. Salem", "the kids", "Lucía", "Bo",
    "my sister", "Mehmet", "Ines & Rolf", "Thandi", "Grandpa", "Yuki",
)  # fmt: skip
_TITLES = (
    "{name}", "{name}", "{name} w/ {person}", "{name} with {person}", "{name} 18:00", "{name}!",
    "{name} (moved from Tue)", "{name} // {person}", "9:30 {name}", "{name} at the usual place",
)  # fmt: skip
_SAID = (
    "{past} today", "{past} with {person}", "{past} again, tired now", "Finally {past}!",
    "{past} this morning, then straight to work", "we {past} after lunch, {person} came along",
    "so I {past}. that's it, that's the post", "{past}, rained the whole time",
)  # fmt: skip


@dataclass(frozen=True)
class Named:
    """Something by its own name: how it is asked for, and how one says it was done."""

    queries: tuple[str, ...]
    names: tuple[str, ...]
    past: tuple[str, ...] = ()


def named_lessons(chance: random.Random) -> Iterator[Lesson]:
    """For each thing, texts that say it, and texts that say another."""
    things = [*_things(), *_values()]
    texts = [_texts(one, chance) for one in things]
    stems = [_stems(one) for one in things]
    for one, said, mine in zip(things, texts, stems, strict=True):
        for query in some(one.queries, _QUERIES, chance):
            others: list[str] = []
            while len(others) < _BAD:
                number = chance.randrange(len(things))
                if not mine & stems[number]:
                    others.append(chance.choice(texts[number]))
            labels = [(text, RELEVANT) for text in some(said, _GOOD, chance)]
            labels += [(text, IRRELEVANT) for text in others]
            yield Lesson(query, "named", tuple(dict.fromkeys(labels)))


def _things() -> Iterator[Named]:
    for thing in lexicon():
        queries = tuple(query for query in thing["queries"] if "{" not in query)
        if queries and not thing["slots"]:
            past = tuple(one for one in thing["past"] if "{" not in one)
            yield Named(queries, (thing["thing"],), past)


def _values() -> Iterator[Named]:
    for one in known():
        if one.attribute in _NAMED:
            ways = attributes()[one.attribute]["queries"]
            yield Named(tuple(asked_for(way, one.value) for way in ways), (one.value,))


def _texts(one: Named, chance: random.Random) -> list[str]:
    found = []
    for name in one.names:
        for title in some(_TITLES, 5, chance):
            summary = title.format(name=_typed(name, chance), person=chance.choice(_PEOPLE))
            found.append(told("calendar", {"summary": summary}))
        found.append(told("note", {"text": f"{_typed(name, chance)} done"}))
    for past in one.past:
        for sentence in some(_SAID, 2, chance):
            text = sentence.format(past=past, person=chance.choice(_PEOPLE))
            kind = chance.choice(("social_media", "note", "chat", "journal"))
            found.append(told(kind, {"text": text}))
    return found


def _typed(name: str, chance: random.Random) -> str:
    return chance.choice((name, name, name.capitalize(), name.title(), name.upper()))


def _stems(one: Named) -> set[str]:
    everything: Sequence[str] = (*one.queries, *one.names, *one.past)
    return {word for text in everything for word in words(text)} - _COMMON


# Words of queries and sentences that say nothing about the thing.
_COMMON = frozenset(words(
    "the was were went had did have been some with times meeting leisure spent time this visits"
    " appointments sessions celebrating celebrations occasion marked being treated saw doing played"
    " life events milestones others alone like met"
))  # fmt: skip
