"""Calendars: appointments, all-day events and birthdays (.ics).

How to get it: Google: takeout.google.com → only "Calendar"; or Google Calendar → Settings → Export.
Apple: Calendar → File → Export. Outlook: File → Save Calendar; outlook.com: share and download the
ICS. Most others offer "export" or "iCal".

Repeating appointments are told one by one, up to the end of next year, with the exceptions and
moved dates the file tells. Times are the user's: a meeting at nine in New York is at three in the
afternoon in Berlin (`time_zone` then names New York's). All-day events and times without a zone
stay as they are. Cancelled and declined appointments and to-do lists are passed over. All that one
UID names is a whole: a newer export of it takes the place of an older one.

Birthdays often begin in a year that nobody knows (Apple writes 1604) or long ago. A yearly rule
without end, or one that begins before 1970, is told from the year before the earliest other
appointment of the file on (without one: from 2000); `since` keeps the first date where it is real.
"""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from typing import NamedTuple

from reqap.errors import ValueProblem
from reqap.events import Event, ImportIssue, Retraction, Value, event_id
from reqap.sources.appointments import (
    Moment,
    Span,
    Zones,
    last_second,
    moment_of,
    revision_of,
    span_of,
    start_of,
)
from reqap.sources.base import Context, ExportFile, Items, Sample, Source
from reqap.sources.ics import Component, Property, parse_stamp, raw_component, read_components
from reqap.sources.invitations import details, excess, my_response
from reqap.sources.recurrence import Work
from reqap.sources.series import (
    TOO_MUCH,
    Change,
    Frame,
    Onward,
    Series,
    change_of,
    onward_of,
    series_of,
)
from reqap.sources.zones import named_zone, own_zone, zone_name

NAME = "calendar"

_SURVEYED = frozenset(
    {"UID", "RECURRENCE-ID", "DTSTART", "SEQUENCE", "LAST-MODIFIED", "DTSTAMP", "CREATED"}
)
_NO_APPOINTMENTS = {
    "VTODO": "a to-do, not an appointment",
    "VJOURNAL": "a journal entry, not an appointment",
    "VFREEBUSY": "free and busy times, not an appointment",
}
_FIRST_YEAR = 1970
_FIRST_REAL_YEAR = 1905  # birthdays that begin earlier have a year only because they need one
_YEARS_BEFORE = 1
_WITHOUT_OTHERS = 2000
# What all rules of one file may give, so that a file made to fill the disk does not.
_MOST_OF_A_FILE = 1_000_000
_MOST_CHANGES = 50  # "to this and all following dates", of one UID
_MAX_NAME = 500


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
    revisions: dict[str, int] = field(default_factory=dict)  # UID → its last change
    repeated: set[str] = field(default_factory=set)  # UIDs that several appointments share
    replaced: dict[str, set[str]] = field(default_factory=dict)  # UID → dates told on their own
    onward: dict[str, list[Component]] = field(default_factory=dict)  # UID → "this and following"
    earliest: int | None = None  # year

    def calendar(self, component: Component) -> _Calendar:
        return self.calendars.setdefault(component.calendar, _Calendar())

    def series(self, uid: str) -> str:
        """The name of the whole that a UID's appointments make; empty where they make none.

        That is so where the file has only single dates of a series, as the invitation to one of
        them does, and where a UID that several appointments share names none of them: such a file
        must not make the rest go.
        """
        is_whole = uid and uid in self.masters and uid not in self.repeated
        return event_id(NAME, uid) if is_whole else ""


def _survey(file: ExportFile) -> _Survey:
    survey = _Survey()
    exceptions: list[tuple[str, Property, Component]] = []
    for item in read_components(file, _SURVEYED):
        if isinstance(item, ImportIssue):
            continue
        if item.name == "VCALENDAR":
            survey.calendars[item.calendar] = _Calendar(
                (item.text("X-WR-CALNAME") or item.text("NAME"))[:_MAX_NAME],
                named_zone(item.text("X-WR-TIMEZONE")),
                item.text("METHOD").upper() == "CANCEL",
            )
        elif item.name == "VTIMEZONE" and (zone := own_zone(item)):
            survey.zones.own[item.text("TZID")] = zone
        elif item.name == "VEVENT":
            uid = item.text("UID")
            survey.revisions[uid] = max(revision_of(item), survey.revisions.get(uid, 0))
            if recurrence := item.first("RECURRENCE-ID"):
                exceptions.append((uid, recurrence, item))
            else:
                _survey_master(item, survey)
    for uid, recurrence, item in exceptions:
        if _is_onward(recurrence):
            survey.onward[uid] = []
        elif moment := moment_of(recurrence, survey.zones, survey.calendar(item).zone):
            survey.replaced.setdefault(uid, set()).update((moment.key, moment.day_key))
    if survey.onward:
        _collect_onward(file, survey)
    survey.zones.unknown.clear()
    return survey


def _collect_onward(file: ExportFile, survey: _Survey) -> None:
    """Reads once more, for the few changes that must be known in full before their series."""
    for item in read_components(file):
        if isinstance(item, Component) and item.name == "VEVENT":
            recurrence = item.first("RECURRENCE-ID")
            if recurrence and _is_onward(recurrence):
                changes = survey.onward.setdefault(item.text("UID"), [])
                if len(changes) < _MOST_CHANGES:
                    changes.append(item)


def _survey_master(component: Component, survey: _Survey) -> None:
    start = component.first("DTSTART")
    uid = component.text("UID")
    told = (start.value if start else "", component.text("SEQUENCE"))
    before = survey.masters.setdefault(uid, told)
    # The same UID, as often revised, at another time: writers that number nothing, not a revision.
    if before[0] != told[0] and before[1] == told[1]:
        survey.repeated.add(uid)
    stamp = parse_stamp(told[0])
    yearly = "YEARLY" in component.text("RRULE").upper()
    if stamp and stamp.wall.year >= _FIRST_YEAR and not yearly:
        survey.earliest = min(survey.earliest or stamp.wall.year, stamp.wall.year)


def _is_onward(recurrence: Property) -> bool:
    return recurrence.parameters.get("RANGE", "").upper() == "THISANDFUTURE"


class _Occurrence(NamedTuple):
    """One date of an appointment."""

    start: Moment
    span: Span
    key: str  # which date of the series this is; empty for what happens once


class _Reader:
    """Tells the appointments of one file."""

    def __init__(self, file: ExportFile, context: Context, survey: _Survey) -> None:
        self._file = file
        self._context = context
        self._survey = survey
        self._last = horizon(context)
        self._room = _MOST_OF_A_FILE
        self._work = Work()
        self._unknown: set[str] = set()
        self._retracted: set[str] = set()
        self._changes: dict[str, list[Change]] = {}

    def appointment(self, component: Component) -> Items:
        """The events of a VEVENT."""
        origin = self._file.origin(component.line)
        calendar = self._survey.calendar(component)
        if reason := self._passed_over(component):
            yield ImportIssue(reason, origin, component.text("SUMMARY")[:80])
            yield from self._retraction(component)
            return
        zones = self._survey.zones
        start = start_of(component, zones, calendar.zone)
        span, odd = span_of(component, start, zones, calendar.zone)
        if component.cut:
            odd = odd or "only the beginning of a very long appointment was read"
        if odd:
            yield ImportIssue(odd, origin, component.text("SUMMARY")[:80], skipped=False)
        if detail := excess(component):
            yield ImportIssue("more than is kept", origin, detail, skipped=False)
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

    def _passed_over(self, component: Component) -> str:
        """Why an appointment is none of the user's; empty where it is."""
        calendar = self._survey.calendar(component)
        if component.text("STATUS").upper() == "CANCELLED" or calendar.cancels:
            return "cancelled"
        response = my_response(component, self._context.who, calendar.name)
        return response if response == "declined" else ""

    def _retraction(self, component: Component) -> Iterator[Retraction]:
        """What older files tell under this UID is no more; what this file tells, stays."""
        uid = component.text("UID")
        series = self._survey.series(uid)
        if series and uid not in self._retracted:
            self._retracted.add(uid)
            origin = self._file.origin(component.line)
            yield Retraction(series, self._survey.revisions[uid], origin)

    def _unknown_zones(self, component: Component) -> Iterator[ImportIssue]:
        for name in sorted(self._survey.zones.unknown - self._unknown):
            self._unknown.add(name)
            origin = self._file.origin(component.line)
            detail = f"{name}: its times were taken as local ones"
            yield ImportIssue("unknown time zone", origin, detail, skipped=False)

    def _exception(
        self, component: Component, recurrence: Property, start: Moment, span: Span
    ) -> Items:
        """One date of a series that was moved or changed."""
        survey, uid = self._survey, component.text("UID")
        if _is_onward(recurrence) and uid in survey.masters:
            # It is told together with its series.
            if all(component.line != change.line for change in survey.onward.get(uid, ())):
                origin = self._file.origin(component.line)
                yield ImportIssue("more changes of a series than are read", origin)
            return
        moment = moment_of(recurrence, survey.zones, survey.calendar(component).zone)
        if moment is None:
            raise ValueProblem(f"no readable recurrence: {recurrence.value[:80]}")
        data = {**self._data(component), "recurring": True}
        yield self._event(component, _Occurrence(start, span, moment.key), data)

    def _series(self, component: Component, start: Moment, span: Span) -> Items:
        """The dates of a repeating appointment."""
        survey, origin = self._survey, self._file.origin(component.line)
        calendar = survey.calendar(component)
        series = series_of(component, start, span, self._frame(calendar))
        for reason, detail in series.problems:
            yield ImportIssue(reason, origin, detail[:200], skipped=False)
        if len(series.dates) > self._room:
            series.dates = series.dates[: max(1, self._room)]
            self._work.left = 0
            yield ImportIssue(TOO_MUCH, origin, skipped=False)
        self._room = max(0, self._room - len(series.dates))
        data = {**self._data(component), "recurring": True}
        if series.cut_front and start.wall.year >= _FIRST_REAL_YEAR:
            data["since"] = start.wall.date().isoformat()
        told = False
        for event in self._dates(component, start, series, data):
            told = True
            yield event
        if not told:
            yield from self._retraction(component)

    def _dates(
        self, component: Component, start: Moment, series: Series, data: dict[str, Value]
    ) -> Iterator[Event]:
        """The dates of a series that are not told on their own, changed where they were changed."""
        uid = component.text("UID")
        replaced = self._survey.replaced.get(uid, set())
        changes = self._onward(uid, start)
        sinces = [onward.since for onward in changes]
        for wall, length in series.dates:
            first = start.at(wall)
            if replaced and not replaced.isdisjoint(first.keys):
                continue
            place = bisect_right(sinces, wall)
            if place == 0:
                yield self._event(component, _Occurrence(first, length, first.key), data)
                continue
            _, shift, change = changes[place - 1]
            if change.data is not None:
                occurrence = _Occurrence(first.at(wall + shift), change.span, first.key)
                yield self._event(change.component, occurrence, change.data)

    def _frame(self, calendar: _Calendar) -> Frame:
        earliest = self._survey.earliest
        year = max(_FIRST_YEAR, earliest - _YEARS_BEFORE) if earliest else _WITHOUT_OTHERS
        return Frame(
            self._survey.zones,
            calendar.zone,
            self._context.clock.zone,
            self._last,
            datetime(year, 1, 1),
            self._work,
        )

    def _onward(self, uid: str, start: Moment) -> list[Onward]:
        """The changes "to this and all following dates" of a series."""
        if uid not in self._survey.onward:
            return []
        if uid not in self._changes:
            found = map(self._change, self._survey.onward[uid])
            self._changes[uid] = [change for change in found if change]
        return onward_of(self._changes[uid], start)

    def _change(self, component: Component) -> Change | None:
        gone = bool(self._passed_over(component))
        data = None if gone else {**self._data(component), "recurring": True}
        default = self._survey.calendar(component).zone
        return change_of(component, data, self._survey.zones, default)

    def _data(self, component: Component) -> dict[str, Value]:
        return details(component, self._context.who, self._survey.calendar(component).name)

    def _event(
        self, component: Component, occurrence: _Occurrence, data: dict[str, Value]
    ) -> Event:
        clock = self._context.clock
        start, span = occurrence.start, occurrence.span
        offset = None
        if start.is_date:
            begin, end = start.wall, last_second(start, span)
            data = {**data, "all_day": True}
        elif start.zone is None:
            begin, end = start.wall, span.after(start).wall
        else:
            begin, end, offset = clock.span(start.instant, span.after(start).instant)
            end = max(begin, end)  # in the hour that comes twice, wall time runs backwards
            abroad = clock.wall(start.instant, start.zone)[0] != begin
            if abroad and (name := zone_name(start.zone)):
                data = {**data, "time_zone": name}
        # Without a UID, what is on and when must do.
        uid, revision = component.text("UID"), revision_of(component)
        identity = uid or f"{component.text('SUMMARY')}\x1f{start.key}"
        return Event(
            id=event_id(NAME, identity, occurrence.key),
            source=NAME,
            kind="calendar",
            start=begin,
            end=end,
            offset=offset,
            data=data,
            origin=self._file.origin(component.line),
            user_zone=offset is not None,
            revision=revision,
            series=self._survey.series(uid),
            series_revision=self._survey.revisions.get(uid, revision) if uid else revision,
        )


def _stamp(context: Context) -> str:
    """What events depend on besides the file: the horizon, and whose answers are the user's."""
    return f"{horizon(context).year}:{event_id(*sorted(context.who))}"


SOURCE = Source(
    NAME,
    "Calendar (ics)",
    1,
    sniff,
    read,
    raw_component,
    stamp=_stamp,
    ahead=True,
)
