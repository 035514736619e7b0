"""Every row of a result names exactly the events it rests on.

Random plans over random lives are worked out a second time in plain Python, which carries with each
row the events that made it. And: what a row does not name can go without changing the row.

Not the job of this module: values of all kinds (`test_operators`), conditions (`test_joins`).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reqap.execute import Engine, Result
from reqap.plan import Functions, parse
from tests.execute.fakes import TODAY, FakeLife, FakeLives, Plain, empty_store, run

EXAMPLES = settings().max_examples
Lives = Mapping[str, FakeLife]
Values = dict[str, object]
VALUE = "#value"


@dataclass(frozen=True)
class Told:
    """A row as it should be: its values, its events, and the members of a group."""

    values: Values
    events: frozenset[str]
    members: "tuple[Told, ...]" = ()

    def seen(self) -> tuple[str, frozenset[str]]:
        return repr(sorted(self.values.items())), self.events


@dataclass(frozen=True)
class Outcome:
    rows: list[Told]
    shared: frozenset[str] = frozenset()  # what sub-plans rest on


@dataclass(frozen=True)
class Plan:
    """A plan as text, and how it is worked out in Python."""

    text: str
    work_out: Callable[[Lives], Outcome]

    def then(self, text: str, change: Callable[[list[Told]], list[Told]]) -> "Plan":
        def work_out(lives: Lives) -> Outcome:
            below = self.work_out(lives)
            return replace(below, rows=change(below.rows))

        return Plan(text.replace("<L>", self.text), work_out)


def union(rows: Iterable[Told]) -> frozenset[str]:
    return frozenset().union(*(row.events for row in rows))


def number(row: Told, name: str) -> float:
    value = row.values[name]
    assert isinstance(value, int | float)
    return value


def known(rows: Iterable[Told], name: str) -> list[Told]:
    return [row for row in rows if row.values[name] is not None]


# -- operators over events -------------------------------------------------------------------------


def source(query: str) -> Plan:
    """Happenings in order; the first event that tells a value gives it."""

    def work_out(lives: Lives) -> Outcome:
        life = lives[query]
        first = len(lives["q"].rows) if query == "r" else 0
        told: dict[int, Told] = {}
        for at, happening in enumerate(life.happenings or range(len(life.rows))):
            row: Values = {name: life.rows[at].get(name) for name in ("n", "s", "tags")}
            before = told.get(happening, Told({}, frozenset()))
            values = {k: v if before.values.get(k) is None else before.values[k]
                      for k, v in row.items()}  # fmt: skip
            told[happening] = Told(values, before.events | {f"e{first + at}"})
        return Outcome(list(told.values()))

    names, types = '["n", "s", "tags"]', "[int, str, list]"
    text = f'EXTRACT(l=RETRIEVE(query="{query}"), attr_names={names}, attr_types={types})'
    return Plan(text, work_out)


def large(of: Plan, limit: int) -> Plan:
    return of.then(
        f'FILTER(l=<L>, filter=lambda a: a["n"] >= {limit})',
        lambda rows: [row for row in known(rows, "n") if number(row, "n") >= limit],
    )


def doubled(of: Plan) -> Plan:
    def change(rows: list[Told]) -> list[Told]:
        return [
            replace(row, values={**row.values, "m": None if row.values["n"] is None
                                 else number(row, "n") * 2})
            for row in rows
        ]  # fmt: skip

    return of.then('MAP(l=<L>, fct=lambda a: a["n"] * 2, res_name="m")', change)


def unnested(of: Plan) -> Plan:
    def items(row: Told) -> list[object]:
        tags = row.values["tags"]
        return tags if isinstance(tags, list) else []

    return of.then(
        'UNNEST(l=<L>, nested_attr_name="tags", unnested_attr_name="tag")',
        lambda rows: [
            replace(row, values={**row.values, "tag": tag}) for row in rows for tag in items(row)
        ],
    )


def extreme(of: Plan, function: str, name: str) -> Plan:
    def change(rows: list[Told]) -> list[Told]:
        there = known(rows, name)
        best = (min if function == "ARGMIN" else max)(
            (number(row, name) for row in there), default=0
        )
        return [row for row in there if row.values[name] == best]

    return of.then(f'{function}(l=<L>, arg_attr_name="{name}")', change)


def first_few(of: Plan, name: str, count: int, reverse: bool) -> Plan:
    return of.then(
        f'APPLY(l=<L>, fct=lambda l: sorted(l, key=lambda e: e["{name}"],'
        f" reverse={reverse})[:{count}])",
        lambda rows: sorted(known(rows, name), key=lambda r: number(r, name), reverse=reverse)[
            :count
        ],
    )


def joined(left: Plan, right: Plan) -> Plan:
    def pair(one: Told, two: Told) -> Told:
        values = dict(one.values)
        for name, value in two.values.items():
            free = [name, *(f"i{side}.{name}" for side in range(2, 9))]
            values[next(n for n in free if n not in values)] = value
        return Told(values, one.events | two.events)

    def work_out(lives: Lives) -> Outcome:
        one, two = left.work_out(lives), right.work_out(lives)
        pairs = [
            pair(a, b)
            for a in known(one.rows, "n")
            for b in known(two.rows, "n")
            if number(a, "n") <= number(b, "n")
        ]
        return Outcome(pairs, one.shared | two.shared)

    return Plan(f'JOIN(l1={left.text}, l2={right.text}, condition="i1.n <= i2.n")', work_out)


def at_least(of: Plan, sub: Plan, function: str, name: str) -> Plan:
    """FILTER by what a sub-plan gives: its events bear every row."""
    value = aggregate(sub, function, "n")

    def work_out(lives: Lives) -> Outcome:
        below, beside = of.work_out(lives), value.work_out(lives)
        limits = [number(row, VALUE) for row in beside.rows]
        rows = [row for row in known(below.rows, name) if limits and number(row, name) >= limits[0]]
        return Outcome(rows, below.shared | beside.shared | union(beside.rows))

    text = f'FILTER(l={of.text}, filter=lambda a: a["{name}"] >= {value.text}.result)'
    return Plan(text, work_out)


def commonest(of: Plan, sub: Plan) -> Plan:
    """FILTER by an ARGMAX, which may give several values: any of them will do."""
    winners = extreme(counted(grouped(sub, ["s"])), "ARGMAX", "k")

    def work_out(lives: Lives) -> Outcome:
        below, beside = of.work_out(lives), winners.work_out(lives)
        texts = [row.values["s"] for row in beside.rows]
        rows = [row for row in below.rows if row.values["s"] in texts]
        return Outcome(rows, below.shared | beside.shared | union(beside.rows))

    best = winners.text.removesuffix(")") + ', val_attr_name="s")'
    return Plan(f'FILTER(l={of.text}, filter=lambda a: a["s"] == {best}.result)', work_out)


# -- groups and values -----------------------------------------------------------------------------


def grouped(of: Plan, names: Sequence[str]) -> Plan:
    def change(rows: list[Told]) -> list[Told]:
        groups: dict[tuple[object, ...], list[Told]] = {}
        for row in rows:
            key = tuple(row.values[name] for name in names)
            if None not in key:
                groups.setdefault(key, []).append(row)
        return [
            Told(dict(zip(names, key, strict=True)), union(groups[key]), tuple(groups[key]))
            for key in sorted(groups)
        ]

    keys = ", ".join(f'"{name}"' for name in names)
    return of.then(f"GROUP_BY(l=<L>, attr_names=[{keys}])", change)


def counted(of: Plan, name: str = "k") -> Plan:
    return of.then(
        f'MAP(l=<L>, fct=len, res_name="{name}")',
        lambda rows: [replace(r, values={**r.values, name: len(r.members)}) for r in rows],
    )


def summed(of: Plan, name: str = "k") -> Plan:
    def total(row: Told) -> float | None:
        members = [number(member, "n") for member in known(row.members, "n")]
        return sum(members) if members else None

    return of.then(
        f'MAP(l=<L>, fct=lambda g: sum(e["n"] for e in g), res_name="{name}")',
        lambda rows: [replace(r, values={**r.values, name: total(r)}) for r in rows],
    )


def several(of: Plan) -> Plan:
    return of.then(
        "FILTER(l=<L>, filter=lambda g: len(g) > 1)",
        lambda rows: [row for row in rows if len(row.members) > 1],
    )


def aggregate(of: Plan, function: str, name: str) -> Plan:
    """One value: SUM and AVG rest on the rows that have one, MIN and MAX on those that have it."""

    def change(rows: list[Told]) -> list[Told]:
        there = known(rows, name)
        if not there:
            return []
        numbers = [number(row, name) for row in there]
        value = {"SUM": sum(numbers), "AVG": sum(numbers) / len(numbers),
                 "MIN": min(numbers), "MAX": max(numbers)}[function]  # fmt: skip
        if function in ("MIN", "MAX"):
            there = [row for row in there if row.values[name] == value]
        return [Told({VALUE: value}, union(there))]

    return of.then(f'{function}(l=<L>, attr_name="{name}")', change)


def how_many(of: Plan) -> Plan:
    return of.then(
        "APPLY(l=<L>, fct=len)",
        lambda rows: [Told({VALUE: len(rows)}, union(rows))] if rows else [],
    )


# -- random plans and lives ------------------------------------------------------------------------


@st.composite
def a_life(draw: st.DrawFn, sizes: tuple[int, ...]) -> FakeLife:
    cells: dict[str, st.SearchStrategy[Plain]] = {
        "n": st.sampled_from((None, 0, 1, 1, 2, 3)),
        "s": st.sampled_from((None, "a", "a", "b")),
        "tags": st.sampled_from((None, ["a"], ["a", "b"], ["b"])),
    }
    row = st.fixed_dictionaries(cells)
    size = draw(st.sampled_from(sizes))
    rows: list[dict[str, Plain]] = draw(st.lists(row, min_size=size, max_size=size))
    alone = draw(st.lists(st.sampled_from((1, 1, 0)), min_size=size, max_size=size))
    happenings = [sum(alone[1 : at + 1]) for at in range(size)]
    noon = [datetime(2024, 1, 1 + happening, 12) for happening in happenings]
    return FakeLife(rows, [(start, start) for start in noon], happenings)


@st.composite
def some_lives(draw: st.DrawFn) -> Lives:
    """`again` finds the events of `q` by other words."""
    q, r = draw(a_life((5, 4, 3, 6, 0))), draw(a_life((3, 2, 4, 0)))
    return {"q": q, "r": r, "again": q}


LIVES = some_lives()


@st.composite
def events(draw: st.DrawFn, steps: int) -> Plan:
    plan = source(draw(st.sampled_from(("q", "r", "again"))))
    for _ in range(draw(st.integers(0, steps))):
        match draw(st.integers(0, 7)):
            case 0:
                plan = large(plan, draw(st.integers(1, 3)))
            case 1:
                plan = doubled(plan)
            case 2:
                plan = unnested(plan)
            case 3:
                plan = extreme(plan, draw(st.sampled_from(("ARGMIN", "ARGMAX"))), "n")
            case 4 | 5:
                plan = joined(plan, draw(events(steps=0)))
            case 6:
                function = draw(st.sampled_from(("MIN", "MAX", "AVG", "SUM")))
                plan = at_least(plan, draw(events(steps=1)), function, "n")
            case 7:
                plan = commonest(plan, draw(events(steps=1)))
    return plan


@st.composite
def groups(draw: st.DrawFn) -> Plan:
    plan = grouped(draw(events(steps=2)), draw(st.sampled_from((["s"], ["s"], ["n", "s"]))))
    plan = (summed if draw(st.booleans()) else counted)(plan)
    for _ in range(draw(st.integers(0, 2))):
        match draw(st.integers(0, 3)):
            case 0:
                plan = several(plan)
            case 1:
                plan = extreme(plan, "ARGMAX", "k")
            case 2:
                plan = first_few(plan, "k", draw(st.integers(1, 2)), True)
            case 3:
                plan = at_least(plan, draw(events(steps=1)), "MIN", "k")
    return plan


# Plans in which no row can change because an event went that it does not rest on. (The smallest
# group is not such a plan: another may become smaller.)
STEADY: dict[str, st.SearchStrategy[Plan]] = {
    "events": events(steps=3),
    "first": st.builds(first_few, events(2), st.just("n"), st.integers(1, 3), st.booleans()),
    "count": st.builds(how_many, events(2)),
    "groups": groups(),
    **{
        f"{function} of events": st.builds(aggregate, events(1), st.just(function), st.just("n"))
        for function in ("SUM", "AVG", "MIN", "MAX")
    },
    **{
        f"{function} of groups": st.builds(aggregate, groups(), st.just(function), st.just("k"))
        for function in ("SUM", "MAX")
    },
}
SMALLEST = st.builds(extreme, groups(), st.just("ARGMIN"), st.just("k"))
OTHERS: dict[str, st.SearchStrategy[Plan]] = {
    "MIN of the first": st.builds(aggregate, STEADY["first"], st.just("MIN"), st.just("n")),
    "groups of groups": st.builds(grouped, SMALLEST, st.just(["k"])).map(lambda g: counted(g, "j")),
    "members of groups": SMALLEST.map(lambda groups: summed(groups, "j")),
    "MAX over members": SMALLEST.map(lambda groups: aggregate(summed(groups, "j"), "MAX", "j")),
}


# -- the properties --------------------------------------------------------------------------------


class Without(FakeLives):
    """The lives without the events of one happening."""

    def __init__(self, lives: Lives, gone: frozenset[str]) -> None:
        super().__init__(lives)
        self._gone = gone

    def retrieve(self, query: str, today: datetime, within: pa.Array | None = None) -> pa.Table:
        found = super().retrieve(query, today, within)
        gone = pa.array(sorted(self._gone), pa.string())
        found = found.filter(pc.invert(pc.is_in(found["id"], value_set=gone)))
        old = found["happening"].to_pylist()
        new = {happening: at for at, happening in enumerate(dict.fromkeys(old))}
        return found.set_column(0, "happening", pa.array([new[n] for n in old], pa.int64()))


def rows_of(result: Result, names: Iterable[str]) -> Counter[tuple[str, frozenset[str]]]:
    return Counter(
        Told({name: row.values[name] for name in names}, frozenset(row.events)).seen()
        for row in result.rows
    )


def check_against_python(plan: Plan, lives: Lives) -> tuple[Result, Outcome]:
    result, expected = run(plan.text, lives), plan.work_out(lives)
    names = list(expected.rows[0].values) if expected.rows else []
    assert rows_of(result, names) == Counter(row.seen() for row in expected.rows)
    everything = union(expected.rows) | expected.shared if expected.rows else frozenset()
    assert set(result.events) == everything
    assert len(result.events) == len(everything)
    return result, expected


@pytest.mark.parametrize("kind", [*STEADY, *OTHERS])
@settings(max_examples=max(EXAMPLES // 10, 1))
@given(data=st.data(), lives=LIVES)
def test_rows_rest_on_the_events_that_made_them(
    kind: str, data: st.DataObject, lives: Lives
) -> None:
    check_against_python(data.draw((STEADY | OTHERS)[kind]), lives)


@pytest.mark.parametrize("kind", STEADY)
@settings(max_examples=max(EXAMPLES // 33, 1))
@given(data=st.data(), lives=LIVES)
def test_rows_do_not_change_when_an_event_goes_that_they_do_not_name(
    kind: str, data: st.DataObject, lives: Lives
) -> None:
    plan = data.draw(STEADY[kind])
    _, expected = check_against_python(plan, lives)
    happenings = source("q").work_out(lives).rows + source("r").work_out(lives).rows
    for gone in (happening.events for happening in happenings):
        untouched = [row for row in expected.rows if not gone & (row.events | expected.shared)]
        if not untouched:
            continue
        doors = Without(lives, gone)
        engine = Engine(empty_store(), doors, doors, Functions())
        after = engine.execute(parse(plan.text), today=TODAY)
        left = rows_of(after, untouched[0].values)
        assert Counter(row.seen() for row in untouched) <= left, gone
