"""Random questions and observations of dev and test, to be read by hand (docs/perqa-audit.md).

python benchmarks/audit_sample.py --build perqa-lives --seed 20261119 --out audit
"""

import argparse
import csv
import json
import random
from collections.abc import Iterator
from pathlib import Path

TEXTS = frozenset({"mail", "social_media", "calendar", "note"})
OF_SERVICES = 0.004  # so many are alike that few say it all


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--size", type=int, default=100)
    given = parser.parse_args()
    chance = random.Random(given.seed)
    folders = [path for split in ("dev", "test") for path in (given.build / split).iterdir()]
    given.out.mkdir(parents=True, exist_ok=True)
    for name, found in (
        ("questions", list(_questions(sorted(folders), chance))),
        ("observations", list(_observations(sorted(folders), chance))),
    ):
        chosen = chance.sample(found, given.size)
        text = "\n".join(f"## {number}. {told}" for number, told in enumerate(chosen, 1))
        (given.out / f"{name}.md").write_text(text, encoding="utf-8")


def _questions(folders: list[Path], chance: random.Random) -> Iterator[str]:
    for folder in folders:
        for it in json.loads((folder / "questions.json").read_text(encoding="utf-8")):
            answers = json.dumps(it["answers"], ensure_ascii=False)
            yield (
                f"{folder.name} {it['template']}\nquestion: {chance.choice(it['wordings'])}\n"
                f"today: {it['reference_date']}\nanswers: {answers[:600]}\n"
                f"SQL: {it['sql_query']}\nplan: {it['plan']}\n"
            )


def _observations(folders: list[Path], chance: random.Random) -> Iterator[str]:
    for folder in folders:
        happened = {it["id"]: it for it in _rows(folder / f"{folder.name}_canonical.csv")}
        for it in _rows(folder / f"{folder.name}_obs.csv"):
            if it["event_type"] not in TEXTS and chance.random() > OF_SERVICES:
                continue
            lines = [f"{folder.name} {_head(it)}", it["event_data"]]
            for event, told in json.loads(it["properties_mentioned"]).items():
                lines.append(f"tells of: {_head(happened[event])} {happened[event]['event_data']}")
                lines.append(f"  expresses: {', '.join(told)}")
            yield "\n".join([*lines, ""])


def _head(it: dict[str, str]) -> str:
    begin, end = f"{it['start_date']} {it['start_time']}", f"{it['end_date']} {it['end_time']}"
    return f"{it['event_type']} {begin} .. {end}"


def _rows(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


if __name__ == "__main__":
    main()
