"""What people plainly say: is it found in notes, mails, entries of a calendar, posts and chats?

    python -m reqap.evaluate.retrieve --build perqa-lives --parts sentences

Sets of records by people who know nothing of this program (`sentences.jsonl`): each has three
wordings of a query, records that plainly tell of it, and records that nearly do. A set is a store
of its own, so that nothing of one answers the query of another.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from reqap.evaluate.finding import event_of, filled, plain
from reqap.evaluate.report import kept_lines
from reqap.profile import Profile
from reqap.retrieve.index import update
from reqap.retrieve.learned import LearnedRetriever
from reqap.retrieve.networks import Networks
from reqap.verbalize import TELLINGS

_WRITTEN = datetime(2024, 5, 14, 19, 30)
_TODAY = datetime(2030, 1, 1)
_SPAN = ("start", "end")


def table(models: Networks) -> list[str]:
    """A row for each kind: of the records that match, how many are found; of the others, too."""
    asked: Counter[tuple[str, bool]] = Counter()
    found: Counter[tuple[str, bool]] = Counter()
    for one in kept_lines("sentences"):
        store = filled(_events(one), Profile())
        update(store, models)
        retriever = LearnedRetriever(store, models)
        for query in one["queries"]:
            ids = set(retriever.retrieve(named(query, one["people"]), _TODAY)["id"].to_pylist())
            for name, kind, good in _records(one):
                asked[kind, good] += 1
                found[kind, good] += name in ids
        store.close()
    rows: list[tuple[str, Sequence[str]]]
    rows = [(kind.replace("_", " "), (kind,)) for kind in TELLINGS]
    rows.append(("all", TELLINGS))
    return ["| told in | found, of what tells it | of what nearly tells it |", "|---|---|---|",
            *(f"| {name} | {_share(kinds, asked, found, True)} |"
              f" {_share(kinds, asked, found, False)} |" for name, kinds in rows)]  # fmt: skip


def _share(
    kinds: Sequence[str],
    asked: Mapping[tuple[str, bool], int],
    found: Mapping[tuple[str, bool], int],
    good: bool,
) -> str:
    total = sum(asked[kind, good] for kind in kinds)
    return f"{sum(found[kind, good] for kind in kinds) / max(1, total):.3f} of {total}"


def named(query: str, people: Mapping[str, list[str]]) -> str:
    """A query, and behind it who is meant."""
    said = f" {plain(query)} "
    found = dict.fromkeys(", ".join(names) for phrase, names in people.items()
                          if f" {plain(phrase)} " in said)  # fmt: skip
    return f"{query} ({'; '.join(found)})" if found else query


def _records(one: Mapping[str, Any]) -> Iterator[tuple[str, str, bool]]:
    for side in ("yes", "no"):
        for number, it in enumerate(one[side]):
            yield f"{side}{number}", it["kind"], side == "yes"


def _events(one: Mapping[str, Any]) -> Iterator[Any]:
    for (name, kind, _), it in zip(_records(one), (*one["yes"], *one["no"]), strict=True):
        times = [datetime.fromisoformat(it[side]) for side in _SPAN if side in it] or [_WRITTEN]
        data = {key: value for key, value in it.items() if key not in ("kind", *_SPAN)}
        yield event_of(name, kind, times[0], max(times), data)
