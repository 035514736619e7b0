"""PerQA as others release it: the same files as ours, in the layout they come in.

A persona is a folder with `<persona>_obs.csv`. Its split is told by the folder it lies in, by a
`splits.json`, or by its name; its questions lie in its folder, or in one file of many personas.
What is not needed may be missing, and what is not known may be there. Nothing of it is carried out:
plans are parsed, SQL is not run. Not the job of this module: what our own build knows (`subjects`).
"""

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from pathlib import Path
from typing import Any, NoReturn

from reqap.errors import PlanError, ProfileProblem, ReqapError, ValueProblem
from reqap.evaluate.shapes import TYPES, complexity
from reqap.evaluate.subjects import Question, Subject
from reqap.perqa.exports.profile import profile
from reqap.perqa.persona import SPLITS, read_persona
from reqap.perqa.world import DATABASE
from reqap.plan import parse
from reqap.profile import read_profile
from reqap.values import parse_date

Record = Mapping[str, Any]

_OBSERVED = "_obs.csv"
_NEEDED = ("id", "start_date", "end_date", "event_type", "event_data", "properties_mentioned")
_DEEPEST = 3  # folders between the release and a persona
_LARGEST = 256 << 20
_PERSONA = ("persona", "persona_id", "persona_name")
_ANSWERS = ("answers", "answer", "gold_answers")
_TODAY = ("reference_date", "today")


def released_subjects(root: Path, split: str, names: Sequence[str] = ()) -> Iterator[Subject]:
    """The personas of a split, or those that are named."""
    folders = [folder for folder in _personas(root) if _split_of(folder, root) == split]
    if not folders:
        raise ReqapError(f"{root} holds no persona of {split}: no folder with a *{_OBSERVED}")
    if missing := set(names) - {folder.name for folder in folders}:
        raise ReqapError(f"there is no persona {', '.join(sorted(missing))} of {split} in {root}")
    for folder in folders:
        if not names or folder.name in names:
            yield from _subjects(folder, root, split)


def _personas(root: Path) -> list[Path]:
    found = {
        path.parent
        for depth in range(_DEEPEST + 1)
        for path in root.glob("*/" * depth + f"*{_OBSERVED}")
    }
    return sorted(found)


def _split_of(folder: Path, root: Path) -> str:
    """By the folders it lies in, by `splits.json`, or by its name."""
    above = [part.casefold() for part in folder.relative_to(root).parts[:-1]]
    for name in SPLITS:
        if name in above or _listed(root, name, folder.name):
            return name
    return folder.name.partition("_")[0]


def _listed(root: Path, split: str, persona: str) -> bool:
    """`{"dev": ["somebody", …]}` and `{"somebody": "dev"}` are both understood."""
    path = root / "splits.json"
    told = _read(path) if path.exists() else {}
    if not isinstance(told, dict):
        raise ReqapError(f"{path}: an object was expected")
    listed = told.get(split)
    return told.get(persona) == split or (isinstance(listed, list | dict) and persona in listed)


def _subjects(folder: Path, root: Path, split: str) -> Iterator[Subject]:
    """A persona; where its questions are asked on several days, one for each day."""
    observed = _observed(folder)
    by_day: dict[date, list[Question]] = {}
    for today, question in _questions(folder, root, split):
        by_day.setdefault(today, []).append(question)
    for today, questions in by_day.items():
        yield Subject(
            folder.name if len(by_day) == 1 else f"{folder.name}_{today}",
            (observed,),
            _profile(folder),
            datetime.combine(today, time(23, 59, 59)),
            tuple(questions),
            folder if (folder / DATABASE).exists() else None,
        )


def _observed(folder: Path) -> Path:
    found = sorted(folder.glob(f"*{_OBSERVED}"))
    if len(found) > 1:
        raise ReqapError(f"{folder} holds several files with observations: {len(found)}")
    with found[0].open(encoding="utf-8-sig", newline="", errors="replace") as file:
        header = next(csv.reader([file.readline(1 << 16)]), [])
    if missing := [name for name in _NEEDED if name not in map(str.strip, header)]:
        raise ReqapError(f"{found[0]}: the column {missing[0]} is missing")
    return found[0]


def _profile(folder: Path) -> str:
    """The persona as a profile: of our own form, else whatever can be understood of it."""
    path = folder / f"{folder.name}.json"
    if not path.exists():
        return "{}"
    raw = _read(path)
    if not isinstance(raw, dict):
        raise ReqapError(f"{path}: an object was expected")
    try:
        return profile(read_persona(folder.name, raw)).decode()
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, AssertionError):
        try:
            return read_profile(json.dumps(raw)).profile.to_json()
        except ProfileProblem as error:
            raise ReqapError(f"{path}: {error}") from None


# -- questions ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Place:
    """Where a record stands, for whoever has to mend it."""

    file: Path
    number: int  # from 1

    def refuse(self, what: str) -> NoReturn:
        raise ReqapError(f"{self.file}, question {self.number}: {what}")


def _questions(folder: Path, root: Path, split: str) -> Iterator[tuple[date, Question]]:
    found = False
    for path in _files_of_questions(folder, root, split):
        own = path.parent == folder
        for place, record in _records(path, folder.name):
            if own or _text(record, _PERSONA) == folder.name:
                found = True
                yield _question(record, place)
        if found:
            return
    own_file = folder / "questions.json"
    raise ReqapError(
        f"there are no questions for {folder.name}: neither {own_file} nor a file of many personas"
        f" in {root}"
    )


def _files_of_questions(folder: Path, root: Path, split: str) -> Iterator[Path]:
    shared = ("questions.json", f"{split}.json", f"{split}_questions.json")
    places: list[tuple[Path, tuple[str, ...]]] = [
        (folder, ("questions.json", f"{folder.name}_questions.json"))
    ]
    places += [(place, shared) for place in dict.fromkeys((folder.parent, root))]
    yield from (
        path for place, names in places for name in names if (path := place / name).exists()
    )


def _records(path: Path, persona: str) -> Iterator[tuple[_Place, Record]]:
    """A list of records, such a list under "questions", or one for each persona."""
    told = _read(path)
    if isinstance(told, dict) and persona in told:
        told = [{**one, "persona": persona} if isinstance(one, dict) else one
                for one in _list(told[persona], path)]  # fmt: skip
    elif isinstance(told, dict) and "questions" in told:
        told = told["questions"]
    for number, record in enumerate(_list(told, path), 1):
        place = _Place(path, number)
        if not isinstance(record, dict):
            place.refuse("an object was expected")
        yield place, record


def _list(told: object, path: Path) -> list[Any]:
    if not isinstance(told, list):
        raise ReqapError(f"{path}: a list of questions was expected")
    return told


def _question(record: Record, place: _Place) -> tuple[date, Question]:
    text = _text(record, ("question",))
    if not text:
        place.refuse('"question" is missing')
    plan, retrieve = record.get("plan"), record.get("retrieve")
    has_plan = isinstance(plan, str) and isinstance(retrieve, dict)
    meant = retrieve if isinstance(retrieve, dict) else {}
    return _today(record, place), Question(
        text,
        _text(record, ("template", "template_id", "id")) or str(place.number),
        _types(plan) if isinstance(plan, str) else (),
        _answers(record, place),
        str(plan) if has_plan else "",
        {str(query): str(sql) for query, sql in meant.items()} if has_plan else {},
    )


def _text(record: Record, keys: Sequence[str]) -> str:
    found = next((record[key] for key in keys if record.get(key) not in (None, "")), "")
    return str(found).strip() if isinstance(found, str | int) else ""


def _today(record: Record, place: _Place) -> date:
    text = _text(record, _TODAY)
    try:
        day = parse_date(text.partition("T")[0].partition(" ")[0])
    except ValueProblem as error:
        place.refuse(f'"reference_date": {error}')
    if day is None:
        place.refuse('"reference_date" is missing')
    return day


def _answers(record: Record, place: _Place) -> tuple[object, ...]:
    key = next((key for key in _ANSWERS if key in record), None)
    if key is None:
        place.refuse('"answers" is missing')
    told = record[key]
    answers = told if isinstance(told, list) else [told]
    for one in answers:
        for item in one if isinstance(one, list) else [one]:
            if not isinstance(item, str | int | float | bool | None | list):
                place.refuse(f'"{key}": values and lists of values were expected')
    return tuple(answers)


def _types(plan: str) -> tuple[str, ...]:
    """What makes a question complex; nothing where its plan is in another language than ours."""
    try:
        found = complexity(parse(plan))
    except PlanError:
        return ()
    return tuple(name for name in TYPES if name in found)


def _read(path: Path) -> Any:
    try:
        if path.stat().st_size > _LARGEST:
            raise ReqapError(f"{path}: larger than {_LARGEST >> 20} MB")
        return json.loads(path.read_text(encoding="utf-8-sig"), parse_constant=lambda _: None)
    except OSError as error:
        raise ReqapError(f"{path}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise ReqapError(f"{path}: not valid JSON: {error}") from None
