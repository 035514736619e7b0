"""Whom the user writes to and meets often, and who is not in the profile yet.

Only suggestions: nobody is added unless the user says so. Machines are told from people by rule of
thumb. Not the job of this module: counting mails and meetings.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

from reqap.profile.model import Profile
from reqap.profile.relations import tokens

_MEETING_WEIGHT = 3  # who one meets is closer than who one mails with
_LEAST = 2

# Beginnings of the part before "@" that no person has.
_MACHINES = re.compile(
    r"(?:no|do\W?not|dont|never)\W?(?:reply|respond|antwort\w*)|(?:auto|system|mailer|bounces?"
    r"|daemon|postmaster|hostmaster|webmaster|root|notif\w*|notify|alerts?|updates?|news\w*"
    r"|marketing|promo\w*|offers?|deals?|digest|info|support|service\w*|kundenservice|help|helpdesk"
    r"|customer\w*|billing|invoices?|rechnung\w*|payments?|orders?|bestellung\w*|shipping|shipment"
    r"|delivery|tracking|receipts?|accounts?|security|admin|office|contact|kontakt|hello|hallo"
    r"|team|jobs|careers?|sales|feedback|survey|calendar|members?|community|events?|tickets?"
    r"|booking\w*|reservations?|confirm\w*|verify|welcome|subscriptions?|list|lists)(?:[^a-z]|$)"
)
_REPLY_ANYWHERE = re.compile(r"no\W?reply|do\W?not\W?reply|unsubscribe|bounce|mailer-daemon")
_LISTS = re.compile(
    r"@(?:.*\.)?(?:lists?|groups|googlegroups|newsletter|news|mail(?:er|ing)?|email|e|em|notify|"
    r"notifications?|reply|bounces?|calendar)\..*\.|@googlegroups\.com$|calendar\.google\.com$"
)


class Contact(NamedTuple):
    """Somebody in the user's mails or appointments."""

    name: str
    address: str  # empty where only a name is known
    mails: int
    meetings: int
    written: int | None = None  # mails the user wrote to them; None: not known


class Suggestion(NamedTuple):
    """Somebody the user may want in the profile."""

    name: str
    addresses: tuple[str, ...]
    mails: int
    meetings: int


def suggest_people(contacts: Iterable[Contact], profile: Profile) -> list[Suggestion]:
    """The people not yet in the profile, those with the most mails and meetings first."""
    known = _Known(profile)
    merged: dict[tuple[str, ...], list[Contact]] = {}
    for contact in contacts:
        if not is_machine(contact.address) and not known.has(contact):
            merged.setdefault(_identity(contact), []).append(contact)
    suggestions = []
    for group in merged.values():
        found = _joined(group)
        one_way = found.mails and not found.meetings and all(c.written == 0 for c in group)
        if found.mails + found.meetings >= _LEAST and not one_way:
            suggestions.append(found)
    return sorted(suggestions, key=lambda s: (-_weight(s), s.name.casefold(), s.addresses))


def is_machine(address: str) -> bool:
    """Whether an address looks like one no person reads: no-reply, newsletters, lists."""
    address = address.casefold()[:320]
    local = address.partition("@")[0]
    return bool(_MACHINES.match(local) or _REPLY_ANYWHERE.search(local) or _LISTS.search(address))


class _Known:
    """Everybody who needs no suggesting: the user, and the people in the profile."""

    def __init__(self, profile: Profile) -> None:
        people = profile.people
        self._addresses = {
            a.casefold() for a in (*profile.emails, *(a for p in people for a in p.emails))
        }
        names = (*profile.who, *(n for p in people for n in (p.name, *p.nicknames)))
        self._names = {frozenset(tokens(name)) for name in names} - {frozenset()}
        self._profile = profile

    def has(self, contact: Contact) -> bool:
        if contact.address.casefold() in self._addresses:
            return True
        # As a set of words: "Doe, Jane" is Jane Doe.
        if frozenset(tokens(contact.name)) in self._names:
            return True
        return not contact.address and len(self._profile.people_named(contact.name)) == 1


def _identity(contact: Contact) -> tuple[str, ...]:
    """The same for one person's addresses: a name of two words or more tells who it is."""
    words = tuple(sorted(tokens(contact.name)))
    return words if len(words) > 1 or not contact.address else (contact.address.casefold(),)


def _joined(group: list[Contact]) -> Suggestion:
    by_use = sorted(group, key=lambda c: (-c.mails - c.meetings, "," in c.name, c.address))
    addresses = dict.fromkeys(c.address for c in by_use if c.address)
    name = next((c.name for c in by_use if c.name), "") or _name_from(by_use[0].address)
    last, comma, first = name.partition(",")
    name = f"{first.strip()} {last.strip()}" if comma and first.strip() else name
    mails, meetings = sum(c.mails for c in group), sum(c.meetings for c in group)
    return Suggestion(name, tuple(addresses), mails, meetings)


def _name_from(address: str) -> str:
    """A name made of an address: jane.doe@… is Jane Doe."""
    local = address.partition("@")[0]
    return " ".join(part.capitalize() for part in re.split(r"[._+-]", local) if part) or address


def _weight(suggestion: Suggestion) -> int:
    return suggestion.mails + _MEETING_WEIGHT * suggestion.meetings
