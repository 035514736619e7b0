"""The relational operators against plain Python and against SQL written by hand, on random tables.

A shelf holds many small random tables in one life, told apart by the attribute `table`, so that one
run of the engine tests them all: what works row by row or on groups runs over the whole shelf, what
works on all rows runs per table, as sub-plans of one plan. Names of attributes are odd on purpose:
they differ only in case, are words of SQL, or stand in for attributes that every event has.

Not the job of this module: joins (`test_joins`), events behind rows (`test_lineage`).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import cache
from random import Random

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reqap.execute import Engine
from reqap.plan import Functions, parse
from reqap.store import Store
from tests.execute.fakes import TODAY, FakeLife, Plain, run, values
from tests.retrieve.lives import an_event, fill

LONG = settings().max_examples // 100  # 1, or more in the profile for long runs
SHELVES = range(2 * LONG)
TABLES = 120
WHOLE_TABLES = 9
MICROSECOND = timedelta(microseconds=1)

TEXTS = ("", "a", "B", "ö", "日本", "é", "u\u0301", "it's; --", '"', "%_", "🙂", "null")
DAYS = (date(1999, 12, 31), date(2024, 2, 29), date(2024, 3, 1), date(2024, 3, 31))
MOMENTS = (datetime(2024, 2, 29, 23, 30), datetime(2024, 3, 1), datetime(2024, 3, 1, 0, 0, 0, 1))
BY_DAY = (time(6, 0), time(9, 15, 30), time(12, 0), time(17, 59, 59, 999999))
AT_NIGHT = (time(18, 0), time(23, 30), time(0, 0), time(0, 30), time(5, 59, 59))
LENGTHS = tuple(timedelta(minutes=n) for n in (-5, 0, 30, 31, 1500))
TAGS: tuple[list[str], ...] = ([], ["a"], ["b", "a"], ["b", "b"], ["ö", "a", "日本"])

# The attributes, their types in a plan, and what their columns are called in the SQL below.
ATTRIBUTES = {
    "table": ("int", "tab"), "id": ("int", "id"), "n": ("int", "n"), "N": ("int", "m"),
    "größe": ("float", "f"), "select": ("str", "s"), "start_date": ("date.fromisoformat", "d"),
    "t": ("time.fromisoformat", "c"), "o": ("datetime.fromtimestamp", "o"),
    "rowid": ("timedelta", "w"), "i2.x": ("list", "l"),
}  # fmt: skip
_ARROW = (
    pa.int64(), pa.int64(), pa.int64(), pa.int64(), pa.float64(), pa.string(), pa.date32(),
    pa.time64("us"), pa.timestamp("us"), pa.int64(), pa.list_(pa.string()),
)  # fmt: skip


@dataclass(frozen=True)
class Record:
    """A row of a random table, under the names of the SQL below."""

    tab: int
    id: int
    n: int | None = None
    m: int | None = None
    f: float | None = None
    s: str | None = None
    d: date | None = None
    c: time | None = None
    o: datetime | None = None
    w: timedelta | None = None
    l: list[str] | None = None  # noqa: E741

    def told(self) -> dict[str, Plain]:
        return {name: getattr(self, column) for name, (_, column) in ATTRIBUTES.items()}


Table = list[Record]
Values = tuple[object, ...]


def a_table(rng: Random, number: int, first: int) -> Table:
    """0 to 30 rows; some attributes are missing often, or always."""
    size = rng.choice((0, 1, 1, 2, 2, 3, 4, 5, 8, 13, 30))
    rarely = {column: rng.choice((0.0, 0.2, 0.2, 0.5, 1.0)) for _, column in ATTRIBUTES.values()}
    clock = rng.choice((BY_DAY, AT_NIGHT))
    choices: dict[str, Sequence[object]] = {
        "n": (-2, -1, 0, 1, 2, 3), "m": (0, 1, 20), "f": (0, 1, -1.5, 0.25, 2.75, 3, 1e6),
        "s": TEXTS, "d": DAYS, "c": clock, "o": MOMENTS, "w": LENGTHS, "l": TAGS,
    }  # fmt: skip

    def cells() -> dict[str, object]:
        return {k: rng.choice(v) for k, v in choices.items() if rng.random() >= rarely[k]}

    return [Record(number, first + at, **cells()) for at in range(size)]  # type: ignore[arg-type]


@cache
def shelf(seed: int, tables: int = TABLES) -> tuple[Table, ...]:
    rng = Random(seed)
    made: list[Table] = []
    for number in range(tables):
        made.append(a_table(rng, number, sum(map(len, made))))
    return tuple(made)


def life_of(tables: Iterable[Table]) -> FakeLife:
    return FakeLife([record.told() for table in tables for record in table])


def extracted(plan: str, query: str = "q") -> str:
    """EXTRACT of the attributes that a plan speaks of."""
    used = {n: kind for n, (kind, _) in ATTRIBUTES.items() if f'"{n}"' in plan or n == "table"}
    names = ", ".join(f'"{name}"' for name in used)
    return (
        f'EXTRACT(l=RETRIEVE(query="{query}"), attr_names=[{names}],'
        f" attr_types=[{', '.join(used.values())}])"
    )


def in_sql(tables: Iterable[Table], sql: str) -> list[Values]:
    records = [record for table in tables for record in table]
    columns = {}
    for (_, column), kind in zip(ATTRIBUTES.values(), _ARROW, strict=True):
        cells = [cell(getattr(record, column)) for record in records]
        columns[column] = pa.array([list(c) if isinstance(c, tuple) else c for c in cells], kind)
    with duckdb.connect() as connection:
        connection.register("shelf", pa.table(columns))
        return [tuple(map(cell, row)) for row in connection.execute(sql).fetchall()]


def cell(value: object) -> object:
    """A value that can be counted and compared: durations are microseconds."""
    if isinstance(value, timedelta):
        return value // MICROSECOND
    if isinstance(value, list | tuple):
        return tuple(cell(item) for item in value)
    return value


# -- row by row, and in groups ---------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """A plan over the rows `<E>`, which of its attributes to look at, and what must come out."""

    plan: str
    shown: tuple[str, ...]
    python: Callable[[Table], Iterable[Values]]  # for one table, without its number
    sql: str  # for all tables, their number first


def grouped(rows: Table, key: Callable[[Record], Values]) -> dict[Values, Table]:
    found: dict[Values, Table] = {}
    for row in rows:
        if None not in key(row):
            found.setdefault(key(row), []).append(row)
    return found


def top(rows: Table, count: int) -> list[int]:
    known = [row for row in rows if row.n is not None]
    return [row.id for row in sorted(known, key=lambda r: r.n or 0, reverse=True)[:count]]


def total(rows: Iterable[float | None]) -> float | None:
    known = [x for x in rows if x is not None]
    return sum(known) if known else None


FILTER, GROUP = "FILTER(l=<E>, filter=lambda a: ", 'GROUP_BY(l=<E>, attr_names=["table"'
COUNTED = f'MAP(l={GROUP}, "select"]), fct=len, res_name="k")'
CASES = {
    "filter: and": Case(
        FILTER + 'a["n"] > 0 and a["größe"] <= 1.5)', ("id",),
        lambda t: [(r.id,) for r in t if r.n is not None and r.n > 0
                   and r.f is not None and r.f <= 1.5],
        "SELECT tab, id FROM shelf WHERE n > 0 AND f <= 1.5",
    ),
    "filter: not or": Case(
        FILTER + 'not (a["n"] == 1 or a["größe"] > 0))', ("id",),
        lambda t: [(r.id,) for r in t if r.n is not None and r.n != 1
                   and r.f is not None and r.f <= 0],
        "SELECT tab, id FROM shelf WHERE NOT (n = 1 OR f > 0)",
    ),
    "filter: texts": Case(
        FILTER + 'a["select"] in ("ö", "日本", "", "it\'s; --") or a["select"] is None)', ("id",),
        lambda t: [(r.id,) for r in t if r.s in ("ö", "日本", "", "it's; --", None)],
        "SELECT tab, id FROM shelf WHERE s IN ('ö', '日本', '', 'it''s; --') OR s IS NULL",
    ),
    "filter: dates and times": Case(
        FILTER + 'date(2024, 2, 1) <= a["start_date"] < date(2024, 3, 1) or a["t"].hour >= 18)',
        ("id",),
        lambda t: [(r.id,) for r in t if r.d == date(2024, 2, 29)
                   or (r.c is not None and r.c.hour >= 18)],
        "SELECT tab, id FROM shelf WHERE d BETWEEN '2024-02-01' AND '2024-02-29'"
        " OR hour(c) >= 18",
    ),
    "filter: durations and moments": Case(
        FILTER + 'a["rowid"] > timedelta(minutes=30) and a["o"] != datetime(2024, 3, 1, 0, 0))',
        ("id",),
        lambda t: [(r.id,) for r in t if r.w is not None and r.w > timedelta(minutes=30)
                   and r.o not in (None, datetime(2024, 3, 1))],
        "SELECT tab, id FROM shelf WHERE w > 1800000000 AND o <> TIMESTAMP '2024-03-01'",
    ),
    "filter: in a list": Case(
        FILTER + '"b" in a["i2.x"])', ("id",),
        lambda t: [(r.id,) for r in t if "b" in (r.l or [])],
        "SELECT tab, id FROM shelf WHERE list_contains(l, 'b')",
    ),
    "filter: names that differ in case": Case(
        FILTER + 'a["n"] < a["N"])', ("id", "n", "N"),
        lambda t: [(r.id, r.n, r.m) for r in t if r.n is not None and r.m is not None
                   and r.n < r.m],
        "SELECT tab, id, n, m FROM shelf WHERE n < m",
    ),
    "map: in the place of another": Case(
        'MAP(l=<E>, fct=lambda a: a["n"] + a["größe"], res_name="N")', ("id", "n", "N"),
        lambda t: [(r.id, r.n, None if r.n is None or r.f is None else r.n + r.f) for r in t],
        "SELECT tab, id, n, n + f FROM shelf",
    ),
    "map: in the place of a built-in": Case(
        'MAP(l=<E>, fct=lambda a: a["start_date"] + timedelta(days=1), res_name="start_date")',
        ("id", "start_date"),
        lambda t: [(r.id, None if r.d is None else r.d + timedelta(days=1)) for r in t],
        "SELECT tab, id, CAST(d + INTERVAL 1 DAY AS DATE) FROM shelf",
    ),
    "map: if": Case(
        'MAP(l=<E>, fct=lambda a: a["n"] if a["größe"] > 0 else 0, res_name="k")', ("id", "k"),
        lambda t: [(r.id, r.n if r.f is not None and r.f > 0 else 0) for r in t],
        "SELECT tab, id, CASE WHEN f > 0 THEN n ELSE 0 END FROM shelf",
    ),
    "unnest": Case(
        'UNNEST(l=<E>, nested_attr_name="i2.x", unnested_attr_name="I2.X")', ("i2.x", "I2.X"),
        lambda t: [(tuple(r.l), tag) for r in t if r.l for tag in r.l],
        "SELECT tab, l, unnest(l) FROM shelf",
    ),
    "unnest: in place": Case(
        'UNNEST(l=<E>, nested_attr_name="i2.x", unnested_attr_name="i2.x")', ("i2.x",),
        lambda t: [(tag,) for r in t for tag in r.l or []],
        "SELECT tab, unnest(l) FROM shelf",
    ),
    "group: one key": Case(
        COUNTED, ("select", "k"),
        lambda t: [(k[0], len(g)) for k, g in grouped(t, lambda r: (r.s,)).items()],
        "SELECT tab, s, count(*) FROM shelf WHERE s IS NOT NULL GROUP BY ALL",
    ),
    "group: several keys": Case(
        f'MAP(l={GROUP}, "n", "N", "start_date"]), fct=lambda g: sum(e["größe"] for e in g),'
        ' res_name="k")', ("n", "N", "start_date", "k"),
        lambda t: [(*k, total(r.f for r in g))
                   for k, g in grouped(t, lambda r: (r.n, r.m, r.d)).items()],
        "SELECT tab, n, m, d, sum(f) FROM shelf WHERE n IS NOT NULL AND m IS NOT NULL"
        " AND d IS NOT NULL GROUP BY ALL",
    ),
    "group: what its members have": Case(
        'MAP(l=MAP(l=MAP(l=MAP(l=' f'{GROUP}]), fct=lambda g: len(set(e["t"] for e in g)),'
        ' res_name="k"), fct=lambda g: min(e["größe"] for e in g), res_name="f"),'
        ' fct=lambda g: max(e["select"] for e in g), res_name="s"),'
        ' fct=lambda g: sum(e["rowid"] for e in g if e["n"] > 0), res_name="w")',
        ("k", "f", "s", "w"),
        lambda t: [(len({r.c for r in t} - {None}), min((r.f for r in t if r.f is not None),
                    default=None), max((r.s for r in t if r.s is not None), default=None),
                    total(as_number(r.w) for r in t if r.n is not None and r.n > 0
                          and r.w is not None))] if t else [],
        "SELECT tab, count(DISTINCT c), min(f), max(s), sum(w) FILTER (n > 0) FROM shelf"
        " GROUP BY tab",
    ),
    "group: its best member": Case(
        f'MAP(l={GROUP}]), fct=lambda g: max(g, key=lambda e: e["größe"])["id"], res_name="k")',
        ("k",),
        lambda t: [(max((r for r in t if r.f is not None), key=lambda r: r.f or 0).id
                    if {r.f for r in t} - {None} else None,)] if t else [],
        "SELECT tab, arg_max(id, (f, -id)) FILTER (f IS NOT NULL) FROM shelf GROUP BY tab",
    ),
    "group: its first in order": Case(
        f'MAP(l={GROUP}]), fct=lambda g: [e["id"] for e in sorted(g, key=lambda e: e["n"],'
        ' reverse=True)[:2]], res_name="k")', ("k",),
        lambda t: [(top(t, 2),)] if t else [],
        "SELECT tab, coalesce(list(id ORDER BY n DESC, id) FILTER (n IS NOT NULL)[:2], [])"
        " FROM shelf GROUP BY tab",
    ),
    "group: its last": Case(
        f'MAP(l={GROUP}, "N"]), fct=lambda g: [e["id"] for e in g[-2:]], res_name="k")',
        ("N", "k"),
        lambda t: [(*k, tuple(r.id for r in g[-2:]))
                   for k, g in grouped(t, lambda r: (r.m,)).items()],
        "SELECT tab, m, list(id ORDER BY id)[-2:] FROM shelf WHERE m IS NOT NULL GROUP BY ALL",
    ),
    "group: filter by what MAP gave": Case(
        f'FILTER(l={COUNTED}, filter=lambda g: g["k"] > 1 and g["select"] != "a")',
        ("select", "k"),
        lambda t: [(k[0], len(g)) for k, g in grouped(t, lambda r: (r.s,)).items()
                   if len(g) > 1 and k[0] != "a"],
        "SELECT tab, s, count(*) FROM shelf WHERE s <> 'a' GROUP BY ALL HAVING count(*) > 1",
    ),
    "group: filter by members": Case(
        f'FILTER(l={GROUP}, "select"]), filter=lambda g: any(e["n"] > 1 for e in g)'
        ' and not all(e["größe"] > 0 for e in g))', ("select",),
        lambda t: [k for k, g in grouped(t, lambda r: (r.s,)).items()
                   if any(r.n is not None and r.n > 1 for r in g)
                   and any(r.f is not None and r.f <= 0 for r in g)],
        "SELECT tab, s FROM shelf WHERE s IS NOT NULL GROUP BY ALL"
        " HAVING bool_or(n > 1) AND NOT bool_and(f > 0)",
    ),
    "group: map twice": Case(
        f'MAP(l={COUNTED}, fct=lambda g: g["k"] * 10 + len([e for e in g if e["n"] > 0]),'
        ' res_name="K")', ("select", "k", "K"),
        lambda t: [(k[0], len(g), len(g) * 10 + sum(r.n is not None and r.n > 0 for r in g))
                   for k, g in grouped(t, lambda r: (r.s,)).items()],
        "SELECT tab, s, count(*), count(*) * 10 + count(*) FILTER (n > 0) FROM shelf"
        " WHERE s IS NOT NULL GROUP BY ALL",
    ),
    "groups of groups": Case(
        f'MAP(l=GROUP_BY(l={COUNTED}, attr_names=["table", "k"]),'
        ' fct=lambda g: (len(g), sum(len(e) for e in g), max(e["select"] for e in g)),'
        ' res_name="K")', ("k", "K"),
        lambda t: [(size, (len(keys), size * len(keys), max(keys))) for size, keys in
                   _by_size(grouped(t, lambda r: (r.s,))).items()],
        "SELECT tab, k, struct_pack(a := count(*), b := sum(k), c := max(s)) FROM"
        " (SELECT tab, s, count(*) AS k FROM shelf WHERE s IS NOT NULL GROUP BY ALL) GROUP BY ALL",
    ),
    "unnest, group, map, filter": Case(
        'FILTER(l=MAP(l=GROUP_BY(l=UNNEST(l=<E>, nested_attr_name="i2.x",'
        ' unnested_attr_name="tag"), attr_names=["table", "tag"]), fct=len, res_name="k"),'
        ' filter=lambda g: 1 < g["k"] <= 5)', ("tag", "k"),
        lambda t: [(tag, k) for tag, k in
                   Counter(tag for r in t for tag in r.l or []).items() if 1 < k <= 5],
        "SELECT tab, tag, count(*) FROM (SELECT tab, unnest(l) AS tag FROM shelf) GROUP BY ALL"
        " HAVING count(*) BETWEEN 2 AND 5",
    ),
}  # fmt: skip


def _by_size(groups: dict[Values, Table]) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for (key,), members in groups.items():
        found.setdefault(len(members), []).append(str(key))
    return found


@pytest.mark.parametrize("seed", SHELVES)
@pytest.mark.parametrize("name", CASES)
def test_rows_and_groups_are_as_in_python_and_in_sql(name: str, seed: int) -> None:
    case, tables = CASES[name], shelf(seed)
    plan = case.plan.replace("<E>", extracted(case.plan + str(case.shown).replace("'", '"')))
    got: dict[int, Counter[Values]] = {number: Counter() for number in range(len(tables))}
    for row in values(run(plan, {"q": life_of(tables)})):
        got[int(str(row["table"]))][tuple(cell(row[name]) for name in case.shown)] += 1
    in_database: dict[int, Counter[Values]] = {number: Counter() for number in range(len(tables))}
    for number, *rest in in_sql(tables, case.sql):
        in_database[int(str(number))][_flat(rest)] += 1
    for number, table in sorted(enumerate(tables), key=lambda item: len(item[1])):
        expected = Counter(tuple(map(cell, row)) for row in case.python(table))
        assert got[number] == expected, table
        assert in_database[number] == expected, table


def _flat(row: Sequence[object]) -> Values:
    return tuple(tuple(x.values()) if isinstance(x, dict) else x for x in row)


# -- all rows together -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Whole:
    """A plan over the rows `<T>` of one table that gives one value, or `several`."""

    plan: str
    python: Callable[[Table], object]
    sql: str  # the expression per table, or a whole query of tables and values
    several: bool = False


def column_of(rows: Table, column: str) -> list[float]:
    """What is there, as numbers: days, and microseconds."""
    found = [getattr(row, column) for row in rows]
    return [as_number(value) for value in found if value is not None]


def as_number(value: object) -> float:
    match value:
        case timedelta():
            return value // MICROSECOND
        case datetime():
            return (value - datetime(1970, 1, 1)) // MICROSECOND
        case date():
            return (value - date(1970, 1, 1)).days
    assert isinstance(value, int | float), value
    return value


def ids_of(rows: Table, column: str, best: Callable[[list[str]], str]) -> Values:
    known = [(getattr(row, column), row.id) for row in rows if getattr(row, column) is not None]
    return tuple(id_ for x, id_ in known if x == best([x for x, _ in known])) if known else ()


def numeric() -> Iterable[tuple[str, Whole]]:
    """SUM and AVG of everything that has one; an average of dates is a whole day."""
    for name, column, in_sql_ in (("n", "n", "n"), ("größe", "f", "f"), ("rowid", "w", "w"),
                                  ("start_date", "d", "d - DATE '1970-01-01'"),
                                  ("o", "o", "epoch_us(o)")):  # fmt: skip
        yield (
            f"avg {name}",
            Whole(
                f'AVG(l=<T>, attr_name="{name}")',
                lambda t, c=column: sum(x) / len(x) if (x := column_of(t, c)) else None,  # type: ignore[misc]
                f"avg({in_sql_})",
            ),
        )
        if column in "nfw":
            yield (
                f"sum {name}",
                Whole(
                    f'SUM(l=<T>, attr_name="{name}")',
                    lambda t, c=column: sum(x) if (x := column_of(t, c)) else None,  # type: ignore[misc]
                    f"sum({column})",
                ),
            )


def extremes() -> Iterable[tuple[str, Whole]]:
    """MIN, MAX, ARGMIN and ARGMAX of everything that has an order."""
    for name, column in (("n", "n"), ("größe", "f"), ("select", "s"), ("start_date", "d"),
                         ("t", "c"), ("o", "o"), ("rowid", "w")):  # fmt: skip
        for function, best in (("min", min), ("max", max)):
            yield (
                f"{function} {name}",
                Whole(
                    f'{function.upper()}(l=<T>, attr_name="{name}")',
                    lambda t, c=column, b=best: b(  # type: ignore[misc]
                        (getattr(r, c) for r in t if getattr(r, c) is not None), default=None
                    ),
                    f"{function}({column})",
                ),
            )
            yield (
                f"arg{function} {name}",
                Whole(
                    f'ARG{function.upper()}(l=<T>, arg_attr_name="{name}", val_attr_name="id")',
                    lambda t, c=column, b=best: ids_of(t, c, b),  # type: ignore[misc]
                    f"SELECT tab, list(id ORDER BY id) FROM shelf AS o WHERE {column} ="
                    f" (SELECT {function}({column}) FROM shelf AS i WHERE i.tab = o.tab)"
                    " GROUP BY tab",
                    several=True,
                ),
            )


def most(items: Iterable[str | None]) -> Values:
    counted = Counter(item for item in items if item is not None)
    return tuple(item for item, count in counted.items() if count == max(counted.values()))


TAG = 'UNNEST(l=<T>, nested_attr_name="i2.x", unnested_attr_name="tag")'
SIZES = 'MAP(l=GROUP_BY(l=<T>, attr_names=["select"]), fct=len, res_name="k")'
WHOLES: dict[str, Whole] = {
    **dict(extremes()), **dict(numeric()),
    "len": Whole("APPLY(l=<T>, fct=len)", lambda t: len(t) or None, "count(*)"),
    "apply: two aggregates": Whole(
        'APPLY(l=<T>, fct=lambda l: sum(e["größe"] for e in l) / len(l))',
        lambda t: sum(x) / len(t) if (x := column_of(t, "f")) else None, "sum(f) / count(*)",
    ),
    "apply: some, different ones": Whole(
        'APPLY(l=<T>, fct=lambda l: len(set(e["select"] for e in l if e["n"] > 0)))',
        lambda t: len({r.s for r in t if r.n is not None and r.n > 0} - {None}) if t else None,
        "count(DISTINCT s) FILTER (n > 0)",
    ),
    "apply: best": Whole(
        'APPLY(l=<T>, fct=lambda l: max(l, key=lambda e: e["größe"])["id"])',
        lambda t: ids_of(t, "f", max)[:1],
        "SELECT tab, list(id ORDER BY f DESC, id)[:1] FROM shelf WHERE f IS NOT NULL GROUP BY tab",
        several=True,
    ),
    "commonest tag": Whole(
        f'ARGMAX(l=MAP(l=GROUP_BY(l={TAG}, attr_names=["tag"]), fct=len, res_name="k"),'
        ' arg_attr_name="k", val_attr_name="tag")',
        lambda t: most(tag for r in t for tag in r.l or []),
        "SELECT tab, list(tag) FROM (SELECT tab, tag, count(*) AS k, max(count(*)) OVER"
        " (PARTITION BY tab) AS best FROM (SELECT tab, unnest(l) AS tag FROM shelf)"
        " GROUP BY tab, tag) WHERE k = best GROUP BY tab", several=True,
    ),
    "groups of one": Whole(
        f'APPLY(l=FILTER(l={SIZES}, filter=lambda g: g["k"] == 1), fct=len)',
        lambda t: Counter(map(len, grouped(t, lambda r: (r.s,)).values()))[1] or None,
        "SELECT tab, count(*) FROM (SELECT tab FROM shelf WHERE s IS NOT NULL GROUP BY tab, s"
        " HAVING count(*) = 1) GROUP BY tab",
    ),
    "above average": Whole(
        'APPLY(l=FILTER(l=<T>, filter=lambda a: a["n"] > AVG(l=<T>, attr_name="n").result),'
        " fct=len)",
        lambda t: sum(n > sum(x) / len(x) for n in x) or None if (x := column_of(t, "n")) else None,
        "SELECT tab, count(*) FROM shelf AS o WHERE n > (SELECT avg(n) FROM shelf AS i"
        " WHERE i.tab = o.tab) GROUP BY tab",
    ),
    "those of the commonest text": Whole(
        f'APPLY(l=FILTER(l=<T>, filter=lambda a: a["select"] == ARGMAX(l={SIZES},'
        ' arg_attr_name="k", val_attr_name="select").result), fct=len)',
        lambda t: sum(r.s in most(other.s for other in t) for r in t) or None,
        "SELECT tab, sum(k) FROM (SELECT tab, count(*) AS k, max(count(*)) OVER (PARTITION BY tab)"
        " AS best FROM shelf WHERE s IS NOT NULL GROUP BY tab, s) WHERE k = best GROUP BY tab",
    ),
}  # fmt: skip


def all_at_once(names: Sequence[str], tables: Sequence[Table]) -> dict[str, list[object]]:
    """One plan with a sub-plan per case and table; what is read from the rows is read once."""
    rows = extracted("".join(f'"{name}"' for name in ATTRIBUTES))
    plan = 'RETRIEVE(query="one")'
    for at, name in enumerate(names):
        parts = [
            WHOLES[name].plan.replace(
                "<T>", f'FILTER(l={rows}, filter=lambda a: a["table"] == {number})'
            )
            for number in range(len(tables))
        ]
        result = "sorted({}.result)" if WHOLES[name].several else "{}.result"
        results = ", ".join(result.format(part) for part in parts)
        plan = f'MAP(l={plan}, fct=lambda a: [{results}], res_name="answers {at}")'
    (row,) = values(run(plan, {"q": life_of(tables), "one": FakeLife([{}])}))
    answers = {name: row[f"answers {at}"] for at, name in enumerate(names)}
    return {name: found for name, found in answers.items() if isinstance(found, list)}


def same(got: object, expected: object) -> bool:
    """Averages may be rounded: dates down to the day, the rest by a microsecond."""
    if isinstance(got, list | tuple) and isinstance(expected, list | tuple):
        return sorted(got) == sorted(expected)
    if isinstance(expected, int | float) and got is not None:
        apart = expected - as_number(got)
        whole_days = isinstance(got, date) and not isinstance(got, datetime)
        return (
            0 <= apart < 1
            if whole_days
            else abs(apart) < 1e-9 * max(abs(expected), 1) + (isinstance(got, datetime | timedelta))
        )
    return got == expected


@pytest.mark.parametrize("seed", range(LONG))
@pytest.mark.parametrize("part", range(6))
def test_values_of_whole_tables_are_as_in_python_and_in_sql(part: int, seed: int) -> None:
    names, tables = list(WHOLES)[part::6], shelf(1000 + seed, WHOLE_TABLES)
    got = all_at_once(names, tables)
    for name in names:
        case = WHOLES[name]
        is_query = case.sql.startswith("SELECT")
        sql = case.sql if is_query else f"SELECT tab, {case.sql} FROM shelf GROUP BY tab"
        in_database = {row[0]: row[1] for row in in_sql(tables, sql)}
        for number, table in sorted(enumerate(tables), key=lambda item: len(item[1])):
            expected = case.python(table)
            # As part of another plan, a count of nothing is 0.
            counted = 0 if expected is None and case.plan.endswith("fct=len)") else expected
            assert same(got[name][number], counted), (name, table)
            nothing = () if case.several else None
            assert same(in_database.get(number, nothing), cell(expected)), (name, table)


# -- order, and times of day -----------------------------------------------------------------------


@settings(max_examples=15 * LONG)
@given(
    numbers=st.lists(st.none() | st.integers(0, 3), max_size=8),
    bounds=st.tuples(st.none() | st.integers(-4, 4), st.none() | st.integers(-4, 4)),
    order=st.sampled_from(("as they are", "up", "down")),
)
def test_rows_are_put_in_order_and_cut_as_in_python(
    numbers: list[int | None], bounds: tuple[int | None, int | None], order: str
) -> None:
    """Equal ones stay in the order of their start, whichever way the order goes."""
    rows, written = list(enumerate(numbers)), "l"
    if order != "as they are":
        known = [(at, n) for at, n in enumerate(numbers) if n is not None]
        rows = [*sorted(known, key=lambda row: row[1], reverse=order == "down")]
        written = f'sorted(l, key=lambda e: e["n"], reverse={order == "down"})'
    cut = ":".join("" if bound is None else str(bound) for bound in bounds)
    names = extracted('"n" "id"')
    plan = f"APPLY(l={names}, fct=lambda l: {written}[{cut}])"
    life = FakeLife([{"id": at, "n": n, "table": 0} for at, n in enumerate(numbers)])
    assert [row["id"] for row in values(run(plan, {"q": life}))] == [
        at for at, _ in rows[slice(*bounds)]
    ]


@settings(max_examples=15 * LONG)
@given(
    middle=st.integers(0, 24 * 60 - 1),
    apart=st.lists(st.integers(-5 * 60, 5 * 60), min_size=1, max_size=5),
)
def test_the_average_of_times_of_day_lies_between_them(middle: int, apart: list[int]) -> None:
    """Also where midnight does."""
    day = datetime(2024, 1, 1)
    moments = [day + timedelta(minutes=middle + minutes) for minutes in apart]
    life = FakeLife([{"t": moment.time(), "table": 0} for moment in moments])
    names = extracted('"t"')
    (row,) = values(run(f'AVG(l={names}, attr_name="t")', {"q": life}))
    expected = day + sum((moment - day for moment in moments), timedelta()) / len(moments)
    found = row["#value"]
    assert isinstance(found, time)
    distance = abs(datetime.combine(expected, found) - expected)
    assert min(distance, timedelta(days=1) - distance) <= MICROSECOND


# -- what the store knows of each event ------------------------------------------------------------

KINDS: dict[str, list[Values]] = {
    'MAP(l=GROUP_BY(l=<E>, attr_names=["kind", "source"]), fct=len, res_name="k")': [
        ("mail", "imap", 1), ("note", "diary", 1), ("workout", "watch", 1),
    ],
    'ARGMAX(l=<E>, arg_attr_name="n", val_attr_name="kind")': [("mail", 7), ("note", 7)],
    'MAP(l=<E>, fct=lambda a: a["kind"].upper(), res_name="kind")': [
        (5, "WORKOUT"), (7, "MAIL"), (7, "NOTE"),
    ],
    'MAP(l=JOIN(l1=<E>, l2=<E>, condition="i1.source < i2.source and i1.n == i2.n"),'
    ' fct=lambda a: a["kind"] + "+" + a["i2.kind"], res_name="k")': [(7, 7, "note+mail")],
}  # fmt: skip


@pytest.mark.parametrize("plan", KINDS)
def test_kind_and_source_are_those_of_the_event_that_comes_first(plan: str) -> None:
    kinds = (("workout", "watch"), ("note", "keep"), ("mail", "imap"), ("note", "diary"))
    rows = 'EXTRACT(l=RETRIEVE(query="q"), attr_names=["n"], attr_types=[int])'
    noon = datetime(2024, 1, 1, 12)
    life = FakeLife([{"n": n} for n in (5, 2, 7, 7)], [(noon, noon)] * 4, [0, 0, 1, 2])
    with Store.open(None) as store:
        fill(store, [an_event(f"e{at}", kind, source=of) for at, (kind, of) in enumerate(kinds)])
        engine = Engine(store, life, life, Functions())
        result = engine.execute(parse(plan.replace("<E>", rows)), today=TODAY)
    found = [
        tuple(v for name, v in row.items() if "start_datetime" not in name)
        for row in values(result)
    ]
    assert Counter(found) == Counter(KINDS[plan])
