"""Calendars: appointments, all-day events and birthdays (.ics).

How to get it: Google: takeout.google.com → only "Calendar"; or Google Calendar → Settings → Export.
Apple: Calendar → File → Export. Outlook: File → Save Calendar; outlook.com: share and download the
ICS. Most others offer "export" or "iCal".

Repeating appointments are told one by one, up to the end of next year, with the exceptions and
moved dates the file tells. Times are the user's: a meeting at nine in New York is at three in the
afternoon in Berlin (`time_zone` then names New York's). All-day events and times without a zone
stay as they are. Cancelled and declined appointments and to-do lists are passed over.

Birthdays often begin in a year that nobody knows (Apple writes 1604) or long ago. A rule without
end that begins before 1970 is told from twenty years before the earliest other appointment of the
file on (without one: from 2000); `since` keeps the first date where it is a real one.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from typing import NamedTuple

from reqap.errors import ValueProblem
from reqap.events import Event, ImportIssue, Value, event_id
from reqap.sources.appointments import (
    Moment,
    Span,
    Zones,
    last_second,
    moment_of,
    moments_of,
    parse_span,
    revision_of,
    span_of,
    start_of,
)
from reqap.sources.base import Context, ExportFile, Items, Sample, Source
from reqap.sources.ics import Component, Property, parse_stamp, raw_component, read_components
from reqap.sources.invitations import details, my_response
from reqap.sources.recurrence import MOST_TIMES, Rule, expand, parse_rule
from reqap.sources.zones import named_zone, own_zone

NAME = "calendar"

_SURVEYED = frozenset({"UID", "RECURRENCE-ID", "DTSTART", "DTEND", "DURATION", "SEQUENCE", "RRULE"})
_NO_APPOINTMENTS = {
    "VTODO": "a to-do, not an appointment",
    "VJOURNAL": "a journal entry, not an appointment",
    "VFREEBUSY": "free and busy times, not an appointment",
}
_FIRST_YEAR = 1970
_FIRST_REAL_YEAR = 1905  # birthdays that begin earlier have a year only because they need one
_YEARS_BEFORE = 20
_WITHOUT_OTHERS = 2000
# What all rules of one file may give, so that a file made to fill the disk does not.
_MOST_OF_A_FILE = 1_000_000


def sniff(sample: Sample) -> bool:
    return sample.text.lstrip()[:15].upper() == "BEGIN:VCALENDAR"


def horizon(context: Context) -> datetime:
    """Up to when open-ended rules are told: the end of next year."""
    return datetime(context.clock.today.year + 1, 12, 31, 23, 59, 59)


def read(file: ExportFile, context: Context) -> Items:
    reader = _Reader(file, context, _survey(file))
    for item in read_components(file):
        if isinstance(item, ImportIssue):
            yield item
        elif item.name == "VEVENT":
            try:
                yield from reader.appointment(item)
            except ValueProblem as problem:
                reason, _, detail = str(problem).partition(": ")
                yield ImportIssue(reason, file.origin(item.line), detail)
            except (ValueError, OverflowError, LookupError, TypeError) as error:
                detail = f"{type(error).__name__}: {error}"[:200]
                yield ImportIssue("broken appointment", file.origin(item.line), detail)
        elif item.name in _NO_APPOINTMENTS:
            detail = item.text("SUMMARY")[:80]
            yield ImportIssue(_NO_APPOINTMENTS[item.name], file.origin(item.line), detail)


@dataclass
class _Calendar:
    """What a VCALENDAR says about all that is in it."""

    name: str = ""
    zone: tzinfo | None = None
    cancels: bool = False


@dataclass
class _Survey:
    """What must be known of a whole file before its appointments can be told."""

    calendars: dict[int, _Calendar] = field(default_factory=dict)
    zones: Zones = field(default_factory=lambda: Zones({}, set()))
    masters: dict[str, tuple[str, str]] = field(default_factory=dict)
    repeated: set[str] = field(default_factory=set)  # UIDs that several appointments share
    replaced: dict[str, set[str]] = field(default_factory=dict)  # UID → dates told on their own
    onward: dict[str, list[Component]] = field(default_factory=dict)  # UID → "this and following"
    earliest: int | None = None  # year

    def calendar(self, component: Component) -> _Calendar:
        return self.calendars.setdefault(component.calendar, _Calendar())


def _survey(file: ExportFile) -> _Survey:
    survey = _Survey()
    exceptions: list[tuple[str, Property, Component]] = []
    for item in read_components(file, _SURVEYED):
        if isinstance(item, ImportIssue):
            continue
        if item.name == "VCALENDAR":
            survey.calendars[item.calendar] = _Calendar(
                item.text("X-WR-CALNAME") or item.text("NAME"),
                named_zone(item.text("X-WR-TIMEZONE")),
                item.text("METHOD").upper() == "CANCEL",
            )
        elif item.name == "VTIMEZONE" and (zone := own_zone(item)):
            survey.zones.own[item.text("TZID")] = zone
        elif item.name == "VEVENT":
            if recurrence := item.first("RECURRENCE-ID"):
                item.properties.pop("RRULE", None)
                exceptions.append((item.text("UID"), recurrence, item))
            else:
                _survey_master(item, survey)
    for uid, recurrence, item in exceptions:
        if _is_onward(recurrence):
            survey.onward.setdefault(uid, []).append(item)
        elif moment := moment_of(recurrence, survey.zones, survey.calendar(item).zone):
            survey.replaced.setdefault(uid, set()).add(moment.key)
    survey.zones.unknown.clear()
    return survey


def _survey_master(component: Component, survey: _Survey) -> None:
    start = component.first("DTSTART")
    uid = component.text("UID")
    told = (start.value if start else "", component.text("SEQUENCE"))
    before = survey.masters.setdefault(uid, told)
    # The same UID, as often revised, at another time: writers that number nothing, not a revision.
    if before[0] != told[0] and before[1] == told[1]:
        survey.repeated.add(uid)
    stamp = parse_stamp(told[0])
    if stamp and stamp.wall.year >= _FIRST_YEAR:
        survey.earliest = min(survey.earliest or stamp.wall.year, stamp.wall.year)


def _is_onward(recurrence: Property) -> bool:
    return recurrence.parameters.get("RANGE", "").upper() == "THISANDFUTURE"


class _Occurrence(NamedTuple):
    """One date of an appointment."""

    start: Moment
    span: Span
    key: str  # which date of the series this is; empty for what happens once


class _Onward(NamedTuple):
    """A change to all dates of a series from one on."""

    since: datetime  # in the terms of the series
    component: Component


class _Reader:
    """Tells the appointments of one file."""

    def __init__(self, file: ExportFile, context: Context, survey: _Survey) -> None:
        self._file = file
        self._context = context
        self._survey = survey
        self._last = horizon(context)
        self._room = _MOST_OF_A_FILE
        self._unknown: set[str] = set()

    def appointment(self, component: Component) -> Items:
        """The events of a VEVENT."""
        origin = self._file.origin(component.line)
        calendar = self._survey.calendar(component)
        if component.text("STATUS").upper() == "CANCELLED" or calendar.cancels:
            yield ImportIssue("cancelled", origin, component.text("SUMMARY")[:80])
            return
        if my_response(component, self._context.who, calendar.name) == "declined":
            yield ImportIssue("declined", origin, component.text("SUMMARY")[:80])
            return
        zones = self._survey.zones
        start = start_of(component, zones, calendar.zone)
        span, odd = span_of(component, start, zones, calendar.zone)
        if odd:
            yield ImportIssue(odd, origin, component.text("SUMMARY")[:80], skipped=False)
        recurrence = component.first("RECURRENCE-ID")
        if recurrence:
            yield from self._exception(component, recurrence, start, span)
        elif component.all("RRULE") or component.all("RDATE"):
            yield from self._series(component, start, span)
        else:
            uid = component.text("UID")
            key = start.key if uid in self._survey.repeated else ""
            yield self._event(component, _Occurrence(start, span, key), self._data(component))
        yield from self._unknown_zones(component)

    def _unknown_zones(self, component: Component) -> Iterator[ImportIssue]:
        for name in sorted(self._survey.zones.unknown - self._unknown):
            self._unknown.add(name)
            origin = self._file.origin(component.line)
            detail = f"{name}: taken for the calendar's own"
            yield ImportIssue("unknown time zone", origin, detail, skipped=False)

    def _exception(
        self, component: Component, recurrence: Property, start: Moment, span: Span
    ) -> Items:
        """One date of a series that was moved or changed."""
        survey = self._survey
        if _is_onward(recurrence) and component.text("UID") in survey.masters:
            return  # it is told together with its series
        moment = moment_of(recurrence, survey.zones, survey.calendar(component).zone)
        if moment is None:
            raise ValueProblem(f"no readable recurrence: {recurrence.value[:80]}")
        data = {**self._data(component), "recurring": True}
        yield self._event(component, _Occurrence(start, span, moment.key), data)
