"""Text out of a mail's bytes: charsets, encoded header words, transfer encodings.

Charsets are missing, unknown or wrong, encodings damaged; what comes out is text all the same,
without control characters. Not the job of this module: which bytes are text (`mime`).
"""

import binascii
import re
from codecs import lookup
from functools import lru_cache
from string import ascii_letters, digits

from reqap.sources.textio import decode

# Beyond this, bytes that are not UTF-8 are not looked at one by one.
_MAX_MENDED = 256 << 10

_CONTROLS = bytes(range(9)) + bytes(range(11, 32)) + b"\x7f"
_CONTROL_CHARACTERS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]+")
_BASE64 = (ascii_letters + digits + "+/").encode()
_BASE64_SPACED = _BASE64 + b" \t\r\n"
_NOT_BASE64 = bytes(set(range(256)) - set(_BASE64))
_ENCODED_WORD = re.compile(r"=\?([^?\s]{1,80})\?([bBqQ])\?([^?]*+)\?=")

# Names that are in use and that Python does not know, or reads more narrowly than senders do.
_CHARSETS = {
    "ascii": "",
    "us-ascii": "",
    "utf8": "utf-8",
    "iso-8859-1": "cp1252",
    "latin1": "cp1252",
    "iso-8859-8-i": "iso-8859-8",
    "iso-8859-6-i": "iso-8859-6",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "x-gbk": "gb18030",
    "ks_c_5601-1987": "cp949",
    "euc-kr": "cp949",
    "shift_jis": "cp932",
    "windows-31j": "cp932",
    "x-sjis": "cp932",
    "x-mac-roman": "mac_roman",
    "unicode-1-1-utf-7": "utf-7",
}
# Codecs that decode bytes but are no charsets of mails; some take quadratic time.
_NO_CHARSETS = {"punycode", "idna", "undefined", "unicode-escape", "raw-unicode-escape"}
# In these, the bytes of control characters mean nothing else, and bytes decode one way only.
_PLAIN = {"utf-8", "cp1252", "iso8859-15", "iso8859-2", "cp1250", "cp1251", "koi8-r"}


def decode_bytes(raw: bytes, charset: str) -> str:
    """Text in a charset that may be missing, unknown or wrong; without control characters."""
    codec = _codec(charset)
    if codec in _PLAIN:
        raw = raw.translate(None, _CONTROLS)
    try:
        text = raw.decode(codec) if codec else decode_stray(raw)
    except (UnicodeError, LookupError):
        text = decode_stray(raw)
    if codec not in _PLAIN:
        text = _CONTROL_CHARACTERS.sub("", text)
        if codec == "utf-7":  # which can write half characters
            text = text.encode("utf-8", "replace").decode("utf-8")
    return text


@lru_cache(maxsize=1024)
def _codec(charset: str) -> str:
    """Python's name for a charset; empty where there is none."""
    name = charset.strip(" \t\"'").lower().partition("*")[0]
    name = _CHARSETS.get(name, name)
    if not name.isascii() or "\x00" in name:
        return ""
    try:
        codec = lookup(name)
    except (LookupError, ValueError):
        return ""
    return (
        ""
        if codec.name.replace("_", "-") in _NO_CHARSETS
        else _CHARSETS.get(codec.name, codec.name)
    )


def decode_stray(raw: bytes) -> str:
    """UTF-8; where it is not, Windows-1252."""
    if len(raw) <= _MAX_MENDED:
        return decode(raw)[0]
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("cp1252", "replace")


def decode_words(value: str) -> str:
    """A header's text: encoded words (RFC 2047) decoded, white space made single.

    Broken senders cut characters in two, so neighbouring words of one charset are joined as bytes.
    """
    if "=?" not in value:
        return _clean_header(value)
    result: list[str] = []
    waiting: list[bytes] = []
    charset, at = "", 0
    for word in _ENCODED_WORD.finditer(value):
        between = value[at : word.start()]
        same = word[1].lower() == charset and not between.strip()
        if not same:
            result.append(decode_bytes(b"".join(waiting), charset))
            # White space between two encoded words is not part of the text.
            result.append(between if at == 0 or between.strip() else "")
            waiting, charset = [], word[1].lower()
        waiting.append(_word_bytes(word[2], word[3]))
        at = word.end()
    result += [decode_bytes(b"".join(waiting), charset), value[at:]]
    return _clean_header("".join(result))


def _word_bytes(way: str, text: str) -> bytes:
    raw = text.encode("utf-8", "replace")
    if way in "bB":
        return from_base64(raw)
    return binascii.a2b_qp(raw, header=True)


def _clean_header(value: str) -> str:
    if value.isprintable() and "  " not in value:
        return value.strip()
    return " ".join(_CONTROL_CHARACTERS.sub(" ", value).split())


def from_base64(raw: bytes) -> bytes:
    """Base64 that may hold anything else, and may end anywhere.

    Padding in the middle joins two blocks, unless what follows is no base64: some mailing lists
    put their plain footer below.
    """
    first, *others = raw.rstrip(b"= \t\r\n").split(b"=")
    blocks = [_unpadded(first.translate(None, _NOT_BASE64))]
    for piece in others:
        if piece.translate(None, _BASE64_SPACED):
            break
        blocks.append(_unpadded(piece.translate(None, _NOT_BASE64)))
    return b"".join(blocks)


def _unpadded(kept: bytes) -> bytes:
    kept = kept[: len(kept) - (len(kept) % 4 == 1)]
    return binascii.a2b_base64(kept + b"=" * (-len(kept) % 4))


def decode_transfer(raw: bytes, encoding: str) -> bytes:
    if encoding == "quoted-printable":
        return binascii.a2b_qp(raw)
    if encoding == "base64":
        return from_base64(raw)
    return raw
