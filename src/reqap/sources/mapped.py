"""Your own files: any CSV, JSON or JSON Lines file, by a mapping that you write.

How to get it: put a file `<anything>.reqap.toml` beside the data, or name one with
`reqap import --mapping FILE`. docs/mapping.md shows how it is written.
"""

import json
import math
import os
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import datetime, time, timedelta
from fnmatch import fnmatch
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple, cast

from reqap.errors import ExportProblem, ValueProblem
from reqap.events import Event, ImportIssue, Origin, Scalar, Value, event_id
from reqap.sources.base import UNCLEAR_ORDER, Context, ExportFile, Items, Sample, Source
from reqap.sources.jsonio import Json
from reqap.sources.mapped_rows import Cells, columns_of, raw, read_cells
from reqap.sources.mapping import Column, Mapping, MappingProblem, Moment, parse_mapping
from reqap.sources.records import sample_of
from reqap.sources.walk import ARCHIVE_ERRORS, path_on_disk
from reqap.values import (
    AmbiguousDate,
    DateOrder,
    DecimalMark,
    EpochUnit,
    format_money,
    is_missing,
    parse_bool,
    parse_date,
    parse_datetime,
    parse_duration,
    parse_epoch,
    parse_list,
    parse_money,
    parse_number,
    parse_time,
    vote_date_order,
    vote_decimal,
)

SUFFIX = ".reqap.toml"
_MAX_MAPPING = 256 << 10
_LAST_SECOND = time(23, 59, 59)
_LARGEST_INT = 1 << 63


class _Rules(NamedTuple):
    """How the texts of one file are read, once the whole file was looked at."""

    order: DateOrder | None
    decimal: DecimalMark | None


class _Time(NamedTuple):
    wall: datetime
    offset: int | None = None
    user_zone: bool = False
    whole_day: bool = False

    @property
    def last_moment(self) -> datetime:
        return datetime.combine(self.wall, _LAST_SECOND) if self.whole_day else self.wall


def mapped_source(mapping_text: str, mapping_path: str, folder: str = "") -> Source:
    """The source that a mapping describes; MappingProblem if the mapping is wrong.

    With `folder`, only files below it are claimed: a mapping found beside some data is not meant
    for the files of the same name elsewhere.
    """
    mapping = parse_mapping(mapping_text, mapping_path)
    digest = blake2b(mapping_text.encode("utf-8", "replace"), digest_size=8).hexdigest()
    return Source(
        mapping.source,
        mapping.title,
        1,
        lambda sample: _is_meant(sample, mapping, folder),
        lambda file, context: _read(file, context, mapping),
        lambda file, position: raw(file, position, mapping.records),
        stamp=lambda context: f"{digest}{context.date_order or ''}",
        ahead=True,
    )


def find_mappings(paths: Iterable[Path]) -> list[Source]:
    """The sources of all mapping files that are named, or lie in or beside what is named."""
    sources: dict[str, Source] = {}
    for path in paths:
        path = path.absolute()
        if path.is_file() and path.suffix.lower() == ".toml":
            sources[str(path)] = mapped_source(_text(path), str(path))
        elif path.is_dir():
            for folder, folders, names in os.walk(path):
                folders.sort()
                _take_beside(Path(folder), names, sources)
        elif path.is_file():
            _take_beside(path.parent, os.listdir(path.parent), sources)
            _take_inside(path, sources)
    return list(sources.values())


def _take_beside(folder: Path, names: Iterable[str], sources: dict[str, Source]) -> None:
    for name in sorted(names):
        path = folder / name
        if name.lower().endswith(SUFFIX) and path.is_file() and str(path) not in sources:
            sources[str(path)] = mapped_source(_text(path), str(path), f"{folder}{os.sep}")


def _take_inside(path: Path, sources: dict[str, Source]) -> None:
    """The mappings inside a zip, if it is one."""
    texts: dict[str, str] = {}
    with suppress(*ARCHIVE_ERRORS):
        if not zipfile.is_zipfile(path):
            return
        with zipfile.ZipFile(path) as archive:
            for info in archive.infolist():
                if info.filename.lower().endswith(SUFFIX) and info.file_size <= _MAX_MAPPING:
                    texts[info.filename] = archive.read(info).decode("utf-8-sig", "replace")
    for name, text in texts.items():
        inside = f"{path}!{name.rpartition('/')[0]}"
        sources[f"{path}!{name}"] = mapped_source(text, f"{path}!{name}", inside)


def find_again(name: str, file: ExportFile) -> Source | None:
    """The mapping by which a file was once read, if it still lies beside it, above or inside."""
    path = Path(path_on_disk(file.name))
    sources: dict[str, Source] = {}
    for folder in path.parents:
        with suppress(OSError, MappingProblem):
            _take_beside(folder, os.listdir(folder), sources)
    with suppress(MappingProblem):
        _take_inside(path, sources)
    sample = sample_of(file)
    return next((s for s in sources.values() if s.name == name and s.sniff(sample)), None)


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > _MAX_MAPPING:
            raise MappingProblem(f"{path} is too large to be a mapping")
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise MappingProblem(f"{path} cannot be read: {error}") from None


def _is_meant(sample: Sample, mapping: Mapping, folder: str) -> bool:
    name = sample.name
    if not sample.is_text or not name.startswith(folder) or name.lower().endswith(".toml"):
        return False
    path = name.replace("\\", "/").replace("!", "/").lower()
    patterns = (pattern.lower() for pattern in mapping.files)
    return any(fnmatch(path, f"*/{pattern}") or fnmatch(path, pattern) for pattern in patterns)


# -- events ----------------------------------------------------------------------------------------


def _read(file: ExportFile, context: Context, mapping: Mapping) -> Items:
    yield from _missing_columns(file, mapping)
    reader = _Reader(mapping, context, _rules(file, context, mapping))
    for item in read_cells(file, mapping.records):
        if isinstance(item, ImportIssue):
            yield item
            continue
        position, cells = item
        origin = file.origin(position)
        troubles: list[str] = []
        try:
            event = reader.event(cells, origin, troubles)
        except AmbiguousDate as error:
            detail = f'{error}; set date_order = "dmy" or "mdy" in the mapping'
            yield ImportIssue(UNCLEAR_ORDER, origin, detail[:200])
            continue
        except ValueProblem as error:
            yield ImportIssue("broken record", origin, str(error)[:200])
            continue
        for trouble in troubles:
            yield ImportIssue("a value could not be used", origin, trouble[:200], skipped=False)
        yield event


def _missing_columns(file: ExportFile, mapping: Mapping) -> Items:
    """Columns that a CSV file does not have: without those of the start, nothing can be read."""
    header = () if mapping.records is not None else columns_of(file)
    if not header:
        return
    missing = [name for name in mapping.columns if name not in header]
    needed = [name for name in (*mapping.start.columns, *mapping.id) if name in missing]
    there = ", ".join(header)[:300]
    if needed:
        raise ExportProblem(f"The mapping names a column {needed[0]!r}; there are: {there}")
    for name in missing:
        detail = f"{name!r}; there are: {there}"[:200]
        yield ImportIssue("a column of the mapping is missing", file.origin(1), detail, False)


def _rules(file: ExportFile, context: Context, mapping: Mapping) -> _Rules:
    """What the mapping leaves open is decided by a vote over the whole file."""
    order, decimal = mapping.date_order, mapping.decimal
    times = [m.columns[0] for m in (mapping.start, mapping.end) if m and not m.epoch]
    if order is None and times:
        order = vote_date_order(_texts(file, mapping, times)).order or context.date_order
    numbers = [c.name for c in mapping.data.values() if c.type in ("number", "money")]
    if decimal is None and numbers:
        decimal = vote_decimal(_texts(file, mapping, numbers))
    return _Rules(order, decimal)


def _texts(file: ExportFile, mapping: Mapping, columns: list[str]) -> Iterator[str]:
    for item in read_cells(file, mapping.records):
        if not isinstance(item, ImportIssue):
            for name in columns:
                if isinstance(value := item[1](name), str):
                    yield value


class _Reader(NamedTuple):
    """Makes events of the records of one file."""

    mapping: Mapping
    context: Context
    rules: _Rules

    def event(self, cells: Cells, origin: Origin, troubles: list[str]) -> Event:
        """The event of one record; values that could not be used are told in `troubles`."""
        mapping = self.mapping
        start = self._time(mapping.start, cells)
        if start is None:
            names = " and ".join(map(repr, mapping.start.columns))
            raise ValueProblem(f"there is no date in {names}")
        columns = dict(mapping.data)
        if mapping.duration is not None:
            columns["duration"] = mapping.duration
        data: dict[str, Value] = {}
        for key, column in columns.items():
            try:
                data.update(_value(key, column, cells(column.name), self.rules))
            except ValueProblem as error:
                troubles.append(f"{column.name}: {error}")
        end = self._end(start, cells, data, troubles)
        return Event(
            id=self._identity(cells),
            source=mapping.source,
            kind=mapping.kind,
            start=start.wall,
            end=end,
            offset=start.offset,
            data={**data, **mapping.constants},
            origin=origin,
            user_zone=start.user_zone,
        )

    def _identity(self, cells: Cells) -> str:
        """The id columns, or else all that is mapped, as the export writes it."""
        mapping = self.mapping
        values = [_written(cells(name)) for name in mapping.id or mapping.columns]
        if not any(values):
            raise ValueProblem(f"the id, {' and '.join(mapping.id)}, is empty")
        return event_id(mapping.source, mapping.kind, *values)

    def _time(self, moment: Moment, cells: Cells) -> _Time | None:
        """The wall time of a moment, by what the text, or else the mapping, says of its zone."""
        values = [cells(name) for name in moment.columns]
        clock = self.context.clock
        if moment.epoch or isinstance(values[0], int | float):
            unit = None if moment.epoch in ("", "auto") else cast(EpochUnit, moment.epoch)
            instant = parse_epoch(values[0], unit)
            return _Time(*clock.wall(instant), user_zone=True) if instant else None
        if is_missing(values[0]):
            return None
        texts = [_written(value) for value in values if not is_missing(value)]
        found = parse_datetime(" ".join(texts), self.rules.order)
        shift = found.utcoffset() if found else None
        if found is None or shift:
            minutes = int(shift.total_seconds() // 60) if shift else None
            return _Time(found.replace(tzinfo=None), minutes) if found else None
        if shift is None and found.time() == time() and _is_bare_date(" ".join(texts)):
            return _Time(found, whole_day=True)
        if shift is not None or self.mapping.utc:
            return _Time(*clock.wall(found), user_zone=True)
        zone = self.mapping.zone
        return _Time(found, clock.offset_of(found, zone) if zone else None)

    def _end(
        self, start: _Time, cells: Cells, data: dict[str, Value], troubles: list[str]
    ) -> datetime:
        """The end, or start and duration, or the start; a bare day ends with its last second."""
        end = start.last_moment
        length = data.get("duration") if self.mapping.duration is not None else None
        if isinstance(length, int | float):
            with suppress(OverflowError):
                end = start.wall + timedelta(seconds=length)
            if start.whole_day:  # at what time of the day, nobody knows
                end = max(end, start.last_moment)
        if self.mapping.end is not None:
            try:
                found = self._time(self.mapping.end, cells)
            except ValueProblem as error:
                troubles.append(str(error))
                found = None
            if found is not None:
                end = found.last_moment
        if end < start.wall:
            troubles.append(f"the end, {end}, lies before the start")
            end = start.last_moment
        return end


def _written(value: Json) -> str:
    """A value as the file writes it, also where it is no text."""
    if value is None or isinstance(value, str):
        return _storable(value or "").strip()
    return _storable(json.dumps(value, ensure_ascii=False))


def _storable(text: str) -> str:
    """The text without halves of characters, which no file can hold."""
    return text.encode("utf-8", "replace").decode()


def _is_bare_date(text: str) -> bool:
    try:
        parse_time(text)
    except ValueProblem:
        return True
    return False


def _value(key: str, column: Column, value: Json, rules: _Rules) -> dict[str, Value]:
    """What one column gives: nothing if it is empty, two keys if it has a unit."""
    if is_missing(value) or value in ([], {}):
        return {}
    if column.type == "number":
        number = parse_number(value, rules.decimal)
        assert number is not None
        number = float(number) if abs(number) >= _LARGEST_INT else number
        return {key: number, **({f"{key}_unit": column.unit} if column.unit else {})}
    if column.type == "duration":
        length = parse_duration(value, column.unit or None)
        assert length is not None
        seconds = length.total_seconds()
        return {key: int(seconds) if seconds.is_integer() else seconds, f"{key}_unit": "seconds"}
    read = _READERS.get(column.type, _as_it_is)
    found = read(value, column, rules)
    return {} if found is None or found == [] else {key: found}


def _as_it_is(value: Json, column: Column, rules: _Rules) -> Value | None:
    if isinstance(value, dict):
        raise ValueProblem("an object; name one of its parts with a dot")
    if isinstance(value, list):
        return [cast(Scalar, _scalar(entry)) for entry in value if _scalar(entry) is not None]
    return _scalar(value)


def _scalar(value: Json) -> Scalar | None:
    if isinstance(value, str | dict | list):
        return _written(value) or None
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, int) and abs(value) >= _LARGEST_INT:
        return str(value) if value.bit_length() < 1000 else None
    return value


def _money(value: Json, column: Column, rules: _Rules) -> str | None:
    found = parse_money(value, column.currency or None, rules.decimal)
    return format_money(found) if found else None


def _iso(value: datetime | None) -> str | None:
    return value.isoformat() if value else None


_READERS: dict[str, Callable[[Json, Column, _Rules], Value | None]] = {
    "text": lambda value, column, rules: None if value is None else _written(value),
    "money": _money,
    "bool": lambda value, column, rules: parse_bool(value),
    "list": lambda value, column, rules: list(parse_list(value)),
    "date": lambda value, column, rules: str(parse_date(value, rules.order)),
    "datetime": lambda value, column, rules: _iso(parse_datetime(value, rules.order)),
    "time": lambda value, column, rules: str(parse_time(value)),
}
