"""Which sources there are, and which of them a file belongs to.

Built-in sources and those of installed plug-ins (entry points in the group `reqap.sources`, each
naming a `Source`) come in by the same door.
"""

from collections.abc import Iterable
from functools import cache
from importlib.metadata import entry_points

from reqap.errors import NotFound
from reqap.sources import (
    amazon,
    apple_health,
    calendars,
    chrome_history,
    facebook,
    google_activity,
    instagram,
    keep,
    mail,
    mastodon,
    netflix,
    notes,
    perqa,
    spotify,
    x,
)
from reqap.sources.base import HEAD_BYTES, ExportFile, Sample, Source

BUILT_IN: tuple[Source, ...] = (
    spotify.SOURCE,
    netflix.SOURCE,
    amazon.SOURCE,
    apple_health.SOURCE,
    calendars.SOURCE,
    mail.SOURCE,
    google_activity.YOUTUBE,
    google_activity.SOURCE,
    chrome_history.SOURCE,
    keep.SOURCE,
    instagram.SOURCE,
    facebook.SOURCE,
    x.SOURCE,
    mastodon.SOURCE,
    perqa.SOURCE,
    notes.SOURCE,
)


@cache
def all_sources() -> tuple[Source, ...]:
    """The built-in sources and the plug-ins, by name; a plug-in may not take a taken name."""
    sources = {source.name: source for source in BUILT_IN}
    for entry in entry_points(group="reqap.sources"):
        source = entry.load()
        if isinstance(source, Source):
            sources.setdefault(source.name, source)
    return tuple(sources.values())


def source_named(name: str) -> Source:
    for source in all_sources():
        if source.name == name:
            return source
    known = ", ".join(sorted(source.name for source in all_sources()))
    raise NotFound(f"There is no source {name!r}; there are {known}")


def recognise(file: ExportFile, sources: Iterable[Source]) -> Source | None:
    """The source whose file this is, by its content."""
    with file.open() as stream:
        head = stream.read(512)
        if not Sample(file.name, file.size, head).is_text:
            return None  # a photo or a film: no need to read more of it
        sample = Sample(file.name, file.size, head + stream.read(HEAD_BYTES - len(head)))
    claims = [source for source in sources if source.sniff(sample)]
    strong = [source for source in claims if not source.weak]
    return next(iter(strong or claims), None)
