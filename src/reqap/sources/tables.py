"""CSV as exports write it: any delimiter, any encoding, broken rows one by one.

Not the job of this module: what the columns mean.
"""

import csv
from collections import deque
from collections.abc import Iterator

from reqap.events import ImportIssue
from reqap.sources.base import ExportFile
from reqap.sources.textio import MAX_LINE, read_lines

Row = dict[str, str]

# A row that takes more lines than this has an open quote; its lines are read again one by one.
# Where there is one stray quote there are often many: every broken row makes the next give up
# sooner, and every sound one later again, so that lines are read again some 30 times at most.
_MAX_ROW_LINES = 2000
_MIN_ROW_LINES = 20

csv.field_size_limit(MAX_LINE)


def split_header(line: str) -> tuple[str, ...]:
    """The column names in a first line; the delimiter is the one that gives the most of them."""
    return tuple(cell.strip() for cell in _cells(line, _delimiter(line)))


def _delimiter(line: str) -> str:
    return max(",;\t|", key=lambda delimiter: len(_cells(line, delimiter)))


def _cells(line: str, delimiter: str) -> list[str]:
    # A lone carriage return is a line end to everybody but the csv module, which refuses it.
    return next(csv.reader([line.replace("\r", " ")], delimiter=delimiter, strict=False), [])


def _unique(names: list[str]) -> list[str]:
    """Column names in which a repeated one is told apart: Distance, Distance (2)."""
    seen: dict[str, int] = {}
    result = []
    for name in (n.strip().lstrip("\ufeff") for n in names):
        seen[name] = seen.get(name, 0) + 1
        result.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return result


class _Lines:
    """The lines of a file for `csv.reader`, which can give back those of a broken row."""

    def __init__(self, file: ExportFile) -> None:
        self._items = read_lines(file)
        self._again: deque[tuple[int, str]] = deque()
        self.row: list[tuple[int, str]] = []
        self.issues: list[ImportIssue] = []
        self._limit = _MAX_ROW_LINES

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        if len(self.row) >= self._limit:
            raise csv.Error("a quote that is never closed")
        line = self._again.popleft() if self._again else self._next_line()
        self.row.append(line)
        return line[1]

    def _next_line(self) -> tuple[int, str]:
        for item in self._items:
            if not isinstance(item, ImportIssue):
                return item
            self.issues.append(item)
        raise StopIteration

    def left_open(self, delimiter: str) -> bool:
        """Whether the present row took in other rows, up to the next stray quote or to the end."""
        if len(self.row) < 2:
            return False
        try:
            rows = csv.reader([line for _, line in self.row], delimiter=delimiter, strict=True)
            next(rows)
        except csv.Error:
            return True
        return False

    def give_back(self) -> int:
        """All lines of the present row but the first come again; the number of the first."""
        if len(self.row) > 1:
            self._limit = max(_MIN_ROW_LINES, self._limit // 4)
        self._again.extendleft(reversed(self.row[1:]))
        number = self.row[0][0] if self.row else 0
        self.row = []
        return number

    def was_sound(self) -> None:
        self._limit = min(_MAX_ROW_LINES, self._limit + _MIN_ROW_LINES)


def read_rows(file: ExportFile) -> Iterator[tuple[int, Row] | ImportIssue]:
    """Line number and cells (by column name) of every row under the header.

    A row that does not fit the header is an issue. If it spans lines, those after its first are
    tried on their own, so that one stray quote does not swallow the file.
    """
    lines = _Lines(file)
    header: list[str] = []
    reader = csv.reader(lines)
    while True:
        lines.row = []
        try:
            cells = next(reader, None)
        except csv.Error as error:
            number = lines.give_back()
            reader = csv.reader(lines, reader.dialect)
            yield ImportIssue("broken CSV row", file.origin(number), str(error))
            continue
        yield from lines.issues
        lines.issues.clear()
        if cells is None:
            return
        number = lines.row[0][0]
        if not any(cell.strip() for cell in cells):
            continue
        if not header:
            first = lines.row[0][1]
            delimiter = _delimiter(first)
            header = _unique(_cells(first, delimiter))
            reader = csv.reader(lines, delimiter=delimiter)
        elif lines.left_open(reader.dialect.delimiter):
            lines.give_back()
            yield ImportIssue("broken CSV row", file.origin(number), "a quote that is never closed")
        elif len(cells) < len(header) or any(c.strip() for c in cells[len(header) :]):
            detail = f"{len(cells)} cells under {len(header)} columns"
            if len(lines.row) > 1:
                lines.give_back()
            yield ImportIssue("broken CSV row", file.origin(number), detail)
        else:
            lines.was_sound()
            yield number, dict(zip(header, cells, strict=False))


def raw_row(file: ExportFile, position: int) -> str:
    """Header and row at a line number, one "column: value" per line."""
    for item in read_rows(file):
        if not isinstance(item, ImportIssue) and item[0] == position:
            return "\n".join(f"{name}: {value}" for name, value in item[1].items())
    return ""
