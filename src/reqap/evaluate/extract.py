"""Measures how often EXTRACT gives the right value, and how fast; and writes it down.

    python -m reqap.evaluate.extract --build perqa-lives --write docs/results.md

Unseen lives (PerQA's dev split, and lives written text by text), lives of strangers where their
files are given; and which data key a spelling means. "Keys only" takes reading away.
"""

import argparse
import math
import re
import statistics
import time as clock
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa

from reqap.evaluate.finding import Searched, filled
from reqap.evaluate.report import kept_lines, progress_bar, put_section
from reqap.evaluate.told import Asking, Told, free_told, perqa_told, strangers_told
from reqap.events import Event, Origin
from reqap.execute import Extractor
from reqap.extract import LearnedExtractor, PatternExtractor
from reqap.extract.reader import Reader, folder
from reqap.perqa.files import read_observations
from reqap.perqa.lives import load_lives
from reqap.profile import Profile
from reqap.verbalize import TELLINGS

_PARTS = ("dev", "lives", "wild", "mapping", "speed")
_SPELLINGS = ("mapping", "mapping_unseen")  # files; rules were made with an eye on the first
_READ, _KEYS = "EXTRACT", "keys only"
# How the numbers are told, and which properties belong to each.
_GROUPS = {
    "dates": ("start_date", "end_date"), "participants": ("participants",), "place": ("place",),
    "cuisine": ("cuisine",), "destination": ("destination",),
}  # fmt: skip
_ARTICLE = re.compile(r"^(?:the|a|an|my|our) ")
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True)
class Answer:
    """A key asked of an event: what it may give, if anything, and what it gave."""

    name: str
    key: str
    gold: Sequence[Told]
    given: Any
    is_new: bool = False  # a name that occurs nowhere in what was learnt

    @property
    def right(self) -> bool:
        return any(same(one, self.given) for one in self.gold)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--build", type=Path, required=True, help="what `reqap perqa build` wrote")
    parser.add_argument("--model", type=Path, default=folder(), help="a folder with a reader")
    parser.add_argument("--wild", type=Path, help="a folder of strangers' lives")
    parser.add_argument("--parts", nargs="+", choices=_PARTS, help="only some of it")
    parser.add_argument("--write", type=Path, help="the page whose section is written anew")
    given = parser.parse_args()
    parts, reader = given.parts or _PARTS, Reader(given.model)
    groups: dict[str, Iterator[tuple[Searched, list[Asking]]]] = {}
    if "dev" in parts:
        groups["PerQA, dev"] = perqa_told(given.build, "dev")
    if "lives" in parts:
        groups["free lives, dev"] = free_told("dev")
    if "wild" in parts and given.wild:
        groups["strangers"] = strangers_told(given.wild)
    learnt = learnt_words(given.build) if groups else frozenset()
    results: dict[str, list[Answer]] = {}
    for name, lives in groups.items():
        found = asked_all(lives, reader, learnt)
        results |= {f"{name}": found[_READ], f"{name}: keys only": found[_KEYS]}
        print(f"{name}: {row(found[_READ])}", flush=True)
    lines = table(results) if results else []
    if "mapping" in parts:
        lines += [line for name in _SPELLINGS for line in ("", mapping(reader, name))]
    if "speed" in parts:
        lines += ["", speed(given.build, reader)]
    page = "\n".join(lines)
    print(page)
    if given.write:
        put_section(given.write, "extract", page)


def asked_all(
    lives: Iterable[tuple[Searched, list[Asking]]], reader: Reader, learnt: frozenset[str]
) -> dict[str, list[Answer]]:
    found: dict[str, list[Answer]] = {_READ: [], _KEYS: []}
    for life, askings in lives:
        extractors: dict[str, Extractor] = {
            _READ: LearnedExtractor(life.store, reader), _KEYS: KeysOnly(life.store)
        }  # fmt: skip
        for name, extractor in extractors.items():
            with progress_bar(f"{life.name}, {name}", len(askings)) as done:
                for one in askings:
                    found[name] += _answers(extractor, one, learnt)
                    done()
        life.store.close()
    return found


def _answers(extractor: Extractor, one: Asking, learnt: frozenset[str]) -> Iterator[Answer]:
    ids = list(one.gold)
    table = extractor.extract(pa.array(ids, pa.string()), one.key, one.type_name, one.about)
    for event, value in zip(ids, table["value"].to_pylist(), strict=True):
        gold = one.gold[event]
        first = gold[0] if gold else None
        names = first if isinstance(first, tuple) else (first,) if isinstance(first, str) else ()
        words = {word.casefold() for name in names for word in _WORD.findall(name)}
        yield Answer(one.name, one.key, gold, value, bool(words) and words.isdisjoint(learnt))


class KeysOnly(PatternExtractor):
    """EXTRACT that reads no text."""

    def texts(self, *_: object) -> "KeysOnly":
        return self

    reads = reads_records = False

    def find(self, *_: object) -> None:
        return None

    read_ahead = remember = remembered = find

    def is_user(self, _: object) -> bool:
        return False


def learnt_words(build: Path) -> frozenset[str]:
    """Every word of the texts that were learnt from."""
    found: set[str] = set()
    for folder_ in sorted((build / "train").iterdir()):
        for one in read_observations(folder_):
            if one.kind in TELLINGS:
                found.update(word.casefold() for word in _WORD.findall(str(one.data)))
    for life in load_lives("train"):
        for text in life.texts:
            found.update(word.casefold() for word in _WORD.findall(str(text.said)))
    return frozenset(found)


def same(gold: Told, given: Any) -> bool:
    """Whether a value is right, however it is written."""
    if given is None:
        return False
    match gold:
        case tuple():
            return {_plain(item) for item in gold} == {_plain(item) for item in given}
        case bool() | date():
            return bool(gold == given)
        case timedelta():  # people round
            return bool(abs(gold - given) <= timedelta(minutes=1))
        case time():
            return bool((gold.hour, gold.minute) == (given.hour, given.minute))
        case int() | float():
            return math.isclose(gold, given, rel_tol=1e-3) or _is_rounded(gold, given)
    return _plain(gold) == _plain(str(given))


def _is_rounded(gold: float, given: float) -> bool:
    """Whether it is what people say who round: 5.7 for 5.69."""
    digits = len(repr(given).partition(".")[2].rstrip("0")) if isinstance(given, float) else 0
    return digits > 0 and abs(given) >= 1 and round(gold, digits) == given


def _plain(text: str) -> str:
    return _ARTICLE.sub("", " ".join(text.casefold().split()))


def table(results: Mapping[str, list[Answer]]) -> list[str]:
    names = " | ".join(_GROUPS)
    return [
        f"| lives | told | right | {names} | new names: right (others) | not told | answered all"
        " the same | of distractors |",
        "|---" * (8 + len(_GROUPS)) + "|",
        *(f"| {name} | {row(found)} |" for name, found in results.items()),
    ]


def row(found: list[Answer]) -> str:
    told = [one for one in found if one.gold]
    rest = [one for one in found if not one.gold and one.name != "distractor"]
    distracting = [one for one in found if one.name == "distractor"]
    groups = [_share(one.right for one in told if one.name in names) for names in _GROUPS.values()]
    named = [one for one in told if isinstance(one.gold[0], str | tuple)]
    new = _share(one.right for one in named if one.is_new)
    others = _share(one.right for one in named if not one.is_new)
    return " | ".join((
        f"{len(told):,}", _share(one.right for one in told), *groups, f"{new} ({others})",
        f"{len(rest):,}", _share(one.given is not None for one in rest),
        _share(one.given is not None for one in distracting),
    ))  # fmt: skip


def _share(those: Iterable[bool]) -> str:
    found = list(those)
    return f"{sum(found) / len(found):.3f}" if found else "–"


# -- key mapping -----------------------------------------------------------------------------------


def mapping(reader: Reader, name: str) -> str:
    """Which data key a spelling means, for records with keys; of a set of spellings."""
    right, wrong = 0, []
    lines = kept_lines(name)
    for it in lines:
        start, end = (datetime.fromisoformat(it[side]) for side in ("start", "end"))
        event = Event("e", "observed", it["kind"], start, end, None, it["data"], Origin("o", 0))
        store = filled([event], Profile())
        extractor = LearnedExtractor(store, reader)
        table = extractor.extract(pa.array(["e"]), it["asked"], it["type"])
        value = table["value"].to_pylist()[0]
        good = value is None if it["answer"] is None else _fits(it, value)
        right += good
        wrong += [] if good else [f"{it['asked']} of {it['kind']}"]
        store.close()
    return (
        f"Key mapping (`{name}.jsonl`): {right} of {len(lines)} spellings give the right value"
        f" ({right / len(lines):.3f}). Not: {', '.join(wrong) or 'none'}."
    )


def _fits(it: Mapping[str, Any], value: Any) -> bool:
    gold: Any = it["value"]
    match it["type"]:
        case "date":
            return bool(value == date.fromisoformat(gold))
        case "time":
            return same(time.fromisoformat(gold), value)
        case "datetime":
            return bool(value == datetime.fromisoformat(gold))
        case "timedelta":
            return value is not None and abs(value - timedelta(minutes=gold)) < timedelta(seconds=1)
        case "list":
            return same(tuple(gold), value)
        case "int" | "float":
            return value is not None and math.isclose(gold, value, rel_tol=1e-2)
    return same(gold, value)


# -- speed -----------------------------------------------------------------------------------------


def speed(build: Path, reader: Reader) -> str:
    """Events a second: read, known already, and by a data key."""
    life, _ = next(perqa_told(build, "dev"))
    events = list(life.store.scan())
    texts = [one.id for one in events if one.kind in TELLINGS][:400]
    extractor = LearnedExtractor(life.store, reader)
    read = _per_second(extractor, texts, "cuisine", 1)
    extractor.extract(
        pa.array([one.id for one in events if one.kind in TELLINGS]), "cuisine", "str"
    )
    every = [one.id for one in events if one.kind in TELLINGS]
    cached = _per_second(extractor, every, "cuisine", 3)
    songs = [one.id for one in events if one.kind == "music_stream"]
    mapped = _per_second(extractor, songs, "artist", 5)
    life.store.close()
    return (
        f"Events a second on this machine: {read:,.0f} texts read, {cached:,.0f} that were read"
        f" before, {mapped:,.0f} by a data key."
    )


def _per_second(extractor: Extractor, ids: list[str], key: str, times: int) -> float:
    array, spent = pa.array(ids, pa.string()), []
    for _ in range(times):
        began = clock.perf_counter()
        extractor.extract(array, key, "str")
        spent.append(clock.perf_counter() - began)
    return len(ids) / statistics.median(spent)


if __name__ == "__main__":
    main()
