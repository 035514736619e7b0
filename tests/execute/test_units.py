"""Units: what keeps them, what drops them, and what refuses to mix them."""

import pytest

from reqap.errors import ExecutionProblem
from tests.execute.fakes import Amount, FakeLife, Plain, run, values

Rows = list[dict[str, Plain | Amount]]
E = 'EXTRACT(RETRIEVE("q"), ["price", "way", "title"], [float, float, str])'
EUROS: Rows = [
    {"price": Amount(1.5, "EUR"), "way": Amount(2.0, "km"), "title": "a"},
    {"price": Amount(4.5, "EUR"), "way": Amount(4.0, "km"), "title": "b"},
    {"price": Amount(3.0, "EUR"), "title": "a"},
    {},
]
MIXED: Rows = [
    {"price": Amount(1.0, "EUR"), "way": Amount(2.0, "km"), "title": "a"},
    {"price": Amount(9.0, "USD"), "way": Amount(2.0, "km"), "title": "b"},
    {"price": Amount(2.0, "EUR"), "title": "b"},
    {"title": "a"},
]
ONLY_EUROS = f'FILTER({E}, lambda a: a["price"].currency == "EUR")'


def one_value(plan: str, rows: Rows) -> tuple[object, str | None]:
    """The value of a plan and its unit."""
    (row,) = run(plan, {"q": FakeLife(rows)}).rows
    return row.values["#value"], row.units.get("#value")


def mapped(function: str, rows: Rows) -> list[tuple[object, str | None]]:
    result = run(f'MAP({E}, lambda a: {function}, "r")', {"q": FakeLife(rows)})
    return [(row.values["r"], row.units.get("r")) for row in result.rows]


# -- kept, dropped -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("plan", "value"),
    [
        (f'SUM({E}, "price")', 9.0),
        (f'AVG({E}, "price")', 3.0),
        (f'MIN({E}, "price")', 1.5),
        (f'MAX({E}, "price")', 4.5),
        (f'APPLY({E}, lambda l: sum(e["price"] for e in l))', 9.0),
        (f'APPLY({E}, lambda l: sum(e["price"] for e in l) / len(l))', 2.25),
        (f'APPLY({E}, lambda l: max(e["price"] for e in l))', 4.5),
        (f'APPLY({E}, lambda l: max(e["price"] for e in l) - min(e["price"] for e in l))', 3.0),
        (f'APPLY({E}, lambda l: sum(e["price"] for e in l if e["title"] == "a"))', 4.5),
        (f'APPLY({E}, lambda l: round(sum(e["price"] for e in l), 1))', 9.0),
        (f'APPLY(SUM({E}, "price"), lambda total: total / 2)', 4.5),
        (f'SUM(MAP({E}, lambda a: a["price"] * 2, "twice"), "twice")', 18.0),
    ],
)
def test_one_currency_is_carried_to_the_answer(plan: str, value: float) -> None:
    assert one_value(plan, EUROS) == (value, "EUR")


@pytest.mark.parametrize(
    ("plan", "value"),
    [
        (f"APPLY({E}, len)", 4),
        (f'APPLY({E}, lambda l: len(set(e["price"] for e in l)))', 3),
        (f'APPLY({E}, lambda l: max(e["price"] for e in l) / min(e["price"] for e in l))', 3.0),
        (f'APPLY({E}, lambda l: sum(e["price"] for e in l) / sum(e["way"] for e in l))', 1.5),
        (f'APPLY({E}, lambda l: sum(e["price"] > 2 for e in l))', 2),
        (f'APPLY({E}, lambda l: sum(e["price"] ** 2 for e in l))', 31.5),
    ],
)
def test_counts_and_ratios_have_no_unit(plan: str, value: float) -> None:
    assert one_value(plan, EUROS) == (value, None)


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        ('a["price"] * 2', [(3.0, "EUR"), (9.0, "EUR"), (6.0, "EUR")]),
        ('a["price"] + a["price"]', [(3.0, "EUR"), (9.0, "EUR"), (6.0, "EUR")]),
        ('a["price"] - 1', [(0.5, "EUR"), (3.5, "EUR"), (2.0, "EUR")]),
        ('-a["price"]', [(-1.5, "EUR"), (-4.5, "EUR"), (-3.0, "EUR")]),
        ('abs(a["price"])', [(1.5, "EUR"), (4.5, "EUR"), (3.0, "EUR")]),
        ('round(a["price"])', [(2, "EUR"), (4, "EUR"), (3, "EUR")]),
        ('int(a["price"])', [(1, "EUR"), (4, "EUR"), (3, "EUR")]),
        ('a["price"] if a["title"] == "a" else 0', [(1.5, "EUR"), (0.0, "EUR"), (3.0, "EUR")]),
        ('max(a["price"], 2.0)', [(2.0, "EUR"), (4.5, "EUR"), (3.0, "EUR")]),
        ('a["price"] / a["way"]', [(0.75, None), (1.125, None), (None, None)]),
        ('a["price"] * a["way"]', [(3.0, None), (18.0, None), (None, None)]),
        ('a["price"] ** 2', [(2.25, None), (20.25, None), (9.0, None)]),
        ('a["price"] > 2', [(False, None), (True, None), (True, None)]),
        ('str(a["price"])', [("1.5", None), ("4.5", None), ("3.0", None)]),
        ('a["price"].currency', [("EUR", None)] * 3),
        ('sum([a["price"], a["price"]])', [(3.0, "EUR"), (9.0, "EUR"), (6.0, "EUR")]),
    ],
)
def test_units_row_by_row(function: str, expected: list[tuple[object, str | None]]) -> None:
    assert mapped(function, EUROS)[:3] == expected


def test_an_amount_that_is_missing_has_no_currency() -> None:
    assert mapped('a["price"].currency', EUROS)[3][0] is None


def test_each_group_has_the_unit_of_its_members() -> None:
    plan = f'MAP(GROUP_BY({E}, ["title"]), lambda g: sum(e["price"] for e in g), "r")'
    result = run(plan, {"q": FakeLife(EUROS)})
    found = {row.values["title"]: (row.values["r"], row.units.get("r")) for row in result.rows}
    assert found == {"a": (4.5, "EUR"), "b": (4.5, "EUR")}


def test_the_unit_of_the_row_is_kept_by_argmax_and_sorted() -> None:
    for plan in (
        f'ARGMAX({E}, "price", "title")',
        f'APPLY({E}, lambda l: sorted(l, key=lambda e: e["price"], reverse=True)[:1])',
    ):
        (row,) = run(plan, {"q": FakeLife(EUROS)}).rows
        assert (row.values["price"], row.units["price"]) == (4.5, "EUR")


def test_numbers_without_a_unit_go_with_those_that_have_one() -> None:
    rows: Rows = [{"price": Amount(1.0, "EUR")}, {"price": 2.0}]
    assert one_value(f'SUM({E}, "price")', rows) == (3.0, "EUR")


def test_numbers_without_units_have_none() -> None:
    assert one_value(f'SUM({E}, "price")', [{"price": 1.0}, {"price": 2.0}]) == (3.0, None)


# -- mixed ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "plan",
    [
        f'SUM({E}, "price")',
        f'AVG({E}, "price")',
        f'MIN({E}, "price")',
        f'MAX({E}, "price")',
        f'ARGMAX({E}, "price", "title")',
        f'ARGMIN({E}, "price")',
        f'APPLY({E}, lambda l: sum(e["price"] for e in l))',
        f'APPLY({E}, lambda l: sum(e["price"] for e in l) / len(l))',
        f'APPLY({E}, lambda l: min(e["price"] for e in l))',
        f'APPLY({E}, lambda l: sorted(e["price"] for e in l))',
        f'APPLY({E}, lambda l: sorted(l, key=lambda e: e["price"])[:2])',
        f'APPLY({E}, lambda l: max(l, key=lambda e: e["price"]))',
        f'SUM(MAP({E}, lambda a: a["price"] * 2, "twice"), "twice")',
        f'MAP(GROUP_BY({E}, ["title"]), lambda g: sum(e["price"] for e in g), "r")',
        f'MAP(GROUP_BY({E}, ["title"]), lambda g: max(g, key=lambda e: e["price"])["way"], "r")',
        f'FILTER({E}, lambda a: a["price"] >= MAX({E}, "price").result)',
    ],
)
def test_different_currencies_are_not_put_together(plan: str) -> None:
    with pytest.raises(ExecutionProblem, match=r"EUR, USD cannot be put together.*\.currency"):
        run(plan, {"q": FakeLife(MIXED)})


def test_sums_per_currency_are_not_compared() -> None:
    sums = f"""MAP(
        GROUP_BY(MAP({E}, lambda a: a["price"].currency, "currency"), ["currency"]),
        lambda g: sum(e["price"] for e in g),
        "total",
    )"""
    result = run(sums, {"q": FakeLife(MIXED)})
    found = {row.values["currency"]: (row.values["total"], row.units) for row in result.rows}
    assert found == {"EUR": (3.0, {"total": "EUR"}), "USD": (9.0, {"total": "USD"})}
    with pytest.raises(ExecutionProblem, match="EUR, USD cannot be put together"):
        run(f'ARGMAX({sums}, "total", "currency")', {"q": FakeLife(MIXED)})


@pytest.mark.parametrize(
    ("plan", "value"),
    [
        (f'SUM({ONLY_EUROS}, "price")', 3.0),
        (f'AVG({ONLY_EUROS}, "price")', 1.5),
        (f'MAX({ONLY_EUROS}, "price")', 2.0),
        (f'APPLY({ONLY_EUROS}, lambda l: sum(e["price"] for e in l))', 3.0),
        (f'SUM(FILTER({E}, lambda a: a["price"].currency in ("USD", "GBP")), "price")', 9.0),
        (f'SUM(FILTER({E}, lambda a: a["price"].currency != "EUR"), "price")', 9.0),
    ],
)
def test_one_currency_can_be_chosen(plan: str, value: float) -> None:
    unit = "USD" if value == 9.0 else "EUR"
    assert one_value(plan, MIXED) == (value, unit)


def test_amounts_that_are_not_put_together_may_differ() -> None:
    assert mapped('a["price"] * 2', MIXED) == [
        (2.0, "EUR"),
        (18.0, "USD"),
        (4.0, "EUR"),
        (None, None),
    ]
    assert mapped('a["price"].currency', MIXED) == [
        ("EUR", None), ("USD", None), ("EUR", None), (None, None),
    ]  # fmt: skip
    assert values(run(f"APPLY({E}, len)", {"q": FakeLife(MIXED)})) == [{"#value": 4}]
    listed = run(f'APPLY({E}, lambda l: [e["price"] for e in l])', {"q": FakeLife(MIXED)})
    assert [row.units.get("apply_result") for row in listed.rows] == ["EUR", "USD", "EUR", None]
    plan = f'MAP(GROUP_BY({ONLY_EUROS}, ["title"]), lambda g: sum(e["price"] for e in g), "r")'
    result = run(plan, {"q": FakeLife(MIXED)})
    assert [(row.values["r"], row.units["r"]) for row in result.rows] == [
        (1.0, "EUR"),
        (2.0, "EUR"),
    ]


@pytest.mark.parametrize(
    "function",
    [
        'a["price"] + a["way"]',
        'a["price"] - a["way"]',
        'max(a["price"], a["way"])',
        'sum([a["price"], a["way"]])',
        'a["price"] if a["title"] == "a" else a["way"]',
    ],
)
def test_money_and_length_do_not_mix(function: str) -> None:
    with pytest.raises(ExecutionProblem, match="EUR, km cannot be put together"):
        mapped(function, EUROS)


def test_money_in_several_currencies_and_length_do_not_mix() -> None:
    with pytest.raises(ExecutionProblem, match="cannot be put together"):
        mapped('a["price"] - a["way"]', MIXED)


# -- converted -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "seconds"),
    [
        ([{"price": Amount(30.0, "min")}, {"price": Amount(1.0, "h")}], 5400.0),
        ([{"price": Amount(90.0, "s")}, {"price": Amount(1.5, "min")}], 180.0),
        ([{"price": Amount(2.0, "h")}, {"price": Amount(30.0, "min")}, {"price": None}], 9000.0),
    ],
)
def test_times_in_different_units_are_brought_to_one(rows: Rows, seconds: float) -> None:
    value, unit = one_value(f'SUM({E}, "price")', rows)
    assert isinstance(value, float)
    assert value * {"s": 1, "min": 60, "h": 3600}[str(unit)] == pytest.approx(seconds)


def test_lengths_in_different_units_are_brought_to_one() -> None:
    rows: Rows = [
        {"way": Amount(10.0, "km")},
        {"way": Amount(1.0, "mi")},
        {"way": Amount(5.0, "km")},
    ]
    value, unit = one_value(f'SUM({E}, "way")', rows)
    assert (value, unit) == (pytest.approx(16.609344), "km")
    (row,) = run(f'ARGMIN({E}, "way")', {"q": FakeLife(rows)}).rows
    assert row.values["way"] == pytest.approx(1.609344)
    found = values(run(f'FILTER({E}, lambda a: a["way"] > 1.5)', {"q": FakeLife(rows)}))
    assert len(found) == 3
