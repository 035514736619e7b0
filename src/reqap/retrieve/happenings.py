"""Which observations tell of the same happening, by how alike they are.

A post of the 12th about the match of the 11th joins the calendar entry of the 11th; two meetings on
one day stay two. At most one record of a device or service belongs to a happening. Not the job of
this module: how alike two observations are (`likeness`).
"""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import combinations, product
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from reqap.retrieve.likeness import DAY, HOUR, Side
from reqap.verbalize import TELLINGS

# Of a crowd on one day, so many are compared with each other.
_CROWD = 48
# What speaks of no day may be about what was up to so many days before; so many are looked at.
_REACH, _LOOKED_AT = 60, 8
# What two count against each other that were not even compared.
_STRANGERS = -3.0
# What lasts so long is a journey, a course, a fair. Where most of what a query finds is long, what
# lies within is a part of it: nobody is on two journeys at once.
_LONG, _TOO_LONG = 30 * HOUR, 60 * DAY  # an entry for a whole day is no journey
_MOSTLY = 0.5
_BRIEF = 6 * HOUR  # what lasts no longer is no journey
_NEAR = 3  # so many that began last are looked at
_SEVERAL = 5  # records from which on services are thought to know of all


class Weighs(Protocol):
    def odds(self, pairs: Sequence[tuple[Side, Side]]) -> npt.NDArray[np.float32]: ...


def places(sides: Sequence[Side], likeness: Weighs) -> list[int]:
    """The number of each observation's happening, from 0."""
    pairs = sorted(candidates(sides))
    odds = likeness.odds([(sides[a], sides[b]) for a, b in pairs])
    known = {pair: float(value) for pair, value in zip(pairs, odds, strict=True)}
    group = list(range(len(sides)))
    members = {n: [n] for n in group}
    for a, b in sorted((pair for pair in pairs if known[pair] > 0), key=lambda p: (-known[p], p)):
        one, other = sorted((group[a], group[b]))
        if one == other or not _belong(members[one], members[other], sides, known):
            continue
        for n in members[other]:
            group[n] = one
        members[one] += members.pop(other)
    numbers: dict[int, int] = {}
    return [numbers.setdefault(one, len(numbers)) for one in group]


def _belong(
    one: list[int], other: list[int], sides: Sequence[Side], known: dict[tuple[int, int], float]
) -> bool:
    """Whether all in all more speaks for it than against it.

    A mail may tell of two dinners; what lies on two days does not become one by it.
    """
    if sum(not sides[n].told for n in (*one, *other)) > 1:
        return False
    lying = ([sides[n].days for n in part if sides[n].days] for part in (one, other))
    if any(a.isdisjoint(b) for a, b in product(*lying)):
        return False
    found = [known.get((min(a, b), max(a, b)), _STRANGERS) for a in one for b in other]
    return sum(found) > 0


def candidates(sides: Sequence[Side]) -> set[tuple[int, int]]:
    """Pairs that may be one: about the same day, or one about some earlier day."""
    by_day: dict[int, list[int]] = {}
    for n, side in enumerate(sides):
        for day in side.about:
            by_day.setdefault(day, []).append(n)
    found = {
        pair for crowd in by_day.values() for pair in combinations(sorted(crowd)[:_CROWD], 2)
        if sides[pair[0]].told or sides[pair[1]].told
    }  # fmt: skip
    undated = [n for n, side in enumerate(sides) if not side.placed]
    if undated and len(sides) > 1:
        found |= _earlier(sides, undated)
    return found


def _earlier(sides: Sequence[Side], undated: Sequence[int]) -> set[tuple[int, int]]:
    """For what speaks of no day, the earlier ones that are most alike."""
    vectors = np.stack([side.vector for side in sides])
    written = np.array([side.written for side in sides])
    found = set()
    for n in undated:
        since = written[n] - written
        near = np.flatnonzero((since > 0) & (since <= _REACH))
        best = near[np.argsort(-(vectors[near] @ vectors[n]), kind="stable")[:_LOOKED_AT]]
        found |= {(min(n, int(other)), max(n, int(other))) for other in best}
    return found


class Lying(NamedTuple):
    """Whether an observation lies where it lies (a record, an entry), and from when until when."""

    lies: bool
    start: int
    end: int

    @property
    def is_long(self) -> bool:
        return self.lies and _LONG <= self.end - self.start <= _TOO_LONG


def with_long_ones(places: Sequence[int], found: Sequence[Lying]) -> list[int]:
    """The numbers of happenings, where long ones take in what lies within them.

    A post from the beach, the dinner on the second evening: asked for journeys, they tell of one.
    """
    if not _are_long(found):
        return list(places)
    long = sorted((one.start, one.end, place) for one, place in zip(found, places, strict=True)
                  if one.is_long)  # fmt: skip
    into: dict[int, int] = {}
    spans: list[tuple[int, int, int]] = []  # of happenings that are long, by their start
    for start, end, place in long:
        same = spans and _share(spans[-1], (start, end)) >= _MOSTLY
        into.setdefault(place, spans[-1][2] if same else place)
        spans.append((start, end, into[place]))
    starts = [start for start, _, _ in spans]
    for one, place in zip(found, places, strict=True):
        # People tell of what begins tomorrow.
        at = bisect_right(starts, one.start if one.lies else one.start + DAY)
        for _, end, around in spans[max(0, at - _NEAR) : at]:
            # What is told may be told on the day after.
            if place not in into and one.end <= (end if one.lies else end + DAY):
                into[place] = around
    return [into.get(place, place) for place in places]


def brief(places: Sequence[int], found: Sequence[Lying]) -> set[int]:
    """The rows that are no journeys where journeys are looked for: an hour at a place of that name,
    while nobody was travelling."""
    if not _are_long(found):
        return set()
    longest: dict[int, int] = {}
    for one, place in zip(found, places, strict=True):
        if one.lies:
            longest[place] = max(longest.get(place, 0), one.end - one.start)
    return {n for n, place in enumerate(places) if longest.get(place, _LONG) <= _BRIEF}


def _are_long(found: Sequence[Lying]) -> bool:
    """Whether most of what lies in time is long."""
    return sum(one.is_long for one in found) > _MOSTLY * sum(one.lies for one in found)


def told_again(places: Sequence[int], told: Sequence[int], kinds: Sequence[str]) -> set[int]:
    """The rows of mails, posts and notes that tell again what a service has recorded.

    Where records are most of what is found, what is only told of, and belongs to none of them, is
    as a rule one of them all the same: the mail about an order is no second order.
    """
    records = sum(not rank for rank in told)
    lying = {place for place, rank, kind in zip(places, told, kinds, strict=True)
             if not rank or kind == TELLINGS[0]}  # fmt: skip
    alone = {n for n, place in enumerate(places) if place not in lying}
    return alone if records >= max(_SEVERAL, len(alone)) else set()


def _share(one: tuple[int, int, int], other: tuple[int, int]) -> float:
    """How much of their time two spans have in common."""
    both = min(one[1], other[1]) - max(one[0], other[0])
    return both / max(1, max(one[1], other[1]) - min(one[0], other[0]))
