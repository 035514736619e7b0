"""Merging: which observations become one happening."""

from datetime import datetime, timedelta

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from reqap.retrieve.happenings import Lying, told_again, with_long_ones
from reqap.retrieve.merge import SCHEMA, Observation, in_happenings, merged
from reqap.verbalize import TELLINGS

DAY = datetime(2024, 5, 1)

Told = tuple[str, float, float]  # kind, hours after DAY at which it begins, and its length in hours


def rank(kind: str) -> int:
    return TELLINGS.index(kind) + 1 if kind in TELLINGS else 0


def a_table(observations: list[Told]) -> pa.Table:
    """The observations as the search gives them: by start, the longest first."""
    rows = []
    for number, (kind, hours, length) in enumerate(observations):
        start = DAY + timedelta(hours=hours)
        rows.append((start, -length, rank(kind), f"e{number}", kind))
    rows.sort()
    stamp = pa.timestamp("us")
    return pa.table(
        {
            "id": pa.array([row[3] for row in rows], pa.string()),
            "kind": pa.array([row[4] for row in rows], pa.string()),
            "start_at": pa.array([row[0] for row in rows], stamp),
            "end_at": pa.array([row[0] - timedelta(hours=row[1]) for row in rows], stamp),
            "why": pa.array(["words x"] * len(rows), pa.string()),
            "told": pa.array([row[2] for row in rows], pa.int32()),
        }
    )


def groups(*observations: Told) -> list[list[str]]:
    """The kinds of each happening, in the order of the rows."""
    table = merged(a_table(list(observations)))
    found: dict[int, list[str]] = {}
    for row in table.to_pylist():
        found.setdefault(row["happening"], []).append(observations[int(row["id"][1:])][0])
    return [found[number] for number in sorted(found)]


def test_a_workout_its_appointment_and_a_post_are_one() -> None:
    observations = [("social_media", 1.5, 0.0), ("calendar", 0.0, 2.0), ("workout", 0.2, 1.6)]
    assert groups(*observations) == [["workout", "calendar", "social_media"]]
    rows = merged(a_table(observations)).to_pylist()
    assert {(row["start"], row["end"]) for row in rows} == {(DAY, DAY + timedelta(hours=2))}


def test_the_span_is_the_union_of_what_lies_in_time() -> None:
    rows = merged(a_table([("workout", 0.0, 1.0), ("calendar", 0.5, 2.0)])).to_pylist()
    assert {row["happening"] for row in rows} == {0}
    assert {row["end"] for row in rows} == {DAY + timedelta(hours=2.5)}


def test_events_of_one_kind_never_merge() -> None:
    for kind in ("music_stream", "online_purchase", "calendar", "mail"):
        assert groups((kind, 0, 1), (kind, 0, 1), ("note", 50, 0)) == [[kind], [kind], ["note"]]


def test_two_records_never_merge() -> None:
    assert groups(("workout", 0, 1), ("music_stream", 0.1, 0.1), ("mail", 50, 0)) == [
        ["workout"],
        ["music_stream"],
        ["mail"],
    ]


def test_a_holiday_swallows_nothing() -> None:
    assert groups(("calendar", 0, 100), ("note", 20, 2), ("mail", 30, 0), ("workout", 40, 1)) == [
        ["calendar"],
        ["note"],
        ["mail"],
        ["workout"],
    ]


def test_spans_of_very_different_length_are_two() -> None:
    assert groups(("calendar", 0, 8), ("workout", 1, 2)) == [["calendar"], ["workout"]]
    assert groups(("calendar", 0, 8), ("workout", 1, 4)) == [["workout", "calendar"]]


def test_two_moments_never_merge() -> None:
    assert groups(("mail", 1, 0), ("social_media", 1, 0)) == [["mail"], ["social_media"]]


def test_a_moment_at_the_very_start_belongs_to_the_span() -> None:
    assert groups(("mail", 1, 0), ("workout", 1, 1)) == [["workout", "mail"]]


def test_nothing_chains() -> None:
    # Each fits the next one, but the first and the last lie too far apart.
    assert groups(("workout", 0, 4), ("calendar", 2.5, 4), ("note", 5, 4)) == [
        ["workout", "calendar"],
        ["note"],
    ]


def test_the_nearest_happening_is_chosen() -> None:
    assert groups(("calendar", 0, 2), ("calendar", 1, 2), ("workout", 1.1, 2)) == [
        ["calendar"],
        ["workout", "calendar"],
    ]


def test_what_is_over_does_not_push_out_what_is_going_on() -> None:
    songs = [("music_stream", 0.01 + n / 60, 1 / 60) for n in range(100)]
    told = groups(("calendar", 0, 6), *songs, ("mail", 5.5, 0))
    assert ["calendar", "mail"] in told
    assert len(told) == 101


def test_no_events_no_happenings() -> None:
    assert merged(a_table([])) == SCHEMA.empty_table()


_KINDS = ("workout", "music_stream", *TELLINGS)
_OBSERVATIONS = st.lists(
    st.tuples(
        st.sampled_from(_KINDS),
        st.integers(0, 160).map(lambda n: n / 4),
        st.sampled_from([0.0, 0.0, 0.25, 1.0, 2.0, 5.0, 13.0, 60.0]),
    ),
    max_size=25,
)


@given(_OBSERVATIONS)
def test_what_holds_for_every_merge(observations: list[Told]) -> None:
    found = a_table(observations)
    table = merged(found)
    assert table.schema == SCHEMA
    rows = table.to_pylist()
    assert sorted(row["id"] for row in rows) == sorted(found.column("id").to_pylist())
    events = {row["id"]: row for row in found.to_pylist()}
    happenings: dict[int, list[str]] = {}
    for row in rows:
        happenings.setdefault(row["happening"], []).append(row["id"])
    assert list(happenings) == list(range(len(happenings)))
    starts = []
    for number, ids in happenings.items():
        parts = [events[name] for name in ids]
        (span,) = {(r["start"], r["end"]) for r in rows if r["happening"] == number}
        lying = [p for p in parts if not p["told"] or p["kind"] == "calendar"]
        first = min((lying or parts), key=lambda p: (p["start_at"], p["end_at"]))["start_at"]
        # What is only told has no hours.
        assert span == (first, max(p["end_at"] for p in lying) if lying else None)
        assert len({p["kind"] for p in parts}) == len(parts)
        assert sum(p["told"] == 0 for p in parts) <= 1
        assert [p["told"] for p in parts] == sorted(p["told"] for p in parts)
        assert sum(p["start_at"] == p["end_at"] for p in parts) < max(2, len(parts))
        starts.append(span[0])
    assert starts == sorted(starts)


@given(_OBSERVATIONS)
def test_parts_of_a_happening_fit_each_other(observations: list[Told]) -> None:
    rows = merged(a_table(observations)).to_pylist()
    seen = {
        f"e{number}": Observation(
            kind, rank(kind), round(hours * 3.6e9), round((hours + length) * 3.6e9)
        )
        for number, (kind, hours, length) in enumerate(observations)
    }
    for one in rows:
        for other in rows:
            if one["happening"] == other["happening"] and one["id"] != other["id"]:
                assert seen[one["id"]].fits(seen[other["id"]])


HOURS = 3_600_000_000


def lying(*found: tuple[float, float]) -> list[Lying]:
    """By start and length in hours; what has no length is told, all else lies."""
    return [Lying(bool(length), int(start * HOURS), int((start + length) * HOURS))
            for start, length in found]  # fmt: skip


def test_a_journey_takes_in_what_lies_within_it() -> None:
    journey, post, dinner, after, other = (0, 120), (30, 0), (43, 2), (130, 0), (1000, 72)
    found = lying(journey, post, dinner, after, other, (1010, 0))
    assert with_long_ones([0, 1, 2, 3, 4, 5], found) == [0, 0, 0, 0, 4, 4]
    # Told a week later, it may be of anything.
    assert with_long_ones([0, 1], lying(journey, (400, 0))) == [0, 1]


def test_a_journey_that_is_told_twice_is_one_and_two_that_meet_are_two() -> None:
    assert with_long_ones([0, 1], lying((0, 120), (8, 100))) == [0, 0]
    assert with_long_ones([0, 1], lying((0, 120), (118, 100))) == [0, 1]


def test_entries_for_whole_days_are_no_journeys() -> None:
    assert with_long_ones([0, 1], lying((0, 23.99), (0, 23.99))) == [0, 1]
    # A dinner on the day after the return is no part of it.
    assert with_long_ones([0, 1, 2], lying((0, 120), (130, 2), (500, 90))) == [0, 1, 2]


def test_where_most_is_short_a_journey_takes_in_nothing() -> None:
    found = lying((0, 120), (30, 2), (60, 2), (90, 2))
    assert with_long_ones([0, 1, 2, 3], found) == [0, 1, 2, 3]
    assert with_long_ones([], []) == []
    # Facts that last for years are no journeys.
    assert with_long_ones([0, 1], lying((0, 24 * 400), (30, 0))) == [0, 1]


def test_what_is_only_told_is_on_the_day_that_is_told() -> None:
    table = a_table([("mail", 60, 0), ("calendar", 70, 2), ("social_media", 100, 0)])
    day = int((DAY - datetime(1970, 1, 1)) / timedelta(microseconds=1))
    found = in_happenings(table, [0, 1, 1], {0: day, 2: day})
    spans = {row["id"]: (row["start"], row["end"]) for row in found.to_pylist()}
    assert spans["e0"] == (DAY, None)
    # What lies in time is when it lies, whatever is told of it.
    assert spans["e1"] == spans["e2"] == (DAY + timedelta(hours=70), DAY + timedelta(hours=72))
    # A day that is told says more than when something else was written.
    both = a_table([("mail", 60, 0), ("note", 90, 0)])
    first, second = in_happenings(both, [0, 0], {1: day}).to_pylist()
    assert first["start"] == second["start"] == DAY


def test_what_was_written_has_hours_where_it_is_looked_for() -> None:
    mails = a_table([("mail", 60, 0), ("mail", 90, 0)])
    assert merged(mails)["end"].null_count == 2
    assert merged(mails, is_writing=True)["end"].null_count == 0
    both = a_table([("mail", 60, 0), ("workout", 60, 1)])
    assert in_happenings(both, [0, 0])["end"].null_count == 0


def test_the_mail_about_an_order_is_no_second_order() -> None:
    orders = ["online_purchase"] * 6
    kinds = [*orders, "mail", "social_media", "calendar"]
    told = [rank(kind) for kind in kinds]
    assert told_again(range(9), told, kinds) == {6, 7}
    # What belongs to an order stays with it.
    assert told_again([*range(6), 0, 6, 7], told, kinds) == {7}
    # Few records say nothing about how much services know.
    assert (
        told_again(range(4), [0, 0, 3, 5], ["workout", "workout", "mail", "social_media"]) == set()
    )
    assert told_again([], [], []) == set()
