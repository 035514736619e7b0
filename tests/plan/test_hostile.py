"""Plans are written by strangers: each is read or refused, soon, and nothing else ever happens."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from time import thread_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reqap.errors import PlanError
from reqap.plan import check, format_plan, from_json, parse, parse_expression, to_json
from tests.plan.limits import limited
from tests.plan.paper_plans import COMPLETE
from tests.plan.strategies import TYPED_EVENTS

SECONDS = 1.0  # of the processor: other programs may be busy as well


@pytest.fixture(autouse=True)
def _stopped_when_it_hangs() -> Iterator[None]:
    with limited(20):
        yield


def settled(text: str) -> PlanError | None:
    """Reads and checks in time, prints, and reads again. None when all of it went well."""
    begun = thread_time()
    try:
        plan = parse(text)
        check(plan)
    except PlanError as error:
        assert thread_time() - begun < SECONDS
        return error
    assert thread_time() - begun < SECONDS
    assert parse(format_plan(plan)) == plan
    assert from_json(to_json(plan)) == plan
    return None


def condition(body: str) -> str:
    return f"FILTER(l={TYPED_EVENTS}, filter=lambda a: {body})"


def refused(body: str) -> PlanError:
    error = settled(condition(body))
    assert error is not None
    return error


# -- ways out of the language --------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        "a.__class__",
        "a['title'].__class__",
        "().__class__.__bases__[0].__subclasses__()",
        "''.__class__.__mro__",
        "a.__init__.__globals__",
        "(lambda b: b).__code__",
        "a['title'].lower.__self__",
        "a.lower",
        "__import__('os').system('true')",
        "__builtins__",
        "eval('1')",
        "exec('1')",
        "compile('1', '', 'eval')",
        "open('/etc/passwd')",
        "getattr(a, 'title')",
        "globals()",
        "vars()",
        "dir()",
        "type(a)",
        "input()",
        "breakpoint()",
        "os.system('true')",
        "datetime.datetime.__class__",
        "datetime.__loader__",
        "date.today.__func__",
        "date.today().__reduce__()",
        "str.format('{0.__class__}', a)",
        "'{0.__class__}'.format(a)",
        "'%s' % a",
        "f'{a.__class__}'",
        "f'{a!r:>{10}}'",
        "f'{a[\"title\"].__class__}'",
        "[x.__class__ for x in a['names']]",
        "[__x for __x in a['names']]",
        "sorted(a['names'], key=eval)",
        "sorted(a['names'], key=lambda x: x.__class__)",
        "max(a['names'], key=__import__)",
        "(lambda f: f(f))(lambda f: f(f))",
        "lambda b: lambda c: b",
        "(x := a)",
        "[x := 1, x]",
        "(yield)",
        "(await a)",
        "*a",
        "[*a['names']]",
        "{**a}",
        "{}",
        "{'a': 1}",
        "b'abc'",
        "rb'abc'",
        "1j",
        "...",
        "Ellipsis",
        "NotImplemented",
        "__debug__",
        "print",
        "self",
        "a.get('title').__class__",
        "a.get(__import__)",
        "RETRIEVE('x').__class__",
        "RETRIEVE('x').result.__class__",
        "QUD('x').text",
        "not not lambda: 0",
        "a['title'][a]",
        "a[a]",
        "a[...]",
        "a[1:2:3]",
        "a['title'] @ a['title']",
    ],
)
def test_there_is_no_way_out(body: str) -> None:
    error = refused(body)
    assert error.where
    assert len(str(error)) < 3_000


@pytest.mark.parametrize(
    "body",
    [
        "a['title'] * 10**9",
        "'a' * 1000000000",
        "[0] * 1000000000",
        "a['day'] > date.today() + relativedelta(years=10**9)",
        "a['day'] > date.today() + relativedelta(years=1000000000)",
        "a['day'] > date.today() + relativedelta(microseconds=999999999999999)",
        "a['day'] > date.today() + timedelta(days=1000000000000)",
        "a['day'] > date(99999, 1, 1)",
        "a['day'] > date(1000000000000000, 1, 1)",
        "a['count'] > 1e999",
        "a['count'] > -1e999",
        "a['count'] > 1e400 - 1e400",
        "a['count'] > 99999999999999999999",
        f"a['count'] > {'9' * 10_000}",
        f"a['count'] > 0x{'f' * 10_000}",
        f"a['count'] > 1{'_0' * 5_000}",
        "round(a['price'], 10**9) > 0",
        "round(a['price'], 1000000000) > 0",
        "a['title'] == 'x\\x00y'",
        "a['title'] == '\\ud83d'",
        f"a['title'] == '{'x' * 3_000}'",
        "f\"{a['price']:.99999f}\" == ''",
        "f\"{a['count']:099999d}\" == ''",
        f"a['day'].strftime('{'%Y' * 900}%') == ''",
    ],
)
def test_what_is_too_large_is_refused(body: str) -> None:
    assert refused(body).what


@pytest.mark.parametrize(
    "body",
    [
        "9 ** 9 ** 9 > 1",
        "a['count'] ** 1000000000000000 > 1",
        "timedelta(days=10**12) > a['length']",
        "a['price'] / 0 > 1",
        "a['count'] % 0 == 1",
        "a['title'][999999999999999:] == ''",
        "a['names'][-999999999999999] == ''",
        "a['title'].replace('', 'x') == ''",
        "a['title'].split('') == []",
        "a['title'].count('') == 3",
        "a['day'].replace(day=31) == a['day']",
        "date(a['count'], a['count'], a['count']) == a['day']",
        "-0.0 < 0",
    ],
)
def test_what_only_the_data_can_tell_is_not_worked_out(body: str) -> None:
    """Nothing is computed while a plan is checked."""
    assert settled(condition(body)) is None


# -- nesting, of every kind ----------------------------------------------------------------------

_AROUND: dict[str, tuple[str, str]] = {
    "parentheses": ("(", ")"),
    "lists": ("[", "]"),
    "sets": ("{", "}"),
    "tuples": ("(", ",)"),
    "not": ("not ", ""),
    "minus": ("-", ""),
    "tilde": ("~", ""),
    "plus": ("+", ""),
    "power": ("2 ** ", ""),
    "sum": ("1 + ", ""),
    "sum in parentheses": ("(1 + ", ")"),
    "comparison": ("1 < ", ""),
    "comparison in parentheses": ("(1 < ", ")"),
    "and": ("a['done'] and ", ""),
    "and in parentheses": ("(a['done'] and ", ")"),
    "or over values": ("(a['count'] or ", ")"),
    "conditional": ("1 if a['done'] else ", ""),
    "condition": ("1 if ", " else 2"),
    "lambda": ("lambda x: ", ""),
    "lambda in parentheses": ("(lambda x: ", ")"),
    "default": ("lambda x=", ": 1"),
    "call": ("len(", ")"),
    "key": ("sorted(a['names'], key=lambda x: ", ")"),
    "option": ("min(a['names'], default=", ")"),
    "index": ("a['names'][", "]"),
    "subscript": ("", "[0]"),
    "slice": ("", "[1:]"),
    "attribute": ("", ".year"),
    "hidden attribute": ("", ".__class__"),
    "method": ("", ".lower()"),
    "method of an argument": ("a['title'].replace('a', ", ")"),
    "called": ("", "()"),
    "f-string": ("f'{", "}'"),
    "body of a comprehension": ("[", " for x in a['names']]"),
    "list of a comprehension": ("[x for x in ", "]"),
    "default of get": ("a.get('title', ", ")"),
    "get": ("", ".get('title', '')"),
    "replaced date": ("", ".replace(day=1)"),
    "sum from": ("sum([1], ", ")"),
    "chain of comparisons": ("(a['done'] == ", " == a['done'])"),
    "dictionary": ("{1: ", "}"),
    "await": ("await ", ""),
    "yield": ("(yield ", ")"),
    "star": ("[*", "]"),
    "walrus": ("(x := ", ")"),
    "braces": ("{{ ", " }}"),
    "sub-plan": ("SUM(l=QUD('x'), attr_name='a').result + ", ""),
}
_ENDS = ("1", "a['title']", "a['names']", "a['done']", "a['moment']", "")


@pytest.mark.parametrize("kind", _AROUND)
@pytest.mark.parametrize("depth", [20, 45, 100, 250, 3_000, 40_000])
def test_nesting_of_every_kind(kind: str, depth: int) -> None:
    before, after = _AROUND[kind]
    depth = min(depth, 48_000 // len(before + after))
    for end in _ENDS:
        settled(condition(before * depth + end + after * depth))
        settled(before * depth + end + after * depth)
        settled(condition(before * depth + end))
        settled(condition(end + after * depth))


@pytest.mark.parametrize("depth", [45, 100, 1_000])
def test_nested_operators(depth: int) -> None:
    text = 'RETRIEVE(query="x")'
    for _ in range(depth):
        text = f'FILTER(l={text}, filter=lambda a: a["kind"] == "x")'
    assert (settled(text) is None) == (depth < 50)


@pytest.mark.parametrize("count", [100, 1_000, 4_000, 12_000])
@pytest.mark.parametrize("operator", ["and", "or", "<", "==", "in", "+", "**", ",", "if 1 else"])
def test_long_chains(operator: str, count: int) -> None:
    settled(condition(f" {operator} ".join(["1"] * count)))
    settled(condition(f" {operator} ".join(["a['done']"] * (count // 4))))
    settled(condition(f"[{f' {operator} '.join(['a'] * count)}]"))


def test_plans_with_very_many_nodes() -> None:
    pair = 'QUD("x")'
    for _ in range(9):
        pair = f'JOIN(l1={pair}, l2={pair}, condition="i1.a == i2.a")'
    assert settled(pair) is None
    for _ in range(3):
        pair = f'RETRIEVE("x", JOIN(l1={pair}, l2={pair}, condition="i1.a == i2.a"))'
    assert settled(pair) is not None


def test_conditions_inside_conditions() -> None:
    text = "i1.a == 1"
    for _ in range(8):
        quoted = text.replace("\\", "\\\\").replace('"', '\\"')
        text = f'JOIN(l1=QUD("x"), l2=QUD("y"), condition="{quoted}")'
    assert settled(text) is not None


@pytest.mark.parametrize("length", [49_900, 50_000, 50_001, 1_000_000])
@pytest.mark.parametrize("filling", [" ", "x", "(", "'", '"', "\n", "#", "\\", "😀", "a.", "1 "])
def test_long_texts(filling: str, length: int) -> None:
    settled((filling * length)[:length])
    settled('RETRIEVE(query="x"' + (filling * length)[:length] + ")")


# -- characters ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        'RETRIEVE(query="x")\x00',
        'RETRIEVE(query="\x00")',
        "\x00",
        'RETRIEVE(query="\ud800")',
        "\udfff",
        '\ufeffRETRIEVE(query="x")',
        'RETRIEVE(query="x")\ufeff',
        'RETRIEVE(\u200bquery="x")',
        'RETRIEVE\u202e(query="x")',
        'RETRIEVE(query\u00a0="x")',
        'RETRIEVE(query="x")\x1a',
        "RETRIEVE(query=＂x＂)",
        "RETRIEVE（query=“x”）",
        'FILTER(l=RETRIEVE("x"), filter=lambda a\u0301\u200d: 1)',
        'FILTER(l=RETRIEVE("x"), filter=λ a: 1)',
    ],
)
def test_odd_characters_outside_of_texts_are_refused(text: str) -> None:
    assert settled(text) is not None


@pytest.mark.parametrize(
    "text",
    [
        '\x0cRETRIEVE(query="x")\x0c',
        'RETRIEVE(\x0cquery="x")',
        '\u2003RETRIEVE(query="x")\u2028',
        'RETRIEVE(query="\u202ex\u200f\u2066")',
        'RETRIEVE(query="\ufeff")',
        'RETRIEVE(\r\nquery="x"\r\n)',
        'RETRIEVE(\rquery="x")',
        '# coding: latin-1\nRETRIEVE(query="é")',
        'RETRIEVE(query="x") # \u202e',
    ],
)
def test_odd_characters_that_mean_nothing_are_read(text: str) -> None:
    assert settled(text) is None


@pytest.mark.parametrize(
    ("written", "means"),
    [
        ('FILTER(l=QUD("x"), ﬁlter=lambda a: a.b)', 'FILTER(l=QUD("x"), filter=lambda a: a.b)'),
        ('APPLY(l=QUD("x"), fct=𝐥𝐞𝐧)', 'APPLY(l=QUD("x"), fct=len)'),
        ('ＲＥＴＲＩＥＶＥ(query="x")', 'RETRIEVE(query="x")'),
        ('FILTER(l=QUD("x"), filter=lambda ª: a)', 'FILTER(l=QUD("x"), filter=lambda a: a)'),
    ],
)  # fmt: skip
def test_look_alikes_of_names_are_what_python_takes_them_for(written: str, means: str) -> None:
    assert parse(written) == parse(means)


@pytest.mark.parametrize(
    "body", ["＿＿import＿＿('os')", "a.＿＿class＿＿", "a.﹍class", "ｅｖａｌ('1')"]
)
def test_look_alikes_open_no_way_out(body: str) -> None:
    refused(body)


@pytest.mark.parametrize("variable", ["_", "__", "_a", "ﬁ", "größe", "名前", "a1", "print", "len"])
def test_names_of_variables(variable: str) -> None:
    settled(condition("True").replace("lambda a:", f"lambda {variable}:"))
    settled(condition(f"[{variable} for {variable} in a['names']]"))


# -- anything ------------------------------------------------------------------------------------

_TOKENS = (
    "(", ")", "[", "]", "{", "}", "{{", "}}", ",", ":", "=", "==", ".", '"', "'", '"""', 'f"{',
    "lambda", "lambda a:", "for", "in", "if", "else", "not", "and", "or", "is", "None", "True",
    "1", "-", "+", "*", "**", "/", "//", "%", "a", "x", "a['count']", "a['names']", "QUD('q')",
    "RETRIEVE(query='x')", "FILTER(l=", "filter=", "MAP(l=", "fct=", "APPLY(", "len", "len(",
    "sum(", "max(", "key=", "sorted(", "date.today()", "date(", "datetime", "timedelta(days=",
    "relativedelta(", ".year", ".lower()", ".result", "attr_names=", "attr_types=", "[date]",
    "res_name=", "#", "\\", "é", "ﬁ", "😀", "`", ";", ":=", "yield", "await", "async", "@", "~",
    "^", "&", "|", "<", ">", "!", "$", "?", "1e999", "0x", "1_0", "1j", "b'x'", "...", " ", "\n",
    ".get('x', 1)", ".replace(day=1)", "JOIN(l1=", "l2=", 'condition="', "i1.", "i2.",
    "GROUP_BY(", "ARGMAX(", ".__class__", "\x00", "\ud800", "\u2028",
)  # fmt: skip


@given(st.lists(st.sampled_from(_TOKENS), max_size=40))
@settings(max_examples=500)
def test_any_heap_of_tokens(tokens: list[str]) -> None:
    settled("".join(tokens))
    settled(condition(" ".join(tokens)))


@given(st.text(max_size=80))
def test_any_text(text: str) -> None:
    settled(text)
    settled(condition(text))
    settled(f"JOIN(l1=QUD('x'), l2=QUD('y'), condition={text!r})")


@given(
    st.sampled_from(sorted(COMPLETE)), st.data(), st.sampled_from(["", *_TOKENS]), st.integers(0, 9)
)
@settings(max_examples=500)
def test_plans_with_a_piece_changed(
    name: str, data: st.DataObject, piece: str, length: int
) -> None:
    text = COMPLETE[name]
    at = data.draw(st.integers(0, len(text)))
    settled(text[:at] + piece + text[at + length :])


@pytest.mark.parametrize("read", [parse, lambda text: parse_expression(text, ("a",))])
def test_nothing_is_said_on_the_way(
    read: Callable[[str], object], recwarn: pytest.WarningsRecorder
) -> None:
    """Python's parser warns about odd escapes and the like; nobody should see that."""
    for text in ('RETRIEVE("\\d \\w")', "'\\d' is 'x'", "1if 1else 2", '"a"[1.5]', "()()", "0or 1"):
        with suppress(PlanError):
            read(text)
    assert not recwarn.list
