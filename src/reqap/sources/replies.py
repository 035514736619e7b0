"""What somebody newly wrote in a mail, without the letters quoted below or between it.

Most mails of a thread repeat all mails before them; counted in every one of them, a sentence
written once would be found twenty times. Careful: forwarded text is kept, because it is news to
the receiver, and so is everything where nothing new would remain.
"""

import re

_WROTE = (
    "wrote",
    "schrieb",
    "a écrit",
    "escribió",
    "ha scritto",
    "escreveu",
    "schreef",
    "skrev",
    "napisał",
    "napsal",
    "kirjoitti",
    "написал",
    "пишет",
    "yazdı",
)
_ORIGINAL = (
    "original message",
    "original appointment",
    "ursprüngliche nachricht",
    "originalnachricht",
    "message d'origine",
    "message original",
    "mensaje original",
    "messaggio originale",
    "mensagem original",
    "oorspronkelijk bericht",
    "originalmeddelande",
    "oprindelig meddelelse",
    "opprinnelig melding",
    "wiadomość oryginalna",
    "исходное сообщение",
)
# The headers Outlook puts above a quoted letter: who, when, and what about, by language.
_BLOCKS = (
    ("from:", ("sent:", "date:"), ("subject:",)),
    ("von:", ("gesendet:", "datum:"), ("betreff:",)),
    (
        "de:",
        ("envoyé:", "date:", "enviado:", "enviado el:", "enviada em:"),
        ("objet:", "asunto:", "assunto:"),
    ),
    ("da:", ("inviato:", "data:"), ("oggetto:",)),
    ("van:", ("verzonden:", "datum:"), ("onderwerp:",)),
    ("från:", ("skickat:",), ("ämne:",)),
    ("fra:", ("sendt:",), ("emne:",)),
    ("od:", ("wysłano:", "odesláno:"), ("temat:", "předmět:")),
    ("от:", ("отправлено:", "дата:"), ("тема:",)),
)
_BLOCK_STARTS = tuple(block[0] for block in _BLOCKS)
_BLOCK_LINES = 8
_SIGNS = (
    *("\n>", "\n >", ":\n", ": \n", "----"),
    *(label.rstrip(":").title() for block in _BLOCKS for label in block[2]),
)

_FORWARD = re.compile(
    r"\s*(?:\[[^\]]{0,80}\]\s*)?(?:fwd?|fw|wg|tr|rv|enc|i|doorst|vb|vs|pd)\s*:", re.I
)
_BLOCKQUOTE = re.compile(r"</?blockquote\b[^<>]*>", re.IGNORECASE)
_LONGEST_LINE = 400
_DATE_DIGITS = 4


def is_forward(subject: str) -> bool:
    """Whether the subject says that the mail hands on another one (Fwd:, WG:, TR:, …)."""
    return _FORWARD.match(subject) is not None


def without_cited_html(html: str) -> str:
    """A page in which each quoted letter is one line ">"; indented text is not a quoted letter."""
    if "blockquote" not in html and "BLOCKQUOTE" not in html:
        return html
    kept: list[str] = []
    at = depth = 0  # how many block quotes are open, counted from one that cites
    for tag in _BLOCKQUOTE.finditer(html):
        closing = tag[0][1] == "/"
        if depth == 0 and not closing and _cites(tag[0]):
            kept += [html[at : tag.start()], "<br>&gt;<br>"]
            depth = 1
        elif depth > 0:
            depth += -1 if closing else 1
            if depth == 0:
                at = tag.end()
    if depth == 0:  # else it is never closed, and where the quoted letter ends is anybody's guess
        kept.append(html[at:])
    return "".join(kept)


def _cites(tag: str) -> bool:
    lowered = tag.lower()
    return "cite" in lowered or "gmail_quote" in lowered


def new_text(text: str) -> str:
    """`text` without quoted letters and the lines that introduce them."""
    if not _may_quote(text):
        return text
    kept: list[str] = []
    lines = text.split("\n")
    for number, line in enumerate(lines):
        stripped = line.strip()
        if stripped.startswith(">"):
            del kept[len(kept) - _introduction(kept) :]
        elif len(stripped) > _LONGEST_LINE:
            kept.append(line)
        elif _is_original(stripped) or _is_block(lines, number):
            break
        else:
            kept.append(line)
            # Without ">" below it, an introduction must tell a date to be taken for one.
            if stripped.endswith(":") and not _is_quoted_next(lines, number):
                count = _introduction(kept)
                if count and _digits(kept[-count:]) >= _DATE_DIGITS:
                    del kept[-count:]
                    break
    result = "\n".join(kept).strip().rstrip("_-\n ")
    return result or text


def _may_quote(text: str) -> bool:
    """A quick look: most mails hold none of the signs."""
    if text.startswith(">") or text.endswith(":"):
        return True
    return any(sign in text for sign in _SIGNS)


def _is_original(line: str) -> bool:
    """-----Original Message-----"""
    return line.startswith("--") and line.strip("- \t").lower().replace("’", "'") in _ORIGINAL


def _is_block(lines: list[str], number: int) -> bool:
    """Whether the headers of a quoted letter begin at this line."""
    line = _label(lines[number])
    if not line.startswith(_BLOCK_STARTS):
        return False
    below = [_label(text) for text in lines[number + 1 : number + _BLOCK_LINES]]
    for start, sent, subject in _BLOCKS:
        if line.startswith(start) and all(
            any(text.startswith(labels) for text in below) for labels in (sent, subject)
        ):
            return True
    return False


def _label(line: str) -> str:
    """The beginning of a line, without bold marks and the French blank before a colon."""
    start = line[:60].strip().lstrip("*").lower()
    return start.replace("\u00a0", " ").replace(" :", ":").replace(":*", ":")


def _introduction(kept: list[str]) -> int:
    """How many of the last lines are an introduction such as "On … Anna Berger wrote:".

    It may be wrapped into up to three lines, and blank ones may follow.
    """
    last = len(kept)
    while last > 0 and not kept[last - 1].strip() and len(kept) - last < 3:
        last -= 1
    if last == 0 or not kept[last - 1].rstrip().endswith(":"):
        return 0
    for first in range(last - 1, max(-1, last - 4), -1):
        if not kept[first].strip() or len(kept[first]) > _LONGEST_LINE:
            break
        lines = kept[first:last]
        if any(word in line for line in lines for word in _WROTE):
            wrapped = (
                _digits(lines) < _DATE_DIGITS and first > 0 and _digits(kept[first - 1 : first])
            )
            return len(kept) - first + (1 if wrapped else 0)
    return 0


def _digits(lines: list[str]) -> int:
    return sum(character.isdigit() for line in lines for character in line[:_LONGEST_LINE])


def _is_quoted_next(lines: list[str], number: int) -> bool:
    for line in lines[number + 1 : number + 4]:
        if stripped := line.strip():
            return stripped.startswith(">")
    return False
