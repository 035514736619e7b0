"""Records of any tabular format by the name of their columns: CSV, an array of JSON, JSON Lines.

Not the job of this module: what the columns mean (`mapped`).
"""

from collections.abc import Callable, Iterator

import orjson

from reqap.events import ImportIssue
from reqap.sources.base import ExportFile
from reqap.sources.jsonio import Json, Record, raw_record, read_records
from reqap.sources.tables import raw_row, read_rows
from reqap.sources.textio import open_utf8, read_lines

Cells = Callable[[str], Json]  # the value in a column, or at a dotted path


def first_character(file: ExportFile) -> str:
    with open_utf8(file) as stream:
        return stream.read(4096).lstrip()[:1].decode("ascii", "replace")


def read_cells(file: ExportFile, records: str | None) -> Iterator[tuple[int, Cells] | ImportIssue]:
    """Position and cells of every record: an array of JSON, JSON Lines, or CSV."""
    first = first_character(file)
    source: Iterator[tuple[int, Record] | ImportIssue]
    if records is not None or first == "[":
        source = read_records(file, records)
    elif first == "{":
        source = _json_lines(file)
    else:
        for row in read_rows(file):
            yield row if isinstance(row, ImportIssue) else (row[0], row[1].get)
        return
    for item in source:
        yield item if isinstance(item, ImportIssue) else (item[0], _cells_of_record(item[1]))


def columns_of(file: ExportFile) -> tuple[str, ...]:
    """The names of a CSV file's columns; none if it has no rows, or is no CSV."""
    if first_character(file) in ("[", "{"):
        return ()
    rows = (item[1] for item in read_rows(file) if not isinstance(item, ImportIssue))
    return tuple(next(rows, ()))


def _cells_of_record(record: Record) -> Cells:
    def cell(path: str) -> Json:
        if path in record:
            return record[path]
        value: Json = record
        for part in path.split("."):
            if isinstance(value, dict):
                value = value.get(part)
            elif isinstance(value, list) and part.isdecimal() and len(part) < 6:
                value = value[int(part)] if int(part) < len(value) else None
            else:
                return None
        return value

    return cell


def _json_lines(file: ExportFile) -> Iterator[tuple[int, Record] | ImportIssue]:
    for item in read_lines(file):
        if isinstance(item, ImportIssue):
            yield item
            continue
        number, line = item
        if not line.strip():
            continue
        try:
            record = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            yield ImportIssue("broken JSON record", file.origin(number), str(error)[:200])
            continue
        if isinstance(record, dict):
            yield number, record
        else:
            yield ImportIssue("not a record", file.origin(number), line.strip()[:80])


def raw(file: ExportFile, position: int, records: str | None = None) -> str:
    """The raw record at a position, whatever the format; no mapping is needed for it."""
    first = first_character(file)
    if records is not None or first == "[":
        return raw_record(file, position, records)
    if first != "{":
        return raw_row(file, position)
    for item in _json_lines(file):
        if not isinstance(item, ImportIssue) and item[0] == position:
            return orjson.dumps(item[1], option=orjson.OPT_INDENT_2).decode()
    return ""
