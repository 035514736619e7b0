"""Plans from bytes: a small grammar in which each byte chooses the next piece.

Random text hardly ever gets past the parser. Here every choice is a byte, so that a fuzzer can
reach deep into checking and executing, and can learn which byte does what.
"""

from collections.abc import Callable, Iterator

_ROWS = (
    'EXTRACT(l=RETRIEVE(query="q"), attr_names=["price", "title", "names", "n", "day", "clock",'
    ' "at", "long", "is"], attr_types=[float, str, list, int, date, time, datetime, timedelta,'
    " bool])"
)
# In a piece, each letter after a $ stands for: p plan, e expression, r expression over rows,
# a attribute name, f function over rows.
PIECES: dict[str, tuple[str, ...]] = {
    "p": (
        _ROWS, _ROWS, 'RETRIEVE(query="q")', 'RETRIEVE(query="q", l=$p)', 'QUD("x")',
        "FILTER(l=$p, filter=lambda a: $e)", 'MAP(l=$p, fct=lambda a: $e, res_name="m")',
        "MAP(l=$p, fct=lambda a: $r, res_name=$a)", "APPLY(l=$p, fct=lambda a: $r)",
        "APPLY(l=$p, fct=len)", "GROUP_BY(l=$p, attr_names=[$a])",
        'GROUP_BY(l=$p, attr_names=[$a, "title"])',
        'UNNEST(l=$p, nested_attr_name=$a, unnested_attr_name="u")',
        "ARGMAX(l=$p, arg_attr_name=$a, val_attr_name=$a)", "ARGMIN(l=$p, arg_attr_name=$a)",
        "SUM(l=$p, attr_name=$a)", "AVG(l=$p, attr_name=$a)", "MIN(l=$p, attr_name=$a)",
        'JOIN(l1=$p, l2=$p, condition="i1.n < i2.n and i1.title == i2.title or i1.day >= i2.day")',
        'JOIN(l1=$p, l2=$p, condition="i1.start_datetime <= i2.end_datetime")',
        "EXTRACT(l=$p, attr_names=[$a], attr_types=[str])", "{{ $p }}",
    ),
    "a": ('"price"', '"title"', '"names"', '"n"', '"day"', '"clock"', '"at"', '"long"', '"is"',
          '"m"', '"u"', '"start_date"', '"i2.n"', '"kind"', '"rowid"'),
    "e": (
        "a[$a]", "a[$a]", "a[$a]", "1", "0", "-3", "2.5", "10**15", "1e-9", '"a"', '"ü\\n"', "None",
        "True", "[]", "[$e, $e]", "($e, $e)", "{$e}", "$e == $e", "$e < $e", "$e in $e",
        "$e is None", "$e and $e", "$e or $e", "not $e", "$e + $e", "$e - $e", "$e * $e", "$e / $e",
        "$e // $e", "$e % $e", "$e ** $e", "-$e", "($e if $e else $e)", "len($e)", "sum($e)",
        "min($e)", "max($e, $e)", "any($e)", "sorted($e)", "set($e)", "round($e)", "round($e, 2)",
        "abs($e)", "int($e)", "float($e)", "str($e)", "bool($e)", "$e[0]", "$e[-1]", "$e[$e]",
        "$e[1:]", "$e[-2:$e]", "[a for a in $e]", "[$e for b in $e if $e]", "sum(1 for b in $e)",
        "$e.lower()", "$e.strip()", "$e.split()", '$e.split(",")', "$e.replace($e, $e)",
        "$e.startswith($e)", "$e.count($e)", '", ".join($e)', "$e.year", "$e.hour", "$e.days",
        "$e.weekday()", "$e.isocalendar()", "$e.isocalendar().week", "$e.date()", "$e.time()",
        "$e.replace(day=$e)", '$e.strftime("%Y-%m")', "$e.isoformat()", "$e.total_seconds()",
        "$e.currency", "date.today()", "datetime.now()", "date(2024, 2, $e)", "time($e)",
        "timedelta(days=$e)", "relativedelta(months=1)", "relativedelta(day=31, months=-1)",
        "datetime.combine($e, $e)", "date.fromisoformat($e)", "f'{a[$a]}'", "$p.result",
    ),
    "r": (
        "len(a)", "a[0]", "a[:2]", "a[-2:]", "sorted(a, key=lambda b: b[$a])",
        "sorted(a, key=lambda b: b[$a], reverse=True)[:2]", "max(a, key=lambda b: b[$a])",
        "[b for b in a if b[$a]]", "[b[$a] for b in a]", "sum(b[$a] for b in a)",
        "min(b[$a] for b in a if b[$a] is not None)", "len(set(b[$a] for b in a))",
        "any(b[$a] for b in a)", "all(b[$a] for b in a)", "$r / $r", "$r + $r", "$r == $r",
        "a[$a]", "[c for b in a for c in b[$a]]", "max(a, key=lambda b: b[$a])[$a]", "$e",
        "sorted(b[$a] for b in a)[:3]", "$r if $r else $r", "sum(a[$a])", "list(a)[1]",
    ),
}  # fmt: skip
_SIMPLEST = {"p": _ROWS, "a": '"n"', "e": "a[$a]", "r": "len(a)"}
_MOST = 400


def plan_from_pieces(data: bytes) -> str:
    """The plan that the bytes choose; when they run out, the simplest piece is taken."""
    choices = iter(data)
    left = [_MOST]

    def expand(symbol: str, depth: int) -> str:
        left[0] -= 1
        chosen = next(choices, None)
        if chosen is None or depth > 12 or left[0] < 0:
            piece = _SIMPLEST[symbol]
        else:
            piece = PIECES[symbol][chosen % len(PIECES[symbol])]
        return "".join(_filled(piece, expand, depth))

    return expand("p", 0)


def _filled(piece: str, expand: Callable[[str, int], str], depth: int) -> Iterator[str]:
    first, *rest = piece.split("$")
    yield first
    for part in rest:
        yield expand(part[0], depth + 1) + part[1:]
