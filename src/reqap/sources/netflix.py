"""Netflix: films and series that were watched.

How to get it: netflix.com/account/getmyinfo (Account → Security → "Personal info access") mails,
within days, a link to a zip in which `CONTENT_INTERACTION/ViewingActivity.csv` tells every viewing
of every profile to the second. At once, but only with the days and for one profile: Account → your
profile → "Viewing activity" → "Download all" (`NetflixViewingHistory.csv`).
Both may be imported, in any order: a viewing that both tell counts once. Where the household shares
the account, only the rows of the profile with the user's name are taken, if there is one.
"""

import csv
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from itertools import islice

from reqap.errors import ExportProblem, ValueProblem
from reqap.events import Event, ImportIssue, Value, event_id
from reqap.sources.base import UNCLEAR_ORDER, Context, ExportFile, Items, Sample, Source
from reqap.sources.netflix_columns import Fields, cells_of, find_columns, is_activity, is_history
from reqap.sources.netflix_titles import Title, Titles, title_key
from reqap.sources.tables import Row, raw_row, read_rows
from reqap.values import (
    DateOrder,
    OrderEvidence,
    parse_date,
    parse_datetime,
    parse_duration,
    vote_date_order,
)

NAME = "netflix"

_SAMPLED_ROWS = 500
_LONGEST = timedelta(days=7)
# A viewing that starts this far into the title takes up an earlier one.
_NOT_FROM_THE_START = timedelta(minutes=1)
_MAX_PROFILES = 1000
_COUNTRY = re.compile(r"[A-Z]{2} \((.+)\)")
_LAST_SECOND = time(23, 59, 59)


def sniff(sample: Sample) -> bool:
    if not sample.is_text or len(sample.header) < 2:
        return False
    lines = sample.text.lstrip("\r\n").splitlines()[:30]
    delimiter = max(",;\t|", key=lines[0].count)
    try:
        rows = list(csv.reader(lines, delimiter=delimiter))
    except csv.Error:
        return False
    return is_history(rows) or is_activity(rows)


def read(file: ExportFile, context: Context) -> Items:
    sampled = list(islice(_rows(file), _SAMPLED_ROWS))
    if not sampled:
        yield from (item for item in read_rows(file) if isinstance(item, ImportIssue))
    elif len(sampled[0]) == 2:
        title, day = sampled[0]
        yield from _read_history(file, title, day, context)
    else:
        columns = find_columns(sampled)
        if not (columns.start and columns.title):
            raise ExportProblem(f"{file.name}: no columns with start times and titles were found")
        yield from _read_activity(file, columns, context)


def _rows(file: ExportFile) -> Iterator[Row]:
    """The sound rows of a file, for looking ahead."""
    return (item[1] for item in read_rows(file) if not isinstance(item, ImportIssue))


# --- The full export: every viewing, to the second, in UTC ---------------------------------------


@dataclass
class _Survey:
    """What has to be known of the whole file before a row can be read."""

    titles: Titles = field(default_factory=Titles)
    profiles: Counter[str] = field(default_factory=Counter)
    begun: dict[int, datetime] = field(default_factory=dict)  # by profile and title


def _read_activity(file: ExportFile, columns: Fields, context: Context) -> Items:
    survey = _survey(file, columns)
    mine = _my_profiles(survey.profiles, context.who)
    if not mine and len(survey.profiles) > 1:
        detail = (
            "none is named like you, so all were imported (import again with --who NAME for one): "
            + ", ".join(survey.profiles)
        )
        yield ImportIssue("several profiles", file.origin(), detail[:200], skipped=False)
    for item in read_rows(file):
        if isinstance(item, ImportIssue):
            yield item
            continue
        position, row = item
        cells = cells_of(row, columns)
        if cells.supplemental:
            kind = cells.supplemental[:80]
            yield ImportIssue("a trailer or the like, not a viewing", file.origin(position), kind)
        elif mine and cells.profile not in mine:
            profile = cells.profile[:80]
            yield ImportIssue("another person's profile", file.origin(position), profile)
        else:
            try:
                yield _viewing(cells, survey, file, position, context)
            except (ValueProblem, OverflowError) as error:
                yield ImportIssue("broken record", file.origin(position), str(error)[:200])


def _survey(file: ExportFile, columns: Fields) -> _Survey:
    survey = _Survey()
    for row in _rows(file):
        cells = cells_of(row, columns)
        profile = cells.profile
        if cells.supplemental or not cells.title:
            continue
        if profile and (profile in survey.profiles or len(survey.profiles) < _MAX_PROFILES):
            survey.profiles[profile] += 1
        try:
            start = _instant(cells.start)
        except ValueProblem:
            continue
        survey.titles.add(cells.title, start.date().isoformat())
        key = hash((profile, cells.title))
        survey.begun[key] = min(start, survey.begun.get(key, start))
    return survey


def _viewing(
    cells: Fields, survey: _Survey, file: ExportFile, position: int, context: Context
) -> Event:
    title = cells.title
    if not title:
        raise ValueProblem("no title")
    begin = _instant(cells.start)
    duration = parse_duration(cells.duration)
    if duration is not None and not timedelta(0) <= duration <= _LONGEST:
        raise ValueProblem(f"{duration} is no time watched")
    seconds = round((duration or timedelta(0)).total_seconds())
    start, end, offset = context.clock.span(begin, begin + timedelta(seconds=seconds))
    data = _title_data(title, survey.titles.parse(title))
    if duration is not None:
        data["duration"], data["duration_unit"] = seconds, "seconds"
    country = _COUNTRY.fullmatch(cells.country)
    for key, text in (
        ("country", country[1] if country else cells.country),
        ("device", cells.device),
        ("profile_name", cells.profile),
    ):
        if text:
            data[key] = text
    data["watching_continuation"] = _goes_on(cells, begin, seconds, survey)
    if "autoplayed: user action: none" in cells.attributes.lower():
        data["autoplayed"] = True
    return Event(
        # Titles and profile names change between exports, with the language and the name; the
        # moment and the length stay.
        id=event_id(NAME, begin.isoformat(), seconds),
        source=NAME,
        kind="tvseries_stream" if "tvseries_title" in data else "movie_stream",
        start=start,
        end=end,
        offset=offset,
        data=data,
        origin=file.origin(position),
        user_zone=True,
        twin=_twin(title, start.date()),
    )


def _goes_on(cells: Fields, begin: datetime, seconds: int, survey: _Survey) -> bool:
    """Whether the title was begun earlier and this viewing did not start it over.

    The bookmark is the place in the title at which the viewing ended.
    """
    if survey.begun.get(hash((cells.profile, cells.title)), begin) >= begin:
        return False
    try:
        place = parse_duration(cells.bookmark)
    except ValueProblem:
        place = None
    return place is None or place - timedelta(seconds=seconds) > _NOT_FROM_THE_START


def _instant(text: str) -> datetime:
    moment = parse_datetime(text)
    if moment is None:
        raise ValueProblem("no start time")
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _my_profiles(profiles: Counter[str], who: tuple[str, ...]) -> set[str]:
    """The profiles with the user's name: the full name if there is one, else the first name."""
    names = {" ".join(name.casefold().split()) for name in who if name.strip()}
    firsts = {name.split()[0] for name in names}
    called = {profile: " ".join(profile.casefold().split()) for profile in profiles}
    for candidates in (
        {profile for profile, name in called.items() if name in names},
        {profile for profile, name in called.items() if name in firsts},
        {profile for profile, name in called.items() if name and name.split()[0] in firsts},
    ):
        if candidates:
            return candidates
    return set()


# --- The quick download: titles and days ---------------------------------------------------------


def _read_history(file: ExportFile, title_name: str, date_name: str, context: Context) -> Items:
    titles = Titles()
    vote = vote_date_order(_dates(file, title_name, date_name, titles))
    # What the dates prove stands above the user's word, which is for files that prove nothing.
    proven = vote.evidence in (OrderEvidence.IMPOSSIBLE, OrderEvidence.YEAR_FIRST)
    order = vote.order if proven else context.date_order or vote.order
    if order is None and vote.ambiguous:
        detail = "import again with `--date-order dmy` or `--date-order mdy`"
        yield ImportIssue(UNCLEAR_ORDER, file.origin(), detail, grave=True)
        return
    for item in read_rows(file):
        if isinstance(item, ImportIssue):
            yield item
            continue
        position, row = item
        try:
            title, day = row[title_name].strip(), parse_date(row[date_name], order)
            if not title or day is None:
                raise ValueProblem("no title" if day else "no date")
        except ValueProblem as error:
            yield ImportIssue("broken record", file.origin(position), str(error)[:200])
        else:
            yield _day_event(title, day, titles.parse(title), file, position)


def _dates(file: ExportFile, title_name: str, date_name: str, titles: Titles) -> Iterator[str]:
    """The dates of the file, in its order; the titles are noted on the way."""
    for row in _rows(file):
        titles.add(row[title_name].strip(), row[date_name])
        yield row[date_name]


def _day_event(title: str, day: date, parsed: Title, file: ExportFile, position: int) -> Event:
    data = _title_data(title, parsed)
    return Event(
        id=event_id(NAME, "day", title_key(title), day.isoformat()),
        source=NAME,
        kind="tvseries_stream" if "tvseries_title" in data else "movie_stream",
        start=datetime.combine(day, time.min),
        end=datetime.combine(day, _LAST_SECOND),
        offset=None,
        data=data,
        origin=file.origin(position),
        twin=_twin(title, day),
        coarse=True,
    )


# --- Both -----------------------------------------------------------------------------------------


def _twin(title: str, day: date) -> str:
    """What a viewing and the day that tells it share: the title, and the local day it began on.

    Netflix does not say by which clock it lists days, nor whether a viewing across midnight counts
    for the day it began or ended on; near midnight the two may therefore miss each other and count
    twice. A vaguer key (the title alone, the week) would take true second viewings for the first.
    """
    return event_id(NAME, "twin", title_key(title), day.isoformat())


def _title_data(full: str, title: Title) -> dict[str, Value]:
    if not title.show:
        return {"movie_title": full, "stream_full_title": full}
    data: dict[str, Value] = {"tvseries_title": title.show, "stream_full_title": full}
    if title.season_name:
        data["season_name"] = title.season_name
    if title.season is not None:
        data["tvseries_season"] = title.season
    if title.episode_name:
        data["episode_name"] = title.episode_name
    if title.episode is not None:
        data["episode_number"] = title.episode
    return data


def _stamp(context: Context) -> str:
    order: DateOrder | str = context.date_order or ""
    return f"{order}:{','.join(context.who)}"


SOURCE = Source(NAME, "Netflix", 1, sniff, read, raw_row, _stamp)
