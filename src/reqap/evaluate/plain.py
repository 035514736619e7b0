"""Queries that plainly name a value of records: does the search find just the records that have it?

    python -m reqap.evaluate.retrieve --build perqa-lives --parts plain

Values are drawn from the lives themselves, and put into the words in which people ask for them.
Only records of the kind count; what is told about them is another question (`retrieve`).
"""

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from reqap.evaluate.finding import Searched
from reqap.events import Event
from reqap.retrieve.index import update
from reqap.retrieve.learned import LearnedRetriever
from reqap.retrieve.networks import Networks

_VALUES = 12  # of each sort, of each life
_LEAST = 2  # records that have a value
# By what a sort of value is called: the kind of records, its key, and how one asks for it. "not" in
# front: for the others.
_SORTS = {
    "products": ("online_purchase", "product", ("I bought a {}", "my {} orders", "my {}")),
    "categories": ("online_purchase", "category", ("{} I bought", "money I spent on {}")),
    "artists": ("music_stream", "song_artist", ("songs by {}", "I listened to {}")),
    "songs": ("music_stream", "song_name", ("the song {}", "times I played {}")),
    "films": ("movie_stream", "movie_title", ("I watched {}", "the film {}")),
    "series": ("tvseries_stream", "tvseries_title", ("episodes of {} I watched", "the series {}")),
    "sports": ("workout", "workout_type", ("my {} workouts",)),
    "all but a sport": ("workout", "workout_type", ("not workouts except {}",)),
    "all but a category": ("online_purchase", "category", ("not purchases other than {}",)),
}


class Asked(NamedTuple):
    query: str
    wanted: frozenset[str]
    kind: str


def table(lives: Iterable[Searched], models: Networks) -> list[str]:
    """A row for each sort of value."""
    found: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for life in lives:
        events = [one for one in life.store.scan() if one.start <= life.today]
        kinds = {one.id: one.kind for one in events}
        update(life.store, models)
        retriever = LearnedRetriever(life.store, models)
        for sort, asked in _asked(events, random.Random(life.name)):
            ids = set(retriever.retrieve(asked.query, life.today)["id"].to_pylist())
            records = {name for name in ids if kinds[name] == asked.kind}
            both = len(records & asked.wanted)
            found[sort].append((both / len(asked.wanted), both / max(1, len(records))))
        life.store.close()
    rows = [(sort, list(found[sort])) for sort in _SORTS if found[sort]]
    rows.append(("all", [one for some in found.values() for one in some]))
    return ["| what is named | queries | recall | precision | exact |", "|---|---|---|---|---|",
            *(f"| {sort} | {len(some)} | {_row(some)} |" for sort, some in rows)]  # fmt: skip


def _row(found: Sequence[tuple[float, float]]) -> str:
    recall, precision = (sum(side) / len(found) for side in zip(*found, strict=True))
    exact = sum(one == (1.0, 1.0) for one in found) / len(found)
    return f"{recall:.3f} | {precision:.3f} | {exact:.1%}"


def _asked(events: Sequence[Event], chance: random.Random) -> Iterator[tuple[str, Asked]]:
    for sort, (kind, key, wordings) in _SORTS.items():
        having: dict[str, set[str]] = defaultdict(set)
        every = {one.id for one in events if one.kind == kind}
        for one in events:
            if one.kind == kind and (value := one.data.get(key)) is not None:
                for item in [value] if isinstance(value, str | int | float) else value:
                    having[str(item)].add(one.id)
        values = sorted(value for value, ids in having.items() if len(ids) >= _LEAST)
        for value in chance.sample(values, min(_VALUES, len(values))):
            same = {name for other, ids in having.items() if other.casefold() == value.casefold()
                    for name in ids}  # fmt: skip
            for wording in wordings:
                others = wording.startswith("not ")
                query = wording.removeprefix("not ").format(value)
                yield sort, Asked(query, frozenset(every - same if others else same), kind)
