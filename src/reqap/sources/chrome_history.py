"""Chrome: web pages visited.

How to get it: takeout.google.com → "Deselect all" → tick "Chrome" (browser history, JSON) → create
the export, and import the zip as it is. It holds what Chrome synchronised to the Google account.
"""

from functools import partial
from urllib.parse import urlsplit

from reqap.events import Event
from reqap.sources.base import Context, ExportFile, Items, Sample, Source
from reqap.sources.jsonio import Record, raw_record
from reqap.sources.records import Skip, event_at, filled, read_each, text
from reqap.values import parse_epoch

NAME = "chrome"

_VISITS = "Browser History"


def sniff(sample: Sample) -> bool:
    keys = sample.json_keys
    return not sample.is_json_array and {_VISITS, "time_usec", "url"} <= keys


def read(file: ExportFile, context: Context) -> Items:
    yield from read_each(file, partial(_visit, file, context), _VISITS)


def _visit(file: ExportFile, context: Context, position: int, visit: Record) -> Event:
    when = parse_epoch(visit.get("time_usec"), "us")
    if when is None:
        raise Skip("no time")
    url = text(visit.get("url"))
    if not url.startswith(("http://", "https://")):
        raise Skip("not a page of the web", url)
    data = filled(
        title=text(visit.get("title")),
        url=url,
        host=_host(url),
        transition=text(visit.get("page_transition")).lower(),
    )
    identity = (when.isoformat(timespec="microseconds"), url)
    return event_at(when, context.clock, NAME, "web_visit", identity, data, file.origin(position))


def _host(url: str) -> str:
    try:
        return (urlsplit(url).hostname or "").removeprefix("www.")
    except ValueError:
        return ""


def raw(file: ExportFile, position: int) -> str:
    return raw_record(file, position, _VISITS)


SOURCE = Source(NAME, "Chrome", 1, sniff, read, raw)
