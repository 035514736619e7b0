"""What can be written, in which spellings, and how plans that cannot be read are refused."""

import pytest

from reqap.errors import PlanError, ReqapError
from reqap.plan import expressions as ex
from reqap.plan import format_plan, parse, parse_expression
from reqap.plan import operators as op

X = op.Retrieve("x")


def refused(text: str, functions: tuple[str, ...] = ()) -> PlanError:
    with pytest.raises(PlanError) as caught:
        parse(text, functions)
    return caught.value


# -- what is read --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "plan"),
    [
        ('RETRIEVE(query="x")', X),
        ('RETRIEVE("x")', X),
        ("RETRIEVE('x')", X),
        ('RETRIEVE("x", None)', X),
        ('  RETRIEVE(\n  query="x",\n)  \n', X),
        ('RETRIEVE(query="x")  # all of them', X),
        ('(RETRIEVE(query="x"))', X),
        ('{{ RETRIEVE(query="x") }}', X),
        ('RETRIEVE("x" "")', X),
        ('RETRIEVE(query="x", l=QUD("y"))', op.Retrieve("x", op.Qud("y"))),
        ('RETRIEVE("x", QUD("y"))', op.Retrieve("x", op.Qud("y"))),
        ('QUD("y")', op.Qud("y")),
        ('GROUP_BY(RETRIEVE("x"), ["a", "b"])', op.GroupBy(X, ("a", "b"))),
        ('GROUP_BY(RETRIEVE("x"), ("a",))', op.GroupBy(X, ("a",))),
        ('GROUP_BY(RETRIEVE("x"), "a")', op.GroupBy(X, ("a",))),
        ('UNNEST(RETRIEVE("x"), "as", "a")', op.Unnest(X, "as", "a")),
        ('ARGMIN(RETRIEVE("x"), "a")', op.ArgMin(X, "a")),
        ('ARGMAX(RETRIEVE("x"), "a", None)', op.ArgMax(X, "a")),
        ('ARGMAX(RETRIEVE("x"), val_attr_name="b", arg_attr_name="a")', op.ArgMax(X, "a", "b")),
        ('MIN(RETRIEVE("x"), "a")', op.Min(X, "a")),
        ('MAX(RETRIEVE("x"), "a")', op.Max(X, "a")),
        ('SUM(RETRIEVE("x"), "a")', op.Sum(X, "a")),
        ('AVG(RETRIEVE("x"), "a")', op.Avg(X, "a")),
        ('APPLY(RETRIEVE("x"), len)', op.Apply(X, ex.FunctionName("len"))),
        ('MAP(RETRIEVE("x"), len)', op.Map(X, ex.FunctionName("len"), "map_result")),
        ('MAP(RETRIEVE("x"), len, "n")', op.Map(X, ex.FunctionName("len"), "n")),
        ('APPLY(RETRIEVE("x"), fct=tuple)', op.Apply(X, ex.FunctionName("list"))),
        (
            'FILTER(RETRIEVE("x"), lambda anything: True)',
            op.Filter(X, ex.Lambda(("anything",), ex.Literal(True))),
        ),
    ],
)
def test_operators_are_read(text: str, plan: op.Operator) -> None:
    assert parse(text) == plan


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("str", "str"),
        ("int", "int"),
        ("float", "float"),
        ("bool", "bool"),
        ("list", "list"),
        ("list[str]", "list"),
        ("List[str]", "list"),
        ("set", "list"),
        ("date", "date"),
        ("date.fromisoformat", "date"),
        ("datetime.date", "date"),
        ("datetime.date.fromisoformat", "date"),
        ("time.fromisoformat", "time"),
        ("datetime.time", "time"),
        ("datetime", "datetime"),
        ("datetime.fromtimestamp", "datetime"),
        ("datetime.fromisoformat", "datetime"),
        ("datetime.datetime.fromisoformat", "datetime"),
        ("timedelta", "timedelta"),
        ("datetime.timedelta", "timedelta"),
        ('"date"', "date"),
    ],
)
def test_types_of_attributes_are_read_in_many_spellings(written: str, name: str) -> None:
    plan = parse(f'EXTRACT(RETRIEVE("x"), ["a"], [{written}])')
    assert plan == op.Extract(X, ("a",), (name,))
    assert parse(format_plan(plan)) == plan


@pytest.mark.parametrize(
    "condition",
    [
        '"i1.a == i2.a"',
        "'i1.a == i2.a'",
        "\"i1['a'] == i2['a']\"",
        '" i1.a == i2.a "',
        "i1.a == i2.a",
        "lambda i1, i2: i1.a == i2.a",
    ],
)
def test_join_conditions_are_texts_expressions_or_lambdas(condition: str) -> None:
    plan = parse(f'JOIN(RETRIEVE("x"), QUD("y"), condition={condition})')
    i1, i2 = ex.Key(ex.Name("i1"), "a"), ex.Key(ex.Name("i2"), "a")
    assert plan == op.Join(X, op.Qud("y"), ex.Compare(i1, ("==",), (i2,)))


@pytest.mark.parametrize(
    "text",
    ['QUD("y").result', '{{ QUD("y") }}.result', 'QUD("y")'],
)
def test_questions_inside_filters_are_read_in_every_spelling(text: str) -> None:
    plan = parse(f'FILTER(RETRIEVE("x"), lambda a: a["b"] == {text})')
    assert isinstance(plan, op.Filter)
    assert plan.sub_plans() == (op.Qud("y"),)


def test_plug_in_functions_are_known_by_name() -> None:
    text = 'MAP(RETRIEVE("x"), lambda a: pace(a["km"], 3), "p")'
    assert parse(text, {"pace"}) == parse(text, ["pace"])
    assert "there is no function pace" in refused(text).what
    assert parse('APPLY(RETRIEVE("x"), fct=pace)', ("pace",)) == op.Apply(
        X, ex.FunctionName("pace")
    )


def test_variables_of_comprehensions_and_lambdas_end_where_they_end() -> None:
    assert parse_expression("[x for x in attr['a'] for y in x if y]", ("attr",))
    for text in ("[x for x in attr['a']] + x", "[y for x in y]", "sorted(attr, key=lambda e: f)"):
        with pytest.raises(PlanError, match="there is no variable"):
            parse_expression(text, ("attr",))


def test_a_variable_hides_a_function_of_its_name() -> None:
    hidden = parse_expression("[date.year for date in attr['days']]", ("attr",))
    assert isinstance(hidden, ex.Comprehension)
    assert hidden.body == ex.Part(ex.Name("date"), "year")
    with pytest.raises(PlanError):
        parse_expression("[date(2024, 1, 1) for date in attr['days']]", ("attr",))


def test_an_empty_default_of_get_is_no_default() -> None:
    attr = ex.Name("attr")
    for text in ("attr.get('a')", "attr.get('a', None)", "attr['a']", "attr.a"):
        assert parse_expression(text, ("attr",)) == ex.Key(attr, "a")


# -- what is refused: the whole text -------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n\t ",
        "# only a comment",
        'x = RETRIEVE(query="x")',
        'return RETRIEVE(query="x")',
        "import os",
        "def f(): pass",
        'RETRIEVE(query="x"); RETRIEVE(query="y")',
        'RETRIEVE(query="x")\nRETRIEVE(query="y")',
        'RETRIEVE(query="x") RETRIEVE(query="y")',
        '```python\nRETRIEVE(query="x")\n```',
        'Here is the plan: RETRIEVE(query="x")',
        'RETRIEVE(query="x")\n\nThis finds all x.',
        'RETRIEVE(query="x"',
        'RETRIEVE(query="x"))',
        "RETRIEVE(query=“x”)",
        "RETRIEVE(query='it's')",
    ],
)
def test_only_one_expression_is_a_plan(text: str) -> None:
    error = refused(text)
    assert isinstance(error, ReqapError)
    assert error.expected


@pytest.mark.parametrize(
    "text",
    [
        "RETRIEVE",
        "5",
        "None",
        '"RETRIEVE"',
        '[RETRIEVE("x")]',
        '(RETRIEVE("x"), RETRIEVE("y"))',
        'RETRIEVE("x") if True else RETRIEVE("y")',
        "lambda: 1",
        'reqap.RETRIEVE("x")',
        '{RETRIEVE("x")}',
        'print("x")',
        'retrieve(query="x")',
    ],
)
def test_a_plan_is_an_operator(text: str) -> None:
    error = refused(text)
    assert text[:30] in error.where
    assert "RETRIEVE" in error.expected


@pytest.mark.parametrize(
    ("name", "instead"), [("COUNT", "fct=len"), ("SORT", "sorted(l"), ("average", "AVG")]
)
def test_operators_that_people_expect_are_told_by_another_way(name: str, instead: str) -> None:
    assert instead in refused(f'{name}(l=RETRIEVE(query="x"))').expected


# -- what is refused: arguments ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "what", "piece", "accepted"),
    [
        ("RETRIEVE()", "needs query", "RETRIEVE()", "query="),
        ("RETRIEVE(query=5)", "a text was expected", "5", "quotes"),
        ('RETRIEVE("")', "empty", 'RETRIEVE("")', "words"),
        ('RETRIEVE(" ")', "empty", 'RETRIEVE(" ")', "words"),
        ('QUD("")', "empty", 'QUD("")', "words"),
        ("QUD()", "QUD needs", "QUD()", "QUD("),
        ('RETRIEVE(q="x")', "no argument q", '"x"', "query="),
        ('RETRIEVE("x", query="y")', "query is given twice", '"y"', "query="),
        ('RETRIEVE("x", l=QUD("a"), l=QUD("b"))', "l is given twice", 'QUD("b")', "RETRIEVE("),
        ('RETRIEVE("x", QUD("a"), 3)', "too many", "RETRIEVE(", "RETRIEVE("),
        ("FILTER(**x)", "no argument **", "x", "filter=lambda"),
        ('FILTER(l=RETRIEVE("x"))', "needs filter", "FILTER(", "filter=lambda"),
        ('FILTER(filter=lambda a: True)', "needs l", "FILTER(", "l="),
        ('FILTER(RETRIEVE("x"), fct=len)', "no argument fct", "len", "filter=lambda"),
        ('FILTER(RETRIEVE("x"), filter="a > 3")', "a function was expected", '"a > 3"', "lambda"),
        ('FILTER(RETRIEVE("x"), filter=len)', "a function was expected", "len", "lambda"),
        ('FILTER(l="x", filter=lambda a: True)', "an operator was expected", '"x"', "RETRIEVE"),
        ('FILTER(l=x, filter=lambda a: True)', "an operator was expected", "x", "RETRIEVE"),
        ('FILTER(l=[QUD("x")], filter=lambda a: 1)', "an operator was expected", "[QUD", "QUD"),
        ('MAP(RETRIEVE("x"), fct=count)', "no function count", "count", "len"),
        ('MAP(RETRIEVE("x"), fct="len")', "a function was expected", '"len"', "lambda"),
        ('MAP(RETRIEVE("x"), fct=len())', "a function was expected", "len()", "lambda"),
        ('MAP(RETRIEVE("x"), fct=len, res_name=5)', "a text was expected", "5", "quotes"),
        ('MAP(RETRIEVE("x"), fct=len, res_name="")', "cannot be the name", "MAP(", "name"),
        ("MAP(RETRIEVE('x'), len, res_name='a\"b')", "cannot be the name", "MAP(", "name"),
        ("MAP(RETRIEVE('x'), len, res_name='a\\nb')", "cannot be the name", "MAP(", "name"),
        ('MAP(RETRIEVE("x"), len, "#size")', "cannot be the name", "MAP(", "name"),
        ('EXTRACT(RETRIEVE("x"), [], [])', "0 attribute names", "EXTRACT(", "1 to"),
        ('EXTRACT(RETRIEVE("x"), ["a", "b"], [str])', "2 attr_names", "EXTRACT(", "one type"),
        ('EXTRACT(RETRIEVE("x"), ["a", "a"], [str, int])', "twice", "EXTRACT(", "once"),
        ('EXTRACT(RETRIEVE("x"), ["a"])', "needs attr_types", "EXTRACT(", "attr_types="),
        ('EXTRACT(RETRIEVE("x"), ["a"], [dict])', "no type", "dict", "date.fromisoformat"),
        ('EXTRACT(RETRIEVE("x"), ["a"], ["text"])', "no type", '"text"', "str"),
        ('EXTRACT(RETRIEVE("x"), ["a"], [lambda x: x])', "no type", "lambda x", "str"),
        ('EXTRACT(RETRIEVE("x"), ["a"], [5])', "no type", "5", "str"),
        ('EXTRACT(RETRIEVE("x"), ["a"], [str()])', "no type", "str()", "str"),
        ('EXTRACT(RETRIEVE("x"), [a], [str])', "a text was expected", "a]", "quotes"),
        ('EXTRACT(RETRIEVE("x"), {"a"}, [str])', "a list of texts", '{"a"}', "["),
        ('GROUP_BY(RETRIEVE("x"), attr_names=artist)', "a list of texts", "artist", "["),
        ('GROUP_BY(RETRIEVE("x"), by=["artist"])', "no argument by", '["artist"]', "attr_names="),
        ('SUM(RETRIEVE("x"))', "needs attr_name", "SUM(", "attr_name="),
        ('SUM(RETRIEVE("x"), ["a"])', "a text was expected", '["a"]', "quotes"),
        ('ARGMAX(RETRIEVE("x"), val_attr_name="a")', "needs arg_attr_name", "ARGMAX(", "arg_attr"),
        ('UNNEST(RETRIEVE("x"), "as")', "needs unnested", "UNNEST(", "nested_attr_name="),
        ('JOIN(RETRIEVE("x"), QUD("y"))', "needs condition", "JOIN(", "i1."),
        ('JOIN(RETRIEVE("x"), QUD("y"), "i1.a = i2.a")', "syntax", "i1.a = i2.a", ""),
        ('JOIN(RETRIEVE("x"), QUD("y"), "l1.a == i2.a")', "no variable l1", "l1.a", "i1"),
        ('JOIN(RETRIEVE("x"), QUD("y"), lambda a, b: 1)', "i1 and i2", "lambda a, b", "i1."),
        ('JOIN(RETRIEVE("x"), QUD("y"), "i1.a == QUD(\'z\').result")', "a plan", "JOIN(", "FILTER"),
    ],
)  # fmt: skip
def test_wrong_arguments_are_named(text: str, what: str, piece: str, accepted: str) -> None:
    error = refused(text)
    assert what in error.what
    assert piece in error.where
    assert accepted in error.expected
    assert error.where in str(error)
    assert error.expected in str(error)


# -- what is refused: expressions ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "what", "piece", "accepted"),
    [
        ("b > 3", "no variable b", "b > 3", "a"),
        ("foo(a)", "no function foo", "foo(a)", "len"),
        ("os.system('x')", "no function os.system", "os.system", "len"),
        ("re.search('x', a['b'])", "no function re.search", "re.search", "len"),
        ("a.foo()", "no method .foo()", "a.foo()", ".lower()"),
        ("a['b'].format(1)", "no method .format()", "a['b'].format", ".lower()"),
        ("a['b'].foo", "no .foo", "a['b'].foo", ".year"),
        ("a['']", "cannot be the name", "a['']", "start_date"),
        ("a['x' * 3]['y']['']", "cannot be the name", "a[", "start_date"),
        ("a.get(5)", "needs the name", "a.get(5)", "attr["),
        ("a['b'][::2]", "a step", "a['b'][::2]", "items[:3]"),
        ("(b := 3)", "NamedExpr", "b := 3", "comparisons"),
        ("{'b': 1}", "Dict", "{'b': 1}", "lists"),
        ("{**a}", "Dict", "{**a}", "lists"),
        ("{b: b for b in a['c']}", "DictComp", "{b: b", "comprehensions"),
        ("a['b'] | 1", "BinOp", "a['b'] | 1", "arithmetic"),
        ("a['b'] @ 1", "BinOp", "a['b'] @ 1", "arithmetic"),
        ("a['b'] << 1", "BinOp", "a['b'] << 1", "arithmetic"),
        ("~1", "UnaryOp", "~1", "arithmetic"),
        ("[*a['b']]", "Starred", "*a['b']", "lists"),
        ("max(*a['b'])", "Starred", "*a['b']", "functions"),
        ("max(**a)", "**", "max(**a)", "name=value"),
        ("(await a['b'])", "Await", "await", "functions"),
        ("(yield a['b'])", "Yield", "yield", "functions"),
        ("(yield from a['b'])", "YieldFrom", "yield from", "functions"),
        ("b'x'", "constant", "b'x'", "texts and numbers"),
        ("1j", "constant", "1j", "texts and numbers"),
        ("...", "constant", "...", "texts and numbers"),
        ("1e999", "number", "1e999", "1e+15"),
        ("-1e999", "number", "1e999", "1e+15"),
        ("10000000000000001", "number", "10000000000000001", "1e+15"),
        ("'\\x00'", "characters", "'\\x00'", ""),
        ("'\\ud800'", "characters", "'\\ud800'", ""),
        ("lambda: 1", "parameters", "lambda: 1", "lambda attr"),
        ("lambda b=1: 1", "parameters", "lambda b=1", "lambda attr"),
        ("lambda *b: 1", "parameters", "lambda *b", "lambda attr"),
        ("lambda **b: 1", "parameters", "lambda **b", "lambda attr"),
        ("lambda b, /: 1", "parameters", "lambda b, /", "lambda attr"),
        ("lambda *, b: 1", "parameters", "lambda *, b", "lambda attr"),
        ("lambda b, c, d: 1", "parameters", "lambda b, c, d", "lambda attr"),
        ("lambda b, b: 1", "parameters", "lambda b, b", "lambda attr"),
        ("lambda _b: 1", "underscore", "lambda _b", "plain name"),
        ("[_b for _b in a['c']]", "underscore", "[_b for", "plain name"),
        ("a._b", "underscore", "a._b", "plain name"),
        ("[b for b, c in a['d']]", "`for`", "[b for b, c", "for item in items"),
        ("[b for b.c in a['d']]", "`for`", "[b for b.c", "for item in items"),
        ("[b async for b in a['d']]", "`for`", "[b async", "for item in items"),
        ("[b for b in a['c'] for d in b for e in d]", "two `for`", "[b for", "one or two"),
        ("f'{a!r}'", "!r", "f'{a!r}'", "{value}"),
        ("f'{a[\"b\"]:>10}'", "the format", "f'{a", ".2f"),
        ("f'{a[\"b\"]:{a[\"c\"]}}'", "computed", "f'{a", ".2f"),
        ("f'{f\"{a}\"}'", "inside an f-string", "f'{f", "MAP"),
        ("(lambda b: b)(1)", "known by name", "(lambda", "functions"),
        ("a['b']()", "known by name", "a['b']()", "functions"),
        ("a['b'].lower()()", "known by name", "a['b'].lower()()", "functions"),
        ("set()['b']._c", "no ._c", "set()", ".year"),
        ("{{1}, {2}}", "set", "{{1}, {2}}", "list"),
        ("len", "no variable len", "len", "a"),
        ("print", "no variable print", "print", "a"),
    ],
)  # fmt: skip
def test_what_is_not_in_the_language_is_named(
    body: str, what: str, piece: str, accepted: str
) -> None:
    error = refused(f'FILTER(l=RETRIEVE("x"), filter=lambda a: {body})')
    assert what in error.what
    assert piece in error.where
    assert accepted in error.expected


def test_an_error_tells_line_and_column() -> None:
    error = refused('MAP(\n  l=RETRIEVE("ä€😀"),\n  fct=lambda a: "ä€" + foo(1))')
    assert "line 3, column 24, at `foo(1))`" in error.where


def test_an_error_in_a_condition_tells_both_places() -> None:
    error = refused('JOIN(l1=QUD("x"),\nl2=QUD("y"), condition="i1.a == 1 and foo(2)")')
    assert "line 2, column 24" in error.where
    assert "in the condition" in error.where
    assert "at `foo(2)`" in error.where


def test_long_pieces_are_cut() -> None:
    error = refused("FILTER(QUD('x'), lambda a: " + "b" * 5_000 + ")")
    assert len(str(error)) < 500


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("x" * 50_001, "50,001 characters"),
        (f'RETRIEVE("{"x" * 2_001}")', "2,001 characters"),
        (f'FILTER(QUD("x"), lambda a: "{"x" * 2_001}")', "2,001 characters"),
        (f'SUM(QUD("x"), "{"x" * 101}")', "cannot be the name"),
        (f'GROUP_BY(QUD("x"), {[f"a{n}" for n in range(51)]})', "51 attribute names"),
        (f'FILTER(QUD("x"), lambda a: 1 in {[0] * 1_001})', "1,001 items"),
        (f'FILTER(QUD("x"), lambda a: {"not " * 60}a)', "too deeply"),
        (f'FILTER(QUD("x"), lambda a: {" + ".join(["1"] * 3_000)})', ""),
        (f'FILTER(QUD("x"), lambda a: {" and ".join(["1"] * 6_000)})', "too large"),
        ("MIN(" * 60 + 'QUD("x")' + ', "a")' * 60, "too deeply"),
    ],
)
def test_plans_are_bounded(text: str, what: str) -> None:
    assert what in refused(text).what


def test_what_is_just_within_the_bounds_is_read() -> None:
    parse(f'RETRIEVE("{"x" * 2_000}")')
    parse(f'GROUP_BY(QUD("x"), {[f"a{n}" for n in range(50)]})')
    parse(f'FILTER(QUD("x"), lambda a: 1 in {[0] * 1_000})')
    parse("MIN(" * 49 + 'QUD("x")' + ', "a")' * 49)
    parse(f'FILTER(QUD("x"), lambda a: {"not " * 48}a)')
    parse(f'FILTER(QUD("x"), lambda a: {" and ".join(["a"] * 60)})')
    parse('FILTER(QUD("x"), lambda a: 1000000000000000 > -1000000000000000)')


def test_a_question_that_is_answered_is_its_plan() -> None:
    plan = parse('APPLY(l={{ QUD("my runs", RETRIEVE(query="I ran")) }}, fct=len)')
    assert plan == parse('APPLY(l=RETRIEVE(query="I ran"), fct=len)')
    (runs,) = plan.inputs()
    assert runs.question == "my runs"
    assert parse('QUD("why?", QUD("what?"))').question == "why?"


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ('RETREIVE(query="x")', "RETRIEVE?"),
        ('retrieve(query="x")', "RETRIEVE?"),
        ('RETRIEVE(querry="x")', "query?"),
        ('FILTER(l=RETRIEVE("x"), filter=lambda a: a["start_date"].date().yaer > 3)', "year?"),
        ('FILTER(l=RETRIEVE("x"), filter=lambda a: a["b"].stripp() == "c")', "strip?"),
        ('MAP(l=RETRIEVE("x"), fct=lambda a: summ(a["b"]), res_name="c")', "sum?"),
        ('FILTER(l=RETRIEVE("x"), filter=lambda a: a["b"] in range(6, 12))', "6 <= x < 12"),
        ('SUM(RETRIEVE("x"), "b") - SUM(RETRIEVE("x"), "b")', "APPLY(l=SUM"),
    ],
)
def test_slips_are_answered_with_what_was_meant(text: str, hint: str) -> None:
    assert hint in refused(text).expected


def test_a_function_can_be_a_key_by_its_name() -> None:
    plan = 'APPLY(l=RETRIEVE("x"), fct=lambda l: sorted(l["names"], key={}))'
    assert parse(plan.format("len")) == parse(plan.format("lambda x: len(x)"))
