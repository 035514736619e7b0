"""Mail: the messages of a mailbox (.mbox, .eml).

How to get it: Gmail: takeout.google.com → only "Mail" → a .mbox file. Apple Mail: choose mailboxes
→ Mailbox → Export Mailbox. Thunderbird: the files without an ending in the profile's `Mail` folder,
or the add-on ImportExportTools. Others: save messages as .eml.

`text` is what was newly written; the letters quoted below or between it are left out, because they
are messages of their own (see `replies`), and forwarded ones are kept. Spam, deleted messages and
drafts are passed over. Of attachments only the names are taken.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime

from reqap.events import Event, ImportIssue, Value, event_id
from reqap.sources.base import Context, ExportFile, Items, Sample, Source
from reqap.sources.charsets import decode_words
from reqap.sources.mailheaders import CHATS, SENT, Person, labels, mail_date, passed_over, people
from reqap.sources.mbox import Mail, is_separator, split, whole
from reqap.sources.mime import Message, Part, attachments_of, parse, read_headers, text_of
from reqap.sources.replies import is_forward, new_text
from reqap.sources.textio import STRAY_NUL, decode

NAME = "mail"

_RAW_BYTES = 64 << 10
_HASHED_BYTES = 64 << 10
_BOM = b"\xef\xbb\xbf"
_HEADER_LINE = re.compile(rb"[A-Za-z][A-Za-z0-9-]{0,99}:[ \t\r\n]")
# What a file must hold to be taken for a single message, and at least two of these besides.
_EML_MUST = {"from"}
_EML_TELLTALE = {"date", "subject", "message-id", "received", "mime-version", "return-path", "to"}


def sniff(sample: Sample) -> bool:
    head = sample.head.removeprefix(_BOM)
    if head.startswith(b"From "):
        return sample.is_text and is_separator(head, 0)
    if not sample.is_text or not _HEADER_LINE.match(head):
        return False
    names = read_headers(head, 0, len(head))[0].keys()
    # In a letter, everything up to the blank line is headers; in other texts a line is not.
    odd = sum(1 for name in names if " " in name)
    return names >= _EML_MUST and len(names & _EML_TELLTALE) >= 2 and odd == 0


def read(file: ExportFile, context: Context) -> Items:
    who = frozenset(name.casefold() for name in context.who)
    nul = False
    for mail in _mails(file):
        if not nul and b"\x00" in mail.content:
            nul = True
            yield ImportIssue(STRAY_NUL, file.origin(mail.offset), skipped=False)
        if not mail.separator and mail.offset == 0 and not mail.content.strip():
            continue
        try:
            yield from _items(mail, file, context, who)
        except (ValueError, LookupError, ArithmeticError, TypeError) as error:
            detail = f"{type(error).__name__}: {error}"[:200]
            yield ImportIssue("broken message", file.origin(mail.offset), detail)


def _mails(file: ExportFile) -> Iterator[Mail]:
    with file.open() as stream:
        single = not stream.read(8).removeprefix(_BOM).startswith(b"From ")
    with file.open() as stream:
        if single:
            yield whole(stream)
        else:
            yield from split(stream)


def _items(mail: Mail, file: ExportFile, context: Context, who: frozenset[str]) -> Items:
    origin = file.origin(mail.offset)
    message = parse(mail.content.removeprefix(_BOM), mail.gaps)
    headers = message.headers
    if "from" not in headers and "date" not in headers and "subject" not in headers:
        yield ImportIssue("not a message", origin, decode(mail.content[:60])[0])
        return
    found = labels(headers["x-gmail-labels"]) if "x-gmail-labels" in headers else ()
    if reason := passed_over(found, headers):
        yield ImportIssue(reason, origin)
        return
    moment = mail_date(headers, mail.separator)
    if moment is None:
        yield ImportIssue("no date", origin, headers.get("date", "")[:200])
        return
    data, cut = _data(message, found, who)
    if cut:
        yield ImportIssue("only the beginning of a long text was kept", origin, skipped=False)
    start, offset = (moment, None) if moment.tzinfo is None else context.clock.wall(moment)
    yield Event(
        id=_identity(message, moment, data),
        source=NAME,
        kind="mail" if CHATS.isdisjoint(label.lower() for label in found) else "chat",
        start=start,
        end=start,
        offset=offset,
        data=data,
        origin=origin,
        user_zone=offset is not None,
    )


def _identity(message: Message, moment: datetime, data: dict[str, Value]) -> str:
    """Message-ID and date: a few senders use one Message-ID for many messages."""
    written = moment.isoformat() if moment.tzinfo is None else moment.astimezone(UTC).isoformat()
    if message_id := message.headers.get("message-id", "").strip("<> \t"):
        return event_id(NAME, written, message_id)
    body = message.content[message.root.start :][:_HASHED_BYTES].replace(b"\r", b"").strip()
    return event_id(NAME, written, data.get("sender", ""), data.get("subject", ""), body)


def _data(
    message: Message, found: tuple[str, ...], who: frozenset[str]
) -> tuple[dict[str, Value], bool]:
    """What a message tells, and whether its text was cut."""
    headers = message.headers
    data: dict[str, Value] = {}
    if subject := decode_words(headers.get("subject", "")):
        data["subject"] = subject
    senders = people(headers.get("from") or headers.get("sender") or "")
    if senders:
        data["sender"] = str(senders[0])
        if senders[0].name:
            data["sender_name"] = senders[0].name
        if senders[0].address:
            data["sender_address"] = senders[0].address
    receivers: tuple[Person, ...] = ()
    for key, name in (("recipient", "to"), ("cc", "cc"), ("bcc", "bcc")):
        if name in headers and (persons := people(headers[name])):
            data[key] = [str(person) for person in persons]
            receivers += persons
    text, cut = text_of(message)
    if text:
        data["text"] = text if is_forward(subject) else new_text(text)
    if found:
        data["labels"] = list(found)
    if names := [_attachment_name(message, part) for part in attachments_of(message)]:
        data["attachments"] = names
    if direction := _direction(message, found, senders, receivers, who):
        data["direction"] = direction
    return data, cut


def _attachment_name(message: Message, part: Part) -> str:
    """A file's name without its folders; of a letter in the letter, what it is about."""
    name = re.split(r"[/\\]", part.name)[-1][:500]
    if not name and part.type == "message/rfc822":
        inner = read_headers(message.content, part.start, part.end)[0]
        name = decode_words(inner.get("subject", ""))[:500]
    return name or part.type


def _direction(
    message: Message,
    found: tuple[str, ...],
    senders: tuple[Person, ...],
    receivers: tuple[Person, ...],
    who: frozenset[str],
) -> str:
    """Whether the user sent or received a message; empty where that is not known."""
    if not SENT.isdisjoint(label.lower() for label in found) or _is_one_of(senders, who):
        return "sent"
    if found or "delivered-to" in message.headers or _is_one_of(receivers, who):
        return "received"
    return ""


def _is_one_of(persons: tuple[Person, ...], who: frozenset[str]) -> bool:
    return bool(who) and any(
        person.name.casefold() in who or person.address.casefold() in who for person in persons
    )


def raw(file: ExportFile, position: int) -> str:
    """The message at a byte offset as it stands in the file, but without attachments."""
    mail = next(_mails(file), None) if position == 0 else _mail_at(file, position)
    if mail is None:
        return ""
    message = parse(mail.content, mail.gaps)
    hidden = [part for part in attachments_of(message) if not part.type.startswith("text/")]
    pieces, at = [mail.separator, b"\n"] if mail.separator else [], 0
    for part in sorted(hidden, key=lambda part: part.start):
        if part.start >= at:
            pieces += [message.content[at : part.start], b"[attachment left out]\n"]
            at = part.end
    pieces.append(message.content[at:])
    return decode(b"".join(pieces)[:_RAW_BYTES])[0]


def _mail_at(file: ExportFile, position: int) -> Mail | None:
    with file.open() as stream:
        if stream.seekable():
            stream.seek(position)
        else:
            while position > 0 and (passed := stream.read(min(position, 1 << 20))):
                position -= len(passed)
        return next(split(stream), None)


def _stamp(context: Context) -> str:
    """Whose mails count as sent depends on the user's names."""
    return event_id(*sorted(context.who))


SOURCE = Source(NAME, "Mail (mbox, eml)", 1, sniff, read, raw, stamp=_stamp)
