"""What the CodeGen baseline learns from: questions of train, and SQL over what users have.

    python -m reqap.train.codegen --build perqa-lives --stores eval-stores --out lessons-codegen
    python -m reqap.train.qud train --lessons lessons-codegen --base base.gguf --out codegen.gguf

The SQL is the gold SQL, translated (`codegen_sql`); a pair is kept if its SQL can be run on the
life that the question is about, and knows whether it gives the right answer. Lessons have the form
that `reqap.train.qud` trains on: one turn each.
"""

import argparse
import json
import random
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from reqap.baselines.sandbox import Bounds, Sandbox
from reqap.baselines.tables import Tables
from reqap.errors import ReqapError
from reqap.evaluate.gates import flat
from reqap.evaluate.metrics import score
from reqap.evaluate.stores import imported, opened
from reqap.evaluate.subjects import Subject, perqa_subject
from reqap.train.codegen_sql import translated
from reqap.train.typing import typed

_BOUNDS = Bounds(seconds=10.0)
_EXAMPLES = 40
_WORD = re.compile(r"[A-Z_]{2,}|(?<=FROM )[a-z_]+")  # of SQL, and tables
_SLOPPY = 0.5  # of the questions beside the first wording, as people type


@dataclass(frozen=True)
class Pair:
    """A question with its wordings, and SQL that can be run."""

    template: str
    wordings: tuple[str, ...]
    sql: str
    right: bool


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--build", type=Path, required=True, help="what `reqap perqa build` wrote")
    parser.add_argument("--stores", type=Path, default=Path("eval-stores"))
    parser.add_argument("--out", type=Path, required=True, help="a folder for the lessons")
    parser.add_argument("--personas", type=int, help="only so many of each split")
    parser.add_argument("--right", action="store_true", help="only SQL that gives right answers")
    parser.add_argument("--examples", type=Path, help="also write examples to show to models")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    for split, name in (("train", "train-1"), ("dev", "dev")):
        folders = sorted((given.build / split).glob(f"{split}_persona_*"))[: given.personas]
        asked = 0
        found: list[Pair] = []
        for folder in folders:
            subject = perqa_subject(folder)
            asked += len(subject.questions)
            found += pairs(subject, folder, given.stores)
            print(told(folder.name, asked, found), flush=True)
        kept = [pair for pair in found if pair.right or not given.right]
        write_lessons(kept, given.out / f"{name}.jsonl", noisy=split == "train")
        if split == "train" and given.examples:
            shown = [{"question": one.wordings[0], "sql": one.sql} for one in examples(found)]
            page = json.dumps(shown, ensure_ascii=False, indent=1)
            given.examples.write_text(page + "\n", encoding="utf-8")


def told(name: str, asked: int, found: list[Pair]) -> str:
    right = sum(pair.right for pair in found)
    return f"up to {name}: {asked} questions, {len(found)} with SQL that runs, {right} right"


def pairs(subject: Subject, folder: Path, stores: Path) -> Iterator[Pair]:
    """The questions of a life whose SQL can be translated and run."""
    raw = json.loads((folder / "questions.json").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "tables.duckdb"
        with opened(imported(subject, stores)) as store:
            Tables(store, subject.today, path)
        with Sandbox(path, _BOUNDS) as sandbox:
            for it in raw:
                try:
                    sql = translated(it["sql_query"])
                    rows = sandbox.run(sql)
                except ReqapError:
                    continue
                right = score(it["answers"], flat(rows)).hit
                yield Pair(it["template"], tuple(it["wordings"]), sql, right)


def write_lessons(found: list[Pair], path: Path, noisy: bool) -> None:
    """One lesson per wording; some as people type, where it is to learn from."""
    chance = random.Random(1)
    with path.open("w", encoding="utf-8") as file:
        for pair in found:
            for number, wording in enumerate(pair.wordings):
                sloppy = noisy and number > 0 and chance.random() < _SLOPPY
                question = typed(wording, chance, frozenset()) if sloppy else wording
                lesson = {"template": pair.template, "turns": [[question, pair.sql]],
                          "plan": pair.sql, "right": pair.right}  # fmt: skip
                file.write(json.dumps(lesson, ensure_ascii=False) + "\n")


def examples(found: list[Pair]) -> list[Pair]:
    """Pairs with right answers: half of them for the words of SQL they bring, half as they come."""
    chance = random.Random(1)
    right = list({pair.template: pair for pair in found if pair.right}.values())
    chance.shuffle(right)
    seen: set[str] = set()
    kept: list[Pair] = []
    for least, most in ((2, _EXAMPLES // 2), (0, _EXAMPLES)):
        for pair in right:
            words = set(_WORD.findall(pair.sql))
            if len(kept) < most and pair not in kept and len(words - seen) >= least:
                kept.append(pair)
                seen |= words
    return kept


if __name__ == "__main__":
    main()
