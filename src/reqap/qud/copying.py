"""Names and numbers that a step takes over from its question, as the question writes them.

Small models misspell what they copy ("Elena Petrov" for "Elena Petrova"). A word of a step that
the question does not have, but nearly has as a name, becomes what the question has; so does a word
that the model was never taught ("frisotot" for "fricot"): it can only have come from the question.
A name of which a word was left out ("Parrilla Ulises" for "Parrilla Don Ulises") is made whole, and
what is said again and again is said once. A number with one digit wrong, or two exchanged, becomes
the question's, unless it is next to it: "before 2020" may well be 2019.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import fields, replace
from difflib import SequenceMatcher
from functools import cache
from importlib import resources
from typing import Any

from reqap.plan import Operator, Qud, format_short
from reqap.plan.expressions import Expression, Literal, SubPlan
from reqap.plan.operators import Retrieve
from reqap.plan.rewrite import rebuilt, with_plans

_WORD = re.compile(r"\w+(?:[-'’]\w+)*")
# How like a name a known word has to be to be taken for it, and an unknown one.
_ALIKE, _NEAR = 0.72, 0.5
_SHORTEST = 4


def copied_from(step: Operator, *questions: str) -> Operator:
    """The step with misspelt names and numbers put right."""
    said = " ".join(questions).casefold()
    if numbers := set(_NUMBER.findall(said.replace(",", ""))):
        step = _numbers_changed(step, numbers)
    step = _texts_changed(step, lambda text: _once(text.strip() or text, said))
    spans = sorted({span for question in questions for span in _spans(question)}, key=len)
    if spans:
        step = _texts_changed(step, lambda text: _whole(text, spans))
    step = _texts_changed(step, lambda text: _FULL_NAME.sub(lambda it: _full(it, said), text))
    known = {word.casefold() for question in questions for word in _words(question)}
    names = {name for question in questions for name in _names(question)}
    rare = {word for question in questions for word in _words(question) if _untaught(word)}
    told = {word.casefold() for text in _texts(step) for word in _words(text)}
    missing = {name for name in names | rare if name.casefold() not in told}
    return _changed(step, known, missing) if missing else step


@cache
def _taught() -> frozenset[str]:
    """The words of the steps that the shipped model has learnt from."""
    file = resources.files("reqap.qud") / "model" / "words.txt"
    return frozenset(file.read_text(encoding="utf-8").split())


def _untaught(word: str) -> bool:
    parts = word.casefold().replace("’", "'").split("-")
    return len(word) >= _SHORTEST and word[0].isalpha() and not _taught().issuperset(parts)


def _words(text: str) -> list[str]:
    return [word.removesuffix("'s").removesuffix("’s") for word in _WORD.findall(text)]


def _names(question: str) -> Iterable[str]:
    """Words that are written like names, and not only because a sentence begins."""
    for number, word in enumerate(_words(question)):
        if len(word) >= _SHORTEST and ((word[0].isupper() and number) or not word.isascii()):
            yield word


def _texts(plan: Operator) -> Iterable[str]:
    if isinstance(plan, Qud):
        yield plan.text
    if isinstance(plan, Retrieve):
        yield plan.query
    for inner in (*plan.inputs(), *plan.sub_plans()):
        yield from _texts(inner)
    for member in fields(plan):
        value = getattr(plan, member.name)
        if isinstance(value, Expression):
            yield from _literals(value)


def _literals(value: Expression) -> Iterable[str]:
    if isinstance(value, Literal) and isinstance(value.value, str):
        yield value.value
    for inner in value.parts():
        yield from _literals(inner)


_NUMBER = re.compile(r"(?<![\w.])\d{3,}(?![\w.]*\d)")


def _numbers_changed(step: Operator, said: set[str]) -> Operator:
    """The step with numbers as the question has them, where it nearly has."""
    missing = said.difference(_NUMBER.findall(format_short(step)))

    def meant(match: re.Match[str]) -> str:
        near = [one for one in missing if match[0] not in said and _is_slip(match[0], one)]
        return near[0] if len(near) == 1 else match[0]

    return _texts_changed(step, lambda text: _NUMBER.sub(meant, text))


def _is_slip(number: str, other: str) -> bool:
    """One digit wrong, or two neighbours exchanged, in numbers that are not next to each other."""
    wrong = [n for n, (a, b) in enumerate(zip(number, other, strict=False)) if a != b]
    if len(number) != len(other) or abs(int(number) - int(other)) <= 1:
        return False
    first, last = wrong[0], wrong[-1]
    exchanged = number[first : last + 1] == other[first : last + 1][::-1] and last - first == 1
    return len(wrong) == 1 or exchanged


_AGAIN = re.compile(r"\b(\w+)(?: \1\b)+")
_BEGUN = re.compile(r"\b([^\W\d_a-z]\w+) (?=\1\w)")


def _once(text: str, said: str) -> str:
    """Without stuttering ("Una Mac Mac MacArdle"), unless the question stutters."""

    def unless_said(match: re.Match[str], instead: str) -> str:
        return match[0] if match[0].casefold() in said else instead

    text = _AGAIN.sub(lambda match: unless_said(match, match[1]), text)
    return _BEGUN.sub(lambda match: unless_said(match, ""), text)


_WITHIN = "de|del|la|le|los|las|lo|di|da|do|dos|du|van|von|der|den|of|the|y|e|el|al|bin|a|&"
_SPAN = re.compile(
    r"(?<![.?!] )(?<!^)\b[^\W\d_a-z][\w'’-]+"
    rf"(?:(?: (?:{_WITHIN}))* [^\W\d_a-z][\w'’-]*){{2,}}"
)


def _spans(question: str) -> Iterable[str]:
    """Names of three words or more."""
    for match in _SPAN.finditer(question):
        yield match[0]


def _whole(text: str, spans: Iterable[str]) -> str:
    """A text with names whole from which words were left out."""
    for span in spans:
        words = span.split()
        if span in text or words[0] not in text or words[-1] not in text:
            continue
        for match in re.finditer(rf"\b{re.escape(words[0])}\b.*?\b{re.escape(words[-1])}\b", text):
            if set(match[0].split()) <= set(words):
                return text.replace(match[0], span)
    return text


_FULL_NAME = re.compile(r"\b([^\W\d_a-z][\w'’-]+) ([^\W\d_a-z][\w'’-]{3,})")


def _full(match: re.Match[str], said: str) -> str:
    """First name and family name, of which the question, in whatever letters, has one exactly."""
    first, last = match.groups()
    bare = last.removesuffix("'s").removesuffix("’s")
    family_names = re.findall(rf"\b{re.escape(first.casefold())} (\w[\w-]*)", said)
    if bare.casefold() in family_names:
        return match[0]
    for follows in family_names:
        if SequenceMatcher(None, bare.casefold(), follows).ratio() >= _ALIKE:
            return f"{first} {follows.title()}{last[len(bare) :]}"
    return match[0]


def _changed(plan: Operator, known: set[str], missing: set[str]) -> Operator:
    def put(text: str) -> str:
        return _WORD.sub(lambda match: _meant(match[0], known, missing), text)

    return _texts_changed(plan, put)


def _texts_changed(plan: Operator, put: Callable[[str], str]) -> Operator:
    """The plan with every text in it changed, and every number, as it is written."""

    def literal(inner: Expression) -> Expression | None:
        if isinstance(inner, SubPlan):
            return inner
        if isinstance(inner, Literal) and isinstance(inner.value, str):
            return Literal(put(inner.value))
        if isinstance(inner, Literal) and type(inner.value) is int:
            return Literal(int(put(str(inner.value))))
        return None

    if isinstance(plan, Qud):
        return replace(plan, text=put(plan.text))
    found: dict[str, Any] = {
        member.name: rebuilt(value, literal)
        for member in fields(plan)
        if isinstance(value := getattr(plan, member.name), Expression)
    }
    if isinstance(plan, Retrieve):
        found["query"] = put(plan.query)
    return with_plans(replace(plan, **found), lambda inner: _texts_changed(inner, put))


def _meant(word: str, known: set[str], missing: set[str]) -> str:
    """The name that a word nearly is."""
    bare = word.removesuffix("'s").removesuffix("’s")
    if len(bare) < _SHORTEST or bare.casefold() in known:
        return word
    untaught = _untaught(bare)
    if not (untaught or bare[0].isupper()):
        return word
    scored = [(SequenceMatcher(None, bare, name).ratio(), name) for name in missing]
    best, name = max(scored)
    return name + word[len(bare) :] if best >= (_NEAR if untaught else _ALIKE) else word
