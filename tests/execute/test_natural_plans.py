"""Plans that a person or a model would write, and what they must come to."""

from collections.abc import Mapping
from datetime import datetime, time

import pytest

from reqap.answer import answer
from reqap.errors import ExecutionProblem, PlanError
from reqap.plan import format_plan, parse
from reqap.store import Store
from tests.execute.fakes import Amount, FakeLife, Plain, Span, run, values

HOURS = [
    (datetime(2024, 1, 1, 23), datetime(2024, 1, 2, 7)),
    (datetime(2024, 1, 3), datetime(2024, 1, 3, 23, 59, 59)),
    (datetime(2024, 1, 4), datetime(2024, 1, 4)),
]


TOLD: list[Span] = [
    (datetime(2024, 1, 5, 18), datetime(2024, 1, 5, 20)),
    (datetime(2024, 1, 6, 18), datetime(2024, 1, 6, 19)),
    (datetime(2024, 1, 7, 22), None),  # told of in a mail of that hour
    (datetime(2024, 1, 8), datetime(2024, 1, 8, 23, 59, 59)),
    (datetime(2024, 1, 9, 12), datetime(2024, 1, 9, 12)),
]


def read(query: str, *names: str, kind: str = "float") -> str:
    listed = ", ".join(f'"{name}"' for name in names)
    return (
        f'EXTRACT(l=RETRIEVE(query="{query}"), attr_names=[{listed}],'
        f" attr_types=[{', '.join([kind] * len(names))}])"
    )


def life(*rows: Mapping[str, Plain | Amount]) -> FakeLife:
    return FakeLife(list(rows))


def value(plan: str, lives: dict[str, FakeLife]) -> object:
    (row,) = values(run(plan, lives))
    return row["#value"]


def test_hours_that_nobody_knows_count_for_nothing() -> None:
    lives = {"dinner": FakeLife([{}] * len(TOLD), TOLD)}
    dinners = 'RETRIEVE(query="dinner")'
    assert value(f'AVG(l={dinners}, attr_name="start_time")', lives) == time(16)
    late = f'FILTER(l={dinners}, filter=lambda e: e["start_time"] > time(17))'
    assert value(f"APPLY(l={late}, fct=len)", lives) == 2
    for lasted, mean in (("total_seconds() / 3600", 1.5), ("seconds // 60", 90)):
        length = f'(e["end_datetime"] - e["start_datetime"]).{lasted}'
        hours = f'MAP(l={dinners}, fct=lambda e: {length}, res_name="hours")'
        assert value(f'AVG(l={hours}, attr_name="hours")', lives) == mean
    # They are on their days all the same.
    days = f'FILTER(l={dinners}, filter=lambda e: e["end_date"] >= date(2024, 1, 7))'
    assert value(f"APPLY(l={days}, fct=len)", lives) == 3


RUNS = life({"d": Amount(5, "km")}, {"d": Amount(8, "km")})
RIDES = life({"d": Amount(6000, "m")}, {"d": Amount(100, "m")})


def test_lengths_in_other_units_are_compared_in_one() -> None:
    both = {"run": RUNS, "ride": RIDES}
    mean = f'AVG(l={read("ride", "d")}, attr_name="d").result'
    plan = f'FILTER(l={read("run", "d")}, filter=lambda a: a["d"] > {mean})'
    assert len(values(run(plan, both))) == 2
    pairs = f'JOIN(l1={read("run", "d")}, l2={read("ride", "d")}, condition="i1.d > i2.d")'
    assert value(f"APPLY(l={pairs}, fct=len)", both) == 3
    difference = f'APPLY(l=SUM(l={read("run", "d")}, attr_name="d"), fct=lambda v: v - '
    difference += f'SUM(l={read("ride", "d")}, attr_name="d").result)'
    assert value(difference, both) == pytest.approx(6.9)


def test_amounts_of_other_kinds_are_not_compared() -> None:
    prices = life({"d": Amount(5, "EUR")})
    pairs = f'JOIN(l1={read("run", "d")}, l2={read("buy", "d")}, condition="i1.d > i2.d")'
    with pytest.raises(ExecutionProblem, match="EUR, km"):
        run(pairs, {"run": RUNS, "buy": prices})


PRICES = life(
    {"p": Amount(10, "EUR"), "s": 1.0},
    {"p": Amount(500, "JPY"), "s": 2.0},
    {"p": Amount(7, "EUR"), "s": 1.0},
)


@pytest.mark.parametrize("key", ['e["p"]', '(e["p"], e["s"])', '(e["s"], e["p"])'])
def test_currencies_are_not_put_in_one_order(key: str) -> None:
    plan = f"APPLY(l={read('q', 'p', 's')}, fct=lambda l: sorted(l, key=lambda e: {key})[:1])"
    with pytest.raises(ExecutionProblem, match="EUR, JPY"):
        run(plan, {"q": PRICES})


def test_currencies_that_were_left_out_do_not_matter() -> None:
    euros = '[e for e in l if e["p"].currency == "EUR"]'
    plan = f'APPLY(l={read("q", "p")}, fct=lambda l: sorted({euros}, key=lambda e: e["p"]))'
    assert [row["p"] for row in values(run(plan, {"q": PRICES}))] == [7, 10]
    groups = f'FILTER(l=GROUP_BY(l={read("q", "p", "s")}, attr_names=["s"]),'
    groups += ' filter=lambda g: g["s"] == 1)'
    plan = f'MAP(l={groups}, fct=lambda g: sum(e["p"] for e in g), res_name="all")'
    assert [row["all"] for row in values(run(plan, {"q": PRICES}))] == [17]


def test_what_lasts_all_day_has_no_time_of_day() -> None:
    days = FakeLife([{}, {}, {}], spans=HOURS)
    plan = 'FILTER(l=RETRIEVE(query="q"), filter=lambda e: e["{}"] < time(12))'
    assert len(run(plan.format("start_time"), {"q": days}).rows) == 0
    assert len(run(plan.format("end_time"), {"q": days}).rows) == 1
    assert value('MIN(l=RETRIEVE(query="q"), attr_name="start_time")', {"q": days}) is not None


def test_times_of_day_have_no_difference() -> None:
    with pytest.raises(PlanError, match="end_datetime"):
        run('MAP(l=RETRIEVE("q"), fct=lambda e: e["end_time"] - e["start_time"], res_name="d")',
            {"q": life({})})  # fmt: skip


def test_averages_leave_out_what_is_missing() -> None:
    numbers = life({"p": 1.0}, {"p": 2.0}, {"p": 3.0}, {"p": None})
    assert (
        value(f'APPLY(l={read("q", "p")}, fct=lambda l: avg(e["p"] for e in l))', {"q": numbers})
        == 2
    )
    assert (
        value(f"APPLY(l={read('q', 'p')}, fct=lambda l: mean([1, 2, None, 6]))", {"q": numbers})
        == 3
    )
    with pytest.raises(PlanError, match="no average"):
        run(
            f'APPLY(l={read("q", "p", kind="str")}, fct=lambda l: avg(e["p"] for e in l))',
            {"q": numbers},
        )


def test_the_result_of_a_plan_can_be_kept_and_used_again() -> None:
    rows = read("q", "x", kind="int")
    numbers = life({"x": 1}, {"x": 4})
    best = f'MAP(l={rows}, fct=lambda a: ARGMAX({rows}, "x", "x").result, res_name="best")'
    plan = f'MAP(l={best}, fct=lambda a: a["best"] - a["x"], res_name="d")'
    assert [row["d"] for row in values(run(plan, {"q": numbers}))] == [3, 0]


def test_a_count_of_nothing_inside_a_plan_is_none() -> None:
    rows = read("q", "x", kind="int")
    none = f'APPLY(l=FILTER(l={rows}, filter=lambda a: a["x"] > 9), fct=len)'
    numbers = life({"x": 1}, {"x": 4})
    assert value(f"APPLY(l={rows}, fct=lambda l: len(l) > {none}.result)", {"q": numbers}) is True


def test_a_count_of_nothing_is_none_beside_one_of_something() -> None:
    rows = read("q", "x", kind="int")
    numbers = {"q": life({"x": 1}, {"x": 4})}
    none = f'APPLY(l=FILTER(l={rows}, filter=lambda a: a["x"] > 9), fct=len)'
    two = f"APPLY(l={rows}, fct=len)"
    assert value(f"APPLY(l={none}, fct=lambda n: n - {two}.result)", numbers) == -2
    more = f'APPLY(l={none}, fct=lambda n: "a" if n > {two}.result else "b")'
    assert value(more, numbers) == "b"
    # With nothing on either side, there is nothing to compare.
    assert values(run(f"APPLY(l={none}, fct=lambda n: n - {none}.result)", numbers)) == []
    assert values(run(f"APPLY(l={none}, fct=lambda n: n / 2)", numbers)) == []


def test_a_list_of_nothing_inside_a_plan_is_empty() -> None:
    rows = read("q", "x", kind="int")
    none = f'FILTER(l={rows}, filter=lambda a: a["x"] > 9)'
    others = f'APPLY(l={none}, fct=lambda l: set(e["x"] for e in l))'
    plan = f'FILTER(l={rows}, filter=lambda a: a["x"] not in {others}.result)'
    assert len(values(run(plan, {"q": life({"x": 1}, {"x": 4})}))) == 2


def test_a_sub_plan_may_rest_on_many_rows_of_few_values() -> None:
    many = life(*({"x": n % 2} for n in range(10_050)))
    rows = read("q", "x", kind="int")
    plan = f'APPLY(l=FILTER(l={rows}, filter=lambda a: a["x"] in {rows}.result), fct=len)'
    assert value(plan, {"q": many}) == 10_050


def test_groups_are_joined_by_their_sizes_and_keep_what_they_are_about() -> None:
    months = 'MAP(l=RETRIEVE("q"), fct=lambda e: e["start_date"].month, res_name="m")'
    days = f'GROUP_BY(l={months}, attr_names=["m"])'
    two = life(*({} for _ in range(40)))  # January and a part of February
    same = f'JOIN(l1={days}, l2={days}, condition="len(i1) == len(i2)")'
    assert [row["m"] for row in values(run(same, {"q": two}))] == [1, 2]
    counted = [f'MAP(l={days}, fct=len, res_name="{name}")' for name in "ab"]
    pairs = f'JOIN(l1={counted[0]}, l2={counted[1]}, condition="i1.m == i2.m")'
    told = run(f'MAP(l={pairs}, fct=lambda p: p["a"] - p["b"], res_name="d")', {"q": two})
    assert told.schema.focus == ("m", "a", "b", "d")


def test_sides_may_be_named_where_only_one_has_the_attribute() -> None:
    lives = {"a": life({"x": 1.0}), "b": life({"y": 2.0})}
    pairs = f'JOIN(l1={read("a", "x")}, l2={read("b", "y")}, condition="i1.x < i2.y")'
    plan = f'MAP(l={pairs}, fct=lambda p: p["i2.y"] - p["i1.x"], res_name="d")'
    assert [row["d"] for row in values(run(plan, lives))] == [1]
    with pytest.raises(PlanError) as caught:
        run(f'MAP(l={pairs}, fct=lambda p: p["i2.z"], res_name="d")', lives)
    assert "EXTRACT" not in str(caught.value)


@pytest.mark.parametrize(
    "body",
    [
        'max(set(e["a"] for e in l), key=lambda a: sum(1 for e in l if e["a"] == a))',
        'all(any(w in e["a"] for e in l) for w in ["x", "z"])',
        'l[0]["a"].join(["x", "y"])',
    ],
)
def test_what_cannot_be_worked_out_is_said_in_our_words(body: str) -> None:
    with pytest.raises(PlanError):
        run(f"APPLY(l={read('q', 'a', kind='str')}, fct=lambda l: {body})", {"q": life({"a": "x"})})


def test_attributes_of_a_chosen_event() -> None:
    rows = 'EXTRACT(l=RETRIEVE("q"), attr_names=["x", "title"], attr_types=[int, str])'
    told = life({"x": 1, "title": "one"}, {"x": 2, "title": "two"})
    assert (
        value(
            f'APPLY(l={rows}, fct=lambda l: len(max(l, key=lambda e: e["x"]).title))', {"q": told}
        )
        == 3
    )


def test_weekdays_come_in_their_order_unless_the_plan_gives_another() -> None:
    day = 'MAP(l=RETRIEVE("q"), fct=lambda e: e["start_date"].strftime("%A"), res_name="day")'
    groups = f'MAP(l=GROUP_BY(l={day}, attr_names=["day"]), fct=len, res_name="n")'
    # From Monday, 1 January 2024 on: three Mondays and Tuesdays, two of the others.
    days = {"q": life(*({} for _ in range(16)))}
    table = parse(groups)
    ranked = parse(f'APPLY(l={groups}, fct=lambda l: sorted(l, key=lambda g: (g["n"], g["day"])))')
    with Store.open(None) as store:
        for plan, first in ((table, "Monday"), (ranked, "Friday")):
            told = answer(plan, run(format_plan(plan), days), store)
            assert told.rows[0][0].text == first


def test_values_of_a_sub_plan_count_as_often_as_they_came() -> None:
    both = {"run": life({"d": 5.0}, {"d": 5.0}, {"d": 8.0}), "ride": life({"d": 5.0}, {"d": 9.0})}
    listed = f"APPLY(l={read('run', 'd')}, fct=lambda l: [e['d'] for e in l]).result"
    counted = f"APPLY(l={read('ride', 'd')}, fct=lambda l: len([x for x in {listed} if x < 7]))"
    assert value(counted, both) == 2
    total = f"APPLY(l={read('ride', 'd')}, fct=lambda l: sum([x for x in {listed}]))"
    assert value(total, both) == 18
    among = f"FILTER(l={read('ride', 'd')}, filter=lambda e: e['d'] in {listed})"
    assert len(values(run(among, both))) == 1


def test_a_join_is_about_what_was_extracted() -> None:
    both = {"run": RUNS, "ride": RIDES}
    plan = f'JOIN(l1={read("run", "d")}, l2=RETRIEVE(query="ride"), condition="i1.d > 6")'
    assert run(plan, both).schema.focus == ("d",)
