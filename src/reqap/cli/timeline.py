"""A store at a glance: one row per source and kind, with a bar for every month."""

from collections.abc import Sequence
from datetime import datetime

from rich.markup import escape
from rich.table import Table

from reqap.store import Summary

_BARS = " ▁▂▃▄▅▆▇█"
_WIDEST = 60


def printable(text: str) -> str:
    """Text from data, safe for a terminal: no control sequences, no markup."""
    return escape("".join(c if c.isprintable() else "·" for c in text))


def timeline_table(summary: Sequence[Summary]) -> Table:
    """Events per source and kind, first and last day, and a sparkline over the months."""
    months = _months(summary)
    span = f"{months[0]:%b %Y} – {months[-1]:%b %Y}" if months else ""
    table = Table(title="What is here")
    for name in ("source", "kind"):
        table.add_column(name)
    table.add_column("events", justify="right")
    for name in ("from", "to"):
        table.add_column(name)
    table.add_column(f"per month, {span}", no_wrap=True)
    for (source, kind), rows in _grouped(summary).items():
        counts = {row.month: row.events for row in rows}
        table.add_row(
            source,
            kind,
            f"{sum(counts.values()):,}",
            f"{min(row.first for row in rows):%Y-%m-%d}",
            f"{max(row.last for row in rows):%Y-%m-%d}",
            sparkline([counts.get(month, 0) for month in months]),
        )
    return table


def _grouped(summary: Sequence[Summary]) -> dict[tuple[str, str], list[Summary]]:
    groups: dict[tuple[str, str], list[Summary]] = {}
    for row in summary:
        groups.setdefault((row.source, row.kind), []).append(row)
    return groups


def _months(summary: Sequence[Summary]) -> list[datetime]:
    """Every month from the first event to the last. Facts of the profile reach back decades and
    would squeeze the rest, so they do not stretch the axis."""
    found = [row.month for row in summary if row.kind != "profile"]
    if not found:
        return []
    month, last = min(found), max(found)
    months = []
    while month <= last:
        months.append(month)
        month = month.replace(year=month.year + month.month // 12, month=month.month % 12 + 1)
    return months


def sparkline(counts: Sequence[int]) -> str:
    """One character per count, or per few counts where there are many."""
    step = -(-len(counts) // _WIDEST) or 1
    sums = [sum(counts[i : i + step]) for i in range(0, len(counts), step)]
    top = max(sums, default=0) or 1
    return "".join(_BARS[-(-count * 8 // top)] for count in sums)
