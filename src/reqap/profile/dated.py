"""The dated facts of a profile as events, so that questions can lean on them.

A fact that lasts (a job, a home) is one event from its first day to its last; one that is still
going on ends with the day it is asked, and says so in the key `ongoing`. A partial date covers all
it may mean: "2019" starts on January 1 as a start and ends on December 31 as an end. The text as
the user wrote it is in `since` and `until`.
"""

from collections.abc import Iterator
from datetime import date, datetime, time
from typing import NamedTuple

from reqap.events import Event, Origin, Value, event_id
from reqap.profile.model import Profile, When
from reqap.profile.relations import canonical, included, tokens

KIND = SOURCE = "profile"
_LAST_SECOND = time(23, 59, 59)


class _Fact(NamedTuple):
    what: str  # part of the identity: the list it comes from
    started: str  # the event's name
    ended: str  # its name where only the end is known
    subject: tuple[str, ...]  # identity: what stays the same when details are filled in
    since: When | None
    until: When | None
    lasts: bool
    data: dict[str, str]


def facts(profile: Profile, today: date) -> list[Event]:
    """All facts that have a date, oldest first within each list."""
    events: list[Event] = []
    seen: dict[str, int] = {}
    for fact in _facts(profile):
        if fact.since is None and fact.until is None:
            continue
        identity = event_id(SOURCE, fact.what, *_identity(fact))
        seen[identity] = seen.get(identity, 0) + 1
        if seen[identity] > 1:  # two facts that tell the same: both stay
            identity = event_id(SOURCE, fact.what, *_identity(fact), seen[identity])
        events.append(_event(fact, identity, len(events), today))
    return events


def _identity(fact: _Fact) -> Iterator[str]:
    for text in fact.subject:
        yield " ".join(tokens(text)) or text
    dated = fact.since or fact.until
    yield dated.first.isoformat() if dated else ""


def _event(fact: _Fact, identity: str, index: int, today: date) -> Event:
    data: dict[str, Value] = {"event": fact.started if fact.since else fact.ended}
    data.update((key, value) for key, value in fact.data.items() if value)
    first = fact.since or fact.until
    last = fact.until or fact.since
    assert first is not None
    assert last is not None
    if fact.lasts:
        data.update((k, w.text) for k, w in (("since", fact.since), ("until", fact.until)) if w)
    else:
        data["date"] = first.text
    start, end = first.first, last.last
    if fact.lasts and fact.until is None and start <= today:
        data["ongoing"] = True
        end = today
    return Event(
        id=identity,
        source=SOURCE,
        kind=KIND,
        start=datetime.combine(start, time()),
        end=datetime.combine(max(start, end), _LAST_SECOND),
        offset=None,
        data=data,
        origin=Origin(SOURCE, index),
    )


def _facts(profile: Profile) -> Iterator[_Fact]:
    yield _Fact(
        "birth", "was born", "", ("self",), profile.birth_date, None, False,
        {"person": profile.name, "relation": "self", "city": profile.birth_place},
    )  # fmt: skip
    for person in profile.people:
        if canonical(person.relation) in included("child") | included("grandchild"):
            kin = "child" if canonical(person.relation) in included("child") else "grandchild"
            yield _Fact(
                "birth", f"{kin} was born", "", (person.name,), person.birth_date, None, False,
                {"person": person.name, "relation": person.relation},
            )  # fmt: skip
    for school in profile.schools:
        yield _Fact(
            "school", "started an education", "finished an education",
            (school.name, school.degree), school.since, school.until, True,
            {"school": school.name, "degree": school.degree, "city": school.city},
        )  # fmt: skip
    for job in profile.jobs:
        yield _Fact(
            "job", "started a job", "left a job", (job.company,), job.since, job.until, True,
            {"company": job.company, "role": job.role, "city": job.city},
        )  # fmt: skip
    for home in profile.homes:
        yield _Fact(
            "home", "moved to a new home", "moved out of a home", (home.city, home.address),
            home.since, home.until, True, {"city": home.city, "address": home.address},
        )  # fmt: skip
    for pet in profile.pets:
        yield _Fact(
            "pet", "got a pet", "lost a pet", (pet.name,), pet.since, pet.until, True,
            {"pet": pet.name, "pet_type": pet.type},
        )  # fmt: skip
    yield from _milestones(profile)


def _milestones(profile: Profile) -> Iterator[_Fact]:
    relations = {tokens(person.name): person.relation for person in profile.people}
    for stone in profile.milestones:
        relation = relations.get(tokens(stone.person), "")
        # Most milestones are a day; one with an end (a sabbatical) lasts.
        lasts = stone.since is not None and stone.until is not None
        yield _Fact(
            "milestone", stone.event, stone.event, (stone.event, stone.person),
            stone.since, stone.until, lasts,
            {"person": stone.person, "relation": relation, "city": stone.city, "note": stone.note},
        )  # fmt: skip
