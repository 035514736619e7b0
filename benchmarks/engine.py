"""How fast plans run, beside SQL by hand that leaves the same table. Prints a page in Markdown.

    python benchmarks/engine.py [--quick] [--runs 5]

What is measured is what the trace calls the milliseconds of a node: from the table that the node
reads to the table that it leaves. The SQL reads the very same temporary table, on the same
connection, and writes a temporary table with the same columns and the same lineage; that both are
equal is checked. RETRIEVE and EXTRACT are served from memory and not counted.
"""

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import duckdb

from make_events import TODAY, Life, Served
from reqap.execute import Engine, Limits
from reqap.execute.lineage import Lineage
from reqap.execute.needs import Needs, needs_of
from reqap.execute.nodes import Nodes
from reqap.execute.session import Session
from reqap.execute.tables import Table
from reqap.plan import Checked, Functions, Operator, check, parse
from reqap.store import Store

sys.path.append(str(Path(__file__).parent.parent))
from tests.plan.paper_plans import COMPLETE, DECOMPOSITIONS

MEMORY = "2GB"
SMALL, MIDDLE, LARGE = 45_000, 1_000_000, 5_000_000
SERVED = ("RETRIEVE", "EXTRACT")
LIMITS = Limits(seconds=600)
# What is asked of the engine: times the SQL, growth from one to five million, milliseconds, MB.
MAX_RATIO, MAX_GROWTH, MAX_PLAN, MAX_MEMORY = 2.0, 6.0, 100.0, 4000.0

STREAMS = """EXTRACT(l=RETRIEVE(query="streams"),
    attr_names=["day", "price", "place", "artists", "length"],
    attr_types=[date, float, str, list, timedelta])"""
WORKOUTS = """EXTRACT(l=RETRIEVE(query="workouts"),
    attr_names=["day", "price", "place"], attr_types=[date, float, str])"""
BOTH = (
    'a.* EXCLUDE ("#t1"), b."#e1" AS "#e1#2", b."#s1" AS "#s1#2",'
    ' b.day AS "day#2", b.price AS "price#2", b.place AS "place#2"'
)


class Case(NamedTuple):
    """A plan over `S` and `W`, and the SQL over `{a}` and `{b}`."""

    name: str
    plan: str
    sql: str

    @property
    def text(self) -> str:
        return self.plan.replace("=S,", f"={STREAMS},").replace("=W,", f"={WORKOUTS},")


CASES = (
    Case(
        "FILTER",
        'FILTER(l=S, filter=lambda attr: attr["day"].month in (6, 7, 8) and attr["price"] > 10)',
        'SELECT * EXCLUDE ("#t1") FROM {a} WHERE month(day) IN (6, 7, 8) AND price > 10',
    ),
    Case(
        "MAP",
        """MAP(l=S, fct=lambda attr: f"{attr['day']:%Y-%m}", res_name="month")""",
        """SELECT * EXCLUDE ("#t1"), strftime(day, '%Y-%m') AS month FROM {a}""",
    ),
    Case(
        "GROUP_BY, count",
        'MAP(l=GROUP_BY(l=S, attr_names=["day"]), fct=len, res_name="n")',
        'SELECT day, list("#e1") AS "#events", count(*) AS n FROM {a}'
        " WHERE day IS NOT NULL GROUP BY day",
    ),
    Case(
        "GROUP_BY, sum",
        'MAP(l=GROUP_BY(l=S, attr_names=["place"]),'
        ' fct=lambda group: sum(e["price"] for e in group), res_name="total")',
        'SELECT place, list("#e1") AS "#events", sum(price) AS total FROM {a}'
        " WHERE place IS NOT NULL GROUP BY place",
    ),
    Case(
        "SUM",
        'SUM(l=S, attr_name="price")',
        'SELECT sum(price) AS "#value", list("#e1") AS "#events" FROM {a} WHERE price IS NOT NULL',
    ),
    Case(
        "UNNEST",
        'UNNEST(l=S, nested_attr_name="artists", unnested_attr_name="artist")',
        'SELECT * EXCLUDE ("#t1"), unnest(artists) AS artist FROM {a}',
    ),
    Case(
        "UNNEST, GROUP_BY, count",
        'MAP(l=GROUP_BY(l=UNNEST(l=S, nested_attr_name="artists", unnested_attr_name="artist"),'
        ' attr_names=["artist"]), fct=len, res_name="n")',
        'SELECT artist, list(e) AS "#events", count(*) AS n'
        ' FROM (SELECT "#e1" AS e, unnest(artists) AS artist FROM {a})'
        " WHERE artist IS NOT NULL GROUP BY artist",
    ),
    Case(
        "JOIN, equal days",
        'JOIN(l1=S, l2=W, condition="i1.day == i2.day")',
        f"SELECT {BOTH} FROM {{a}} AS a JOIN {{b}} AS b ON a.day = b.day",
    ),
    Case(
        "JOIN, overlapping times",
        'JOIN(l1=S, l2=W, condition="i1.start_datetime <= i2.end_datetime'
        ' and i2.start_datetime <= i1.end_datetime")',
        f"SELECT {BOTH} FROM {{a}} AS a JOIN {{b}} AS b"
        ' ON a."#s1" <= b."#t1" AND b."#s1" <= a."#t1"',
    ),
)
HEAVY = ("FILTER", "UNNEST, GROUP_BY, count", "JOIN, overlapping times")


# -- operators beside SQL --------------------------------------------------------------------------


class Bench:
    """One session in which the served tables are made once and every operator runs on them."""

    def __init__(self, store: Store, life: Life) -> None:
        self.session = Session(store, Functions(), LIMITS)
        self._doors = Served(life)
        self._lineage = Lineage(self.session)
        self._served: dict[Operator, Table] = {}
        self.streams, self.workouts = (
            self.run(check(parse(text), Functions()))[0].name for text in (STREAMS, WORKOUTS)
        )

    def run(self, plan: Checked) -> tuple[Table, float, list[Table]]:
        """The plan's table, the milliseconds without what is served, and the tables it made."""
        doors, needs = self._doors, needs_of(plan)
        # Served are all times that any of the plans reads.
        ends = Needs(frozenset({"end_datetime"}))
        needs = {step: n | ends if step.name in SERVED else n for step, n in needs.items()}
        nodes = Nodes(self.session, self._lineage, doors, doors, TODAY, needs, False)
        made: list[Table] = []
        milliseconds = 0.0

        def node(checked: Checked) -> Table:
            nonlocal milliseconds
            if checked.operator in self._served:
                return self._served[checked.operator]
            inputs = [node(inner) for inner in checked.inputs]
            began = perf_counter()  # from here to there as in the trace
            table, _ = nodes.run(checked, inputs, [])
            elapsed = (perf_counter() - began) * 1000
            if checked.operator.name in SERVED:
                self._served[checked.operator] = table
            else:
                made.append(table)
                milliseconds += elapsed
            return table

        return node(plan), milliseconds, made

    def run_sql(self, sql: str) -> float:
        began = perf_counter()
        self.session.cursor.execute(f"CREATE TEMP TABLE expert AS {sql}")
        return (perf_counter() - began) * 1000

    def drop(self, made: Sequence[Table]) -> None:
        """So that neither side finds memory filled by the other."""
        for name in {"expert", *(table.name for table in made)}:
            self.session.run(f'DROP TABLE IF EXISTS "{name}"')


class Timed(NamedTuple):
    engine: float
    sql: float


def measure(bench: Bench, case: Case, runs: int) -> Timed:
    """The best of some runs, in turn, after one of each that is only compared."""
    checked = check(parse(case.text), Functions())
    sql = case.sql.format(a=bench.streams, b=bench.workouts)
    table, _, made = bench.run(checked)
    bench.run_sql(sql)
    require_equal(bench.session.cursor, case.name, table)
    bench.drop(made)
    times = []
    for _ in range(runs):
        _, elapsed, made = bench.run(checked)
        bench.drop(made)
        times.append(Timed(elapsed, bench.run_sql(sql)))
        bench.drop([])
    return Timed(min(each.engine for each in times), min(each.sql for each in times))


def require_equal(cursor: duckdb.DuckDBPyConnection, name: str, table: Table) -> None:
    """Both tables have the same columns, types, rows and lineage; ours may also count members."""
    ours, expert = (
        dict(row[:2] for row in cursor.execute(f'DESCRIBE "{each}"').fetchall())
        for each in (table.name, "expert")
    )
    # A name of ours may stand for a column of another name.
    own = {c: c if c in ours else table.columns[c].physical for c in expert}
    types_differ = [ours[own[c]] for c in expert] != [*expert.values()]
    if types_differ or {*ours} - {*own.values(), "#size"}:
        raise SystemExit(f"{name}: the columns differ: {ours}, {expert}")
    # Sums of floats depend on their order in the last digits, lists on which thread came first.
    shown = {"DOUBLE": 'round("{}", 2)', "BIGINT[]": 'list_sort("{}")'}
    sums = []
    for source, names in ((table.name, own.values()), ("expert", own.keys())):
        types = zip(names, expert.values(), strict=True)
        columns = ", ".join(shown.get(type_, '"{}"').format(column) for column, type_ in types)
        cursor.execute(f'SELECT count(*), sum(hash({columns})) FROM "{source}"')
        sums.append(cursor.fetchall())
    if sums[0] != sums[1]:
        raise SystemExit(f"{name}: the results differ: {sums}")


# -- whole plans, and memory -----------------------------------------------------------------------


@contextmanager
def opened() -> Iterator[Store]:
    """A store in a file, so that DuckDB can put down what does not fit."""
    with (
        tempfile.TemporaryDirectory(prefix="reqap-bench-") as folder,
        Store.open(Path(folder) / "store.duckdb", memory=MEMORY) as store,
    ):
        yield store


class Whole(NamedTuple):
    operators: float  # all nodes but RETRIEVE and EXTRACT
    served: float  # those two, less what the stand-ins take
    around: float  # parsing, checking, samples, reading the result


def run_whole(store: Store, life: Life, text: str) -> Whole:
    served = Served(life)
    began = perf_counter()
    engine = Engine(store, served, served, Functions(), LIMITS)
    result = engine.execute(parse(text), today=TODAY)
    wall = (perf_counter() - began) * 1000
    doors, operators = (
        sum(node.milliseconds for node in result.trace.walk() if (node.name in SERVED) == wanted)
        for wanted in (True, False)
    )
    return Whole(operators, doors - served.seconds * 1000, wall - doors - operators)


def run_one(streams: int, case: str) -> None:
    """In a process of its own: prints the megabytes of the data alone, and those at the peak."""
    life = Life(streams)
    peaks = [resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000]
    with opened() as store:
        run_whole(store, life, next(c.text for c in CASES if c.name == case))
    print(json.dumps([*peaks, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000]))


# -- the page --------------------------------------------------------------------------------------


def print_operators(sizes: Sequence[int], runs: int) -> None:
    found: dict[tuple[str, int], Timed] = {}
    for size in sizes:
        with opened() as store:
            bench = Bench(store, Life(size))
            for case in CASES:
                found[case.name, size] = measure(bench, case, runs)
                print(f"  {size:,} {case.name}: done", file=sys.stderr, flush=True)
    grown = {MIDDLE, LARGE} <= set(sizes)
    heads = [f"{size:,}: engine | SQL | ratio" for size in sizes]
    heads += ["1 to 5 million: engine | SQL"] * grown
    print(f"| operator | {' | '.join(heads)} |")
    print("|---" * (1 + 3 * len(sizes) + 2 * grown) + "|")
    for case in CASES:
        cells = []
        for engine, sql in (found[case.name, size] for size in sizes):
            ratio = _told(engine / sql, MAX_RATIO, "{:.2f}×")
            cells += [f"{engine:.1f} ms", f"{sql:.1f} ms", ratio]
        if grown:
            before, after = found[case.name, MIDDLE], found[case.name, LARGE]
            cells.append(_told(after.engine / before.engine, MAX_GROWTH, "{:.1f}×"))
            cells.append(f"{after.sql / before.sql:.1f}×")
        print(f"| {case.name} | {' | '.join(cells)} |")


def _told(value: float, limit: float, form: str) -> str:
    """In bold where it is more than is asked for."""
    text = form.format(value)
    return f"**{text}**" if value > limit else text


def print_plans(runs: int) -> None:
    print(f"\n| plan, {SMALL:,} events | operators | RETRIEVE, EXTRACT | around | all |")
    print("|---|---|---|---|---|")
    life = Life(SMALL)
    with opened() as store:
        for name, text in COMPLETE.items():
            ran = [run_whole(store, life, text) for _ in range(max(runs, 2))]
            best = min(ran, key=lambda whole: sum(whole))
            cells = [_told(best.operators, MAX_PLAN, "{:.0f} ms")]
            cells += [f"{ms:.0f} ms" for ms in (best.served, best.around, sum(best))]
            print(f"| {next(iter(DECOMPOSITIONS[name]))} | {' | '.join(cells)} |", flush=True)


def measure_memory(streams: int) -> dict[str, tuple[float, float]]:
    """Must come first: a process begins with the peak of the one that started it."""
    own = [sys.executable, __file__, "--one", str(streams)]
    return {case: json.loads(subprocess.check_output([*own, case])) for case in HEAVY}


def print_memory(streams: int, found: dict[str, tuple[float, float]]) -> None:
    print(f"\n| whole plan, {streams:,} events | peak memory | of it the made-up data |")
    print("|---|---|---|")
    for case, (alone, peak) in found.items():
        told = _told(peak, MAX_MEMORY, "{:,.0f} MB")
        print(f"| {case} | {told} | {alone:,.0f} MB |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="no 5 million events, one run each")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        run_one(int(arguments.one[0]), arguments.one[1])
        return
    sizes = (SMALL, MIDDLE) if arguments.quick else (SMALL, MIDDLE, LARGE)
    runs = 1 if arguments.quick else arguments.runs
    with opened() as store:
        threads = store.connection.execute("SELECT current_setting('threads')").fetchall()[0][0]
    print(
        f"{threads} threads, {MEMORY} for DuckDB, a store in a file; {platform.platform()},"
        f" Python {platform.python_version()}, DuckDB {duckdb.__version__}; best of {runs};"
        f" load {os.getloadavg()[0]:.1f} at the start\n"
    )
    memory = measure_memory(sizes[-1])
    print_operators(sizes, runs)
    print_plans(runs)
    print_memory(sizes[-1], memory)


if __name__ == "__main__":
    main()
