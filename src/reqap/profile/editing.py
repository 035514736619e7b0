"""Changing a profile: pure functions that give the changed one, or say what is wrong.

Unlike `reading`, an edit is strict: the person is at the keyboard and can correct it.
"""

from collections.abc import Mapping
from dataclasses import fields
from difflib import get_close_matches
from typing import NamedTuple

from reqap.errors import ProfileProblem
from reqap.profile.model import LISTS, Item, Json, Person, Profile, When, changed, clean
from reqap.profile.records import Notes, read_field, read_record
from reqap.profile.relations import canonical, included, tokens, written
from reqap.profile.spelling import ITEM_FIELDS, PROFILE_FIELDS, normal

FIELDS = tuple(f.name for f in fields(Profile) if f.name not in (*LISTS, "other"))
_SINGULAR = {name: kind.label for name, kind in LISTS.items()}


class _Kind(NamedTuple):
    """What a word such as "friend" or "job" lists, and the relation it stands for."""

    list_name: str
    relation: str = ""


def set_field(profile: Profile, field: str, value: Json) -> Profile:
    """The profile with one field set; an empty value clears it."""
    name = field_named(field)
    found, left, why = read_field(name, value)
    if left is not None:
        raise ProfileProblem(f"{name}: {why.removeprefix('cannot be used: ')}")
    empty: object = None if name == "birth_date" else () if name in ("nicknames", "emails") else ""
    # What the old text had in this field and could not be used is settled with this.
    other = {k: v for k, v in profile.other.items() if PROFILE_FIELDS.get(normal(k)) != name}
    return changed(profile, **{name: found or empty, "other": other})


def field_named(text: str) -> str:
    """The field that `text` spells: "Timezone" is time_zone."""
    name = PROFILE_FIELDS.get(normal(text), "")
    if name in LISTS:
        raise ProfileProblem(f"{name} is a list: add to it, or remove from it")
    if name not in FIELDS:
        raise ProfileProblem(_unknown(f"There is no field {text[:60]!r}", normal(text), FIELDS))
    return name


def add(profile: Profile, kind: str, values: Mapping[str, Json]) -> Profile:
    """The profile with one more entry: a relation ("friend", "mother") or "pet", "job", …"""
    chosen = _kind(kind)
    record: dict[str, Json] = {
        key: value for key, value in values.items() if value not in (None, "", [], ())
    }
    item_kind = LISTS[chosen.list_name]
    names = ITEM_FIELDS[item_kind]
    for key in record:
        if normal(key) not in names:
            known = tuple(dict.fromkeys(names.values()))
            raise ProfileProblem(
                _unknown(f"{item_kind.label}: there is no field {key[:60]!r}", normal(key), known)
            )
    if chosen.relation and not any(names[normal(key)] == "relation" for key in record):
        record["relation"] = chosen.relation
    notes = Notes()
    item = read_record(item_kind, record, notes, item_kind.label)
    if item is None or notes.told():
        raise ProfileProblem("; ".join(notes.told()) or f"{item_kind.label}: that is not enough")
    present: tuple[Item, ...] = getattr(profile, chosen.list_name)
    for there in present:
        if _same(item, there):
            raise ProfileProblem(f"{there.title} is in your {chosen.list_name} already")
    return changed(profile, **{chosen.list_name: (*present, item)})


def remove(profile: Profile, kind: str, name: str) -> Profile:
    """The profile without the one entry of that kind and name.

    Where several share the name (two stays in one city), the start or address behind it decides:
    "Berlin 2015".
    """
    chosen = _kind(kind)
    present: tuple[Item, ...] = getattr(profile, chosen.list_name)
    among = [item for item in present if _is_of(item, chosen.relation)]
    wanted = tokens(name)
    found = [item for item in among if wanted in _names(item)] or [
        item for item in among if isinstance(item, Person) and wanted == tokens(item.name)[:1]
    ]
    if len(found) != 1:
        listed = ", ".join(_described(item) for item in (found or among)[:10]) or "none"
        trouble = "There are several" if found else "There is no"
        raise ProfileProblem(f"{trouble} {kind[:60]} {name[:60]!r}. There are: {listed}")
    rest = tuple(item for item in present if item is not found[0])
    return changed(profile, **{chosen.list_name: rest})


def _kind(kind: str) -> _Kind:
    name = normal(kind)
    if (field := PROFILE_FIELDS.get(name)) in LISTS:
        return _Kind(str(field))
    if relation := canonical(kind):
        plain = canonical(name.replace("_", " ")) == name.replace("_", " ")
        # "twin brother" is kept in the user's own words, "friends" and "mum" are put plainly.
        words = len(tokens(kind)) > 1 and not plain
        return _Kind("people", clean(kind) if words else written(relation))
    choices = (*_SINGULAR.values(), "friend", "mother", "father", "partner", "colleague", "boss")
    raise ProfileProblem(_unknown(f"There is no kind {kind[:60]!r}", name, choices))


def _unknown(trouble: str, name: str, choices: tuple[str, ...]) -> str:
    near = get_close_matches(name[:60], choices, 1)
    hint = f" Did you mean {near[0]}?" if near else ""
    return f"{trouble}.{hint} There are: {', '.join(choices)}"


def _same(item: Item, known: Item) -> bool:
    if isinstance(item, Person) and isinstance(known, Person):
        return tokens(item.name) == tokens(known.name) and canonical(item.relation) == canonical(
            known.relation
        )
    return item.record() == known.record()


def _is_of(item: Item, relation: str) -> bool:
    if not relation or not isinstance(item, Person):
        return True
    wanted = canonical(relation)
    return wanted is None or canonical(item.relation) in included(wanted)


def _names(item: Item) -> list[tuple[str, ...]]:
    """The ways to name an item on the command line."""
    names = [str(getattr(item, need)) for need in item.needs]
    if isinstance(item, Person):
        names += item.nicknames
    since: When | None = getattr(item, "since", None)
    if since:
        names += [f"{name} {date}" for name in names for date in (since.text, since.text[:4])]
    return [words for name in names if (words := tokens(name))]


def _described(item: Item) -> str:
    since: When | None = getattr(item, "since", None)
    relation = item.relation if isinstance(item, Person) else ""
    return " ".join(filter(None, (item.title, f"({relation})" if relation else "",
                                  since.text if since else "")))  # fmt: skip
