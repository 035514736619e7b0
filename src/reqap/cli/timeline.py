"""A store at a glance: one row per source and kind, with a bar for every month."""

import math
from collections.abc import Sequence

from rich.markup import escape
from rich.table import Table

from reqap.store import Summary
from reqap.store.months import months_of

_BARS = " ▁▂▃▄▅▆▇█"
_OTHER_COLUMNS = 60


def printable(text: str) -> str:
    """Text from data, safe for a terminal: no control sequences, no markup."""
    return escape("".join(c if c.isprintable() else "·" for c in text))


def timeline_table(summary: Sequence[Summary], width: int) -> Table:
    """Events per source and kind, first and last month, and a sparkline over the months.

    `width` is that of the screen: the sparkline takes what the other columns leave.
    """
    months = months_of(summary)
    room = max(12, min(60, width - _OTHER_COLUMNS))
    table = Table(title="What is here", box=None, padding=(0, 1, 0, 0), header_style="bold")
    for name in ("source", "kind"):
        table.add_column(name, no_wrap=True)
    table.add_column("events", justify="right", no_wrap=True)
    span = f"{months[0]:%Y-%m} – {months[-1]:%Y-%m}" if months else "over time"
    for name in ("from", "to", span):
        table.add_column(name, no_wrap=True)
    for (source, kind), rows in _grouped(summary).items():
        counts = {row.month: row.events for row in rows}
        table.add_row(
            printable(source),
            printable(kind),
            f"{sum(counts.values()):,}",
            f"{min(row.first for row in rows):%Y-%m}",
            f"{max(row.last for row in rows):%Y-%m}",
            sparkline([counts.get(month, 0) for month in months], room),
        )
    return table


def _grouped(summary: Sequence[Summary]) -> dict[tuple[str, str], list[Summary]]:
    groups: dict[tuple[str, str], list[Summary]] = {}
    for row in summary:
        groups.setdefault((row.source, row.kind), []).append(row)
    return groups


def sparkline(counts: Sequence[int], width: int) -> str:
    """One character per count, or for the mean of a few where there are more than fit."""
    step = -(-len(counts) // width) or 1
    pieces = [counts[i : i + step] for i in range(0, len(counts), step)]
    means = [sum(piece) / len(piece) for piece in pieces]
    top = max(means, default=0) or 1
    return "".join(_BARS[math.ceil(mean / top * 8)] for mean in means)
