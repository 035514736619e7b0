"""Lists written as text, and yes-or-no values.

Its job is to take lists apart without ever evaluating them. Not its job: what the items mean.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from reqap.values._text import (
    MAX_INT_BITS,
    fold,
    is_missing,
    problem,
    scalar_text,
)

_EXPECTED = "a list"
MAX_LIST_CHARS = 1_000_000

_OPENERS = {"(": ")", "[": "]", "{": "}"}
_CLOSERS = {closer: opener for opener, closer in _OPENERS.items()}
_QUOTES = {'"': '"', "'": "'", "“": "”", "„": "“", "«": "»", "‘": "’"}
_MASK = "\ue000"  # A private-use character: never a separator, a quote or a bracket.

_LINE_BREAK = re.compile(r"[\n\r\u2028\u2029]+")
_BULLET = re.compile(r"\s*(?:[-*•‣·–]|[0-9]{1,3}[.)])\s+")
# The comma of "10,000 Maniacs" does not separate.
_COMMA = re.compile(r"[、，]|,(?!(?<=[0-9],)[0-9]{3}(?![0-9]))")
# No quantifiers on the blanks around "and": a long run of blanks would cost quadratic time.
_AND_WORDS = frozenset({"and", "und", "et", "y"})
_AND = re.compile(r"(?<=\s)(?:and|und|et|y|&)(?=\s)", re.IGNORECASE)
_LEADING_AND = re.compile(r"\s*(?:and|und|et|y|&)\s", re.IGNORECASE)
_SEPARATOR_CHARS = ",;|&、，\n\r\u2028\u2029"
_SCAN = re.compile(rf"\s+|[^\s{''.join(_QUOTES)}{_SEPARATOR_CHARS}]+|.", re.DOTALL)
_ITEM_END = rf"(?=\s*(?:[{_SEPARATOR_CHARS}]|\Z|(?:and|und|et|y)\s))"
_QUOTE_END = {quote: re.compile(re.escape(quote) + _ITEM_END) for quote in _QUOTES.values()}

_QUOTED_ARRAY = re.compile(r"\[\s*[urb]?['\"]")
_LITERAL = re.compile(
    r"""\s*[urb]?('[^'\\]*(?:\\.[^'\\]*)*'|"[^"\\]*(?:\\.[^"\\]*)*")\s*(,|$)""", re.DOTALL
)
_BARE = re.compile(r"\s*([^,'\"\s][^,]*|)(,|$)")
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U00[0-9a-fA-F]{6}|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "'": "'", '"': '"', "\\": "\\"}


def parse_list(value: object) -> tuple[str, ...]:
    """The items of a list written as text; () when missing, one item when it is no list.

    Understands JSON and Python arrays, and plain text separated by the first of these that it has
    outside quotes and brackets: line breaks, ";", "|", ",", then " & " or " and ". The last item
    of a comma list is split at its "and". Blank items are dropped.
    """
    if is_missing(value):
        return ()
    if isinstance(value, list | tuple):
        return tuple(item for item in map(_item_text, value) if item.strip())
    if isinstance(value, int | float):
        return (_item_text(value),)
    if not isinstance(value, str) or len(value) > MAX_LIST_CHARS:
        raise problem(value, _EXPECTED)
    text = value.strip()
    items = _array_items(text, value) if text.startswith("[") and text.endswith("]") else None
    if items is None:
        items = _plain_items(text)
    return tuple(item for item in items if item.strip())


def format_list(items: tuple[str, ...] | list[str]) -> str:
    """The canonical text of a list, a JSON array, which `parse_list` reads back."""
    return json.dumps([item for item in items if item.strip()], ensure_ascii=False)


def _item_text(item: object) -> str:
    if item is None:
        return ""
    if isinstance(item, str):
        return item
    if isinstance(item, bool):
        return "true" if item else "false"
    if isinstance(item, float) or (isinstance(item, int) and item.bit_length() <= MAX_INT_BITS):
        return str(item)
    raise problem(item, "an item of a list of texts")


def _array_items(text: str, value: str) -> list[str] | None:
    """The items of a bracketed list, None for text that merely has brackets at its ends."""
    items = _json_items(text)
    if items is None and (_QUOTED_ARRAY.match(text) or _brackets(text).get(0) == len(text) - 1):
        items = list(_python_items(text[1:-1], value))
    return items


def _json_items(text: str) -> list[str] | None:
    """The items of a JSON array, None when *text* is not one; inner arrays stay JSON text."""
    try:
        # Numbers stay as written: a 5000-digit one is no int, and "1.50" should not become 1.5.
        found = json.loads(text, strict=False, parse_int=str, parse_float=str, parse_constant=str)
        return [
            json.dumps(item, ensure_ascii=False)
            if isinstance(item, list | dict)
            else _item_text(item)
            for item in found
        ]
    except (ValueError, RecursionError):
        return None


def _python_items(inner: str, value: str) -> Iterator[str]:
    """The items between the brackets of a Python-style list: quoted texts, None, bare words."""
    masked = _masked(inner, _brackets(inner))
    position, more = 0, True
    while more:
        if found := _LITERAL.match(inner, position):
            yield _ESCAPE.sub(_unescape, found[1][1:-1])
        elif found := _BARE.match(masked, position):
            word = inner[found.start(1) : found.end(1)].strip()
            yield "" if word in ("None", "null") else word
        else:
            raise problem(value, _EXPECTED)
        position, more = found.end(), found[2] == ","


def _unescape(found: re.Match[str]) -> str:
    """The character that an escape stands for; unknown escapes stay as they are, as in Python."""
    code = found[1]
    if len(code) > 1:
        number = int(code[1:], 16)
        return chr(number) if number <= 0x10FFFF else found[0]
    return _ESCAPED.get(code, found[0])


def _brackets(text: str) -> dict[int, int]:
    """Position of each bracket that is properly closed, mapped to its closer; strays are text."""
    pairs: dict[int, int] = {}
    pending: list[int] = []
    for position, char in enumerate(text):
        if char in _OPENERS:
            pending.append(position)
        elif char in _CLOSERS and pending and text[pending[-1]] == _CLOSERS[char]:
            pairs[pending.pop()] = position
    return pairs


def _quotes(text: str) -> dict[int, int]:
    """Position of each quotation mark that encloses a whole item, mapped to its partner.

    Quotes inside an item ("Guns N' Roses", 12") are text. A kind of quote that found no partner
    once will not find one later either, which keeps this linear.
    """
    pairs: dict[int, int] = {}
    hopeless: set[str] = set()
    position, at_start = 0, True
    while found := _SCAN.match(text, position):
        token, position = found[0], found.end()
        quote = _QUOTES.get(token)
        if at_start and quote is not None and quote not in hopeless:
            end = _QUOTE_END[quote].search(text, position)
            if end is None:
                hopeless.add(quote)
            else:
                pairs[found.start()] = end.start()
                position = end.end()
        at_start = (at_start and token.isspace()) or _starts_item(token)
    return pairs


def _starts_item(token: str) -> bool:
    return token[0] in _SEPARATOR_CHARS or token.lower() in _AND_WORDS


def _masked(text: str, stretches: dict[int, int]) -> str:
    """*text*, same length, with the inside and the ends of *stretches* blotted out."""
    chars, done = list(text), -1
    for start in sorted(stretches):
        end = stretches[start]
        if end > done:
            chars[start : end + 1] = _MASK * (end + 1 - start)
            done = end
    return "".join(chars)


def _plain_items(text: str) -> list[str]:
    quotes = _quotes(text)
    masked = _masked(text, quotes)
    masked = _masked(masked, _brackets(masked))
    spans = [
        span for start, end in _spans(masked) if (span := _trimmed(text, start, end)) is not None
    ]
    return [
        text[start + 1 : end - 1] if quotes.get(start) == end - 1 else text[start:end]
        for start, end in spans
    ]


def _spans(masked: str) -> list[tuple[int, int]]:
    """Where the items are, by the strongest separator there is."""
    whole = (0, len(masked))
    if _LINE_BREAK.search(masked):
        return [_without(_BULLET, masked, span) for span in _split(_LINE_BREAK, masked, whole)]
    for mark in (";", "|"):
        if mark in masked:
            return _split(re.compile(re.escape(mark)), masked, whole)
    *spans, last = _split(_COMMA, masked, whole)
    if not spans or (bare := _without(_LEADING_AND, masked, last)) == last:
        return spans + _split(_AND, masked, last)
    return [*spans, bare]


def _split(separator: re.Pattern[str], text: str, span: tuple[int, int]) -> list[tuple[int, int]]:
    spans, start = [], span[0]
    for found in separator.finditer(text, *span):
        spans.append((start, found.start()))
        start = found.end()
    return [*spans, (start, span[1])]


def _without(prefix: re.Pattern[str], text: str, span: tuple[int, int]) -> tuple[int, int]:
    found = prefix.match(text, *span)
    return span if found is None else (found.end(), span[1])


def _trimmed(text: str, start: int, end: int) -> tuple[int, int] | None:
    """The span without surrounding white space, None when nothing is left."""
    item = text[start:end]
    if not item.strip():
        return None
    return start + len(item) - len(item.lstrip()), end - (len(item) - len(item.rstrip()))


_TRUE = """
true t yes y on 1 ja j oui si sí sim s sì tak kyllä evet wahr vrai verdadero verdadeiro vero waar
sant sann sand prawda tosi doğru an ein да
"""
_FALSE = """
false f no n off 0 nein non não nao nee nej nei nie ei hayır falsch faux falso onwaar falskt falsk
usann usand fałsz epätosi yanlış aus нет
"""
_BOOLEANS = {
    **{fold(word): True for word in _TRUE.split()},
    **{fold(word): False for word in _FALSE.split()},
}


def parse_bool(value: object) -> bool | None:
    """Yes or no, in a dozen languages, as true/false, on/off or 1/0."""
    expected = "a yes-or-no value"
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float) and value in (0, 1):
        return bool(value)
    text = scalar_text(value, expected)
    if text is None:
        return None
    found = _BOOLEANS.get(fold(text))
    if found is None:
        raise problem(value, expected)
    return found
