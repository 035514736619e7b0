"""Text out of HTML, for mails and posts. Linear in the input, whatever the input.

Not a renderer: tags go, blocks become lines, entities become characters.
"""

import re
from html import unescape

_BLOCK = re.compile(
    r"</?(?:p|div|tr|li|ul|ol|h[1-6]|table|blockquote|section|article|header|footer|hr|pre|br)\b"
    r"[^<>]*>",
    re.IGNORECASE,
)
_TAG = re.compile(r"</?[a-zA-Z!?][^<>]*>")
_BLANKS = re.compile(r"[ \t\r\f\v\u00a0\u200b\u200c\u034f]+")
_LINES = re.compile(r" ?\n[ \n]*")
# What a page holds but does not show, from the opening to the closing.
_UNSEEN = tuple(
    (re.compile(opening, re.IGNORECASE), re.compile(closing, re.IGNORECASE))
    for opening, closing in (
        (r"<!--", r"-->"),
        (r"<(?=script\b)", r"</script[^<>]*>"),
        (r"<(?=style\b)", r"</style[^<>]*>"),
        (r"<(?=title\b)", r"</title[^<>]*>"),
    )
)


def _without(text: str, opening: re.Pattern[str], closing: re.Pattern[str]) -> str:
    """`text` less everything from `opening` to `closing`; what is never closed stays."""
    kept, at = [], 0
    while (start := opening.search(text, at)) and (stop := closing.search(text, start.end())):
        kept.append(text[at : start.start()])
        at = stop.end()
    kept.append(text[at:])
    return "".join(kept)


def html_to_text(html: str) -> str:
    """What a reader of the page would read."""
    for opening, closing in _UNSEEN:
        html = _without(html, opening, closing)
    flat = html.replace("\n", " ")
    text = unescape(_TAG.sub("", _BLOCK.sub("\n", flat)))
    return _LINES.sub("\n", _BLANKS.sub(" ", text)).strip()
