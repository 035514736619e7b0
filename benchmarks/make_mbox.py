"""Writes an mbox that looks like a Gmail export, for measuring the reader of mails.

    python benchmarks/make_mbox.py mails.mbox --messages 20000

The shares follow a real mailbox of 277,000 messages: 87 % HTML, 11 % legacy charsets, 2.7 % without
a usable Date, 1.4 % with a date without offset, 1 % with ">From " lines; 6 KB on average. The same
seed gives the same file.
"""

import argparse
import base64
import quopri
import random
from datetime import UTC, datetime, timedelta, timezone
from email.utils import format_datetime
from pathlib import Path
from typing import BinaryIO


def _words(text: str) -> list[str]:
    return text.split()


_WORDS = _words(
    "the meeting moves to Thursday because the room is taken and we still need the figures from"
    " last quarter please send them before noon thanks for the photos they are wonderful shall we"
    " have dinner at eight near the station your order has been shipped and will arrive tomorrow"
    " unsubscribe view this message in your browser invoice total including tax account statement"
)
_UMLAUTS = _words("Grüße für Jürgen über Straße Käse schön Öl Ärger Übung né café déjà señor niño")
_RUSSIAN = _words("привет как дела завтра встреча спасибо письмо")
_JAPANESE = _words("こんにちは ありがとう 会議 明日 写真")
_PEOPLE = (
    ("Anna Berger", "anna.berger@example.com"),
    ("Jürgen Müller", "j.mueller@example.de"),
    ("Zoë O'Neil", "zoe@example.org"),
    ("Newsletter, The", "news@shop.example"),
    ("山田 太郎", "taro@example.jp"),
    ("", "no-reply@bank.example"),
)
_CHARSETS = (
    ("iso-8859-1", _UMLAUTS),
    ("windows-1252", _UMLAUTS),
    ("iso-8859-15", _UMLAUTS),
    ("koi8-r", _RUSSIAN),
    ("windows-1251", _RUSSIAN),
    ("iso-2022-jp", _JAPANESE),
    ("shift_jis", _JAPANESE),
)
_LABELS = (
    "Inbox,Opened,Category Promotions",
    "Sent",
    "Archived,Opened,Rechnungen & Verträge für 2024",
)
_BAD_DATES = ("", "yesterday", "32 Foo 2021 99:99:99", "Mon, 00 Jan 0000 00:00:00 +0000")


class Writer:
    """Makes one message after the other; everything comes from one seeded generator."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._moment = datetime(2014, 1, 1, tzinfo=UTC)

    def message(self, number: int) -> bytes:
        rand = self._random
        self._moment += timedelta(minutes=rand.expovariate(1 / 18))
        charset, special = "utf-8", rand.choice((_UMLAUTS, [], []))
        if rand.random() < 0.11:
            charset, special = rand.choice(_CHARSETS)
        plain = self._text(rand.randint(40, 260), special)
        if rand.random() < 0.01:
            plain += "\n\nFrom here on we walk.\nFrom home.\n"
        headers, body = self._body(plain, charset)
        if rand.random() < 0.04:
            headers, body = self._with_attachment(headers, body)
        separator = (
            f"From {rand.randint(10**17, 10**18)}@xxx {self._moment:%a %b %d %H:%M:%S +0000 %Y}"
        )
        head = "\n".join([separator, *self._headers(number, special), *headers])
        content = head.encode() + b"\n\n" + body.replace(b"\r\n", b"\n")
        quoted = content.replace(b"\nFrom ", b"\n>From ")
        return quoted.rstrip(b"\n") + b"\n\n"

    def _text(self, count: int, special: list[str]) -> str:
        rand = self._random
        words = rand.choices(_WORDS + special * 3, k=count)
        for place in range(12, count, 13):
            words[place] += rand.choice((".\n", ".\n\n", ",\n", "?\n"))
        return " ".join(words).replace("\n ", "\n")

    def _headers(self, number: int, special: list[str]) -> list[str]:
        rand = self._random
        (name, address), (to_name, to) = rand.choice(_PEOPLE), rand.choice(_PEOPLE)
        subject = " ".join(rand.choices(_WORDS + special, k=rand.randint(3, 9)))
        labels = rand.choice(_LABELS)
        lines = [
            f"X-GM-THRID: {rand.randint(10**17, 10**18)}",
            f"X-Gmail-Labels: {_word(labels)}",
            "Delivered-To: me@example.com",
            *self._received(),
            f"From: {_phrase(name)}<{address}>",
            f"To: {_phrase(to_name)}<{to}>",
            f"Subject: {_word(subject)}",
            f"Message-ID: <{number}.{rand.randint(0, 10**9)}@mail.example.com>",
            "MIME-Version: 1.0",
        ]
        if date := self._date():
            lines.insert(-2, f"Date: {date}")
        return lines

    def _received(self) -> list[str]:
        rand = self._random
        lines = []
        for _ in range(rand.randint(1, 4)):
            lines += [
                f"Received: by 2002:a05:{rand.randint(1000, 9999)}:b0:1 id x{rand.random()}",
                f"        for <me@example.com>; {format_datetime(self._moment)}",
            ]
        signature = base64.b64encode(rand.randbytes(256)).decode()
        lines.append("DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=example.com;")
        lines += [f"        {signature[at : at + 70]}" for at in range(0, len(signature), 70)]
        return lines

    def _date(self) -> str:
        rand = self._random
        chance = rand.random()
        if chance < 0.027:
            return rand.choice(_BAD_DATES)
        local = self._moment.astimezone(timezone(timedelta(hours=rand.randint(-8, 9))))
        if chance < 0.041:
            return f"{local:%a, %d %b %Y %H:%M:%S}"
        return format_datetime(local)

    def _body(self, plain: str, charset: str) -> tuple[list[str], bytes]:
        rand = self._random
        chance = rand.random()
        if chance < 0.13:
            return self._encoded("plain", plain, charset)
        paragraphs = "".join(
            f'<tr><td style="font-family:Arial,sans-serif;font-size:14px;color:#333333">'
            f"<p>{line}</p></td></tr>\n"
            for line in plain.split("\n")
        )
        html = (
            "<!DOCTYPE html><html><head>\n<style>p {margin: 0} .x {color: red}</style></head>\n"
            f'<body><table width="600" cellpadding="0">{paragraphs}</table>\n'
            f'<a href="https://example.com/u/{rand.randbytes(60).hex()}">unsubscribe&nbsp;here</a></body></html>\n'
        )
        if chance < 0.5:
            return self._encoded("html", html, charset)
        mark = f"000000000000{rand.getrandbits(80):020x}"
        body = b""
        for kind, text in (("plain", plain), ("html", html)):
            headers, content = self._encoded(kind, text, charset)
            body += f"--{mark}\n".encode() + "\n".join(headers).encode() + b"\n\n" + content + b"\n"
        return [
            f'Content-Type: multipart/alternative; boundary="{mark}"'
        ], body + f"--{mark}--\n".encode()

    def _encoded(self, kind: str, text: str, charset: str) -> tuple[list[str], bytes]:
        raw = text.encode(charset, "replace")
        way = self._random.choice(("quoted-printable", "quoted-printable", "base64", "8bit"))
        if way == "quoted-printable":
            raw = quopri.encodestring(raw)
        elif way == "base64":
            raw = base64.encodebytes(raw)
        return [
            f'Content-Type: text/{kind}; charset="{charset}"',
            f"Content-Transfer-Encoding: {way}",
        ], raw

    def _with_attachment(self, headers: list[str], body: bytes) -> tuple[list[str], bytes]:
        rand = self._random
        mark = f"mixed_{rand.getrandbits(80):020x}"
        data = base64.encodebytes(rand.randbytes(rand.randint(5_000, 60_000)))
        whole = (
            f"--{mark}\n".encode()
            + "\n".join(headers).encode()
            + b"\n\n"
            + body
            + f"\n--{mark}\nContent-Type: application/pdf\n".encode()
            + b'Content-Disposition: attachment; filename="invoice.pdf"\n'
            + b"Content-Transfer-Encoding: base64\n\n"
            + data
            + f"--{mark}--\n".encode()
        )
        return [f'Content-Type: multipart/mixed; boundary="{mark}"'], whole


def _word(text: str) -> str:
    if text.isascii():
        return text
    return "=?UTF-8?B?" + base64.b64encode(text.encode()).decode() + "?="


def _phrase(name: str) -> str:
    if not name:
        return ""
    return f'"{name}" ' if name.isascii() else f"{_word(name)} "


def write_mbox(stream: BinaryIO, messages: int, seed: int = 1) -> None:
    writer = Writer(seed)
    for number in range(messages):
        stream.write(writer.message(number))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("path", type=Path)
    parser.add_argument("--messages", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with arguments.path.open("wb") as stream:
        write_mbox(stream, arguments.messages, arguments.seed)


if __name__ == "__main__":
    main()
