"""The months that a picture of a store spans."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from reqap.store.store import Summary

_STRAY = 0.05  # this share of events at either end may lie off the axis


def months_of(summary: Sequence[Summary]) -> list[datetime]:
    """The months of the axis. Birthdays and first jobs reach back decades and would squeeze the
    rest, so a few stray events do not stretch it."""
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
    """The first of `months` by which more than `stray` events have come."""
    seen = 0
    for month in months:
        seen += counts[month]
        if seen > stray:
            return month
    return months[-1]
