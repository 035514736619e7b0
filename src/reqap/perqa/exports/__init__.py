"""A persona's life as the exports of real services, so that importers and benchmark meet.

Every observation becomes one record of one export; what an export has no room for (the genre of a
song, who came along on a run) is not in it. Beside them the phone and the watch measure steps,
sleep, pulse and weight, as they do.
"""

from datetime import date
from pathlib import Path

from reqap.perqa.exports import (
    amazon,
    apple_health,
    ics,
    mbox,
    netflix,
    notes,
    pack,
    posts,
    profile,
    spotify,
)
from reqap.perqa.exports.traces import Traces
from reqap.perqa.world import make_world

__all__ = ["DEMO", "write_demo", "write_exports"]

# The life that `reqap demo` shows: two years of a persona of the train split.
DEMO = "train_persona_3"
_DEMO_SINCE = date(2022, 8, 19)


def write_demo(folder: Path) -> None:
    """Writes the demo life; always the same bytes."""
    write_exports(DEMO, folder, since=_DEMO_SINCE)


def write_exports(
    persona: str, folder: Path, seed: int = 1, since: date | None = None
) -> dict[str, int]:
    """Writes a life into `folder`; how many observations of each kind went in."""
    world = make_world(persona, seed)
    world.connection.close()
    first = max(since or world.persona.first, world.persona.first)
    kept = [one for one in world.observations if one.start.date() >= first]
    traces = Traces(world.persona, first, kept)
    pack.write_file(folder / "profile.json", profile.profile(world.persona))
    spotify.write(traces, folder)
    netflix.write(traces, folder)
    amazon.write(traces, folder)
    apple_health.write(traces, folder)
    ics.write(traces, folder)
    posts.write_instagram(traces, folder)
    posts.write_mastodon(traces, folder)
    takeout = mbox.members(traces) | notes.keep(traces)
    pack.write_zip(folder / f"takeout-{traces.exported:%Y%m%dT%H%M%SZ}-001.zip", takeout,
                   traces.exported)  # fmt: skip
    notes.write(traces, folder)
    kinds = sorted({one.kind for one in kept})
    return {kind: len(traces.of(kind)) for kind in kinds}
