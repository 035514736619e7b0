"""Dates, times and durations: every day of some years against Python, tables, SQL, and `today`."""

import ast
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from pathlib import Path

import duckdb
import pytest
from dateutil.relativedelta import relativedelta

import reqap
from reqap.errors import PlanError
from tests.execute.fakes import TODAY, FakeLife, Plain, run, values

E = 'EXTRACT(RETRIEVE("q"), ["d", "m", "t", "u"], [date, datetime, time, timedelta])'
SQL = duckdb.connect()
# Days with all their oddities: leap years and not, years of 53 weeks, and the ends of the calendar.
DAYS = [date(2019, 12, 20) + timedelta(days=n) for n in range(1150)]
DAYS += [date(1900, 2, 28), date(1000, 1, 1), date(2100, 2, 28), date(9999, 12, 31), date(1, 1, 1)]


def mapped(
    texts: list[str], rows: list[dict[str, Plain]], today: datetime = TODAY
) -> list[list[object]]:
    """What each of the expressions gives, row by row."""
    plan = E
    for number, text in enumerate(texts):
        plan = f'MAP({plan}, lambda a: {text}, "r{number}")'
    found = values(run(plan, {"q": FakeLife(rows)}, today))
    return [[row[f"r{number}"] for row in found] for number in range(len(texts))]


def alone(text: str, row: dict[str, Plain] | None = None) -> object:
    return mapped([text], [row or {}])[0][0]


def agree(
    expected: dict[str, Callable[[date], object]], rows: list[dict[str, Plain]], days: list[date]
) -> None:
    """Each expression gives for each row what the function gives for its day."""
    for text, got in zip(expected, mapped(list(expected), rows), strict=True):
        for day, value in zip(days, got, strict=True):
            try:
                wanted = expected[text](day)
            except (ValueError, OverflowError):
                wanted = None
            assert value == wanted, f"{text} for {day}"


# -- every day -----------------------------------------------------------------------------------


def test_parts_of_every_day_are_those_of_python() -> None:
    agree(
        {
            'a["d"].year': lambda d: d.year,
            'a["d"].month': lambda d: d.month,
            'a["d"].day': lambda d: d.day,
            'a["d"].weekday()': date.weekday,
            'a["d"].isoweekday()': date.isoweekday,
            'a["d"].isocalendar().year': lambda d: d.isocalendar().year,
            'a["d"].isocalendar().week': lambda d: d.isocalendar().week,
            'a["d"].isocalendar()[1]': lambda d: d.isocalendar()[1],
            'a["d"].isocalendar().weekday': lambda d: d.isocalendar().weekday,
            'a["d"].isoformat()': date.isoformat,
            'str(a["d"])': str,
            'date.fromisoformat(a["d"].isoformat())': lambda d: d,
            'datetime.combine(a["d"], time(18, 30))': lambda d: datetime.combine(d, time(18, 30)),
        },
        [{"d": day} for day in DAYS],
        DAYS,
    )


def test_formats_of_every_day_are_those_of_python() -> None:
    days = [day for day in DAYS if day.year >= 1000]  # C libraries differ before
    specs = [
        "%Y-%m-%d", "%d.%m.%y", "%A, %d %B %Y", "%a %b", "%j", "%U", "%W", "%V", "%G-W%V-%u", "%w",
        "%H:%M:%S", "%I %p", "%f", "100%%", "%-d.%-m.", "Q", "%Y'%m", "week %V of %G",
    ]  # fmt: skip
    expected: dict[str, Callable[[date], object]] = {
        f'a["d"].strftime("{spec}")': lambda d, spec=spec: d.strftime(spec)  # type: ignore[misc]
        for spec in specs
    }
    expected['f\'{a["d"]:%Y-%m} {a["d"]:%A}\''] = lambda d: f"{d:%Y-%m} {d:%A}"
    agree(expected, [{"d": day} for day in days], days)


def test_moves_from_every_day_are_those_of_python() -> None:
    moves = [
        "timedelta(days=1)", "timedelta(days=-400)", "timedelta(weeks=3)", "timedelta(hours=36)",
        "timedelta(hours=-1)", "relativedelta(months=1)", "relativedelta(months=-13)",
        "relativedelta(years=1)", "relativedelta(years=-4, months=2, days=30)",
        "relativedelta(weeks=2)", "relativedelta(day=31)", "relativedelta(months=1, day=31)",
        "relativedelta(month=2, day=30)", "relativedelta(year=2024)",
        "relativedelta(day=1, days=-1)",
    ]  # fmt: skip
    amounts: dict[str, timedelta | relativedelta] = {
        move: _amount(ast.parse(move, mode="eval").body) for move in moves
    }
    expected: dict[str, Callable[[date], object]] = {}
    for move, amount in amounts.items():
        expected[f'a["d"] + {move}'] = lambda d, amount=amount: d + amount  # type: ignore[misc]
        expected[f'a["d"] - {move}'] = lambda d, amount=amount: d - amount  # type: ignore[misc]
    agree(expected, [{"d": day} for day in DAYS], DAYS)


def _amount(call: ast.expr) -> timedelta | relativedelta:
    """What a written `timedelta(…)` or `relativedelta(…)` is in Python."""
    assert isinstance(call, ast.Call)
    assert isinstance(call.func, ast.Name)
    given = {str(option.arg): int(ast.literal_eval(option.value)) for option in call.keywords}
    if call.func.id == "timedelta":
        return timedelta(**given)
    return relativedelta(**given)  # type: ignore[arg-type]


def test_time_between_any_two_days_is_that_of_python() -> None:
    for other in (date(2020, 2, 29), date(2021, 12, 31), date(2024, 3, 1)):
        written = f"date({other.year}, {other.month}, {other.day})"
        expected: dict[str, Callable[[date], object]] = {}
        for part in ("years", "months", "days"):
            for text, sign in ((f'a["d"], {written}', 1), (f'{written}, a["d"]', -1)):

                def between(
                    day: date, part: str = part, sign: int = sign, other: date = other
                ) -> object:
                    pair = (day, other) if sign > 0 else (other, day)
                    return getattr(relativedelta(*pair), part)

                expected[f"relativedelta({text}).{part}"] = between
        agree(expected, [{"d": day} for day in DAYS], DAYS)


def test_replaced_parts_of_every_day_are_those_of_python() -> None:
    agree(
        {
            'a["d"].replace(day=1)': lambda d: d.replace(day=1),
            'a["d"].replace(day=31)': lambda d: d.replace(day=31),
            'a["d"].replace(month=2)': lambda d: d.replace(month=2),
            'a["d"].replace(year=2023)': lambda d: d.replace(year=2023),
            'a["d"].replace(day=a["d"].month * 3)': lambda d: d.replace(day=d.month * 3),
            'date(2024, a["d"].month, a["d"].day)': lambda d: date(2024, d.month, d.day),
            'date(2023, a["d"].month, a["d"].day)': lambda d: date(2023, d.month, d.day),
        },
        [{"d": day} for day in DAYS],
        DAYS,
    )


def test_moments_of_every_hour_are_those_of_python() -> None:
    hours = [
        datetime(2023, 12, 24, 0, 59, 59, 999_999) + n * timedelta(hours=5) for n in range(400)
    ]
    month = relativedelta(months=2, hours=-30)

    def at(function: Callable[[datetime], object]) -> Callable[[date], object]:
        return lambda moment: function(moment) if isinstance(moment, datetime) else None

    agree(
        {
            'a["m"].hour * 60 + a["m"].minute': at(lambda m: m.hour * 60 + m.minute),
            'a["m"].second': at(lambda m: m.second),
            'a["m"].microsecond': at(lambda m: m.microsecond),
            'a["m"].date()': at(datetime.date),
            'a["m"].time()': at(datetime.time),
            'a["m"].isocalendar().week': at(lambda m: m.isocalendar().week),
            'a["m"].isoformat()': at(datetime.isoformat),
            'str(a["m"])': at(str),
            'a["m"].strftime("%Y-%m-%dT%H:%M:%S.%f %p %I")': at(
                lambda m: m.strftime("%Y-%m-%dT%H:%M:%S.%f %p %I")
            ),
            'a["m"].replace(hour=0, minute=0, second=0, microsecond=0)': at(
                lambda m: m.replace(hour=0, minute=0, second=0, microsecond=0)
            ),
            'a["m"] + relativedelta(months=2, hours=-30)': at(lambda m: m + month),
            'a["m"] - relativedelta(months=2, hours=-30)': at(lambda m: m - month),
            'a["m"] + relativedelta(hour=12, minute=0)': at(
                lambda m: m + relativedelta(hour=12, minute=0)
            ),
            'a["m"] - datetime(2024, 1, 1)': at(lambda m: m - datetime(2024, 1, 1)),
            '(a["m"] - datetime(2024, 1, 1)).days': at(lambda m: (m - datetime(2024, 1, 1)).days),
            '(a["m"] - datetime(2024, 1, 1)).seconds': at(
                lambda m: (m - datetime(2024, 1, 1)).seconds
            ),
            'datetime.fromisoformat(a["m"].isoformat())': at(lambda m: m),
            'a["m"].time().strftime("%H.%M")': at(lambda m: m.strftime("%H.%M")),
        },
        [{"m": hour} for hour in hours],
        list(hours),
    )


# -- against SQL written by hand -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ('a["d"].year', "year(d)"),
        ('a["d"].isocalendar().week', "weekofyear(d)"),
        ('a["d"].weekday()', "isodow(d) - 1"),
        ('a["d"] + relativedelta(months=1)', "(d + INTERVAL 1 MONTH)::DATE"),
        ('a["d"] - relativedelta(years=1, days=3)', "(d - INTERVAL 1 YEAR - INTERVAL 3 DAY)::DATE"),
        ('a["d"].replace(day=1)', "date_trunc('month', d)::DATE"),
        ('a["d"].strftime("%G-W%V")', "strftime(d, '%G-W%V')"),
        ('(a["d"] - date(2020, 1, 1)).days', "date_diff('day', DATE '2020-01-01', d)"),
        ('a["d"].month in (6, 7, 8)', "month(d) IN (6, 7, 8)"),
        ('a["d"] >= "2021-03-01"', "d >= DATE '2021-03-01'"),
        ('round((a["d"] - date(2020, 1, 1)).days / 7, 2)',
         "round_even((d - DATE '2020-01-01') / 7, 2)"),
        ('datetime.combine(a["d"], time(6, 30))', "d + TIME '06:30'"),
    ],
)  # fmt: skip
def test_the_same_as_sql(text: str, sql: str) -> None:
    days = DAYS[:1150]
    query = f"SELECT {sql} FROM (SELECT unnest($1::DATE[]) AS d)"
    wanted = [row[0] for row in SQL.execute(query, [days]).fetchall()]
    assert mapped([text], [{"d": day} for day in days])[0] == wanted


# -- tables --------------------------------------------------------------------------------------

FULL: dict[str, Plain] = {
    "d": date(2024, 2, 29),
    "m": datetime(2024, 12, 31, 23, 59, 59),
    "t": time(23, 30, 5),
    "u": timedelta(days=1, hours=2, microseconds=7),
}


def check_table(expected: dict[str, Plain], row: dict[str, Plain]) -> None:
    """All in one run, and all that is wrong told at once."""
    got = mapped(list(expected), [row])
    wrong = {
        text: (value, expected[text])
        for text, (value,) in zip(expected, got, strict=True)
        if value != expected[text] or type(value) is not type(expected[text])
    }
    assert wrong == {}


def test_what_does_not_exist_is_missing() -> None:
    check_table(
        {
            'a["d"].replace(year=2023)': None,
            'a["d"] + timedelta(days=3000000)': None,
            'a["d"] - relativedelta(years=3000)': None,
            'date(2024, 2, a["d"].day + 1)': None,
            'time(a["t"].hour + 1, 0)': None,
            'a["t"].replace(minute=a["d"].day + 31)': None,
            'a["m"].replace(hour=a["m"].day - 7)': None,
            'datetime(2024, 1, 1, a["m"].day - 7)': None,
            'time.fromisoformat("2024-02-29")': None,
            'datetime.fromisoformat("").replace(day=28)': None,
            'date.fromisoformat("2024-02-30")': None,
            'date.fromisoformat("soon")': None,
            'datetime.fromisoformat("2024-02-29T25:00")': None,
            'a["u"] / 0': None,
            'a["u"] // timedelta(0)': None,
        },
        FULL,
    )


def test_what_is_computed_from_nothing_is_missing() -> None:
    check_table(
        {
            'a["d"].year': None,
            'a["d"] + timedelta(days=1)': None,
            'a["m"].strftime("%Y")': None,
            'datetime.combine(a["d"], a["t"])': None,
        },
        {},
    )


def test_days_moments_and_times() -> None:
    check_table(
        {
            'a["d"] == datetime(2024, 2, 29, 18, 0)': True,
            'a["d"] < datetime(2024, 2, 29, 18, 0)': False,
            'a["m"] <= date(2024, 12, 31)': True,
            'a["m"] == "2024-12-31"': True,
            'a["m"] > "2024-12-31"': False,
            'a["m"] > "2024-12-31 23:00"': True,
            'a["d"] in ("2024-02-29", "2024-03-01")': True,
            '"2024-02-01" <= a["d"] < "2024-03-01"': True,
            'a["d"] == "29 February 2024"': True,
            'a["t"] >= "18:00"': True,
            'a["m"] == "2024-12-31 10:00"': False,
            'a["d"].strftime("")': "",
            'relativedelta(date(2024, 6, 15), a["d"]).months': 3,
            'relativedelta(a["d"], date(2000, 3, 1)).years': 23,
            'relativedelta(a["m"], a["d"]).days': 2,
            'time(18) <= a["t"] <= time(23, 59)': True,
            'a["m"] - date(2024, 12, 31)': timedelta(hours=23, minutes=59, seconds=59),
            'date(2025, 1, 1) - a["m"]': timedelta(seconds=1),
            'a["m"].date() - a["m"].date().replace(day=1)': timedelta(days=30),
            'timedelta(hours=2) + a["m"]': datetime(2025, 1, 1, 1, 59, 59),
            'a["d"] + relativedelta(hours=25)': datetime(2024, 3, 1, 1, 0),
            'a["d"] if a["d"].day > 30 else datetime(2024, 1, 1, 5)': datetime(2024, 1, 1, 5),
            'a["d"].date()': date(2024, 2, 29),
            'a["t"].replace(hour=5, second=0)': time(5, 30),
            'a["t"].isoformat()': "23:30:05",
            'str(a["t"])': "23:30:05",
            'a["t"].strftime("%I:%M %p")': "11:30 PM",
            'time.fromisoformat("07:05")': time(7, 5),
            'datetime.fromisoformat("2024-02-29 10:30")': datetime(2024, 2, 29, 10, 30),
            'datetime.fromisoformat("2024-02-29")': datetime(2024, 2, 29),
            'datetime(2024, 2, 29, minute=5) < a["m"]': True,
            'min(a["d"], date(2024, 3, 1))': date(2024, 2, 29),
            'max([a["d"], date(2024, 3, 1), None])': date(2024, 3, 1),
        },
        FULL,
    )


def test_durations() -> None:
    check_table(
        {
            'a["u"].days': 1,
            'a["u"].seconds': 7200,
            'a["u"].total_seconds()': 93600.000007,
            '(-a["u"]).days': -2,
            '(-a["u"]).seconds': 79199,
            'abs(-a["u"])': timedelta(days=1, hours=2, microseconds=7),
            'a["u"] / 2': timedelta(hours=13, microseconds=4),
            'a["u"] // 2': timedelta(hours=13, microseconds=3),
            'a["u"] / timedelta(hours=1)': 93600.000007 / 3600,
            'a["u"] // timedelta(hours=1)': 26,
            '-a["u"] // timedelta(hours=1)': -27,
            'a["u"] % timedelta(hours=1)': timedelta(microseconds=7),
            '-a["u"] % timedelta(hours=1)': timedelta(minutes=59, seconds=59, microseconds=999993),
            'a["u"] * 1.5': timedelta(days=1, hours=15, microseconds=10),
            '3 * a["u"]': timedelta(days=3, hours=6, microseconds=21),
            'a["u"] > timedelta(days=1)': True,
            'a["u"] > "26 hours"': True,
            'a["u"] + timedelta(minutes=-7)': timedelta(hours=25, minutes=53, microseconds=7),
            'sum([a["u"], a["u"]])': timedelta(days=2, hours=4, microseconds=14),
            "timedelta(1, 2, 3)": timedelta(1, 2, 3),
            "timedelta(weeks=1, hours=-1.5)": timedelta(days=6, hours=22, minutes=30),
            'timedelta(days=a["u"].days, minutes=a["u"].seconds)': timedelta(days=6),
            "str(timedelta(minutes=90))": "1:30:00",
            'str(a["u"])': "1 day, 2:00:00.000007",
            'str(-a["u"])': "-2 days, 21:59:59.999993",
        },
        FULL,
    )


def test_midnight_counts_as_true_and_no_time_does_not() -> None:
    check_table(
        {
            'bool(a["t"])': True,
            'bool(a["u"])': False,
        },
        {"t": time(0, 0), "u": timedelta(0)},
    )


@pytest.mark.parametrize(
    ("text", "accepted"),
    [
        ("date(2024, 2, 30)", "a date that exists"),
        ("time(24, 0)", "a time that exists"),
        ("date(2024, 2)", "needs"),
        ('date("2024", 1, 1)', "a number"),
        ('a["d"].hour', r"\.year"),
        ('a["t"].year', r"\.hour"),
        ('a["d"] == "soon"', "2024-03-01"),
        ('a["d"] < 2024', r"\.year"),
        ('a["t"] < a["m"]', r"moment\.time\(\)"),
        ('a["d"] + 1', "timedelta"),
        ('a["d"] + a["d"]', "timedelta"),
        ('a["u"] > 30', "timedelta"),
        ('a["d"].strftime("%Q")', "%Y"),
        ("timedelta(days=1000000000000)", "shorter"),
        ("relativedelta(months=200000)", "calendar"),
        ("relativedelta(months=1.5)", "relativedelta"),
        ("relativedelta(month=13)", "1 to 12"),
        ("timedelta(months=1)", "days"),
        ('a["d"].replace(hour=3)', "year, month, day"),
    ],
)
def test_what_makes_no_sense_is_refused_before_running(text: str, accepted: str) -> None:
    with pytest.raises(PlanError, match=accepted):
        alone(text)


# -- today ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "today",
    [datetime(2024, 6, 15, 12, 0), datetime(1999, 12, 31, 23, 59, 59, 5), datetime(2040, 2, 29)],
)
def test_today_is_the_day_of_the_question(today: datetime) -> None:
    spellings = {
        "date.today()": today.date(),
        "datetime.now()": today,
        "datetime.today()": today,
        "datetime.date.today()": today.date(),
        "datetime.datetime.now()": today,
        "datetime.now().date()": today.date(),
        "date.today() - timedelta(days=1)": today.date() - timedelta(days=1),
        "date.today() - relativedelta(years=1)": today.date() - relativedelta(years=1),
        "date.today().year - 1": today.year - 1,
        'a["d"] == date.today()': True,
        'date.today() in [a["d"]]': True,
    }
    got = mapped(list(spellings), [{"d": today.date()}], today)
    assert [column[0] for column in got] == list(spellings.values())


def test_today_is_the_same_in_every_operator() -> None:
    today = datetime(2024, 1, 3, 9, 30)
    life = {"q": FakeLife([{"n": n} for n in range(5)])}  # from 1 January 2024 on
    events = 'EXTRACT(RETRIEVE("q"), ["n"], [int])'
    plans = {
        f'APPLY(FILTER({events}, lambda a: a["start_date"] <= date.today()), len)': 3,
        f'APPLY({events}, lambda l: sum(e["start_datetime"] < datetime.now() for e in l))': 2,
        f'MAX(MAP({events}, lambda a: (date.today() - a["start_date"]).days, "r"), "r")': 2,
        f'APPLY(JOIN({events}, {events}, "i1.start_date == date.today() and i1.n < i2.n"), len)': 2,
        f"APPLY(APPLY({events}, len), lambda x: date.today())": date(2024, 1, 3),
    }
    for plan, expected in plans.items():
        assert values(run(plan, life, today)) == [{"#value": expected}], plan


_CLOCKS = {
    "now", "today", "utcnow", "time", "time_ns", "localtime", "gmtime", "ctime", "fromtimestamp",
}  # fmt: skip


@pytest.mark.parametrize("package", ["execute", "plan"])
def test_no_clock_is_read(package: str) -> None:
    """`perf_counter` for timing is fine: it does not know what day it is."""
    for path in sorted((Path(reqap.__file__).parent / package).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Call(func=ast.Attribute(value=ast.Name(id=module), attr=name)):
                    clock = module in ("datetime", "date", "time") and name in _CLOCKS
                    assert not clock, f"{path.name}:{node.lineno} reads {module}.{name}"
                case ast.ImportFrom(module="time", names=names):
                    assert {alias.name for alias in names} <= {"perf_counter", "monotonic"}


def test_no_clock_is_read_in_sql() -> None:
    plan = f'MAP({E}, lambda a: (date.today(), datetime.now(), a["d"] < date.today()), "r")'
    result = run(plan, {"q": FakeLife([FULL])})
    statements = [statement for node in result.trace.walk() for statement in node.statements]
    assert statements
    for statement in statements:
        for clock in ("current_", "now(", "today(", "localtime", "get_current", "transaction_time"):
            assert clock not in statement.sql.lower()
