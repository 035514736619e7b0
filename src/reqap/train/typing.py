"""How people type: in a hurry, politely, thinking aloud, in short forms, with slips.

What is asked stays the same: names and numbers are not touched, nor what stands in braces.
"""

import random
import re
from collections.abc import Callable, Set

# Before, after or around a question; `{}` is the question.
_AROUND = (
    "please tell me: {}", "hey, {}", "can you tell me {}", "I'd like to know: {}", "{} please",
    "{} thanks!", "quick question: {}", "do you know {}", "so, {}", "tell me {}", "{} ??",
    "hi, {}", "hello! {}", "ok so {}", "hmm, {}", "just wondering, {}", "i was wondering {}",
    "any idea {}", "could you check {}", "could you please look up {}", "show me {}",
    "i need to know {}", "one more: {}", "sorry to bother you, but {}", "{} thx", "{} pls",
    "{} thank you so much", "{}, if you can tell", "{}, do you know?", "{} cheers", "{}...",
    "Good morning. {}", "would you mind telling me {}", "help me out: {}", "im curious {}",
    "ehm {}", "my question: {}", "from my data: {}", "{}, roughly?", "quick one, {}",
)  # fmt: skip
_FILLERS = (
    "um,", "uh,", "like,", "you know,", "hmm,", "so,", "actually", "basically", "I mean,", "well,",
    "er,", "right,", "please", "again", "kind of",
)  # fmt: skip
# Longer ones first: of those that overlap, the first is taken.
_SHORT = {
    "how many times": ("how often", "how many x", "# of times"),
    "how many": ("how mny", "number of", "nr of", "# of", "howmany"),
    "the number of": ("the nr of", "# of"), "on average": ("on avg", "in average", "avg"),
    "what percentage": ("what %", "what pct", "which percent"), "percentage": ("pct", "%"),
    "what is": ("whats", "what's"), "what was": ("whats", "what were"), "who is": ("whos",),
    "I have": ("ive", "I've"), "I am": ("im", "I'm"), "I did": ("i did",),
    "did I": ("did i", "do I", "have I"), "have I": ("did I", "hav i"), "do I": ("do i",),
    "average": ("avg", "mean", "avrg"), "people": ("ppl",), "person": ("prson",),
    "with": ("w/", "wiht"), "without": ("w/o",), "and": ("&", "n"), "because": ("cos",),
    "minutes": ("min", "mins"), "hours": ("hrs", "h"), "hour": ("hr",), "years": ("yrs",),
    "year": ("yr",), "weeks": ("wks",), "week": ("wk",), "months": ("mths", "mos"),
    "month": ("mth",), "days": ("dys",), "kilometres": ("km", "kms", "kilometers"),
    "kilometers": ("km", "kms"), "appointment": ("appt", "apt"), "appointments": ("appts",),
    "favourite": ("fav", "favorite"), "birthday": ("bday", "b-day"),
    "before": ("b4",), "you": ("u",), "are": ("r",), "to": ("2",), "tonight": ("2nite",),
    "restaurant": ("resto",), "restaurants": ("restos",), "different": ("diff", "distinct"),
    "distinct": ("different",), "total": ("tot", "overall"), "maximum": ("max",),
    "minimum": ("min",), "something": ("sth",), "somebody": ("sb",), "someone": ("sb",),
    "Monday": ("Mon",), "Tuesday": ("Tue",), "Wednesday": ("Wed",), "Thursday": ("Thu",),
    "Friday": ("Fri",), "Saturday": ("Sat",), "Sunday": ("Sun",), "Mondays": ("Mon",),
    "Tuesdays": ("Tues",), "Fridays": ("Fri",), "Saturdays": ("Sat",), "Sundays": ("Sun",),
    "January": ("Jan",), "February": ("Feb",), "March": ("Mar",), "April": ("Apr",),
    "August": ("Aug",), "September": ("Sept", "Sep"), "October": ("Oct",), "November": ("Nov",),
    "December": ("Dec",), "went": ("gone", "was going"), "the": ("teh", ""), "which": ("wich",
    "what"), "spent": ("spend",), "bought": ("buyed", "bougth"), "ordered": ("order", "orderd"),
    "listened": ("listen", "lisened"), "watched": ("watch", "whatched"), "most often": (
    "the most", "mostly", "most frequently"), "more often": ("more", "more frequently"),
}  # fmt: skip
_ALL_SHORT = re.compile(
    r"\b(" + "|".join(sorted(map(re.escape, _SHORT), key=len, reverse=True)) + r")\b"
)
_KEYS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_KEPT = re.compile(r"(\{[^{}]*\})")
# Names, numbers and what is quoted: in questions without braces, they are not touched.
_NAMES = re.compile(
    r"((?<=\w)[^\w\s]*\s(?:[^\W\d_a-z][\w'’.&-]*|\d[\w.,:/-]*)(?:\s(?:[^\W\d_a-z][\w'’.&-]*|\d\S*))*"
    r"|[\"“”][^\"“”]*[\"“”])"
)


def typed(wording: str, chance: random.Random, common: Set[str] | None = None) -> str:
    """A wording as somebody types it.

    Where names stand in it as they are, and not in braces, `common` has the words of which it is
    clear what is meant when they are misspelt.
    """
    if chance.random() < 0.18:
        told = wording[0].lower() + wording[1:] if wording[:2] not in ("I ", "I'") else wording
        wording = chance.choice(_AROUND).replace("{}", told.rstrip("?"))
    ways: list[Callable[[str], str]] = []
    if chance.random() < 0.25:
        share = chance.uniform(0.2, 0.8)
        ways.append(lambda text: _shortened(text, chance, share))
    if chance.random() < 0.07:
        ways.append(lambda text: _filled(text, chance))
    if chance.random() < 0.4:
        ways.append(str.lower)
    if chance.random() < 0.3:
        most = chance.choice((1, 1, 2, 2, 3, 4))
        ways.append(lambda text: _slipped(text, chance, most, common))
    if chance.random() < 0.1:
        ways.append(lambda text: text.replace("'", "").replace("’", ""))
    parts = (_KEPT if common is None else _NAMES).split(wording)
    for number in range(0, len(parts), 2):
        for way in ways:
            parts[number] = way(parts[number])
    told = "".join(parts)
    if told.endswith("?") and chance.random() < 0.35:
        told = told[:-1].rstrip()
    elif not told.endswith(("?", ".", "!")) and chance.random() < 0.15:
        told += "?"
    return " ".join(told.split())


def _shortened(text: str, chance: random.Random, share: float) -> str:
    """Some words in short forms, or as people write who learnt English late."""

    def put(match: re.Match[str]) -> str:
        return chance.choice(_SHORT[match[0]]) if chance.random() < share else match[0]

    return _ALL_SHORT.sub(put, text)


def _filled(text: str, chance: random.Random) -> str:
    """One or two fillers between words."""
    words = text.split(" ")
    for _ in range(chance.choice((1, 1, 2))):
        if len(words) > 3:
            words.insert(chance.randrange(1, len(words) - 1), chance.choice(_FILLERS))
    return " ".join(words)


def _slipped(text: str, chance: random.Random, most: int, common: Set[str] | None) -> str:
    """Letters swapped, dropped, doubled or taken from the next key, in longer words."""
    words = text.split(" ")
    long = [
        number
        for number, word in enumerate(words)
        if len(word) > 3 and word.isalpha() and (common is None or word.lower() in common)
    ]
    for number in chance.sample(long, min(len(long), most)):
        word, at = words[number], chance.randrange(1, len(words[number]) - 2)
        words[number] = chance.choice((
            word[:at] + word[at + 1] + word[at] + word[at + 2 :],
            word[:at] + word[at + 1 :],
            word[:at] + word[at] + word[at:],
            word[:at] + _beside(word[at], chance) + word[at + 1 :],
        ))  # fmt: skip
    return " ".join(words)


def _beside(letter: str, chance: random.Random) -> str:
    row = next((row for row in _KEYS if letter in row), letter)
    at = row.index(letter)
    return chance.choice((row[max(0, at - 1)], row[min(len(row) - 1, at + 1)]))
