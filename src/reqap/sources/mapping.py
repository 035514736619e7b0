"""The mapping file a person writes for their own CSV or JSON: from TOML to a checked `Mapping`.

What may stand in one is told in docs/mapping.md. Everything is checked here, so that a mistake is
one message with the line, the key and what is accepted. Not the job of this module: reading data.
"""

import re
import tomllib
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import cast
from zoneinfo import ZoneInfo

from reqap.errors import ReqapError, ValueProblem
from reqap.events import Value
from reqap.values import DateOrder, DecimalMark, currency_code, parse_duration

_NAME = re.compile(r"[a-z][a-z0-9_]{0,59}")
_EPOCHS = ("s", "ms", "us", "ns")
TYPES = ("text", "number", "money", "duration", "date", "datetime", "time", "bool", "list")
_KEYS = (
    "source", "title", "kind", "files", "records", "start", "end", "duration", "id", "date_order",
    "decimal", "time_zone", "data", "constants",
)  # fmt: skip

Toml = dict[str, object]


class MappingProblem(ReqapError):
    """A mapping file that cannot be used as it stands."""


@dataclass(frozen=True)
class Column:
    """Where a value stands and how it is read. `type` empty: as it is."""

    name: str
    type: str = ""
    currency: str = ""
    unit: str = ""


@dataclass(frozen=True)
class Moment:
    """Where a point in time stands: one column, or one for the date and one for the time.

    `epoch` is the unit of a Unix time, "auto" if its size decides; empty: it is written out.
    """

    columns: tuple[str, ...]
    epoch: str = ""


@dataclass(frozen=True)
class Mapping:
    """A checked mapping file."""

    source: str
    kind: str
    title: str
    files: tuple[str, ...]
    start: Moment
    end: Moment | None = None
    duration: Column | None = None
    id: tuple[str, ...] = ()
    date_order: DateOrder | None = None
    decimal: DecimalMark | None = None
    zone: ZoneInfo | None = None  # None: the times are the user's own, or UTC
    utc: bool = False
    records: str | None = None
    data: dict[str, Column] = field(default_factory=dict)
    constants: dict[str, Value] = field(default_factory=dict)

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that is read, those of the times and the id first."""
        times = (*self.start.columns, *(self.end.columns if self.end else ()))
        others = [self.duration, *self.data.values()]
        return tuple(dict.fromkeys((*times, *self.id, *(c.name for c in others if c))))


def parse_mapping(text: str, path: str) -> Mapping:
    """The mapping in a TOML text; MappingProblem if anything in it is not understood."""
    try:
        table = tomllib.loads(text.removeprefix("\ufeff"))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise MappingProblem(f"{path} is not valid TOML: {error}") from None
    return _Checked(text, path, table).mapping()


class _Checked:
    """A mapping under way. Every method checks one key and says what would be accepted."""

    def __init__(self, text: str, path: str, table: Toml) -> None:
        self._lines = text.splitlines()
        self._path = path
        self._table = table

    def mapping(self) -> Mapping:
        for key in self._table:
            if key not in _KEYS:
                near = get_close_matches(key, _KEYS, 1)
                hint = f"did you mean {near[0]}? " if near else ""
                self._fail(key, f"is not a key of a mapping; {hint}There are {', '.join(_KEYS)}")
        zone, utc = self._zone()
        source = self._name_of("source")
        if source == "profile":
            self._fail("source", 'must not be "profile", which the product uses itself')
        return Mapping(
            source=source,
            kind=self._name_of("kind"),
            title=self._text("title", default=source.replace("_", " ").capitalize()),
            files=self._texts("files", 'such as files = "loans*.csv"'),
            start=self._moment("start", self._required("start", 'a column, start = "Borrowed on"')),
            end=self._moment("end", self._table["end"]) if "end" in self._table else None,
            duration=self._duration(),
            id=self._texts("id", 'such as id = ["Loan no"]') if "id" in self._table else (),
            date_order=self._date_order(),
            decimal=self._decimal(),
            zone=zone,
            utc=utc,
            records=self._text("records", default="") or None,
            data=self._data(),
            constants=self._constants(),
        )

    def _fail(self, key: str, trouble: str, section: str = "") -> None:
        where = f"{section}.{key}" if section else key
        line = self._line_of(key, section)
        at = f", line {line}" if line else ""
        raise MappingProblem(f"{self._path}{at}: {where} {trouble}")

    def _line_of(self, key: str, section: str) -> int:
        """The line in which a key is set, for the message; 0 if it is not found."""
        inside = ""
        for number, line in enumerate(self._lines, 1):
            text = line.strip()
            if text.startswith("["):
                inside = text.strip("[] ")
            name = text.split("=", 1)[0].strip().strip("\"'")
            if "=" in text and name in (key, f"{section}.{key}") and inside in (section, ""):
                return number
            if not section and inside == key:
                return number
        return 0

    def _required(self, key: str, expected: str) -> object:
        if key not in self._table:
            raise MappingProblem(f"{self._path}: {key} is missing; expected is {expected}")
        return self._table[key]

    def _text(self, key: str, default: str) -> str:
        value = self._table.get(key, default)
        if not isinstance(value, str) or len(value) > 200:
            self._fail(key, "must be a short text in quotes")
        return cast(str, value)

    def _name_of(self, key: str) -> str:
        value = self._required(key, f'a name, {key} = "book_loan"')
        if not isinstance(value, str) or not _NAME.fullmatch(value):
            self._fail(key, 'must be a name of small letters, digits and _, such as "book_loan"')
        return cast(str, value)

    def _texts(self, key: str, example: str) -> tuple[str, ...]:
        value = self._required(key, f"a text or a list of texts, {example}")
        texts = value if isinstance(value, list) else [value]
        if not texts or not all(isinstance(text, str) and text for text in texts):
            self._fail(key, f"must be a text or a list of texts, {example}")
        return tuple(cast(list[str], texts))

    def _moment(self, key: str, value: object) -> Moment:
        expected = f'must be a column, {key} = "Date", two of them, {key} = ["Date", "Time"], or'
        expected += f' a Unix time, {key} = {{column = "ts", type = "epoch", unit = "ms"}}'
        if isinstance(value, dict):
            unit = value.get("unit", "auto")
            known = value.keys() <= {"column", "type", "unit"}
            name = value.get("column")
            is_epoch = value.get("type") == "epoch" and unit in ("auto", *_EPOCHS)
            plain = value.get("type", "datetime") == "datetime" and "unit" not in value
            if not known or not isinstance(name, str) or not name or not (is_epoch or plain):
                self._fail(key, f"{expected}; the units are {', '.join(_EPOCHS)}")
            return Moment((cast(str, name),), str(unit) if is_epoch else "")
        columns = value if isinstance(value, list) else [value]
        if len(columns) not in (1, 2) or not all(isinstance(c, str) and c for c in columns):
            self._fail(key, expected)
        return Moment(tuple(cast(list[str], columns)))

    def _duration(self) -> Column | None:
        value = self._table.get("duration")
        if value is None:
            return None
        return self._column("duration", {"type": "duration", **value} if isinstance(value, dict)
                            else {"column": value, "type": "duration"}, "")  # fmt: skip

    def _date_order(self) -> DateOrder | None:
        text = self._text("date_order", default="")
        if text and text.upper() not in DateOrder.__members__:
            self._fail("date_order", 'must be "dmy", "mdy" or "ymd"')
        return DateOrder(text.upper()) if text else None

    def _decimal(self) -> DecimalMark | None:
        text = self._text("decimal", default="")
        if text not in ("", ".", ","):
            self._fail("decimal", 'must be "." or ","')
        return cast(DecimalMark, text) if text else None

    def _zone(self) -> tuple[ZoneInfo | None, bool]:
        text = self._text("time_zone", default="user")
        if text.lower() in ("user", "utc"):
            return None, text.lower() == "utc"
        try:
            return ZoneInfo(text), False
        except (ValueError, OSError, LookupError):
            self._fail("time_zone", f'is {text!r}; must be "user", "utc" or like "Europe/Berlin"')
            raise

    def _section(self, key: str) -> Toml:
        value = self._table.get(key, {})
        if not isinstance(value, dict):
            self._fail(key, f"must be a table: a line [{key}] with one key per line below it")
        return cast(Toml, value)

    def _data(self) -> dict[str, Column]:
        data: dict[str, Column] = {}
        for key, value in self._section("data").items():
            if not _NAME.fullmatch(key):
                self._fail(key, "must be a name of small letters, digits and _", "data")
            data[key] = self._column(key, value, "data")
        return data

    def _column(self, key: str, value: object, section: str) -> Column:
        example = f'{key} = "Column" or {key} = {{column = "Column", type = "money", …}}'
        if isinstance(value, str) and value:
            return Column(value)
        if not isinstance(value, dict) or not all(isinstance(v, str) for v in value.values()):
            self._fail(key, f"must be written {example}", section)
        table = cast(dict[str, str], value)
        if wrong := table.keys() - {"column", "type", "currency", "unit"}:
            accepted = "accepted are column, type, currency, unit"
            self._fail(key, f"has {sorted(wrong)[0]!r} in it; {accepted}", section)
        if not table.get("column"):
            self._fail(key, f"names no column; write {example}", section)
        kind = table.get("type", "money" if "currency" in table else "")
        if kind and kind not in TYPES:
            self._fail(key, f"has the type {kind!r}; there are {', '.join(TYPES)}", section)
        self._check_unit(key, kind, table, section)
        return Column(table["column"], kind, table.get("currency", ""), table.get("unit", ""))

    def _check_unit(self, key: str, kind: str, table: dict[str, str], section: str) -> None:
        """Currencies and units are checked now, not at the first row."""
        try:
            if "currency" in table and (
                kind != "money" or currency_code(table["currency"]) is None
            ):
                self._fail(key, 'takes a currency such as "EUR", with type = "money"', section)
            if "unit" in table and kind == "duration":
                parse_duration(1, table["unit"])
            elif "unit" in table and kind != "number":
                self._fail(key, 'takes a unit only with type = "number" or "duration"', section)
        except ValueProblem as error:
            self._fail(key, f"cannot be used: {error}", section)

    def _constants(self) -> dict[str, Value]:
        constants: dict[str, Value] = {}
        for key, value in self._section("constants").items():
            values = value if isinstance(value, list) else [value]
            if not _NAME.fullmatch(key):
                self._fail(key, "must be a name of small letters, digits and _", "constants")
            if not values or not all(map(_is_storable, values)):
                self._fail(key, "must be a text, a number, true or false", "constants")
            constants[key] = cast(Value, value)
        return constants


def _is_storable(value: object) -> bool:
    if isinstance(value, int | float):
        return abs(value) < 1 << 63
    return isinstance(value, str)
