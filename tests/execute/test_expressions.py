"""Expressions: tables worked out by hand, with which the reference must agree as well.

Random ones are in `test_random_expressions`, dates in `test_dates`, units in `test_units`, plug-in
functions in `test_plugins`.
"""

from collections.abc import Callable, Iterator
from datetime import date, datetime

import pytest

from reqap.errors import PlanError
from tests.execute.comparing import EVENTS, REFERENCE, as_read, parsed, same
from tests.execute.fakes import FakeLife, Plain, run, values
from tests.execute.grammar import ATTRIBUTES
from tests.execute.reference import Value


def test_over_no_rows_there_is_no_data() -> None:
    nothing = f'FILTER({EVENTS}, lambda a: a["i"] == 1 and a["i"] == 2)'
    life = {"q": FakeLife([{"i": 1}])}
    for function in ("len", "lambda l: len(l)", 'lambda l: sum(e["i"] for e in l)', "lambda l: 5"):
        assert values(run(f"APPLY({nothing}, {function})", life)) == []
    assert values(run(f'MAP(GROUP_BY({nothing}, ["i"]), len, "n")', life)) == []


def test_rows_are_in_order_of_their_start() -> None:
    noons = [datetime(2024, 1, day, 12) for day in (3, 1, 2)]
    life = FakeLife([{"i": 3}, {"i": 1}, {"i": 2}], [(noon, noon) for noon in noons])
    found = values(run(f'APPLY({EVENTS}, lambda l: [e["i"] for e in l][0:])', {"q": life}))
    assert found == [{"#value": [1, 2, 3]}]


def test_ties_keep_their_order_in_both_directions() -> None:
    life = {"q": FakeLife([{"i": n % 2, "j": n} for n in range(6)])}
    for down, expected in ((False, [0, 2, 4, 1, 3, 5]), (True, [1, 3, 5, 0, 2, 4])):
        function = f'[e["j"] for e in sorted(l, key=lambda e: e["i"], reverse={down})]'
        found = values(run(f"APPLY({EVENTS}, lambda l: {function})", life))
        assert [row["apply_result"] for row in found] == expected


# -- tables --------------------------------------------------------------------------------------

FULL: dict[str, Plain] = {
    "i": 7, "j": -3, "f": 2.5, "g": -0.125, "s": "Ab cd", "z": "x,y,,z", "b": True, "c": False,
    "d": date(2024, 2, 29), "l": ["b", "a", "b"], "k": [],
}  # fmt: skip


def check_table(expected: dict[str, Value], given_row: dict[str, Plain]) -> None:
    """All in one run, and all that is wrong told at once. The reference agrees, too."""
    plan = EVENTS
    for number, text in enumerate(expected):
        plan = f'MAP({plan}, lambda a: {text}, "r{number}")'
    (found,) = values(run(plan, {"q": FakeLife([given_row])}))
    read = {name: given_row.get(name) for name in ATTRIBUTES}
    wrong = {}
    for number, (text, wanted) in enumerate(expected.items()):
        said = REFERENCE(parsed(text, "a"), {"a": as_read(read)})
        got = found[f"r{number}"]
        if not same(got, wanted) or not same(wanted, said):
            wrong[text] = (got, said, wanted)
    assert wrong == {}


def test_numbers() -> None:
    check_table(
        {
            'a["i"] + a["j"]': 4,
            'a["i"] - 0.5': 6.5,
            'a["i"] * a["f"]': 17.5,
            'a["i"] / 2': 3.5,
            'a["i"] // 2': 3,
            'a["j"] // 2': -2,
            'a["j"] % 5': 2,
            'a["i"] % a["j"]': -2,
            'a["f"] // a["g"]': -20.0,
            '-a["f"] % 1': 0.5,
            'a["f"] ** 2': 6.25,
            '(-a["f"]) ** 0.5': None,
            'a["i"] / 0': None,
            'a["i"] // 0': None,
            'a["f"] % 0': None,
            '0.0 ** a["j"]': None,
            'a["i"] * 999999999999999 * 999999999999999': None,
            'abs(a["j"])': 3,
            'round(a["f"])': 2,
            'round(-a["f"])': -2,
            "round(3.5)": 4,
            'round(a["i"], -1)': 10,
            'a["i"] ** 2': 49,
            "2**-1": 0.5,
            'a["i"] ** 30': None,
            'round(a["g"], 2)': -0.12,
            'round(a["f"] * 1000, -2)': 2500.0,
            "round(2.675, 2)": 2.67,
            'int(-a["f"])': -2,
            'int("12") + int(" 3 ")': 15,
            'int("3.5")': None,
            'float("2.5")': 2.5,
            'float("nan")': None,
            'float(a["s"])': None,
            'a["b"] + a["b"]': 2,
            'sum([a["b"], a["c"], True])': 2,
            'a["i"] == 7.0': True,
            '1 < a["i"] <= 7': True,
            '1 < a["i"] < 7': False,
            'min(a["i"], a["j"], 0)': -3,
            'max(a["f"], a["g"])': 2.5,
        },
        FULL,
    )


def test_texts() -> None:
    check_table(
        {
            'a["s"] + "!"': "Ab cd!",
            'a["s"].lower()': "ab cd",
            'a["s"].upper()': "AB CD",
            '"Straße".upper()': "STRASSE",
            '"Straße".casefold()': "strasse",
            '"ÀÉ".lower()': "àé",
            '"  x ".strip()': "x",
            '"  x ".lstrip()': "x ",
            '"  x ".rstrip()': "  x",
            '"\\t\\n x\\u00a0".strip()': "x",
            'a["z"].strip("xz,")': "y",
            'a["s"].startswith("Ab")': True,
            'a["s"].endswith("cD")': False,
            'a["s"].split()': ["Ab", "cd"],
            'a["z"].split(",")': ["x", "y", "", "z"],
            '"".split()': [],
            '"".split(",")': [""],
            'a["z"].replace(",", ";")': "x;y;;z",
            'a["z"].count(",")': 3,
            '"aaa".count("aa")': 1,
            '", ".join(a["l"])': "b, a, b",
            '", ".join(a["k"])': "",
            'len(a["s"])': 5,
            'a["s"][0]': "A",
            'a["s"][-1]': "d",
            'a["s"][9]': None,
            'a["s"][1:3]': "b ",
            'a["s"][-2:]': "cd",
            'a["s"][:-9]': "",
            'a["s"][3:1]': "",
            '"b c" in a["s"]': True,
            '"" in a["s"]': True,
            '"x" not in a["s"]': True,
            '"Z" < "a" < "é"': True,
            'str(a["f"]) + str(a["i"]) + str(a["b"])': "2.57True",
            "str(1e15 * 10)": "1e+16",
            'f\'{a["i"]:03d}|{a["f"]:.2f}|{a["f"]:7.1f}|{a["b"]}\'': "007|2.50|    2.5|True",
            'f\'{a["f"]:.0%} {a["i"] * 1000:,d} {a["d"]:%d.%m.}\'': "250% 7,000 29.02.",
        },
        FULL,
    )


def test_every_character_is_what_it_is_in_python() -> None:
    characters = [chr(code) for code in range(1, 0x3000)]
    texts: dict[str, Callable[[str], Value]] = {
        'a["s"].strip()': str.strip,
        'a["s"].split()': str.split,
        'len(a["s"])': len,
        'a["s"][0]': lambda text: text[0],
        'a["s"][-2:]': lambda text: text[-2:],
        '"é" < a["s"]': lambda text: text > "é",
        'a["s"].replace("x", "é")': lambda text: text.replace("x", "é"),
    }
    plan = 'EXTRACT(RETRIEVE("q"), ["s"], [str])'
    for number, text in enumerate(texts):
        plan = f'MAP({plan}, lambda a: {text}, "r{number}")'
    life = [character + "x" for character in characters]
    found = [row.values for part in _slices(life) for row in run(plan, part).rows]
    for number, (text, function) in enumerate(texts.items()):
        wrong = [
            (ascii(given), values_of[f"r{number}"])
            for given, values_of in zip(life, found, strict=True)
            if values_of[f"r{number}"] != function(given)
        ]
        assert wrong == [], text


def _slices(life: list[str]) -> Iterator[dict[str, FakeLife]]:
    """Results hold a limited number of rows."""
    for start in range(0, len(life), 5000):
        yield {"q": FakeLife([{"s": text} for text in life[start : start + 5000]])}


def test_lists() -> None:
    check_table(
        {
            'len(a["l"])': 3,
            'len(set(a["l"]))': 2,
            'sorted(a["l"])': ["a", "b", "b"],
            'sorted(a["l"], reverse=True)[:2]': ["b", "b"],
            'a["l"][1]': "a",
            'a["l"][-1]': "b",
            'a["l"][3]': None,
            'a["l"][1:]': ["a", "b"],
            'a["l"][-2:-1]': ["a"],
            'a["l"] + ["z"]': ["b", "a", "b", "z"],
            '"a" in a["l"]': True,
            'a["s"] not in a["l"]': True,
            '[x + y for x in a["l"] for y in ["1", "2"] if x == "a"]': ["a1", "a2"],
            '[x.upper() for x in a["l"] if x != "a"]': ["B", "B"],
            'sorted({x for x in a["l"]})': ["a", "b"],
            'any(x == "a" for x in a["l"])': True,
            'all(x == "a" for x in a["l"])': False,
            'any(x == "a" for x in a["k"])': False,
            'all(x == "a" for x in a["k"])': True,
            'not any(x == "a" for x in a["k"])': True,
            'max(a["l"])': "b",
            'max(a["k"])': None,
            'max(a["k"], default="none")': "none",
            'sum(len(x) for x in a["l"])': 3,
            'sum([a["f"], 1.5])': 4.0,
            "min([3, 1, 2])": 1,
            '(a["i"], "x")[0]': 7,
            '(a["i"], a["s"]) == (7, "Ab cd")': True,
            '(a["i"], 5) < (7, 6)': True,
            '(2024, 2) == (a["d"].year, a["d"].month)': True,
            'list(a["l"])[0]': "b",
            'len((1, "x"))': 2,
            '(1, "x", a["i"])[1:]': ("x", 7),
            'a["d"].isocalendar()[:2]': (2024, 9),
            "len([])": 0,
            'a["l"] == ["b", "a", "b"]': True,
            'a["l"] == ["a", "b", "b"]': False,
        },
        FULL,
    )


def test_logic_with_values_that_are_there() -> None:
    check_table(
        {
            'a["b"] and not a["c"]': True,
            'a["c"] or a["i"] > 6': True,
            'a["s"] or "unknown"': "Ab cd",
            '"" or "unknown"': "unknown",
            'a["i"] and a["j"]': -3,
            'a["i"] if a["c"] else a["j"]': -3,
            'bool(a["k"])': False,
            'not a["k"]': True,
            'not a["i"]': False,
            'a["i"] is None': False,
            'a["i"] is not None': True,
            'a["b"] is True': True,
            'a.get("i", 5)': 7,
            "a.i + a.get('j')": 4,
        },
        FULL,
    )


def test_nothing() -> None:
    check_table(
        {
            'a["i"] == 7': None,
            'a["i"] != 7': None,
            'not a["i"] == 7': None,
            'not (a["i"] != 7)': None,
            'a["i"] == a["i"]': None,
            'a["i"] in (1, 2)': None,
            'a["i"] not in (1, 2)': None,
            '"a" in a["l"]': None,
            'a["b"]': None,
            'not a["b"]': None,
            'a["b"] and False': False,
            'a["b"] and True': None,
            'a["b"] or True': True,
            'a["b"] or False': None,
            'a["i"] > 3 or a["s"] is None': True,
            'a["i"] is None': True,
            'a["i"] == None': True,
            'a["i"] != None': False,
            'not a["s"]': True,
            'not a["l"]': True,
            'bool(a["i"])': False,
            '"yes" if a["i"] > 3 else "no"': "no",
            '"yes" if not a["i"] > 3 else "no"': "no",
            '"yes" if a["s"] else "no"': "no",
            'a["s"] or "unknown"': "unknown",
            'a.get("i", 5)': 5,
            'a["i"] + 1': None,
            'a["s"] + "x"': None,
            'a["s"].lower()': None,
            'len(a["s"])': None,
            'len(a["l"])': None,
            "f'{a[\"s\"]}!'": None,
            'str(a["i"])': None,
            'sum([a["i"], 3])': 3,
            'min(a["i"], 3)': 3,
            'max([a["i"], None])': None,
            'sorted([a["i"], 2, 1])': [1, 2],
            '[a["i"], 1]': [None, 1],
            '[x for x in [a["i"], 1] if x > 0]': [1],
            'any([a["b"], True])': True,
            'any([a["b"], False])': False,
            '(a["i"], 1) == (7, 1)': None,
            '", ".join([a["s"], "x"])': "x",
            'a["l"] + ["x"]': None,
            '[x for x in a["l"]]': None,
        },
        {},
    )


def test_long_expressions_and_many_items() -> None:
    many = ", ".join(map(str, range(1000)))
    check_table(
        {
            f'a["i"] in [{many}]': True,
            f"len([{many}])": 1000,
            " + ".join(['a["i"]'] * 40): 280,
            f"sum(x for x in [{many}] if x % 2 == 1)": 250_000,
        },
        FULL,
    )


@pytest.mark.parametrize(
    "text",
    [
        'a["s"] + 1', 'a["s"] > 3', 'a["nothing"]', 'a["s"].title()', 'open("x")', 'a["i"] < None',
        'a["l"] < ["a"]', 'len(a["i"])', "sum(['a'])", 'a["i"].year', 'round(a["s"])',
        "lambda x: x",
        'a["s"][1:2:3]', 'a["i"][0]', '(1, 2)[5]', 'sorted(a["l"], reverse=a["b"])', '[1, "a"]',
        'min(1, "a")', '1 if a["b"] else "x"', "x", "None", 'a["s"].startswith(3)',
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused_before_running(text: str) -> None:
    with pytest.raises(PlanError):
        run(f'MAP({EVENTS}, lambda a: {text}, "r")', {"q": FakeLife([FULL])})
