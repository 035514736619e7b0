"""Whom the user writes to and meets: counted over all mails and appointments in the store."""

from collections import Counter
from collections.abc import Iterable, Iterator
from email.utils import parseaddr
from typing import NamedTuple

import orjson

from reqap.profile import Contact, Profile
from reqap.store import Store

# One pass over each kind; equal headers are counted together, so little leaves the database.
_MAILS = """
    SELECT data->'$.sender', data->'$.recipient', data->'$.cc', data->>'$.direction', count(*)
    FROM events WHERE kind = 'mail' GROUP BY ALL
"""
_MEETINGS = """
    SELECT data->'$.participants', data->'$.attendees', data->'$.organizer', count(*)
    FROM events WHERE kind = 'calendar' GROUP BY ALL
"""
# A mailbox is its owner's: an address that takes part in nearly every mail is the user's own.
_OWNERS_SHARE = 0.6
_FEWEST_MAILS = 5


class _Party(NamedTuple):
    name: str
    address: str

    @property
    def key(self) -> str:
        return (self.address or self.name).casefold()


class _Mail(NamedTuple):
    senders: list[_Party]
    receivers: list[_Party]
    sent: bool
    times: int


class _Tally:
    """What is known of one party so far."""

    def __init__(self) -> None:
        self.names: Counter[str] = Counter()
        self.address = ""
        self.mails = self.meetings = self.written = 0

    def see(self, party: _Party, count: int) -> None:
        self.address = self.address or party.address
        if party.name:
            self.names[party.name] += count


def count_contacts(store: Store, profile: Profile) -> list[Contact]:
    """Everybody but the user, with how many mails and meetings they share."""
    mails = list(_mails(store))
    own = _own_addresses(mails, profile)
    who = {name.casefold() for name in profile.who} | own
    tallies: dict[str, _Tally] = {}

    def tally(party: _Party, count: int) -> _Tally:
        found = tallies.setdefault(party.key, _Tally())
        found.see(party, count)
        return found

    for mail in mails:
        mine = mail.sent or any(_is_own(party, who) for party in mail.senders)
        for party in mail.receivers if mine else mail.senders:
            if not _is_own(party, who):
                found = tally(party, mail.times)
                found.mails += mail.times
                found.written += mail.times if mine else 0
    for participants, count in _meetings(store):
        for party in {party.key: party for party in participants}.values():
            if not _is_own(party, who):
                tally(party, count).meetings += count
    return [_contact(found, directions_known=bool(own)) for found in tallies.values()]


def _contact(tally: _Tally, directions_known: bool) -> Contact:
    name = tally.names.most_common(1)[0][0] if tally.names else ""
    written = tally.written if directions_known else None
    return Contact(name, tally.address, tally.mails, tally.meetings, written)


def _is_own(party: _Party, who: set[str]) -> bool:
    return party.address.casefold() in who if party.address else party.name.casefold() in who


def _own_addresses(mails: Iterable[_Mail], profile: Profile) -> set[str]:
    """The user's addresses: from the profile, from mails they sent, or the one in most mails."""
    own = {address.casefold() for address in profile.emails}
    seen: Counter[str] = Counter()
    total = 0
    for mail in mails:
        total += mail.times
        if mail.sent:
            own.update(party.address.casefold() for party in mail.senders if party.address)
        for key in {party.key for party in (*mail.senders, *mail.receivers) if party.address}:
            seen[key] += mail.times
    if not own and total >= _FEWEST_MAILS and seen:
        address, count = seen.most_common(1)[0]
        if count >= _OWNERS_SHARE * total:
            own = {address}
    return own


def _mails(store: Store) -> Iterator[_Mail]:
    for sender, to, cc, direction, count in store.connection.execute(_MAILS).fetchall():
        yield _Mail(_parties(sender), _parties(to) + _parties(cc), direction == "sent", count)


def _meetings(store: Store) -> Iterator[tuple[list[_Party], int]]:
    for participants, attendees, organizer, count in store.connection.execute(_MEETINGS).fetchall():
        yield _parties(participants) + _parties(attendees) + _parties(organizer), count


def _parties(value: str | None) -> list[_Party]:
    """The people in a value of an event: a text or a list of texts, "Name <address>" or either."""
    entries = orjson.loads(value) if value else []
    texts = entries if isinstance(entries, list) else [entries]
    return [party for text in texts if isinstance(text, str) and (party := _party(text))]


def _party(text: str) -> _Party | None:
    text = text.strip()[:500]
    if "@" not in text:
        return _Party(text, "") if text else None
    name, address = parseaddr(text)
    if "@" not in address:
        return None
    return _Party("" if name.casefold() == address.casefold() else name, address)
