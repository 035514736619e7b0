"""Which column of a Netflix file is which, in any language.

Netflix translates the headers. Words of nine languages are known by their stems; what they leave
open is found by the shape of the cells. Not the job of this module: what the cells mean.
"""

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from reqap.errors import ValueProblem
from reqap.sources.netflix_titles import Titles
from reqap.sources.tables import Row
from reqap.values import AmbiguousDate, parse_date

# English, German, French, Spanish, Portuguese, Italian, Dutch, Polish, Swedish; accents removed.
_STEMS = {
    "supplemental": "supplement suplement complement zusatz aanvullend dodatkow tillagg",
    "profile": "profil perfil profiel",
    "start": "start debut inicio inizio begin rozpocz",
    "duration": "duration dauer duree duracion duracao durata duur trwania varaktighet langd",
    "attributes": "attribut atribut",
    "title": "title titel titre titulo titolo tytul",
    "device": "device gerat appareil dispositivo apparaat urzadzen enhet",
    "bookmark": "bookmark lesezeichen signet marcador segnalibro bladwijzer zakladk bokmark",
    "country": "country land pays pais paese kraj",
}
_DAY = "date datum data fecha"
_WATCHED_AT = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?")
_CLOCK = re.compile(r"\d{1,4}:\d\d:\d\d")
_COUNTRY = re.compile(r"[A-Z]{2} \([^()]+.*\)")
_TOKEN = re.compile(r"[A-Z][A-Z0-9_ ]*")
_DATE_CHARS = re.compile(r"[\d./\- ]{6,12}")


class Fields(NamedTuple):
    """One text per column: its name in the header, or the cell of a row; empty where there is none.

    The order is that of the file.
    """

    profile: str = ""
    start: str = ""
    duration: str = ""
    attributes: str = ""
    title: str = ""
    supplemental: str = ""
    device: str = ""
    bookmark: str = ""
    latest_bookmark: str = ""
    country: str = ""


def cells_of(row: Row, columns: Fields) -> Fields:
    return Fields(*(row.get(name, "").strip() for name in columns))


def is_activity(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first rows of a file, header included, are those of the viewing activity."""
    named = set(_by_name(rows[0]))
    if named >= {"profile", "start", "duration", "title", "supplemental", "bookmark"}:
        return True
    shapes = (_WATCHED_AT, _CLOCK, _COUNTRY)
    body = [row for row in rows[1:] if any(row)]
    fitting = sum(all(any(map(s.fullmatch, row)) for s in shapes) for row in body)
    return len(rows[0]) >= 5 and fitting > len(body) / 2


def is_history(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first rows, header included, are those of the quick download: Title, Date."""
    body = [row for row in rows[1:] if len(row) == 2]
    if len(rows[0]) != 2 or sum(_is_day(row[1]) for row in body) <= len(body) / 2:
        return False
    first, second = (_fold(name) for name in rows[0])
    if first in _STEMS["title"].split() and second in _DAY.split():
        return True
    titles = Titles()
    return any(titles.parse(row[0]).season_name for row in body)


def _is_day(text: str) -> bool:
    if not _DATE_CHARS.fullmatch(text.strip()):
        return False
    try:
        return parse_date(text) is not None
    except AmbiguousDate:
        return True
    except ValueProblem:
        return False


def find_columns(rows: Sequence[Row]) -> Fields:
    """The columns of the viewing activity, from a good number of its rows."""
    names = list(rows[0])
    found = _by_name(names)
    cells = {name: [cell for row in rows if (cell := row[name].strip())] for name in names}
    _by_shape(found, cells)
    if len(names) == len(Fields._fields) and names[1:3] == [
        found.get("start"),
        found.get("duration"),
    ]:
        for column, name in zip(Fields._fields, names, strict=True):
            if name not in found.values():
                found.setdefault(column, name)
    if "supplemental" not in found:
        rare = [n for n, texts in cells.items() if _is_rare_token(texts, len(rows))]
        _take(found, "supplemental", rare)
    if "title" not in found:
        _take(found, "title", sorted(names, key=lambda name: -len(set(cells[name]))))
    return Fields(**found)


def _by_name(header: Sequence[str]) -> dict[str, str]:
    """The columns whose names hold a known stem; the first of several counts."""
    found: dict[str, str] = {}
    for name in header:
        folded = _fold(name)
        for column, stems in _STEMS.items():
            if any(stem in folded for stem in stems.split()):
                found.setdefault(column, name)
                break
    return found


def _by_shape(found: dict[str, str], cells: dict[str, list[str]]) -> None:
    """Adds the columns whose cells give them away."""
    for column, shape in (
        ("start", _WATCHED_AT),
        ("duration", _CLOCK),
        ("bookmark", _CLOCK),
        ("country", _COUNTRY),
    ):
        if column not in found:
            _take(found, column, [name for name, texts in cells.items() if _mostly(shape, texts)])


def _mostly(shape: re.Pattern[str], cells: Sequence[str]) -> bool:
    return sum(bool(shape.fullmatch(cell)) for cell in cells) > len(cells) / 2


def _is_rare_token(cells: Sequence[str], rows: int) -> bool:
    return 0 < len(cells) < rows / 2 and all(map(_TOKEN.fullmatch, cells))


def _take(found: dict[str, str], column: str, candidates: Sequence[str]) -> None:
    """Gives the first candidate that is still free to a column."""
    free = (name for name in candidates if name not in found.values())
    if (name := next(free, None)) is not None:
        found[column] = name


def _fold(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).casefold().replace("ł", "l")
    return "".join(char for char in plain if not unicodedata.combining(char)).strip()
