"""Which order a file writes its all-numeric dates in, decided over the whole file.

Its job is the vote; reading single dates is the job of `dates`. Nothing is decided by habit or
country: a file that fits both orders and is sorted in neither stays undecided.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum

from reqap.errors import ValueProblem
from reqap.values._text import MAX_SCALAR_CHARS, is_missing, simplify
from reqap.values.clocks import cut_clock
from reqap.values.dates import DateOrder, folded, numeric_fields, numeric_readings, parse_date

# Three different dates in a row are the least that can look sorted. A two-digit year in front is
# rare, so it must look sorted for longer before chance is ruled out.
_MIN_STEPS = 2
_MIN_STEPS_YEAR_FIRST = 5


class OrderEvidence(StrEnum):
    """What decided a vote."""

    IMPOSSIBLE = "impossible"  # some rows are no date in the other order
    SORTED = "sorted"  # the rows are sorted in this order and jump about in the other
    YEAR_FIRST = "year-first"  # every numeric date starts with a four-digit year
    CONFLICT = "conflict"  # no order fits every row
    NONE = "none"  # nothing to go by, or nothing to decide


@dataclass(frozen=True, slots=True)
class OrderVote:
    """The outcome of `vote_date_order`.

    *ambiguous* says that rows have more than one reading and nothing decides between them, or that
    the rows contradict each other. Counts are of rows: *dmy_only*, *mdy_only* and *ymd_only* fit
    one order alone (day before month, month before day; a two-digit year first), *either* fits both
    with different results, *plain* needs no order, *unreadable* is no date at all.
    """

    order: DateOrder | None
    ambiguous: bool
    evidence: OrderEvidence
    dmy_only: int = 0
    mdy_only: int = 0
    ymd_only: int = 0
    either: int = 0
    plain: int = 0
    unreadable: int = 0


@dataclass(slots=True)
class _Reading:
    """How the file looks when read in one order, kept in constant memory."""

    fits: int = 0
    ups: int = 0
    downs: int = 0
    previous: date | None = None

    def see(self, day: date) -> None:
        self.fits += 1
        if self.previous is not None:
            self.ups += day > self.previous
            self.downs += day < self.previous
        self.previous = day

    def is_sorted(self, min_steps: int) -> bool:
        return not (self.ups and self.downs) and self.ups + self.downs >= min_steps


@dataclass(slots=True)
class _Tally:
    readings: dict[DateOrder, _Reading] = field(
        default_factory=lambda: {order: _Reading() for order in DateOrder}
    )
    rows: int = 0
    year_first: int = 0
    dmy_only: int = 0
    mdy_only: int = 0
    ymd_only: int = 0
    either: int = 0
    plain: int = 0
    unreadable: int = 0

    def see(self, sample: str) -> None:
        if is_missing(sample):
            return
        found = _readings_of(sample)
        if found is None:
            if _is_plain_date(sample):
                self.plain += 1
            else:
                self.unreadable += 1
            return
        fields, days = found
        if not days:
            self.unreadable += 1
        elif len(fields[0]) == 4:
            self.year_first += 1
            self.plain += 1
        else:
            self._see_numeric(days)

    def _see_numeric(self, days: dict[DateOrder, date]) -> None:
        self.rows += 1
        for order, day in days.items():
            self.readings[order].see(day)
        dmy, mdy = days.get(DateOrder.DMY), days.get(DateOrder.MDY)
        if dmy is None and mdy is None:
            self.ymd_only += 1
        elif mdy is None:
            self.dmy_only += 1
        elif dmy is None:
            self.mdy_only += 1
        elif dmy != mdy:
            self.either += 1
        else:
            self.plain += 1

    def fits(self, order: DateOrder) -> bool:
        return self.readings[order].fits == self.rows

    def year_looks_first(self) -> bool:
        reading = self.readings[DateOrder.YMD]
        return self.fits(DateOrder.YMD) and reading.is_sorted(_MIN_STEPS_YEAR_FIRST)

    def outcome(self, order: DateOrder | None, evidence: OrderEvidence) -> OrderVote:
        conflict = evidence is OrderEvidence.CONFLICT
        return OrderVote(
            order=order,
            ambiguous=conflict or (order is None and self.either > 0),
            evidence=evidence,
            dmy_only=self.dmy_only,
            mdy_only=self.mdy_only,
            ymd_only=self.ymd_only,
            either=self.either,
            plain=self.plain,
            unreadable=self.unreadable,
        )


def vote_date_order(samples: Iterable[str]) -> OrderVote:
    """The date order of a file, from all its dates in file order (datetimes will do); one pass.

    First the rows that are impossible in one order decide (a day over 12). If every row fits both
    day-month and month-day, the order in which the file is sorted decides, given that it is not
    sorted in the other. Otherwise the order stays None.
    """
    tally = _Tally()
    for sample in samples:
        tally.see(sample)
    return _decide(tally)


def _decide(tally: _Tally) -> OrderVote:
    if not tally.rows:
        if tally.year_first:
            return tally.outcome(DateOrder.YMD, OrderEvidence.YEAR_FIRST)
        return tally.outcome(None, OrderEvidence.NONE)
    fitting = [order for order in (DateOrder.DMY, DateOrder.MDY) if tally.fits(order)]
    in_order = [o for o in fitting if tally.readings[o].is_sorted(_MIN_STEPS)]
    if not fitting:
        if tally.fits(DateOrder.YMD):
            return tally.outcome(DateOrder.YMD, OrderEvidence.IMPOSSIBLE)
        return tally.outcome(None, OrderEvidence.CONFLICT)
    if not in_order and tally.year_looks_first():
        return tally.outcome(DateOrder.YMD, OrderEvidence.SORTED)
    if len(fitting) == 1:
        return tally.outcome(fitting[0], OrderEvidence.IMPOSSIBLE)
    if len(in_order) == 1 and tally.either:
        return tally.outcome(in_order[0], OrderEvidence.SORTED)
    return tally.outcome(None, OrderEvidence.NONE)


def _readings_of(sample: str) -> tuple[tuple[str, str, str], dict[DateOrder, date]] | None:
    """The numeric fields of *sample* with their readings, None when it is not all-numeric."""
    if not isinstance(sample, str) or len(sample) > MAX_SCALAR_CHARS:
        return None
    try:
        _, rest = cut_clock(folded(simplify(sample)))
    except ValueError:
        return None
    fields = numeric_fields(rest)
    return None if fields is None else (fields, numeric_readings(fields))


def _is_plain_date(sample: str) -> bool:
    try:
        return parse_date(sample) is not None
    except ValueProblem:
        return False
