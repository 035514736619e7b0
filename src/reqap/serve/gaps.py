"""Places in the calendar that a list of groups has left out: months in which nothing happened.

Not the job of this module: deciding whether there are bars (`charts`).
"""

import re
from calendar import day_name, month_name
from collections.abc import Callable, Sequence
from datetime import date
from itertools import pairwise

from reqap.wording import say

_MOST = 60  # places; beyond, gaps are not worth their room
_MONTH, _YEAR = re.compile(r"\d{4}-\d\d"), re.compile(r"\d{4}")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


def left_out(labels: Sequence[object]) -> list[tuple[int, str]]:
    """What is missing between groups that go up the calendar: before which of them, and its name.

    Labels are values as answers are kept: 2023, "2023-05", "2023-05-29" (days, or weeks), "May",
    "Monday". Nothing where they are anything else, or in another order.
    """
    for place, name in _SCALES:
        places = [place(label) for label in labels]
        if None in places or len(labels) < 3:
            continue
        known = [one for one in places if one is not None]
        steps = [after - before for before, after in pairwise(known)]
        if min(steps) <= 0:
            return []
        step = 7 if place is _of_day and all(one % 7 == 0 for one in steps) else 1
        if (known[-1] - known[0]) // step >= _MOST:
            return []
        return [
            (number, name(at))
            for number, (before, after) in enumerate(pairwise(known), 1)
            for at in range(before + step, after, step)
        ]
    return []


def _of_month(label: object) -> int | None:
    if not isinstance(label, str) or not _MONTH.fullmatch(label):
        return None
    year, month = map(int, label.split("-"))
    return year * 12 + month - 1 if 1 <= month <= 12 else None


def _of_year(label: object) -> int | None:
    if isinstance(label, str) and _YEAR.fullmatch(label):
        label = int(label)
    return label if type(label) is int and 1900 <= label < 2200 else None


def _of_day(label: object) -> int | None:
    if not isinstance(label, str) or not _DAY.fullmatch(label):
        return None
    try:
        return date.fromisoformat(label).toordinal()
    except ValueError:
        return None


def _in(names: Sequence[str]) -> Callable[[object], int | None]:
    known = {name: number for number, name in enumerate(names)}
    return lambda label: known.get(label) if isinstance(label, str) else None


_SCALES: tuple[tuple[Callable[[object], int | None], Callable[[int], str]], ...] = (
    (_of_month, lambda at: f"{at // 12}-{at % 12 + 1:02}"),
    (_of_year, str),
    (_of_day, lambda at: say(date.fromordinal(at))),
    *((_in(names), names.__getitem__) for names in ([*day_name], [*month_name][1:])),
)
