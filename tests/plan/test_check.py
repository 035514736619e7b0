"""What plans mean: the shape, the attributes and the types of their results."""

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reqap.plan import Checked, check, format_plan, parse
from reqap.plan.core import Const, walk_core
from reqap.plan.types import BUILT_IN, Schema, Shape
from tests.plan.strategies import ATTRIBUTES, TYPED_EVENTS, kinds, typed

X = 'RETRIEVE(query="x")'
EVENTS = TYPED_EVENTS
GROUPS = f'GROUP_BY(l={EVENTS}, attr_names=["title"])'
COUNTED = f'MAP(l={GROUPS}, fct=len, res_name="size")'


def checked(text: str) -> Checked:
    return check(parse(text))


def schema_of(text: str) -> Schema:
    return checked(text).schema


def type_of_row(body: str) -> str:
    """The type of an expression over an event."""
    schema = schema_of(f'MAP(l={EVENTS}, fct=lambda attr: {body}, res_name="found")')
    assert schema.shape is Shape.EVENTS
    assert schema.focus == ("found",)
    return str(schema.attributes["found"])


def type_of_group(body: str) -> str:
    """The type of an expression over a group."""
    schema = schema_of(f'MAP(l={GROUPS}, fct=lambda group: {body}, res_name="found")')
    assert schema.shape is Shape.GROUPS
    assert schema.focus == ("title", "found")
    return str(schema.attributes["found"])


# -- operators -----------------------------------------------------------------------------------


def test_events_have_their_times_kind_and_source() -> None:
    schema = schema_of(X)
    assert schema.shape is Shape.EVENTS
    assert dict(schema.attributes) == dict(BUILT_IN)
    assert schema.focus == ()
    assert not schema.open


@pytest.mark.parametrize(
    ("text", "shape", "focus", "types"),
    [
        (X, Shape.EVENTS, "", ""),
        (f'RETRIEVE("y", {X})', Shape.EVENTS, "", ""),
        (f'EXTRACT({X}, ["a", "b"], [str, list])', Shape.EVENTS, "a b", "str list[str]"),
        (f'EXTRACT({X}, ["start_date"], [str])', Shape.EVENTS, "start_date", "str"),
        (f'FILTER({X}, lambda a: a["kind"] == "mail")', Shape.EVENTS, "", ""),
        (f'FILTER(EXTRACT({X}, ["a"], [int]), lambda a: a["a"])', Shape.EVENTS, "a", "int"),
        (f'MAP({X}, lambda a: a["start_date"].year, "y")', Shape.EVENTS, "y", "int"),
        (f'MAP({X}, lambda a: a["start_date"].year)', Shape.EVENTS, "map_result", "int"),
        (f'GROUP_BY({X}, ["kind", "source"])', Shape.GROUPS, "kind source", "str str"),
        (f'MAP(GROUP_BY({X}, ["kind"]), len, "n")', Shape.GROUPS, "kind n", "str int"),
        (f'FILTER(GROUP_BY({X}, ["kind"]), lambda g: len(g) > 3)', Shape.GROUPS, "kind", "str"),
        (f'UNNEST({EVENTS}, "names", "name")', Shape.EVENTS, "name", "str"),
        (f'UNNEST({EVENTS}, "names", "names")', Shape.EVENTS, "names", "str"),
        (f'ARGMIN({EVENTS}, "clock", "title")', Shape.EVENTS, "title", "str"),
        (f'ARGMAX({COUNTED}, "size", "title")', Shape.GROUPS, "title", "str"),
        (f'ARGMAX({COUNTED}, "size")', Shape.GROUPS, "title size", "str int"),
        (f'JOIN({X}, {X}, "i1.start_date == i2.end_date")', Shape.EVENTS, "", ""),
        (f"APPLY({EVENTS}, lambda l: [e['day'] for e in l])", Shape.EVENTS, "apply_result", "date"),
        (f"APPLY({EVENTS}, lambda l: l[0]['day'])", Shape.EVENTS, "apply_result", "date"),
        (f"APPLY({COUNTED}, lambda l: sorted(l, key=lambda g: g['size'])[:3])", Shape.GROUPS,
         "title size", "str int"),
        (f"APPLY({COUNTED}, lambda l: max(l, key=lambda g: g['size'])['title'])", Shape.GROUPS,
         "apply_result", "str"),
        (f"APPLY({X}, list)", Shape.EVENTS, "", ""),
        (f"APPLY({X}, lambda l: [e for e in l if e['kind'] == 'mail'])", Shape.EVENTS, "", ""),
    ],
)  # fmt: skip
def test_operators_that_give_rows(text: str, shape: Shape, focus: str, types: str) -> None:
    schema = schema_of(text)
    assert schema.shape is shape
    assert schema.focus == tuple(focus.split())
    assert [str(schema.attributes[name]) for name in schema.focus] == types.split()
    assert schema.value is None
    assert not schema.open


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (f'SUM({EVENTS}, "count")', "int"),
        (f'SUM({EVENTS}, "price")', "float"),
        (f'SUM({EVENTS}, "length")', "timedelta"),
        (f'SUM({EVENTS}, "done")', "int"),
        (f'SUM({COUNTED}, "size")', "int"),
        (f'AVG({EVENTS}, "count")', "float"),
        (f'AVG({EVENTS}, "done")', "float"),
        (f'AVG({EVENTS}, "length")', "timedelta"),
        (f'AVG({EVENTS}, "day")', "date"),
        (f'AVG({EVENTS}, "clock")', "time"),
        (f'AVG({EVENTS}, "moment")', "datetime"),
        (f'MIN({EVENTS}, "day")', "date"),
        (f'MAX({EVENTS}, "title")', "str"),
        (f'MAX({EVENTS}, "length")', "timedelta"),
        (f'MIN({X}, "start_datetime")', "datetime"),
        (f"APPLY({X}, len)", "int"),
        (f"APPLY({GROUPS}, len)", "int"),
        (f"APPLY({EVENTS}, lambda l: len(l) > 3)", "bool"),
        (f"APPLY({EVENTS}, lambda l: sum(e['price'] for e in l) / len(l))", "float"),
        (f"APPLY({EVENTS}, lambda l: sum(l['price']))", "float"),
        (f"APPLY({EVENTS}, lambda l: sum(1 for e in l if e['done']))", "int"),
        (f"APPLY({EVENTS}, lambda l: sum(e['done'] for e in l))", "int"),
        (f"APPLY({EVENTS}, lambda l: len([e for e in l if e['done']]) / len(l) * 100)", "float"),
        (f"APPLY({EVENTS}, lambda l: len(set(e['title'] for e in l)))", "int"),
        (f"APPLY({EVENTS}, lambda l: len({{e['title'] for e in l}}))", "int"),
        (f"APPLY({EVENTS}, lambda l: len(set(n for e in l for n in e['names'])))", "int"),
        (f"APPLY({EVENTS}, lambda l: sorted(set(e['title'] for e in l)))", "list[str]"),
        (f"APPLY({EVENTS}, lambda l: [n for e in l for n in e['names']])", "list[str]"),
        (f"APPLY({EVENTS}, lambda l: (max(l['day']) - min(l['day'])).days)", "int"),
        (f"APPLY({EVENTS}, lambda l: l[1]['day'] - l[0]['day'])", "timedelta"),
        (f"APPLY({EVENTS}, lambda l: any(e['done'] for e in l))", "bool"),
        (f"APPLY({EVENTS}, lambda l: ', '.join(e['title'] for e in l))", "str"),
        (f"APPLY({EVENTS}, lambda l: sum(e['length'] for e in l).total_seconds())", "float"),
        (f"APPLY({EVENTS}, lambda l: 'a' if len(l) > 1 else 'b')", "str"),
        (f'APPLY(SUM({EVENTS}, "price"), lambda x: round(x, 2))', "float"),
        (f'MAP(SUM({EVENTS}, "length"), lambda x: x.total_seconds() / 3600)', "float"),
        (f'FILTER(SUM({EVENTS}, "price"), lambda x: x > 3)', "float"),
        (f"APPLY(APPLY({EVENTS}, lambda l: set(l['title'])), len)", "int"),
    ],
)
def test_operators_that_give_one_value(text: str, kind: str) -> None:
    schema = schema_of(text)
    assert schema.shape is Shape.VALUE
    assert str(schema.value) == kind


def test_a_join_keeps_all_attributes_of_both_sides() -> None:
    left = f'EXTRACT({X}, ["a", "b"], [int, str])'
    right = f'EXTRACT({X}, ["b", "c"], [float, date])'
    schema = schema_of(f"JOIN({left}, {right}, \"i1.b == 'x' and i2.b > 1\")")
    types = {name: str(kind) for name, kind in schema.attributes.items() if name not in BUILT_IN}
    assert types["a"] == "int"
    assert types["b"] == "str"
    assert types["i2.b"] == "float"
    assert types["c"] == "date"
    assert types["i2.start_date"] == "date"
    twice = schema_of(f'JOIN(JOIN({left}, {right}, "True"), {right}, "True")')
    assert str(twice.attributes["b"]) == "str"
    assert sorted(name for name in twice.attributes if name.endswith(".b")) == ["i2.b", "i3.b"]
    assert str(twice.attributes["i2.c"]) == "date"


def test_attributes_of_the_right_side_can_be_used_after_a_join() -> None:
    joined = f'JOIN({EVENTS}, {EVENTS}, "i1.day < i2.day")'
    body = '(attr["i2.day"] - attr["day"]).days'
    assert str(schema_of(f'MAP({joined}, lambda attr: {body}, "d")').attributes["d"]) == "int"


@pytest.mark.parametrize(
    "condition",
    [
        "i1.day == i2.day",
        "i1.day == i2.moment",
        "i1.start_datetime <= i2.end_datetime and i2.start_datetime <= i1.end_datetime",
        "i1.title.lower() in i2.title.lower() or i1.count > i2.price",
        "any(n in i2.names for n in i1.names)",
        "i1.title in i2.names",
        "abs((i1.day - i2.day).days) <= 3",
        "i2.moment - i1.moment < timedelta(hours=2)",
        "i1.day.year == i2.day.year and i1.day.isocalendar()[1] == i2.day.isocalendar()[1]",
        "i2.day == i1.day + timedelta(days=1)",
        "i1['title'] != i2.get('title')",
        "True",
    ],
)
def test_join_conditions_compare_anything_with_anything(condition: str) -> None:
    assert checked(f'JOIN({EVENTS}, {EVENTS}, "{condition}")').core is not None


def test_what_a_map_gives_can_be_used_above_it() -> None:
    mapped = f'MAP({EVENTS}, lambda a: a["price"] * a["count"], "total")'
    again = f'MAP({mapped}, lambda a: a["total"] > 3, "total")'
    assert str(schema_of(again).attributes["total"]) == "bool"
    assert str(schema_of(f'SUM({mapped}, "total")').value) == "float"


def test_groups_of_groups() -> None:
    """How many titles were there once, how many twice, …"""
    schema = schema_of(f'MAP(GROUP_BY({COUNTED}, ["size"]), len, "titles")')
    assert schema.focus == ("size", "titles")
    inner = schema_of(f'MAP(GROUP_BY({COUNTED}, ["size"]), lambda g: g["title"], "titles")')
    assert str(inner.attributes["titles"]) == "list[str]"


def test_checked_plans_have_the_shape_of_the_plan() -> None:
    plan = parse(f'FILTER({EVENTS}, lambda a: a["day"] >= MIN({EVENTS}, "day").result)')
    found = check(plan)
    assert found.operator is plan
    assert [node.operator for node in found.inputs] == list(plan.inputs())
    assert [node.operator for node in found.sub_plans] == list(plan.sub_plans())
    assert found.core is not None


# -- expressions ---------------------------------------------------------------------------------


@given(st.data())
@settings(max_examples=400)
def test_expressions_that_make_sense_have_their_type(data: st.DataObject) -> None:
    kind = data.draw(kinds)
    text = data.draw(typed(kind))
    found = checked(f'MAP(l={EVENTS}, fct=lambda attr: {text}, res_name="found")')
    assert str(found.schema.attributes["found"]) == kind
    assert found.core is not None
    assert sum(1 for _ in walk_core(found.core)) < 100_000
    assert parse(format_plan(found.operator)) == found.operator


@pytest.mark.parametrize("kind", ATTRIBUTES)
def test_every_type_can_be_extracted_compared_and_tested(kind: str) -> None:
    name = ATTRIBUTES[kind]
    assert type_of_row(f'attr["{name}"]') == kind
    assert type_of_row(f'attr["{name}"] == attr["{name}"]') == "bool"
    assert type_of_row(f'attr["{name}"] is not None') == "bool"
    assert type_of_row(f'attr["{name}"] in [attr["{name}"]]') == "bool"
    assert type_of_row(f'bool(attr["{name}"])') == "bool"
    assert type_of_row(f'attr["{name}"] if attr["done"] else None') == kind
    assert schema_of(f'FILTER({EVENTS}, lambda a: a["{name}"])').shape is Shape.EVENTS


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("attr.title", "str"),
        ("attr.day.year", "int"),
        ("attr.get('count', 0) * attr.get('price', 0)", "float"),
        ("attr['title'] or 'unknown'", "str"),
        ("attr['count'] or attr['price']", "float"),
        ("attr['done'] and attr['price'] > 3", "bool"),
        ("attr['title'] and attr['done']", "bool"),
        ("True + True", "int"),
        ("7 // 2", "int"),
        ("7 / 2", "float"),
        ("7 // 2.0", "float"),
        ("-attr['length']", "timedelta"),
        ("attr['day'] - attr['moment']", "timedelta"),
        ("attr['day'] + timedelta(hours=5)", "date"),
        ("attr['day'] + relativedelta(hours=5)", "datetime"),
        ("relativedelta(years=1) + attr['day']", "date"),
        ("date.today() - relativedelta(months=1) - relativedelta(days=1)", "date"),
        ("(attr['end_datetime'] - attr['start_datetime']).seconds // 60", "int"),
        ("attr['length'] % timedelta(minutes=30)", "timedelta"),
        ("(date.today() - attr['day']).days // 365", "int"),
        ("max(attr['day'], attr['moment'])", "datetime"),
        ("(attr['day'].year, attr['day'].month)", "tuple[int, int]"),
        ("attr['day'].isocalendar()", "tuple[int, int, int]"),
        ("attr['day'].isocalendar().week", "int"),
        ("attr['day'].isocalendar()[-1]", "int"),
        ("f\"{attr['day'].year}-{attr['day'].month:02d}\"", "str"),
        ("f\"{attr['day']:%Y-%m} {attr['price']:.2f} {attr['price']:.1%}\"", "str"),
        ('f""', "str"),
        ("attr['day'].strftime('%A, %-d. %B')", "str"),
        ("attr['day'].weekday() in (5, 6)", "bool"),
        ("'weekend' if attr['day'].weekday() >= 5 else 'weekday'", "str"),
        ("['Mon', 'Tue'][attr['day'].weekday()]", "str"),
        ("[len(n) for n in attr['names']]", "list[int]"),
        ("[n + m for n in attr['names'] for m in attr['names'] if n < m]", "list[str]"),
        ("[[n] for n in attr['names']]", "list[list[str]]"),
        ("{n.lower() for n in attr['names']}", "list[str]"),
        ("sum(len(n) for n in attr['names'])", "int"),
        ("sum(n == 'A' for n in attr['names'])", "int"),
        ("min((len(n) for n in attr['names']), default=0.5)", "float"),
        ("[1, 2.5, True]", "list[float]"),
        ("[]", "list[str]"),
        ("attr['price'].currency", "str"),
        ("date.fromisoformat(attr['title'])", "date"),
        ("date(year=2024, month=2, day=29)", "date"),
        ("time(18)", "time"),
        ("datetime(2024, 1, 1)", "datetime"),
        ("timedelta(days=attr['count'], hours=attr['price'])", "timedelta"),
        ("datetime.combine(attr['moment'], attr['clock'])", "datetime"),
    ],
)
def test_expressions_over_events(body: str, kind: str) -> None:
    assert type_of_row(body) == kind


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("len(group)", "int"),
        ("group['title']", "str"),
        ("group.title", "str"),
        ("group['price']", "list[float]"),
        ("sum(group['price']) / len(group)", "float"),
        ("sum(e['price'] for e in group)", "float"),
        ("sum(e['price'] * e['count'] for e in group if e['done'])", "float"),
        ("sum(e['length'] for e in group)", "timedelta"),
        ("max(e['day'] for e in group)", "date"),
        ("max(group, key=lambda e: e['day'])['price']", "float"),
        ("sorted(group, key=lambda e: e['day'])[0]['price']", "float"),
        ("group[0]['moment']", "datetime"),
        ("len(set(e['day'] for e in group))", "int"),
        ("len(set(n for e in group for n in e['names']))", "int"),
        ("len([e for e in group if e['done']]) / len(group)", "float"),
        ("any(e['done'] for e in group) and any(not e['done'] for e in group)", "bool"),
        ("[e['price'] for e in group]", "list[float]"),
        ("max(e['day'] for e in group) - min(e['day'] for e in group)", "timedelta"),
        ("sum(1 for e in group if e['title'] == group['title'])", "int"),
        ("f\"{group['title']}: {len(group)}\"", "str"),
    ],
)
def test_expressions_over_groups(body: str, kind: str) -> None:
    assert type_of_group(body) == kind


@pytest.mark.parametrize(
    "condition",
    [
        "attr['day'].year == 2023",
        "2020 <= attr['day'].year <= 2023",
        "date(2023, 1, 1) <= attr['day'] < date(2024, 1, 1)",
        "attr['day'] >= '2023-01-01'",
        "attr['moment'] >= '2023-01-01'",
        "attr['moment'] >= '2023-01-01 18:00'",
        "attr['clock'] >= '18:00'",
        "attr['length'] > '30 minutes'",
        "attr['day'] in ('2024-01-01', date(2024, 1, 2))",
        "attr['moment'] >= date(2023, 1, 1)",
        "attr['day'] > datetime.now() - timedelta(days=30)",
        "attr['clock'].hour >= 18 or attr['clock'].hour < 4",
        "attr['moment'].time() > time(22)",
        "any('anna' in n.lower() for n in attr['names'])",
        "all(n in attr['names'] for n in ['Anna', 'Tom'])",
        "not any(n == 'Anna' for n in attr['names'])",
        "'Anna' in attr['names'] and 'Tom' not in attr['names']",
        "attr['title'].lower() in ('a', 'b')",
        "attr['title'] is None or attr['title'] == ''",
        "attr['title'] != None",
        "attr['count'] in [1.5, 2]",
        "attr['done'] == True",
        "attr['done'] is False",
        "attr['price'].currency == 'EUR'",
        "(attr['day'].month, attr['day'].day) >= (3, 15)",
        "attr['kind'] == 'workout' and attr['source'] != 'x'",
        "attr['names'] == ['A']",
        "attr['names'] == []",
        "attr['count']",
        "True",
    ],
)
def test_conditions_that_people_write(condition: str) -> None:
    found = checked(f"FILTER({EVENTS}, lambda attr: {condition})")
    assert found.core is not None
    assert str(found.core.type) == "bool"


def test_a_day_beside_a_moment_is_a_whole_day() -> None:
    """On 1 March, whatever the time."""
    for written in ("'2024-03-01'", "date(2024, 3, 1)"):
        core = checked(f"FILTER({EVENTS}, lambda a: a['moment'] == {written})").core
        assert core is not None
        constants = [inner.value for inner in walk_core(core) if isinstance(inner, Const)]
        assert constants == [date(2024, 3, 1)]


# -- results of other plans ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "condition",
    [
        'attr["day"] >= MIN({e}, "day").result',
        '(attr["day"] - MIN({e}, "day").result).days < 3',
        'attr["price"] > 2 * AVG({e}, "price").result',
        'attr["title"] == ARGMAX({e}, "price", "title").result',
        'attr["title"] != ARGMAX({e}, "price", "title").result',
        'attr["title"] in EXTRACT({e}, ["title"], [str]).result',
        'attr["day"] >= ARGMAX({e}, "price", "day").result',
        'attr["day"].year == ARGMAX({e}, "price", "day").result.year',
        'attr["title"] in APPLY({e}, lambda l: set(e["title"] for e in l)).result',
        'attr["count"] > APPLY({e}, len).result / 2',
        'MIN({e}, "day").result <= attr["day"] <= MAX({e}, "day").result',
    ],
)
def test_results_of_other_plans_in_conditions(condition: str) -> None:
    found = checked(f"FILTER({EVENTS}, lambda attr: {condition.replace('{e}', EVENTS)})")
    assert found.core is not None
    assert len(found.sub_plans) >= 1
