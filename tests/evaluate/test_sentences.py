"""What people plainly say, as it is measured."""

from reqap.evaluate.finding import plain
from reqap.evaluate.report import kept_lines
from reqap.evaluate.sentences import named, table
from reqap.retrieve.shipped import networks
from reqap.train.retrieve_lesson import written
from reqap.verbalize import TELLINGS


def test_sets_are_whole_and_not_learnt() -> None:
    learnt = {plain(query) for one in written("sentences") for query in one["queries"]}
    for one in kept_lines("sentences"):
        assert len(one["queries"]) == 3
        assert learnt.isdisjoint(plain(query) for query in one["queries"])
        assert {it["kind"] for it in (*one["yes"], *one["no"])} <= set(TELLINGS)


def test_who_is_meant_stands_behind_a_query() -> None:
    assert named("tea with my aunt", {"my aunt": ["Rosa", "Tía"]}) == "tea with my aunt (Rosa, Tía)"
    assert named("tea", {"my aunt": ["Rosa"]}) == "tea"
    assert named("my grandmother", {"gran": ["Edith"]}) == "my grandmother"
    both = {"Mum": ["Ilse"], "my mum": ["Ilse"]}
    assert named("walks with my mum", both) == "walks with my mum (Ilse)"


def test_what_is_plainly_told_is_found() -> None:
    *_, last = table(networks())
    _, name, found, wrong, _ = (cell.strip() for cell in last.split("|"))
    assert name == "all"
    assert float(found.split()[0]) > 0.3
    assert float(wrong.split()[0]) < 0.2
