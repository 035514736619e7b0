"""Writes the mailbox: letters between people, bookings, newsletters, order confirmations.

Letters and bookings are hand-written; order confirmations are a view of the orders.
The oddities (a mail without a date, one with a naive date, one twice, an unknown charset)
are the ones measured in a real Gmail export.
"""

from __future__ import annotations

import hashlib
import html
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from email.charset import QP, Charset
from email.header import Header
from email.mime.multipart import MIMEMultipart
from email.mime.nonmultipart import MIMENonMultipart
from email.mime.text import MIMEText
from email.utils import format_datetime, formataddr
from zoneinfo import ZoneInfo

from reqap.demo import bank, people
from reqap.demo.life import HOME_ZONE, Life, utc
from reqap.demo.people import ME
from reqap.demo.shopping import Order


@dataclass(frozen=True)
class Mail:
    """One message before it is put into bytes; `sent` is local wall time of `zone`."""

    sent: datetime
    zone: str
    sender: tuple[str, str]
    to: tuple[tuple[str, str], ...]
    subject: str
    body: str
    labels: tuple[str, ...]
    style: str
    reply_to: str = ""

    @property
    def key(self) -> str:
        digest = hashlib.sha256(f"{self.sent}{self.subject}{self.sender}".encode()).hexdigest()
        return digest[:24]

    @property
    def message_id(self) -> str:
        return f"<{self.key}@{self.sender[1].partition('@')[2]}>"


def mails(life: Life, orders: list[Order]) -> list[Mail]:
    """All mails in time order."""
    found = (
        _letters(life) + _services() + [_confirmation(order) for order in orders if order.mailed]
    )
    return sorted(found, key=lambda mail: utc(mail.sent, mail.zone))


def mbox(life: Life, orders: list[Order]) -> bytes:
    """The whole mailbox, newest first as Gmail writes it, with one message twice."""
    everything = mails(life, orders)
    twin = next(mail for mail in everything if mail.subject == "Your Wrapped is here")
    everything.append(twin)
    everything.sort(key=lambda mail: utc(mail.sent, mail.zone), reverse=True)
    return b"".join(_entry(mail) for mail in everything)


def _letters(life: Life) -> list[Mail]:
    """Personal mail; an answer quotes the mail it answers."""
    book = people.addresses()
    me = (ME, book[ME])
    found: list[Mail] = []
    for block in bank.blocks("mails_2024.txt", 4) + bank.blocks("mails_2025.txt", 4):
        when, direction, names, subject = block.head[:4]
        sent = datetime.fromisoformat(when)
        others = tuple((name, book[name]) for name in names.split(", "))
        number = len(found)
        outgoing = direction == "out"
        family = "Figueiredo" in names or "Brandt" in names
        labels = ("Sent", "Opened") if outgoing else ("Inbox", "Important", "Opened")
        mail = Mail(
            sent,
            life.zone_on(sent.date()),
            me if outgoing else others[0],
            others if outgoing else (me,),
            subject,
            block.body,
            (*labels, "Família") if family else labels,
            _style(number, block.body, outgoing),
        )
        found.append(_with_quote(mail, found))
    return found


def _style(number: int, body: str, outgoing: bool) -> str:
    if outgoing:
        return "alternative"
    latin = all(ord(char) < 256 for char in body)
    return ("plain", "latin1" if latin else "plain", "base64", "alternative", "8bit")[number % 5]


def _with_quote(mail: Mail, earlier: list[Mail]) -> Mail:
    if not mail.subject.startswith("Re: "):
        return mail
    topic = mail.subject.removeprefix("Re: ")
    thread = [old for old in earlier if old.subject.removeprefix("Re: ") == topic]
    if not thread:
        return mail
    asked = thread[-1]
    text = asked.body.partition("\n\nOn ")[0]
    quoted = "\n".join(f"> {line}".rstrip() for line in text.splitlines())
    day = f"{asked.sent:%a, %d %b %Y} at {asked.sent:%H:%M}"
    body = f"{mail.body}\n\nOn {day}, {asked.sender[0]} <{asked.sender[1]}> wrote:\n\n{quoted}"
    return replace(mail, body=body, reply_to=asked.message_id)


def _services() -> list[Mail]:
    """Bookings, tickets, newsletters and two pieces of spam."""
    me = (ME, people.addresses()[ME])
    found = []
    for block in bank.blocks("services.txt", 6):
        when, name, address, subject, label, flags = block.head[:6]
        bulk = label in ("Newsletters", "Spam")
        style = ("html" if bulk else "alternative") if "html" in flags else "plain"
        style = f"{style}-latin1" if "latin1" in flags else style
        box = ("Spam",) if label == "Spam" else ("Inbox", "Category Updates", label)
        found.append(
            Mail(
                datetime.fromisoformat(when),
                HOME_ZONE,
                (name, address),
                (me,),
                subject,
                block.body,
                box,
                style,
            )
        )
    return found


def _confirmation(order: Order) -> Mail:
    """The order confirmation, a few minutes after the order."""
    me = (ME, people.addresses()[ME])
    first = order.items[0].name
    more = f" and {len(order.items) - 1} more item(s)" if len(order.items) > 1 else ""
    short = first if len(first) <= 40 else first[:37].rstrip() + "..."
    arrives = order.placed + timedelta(days=2)
    lines = [f"{item.quantity} x {item.name}  EUR {item.price}" for item in order.items]
    delivery = (
        "Available now in your library."
        if order.digital
        else (
            f"Arriving {arrives:%A, %d %B}. Ship to: {people.home_on(order.placed.date())}, Hamburg"
        )
    )
    body = "\n".join(
        [
            f"Hello {ME},",
            "",
            "thank you for your order.",
            "",
            f"Order # {order.number}",
            *lines,
            f"Order total: EUR {order.total}",
            "",
            delivery,
            "",
            "Amazon.de",
        ]
    )
    return Mail(
        order.placed + timedelta(minutes=3),
        HOME_ZONE,
        ("Amazon.de", "bestellbestaetigung@amazon.de"),
        (me,),
        f'Ordered: "{short}"{more}',
        body,
        ("Inbox", "Category Purchases"),
        "alternative",
    )


def _entry(mail: Mail) -> bytes:
    """One mbox entry: separator, headers, body with `From ` lines quoted."""
    when = utc(mail.sent, mail.zone)
    number = int(mail.key[:15], 16)
    separator = f"From {number}@xxx {when:%a %b %d %H:%M:%S} +0000 {when.year}\n".encode()
    message = _BUILDERS[mail.style.partition("-")[0]](mail)
    headers = _headers(mail, number)
    content = _normal(message.as_bytes())
    if mail.subject.startswith("You have been selected"):
        content = content.replace(b'charset="utf-8"', b'charset="x-user-defined"')
    return separator + headers + re.sub(rb"(?m)^(>*From )", rb">\1", content) + b"\n\n"


def _normal(content: bytes) -> bytes:
    return content.replace(b"\r\n", b"\n").rstrip(b"\n")


def _headers(mail: Mail, number: int) -> bytes:
    charset = _charset(mail)
    lines = [
        f"X-GM-THRID: {number}",
        f"X-Gmail-Labels: {_encoded(','.join(mail.labels), 'utf-8')}",
        f"Message-ID: {mail.message_id}",
        f"From: {formataddr(mail.sender, charset)}",
        "To: " + ",\n ".join(formataddr(person, "utf-8") for person in mail.to),
        f"Subject: {_encoded(mail.subject, charset)}",
    ]
    if mail.reply_to:
        lines += [f"In-Reply-To: {mail.reply_to}", f"References: {mail.reply_to}"]
    lines += _date_line(mail)
    return ("\n".join(lines) + "\n").encode("ascii")


def _date_line(mail: Mail) -> list[str]:
    """Spam has no date or one without a zone; everybody else writes it properly."""
    if mail.subject.startswith("You have been selected"):
        return []
    if mail.subject.startswith("Unusual login"):
        return [f"Date: {mail.sent:%a, %d %b %Y %H:%M:%S}"]
    return [f"Date: {format_datetime(mail.sent.replace(tzinfo=ZoneInfo(mail.zone)))}"]


def _charset(mail: Mail) -> str:
    """Latin-1 where it was asked for and the text allows it (a quote may bring a dash in)."""
    text = mail.subject + mail.sender[0] + mail.body
    latin = "latin1" in mail.style and all(ord(char) < 256 for char in text)
    return "iso-8859-1" if latin else "utf-8"


def _encoded(text: str, charset: str) -> str:
    if text.isascii():
        return text
    return Header(text, charset, maxlinelen=70).encode(linesep="\n")


def _html(mail: Mail) -> str:
    parts = "".join(f"<p>{html.escape(part)}</p>\n" for part in mail.body.split("\n\n"))
    style = "<style>p { font-family: Arial, sans-serif; }</style>"
    text = parts.replace("\n", "<br>\n").replace("</p><br>\n", "</p>\n")
    return f"<html><head>{style}</head><body>\n{text}</body></html>\n"


def _quoted(mail: Mail, subtype: str = "plain") -> MIMENonMultipart:
    """Quoted-printable, the way most mail programs send accents."""
    charset = Charset(_charset(mail))
    charset.body_encoding = QP
    part = MIMENonMultipart("text", subtype, charset=charset.output_charset or "utf-8")
    text = _html(mail) if subtype == "html" else mail.body + "\n"
    part.set_payload(text, charset)
    return part


def _only_html(mail: Mail) -> MIMENonMultipart:
    """Newsletters rarely bother with a plain part."""
    return _quoted(mail, "html")


def _base64(mail: Mail) -> MIMENonMultipart:
    return MIMEText(mail.body + "\n", "plain", "utf-8")


def _eight_bit(mail: Mail) -> MIMENonMultipart:
    part = MIMENonMultipart("text", "plain", charset="utf-8")
    part["Content-Transfer-Encoding"] = "8bit"
    part.set_payload((mail.body + "\n").encode("utf-8").decode("ascii", "surrogateescape"))
    return part


def _alternative(mail: Mail) -> MIMEMultipart:
    parts = [_quoted(mail), _quoted(mail, "html")]
    return MIMEMultipart("alternative", boundary=f"000000000000{mail.key}", _subparts=parts)


_BUILDERS: dict[str, Callable[[Mail], MIMENonMultipart | MIMEMultipart]] = {
    "plain": _quoted,
    "latin1": _quoted,
    "base64": _base64,
    "8bit": _eight_bit,
    "alternative": _alternative,
    "html": _only_html,
}
