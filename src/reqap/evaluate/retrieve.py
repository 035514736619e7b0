"""Measures how completely and cleanly events are found, and writes it down.

    python -m reqap.evaluate.retrieve --build perqa-lives --write docs/results.md

Unseen lives (PerQA's dev split), with unseen phrases; lives of texts that were written one by one;
lives of strangers where their files are given; queries in other words; everything of a kind; values
that are plainly named (`plain`); what people plainly say (`sentences`). Averages are over queries.
`--parts variants` takes parts of the search out, one at a time.
"""

import argparse
import json
import statistics
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from importlib import resources
from pathlib import Path

from reqap.evaluate import plain, sentences
from reqap.evaluate.finding import (
    Asked,
    Measured,
    Searched,
    digest,
    free_lives,
    measured,
    personas,
    strangers,
)
from reqap.evaluate.report import kept_lines, progress_bar, put_section
from reqap.evaluate.variants import SHIPPED, Make, variants
from reqap.execute import Retriever
from reqap.retrieve import LearnedRetriever
from reqap.retrieve.index import update
from reqap.retrieve.networks import SMALLER, Networks
from reqap.retrieve.shipped import folder

_PARTS = ("dev", "lives", "wild", "paraphrased", "whole", "plain", "sentences", "variants")
_HEAD = (
    "queries | recall | precision | counts within 5 % | merged pairs (F1) | median |"
    " 95th percentile |"
)
Found = dict[str, list[Measured]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--build", type=Path, required=True, help="what `reqap perqa build` wrote")
    parser.add_argument("--models", type=Path, default=folder(), help="a folder of models")
    parser.add_argument("--wild", type=Path, help="a folder of strangers' lives")
    parser.add_argument("--parts", nargs="+", choices=_PARTS, help="only some of it")
    parser.add_argument("--out", type=Path, help="a file for every query and what was found")
    parser.add_argument("--write", type=Path, help="the page whose section is written anew")
    given = parser.parse_args()
    parts = given.parts or _PARTS
    models = Networks(given.models)
    smaller = given.models / SMALLER
    makes = variants(models, Networks(given.models, SMALLER) if smaller.is_file() else None)
    shipped = {SHIPPED: makes[SHIPPED]}
    groups: dict[str, tuple[Iterable[Searched], Mapping[str, Make]]] = {}
    if "dev" in parts:
        groups["PerQA, dev"] = personas(given.build, "dev"), shipped
    if "lives" in parts:
        groups["free lives, dev"] = free_lives("dev"), shipped
    if "wild" in parts and given.wild:
        groups["strangers"] = strangers(given.wild), shipped
    if "paraphrased" in parts:
        groups["PerQA, dev: some of the queries"] = rewordable(given.build, False), shipped
        groups["these in other words"] = rewordable(given.build, True), shipped
    if "variants" in parts:
        groups["PerQA, dev: every eighth query"] = some(personas(given.build, "dev")), makes
        groups["free lives, dev: every eighth query"] = some(free_lives("dev")), makes
    results: dict[str, Found] = {}
    for name, (lives, chosen) in groups.items():
        results[name] = searched_all(lives, models, chosen)
        print(f"{name}: {row(results[name][SHIPPED])}", flush=True)
        if given.out:
            _keep(given.out.with_suffix(f".{len(results)}.jsonl"), results[name][SHIPPED])
    lines = tables(results)
    if "whole" in parts:
        lines += ["", whole_kinds(given.build, models)]
    if "plain" in parts:
        lines += ["", "Values of records, plainly named (PerQA, dev):", ""]
        lines += plain.table(personas(given.build, "dev"), models)
    if "sentences" in parts:
        lines += ["", "What people plainly say:", ""]
        lines += sentences.table(models)
    page = "\n".join(lines)
    print(page)
    if given.write:
        put_section(given.write, "retrieve", page)


def tables(results: Mapping[str, Found]) -> list[str]:
    lines = [f"| lives | {_HEAD}", "|---|---|---|---|---|---|---|---|"]
    learnt = learnt_queries()
    for name, found in results.items():
        if len(found) == 1:
            lines.append(f"| {name} | {row(found[SHIPPED])} |")
            unseen = [one for one in found[SHIPPED] if digest(one.asked.query) not in learnt]
            if 0 < len(unseen) < len(found[SHIPPED]):
                lines.append(f"| {name}: unseen queries | {row(unseen)} |")
    for name, found in results.items():
        if len(found) > 1:
            lines += ["", f"Parts taken out, or exchanged ({name}):", "", f"| search | {_HEAD}",
                      "|---|---|---|---|---|---|---|---|"]  # fmt: skip
            lines += [f"| {variant} | {row(some)} |" for variant, some in found.items()]
    return lines


def learnt_queries() -> frozenset[str]:
    """Queries to measure with that a shipped model has learnt word for word, as digests."""
    file = resources.files("reqap.evaluate") / "learnt.txt"
    return frozenset(file.read_text(encoding="utf-8").split())


def searched_all(lives: Iterable[Searched], models: Networks, makes: Mapping[str, Make]) -> Found:
    """Every query of every life, by each search."""
    found: Found = {name: [] for name in makes}
    for life in lives:
        update(life.store, models)
        for name, make in makes.items():
            found[name] += searched(life, make(life.store), f"{life.name}, {name}")
        life.store.close()
    return found


def searched(life: Searched, retriever: Retriever, name: str) -> list[Measured]:
    """Every query of a life, one after the other."""
    found = []
    retriever.retrieve("something else", life.today)  # warm
    with progress_bar(name, len(life.queries)) as done:
        for asked in life.queries:
            began = time.perf_counter()
            table = retriever.retrieve(asked.query, life.today)
            found.append(measured(life, asked, table, time.perf_counter() - began))
            done()
    return found


def some(lives: Iterable[Searched]) -> Iterable[Searched]:
    """Every eighth query: reading everything takes long."""
    for life in lives:
        yield replace(life, queries=life.queries[::8])


def rewordable(build: Path, in_other_words: bool) -> Iterable[Searched]:
    """The lives with the queries for which there are other words; in these, or as they were."""
    other = {it["query"]: it["paraphrase"] for it in kept_lines("paraphrased")}

    def said(asked: Asked) -> Asked:
        return replace(asked, query=other[asked.query]) if in_other_words else asked

    for life in personas(build, "dev"):
        yield replace(life, queries=tuple(said(one) for one in life.queries if one.query in other))


def whole_kinds(build: Path, models: Networks) -> str:
    """Everything of a kind, in words that nobody learnt: all of it and nothing else?"""
    asked = kept_lines("whole_kinds")
    exact, missed = 0, []
    for life in personas(build, "dev"):
        update(life.store, models)
        retriever = LearnedRetriever(life.store, models)
        kinds = {one.id: one.kind for one in life.store.scan() if one.start <= life.today}
        for it in asked:
            wanted = {name for name, kind in kinds.items() if kind == it["kind"]}
            found = set(retriever.retrieve(it["query"], life.today)["id"].to_pylist())
            exact += found == wanted
            missed += [f"{it['query']!r}"] if found != wanted else []
        life.store.close()
    told = ", ".join(dict.fromkeys(missed)) or "none"
    return (
        f"Everything of a kind, in {len(asked)} wordings that nobody learnt, on two lives: {exact}"
        f" of {exact + len(missed)} give all of it and nothing else. Not: {told}."
    )


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
