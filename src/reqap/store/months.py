"""The months that a picture of a store spans."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise

from reqap.store.store import Summary

_STRAY = 0.05  # this share of events at either end may lie off the axis,
_GAP = 12  # where at least so many months of nothing part them from the rest


def months_of(summary: Sequence[Summary]) -> list[datetime]:
    """The months of the axis. Birthdays and first jobs reach back decades and would squeeze the
    rest, so a few stray events far from all others do not stretch it."""
    if not summary:
        return []
    counts: Counter[datetime] = Counter()
    for row in summary:
        counts[row.month] += row.events
    stray = counts.total() * _STRAY
    month, last = _edge(counts, sorted(counts), stray), _edge(counts, sorted(counts)[::-1], stray)
    months = []
    while month <= last:
        months.append(month)
        if month == last:  # which may be the last one there is
            break
        month = month.replace(year=month.year + month.month // 12, month=month.month % 12 + 1)
    return months


def _edge(counts: Counter[datetime], months: Sequence[datetime], stray: float) -> datetime:
    """The first of `months`, less those at its begin that are stray and far from the others."""
    edge, seen = months[0], 0
    for before, month in pairwise(months):
        seen += counts[before]
        if seen > stray:
            break
        if _apart(before, month) > _GAP:
            edge = month
    return edge


def _apart(one: datetime, other: datetime) -> int:
    return abs((one.year - other.year) * 12 + one.month - other.month)
