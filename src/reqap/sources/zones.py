"""The time zone a calendar means by a name: IANA's, Windows', an offset, or one of its own.

The table of Windows names follows the Unicode CLDR. Not the job of this module: reading calendars.
"""

import re
from bisect import bisect_right
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import cache, lru_cache
from typing import NamedTuple
from zoneinfo import ZoneInfo, available_timezones

from reqap.errors import ValueProblem
from reqap.sources.ics import Component, parse_stamp
from reqap.sources.recurrence import expand, parse_rule

# Windows name = IANA name, for the zone's main place.
_WINDOWS = """
Dateline Standard Time=Etc/GMT+12
UTC-11=Etc/GMT+11
Aleutian Standard Time=America/Adak
Hawaiian Standard Time=Pacific/Honolulu
Marquesas Standard Time=Pacific/Marquesas
Alaskan Standard Time=America/Anchorage
UTC-09=Etc/GMT+9
Pacific Standard Time (Mexico)=America/Tijuana
UTC-08=Etc/GMT+8
Pacific Standard Time=America/Los_Angeles
US Mountain Standard Time=America/Phoenix
Mountain Standard Time (Mexico)=America/Mazatlan
Mountain Standard Time=America/Denver
Yukon Standard Time=America/Whitehorse
Central America Standard Time=America/Guatemala
Central Standard Time=America/Chicago
Easter Island Standard Time=Pacific/Easter
Central Standard Time (Mexico)=America/Mexico_City
Mexico Standard Time=America/Mexico_City
Mexico Standard Time 2=America/Mazatlan
Canada Central Standard Time=America/Regina
SA Pacific Standard Time=America/Bogota
Eastern Standard Time (Mexico)=America/Cancun
Eastern Standard Time=America/New_York
Haiti Standard Time=America/Port-au-Prince
Cuba Standard Time=America/Havana
US Eastern Standard Time=America/Indiana/Indianapolis
Turks And Caicos Standard Time=America/Grand_Turk
Paraguay Standard Time=America/Asuncion
Atlantic Standard Time=America/Halifax
Venezuela Standard Time=America/Caracas
Central Brazilian Standard Time=America/Cuiaba
SA Western Standard Time=America/La_Paz
Pacific SA Standard Time=America/Santiago
Newfoundland Standard Time=America/St_Johns
Tocantins Standard Time=America/Araguaina
E. South America Standard Time=America/Sao_Paulo
SA Eastern Standard Time=America/Cayenne
Argentina Standard Time=America/Argentina/Buenos_Aires
Greenland Standard Time=America/Nuuk
Montevideo Standard Time=America/Montevideo
Magallanes Standard Time=America/Punta_Arenas
Saint Pierre Standard Time=America/Miquelon
Bahia Standard Time=America/Bahia
UTC-02=Etc/GMT+2
Mid-Atlantic Standard Time=Etc/GMT+2
Azores Standard Time=Atlantic/Azores
Cape Verde Standard Time=Atlantic/Cape_Verde
UTC=Etc/UTC
Coordinated Universal Time=Etc/UTC
GMT Standard Time=Europe/London
Greenwich Standard Time=Atlantic/Reykjavik
Sao Tome Standard Time=Africa/Sao_Tome
Morocco Standard Time=Africa/Casablanca
W. Europe Standard Time=Europe/Berlin
Central Europe Standard Time=Europe/Budapest
Romance Standard Time=Europe/Paris
Central European Standard Time=Europe/Warsaw
W. Central Africa Standard Time=Africa/Lagos
Jordan Standard Time=Asia/Amman
GTB Standard Time=Europe/Bucharest
Middle East Standard Time=Asia/Beirut
Egypt Standard Time=Africa/Cairo
E. Europe Standard Time=Europe/Chisinau
Syria Standard Time=Asia/Damascus
West Bank Standard Time=Asia/Hebron
South Africa Standard Time=Africa/Johannesburg
FLE Standard Time=Europe/Kyiv
Israel Standard Time=Asia/Jerusalem
Jerusalem Standard Time=Asia/Jerusalem
South Sudan Standard Time=Africa/Juba
Kaliningrad Standard Time=Europe/Kaliningrad
Sudan Standard Time=Africa/Khartoum
Libya Standard Time=Africa/Tripoli
Namibia Standard Time=Africa/Windhoek
Arabic Standard Time=Asia/Baghdad
Turkey Standard Time=Europe/Istanbul
Arab Standard Time=Asia/Riyadh
Belarus Standard Time=Europe/Minsk
Russian Standard Time=Europe/Moscow
E. Africa Standard Time=Africa/Nairobi
Volgograd Standard Time=Europe/Volgograd
Iran Standard Time=Asia/Tehran
Arabian Standard Time=Asia/Dubai
Astrakhan Standard Time=Europe/Astrakhan
Azerbaijan Standard Time=Asia/Baku
Russia Time Zone 3=Europe/Samara
Mauritius Standard Time=Indian/Mauritius
Saratov Standard Time=Europe/Saratov
Georgian Standard Time=Asia/Tbilisi
Caucasus Standard Time=Asia/Yerevan
Armenian Standard Time=Asia/Yerevan
Afghanistan Standard Time=Asia/Kabul
West Asia Standard Time=Asia/Tashkent
Qyzylorda Standard Time=Asia/Qyzylorda
Ekaterinburg Standard Time=Asia/Yekaterinburg
Pakistan Standard Time=Asia/Karachi
India Standard Time=Asia/Kolkata
Sri Lanka Standard Time=Asia/Colombo
Nepal Standard Time=Asia/Kathmandu
Central Asia Standard Time=Asia/Bishkek
Bangladesh Standard Time=Asia/Dhaka
Omsk Standard Time=Asia/Omsk
N. Central Asia Standard Time=Asia/Novosibirsk
Myanmar Standard Time=Asia/Yangon
SE Asia Standard Time=Asia/Bangkok
Altai Standard Time=Asia/Barnaul
W. Mongolia Standard Time=Asia/Hovd
North Asia Standard Time=Asia/Krasnoyarsk
Tomsk Standard Time=Asia/Tomsk
China Standard Time=Asia/Shanghai
North Asia East Standard Time=Asia/Irkutsk
Singapore Standard Time=Asia/Singapore
Malay Peninsula Standard Time=Asia/Singapore
W. Australia Standard Time=Australia/Perth
Taipei Standard Time=Asia/Taipei
Ulaanbaatar Standard Time=Asia/Ulaanbaatar
North Korea Standard Time=Asia/Pyongyang
Aus Central W. Standard Time=Australia/Eucla
Transbaikal Standard Time=Asia/Chita
Tokyo Standard Time=Asia/Tokyo
Korea Standard Time=Asia/Seoul
Yakutsk Standard Time=Asia/Yakutsk
Cen. Australia Standard Time=Australia/Adelaide
AUS Central Standard Time=Australia/Darwin
E. Australia Standard Time=Australia/Brisbane
AUS Eastern Standard Time=Australia/Sydney
West Pacific Standard Time=Pacific/Port_Moresby
Tasmania Standard Time=Australia/Hobart
Vladivostok Standard Time=Asia/Vladivostok
Lord Howe Standard Time=Australia/Lord_Howe
Bougainville Standard Time=Pacific/Bougainville
Russia Time Zone 10=Asia/Srednekolymsk
Magadan Standard Time=Asia/Magadan
Norfolk Standard Time=Pacific/Norfolk
Sakhalin Standard Time=Asia/Sakhalin
Central Pacific Standard Time=Pacific/Guadalcanal
Russia Time Zone 11=Asia/Kamchatka
Kamchatka Standard Time=Asia/Kamchatka
New Zealand Standard Time=Pacific/Auckland
UTC+12=Etc/GMT-12
Fiji Standard Time=Pacific/Fiji
Chatham Islands Standard Time=Pacific/Chatham
UTC+13=Etc/GMT-13
Tonga Standard Time=Pacific/Tongatapu
Samoa Standard Time=Pacific/Apia
Line Islands Standard Time=Pacific/Kiritimati
"""
WINDOWS: Mapping[str, str] = {
    name: iana for name, _, iana in (line.partition("=") for line in _WINDOWS.strip().split("\n"))
}
_BY_WINDOWS_NAME = {name.casefold(): iana for name, iana in WINDOWS.items()}

_OFFSET = re.compile(
    r"\(?(?:UTC|GMT)(?:\s?([+\-−])(\d{1,2})[:.]?(\d\d)?)?\)?(.*)", re.IGNORECASE | re.DOTALL
)
_UTC_NAMES = {"z", "utc", "gmt", "ut", "tzone://microsoft/utc", "(utc)", "(gmt)"}
_UTC_OFFSET = re.compile(r"([+-])(\d\d):?(\d\d):?(\d\d)?")
_LONGEST = 200
_FIRST = datetime(1970, 1, 1)
_LAST = datetime(2101, 1, 1)
_MOST_OBSERVANCES = 500
_MOST_DATES = 500


class Change(NamedTuple):
    """A zone's change of offset."""

    instant: datetime  # UTC, naive
    before: timedelta
    after: timedelta


@lru_cache(maxsize=1024)
def named_zone(name: str) -> tzinfo | None:
    """The zone of that name, as calendars write it; None where nothing is known about it."""
    name = name.strip(" \t\"'")[:_LONGEST]
    if name.casefold() in _UTC_NAMES:
        return UTC
    if found := _iana(name) or _iana(_BY_WINDOWS_NAME.get(name.casefold(), "")):
        return found
    # "/freeassociation.sourceforge.net/Europe/Berlin", "/mozilla.org/20050126_1/Europe/Berlin"
    parts = name.split("/")
    for count in (3, 2):
        if len(parts) > count and (found := _iana("/".join(parts[-count:]))):
            return found
    if offset := _OFFSET.fullmatch(name):
        return _offset_zone(offset)
    without = name.casefold().replace("daylight", "standard").replace("summer", "standard")
    return _iana(_BY_WINDOWS_NAME.get(without, "")) or _iana(name.replace(" ", "_"))


def zone_name(zone: tzinfo) -> str:
    """A name people know a zone by; empty for UTC, which is nobody's wall time."""
    if zone is UTC or zone == UTC:
        return ""
    if isinstance(zone, ZoneInfo):
        return "" if zone.key in ("Etc/UTC", "UTC", "Etc/GMT", "GMT") else zone.key
    return zone.tzname(None) or ""


@cache
def _known() -> dict[str, str]:
    return {key.casefold(): key for key in available_timezones()}


def _iana(name: str) -> ZoneInfo | None:
    key = _known().get(name.casefold()) if name else None
    return ZoneInfo(key) if key else None


def _offset_zone(found: re.Match[str]) -> tzinfo | None:
    """ "GMT+01:00", or "(UTC+01:00) Amsterdam, Berlin, …": a place says more than the offset."""
    minutes = int(found[2] or 0) * 60 + int(found[3] or 0)
    if minutes >= 24 * 60 or (found[2] is None and not found[4].strip()):
        return None
    shift = timedelta(minutes=minutes if found[1] == "+" else -minutes)
    # "Eastern Time (US & Canada)" is Windows' "Eastern Standard Time".
    region = found[4].partition("(")[0].strip().replace(" Time", " Standard Time")
    names = [_BY_WINDOWS_NAME.get(region.casefold(), "")]
    names += [_cities().get(city.strip().casefold(), "") for city in re.split("[,/]", found[4])]
    for name in names:
        zone = _iana(name)
        if zone is not None and _standard_shift(zone) == shift:
            return zone
    return timezone(shift) if found[2] else None


@cache
def _cities() -> dict[str, str]:
    """City → zone, of the zones that are named after one."""
    return {
        key.rsplit("/", 1)[1].replace("_", " ").casefold(): key
        for key in sorted(available_timezones())
        if "/" in key and not key.startswith(("Etc/", "posix/", "right/", "US/", "SystemV/"))
    }


def _standard_shift(zone: ZoneInfo) -> timedelta:
    """The offset a zone keeps in winter, on whichever half of the earth."""
    shifts = (datetime(2024, month, 1, tzinfo=zone).utcoffset() for month in (1, 7))
    return min(shift for shift in shifts if shift is not None)


class OwnZone(tzinfo):
    """A zone that a calendar file defines itself, as the list of its changes."""

    def __init__(self, name: str, first: timedelta, changes: list[Change]) -> None:
        self._name = name
        self._offsets = [first, *(change.after for change in changes)]
        self._instants = [change.instant for change in changes]
        # Wall times that happen twice or never belong to the offset before the change, and with
        # `fold` to the one after it.
        self._walls = (
            [change.instant + max(change.before, change.after) for change in changes],
            [change.instant + min(change.before, change.after) for change in changes],
        )

    def utcoffset(self, dt: datetime | None) -> timedelta | None:
        if dt is None:
            return None
        return self._offsets[bisect_right(self._walls[dt.fold], dt.replace(tzinfo=None))]

    def fromutc(self, dt: datetime) -> datetime:
        place = bisect_right(self._instants, dt.replace(tzinfo=None))
        wall = dt + self._offsets[place]
        again = place > 0 and wall.replace(tzinfo=None) < self._walls[0][place - 1]
        return wall.replace(fold=1) if again else wall

    def dst(self, dt: datetime | None) -> timedelta | None:
        return None

    def tzname(self, dt: datetime | None) -> str:
        return self._name


def own_zone(component: Component) -> OwnZone | None:
    """The zone a VTIMEZONE describes; None where it does not make sense."""
    changes: list[Change] = []
    standard: list[timedelta] = []
    for observance in component.children[:_MOST_OBSERVANCES]:
        before, after = (_shift(observance.text(name)) for name in ("TZOFFSETFROM", "TZOFFSETTO"))
        if before is None or after is None:
            return None
        if observance.name == "STANDARD":
            standard.append(after)
        changes += [Change(onset - before, before, after) for onset in _onsets(observance)]
    if not changes:
        return None
    changes.sort()
    # Before its first change a zone keeps standard time, if it tells one.
    first = standard[0] if standard else changes[0].before
    return OwnZone(component.text("TZID")[:_LONGEST], first, changes)


def _shift(text: str) -> timedelta | None:
    """An offset such as "+0100" or "-053000"."""
    found = _UTC_OFFSET.fullmatch(text)
    if not found:
        return None
    hours, minutes, seconds = (int(found[number] or 0) for number in (2, 3, 4))
    shift = timedelta(hours=hours, minutes=minutes, seconds=seconds)
    if shift >= timedelta(days=1):
        return None
    return -shift if found[1] == "-" else shift


def _onsets(observance: Component) -> list[datetime]:
    """The local times at which an observance begins, within the years mails and meetings have."""
    start = parse_stamp(observance.text("DTSTART"))
    if start is None:
        return []
    onsets = [start.wall]
    for rule in observance.all("RRULE")[:1]:
        try:
            parsed = parse_rule(rule.value)
        except ValueProblem:
            continue
        if parsed.frequency == "YEARLY":
            until = parsed.until.wall if parsed.until else _LAST
            # Outlook begins its zones in 1601.
            onsets += expand(parsed, start.wall, min(until, _LAST), since=_FIRST).found
    for dates in observance.all("RDATE"):
        for text in dates.value.split(",")[:_MOST_DATES]:
            if stamp := parse_stamp(text):
                onsets.append(stamp.wall)
    return [onset for onset in set(onsets) if datetime.min.year + 1 < onset.year <= _LAST.year]
