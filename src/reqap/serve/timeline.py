"""A timeline of an answer's dates: where its dots and the names below its axis stand.

Places along the axis are shares of the width, so that names keep their size on any screen. Not the
job of this module: deciding whether there is one (`charts`), and drawing it (the templates).
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

Plain = dict[str, Any]
_MOST_DATES, _SLOTS, _MOST_TICKS = 400, 48, 5
_ROOM, _STEP, _LEAST = 96, 9, 24  # heights: of the highest pile, of a dot, of a picture's axis
_EDGE = 2.0  # room for half a dot at both ends
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d.*)?")


class _Dated(NamedTuple):
    at: datetime
    title: str


def timeline(told: Plain, events: Sequence[Plain]) -> Plain | None:
    """For answers with a date each, of two days or more; `events` tell what bare ones are."""
    dates = _dates(told, events)
    if not 2 <= len(dates) <= _MOST_DATES or len({one.at.date() for one in dates}) < 2:
        return None
    first, last = dates[0].at, dates[-1].at
    piles: Counter[int] = Counter()
    placed = []
    for one in dates:
        slot = round(_share(one.at, first, last) * (_SLOTS - 1))
        placed.append((slot, piles[slot], one.title))
        piles[slot] += 1
    highest = max(piles.values())
    step = min(_STEP, _ROOM / highest)
    axis = max(_LEAST, round(highest * step) + 8)
    dots = [{"x": _percent(slot / (_SLOTS - 1)), "y": round(axis - 7 - step * height, 1),
             "title": title} for slot, height, title in placed]  # fmt: skip
    day = _day(first, first.year != last.year)
    different = len({one.at for one in dates})
    what = f"{different:,} dates" + (f" ({len(dates):,} times)" if different < len(dates) else "")
    if told["columns"] == ["start_datetime"]:
        what = f"{len(dates):,} events"
    caption = f"{what}, from {day} to {_day(last, True)}"
    return {"caption": caption, "described": _described(dates), "dots": dots, "axis": axis,
            "height": axis + 24, "ticks": _ticks(first, last)}  # fmt: skip


def _dates(told: Plain, events: Sequence[Plain]) -> list[_Dated]:
    """By time. Of several columns the first that holds dates only; the others name what was."""
    columns, values = told["columns"], told["values"]
    named = {one["start"]: one["gist"] for one in events}
    for column in columns:
        given = [row for row in values if row[column]["value"] is not None]
        read = [read_date(row[column]["value"]) for row in given]
        if not given or None in read:
            continue
        found = []
        for row, at in zip(given, read, strict=True):
            assert at is not None
            others = [row[name]["text"] for name in columns if name != column]
            what = ", ".join(others) or named.get(f"{at:%a %Y-%m-%d %H:%M}", "")[:80]
            found.append(_Dated(at, f"{row[column]['text']}{': ' if what else ''}{what}"))
        return sorted(found)
    return []


def read_date(value: object) -> datetime | None:
    """A date or a date with a time, as answers are kept; None for all else."""
    if not isinstance(value, str) or not _DATE.fullmatch(value):
        return None
    try:
        return datetime.fromisoformat(value).replace(tzinfo=None)
    except ValueError:
        return None


def _share(at: datetime, first: datetime, last: datetime) -> float:
    return (at - first) / (last - first)


def _percent(share: float) -> float:
    return round(_EDGE + (100 - 2 * _EDGE) * share, 2)


def _day(at: datetime, with_year: bool) -> str:
    return f"{at.day} {at:%B}{f' {at.year}' if with_year else ''}"


def _described(dates: Sequence[_Dated]) -> str:
    """How many there are in each year, or month, for those who do not see the picture."""
    years = dates[0].at.year != dates[-1].at.year
    counts = Counter(f"{one.at.year}" if years else f"{one.at:%B}" for one in dates)
    return ", ".join(f"{name}: {count}" for name, count in counts.items())


# -- the axis --------------------------------------------------------------------------------------


class _Scale(NamedTuple):
    """How far apart names stand: the next round date after one, and how it reads."""

    after: Callable[[datetime], datetime]
    name: Callable[[datetime], str]


def _days(step: int) -> _Scale:
    def after(at: datetime) -> datetime:
        day = at.toordinal() - 1  # the first of all days was a Monday, and so is every seventh
        return datetime.fromordinal(day - day % step + step + 1)

    return _Scale(after, lambda at: f"{at.day} {at:%b}")


def _months(step: int) -> _Scale:
    def after(at: datetime) -> datetime:
        month = at.year * 12 + at.month - 1
        year, month = divmod(month - month % step + step, 12)
        return datetime(year, month + 1, 1)

    return _Scale(after, lambda at: f"{at:%b} {at.year}" if step % 12 else f"{at.year}")


# The nearest first.
_SCALES = (
    *(_days(step) for step in (1, 2, 4, 7, 14)),
    *(_months(step) for step in (1, 3, 6)),
    *(_months(12 * years) for years in (1, 2, 5, 10, 25, 100, 500, 2500)),
)


def _ticks(first: datetime, last: datetime) -> list[Plain]:
    """Round dates along the axis, as many as fit a narrow screen."""
    for scale in _SCALES:
        found = _along(scale, first, last)
        if len(found) <= _MOST_TICKS:
            return [_tick(scale.name(at), _share(at, first, last)) for at in found]
    return []


def _along(scale: _Scale, first: datetime, last: datetime) -> list[datetime]:
    """The round dates from the first to the last; no more than one too many."""
    found: list[datetime] = []
    try:
        at = scale.after(first - timedelta(microseconds=1))
        while at <= last and len(found) <= _MOST_TICKS:
            found.append(at)
            at = scale.after(at)
    except (ValueError, OverflowError):  # an end of the calendar
        pass
    return found


def _tick(name: str, share: float) -> Plain:
    anchor = "start" if share < 0.1 else "end" if share > 0.9 else "middle"
    return {"x": _percent(share), "name": name, "anchor": anchor}
