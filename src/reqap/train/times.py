"""Ways to say when, and the condition that each means: for questions to learn from.

`e` is an event. A phrase follows a noun or a verb: "my runs in 2022", "did I go running on
weekends". Periods are stretches of the calendar; what comes back (weekends, mornings) is separate,
so that the two can be combined.
"""

import random
from dataclasses import dataclass

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_DAY, _CLOCK = 'e["start_date"]', 'e["start_time"]'
NUMBERS = (
    "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
)  # fmt: skip


@dataclass(frozen=True)
class When:
    """A phrase and the condition it stands for."""

    phrase: str
    condition: str


def period(chance: random.Random) -> When:
    """A stretch of the calendar."""
    made = chance.choices(
        (_year, _month, _years, _bounds, _recent, _relative, _season, _part_of_year, _day, _dates),
        (5, 4, 3, 4, 5, 4, 2, 2, 1, 1),
    )[0]
    return made(chance)


def recurring(chance: random.Random) -> When:
    """What comes back every week, day or year."""
    made = chance.choices((_weekend, _weekday, _daytime, _hours, _months), (3, 3, 4, 4, 2))[0]
    return made(chance)


def _some_year(chance: random.Random) -> int:
    return chance.randint(2009, 2026)


def _year(chance: random.Random) -> When:
    year = _some_year(chance)
    phrase = chance.choice(("in {}", "in {}", "in {}", "during {}", "in the year {}", "over {}",
                            "throughout {}", "back in {}", "in all of {}"))  # fmt: skip
    return When(phrase.format(year), f"{_DAY}.year == {year}")


def _month(chance: random.Random) -> When:
    year, month = _some_year(chance), chance.randint(1, 12)
    name = MONTHS[month - 1]
    phrase = chance.choice(("in {m} {y}", "in {m} {y}", "in {m} of {y}", "during {m} {y}",
                            "over the course of {m} {y}"))  # fmt: skip
    told = phrase.format(m=name, y=year)
    return When(told, f"{_DAY}.year == {year} and {_DAY}.month == {month}")


def _years(chance: random.Random) -> When:
    first = chance.randint(2009, 2022)
    last = first + chance.randint(1, 4)
    if chance.random() < 0.4:
        phrase = chance.choice(("in {} and {}", "in {} or {}", "in {} and {} together"))
        return When(phrase.format(first, last), f"{_DAY}.year in ({first}, {last})")
    if chance.random() < 0.15:
        decade = chance.choice((1990, 2000, 2010, 2020))
        return When(f"in the {decade}s", f"{decade} <= {_DAY}.year <= {decade + 9}")
    phrase = chance.choice(("between {} and {}", "from {} to {}", "from {} through {}",
                            "in the years {} to {}", "from {} until the end of {}"))  # fmt: skip
    return When(phrase.format(first, last), f"{first} <= {_DAY}.year <= {last}")


def _bounds(chance: random.Random) -> When:
    """Open on one side."""
    year, month, day = _some_year(chance), chance.randint(1, 12), chance.randint(1, 28)
    name = MONTHS[month - 1]
    return chance.choice((
        When(f"since {year}", f"{_DAY}.year >= {year}"),
        When(f"from {year} on", f"{_DAY}.year >= {year}"),
        When(f"after {year}", f"{_DAY}.year > {year}"),
        When(f"before {year}", f"{_DAY}.year < {year}"),
        When(f"until {year}", f"{_DAY}.year <= {year}"),
        When(f"up to and including {year}", f"{_DAY}.year <= {year}"),
        When(f"since {name} {year}", f"{_DAY} >= date({year}, {month}, 1)"),
        When(f"since the start of {year}", f"{_DAY} >= date({year}, 1, 1)"),
        When(f"since the beginning of {name} {year}", f"{_DAY} >= date({year}, {month}, 1)"),
        When(f"before {name} {year}", f"{_DAY} < date({year}, {month}, 1)"),
        When(f"since {day} {name} {year}", f"{_DAY} >= date({year}, {month}, {day})"),
        When(f"since {name} {day}, {year}", f"{_DAY} >= date({year}, {month}, {day})"),
        When(f"before {name} {day}, {year}", f"{_DAY} < date({year}, {month}, {day})"),
        When(f"after {name} {day}, {year}", f"{_DAY} > date({year}, {month}, {day})"),
    ))  # fmt: skip


def _recent(chance: random.Random) -> When:
    """The last so many days, weeks, months or years."""
    unit = chance.choice(("day", "week", "month", "month", "year"))
    number = chance.choice({"day": (3, 5, 7, 10, 14, 20, 30, 60, 90, 100), "week": tuple(range(2, 13)),
                            "month": (2, 3, 4, 5, 6, 8, 9, 10, 12, 18, 24),
                            "year": (2, 3, 4, 5, 6, 8, 10)}[unit])  # fmt: skip
    span = {"day": f"timedelta(days={number})", "week": f"timedelta(weeks={number})",
            "month": f"relativedelta(months={number})",
            "year": f"relativedelta(years={number})"}[unit]  # fmt: skip
    told = str(number)
    if number <= 12 and number >= 2 and chance.random() < 0.4:
        told = NUMBERS[number - 2]
    phrase = chance.choice(("in the last {n} {u}s", "in the past {n} {u}s", "over the last {n} {u}s",
                            "over the past {n} {u}s", "during the last {n} {u}s",
                            "within the last {n} {u}s", "these last {n} {u}s"))  # fmt: skip
    return When(phrase.format(n=told, u=unit), f"{_DAY} >= date.today() - {span}")


def _relative(chance: random.Random) -> When:
    month = chance.randint(1, 12)
    ago = chance.randint(2, 6)
    told = NUMBERS[ago - 2] if chance.random() < 0.5 else str(ago)
    this_month = f"{_DAY}.year == date.today().year and {_DAY}.month == date.today().month"
    earlier = "(date.today() - relativedelta(months=1))"
    last_month = f"{_DAY}.year == {earlier}.year and {_DAY}.month == {earlier}.month"
    week = f'{_DAY}.strftime("%G-%V") == '
    year = f"{_DAY}.year == date.today().year"
    return chance.choice((
        When("last year", f"{year} - 1"),
        When("last year", f"{year} - 1"),
        When("this year", year),
        When("this year", year),
        When("so far this year", year),
        When("the year before last", f"{year} - 2"),
        When(f"{told} years ago", f"{year} - {ago}"),
        When("in the past year", f"{_DAY} >= date.today() - relativedelta(years=1)"),
        When("over the last year", f"{_DAY} >= date.today() - relativedelta(years=1)"),
        When("in the past month", f"{_DAY} >= date.today() - relativedelta(months=1)"),
        When("in the past week", f"{_DAY} >= date.today() - timedelta(days=7)"),
        When("over the last half year", f"{_DAY} >= date.today() - relativedelta(months=6)"),
        When("this month", this_month),
        When("last month", last_month),
        When("last month", last_month),
        When("this week", f'{week}date.today().strftime("%G-%V")'),
        When("last week", f'{week}(date.today() - timedelta(days=7)).strftime("%G-%V")'),
        When("today", f"{_DAY} == date.today()"),
        When("yesterday", f"{_DAY} == date.today() - timedelta(days=1)"),
        When(f"in {MONTHS[month - 1]} this year", f"{year} and {_DAY}.month == {month}"),
        When(f"this {MONTHS[month - 1]}", f"{year} and {_DAY}.month == {month}"),
        When(f"in {MONTHS[month - 1]} last year", f"{year} - 1 and {_DAY}.month == {month}"),
        When(f"in {MONTHS[month - 1]} of last year", f"{year} - 1 and {_DAY}.month == {month}"),
    ))  # fmt: skip


_SEASONS = {
    "spring": (3, 6),
    "summer": (6, 9),
    "autumn": (9, 12),
    "fall": (9, 12),
    "winter": (12, 3),
}


def _season(chance: random.Random) -> When:
    year, name = _some_year(chance), chance.choice(tuple(_SEASONS))
    begin, end = _SEASONS[name]
    phrase = chance.choice(("in the {s} of {y}", "in {s} {y}", "during the {s} of {y}"))
    until = f"date({year + (end < begin)}, {end}, 1)"
    return When(phrase.format(s=name, y=year),
                f"date({year}, {begin}, 1) <= {_DAY} < {until}")  # fmt: skip


def _part_of_year(chance: random.Random) -> When:
    year = _some_year(chance)
    quarter = chance.randint(1, 4)
    ordinal = ("first", "second", "third", "fourth")[quarter - 1]
    begin = 3 * quarter - 2
    in_quarter = f"{_DAY}.year == {year} and {begin} <= {_DAY}.month <= {begin + 2}"
    return chance.choice((
        When(f"in the first half of {year}", f"{_DAY}.year == {year} and {_DAY}.month <= 6"),
        When(f"in the second half of {year}", f"{_DAY}.year == {year} and {_DAY}.month >= 7"),
        When(f"in the {ordinal} quarter of {year}", in_quarter),
        When(f"in Q{quarter} {year}", in_quarter),
        When(f"in Q{quarter} of {year}", in_quarter),
    ))  # fmt: skip


def _day(chance: random.Random) -> When:
    year, month, day = _some_year(chance), chance.randint(1, 12), chance.randint(1, 28)
    phrase = chance.choice(("on {d} {m} {y}", "on {m} {d}, {y}", "on the {d}th of {m} {y}"))
    if day in (1, 2, 3, 21, 22, 23):
        phrase = phrase.replace("{d}th", "{d}" + ("st", "nd", "rd")[day % 10 - 1])
    told = phrase.format(d=day, m=MONTHS[month - 1], y=year)
    return When(told, f"{_DAY} == date({year}, {month}, {day})")


def _dates(chance: random.Random) -> When:
    year, month = _some_year(chance), chance.randint(1, 11)
    later, first, last = month + chance.randint(0, 1), chance.randint(1, 14), chance.randint(15, 28)
    names = MONTHS[month - 1], MONTHS[later - 1]
    if chance.random() < 0.4:
        later = chance.randint(month + 1, 12)
        return When(
            f"from {names[0]} to {MONTHS[later - 1]} {year}",
            f"{_DAY}.year == {year} and {month} <= {_DAY}.month <= {later}",
        )
    phrase = chance.choice(("between {a} {m} and {b} {n} {y}", "from {m} {a} to {n} {b}, {y}"))
    return When(
        phrase.format(a=first, b=last, m=names[0], n=names[1], y=year),
        f"date({year}, {month}, {first}) <= {_DAY} <= date({year}, {later}, {last})",
    )


# -- what comes back -------------------------------------------------------------------------------


def _weekend(chance: random.Random) -> When:
    if chance.random() < 0.6:
        phrase = chance.choice(("on weekends", "at weekends", "on the weekend", "at the weekend",
                                "on a weekend", "on Saturdays or Sundays"))  # fmt: skip
        return When(phrase, f"{_DAY}.weekday() >= 5")
    phrase = chance.choice(("on weekdays", "on a weekday", "during the week", "on working days",
                            "from Monday to Friday"))  # fmt: skip
    return When(phrase, f"{_DAY}.weekday() < 5")


def _weekday(chance: random.Random) -> When:
    number = chance.randint(1, 7)
    name = WEEKDAYS[number - 1]
    if chance.random() < 0.15:
        other = chance.choice([one for one in range(1, 8) if one != number])
        low, high = min(number, other), max(number, other)
        told = f"on {WEEKDAYS[low - 1]}s or {WEEKDAYS[high - 1]}s"
        return When(told, f"{_DAY}.isoweekday() in ({low}, {high})")
    phrase = chance.choice(("on {}s", "on a {}", "on {}s", "on any {}"))
    return When(phrase.format(name), f"{_DAY}.isoweekday() == {number}")


def _daytime(chance: random.Random) -> When:
    return chance.choice((
        When("in the morning", f"{_CLOCK} < time(12)"),
        When("in the mornings", f"{_CLOCK} < time(12)"),
        When("before noon", f"{_CLOCK} < time(12)"),
        When("in the afternoon", f"time(12) <= {_CLOCK} < time(18)"),
        When("in the evening", f"{_CLOCK} >= time(18)"),
        When("in the evenings", f"{_CLOCK} >= time(18)"),
        When("at night", f"({_CLOCK} >= time(22) or {_CLOCK} < time(6))"),
        When("at lunchtime", f"time(12) <= {_CLOCK} < time(14)"),
        When("after midnight", f"{_CLOCK} < time(6)"),
    ))  # fmt: skip


def _told_hour(hour: int, chance: random.Random) -> str:
    if hour in (0, 12):
        return "midnight" if hour == 0 else "noon"
    twelve = hour - 12 if hour > 12 else hour
    forms = (f"{twelve} {'pm' if hour >= 12 else 'am'}", f"{twelve} {'PM' if hour >= 12 else 'AM'}",
             f"{twelve}{'pm' if hour >= 12 else 'am'}", f"{hour}:00",
             f"{twelve} {'in the morning' if hour < 12 else 'in the evening'}" if hour < 12 or hour > 17
             else f"{twelve} in the afternoon")  # fmt: skip
    return chance.choice(forms)


def _hours(chance: random.Random) -> When:
    hour = chance.randint(5, 23)
    told = _told_hour(hour, chance)
    case = chance.random()
    if case < 0.35:
        phrase = chance.choice(("before {}", "earlier than {}"))
        return When(phrase.format(told), f"{_CLOCK} < time({hour})")
    if case < 0.7:
        phrase = chance.choice(("after {}", "later than {}", "past {}"))
        return When(phrase.format(told), f"{_CLOCK} >= time({hour})")
    if case < 0.78:
        half = f"{hour % 12 or 12}:30 {'pm' if hour >= 12 else 'am'}"
        return When(f"after {half}", f"{_CLOCK} >= time({hour}, 30)")
    first = chance.randint(5, 21)
    last = first + chance.randint(1, min(5, 24 - first))
    phrase = chance.choice(("between {} and {}", "from {} to {}"))
    names = _told_hour(first, chance), _told_hour(last % 24, chance)
    condition = (f"time({first}) <= {_CLOCK} < time({last})" if last < 24
                 else f"{_CLOCK} >= time({first})")  # fmt: skip
    return When(phrase.format(*names), condition)


def _months(chance: random.Random) -> When:
    if chance.random() < 0.5:
        name = chance.choice(tuple(_SEASONS))
        begin = _SEASONS[name][0]
        months = tuple((begin + n - 1) % 12 + 1 for n in range(3))
        phrase = chance.choice(("in {}", "in the {}", "in the {} months", "every {}"))
        return When(phrase.format(name), f"{_DAY}.month in {months}")
    month = chance.randint(1, 12)
    phrase = chance.choice(("in {}s past", "in any {}", "in the month of {}", "in {}, in any year"))
    return When(phrase.format(MONTHS[month - 1]), f"{_DAY}.month == {month}")
