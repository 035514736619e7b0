"""What notebooks show of answers, trees and events; whatever data says stays text."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from html.parser import HTMLParser
from pathlib import Path

import pytest

import reqap
from reqap.answer import Answer, AnswerValue, Evidence
from reqap.errors import PlanError
from reqap.events import Event, Origin
from reqap.execute import TraceNode
from reqap.life import Life, Reply
from reqap.notebook import SHOWN, Events, Shown, answer_html
from reqap.pipeline import Asked
from reqap.qud.decompose import Decomposition

TODAY = datetime(2026, 1, 1)
HOSTILE = (
    "</td></table></details></code>--><script>alert(1)</script><img src=x onerror=alert(2)>"
    "\" onmouseover='alert(3)' {{ 7*7 }} {% raw %} $\\href{javascript:alert(4)}{x}$ &lt;b&gt;"
)
OURS = {"div", "p", "strong", "b", "small", "code", "pre", "details", "summary", "table", "thead",
        "tbody", "tr", "th", "td"}  # fmt: skip
STYLES = {"margin-left: 1.2em", "text-align: left"}


class Looked(HTMLParser):
    """The tags of a text, checked to be ours and closed in order, and what is left to read."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.text, self.open, self.tags = "", list[str](), list[str]()
        self.feed(html)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in OURS
        for name, value in attrs:
            assert name in ("class", "open", "style")
            assert name != "style" or value in STYLES
        self.open.append(tag)
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        pytest.fail(data)

    def handle_decl(self, decl: str) -> None:
        pytest.fail(decl)


def step(text: str, **given: object) -> TraceNode:
    made = TraceNode(
        path="1", name="FILTER", text=text, question=text, shape="events", rows_in=2_000,
        rows_out=1_234, milliseconds=5.67, attributes=(), samples=(), notes=(text,), statements=(),
    )  # fmt: skip
    return replace(made, **given)  # type: ignore[arg-type]


def event(text: str, number: int = 0) -> Event:
    start = datetime(2024, 5, 1, 12) + timedelta(days=number)
    return Event(text, text, text, start, start, None, {text: text, "tags": [text]},
                 Origin(text, 1))  # fmt: skip


def answer(text: str) -> Answer:
    tree = step(text, inputs=(step(text),), sub_plans=(step(text, reused=True),), path=text)
    rows = ((AnswerValue(text, text, text), AnswerValue(3, "km", "3 km")),)
    evidence = (Evidence(text, (text,)),)
    return Answer("ok", text, (text, "distance"), rows, (1,), 1, evidence, tree, TODAY)


class OneEvent(Life):
    """A life in which every event is the same."""

    def __init__(self, text: str) -> None:
        self._text = text

    def events(self, ids: object, limit: int | None = None) -> Events:
        return Events([event(self._text)])


def reply(text: str, found: Answer | None) -> Reply:
    understood = Decomposition(text, None, (), text, 1.0, None)
    return Reply(Asked(text, TODAY, "ok", text, understood, found, {}), OneEvent(text))


def shown(one: object) -> str:
    """As a notebook asks for it."""
    html = getattr(one, "_repr_html_")()  # noqa: B009 (objects have none)
    assert isinstance(html, str)
    return html


def everything(text: str) -> Iterator[object]:
    found = answer(text)
    yield from (found.trace, found, reply(text, found), reply(text, None), Events([event(text)]))


@pytest.mark.parametrize("number", range(5))
def test_whatever_data_says_is_shown_as_text(number: int) -> None:
    hostile, harmless = (shown(list(everything(text))[number]) for text in (HOSTILE, "x"))
    looked = Looked(hostile)
    assert looked.tags == Looked(harmless).tags
    assert HOSTILE[:200] in looked.text
    assert hostile.startswith('<div class="reqap tex2jax_ignore mathjax_ignore">')  # no formulas


def test_a_plan_that_was_not_carried_out_is_shown_as_text() -> None:
    looked = Looked(answer_html(Shown("q", "I could not.", (), (), None, HOSTILE)))
    assert HOSTILE in looked.text


def test_an_answer_has_its_values_its_tree_and_its_events() -> None:
    looked = Looked(shown(reply("ran", answer("ran"))))
    assert looked.tags.count("table") == 2
    assert looked.tags.count("details") == 2 + 3
    for said in ("3 km", "1,234 rows · 5.7 ms", "1,234 rows · as above", "Wed 2024-05-01 12:00",
                 "What it rests on: 1\nevent"):  # fmt: skip
        assert said in looked.text


def test_long_tables_are_cut_and_say_so() -> None:
    many = Events([event("x", number) for number in range(1_030)])
    assert f"and {1_030 - SHOWN:,} more" in Looked(shown(many)).text
    assert "more" not in Looked(shown(many[:3])).text
    assert many[1].start == datetime(2024, 5, 2, 12)
    long = Shown("", "", ("n",), [[str(n)] for n in range(250)], None)
    assert "and 50 more" in Looked(answer_html(long)).text


def test_a_life_is_shown_also_after_it_was_closed(demo_db: Path) -> None:
    with reqap.open(demo_db) as life:
        runs = life.run('RETRIEVE("my runs")', "My runs", TODAY)
        text = Looked(shown(runs)).text
        assert "workout" in text
        counted = life.run('APPLY(RETRIEVE("my runs"), len)', today=TODAY)
        assert "<th>answer</th>" in shown(counted)
        assert 'RETRIEVE(query="my runs")' in text
        assert "running · 42 min 12 s · 7.02 km · 465 kcal" in Looked(shown(runs.events)).text
        with pytest.raises(PlanError):
            life.run(HOSTILE)
    assert "which only an open life can show" in Looked(shown(runs)).text
