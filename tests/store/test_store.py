"""The store: what counts as the same event, forgetting, opening, migrating."""

import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reqap.columns import to_arrow
from reqap.errors import NotFound, StoreBusy, StoreProblem
from reqap.events import Event, Origin, event_id
from reqap.store import Store
from reqap.store import schema as schema_module

DAY = datetime(2024, 5, 1, 12, 0)


def an_event(
    name: str,
    text: str = "",
    *,
    hour: int = 0,
    twin: str = "",
    coarse: bool = False,
    revision: int = 0,
    source: str = "diary",
    kind: str = "note",
) -> Event:
    start = DAY + timedelta(hours=hour)
    return Event(
        event_id(source, name), source, kind, start, start, None, {"name": name, "text": text},
        Origin("f", 0), twin=twin, coarse=coarse, revision=revision,
    )  # fmt: skip


def put(store: Store, *files: Sequence[Event], source: str = "diary") -> list[tuple[int, int, int]]:
    """One import of some files; (new, updated, known) per source."""
    with store.importing(["somewhere"]) as ingest:
        for number, events in enumerate(files):
            name = f"f{ingest.import_id}.{number}"
            file_id = ingest.add_file(source, name, 10, "v1", f"print {name}")
            if events:
                ingest.add(file_id, to_arrow(events))
        return [(o.new, o.updated, o.known) for o in ingest.merge()]


def names(events: Iterable[Event]) -> list[object]:
    return [event.data["name"] for event in events]


def texts(store: Store) -> dict[str, object]:
    return {str(e.data["name"]): e.data["text"] for e in store.scan()}


@pytest.fixture
def store() -> Iterator[Store]:
    with Store.open(None) as opened:
        yield opened


def test_the_same_event_again_is_known(store: Store) -> None:
    assert put(store, [an_event("a"), an_event("b")]) == [(2, 0, 0)]
    assert put(store, [an_event("b"), an_event("c")]) == [(1, 0, 1)]
    assert len(list(store.scan())) == 3


def test_repeats_within_one_import_count_once(store: Store) -> None:
    assert put(store, [an_event("a"), an_event("a")], [an_event("a"), an_event("b")]) == [(2, 0, 2)]


def test_a_later_revision_replaces_and_an_earlier_one_does_not(store: Store) -> None:
    put(store, [an_event("a", "second thoughts", revision=2)])
    assert put(store, [an_event("a", "first thoughts, at length", revision=1)]) == [(0, 0, 1)]
    assert put(store, [an_event("a", "third", revision=3)]) == [(0, 1, 0)]
    assert texts(store) == {"a": "third"}


def test_a_later_revision_that_says_the_same_is_known(store: Store) -> None:
    put(store, [an_event("a", "x", revision=1)])
    assert put(store, [an_event("a", "x", revision=3)]) == [(0, 0, 1)]
    assert put(store, [an_event("a", "between", revision=2)]) == [(0, 0, 1)]
    assert texts(store) == {"a": "x"}


def test_of_equal_revisions_the_fuller_one_stays(store: Store) -> None:
    put(store, [an_event("a", "short")])
    assert put(store, [an_event("a", "longer than that")]) == [(0, 1, 0)]
    assert put(store, [an_event("a", "short")]) == [(0, 0, 1)]
    assert texts(store) == {"a": "longer than that"}


def test_coarse_tellings_give_way_in_either_order(store: Store) -> None:
    coarse, fine = an_event("c", twin="t", coarse=True), an_event("f", twin="t")
    alone = an_event("alone", twin="u", coarse=True)
    assert put(store, [coarse, alone]) == [(2, 0, 0)]
    assert put(store, [fine]) == [(0, 1, 0)]
    assert put(store, [coarse, alone], [fine]) == [(0, 0, 3)]
    assert set(texts(store)) == {"f", "alone"}


@settings(max_examples=25)
@given(
    st.lists(
        st.lists(
            st.builds(
                an_event,
                st.sampled_from("abc"),
                st.sampled_from(["", "x", "yy"]),
                revision=st.integers(0, 1),
            ),
            max_size=4,
        ),
        min_size=2,
        max_size=3,
    )
)
def test_the_order_of_imports_does_not_matter(batches: list[list[Event]]) -> None:
    results = []
    for order in (batches, batches[::-1]):
        with Store.open(None) as store:
            for batch in order:
                put(store, batch)
            results.append(texts(store))
    assert all(result == results[0] for result in results)


def any_telling() -> st.SearchStrategy[Event]:
    def build(name: str, text: str, revision: int, twin: str, coarse: bool, whole: int) -> Event:
        # Whether an id is coarse and which twin it has is part of what it is.
        event = an_event(f"{name}{twin}{coarse}", text, revision=revision, twin=twin, coarse=coarse)
        return event._replace(series=name if whole else "", series_revision=whole)

    return st.builds(
        build,
        st.sampled_from("ab"),
        st.sampled_from(["", "x", "yy"]),
        st.integers(0, 1),
        st.sampled_from(["", "t"]),
        st.just(False) | st.booleans(),
        st.sampled_from([0, 0, 1, 2]),
    )


def test_an_older_whole_counts_again_when_the_newer_one_is_forgotten(store: Store) -> None:
    first = an_event("b")._replace(series="s", series_revision=1)
    newer = an_event("other")._replace(series="s", series_revision=2)
    put(store, [first])
    put(store, [newer])  # a newer whole that lacks it
    put(store, [an_event("b", "told alone")])
    assert texts(store) == {"other": "", "b": "told alone"}
    store.forget_import(store.imports()[1].id)
    assert texts(store) == {"b": ""}


@settings(max_examples=25)
@given(st.lists(st.lists(any_telling(), max_size=4), min_size=1, max_size=4), st.data())
def test_forgetting_is_as_if_it_had_never_been_imported(
    batches: list[list[Event]], data: st.DataObject
) -> None:
    forgotten = data.draw(st.integers(0, len(batches) - 1))
    with Store.open(None) as store, Store.open(None) as other:
        numbers = []
        for number, batch in enumerate(batches):
            put(store, one_whole(batch))
            numbers.append(store.imports()[-1].id if store.imports() else 0)
            if number != forgotten:
                put(other, one_whole(batch))
        store.forget_import(numbers[forgotten])
        assert texts(store) == texts(other)


def one_whole(batch: list[Event]) -> list[Event]:
    """A file tells one whole of a series, with one revision."""
    newest = {
        e.series: max(o.series_revision for o in batch if o.series == e.series) for e in batch
    }
    return [e._replace(series_revision=newest[e.series] if e.series else 0) for e in batch]


def test_what_a_file_tells_on_its_own_outlives_an_old_whole_that_has_it(store: Store) -> None:
    newer = an_event("b")._replace(series="s", series_revision=2)
    older = an_event("a")._replace(series="s", series_revision=1)
    for batch in ([an_event("a")], [newer], [older]):
        put(store, batch)
    assert set(texts(store)) == {"a", "b"}
    store.forget_import(1)
    assert set(texts(store)) == {"b"}


def test_forgetting_an_import_keeps_what_another_told(store: Store) -> None:
    put(store, [an_event("a"), an_event("b")])
    put(store, [an_event("b"), an_event("c")])
    assert store.forget_import(1) == 1
    assert set(texts(store)) == {"b", "c"}
    assert store.forget_import(2) == 2
    assert (store.imports(), list(store.scan())) == ([], [])


def test_forgetting_the_better_telling_brings_back_the_other(store: Store) -> None:
    put(store, [an_event("a", "old", revision=1), an_event("c", "", twin="t", coarse=True)])
    put(store, [an_event("a", "new", revision=2), an_event("f", "", twin="t")])
    assert set(texts(store).items()) == {("a", "new"), ("f", "")}
    store.forget_import(2)
    assert set(texts(store).items()) == {("a", "old"), ("c", "")}


def test_words_that_came_again_do_not_outlive_the_file_that_told_them_again(store: Store) -> None:
    put(store, [an_event("a", "old", revision=1)])
    put(store, [an_event("a", "other", revision=2)])
    put(store, [an_event("a", "old", revision=3)])
    assert texts(store) == {"a": "old"}
    store.forget_import(3)
    assert texts(store) == {"a": "other"}
    store.forget_import(2)
    assert texts(store) == {"a": "old"}


def test_odd_values_are_made_storable(store: Store) -> None:
    odd = an_event("a")._replace(
        data={"name": "n\x00ul", "text": "half \ud83d", "big": 10**30, "list": ["\x00x", 1]}
    )
    literal = an_event("b", "a \\u0000 written out")
    put(store, [odd, literal])
    first, second = sorted(store.scan(), key=lambda event: str(event.data["name"]) == "nul")
    assert first.data["text"] == "a \\u0000 written out"
    assert second.data == {"name": "nul", "text": "half ?", "big": str(10**30), "list": ["x", 1]}


def test_forgetting_removes_what_only_it_told(store: Store) -> None:
    """Two files say the same, a third says more: its words go with it."""
    put(store, [an_event("a", "one")])
    put(store, [an_event("a", "SECRET, and longer")])
    put(store, [an_event("a", "one")])
    store.forget_import(2)
    assert texts(store) == {"a": "one"}
    store.forget_import(1)
    assert texts(store) == {"a": "one"}


def test_a_coarse_telling_survives_as_long_as_one_file_tells_it(store: Store) -> None:
    coarse, fine = an_event("c", twin="t", coarse=True), an_event("f", twin="t")
    put(store, [coarse])
    put(store, [coarse])
    put(store, [fine])
    store.forget_import(1)
    store.forget_import(3)
    assert set(texts(store)) == {"c"}


def test_a_fine_telling_that_comes_back_keeps_its_coarse_twin_away(store: Store) -> None:
    put(store, [an_event("c", twin="t", coarse=True)])
    put(store, [an_event("f", "fine", twin="t")])
    put(store, [an_event("f", "finer still", twin="t")])
    store.forget_import(3)
    assert texts(store) == {"f": "fine"}


def test_several_coarse_tellings_may_give_way_to_one(store: Store) -> None:
    put(store, [an_event(name, twin="t", coarse=True) for name in "abc"])
    assert put(store, [an_event("f", twin="t")]) == [(0, 1, 0)]
    assert set(texts(store)) == {"f"}


def in_series(name: str, revision: int) -> Event:
    return an_event(name)._replace(series="weekly", series_revision=revision)


def test_a_newer_whole_takes_the_place_of_an_older_one(store: Store) -> None:
    put(store, [in_series("mon 9:00", 1), in_series("tue 9:00", 1)])
    assert put(store, [in_series("mon 10:00", 2), in_series("tue 9:00", 2)]) == [(1, 0, 1)]
    assert set(texts(store)) == {"mon 10:00", "tue 9:00"}
    put(store, [in_series("mon 9:00", 1)])
    assert set(texts(store)) == {"mon 10:00", "tue 9:00"}
    store.forget_import(2)
    assert set(texts(store)) == {"mon 9:00", "tue 9:00"}


@pytest.mark.parametrize("newest_first", [False, True])
def test_a_retraction_takes_back_older_tellings(store: Store, newest_first: bool) -> None:
    for step in (1, 0) if newest_first else (0, 1):
        with store.importing(["x"]) as ingest:
            file_id = ingest.add_file("diary", f"f{step}", 1, "v1", f"print {step}")
            if step == 0:
                ingest.add(file_id, to_arrow([in_series("mon", 1), an_event("other")]))
            else:
                ingest.retract(file_id, "weekly", 2)
            ingest.merge()
    assert set(texts(store)) == {"other"}
    store.forget_import(1 if newest_first else 2)
    assert set(texts(store)) == {"mon", "other"}


def test_a_file_that_is_read_in_another_way_replaces_its_first_reading(store: Store) -> None:
    put(store, [an_event("3rd of April", "wrong, at length"), an_event("same")])
    with store.importing(["x"]) as ingest:
        file_id = ingest.add_file("diary", "f", 10, "v2", "print f1.0")
        ingest.add(file_id, to_arrow([an_event("4th of March", "right"), an_event("same")]))
        [outcome] = ingest.merge()
    assert (outcome.new, outcome.updated, outcome.known) == (1, 0, 1)
    assert texts(store) == {"4th of March": "right", "same": ""}
    assert store.forget_import(1) == 0  # its file lives on in the second import
    assert store.forget_import(2) == 2


def test_a_file_that_was_cut_short_is_replaced_when_it_is_read_again(store: Store) -> None:
    for _ in range(3):
        with store.importing(["x"]) as ingest:
            assert ingest.known_file("diary", "v1", "p", "f") is None
            file_id = ingest.add_file("diary", "f", 1, "v1", "p")
            ingest.add(file_id, to_arrow([an_event("a")]))
            ingest.mark_cut_short(file_id)
            ingest.merge()
    count = "SELECT (SELECT count(*) FROM files), (SELECT count(*) FROM sightings)"
    assert store.connection.execute(count).fetchone() == (1, 0)
    assert set(texts(store)) == {"a"}


def test_forgetting_a_source_leaves_the_others(store: Store) -> None:
    put(store, [an_event("a")])
    put(store, [an_event("b", source="mail")], source="mail")
    assert store.forget_source("mail") == 1
    assert set(texts(store)) == {"a"}


def test_an_unchanged_file_is_known_and_shared_between_imports(store: Store) -> None:
    put(store, [an_event("a")])
    with store.importing(["again"]) as ingest:
        assert ingest.known_file("diary", "v1", "print f1.0", "moved") == (1, 1, DAY, DAY)
        assert ingest.known_file("diary", "v1", "another print", "x") is None
        assert ingest.known_file("diary", "v2", "print f1.0", "x") is None
    assert store.file(1).name == "moved"
    assert store.forget_import(1) == 0
    assert set(texts(store)) == {"a"}
    assert store.forget_import(2) == 1


def test_scans_by_kind_time_and_id(store: Store) -> None:
    put(store, [an_event("a"), an_event("b", hour=5, kind="mail"), an_event("c", hour=9)])
    assert names(store.scan(kinds=["note"])) == ["a", "c"]
    assert names(store.scan(start=DAY + timedelta(hours=1))) == ["b", "c"]
    assert names(store.scan(end=DAY + timedelta(hours=5))) == ["a"]
    assert names(store.scan(ids=[event_id("diary", "b")])) == ["b"]
    assert names(store.scan(newest_first=True, limit=1)) == ["c"]


def test_find_takes_a_unique_beginning(store: Store) -> None:
    put(store, [an_event("a"), an_event("b")])
    whole = event_id("diary", "a")
    assert store.find(whole[:6]).event.data["name"] == "a"
    for wrong in ("", "nothere"):
        with pytest.raises(NotFound):
            store.find(wrong)


def test_a_failing_import_leaves_the_store_as_it_was(store: Store) -> None:
    put(store, [an_event("a")])

    def interrupted() -> None:
        with store.importing(["x"]) as ingest:
            ingest.add(ingest.add_file("diary", "f", 1, "v1", "p"), to_arrow([an_event("b")]))
            ingest.merge()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert set(texts(store)) == {"a"}
    assert len(store.imports()) == 1
    assert put(store, [an_event("b")]) == [(1, 0, 0)]


def test_a_dry_run_changes_nothing(store: Store) -> None:
    with store.importing(["x"], dry_run=True) as ingest:
        ingest.add(ingest.add_file("diary", "f", 1, "v1", "p"), to_arrow([an_event("b")]))
        assert ingest.merge()[0].new == 1
    assert texts(store) == {}


def test_a_new_zone_moves_only_what_was_placed_by_the_old_one(store: Store) -> None:
    moved = an_event("moved")._replace(offset=120, user_zone=True)
    over_change = Event(
        "x", "diary", "note", datetime(2024, 10, 27, 1, 0), datetime(2024, 10, 27, 4, 0), 120,
        {"name": "night", "text": ""}, Origin("f", 0), user_zone=True,
    )  # fmt: skip
    with store.importing(["x"]) as ingest:
        ingest.pin_zone("Europe/Berlin")
        file_id = ingest.add_file("diary", "f", 1, "v1", "p")
        ingest.add(file_id, to_arrow([moved, an_event("stays"), over_change]))
        ingest.merge()
    assert store.save_profile("{}", [], "America/New_York") == 2
    found = {e.data["name"]: e for e in store.scan()}
    assert (found["moved"].start, found["moved"].offset) == (DAY - timedelta(hours=6), -240)
    assert found["stays"].start == DAY
    # 01:00 CEST to 04:00 CET are four hours, in New York too.
    assert found["night"].start == datetime(2024, 10, 26, 19, 0)
    assert found["night"].end == datetime(2024, 10, 26, 23, 0)
    assert store.save_profile("{}", [], "Europe/Berlin") == 2
    assert {e.data["name"]: e.start for e in store.scan()}["moved"] == DAY


def test_profile_facts_are_replaced_not_added(store: Store) -> None:
    fact = an_event("job", source="profile", kind="profile")
    store.save_profile('{"name": "A"}', [fact], "UTC")
    store.save_profile('{"name": "B"}', [fact], "UTC")
    assert len(list(store.scan(kinds=["profile"]))) == 1
    assert store.load_profile() == '{"name": "B"}'


def test_what_was_forgotten_can_no_longer_be_read_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "it's life.duckdb"
    with Store.open(path) as store:
        put(store, [an_event("a", "a word that is unheard-of")])
        put(store, [an_event("b")])
        store.connection.execute("CHECKPOINT")
        assert b"unheard-of" in path.read_bytes()
        store.forget_import(1)
        store.compact()
        assert set(texts(store)) == {"b"}
    assert b"unheard-of" not in path.read_bytes()


def test_a_second_process_gets_a_clear_message(tmp_path: Path) -> None:
    path = tmp_path / "life.duckdb"
    hold = (
        "import sys; from pathlib import Path; from reqap.store import Store\n"
        f"store = Store.open(Path({str(path)!r})); print('open', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", hold], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"open\n"
        with pytest.raises(StoreBusy, match=f"in use by another program.*{other.pid}"):
            Store.open(path)
        other.kill()


def test_a_process_that_dies_in_an_import_leaves_the_store_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "life.duckdb"
    with Store.open(path) as store:
        put(store, [an_event("a")])
    die = (
        "import os; from pathlib import Path; from reqap.store import Store\n"
        "from tests.store.test_store import an_event, to_arrow\n"
        f"store = Store.open(Path({str(path)!r}))\n"
        "with store.importing(['x']) as ingest:\n"
        "    ingest.add(ingest.add_file('diary', 'f', 1, 'v1', 'p'), to_arrow([an_event('b')]))\n"
        "    ingest.merge(); os.kill(os.getpid(), 9)"
    )
    assert subprocess.run([sys.executable, "-c", die], check=False).returncode == -9
    with Store.open(path) as store:
        assert set(texts(store)) == {"a"}


def test_a_full_disk_leaves_the_store_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "life.duckdb"
    with Store.open(path) as store:
        put(store, [an_event("a")])
    fill = (
        "import resource, random; from pathlib import Path; from reqap.store import Store\n"
        "from reqap.errors import StoreProblem\n"
        "from tests.store.test_store import an_event, to_arrow\n"
        f"store = Store.open(Path({str(path)!r}))\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4_000_000, 4_000_000))\n"
        "try:\n"
        "    with store.importing(['x']) as ingest:\n"
        "        file = ingest.add_file('diary', 'f', 1, 'v1', 'p')\n"
        "        for n in range(400):\n"
        "            ingest.add(file, to_arrow([an_event(f'{n}/{m}', random.randbytes(200).hex())"
        " for m in range(1000)]))\n"
        "        ingest.merge()\n"
        "except StoreProblem as error:\n"
        "    print('PROBLEM', error)"
    )
    done = subprocess.run([sys.executable, "-c", fill], check=False, capture_output=True, text=True)
    assert "PROBLEM" in done.stdout, done.stderr
    with Store.open(path) as store:
        assert set(texts(store)) == {"a"}


def test_what_is_not_a_store_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "life.duckdb"
    path.write_bytes(b"this is not a database" * 1000)
    with pytest.raises(StoreProblem, match="cannot be opened as a store"):
        Store.open(path)
    with pytest.raises(NotFound, match="reqap import"):
        Store.open(tmp_path / "nothing.duckdb", read_only=True)


def test_a_store_from_the_future_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "life.duckdb"
    Store.open(path).close()
    with duckdb.connect(str(path)) as connection:
        connection.execute("INSERT INTO migrations VALUES (999, now()::TIMESTAMP)")
    with pytest.raises(StoreProblem, match="newer version"):
        Store.open(path)


def test_migrations_are_taken_together_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "life.duckdb"
    with Store.open(path) as store:
        put(store, [an_event("a")])
    taken = schema_module.MIGRATIONS
    monkeypatch.setattr(
        schema_module, "MIGRATIONS", (*taken, "CREATE TABLE more (n INT)", "NOT SQL AT ALL")
    )
    with pytest.raises(duckdb.Error):
        Store.open(path)
    monkeypatch.setattr(schema_module, "MIGRATIONS", (*taken, "CREATE TABLE more (n INT)"))
    with Store.open(path) as store:
        assert set(texts(store)) == {"a"}
        assert schema_module.version_of(store.connection) == len(taken) + 1
        assert store.connection.execute("SELECT count(*) FROM more").fetchone() == (0,)


def test_no_extension_is_ever_fetched(store: Store) -> None:
    rows = store.connection.execute(
        "SELECT value FROM duckdb_settings() WHERE name IN"
        " ('autoinstall_known_extensions', 'autoload_known_extensions')"
    ).fetchall()
    assert rows == [("false",), ("false",)]
