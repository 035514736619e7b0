"""What the pieces of a text mean that tell a value: "last night" a date, "Mum" a person.

The network only points; whatever can be worked out is worked out here, by the same readers that
read data. Not the job of this module: which pieces tell a value (`reader`).
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, datetime, time, timedelta
from typing import TypeVar

from reqap import values
from reqap.errors import ValueProblem
from reqap.extract.concepts import NUMBERS, Asked, asks_company
from reqap.extract.reader import AHEAD, BACK
from reqap.extract.reading import Found, Reading, countries, read, towns, venues
from reqap.extract.told import IMPLIED, NOTHING, SAID, Span, Told
from reqap.gazetteer import (
    Place,
    common_countries,
    country_of,
    hints,
    is_same,
    kind_of_place,
    kinds_of_places,
    local,
    places,
)
from reqap.profile import Person, Profile
from reqap.profile.naming import Naming
from reqap.profile.relations import canonical, tokens
from reqap.values.days import days_meant
from reqap.values.feasts import feast_days

# As far as one list of names goes.
_SENTENCE = re.compile(r"(?:[^.!?\n;]|[.](?!\s))+")
# Values that no words tell: the owner of the data, yes and no, and dates beside that of the record.
ME, YES, NO = "@me", "@yes", "@no"
SAME_DAY = {0: "@same day", -1: "@day before", 1: "@day after"}
# How people call themselves: nobody is called so.
_SELF = frozenset(("i", "me", "myself", "we", "us", "ourselves"))
T = TypeVar("T")
# How sure a country is that only the places of a text tell, and people whom only names tell.
_BY_PLACES, _BY_PEOPLE = 0.7, 0.65
_MOST_PEOPLE = 3  # whom a word may mean to name them
_AROUND = 40  # characters beside a piece in which the rest of a name may stand
_SHORT_DAY = 12  # characters of a day that is told alone
_STEPS = {name: step for step, name in SAME_DAY.items()}


class Teller:
    """Makes values of one key from what the network said."""

    def __init__(self, asked: Asked, profile: Profile) -> None:
        self._asked = asked
        self._naming = Naming(profile)
        self._owner = profile.name
        self._who = {name.casefold() for name in profile.who}
        self._pets = {tokens(pet.name) for pet in profile.pets}
        self._homes = tuple(home.city.partition(",")[0] for home in profile.homes)
        self._lands = frozenset(filter(None, (country_of(home.city) for home in profile.homes)))
        self._company = asks_company(asked)

    @property
    def looks_further(self) -> bool:
        """Whether the names in a text may tell what the network does not see."""
        asked = self._asked
        return asked.is_country or asked.is_town or asked.is_place_kind or self._company

    def value(self, told: Told, text: str, start: datetime) -> Reading | None:
        """`start` is when the record was made; None where nothing is told, or it cannot be read."""
        if told.sort == NOTHING:
            return None
        pieces = (
            _surest_first(told, text) if self._asked.type_name != "list" else _in_order(told, text)
        )
        match self._asked.type_name:
            case "date" | "datetime":
                return self._moment(told, pieces, start)
            case "bool":
                return _yes_or_no(told, pieces)
            case "list" | "str" as type_name:
                pieces = self._in_full(pieces, told, text)
                possible = [piece for piece in pieces if self._is_possible(piece)]
                if told.sort != IMPLIED and not possible:
                    return None
                names = self._names(told, possible if type_name == "list" else possible[:1])
                if type_name == "list" and told.sort != IMPLIED:
                    names = self._with_others(names, told, text)
                names = self._said_so(names, told, text)
                whole = names if type_name == "list" else ", ".join(names)
                return Reading(whole) if names else None
            case _:
                said = [told.implied] if told.sort == IMPLIED else pieces
                return next(self._amounts(said), None)

    def _in_full(self, pieces: list[str], told: Told, text: str) -> list[str]:
        """With the whole name of somebody of the profile where a piece is a part that alone names
        nobody: "Man" of "the Wee Man"."""
        if self._asked.nature != "person" or all(map(self._naming.people, pieces)):
            return pieces
        around = " ".join(
            text[max(begin - _AROUND, 0) : end + _AROUND] for begin, end in told.spans
        )
        whole = [name for name, _ in self._naming.mentions(around)]
        return list(dict.fromkeys(
            piece if self._naming.people(piece)
            else next((name for name in whole if set(tokens(piece)) < set(tokens(name))), piece)
            for piece in pieces
        ))  # fmt: skip

    def _with_others(self, names: list[str], told: Told, text: str) -> list[str]:
        """Company, with those who are named in one breath with somebody who was there."""
        found = dict.fromkeys(names)
        for sentence in _SENTENCE.finditer(text) if self._company else ():
            if any(sentence.start() <= begin < sentence.end() for begin, _ in told.spans):
                for people in self._naming.lists(sentence[0]):
                    if any(one.name in names for one in people):
                        found.update((one.name, None) for one in people)
        return list(found)

    def _said_so(self, names: list[str], told: Told, text: str) -> list[str]:
        """Countries and towns where those are asked for, places without the towns that they are
        in, and, where only dishes tell cuisines, those of where one is."""
        if self._asked.is_country:
            return countries(names)
        if self._asked.names_town:
            return towns(names)
        if self._asked.is_inexact:
            return venues(names)
        if not self._asked.is_cuisine or told.sort != IMPLIED:
            return names
        there = places(text)
        return [local(name, text, common_countries(there) if there else self._lands)
                for name in names]  # fmt: skip

    def by_places(self, told: Told, text: str, within: Sequence[Span]) -> Told:
        """What the places that are named there tell of a text's country, if all are in one, or of
        the town, if there is one; else what was told."""
        there = places(text) if self._asked.is_country or self._asked.is_town else []
        said = [range(*span) for span in within]
        found = [one for one in there if any(one.begin in words for words in said)]
        if self._asked.is_town:
            return self._by_towns(told, found)
        common = common_countries(found)
        if len(common) != 1:
            return told
        return Told(IMPLIED, _BY_PLACES, tuple((one.begin, one.end) for one in found), common[0])

    def by_venue(self, text: str, location: Span, within: Sequence[Span]) -> Told | None:
        """The kind of a place that the name of a location tells, else the only one in a text."""
        if not self._asked.is_place_kind:
            return None
        named = kind_of_place(text[slice(*location)])
        found = [(location[0], named)] if named else [
            (span[0], one) for span in within for one in kinds_of_places(text[slice(*span)])
        ]  # fmt: skip
        kinds = [*{one.values[0] for _, one in found}]
        if len(kinds) != 1:
            return None
        spans = tuple((begin + one.begin, begin + one.end) for begin, one in found)
        return Told(IMPLIED, _BY_PLACES, spans, kinds[0])

    def _by_towns(self, told: Told, found: Sequence[Place]) -> Told:
        """Where somebody lives is not where they travel to."""
        at_home = self._homes if "destination" in self._asked.words else ()
        towns = [one for one in found if not one.is_area
                 and not any(is_same(one.name, home) for home in at_home)]  # fmt: skip
        if len({one.name for one in towns}) != 1:
            return told
        return Told(SAID, _BY_PLACES, ((towns[0].begin, towns[0].end),))

    def by_people(self, said: str, addressed: str) -> Found | None:
        """Those of the profile who are named where a text tells of company, but not who it was;
        neither who is only addressed, nor everybody ("my family")."""
        if not self._company or self._asked.type_name != "list":
            return None
        readers = self._naming.people(addressed)
        found = [(piece, people) for piece, people in self._naming.mentions(said)
                 if len(people) <= _MOST_PEOPLE and people[0] not in readers]  # fmt: skip
        names = list(dict.fromkeys(one.name for _, people in found for one in people))
        pieces = ", ".join(dict.fromkeys(f"'{piece}'" for piece, _ in found))
        return Found(Reading(names), f"text: {pieces}", _BY_PEOPLE) if names else None

    def _is_possible(self, piece: str) -> bool:
        """Nobody is called "fish soup" or ate in it; neither a place nor a dish is a person."""
        if self._asked.is_food:
            is_dish = piece.islower() and bool(hints(piece))
            return is_dish or not (self._naming.names(piece) or tokens(piece) in self._pets)
        if self._asked.nature not in ("place", "person"):
            return True
        if piece.islower() and any(one.end - one.begin == len(piece) for one in hints(piece)):
            return False
        if self._asked.nature == "person":
            return self._is_person(piece)
        words = set(piece.casefold().split())
        return not any(
            words
            <= {part for name in (one.name, *one.nicknames) for part in name.casefold().split()}
            for one in self._naming.people(piece)
        )

    def _is_person(self, piece: str) -> bool:
        """Those whom the profile knows may be written anyhow; "boo" and "Me" are nobody's names,
        pets are no people, and nobody keeps company with themselves."""
        if self._naming.people(piece):
            return True
        if tokens(piece) in self._pets or piece.casefold() in _SELF:
            return False
        if piece.casefold() in self._who:
            return not self._company
        return not piece.islower() or canonical(piece) is not None or "@" in piece

    def _moment(self, told: Told, pieces: list[str], start: datetime) -> Reading | None:
        day: date | None = None
        if told.sort == IMPLIED:
            day = _beside(start.date(), told.implied)
        for piece in pieces:
            day = day_told(piece, start.date(), told.implied)
            if day is not None:
                break
        if day is None:
            return None
        if self._asked.type_name == "date":
            return Reading(day)
        clock = start.time() if day == start.date() else time()
        return Reading(datetime.combine(day, clock))

    def _names(self, told: Told, pieces: list[str]) -> list[str]:
        """Names in full where the profile knows them; all else as it stands."""
        if told.sort == IMPLIED:
            if told.implied == ME:
                return [self._owner] if self._owner and not self._company else []
            is_none = told.implied.startswith("@") or self._asked.nature == "person"
            return [] if is_none else [told.implied]
        found: dict[str, None] = {}
        for piece in pieces:
            for name in [one.name for one in self._meant(piece)] or [piece]:
                found[name] = None
        names = [name for name in found if not _is_part(name, found)]
        if self._asked.nature != "person":
            return names
        return [name for name in names if name.casefold() not in self._who] or names

    def _meant(self, piece: str) -> Sequence[Person]:
        """Those of the profile whom a piece names; "Ana's garden" is hers, and not she, and a café
        may be called after somebody."""
        if self._asked.nature == "place" or self._asked.is_food:
            return ()
        is_meant = self._asked.nature == "person" or self._naming.names(piece)
        return self._naming.people(piece) if is_meant else ()

    def _amounts(self, said: list[str]) -> Iterator[Reading]:
        """Numbers, times and durations; said as figures or as words."""
        for piece in said:
            if found := read(self._asked, piece, None):
                yield found
            elif self._asked.type_name in NUMBERS:
                number = _or_none(values.parse_number_words, piece)
                if number is not None and (found := read(self._asked, number, None)):
                    yield found


def day_told(piece: str, written: date, side: str = "") -> date | None:
    """The day that a piece tells, if it tells one: the likeliest of those that lie on that side."""
    days = feast_days(piece, written) or _first_meant(piece, written)
    if not days:
        return _or_none(values.parse_date, piece)
    lies = {AHEAD: date.__ge__, BACK: date.__le__}.get(side)
    return next((day for day in days if lies is None or lies(day, written)), days[0])


def _first_meant(piece: str, written: date) -> tuple[date, ...]:
    """Of the first day that a piece speaks of; alone, "Tue" and "9th" are days ("sat" is none)."""
    is_alone = len(piece) <= _SHORT_DAY and not piece.islower()
    ways = (piece, f"on {piece}", f"the {piece}") if is_alone else (piece, f"the {piece}")
    return next((meant[0] for way in ways if (meant := days_meant(way, written))), ())


def _beside(day: date, implied: str) -> date | None:
    try:
        return day + timedelta(days=_STEPS[implied]) if implied in _STEPS else None
    except OverflowError:
        return None


def _in_order(told: Told, text: str) -> list[str]:
    pieces = (text[slice(*span)].strip(" .,;:!?\"'()") for span in told.spans)
    return list(dict.fromkeys(piece for piece in pieces if piece))


def _surest_first(told: Told, text: str) -> list[str]:
    """Of what stands in several places, the surest counts."""
    sure = dict(zip(told.spans, told.sure, strict=False))
    ranked = sorted(told.spans, key=lambda span: -sure.get(span, 0.0))
    return _in_order(told._replace(spans=tuple(ranked)), text)


def _is_part(name: str, names: Iterable[str]) -> bool:
    """Whether another name has all the words of this one, and more: "Jofré", "Carolina Jofré"."""
    words = set(name.casefold().split())
    return any(words < set(other.casefold().split()) for other in names)


def _yes_or_no(told: Told, pieces: list[str]) -> Reading | None:
    if told.sort == IMPLIED:
        return Reading(told.implied == YES) if told.implied in (YES, NO) else None
    for piece in pieces:
        found = _or_none(lambda text: values.coerce(text, "bool"), piece)
        if isinstance(found, bool):
            return Reading(found)
    return None


def _or_none(read_as: Callable[[str], T | None], piece: str) -> T | None:
    try:
        return read_as(piece)
    except ValueProblem:
        return None
