"""Lines, rows, JSON arrays and markup out of any bytes."""

import json
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from reqap.errors import ExportProblem
from reqap.events import ImportIssue
from reqap.sources.base import Sample
from reqap.sources.jsonio import load, read_records
from reqap.sources.markup import html_to_text
from reqap.sources.tables import read_rows
from reqap.sources.textio import STRAY_NUL, read_lines
from tests.sources.reading import in_memory


def lines(content: bytes) -> list[object]:
    return [i.reason if isinstance(i, ImportIssue) else i for i in read_lines(in_memory(content))]


def rows(content: bytes) -> list[object]:
    return [
        (i.reason, i.origin.position) if isinstance(i, ImportIssue) else i
        for i in read_rows(in_memory(content))
    ]


def records(content: bytes, key: str | None = None) -> list[object]:
    return [
        (i.reason, i.origin.position) if isinstance(i, ImportIssue) else i[1]
        for i in read_records(in_memory(content), key)
    ]


def test_encodings() -> None:
    assert lines("\ufeffä\nb".encode()) == [(1, "ä\n"), (2, "b")]
    assert lines("ä\nb".encode("utf-16")) == [(1, "ä\n"), (2, "b")]
    assert lines("ä\nüb".encode("cp1252")) == ["unexpected encoding", (1, "ä\n"), (2, "üb")]
    assert lines(b"a\x00b\n\x00") == [STRAY_NUL, (1, "ab\n"), (2, "")]


def test_a_line_without_end_is_passed_over() -> None:
    assert lines(b"a\n" + b"x" * 10_000_000 + b"\nb\n") == [
        (1, "a\n"),
        "line too long",
        (3, "b\n"),
    ]


def test_lines_of_old_macs() -> None:
    assert lines(b"a\rb\r\rc") == [(1, "a\n"), (2, "b\n"), (3, "\n"), (4, "c")]
    assert lines("ä\rb\r".encode("utf-16")) == [(1, "ä\n"), (2, "b\n")]
    assert lines(b"a\r") == [(1, "a\n")]
    long = b"x" * 2_000_000
    assert lines(b"a\r" + long + b"\rb") == [(1, "a\n"), "line too long", (3, "b")]
    many = lines(b"0123456\r" * 300_000)
    assert (len(many), many[-1]) == (300_000, (300_000, "0123456\n"))
    assert rows(b'a;b\r1;"2\r3"\r4;5') == [(2, {"a": "1", "b": "2\n3"}), (4, {"a": "4", "b": "5"})]


def test_carriage_returns_beside_newlines_end_no_line() -> None:
    assert lines(b"a\r\nb\rc\r\n") == [(1, "a\r\n"), (2, "b\rc\r\n")]
    assert lines(b"a\nb\rc") == [(1, "a\n"), (2, "b\rc")]


def test_delimiters_and_repeated_columns() -> None:
    assert rows(b'a;b;a\n1;"2\n3";4\n') == [(2, {"a": "1", "b": "2\n3", "a (2)": "4"})]
    assert rows(b"a\tb\n1\t2\n") == [(2, {"a": "1", "b": "2"})]


def test_a_stray_quote_costs_one_row() -> None:
    assert rows(b'a,b\n1,2\n3,"4\n5,6\n7,8\n') == [
        (2, {"a": "1", "b": "2"}),
        ("broken CSV row", 3),
        (4, {"a": "5", "b": "6"}),
        (5, {"a": "7", "b": "8"}),
    ]


@pytest.mark.parametrize("every", [1, 2, 3, 10, 75, 100, 1000])
@pytest.mark.parametrize("stray", ['{},"x', '{},x"y,"z', '"{},b'])
def test_many_stray_quotes_cost_their_rows_and_little_time(stray: str, every: int) -> None:
    table = "".join(
        f"{stray.format(row) if row % every == 0 else f'{row},ok'}\n" for row in range(8000)
    )
    began = time.perf_counter()
    found = rows(b"a,b\n" + table.encode())
    assert time.perf_counter() - began < 2
    sound = [row[1]["a"] for row in found if isinstance(row[1], dict)]  # type: ignore[index]
    wanted = [str(row) for row in range(8000) if row % every]
    assert sound == wanted or (every == 1 and len(sound) == 1)  # the last has none to take in


def test_long_cells_are_read_again_after_stray_quotes() -> None:
    long = '1,"' + "line\n" * 1500 + '"\n'
    stray = '1,"x\n' + "1,2\n" * 3000
    found = rows(("a,b\n" + long + stray + long).encode())
    cells = [row[1]["b"] for row in found if isinstance(row[1], dict)]  # type: ignore[index]
    assert [cells[0], cells[-1]] == ["line\n" * 1500] * 2
    assert len(cells) == 3002


def test_rows_that_do_not_fit_are_issues() -> None:
    assert rows(b"a,b\n1\n1,2,,\n1,2,3\n\n") == [
        ("broken CSV row", 2),
        (3, {"a": "1", "b": "2"}),
        ("broken CSV row", 4),
    ]


def test_arrays_at_the_top_and_under_a_key() -> None:
    content = json.dumps({"x": [1], "items": [{"a": 1}, {"b": [{}, {}]}], "y": [{"c": 2}]}).encode()
    assert records(content, "items") == [{"a": 1}, {"b": [{}, {}]}]
    assert records(b"[]") == []
    with pytest.raises(ExportProblem, match="was expected"):
        records(b'{"a": 1}')


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=8) | st.just("},{"),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)
RECORDS = st.lists(st.dictionaries(st.text(max_size=4), JSON, max_size=4), max_size=30)


@example([{"": ["0["]}, {"}": None}], None, 20)
@given(RECORDS, st.sampled_from([None, 0, 2]), st.integers(20, 200))
def test_cut_anywhere_all_records_come_out(
    wanted: list[dict[str, object]], indent: int | None, stretch: int
) -> None:
    """A small stretch makes every array one that is read in pieces."""
    from unittest.mock import patch

    content = json.dumps(wanted, indent=indent, ensure_ascii=False).encode("utf-8", "surrogatepass")
    with patch("reqap.sources.jsonio._STRETCH", stretch):
        assert records(content) == json.loads(content.decode("utf-8", "replace"))


@settings(deadline=None)
@given(RECORDS, st.data())
def test_a_cut_file_gives_a_beginning_and_one_issue(
    wanted: list[dict[str, object]], data: st.DataObject
) -> None:
    wanted = [{**record, "end": 1} for record in wanted]
    content = json.dumps(wanted).encode()
    cut = data.draw(st.integers(1, len(content) - 1))
    found = records(content[:cut])
    sound = [item for item in found if not isinstance(item, tuple)]
    issues = [item for item in found if isinstance(item, tuple)]
    whole = content[:cut].count(b'"end": 1}')
    assert sound[:whole] == wanted[:whole]
    assert issues


def test_broken_records_in_the_middle() -> None:
    assert records(b'[{"a":1},{"b":oops},{"c":3}]') == [
        {"a": 1},
        ("broken JSON record", 1),
        {"c": 3},
    ]
    assert records(b'[{"a":"\xe4"},{"b":"x\x00y"},{"c":"tab\there"}]') == [
        ("stray bytes in a text", 0),
        {"a": "ä"},
        {"b": "xy"},
        {"c": "tab\there"},
    ]
    assert records(b'[{"a":1}, 5, {"b":2}]') == [{"a": 1}, ("not a record", 1), {"b": 2}]


def test_brackets_inside_a_broken_record_do_not_end_the_array() -> None:
    broken = b'{"a":oops, "b":[[{"c":1},{"d":2}]]}'
    found = records(b"[" + b",".join([broken, b'{"good":1}'] * 50) + b"]")
    assert found.count({"good": 1}) == 50
    assert found[-1] == {"good": 1}


def test_long_records_with_many_parts_stay_whole() -> None:
    """Albums of photos: thousands of places inside look like the seam of two records."""
    albums = [
        {"n": n, "photos": [{"uri": f"{m}.jpg", "meta": [{"iso": m}]} for m in range(300)]}
        for n in range(150)
    ]
    albums[70]["photos"].append({"title": "},{ ]]] }}}"})  # type: ignore[attr-defined]
    content = json.dumps(albums).encode()
    assert records(content) == albums
    broken = content.replace(b'"n": 20', b'"n": 2O')
    assert records(broken)[-1] == albums[-1]


def test_deep_nesting_is_an_issue_not_a_crash() -> None:
    deep = b"[" * 100_000 + b"]" * 100_000
    assert [r for r in records(b'[{"a":' + deep + b'},{"b":1}]') if r == {"b": 1}]
    with pytest.raises(ExportProblem):
        load(in_memory(deep))


def test_markup() -> None:
    html = """<html><head><title>no</title><style>p {x}</style></head><body><!-- no -->
    <p>Hello&nbsp;<b>you</b> &amp; me<br>again</p><script>no()</script><div>1 &lt; 2</div></body>"""
    assert html_to_text(html) == "Hello you & me\nagain\n1 < 2"


@pytest.mark.parametrize("piece", ["<", "<!--", "<a ", "<script>", "&", "<p", "</"])
def test_markup_is_linear_in_hostile_input(piece: str) -> None:
    began = time.perf_counter()
    html_to_text(piece * (2_000_000 // len(piece)))
    assert time.perf_counter() - began < 5


def test_samples_know_what_they_look_like() -> None:
    assert Sample("x", 1, b"\xef\xbb\xbfa;b;c\n1;2;3").header == ("a", "b", "c")
    assert Sample("a/b.tar.GZ", 1, b"").suffix == ".gz"
    assert Sample("x", 1, b' [{"k": 1}]').json_keys == {"k"}
    assert not Sample("x", 1, b"\x89PNG\x00").is_text
