"""The cascade, with a reader whose words are known."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from reqap.retrieve.cascade import USUAL, Care, Decision, decide, without_head
from reqap.retrieve.index import Texts
from reqap.retrieve.networks import Asked
from reqap.verbalize import ALL_OF

Floats = npt.NDArray[np.float32]


class Rows(Texts):
    """Texts that are not in a store."""

    def __init__(self, kinds: list[str]) -> None:
        self.kinds = kinds
        self.ids = np.arange(len(kinds), dtype=np.int32)

    def sparse(self, query: dict[int, float]) -> tuple[Floats, Floats]:
        nothing = np.zeros(len(self), np.float32)
        return nothing, nothing

    def said(self, query: dict[int, float]) -> Floats:
        return np.array([kind == "named" for kind in self.kinds], np.float32)

    def vectors(self, rows: npt.NDArray[np.int64]) -> Floats:
        return np.zeros((len(rows), 2), np.float32)


class Scripted:
    """Says of texts what it is told to say; counts what it reads."""

    def __init__(self, chances: list[float], said: dict[str, tuple[float, float, float]]) -> None:
        self._chances, self._said = chances, said
        self.texts: list[str] = []

    def asked(self, query: str) -> Asked:
        self._left = self._chances
        return Asked(np.zeros(2, np.float32), {})

    def judged(self, asked: Asked, vectors: Floats, sparse: Floats, share: Floats) -> Floats:
        """Texts come in portions, in order."""
        now, self._left = self._left[: len(vectors)], self._left[len(vectors) :]
        return np.array(now, np.float32)

    def read(self, query: str, texts: Sequence[str]) -> Floats:
        self.texts += texts
        said = [self._said.get(text, (0.1, 0.8, 0.1)) for text in texts]
        return np.array(said, np.float32).reshape(-1, 3)


def decided(
    kinds: list[str],
    reader: Scripted,
    patterns: list[list[str]] | None = None,
    care: Care = USUAL,
    query: str = "q",
    measuring: frozenset[str] = frozenset(),
    named: Mapping[int, str] | None = None,
    plainly: Sequence[int] = (),
) -> dict[int, Decision]:
    known = Described(patterns or [[kind] for kind in kinds], measuring, named or {}, plainly)
    return decide(query, reader, Rows(kinds), known, care)


class Described:
    """What is known of texts that are not in a store."""

    def __init__(
        self,
        patterns: list[list[str]],
        measuring: frozenset[str],
        named: Mapping[int, str],
        plainly: Sequence[int],
    ) -> None:
        self._patterns, self._measuring, self._named = patterns, measuring, named
        self._plainly = plainly

    def plainly(self, query: str) -> Sequence[int]:
        return self._plainly

    def facts(self, query: str) -> list[int]:
        return [row for row, (kind, *_) in enumerate(self._patterns) if query == f"the {kind}"]

    def measuring(self, query: str) -> frozenset[str]:
        return self._measuring

    def named(self, query: str) -> Mapping[int, str]:
        return self._named

    def silent(self, query: str) -> frozenset[str]:
        return frozenset({"daily_activity"} if query == "my walks" else ())

    def describe(self, rows: Sequence[int]) -> list[tuple[str, list[str]]]:
        return [(f"text {row}", self._patterns[row]) for row in rows]

    def having(self, pattern: str) -> list[int]:
        return [row for row, patterns in enumerate(self._patterns) if pattern in patterns]


def test_what_says_the_words_of_the_query_is_read_whatever_the_score() -> None:
    reader = Scripted([0.01, 0.01], {"text 0": (0.0, 0.0, 1.0)})
    found = decided(["named", "note"], reader)
    assert [(row, one.kept) for row, one in found.items()] == [(0, True)]


def test_what_counts_just_that_is_meant_whatever_the_models_think() -> None:
    reader = Scripted([0.0, 0.9], {ALL_OF + "workout": (0.0, 0.0, 1.0)})
    found = decided(["daily_activity", "workout"], reader, measuring=frozenset({"daily_activity"}))
    assert [(row, one.kept, one.why) for row, one in found.items()] == [
        (0, True, "every daily activity"),
        (1, False, "beside every daily activity"),
    ]


def test_records_that_only_count_are_silent() -> None:
    reader = Scripted([0.9, 0.9], {"text 0": (0, 0, 1), "text 1": (0, 0, 1)})
    found = decided(["daily_activity", "workout"], reader, query="my walks")
    assert [row for row, one in found.items() if one.kept] == [1]


def test_a_song_that_is_named_with_its_artist_is_not_all_of_theirs() -> None:
    song, other = "song name: Lo", "song name: Hi"
    by = "music stream; song artist: Bo"
    patterns = [["music stream", f"music stream; {one}", by] for one in (song, *[other] * 5)]
    reader = Scripted([0.9] * 6, {ALL_OF + by: (0, 0, 1)})
    named = {0: f"music stream; {song}; song artist: Bo"}
    found = decided(["music_stream"] * 6, reader, patterns, query="Lo by Bo", named=named)
    assert [row for row, one in found.items() if one.kept] == [0]


def test_a_fact_of_the_profile_is_all_that_is_meant() -> None:
    reader = Scripted([0.0, 0.9], {ALL_OF + "mail": (0.0, 0.0, 1.0)})
    found = decided(["profile", "mail"], reader, query="the profile")
    assert [(row, one.kept, one.why) for row, one in found.items()] == [
        (0, True, "a fact of the profile"), (1, False, "beside a fact of the profile"),
    ]  # fmt: skip


def test_a_whole_kind_is_kept_and_others_dropped() -> None:
    said = {ALL_OF + "music stream": (0.01, 0.01, 0.98), ALL_OF + "sleep": (0.99, 0.01, 0.0)}
    reader = Scripted([0.9, 0.0, 0.6], said)
    found = decided(["music_stream", "music_stream", "sleep"], reader)
    assert sorted(found) == [0, 1]
    for one in found.values():
        assert (one.kept, one.why) == (True, "every music stream")
        assert one.chance == pytest.approx(0.98)
    assert reader.texts == [ALL_OF + "music stream", ALL_OF + "sleep"]


def test_who_asks_for_a_whole_kind_means_nothing_else() -> None:
    reader = Scripted([0.9, 0.9], {ALL_OF + "workout": (0.01, 0.01, 0.98)})
    found = decided(["workout", "mail"], reader)
    assert [found[row].kept for row in range(2)] == [True, False]
    assert found[1].why == "beside every workout"


def test_doubtful_texts_are_read() -> None:
    reader = Scripted([0.5, 0.3, 0.001], {"text 0": (0.9, 0.0, 0.1), "text 1": (0, 0, 1)})
    found = decided(["mail"] * 3, reader)
    assert {row: (one.kept, one.why) for row, one in found.items()} == {
        0: (False, "read"), 1: (True, "read"),
    }  # fmt: skip


def test_nothing_is_read_once_all_is_clear() -> None:
    reader = Scripted([0.99, 0.98], {})
    found = decided(["mail"] * 2, reader, care=replace(USUAL, sure=0.5))
    assert [one.why for one in found.values()] == ["likeness"] * 2
    assert reader.texts == [ALL_OF + "mail"]


def test_a_reading_tells_about_texts_like_the_one_read() -> None:
    """All texts are alike here: the cheap score is wrong for one, so it is for all."""
    reader = Scripted([0.6] * 30, {f"text {n}": (0.999, 0.0, 0.001) for n in range(30)})
    found = decided(["mail"] * 30, reader, care=replace(USUAL, reads=3))
    assert not any(one.kept for one in found.values())
    assert sum(one.why == "read" for one in found.values()) == 3
    assert sum(one.why == "likeness" for one in found.values()) == 27


def test_mails_are_never_ruled_out_as_a_whole() -> None:
    reader = Scripted([0.6], {ALL_OF + "mail": (0.99, 0.01, 0.0)})
    assert sorted(decided(["mail"], reader)) == [0]


def test_the_least_certain_come_first_when_there_are_too_many() -> None:
    reader = Scripted([0.98, 0.55, 0.8, 0.2], {})
    found = decided(["mail"] * 4, reader, care=replace(USUAL, reads=1))
    assert [row for row in range(4) if found[row].why == "read"] == [1]


def test_a_reading_counts_beside_the_cheap_score() -> None:
    reader = Scripted([0.9, 0.2], {"text 0": (0.55, 0.0, 0.45), "text 1": (0.55, 0.0, 0.45)})
    found = decided(["mail"] * 2, reader, care=replace(USUAL, keep=0.5))
    assert found[0].kept
    assert not found[1].kept


def test_a_shared_value_is_settled_at_once() -> None:
    kinds = ["workout"] * 6
    patterns = [["workout", "workout; type: gym"]] * 5 + [["workout"]]
    reader = Scripted([0.5] * 6, {ALL_OF + "workout; type: gym": (0.95, 0.05, 0.0)})
    found = decided(kinds, reader, patterns)
    assert {found[row].why for row in range(5)} == {"all with workout; type: gym"}
    assert not any(found[row].kept for row in range(5))
    assert found[5].why == "read"


def test_where_nothing_is_likely_nothing_matches() -> None:
    reader = Scripted([0.5, 0.5], {"text 0": (0.45, 0.0, 0.55), "text 1": (0.5, 0.0, 0.5)})
    assert not any(one.kept for one in decided(["mail"] * 2, reader).values())
    reader = Scripted([0.5, 0.5], {"text 0": (0.1, 0.0, 0.9), "text 1": (0.2, 0.0, 0.8)})
    assert all(one.kept for one in decided(["mail"] * 2, reader).values())


def test_nothing_is_near() -> None:
    reader = Scripted([0.0, 0.01], {})
    assert decided(["mail", "note"], reader) == {}
    assert reader.texts == []


def test_what_a_pattern_settles_is_complete() -> None:
    """Also texts that no score has brought into the pool."""
    to_ana = ["mail", "mail; recipient: Ana"]
    reader = Scripted([0.5] * 5 + [0.001], {ALL_OF + to_ana[1]: (0.0, 0.01, 0.99)})
    found = decided(["mail"] * 6, reader, [to_ana] * 6, query="what I wrote to Ana")
    assert [found[row].kept for row in range(6)] == [True] * 6
    assert found[5].why == "all with mail; recipient: Ana"


@pytest.mark.parametrize(
    ("value", "settles"), [("location: Bern", False), ("sender: me", True), ("title: hike", True)]
)
def test_what_people_tell_is_not_taken_as_a_whole_for_a_value_nobody_named(
    value: str, settles: bool
) -> None:
    pattern = f"calendar; {value}"
    reader = Scripted([0.5] * 6, {ALL_OF + pattern: (0.0, 0.01, 0.99)})
    found = decided(["calendar"] * 6, reader, [["calendar", pattern]] * 6, query="every hike")
    assert {one.kept for one in found.values()} == {settles}


def test_what_has_the_value_that_is_named_matches_unread() -> None:
    """Also beyond the pool; other records of the kind share no word with the query."""
    saw, lamp = (f"online purchase; product: {name}" for name in ("saw", "lamp"))
    patterns = [["online purchase", one] for one in (saw, saw, lamp)]
    reader = Scripted([0.0, 0.3, 0.9], {"text 2": (0, 0, 1)})
    kinds = ["online_purchase"] * 3
    found = decided(kinds, reader, patterns, query="my saws", named={0: saw, 1: saw})
    assert {row: (one.kept, one.why) for row, one in found.items()} == {
        0: (True, f"all with {saw}"), 1: (True, f"all with {saw}"),
        2: (False, f"beside all with {saw}"),
    }  # fmt: skip
    assert "text 2" not in reader.texts


def test_what_says_all_that_is_named_is_read_first() -> None:
    reader = Scripted([0.0] + [0.5] * 9, {"text 0": (0, 0, 1)})
    found = decided(["mail"] * 10, reader, care=replace(USUAL, reads=1), named={0: ""})
    assert [row for row, one in found.items() if one.why == "read"] == [0]
    assert found[0].kept


def test_patterns_that_the_query_names_come_first() -> None:
    common = [f"mail; place: town {n}" for n in range(8)]
    patterns = [["mail", *common] for _ in range(8)] + [["mail", "mail; recipient: Ana"]] * 6
    reader = Scripted([0.5] * 14, {ALL_OF + "mail; recipient: Ana": (0.0, 0.01, 0.99)})
    found = decided(["mail"] * 14, reader, patterns, query="my mails to Ana")
    assert found[13].why == "all with mail; recipient: Ana"


def test_records_with_other_values_than_the_one_that_is_named_do_not_match() -> None:
    by = [["music stream", f"music stream; song artist: {name}"] for name in ("Ana Lu", "Bo")]
    patterns = [by[0]] * 5 + [by[1]] * 5 + [["mail"]]
    said = {ALL_OF + one[1]: (0.0, 0.01, 0.99) for one in by}
    reader = Scripted([0.9] * 11, said | {"text 10": (0.0, 0.0, 1.0)})
    kinds = ["music_stream"] * 10 + ["mail"]
    found = decided(kinds, reader, patterns, query="songs by ana lu")
    assert [found[row].kept for row in range(11)] == [True] * 5 + [False] * 5 + [True]
    assert found[9].why == "beside all with music stream; song artist: Ana Lu"
    # Both are named.
    found = decided(kinds, reader, patterns, query="songs by Ana Lu or Bo")
    assert [found[row].kept for row in range(11)] == [True] * 11


def test_what_shares_a_word_with_the_query_is_not_ruled_out_unread() -> None:
    by = [["music stream", f"music stream; song artist: {name}"] for name in ("Queen", "Abba")]
    reader = Scripted([0.9] * 7, {ALL_OF + by[0][1]: (0, 0, 1), "text 6": (0, 0, 1)})
    found = decided(["music_stream"] * 7, reader, [by[0]] * 6 + [by[1]], query="Queen or ABBA")
    assert [found[row].kept for row in range(7)] == [True] * 7


def test_what_a_pattern_settles_is_complete_however_many_there_are() -> None:
    queen = ["music stream", "music stream; song artist: Queen"]
    reader = Scripted([0.3] * 5_000, {ALL_OF + queen[1]: (0, 0, 1)})
    found = decided(["music_stream"] * 5_000, reader, [queen] * 5_000, query="songs by Queen")
    assert sum(one.kept for one in found.values()) == 5_000


def test_what_says_most_of_a_query_is_read_first() -> None:
    """However many others are less certain."""
    reader = Scripted([0.01] + [0.5] * 30, {"text 0": (0.0, 0.0, 1.0)})
    found = decided(["named"] + ["note"] * 30, reader, care=replace(USUAL, reads=2))
    assert found[0].why == "read"
    assert found[0].kept
    assert reader.texts[-2] == "text 0"


def test_what_is_plainly_said_is_read_whatever_the_score() -> None:
    reader = Scripted([0.0, 0.0, 0.9], {"text 0": (0.1, 0.0, 0.9), "text 2": (0.0, 0.0, 1.0)})
    found = decided(["note", "note", "note"], reader, plainly=[0, 1])
    assert {row for row, one in found.items() if one.kept} == {0, 2}


def test_short_mails_of_ones_own_are_read_without_their_heads() -> None:
    mail = "mail; in: Italy; subject: hi; sender: me; recipient: Tom Low; text: I ran in Rome."
    assert without_head(mail) == "mail; in: Italy; text: I ran in Rome."
    for other in (mail.replace("sender: me", "sender: Tom"), mail + "x" * 500, "note; text: I ran"):
        assert without_head(other) == other
