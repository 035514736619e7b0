"""JOIN against nested loops in Python and against SQL written by hand, on random tables.

Conditions are put together from atoms, each written three times: as a plan has it, in Python, and
in SQL. Both sides have the same attributes, so that no value may be lost to the other's.
"""

import operator
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from datetime import date, datetime, timedelta
from random import Random

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reqap.errors import PlanError
from reqap.execute import nodes
from tests.execute.fakes import FakeLife, Plain, run, values

EXAMPLES = settings().max_examples
NEW_YEAR = datetime(2024, 1, 1)
HOUR = timedelta(hours=1)
Truth = bool | None


@dataclass(frozen=True)
class Event:
    """A row of one side. The names in a plan are others: see `NAMES`."""

    id: int
    begin: datetime
    finish: datetime
    tab: int
    n: int | None
    m: int | None
    f: float | None
    s: str | None
    d: date | None
    o: datetime | None
    w: timedelta | None
    l: list[str] | None  # noqa: E741


# Column in the SQL below → the attribute in plans, its type there, its type in Arrow.
NAMES: Mapping[str, tuple[str, str, pa.DataType]] = {
    "id": ("id", "int", pa.int64()), "tab": ("table", "int", pa.int64()),
    "n": ("n", "int", pa.int64()), "m": ("N", "int", pa.int64()),
    "f": ("größe", "float", pa.float64()), "s": ("rowid", "str", pa.string()),
    "d": ("start_date", "date", pa.date32()), "o": ("a", "datetime", pa.timestamp("us")),
    "w": ("b", "timedelta", pa.duration("us")), "l": ("start date", "list", pa.list_(pa.string())),
}  # fmt: skip
_MAYBE: Mapping[str, tuple[object, ...]] = {
    "n": (-1, 0, 1, 2, 3), "m": (0, 2), "f": (-1.5, 0, 1, 2, 2.75), "s": ("a", "ö", "it's", ""),
    "d": tuple(date(2024, 1, day) for day in (1, 2, 3)),
    "o": (NEW_YEAR, NEW_YEAR + HOUR, NEW_YEAR + 25 * HOUR),
    "w": (0 * HOUR, HOUR, 2 * HOUR), "l": ([], ["a"], ["ö", "a"], ["b", "it's"]),
}  # fmt: skip


def side(rng: Random, size: int, first: int, tables: int = 1) -> list[Event]:
    found = []
    for at in range(size):
        begin = NEW_YEAR + rng.randrange(48) * HOUR
        cells = {k: rng.choice(v) if rng.random() < 0.8 else None for k, v in _MAYBE.items()}
        finish = begin + rng.choice((0, 1, 1, 2, 5)) * HOUR
        found.append(Event(first + at, begin, finish, rng.randrange(tables), **cells))  # type: ignore[arg-type]
    return found


def life_of(events: list[Event]) -> FakeLife:
    rows: list[dict[str, Plain]] = [
        {name: getattr(event, column) for column, (name, _, _) in NAMES.items()} for event in events
    ]
    return FakeLife(rows, spans=[(event.begin, event.finish) for event in events])


def extracted(query: str, columns: Iterable[str] = NAMES) -> str:
    names = ", ".join(f'"{NAMES[column][0]}"' for column in columns)
    kinds = ", ".join(NAMES[column][1] for column in columns)
    return f'EXTRACT(l=RETRIEVE(query="{query}"), attr_names=[{names}], attr_types=[{kinds}])'


def in_sql(left: list[Event], right: list[Event], condition: str) -> Counter[tuple[int, int]]:
    with duckdb.connect() as connection:
        for name, events in (("l", left), ("r", right)):
            kinds = {c: kind for c, (_, _, kind) in NAMES.items()}
            columns = {
                field.name: pa.array(
                    [getattr(e, field.name) for e in events],
                    kinds.get(field.name, pa.timestamp("us")),
                )
                for field in fields(Event)
            }
            connection.register(name, pa.table(columns))
        found = connection.execute(f"SELECT a.id, b.id FROM l AS a JOIN r AS b ON {condition}")
        return Counter((int(a), int(b)) for a, b in found.fetchall())


# -- conditions ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Condition:
    text: str
    python: Callable[[Event, Event], Truth]
    sql: str


def both(test: Callable[..., bool], *values: object) -> Truth:
    """What is not known makes a comparison neither true nor false."""
    return None if None in values else test(*values)


def _plus(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else a + b


def _inside(item: str | None, items: list[str] | None) -> Truth:
    return None if item is None or items is None else item in items


_ORDER = {
    "==": ("=", operator.eq), "!=": ("<>", operator.ne), "<": ("<", operator.lt),
    "<=": ("<=", operator.le), ">": (">", operator.gt), ">=": (">=", operator.ge),
}  # fmt: skip


def comparisons() -> list[Condition]:
    """Every attribute with itself, by every comparison, from either side."""
    made: list[Condition] = []
    for column, (name, _, _) in NAMES.items():
        if column in ("id", "tab", "l"):
            continue
        for sign, (in_sql_, test) in _ORDER.items():
            first, second = ("i1", "i2") if len(made) % 2 else ("i2", "i1")
            made.append(
                Condition(
                    f'{first}["{name}"] {sign} {second}["{name}"]',
                    lambda a, b, c=column, t=test, swap=first == "i2": both(  # type: ignore[misc]
                        t, *[getattr(e, c) for e in ((b, a) if swap else (a, b))]
                    ),
                    f"{'a' if first == 'i1' else 'b'}.{column} {in_sql_}"
                    f" {'a' if second == 'i1' else 'b'}.{column}",
                )
            )
    return made


SPECIAL = [
    Condition(
        "i1.start_datetime < i2.end_datetime and i2.start_datetime < i1.end_datetime",
        lambda a, b: a.begin < b.finish and b.begin < a.finish,
        "a.begin < b.finish AND b.begin < a.finish",
    ),
    Condition(
        "i2.start_datetime <= i1.start_datetime and i1.end_datetime <= i2.end_datetime",
        lambda a, b: b.begin <= a.begin and a.finish <= b.finish,
        "a.begin BETWEEN b.begin AND b.finish AND a.finish <= b.finish",
    ),
    Condition(
        "i2.start_datetime <= i1.start_datetime <= i1.end_datetime < i2.start_datetime"
        " + timedelta(hours=6)",
        lambda a, b: b.begin <= a.begin and a.finish < b.begin + 6 * HOUR,
        "a.begin >= b.begin AND a.finish < b.begin + INTERVAL 6 HOUR",
    ),
    Condition('i1.rowid in i2["start date"]', lambda a, b: _inside(a.s, b.l),
              "list_contains(b.l, a.s)"),
    Condition('i2.rowid in i1["start date"]', lambda a, b: _inside(b.s, a.l),
              "list_contains(a.l, b.s)"),
    Condition('i1.rowid not in i2["start date"]',
              lambda a, b: None if (found := _inside(a.s, b.l)) is None else not found,
              "NOT list_contains(b.l, a.s)"),
    Condition("i1.rowid in i2.rowid", lambda a, b: None if a.s is None or b.s is None
              else a.s in b.s, "contains(b.s, a.s)"),
    Condition("i1.n + 1 == i2.n * 2", lambda a, b: both(lambda x, y: x + 1 == y * 2, a.n, b.n),
              "a.n + 1 = b.n * 2"),
    Condition("abs(i1.größe - i2.größe) <= 1",
              lambda a, b: both(lambda x, y: abs(x - y) <= 1, a.f, b.f), "abs(a.f - b.f) <= 1"),
    Condition("i1.n == i2.größe", lambda a, b: both(operator.eq, a.n, b.f), "a.n = b.f"),
    Condition("i1.N < i2.n", lambda a, b: both(operator.lt, a.m, b.n), "a.m < b.n"),
    Condition("i1.n < i2.n <= i1.N",
              lambda a, b: kleene_and(both(operator.lt, a.n, b.n), both(operator.le, b.n, a.m)),
              "a.n < b.n AND b.n <= a.m"),
    Condition("i1.start_date == i2.a",
              lambda a, b: both(lambda x, y: x == y.date(), a.d, b.o), "a.d = b.o::DATE"),
    Condition("i1.start_datetime + i1.b > i2.a",
              lambda a, b: both(lambda w, o: a.begin + w > o, a.w, b.o), "a.begin + a.w > b.o"),
    Condition("i1.n + i2.n > 2", lambda a, b: both(lambda x: x > 2, _plus(a.n, b.n)),
              "a.n + b.n > 2"),
    Condition("i1.n > 0", lambda a, b: both(lambda x: x > 0, a.n), "a.n > 0"),
    Condition("i2.n is None", lambda a, b: b.n is None, "b.n IS NULL"),
    Condition('i1.rowid == "it\'s"', lambda a, b: both(lambda x: x == "it's", a.s),
              "a.s = 'it''s'"),
    Condition("i2.start_date >= '2024-01-02'",
              lambda a, b: both(lambda x: x >= date(2024, 1, 2), b.d), "b.d >= '2024-01-02'"),
    Condition("True", lambda a, b: True, "true"),
    Condition("False", lambda a, b: False, "false"),
]  # fmt: skip
ATOMS = [*comparisons(), *SPECIAL]


def kleene_and(*truths: Truth) -> Truth:
    return False if False in truths else None if None in truths else True


def kleene_or(*truths: Truth) -> Truth:
    return True if True in truths else None if None in truths else False


def _all(items: list[Condition]) -> Condition:
    return Condition(
        " and ".join(f"({item.text})" for item in items),
        lambda a, b: kleene_and(*(item.python(a, b) for item in items)),
        " AND ".join(f"({item.sql})" for item in items),
    )


def _any(items: list[Condition]) -> Condition:
    return Condition(
        " or ".join(f"({item.text})" for item in items),
        lambda a, b: kleene_or(*(item.python(a, b) for item in items)),
        " OR ".join(f"({item.sql})" for item in items),
    )


def _not(item: Condition) -> Condition:
    def opposite(a: Event, b: Event) -> Truth:
        truth = item.python(a, b)
        return None if truth is None else not truth

    return Condition(f"not ({item.text})", opposite, f"NOT ({item.sql})")


CONDITIONS = st.recursive(
    st.sampled_from(ATOMS),
    lambda inner: (
        st.lists(inner, min_size=2, max_size=3).map(_all)
        | st.lists(inner, min_size=2, max_size=3).map(_any)
        | inner.map(_not)
    ),
    max_leaves=5,
)


def check(condition: Condition, left: list[Event], right: list[Event]) -> None:
    """The pairs are those of nested loops and of SQL, and hold the values of both sides."""
    spoken_of = [c for c, (name, _, _) in NAMES.items() if name in condition.text or c == "id"]
    l1, l2 = extracted("l", spoken_of), extracted("r", spoken_of)
    # Three marks around it: conditions hold texts in either kind of quotes.
    joined = f'JOIN(l1={l1}, l2={l2}, condition="""{condition.text} """)'
    expected = Counter((a.id, b.id) for a in left for b in right if condition.python(a, b))
    assert in_sql(left, right, condition.sql) == expected
    result = run(joined, {"l": life_of(left), "r": life_of(right)})
    assert result.row_count == expected.total()
    sides = {event.id: event for event in left + right}
    found: Counter[tuple[int, int]] = Counter()
    for row in values(result):
        a, b = sides[int(str(row["id"]))], sides[int(str(row["i2.id"]))]
        found[a.id, b.id] += 1
        for name, column in ((NAMES[column][0], column) for column in spoken_of):
            assert row[name] == getattr(a, column), name
            assert row[f"i2.{name}"] == getattr(b, column), name
    assert found == expected, condition.text


@pytest.mark.parametrize("atom", ATOMS[::2] + ATOMS[1::2][-10:], ids=lambda atom: atom.text)
def test_comparisons_join_as_nested_loops_do(atom: Condition) -> None:
    rng = Random(len(atom.text))
    check(atom, side(rng, 17, 0), side(rng, 19, 100))


SIZES = st.tuples(st.sampled_from((7, 12, 1, 0)), st.sampled_from((9, 5, 1, 0)))


@settings(max_examples=EXAMPLES // 5)
@given(condition=CONDITIONS, seed=st.integers(0, 1000), sizes=SIZES)
def test_conditions_put_together_join_as_nested_loops_do(
    condition: Condition, seed: int, sizes: tuple[int, int]
) -> None:
    rng = Random(seed)
    check(condition, side(rng, sizes[0], 0), side(rng, sizes[1], 100))


@settings(max_examples=EXAMPLES // 5)
@given(
    conditions=st.lists(CONDITIONS, min_size=2, max_size=3),
    seed=st.integers(0, 1000),
    sizes=SIZES,
)
def test_alternatives_joined_one_by_one_join_as_nested_loops_do(
    conditions: list[Condition], seed: int, sizes: tuple[int, int]
) -> None:
    rng = Random(seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nodes, "_MANY_PAIRS", 0)
        check(_any(conditions), side(rng, sizes[0], 0), side(rng, sizes[1], 100))


@pytest.mark.parametrize("seed", range(max(EXAMPLES // 10, 1)))
def test_many_small_tables_join_as_nested_loops_do(seed: int) -> None:
    """Each pair of tables has its own number: one join is then a hundred."""
    rng = Random(seed)
    same = Condition("i1.table == i2.table", lambda a, b: a.tab == b.tab, "a.tab = b.tab")
    condition = _all([same, _any(rng.sample(ATOMS, rng.choice((1, 1, 2, 3))))])
    check(condition, side(rng, 300, 0, tables=100), side(rng, 250, 1000, tables=100))


# -- names -----------------------------------------------------------------------------------------

ONE, TWO, THREE = (
    FakeLife([{"x": base + n, "X": -n, "i2.x": f"{base}!", "tags": ["a"] * n} for n in (1, 2)])
    for base in (10, 20, 30)
)
LIVES = {"one": ONE, "two": TWO, "three": THREE}


def of(query: str, names: str = '["x"]', types: str = "[int]") -> str:
    return f'EXTRACT(l=RETRIEVE(query="{query}"), attr_names={names}, attr_types={types})'


def joined(left: str, right: str, condition: str = "True") -> str:
    return f'JOIN(l1={left}, l2={right}, condition="{condition}")'


def rows_of(plan: str, lives: Mapping[str, FakeLife] = LIVES) -> list[dict[str, object]]:
    times = ("start_datetime", "i2.start_datetime")
    rows = values(run(plan, lives))
    return [{name: v for name, v in row.items() if name not in times} for row in rows]


def test_a_third_side_of_the_same_name_has_a_name_of_its_own() -> None:
    plan = joined(joined(of("one"), of("two")), of("three"), "i1.x == 11 and i2.x == 31")
    assert rows_of(plan) == [
        {"x": 11, "i2.x": 21, "i3.x": 31},
        {"x": 11, "i2.x": 22, "i3.x": 31},
    ]


def test_no_value_is_lost_whichever_way_joins_are_nested() -> None:
    plan = joined(of("one"), joined(of("two"), of("three")), "i1.x == 11 and i2['i2.x'] == 32")
    rows = rows_of(plan)
    assert {row["x"] for row in rows} == {11}
    assert [sorted(map(str, row.values())) for row in rows] == [
        ["11", "21", "32"],
        ["11", "22", "32"],
    ]


def test_an_attribute_that_is_called_like_one_of_a_join_is_kept_apart() -> None:
    names, types = '["x", "i2.x"]', "[int, str]"
    plan = joined(of("one", names, types), of("two", names, types), "i1.x == 11 and i2.x == 21")
    (row,) = rows_of(plan)
    assert (row["x"], row["i2.x"]) == (11, "10!")
    assert sorted(map(str, row.values())) == sorted(["11", "10!", "21", "20!"])


def test_names_that_differ_only_in_case_stay_apart_across_a_join() -> None:
    plan = joined(of("one"), of("two", '["X"]'), "i1.x == 11 and i2.X == -2")
    assert rows_of(plan) == [{"x": 11, "X": -2}]


def test_a_built_in_of_the_second_side_can_be_read_after_the_join() -> None:
    plan = (
        f"FILTER(l={joined(of('one'), of('two'))},"
        ' filter=lambda a: a["i2.start_date"] > a["start_date"] and a["i2.x"] - a["x"] == 11)'
    )
    assert rows_of(plan) == [{"x": 11, "i2.x": 22}]


# -- sides -----------------------------------------------------------------------------------------


def test_a_list_joins_with_itself_and_runs_once() -> None:
    result = run(joined(of("one"), of("one"), "i1.x < i2.x"), LIVES)
    assert [(r.values["x"], r.values["i2.x"], r.events) for r in result.rows] == [
        (11, 12, ("e0", "e1"))
    ]
    assert [node.reused for node in result.trace.inputs] == [False, True]


@pytest.mark.parametrize("condition", ["True", "i1.x == i2.x", "i1.x < i2.x or i1.x > i2.x"])
def test_nothing_joins_with_an_empty_side(condition: str) -> None:
    for left, right in (("none", "one"), ("one", "none"), ("none", "none")):
        plan = joined(of(left), of(right), condition)
        assert rows_of(plan, {**LIVES, "none": FakeLife([])}) == []


def test_extract_reads_the_first_side_first_then_the_second() -> None:
    left = FakeLife([{"x": 1, "place": "park"}, {"x": 2, "place": None}])
    right = FakeLife([{"y": 1, "place": "forest"}])
    pairs = joined(of("l"), of("r", '["y"]'))
    plan = f'EXTRACT(l={pairs}, attr_names=["place"], attr_types=[str])'
    found = [(row["x"], row["place"]) for row in rows_of(plan, {"l": left, "r": right})]
    assert found == [(1, "park"), (2, "forest")]


def test_lists_and_groups_over_joined_rows() -> None:
    """Per event of the one list, what the other has; and items of a list of the second side."""
    tags = of("two", '["x", "tags"]', "[int, list]")
    pairs = joined(of("one"), f'UNNEST(l={tags}, nested_attr_name="tags", unnested_attr_name="t")')
    groups = f'GROUP_BY(l={pairs}, attr_names=["x", "i2.x"])'
    plan = f'ARGMAX(l=MAP(l={groups}, fct=len, res_name="k"), arg_attr_name="k", val_attr_name="x")'
    assert rows_of(plan) == [{"x": 11, "i2.x": 22, "k": 2}, {"x": 12, "i2.x": 22, "k": 2}]


SPENDING = FakeLife([{"month": month, "v": v} for month, v in [("a", 1), ("a", 4), ("b", 2)]])
EARNING = FakeLife(
    [{"month": month, "v": v} for month, v in [("a", 3), ("b", 1), ("b", 9), ("c", 5)]]
)


def summed(query: str, name: str) -> str:
    rows = of(query, '["month", "v"]', "[str, int]")
    groups = f'GROUP_BY(l={rows}, attr_names=["month"])'
    return f'MAP(l={groups}, fct=lambda g: sum(e["v"] for e in g), res_name="{name}")'


def test_groups_join_and_their_pairs_rest_on_the_events_of_both() -> None:
    pairs = joined(summed("out", "spent"), summed("in", "earned"), "i1.month == i2.month")
    plan = f'FILTER(l={pairs}, filter=lambda p: p["spent"] > p["earned"])'
    result = run(plan, {"out": SPENDING, "in": EARNING})
    assert values(result) == [{"month": "a", "spent": 5, "i2.month": "a", "earned": 3}]
    assert result.rows[0].events == ("e0", "e1", "e3")
    total = run(f'SUM(l={pairs}, attr_name="earned")', {"out": SPENDING, "in": EARNING})
    assert values(total) == [{"#value": 13}]
    assert set(total.rows[0].events) == {"e0", "e1", "e2", "e3", "e4", "e5"}


def test_events_join_with_groups() -> None:
    rows = of("out", '["month", "v"]', "[str, int]")
    pairs = joined(rows, summed("out", "all"), "i1.month == i2.month and i1.v * 2 > i2.all")
    result = run(pairs, {"out": SPENDING})
    assert [(row.values["v"], set(row.events)) for row in result.rows] == [
        (4, {"e0", "e1"}),
        (2, {"e2"}),
    ]
    assert values(run(f"APPLY(l={pairs}, fct=len)", {"out": SPENDING})) == [{"#value": 2}]
    again = f'MAP(l=GROUP_BY(l={pairs}, attr_names=["month"]), fct=len, res_name="n")'
    assert [row["n"] for row in values(run(again, {"out": SPENDING}))] == [1, 1]


@pytest.mark.parametrize(
    "wrong",
    [
        'EXTRACT(l={pairs}, attr_names=["place"], attr_types=[str])',
        'MAP(l={pairs}, fct=lambda p: sum(e["v"] for e in p), res_name="n")',
        'MAP(l={pairs}, fct=len, res_name="n")',
    ],
)
def test_pairs_of_groups_have_no_events_inside(wrong: str) -> None:
    pairs = joined(summed("out", "spent"), summed("in", "earned"), "i1.month == i2.month")
    with pytest.raises(PlanError):
        run(wrong.format(pairs=pairs), {"out": SPENDING, "in": EARNING})


def test_many_pairs_with_alternatives_are_joined_one_by_one_and_right() -> None:
    """As large as such joins get, with the limit as it is; counted by hand."""
    size = 2_500
    assert size * size > nodes._MANY_PAIRS
    life = FakeLife([{"x": n, "y": n // 2} for n in range(size)])
    side_ = of("q", '["x", "y"]', "[int, int]")
    plan = joined(side_, side_, "i1.x == i2.x or i1.y == i2.x or i1.x < 1")
    halves = sum(n // 2 != n for n in range(size) if n >= 1)
    assert run(f"APPLY(l={plan}, fct=len)", {"q": life}).rows[0].values["#value"] == (
        size + halves + size - 1
    )
