"""Plans that cannot work are refused before they run, with the piece and what would be accepted."""

import pytest

from reqap.errors import PlanError
from reqap.plan import check, parse
from tests.plan.strategies import TYPED_EVENTS

X = 'RETRIEVE(query="x")'
EVENTS = TYPED_EVENTS
GROUPS = f'GROUP_BY(l={EVENTS}, attr_names=["title"])'
COUNTED = f'MAP(l={GROUPS}, fct=len, res_name="size")'
VALUE = f"APPLY(l={X}, fct=len)"


def refused(text: str) -> PlanError:
    plan = parse(text)
    with pytest.raises(PlanError) as caught:
        check(plan)
    return caught.value


@pytest.mark.parametrize(
    ("text", "what", "where", "accepted"),
    [
        # attributes that are not there
        (f'SUM({X}, "price")', '"price"', "in SUM(l=…", "EXTRACT(l=…, attr_names=[\"price\"]"),
        (f'AVG({EVENTS}, "pric")', '"pric"', "in AVG(l=…", "price"),
        (f'GROUP_BY({X}, ["kind", "artist"])', '"artist"', "in GROUP_BY(l=…", "start_date"),
        (f'ARGMAX({EVENTS}, "nothing")', '"nothing"', "in ARGMAX(l=…", "price"),
        (f'ARGMAX({EVENTS}, "price", "nothing")', '"nothing"', "in ARGMAX(l=…", "price"),
        (f'UNNEST({X}, "artists", "artist")', '"artists"', "in UNNEST(l=…", "EXTRACT"),
        (f'FILTER({X}, lambda a: a["b"] > 3)', '"b"', '`a["b"]`', "start_date"),
        (f'JOIN({X}, {X}, "i1.b == i2.start_date")', '"b"', "`i1.b`", "start_date"),
        (f'JOIN({EVENTS}, {X}, "i1.day == i2.day")', '"day"', "`i2.day`", "start_date"),
        (f'MAP({COUNTED}, lambda g: g["nothing"], "n")', '"nothing"', '`g["nothing"]`', "size"),
        (f'APPLY({EVENTS}, lambda l: sum(e["b"] for e in l))', '"b"', '`e["b"]`', "price"),
        (f'APPLY({EVENTS}, lambda l: sorted(l, key=lambda e: e["b"]))', '"b"', '`e["b"]`', "price"),
        (f'FILTER({EVENTS}, lambda a: a.get("b", 1) > 3)', '"b"', '`a["b"]`', "price"),
        # events, groups and values in the wrong place
        (f'EXTRACT({GROUPS}, ["a"], [str])', "groups", "in EXTRACT(l=…", "events"),
        (f'EXTRACT({VALUE}, ["a"], [str])', "one value", "in EXTRACT(l=…", "events"),
        (f'RETRIEVE("x", {VALUE})', "one value", "in RETRIEVE(", "events"),
        (f'RETRIEVE("x", {GROUPS})', "groups", "in RETRIEVE(", "events"),
        (f'JOIN({X}, {VALUE}, "True")', "one value", "in JOIN(", "events"),
        (f'GROUP_BY({VALUE}, ["a"])', "one value", "in GROUP_BY(", "events"),
        (f'UNNEST({VALUE}, "a", "b")', "one value", "in UNNEST(", "events"),
        (f'SUM({VALUE}, "a")', "one value", "in SUM(", "events"),
        (f'ARGMIN({VALUE}, "a")', "one value", "in ARGMIN(", "events"),
        (f'MIN({GROUPS}, "price")', "inside each group", "in MIN(", "MAP"),
        (f'ARGMAX({GROUPS}, "price", "title")', "inside each group", "in ARGMAX(", "MAP"),
        (f'ARGMAX({COUNTED}, "size", "price")', "inside each group", "in ARGMAX(", "MAP"),
        (f'MAP({GROUPS}, len, "title")', "grouped by", "in MAP(", "another res_name"),
        # lists and values
        (f'GROUP_BY({EVENTS}, ["names"])', "is a list", "in GROUP_BY(", "UNNEST"),
        (f'UNNEST({EVENTS}, "title", "t")', "not a list", "in UNNEST(", "attr_types=[list]"),
        (f'SUM({EVENTS}, "names")', "is a list", "in SUM(", "UNNEST"),
        (f'MAX({EVENTS}, "names")', "is a list", "in MAX(", "UNNEST"),
        (f'ARGMAX({EVENTS}, "names")', "list[str]", "in ARGMAX(", "numbers"),
        # aggregates of what has none
        (f'SUM({EVENTS}, "title")', "str cannot be summed", "in SUM(", "numbers"),
        (f'SUM({EVENTS}, "day")', "date cannot be summed", "in SUM(", "numbers"),
        (f'AVG({EVENTS}, "title")', "str has no average", "in AVG(", "numbers"),
        (f'MIN(MAP({EVENTS}, lambda a: (1, a["names"]), "t"), "t")', "in order", "in MIN", "num"),
        # functions that give nothing to keep
        (f"MAP({EVENTS}, lambda a: None)", "None", "in MAP(", "a value"),
        (f"MAP({EVENTS}, lambda a: a)", "not a value", "`a`", "attribute"),
        (f"MAP({EVENTS}, lambda a: relativedelta(months=1))", "relativedelta", "in MAP(", "value"),
        (f"MAP({GROUPS}, lambda g: g)", "not a value", "`g`", "attribute"),
        (f"MAP({EVENTS}, len)", "event has no length", "`len(x)`", "a list"),
        (f"MAP({EVENTS}, str)", "not a value", "`x`", "attribute"),
        (f"APPLY({EVENTS}, sum)", "not values", "`sum(x)`", "for e in"),
        (f"APPLY({EVENTS}, max)", "no order", "`max(x)`", "key=lambda"),
        (f"APPLY({EVENTS}, sorted)", "no order", "`sorted(x)`", "key=lambda"),
        (f"APPLY({VALUE}, len)", "int has no length", "`len(x)`", "a list"),
        (f"APPLY({EVENTS}, lambda l: None)", "None", "in APPLY(", "a value"),
        # results of other plans
        (f'FILTER({X}, lambda a: a["kind"] == {X}.result)', "list of events", ".result`", "MIN"),
        (f'FILTER({X}, lambda a: a["kind"] == EXTRACT({X}, ["a", "b"], [str, str]).result)',
         "list of events", ".result`", "one value or attribute"),
        (f'FILTER({X}, lambda a: a["kind"] > SUM({EVENTS}, "price").result)', "str and float",
         'a["kind"] > SUM', ""),
        (f'FILTER({X}, lambda a: SUM({X}, "none").result > 1)', '"none"', "in SUM(", "EXTRACT"),
        # what is inside goes wrong first
        (f'MAX(SUM({X}, "b"), "c")', '"b"', 'in SUM(l=…, attr_name="b")', "EXTRACT"),
    ],
)  # fmt: skip
def test_plans_that_cannot_work(text: str, what: str, where: str, accepted: str) -> None:
    error = refused(text)
    assert what in error.what
    assert where in error.where
    assert accepted in error.expected


@pytest.mark.parametrize(
    ("body", "what", "accepted"),
    [
        # comparisons
        ("a['title'] > 3", "str and int", "same type"),
        ("a['price'] > '50'", "float and str", "same type"),
        ("a['done'] == 'yes'", "bool and str", "same type"),
        ("a['day'] > 2024", "date and int", ".year"),
        ("a['moment'] == 2024", "datetime and int", ".year"),
        ("a['day'] == 'yesterday'", "date and str", "date(2024"),
        ("a['day'] == '2023'", "date and str", "date(2024"),
        ("a['moment'] > '22:00'", "datetime and str", "time(18"),
        ("a['moment'] > time(22)", "datetime and time", ".time()"),
        ("a['clock'] > 18", "time and int", ""),
        ("a['length'] > 30", "timedelta and int", "timedelta(minutes=30)"),
        ("a['names'] == 'Anna'", "list[str] and str", "in list"),
        ("a['names'] > ['Anna']", "cannot be put in order", ""),
        ("a['day'] > None", "nothing cannot be put in order", "is None"),
        ("(1, 2) < (1, 'a')", "cannot be compared", ""),
        ("a['title'] in 5", "str in int", "value in list"),
        ("5 in a['title']", "int in str", "text in text"),
        ("5 in a['names']", "int and str", ""),
        ("a['names'] in a['names']", "list[str] and str", ""),
        # arithmetic
        ("a['title'] + 1", "str + int", "text + text"),
        ("a['title'] - 'x'", "str - str", ""),
        ("a['title'] * 3", "str * int", ""),
        ("[1] * 3", "list[int] * int", ""),
        ("'%s' % a['title']", "str % str", ""),
        ("a['day'] + 1", "date + int", "timedelta"),
        ("a['day'] + a['day']", "date + date", ""),
        ("1 - a['day']", "int - date", ""),
        ("a['clock'] + timedelta(hours=1)", "time + timedelta", ""),
        ("a['length'] * a['length']", "timedelta * timedelta", ""),
        ("1 / a['length']", "int / timedelta", ""),
        ("a['length'] + 1", "timedelta + int", ""),
        ("timedelta(1) - a['day']", "timedelta - date", ""),
        ("-a['title']", "-str", "number"),
        ("-a['day']", "-date", "number"),
        ("a['names'] + [1]", "list[str] + list[int]", ""),
        # branches and lists of several types
        ("a['title'] if a['done'] else 0", "different types (str, int)", "one type"),
        ("['a', 1]", "different types (str, int)", "one type"),
        ("max(1, 'a')", "different types (int, str)", "one type"),
        # functions
        ("len(5)", "int has no length", "a list"),
        ("len(a['day'])", "date has no length", "a list"),
        ("len(a['title'], 1)", "one argument", "len("),
        ("len()", "one argument", "len("),
        ("len(a['title'], key=1)", "no option key", ""),
        ("sum(5)", "no items", "a list"),
        ("sum(a['names'])", "str cannot be summed", "numbers"),
        ("sum([a['day']])", "date cannot be summed", "numbers"),
        ("max(5)", "no items", "a list"),
        ("max([[1]])", "cannot be put in order", ""),
        ("min(a['names'], reverse=True)", "no option reverse", "key"),
        ("sorted(a['names'], reverse=a['done'])", "reverse", ""),
        ("sorted(5)", "no items", "a list"),
        ("any(a['names'])", "conditions", "any("),
        ("all(5)", "no items", "a list"),
        ("set(5)", "no items", "a list"),
        ("round('a')", "str cannot be rounded", "number"),
        ("round(2.5, 'a')", "digits", "round(x, 2)"),
        ("round(2.5, 100)", "digits", "round(x, 2)"),
        ("round(2.5, 1, 2)", "digits", "round(x, 2)"),
        ("abs('a')", "abs of str", "number"),
        ("int(a['day'])", "date is no number", "text"),
        ("float(a['names'])", "list[str] is no number", "text"),
        ("str(a['names'])", "has no text", "single value"),
        ("str(None)", "has no text", "single value"),
        ("f'{a[\"names\"]}'", "has no text", "single value"),
        ("f'{a[\"title\"]:.2f}'", "the format '.2f' for str", ":.2f"),
        ("f'{a[\"price\"]:%Y}'", "the format '%Y' for float", ":.2f"),
        ("f'{a[\"day\"]:.2f}'", "the format '.2f' for date", ":%Y"),
        ("f'{a[\"day\"]:%Q}'", "%Q", "%Y"),
        # dates
        ("date(2024, 2, 30)", "no such date", "exists"),
        ("date(2024, 2)", "needs year, month, day", "date(2024"),
        ("date(2024, 2, 1, 1)", "too many", "year, month, day"),
        ("date(2024, 2, 1, day=1)", "day", "year, month, day"),
        ("date(2024, 2, day=1, hour=1)", "hour", "year, month, day"),
        ("date(2024, 2.5, 1)", "float", "whole number"),
        ("date('2024', 2, 1)", "str", "number"),
        ("time(25)", "no such time", "exists"),
        ("datetime(2024, 13, 1)", "no such datetime", "exists"),
        ("date(0, 1, 1)", "no such date", "exists"),
        ("timedelta('a')", "str", "number"),
        ("timedelta(months=1)", "months", "days"),
        ("timedelta(days=1000000000000)", "longer than the calendar", "shorter"),
        ("timedelta(weeks=999999)", "longer than the calendar", "shorter"),
        ("a['day'] - relativedelta(years=1000000000)", "longer than the calendar", ""),
        ("a['day'] - relativedelta(6)", "takes names", "months=6"),
        ("a['day'] - relativedelta(months=1.5)", "whole numbers", "months=6"),
        ("a['day'] - relativedelta(months=a['count'])", "whole numbers", "months=6"),
        ("a['day'] - relativedelta(month=13)", "month=13", "1 to 12"),
        ("a['day'] - relativedelta(centuries=1)", "centuries", "years"),
        ("date.today(1)", "no arguments", "date.today()"),
        ("datetime.now(tz=1)", "no arguments", "datetime.now()"),
        ("date.fromisoformat(5)", "int is no text", "2024-03-01"),
        ("datetime.combine(a['clock'], a['day'])", "a date and a time", "combine(day, time)"),
        ("datetime.combine(a['day'])", "a date and a time", "combine(day, time)"),
        # methods and parts
        ("a['day'].lower()", "date has no method lower()", "strftime"),
        ("a['title'].weekday()", "str has no method weekday()", "lower"),
        ("a['clock'].weekday()", "time has no method weekday()", "strftime"),
        ("a['day'].total_seconds()", "date has no method", "weekday"),
        ("a['length'].strftime('%H')", "timedelta has no method", "total_seconds"),
        ("a['day'].weekday(1)", "weekday() of this form", ""),
        ("a['day'].strftime()", "takes a format", "%Y"),
        ("a['day'].strftime(a['title'])", "takes a format", "%Y"),
        ("a['day'].strftime('%Q')", "%Q", "%Y"),
        ("a['day'].strftime('%')", "%", "%Y"),
        ("a['day'].replace(hour=1)", "hour", "year, month, day"),
        ("a['day'].replace('2024', '2025')", "str", "number"),
        ("a['title'].replace('a')", "arguments of replace", "2"),
        ("a['title'].split(',', 1)", "arguments of split", "1"),
        ("a['title'].startswith(5)", "startswith takes str", "str"),
        ("a['title'].lower(sep='a')", "arguments of lower", ""),
        ("','.join(a['title'])", "join takes list[str]", "list[str]"),
        ("','.join([1])", "join takes list[str]", "list[str]"),
        ("a['title'].year", "str has no .year", ".year"),
        ("a['day'].hour", "date has no .hour", ".year"),
        ("a['clock'].year", "time has no .year", ".hour"),
        ("a['length'].hour", "timedelta has no .hour", ".total_seconds()"),
        ("a['day'].week", "date has no .week", ".year"),
        ("a['title'].currency", "str has no .currency", ""),
        # items
        ("a['title']['b']", "str has no attribute", "attribute"),
        ("a['names']['b']", "list[str] has no attribute", "attribute"),
        ("a['count'][0]", "int has no items", "a list"),
        ("a['names'][a['title']]", "an index that is str", "whole number"),
        ("a['names'][a['price']:]", "no whole numbers", "items[:3]"),
        ("a['count'][:3]", "int cannot be sliced", "a list"),
        ("(1, 2)[2]", "2 items", ""),
        ("(1, 2)[a['count']]", "computed", "number"),
        ("[x for x in 5]", "no items", "a list"),
        ("[x for x in a['names'] for y in 5]", "no items", "a list"),
        ("[x.year for x in a['names']]", "str has no .year", ""),
        ("lambda x: x", "function", "a value"),
        ("[y for y in a]", "no items", "a list"),
        ("not relativedelta(months=1)", "relativedelta", "relativedelta(months=1)"),
    ],
)  # fmt: skip
def test_expressions_that_cannot_work(body: str, what: str, accepted: str) -> None:
    error = refused(f'MAP({EVENTS}, lambda a: {body}, "b")')
    assert what in error.what
    assert accepted in error.expected
    assert error.where.startswith("in MAP(l=…, fct=lambda a: ")
    assert "at `" in error.where


def test_the_piece_is_the_innermost_that_fails() -> None:
    error = refused(f'FILTER({EVENTS}, lambda a: a["done"] and (a["count"] + a["title"]) > 3)')
    assert error.where.endswith('at `a["count"] + a["title"]`')


def test_what_the_plan_derived_is_named_first() -> None:
    error = refused(f'FILTER(EXTRACT({X}, ["mine"], [str]), lambda a: a["other"])')
    assert error.expected.startswith("mine, start_datetime")


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("[e for e in l if e['price'] == max(l['price'])]", "inside a comprehension"),
        ("sum(len(l) for e in l)", "inside a comprehension"),
        ("sum(e for e in l)", "not values"),
        ("[(e, 1) for e in l]", "not a value"),
        ("max(l, key=lambda e: e['names'])", "cannot be put in order"),
        ("max(l, key=lambda e, f: 1)", "one parameter"),
        ("l[l[0]['count']]", "computed"),
        ("l['price'] + l", "not a value"),
        ("len(l[0])", "event has no length"),
        ("[e for e in l[0]]", "no items"),
    ],
)
def test_functions_over_all_rows_that_cannot_work(body: str, what: str) -> None:
    error = refused(f"APPLY({EVENTS}, lambda l: {body})")
    assert what in error.what
    assert "in APPLY(" in error.where
