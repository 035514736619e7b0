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
    *(label.title() for block in _BLOCKS for label in block[2]),
)

_FORWARD = re.compile(
    r"\s*(?:\[[^\]]{0,80}\]\s*)?(?:fwd?|fw|wg|tr|rv|enc|i|doorst|vb|vs|pd)\s*:", re.I
)
_BLOCKQUOTE = re.compile(r"</?blockquote\b[^<>]*>", re.IGNORECASE)
_LONGEST_LINE = 400


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
            _drop_introduction(kept)
            continue
        if len(stripped) > _LONGEST_LINE:
            kept.append(line)
            continue
        if _is_original(stripped) or _is_block(lines, number):
            break
        if _is_full_introduction(kept, stripped) and not _is_quoted_next(lines, number):
            _drop_wrapped_start(kept, stripped)
            break
        kept.append(line)
    result = "\n".join(kept).strip().rstrip("_-\n ")
    return result or text


def _may_quote(text: str) -> bool:
    """A quick look: most mails hold none of the signs."""
    if text.startswith(">") or text.endswith(":"):
        return True
    for sign in _SIGNS:  # a loop and not `any`: every mail comes by here
        if sign in text:
            return True
    return False


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


def _ends_introduction(line: str) -> bool:
    """Whether a line ends as "… Anna Berger wrote:" or "schrieb Anna Berger <a@b.c>:" does."""
    return line.endswith(":") and any(word in line for word in _WROTE)


def _is_full_introduction(kept: list[str], line: str) -> bool:
    """A line that introduces a quoted letter by its date, though no ">" follows."""
    if not _ends_introduction(line):
        return False
    joined = f"{kept[-1]} {line}" if kept and len(line) < 60 else line
    return sum(character.isdigit() for character in joined) >= 4


def _is_quoted_next(lines: list[str], number: int) -> bool:
    for line in lines[number + 1 : number + 4]:
        if stripped := line.strip():
            return stripped.startswith(">")
    return False


def _drop_wrapped_start(kept: list[str], line: str) -> None:
    """Drops the first half of an introduction that was wrapped into two lines."""
    if kept and not any(character.isdigit() for character in line) and kept[-1].strip():
        kept.pop()


def _drop_introduction(kept: list[str]) -> None:
    """Drops the introduction, of up to three lines, that stands above a quoted one."""
    last = len(kept) - 1
    while last >= 0 and not kept[last].strip() and len(kept) - last < 4:
        last -= 1
    if last < 0 or not _ends_introduction(kept[last].strip()):
        return
    first = last
    while first > 0 and last - first < 2 and kept[first - 1].strip():
        if sum(character.isdigit() for line in kept[first : last + 1] for character in line) >= 4:
            break
        first -= 1
    del kept[first:]
