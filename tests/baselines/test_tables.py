"""The tables that baselines see, and hostile SQL on them."""

import time
from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path
from typing import NamedTuple

import pytest

from reqap.baselines.sandbox import Bounds, Plain, Sandbox
from reqap.baselines.tables import Tables
from reqap.errors import ExecutionProblem, TooExpensive
from reqap.evaluate.finding import filled
from reqap.events import Event, Origin, Value
from reqap.profile import Profile

TODAY = datetime(2024, 5, 1)
PROFILE = """{"name": "Eva Blau", "family": [{"name": "Rita Blau", "relation": "mother"}],
 "jobs": [{"company": "Nord AG", "from": "2020-01-01"}], "time_zone": "UTC"}"""


def event(name: str, kind: str, data: dict[str, Value]) -> Event:
    at = datetime(2023, 3, int(name), 18)
    return Event(name, "test", kind, at, at, None, data, Origin("file", 0))


EVENTS = [
    event("1", "workout", {"workout_type": "running", "distance": 5, "with": ["Ana"]}),
    event("2", "workout", {"workout_type": "running", "distance": 5.5}),
    event("3", "calendar", {"summary": "Lunch", "location": "Café Rot"}),
    event("4", 'odd "kind"', {'a "key"': 1, "order": "x", "id": "hidden", "deep": "y"}),
    event("5", "people", {"name": "nobody"}),
]


class Life(NamedTuple):
    schema: str
    sandbox: Sandbox

    def run(self, sql: str) -> list[list[Plain]]:
        return self.sandbox.run(sql)


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Life]:
    path = tmp_path_factory.mktemp("tables") / "tables.duckdb"
    with filled(EVENTS, Profile.from_json(PROFILE)) as store:
        schema = Tables(store, TODAY, path).schema
    with Sandbox(path, Bounds(seconds=2.0, memory="100MB", rows=50)) as made:
        yield Life(schema, made)


def test_every_kind_is_a_table(tables: Life) -> None:
    assert tables.run("SELECT sum(distance), min(start_date) FROM workout") == [
        [10.5, date(2023, 3, 1)]
    ]
    assert tables.run('SELECT "with" FROM workout') == [[["Ana"]], [[]]]
    assert tables.run("SELECT text FROM calendar") == [["Lunch Café Rot"]]
    assert tables.run('SELECT "a ""key""", "order", id FROM "odd ""kind"""') == [[1, "x", "4"]]
    assert "workout(id VARCHAR, start_datetime TIMESTAMP" in tables.schema
    assert '"with" VARCHAR[]' in tables.schema or "with VARCHAR[]" in tables.schema
    assert '"order" VARCHAR' in tables.schema


def test_the_profile_is_there_and_the_day(tables: Life) -> None:
    assert tables.run("SELECT name FROM people WHERE relation = 'mother'") == [["Rita Blau"]]
    assert tables.run("SELECT company, start_date FROM jobs") == [["Nord AG", date(2020, 1, 1)]]
    assert tables.run("SELECT ref_date(), (SELECT name FROM me)") == [
        [date(2024, 5, 1), "Eva Blau"]
    ]


def test_values_are_plain(tables: Life) -> None:
    assert tables.run("SELECT 1.5::DECIMAL(4,2), {'a': 1, 'b': [2]}, NULL, true") == [
        [1.5, [1, [2]], None, True]
    ]
    assert len(tables.run("SELECT * FROM range(1000000)")) == 50


FILES = ["secret.csv", "secret.txt"]


@pytest.fixture(scope="module")
def secrets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("secrets")
    for name in FILES:
        (folder / name).write_text("a,b\nsecret,1\n")
    return folder


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM read_csv('{}/secret.csv')",
        "SELECT * FROM '{}/secret.csv'",
        "SELECT * FROM read_text('{}/secret.txt')",
        "SELECT * FROM read_blob('{}/secret.txt')",
        "SELECT * FROM sniff_csv('{}/secret.csv')",
        "SELECT * FROM glob('{}/*')",
        "SELECT * FROM query('FROM read_csv(''{}/secret.csv'')')",
        "SELECT * FROM parquet_scan('{}/x.parquet')",
        "SELECT * FROM read_json('http://127.0.0.1:1/x.json')",
        "COPY workout TO '{}/out.csv'",
        "COPY (SELECT 1) TO '{}/out.csv'",
        "EXPORT DATABASE '{}/out'",
        "ATTACH '{}/other.duckdb' AS other",
        "INSTALL httpfs",
        "LOAD httpfs",
        "PRAGMA database_list",
        "SET enable_external_access = true",
        "SET memory_limit = '100GB'",
        "RESET lock_configuration",
        "SELECT getenv('HOME')",
        "SELECT * FROM FILES",
        "SELECT * FROM EVENTS",
        "CREATE TABLE mine AS SELECT 1",
        "DROP TABLE workout",
        "DELETE FROM workout",
        "INSERT INTO me VALUES ('x')",
        "UPDATE me SET name = 'x'",
        "CALL pragma_version()",
        "SELECT 1; SELECT 2",
        "SELECT 1; DROP TABLE workout",
        "EXPLAIN ANALYZE SELECT 1",
        "VACUUM",
        "CHECKPOINT",
        "BEGIN",
        "PREPARE x AS SELECT 1",
        "",
        "I would look into the calendar.",
        "SELECT 1" + " " * 20_000,
        "SELECT " + "(" * 4_000 + "1" + ")" * 4_000,
    ],
)
def test_what_is_no_harmless_question_is_refused(tables: Life, secrets: Path, sql: str) -> None:
    with pytest.raises(ExecutionProblem):
        tables.run(sql.replace("{}", str(secrets)))
    assert sorted(path.name for path in secrets.iterdir()) == FILES
    assert tables.run("SELECT count(*) FROM workout") == [[2]]


@pytest.mark.parametrize(
    "sql",
    [
        "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT max(n) FROM r",
        "SELECT count(*) FROM range(100000000) a, range(100000000) b WHERE a.range + b.range = 7",
        "SELECT sum(a.range * b.range) FROM range(10000000) a, range(10000000) b",
        "SELECT list(a.range) FROM range(1000000000) a",
        "SELECT a.range FROM range(100000000) a ORDER BY hash(a.range)",
        "SELECT repeat('x', 2000000000)",
    ],
)
def test_what_would_take_too_much_is_stopped(tables: Life, sql: str) -> None:
    began = time.monotonic()
    with pytest.raises(ExecutionProblem) as problem:
        tables.run(sql)
    assert time.monotonic() - began < 20
    assert isinstance(problem.value, TooExpensive)
    assert tables.run("SELECT count(*) FROM workout") == [[2]]
