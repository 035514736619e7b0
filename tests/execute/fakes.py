"""A life that is made up row by row: a retriever and an extractor that serve given values.

    life = FakeLife([{"price": 3.5, "title": "tea"}, {"price": Amount(4.0, "EUR")}])
    result = run('SUM(EXTRACT(RETRIEVE("q"), ["price"], [float]), "price")', {"q": life})
    values(result)  # [{"#value": 7.5}]

Not the job of this module: finding or reading anything. What a row does not hold is missing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from functools import cache

import pyarrow as pa
import pyarrow.compute as pc

from reqap.execute import Engine, Limits, Result
from reqap.execute.meanings import Whom, nobody
from reqap.plan import Functions, parse
from reqap.store import Store

Items = list[str] | list[int] | list[float]
Plain = bool | int | float | str | date | time | datetime | timedelta | Items | None
Span = tuple[datetime, datetime | None]

TODAY = datetime(2024, 6, 15, 12, 0)
_ARROW = {
    "str": pa.string(), "int": pa.int64(), "float": pa.float64(), "bool": pa.bool_(),
    "list": pa.list_(pa.string()), "date": pa.date32(), "time": pa.time64("us"),
    "datetime": pa.timestamp("us"), "timedelta": pa.duration("us"),
}  # fmt: skip


@dataclass(frozen=True)
class Amount:
    """A number with its unit."""

    value: float | int
    unit: str


@dataclass(frozen=True)
class FakeLife:
    """Events with the ids "e0", "e1", …, one per row.

    Without `spans`, the events are an hour long, at noon of the days from 1 January 2024 on. Rows
    with the same number in `happenings` tell of the same happening (then they share their span).
    """

    rows: Sequence[Mapping[str, Plain | Amount]]
    spans: Sequence[Span] | None = None
    happenings: Sequence[int] | None = None
    first: int = 0  # the number in the id of the first event

    def retrieve(self, query: str, today: datetime, within: pa.Array | None = None) -> pa.Table:
        noon, size = datetime(2024, 1, 1, 12), len(self.rows)
        spans = self.spans
        if spans is None:
            days = (noon + timedelta(days=number) for number in range(size))
            spans = [(day, day + timedelta(hours=1)) for day in days]
        happenings = range(size) if self.happenings is None else self.happenings
        table = pa.table(
            {
                "happening": pa.array(happenings, pa.int64()),
                "id": pa.array([f"e{self.first + n}" for n in range(size)], pa.string()),
                "start": pa.array([start for start, _ in spans], pa.timestamp("us")),
                "end": pa.array([end for _, end in spans], pa.timestamp("us")),
                "why": pa.array(["made up"] * size, pa.string()),
            }
        )
        if within is None:
            return table
        return table.filter(pc.is_in(table["id"], value_set=within.cast(pa.string())))

    def extract(
        self, ids: pa.Array, key: str, type_name: str, *_: object, **__: object
    ) -> pa.Table:
        told = [self.rows[int(event[1:]) - self.first].get(key) for event in ids.to_pylist()]
        plain = [_told(cell) for cell in told]
        units = [cell.unit if isinstance(cell, Amount) else None for cell in told]
        return pa.table(
            {
                "value": pa.array(plain, _ARROW[type_name]),
                "unit": pa.array(units, pa.string()),
                "where": pa.array(["made up"] * len(told), pa.string()),
            }
        )


def _told(cell: Plain | Amount) -> Plain:
    """As the door gives it: a number without its unit, a list as texts."""
    if isinstance(cell, Amount):
        return cell.value
    return [str(item) for item in cell] if isinstance(cell, list) else cell


class FakeLives:
    """Several lives, each behind its query; ids go on from life to life in the order given.

    The same life behind two queries gives the same events.
    """

    def __init__(self, by_query: Mapping[str, FakeLife]) -> None:
        self._placed: dict[str, FakeLife] = {}
        known: dict[int, FakeLife] = {}
        first = 0
        for query, life in by_query.items():
            if id(life) not in known:
                known[id(life)] = replace(life, first=first)
                first += len(life.rows)
            self._placed[query] = known[id(life)]
        self._all = FakeLife([row for life in known.values() for row in life.rows])

    def retrieve(self, query: str, today: datetime, within: pa.Array | None = None) -> pa.Table:
        return self._placed[query].retrieve(query, today, within)

    def extract(
        self, ids: pa.Array, key: str, type_name: str, *_: object, **__: object
    ) -> pa.Table:
        return self._all.extract(ids, key, type_name)


@cache
def empty_store() -> Store:
    """One for all tests: the engine only reads it."""
    return Store.open(None, memory="4GB")


def run(
    plan_text: str,
    life_by_query: Mapping[str, FakeLife],
    today: datetime = TODAY,
    functions: Functions | None = None,
    limits: Limits | None = None,
    whom: Whom = nobody,
) -> Result:
    """Carries out a plan whose queries are answered by the lives given."""
    known = functions or Functions()
    lives = FakeLives(life_by_query)
    engine = Engine(empty_store(), lives, lives, known, limits or Limits(), whom)
    return engine.execute(parse(plan_text, known), today=today)


def values(result: Result) -> list[dict[str, object]]:
    """The rows of a result, without units and happenings."""
    return [dict(row.values) for row in result.rows]
