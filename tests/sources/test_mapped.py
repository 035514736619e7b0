"""A person's own files, by a mapping they wrote; the example in docs/mapping.md is run."""

import json
import re
import zipfile
from contextlib import suppress
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reqap.errors import ExportProblem
from reqap.events import Event, ImportIssue
from reqap.sources.base import Source
from reqap.sources.mapped import find_again, find_mappings, mapped_source
from reqap.sources.mapping import MappingProblem, parse_mapping
from reqap.values import DateOrder
from tests.sources.hostile import damaged, survives
from tests.sources.reading import DATA, context, files, read_path, write

TRIPS = DATA / "mapped" / "trips.jsonl"
DOCS = Path(__file__).parents[2] / "docs" / "mapping.md"
MINIMAL = 'source = "s"\nkind = "k"\nfiles = "*.csv"\nstart = "when"\n'


def trips() -> Source:
    path = DATA / "mapped" / "trips.toml"
    return mapped_source(path.read_text(), str(path))


def of_csv(
    tmp_path: Path, mapping: str, content: str, **settings: str
) -> tuple[list[Event], list[ImportIssue]]:
    order = DateOrder(settings["order"]) if "order" in settings else None
    path = write(tmp_path / "x.csv", content)
    source = mapped_source(mapping, "m.toml")
    return read_path(source, path, context(settings.get("zone", "Europe/Berlin"), (), order))


# -- the example in the docs -----------------------------------------------------------------------


def _blocks() -> dict[str, str]:
    return dict(re.findall(r"```(csv|toml|json)\n(.*?)```", DOCS.read_text(), re.DOTALL))


def test_the_example_in_the_docs(tmp_path: Path) -> None:
    blocks = _blocks()
    write(tmp_path / "loans" / "loans-2024.csv", blocks["csv"])
    write(tmp_path / "loans" / "library.reqap.toml", blocks["toml"])
    write(tmp_path / "elsewhere" / "loans.csv", blocks["csv"])
    (source,) = find_mappings([tmp_path])
    assert (source.name, source.title) == ("library_loans", "Library loans")
    (first, second), issues = read_path(source, tmp_path)
    assert issues == []
    told = json.loads(blocks["json"])
    assert {
        "source": first.source,
        "kind": first.kind,
        "start": first.start.isoformat(),
        "end": first.end.isoformat(),
        "data": dict(first.data),
    } == told
    assert (first.offset, first.user_zone) == (60, False)
    assert second.start == second.end == datetime(2024, 3, 6, 9, 15)
    assert second.data["fee"] == "1.50 EUR"


def test_numbers_of_any_size(tmp_path: Path) -> None:
    mapping = MINIMAL + '[data]\nn = {column = "n", type = "number"}\n'
    (event,), _ = of_csv(tmp_path, mapping, f"when,n\n2024-03-05,{10**30}\n")
    assert event.data == {"n": 1e30}


def test_the_docs_name_every_key_and_type() -> None:
    from reqap.sources import mapping

    text = DOCS.read_text()
    for key in mapping._KEYS:
        assert f"`{key}`" in text or f"`[{key}]`" in text
    for kind in mapping.TYPES:
        assert f"`{kind}`" in text


# -- JSON Lines, JSON, CSV -------------------------------------------------------------------------


def test_json_lines() -> None:
    events, issues = read_path(trips(), TRIPS)
    assert [(e.start, e.end, e.offset, e.user_zone) for e in events] == [
        (datetime(2024, 3, 5, 17), datetime(2024, 3, 5, 18, 30), 60, True),
        (datetime(2024, 3, 31, 3), datetime(2024, 3, 31, 4, 30), 120, True),
        (datetime(2024, 3, 31, 3, 0, 0, 1000), datetime(2024, 3, 31, 3, 0, 0, 1000), 120, True),
    ]
    constants = {"vehicle": "train", "tags": ["rail", "travel"], "green": True}
    assert [e.data for e in events] == [
        {
            "city": "Oslo",
            "stops": ["Hamar", "Lillehammer"],
            "first_stop": "Hamar",
            "distance": 184.5,
            "distance_unit": "km",
            "price": "199.00 NOK",
            "night": False,
            "duration": 5400,
            "duration_unit": "seconds",
            **constants,
        },
        {
            "city": "Bergen",
            "distance": 10,
            "distance_unit": "km",
            "night": True,
            "duration": 5400,
            "duration_unit": "seconds",
            **constants,
        },
        constants,
    ]
    assert [(i.reason, i.origin.position, i.skipped) for i in issues] == [
        *[("a value could not be used", 4, False)] * 5,
        ("broken record", 5, True),
        ("broken record", 6, True),
        ("not a record", 7, True),
        ("broken JSON record", 8, True),
    ]
    assert [i.detail.split(":")[0] for i in issues[:5]] == [
        "trip.from",
        "km",
        "paid",
        "night",
        "len",
    ]
    assert "trip.id, is empty" in issues[6].detail


def test_json_arrays_and_arrays_under_a_key(tmp_path: Path) -> None:
    mapping = 'source = "s"\nkind = "k"\nfiles = "*.json"\nstart = "at"\n[data]\nx = "a.b"\n'
    rows = [{"at": "2024-03-05T10:00:00+02:00", "a": {"b": 7}}, {"at": "2024-03-05T10:00:00Z"}]
    path = write(tmp_path / "x.json", json.dumps(rows))
    events, _ = read_path(mapped_source(mapping, "m"), path)
    assert [(e.start, e.offset, e.user_zone, e.data) for e in events] == [
        (datetime(2024, 3, 5, 10), 120, False, {"x": 7}),
        (datetime(2024, 3, 5, 11), 60, True, {}),
    ]
    assert [e.origin.position for e in events] == [0, 1]
    under = write(tmp_path / "y.json", json.dumps({"v": 1, "rows": rows}))
    source = mapped_source('records = "rows"\n' + mapping, "m")
    again, _ = read_path(source, under)
    assert [e.id for e in again] == [e.id for e in events]
    assert '"b": 7' in source.raw(files(under)[0], 0)


def test_date_and_time_in_two_columns(tmp_path: Path) -> None:
    mapping = MINIMAL.replace('"when"', '["day", "clock"]') + 'end = ["day", "till"]\n'
    content = "day,clock,till\n2024-03-05,10:00,11:30\n2024-03-06,,\n"
    (first, second), issues = of_csv(tmp_path, mapping, content)
    assert (first.start, first.end) == (datetime(2024, 3, 5, 10), datetime(2024, 3, 5, 11, 30))
    assert (second.start, second.end) == (datetime(2024, 3, 6), datetime(2024, 3, 6, 23, 59, 59))
    assert issues == []


@pytest.mark.parametrize(
    ("zone", "start", "offset", "user_zone"),
    [
        ("user", datetime(2024, 3, 31, 1, 30), None, False),
        ("utc", datetime(2024, 3, 31, 3, 30), 120, True),
        ("America/New_York", datetime(2024, 3, 31, 1, 30), -240, False),
    ],
)
def test_time_zones(
    tmp_path: Path, zone: str, start: datetime, offset: int | None, user_zone: bool
) -> None:
    ((event,), _) = of_csv(
        tmp_path, MINIMAL + f'time_zone = "{zone}"\n', "when,x\n2024-03-31 01:30,1\n"
    )
    assert (event.start, event.offset, event.user_zone) == (start, offset, user_zone)


def test_a_bare_day_is_never_moved(tmp_path: Path) -> None:
    mapping = MINIMAL + 'time_zone = "utc"\n'
    ((event,), _) = of_csv(tmp_path, mapping, "when,x\n2024-03-31,1\n", zone="Asia/Tokyo")
    assert (event.start, event.end, event.offset) == (
        datetime(2024, 3, 31),
        datetime(2024, 3, 31, 23, 59, 59),
        None,
    )


def test_when_a_bare_day_ends(tmp_path: Path) -> None:
    mapping = MINIMAL + 'end = "to"\nduration = {column = "length", unit = "hours"}\n'
    content = """when,to,length
2024-03-05,,
2024-03-05,,2
2024-03-05,,30
2024-03-05,2024-03-06,
2024-03-05,2024-03-05 11:30,
2024-03-05,2024-03-04,
2024-03-05 10:00,,2
"""
    events, issues = of_csv(tmp_path, mapping, content)
    last = datetime(2024, 3, 5, 23, 59, 59)
    assert [e.end for e in events] == [
        last,
        last,  # some two hours of that day
        datetime(2024, 3, 6, 6),
        datetime(2024, 3, 6, 23, 59, 59),
        datetime(2024, 3, 5, 11, 30),
        last,
        datetime(2024, 3, 5, 12),
    ]
    assert [i.origin.position for i in issues] == [7]


def test_the_order_of_day_and_month(tmp_path: Path) -> None:
    unclear = "when,x\n03/04/2024,1\n05/04/2024,2\n"
    events, issues = of_csv(tmp_path, MINIMAL, unclear)
    assert events == []
    assert [i.reason for i in issues] == ["day and month cannot be told apart"] * 2
    assert "date_order" in issues[0].detail
    events, _ = of_csv(tmp_path, MINIMAL, unclear, order="MDY")
    assert [e.start.month for e in events] == [3, 5]
    events, _ = of_csv(tmp_path, MINIMAL + 'date_order = "dmy"\n', unclear, order="MDY")
    assert [e.start.month for e in events] == [4, 4]
    events, _ = of_csv(tmp_path, MINIMAL, unclear + "25/04/2024,3\n")
    assert [e.start.month for e in events] == [4, 4, 4]


def test_decimals_are_decided_over_the_file(tmp_path: Path) -> None:
    mapping = MINIMAL + '[data]\nn = {column = "n", type = "number"}\n'
    content = 'when;n\n2024-03-05;"1.234"\n2024-03-06;"2,5"\n2024-03-07;-\n'
    events, issues = of_csv(tmp_path, mapping, content)
    assert [e.data for e in events] == [{"n": 1234}, {"n": 2.5}, {}]
    assert issues == []


def test_all_types(tmp_path: Path) -> None:
    types = ("text", "number", "money", "duration", "date", "datetime", "time", "bool", "list")
    mapping = MINIMAL + "[data]\n"
    mapping += "".join(f'c_{t} = {{column = "{t}", type = "{t}"}}\n' for t in types)
    mapping = mapping.replace('type = "duration"', 'type = "duration", unit = "minutes"')
    row = "2024-03-05|007|1.5|€ 3|90|2024-03-06|2024-03-06 07:08|7:08 pm|yes|a, b and c"
    content = f"when|{'|'.join(types)}\n{row}\n2024-03-06{'|' * 9}\n"
    (full, empty), issues = of_csv(tmp_path, mapping, content)
    assert full.data == {
        "c_text": "007",
        "c_number": 1.5,
        "c_money": "3.00 EUR",
        "c_duration": 5400,
        "c_duration_unit": "seconds",
        "c_date": "2024-03-06",
        "c_datetime": "2024-03-06T07:08:00",
        "c_time": "19:08:00",
        "c_bool": True,
        "c_list": ["a", "b", "c"],
    }
    assert (empty.data, issues) == ({}, [])


def test_an_end_before_the_start(tmp_path: Path) -> None:
    ((event,), (issue,)) = of_csv(
        tmp_path, MINIMAL + 'end = "to"\n', "when,to\n2024-03-05 10:00,2024-03-05 09:00\n"
    )
    assert event.start == event.end
    assert "lies before the start" in issue.detail
    assert not issue.skipped


def test_identity(tmp_path: Path) -> None:
    content = "no,when,x\n1,2024-03-05,a\n2,2024-03-05,a\n1,2024-03-06,b\n"
    mapping = MINIMAL + '[data]\nx = "x"\n'
    first, _ = of_csv(tmp_path, mapping, content)
    assert len({e.id for e in first}) == 2  # without an id, rows 1 and 2 tell the same
    named, _ = of_csv(tmp_path, 'id = "no"\n' + mapping, content)
    assert named[0].id == named[2].id != named[1].id
    moved, _ = of_csv(tmp_path, mapping, content, zone="Asia/Tokyo")
    assert [e.id for e in moved] == [e.id for e in first]


def test_columns_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(ExportProblem, match="'when'; there are: date, x"):
        of_csv(tmp_path, MINIMAL, "date,x\n2024-03-05,1\n")
    events, issues = of_csv(tmp_path, MINIMAL + '[data]\ny = "Y"\n', "when,x\n2024-03-05,1\n")
    assert len(events) == 1
    assert [(i.reason, i.skipped) for i in issues] == [
        ("a column of the mapping is missing", False)
    ]


def test_columns_of_the_same_name_are_numbered(tmp_path: Path) -> None:
    mapping = MINIMAL + '[data]\na = "km"\nb = "km (2)"\n'
    (event,), issues = of_csv(tmp_path, mapping, "when,km,km\n2024-03-05,1,1.25\n")
    assert (event.data, issues) == ({"a": "1", "b": "1.25"}, [])


def test_raw(tmp_path: Path) -> None:
    path = write(tmp_path / "x.csv", "when,x\n2024-03-05,1\n2024-03-06,2\n")
    assert mapped_source(MINIMAL, "m").raw(files(path)[0], 3) == "when: 2024-03-06\nx: 2"
    assert '"from": "Bergen"' in trips().raw(files(TRIPS)[0], 2)
    assert trips().raw(files(TRIPS)[0], 99) == ""


def test_mappings_are_found_again(tmp_path: Path) -> None:
    mapping = 'source = "s"\nkind = "k"\nfiles = "*.json"\nstart = "at"\n'
    data = write(tmp_path / "a" / "b" / "x.json", '{"rows": [{"at": 1}, {"at": 2}]}')
    (file,) = files(data)
    assert find_again("s", file) is None
    above = write(tmp_path / "m.reqap.toml", 'records = "rows"\n' + mapping)
    found = find_again("s", file)
    assert found is not None
    assert '"at": 2' in found.raw(file, 1)
    assert '"at": 1' not in found.raw(file, 1)
    assert find_again("other", file) is None
    write(tmp_path / "a" / "broken.reqap.toml", "source = 1")
    assert find_again("s", file) is not None
    write(above, ('records = "rows"\n' + mapping).replace("*.json", "other.json"))
    assert find_again("s", file) is None


def test_the_stamp_changes_with_the_mapping() -> None:
    one, two = mapped_source(MINIMAL, "m"), mapped_source(MINIMAL + "\n", "m")
    assert one.stamp(context()) != two.stamp(context())
    assert one.stamp(context()) != one.stamp(context(date_order=DateOrder.DMY))


# -- finding mappings ------------------------------------------------------------------------------


def test_find_mappings(tmp_path: Path) -> None:
    data = write(tmp_path / "a" / "x.csv", "when\n2024-03-05\n")
    far = write(tmp_path / "b" / "x.csv", "when\n2024-03-05\n")
    below = write(tmp_path / "a" / "deep" / "X.CSV", "when\n2024-03-05\n")
    beside = write(tmp_path / "a" / "x.reqap.toml", MINIMAL)
    named = write(tmp_path / "own.toml", MINIMAL)

    def claimed(sources: list[Source]) -> list[Path]:
        (source,) = sources
        found = files(tmp_path)
        return [Path(f.name) for f in found if read_path(source, Path(f.name))[0]]

    assert claimed(find_mappings([tmp_path])) == [data, below]
    assert claimed(find_mappings([data])) == [data, below]
    assert claimed(find_mappings([named])) == [data, below, far]
    assert claimed(find_mappings([beside])) == [data, below, far]
    assert len(find_mappings([tmp_path, data, beside])) == 1
    assert find_mappings([tmp_path / "b", tmp_path / "missing"]) == []


def test_mappings_inside_archives(tmp_path: Path) -> None:
    archive = tmp_path / "all.zip"
    with zipfile.ZipFile(archive, "w") as target:
        target.writestr("mine/x.csv", "when\n2024-03-05\n")
        target.writestr("mine/m.reqap.toml", MINIMAL)
        target.writestr("x.csv", "when\n2024-03-05\n")
    (source,) = find_mappings([archive])
    events, _ = read_path(source, archive)
    assert [e.origin.file for e in events] == [f"{archive}!mine/x.csv"]


def test_archives_with_broken_tables_have_no_mappings(tmp_path: Path) -> None:
    archive = tmp_path / "x.zip"
    with zipfile.ZipFile(archive, "w") as target:
        target.writestr("é.reqap.toml", MINIMAL)
    assert len(find_mappings([archive])) == 1
    write(archive, archive.read_bytes().replace("é".encode(), b"\xe9x"))
    assert find_mappings([archive]) == []


# -- wrong mappings --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("end = = 5\n", "m.toml is not valid TOML: .*line 5"),
        ("sorce = 1\n", "m.toml, line 5: sorce is not a key .* did you mean source"),
        ("date_order = 'day first'\n", 'line 5: date_order must be "dmy", "mdy" or "ymd"'),
        ("decimal = ';'\n", "line 5: decimal must be"),
        ("time_zone = 'Berlin'\n", "line 5: time_zone is 'Berlin'; must be"),
        ("end = 5\n", "line 5: end must be a column"),
        ("end = ['a', 'b', 'c']\n", "line 5: end must be a column"),
        ("end = {column = 'x', type = 'epoch', unit = 'weeks'}\n", "units are s, ms, us, ns"),
        ("id = []\n", "line 5: id must be a text or a list of texts"),
        ("data = 5\n", "line 5: data must be a table"),
        ("\n[data]\nBig = 'x'\n", r"line 7: data.Big must be a name"),
        ("[data]\na = {type = 'money'}\n", "line 6: data.a names no column"),
        ("[data]\na = {column = 'x', kind = 'money'}\n", "has 'kind' in it; accepted are column"),
        ("[data]\na = {column = 'x', type = 'cash'}\n", "the type 'cash'; there are text, number"),
        ("[data]\na = {column = 'x', currency = 'XQX'}\n", "line 6: data.a cannot be used"),
        ("[data]\na = {column = 'x', type = 'duration', unit = 'kg'}\n", "a unit of time"),
        ("[data]\na = {column = 'x', unit = 'kg'}\n", 'only with type = "number" or "duration"'),
        ("[data]\na = 5\n", "line 6: data.a must be written"),
        ("[constants]\na = inf\n", "line 6: constants.a must be a text, a number"),
        ("[constants]\na = 2024-01-01\n", "line 6: constants.a must be a text, a number"),
    ],
)
def test_a_wrong_mapping_is_told_with_line_and_key(change: str, told: str) -> None:
    with pytest.raises(MappingProblem, match=told):
        parse_mapping(MINIMAL + change, "m.toml")


@pytest.mark.parametrize("key", ["source", "kind", "files", "start"])
def test_what_is_required(key: str) -> None:
    text = "".join(f"{line}\n" for line in MINIMAL.splitlines() if not line.startswith(key))
    with pytest.raises(MappingProblem, match=f"m.toml: {key} is missing; expected is"):
        parse_mapping(text, "m.toml")


def test_reserved_and_odd_names() -> None:
    for name in ("profile", "My Loans", "", "1st"):
        with pytest.raises(MappingProblem, match="line 1: source must"):
            parse_mapping(MINIMAL.replace('"s"', f'"{name}"'), "m.toml")


_toml = st.recursive(
    st.sampled_from(['"x"', "1", "1.5", "true", "2024-01-01", '""', '"user"', "inf"]),
    lambda inner: (
        st.lists(inner, max_size=2).map(lambda v: f"[{', '.join(v)}]")
        | st.dictionaries(st.sampled_from(["column", "type", "unit", "currency"]), inner).map(
            lambda d: "{" + ", ".join(f"{k} = {v}" for k, v in d.items()) + "}"
        )
    ),
    max_leaves=5,
)
_KEYS = st.sampled_from(
    [
        "source",
        "kind",
        "files",
        "start",
        "end",
        "duration",
        "id",
        "date_order",
        "time_zone",
        "data",
        "constants",
        "title",
    ]
)


@given(st.dictionaries(_KEYS, _toml))
def test_any_mapping_is_right_or_a_mapping_problem(table: dict[str, str]) -> None:
    with suppress(MappingProblem):
        parse_mapping("".join(f"{key} = {value}\n" for key, value in table.items()), "m.toml")


@given(damaged(TRIPS.read_bytes()))
def test_fuzz_json_lines(content: bytes) -> None:
    survives(trips(), content, "trips.jsonl")


@given(damaged((DATA / "mapped" / "loans.csv").read_bytes()))
def test_fuzz_csv(content: bytes) -> None:
    survives(mapped_source(_blocks()["toml"], "m"), content, "loans.csv")


_cells = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["id", "from", "stops", "0"]), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(
    st.lists(st.dictionaries(st.sampled_from(["trip", "t0", "len", "km", "paid", "night"]), _cells))
)
def test_fuzz_wrong_types(rows: list[dict[str, object]]) -> None:
    survives(trips(), json.dumps(rows).encode(), "trips.json")
