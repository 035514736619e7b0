"""Rules of repetition, checked against dateutil's reading of the same rules."""

from datetime import datetime
from itertools import islice

import pytest
from dateutil.rrule import rrulestr
from hypothesis import given, settings
from hypothesis import strategies as st

from reqap.errors import ValueProblem
from reqap.sources.recurrence import Work, expand, parse_rule

_DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_FAR = datetime(2027, 12, 31)


def _some(name: str, values: list[int]) -> st.SearchStrategy[str]:
    chosen = st.lists(st.sampled_from(values), min_size=1, max_size=3, unique=True)
    return chosen.map(lambda found: f";{name}=" + ",".join(map(str, found)))


@st.composite
def rules(draw: st.DrawFn) -> str:
    """Rules that dateutil reads as the RFC means them.

    It does not know weeks that belong to the year before, mixes of "Monday" and "first Tuesday",
    and places in the week a rule begins in.
    """
    frequency = draw(st.sampled_from(["YEARLY", "MONTHLY", "WEEKLY", "DAILY", "HOURLY"]))
    rule = f"FREQ={frequency};INTERVAL={draw(st.integers(1, 5))}"
    days = st.lists(st.sampled_from(_DAYS), min_size=1, max_size=4, unique=True)
    parts = [_some("BYMONTH", list(range(1, 13))), days.map(lambda d: ";BYDAY=" + ",".join(d))]
    parts.append(_some("BYHOUR", list(range(24))))
    parts.append(_some("BYMINUTE", [0, 15, 59]))
    if frequency != "WEEKLY":
        parts.append(_some("BYMONTHDAY", [1, 13, 28, 29, 30, 31, -1, -2, -31]))
        parts.append(_some("BYSETPOS", [1, 2, -1, -2]))
    if frequency == "YEARLY":
        parts.append(_some("BYYEARDAY", [1, 59, 60, 200, 366, -1, -366]))
        parts.append(_some("BYWEEKNO", [1, 2, 20, 51]))
    if frequency in ("YEARLY", "MONTHLY"):
        nth = st.tuples(st.sampled_from([1, 2, 4, 5, -1, -2]), st.sampled_from(_DAYS))
        parts[1] |= st.lists(nth, min_size=1, max_size=3, unique=True).map(
            lambda found: ";BYDAY=" + ",".join(f"{place}{day}" for place, day in found)
        )
    for part in parts:
        if draw(st.integers(0, 3)) == 0:
            rule += draw(part)
    if draw(st.booleans()):
        rule += f";COUNT={draw(st.integers(1, 40))}"
    return rule + f";WKST={draw(st.sampled_from(_DAYS))}"


@settings(max_examples=150, deadline=None)
@given(rules(), st.datetimes(datetime(2022, 1, 1), datetime(2024, 12, 31)))
def test_the_times_are_those_of_dateutil(rule: str, start: datetime) -> None:
    start = start.replace(microsecond=0)
    expansion = expand(parse_rule(rule), start, _FAR)
    count = min(300, len(expansion.found))
    if expansion.cut or count == 0:
        return  # where nothing is found, dateutil searches for minutes
    assert expansion.found[:count] == list(islice(rrulestr(rule, dtstart=start), count))


def test_weeks_that_begin_in_the_year_before() -> None:
    rule = parse_rule("FREQ=YEARLY;BYWEEKNO=52;BYDAY=SU")
    found = expand(rule, datetime(2021, 6, 1), datetime(2023, 12, 31)).found
    # 2 January 2022 lies in the last week of 2021.
    assert found == [datetime(2022, 1, 2), datetime(2023, 1, 1), datetime(2023, 12, 31)]


def test_plain_and_counted_weekdays_are_joined() -> None:
    rule = parse_rule("FREQ=MONTHLY;BYDAY=SU,1TU")
    found = expand(rule, datetime(2022, 1, 1), datetime(2022, 1, 31)).found
    assert [moment.day for moment in found] == [2, 4, 9, 16, 23, 30]


def test_since_skips_but_keeps_the_rhythm() -> None:
    rule = parse_rule("FREQ=YEARLY;INTERVAL=4")
    found = expand(rule, datetime(1604, 2, 29), datetime(2010, 1, 1), datetime(1995, 1, 1)).found
    assert [moment.year for moment in found] == [1996, 2000, 2004, 2008]


def test_a_count_goes_on_counting_what_since_leaves_out() -> None:
    rule = parse_rule("FREQ=DAILY;COUNT=5")
    found = expand(rule, datetime(2022, 1, 1), _FAR, datetime(2022, 1, 4)).found
    assert [moment.day for moment in found] == [4, 5]


def test_rules_share_the_work_of_a_file() -> None:
    work = Work()
    start = datetime(2000, 1, 1)
    never = parse_rule("FREQ=DAILY;BYMONTH=2;BYMONTHDAY=31")
    assert expand(never, start, _FAR, work=work) == ([], False)
    spent = Work().left - work.left
    assert spent >= (_FAR - start).days
    work.left = 2 * spent
    weekly = expand(parse_rule("FREQ=WEEKLY"), start, _FAR, work=work)
    assert (len(weekly.found), weekly.cut) == (1461, False)
    assert 2 * spent - work.left < 3 * 1461
    work.left = 100
    cut = expand(parse_rule("FREQ=WEEKLY"), start, _FAR, work=work)
    assert cut.cut
    assert weekly.found[: len(cut.found)] == cut.found
    assert 0 < len(cut.found) < 100


@pytest.mark.parametrize(
    "text",
    ["", "FREQ=OFTEN", "FREQ=DAILY;INTERVAL=x", "FREQ=DAILY;COUNT=0", "FREQ=DAILY;BYMONTH=13"],
)
def test_rules_that_make_no_sense(text: str) -> None:
    with pytest.raises(ValueProblem):
        parse_rule(text)
