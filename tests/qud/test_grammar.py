"""The grammar says what the language says."""

import re

from reqap.plan import OPERATORS
from reqap.plan.vocabulary import METHODS, PARTS
from reqap.qud.grammar import grammar
from reqap.qud.in_context import examples


def test_every_rule_that_is_used_is_there() -> None:
    rules = dict(line.split(" ::= ", 1) for line in grammar().splitlines())
    for body in rules.values():
        bare = re.sub(r'"(?:\\.|[^"\\])*"|\[(?:\\.|[^\]\\])*\]', " ", body)
        assert set(re.findall(r"[a-z][a-z-]*", bare)) <= rules.keys()


def test_operators_methods_and_parts_are_those_of_the_language() -> None:
    told = grammar()
    for name in OPERATORS.keys() - {"QUD"}:
        assert f'"{name}("' in told
    for word in (*METHODS, *PARTS):
        assert f'"{word}"' in told


def test_an_argument_that_may_be_left_out_may_be_left_out() -> None:
    rules = dict(line.split(" ::= ", 1) for line in grammar().splitlines())
    assert rules["retrieve"] == '"RETRIEVE(" text (", " qud)? ")"'
    assert rules["argmax"] == '"ARGMAX(" qud ", " name (", " name)? ")"'


def test_examples_are_in_the_grammar() -> None:
    accepts = _Matcher(grammar())
    for turns in examples():
        for turn in turns:
            assert accepts(f" {turn.step}"), turn.step


class _Matcher:
    """Follows a GBNF grammar, trying everything: slow, and for tests only."""

    def __init__(self, text: str) -> None:
        self.rules = {}
        for line in text.splitlines():
            name, body = line.split(" ::= ", 1)
            self.rules[name] = self._alternatives(_tokens(body))

    def __call__(self, text: str) -> bool:
        return len(text) in self._ends(("rule", "root"), text, 0)

    def _alternatives(self, tokens: list[str]) -> tuple[str, object]:
        options: list[list[object]] = [[]]
        while tokens and tokens[0] != ")":
            token = tokens.pop(0)
            if token == "|":
                options.append([])
                continue
            if token == "(":
                item: object = self._alternatives(tokens)
                tokens.pop(0)
            elif token[0] == '"':
                item = ("text", token[1:-1].replace('\\"', '"').replace("\\\\", "\\"))
            elif token[0] == "[":
                item = ("set", re.compile(token))
            else:
                item = ("rule", token)
            if tokens and tokens[0] in "*+?":
                item = ("times", (item, tokens.pop(0)))
            options[-1].append(item)
        return ("any", options)

    def _ends(self, item: tuple[str, object], text: str, at: int) -> set[int]:
        kind, body = item
        if kind == "rule":
            return self._ends(self.rules[str(body)], text, at)
        if kind == "text":
            return {at + len(str(body))} if text.startswith(str(body), at) else set()
        if kind == "set":
            assert isinstance(body, re.Pattern)
            return {at + 1} if at < len(text) and body.fullmatch(text[at]) else set()
        if kind == "times":
            assert isinstance(body, tuple)
            return self._repeated(body[0], body[1], text, at)
        ends = set()
        for option in body:  # type: ignore[attr-defined]
            places = {at}
            for part in option:
                places = {end for place in places for end in self._ends(part, text, place)}
            ends |= places
        return ends

    def _repeated(self, inner: tuple[str, object], sign: str, text: str, at: int) -> set[int]:
        found = set() if sign == "+" else {at}
        new = {at}
        while new:
            new = {end for place in new for end in self._ends(inner, text, place)} - found
            found |= new
            if sign == "?":
                break
        return found


def _tokens(body: str) -> list[str]:
    return re.findall(r'"(?:\\.|[^"\\])*"|\[(?:\\.|[^\]\\])*\]|[a-z][a-z-]*|[()|*+?]', body)
