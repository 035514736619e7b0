"""Writes the mailbox of a Takeout: letters and newsletters in the encodings mail programs use."""

import html
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.charset import QP, Charset
from email.header import Header
from email.mime.multipart import MIMEMultipart
from email.mime.nonmultipart import MIMENonMultipart
from email.mime.text import MIMEText
from email.utils import format_datetime, formataddr, getaddresses

from reqap.perqa.exports.traces import Traces, digest

_STYLES = ("plain", "latin1", "base64", "alternative", "8bit", "html")


@dataclass(frozen=True)
class _Mail:
    """One message before it is put into bytes."""

    sent: datetime
    sender: tuple[str, str]
    to: tuple[tuple[str, str], ...]
    subject: str
    body: str
    labels: tuple[str, ...]
    style: str

    @property
    def key(self) -> str:
        return digest(self.sent, self.subject, self.sender)[:24]


def members(traces: Traces) -> dict[str, bytes]:
    """The mailbox, newest first as Gmail writes it."""
    mails = [
        _mail(traces, one.start, {name: str(told) for name, told in one.data.items()}, number)
        for number, one in enumerate(traces.of("mail"))
    ]
    content = b"".join(_entry(mail) for mail in reversed(mails))
    return {"Takeout/Mail/All mail Including Spam and Trash.mbox": content}


def _mail(traces: Traces, when: datetime, told: dict[str, str], number: int) -> _Mail:
    sender = getaddresses([told["sender"]])[0]
    outgoing = sender[0] == traces.persona.name
    return _Mail(
        traces.aware(when),
        sender,
        tuple(getaddresses([told["recipient"]])),
        told["subject"],
        told["text"],
        ("Sent", "Opened") if outgoing else ("Inbox", "Opened"),
        "alternative" if outgoing else _STYLES[number % len(_STYLES)],
    )


def _entry(mail: _Mail) -> bytes:
    """One mbox entry: separator, headers, body with `From ` lines quoted."""
    when = mail.sent.astimezone(UTC)
    number = int(mail.key[:15], 16)
    separator = f"From {number}@xxx {when:%a %b %d %H:%M:%S} +0000 {when.year}\n".encode()
    content = _BUILDERS[mail.style](mail).as_bytes().replace(b"\r\n", b"\n").rstrip(b"\n")
    quoted = re.sub(rb"(?m)^(>*From )", rb">\1", content)
    return separator + _headers(mail, number) + quoted + b"\n\n"


def _headers(mail: _Mail, number: int) -> bytes:
    charset = _charset(mail)
    lines = [
        f"X-GM-THRID: {number}",
        f"X-Gmail-Labels: {','.join(mail.labels)}",
        f"Message-ID: <{mail.key}@{mail.sender[1].partition('@')[2]}>",
        f"From: {formataddr(mail.sender, charset)}",
        "To: " + ",\n ".join(formataddr(person, "utf-8") for person in mail.to),
        f"Subject: {_encoded(mail.subject, charset)}",
        f"Date: {format_datetime(mail.sent)}",
    ]
    return ("\n".join(lines) + "\n").encode("ascii")


def _charset(mail: _Mail) -> str:
    """Latin-1 where it was asked for and the text allows it."""
    text = mail.subject + mail.sender[0] + mail.body
    latin = mail.style == "latin1" and all(ord(char) < 256 for char in text)
    return "iso-8859-1" if latin else "utf-8"


def _encoded(text: str, charset: str) -> str:
    return text if text.isascii() else Header(text, charset, maxlinelen=70).encode(linesep="\n")


def _html(mail: _Mail) -> str:
    parts = "".join(f"<p>{html.escape(part)}</p>\n" for part in mail.body.split("\n\n"))
    style = "<style>p { font-family: Arial, sans-serif; }</style>"
    text = parts.replace("\n", "<br>\n").replace("</p><br>\n", "</p>\n")
    return f"<html><head>{style}</head><body>\n{text}</body></html>\n"


def _quoted(mail: _Mail, subtype: str = "plain") -> MIMENonMultipart:
    """Quoted-printable, the way most mail programs send accents."""
    charset = Charset(_charset(mail))
    charset.body_encoding = QP
    part = MIMENonMultipart("text", subtype, charset=charset.output_charset or "utf-8")
    part.set_payload(_html(mail) if subtype == "html" else mail.body + "\n", charset)
    return part


def _only_html(mail: _Mail) -> MIMENonMultipart:
    """Newsletters rarely bother with a plain part."""
    return _quoted(mail, "html")


def _base64(mail: _Mail) -> MIMENonMultipart:
    return MIMEText(mail.body + "\n", "plain", "utf-8")


def _eight_bit(mail: _Mail) -> MIMENonMultipart:
    part = MIMENonMultipart("text", "plain", charset="utf-8")
    part["Content-Transfer-Encoding"] = "8bit"
    part.set_payload((mail.body + "\n").encode("utf-8").decode("ascii", "surrogateescape"))
    return part


def _alternative(mail: _Mail) -> MIMEMultipart:
    parts = [_quoted(mail), _quoted(mail, "html")]
    return MIMEMultipart("alternative", boundary=f"000000000000{mail.key}", _subparts=parts)


_BUILDERS: dict[str, Callable[[_Mail], MIMENonMultipart | MIMEMultipart]] = {
    "plain": _quoted,
    "latin1": _quoted,
    "base64": _base64,
    "8bit": _eight_bit,
    "alternative": _alternative,
    "html": _only_html,
}
