"""Question templates: wordings, gold SQL, and the plan that takes the question apart.

A template is written once and filled with the facts of a persona. In every text of it `{slot}`
stands for a value in words and `{slot!v}` for the value itself, as SQL or a plan would write it.
Not the job of this module: running plans (`reqap.evaluate`).
"""

import json
import random
import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import cache
from importlib import resources
from itertools import product

import duckdb

from reqap.errors import ReqapError
from reqap.perqa.persona import SPLITS
from reqap.perqa.slots import DOMAINS, SlotValue, after_article, literal_of

Answer = str | int | float | bool | date | time | datetime | timedelta
Row = tuple[Answer | None, ...]

_SLOT = re.compile(r"(\b(?:[Aa]|[Tt]he|[Mm]y|[Oo]ur|[Ff]irst|[Ll]ast) )?\{(\w+?)(\d?)(!v)?\}")
_MAX_FILLS_TRIED = 12


@dataclass(frozen=True)
class Template:
    id: str
    wordings: tuple[str, ...]
    sql: str
    plan: str
    retrieve: Mapping[str, str]  # query → the SQL that says what it should find

    def slots(self) -> tuple[str, ...]:
        """The names in braces, each once, in order."""
        texts = (*self.wordings, self.sql, self.plan, *self.retrieve, *self.retrieve.values())
        found = (match for text in texts for match in _SLOT.finditer(text))
        return tuple(dict.fromkeys(match[2] + match[3] for match in found))


@dataclass(frozen=True)
class Question:
    """A template, filled."""

    template: str
    persona: str
    wordings: tuple[str, ...]
    sql: str
    plan: str
    retrieve: Mapping[str, str]
    answers: tuple[Row, ...]


@cache
def load_templates(split: str) -> tuple[Template, ...]:
    """All templates of a split, in order of their ids."""
    folder = resources.files("reqap.perqa") / "templates" / split
    found: dict[str, Template] = {}
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        if not file.name.endswith(".json"):
            continue
        for raw in json.loads(file.read_text(encoding="utf-8")):
            template = read_template(raw)
            if template.id in found:
                raise ReqapError(f"{file.name}: the template {template.id} is there twice")
            found[template.id] = template
    return tuple(found[name] for name in sorted(found))


# Of how many personas a template is asked.
_ASKED_OF = {"train": 3, "dev": 2, "test": 3}


def templates_for(persona: str) -> list[Template]:
    """The templates that a persona is asked: each goes to a few personas of its split."""
    split = persona.partition("_")[0]
    size, most = SPLITS[split], _ASKED_OF[split]
    number = int(persona.rpartition("_")[2])
    return [
        template
        for template in load_templates(split)
        if (number - zlib.crc32(template.id.encode())) % size < most
    ]


def read_template(raw: Mapping[str, object]) -> Template:
    """A template from what is written in its file."""
    unknown = raw.keys() - {"id", "wordings", "sql", "plan", "retrieve"}
    if unknown:
        raise ReqapError(f"{raw.get('id')}: unknown keys {', '.join(sorted(unknown))}")
    wordings, retrieve = raw["wordings"], raw["retrieve"]
    assert isinstance(wordings, list)
    assert isinstance(retrieve, dict)
    return Template(
        str(raw["id"]), tuple(wordings), _text(raw["sql"]), _text(raw["plan"]),
        {query: _text(sql) for query, sql in retrieve.items()},
    )  # fmt: skip


def _text(value: object) -> str:
    """Long texts may be written as a list of lines."""
    return "\n".join(value) if isinstance(value, list) else str(value)


def filled(
    template: Template,
    persona: str,
    connection: duckdb.DuckDBPyConnection,
    seed: int = 1,
    most: int = 1,
) -> Iterator[Question]:
    """Questions of a template for one persona, as many as have an answer, at most `most`."""
    chance = random.Random(f"{seed}:{template.id}:{persona}")
    names = template.slots()
    given = [list(values(connection, name)) for name in names]
    if any(not domain for domain in given):
        return
    made = 0
    for choice in _choices(chance, given):
        question = fill(template, persona, dict(zip(names, choice, strict=True)), connection)
        if question is not None:
            yield question
            made += 1
            if made == most:
                return


def _choices(
    chance: random.Random, given: list[list[SlotValue]]
) -> Iterator[tuple[SlotValue, ...]]:
    """Some combinations of values, no value twice in one."""
    if not given:
        yield ()
        return
    size = 1
    for domain in given:
        size *= len(domain)
    if size <= 400:
        tried = list(product(*given))
        chance.shuffle(tried)
    else:
        tried = [tuple(map(chance.choice, given)) for _ in range(4 * _MAX_FILLS_TRIED)]
    distinct = (choice for choice in tried if len({v.text for v in choice}) == len(choice))
    for _, choice in zip(range(_MAX_FILLS_TRIED), distinct, strict=False):
        yield choice


def fill(
    template: Template,
    persona: str,
    chosen: Mapping[str, SlotValue],
    connection: duckdb.DuckDBPyConnection,
) -> Question | None:
    """The question with these values, or None when there is nothing to answer."""
    sql = replaced(template.sql, chosen, "sql")
    answers = answers_of(connection, sql)
    if not answers:
        return None
    return Question(
        template.id,
        persona,
        tuple(replaced(wording, chosen, "text") for wording in template.wordings),
        sql,
        replaced(template.plan, chosen, "plan"),
        {
            replaced(query, chosen, "text"): replaced(condition, chosen, "sql")
            for query, condition in template.retrieve.items()
        },
        answers,
    )


def replaced(text: str, chosen: Mapping[str, SlotValue], language: str) -> str:
    """A text with the slots filled."""

    def put(match: re.Match[str]) -> str:
        article, value = match[1] or "", chosen[match[2] + match[3]]
        if match[4]:
            return article + literal_of(value.value, language)
        told = value.text
        if language == "plan":
            told = told.replace("\\", "\\\\").replace('"', '\\"')
        return after_article(article, told)

    return _SLOT.sub(put, text)


def values(connection: duckdb.DuckDBPyConnection, slot: str) -> Iterator[SlotValue]:
    """What a slot may stand for in a life; `friend2` is another `friend`."""
    name = slot.rstrip("0123456789")
    domain = DOMAINS.get(name)
    if domain is None:
        raise ReqapError(f"there is no slot {name}; there are {', '.join(sorted(DOMAINS))}")
    yield from domain.values(connection)


def answers_of(connection: duckdb.DuckDBPyConnection, sql: str) -> tuple[Row, ...]:
    """What a gold query gives; nothing where it gives nothing, or counts zero."""
    rows = [
        tuple(row)
        for row in connection.execute(sql).fetchall()
        if any(value is not None and value == value for value in row)  # not NaN
    ]
    if (
        len(rows) == 1
        and len(rows[0]) == 1
        and rows[0][0] in (0, timedelta(0))
        and not isinstance(rows[0][0], bool)
    ):
        return ()
    return tuple(rows)
