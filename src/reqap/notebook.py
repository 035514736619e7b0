"""Answers, trees and events as HTML, for notebooks: what `_repr_html_` of the Python API gives.

Everything from data is escaped by the template, and formulas in it are not typeset. Not the job of
this module: the page in the browser (`serve`), which can do more than show.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Protocol, SupportsIndex, overload

from reqap.events import Event
from reqap.verbalize import gist

if TYPE_CHECKING:
    from jinja2.environment import TemplateModule

SHOWN = 10  # events
_MOST_ROWS = 200
_THINGS = {"events": "row", "groups": "group"}


class Step(Protocol):
    """What is shown of one step of a tree."""

    @property
    def path(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def question(self) -> str | None: ...
    @property
    def shape(self) -> str: ...
    @property
    def rows_out(self) -> int: ...
    @property
    def milliseconds(self) -> float: ...
    @property
    def notes(self) -> Sequence[str]: ...
    @property
    def reused(self) -> bool: ...
    @property
    def inputs(self) -> "Sequence[Step]": ...
    @property
    def sub_plans(self) -> "Sequence[Step]": ...


@dataclass(frozen=True)
class Shown:
    """An answer in texts. `events` are the first of `event_count`."""

    question: str
    text: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    trace: Step | None
    plan: str = ""  # how far the question was understood, where there is no trace
    events: Sequence[Event] = ()
    event_count: int = 0


class Events(list[Event]):
    """A list of events that a notebook shows as a table."""

    @overload
    def __getitem__(self, place: SupportsIndex) -> Event: ...
    @overload
    def __getitem__(self, place: slice) -> "Events": ...
    def __getitem__(self, place: SupportsIndex | slice) -> "Event | Events":
        if isinstance(place, slice):
            return Events(super().__getitem__(place))
        return super().__getitem__(place)

    def _repr_html_(self) -> str:
        return events_html(self, len(self))


def answer_html(shown: Shown) -> str:
    """The sentence, the values with their units, the tree, and the first events."""
    return _filled("answer", shown)


def tree_html(step: Step) -> str:
    """A tree whose steps can be folded, with rows and milliseconds."""
    return _filled("tree", step)


def events_html(events: Iterable[Event], count: int) -> str:
    """The first events as a table, and how many there are in all."""
    return _filled("events", list(islice(events, SHOWN)), count)


def _came(step: Step) -> str:
    """What came out of a step, and how long it took."""
    thing = _THINGS.get(step.shape, "value") + ("" if step.rows_out == 1 else "s")
    time = "as above" if step.reused else f"{step.milliseconds:,.1f} ms"
    return f"{step.rows_out:,} {thing} · {time}"


def _filled(macro: str, *given: object) -> str:
    return str(getattr(_template(), macro)(*given)).strip()


@cache
def _template() -> "TemplateModule":
    from jinja2 import Environment, StrictUndefined  # not needed where nothing is shown

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.globals |= {"came": _came, "gist": gist, "most_rows": _MOST_ROWS}
    return environment.from_string(_HTML).module


# The classes keep notebooks from typesetting what stands between dollar signs.
_HTML = """
{% macro framed() %}
<div class="reqap tex2jax_ignore mathjax_ignore">{{ caller() }}</div>
{% endmacro %}

{% macro node(step, open) %}
<details{% if open %} open{% endif %} style="margin-left: 1.2em">
<summary>{{ step.path }} {% if step.question %}<b>{{ step.question }}</b> {% endif %}
<code>{{ step.text }}</code> <small>{{ came(step) }}</small></summary>
{% for note in step.notes %}<div style="margin-left: 1.2em"><small>{{ note }}</small></div>
{% endfor %}
{% for inner in step.inputs %}{{ node(inner, true) }}{% endfor %}
{% for inner in step.sub_plans %}{{ node(inner, true) }}{% endfor %}
</details>
{% endmacro %}

{% macro tree(step) %}{% call framed() %}{{ node(step, true) }}{% endcall %}{% endmacro %}

{% macro event_table(listed, count) %}
<table>
<thead><tr><th>start</th><th>kind</th><th>what</th><th>source</th><th>id</th></tr></thead>
<tbody>
{% for event in listed %}
<tr><td>{{ event.start.strftime("%a %Y-%m-%d %H:%M") }}</td><td>{{ event.kind|replace("_", " ") }}
</td><td style="text-align: left">{{ gist(event.data) }}</td><td>{{ event.source }}</td>
<td><code>{{ event.id }}</code></td></tr>
{% endfor %}
</tbody>
</table>
{% if count > listed|length %}<p>and {{ "{:,}".format(count - listed|length) }} more</p>{% endif %}
{% endmacro %}

{% macro events(listed, count) %}
{% call framed() %}{{ event_table(listed, count) }}{% endcall %}
{% endmacro %}

{% macro values(shown) %}
<table>
<thead><tr>{% for name in shown.columns %}<th>{{ name|replace("_", " ") }}</th>{% endfor %}</tr>
</thead>
<tbody>
{% for row in shown.rows[:most_rows] %}
<tr>{% for text in row %}<td>{{ text }}</td>{% endfor %}</tr>
{% endfor %}
</tbody>
</table>
{% set more = shown.rows|length - most_rows %}
{% if more > 0 %}<p>and {{ "{:,}".format(more) }} more</p>{% endif %}
{% endmacro %}

{% macro answer(shown) %}
{% call framed() %}
{% if shown.question %}<p>{{ shown.question }}</p>{% endif %}
<p><strong>{{ shown.text }}</strong></p>
{% if shown.rows %}{{ values(shown) }}{% endif %}
{% if shown.trace %}
<details><summary>How it was worked out</summary>{{ node(shown.trace, true) }}</details>
{% elif shown.plan %}
<details><summary>How it was understood</summary><pre>{{ shown.plan }}</pre></details>
{% endif %}
{% if shown.events %}
<details open><summary>What it rests on: {{ "{:,}".format(shown.event_count) }}
{{ "event" if shown.event_count == 1 else "events" }}</summary>
{{ event_table(shown.events, shown.event_count) }}</details>
{% elif shown.event_count %}
<p>It rests on {{ "{:,}".format(shown.event_count) }}
{{ "event" if shown.event_count == 1 else "events" }}, which only an open life can show.</p>
{% endif %}
{% endcall %}
{% endmacro %}
"""
