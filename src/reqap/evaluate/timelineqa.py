"""TimelineQA: lifelogs that its authors' generator wrote, as lives to be asked.

A persona's folder holds a timeline (day → episode → its sentence), `persona.json`, a log per kind
of episode with its attributes, and, once the authors' script has filled its questions,
`queries.csv` and a `<question>-result.csv` each. A sentence and the attributes of its episode
become one event; they are written as observations in PerQA's form, which the import reads. Not the
job of this module: generating lifelogs, or running the benchmark's SQL.
"""

import csv
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from itertools import zip_longest
from pathlib import Path
from typing import Any

from reqap.errors import ReqapError
from reqap.evaluate.subjects import Question, Subject

_PERSONA, _LOG, _QUERIES = "persona.json", "-log.csv", "queries.csv"
_DEEPEST = 3
_LARGEST = 1 << 30
_DAY = re.compile(r"(\d{4})/(\d\d)/(\d\d)")
# What episodes are, by their log; those without a log go by their own name.
_KINDS = {
    "annual_medical_care": "medical_care",
    "daily_chat": "talk_with_friends",
    "daily_exercise": "exercise",
    "daily_meal": "meal",
    "daily_read": "reading",
    "daily_watchtv": "watching_tv",
    "marriages": "marriage",
    "monthly_pet_care": "pet_care",
    "moves": "move",
    "travel": "travel",
    "travel_dining": "travel_dining",
    "travel_places_visited": "travel_place_visited",
    "weekly_bakeorcook": "baking_or_cooking",
    "weekly_dating": "dating",
    "weekly_grocery": "grocery_shopping",
    "weekly_hobby": "hobby",
}
# Attributes as other sources call them; lengths of time are in minutes.
_NAMES = {"howlong": "duration", "people_string": "people", "hobbies": "hobby"}
_LISTS = frozenset({"friends", "people", "cuisine", "fruits", "drinks", "toiletries"})
_NUMBERS = frozenset({"duration", "heart_rate"})
_WHOSE = {"child_medical_care": "child", "parent_medical_care": "parents",
          "personal_medical_care": "myself"}  # fmt: skip
_NO_KEYS = frozenset({"eid", "date"})
_RELATIONS = {"biological_mom_name": "mother", "biological_dad_name": "father",
              "sibling_names": "sibling", "partners_names": "partner",
              "kids_names": "child", "close_friends_names": "friend"}  # fmt: skip

Attribute = str | int | list[str]


@dataclass(frozen=True)
class Episode:
    """One thing that happened: its sentence, and what its log says of it."""

    eid: str
    kind: str
    start: date
    end: date
    text: str
    attributes: Mapping[str, Attribute]


@dataclass(frozen=True)
class Timeline:
    """A persona of the benchmark."""

    name: str
    profile: str  # as JSON
    episodes: tuple[Episode, ...]  # by day
    questions: tuple[Question, ...]

    @property
    def today(self) -> datetime:
        """The questions name no day on which they are asked: the last that is told of."""
        return datetime.combine(self.episodes[-1].start, time(23, 59, 59))


def timelineqa_subjects(root: Path, work: Path, names: Sequence[str] = ()) -> Iterator[Subject]:
    """The personas under a folder, or those that are named; `work` keeps their observations."""
    folders = _personas(root)
    if not folders:
        raise ReqapError(f"{root} holds no lifelog of TimelineQA: no folder with {_PERSONA} and"
                         f" *{_LOG}")  # fmt: skip
    if missing := set(names) - {folder.name for folder in folders}:
        raise ReqapError(f"there is no persona {', '.join(sorted(missing))} in {root}")
    for folder in folders:
        if not names or folder.name in names:
            timeline = load_timelineqa(folder)
            path = work / f"{folder.name}_obs.csv"
            write_observations(timeline, path)
            yield Subject(
                folder.name, (path,), timeline.profile, timeline.today, timeline.questions
            )


def _personas(root: Path) -> list[Path]:
    found = [
        path.parent
        for depth in range(_DEEPEST + 1)
        for path in root.glob("*/" * depth + _PERSONA)
        if any(path.parent.glob(f"*{_LOG}"))
    ]
    names = [folder.name for folder in found]
    if len(set(names)) < len(names):
        raise ReqapError(f"{root}: two folders of personas have the same name")
    return sorted(found)


def load_timelineqa(folder: Path) -> Timeline:
    """A persona's folder, as the generator and the script for the complex questions left it."""
    logs = dict(_logged(folder))
    episodes = sorted(_episodes(folder, logs), key=lambda one: (one.start, one.eid))
    if not episodes:
        raise ReqapError(f"{folder}: there is no timeline: no JSON file with days such as"
                         ' "2003/03/05"')  # fmt: skip
    profile = _profile(_read(folder / _PERSONA), folder / _PERSONA)
    return Timeline(folder.name, profile, tuple(episodes), tuple(_questions(folder)))


def write_observations(timeline: Timeline, path: Path) -> None:
    """The episodes in the form of PerQA's observations."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    with part.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("id", "start_date", "end_date", "event_type", "event_data",
                         "properties_mentioned"))  # fmt: skip
        for one in timeline.episodes:
            data = json.dumps({"text": one.text, **one.attributes})
            writer.writerow((one.eid, one.start, one.end, one.kind, data, "{}"))
    part.replace(path)


# -- episodes -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Logged:
    kind: str
    start: date | None
    end: date | None
    attributes: dict[str, Attribute]


def _logged(folder: Path) -> Iterator[tuple[str, _Logged]]:
    """What the logs say, by episode."""
    for path in sorted(folder.glob(f"*{_LOG}")):
        log = path.name.removesuffix(_LOG)
        for number, row in enumerate(_rows(path), 2):
            if not row.get("eid"):
                raise ReqapError(f"{path}, line {number}: the column eid is missing or empty")
            where = f"{path}, line {number}"
            days = {name: _day(value, where) for name, value in row.items()
                    if name.endswith("date") and value}  # fmt: skip
            # A visit during a trip has days of its own, besides those of the trip.
            own = [name for name in days if name not in ("start_date", "end_date")]
            first = days[own[0]] if own else days.get("start_date")
            last = first if own else days.get("end_date", first)
            yield row["eid"], _Logged(_KINDS.get(log, log), first, last, _attributes(row))


def _attributes(row: Mapping[str, str]) -> dict[str, Attribute]:
    found: dict[str, Attribute] = {}
    for column, value in row.items():
        name, value = _NAMES.get(column, column), value.strip()
        if not value or column in _NO_KEYS or column.endswith("date"):
            continue
        if name in _LISTS:
            found[name] = [item.strip() for item in value.split(",") if item.strip()]
        elif name in _NUMBERS and value.isdecimal() and len(value) < 10:
            found[name] = int(value)
        else:
            found[name] = _WHOSE.get(value, value)
    if "duration" in found:
        found["duration_unit"] = "minutes"
    return found


def _episodes(folder: Path, logs: Mapping[str, _Logged]) -> Iterator[Episode]:
    for path in sorted(folder.glob("*.json")):
        if path.name == _PERSONA:
            continue
        told = _read(path)
        if not isinstance(told, dict) or not all(_DAY.fullmatch(day) for day in told):
            continue  # something else that lies there
        for day, episodes in told.items():
            if not isinstance(episodes, dict):
                raise ReqapError(f"{path}, {day}: an object of episodes was expected")
            for name, one in episodes.items():
                yield _episode(name, one, f"{path}, {day}, {name}", _day(day, f"{path}"), logs)


def _episode(name: str, told: Any, where: str, day: date, logs: Mapping[str, _Logged]) -> Episode:
    eid = told.get("eid") if isinstance(told, dict) else None
    if not isinstance(eid, str) or not re.fullmatch(r"\w{1,40}", eid):
        raise ReqapError(f'{where}: an object with "eid" was expected')
    text = told.get("text_template_based", "")
    if isinstance(text, list):
        text = " ".join(str(piece) for piece in text)
    logged = logs.get(eid)
    if logged is None:
        kind = re.sub(r"\W+", "_", re.sub(r"\d+$", "", name)).strip("_").lower() or "episode"
        return Episode(eid, kind, day, day, str(text).strip(), {})
    start = logged.start or day
    end = max(start, logged.end or start)
    return Episode(eid, logged.kind, start, end, str(text).strip(), logged.attributes)


def _day(text: str, where: str) -> date:
    found = _DAY.match(text)
    try:
        return date(*map(int, found.groups())) if found else date.fromisoformat(text[:10])
    except ValueError:
        raise ReqapError(f"{where}: {text[:40]!r} is no day") from None


def _profile(told: Any, path: Path) -> str:
    """Whom the persona knows. A lifelog has no name of its owner."""
    if not isinstance(told, dict):
        raise ReqapError(f"{path}: an object was expected")
    people = [
        {"name": name, "relation": relation}
        for key, relation in _RELATIONS.items()
        for name in _names(told.get(key))
    ]
    found: dict[str, object] = {"people": people}
    born = [told.get(f"birth_{part}") for part in ("year", "month", "day")]
    if all(isinstance(part, int) and 0 < part < 10_000 for part in born):
        found["birth_date"] = "-".join(f"{part:02}" for part in born)
    if isinstance(told.get("birth_city"), str):
        found["birth_place"] = told["birth_city"]
    return json.dumps(found)


def _names(told: object) -> Iterator[str]:
    for name in told if isinstance(told, list) else [told]:
        if isinstance(name, str) and name.strip():
            yield name.strip()


# -- questions ------------------------------------------------------------------------------------


def _questions(folder: Path) -> Iterator[Question]:
    """The complex questions that have an answer in this life."""
    path = folder / _QUERIES
    if not path.exists():
        raise ReqapError(f"{path} is not there: the benchmark's script multihopQA.py writes it")
    for number, row in enumerate(_rows(path), 2):
        name, text = row.get("q_id", ""), " ".join(row.get("question", "").split())
        if not re.fullmatch(r"\w+", name) or not text:
            raise ReqapError(f"{path}, line {number}: q_id and question were expected")
        columns = row.get("answer_column", "")
        if gold := _answers(folder / f"{name}-result.csv", columns, f"{path}, line {number}"):
            yield Question(text, name, (), gold)


def _answers(path: Path, columns: str, where: str) -> tuple[object, ...]:
    """The right answers: of every row of a result, the column that is named, or a few from it on.

    "1", "1,2" and "1,:" are written, and "?" for the first; column 0 counts the rows.
    """
    numbers = [int(part) for part in re.findall(r"\d{1,3}", columns)] or [1]
    first, last = numbers[0], numbers[-1]
    if not path.exists():
        raise ReqapError(f"{where}: the result {path} is not there")
    found: dict[tuple[str, ...], object] = {}
    for cells in list(_lines(path))[1:]:
        values = tuple(cell.strip() for cell in cells[first : last + 1])
        if values and all(values):
            found[values] = values[0] if len(values) == 1 else list(values)
    return tuple(found.values())


# -- files ----------------------------------------------------------------------------------------


def _rows(path: Path) -> Iterator[dict[str, str]]:
    """The rows of a table by the names of its columns; what is missing in a row is empty."""
    lines = _lines(path)
    head = [name.strip() for name in next(lines, [])]
    for cells in lines:
        yield dict(zip_longest(head, cells[: len(head)], fillvalue=""))


def _lines(path: Path) -> Iterator[list[str]]:
    _check_size(path)
    with path.open(encoding="utf-8-sig", newline="") as file:
        try:
            yield from (cells for cells in csv.reader(file) if cells)
        except (csv.Error, UnicodeDecodeError) as error:
            raise ReqapError(f"{path}: {error}") from None


def _read(path: Path) -> Any:
    _check_size(path)
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ReqapError(f"{path}: not valid JSON: {error}") from None


def _check_size(path: Path) -> None:
    if path.stat().st_size > _LARGEST:
        raise ReqapError(f"{path}: larger than {_LARGEST >> 20} MB")
