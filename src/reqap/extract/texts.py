"""What an event's texts say, where no data key does: regular patterns with a reason in the key.

A pattern answers only if the text leaves one reading; when in doubt there is no value. Texts are
hostile: only their beginnings are looked at, and every pattern takes linear time.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime
from functools import lru_cache
from itertools import islice, zip_longest

from reqap.extract.concepts import MINUTES, NUMBERS, Asked, split_key, text_unit
from reqap.extract.reading import Found, Reading, read
from reqap.extract.times import word_set
from reqap.profile import Profile
from reqap.profile.relations import PHRASES, tokens
from reqap.values import parse_number_words, unit_kind
from reqap.values.datewords import MONTHS
from reqap.verbalize import is_consumed

_MAX_TEXT = 4000
FIELDS = ("summary", "subject", "title", "text", "body", "description", "content", "message",
          "note")  # fmt: skip
_NUMBER = r"(?<![\w.,:/€$£-])[0-9][0-9.,]{0,11}(?<![.,])"
_QUANTITY = re.compile(
    rf"({_NUMBER})[ -]?([^\W\d_]{{1,12}}(?:/[a-z]{{1,4}})?|°[CF]|['’′](?:[0-5]?\d[\"”″])?(?!\w))"
    r"(?:(?<=[ 0-9]h) ?[0-5][0-9](?! ?\w))?"  # "4 h 45"
)
_COUNT = re.compile(
    rf"{_NUMBER}(?![\w:%€$£/-])|\b(?:one|two|three|four|five|six|seven|eight|nine|ten)\b", re.I
)
_AMOUNT = r"[0-9][0-9.,']{0,11}(?<![.,'])"
_MONEY = re.compile(
    rf"(?:[€$£¥₹]|\b[A-Z]{{3}}) ?{_AMOUNT}(?!\w)"
    rf"|(?<![\w.,]){_AMOUNT} ?(?:[€$£¥₹]|(?:[A-Z]{{3}}|euros?|dollars?)\b)"
)
_SUM = re.compile(r"\b(?:total|altogether|paid|spent|costs?|price)\b[^.!?\n]{0,25}$", re.I)
_CLOCK = re.compile(
    r"(?<![\w:.,])[0-9]{1,2}(?:(?::[0-9]{2})? ?[ap]\.?m\b|:[0-9]{2}(?![0-9:]))", re.I
)
_DAY, _YEAR = r"[0-9]{1,2}(?:st|nd|rd|th|\.)?", r"(?:,? [0-9]{4})?"
_MONTH = f"(?:{'|'.join(sorted(MONTHS, key=len, reverse=True))})"
_DATE = re.compile(
    r"\b(?:[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{1,2}[./][0-9]{1,2}[./][0-9]{4}"
    rf"|{_DAY} (?:of )?{_MONTH}{_YEAR}|{_MONTH}\.? {_DAY}{_YEAR})(?!\w)",
    re.I,
)
_WITH = re.compile(r"\b(?:with|met|meeting|joined by) ", re.I)
_SPORT = (
    "(?:run(?:ning)?|rac(?:e|ing)|walk(?:ing)?|rid(?:e|ing)|bik(?:e|ing)|cycl(?:e|ing)|jog(?:ging)?"
    "|swim(?:ming)?|row(?:ing)?|hik(?:e|ing)|ski(?:ing)?|skat(?:e|ing)|paddl(?:e|ing)"
    "|kayak(?:ing)?|tour|trail)"
)
_MOVING = re.compile(rf" ?{_SPORT}\b", re.I)
_MOVED = re.compile(
    rf"\b(?:{_SPORT}|ran|raced|walked|rode|biked|cycled|jogged|swam|rowed|hiked|skied|skated"
    r"|paddled)\b[^.!?;\d]{0,20}$", re.I
)  # fmt: skip
_SINCE = re.compile(r" (?:ago|earlier|later|old)\b", re.I)
_QUOTES = tuple("'\"‘’“”")
_FAR = ("km", "mi", "m")
_AND = re.compile(r", and |, | and | & ")
_PLACE = re.compile(r"\b(at|in|to) (?:the )?", re.I)
_CAPITALS = re.compile(r"(?:St\. )?[^\W\d_][\w'’-]{0,30}(?: [^\W\d_][\w'’-]{0,30}){0,3}")
# Words that are written like names but name neither people nor places.
_NO_NAMES = word_set(
    "I A An The My Our His Her Their This That It You We He She They All Everyone Me Us January"
    " February March April May June July August September October November December Monday Tuesday"
    " Wednesday Thursday Friday Saturday Sunday Christmas Easter"
)

Finding = tuple[Reading | None, int]  # a reading, and where in the text it stands


class Texts:
    """Looks for one key in the texts of events; `profile` knows the people they speak of."""

    def __init__(self, asked: Asked, profile: Profile) -> None:
        self.asked = asked
        self.profile = profile
        names = " ".join(n for person in profile.people for n in (person.name, *person.nicknames))
        self.vocabulary = {*tokens(names), *(word for phrase in PHRASES for word in phrase)}
        self.no_company = {tokens(name) for name in profile.who}
        self.no_company |= {tokens(pet.name) for pet in profile.pets}
        self.named = lru_cache(4096)(self._named)
        self.finder = self._finder()

    def _finder(self) -> Callable[[str, datetime], Iterator[Finding]] | None:
        """The pattern that the key gives a reason for."""
        nature, type_name = self.asked.nature, self.asked.type_name
        if nature in ("person", "place"):
            finder = self._people if nature == "person" else self._places
            return finder if type_name in ("str", "list") else None
        if type_name in (*NUMBERS, "timedelta") and nature:
            return self._money if nature == "money" else self._quantities
        finders = {"date": self._dates, "datetime": self._dates, "time": self._clocks}
        return self._counts if type_name in NUMBERS else finders.get(type_name)

    reads_records = False

    def remember(self, *_: object) -> None:
        return None  # each is looked at anew

    remembered = remember

    @property
    def reads(self) -> bool:
        return self.finder is not None

    def read_ahead(self, records: object) -> None:
        """Patterns take no time."""

    def find(
        self, record: int, kind: str, data: Mapping[str, object], start: datetime, at: str = ""
    ) -> Found | None:
        """The one value that the first telling text has, and where it stands."""
        if is_consumed(kind):  # the title of a film tells nothing about the evening
            return None
        for field in FIELDS if self.finder else ():
            text = data.get(field)
            if self.finder is None or not isinstance(text, str):
                continue
            found = [(r, n) for r, n in self.finder(text[:_MAX_TEXT], start) if r is not None]
            if found and all(reading == found[0][0] for reading, _ in found):
                reading, place = found[0]
                begin = max(place - 20, text.find(" ", place - 20, place) + 1) if place > 20 else 0
                quote = " ".join(text[begin : place + 40].split())
                return Found(reading, f"text of {field}: '{quote}'")
        return None

    def is_user(self, reading: Reading) -> bool:
        names = reading.value if isinstance(reading.value, list) else [str(reading.value)]
        return set(names) <= set(self.profile.who)

    def _read(self, raw: object) -> Reading | None:
        return read(self.asked, raw, None)

    def _is_near(self, text: str, at: int) -> bool:
        """Whether a word of the key stands around a place in the text."""
        around = tokens(text[max(0, at - 60) : at + 60])
        stems = [word[:5] for word in self.asked.words if word not in ("date", "time")]
        return any(word.startswith(stem) for word in around for stem in stems if len(stem) > 2)

    def _named(self, text: str) -> tuple[str, ...]:
        """The people of the profile that a text names; most texts name none, which is cheap."""
        if self.vocabulary.isdisjoint(tokens(text)):
            return ()
        return tuple(person.name for person in self.profile.people_named(text))

    def _people(self, text: str, start: datetime) -> Iterator[Finding]:
        names = dict.fromkeys(self.named(text))
        for found in islice(_WITH.finditer(text), 20):
            at = found.end()
            for _ in range(10):
                name = _capitals(text, at)
                if name and tokens(name) not in self.no_company and not self.named(name):
                    names[name] = None
                joint = _AND.match(text, at + len(name))
                if not name or joint is None:
                    break
                at = joint.end()
        if names:
            yield self._read(list(names)), max(0, text.find(next(iter(names)).split()[0]))

    def _places(self, text: str, start: datetime) -> Iterator[Finding]:
        first: dict[str, tuple[str, int]] = {}
        for found in _PLACE.finditer(text):
            name = _capitals(text, found.end())
            if name and found[1].lower() not in first and not self.named(name):
                first[found[1].lower()] = (name, found.start())
        asks_town = self.asked.words[-1] in ("city", "town", "country", "destination")
        words = [word for word in (("in", "to") if asks_town else ("at", "in")) if word in first]
        for word in words[:1]:
            yield self._read([first[word][0]]), first[word][1]

    def _money(self, text: str, start: datetime) -> Iterator[Finding]:
        """The amounts that are called the price or total, if any are, else every amount."""
        found = [(self._read(m[0]), m.start()) for m in _MONEY.finditer(text)]
        found = [(reading, at) for reading, at in found if reading and reading.unit]
        sums = [pair for pair in found if _SUM.search(text[max(0, pair[1] - 35) : pair[1]])]
        yield from sums or found

    def _quantities(self, text: str, start: datetime) -> Iterator[Finding]:
        """Numbers with a fitting unit; two that belong together ("1 h 30 min") are one."""
        units = [(m, "km" if self._is_far(m, text) else text_unit(m[2]))
                 for m in _QUANTITY.finditer(text) if self._is_amount(m, text)]  # fmt: skip
        found = [
            m
            for m, unit in units
            if unit
            and unit_kind(unit) == self.asked.nature
            and (unit in _FAR or self.asked.nature != "length" or self.asked.unit)
        ]
        end = 0
        for here, then in zip_longest(found, found[1:]):
            if here.start() < end:
                continue
            end = then.end() if then and then.start() - here.end() < 6 else here.end()
            if self.asked.nature in ("length", "time") or self._is_near(text, here.start()):
                said = text[here.start() : end].replace("-", " ")
                said = f"{here[1]} km" if here[2].lower() == "k" else said
                yield self._read(said), here.start()

    def _is_amount(self, said: re.Match[str], text: str) -> bool:
        """ "2 days ago" is no length of time, and the film '1917' has none."""
        if self.asked.nature != "time":
            return True
        is_quoted = said[2].startswith(MINUTES) and text.endswith(_QUOTES, 0, said.start())
        return not (is_quoted or _SINCE.match(text, said.end()))

    def _is_far(self, said: re.Match[str], text: str) -> bool:
        """ "10k running" is a distance, "10k steps" is none."""
        if said[2].lower() != "k" or self.asked.nature != "length":
            return False
        before = text[max(0, said.start() - 30) : said.start()]
        return bool(_MOVING.match(text, said.end()) or _MOVED.search(before))

    def _counts(self, text: str, start: datetime) -> Iterator[Finding]:
        """Numbers of what the key names: "3 goals"; else numbers said of it: "goals: 3"."""
        needed = set(self.asked.words) - {"number", "count", "total", "how", "many"}
        needed = {word for word in needed if not word.endswith("ed")} or needed
        behind: list[Finding] = []
        before: list[Finding] = []
        for found in _COUNT.finditer(text) if needed else ():
            after = re.split(r"[,;.!?\n(]", text[found.end() : found.end() + 40])[0].split()[:2]
            ahead = re.split(r"[,;.!?\n)]", text[max(0, found.start() - 50) : found.start()])[-1]
            amount = found[0] if found[0][0].isdigit() else parse_number_words(found[0])
            if needed <= set(split_key("_".join(after))[0]):
                behind.append((self._read(amount), found.start()))
            elif after and text_unit(after[0]):
                continue
            elif needed <= set(split_key("_".join([ahead, *after]))[0]):
                before.append((self._read(amount), found.start()))
        yield from behind or before

    def _clocks(self, text: str, start: datetime) -> Iterator[Finding]:
        """Of an event without a time: the time in its text, or the beginning or end of a range."""
        found = [(self._read(m[0]), m.start()) for m in _CLOCK.finditer(text)]
        at = int(bool(self.asked.own and self.asked.own.where.startswith("end")))
        if self.asked.own and at < len(found) <= 2:
            yield found[at]

    def _dates(self, text: str, start: datetime) -> Iterator[Finding]:
        """Dates beside a word of the key; without a year, the one nearest to the event."""
        for found in _DATE.finditer(text):
            if not self._is_near(text, found.start()):
                continue
            years = [f"{found[0]} {start.year + n}" for n in (0, 1, -1)]
            days = [day for raw in (found[0], *years) if (day := self._read(raw))]
            yield min(days, key=lambda day: _distance(day, start), default=None), found.start()


def _distance(reading: Reading, start: datetime) -> int:
    day = reading.value
    return abs(day.toordinal() - start.toordinal()) if isinstance(day, date) else 0


def _capitals(text: str, at: int) -> str:
    """The words at a place that are written like a name."""
    found = _CAPITALS.match(text, at)
    names: list[str] = []
    for word in found[0].split(" ") if found else ():
        if not word[0].isupper() or word.split("'")[0].capitalize() in _NO_NAMES:
            break
        names.append(word)
    return " ".join(names)
