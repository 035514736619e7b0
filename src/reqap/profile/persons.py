"""How people stand in profiles: "Ann (sister)", {"name": …}, {"mother": …}, lists of these."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from reqap.profile.model import Item, Json, Milestone, Person, changed, clean, is_blank
from reqap.profile.records import Notes, read_field, read_record
from reqap.profile.relations import canonical, tokens, written
from reqap.profile.spelling import DATED, ITEM_FIELDS, normal

_LISTED = re.compile(r"[,;&]|\band\b")
_BRACKETED = re.compile(r"([^()]+)\(([^()]*)\)\s*")
_LONGEST_NICKNAME = 40


class Entry(NamedTuple):
    """One person as written, and the relation that the place says they stand in."""

    value: Json
    relation: str
    raw: Json


def entries(value: Json, relation: str, plural: bool) -> Iterator[Entry]:
    """The single people in a field, however they are grouped."""
    if isinstance(value, list):
        for entry in value:
            yield Entry(entry, relation, entry)
    elif isinstance(value, str) and plural and relation:
        for part in _LISTED.split(value):
            yield Entry(part, relation, part)
    elif isinstance(value, dict) and not _is_person(value):
        for key, inner in value.items():
            known = canonical(normal(key).replace("_", " "))
            if known:
                for nested in entries(inner, written(known), True):
                    yield nested._replace(raw={key: nested.raw})
            elif isinstance(inner, dict):
                yield Entry({"name": key, **inner}, relation, {key: inner})
            elif isinstance(inner, str) and clean(key) and len(inner) <= _LONGEST_NICKNAME:
                yield Entry({"name": key, "nicknames": inner}, relation, {key: inner})
            elif inner is None and clean(key):
                yield Entry({"name": key}, relation, {key: inner})
            else:
                yield Entry(inner, relation, {key: inner})
    else:
        yield Entry(value, relation, value)


def _is_person(record: dict[str, Json]) -> bool:
    keys = {normal(key) for key in record}
    return bool(keys & {"name", "full_name", "first_name"})


def read_person(
    value: Json, relation: str, notes: Notes, where: str
) -> tuple[Person, list[Milestone]] | None:
    """A person, and the dated facts written with them."""
    if isinstance(value, str):
        record = _from_text(value)
    elif isinstance(value, dict):
        record = _with_name(value)
    else:
        return None
    dated = {key: DATED[normal(key)] for key in record if normal(key) in DATED}
    rest = {key: value for key, value in record.items() if key not in dated}
    if not any(ITEM_FIELDS[Person].get(normal(key)) == "relation" for key in rest):
        rest = _with_relation(rest, relation)
    person = read_record(Person, rest, notes, where)
    if not isinstance(person, Person):
        return None
    stones = []
    for key, event in dated.items():
        if (stone := _milestone(event, person, record[key])) is not None:
            stones.append(stone)
        elif not is_blank(record[key]):
            person = replace(person, other={**person.other, key: record[key]})
            notes.add(f"{where!r}: {key!r} is no date; it is kept as it is", key)
    return person, stones


def _with_relation(record: dict[str, Json], relation: str) -> dict[str, Json]:
    """The relation out of "type" or "role" if it stands there, else the one of the place."""
    for key, value in record.items():
        if normal(key) in ("type", "role") and isinstance(value, str) and canonical(value):
            rest = {name: kept for name, kept in record.items() if name != key}
            return {**rest, "relation": value}
    return {**record, "relation": relation} if relation else record


def _milestone(event: str, person: Person, value: Json) -> Milestone | None:
    since, left, _ = read_field("since", value)
    if left is not None or since is None:
        return None
    return Milestone(event, person=person.name, since=since)  # type: ignore[arg-type]


# The fields that may stand as "mother_…".
PARTS = frozenset((*ITEM_FIELDS[Person], *DATED)) - {"relation", "type", "role"}


def with_part(person: Item, part: str, value: Json) -> tuple[Person, list[Milestone]] | None:
    """The person with one more field, given by its name; None if that does not fit."""
    assert isinstance(person, Person)
    if part in DATED:
        stone = _milestone(DATED[part], person, value)
        return None if stone is None else (person, [stone])
    field = ITEM_FIELDS[Person].get(part)
    if field in (None, "name", "relation") or getattr(person, str(field)):
        return None
    found, left, _ = read_field(str(field), value)
    if left is not None or not found:
        return None
    return changed(person, **{str(field): found}), []


def _with_name(record: dict[str, Json]) -> dict[str, Json]:
    """first_name and last_name made into one name."""
    keys = {normal(key): key for key in record}
    if "name" in keys or "full_name" in keys or "first_name" not in keys:
        return record
    parts = [keys[k] for k in ("first_name", "last_name", "surname", "family_name") if k in keys]
    names = [record[key] for key in parts]
    if not all(isinstance(name, str) for name in names):
        return record
    rest = {key: value for key, value in record.items() if key not in parts}
    return {"name": " ".join(map(str, names)), **rest}


def _from_text(text: str) -> dict[str, Json]:
    """ "Ann Lee (twin sister, Annie)": what is in brackets is a relation, a nickname or a note."""
    found = _BRACKETED.fullmatch(text)
    if not found:
        return {"name": text}
    record: dict[str, Json] = {"name": found[1]}
    notes: list[str] = []
    for part in found[2].split(","):
        word = part.strip(" \"'“”„‘’")
        if canonical(word) and "relation" not in record:
            record["relation"] = word
        elif word.isalpha() and word[0].isupper() and "nicknames" not in record:
            record["nicknames"] = [word]
        elif word:
            notes.append(word)
    if notes:
        record["note"] = ", ".join(notes)
    return record


def is_same(known: Item, person: Person) -> bool:
    """Whether two of the same name are one: they are not said to be different things."""
    assert isinstance(known, Person)
    has, relation = canonical(known.relation), canonical(person.relation)
    return (
        has == relation
        or not known.relation
        or not person.relation
        or "relative"
        in (
            has,
            relation,
        )
    )


def merged(known: Item, person: Person) -> Person:
    """One person told twice: each telling fills the other's gaps."""
    assert isinstance(known, Person)
    loose = canonical(known.relation) in (None, "relative")
    return Person(
        name=known.name,
        relation=(person.relation or known.relation) if loose else known.relation,
        nicknames=tuple(dict.fromkeys((*known.nicknames, *person.nicknames))),
        birth_date=known.birth_date or person.birth_date,
        emails=tuple(dict.fromkeys((*known.emails, *person.emails))),
        note=known.note or person.note,
        other={**person.other, **known.other},
    )


def nicknames_in(value: Json) -> list[str]:
    """The nicknames in a text or a list of texts; none where it is rather a description."""
    texts = value if isinstance(value, list) else [value]
    names: dict[str, None] = {}
    for text in texts:
        if not isinstance(text, str):
            return []
        for part in re.split(r"[,;/]", re.sub(r"\([^()]*\)", " ", text)):
            name = clean(part).strip(" \"'“”„‘’")
            if len(name) > _LONGEST_NICKNAME:
                return []
            if not is_blank(name):
                names[name] = None
    return list(names)


def with_nicknames(person: Item, names: Sequence[str]) -> Person:
    assert isinstance(person, Person)
    new = [name for name in names if tokens(name) != tokens(person.name)]
    return replace(person, nicknames=tuple(dict.fromkeys((*person.nicknames, *new))))


def from_nickname(key: str, names: Sequence[str]) -> Person | None:
    """Somebody who is only named among the nicknames: {"grandmother (Ana Ruiz)": "Abu"}."""
    key = clean(key)[:200]
    if canonical(key):
        return Person(names[0], key.removeprefix("my "), tuple(names[1:]))
    found = _BRACKETED.fullmatch(key)
    if found:
        outer, inner = found[1].strip(), found[2].strip()
        if canonical(outer) and inner:
            return Person(inner, outer, tuple(names))
        if canonical(inner) and outer:
            return Person(outer, inner, tuple(names))
    words = key.split()
    for size in range(min(3, len(words) - 1), 0, -1):
        relation = " ".join(words[:size])
        if relation.islower() and canonical(relation):
            return Person(" ".join(words[size:]), relation, tuple(names))
    return None
