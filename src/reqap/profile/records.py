"""One record of a profile, field by field: what fits is taken, what does not is kept aside."""

from collections.abc import Container, Mapping

from reqap.errors import ProfileProblem, ReqapError
from reqap.profile.model import MAX_TEXT, Item, Json, When, clean, is_blank, zone_name
from reqap.profile.spelling import ITEM_FIELDS, normal

_LISTS = ("nicknames", "emails")
_DATES = ("birth_date", "since", "until")


class Notes:
    """What was odd, each thing once and not without end."""

    _MOST = 100

    def __init__(self) -> None:
        self._notes: dict[str, None] = {}

    def add(self, text: str, about: str = "") -> None:
        if len(self._notes) < self._MOST:
            shown = text if len(about) <= 80 else text.replace(about, about[:80] + "…")
            self._notes[clean(shown)[:300]] = None

    def told(self) -> tuple[str, ...]:
        return tuple(self._notes)


def free_key(key: str, taken: Container[str]) -> str:
    """`key`, or the first like it that is not taken."""
    while key in taken:
        key += "_"
    return key


def read_field(field: str, value: Json) -> tuple[object, Json, str]:
    """A field's value, what of it could not be taken (None: nothing), and why not."""
    if is_blank(value):
        return None, None, ""
    try:
        if field in _LISTS:
            return _read_texts(field, value)
        if field in _DATES:
            return _read_date(value), None, ""
        text = _read_text(value)
        return (zone_name(text) if field == "time_zone" else text), None, ""
    except ReqapError as error:
        return None, value, f"cannot be used: {error}"


def _read_text(value: Json) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ProfileProblem("a text was expected")
    if len(text := clean(str(value))) > MAX_TEXT:
        raise ProfileProblem("the text is too long")
    return text


def _read_date(value: Json) -> When | None:
    if isinstance(value, bool | float | dict | list):
        raise ProfileProblem("a date was expected, such as 2019-08-17, 2019-08 or 2019")
    return When.of(value)


def _read_texts(field: str, value: Json) -> tuple[object, Json, str]:
    entries: list[Json] = list(value) if isinstance(value, list) else [value]
    if isinstance(value, str):
        entries = [part for part in value.replace(";", ",").split(",") if part.strip()]
    good: dict[str, None] = {}
    bad: list[Json] = []
    for entry in entries:
        text = clean(entry) if isinstance(entry, str) else ""
        fits = not is_blank(text) and len(text) <= MAX_TEXT and (field != "emails" or "@" in text)
        if fits:
            good[text] = None
        elif not is_blank(entry):
            bad.append(entry)
    what = "an e-mail address" if field == "emails" else "a name"
    return tuple(good), bad or None, f"cannot be used: {what} was expected"


def read_record(
    kind: type[Item], record: Mapping[str, Json], notes: Notes, where: str
) -> Item | None:
    """One item; None if it lacks what such an item needs."""
    names = ITEM_FIELDS[kind]
    fields: dict[str, object] = {}
    other: dict[str, Json] = {}
    for key, value in record.items():
        field = names.get(normal(key))
        if field is None or field in fields:
            other[key] = value
            if value is not None:
                why = "is not a field I know" if field is None else "says the same field again"
                notes.add(f"{where!r}: {key!r} {why}; it is kept as it is", key)
            continue
        found, left, why = read_field(field, value)
        if found:
            fields[field] = found
        if left is not None:
            other[key] = left
            notes.add(f"{where!r}: {key!r} {why}", key)
    kept: dict[str, Json] = {}
    for key, value in other.items():
        name = free_key(f"other {key}", {**record, **kept}) if key in fields else key
        kept[name] = value
    for needed in kind.needs:
        fields.setdefault(needed, "")
    try:
        return kind(**fields, other=kept)  # type: ignore[arg-type]
    except ProfileProblem as error:
        notes.add(f"{where!r}: {error}")
        return None
