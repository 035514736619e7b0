"""A later line put into the last question: piece for piece, or not at all.

A line is taken apart into what opens it ("and", "what about"), pieces of known sorts, and a rest: a
name, a question word, or another thing. Each takes the place of what is of its sort in the last
question, or is added. Where that is not clear, the line is a question of its own.
"""

import re
from collections.abc import Callable

from reqap.followup.pieces import GROUP, Piece, pieces
from reqap.followup.things import counts_things, with_thing
from reqap.values import CLOCK, PERIOD, WEEKDAY, merged_period, preposition

IsPerson = Callable[[str], bool]
_OPENS = re.compile(
    r"^(?:(?:and|or|but|so|then|also|only|just|no|ok|okay|now|again|(?:what|how) (?:about|if)|about"
    r"|(?:the )?same(?: for| thing)?|rather|instead|maybe|yes|well|hm+)\b[,:]?\s*)+",
    re.IGNORECASE,
)
_CLOSES = re.compile(
    r"[\s,]+(?:instead|then|too|so far|as well|please|only|alone|again|though)$", re.IGNORECASE
)
_ASKS = (
    r"how (?:many|much|often|long|far|late|early|old|fast)|how|what|which|whose|whom|who|when|where"
)
_AUX = "did|do|does|have|has|had|was|were|am|is|are|could|can|would|will|should"
_CLAUSE = re.compile(
    rf"\bI\b|\b(?:we|you)\b|\b(?:{_AUX})(?:n't)?\b(?! (?:that|it|this|those|they)\b)", re.IGNORECASE
)
_SAID = re.compile(
    rf"\s*\b(?:{_AUX}) (?:that|it|this|those|they)(?: (?:be|happen|happened))?\b", re.IGNORECASE
)
_QUESTION = re.compile(
    rf"(?P<asks>(?:(?:on|in|at|with|to|from|for|by) )?(?:{_ASKS})\b.*?) (?P<rest>(?:{_AUX})\b.*)",
    re.IGNORECASE,
)
_ASKED = re.compile(rf"(?:(?:on|in|at|with|to|from|for|by) )?(?:{_ASKS})\b.*", re.IGNORECASE)
_NAME = re.compile(
    r"(?:[A-ZÀ-Þ][\w'’&.-]*)(?: (?:(?:of|the|and|de|von|van|der|la) )?[A-ZÀ-Þ][\w'’&.-]*)*"
)
_RANK = re.compile(r"(?:most|least|first|last|best|worst|[a-z]{3,}est)(?: often)?", re.IGNORECASE)
# What only the last answer could tell, or the last question as a whole.
_BEYOND = re.compile(
    r"\b(?:before|after|earlier|later)(?: (?:that|this|then))?$"
    r"|\b(?:that|those|it|them|him|her|me|there|others?|else|ones?|more)$"
    r"|^(?:altogether|overall|in total|in all|on average|why|how|what|which|whose|whom?)$",
    re.IGNORECASE,
)
_NO_THING = re.compile(
    r"^(?:and|or)\b|\b(?:not|no|far|until|till|now|instead|except|excluding|so|if|than|as|never)\b"
    r"|\b(?:and|or)$",
    re.IGNORECASE,
)
HANGS = "That hangs on the last answer, which is not looked at again: please ask it in full."
_PLAIN_LEADS = ("in", "on", "at", "during", "over")
_MOST = 200


def follow_up(line: str, last: str | None, is_person: IsPerson = lambda name: False) -> str | None:
    """The full question that a line means after `last`; None if it is one of its own."""
    if last is None or len(line) > _MOST or len(last) > 5 * _MOST:
        return None
    said = " ".join(line.split()).rstrip("?.! ")
    opened = _OPENS.sub("", said, count=1)
    has_opener = opened != said
    rest = opened
    while (shorter := _CLOSES.sub("", rest)) != rest:
        rest = shorter
    rest = _SAID.sub("", rest).strip(" ,")
    if not rest or _CLAUSE.search(rest) or _BEYOND.search(rest):
        return None
    if not has_opener and re.match(r"(?:my|our|all)\b", rest, re.IGNORECASE):
        return None  # a bare thing is asked for
    question = " ".join(last.split()).rstrip("?.! ")
    mark = "?" if last.rstrip().endswith("?") else ""
    found = pieces(rest)
    if len({one.sort for one in found}) < len(found):
        return None  # two of a sort: "2022 or 2023"
    left = _without(rest, found)
    if left:
        # "Thanks" is no thing to ask for; "sushi?" is.
        may_be_thing = has_opener or line.rstrip().endswith("?")
        changed = _with_rest(question, left, may_be_thing, is_person)
        if changed is None:
            return None
        question = changed
    for one in found:
        question = _with_piece(question, one)
    return question + mark


def hangs_on_answer(line: str) -> bool:
    """Whether only the last answer could tell what a line means: "and before that?"."""
    said = " ".join(line[:_MOST].split()).rstrip("?.! ")
    rest = _OPENS.sub("", said, count=1)
    return rest != said and not _CLAUSE.search(rest) and bool(_BEYOND.search(rest))


def _without(text: str, found: list[Piece]) -> str:
    for one in reversed(found):
        text = text[: one.begin] + text[one.end :]
    return " ".join(text.split()).strip(" ,")


# -- pieces --------------------------------------------------------------------------------------


def _with_piece(question: str, new: Piece) -> str:
    """The question with a piece in the place of the one of its sort, or added."""
    same = [one for one in pieces(question) if one.sort == new.sort]
    same = [one for one in same if one.lead.lower() == new.lead.lower()] or same
    if not same:
        return _added(question, new)
    old = same[-1]
    core = merged_period(old.core, new.core) if new.sort == PERIOD else new.core
    return f"{question[: old.begin]}{_led(old, new, core)}{question[old.end :]}"


def _led(old: Piece, new: Piece, core: str) -> str:
    """The new words with the preposition that they need: their own, or that of the old ones."""
    lead = new.lead
    if new.sort in (PERIOD, WEEKDAY, CLOCK):
        kept = old.lead.lower() not in (*_PLAIN_LEADS, "")
        if (not lead or lead.lower() in _PLAIN_LEADS) and kept:
            lead = old.lead  # each month *of* 2023, *since* 2020
        elif not lead:
            lead = preposition(new.sort, new.core)
    return f"{lead} {core}".strip()


def _added(question: str, new: Piece) -> str:
    """At the end; what is no time goes before the times and groups that end the question."""
    is_time = new.sort in (PERIOD, WEEKDAY, CLOCK)
    lead = new.lead or (preposition(new.sort, new.core) if is_time else "")
    words = f"{lead} {new.core}".strip()
    place = len(question)
    if not is_time and new.sort != GROUP:
        for one in reversed(pieces(question)):
            if one.sort not in (PERIOD, WEEKDAY, CLOCK, GROUP) or one.end < place:
                break
            place = len(question[: one.begin].rstrip())
    return f"{question[:place]} {words}{question[place:]}"


# -- the rest of a line ---------------------------------------------------------------------------


def _with_rest(question: str, left: str, may_be_thing: bool, is_person: IsPerson) -> str | None:
    if _ASKED.fullmatch(left):
        return _asking(question, left)
    if _RANK.fullmatch(left) and (changed := _with_rank(question, left)) is not None:
        return changed
    # "my sister", but not "hello there my friend", which speaks of a person, too
    if _NAME.fullmatch(left) or (len(left.split()) <= 2 and is_person(left)):
        changed = _with_name(question, left, is_person)
        if changed is not None:
            return changed
    is_thing = may_be_thing and not _NO_THING.search(left)
    return with_thing(question, left) if is_thing else None


def _asking(question: str, asks: str) -> str | None:
    """The same, asked for something else; not where what it is about would be lost."""
    asks = asks[0].upper() + asks[1:]
    if re.match(rf"(?:{_AUX})\b", question, re.IGNORECASE):
        return f"{asks} {question[0].lower()}{question[1:]}"
    match = _QUESTION.fullmatch(question)
    if match is None or (counts_things(match["asks"]) and not counts_things(asks)):
        return None
    return f"{asks} {match['rest']}"


def _with_rank(question: str, rank: str) -> str | None:
    """The first for the last, the shortest for the longest."""
    times = [one for one in pieces(question) if one.sort == PERIOD]
    found = [
        match for match in re.finditer(rf"\b(?:{_RANK.pattern})\b", question, re.IGNORECASE)
        if all(match.end() <= one.begin or one.end <= match.start() for one in times)
    ]  # fmt: skip
    if len(found) != 1:
        return None
    return question[: found[0].start()] + rank + question[found[0].end() :]


def _with_name(question: str, name: str, is_person: IsPerson) -> str | None:
    """A name takes the place of one: of a person's, if it is a person's."""
    times = [one for one in pieces(question) if one.sort in (PERIOD, WEEKDAY, CLOCK)]
    names = [
        match for match in _NAME.finditer(question)
        if match.start() and match[0] not in ("I", "I'm")
        and all(match.end() <= one.begin or one.end <= match.start() for one in times)
    ]  # fmt: skip
    same = [one for one in names if is_person(one[0]) == is_person(name)]
    if len(same) == 1:
        return question[: same[0].start()] + name + question[same[0].end() :]
    company = [one for one in pieces(question) if one.sort == "company"]
    if is_person(name) and not same:
        new = Piece("company", 0, 0, company[-1].lead if company else "with", name)
        return _with_piece(question, new)
    return None
