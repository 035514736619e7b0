"""The demo life: one invented person, written into real export formats.

`build_demo_life` simulates two years of Inês Brandt once and lets every export be a view
of them, so that the demo, the tests and the docs run the importers that users run.
"""

from __future__ import annotations

from pathlib import Path

from reqap.demo import (
    amazon,
    health,
    ics,
    listening,
    netflix,
    notes,
    pack,
    people,
    shopping,
    social,
    sport,
    spotify,
    takeout,
    watching,
)
from reqap.demo.life import load_life

__all__ = ["build_demo_life"]


def build_demo_life(folder: Path, seed: int = 7) -> None:
    """Write the whole demo life into `folder`; the same seed gives the same bytes."""
    life = load_life(seed)
    sport.add_workouts(life)
    viewings = watching.watch(life)
    plays = listening.listen(life)
    orders = shopping.shop(life)
    pack.write_file(folder / "profile.json", people.profile_json())
    spotify.write_spotify(life, plays, folder)
    netflix.write_netflix(life, viewings, folder)
    amazon.write_amazon(life, orders, folder)
    health.write_health(life, folder)
    ics.write_calendar(life, folder)
    takeout.write_takeout(life, orders, folder)
    social.write_instagram(life, folder)
    social.write_mastodon(life, folder)
    notes.write_notes(folder)
