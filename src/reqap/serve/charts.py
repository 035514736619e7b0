"""Pictures of answers, as numbers for the templates: what to draw, where, how large.

The timeline is in `timeline`.
"""

from calendar import monthrange
from collections import Counter
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

from reqap.serve.gaps import left_out
from reqap.serve.timeline import read_date, timeline
from reqap.wording import MOST_SAID, say

Plain = dict[str, Any]
_MOST_BARS, _MOST_YEARS, _MOST_LISTED = 60, 12, 200
_EVENTS = ["start_datetime"]  # what bare events are told by


def pictures(told: Plain, events: Sequence[Plain]) -> Plain:
    """Which pictures an answer has, by its shape; None for those that it has not.

    A name and a number each: bars. Dates, or things with a date: a timeline. One date or text each
    (days, places, people, titles): a list. Anything else of several rows: a table. What bare events
    are is told by the list of events below. A single value that is a list is as many answers. Many
    dates are `said` by their number and their ends: all of them are shown anyway.
    """
    found: Plain = dict.fromkeys(("bars", "timeline", "listed", "table", "said"))
    found["is_events"] = told.get("columns") == _EVENTS
    told = _spread(told)
    count = len(told.get("values", []))
    found |= {"columns": told.get("columns", []), "more": max(0, count - _MOST_LISTED)}
    if count < 2:
        return found
    if (chart := bars(told)) is not None:
        return found | {"bars": chart}
    line = found["timeline"] = timeline(told, events)
    if line is not None and len(told["columns"]) == 1 and count > MOST_SAID:
        found["said"] = f"{line['caption']}."
    if found["is_events"]:
        return found
    if (names := listed(told)) is not None:
        rest = max(0, len(names) - _MOST_LISTED)
        return found | {"listed": names[:_MOST_LISTED], "more": rest}
    return found | {"table": told["values"][:_MOST_LISTED]}


def _spread(told: Plain) -> Plain:
    """An answer that is one list, as one row for each of its items."""
    values, columns = told.get("values", []), told.get("columns", [])
    if (
        len(values) != 1
        or len(columns) != 1
        or not isinstance(values[0][columns[0]]["value"], list)
    ):
        return told
    (name,) = columns
    unit = values[0][name].get("unit")
    items = [item for item in values[0][name]["value"] if item is not None]
    dates = [read_date(item) for item in items]
    if None not in dates:
        items.sort()
    rows = [{name: {"value": item, "unit": unit, "text": _said(item, unit)}} for item in items]
    return {"columns": columns, "values": rows}


def _said(item: object, unit: str | None = None) -> str:
    """An item of a list as it is kept: dates are texts there."""
    if (at := read_date(item)) is not None:
        return say(at if "T" in str(item) else at.date())
    if isinstance(item, list):
        return ", ".join(_said(one) for one in item)
    return say(item, unit) if isinstance(item, bool | int | float) else str(item)


def listed(told: Plain) -> list[Plain] | None:
    """For answers that are one text or date each: each with how often it was given."""
    values, columns = told["values"], told["columns"]
    if len(columns) != 1 or any(_is_number(row[columns[0]]["value"]) for row in values):
        return None
    times: Counter[str] = Counter()
    for row, count in zip(values, told.get("times") or [1] * len(values), strict=True):
        times[row[columns[0]]["text"]] += count
    return [{"text": text, "times": count} for text, count in times.items()]


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
    found = [{"label": row[label]["text"], "text": row[number]["text"],
              "share": round(100 * abs(float(row[number]["value"])) / most, 1)}
             for row in values]  # fmt: skip
    if _are_all_groups(told.get("trace")):
        for place, name in reversed(left_out([row[label]["value"] for row in values])):
            found.insert(place, {"label": name, "text": "–", "share": 0})
    return {"label": label, "number": number, "bars": found}


def _are_all_groups(trace: Plain | None) -> bool:
    """Whether an answer has all the groups that there are: nothing has chosen among them."""
    while trace and trace["operator"] != "GROUP_BY":
        if trace["operator"] in ("FILTER", "ARGMIN", "ARGMAX") or len(trace["inputs"]) != 1:
            return False
        (trace,) = trace["inputs"]
    return trace is not None


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
