"""Measures how completely and cleanly events are found, and writes it down.

    python -m reqap.evaluate.retrieve --build perqa-lives --write docs/results.md

Unseen lives (PerQA's dev split), unseen queries, unseen phrases; lives of texts that were written
one by one; lives of strangers where their files are given. Averages are over queries.
"""

import argparse
import json
import statistics
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from reqap.evaluate.finding import Measured, Searched, free_lives, measured, personas, strangers
from reqap.evaluate.report import progress_bar, put_section
from reqap.retrieve import WordRetriever

_PARTS = ("dev", "lives", "wild")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--build", type=Path, required=True, help="what `reqap perqa build` wrote")
    parser.add_argument("--wild", type=Path, help="a folder of strangers' lives")
    parser.add_argument("--parts", nargs="+", choices=_PARTS, help="only some of it")
    parser.add_argument("--out", type=Path, help="a file for every query and what was found")
    parser.add_argument("--write", type=Path, help="the page whose section is written anew")
    given = parser.parse_args()
    parts = given.parts or _PARTS
    groups: dict[str, Iterable[Searched]] = {}
    if "dev" in parts:
        groups["PerQA, dev"] = personas(given.build, "dev")
    if "lives" in parts:
        groups["free lives, dev"] = free_lives("dev")
    if "wild" in parts and given.wild:
        groups["strangers"] = strangers(given.wild)
    lines = [
        "| lives | queries | recall | precision | counts within 5 % | merged pairs (F1) | median |"
        " 95th percentile |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, lives in groups.items():
        found = [one for life in lives for one in searched(life)]
        lines.append(f"| {name} | {row(found)} |")
        if given.out:
            _keep(given.out.with_suffix(f".{name.split(',')[0].replace(' ', '-')}.jsonl"), found)
    page = "\n".join(lines)
    print(page)
    if given.write:
        put_section(given.write, "retrieve", page)


def searched(life: Searched) -> list[Measured]:
    """Every query of a life, one after the other."""
    retriever = WordRetriever(life.store)
    found = []
    with progress_bar(life.name, len(life.queries)) as done:
        for asked in life.queries:
            began = time.perf_counter()
            table = retriever.retrieve(asked.query, life.today)
            found.append(measured(life, asked, table, time.perf_counter() - began))
            done()
    life.store.close()
    return found


def row(found: Sequence[Measured]) -> str:
    """The numbers of a group of lives."""
    seconds = sorted(one.seconds for one in found)
    both, merged, same = (sum(getattr(one, name) for one in found)
                          for name in ("both", "merged", "same"))  # fmt: skip
    return " | ".join((
        str(len(found)),
        f"{statistics.mean(one.recall for one in found):.3f}",
        f"{statistics.mean(one.precision for one in found):.3f}",
        f"{statistics.mean(one.counts for one in found):.1%}",
        f"{2 * both / max(1, merged + same):.3f}",
        f"{1000 * statistics.median(seconds):.0f} ms",
        f"{1000 * seconds[int(0.95 * len(seconds))]:.0f} ms",
    ))  # fmt: skip


def _keep(path: Path, found: Sequence[Measured]) -> None:
    with path.open("w", encoding="utf-8") as file:
        for one in found:
            told = {
                "query": one.asked.query, "recall": one.recall, "precision": one.precision,
                "happenings": one.happenings, "gold": one.asked.happenings,
                "missed": sorted(one.asked.wanted - one.found)[:20],
                "wrong": sorted(one.found - one.asked.wanted - one.asked.allowed)[:20],
            }  # fmt: skip
            file.write(json.dumps(told, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
