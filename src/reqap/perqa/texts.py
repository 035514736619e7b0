"""Observations: the traces that a life leaves in calendars, mails, posts, notes and services.

Every observation knows which events it tells of and what it says about each: the gold for finding
events, for reading values, and for merging what tells of the same thing.
"""

import random
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, time, timedelta

from reqap.perqa import facts
from reqap.perqa.canonical import Event, Property
from reqap.perqa.persona import Person, Persona
from reqap.perqa.phrases import Phrase, bank, chosen, filled, names_the_day
from reqap.perqa.structured import STRUCTURED, structured
from reqap.perqa.verbalizer import Verbalizer
from reqap.perqa.wording import called, gaps, told_by, written_at

# How likely an event is written about, by table and channel.
_SHARES: dict[str, dict[str, float]] = {
    "meetings": {"calendar": 0.74, "post": 0.3, "mail": 0.16, "note": 0.05},
    "celebrations": {"calendar": 0.66, "post": 0.45, "mail": 0.2, "note": 0.05},
    "doctor_appointments": {"calendar": 0.86, "post": 0.08, "mail": 0.2, "note": 0.12},
    "milestones": {"calendar": 0.45, "post": 0.8, "mail": 0.7, "note": 0.25},
    "trips": {"calendar": 0.85, "post": 0.5, "mail": 0.45, "note": 0.2},
    "trip_events": {"calendar": 0.3, "post": 0.6, "mail": 0.15, "note": 0.12},
    "workouts": {"calendar": 0.05, "post": 0.045, "mail": 0.01, "note": 0.02},
    "movies": {"calendar": 0.012, "post": 0.05, "mail": 0.012, "note": 0.012},
    "series": {"calendar": 0.008, "post": 0.04, "mail": 0.01, "note": 0.01},
    "music": {"calendar": 0.0001, "post": 0.0016, "mail": 0.0003, "note": 0.0003},
    "purchases": {"calendar": 0.004, "post": 0.025, "mail": 0.06, "note": 0.02},
}
_ONLY_TOLD = 0.03  # of what services record: seen elsewhere, and told in a text alone
_TIMES = {"post": "evening", "mail": "next", "note": "evening", "paragraph": "later"}
_KINDS = {"calendar": "calendar", "mail": "mail", "post": "social_media", "note": "note"}
# Texts that tell of nothing, for each that does.
_DISTRACTORS = {"calendar": 0.16, "mail": 0.5, "post": 0.22, "note": 0.3}
_LETTERS_PER_YEAR = 22
_NEWS = frozenset({"meetings", "celebrations", "trips", "trip_events", "milestones",
                   "doctor_appointments"})  # fmt: skip
# Whom one writes long letters to.
_CLOSE = frozenset({"friend", "sister", "brother", "cousin"})
_DOMAINS = ("postbox.example", "mailnest.example", "inbox.example", "quickmail.example")


@dataclass(frozen=True)
class Telling:
    """That a text tells of an event, and which of its properties."""

    event: int
    properties: tuple[str, ...]


@dataclass(frozen=True)
class Observation:
    id: int
    kind: str
    start: datetime
    end: datetime
    data: Mapping[str, Property] = field(hash=False)
    tells: tuple[Telling, ...] = ()


def observe(
    persona: Persona, events: list[Event], seed: int = 1, verbalizer: Verbalizer | None = None
) -> list[Observation]:
    """All observations of a life, in order of time."""
    writer = _Writer(persona, seed, verbalizer)
    found: list[Observation] = []
    for event in events:
        found.extend(writer.about(event))
    found.extend(writer.letters([event for event in events if event.table in _NEWS]))
    found.extend(writer.distractors(Counter(one.kind for one in found)))
    found = [one for one in found if one.start.date() <= persona.today]
    found.sort(key=lambda one: (one.start, one.kind, str(one.data)))
    return [replace(one, id=number) for number, one in enumerate(found)]


class _Writer:
    """Writes as one person does; what was said often is said less."""

    def __init__(self, persona: Persona, seed: int, verbalizer: Verbalizer | None) -> None:
        self._persona = persona
        self._verbalizer = verbalizer
        self._chance = random.Random(f"{seed}:{persona.id}:texts")
        self._said: Counter[Phrase] = Counter()

    def about(self, event: Event) -> Iterator[Observation]:
        chance = self._chance
        shares = _SHARES[event.table]
        channels = [channel for channel, share in shares.items() if chance.random() < share]
        if event.table in STRUCTURED:
            if not channels or chance.random() > _ONLY_TOLD:
                data = structured(event, self._persona.home_on(event.start.date()).role)
                told = Telling(event.id, tuple(event.properties))
                yield Observation(0, STRUCTURED[event.table], event.start, event.end, data, (told,))
        elif not channels:
            channels = [max(shares, key=lambda channel: shares[channel])]
        for channel in channels:
            if written := self._text(event, channel):
                yield written

    def _text(self, event: Event, channel: str) -> Observation | None:
        if self._verbalizer and (written := self._asked(self._verbalizer, event, channel)):
            return written
        phrase, known, exact, when = self._phrased(event, channel)
        if phrase is None:
            return None
        told = Telling(event.id, self._told(phrase, exact, event, when))
        body = chosen(phrase.body, self._chance)
        kind = _KINDS[channel]
        if channel == "calendar":
            data = _calendar(filled(body, known))
            start, end = event.start, event.end
            if event.table in STRUCTURED:
                # What one plans, not what a service measured.
                start, end = _quarter(start), _quarter(end + timedelta(minutes=14))
                told = replace(told, properties=tuple(
                    name for name in told.properties if name not in _TIMED - {"start_date"}
                ))  # fmt: skip
            return Observation(0, kind, start, end, data, (told,))
        if channel == "mail":
            mail = self._mail(phrase, body, known, event, when)
            if mail is None:
                return None
            if len(event.participants) == 1 and event.participants[0] in str(mail.values()):
                # The one who was there is the one who is written to, or writes.
                told = replace(told, properties=tuple(sorted({*told.properties, "participants"})))
            return Observation(0, kind, when, when, mail, (told,))
        return Observation(
            0, kind, when, when, _post_or_note(channel, filled(body, known)), (told,)
        )

    def _asked(self, verbalizer: Verbalizer, event: Event, channel: str) -> Observation | None:
        """The text of a language model."""
        calendar, mail = channel == "calendar", channel == "mail"
        when = event.start if calendar else written_at(self._chance, event, _TIMES[channel])
        friends = self._fitting(_ANY_MAIL, event, when) if mail else []
        if mail and not friends:
            return None
        name = self._chance.choice(friends).name if mail else ""
        written = verbalizer.write(self._persona, event, channel, when, name)
        if written is None:
            return None
        told = set(written.mentions) | (_TIMED if calendar else set())
        data: dict[str, Property] = dict(written.fields)
        if mail:
            data |= {
                "subject": data["subject"] or "", "timestamp": when.isoformat(sep=" "),
                "sender": _address(self._persona.name, self._persona.name),
                "recipient": _address(name, name),
            }  # fmt: skip
        end = event.end if calendar else when
        tells = (Telling(event.id, tuple(sorted(told))),)
        return Observation(0, _KINDS[channel], when, end, data, tells)

    def _phrased(
        self, event: Event, channel: str
    ) -> tuple[Phrase | None, dict[str, str], bool, datetime]:
        """A phrase that fits, of those said least, with what fills its gaps."""
        chance = self._chance
        phrases = bank(self._persona.split, event.table, channel)
        when = event.start
        known, exact = gaps(self._persona, event, when, chance)
        reachable = {**known, "to": "", "from": "", "paragraphs": ""}
        fitting = [p for p in phrases if p.fits(event, reachable, self._persona.name)]
        if not fitting:
            return None, {}, False, when
        # Phrases made for just this kind of event are worth more than those that fit any.
        worth = [(1 + len(p.conditions)) / (1 + self._said[p]) ** 2 for p in fitting]
        phrase = chance.choices(fitting, worth)[0]
        self._said[phrase] += 1
        if channel != "calendar":
            when = written_at(chance, event, phrase.conditions.get("time", _TIMES[channel]))
            known, exact = gaps(self._persona, event, when, chance)
        return phrase, known, exact, when

    def _told(self, phrase: Phrase, exact: bool, event: Event, when: datetime) -> tuple[str, ...]:
        told = told_by(phrase.slots) | set(phrase.says())
        if names_the_day(phrase.body):
            told.add("honoree")
        if phrase.channel == "calendar" or when.date() == event.start.date():
            told.add("start_date")
        if phrase.channel == "calendar" and event.table != "milestones":
            told |= {"start_time", "end_date", "end_time"}
        if exact and {"when", "When"} & phrase.slots:
            told.add("start_date")
        there = {name for name, value in event.properties.items() if value is not None}
        return tuple(sorted(told & (there | _TIMED)))

    # -- mails ------------------------------------------------------------------------------------

    def _mail(
        self, phrase: Phrase, body: str, known: dict[str, str], event: Event, when: datetime
    ) -> dict[str, Property] | None:
        theirs = phrase.conditions.get("from") == "them"
        other = self._correspondent(phrase, event, when)
        if other is None:
            return None
        name, address = other
        mine = _address(self._persona.name, self._persona.name)
        known = {
            **known,
            "to": self._persona.name.split()[0] if theirs else name.split()[0],
            "from": name.split()[0] if theirs else self._persona.name.split()[0],
        }
        subject, text = _subject(filled(body, known))
        shown = f"{name} <{address}>"
        sender, recipient = (shown, mine) if theirs else (mine, shown)
        return {
            "subject": subject, "timestamp": when.isoformat(sep=" "), "sender": sender,
            "recipient": recipient, "text": text,
        }  # fmt: skip

    def _correspondent(
        self, phrase: Phrase, event: Event, when: datetime
    ) -> tuple[str, str] | None:
        """Who writes or is written to; nobody where no one fits."""
        chance, persona = self._chance, self._persona
        wanted = phrase.conditions.get("to", "")
        if wanted == "doctor":
            name = event.text("doctor") or chance.choice(persona.doctors).name
            return f"Practice {name}", f"office@{_plain(name)}.example"
        if wanted == "company":
            shop = chance.choice(("Bluecart", "Homeward", "Quillo", "Parcelry", "Zentro"))
            return shop, f"orders@{shop.lower()}.example"
        if wanted == "work":
            people = [p for p in self._at_work(when) if p.name not in event.participants]
        else:
            people = self._fitting(phrase, event, when)
        if not people:
            return None
        person = chance.choice(people)
        return person.name, _address(person.name, person.name, bare=True)

    def _fitting(self, phrase: Phrase, event: Event, when: datetime) -> list[Person]:
        """Those who were there where a phrase speaks to them, else friends who were not."""
        together = event.table in ("meetings", "celebrations") or any(
            "people" in phrase.conditions.get(name, "") or name == "people"
            for name in phrase.conditions
        )
        if together and event.participants and event.table != "none":
            there = [self._persona.person(name) for name in event.participants]
            grown = [p for p in there if p.age_on(when.date()) >= 12]
            if event.text("occasion") in ("partner anniversary", "valentine's day"):
                return grown
            return [p for p in grown if not self._persona.lives_with(p, when.date())]
        return [p for p in self._friends(when)
                if p.relation == "friend" and p.name not in event.participants]  # fmt: skip

    def _at_work(self, when: datetime) -> list[Person]:
        """Those one works with at the time."""
        job = self._persona.job_on(when.date())
        there = {it["name"] for it in self._persona.raw["colleagues"]
                 if job and it["company"] == job.what}  # fmt: skip
        return [person for person in self._persona.people if person.name in there]

    def _friends(self, when: datetime) -> list[Person]:
        """Grown people one knows and does not live with."""
        day = when.date()
        return [p for p in self._persona.people
                if p.age_on(day) >= 14 and p.known_on(day)
                and not self._persona.lives_with(p, day)]  # fmt: skip

    def letters(self, news: list[Event]) -> Iterator[Observation]:
        """Long mails with several things that happened lately."""
        chance, persona = self._chance, self._persona
        frames = bank(persona.split, "frame", "mail")
        years = (persona.today - persona.first).days / 365
        for _ in range(int(years * _LETTERS_PER_YEAR) if frames and news else 0):
            latest = chance.randrange(len(news))
            when = written_at(chance, news[latest], "later").replace(hour=chance.randint(17, 22))
            recent = [
                e for e in news[max(0, latest - 12) : latest + 1]
                if timedelta(0) < when - e.end < timedelta(days=35)
            ]  # fmt: skip
            topics = chance.sample(recent, min(len(recent), chance.choice((1, 2, 2, 3, 4))))
            if letter := self._letter(chance.choice(frames), topics, when):
                yield letter

    def _letter(self, frame: Phrase, topics: list[Event], when: datetime) -> Observation | None:
        chance, persona = self._chance, self._persona
        paragraphs: list[str] = []
        tells: list[Telling] = []
        said: set[Phrase] = set()
        for event in topics:
            phrase, *_ = self._phrased(event, "paragraph")
            if phrase is None or phrase in said:
                continue
            said.add(phrase)
            known, exact = gaps(persona, event, when, chance)
            if phrase.slots <= known.keys():
                paragraphs.append(filled(chosen(phrase.body, chance), known))
                tells.append(Telling(event.id, self._told(phrase, exact, event, when)))
        if not paragraphs:
            return None
        met = {name for event in topics for name in (*event.participants, event.text("honoree"))}
        strangers = [person for person in self._friends(when)
                     if person.name not in met and person.relation in _CLOSE]  # fmt: skip
        if not strangers:
            return None
        person = chance.choice(strangers)
        known = {
            "me": persona.name.split()[0], "from": persona.name.split()[0],
            "to": re.sub(r"^(?:the|el|la|le) ", "", called(chance, person)),
            "paragraphs": "\n\n".join(paragraphs),
        }  # fmt: skip
        subject, text = _subject(filled(chosen(frame.body, chance), known))
        data: dict[str, Property] = {
            "subject": subject, "timestamp": when.isoformat(sep=" "),
            "sender": _address(persona.name, persona.name),
            "recipient": _address(person.name, person.name), "text": text,
        }  # fmt: skip
        return Observation(0, "mail", when, when, data, tuple(tells))

    # -- what tells of nothing --------------------------------------------------------------------

    def distractors(self, counts: Mapping[str, int]) -> Iterator[Observation]:
        chance, persona = self._chance, self._persona
        days = (persona.today - persona.first).days
        for channel, share in _DISTRACTORS.items():
            phrases = bank(persona.split, "none", channel)
            for _ in range(int(counts[_KINDS[channel]] * share) if phrases else 0):
                phrase = min(chance.sample(phrases, min(3, len(phrases))),
                             key=lambda p: self._said[p])  # fmt: skip
                self._said[phrase] += 1
                day = persona.first + timedelta(days=chance.randrange(days))
                when = datetime.combine(day, time(chance.randint(7, 22), chance.randrange(60)))
                if written := self._nothing(phrase, channel, when):
                    yield written

    def _nothing(self, phrase: Phrase, channel: str, when: datetime) -> Observation | None:
        known = self._anything(when)
        body = chosen(phrase.body, self._chance)
        kind = _KINDS[channel]
        if channel == "calendar":
            when = _quarter(when)
            end = when + timedelta(minutes=self._chance.choice((15, 30, 60, 90)))
            return Observation(0, kind, when, end, _calendar(filled(body, known)))
        if channel == "mail":
            spoken_of = tuple(known.pop(name) for name in ("whole", "whole2"))
            event = Event(-1, "none", when, when, {"participants": spoken_of})
            data = self._mail(phrase, body, known, event, when)
            return Observation(0, kind, when, when, data) if data else None
        return Observation(0, kind, when, when, _post_or_note(channel, filled(body, known)))

    def _anything(self, when: datetime) -> dict[str, str]:
        """Gaps of texts that tell of nothing: any friend, any title, any place."""
        chance, persona = self._chance, self._persona
        known = [p for p in persona.related("friend") if p.known_on(when.date())]
        friends = chance.sample(known if len(known) > 1 else persona.related("friend"), 2)
        family = [p for p in self._friends(when) if p not in friends]
        places = [place.name for place in persona.places if place.kind == "restaurant"]
        product = chance.choice(facts.products())
        price = product.price * facts.exchange_rates()[persona.currency] * chance.uniform(0.5, 1.5)
        return {
            "friend": called(chance, friends[0]), "friend2": called(chance, friends[1]),
            "whole": friends[0].name, "whole2": friends[1].name,
            "relative": called(chance, chance.choice(family or friends)), "product": product.name,
            "price": f"{price:.{facts.decimals(persona.currency)}f} {persona.currency}",
            "artist": chance.choice(persona.music.favourites),
            "movie": chance.choice(facts.movies()).title,
            "series": chance.choice(facts.series()).title, "restaurant": chance.choice(places),
            "destination": chance.choice(persona.destinations).city,
            "company_name": chance.choice(("Nordvia", "Lumio", "Casa Viva", "Getaround", "Tivora")),
            "number": str(chance.randint(2, 40)), "cuisine": chance.choice(persona.cuisines),
            "workout_type": chance.choice(persona.sports).kind,
            "doctor_type": chance.choice(persona.doctors).kind, "city": persona.home_on(
                when.date()).city, "me": persona.name.split()[0],
            "weekday": f"{when + timedelta(days=2):%A}",
            "date": f"{when.day} {when:%B}", "time": f"{when:%H}:{when.minute // 15 * 15:02}",
            "when": "soon",
            "When": "Soon", "to": "", "from": "",
        }  # fmt: skip


_ANY_MAIL = Phrase("", "mail", "", {})
_TIMED = frozenset({"start_date", "start_time", "end_date", "end_time"})


def _quarter(moment: datetime) -> datetime:
    """The quarter of an hour a moment is in."""
    return moment.replace(minute=moment.minute // 15 * 15, second=0, microsecond=0)


def _calendar(text: str) -> dict[str, Property]:
    data: dict[str, Property] = {"summary": "", "location": None, "description": None}
    for line in text.splitlines():
        if line.startswith("at:"):
            data["location"] = line.removeprefix("at:").strip()
        elif line.startswith("note:"):
            data["description"] = line.removeprefix("note:").strip()
        else:
            data["summary"] = f"{data['summary']} {line}".strip()
    return data


def _post_or_note(channel: str, text: str) -> dict[str, Property]:
    if channel == "post":
        return {"text": text}
    title, _, rest = text.partition("\n")
    return {"title": title.strip(), "text": rest.strip() or title.strip()}


def _subject(text: str) -> tuple[str, str]:
    head, _, body = text.partition("\n")
    return head.removeprefix("Subject:").strip(), body.strip()


def _plain(name: str) -> str:
    """A name as mail addresses have it."""
    folded = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return ".".join(folded.lower().replace("'", "").replace(".", " ").split()) or "someone"


def _address(name: str, shown: str, bare: bool = False) -> str:
    address = f"{_plain(name)}@{_DOMAINS[sum(map(ord, name)) % len(_DOMAINS)]}"
    return address if bare else f"{shown} <{address}>"


# Ids of what is written follow those of what happened.
WRITTEN_FROM = 10_000_000
_WRITTEN = {"mails": "mail", "posts": "social_media", "calendar_entries": "calendar",
            "notes": "note"}  # fmt: skip


def written_events(persona: Persona, observations: list[Observation]) -> dict[str, list[Event]]:
    """What was written, as tables that gold queries can ask."""
    found: dict[str, list[Event]] = {table: [] for table in _WRITTEN}
    tables = {kind: table for table, kind in _WRITTEN.items()}
    for one in observations:
        if table := tables.get(one.kind):
            data = dict(one.data)
            if table == "mails":
                data["sent"] = str(data["sender"]).startswith(persona.name)
                for side in ("sender", "recipient"):
                    data[side] = str(data[side]).partition(" <")[0]
            found[table].append(Event(WRITTEN_FROM + one.id, table, one.start, one.end, data))
    return found
