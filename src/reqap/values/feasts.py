"""Feasts that people date things by ("on Boxing Day"): the days on which they fall.

Only feasts that fall on one day by the calendar of their name, or follow Easter. Not the job of
this module: whether a text means the day ("the Christmas party" may be in November).
"""

import re
from datetime import date, timedelta

from reqap.values._text import fold

# Month and day, of names without apostrophes; what may also fall elsewhere ("Mother's Day") is left
# out.
_FIXED = {
    "new years day": (1, 1), "new year": (1, 1), "new years": (1, 1), "epiphany": (1, 6),
    "three kings": (1, 6), "three kings day": (1, 6), "burns night": (1, 25),
    "australia day": (1, 26), "groundhog day": (2, 2), "candlemas": (2, 2),
    "valentines day": (2, 14), "valentines": (2, 14), "womens day": (3, 8),
    "st patricks day": (3, 17), "st patricks": (3, 17), "saint patricks day": (3, 17),
    "april fools day": (4, 1), "april fools": (4, 1), "st georges day": (4, 23),
    "anzac day": (4, 25), "kings day": (4, 27), "may day": (5, 1), "cinco de mayo": (5, 5),
    "juneteenth": (6, 19), "st johns eve": (6, 23), "canada day": (7, 1),
    "fourth of july": (7, 4), "4th of july": (7, 4), "bastille day": (7, 14),
    "assumption day": (8, 15), "halloween": (10, 31), "all saints": (11, 1),
    "all saints day": (11, 1), "all souls day": (11, 2), "bonfire night": (11, 5),
    "guy fawkes night": (11, 5), "guy fawkes": (11, 5), "st martins day": (11, 11),
    "armistice day": (11, 11), "veterans day": (11, 11), "st andrews day": (11, 30),
    "st nicholas eve": (12, 5), "st nicholas day": (12, 6), "st lucias day": (12, 13),
    "christmas eve": (12, 24), "xmas eve": (12, 24), "christmas": (12, 25),
    "christmas day": (12, 25), "xmas": (12, 25), "xmas day": (12, 25),
    "first christmas day": (12, 25), "boxing day": (12, 26), "second christmas day": (12, 26),
    "st stephens day": (12, 26), "new years eve": (12, 31), "nye": (12, 31), "hogmanay": (12, 31),
}  # fmt: skip
# Days after Easter Sunday.
_BY_EASTER = {
    "shrove tuesday": -47, "pancake day": -47, "mardi gras": -47, "ash wednesday": -46,
    "palm sunday": -7, "maundy thursday": -3, "good friday": -2, "holy saturday": -1,
    "easter saturday": -1, "easter": 0, "easter sunday": 0, "easter day": 0, "easter monday": 1,
    "ascension day": 39, "pentecost": 49, "whit sunday": 49, "whit monday": 50,
    "corpus christi": 60,
}  # fmt: skip
# Month, weekday, and which one of the month; the last one is -1.
_BY_WEEKDAY = {
    "martin luther king day": (1, 0, 3), "mlk day": (1, 0, 3), "memorial day": (5, 0, -1),
    "labor day": (9, 0, 1), "canadian thanksgiving": (10, 0, 2), "thanksgiving": (11, 3, 4),
}  # fmt: skip
_BESIDE = re.compile(
    r"(?:(?:on|at|by|since|until|till|the) )*(?:(?P<which>last|this|next) )?(?P<feast>.+?)"
    r"(?: (?:morning|afternoon|evening|night))?"
    r"(?:,? (?:of |in )?(?:(?P<year>(?:19|20)\d\d)|'(?P<short>\d\d)))?"
)
_LONGEST = 60
_LAST_WEEK = 25  # the day on which that of a month of 31 begins


def feast_days(piece: str, written: date) -> tuple[date, ...]:
    """The days that a piece of a text means that names a feast; without a year the two nearest,
    the nearest first."""
    found = _BESIDE.fullmatch(fold(piece[:_LONGEST]).replace("’", "'").strip(" .,;:!?"))
    feast = found["feast"].replace("'", "").replace("st. ", "st ") if found else ""
    if found is None or feast not in {**_FIXED, **_BY_EASTER, **_BY_WEEKDAY}:
        return ()
    if found["year"] or found["short"]:
        return (_falls(feast, int(found["year"] or f"20{found['short']}")),)
    years = range(max(1, written.year - 1), min(9999, written.year + 1) + 1)
    days = [_falls(feast, year) for year in years]
    if found["which"] == "last":
        return tuple(day for day in days if day < written)[-1:]
    if found["which"] == "next":
        return tuple(day for day in days if day > written)[:1]
    return tuple(sorted(days, key=lambda day: abs(day - written))[:2])


# Those that most people keep who know them.
_SPELT = {"new years eve": "New Year's Eve", "valentines day": "Valentine's Day",
          "easter sunday": "Easter", "halloween": "Halloween", "christmas eve": "Christmas Eve",
          "christmas day": "Christmas"}  # fmt: skip


def feast_on(day: date) -> str:
    """The feast on a day that is widely kept; nothing on most days."""
    return next((_SPELT[feast] for feast in _SPELT if _falls(feast, day.year) == day), "")


def _falls(feast: str, year: int) -> date:
    if feast in _FIXED:
        return date(year, *_FIXED[feast])
    if feast in _BY_EASTER:
        return easter(year) + timedelta(days=_BY_EASTER[feast])
    month, weekday, nth = _BY_WEEKDAY[feast]
    day = date(year, month, 7 * nth - 6 if nth > 0 else _LAST_WEEK)
    return day + timedelta(days=(weekday - day.weekday()) % 7)


def easter(year: int) -> date:
    """Easter Sunday of the western churches (the Gregorian computus)."""
    golden, century = year % 19, year // 100
    skipped = century - century // 4 - (8 * century + 13) // 25
    epact = (skipped + 19 * golden + 15) % 30
    epact -= (epact // 28) * (1 - (epact // 28) * (29 // (epact + 1)) * ((21 - golden) // 11))
    weekday = (year + year // 4 + epact + 2 - century + century // 4) % 7
    since = epact - weekday
    month = 3 + (since + 40) // 44
    return date(year, month, since + 28 - 31 * (month // 4))
