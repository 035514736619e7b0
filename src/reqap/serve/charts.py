"""Pictures of answers, as numbers for the templates: what to draw, where, how large."""

from calendar import monthrange
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

Plain = dict[str, Any]
_MOST_BARS, _MOST_YEARS = 60, 12


def bars(told: Plain) -> Plain | None:
    """For answers that are a name and a number each."""
    columns, values = told.get("columns", []), told.get("values", [])
    if not 2 <= len(values) <= _MOST_BARS or len(columns) != 2:
        return None
    label, number = columns
    if not all(_is_number(row[number]["value"]) for row in values):
        if not all(_is_number(row[label]["value"]) for row in values):
            return None
        label, number = number, label
    most = max(abs(float(row[number]["value"])) for row in values) or 1.0
    return {
        "label": label, "number": number,
        "bars": [{"label": row[label]["text"], "text": row[number]["text"],
                  "share": round(100 * abs(float(row[number]["value"])) / most, 1)}
                 for row in values],
    }  # fmt: skip


def heat(days: Sequence[Plain]) -> list[Plain]:
    """A calendar for each year: one square a day, five shades; the newest years."""
    counts = {date.fromisoformat(one["day"]): int(one["count"]) for one in days}
    if len(counts) < 2:
        return []
    most = max(counts.values())
    years = sorted({day.year for day in counts})[-_MOST_YEARS:]
    return [_year(year, counts, most) for year in reversed(years)]


def _year(year: int, counts: dict[date, int], most: int) -> Plain:
    first = date(year, 1, 1)
    shift = first.weekday()
    squares = []
    for number in range((date(year, 12, 31) - first).days + 1):
        day = first + timedelta(days=number)
        if count := counts.get(day, 0):
            week, weekday = divmod(number + shift, 7)
            squares.append({"x": week, "y": weekday, "shade": 1 + min(3, 4 * (count - 1) // most),
                            "day": f"{day:%a %Y-%m-%d}", "count": count})  # fmt: skip
    months = []
    for month in range(1, 13):
        start = (date(year, month, 1) - first).days + shift
        months.append({"x": start // 7, "name": f"{date(year, month, 1):%b}"})
    total = sum(count for day, count in counts.items() if day.year == year)
    return {"year": year, "squares": squares, "months": months, "total": total}


def sparks(months: Sequence[Plain], first: str, last: str) -> Plain:
    """Bars for every month from the first to the last."""
    counts = {one["day"][:7]: int(one["count"]) for one in months}
    most = max(counts.values(), default=1)
    begin, end = date.fromisoformat(first), date.fromisoformat(last)
    found, place = [], 0
    while begin <= end:
        count = counts.get(f"{begin:%Y-%m}", 0)
        if count:
            height = max(1, round(20 * count / most))
            found.append({"x": place, "height": height, "y": 20 - height,
                          "title": f"{begin:%b %Y}: {count:,}"})  # fmt: skip
        begin += timedelta(days=monthrange(begin.year, begin.month)[1])
        place += 1
    return {"width": place, "bars": found}


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
