"""Another thing in the place of what a question is about: what is done, to what, or counted."""

import re
from contextlib import suppress

from reqap.errors import ValueProblem
from reqap.followup.pieces import Piece, pieces
from reqap.values import canonical_unit, currency_code, parse_duration

_AUX = "did|do|does|have|has|had|was|were|am|is|are"
_WHOLE = re.compile(
    rf"(?:(?P<asks>(?:(?:on|in|at) )?(?:how|what|which|who|when|where)\b.*?) )?(?P<aux>{_AUX})"
    rf" (?P<subject>I|we) (?P<often>(?:last|first|usually|ever|mostly|already) )?(?P<does>.+)",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    r"(?P<lead>(?:on |in |at )?(?:how many|how much|which|what)) (?P<thing>.+)", re.IGNORECASE
)
_BARE = re.compile(r"(?P<lead>(?:all |all of )?my )(?P<thing>.+)", re.IGNORECASE)
_SMALL = "to|for|on|at|in|about|by|some|any|a|an|the|my|more"
_DOES = re.compile(rf"(?P<verb>\S+)(?: (?P<small>{_SMALL}))*(?: (?P<object>.+))?", re.IGNORECASE)
_LAST = re.compile(
    r" (?:(?:the )?(?:most|least)(?: often)?|on average|in all|in total|altogether)$"
)
_DETERMINER = re.compile(r"(?:an?|the|my|some|any) ", re.IGNORECASE)
_MEASURES = ("money", "time", "times", "steps", "months", "years")  # that `values` does not know
_OF_OBJECT = ("to", "on", "for", "about")  # prepositions that go with verbs
_VOWELS = "aeiou"


def with_thing(question: str, thing: str) -> str | None:
    """The question about another thing; None where it is not clear what it would replace."""
    found = pieces(question)
    if any(one.sort == "order" for one in found):
        return None  # two things happen in it
    if (bare := _BARE.match(question)) and not _WHOLE.match(question):
        end = _begin_of_pieces(found, bare.end("lead"), len(question))
        return _put(question, bare.end("lead"), end, re.sub(r"^my ", "", thing))
    whole = _WHOLE.fullmatch(question)
    if whole is None:
        return None
    begin = whole.start("does")
    end = _begin_of_pieces(found, begin, len(question), keep=_OF_OBJECT)
    end = begin + len(question[begin:end].rstrip())
    while last := _LAST.search(question, begin, end):
        end = last.start()
    does = _DOES.fullmatch(question[begin:end].strip())
    if does is None:
        return None
    is_activity = thing.lower().endswith("ing") and len(thing.split()) == 1
    if does["verb"].lower() == "go" and does["object"] and does["object"].endswith("ing"):
        return (
            _for_object(question, begin, does, thing) if is_activity else None
        )  # no "go football"
    if is_activity and (not does["object"] or does["verb"].lower() in ("play", "do")):
        return _put(question, begin, end, base_form(thing))
    if does["object"]:
        return _for_object(question, begin, does, thing)
    return _for_counted(question, whole, thing)


def _begin_of_pieces(found: list[Piece], begin: int, end: int, keep: tuple[str, ...] = ()) -> int:
    """Where what a question is about ends: at the first piece that is none of its object."""
    starts = [one.begin for one in found if one.begin > begin and one.sort not in keep]
    return min([end, *starts])


def _for_object(question: str, begin: int, does: re.Match[str], thing: str) -> str:
    """What follows the verb; of two articles the new one."""
    start, end = begin + does.start("object"), begin + does.end("object")
    small = does["small"] or ""
    if _DETERMINER.match(thing) and _DETERMINER.match(f"{small} "):
        start -= len(small) + 1
    return _put(question, start, end, thing)


def _for_counted(question: str, whole: re.Match[str], thing: str) -> str | None:
    """How many *songs* did I hear: what is counted, unless that is a measure."""
    counted = _COUNTED.fullmatch(whole["asks"] or "")
    if counted is None or is_measure(counted["thing"]) or thing[0].isupper():
        return None
    begin = counted.start("thing")
    end = _begin_of_pieces(pieces(question), begin, counted.end("thing"))
    return _put(question, begin, end, thing)


def counts_things(asks: str) -> bool:
    """Whether the words that ask also name what is asked for: which *artist*, how many *songs*."""
    counted = _COUNTED.fullmatch(asks)
    return counted is not None and not is_measure(counted["thing"])


def is_measure(words: str) -> bool:
    """Kilometres, hours, euros: what a thing is measured in, not a thing."""
    if words.lower() in _MEASURES or canonical_unit(words) is not None:
        return True
    for reads in (currency_code, lambda unit: parse_duration(f"2 {unit}")):
        with suppress(ValueProblem):
            return reads(words) is not None
    return False


def _put(text: str, begin: int, end: int, new: str) -> str:
    rest = text[end:].lstrip()
    return f"{text[:begin]}{new}{' ' if rest else ''}{rest}"


def base_form(activity: str) -> str:
    """swimming → swim, cycling → cycle, hiking → hike, walking → walk."""
    stem = activity[:-3]
    if len(stem) < 3:
        return stem
    last, before = stem[-1].lower(), stem[-2].lower()
    if last == before and last not in "lsz" + _VOWELS:
        return stem[:-1]
    groups = len(re.findall(f"[{_VOWELS}y]+", stem.lower()))
    short = groups == 1 and before in _VOWELS and stem[-3].lower() not in _VOWELS
    silent = last in "cvzu" or (last in "lr" and before in "bcdgkpt") or stem.lower().endswith("rs")
    return stem + "e" if silent or (short and last not in "wxy" + _VOWELS) else stem
